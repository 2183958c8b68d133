//! Which cases are worth a reader's time (R20, R21): those that show what no other does, direct and short ones first.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::hash::{self, Digest};
use crate::domain::call::{GeneratorEnd, Outcome};
use crate::domain::proposal::LeftOut;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::value::Value;
use crate::generate::argument_features;
use crate::generate::case::{Case, Ending};
use crate::generate::layout::Expr;
use crate::generate::render::rows;
use crate::generate::statement::lines_of;
use crate::generate::surroundings::Laid;

/// R21: the kind of outcome.
#[must_use]
pub fn class(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned(value) => format!("returns {}", value_class(value)),
        Outcome::Raised { exception, .. } => format!("raises {}", exception.type_name()),
        Outcome::Yielded { items, end } => {
            let end = match end {
                GeneratorEnd::Returned(_) => "ends",
                GeneratorEnd::Raised(_) => "raises",
                GeneratorEnd::Open => "goes on",
            };
            format!("yields {} {end}", if items.is_empty() { "nothing" } else { "items" })
        }
        Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => "does not end".into(),
    }
}

/// Tells whether outcomes of a class hold nothing.
#[must_use]
pub fn is_bare(class: &str) -> bool {
    let is_zero = class.ends_with('0') && !class.ends_with("<0") && !class.ends_with(">0");
    is_zero || ["None", "empty", "nothing ends"].iter().any(|end| class.ends_with(end))
}

fn value_class(value: &Value) -> String {
    let sign = |negative: bool, zero: bool| {
        if zero {
            "0"
        } else if negative {
            "<0"
        } else {
            ">0"
        }
    };
    match value {
        Value::None => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Int(number) => format!("int{}", sign(*number < 0, *number == 0)),
        Value::Float(number) if number.is_nan() => "nan".into(),
        Value::Float(number) => format!("float{}", sign(*number < 0.0, *number == 0.0)),
        Value::Str(text) => format!("str {}", if text.is_empty() { "empty" } else { "full" }),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
            format!("{} {}", value.type_name(), if items.is_empty() { "empty" } else { "full" })
        }
        Value::Dict(pairs) => format!("dict {}", if pairs.is_empty() { "empty" } else { "full" }),
        Value::New { ty, args, .. } if ty.qualname == "Decimal" => match args.first() {
            Some(Value::Str(text)) => {
                format!("Decimal{}", sign(text.starts_with('-'), !text.contains(|c: char| ('1'..='9').contains(&c))))
            }
            _ => "Decimal".into(),
        },
        Value::Enum { name, .. } => format!("{} {}", value.type_name(), name.as_deref().unwrap_or_default()),
        Value::Shared(_, value) => value_class(value),
        other => other.type_name().to_owned(),
    }
}

/// A test of its own costs as much of a reader's time as this many rows of a table.
const ROWS_OF_A_TEST: usize = 5;

/// So many calls of a function are drafted without asking what each adds.
pub const FEW: usize = 3;

/// Characters of values that a test may have when only the project's own functions made such a call.
const INTERNAL_MAX: usize = 800;

/// Longer cases are shown for what no shorter one shows.
const READABLE_MAX: usize = 160;

/// Private fields that a test may set by hand.
const BY_HAND_MAX: usize = 2;

/// Chooses cases: first those that take ways through the code, or separate mutants of it, that no other does (R20, R21), the
/// one that shows most before the others, then one of each kind of outcome (R21), then more up to half of `most`, or to `most`
/// where nobody looked at what they show; direct calls before internal ones, readable ones before long ones, then those whose
/// arguments show something new. `most` counts tests; rows of a table are cheaper. Where there is no room for a case that
/// shows something, one goes that shows nothing of its own.
/// What stands in `accepted` tests by its input stays, whatever is recorded beside it (R27).
///
/// What is not chosen is counted with its reason.
#[must_use]
pub fn choose(cases: Vec<Case>, most: usize, accepted: &BTreeSet<Digest>) -> (Vec<Case>, Vec<LeftOut>) {
    let mut left_out = Vec::new();
    let mut rest = without_contradictions(cases, &mut left_out);
    let stands = |case: &Case| accepted.contains(&case.input);
    let is_long = |case: &Case| !case.direct && case.weight() > INTERNAL_MAX && !stands(case);
    let is_forced = |case: &Case| case.by_hand > BY_HAND_MAX && !stands(case);
    rest.retain(|case| {
        let forced = is_forced(case);
        if forced {
            left_out.push(LeftOut { calls: case.times, reason: ReasonCode::FieldsSetByHand.into() });
        }
        !forced
    });
    // One that is long to read is better than none.
    let others = rest.iter().any(|case| !is_long(case));
    rest.retain(|case| {
        let long = others && is_long(case);
        if long {
            left_out.push(LeftOut { calls: case.times, reason: ReasonCode::InternalAndLong.into() });
        }
        !long
    });
    // Of zero, or of nothing, much gives the same again: what else shows it is the better example.
    rest.sort_by_key(|case| (!case.direct, is_bare(&case.class), case.weight(), case.call));
    let mut shapes: BTreeMap<String, usize> = BTreeMap::new();
    for shape in rest.iter().filter_map(rows::shape) {
        *shapes.entry(shape).or_default() += 1;
    }
    let table = |case: &Case| rows::shape(case).filter(|shape| shapes.get(shape).is_some_and(|count| *count >= rows::ROWS_MIN));
    let cost = |case: &Case| if table(case).is_some() { 1 } else { ROWS_OF_A_TEST };
    // Where nobody looked, any of the others may show something.
    let enough = if rest.iter().all(|case| case.reached.is_empty()) { most } else { most.div_ceil(2) };
    rest.iter_mut().for_each(mark_unseen);
    for case in &mut rest {
        case.settled = stands(case);
        case.shows = argument_features::of(case);
    }
    let mut room = most * ROWS_OF_A_TEST;
    let (mut chosen, others): (Vec<Case>, Vec<Case>) = rest.into_iter().partition(stands);
    let mut rest = others;
    let mut seen = Seen::default();
    for case in &chosen {
        room = room.saturating_sub(cost(case));
        seen.add(case);
    }
    while let Some((at, tells)) = seen.next(&rest) {
        if !tells && (chosen.len() >= enough || rest[at].by_hand > 0 && !chosen.is_empty()) {
            break;
        }
        let case = rest.remove(at);
        while tells
            && cost(&case) > room
            && let Some(idle) = idle(&chosen)
        {
            let idle = chosen.remove(idle);
            room += cost(&idle);
            left_out.push(LeftOut { calls: idle.times, reason: ReasonCode::Redundant.with(most) });
        }
        if cost(&case) > room {
            // A short row may still find room.
            if rest.iter().all(|case| cost(case) > room) {
                rest.push(case);
                break;
            }
            left_out.push(LeftOut { calls: case.times, reason: ReasonCode::Redundant.with(most) });
            continue;
        }
        room -= cost(&case);
        seen.add(&case);
        chosen.push(case);
    }
    let calls: u64 = rest.iter().map(|case| case.times).sum();
    if calls > 0 {
        left_out.push(LeftOut { calls, reason: ReasonCode::Redundant.with(most) });
    }
    merge(&mut left_out);
    chosen.sort_by_key(|case| (!matches!(case.ending, Ending::Returns), case.call));
    (chosen, left_out)
}

/// Where nobody could look at what a case shows, another set-up and another kind of outcome are taken for something new.
fn mark_unseen(case: &mut Case) {
    if case.reached.is_empty() && !case.setup.is_empty() {
        let setup: Vec<String> = case.setup.iter().flat_map(|statement| statement.lines(0)).collect();
        let mark = |text: &str| u32::try_from(hash::of(text.as_bytes()).0 & u64::from(u32::MAX)).unwrap_or_default();
        case.reached.extend([mark(&setup.join("\n")), mark(&case.class)]);
    }
}

/// What the chosen cases show.
#[derive(Default)]
struct Seen {
    reached: BTreeSet<u32>,
    shown: BTreeSet<u32>,
    kinds: BTreeMap<String, usize>,
}

impl Seen {
    fn add(&mut self, case: &Case) {
        self.reached.extend(&case.reached);
        self.shown.extend(&case.shows);
        *self.kinds.entry(case.class.clone()).or_default() += 1;
    }

    /// Finds the most telling of the cases that are left, which are in the order of preference, and whether it tells
    /// something new.
    fn next(&self, rest: &[Case]) -> Option<(usize, bool)> {
        let gain = |case: &Case| case.reached.difference(&self.reached).count();
        let new = |case: &Case| case.shows.difference(&self.shown).count();
        let is_long = |case: &Case| case.weight_of_setup() > READABLE_MAX;
        // A private field that is set by hand is no test that people write: only for what nothing else shows. Neither is
        // what is long to read.
        for (by_hand, long) in [(false, false), (false, true), (true, false), (true, true)] {
            let of_kind = |case: &Case| (case.by_hand > 0) == by_hand && is_long(case) == long;
            let found = rest.iter().enumerate().filter(|(_, case)| of_kind(case)).map(|(at, case)| (gain(case), case, at));
            let telling: Vec<(usize, &Case, usize)> = found.filter(|(gain, ..)| *gain > 0).collect();
            let most = telling.iter().map(|(gain, ..)| *gain).max().unwrap_or(0);
            let best = telling.into_iter().filter(|(gain, ..)| *gain == most);
            if let Some((.., at)) = best.max_by_key(|(_, case, at)| (case.direct, new(case), usize::MAX - at)) {
                return Some((at, true));
            }
        }
        let seen = |case: &Case| self.kinds.get(&case.class).copied().unwrap_or(0);
        let key = |(at, case): &(usize, &Case)| {
            let preferred = (!case.direct, is_bare(&case.class), is_long(case));
            (case.by_hand, seen(case), preferred, usize::MAX - new(case), *at)
        };
        let best = rest.iter().enumerate().min_by_key(key);
        best.map(|(at, case)| (at, seen(case) == 0 && case.by_hand == 0))
    }
}

/// Finds a chosen case of which others show all that it reaches, and its kind of outcome.
fn idle(chosen: &[Case]) -> Option<usize> {
    (0..chosen.len()).rev().filter(|at| !chosen[*at].settled).find(|at| {
        let others = || chosen.iter().enumerate().filter(|(other, _)| other != at).map(|(_, case)| case);
        let reached: BTreeSet<u32> = others().flat_map(|case| case.reached.iter().copied()).collect();
        let case = &chosen[*at];
        case.reached.is_subset(&reached) && others().any(|other| other.class == case.class)
    })
}

/// Counts equal reasons together.
pub fn merge(left_out: &mut Vec<LeftOut>) {
    let mut by_reason: BTreeMap<Reason, u64> = BTreeMap::new();
    for left in left_out.drain(..) {
        *by_reason.entry(left.reason).or_default() += left.calls;
    }
    left_out.extend(by_reason.into_iter().map(|(reason, calls)| LeftOut { calls, reason }));
}

/// Merges equal inputs; drops inputs that ended in different ways (R18).
fn without_contradictions(cases: Vec<Case>, left_out: &mut Vec<LeftOut>) -> Vec<Case> {
    let mut by_input: BTreeMap<(Digest, String, Vec<String>), Vec<Case>> = BTreeMap::new();
    for case in cases {
        // What stands in for others is input, too.
        let answers = case.laid.stand_ins.iter().map(Expr::flat).collect();
        // Recordings that number objects differently still mean the same input.
        by_input.entry((case.input, case.check.0.clone(), answers)).or_default().push(case);
    }
    let mut kept = Vec::new();
    let mut unstable = 0;
    for (_, mut group) in by_input {
        group.sort_by_key(|case| case.call);
        let same = group.windows(2).all(|pair| pair[0].assertions == pair[1].assertions && pair[0].ending == pair[1].ending);
        let times: u64 = group.iter().map(|case| case.times).sum();
        if !same {
            unstable += times;
            continue;
        }
        if let Some(first) = group.into_iter().next() {
            kept.push(Case { times, ..first });
        }
    }
    if unstable > 0 {
        left_out.push(LeftOut { calls: unstable, reason: ReasonCode::Contradictory.into() });
    }
    kept.sort_by_key(|case| case.call);
    each_test_once(kept)
}

/// Tells whether two cases begin with the same lines and call the same: functions and classes that different tests define may have
/// one text.
fn is_written_alike(one: &Case, other: &Case) -> bool {
    let items = |case: &Case| case.args.iter().map(|arg| arg.items.clone()).collect::<Vec<_>>();
    one.target == other.target && items(one) == items(other) && lines_of(&one.setup, 4) == lines_of(&other.setup, 4)
}

/// Tells whether two cases have the same set-up. The recorded folders do not count: each test has `tmp_path` for them.
fn is_laid_alike(one: &Case, other: &Case) -> bool {
    let anywhere = |case: &Case| Laid { base: None, ..case.laid.clone() };
    one.laid == other.laid || is_written_alike(one, other) && anywhere(one) == anywhere(other)
}

/// Merges cases that would be the same test: their inputs differ only in what no test says.
fn each_test_once(cases: Vec<Case>) -> Vec<Case> {
    let mut kept: Vec<Case> = Vec::new();
    for case in cases {
        let is_same = |other: &&mut Case| {
            !case.check.0.is_empty()
                && (other.check.0 == case.check.0 || is_written_alike(other, &case))
                && is_laid_alike(other, &case)
                && other.wrap == case.wrap
                && other.ending == case.ending
                && other.assertions == case.assertions
                && other.printed == case.printed
                && other.warns == case.warns
                && other.bound == case.bound
        };
        match kept.iter_mut().find(is_same) {
            Some(other) => {
                other.times += case.times;
                other.direct |= case.direct;
                other.reached.extend(case.reached);
            }
            None => kept.push(case),
        }
    }
    kept
}
