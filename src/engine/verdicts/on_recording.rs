//! Clauses decided on a recorded journey: the events from the store, the names from the index, the rules from `judge/`.

use serde::Serialize;

use crate::base::error::Trouble;
use crate::domain::call::{ProgramEnd, Recording, RecordingId};
use crate::engine::checks::intents::clauses::{Understood, cut, decide};
use crate::engine::checks::intents::nearby;
use crate::engine::recording;
use crate::engine::state::core::Core;
use crate::judge::evaluate::Missing;
use crate::judge::grammar;
use crate::judge::names::{Bound, Names, Nearby};

/// What came of a sentence.
#[derive(Debug, Clone, Serialize)]
pub struct Judged {
    /// As it was written.
    pub sentence: String,
    /// What was understood, or why not.
    #[serde(flatten)]
    pub understood: Understood,
}

/// Decides the sentences of a text on the journey of a recording, or of the last one that has a journey.
pub fn judge(core: &Core, recording: Option<RecordingId>, text: &str) -> Result<(RecordingId, Vec<Judged>), Trouble> {
    let id = match recording {
        Some(id) => id,
        None => core.store().journeys()?.into_iter().map(|(id, _)| id).max().ok_or_else(|| {
            Trouble::usage("There is no journey to decide on.")
                .so("Record one: pytead-tui check --clause \"…\" -- pytest -q tests/test_x.py, or pytead-tui run --journey CMD.")
        })?,
    };
    let journey = recording::read::journey(core, id)?;
    if journey.is_empty() {
        return Err(Trouble::usage(format!("Recording {} has no journey.", id.0))
            .because("It was recorded without --journey, or nothing of the project was called."));
    }
    let recording = core.store().recording(id)?;
    let elsewhere = recording::read::elsewhere(core, id)?;
    let index = core.index();
    let names =
        Names::new(index.functions().filter(|function| index.module_of(&function.id).is_none_or(|module| !module.is_test())))
            .near(Nearby { ran: nearby::ran(&journey), ..Nearby::default() });
    let judged = grammar::sentences(text).into_iter().map(|sentence| Judged {
        sentence: sentence.to_owned(),
        understood: decide(
            &names,
            &journey,
            &|clause| elsewhere.clone().or_else(|| incomplete(recording.as_ref()?, clause)),
            sentence,
        ),
    });
    Ok((id, judged.collect()))
}

fn incomplete(recording: &Recording, clause: &Bound) -> Option<Missing> {
    cut(&recording.gaps, clause).or_else(|| match &recording.end {
        ProgramEnd::Killed(signal) => {
            Some(Missing { reason: format!("the program was ended by {signal}").into(), anywhere: false })
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::Moment;
    use crate::domain::function::{Function, FunctionId};
    use crate::domain::gap::{Gap, GapKind};
    use crate::source::index::Index;

    #[test]
    fn only_a_clause_about_a_function_of_many_calls_lacks_something() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("m.py"), "def a():\n    pass\n\n\ndef b():\n    pass\n").unwrap();
        let index = Index::build(place.path(), &[], &|_, _| {});
        let functions: Vec<&Function> = index.functions().collect();
        assert!(functions.iter().any(|function| function.id == FunctionId::new("m", "a")));
        let names = Names::new(functions);
        let bound = |sentence: &str| names.bind(grammar::parse(sentence).unwrap()).unwrap();
        let mut recording =
            Recording { gaps: vec![(GapKind::CallLimit.of("m:a"), 3)], ..Recording::begun(Vec::new(), Moment(0)) };
        let reason = |recording: &Recording, sentence| cut(&recording.gaps, &bound(sentence)).map(|missing| missing.reason);
        assert_eq!(reason(&recording, "a is called"), Some(GapKind::CallLimit.of("m:a").to_string().into()));
        assert_eq!(reason(&recording, "b is called"), None);
        recording.gaps.push((GapKind::JourneyLimit.into(), 1));
        assert_eq!(reason(&recording, "b is called"), Some(Gap::from(GapKind::JourneyLimit).to_string().into()));
    }
}
