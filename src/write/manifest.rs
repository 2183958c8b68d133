//! `tests/pytead/manifest.yaml`: which tests are ours, what they are made from, and how we left them.
//!
//! Committed with the tests. One line a test, sorted, so that two branches merge, and what git could not merge is read as
//! the lines of both; a test whose body is not as we wrote it belongs to the person who changed it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::lines::{self, Twice};
use crate::base::paths::RelPath;
use crate::base::yaml;
use crate::domain::function::FunctionId;
use crate::source::docstring::docstring;
use crate::source::outline::{Outline, Statement, outline};
use crate::source::rests::rests;

/// Where the manifest stands in a project, below the folder of the tests.
pub const FILE_NAME: &str = "manifest.yaml";

const HEADER: &str = "# Written by pytead-tui: which tests it made, from what, and how it left them. Commit this file.\n";

/// What a person did with a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestState {
    /// Taken as it was drafted.
    Accepted,
    /// Taken as a person rewrote it.
    Edited,
    /// Not wanted; not proposed again for the same code.
    Rejected,
    /// Taken once, and deleted by hand since; not made again.
    Deleted,
}

/// One test of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestEntry {
    /// The function it tests.
    pub function: FunctionId,
    /// The recorded inputs it is made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Digest>,
    /// Hash of its body as we wrote it, see [`body_hash`].
    pub body: Digest,
    /// Hash of it without its docstring, which counts calls, see [`case_hash`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<Digest>,
    /// Hash of what it rests on beside itself, see [`rests`]; `None` for what was accepted before there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests: Option<Digest>,
    /// Hash of the code it was rejected for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Digest>,
    /// What became of it.
    pub state: TestState,
}

impl TestEntry {
    /// Tells whether the test was accepted, as it was drafted or as a person rewrote it.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self.state, TestState::Accepted | TestState::Edited)
    }
}

thread_local! {
    /// What was read or written last: of many drafts that are accepted at once, each adds to what those before it left.
    static LAST: RefCell<Option<(String, Manifest)>> = const { RefCell::new(None) };
}

/// All tests of a project's manifest, by file and name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    tests: BTreeMap<(RelPath, String), TestEntry>,
}

impl Manifest {
    /// Reads a manifest; no file is an empty one.
    ///
    /// # Errors
    /// Fails with file and line when the text is no manifest.
    pub fn read(text: Option<&str>) -> Result<Self, Trouble> {
        let text = text.unwrap_or_default();
        if text.lines().all(|line| line.trim().is_empty() || line.starts_with('#')) {
            return Ok(Self::default());
        }
        let known = LAST.with_borrow(|last| last.as_ref().filter(|(other, _)| other == text).map(|(_, list)| list.clone()));
        known.map_or_else(|| Self::parse(text), Ok)
    }

    fn parse(text: &str) -> Result<Self, Trouble> {
        let refused = |why: String| {
            Trouble::environment("The manifest of the accepted tests cannot be read.")
                .because(why)
                .so("Correct it or take it back from git; until then no test is written.")
        };
        let raw: BTreeMap<String, TestEntry> =
            // If the last of two is the wrong one, the test is not as we wrote it, and stays as it is.
            yaml::read_large(&lines::of_both_sides(text, Twice::Last)).map_err(|error| refused(error.to_string()))?;
        let mut tests = BTreeMap::new();
        for (key, entry) in raw {
            let parts = key.split_once("::").and_then(|(file, test)| Some((RelPath::new(file)?, test.to_owned())));
            tests.insert(parts.ok_or_else(|| refused(format!("{key} is not of the form file::test.")))?, entry);
        }
        let list = Self { tests };
        list.remember(text);
        Ok(list)
    }

    fn remember(&self, text: &str) {
        LAST.set(Some((text.to_owned(), self.clone())));
    }

    /// Writes the manifest; equal manifests give equal text.
    ///
    /// # Errors
    /// Fails when an entry has no form in JSON.
    pub fn text(&self) -> Result<String, Trouble> {
        let entries = self.tests.iter().map(|((file, test), entry)| (format!("{file}::{test}"), entry));
        let out = lines::write(HEADER, entries)
            .map_err(|error| Trouble::internal("The manifest could not be written.").because(error.to_string()))?;
        self.remember(&out);
        Ok(out)
    }

    /// Notes a test.
    pub fn note(&mut self, file: &RelPath, test: &str, entry: TestEntry) {
        self.tests.insert((file.clone(), test.to_owned()), entry);
    }

    /// Forgets a test.
    pub fn forget(&mut self, file: &RelPath, test: &str) -> Option<TestEntry> {
        self.tests.remove(&(file.clone(), test.to_owned()))
    }

    /// Notes that a person deleted a test that was accepted.
    pub fn bury(&mut self, file: &RelPath, test: &str) {
        if let Some(entry) = self.tests.get_mut(&(file.clone(), test.to_owned())) {
            entry.state = TestState::Deleted;
        }
    }

    /// Gives what is known of a test.
    #[must_use]
    pub fn get(&self, file: &RelPath, test: &str) -> Option<&TestEntry> {
        self.tests.get(&(file.clone(), test.to_owned()))
    }

    /// Gives all tests in order: file, name, entry.
    pub fn tests(&self) -> impl Iterator<Item = (&RelPath, &str, &TestEntry)> {
        self.tests.iter().map(|((file, test), entry)| (file, test.as_str(), entry))
    }

    /// Names the tests of a file that we wrote and a person changed since; they are never overwritten.
    #[must_use]
    pub fn hand_edited(&self, file: &RelPath, existing: &str) -> Vec<String> {
        self.written(file, &outline(existing)).filter(|(_, same)| *same == Some(false)).map(|(test, _)| test.to_owned()).collect()
    }

    /// Names the tests of a file that we wrote and a person deleted since; they are not made again.
    #[must_use]
    pub fn hand_deleted(&self, file: &RelPath, existing: &str) -> Vec<String> {
        let now = outline(existing);
        // Of a text that does not parse nobody can tell what is gone.
        if now.error.is_some() {
            return Vec::new();
        }
        self.written(file, &now).filter(|(_, same)| same.is_none()).map(|(test, _)| test.to_owned()).collect()
    }

    /// Names the tests of a file that are still as we wrote them: those that may be written over.
    #[must_use]
    pub fn ours(&self, file: &RelPath, existing: &str) -> BTreeSet<String> {
        self.written(file, &outline(existing)).filter(|(_, same)| *same == Some(true)).map(|(test, _)| test.to_owned()).collect()
    }

    /// Names the tests of a file that do what they did when they were accepted: their code is the same, comments aside, and so is
    /// what they rest on in the file and in the `conftest.py` files above it; no other statement of the file takes a name that they
    /// use.
    #[must_use]
    pub fn as_accepted(&self, file: &RelPath, existing: &str, above: &[String]) -> BTreeSet<String> {
        let now = outline(existing);
        let bound_again = now.bound_again(existing);
        if now.error.is_some() || bound_again.contains("*") {
            return BTreeSet::new();
        }
        let is_same = |found: &Statement, entry: &TestEntry| {
            found.digest == entry.body && found.names.iter().all(|name| !bound_again.contains(name))
        };
        let own = self.tests.iter().filter(|((path, _), entry)| path == file && entry.is_accepted());
        let same = own.filter(|((_, test), entry)| {
            !bound_again.contains(test)
                && now.definition(test).is_some_and(|found| is_same(found, entry))
                && (entry.rests.is_none() || entry.rests == rests(existing, test, above))
        });
        same.map(|((_, test), _)| test.clone()).collect()
    }

    /// Notes what tests of a file rest on after we wrote it: what we change of it ourselves leaves them as they were accepted.
    pub fn rest_anew(&mut self, file: &RelPath, tests: &BTreeSet<String>, text: &str, above: &[String]) {
        for test in tests {
            if let Some(entry) = self.tests.get_mut(&(file.clone(), test.clone())).filter(|entry| entry.rests.is_some()) {
                entry.rests = rests(text, test, above);
            }
        }
    }

    /// Gives the tests that should be in a file, and whether they are as we wrote them; `None` when they are gone.
    fn written<'a>(&'a self, file: &'a RelPath, now: &'a Outline) -> impl Iterator<Item = (&'a str, Option<bool>)> {
        let own = self.tests.iter().filter(move |((path, _), entry)| path == file && entry.is_accepted());
        // We write no comments: those there are a person's, and the hash of the body does not know of them.
        let same =
            |found: &Statement, body| found.digest == body && !found.has_comments && now.with_comments(found) == found.lines;
        own.map(move |((_, test), entry)| (test.as_str(), now.definition(test).map(|found| same(found, entry.body))))
    }
}

/// Hashes a test of a text by its code: formatting and quotes leave no trace, so a formatter changes nothing; nor do comments.
#[must_use]
pub fn body_hash(text: &str, test: &str) -> Option<Digest> {
    outline(text).definition(test).map(|statement| statement.digest)
}

/// Hashes a test as [`body_hash`], its docstring left out: what it does is the same however often it was recorded.
#[must_use]
pub fn case_hash(text: &str, test: &str) -> Option<Digest> {
    let lines = outline(text).definition(test)?.lines.clone();
    // By itself: reading all of a large file again for each of its tests would be felt.
    let mut own: String = text.split_inclusive('\n').skip(lines.start).take(lines.len()).collect();
    let is_def = |line: &&str| ["def ", "async def "].iter().any(|word| line.trim_start().starts_with(word));
    let defs = (1..).zip(own.lines()).filter(|(_, line)| is_def(line));
    let found = defs.filter_map(|(number, _)| docstring(&own, number)).next();
    if let Some(found) = found {
        own.replace_range(found.literal, "...");
    }
    body_hash(&own, test)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(body: Digest) -> TestEntry {
        TestEntry {
            function: FunctionId::new("shop", "total"),
            inputs: vec![Digest(1), Digest(2)],
            body,
            case: None,
            rests: None,
            code: None,
            state: TestState::Accepted,
        }
    }

    #[test]
    fn hands_are_noticed_and_formatters_are_not() {
        let file = RelPath::new("tests/pytead/test_pytead_shop.py").unwrap();
        let written = "def test_a():\n    assert f('x') == 1\n\n\ndef test_b():\n    pass\n\n\ndef test_c():\n    pass\n";
        let mut manifest = Manifest::default();
        for test in ["test_a", "test_b", "test_c"] {
            manifest.note(&file, test, entry(body_hash(written, test).unwrap()));
        }
        let now = "def test_a():\n    assert (\n        f(\"x\") == 1\n    )\n\ndef test_b():\n    return\n";
        assert_eq!(manifest.hand_edited(&file, now), ["test_b"]);
        assert_eq!(manifest.hand_deleted(&file, now), ["test_c"]);
        let broken = format!("<<<<<<< ours\n{now}=======\n");
        assert!(manifest.hand_deleted(&file, &broken).is_empty(), "of what does not parse nothing is known to be gone");
        assert_eq!(manifest.ours(&file, now), BTreeSet::from(["test_a".to_owned()]));
        for (old, new) in
            [("    assert (", "    # why\n    assert ("), ("== 1", "== 1  # why"), ("def test_a", "# why\ndef test_a")]
        {
            let commented = now.replacen(old, new, 1);
            assert_eq!(manifest.hand_edited(&file, &commented), ["test_a", "test_b"], "{commented}");
            assert!(manifest.ours(&file, &commented).is_empty());
        }
    }

    #[test]
    fn a_test_that_was_changed_in_any_way_is_not_as_it_was_accepted() {
        let file = RelPath::new("tests/pytead/test_m.py").unwrap();
        let text = "from m import f\n\n\ndef test_a():\n    assert f(1) == 2\n\n\ndef test_b():\n    assert f(2) == 3\n";
        let mut manifest = Manifest::default();
        for test in ["test_a", "test_b"] {
            manifest.note(&file, test, entry(body_hash(text, test).unwrap()));
        }
        let same = |text: &str| manifest.as_accepted(&file, text, &[]).into_iter().collect::<Vec<_>>();
        assert_eq!(same(text), ["test_a", "test_b"]);
        assert_eq!(same(&text.replace("    assert f(1) == 2", "    # why\n    assert (f(1) == 2)  # so")), ["test_a", "test_b"]);
        assert_eq!(same(&text.replace("assert f(1) == 2", "f(1)")), ["test_b"]);
        assert_eq!(same(&text.replace("f(1) == 2", "f(1) == 4")), ["test_b"]);
        for added in [
            "def f(x):\n    return x + 1\n",
            "f = lambda x: x + 1\n",
            "f: object = min\n",
            "a, f = 1, min\n",
            "from n import f\n",
        ] {
            assert_eq!(same(&format!("{text}\n\n{added}")), [""; 0], "{added}");
        }
        assert_eq!(same(&format!("{text}\n\ntest_b = print\n")), ["test_a"]);
        assert_eq!(same(&text.replace("import f", "import f as g, h as f, f")), [""; 0]);
        assert_eq!(same(&format!("{text}\n\ndef test_c(:\n")), [""; 0]);
    }

    #[test]
    fn a_test_whose_import_constant_or_conftest_was_changed_is_not_as_it_was_accepted() {
        let file = RelPath::new("tests/pytead/test_m.py").unwrap();
        let text = "from m import f\n\nLIMIT = 2\n\n\ndef test_a():\n    assert f(1) == LIMIT\n";
        let mut manifest = Manifest::default();
        let noted = entry(body_hash(text, "test_a").unwrap());
        manifest.note(&file, "test_a", TestEntry { rests: rests(text, "test_a", &[]), ..noted.clone() });
        let hook = ["def pytest_runtest_call(item):\n    pass\n".to_owned()];
        let edited = [text.replace("from m", "from n"), text.replace("LIMIT = 2", "LIMIT = 3")];
        for (text, above, is_same) in
            [(text, &[][..], true), (&edited[0], &[], false), (&edited[1], &[], false), (text, &hook, false)]
        {
            assert_eq!(manifest.as_accepted(&file, text, above).len() == 1, is_same, "{text}");
        }
        // What we write ourselves is noted; what was accepted before there was such a hash stays as it was.
        manifest.rest_anew(&file, &BTreeSet::from(["test_a".to_owned()]), &edited[0], &[]);
        assert_eq!(manifest.as_accepted(&file, &edited[0], &[]).len(), 1);
        manifest.note(&file, "test_a", noted);
        assert_eq!(manifest.as_accepted(&file, &edited[1], &hook).len(), 1);
    }

    #[test]
    fn how_often_a_test_was_recorded_makes_it_no_other_test() {
        let text = |docstring: &str, result: u8| {
            format!("import x\n\n\n@mark\ndef test_a():\n    \"\"\"{docstring}\"\"\"\n    assert f() == {result}\n")
        };
        let (once, twice) = (text("1 call.", 1), text("2 calls.", 1));
        assert_ne!(body_hash(&once, "test_a"), body_hash(&twice, "test_a"), "a hand edit of it is one");
        assert_eq!(case_hash(&once, "test_a"), case_hash(&twice, "test_a"));
        assert_ne!(case_hash(&once, "test_a"), case_hash(&text("1 call.", 2), "test_a"));
        assert_eq!(case_hash(&once, "test_b"), None);
    }

    #[test]
    fn what_git_could_not_merge_is_read_as_the_lines_of_both_sides() {
        let file = RelPath::new("t.py").unwrap();
        let text = |tests: &[(&str, u64)]| {
            let mut manifest = Manifest::default();
            tests.iter().for_each(|(test, body)| manifest.note(&file, test, entry(Digest(*body))));
            manifest.text().unwrap()
        };
        let lines = |text: String| text.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
        let (ours, base, theirs) = (text(&[("a", 1), ("c", 4)]), text(&[("c", 3)]), text(&[("b", 2), ("c", 5)]));
        let marked = format!(
            "{HEADER}<<<<<<< HEAD\n{}||||||| 1234567\n{}=======\n{}>>>>>>> other\n{}",
            lines(ours.clone()),
            lines(base),
            lines(theirs.clone()),
            lines(text(&[("d", 6)])),
        );
        let both = text(&[("a", 1), ("b", 2), ("c", 5), ("d", 6)]);
        assert_eq!(Manifest::parse(&marked).unwrap().text().unwrap(), both, "{marked}");
        // As a union merge leaves it.
        let union = format!("{ours}{}{}", lines(theirs), lines(text(&[("d", 6)])));
        assert_eq!(Manifest::parse(&union).unwrap().text().unwrap(), both);
        // As it was written before.
        let block = "# old\n\"t.py::a\":\n  function: shop:total\n  inputs:\n  - '0000000000000001'\n  body: '0000000000000001'\n  state: accepted\n";
        assert_eq!(Manifest::parse(block).unwrap().tests().count(), 1);
    }

    #[test]
    fn the_text_is_sorted_lines() {
        let mut manifest = Manifest::default();
        for test in ["test_b", "test_a"] {
            manifest.note(&RelPath::new("tests/pytead/test_x.py").unwrap(), test, entry(Digest(0x1234_5678_9012_3456)));
        }
        let text = manifest.text().unwrap();
        assert_eq!(text.matches("\n\"tests/pytead/test_x.py::test_").count(), 2, "{text}");
        assert!(text.find("test_a").unwrap() < text.find("test_b").unwrap());
        assert_eq!(Manifest::parse(&text).unwrap(), manifest);
        assert_eq!(Manifest::read(None).unwrap(), Manifest::default());
    }

    #[test]
    fn what_is_no_manifest_is_refused_with_its_place() {
        let trouble = Manifest::read(Some("tests/a.py::test_a:\n  function: 3\n")).unwrap_err();
        assert!(trouble.to_string().contains("line"), "{trouble}");
        assert!(Manifest::read(Some("../a.py::t:\n  function: a:b\n  body: 0123456789abcdef\n  state: accepted\n")).is_err());
    }

    proptest! {
        #[test]
        fn every_digest_survives(body in any::<u64>(), input in any::<u64>(), digits in 0u64..10_000_000_000_000_000) {
            let mut manifest = Manifest::default();
            let file = RelPath::new("t.py").unwrap();
            let decimal = format!("{digits:016}").parse().unwrap();
            manifest.note(&file, "test_a", TestEntry { inputs: vec![Digest(input), decimal], ..entry(Digest(body)) });
            prop_assert_eq!(Manifest::parse(&manifest.text().unwrap()).unwrap(), manifest);
        }
    }
}
