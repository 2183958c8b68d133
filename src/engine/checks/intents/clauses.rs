//! Sentences decided on what a test or a program did.

use serde::Serialize;

use crate::domain::clause::Finding;
use crate::domain::gap::{Gap, GapKind};
use crate::domain::journey::JourneyEvent;
use crate::judge::evaluate::{Missing, evaluate};
use crate::judge::grammar::{self, Unclear};
use crate::judge::names::{Bound, Names, Unresolved};

/// A sentence that is a clause, or none.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Understood {
    /// It was decided.
    Clause {
        /// The canonical sentence.
        clause: String,
        /// What it came to.
        #[serde(flatten)]
        finding: Finding,
        /// The lines of the journey that show it, as text.
        shown: Vec<String>,
    },
    /// It was not understood, or names what is not there.
    Unclear {
        /// Why.
        unclear: String,
        /// What can be said instead.
        instead: Vec<String>,
    },
}

/// Decides one sentence on a journey: in every way that its names can be read, if there are several. `missing` says why events are not there that may decide a clause, if any are.
pub fn decide(
    names: &Names,
    journey: &[JourneyEvent],
    missing: &dyn Fn(&Bound) -> Option<Missing>,
    sentence: &str,
) -> Understood {
    let clause = match grammar::parse(sentence) {
        Ok(clause) => clause,
        Err(unclear) => return unclear_words(&unclear),
    };
    let canonical = clause.to_string();
    let readings = match names.readings(clause) {
        Ok(readings) => readings,
        Err(unresolved) => return unclear_names(&unresolved),
    };
    let evaluated = |bound: &Bound| evaluate(journey, missing(bound).as_ref(), bound);
    let finding = evaluated(&readings.first);
    // Which function is meant does not matter where every reading comes to the same.
    let kind = |finding: &Finding| std::mem::discriminant(&finding.outcome);
    if let Some(ambiguity) = readings.ambiguity
        && readings.others.iter().any(|other| kind(&evaluated(other)) != kind(&finding))
    {
        return unclear_names(&ambiguity);
    }
    let shown = finding.evidence.iter().filter_map(|line| journey.get(line.0 as usize - 1)).map(JourneyEvent::text).collect();
    Understood::Clause { clause: canonical, finding, shown }
}

fn unclear_words(unclear: &Unclear) -> Understood {
    let instead = unclear.nearest().into_iter().map(str::to_owned).collect();
    Understood::Unclear { unclear: unclear.to_string(), instead }
}

fn unclear_names(unresolved: &Unresolved) -> Understood {
    Understood::Unclear { unclear: unresolved.to_string(), instead: Vec::new() }
}

/// Says why events of a journey are missing that may decide a clause, if any are. Of a function whose calls were not all
/// kept, only clauses that name it lack something.
pub fn cut(gaps: &[(Gap, u64)], clause: &Bound) -> Option<Missing> {
    let matters = |gap: &Gap| match gap.kind {
        GapKind::CallLimit | GapKind::NotInstrumented => {
            clause.functions().any(|(_, named)| named.text() == gap.argument.as_str())
        }
        _ => true,
    };
    let gap = gaps.iter().map(|(gap, _)| gap).find(|gap| matters(gap))?;
    Some(Missing { reason: gap.to_string().into(), anywhere: gap.kind == GapKind::NotInstrumented })
}
