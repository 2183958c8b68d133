//! Tells YAML tests from other YAML files, such as data that tests read.

use std::path::Path;

use crate::base::paths::read_text;
use crate::base::yaml::{self, Plain};

/// The sections that each test has.
const SECTIONS: [&str; 3] = ["test", "steps", "verdict"];

/// Tells whether a file is meant as a test: it has two of the sections, or the name of a test and one. What cannot be read, and an
/// empty file with such a name, is a test, so that its mistake is said.
#[must_use]
pub fn is_test(path: &Path) -> bool {
    let is_named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("test_"));
    let Ok(text) = read_text(path) else { return true };
    let sections = sections(&text);
    sections >= 2 || is_named && (sections == 1 || text.trim().is_empty())
}

/// Counts the sections of a text; where it is no YAML, by its lines.
fn sections(text: &str) -> usize {
    let is_section = |key: &str| SECTIONS.iter().any(|section| key.trim().eq_ignore_ascii_case(section));
    match yaml::tree(text).map(|tree| tree.value) {
        Ok(Plain::Map(entries)) => entries.iter().filter(|(key, ..)| is_section(key)).count(),
        Ok(_) => 0,
        Err(_) => text.lines().filter(|line| line.split_once(':').is_some_and(|(key, _)| is_section(key))).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        is_test(&folder.path().join(name))
    }

    #[test]
    fn tests_are_known_however_they_are_written() {
        for text in [
            "test: {name: a}\nsteps: []\n",
            "\"test\": {\"name\": \"a\"}\n\"verdict\": {}\n",
            "{\"test\": {\"name\": \"a\"}, \"steps\": [], \"verdict\": {}}",
            "  test: {name: a}\n  steps: []\n",
            "test : {name: a}\nsteps : []\n",
            "Test: {name: a}\nSteps: []\n",
            "test: {name: a\nsteps: [\n",
        ] {
            assert!(found("a.yaml", text), "{text}");
        }
        assert!(found("test_a.yaml", "test: {name: a}\n") && found("test_a.yaml", "") && found("test_a.yaml", "steps: [\n"));
    }

    #[test]
    fn data_and_workflows_are_none() {
        for text in ["- {name: Ada}\n", "steps:\n  - build\n", "a: 1\n", "jobs:\n  test:\n    steps: []\n", "a: [\n"] {
            assert!(!found("pipeline.yaml", text), "{text}");
        }
        assert!(!found("test_users.yaml", "- {name: Ada}\n") && !found("test_users.yaml", "a: 1\n---\nb: 2\n"));
        assert!(!found("a.yaml", "") && !found("a.yaml", "test: 1\n"));
    }
}
