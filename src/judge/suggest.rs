//! Clauses proposed from what a test did, without any model: how often, in which order, inside what, with which data.
//!
//! Each holds on the journey it was made from, and says which small changes of that journey it would notice: a clause that
//! notices none says nothing. Whether one is right is a person's word.

use std::collections::{HashMap, HashSet};

use crate::domain::callee::Callee;
use crate::domain::clause::{Calls, Clause, Ending, Head, Outcome, Scope, Test, Times};
use crate::domain::journey::{JourneyEvent, LineId, Phase, What};
use crate::domain::value::Value;
use crate::judge::call_tree::{CallTree, Ended};
use crate::judge::evaluate::evaluate;
use crate::judge::names::{Bound, Names};
use crate::judge::values::{self, Answer};

/// Clauses proposed of one journey.
const MOST: usize = 12;
/// Clauses tried, and of a long journey.
const TRIED: (usize, usize) = (80, 20);
/// Calls from which clauses are made: what comes later is mostly more of the same.
const LOOKED_AT: usize = 2_000;
/// A longer journey is not changed to see what a clause notices: that would take its time.
const EVENTS_MAX: usize = 4_000;

/// A proposed clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The canonical sentence.
    pub text: String,
    /// The small changes of the journey that it would notice.
    pub notices: Vec<&'static str>,
}

/// Proposes clauses that hold on a journey, those first that notice most and share words with the intent.
#[must_use]
pub fn suggest(events: &[JourneyEvent], names: &Names, intent: &str) -> Vec<Suggestion> {
    let tree = CallTree::new(events);
    let words: HashSet<String> = words(intent).collect();
    let mut seen = HashSet::new();
    let mut found: Vec<(usize, Suggestion)> = Vec::new();
    let tried = if events.len() > EVENTS_MAX { TRIED.1 } else { TRIED.0 };
    for clause in candidates(&tree, names).into_iter().take(tried) {
        let text = clause.to_string();
        let Ok(bound) = names.bind(clause) else { continue };
        if !seen.insert(text.clone()) || !holds(events, &bound) {
            continue;
        }
        let notices = notices(events, &bound);
        let shared = self::words(&text).filter(|word| words.contains(word)).count();
        // That an object was made says little.
        let telling = usize::from(!text.contains("__init__"));
        found.push((notices.len() + shared + 2 * telling, Suggestion { text, notices }));
    }
    found.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    found.into_iter().map(|(_, suggestion)| suggestion).take(MOST).collect()
}

/// The words of a text, also those inside `snake_case` and `CamelCase`, without their endings.
pub fn words(text: &str) -> impl Iterator<Item = String> + use<> {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in text.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
        before = c;
    }
    let stems = spaced.split_whitespace().filter(|word| word.len() > 2);
    stems.map(|word| word.chars().take(5).collect()).collect::<Vec<String>>().into_iter()
}

fn holds(events: &[JourneyEvent], bound: &Bound) -> bool {
    matches!(evaluate(events, None, bound).outcome, Outcome::Holds { .. })
}

fn clause(head: Head) -> Clause {
    Clause { head, scope: Scope::Whole, may_not_occur: false }
}

/// Everything that may be said of the calls of a test, most telling first.
fn candidates(tree: &CallTree<'_>, names: &Names) -> Vec<Clause> {
    let acts: Vec<usize> = (0..tree.acts.len()).filter(|act| tree.acts[*act].phase == Phase::Call).collect();
    // A test says nothing about itself.
    let is_test = |function: &Callee| function.qualname().rsplit('.').next().is_some_and(|last| last.starts_with("test_"));
    let name = |function: &Callee| names.shortest(function).filter(|_| !is_test(function));
    let mut counts: Vec<(&Callee, u32)> = Vec::new();
    for act in &acts {
        let function = tree.acts[*act].function;
        match counts.iter_mut().find(|(own, _)| *own == function) {
            Some((_, count)) => *count += 1,
            None => counts.push((function, 1)),
        }
    }
    let once = |function: &Callee| counts.iter().any(|(own, count)| *own == function && *count == 1);
    let (mut order, mut conditions, mut nesting, mut flows, mut ends) = (vec![], vec![], vec![], vec![], vec![]);
    for (at, index) in acts.iter().enumerate().take(LOOKED_AT) {
        let act = &tree.acts[*index];
        let Some(own) = name(act.function) else { continue };
        let next = acts[at + 1..].iter().take(LOOKED_AT).find(|later| tree.acts[**later].parent == act.parent);
        if let Some(next) = next.map(|next| &tree.acts[*next])
            && let Some(other) = name(next.function)
            && next.function != act.function
        {
            if once(act.function) && once(next.function) {
                order.push(clause(Head::Sequence(vec![Calls::of(&own), Calls::of(&other)])));
            }
            if let Ended::Returned(value @ (Value::Bool(_) | Value::None)) = act.ended
                && !matches!(value, Value::None if act.parent.is_none())
            {
                let condition = Calls { ending: Some(Ending::Returning(Test::Is(value.clone()))), ..Calls::of(&own) };
                if !matches!(value, Value::None) && !other.ends_with("__init__") {
                    conditions.push(clause(Head::If { condition, then: Calls::of(&other), called: true }));
                }
            }
        }
        if let Some(parent) = act.parent.and_then(|parent| name(tree.acts[parent].function)) {
            nesting.push(clause(Head::Within { function: parent, calls: Calls::of(&own) }));
        }
        for (parameter, value) in act.args.iter().skip(usize::from(act.receiver.is_some())) {
            let maker = acts[..at].iter().rev().map(|earlier| &tree.acts[*earlier]).find(|earlier| {
                matches!(earlier.ended, Ended::Returned(made) if telling(made) && values::same(made, value) == Answer::Yes)
                    && earlier.ended_before(act.start)
            });
            if let Some(from) = maker.and_then(|maker| name(maker.function)) {
                let parameter = (*parameter).to_owned();
                flows.push(clause(Head::Receives { calls: Calls::of(&own), parameter, from, field: None }));
            }
        }
        match act.ended {
            Ended::Raised { mro: [exception, ..], .. } => {
                let exception = exception.rsplit([':', '.']).next().unwrap_or(exception).to_owned();
                ends.push(clause(Head::Raises { function: own, exception }));
            }
            Ended::Returned(value @ (Value::Str(_) | Value::Int(_) | Value::Bool(_)))
                if act.parent.is_none() && !secret(value) =>
            {
                ends.push(clause(Head::Returns { function: own, test: Test::Is(value.clone()) }));
            }
            _ => {}
        }
    }
    let counted = counts.iter().filter_map(|(function, count)| {
        let times = if *count <= 3 { Times::Exactly(*count) } else { Times::AtLeast(1) };
        Some(clause(Head::Count { calls: Calls::of(name(function)?), times }))
    });
    order.into_iter().chain(conditions).chain(flows).chain(counted).chain(nesting).chain(ends).collect()
}

/// Whether two values that are equal are so by no chance.
fn telling(value: &Value) -> bool {
    match value {
        Value::Str(text) => text.len() > 2,
        Value::Int(number) => number.unsigned_abs() > 20,
        Value::Object { .. } | Value::Ref(_) | Value::Opaque { .. } | Value::Secret { .. } | Value::Dict(_) => true,
        _ => false,
    }
}

fn secret(value: &Value) -> bool {
    matches!(value, Value::Str(text) if text.len() > 40 || text.contains("‹secret:"))
}

/// Lists the kinds of small changes after which a clause that holds does not hold any more; of a long journey none.
#[must_use]
pub fn notices(events: &[JourneyEvent], bound: &Bound) -> Vec<&'static str> {
    if events.len() > EVENTS_MAX {
        return Vec::new();
    }
    let named: HashSet<&Callee> = bound.functions().map(|(_, function)| function).collect();
    let calls: Vec<LineId> = events
        .iter()
        .filter_map(|event| match &event.what {
            What::Call { function, .. } if named.contains(function) && event.phase == Phase::Call => Some(event.line),
            _ => None,
        })
        .collect();
    let kinds: [(&'static str, Change); 4] = [
        ("a call less", |events, call| Some(renumbered(without(events, call)))),
        ("a call more", |events, call| Some(renumbered(twice(events, call)))),
        ("another order", |events, call| swapped(events, call).map(renumbered)),
        ("another result", otherwise),
    ];
    let noticed =
        |change: Change| calls.iter().take(4).any(|call| change(events, *call).is_some_and(|changed| !holds(&changed, bound)));
    kinds.iter().filter(|(_, change)| noticed(*change)).map(|(kind, _)| *kind).collect()
}

/// Changes a journey at one call; none where that cannot be done.
type Change = fn(&[JourneyEvent], LineId) -> Option<Vec<JourneyEvent>>;

/// An event and whether it is the copy of one.
type Copied = (bool, JourneyEvent);

/// The calls below a call, and itself.
fn below(events: &[JourneyEvent], call: LineId) -> HashSet<LineId> {
    let mut inside = HashSet::from([call]);
    for event in events {
        if let What::Call { parent: Some(parent), .. } = &event.what
            && inside.contains(parent)
        {
            inside.insert(event.line);
        }
    }
    inside
}

fn without(events: &[JourneyEvent], call: LineId) -> Vec<Copied> {
    let gone = below(events, call);
    events.iter().filter(|event| !gone.contains(&event.call)).map(|event| (false, event.clone())).collect()
}

fn twice(events: &[JourneyEvent], call: LineId) -> Vec<Copied> {
    let copied = below(events, call);
    let last = events.iter().rposition(|event| copied.contains(&event.call)).unwrap_or(0);
    let mut out: Vec<Copied> = events.iter().map(|event| (false, event.clone())).collect();
    let again = events.iter().filter(|event| copied.contains(&event.call)).map(|event| (true, event.clone()));
    out.splice(last + 1..last + 1, again.collect::<Vec<_>>());
    out
}

/// Puts a call behind the next one beside it.
fn swapped(events: &[JourneyEvent], call: LineId) -> Option<Vec<Copied>> {
    let around = |line: LineId| {
        events.iter().find(|event| event.line == line).map(|event| match &event.what {
            What::Call { parent, .. } => *parent,
            _ => None,
        })
    };
    let parent = around(call)?;
    let next = events.iter().find(|event| {
        event.line > call && matches!(&event.what, What::Call { parent: own, .. } if *own == parent && !below(events, call).contains(&event.line))
    })?;
    let moved = below(events, call);
    let beside = below(events, next.line);
    let last = events.iter().rposition(|event| beside.contains(&event.call))?;
    let mut out: Vec<Copied> = Vec::with_capacity(events.len());
    for (at, event) in events.iter().enumerate() {
        if !moved.contains(&event.call) {
            out.push((false, event.clone()));
        }
        if at == last {
            out.extend(events.iter().filter(|event| moved.contains(&event.call)).map(|event| (false, event.clone())));
        }
    }
    Some(out)
}

/// Lets a call return something else.
fn otherwise(events: &[JourneyEvent], call: LineId) -> Option<Vec<JourneyEvent>> {
    let at = events.iter().position(|event| event.call == call && matches!(event.what, What::Return { .. }))?;
    let mut events = events.to_vec();
    if let What::Return { value, .. } = &mut events[at].what {
        *value = match value {
            Value::Bool(own) => Value::Bool(!*own),
            Value::Int(own) => Value::Int(own.wrapping_add(1)),
            _ => Value::Str("something else".to_owned()),
        };
    }
    Some(events)
}

/// Numbers the lines anew; a copy's lines are its own.
fn renumbered(events: Vec<Copied>) -> Vec<JourneyEvent> {
    let mut lines: HashMap<(bool, LineId), LineId> = HashMap::new();
    let mut out = Vec::with_capacity(events.len());
    for (copy, mut event) in events {
        let line = LineId(u32::try_from(out.len() + 1).unwrap_or(u32::MAX));
        if matches!(event.what, What::Call { .. }) {
            lines.insert((copy, event.line), line);
        }
        let known = |old: LineId| lines.get(&(copy, old)).or_else(|| lines.get(&(false, old))).copied();
        let Some(call) = known(event.call) else { continue };
        if let What::Call { parent, .. } = &mut event.what {
            *parent = parent.and_then(known);
        }
        (event.line, event.call) = (line, call);
        out.push(event);
    }
    out
}
