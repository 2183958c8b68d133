//! What each kind of clause means in one part of a story, and the lines that show it.

use std::collections::{BTreeSet, HashMap};

use crate::domain::clause::{Calls, Head, Times, Which};
use crate::domain::journey::LineId;
use crate::domain::value::Value;
use crate::judge::call_tree::{CallTree, Ended};
use crate::judge::evaluate::{Answer3, Judge, Part, Verdict, Why, argument};
use crate::judge::near::{Begins, Below, Ends, Hits};
use crate::judge::values::{self, Answer};

/// Lines of evidence for what holds.
const SHOWN: usize = 3;

/// Decides a head in a part.
pub(super) fn decide(judge: &Judge<'_, '_>, head: &Head, part: &Part) -> Verdict {
    let in_part = InPart { judge, part };
    match head {
        Head::Count { calls, times } => in_part.count(calls, *times),
        Head::Sequence(steps) => in_part.sequence(steps),
        Head::OnlyAfter { calls, first } => in_part.only_after(calls, first),
        Head::ImmediatelyAfter { calls, first } => in_part.immediately_after(calls, first),
        Head::Followed { calls, by } => in_part.followed(calls, by),
        Head::Paired { calls, with } => in_part.paired(calls, with),
        Head::If { condition, then, called } => in_part.conditional(condition, then, *called),
        Head::Returns { function, test } => in_part.each(function, "returned something else", |act| match judge.act(act).ended {
            Ended::Returned(value) => Some(values::test(test, value)),
            Ended::Raised { .. } => Some(Answer::No),
            Ended::Closed | Ended::Open => None,
        }),
        Head::ReturnsResultOf { function, of } => {
            let results: Vec<(usize, Answer)> = judge.of(part, of).into_iter().map(|act| (act, Answer::Yes)).collect();
            let results = Below::new(judge.tree, &results);
            in_part.each(function, "returned something else", |act| match judge.act(act).ended {
                Ended::Returned(value) => Some(in_part.is_result_of(act, value, &results)),
                Ended::Raised { .. } => Some(Answer::No),
                Ended::Closed | Ended::Open => None,
            })
        }
        Head::Raises { function, exception } => {
            let raising = in_part.of(function, |act| judge.act(act).raised(Some(exception)));
            in_part.occurs(&raising, || format!("{function} did not raise {exception}."))
        }
        Head::NeverRaises { function } => in_part.each(function, "raised", |act| match judge.act(act).ended {
            Ended::Open => None,
            _ => Some(Answer::from(judge.act(act).raised(None)).not()),
        }),
        Head::RaisedInside { exception, function, handled, by } => {
            in_part.raised_inside(exception, function, *handled, by.as_deref())
        }
        Head::Receives { calls, parameter, from, field } => in_part.receives(calls, parameter, from, field.as_deref()),
        Head::SameResult { one, other, equal } => in_part.same_result(one, other, *equal),
        Head::SameArgument { one, other, parameter } => in_part.same_argument(one, other, parameter),
        Head::EveryHas { calls, parameter, test } => {
            in_part.universal(calls, "had another argument", |act| argument(judge.act(act), parameter, test))
        }
        Head::Successively { calls, parameter, values } => in_part.successively(calls, parameter, values),
        Head::Within { function, calls } => {
            let below = Below::new(judge.tree, &in_part.hits(calls));
            in_part.each(function, "ended without it", |act| Some(Answer::any(below.of(Some(act)).map(|(_, fits)| fits))))
        }
        Head::OnlyInside { calls, function } => in_part
            .universal(calls, "happened elsewhere", |act| judge.tree.above(act).any(|above| judge.is_of(above, function)).into()),
        Head::NeverBetween { first, last, calls } => in_part.never_between(first, last, calls),
        Head::OnlyBetween { calls, first, last } => {
            let mut windows = in_part.windows(first, last);
            let open = windows.iter().any(|window| window.sure != Answer::Yes);
            // Of those that are open when a call begins, the last to close.
            windows.sort_by_key(|window| window.from);
            let closes: Vec<Option<LineId>> = windows
                .iter()
                .scan(None, |last, window| {
                    *last = window.until.max(*last);
                    Some(*last)
                })
                .collect();
            in_part.universal(calls, "happened outside", |act| {
                let act = judge.act(act);
                let begun = windows.partition_point(|window| window.from < act.start);
                let until = begun.checked_sub(1).and_then(|last| closes[last]);
                if act.end.is_some() && until.is_some_and(|until| act.ended_before(until)) {
                    Answer::Yes
                } else if open {
                    Answer::Unknown
                } else {
                    Answer::No
                }
            })
        }
        Head::Overlap { function, overlap } => in_part.overlap(function, *overlap),
        Head::KeepsArgument { function, parameter } => in_part.each(function, "changed it", |act| {
            let act = judge.act(act);
            let kept = if act.brief { Answer::Unknown } else { (!act.changed.contains(&parameter.as_str())).into() };
            (!matches!(act.ended, Ended::Open)).then_some(kept)
        }),
    }
}

/// From the end of one call to the beginning of another.
struct Window {
    from: LineId,
    /// None when it never closed.
    until: Option<LineId>,
    sure: Answer,
}

/// What is inside a call.
struct Inside {
    begins: Begins,
    /// The first for sure.
    first: Option<usize>,
    any: Answer,
}

impl Inside {
    fn new(tree: &CallTree<'_>, hits: &Hits) -> Self {
        let sure = hits.iter().filter(|(_, fits)| *fits == Answer::Yes).map(|(act, _)| *act);
        Self { begins: Begins::of(tree, hits), first: sure.min(), any: Answer::any(hits.iter().map(|(_, fits)| *fits)) }
    }
}

struct InPart<'j, 's, 'a> {
    judge: &'j Judge<'s, 'a>,
    part: &'j Part,
}

impl InPart<'_, '_, '_> {
    fn hits(&self, calls: &Calls) -> Vec<(usize, Answer)> {
        self.judge.hits(self.part, calls)
    }

    fn of(&self, function: &str, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        self.judge.of(self.part, function).into_iter().filter(|act| keep(*act)).collect()
    }

    fn start(&self, act: usize) -> LineId {
        self.judge.act(act).start
    }

    /// `act` ended before `later` began.
    fn precedes(&self, act: usize, later: usize) -> bool {
        self.judge.act(act).ended_before(self.start(later))
    }

    fn lines(&self, acts: &[usize]) -> Vec<LineId> {
        acts.iter().map(|act| self.start(*act)).collect()
    }

    fn count(&self, calls: &Calls, times: Times) -> Verdict {
        let hits = self.hits(calls);
        let sure: Vec<usize> = hits.iter().filter(|(_, fits)| *fits == Answer::Yes).map(|(act, _)| *act).collect();
        let (least, most) = (sure.len(), hits.len());
        let (from, to) = match times {
            Times::AtLeast(number) => (number as usize, usize::MAX),
            Times::AtMost(number) => (0, number as usize),
            Times::Exactly(number) => (number as usize, number as usize),
        };
        let why = match least {
            0 => Why::not_called(calls),
            1 => format!("{calls} was called once.").into(),
            times => format!("{calls} was called {times} times.").into(),
        };
        if least >= from && most <= to {
            let shown = sure.iter().copied().take(SHOWN).collect::<Vec<_>>();
            return Verdict::new(Answer3::Holds(least.max(1)), why, self.lines(&shown));
        }
        if most < from || least > to {
            // Of too many, those beyond; the first of them is not one too many.
            if least > to {
                return Verdict::new(Answer3::Violated, why, self.lines(&sure[to..])).settled();
            }
            return Verdict::new(Answer3::Violated, why, self.lines(&sure));
        }
        self.unknown(&hits)
    }

    fn unknown(&self, hits: &[(usize, Answer)]) -> Verdict {
        let open: Vec<usize> =
            hits.iter().filter(|(_, fits)| *fits == Answer::Unknown).map(|(act, _)| *act).take(SHOWN).collect();
        Verdict::new(Answer3::Unknown, "A value that decides it was not recorded whole.", self.lines(&open))
    }

    /// Existence: one suffices.
    fn occurs(&self, acts: &[usize], missing: impl Fn() -> String) -> Verdict {
        if acts.is_empty() {
            return Verdict::new(Answer3::Violated, missing(), Vec::new());
        }
        let shown = acts.iter().copied().take(SHOWN).collect::<Vec<_>>();
        Verdict::new(Answer3::Holds(acts.len()), times(acts.len()), self.lines(&shown))
    }

    /// Every one of these has to pass; those that give nothing do not count.
    fn all(&self, items: Vec<(usize, Answer)>, wrong: &str) -> Verdict {
        if let Some((act, _)) = items.iter().find(|(_, answer)| *answer == Answer::No) {
            let act = self.judge.act(*act);
            let mut lines = vec![act.start];
            lines.extend(act.end);
            return Verdict::new(Answer3::Violated, format!("{} in {} {wrong}.", act.function.qualname(), act.start), lines);
        }
        if items.iter().any(|(_, answer)| *answer == Answer::Unknown) {
            return self.unknown(&items);
        }
        if items.is_empty() {
            return Verdict::new(Answer3::Vacuous, "Nothing happened that it speaks of.", Vec::new());
        }
        let shown: Vec<usize> = items.iter().map(|(act, _)| *act).take(SHOWN).collect();
        Verdict::new(Answer3::Holds(items.len()), times(items.len()), self.lines(&shown))
    }

    /// Every call of a function has to pass.
    fn each(&self, function: &str, wrong: &str, passes: impl Fn(usize) -> Option<Answer>) -> Verdict {
        let acts = self.judge.of(self.part, function);
        self.all(acts.into_iter().filter_map(|act| Some((act, passes(act)?))).collect(), wrong)
    }

    /// Every one of certain calls has to pass; one that may not be meant passes at least.
    fn universal(&self, calls: &Calls, wrong: &str, passes: impl Fn(usize) -> Answer) -> Verdict {
        let items = self.hits(calls).into_iter().map(|(act, fits)| (act, fits.not().or(passes(act)))).collect();
        self.all(items, wrong)
    }

    /// Each step occurs, and each of its calls comes after one of the step before it ended.
    fn sequence(&self, steps: &[Calls]) -> Verdict {
        let hits: Vec<Vec<(usize, Answer)>> = steps.iter().map(|step| self.hits(step)).collect();
        for (step, hits) in steps.iter().zip(&hits) {
            if hits.is_empty() {
                return Verdict::new(Answer3::Violated, Why::not_called(step), Vec::new());
            }
        }
        let mut open = false;
        for (pair, names) in hits.windows(2).zip(steps.windows(2)) {
            let (first, then) = (&pair[0], &pair[1]);
            open |= Answer::any(first.iter().map(|(_, fits)| *fits)).and(Answer::any(then.iter().map(|(_, fits)| *fits)))
                != Answer::Yes;
            let ends = Ends::of(self.judge.tree, first);
            for (late, fits) in then {
                match fits.not().or(ends.before(self.start(*late))) {
                    Answer::Yes => {}
                    Answer::Unknown => open = true,
                    Answer::No => {
                        let next = first.iter().map(|(early, _)| *early).find(|early| self.start(*early) > self.start(*late));
                        let around = first.iter().map(|(early, _)| *early).find(|early| self.start(*early) < self.start(*late));
                        let mut lines = vec![self.start(*late)];
                        lines.extend(next.or(around).map(|early| self.start(early)));
                        let why = format!("No {} had ended when {} began in {}.", names[0], names[1], self.start(*late));
                        return Verdict::new(Answer3::Violated, why, lines).settled();
                    }
                }
            }
        }
        if open {
            return self.unknown(&hits.concat());
        }
        let shown: Vec<usize> = hits.iter().filter_map(|hits| hits.first()).map(|(act, _)| *act).collect();
        Verdict::new(Answer3::Holds(1), "In this order.", self.lines(&shown))
    }

    fn only_after(&self, calls: &Calls, first: &Calls) -> Verdict {
        let ends = Ends::of(self.judge.tree, &self.hits(first));
        self.universal(calls, &format!("came without {first} before it"), |late| ends.before(self.start(late)))
    }

    /// The last call of the same strand that began before and is not around it belongs to the other one.
    fn immediately_after(&self, calls: &Calls, first: &Calls) -> Verdict {
        let firsts: HashMap<usize, Answer> = self.hits(first).into_iter().collect();
        self.universal(calls, &format!("did not come right after {first}"), |late| {
            let strand = self.judge.act(late).strand;
            let before =
                (0..late).rev().find(|act| self.judge.act(*act).strand == strand && !self.judge.tree.is_below(late, *act));
            let Some(before) = before else { return Answer::No };
            let mut chain = std::iter::once(before).chain(self.judge.tree.above(before));
            chain.find_map(|act| firsts.get(&act).filter(|_| self.precedes(act, late))).copied().unwrap_or(Answer::No)
        })
    }

    fn followed(&self, calls: &Calls, by: &[Calls]) -> Verdict {
        let after: Vec<(usize, Answer)> = by.iter().flat_map(|calls| self.hits(calls)).collect();
        let begins = Begins::of(self.judge.tree, &after);
        self.universal(calls, "was not followed by it", |early| begins.after(self.judge.act(early).end))
    }

    /// Each gets the first one after it that is still free, on the same object where both have one.
    fn paired(&self, calls: &Calls, with: &Calls) -> Verdict {
        let (opening, closing) = (self.hits(calls), self.hits(with));
        if opening.iter().chain(&closing).any(|(_, fits)| *fits == Answer::Unknown) {
            return self.unknown(&opening.iter().chain(&closing).copied().collect::<Vec<_>>());
        }
        // The free ones: all, and by their objects.
        let mut free: BTreeSet<(LineId, usize)> = BTreeSet::new();
        let mut of_object: HashMap<Option<u64>, BTreeSet<(LineId, usize)>> = HashMap::new();
        for (close, _) in closing {
            let one = (self.start(close), close);
            free.insert(one);
            of_object.entry(self.judge.act(close).receiver).or_default().insert(one);
        }
        let mut items = Vec::new();
        for (open, _) in opening {
            let own = self.judge.act(open);
            let next = |set: Option<&BTreeSet<(LineId, usize)>>| {
                let after = (std::ops::Bound::Excluded((own.end?, usize::MAX)), std::ops::Bound::Unbounded);
                set?.range(after).next().copied()
            };
            let found = match own.receiver {
                None => next(Some(&free)),
                own => [next(of_object.get(&own)), next(of_object.get(&None))].into_iter().flatten().min(),
            };
            items.push((open, Answer::from(found.is_some())));
            if let Some(found) = found {
                free.remove(&found);
                of_object.entry(self.judge.act(found.1).receiver).or_default().remove(&found);
            }
        }
        self.all(items, &format!("has no {with} of its own"))
    }

    /// In the innermost call around the condition whose function ever leads to the other, else everywhere.
    fn conditional(&self, condition: &Calls, then: &Calls, called: bool) -> Verdict {
        let all = self.hits(then);
        let tree = self.judge.tree;
        let reaches: std::collections::BTreeSet<_> =
            all.iter().flat_map(|(act, _)| tree.above(*act)).map(|around| self.judge.act(around).function).collect();
        let wrong = if called { format!("was not followed by {then}") } else { format!("and yet {then} was called") };
        let below = Below::new(tree, &all);
        let mut known: HashMap<Option<usize>, Inside> = HashMap::new();
        let mut items = Vec::new();
        for (act, fits) in self.hits(condition) {
            let around = tree.above(act).find(|around| reaches.contains(self.judge.act(*around).function));
            let inside = known.entry(around).or_insert_with(|| Inside::new(tree, &below.of(around).collect::<Vec<_>>()));
            let found = if called {
                inside.begins.after(self.judge.act(act).end)
            } else {
                if let (Some(other), Answer::Yes) = (inside.first, fits) {
                    let why = format!("{condition} in {}, {wrong} in {}.", self.start(act), self.start(other));
                    return Verdict::new(Answer3::Violated, why, vec![self.start(act), self.start(other)]);
                }
                inside.any.not()
            };
            items.push((act, fits.not().or(found), fits));
        }
        // Calls that do not meet the condition for sure are nothing that happened.
        if items.iter().all(|(_, _, fits)| *fits == Answer::Unknown) && !items.is_empty() {
            return self.unknown(&items.iter().map(|(act, _, fits)| (*act, *fits)).collect::<Vec<_>>());
        }
        self.all(items.into_iter().map(|(act, answer, _)| (act, answer)).collect(), &wrong)
    }

    /// A value is, or holds, what a call of the function below this one returned.
    fn is_result_of(&self, act: usize, value: &Value, results: &Below<'_, '_>) -> Answer {
        Answer::any(results.of(Some(act)).map(|(inner, _)| match self.judge.act(inner).ended {
            Ended::Returned(result) => values::same(result, value),
            _ => Answer::No,
        }))
    }

    fn raised_inside(&self, exception: &str, function: &str, handled: bool, by: Option<&str>) -> Verdict {
        let tree = self.judge.tree;
        let inside =
            |act: usize| self.judge.is_of(act, function) || tree.above(act).any(|above| self.judge.is_of(above, function));
        let raised: Vec<usize> =
            self.part.iter().copied().filter(|act| self.judge.act(*act).raised(Some(exception)) && inside(*act)).collect();
        if raised.is_empty() || !handled {
            return self.occurs(&raised, || format!("No call in {function} ended by {exception}."));
        }
        // Where it stopped: the outermost call that it ended has one around it that went on.
        let escaping = raised.iter().copied().find(|act| self.handler(*act).is_none());
        if let Some(act) = escaping {
            let why = format!(
                "{exception} left {} in {} and nothing recorded handled it.",
                self.judge.act(act).function.qualname(),
                self.start(act)
            );
            return Verdict::new(Answer3::Violated, why, self.lines(&[act]));
        }
        let others = raised
            .iter()
            .copied()
            .find(|act| by.is_some_and(|by| !self.handler(*act).is_some_and(|handler| self.judge.is_of(handler, by))));
        if let Some(act) = others {
            return Verdict::new(Answer3::Violated, format!("{exception} was handled elsewhere."), self.lines(&[act]));
        }
        self.occurs(&raised, String::new)
    }

    /// The nearest call around one that its exception did not end.
    fn handler(&self, act: usize) -> Option<usize> {
        let Ended::Raised { exception, .. } = self.judge.act(act).ended else { return None };
        self.judge.tree.above(act).find(|above| match self.judge.act(*above).ended {
            Ended::Raised { exception: own, .. } => values::ordinal(own) != values::ordinal(exception),
            _ => true,
        })
    }

    fn receives(&self, calls: &Calls, parameter: &str, from: &str, field: Option<&str>) -> Verdict {
        let results: Vec<usize> = self.judge.of(self.part, from);
        let hits = self.hits(calls);
        let answers: Vec<(usize, Answer, Option<usize>)> = hits
            .iter()
            .map(|(act, fits)| {
                let Some(value) = self.judge.act(*act).arg(parameter) else { return (*act, Answer::No, None) };
                let mut all = Answer::No;
                let mut giver = None;
                // The last of them is the likeliest.
                for result in results.iter().rev().copied().filter(|result| self.precedes(*result, *act)) {
                    let Ended::Returned(given) = self.judge.act(result).ended else { continue };
                    let told = self.judge.act(result);
                    let when = (told.process, told.end.unwrap_or(told.start));
                    let answer = match field {
                        None => values::same(given, value),
                        Some(field) => {
                            self.judge.tree.part(when, given, field).map_or(Answer::Unknown, |part| values::same(part, value))
                        }
                    };
                    all = all.or(answer);
                    if answer == Answer::Yes {
                        giver = Some(result);
                        break;
                    }
                }
                (*act, fits.and(all), giver)
            })
            .collect();
        if let Some((act, _, giver)) = answers.iter().find(|(_, answer, _)| *answer == Answer::Yes) {
            let so = answers.iter().filter(|(_, answer, _)| *answer == Answer::Yes).count();
            let mut lines: Vec<LineId> = giver.iter().map(|giver| self.start(*giver)).collect();
            lines.push(self.start(*act));
            return Verdict::new(Answer3::Holds(so), format!("{so} of {}.", crate::base::text::count(hits.len(), "call")), lines);
        }
        if answers.iter().any(|(_, answer, _)| *answer == Answer::Unknown) {
            return self.unknown(&answers.iter().map(|(act, answer, _)| (*act, *answer)).collect::<Vec<_>>());
        }
        let why = if hits.is_empty() { Why::not_called(calls) } else { format!("{parameter} came from elsewhere.").into() };
        let shown: Vec<usize> = hits.iter().map(|(act, _)| *act).take(SHOWN).collect();
        Verdict::new(Answer3::Violated, why, self.lines(&shown))
    }

    fn same_result(&self, one: &(Which, String), other: &(Which, String), equal: bool) -> Verdict {
        let result = |(which, function): &(Which, String)| {
            let returned = self.of(function, |act| matches!(self.judge.act(act).ended, Ended::Returned(_)));
            match which {
                Which::First => returned.first().copied(),
                Which::Last => returned.last().copied(),
            }
        };
        let (Some(one), Some(other)) = (result(one), result(other)) else {
            return Verdict::new(Answer3::Vacuous, "There is no such result.", Vec::new());
        };
        let (Ended::Returned(a), Ended::Returned(b)) = (self.judge.act(one).ended, self.judge.act(other).ended) else {
            return Verdict::new(Answer3::Vacuous, "There is no such result.", Vec::new());
        };
        let lines = self.lines(&[one, other]);
        let why = format!("{} and {}.", a.summary(60), b.summary(60));
        match if equal { values::same(a, b) } else { values::same(a, b).not() } {
            Answer::Yes => Verdict::new(Answer3::Holds(1), why, lines),
            Answer::No => Verdict::new(Answer3::Violated, why, lines),
            Answer::Unknown => self.unknown(&[(one, Answer::Unknown), (other, Answer::Unknown)]),
        }
    }

    fn same_argument(&self, one: &str, other: &str, parameter: &str) -> Verdict {
        let with = |function: &str| -> Vec<(usize, &Value)> {
            let acts = self.judge.of(self.part, function);
            acts.into_iter().filter_map(|act| Some((act, self.judge.act(act).arg(parameter)?))).collect()
        };
        let (ones, others) = (with(one), with(other));
        let Some((first, wanted)) = ones.first() else {
            return Verdict::new(Answer3::Vacuous, Why::not_called(one), Vec::new());
        };
        if others.is_empty() {
            return Verdict::new(Answer3::Vacuous, Why::not_called(other), Vec::new());
        }
        let all = ones.iter().chain(&others).map(|(act, value)| (*act, values::same(wanted, value))).collect::<Vec<_>>();
        let mut verdict = self.all(all, &format!("got another {parameter}"));
        if verdict.answer == Answer3::Violated {
            verdict.evidence.insert(0, self.start(*first));
        }
        verdict
    }

    fn successively(&self, calls: &Calls, parameter: &str, wanted: &[Value]) -> Verdict {
        let hits = self.hits(calls);
        let mut shown = Vec::new();
        let mut open = false;
        let mut rest = wanted.iter().peekable();
        for (act, fits) in &hits {
            let Some(value) = rest.peek() else { break };
            match fits.and(argument(self.judge.act(*act), parameter, &crate::domain::clause::Test::Is((*value).clone()))) {
                Answer::Yes => {
                    shown.push(*act);
                    rest.next();
                }
                Answer::Unknown => open = true,
                Answer::No => {}
            }
        }
        match rest.peek() {
            None => Verdict::new(Answer3::Holds(1), "In this order.", self.lines(&shown)),
            Some(_) if open => self.unknown(&hits),
            Some(value) => {
                let why = format!("{parameter}={} did not come in its turn.", value.summary(60));
                Verdict::new(Answer3::Violated, why, self.lines(&shown))
            }
        }
    }

    fn windows(&self, first: &Calls, last: &Calls) -> Vec<Window> {
        let lasts = self.hits(last);
        self.hits(first)
            .into_iter()
            .filter_map(|(act, fits)| {
                let from = self.judge.act(act).end?;
                let close = lasts.get(lasts.partition_point(|(last, _)| self.start(*last) <= from));
                let sure = fits.and(close.map_or(Answer::Yes, |(_, fits)| *fits));
                Some(Window { from, until: close.map(|(last, _)| self.start(*last)), sure })
            })
            .collect()
    }

    fn never_between(&self, first: &Calls, last: &Calls, calls: &Calls) -> Verdict {
        let windows = self.windows(first, last);
        if windows.is_empty() {
            return Verdict::new(Answer3::Vacuous, Why::not_called(first), Vec::new());
        }
        let mut open = Vec::new();
        let hits = self.hits(calls);
        for window in &windows {
            let from = hits.partition_point(|(act, _)| self.start(*act) <= window.from);
            for (act, fits) in &hits[from..] {
                let start = self.start(*act);
                if window.until.is_some_and(|until| start >= until) {
                    break;
                }
                match fits.and(window.sure) {
                    Answer::Yes => {
                        let mut lines = vec![window.from, start];
                        lines.extend(window.until);
                        return Verdict::new(Answer3::Violated, format!("{calls} was called there in {start}."), lines);
                    }
                    _ => open.push((*act, Answer::Unknown)),
                }
            }
        }
        if open.is_empty() {
            let lines = windows.iter().take(SHOWN).map(|window| window.from).collect();
            return Verdict::new(Answer3::Holds(windows.len()), times(windows.len()), lines);
        }
        self.unknown(&open)
    }

    /// Two calls overlap when neither is below the other and each began before the other ended.
    fn overlap(&self, function: &str, wanted: bool) -> Verdict {
        let acts = self.judge.of(self.part, function);
        let tree = self.judge.tree;
        let mut found = None;
        // The one that goes on longest meets all that begin before it ends.
        let mut longest: Option<usize> = None;
        for act in acts.iter().copied() {
            if let Some(long) = longest
                && self.judge.act(long).end.is_none_or(|end| end > self.start(act))
                && !tree.is_below(act, long)
            {
                found = Some((long, act));
                break;
            }
            let end = |act: usize| self.judge.act(act).end.unwrap_or(LineId(u32::MAX));
            if longest.is_none_or(|long| end(act) > end(long)) {
                longest = Some(act);
            }
        }
        match (found, wanted) {
            (Some((one, other)), true) => Verdict::new(Answer3::Holds(1), "They do.", self.lines(&[one, other])),
            (Some((one, other)), false) => {
                let why = format!("{} was still going on when {} began.", self.start(one), self.start(other));
                Verdict::new(Answer3::Violated, why, self.lines(&[one, other]))
            }
            (None, true) => {
                Verdict::new(Answer3::Violated, "Each ended before the next began.", self.lines(&acts[..acts.len().min(2)]))
            }
            (None, false) if acts.is_empty() => Verdict::new(Answer3::Vacuous, Why::not_called(function), Vec::new()),
            (None, false) => Verdict::new(Answer3::Holds(acts.len()), times(acts.len()), Vec::new()),
        }
    }
}

fn times(number: usize) -> String {
    match number {
        1 => "Once.".into(),
        number => format!("{number} times."),
    }
}
