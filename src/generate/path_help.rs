//! The conftest of accepted tests: it puts a project on their path, where plain pytest does not find it, and sets the variables
//! that modules of the project read when they are imported.

use std::collections::BTreeMap;

use crate::domain::value::Value;
use crate::generate::layout;
use crate::source::claims;

/// What it begins with, and how its other lines begin.
const HELP: &str = "\"\"\"Lets these tests import the project.\"\"\"\n\n";
const FORMER: &str = "\"\"\"Puts the project on the path of these tests.\"\"\"\n\n";
const IMPORTS: [&str; 4] = ["import os", "import sys", "from pathlib import Path", IMPORT_DJANGO];
const IMPORT_DJANGO: &str = "import django";
const HELP_ROOT: &str = "ROOT = Path(__file__).resolve().parents[";
const HELP_PATH: &str = "sys.path.insert(0, str";
const HELP_VARIABLE: &str = "os.environ.setdefault(";
/// Which Django reads when it is set up; before that no module with models can be imported.
const DJANGO_SETTINGS: &str = "DJANGO_SETTINGS_MODULE";
const HELP_DJANGO: &str = "django.setup()";

/// Writes a conftest that stands so many folders below the project, puts folders of it on the path and sets variables.
pub fn conftest<'a>(
    below: usize,
    roots: impl DoubleEndedIterator<Item = &'a String>,
    variables: &BTreeMap<String, String>,
) -> String {
    written(paths(below, roots), variables)
}

/// Gives the part of such a conftest without which modules of the project cannot be imported, whatever the environment holds: where
/// Django has to be set up.
#[must_use]
pub fn set_up(variables: &BTreeMap<String, String>) -> Option<String> {
    let settings = variables.get_key_value(DJANGO_SETTINGS)?;
    Some(written(Vec::new(), &BTreeMap::from([(settings.0.clone(), settings.1.clone())])))
}

/// Gives a conftest that was written by [`conftest`] other folders; the variables that it sets stay.
pub fn with_roots<'a>(text: &str, below: usize, roots: impl DoubleEndedIterator<Item = &'a String>) -> String {
    let mut lines = paths(below, roots);
    lines.extend(body(text).filter(|line| line.starts_with(HELP_VARIABLE)).map(str::to_owned));
    written(lines, &BTreeMap::new())
}

fn paths<'a>(below: usize, roots: impl DoubleEndedIterator<Item = &'a String>) -> Vec<String> {
    let place = |root: &String| if root.is_empty() { "ROOT".to_owned() } else { format!("ROOT / {}", layout::string(root)) };
    let mut lines: Vec<String> = roots.rev().map(|root| format!("{HELP_PATH}({}))", place(root))).collect();
    if !lines.is_empty() {
        // `parents[0]` is the conftest's own folder.
        lines.insert(0, format!("{HELP_ROOT}{below}]"));
    }
    lines
}

/// Adds variables to a conftest that was written by [`conftest`]; what it sets stays.
pub fn with_variables(text: &str, variables: &BTreeMap<String, String>) -> String {
    let (mut set, mut lines) = (Vec::new(), Vec::new());
    for line in body(text) {
        if line.starts_with(HELP_VARIABLE) { set.push(line.to_owned()) } else { lines.push(line.to_owned()) }
    }
    let is_new = |name: &String| !set.iter().any(|line| line.starts_with(&setting(name)));
    let new: BTreeMap<String, String> =
        variables.iter().filter(|(name, _)| is_new(name)).map(|(name, value)| (name.clone(), value.clone())).collect();
    if new.is_empty() {
        return text.to_owned();
    }
    lines.extend(set);
    written(lines, &new)
}

fn written(mut lines: Vec<String>, variables: &BTreeMap<String, String>) -> String {
    lines.extend(variables.iter().map(|(name, value)| format!("{}{})", setting(name), layout::string(value))));
    lines.retain(|line| line != HELP_DJANGO);
    if lines.iter().any(|line| line.starts_with(&setting(DJANGO_SETTINGS))) {
        lines.push(HELP_DJANGO.to_owned());
    }
    let used = |import: &&&str| {
        let name = import.rsplit(' ').next().unwrap_or_default();
        lines.iter().any(|line| line.contains(&format!("{name}.")) || line.contains(&format!("{name}(")))
    };
    let (django, standard): (Vec<&str>, Vec<&str>) =
        IMPORTS.iter().filter(used).copied().partition(|import| *import == IMPORT_DJANGO);
    let imports = [standard.join("\n"), django.concat()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    format!("{HELP}{}\n\n{}\n", imports.join("\n\n"), lines.join("\n"))
}

fn setting(name: &str) -> String {
    format!("{HELP_VARIABLE}{}, ", layout::string(name))
}

/// Gives the lines of a conftest that do something.
fn body(text: &str) -> impl Iterator<Item = &str> {
    let rest = text.strip_prefix(HELP).or_else(|| text.strip_prefix(FORMER)).unwrap_or(text);
    rest.lines().filter(|line| !line.is_empty() && !IMPORTS.contains(line))
}

/// Tells whether a conftest is one that was written with accepted tests, and no more: they were proved with what it does.
pub fn is_path_help(text: &str) -> bool {
    let is_ours = |line: &str| [HELP_ROOT, HELP_PATH, HELP_VARIABLE, HELP_DJANGO].iter().any(|head| line.starts_with(head));
    (text.starts_with(HELP) || text.starts_with(FORMER)) && body(text).all(is_ours)
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

    fn variables(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_conftest_finds_the_root_from_any_depth() {
        let text = |below: usize| conftest(below, [String::new(), "src".into()].iter(), &variables(&[]));
        assert!(text(1).contains("parents[1]\n"));
        let deep = text(2);
        assert!(deep.contains("import sys\nfrom pathlib import Path\n\nROOT") && deep.contains("parents[2]\n"), "{deep}");
        assert!(deep.ends_with("str(ROOT / \"src\"))\nsys.path.insert(0, str(ROOT))\n"), "{deep}");
        assert_eq!(roots(&deep), [String::new(), "src".into()]);
        assert_eq!(roots(&conftest(1, ["a b".to_owned(), "c\"d".into()].iter(), &variables(&[]))), ["a b", "c\"d"]);
        assert!(is_path_help(&deep) && !is_path_help(&format!("{deep}import os\nos.abort()\n")) && !is_path_help("import sys\n"));
    }

    #[test]
    fn a_conftest_sets_up_django_after_all_else() {
        let text = conftest(2, ["src".into()].iter(), &variables(&[("DJANGO_SETTINGS_MODULE", "site.settings")]));
        let end = "os.environ.setdefault(\"DJANGO_SETTINGS_MODULE\", \"site.settings\")\ndjango.setup()\n";
        assert!(text.ends_with(end) && text.contains("from pathlib import Path\n\nimport django\n"), "{text}");
        let more = with_variables(&text, &variables(&[("A", "b")]));
        assert!(more.ends_with("os.environ.setdefault(\"A\", \"b\")\ndjango.setup()\n") && is_path_help(&more), "{more}");
        assert_eq!(set_up(&variables(&[("A", "b")])), None);
        assert_eq!(with_roots(&more, 2, ["src".to_owned()].iter()), more);
    }

    #[test]
    fn a_conftest_sets_what_imports_read_and_gets_more_of_it() {
        let text = conftest(2, [].iter(), &variables(&[("APP_MODE", "x")]));
        let expected =
            "\"\"\"Lets these tests import the project.\"\"\"\n\nimport os\n\nos.environ.setdefault(\"APP_MODE\", \"x\")\n";
        assert_eq!(text, expected);
        assert_eq!(with_variables(&text, &variables(&[("APP_MODE", "y")])), text);
        let more = with_variables(&text, &variables(&[("APP_MODE", "y"), ("APP_KEY", "k")]));
        assert!(
            is_path_help(&more) && more.contains("(\"APP_MODE\", \"x\")\nos.environ.setdefault(\"APP_KEY\", \"k\")\n"),
            "{more}"
        );
        let former = "\"\"\"Puts the project on the path of these tests.\"\"\"\n\nimport sys\nfrom pathlib import Path\n\nROOT = \
                      Path(__file__).resolve().parents[1]\nsys.path.insert(0, str(ROOT))\n";
        let both = with_variables(former, &variables(&[("A", "b")]));
        assert!(is_path_help(former) && both.contains("import os\nimport sys\nfrom pathlib import Path\n\nROOT"), "{both}");
        let wider = with_roots(&both, 1, [String::new(), "src".into()].iter());
        assert_eq!(roots(&wider), [String::new(), "src".into()]);
        assert!(wider.contains("os.environ.setdefault(\"A\", \"b\")"), "{wider}");
    }
}
