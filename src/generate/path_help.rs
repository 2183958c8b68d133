//! The conftest that puts a project on the path of its tests, where plain pytest does not find it.

use crate::domain::value::Value;
use crate::generate::layout;
use crate::source::claims;

/// A conftest that puts the project on the path, up to its first line that depends on the project; how this line begins,
/// and how those after it do.
const HELP: &str = "\"\"\"Puts the project on the path of these tests.\"\"\"\n\nimport sys\nfrom pathlib import Path\n\n";
const HELP_ROOT: &str = "ROOT = Path(__file__).resolve().parents[";
const HELP_PATH: &str = "sys.path.insert(0, str";

/// Writes a conftest that stands so many folders below the project and puts folders of it on the path.
pub fn conftest<'a>(below: usize, roots: impl DoubleEndedIterator<Item = &'a String>) -> String {
    // `parents[0]` is the conftest's own folder.
    let mut text = format!("{HELP}{HELP_ROOT}{below}]\n");
    for root in roots.rev() {
        let place = if root.is_empty() { "ROOT".to_owned() } else { format!("ROOT / {}", layout::string(root)) };
        text.push_str(&format!("{HELP_PATH}({place}))\n"));
    }
    text
}

/// Tells whether a conftest is one that was written with accepted tests, and no more: they were proved with its paths.
pub fn is_path_help(text: &str) -> bool {
    let rest = text.strip_prefix(HELP);
    rest.is_some_and(|rest| rest.lines().all(|line| line.starts_with(HELP_ROOT) || line.starts_with(HELP_PATH)))
}

/// Reads the folders that such a conftest puts on the path, in the order in which [`conftest`] takes them.
pub fn roots(text: &str) -> Vec<String> {
    let places = text.lines().filter_map(|line| line.strip_prefix(HELP_PATH)?.strip_prefix("(ROOT")?.strip_suffix("))"));
    let read = |place: &str| match place.strip_prefix(" / ") {
        None => Some(String::new()),
        Some(quoted) => match claims::value(quoted) {
            Some(Value::Str(root)) => Some(root),
            _ => None,
        },
    };
    let mut roots: Vec<String> = places.filter_map(read).collect();
    roots.reverse();
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conftest_finds_the_root_from_any_depth() {
        let text = |below: usize| conftest(below, [String::new(), "src".into()].iter());
        assert!(text(1).contains("parents[1]\n"));
        let deep = text(2);
        assert!(deep.contains("parents[2]\n"), "{deep}");
        assert!(deep.ends_with("str(ROOT / \"src\"))\nsys.path.insert(0, str(ROOT))\n"), "{deep}");
        assert_eq!(roots(&deep), [String::new(), "src".into()]);
        assert_eq!(roots(&conftest(1, ["a b".to_owned(), "c\"d".into()].iter())), ["a b", "c\"d"]);
        assert!(is_path_help(&deep) && !is_path_help(&format!("{deep}import os\n")) && !is_path_help("import sys\n"));
    }
}
