//! What each line gave in one recorded call: the call is run again on today's code, contained, and followed line by line. Kept
//! for each call and version of the code. Nothing is compared and nothing is stored.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::redact::Redactor;
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::contain::Level;
use crate::domain::call::{Call, CallId, Effect, Outcome};
use crate::domain::line_values::LineValues;
use crate::domain::reason::ReasonCode;
use crate::domain::snapshot::Trust;
use crate::engine::calls::read::decode;
use crate::engine::checks::secrets;
use crate::engine::index::reachability;
use crate::engine::python::environment;
use crate::engine::state::core::Core;
use crate::python::line_values::{Followed, GivenLine, GivenLines, HowItWent};
use crate::python::value;
use crate::record::inputs::clean_effect;

/// Characters of what one line gave.
const LINE: usize = 400;
/// Calls that are kept: a person goes back and forth between a few.
const KEPT: usize = 100;

/// What was seen of calls, each under the code that it ran.
#[derive(Default)]
struct Seen(Mutex<HashMap<CallId, (Digest, Arc<LineValues>)>>);

/// Follows a recorded call; where it cannot be run again, one sentence says why. A question that waits is not asked for this.
///
/// # Errors
/// Fails with the sentence.
pub async fn of(core: &Arc<Core>, id: CallId) -> Result<Arc<LineValues>, Sentence> {
    if core.trust() != Trust::Trusted {
        return Err("this folder is not trusted".into());
    }
    if environment::waits_for_answer(core) || environment::is_declined(core) {
        return Err("recorded calls may not run without a sandbox".into());
    }
    follow(core, id).await.unwrap_or_else(|trouble| Err(trouble.what.without_stop()))
}

async fn follow(core: &Arc<Core>, id: CallId) -> Result<Result<Arc<LineValues>, Sentence>, Trouble> {
    let call = match runnable(core, id)? {
        Ok(call) => call,
        Err(why) => return Ok(Err(why)),
    };
    let index = core.index();
    let Some(function) = index.today(&call.function) else {
        return Ok(Err(ReasonCode::Removed.of(call.function.qualname()).message().into()));
    };
    let code = reachability::recorded(core, &index)?.code_key(&call.function);
    let seen = core.part::<Seen>();
    if let Some((_, known)) = seen.0.lock().get(&id).filter(|(under, _)| *under == code) {
        return Ok(Ok(known.clone()));
    }
    let name = function.id.qualname().split('#').next().unwrap_or_default();
    let followed = Followed {
        path: function.path.as_str().to_owned(),
        name: name.rsplit('.').next().unwrap_or(name).to_owned(),
        first: function.span.first,
        last: function.span.last,
    };
    let environment = environment::contained(core).await?;
    if environment.level == Level::None {
        return Ok(Err("recorded calls may not run without a sandbox".into()));
    }
    let Some(given) = environment.line_values(core, &call, &followed).await? else {
        return Ok(Err(ReasonCode::Removed.of(call.function.qualname()).message().into()));
    };
    let outcome = match given.result {
        Ok(outcome) => value::outcome(&outcome).ok().map(|effect| effect.outcome),
        Err(not_made) => return Ok(Err(not_made.why.message().into())),
    };
    let Some(lines) = given.lines else {
        return Ok(Err(match outcome {
            Some(ended @ (Outcome::TimedOut(_) | Outcome::Died(_))) => ended.summary(LINE).trim_start_matches("✗ ").into(),
            _ => "its lines were not seen when it ran again".into(),
        }));
    };
    let told = Arc::new(told(lines, &mut secrets::of_project(&core.root)));
    let mut all = seen.0.lock();
    if all.len() >= KEPT {
        all.clear();
    }
    all.insert(id, (code, told.clone()));
    Ok(Ok(told))
}

/// Gives a call that may run alone, or why it may not.
fn runnable(core: &Core, id: CallId) -> Result<Result<Call, Sentence>, Trouble> {
    let Some(stored) = core.store().calls(&[id])?.into_iter().next() else {
        return Ok(Err("it is no longer recorded".into()));
    };
    if core.store().compared_in_tests(&[id])?.contains_key(&id) {
        return Ok(Err("it runs again only inside its recorded test".into()));
    }
    let noted = stored.not_replayable.clone();
    let mut call = decode(stored);
    call.observed.held_still = noted.as_ref().is_some_and(|reason| reason.code == ReasonCode::HeldStill);
    let against = noted.or_else(|| call.not_replayable());
    let against = against.filter(|reason| reason.code != ReasonCode::HeldStill && !reason.code.is_stood_in());
    Ok(against.map_or(Ok(call), |reason| Err(reason.message().into())))
}

fn told(lines: GivenLines, redactor: &mut Redactor) -> LineValues {
    let mut told = LineValues {
        ran: lines.ran.into_iter().collect(),
        missed: lines.missed.into_iter().collect(),
        is_cut: lines.cut,
        ..LineValues::default()
    };
    for line in lines.given {
        if matches!(line.how, HowItWent::Raised | HowItWent::Passed) {
            told.failed.insert(line.line);
        }
        let text = text_of(&line, redactor);
        if !text.is_empty() {
            told.texts.insert(line.line, text);
        }
    }
    told
}

/// Writes what a line gave: `×3 price = Decimal('2')`, `→ 12`, `✗ ValueError('negative price')`.
fn text_of(line: &GivenLine, redactor: &mut Redactor) -> String {
    let mut parts = Vec::new();
    if line.times > 1 {
        parts.push(format!("×{}", text::thousands(usize::try_from(line.times).unwrap_or(usize::MAX))));
    }
    let effect = line.seen.as_ref().and_then(|seen| Some((seen, value::outcome(seen).ok()?)));
    if let Some((seen, mut effect)) = effect {
        if redactor.may_hold(seen) {
            clean_effect(&mut effect, redactor, None);
        }
        parts.extend(gave(line.how, &effect));
    }
    text::display_line(&parts.join(" ")).into_owned()
}

fn gave(how: HowItWent, effect: &Effect) -> Option<String> {
    match (how, &effect.outcome) {
        (HowItWent::GoesOn, _) => match effect.changed.as_slice() {
            [] => None,
            // The line names it.
            [(_, value)] => Some(value.summary(LINE)),
            several => {
                let named = several.iter().map(|(name, value)| format!("{name} = {}", value.summary(LINE)));
                Some(named.collect::<Vec<_>>().join(", "))
            }
        },
        (HowItWent::Yielded, Outcome::Returned(value)) => Some(format!("yields {}", value.summary(LINE))),
        (HowItWent::Passed, outcome) => Some(format!("{} passes", outcome.summary(LINE))),
        (HowItWent::Returned | HowItWent::Raised | HowItWent::Yielded, outcome) => Some(outcome.summary(LINE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::value::{TypeName, Value};

    fn line(number: u32, times: u64, how: HowItWent, outcome: Outcome, names: &[(&str, Value)]) -> GivenLine {
        let changed = names.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        GivenLine { line: number, times, how, seen: Some(value::encode_outcome(&Effect { outcome, changed })) }
    }

    #[test]
    fn each_line_says_what_it_gave_and_hostile_text_is_safe() {
        let none = || Outcome::Returned(Value::None);
        let error = Value::Opaque { ordinal: 1, ty: TypeName::new("builtins", "ValueError") };
        let raised = || Outcome::Raised { exception: error.clone(), mro: Vec::new() };
        let given = vec![
            line(2, 3, HowItWent::GoesOn, none(), &[("price", Value::Int(2)), ("name", Value::Str("\u{1b}[31mred".into()))]),
            line(3, 1, HowItWent::Returned, Outcome::Returned(Value::Int(7)), &[]),
            line(9, 1, HowItWent::GoesOn, none(), &[("self.size", Value::Int(5))]),
            line(4, 1_200, HowItWent::Yielded, Outcome::Returned(Value::Int(1)), &[]),
            line(5, 1, HowItWent::Raised, raised(), &[]),
            line(6, 1, HowItWent::Passed, raised(), &[]),
            GivenLine { line: 7, times: 4, how: HowItWent::GoesOn, seen: None },
            GivenLine { line: 8, times: 2, how: HowItWent::Returned, seen: Some(b"no outcome".to_vec()) },
        ];
        let told = told(GivenLines { ran: vec![2, 3], missed: vec![9], given, cut: true }, &mut Redactor::default());
        let texts: Vec<(u32, &str)> = told.texts.iter().map(|(line, text)| (*line, text.as_str())).collect();
        let wrong = format!("✗ {}", error.summary(LINE));
        assert_eq!(texts[0].0, 2);
        assert!(texts[0].1.starts_with("×3 price = 2, name = ") && !texts[0].1.contains('\u{1b}'), "{:?}", texts[0]);
        assert_eq!(texts[1..5], [(3, "→ 7"), (4, "×1 200 yields 1"), (5, wrong.as_str()), (6, &*format!("{wrong} passes"))]);
        assert_eq!(texts[5..], [(7, "×4"), (8, "×2"), (9, "5")], "what cannot be read is left out");
        assert_eq!((told.failed, told.is_cut), ([5, 6].into(), true));
    }
}
