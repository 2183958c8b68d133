//! What recorded calls tell of edited code: how many of its calls were compared, how many were not, and why.

use serde::{Deserialize, Serialize};

use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::function::FunctionId;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::subject::Subject;

/// Names in a list for people; the rest is counted.
const NAMES_SHOWN: usize = 8;
/// Reasons of a function that are written out.
const REASONS_SHOWN: usize = 3;

/// Recorded calls that were not compared, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotCompared {
    /// Why.
    pub reason: Reason,
    /// How many calls.
    pub calls: u64,
}

/// A part of compared outcomes that differs from run to run of the same code, so that nobody can say whether an edit changed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Varying {
    /// The function whose calls it is of.
    pub function: FunctionId,
    /// Its place: `result['token']`, `statements[1]`.
    pub part: String,
    /// How many compared calls have it.
    pub calls: u64,
}

/// An edited function, module or data file, and what became of its recorded calls: `recorded` is `compared` and those that
/// were not, added up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedCode {
    /// What was edited.
    pub subject: Subject,
    /// Its file.
    pub path: RelPath,
    /// Its first line today, 1-based.
    pub line: u32,
    /// Its recorded calls that are kept; those that read it, for a file.
    pub recorded: u64,
    /// Those whose outcomes are known before and after the edit.
    pub compared: u64,
    /// Compared ones that end differently.
    pub differ: u64,
    /// Compared calls of other functions that ran through it, or rest on it; where there are none, its accepted tests that pass.
    pub through: u64,
    /// Those that were not compared.
    pub not_compared: Vec<NotCompared>,
    /// Of its calls that were not compared, those that were not made within a compared call either.
    pub outside: u64,
    /// Parts of the outcomes of compared calls that were not compared.
    pub varying: Vec<Varying>,
    /// Edited lines that no compared call ran, where no edited line of it ran, or where other calls may have run them.
    pub unrun: Vec<u32>,
    /// Where nothing compares it: a test of the project that may run it, by its node id.
    pub test: Option<String>,
}

impl EditedCode {
    /// Tells whether compared calls ran the edited code: only then is it known what the edit does.
    #[must_use]
    pub fn is_compared(&self) -> bool {
        let by_calls = self.compared > 0 || self.through > 0 && self.outside == 0;
        by_calls && self.unrun.is_empty() && !self.fails() && !self.is_unchecked() && !self.leads_elsewhere()
    }

    /// Whether recorded tests make other calls since an edit of a data file or of code outside of functions: a route leads elsewhere,
    /// a framework gives a view other values. The other calls are not compared.
    fn leads_elsewhere(&self) -> bool {
        let codes = [ReasonCode::NotReachedInTest, ReasonCode::OtherArguments];
        self.subject.function().is_none() && self.not_compared.iter().any(|one| one.calls > 0 && codes.contains(&one.reason.code))
    }

    /// Tells whether calls of it were never tried on the code that they were recorded with, which is not known any more: what they do
    /// on the edited code may be what they always did.
    fn is_unchecked(&self) -> bool {
        self.not_compared.iter().any(|one| one.reason.code == ReasonCode::NotCheckedYet && one.calls > 0)
    }

    /// Tells whether an accepted test of it fails, where no recorded call could tell.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.not_compared.iter().any(|one| one.reason.code == ReasonCode::AcceptedTestFails)
    }

    /// Tells whether a recorded test of it fails that passed, and no call in it tells why.
    fn fails_in_test(&self) -> bool {
        let codes = [ReasonCode::TestFails, ReasonCode::UnittestFails, ReasonCode::DjangoTestFails];
        self.not_compared.iter().any(|one| codes.contains(&one.reason.code))
    }

    /// Says what would tell more: the test that may run it, or what helps against the first reason.
    #[must_use]
    pub fn fix(&self) -> String {
        let first = self.not_compared.first().map(|one| &one.reason);
        match (&self.test, first) {
            (Some(test), Some(reason)) if reason.code == ReasonCode::NotRecorded => {
                format!("Record a test that may call it: `pytead-tui run -- python -m pytest {test}`.")
            }
            (Some(test), Some(reason)) => format!("{} This test may run it: `python -m pytest {test}`.", reason.fix()),
            (_, reason) => reason.map(Reason::fix).unwrap_or_default(),
        }
    }

    /// Says why calls were not compared: `3 recorded calls: argument session: a Lock has no readable state`.
    #[must_use]
    pub fn reasons(&self) -> String {
        let reasons = self.not_compared.iter().take(REASONS_SHOWN).map(|one| match one.calls {
            0 => one.reason.message(),
            calls => format!("{}: {}", text::count_u64(calls, "recorded call"), one.reason.message()),
        });
        let more = self.not_compared.len().saturating_sub(REASONS_SHOWN);
        let more = if more > 0 { format!("; and {}", text::count(more, "more reason")) } else { String::new() };
        reasons.collect::<Vec<_>>().join("; ") + &more
    }

    /// Says which parts of compared outcomes were not compared: `m:f: these parts differ from run to run and were not compared:
    /// result['token'] (3 calls), log[0] of m:g (1 call).`
    #[must_use]
    pub fn varying(&self) -> Option<String> {
        let parts = self.varying.iter().map(|one| {
            let is_own = self.subject.function() == Some(&one.function);
            let of = if is_own { String::new() } else { format!(" of {}", one.function) };
            format!("{}{of} ({})", one.part, text::count_u64(one.calls, "call"))
        });
        let parts: Vec<String> = parts.collect();
        let named = list(parts.iter().map(String::as_str));
        let name = self.name_and_place().0;
        (!parts.is_empty()).then(|| format!("{name}: these parts differ from run to run and were not compared: {named}."))
    }

    /// Names it and its place: `shop.cart:Cart.total`, `shop/cart.py:12`.
    #[must_use]
    pub fn name_and_place(&self) -> (String, String) {
        let name = match &self.subject {
            Subject::ImportCode(module) => format!("the import-time code of {module}"),
            subject => subject.name(),
        };
        let is_file = self.subject.file().is_some();
        (name, if is_file { String::new() } else { format!("{}:{}", self.path, self.line) })
    }

    /// Says in one line what was edited, why nothing compares it, and what to do.
    #[must_use]
    pub fn summary(&self) -> String {
        let (name, place) = self.name_and_place();
        let place = if place.is_empty() { place } else { format!("  {place}") };
        let what = if self.fails() { "was edited" } else { "was edited and not compared" };
        format!("{name} {what}{place}  {}. {}", self.reasons(), self.fix()).trim_end().to_owned()
    }
}

/// A module of the project that cannot be imported today, and what cannot run because of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFailure {
    /// The file that raised.
    pub path: RelPath,
    /// The line that raised, 1-based.
    pub line: u32,
    /// The exception: `ImportError: cannot import name 'scales' from 'helper'`.
    pub exception: String,
    /// The functions whose recorded calls cannot run, with the number of these calls.
    pub functions: Vec<(FunctionId, u64)>,
}

impl ImportFailure {
    /// Says where and what it is: `calc.py:1 breaks the import: ImportError: …`.
    #[must_use]
    pub fn exception_at(&self) -> String {
        let exception = text::display_line(&self.exception);
        let end = if exception.ends_with(['.', '!', '?']) { "" } else { "." };
        format!("{}:{} breaks the import: {exception}{end}", self.path, self.line)
    }

    /// Says what cannot run because of it: `3 recorded calls cannot run: calc:fee, calc:Acc.double.`
    #[must_use]
    pub fn lost(&self) -> Option<String> {
        let names = self.functions.iter().map(|(function, _)| function.0.as_str());
        let calls = self.functions.iter().map(|(_, calls)| calls).sum();
        (!self.functions.is_empty()).then(|| format!("{} cannot run: {}.", text::count_u64(calls, "recorded call"), list(names)))
    }

    /// Says where and what it is, and what cannot run.
    #[must_use]
    pub fn summary(&self) -> String {
        let lost = self.lost().map_or_else(String::new, |lost| format!(" {lost}"));
        self.exception_at() + &lost
    }
}

/// What was edited, and what recorded calls tell of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edits {
    /// Edited code outside of tests, that which was not compared first.
    pub edited: Vec<EditedCode>,
    /// Functions that are new: nothing was recorded of them, and nothing could have been.
    pub new: Vec<FunctionId>,
    /// Edited functions of tests.
    pub tests: Vec<FunctionId>,
    /// Modules of which only import-time code was edited, and on which no recorded call rests, such as a program's start.
    pub unreached: Vec<RelPath>,
    /// Functions with recorded calls that are gone, with the number of their calls.
    pub gone: Vec<(FunctionId, u64)>,
    /// Functions that are gone and whose recorded calls lie in compared calls of others, as after inlining or renaming.
    #[serde(default)]
    pub gone_inside: Vec<FunctionId>,
    /// Modules that cannot be imported.
    pub import_failures: Vec<ImportFailure>,
}

impl Edits {
    /// Lists the edited code that was not compared.
    pub fn not_compared(&self) -> impl Iterator<Item = &EditedCode> {
        self.edited.iter().filter(|one| !one.is_compared())
    }

    /// Tells whether something is broken whatever the calls say: an import, a function that is gone with its calls, an
    /// accepted test, a recorded one.
    #[must_use]
    pub fn breaks(&self) -> bool {
        !self.import_failures.is_empty() || !self.gone.is_empty() || self.edited.iter().any(|one| self.is_broken(one))
    }

    /// Tells whether a test of edited code fails. Where tests were edited, too, a recorded one may fail because of that.
    fn is_broken(&self, one: &EditedCode) -> bool {
        one.fails() || self.tests.is_empty() && one.fails_in_test()
    }

    /// Says in lines what broke, what was not compared and what does not count.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut out: Vec<String> = self.import_failures.iter().map(|one| format!("✗ {}", one.summary())).collect();
        out.extend(
            self.gone
                .iter()
                .map(|(id, calls)| format!("✗ {id} is gone, and with it its {}.", text::count_u64(*calls, "recorded call"))),
        );
        // That its module cannot be imported is said above.
        let is_said = |one: &&EditedCode| one.not_compared.iter().all(|not| not.reason.code == ReasonCode::ImportFails);
        out.extend(
            self.not_compared()
                .filter(|one| !is_said(one))
                .map(|one| format!("{} {}", if self.is_broken(one) { "✗" } else { "?" }, one.summary())),
        );
        let named = |what: &str, names: &[FunctionId]| {
            (!names.is_empty()).then(|| format!("◦ {what}: {}.", list(names.iter().map(|id| id.0.as_str()))))
        };
        let through: Vec<FunctionId> = self
            .edited
            .iter()
            .filter(|one| one.compared == 0 && one.through > 0 && one.recorded > 0)
            .filter_map(|one| one.subject.function().cloned())
            .collect();
        out.extend(named("Edited, compared through callers only", &through));
        out.extend(
            self.edited.iter().filter(|one| one.is_compared()).filter_map(EditedCode::varying).map(|line| format!("◦ {line}")),
        );
        out.extend(named("New, not recorded yet", &self.new));
        out.extend(named("Gone, compared through callers", &self.gone_inside));
        out.extend(named("Edited tests", &self.tests));
        if !self.unreached.is_empty() {
            let paths = self.unreached.iter().map(RelPath::as_str);
            out.push(format!("◦ Edited outside of functions, and no recorded call rests on it: {}.", list(paths)));
        }
        out
    }

    /// Sums up what was edited: `2 edited: 1 compared, 1 not compared.` Nothing where nothing was.
    #[must_use]
    pub fn sum(&self) -> Option<String> {
        let not = self.not_compared().count();
        let all = self.edited.len();
        (all > 0).then(|| format!("{all} edited: {} compared, {not} not compared.", all - not))
    }
}

/// Lists the first names and counts the others.
fn list<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAMES_SHOWN);
    let shown = names.take(NAMES_SHOWN).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(compared: u64, through: u64, not: Vec<(ReasonCode, u64)>) -> EditedCode {
        let not_compared: Vec<NotCompared> =
            not.into_iter().map(|(code, calls)| NotCompared { reason: code.into(), calls }).collect();
        EditedCode {
            subject: Subject::Function(FunctionId("m:f".into())),
            path: RelPath::new("m.py").unwrap(),
            line: 3,
            recorded: compared + not_compared.iter().map(|one| one.calls).sum::<u64>(),
            compared,
            differ: 0,
            through,
            not_compared,
            outside: 0,
            varying: Vec::new(),
            unrun: Vec::new(),
            test: None,
        }
    }

    #[test]
    fn a_recorded_test_that_fails_breaks_unless_tests_were_edited() {
        let mut edits = Edits { edited: vec![edited(0, 0, vec![(ReasonCode::TestFails, 1)])], ..Edits::default() };
        assert!(edits.breaks());
        assert!(edits.lines()[0].starts_with('✗'));
        edits.tests.push(FunctionId("tests.test_m:test_f".into()));
        assert!(!edits.breaks());
        assert!(edits.lines()[0].starts_with('?'));
    }

    #[test]
    fn code_that_a_compared_call_ran_is_compared_and_no_other() {
        assert!(edited(1, 0, vec![]).is_compared());
        let through = edited(0, 2, vec![(ReasonCode::LocalClass, 1)]);
        assert!(through.is_compared());
        assert!(!EditedCode { outside: 1, ..through }.is_compared(), "it may take a path of its own");
        assert!(!edited(0, 0, vec![(ReasonCode::LocalClass, 1)]).is_compared());
    }

    #[test]
    fn what_was_not_compared_is_named_with_the_reason_and_what_to_do() {
        let summary = edited(0, 0, vec![(ReasonCode::NestedFunction, 2)]).summary();
        let said = "m:f was edited and not compared  m.py:3  2 recorded calls: is defined inside another function. \
                    Move it to module level, or test the outer function.";
        assert_eq!(summary, said);
        let never =
            EditedCode { test: Some("tests/test_m.py::test_f".into()), ..edited(0, 0, vec![(ReasonCode::NotRecorded, 0)]) };
        let said = "m:f was edited and not compared  m.py:3  was never recorded. Record a test that may call it: \
                    `pytead-tui run -- python -m pytest tests/test_m.py::test_f`.";
        assert_eq!(never.summary(), said);
    }

    #[test]
    fn parts_that_vary_are_named_with_the_functions_whose_calls_have_them() {
        let part =
            |function: &str, part: &str, calls| Varying { function: FunctionId(function.into()), part: part.into(), calls };
        let varying = vec![part("m:f", "result['at']", 3), part("m:g", "log[0]", 1)];
        let edits =
            Edits { edited: vec![EditedCode { varying, ..edited(3, 0, vec![]) }, edited(1, 0, vec![])], ..Edits::default() };
        let said =
            "◦ m:f: these parts differ from run to run and were not compared: result['at'] (3 calls), log[0] of m:g (1 call).";
        assert_eq!(edits.lines(), [said]);
    }

    #[test]
    fn a_broken_import_is_named_with_its_line_and_what_cannot_run() {
        let failure = ImportFailure {
            path: RelPath::new("calc.py").unwrap(),
            line: 1,
            exception: "ImportError: cannot import name 'scales'".into(),
            functions: vec![(FunctionId("calc:fee".into()), 2), (FunctionId("calc:Acc.double".into()), 1)],
        };
        let said = "calc.py:1 breaks the import: ImportError: cannot import name 'scales'. 3 recorded calls cannot run: \
                    calc:fee, calc:Acc.double.";
        assert_eq!(failure.summary(), said);
    }

    #[test]
    fn the_sum_adds_up() {
        let edits = Edits { edited: vec![edited(0, 0, vec![]), edited(1, 0, vec![]), edited(0, 3, vec![])], ..Edits::default() };
        assert_eq!(edits.sum().as_deref(), Some("3 edited: 2 compared, 1 not compared."));
        assert_eq!(Edits::default().sum(), None);
    }
}
