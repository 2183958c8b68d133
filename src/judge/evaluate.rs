//! Decides a clause on a journey: which part it is about, part by part, and what an incomplete recording leaves open.
//!
//! What each kind of clause means in one part is `heads.rs`. Nothing is guessed: where a value or a call that might
//! decide was not recorded, the outcome is `Unknown`.

use std::collections::BTreeMap;

use crate::base::sentence::Sentence;
use crate::domain::clause::{Calls, Clause, Ending, Finding, Head, Outcome, Scope, Test, Times};
use crate::domain::journey::{JourneyEvent, LineId, Phase};
use crate::judge::call_tree::{Act, CallTree, Ended};
use crate::judge::heads;
use crate::judge::names::Bound;
use crate::judge::values::{self, Answer};

/// Why events of a journey are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// In a few words.
    pub reason: Sentence,
    /// They may have happened before what was recorded, not only after it.
    pub anywhere: bool,
}

/// Decides a clause on the events of a journey, in the order of their lines. `missing` says why some are not there, if any are.
#[must_use]
pub fn evaluate(events: &[JourneyEvent], missing: Option<&Missing>, clause: &Bound) -> Finding {
    let tree = CallTree::new(events);
    let judge = Judge { tree: &tree, bound: clause };
    let parts = judge.parts();
    let mut finding = fold(parts.iter().map(|part| heads::decide(&judge, &clause.clause.head, part)).collect());
    if parts.is_empty() {
        finding = Verdict::new(Answer3::Vacuous, "Nothing happened that it speaks of.", Vec::new());
    }
    if let Some(missing) = missing {
        finding.because_of(missing, &clause.clause.head);
    }
    if judge.rests_on_an_unknown_start(finding.answer) {
        finding.answer = Answer3::Unknown;
        finding.why = "It happens in a thread, a task or a process, and which call started that was not recorded.".into();
    }
    let outcome = match finding.answer {
        Answer3::Holds(times) => Outcome::Holds { times },
        Answer3::Violated => Outcome::Violated,
        Answer3::Vacuous if clause.clause.may_not_occur => Outcome::Holds { times: 0 },
        Answer3::Vacuous => Outcome::Vacuous,
        Answer3::Unknown => Outcome::Unknown { reason: finding.why.clone().into() },
    };
    let closest = match outcome {
        Outcome::Holds { .. } => Vec::new(),
        _ => judge.closest(&finding.why),
    };
    Finding { outcome, why: finding.why.into(), evidence: finding.evidence, closest }
}

/// What came of one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer3 {
    Holds(usize),
    Violated,
    Vacuous,
    Unknown,
}

/// Why a part came out so.
#[derive(Debug, Clone)]
pub(super) enum Why {
    /// This function, as the clause names it, was not called.
    NotCalled(String),
    /// Anything else, for people.
    Other(Sentence),
}

impl Why {
    pub(super) fn not_called(named: impl ToString) -> Self {
        Self::NotCalled(named.to_string())
    }
}

impl From<&str> for Why {
    fn from(sentence: &str) -> Self {
        Self::Other(sentence.into())
    }
}

impl From<String> for Why {
    fn from(sentence: String) -> Self {
        Self::Other(sentence.into())
    }
}

impl From<Why> for Sentence {
    fn from(why: Why) -> Self {
        match why {
            Why::NotCalled(named) => not_called(&named).into(),
            Why::Other(sentence) => sentence,
        }
    }
}

fn not_called(named: &str) -> String {
    format!("{named} was not called.")
}

#[derive(Debug, Clone)]
pub(super) struct Verdict {
    pub answer: Answer3,
    pub why: Why,
    pub evidence: Vec<LineId>,
    /// Nothing that may have happened besides can change it.
    pub settled: bool,
}

impl Verdict {
    pub(super) fn new(answer: Answer3, why: impl Into<Why>, evidence: Vec<LineId>) -> Self {
        Self { answer, why: why.into(), evidence, settled: false }
    }

    /// Says that nothing that may have happened besides can change it.
    pub(super) fn settled(self) -> Self {
        Self { settled: true, ..self }
    }

    /// Takes back what the missing events could overturn.
    fn because_of(&mut self, missing: &Missing, head: &Head) {
        let occurrence_suffices = matches!(
            head,
            Head::Count { times: Times::AtLeast(_), .. }
                | Head::Raises { .. }
                | Head::RaisedInside { .. }
                | Head::Receives { .. }
                | Head::Successively { .. }
                | Head::Overlap { overlap: true, .. }
        );
        let one_refutes = matches!(
            head,
            Head::OnlyAfter { .. }
                | Head::ImmediatelyAfter { .. }
                | Head::OnlyInside { .. }
                | Head::EveryHas { .. }
                | Head::NeverRaises { .. }
                | Head::Returns { .. }
                | Head::KeepsArgument { .. }
                | Head::NeverBetween { .. }
                | Head::SameArgument { .. }
                | Head::If { called: false, .. }
                | Head::Overlap { overlap: false, .. }
        );
        // What came first may be what is missing.
        let needs_one_before = matches!(head, Head::Sequence(_) | Head::OnlyAfter { .. } | Head::NeverBetween { .. });
        let stands = match self.answer {
            Answer3::Holds(_) => occurrence_suffices,
            Answer3::Violated => (one_refutes || self.settled) && !(missing.anywhere && needs_one_before),
            Answer3::Vacuous => false,
            Answer3::Unknown => true,
        };
        if !stands {
            self.answer = Answer3::Unknown;
            self.why = format!("The recording is not complete ({}), and what is missing may decide it.", missing.reason).into();
        }
    }
}

/// One violated part violates all; one unknown leaves all open; all vacuous is vacuous.
fn fold(parts: Vec<Verdict>) -> Verdict {
    let mut holds: Option<Verdict> = None;
    let mut unknown = None;
    let mut vacuous = None;
    for part in parts {
        match (part.answer, &mut holds) {
            (Answer3::Violated, _) => return part,
            (Answer3::Unknown, _) => unknown = unknown.or(Some(part)),
            (Answer3::Vacuous, _) => vacuous = vacuous.or(Some(part)),
            (Answer3::Holds(times), Some(all)) => {
                if let Answer3::Holds(sum) = &mut all.answer {
                    *sum += times;
                }
            }
            (Answer3::Holds(_), None) => holds = Some(part),
        }
    }
    let nothing = || Verdict::new(Answer3::Vacuous, "Nothing happened that it speaks of.", Vec::new());
    unknown.or(holds).or(vacuous).unwrap_or_else(nothing)
}

/// A story and the clause that is put to it.
pub(super) struct Judge<'s, 'a> {
    pub tree: &'s CallTree<'a>,
    bound: &'s Bound,
}

/// A part of a story: calls by their index, in the order of their beginnings.
pub(super) type Part = Vec<usize>;

impl<'s, 'a> Judge<'s, 'a> {
    pub(super) fn act(&self, act: usize) -> &'s Act<'a> {
        &self.tree.acts[act]
    }

    /// Tells whether a call is one of a function.
    pub(super) fn is_of(&self, act: usize, written: &str) -> bool {
        self.bound.function(written) == Some(self.act(act).function)
    }

    /// Lists the calls of a function in a part.
    pub(super) fn of(&self, part: &Part, written: &str) -> Vec<usize> {
        part.iter().copied().filter(|act| self.is_of(*act, written)).collect()
    }

    /// Lists the calls in a part that are, or may be, those that a clause speaks of.
    pub(super) fn hits(&self, part: &Part, calls: &Calls) -> Vec<(usize, Answer)> {
        self.of(part, &calls.function)
            .into_iter()
            .map(|act| (act, self.fits(act, calls)))
            .filter(|(_, fits)| *fits != Answer::No)
            .collect()
    }

    fn fits(&self, act: usize, calls: &Calls) -> Answer {
        let act = self.act(act);
        let arguments = calls.with.iter().map(|(name, test)| argument(act, name, test));
        let ending = match &calls.ending {
            None => Answer::Yes,
            Some(Ending::Returning(test)) => match act.ended {
                Ended::Returned(value) => values::test(test, value),
                _ => Answer::No,
            },
            Some(Ending::Raising(name)) => act.raised(Some(name)).into(),
            Some(Ending::Failing) => act.raised(None).into(),
        };
        Answer::all(arguments).and(ending)
    }

    /// Cuts the story into the parts that the clause has to hold in.
    fn parts(&self) -> Vec<Part> {
        let phase = match self.bound.clause.scope {
            Scope::During(phase) => phase,
            _ => Phase::Call,
        };
        let whole: Part = (0..self.tree.acts.len()).filter(|act| self.act(*act).phase == phase).collect();
        let within = |keep: &dyn Fn(usize) -> bool| whole.iter().copied().filter(|act| keep(*act)).collect::<Part>();
        match &self.bound.clause.scope {
            Scope::Whole | Scope::During(_) => vec![whole],
            Scope::Inside(function) => {
                let around = self.of(&whole, function);
                if around.is_empty() {
                    return Vec::new();
                }
                let mut inside = vec![false; self.tree.acts.len()];
                for above in around {
                    // One inside another one adds nothing.
                    if !inside[above] {
                        self.tree.below(above).iter().for_each(|act| inside[*act] = true);
                    }
                }
                vec![within(&|act| inside[act])]
            }
            Scope::InEach(function) => {
                let below = |above: usize| {
                    let mut part: Part = self.tree.below(above).to_vec();
                    part.retain(|act| self.act(*act).phase == phase);
                    part.sort_unstable();
                    part
                };
                self.of(&whole, function).into_iter().map(below).collect()
            }
            Scope::Per(names) => self.slices(&whole, names),
            Scope::Between(first, last) => {
                let lasts = self.hits(&whole, last);
                self.hits(&whole, first)
                    .into_iter()
                    .filter_map(|(from, _)| {
                        let end = self.act(from).end?;
                        let close = lasts.get(lasts.partition_point(|(act, _)| self.act(*act).start <= end));
                        let from = whole.partition_point(|act| self.act(*act).start <= end);
                        let until = close.map_or(whole.len(), |(last, _)| whole.partition_point(|act| act < last));
                        Some(whole[from..until].to_vec())
                    })
                    .collect()
            }
            Scope::After(calls) => match self.hits(&whole, calls).iter().filter_map(|(act, _)| self.act(*act).end).min() {
                Some(end) => vec![within(&|act| self.act(act).start > end)],
                None => Vec::new(),
            },
            Scope::Before(calls) => match self.hits(&whole, calls).first() {
                Some((first, _)) => vec![within(&|act| self.act(act).start < self.act(*first).start)],
                None => Vec::new(),
            },
        }
    }

    /// One part for each value of the parameters; calls that do not have them are in all.
    fn slices(&self, whole: &Part, names: &[String]) -> Vec<Part> {
        let key = |act: usize| -> Option<String> {
            let values: Option<Vec<_>> = names.iter().map(|name| self.act(act).arg(name)).collect();
            Some(values?.iter().map(|value| value.summary(usize::MAX)).collect::<Vec<_>>().join("\n"))
        };
        let mut slices: BTreeMap<String, Part> = BTreeMap::new();
        for act in whole {
            if let Some(key) = key(*act) {
                slices.entry(key).or_default().push(*act);
            }
        }
        if slices.is_empty() {
            return vec![whole.clone()];
        }
        // Of those without, only what the clause speaks of can matter.
        let any = matches!(self.bound.clause.head, Head::RaisedInside { .. });
        let meant = |act: usize| any || self.bound.functions().any(|(_, own)| own == self.act(act).function);
        let others: Part = whole.iter().copied().filter(|act| meant(*act) && key(*act).is_none()).collect();
        slices
            .into_values()
            .map(|mut slice| {
                slice.extend(&others);
                slice.sort_unstable();
                slice
            })
            .collect()
    }

    /// Tells whether an answer rests on which call is inside which, where a task or thread was started by nobody knows whom.
    fn rests_on_an_unknown_start(&self, answer: Answer3) -> bool {
        let Clause { head, scope, .. } = &self.bound.clause;
        let inside = matches!(scope, Scope::Inside(_) | Scope::InEach(_));
        let nested = matches!(
            head,
            Head::Within { .. }
                | Head::OnlyInside { .. }
                | Head::RaisedInside { .. }
                | Head::ReturnsResultOf { .. }
                | Head::If { .. }
        );
        // What was found inside is inside, whatever else may be.
        let found = matches!(answer, Answer3::Holds(_))
            && (nested && !inside || matches!(head, Head::Count { times: Times::AtLeast(_), .. }))
            && !matches!(head, Head::If { called: false, .. });
        if !(inside || nested) || found || answer == Answer3::Unknown {
            return false;
        }
        let named = |act: usize| self.bound.functions().any(|(_, own)| own == self.act(act).function);
        (0..self.tree.acts.len())
            .filter(|act| named(*act))
            .any(|act| self.act(act).adrift || self.tree.above(act).any(|above| self.act(above).adrift))
    }

    /// Lists what a reader asks first when a clause does not hold: the same name on another class. Does not repeat what `why`
    /// says.
    fn closest(&self, why: &Why) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for (written, own) in self.bound.functions() {
            if self.tree.acts.iter().any(|act| act.function == own) {
                continue;
            }
            let last = written.rsplit('.').next().unwrap_or(written);
            let mut others: Vec<_> =
                self.tree.acts.iter().filter(|act| act.function.qualname().rsplit('.').next() == Some(last)).collect();
            others.dedup_by_key(|act| act.function);
            match others.first() {
                Some(other) => {
                    // The same name in another module is told with that.
                    let qualname = other.function.qualname();
                    let name = if qualname == written { other.function.to_string() } else { qualname.to_owned() };
                    out.push(format!("{written} was not called; {name} was ({}).", other.start));
                }
                None if matches!(why, Why::NotCalled(named) if named == written) => {}
                None => out.push(not_called(written)),
            }
        }
        out
    }
}

/// Puts an argument of a call to a test; one that was not given is none.
pub(super) fn argument(act: &Act<'_>, name: &str, test: &Test) -> Answer {
    if let Some(value) = act.arg(name) {
        return values::test(test, value);
    }
    // What came in by `**kwargs` is an argument of its own name, too.
    let given = act.args.iter().find_map(|(_, value)| match value {
        crate::domain::value::Value::Dict(pairs) => pairs
            .iter()
            .find(|(key, _)| matches!(key, crate::domain::value::Value::Str(key) if key == name))
            .map(|(_, value)| value),
        _ => None,
    });
    given.map_or(Answer::No, |value| values::test(test, value))
}
