//! Every rule of drafts has its row in docs/draft-rules.md, and a test that names it: in its own name or in the words above it. So
//! has every fault that judging tests commonly gets wrong (`fixtures/intents/README.md`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The rules have these numbers.
const RULES: std::ops::RangeInclusive<u32> = 1..=32;
/// The faults have these.
const FAULTS: std::ops::RangeInclusive<u32> = 1..=21;

/// Finds `R1`, `R27` and the like in a line.
fn named(line: &str, letter: char) -> impl Iterator<Item = u32> {
    line.split(|c: char| !c.is_ascii_alphanumeric()).filter_map(move |word| word.strip_prefix(letter)?.parse().ok())
}

/// Lists the files of a folder and below with one of these endings.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, endings, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|wanted| ending == *wanted)) {
            found.push(path);
        }
    }
}

/// Gives the rules that the tests in a Rust file name: above `#[test]`, or in the line of the function.
fn of_rust(text: &str, letter: char) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut above: Vec<u32> = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("///") {
            above.extend(named(line, letter));
        } else if line == "#[test]" || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if !line.starts_with("#[") {
            if is_test {
                found.extend(above.iter().copied().chain(named(line, letter)));
            }
            above.clear();
            is_test = false;
        }
    }
    found
}

/// Gives the rules that the tests in a Python file name: in the line below `def test_…`.
fn of_python(text: &str, letter: char) -> BTreeSet<u32> {
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(2).filter(|pair| pair[0].starts_with("def test_")).flat_map(|pair| named(pair[1], letter)).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Gives what all tests name.
fn of_tests(letter: char) -> BTreeSet<u32> {
    let mut paths = Vec::new();
    files(&root().join("src"), &["rs"], &mut paths);
    files(&root().join("tests"), &["rs", "py"], &mut paths);
    let mut found = BTreeSet::new();
    for path in paths {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let rust = path.extension().is_some_and(|ending| ending == "rs");
        found.extend(if rust { of_rust(&text, letter) } else { of_python(&text, letter) });
    }
    found
}

#[test]
fn every_rule_is_named_by_a_test_that_proves_it() {
    let found = of_tests('R');
    let missing: Vec<u32> = RULES.filter(|rule| !found.contains(rule)).collect();
    assert!(missing.is_empty(), "no test names {missing:?}");
}

#[test]
fn every_fault_is_named_by_a_test_that_shows_it_right() {
    let found = of_tests('F');
    let missing: Vec<u32> = FAULTS.filter(|fault| !found.contains(fault)).collect();
    assert!(missing.is_empty(), "no test names {missing:?}");
    let text = std::fs::read_to_string(root().join("tests/fixtures/intents/README.md")).unwrap();
    for fault in FAULTS {
        assert!(text.contains(&format!("| F{fault} | ")), "F{fault}");
    }
}

#[test]
fn every_rule_has_a_row_in_the_documentation() {
    let text = std::fs::read_to_string(root().join("docs/draft-rules.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| R")?.split(" |").next().map(|head| format!("R{head}")));
    let found: BTreeSet<u32> = rows.flat_map(|head| named(&head, 'R').collect::<Vec<_>>()).collect();
    let missing: Vec<u32> = RULES.filter(|rule| !found.contains(rule)).collect();
    assert!(missing.is_empty(), "no row tells of {missing:?}");
}

#[test]
fn only_what_stands_above_a_test_counts() {
    let text = "/// R1 of a helper\nfn no_test() {}\n\n/// R2, R3: a promise.\n#[test]\n#[ignore]\nfn a() {\n    // R4\n}\n";
    assert_eq!(of_rust(text, 'R'), BTreeSet::from([2, 3]));
    assert_eq!(of_python("def test_a():\n    \"\"\"R5: a promise.\"\"\"\n    x = 1  # R6\n", 'R'), BTreeSet::from([5]));
}
