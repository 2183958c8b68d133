//! Makes tests put back what their function changes, and pins what it asks for, by lines of pytest's `monkeypatch` and `caplog`:
//! `monkeypatch.setattr("shop.i18n.lang", "en")`, `monkeypatch.delenv("SHOP_MODE", raising=False)`,
//! `caplog.set_level(30, logger="shop")`.
//!
//! Temporary files that a test leaves are made in its own folder. The locale is held, the local time zone set. A setting is set to what it was before, which pins
//! what the test starts from, and pytest restores it afterwards. A test of what is named from the project's folder goes there.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::text;
use crate::domain::proposal::Draft;
use crate::generate::layout;
use crate::generate::trim;
use crate::pytest::warm::{Look, Trace, TraceKind};

/// Goes to the folder of the project, from wherever pytest was started.
const TO_ROOT: &str = "    monkeypatch.chdir(pytestconfig.rootpath)";

/// Has `tempfile` make its files in the test's own folder.
const TO_TMP_PATH: &str = "    monkeypatch.setattr(\"tempfile.tempdir\", str(tmp_path))";

/// Holds the locale: a call that sets it changes nothing and returns `C`.
const LOCALE: &str = "    monkeypatch.setattr(\"locale.setlocale\", lambda *_: \"C\")";

/// The fixture that sets the local time zone.
const ZONE: &str = "local_zone";

/// Keeps so many variables away in a loop.
const LOOP_MIN: usize = 3;
const LOOP: &str = "for variable in ";

/// Lines that tests need, by the name of the test.
pub type Lines = BTreeMap<String, BTreeSet<String>>;

/// Gives the lines that put the settings back which tests were seen to change; `None` when one cannot be put back.
#[must_use]
pub fn restoring(looks: &BTreeMap<String, Look>) -> Option<Lines> {
    let mut lines = Lines::new();
    for (name, look) in looks {
        for trace in look.left.iter().filter(|trace| trace.kind == TraceKind::Setting) {
            lines.entry(test_of(name)).or_default().insert(statement(trace)?);
        }
    }
    Some(lines)
}

/// Gives the lines that keep variables away which the code asks for and which were not set when it was recorded.
#[must_use]
pub fn pinning(draft: &Draft, looks: &BTreeMap<String, Look>) -> Lines {
    let mut lines = Lines::new();
    for (name, look) in looks {
        let text = trim::text_of(&draft.text, &test_of(name)).unwrap_or_default();
        let is_kept_away = |variable: &str| {
            let mut in_loops = text.lines().filter(|line| line.trim_start().starts_with(LOOP));
            text.contains(&format!("env(\"{variable}\"")) || in_loops.any(|line| line.contains(&format!("\"{variable}\"")))
        };
        let is_plain = |name: &str| !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
        let asked: Vec<&str> =
            look.asked.iter().map(String::as_str).filter(|name| is_plain(name) && !is_kept_away(name)).collect();
        if !asked.is_empty() {
            lines.entry(test_of(name)).or_default().extend(keeping_away(&asked, &text));
        }
    }
    lines
}

/// Writes the lines that keep variables away: many of them, as those that a parser of options asks for, in a loop.
fn keeping_away(variables: &[&str], test: &str) -> Vec<String> {
    let names = variables.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let head = format!("    {LOOP}({names}):");
    if variables.len() < LOOP_MIN || text::width(&head) > layout::WIDTH || trim::has_word(test, "variable") {
        return variables.iter().map(|name| format!("    monkeypatch.delenv(\"{name}\", raising=False)")).collect();
    }
    vec![format!("{head}\n        monkeypatch.delenv(variable, raising=False)")]
}

/// Gives the lines by which tests that fail in another folder alone run in the project's own: of those that do not go anywhere.
pub fn rooting<'n>(draft: &Draft, elsewhere: impl Iterator<Item = &'n str>) -> Lines {
    let mut lines = Lines::new();
    for name in elsewhere {
        let test = test_of(name);
        if trim::text_of(&draft.text, &test).is_some_and(|text| !text.contains("chdir(")) {
            lines.entry(test).or_default().insert(TO_ROOT.to_owned());
        }
    }
    lines
}

/// Gives the lines by which these tests make their temporary files in folders of their own.
pub fn sheltering<'n>(leaving: impl Iterator<Item = &'n str>) -> Lines {
    leaving.map(|name| (test_of(name), BTreeSet::from([TO_TMP_PATH.to_owned()]))).collect()
}

/// Gives the draft with a fixture that sets the local time zone, for these tests; `None` where there are none, or they have it already.
pub fn zoning<'n>(draft: &Draft, tests: impl Iterator<Item = &'n str>, zone: &str) -> Option<Draft> {
    let tests: BTreeSet<String> = tests.map(test_of).collect();
    if tests.is_empty() || trim::has_word(&draft.text, ZONE) {
        return None;
    }
    let mut text = draft.text.clone();
    for test in &tests {
        let own = trim::text_of(&text, test)?;
        // Above its decorators, below the constants that belong to it.
        let first =
            own.lines().find(|line| line.starts_with('@') || line.starts_with("def ") || line.starts_with("async def "))?;
        let marked = own.replacen(first, &format!("@pytest.mark.usefixtures(\"{ZONE}\")\n{first}"), 1);
        text = text.replacen(&own, &marked, 1);
    }
    let fixture = format!(
        "@pytest.fixture\ndef {ZONE}():\n    \"\"\"Sets the time zone of the recording.\"\"\"\n    with pytest.MonkeyPatch.context() as \
         patch:\n        patch.setenv(\"TZ\", \"{zone}\")\n        time.tzset()\n        yield\n    time.tzset()\n"
    );
    let mut imports = draft.imports.clone();
    for import in ["import time", "import pytest"] {
        if !imports.iter().any(|known| known == import) {
            imports.push(import.to_owned());
        }
    }
    Some(Draft { text: format!("{fixture}\n\n{text}"), imports, ..draft.clone() })
}

/// A test of rows is mended as a whole.
fn test_of(name: &str) -> String {
    name.split('[').next().unwrap_or(name).to_owned()
}

/// Gives the draft with these lines at the start of its tests; `None` when there is a test that cannot take them.
#[must_use]
pub fn mend(draft: &Draft, lines: &Lines) -> Option<Draft> {
    let mut text = draft.text.clone();
    for (test, lines) in lines {
        text = insert(&text, test, lines)?;
    }
    Some(Draft { tests: trim::test_names(&text), text, ..draft.clone() })
}

/// Writes the line for a setting. What it is made of comes from a process that ran the tests, so it is looked at.
fn statement(trace: &Trace) -> Option<String> {
    if let Some(logger) = &trace.logger {
        return level(logger, trace.old.as_ref()?);
    }
    let (module, name, old) = (trace.module.as_ref()?, trace.name.as_ref()?, trace.old.as_ref()?);
    if (module.as_str(), name.as_str()) == ("locale", "setlocale") {
        return Some(LOCALE.to_owned());
    }
    let is_name = |part: &str| {
        part.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic())
            && part.chars().all(|c| c == '_' || c.is_alphanumeric())
    };
    if !module.split('.').chain([name.as_str()]).all(is_name) {
        return None;
    }
    let number = old.strip_prefix('-').unwrap_or(old);
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    let quoted = |mark: char| {
        let inner = old.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        inner.is_some_and(|inner| !inner.contains([mark, '\\', '\n', '"']) && !inner.chars().any(char::is_control))
    };
    let literal = match old.as_str() {
        "None" | "True" | "False" => old.clone(),
        _ if is_number => old.clone(),
        _ if quoted('\'') => format!("\"{}\"", old.trim_matches('\'')),
        _ => return None,
    };
    Some(format!("    monkeypatch.setattr(\"{module}.{name}\", {literal})"))
}

/// Writes the line for the level of a logger.
fn level(logger: &str, old: &str) -> Option<String> {
    let is_plain = logger.chars().all(|c| matches!(c, '_' | '.' | '-') || c.is_ascii_alphanumeric());
    let of = if logger.is_empty() { String::new() } else { format!(", logger=\"{logger}\"") };
    (is_plain && old.chars().all(|c| c.is_ascii_digit()) && !old.is_empty()).then(|| format!("    caplog.set_level({old}{of})"))
}

/// Puts lines at the start of a test function and gives it the fixture they need; `None` when one is there already.
fn insert(whole: &str, test: &str, lines: &BTreeSet<String>) -> Option<String> {
    let own = trim::text_of(whole, test)?;
    if own.lines().any(|line| lines.contains(line)) {
        return None;
    }
    let head = format!("def {test}(");
    let mut out: Vec<String> = Vec::new();
    let mut mended = false;
    let mut rest = whole.lines();
    while let Some(line) = rest.next() {
        let plain = line.strip_prefix("async ").unwrap_or(line);
        let Some(parameters) = plain.strip_prefix(&head) else {
            out.push(line.to_owned());
            continue;
        };
        if mended {
            return None;
        }
        let open = line.len() - parameters.len();
        let parameters = parameters.strip_suffix("):")?;
        let needed = ["monkeypatch", "pytestconfig", "caplog", "tmp_path"]
            .into_iter()
            .filter(|name| lines.iter().any(|line| trim::has_word(line, name)));
        let more: Vec<&str> = needed.filter(|name| !trim::has_word(parameters, name)).collect();
        let parameters: Vec<&str> = (!parameters.is_empty()).then_some(parameters).into_iter().chain(more).collect();
        let (head, inner) = (&line[..open], parameters.join(", "));
        if text::width(head) + text::width(&inner) + "):".len() <= layout::WIDTH {
            out.push(format!("{head}{inner}):"));
        } else {
            out.extend([head.to_owned(), format!("    {inner}"), "):".to_owned()]);
        }
        mended = true;
        // After a docstring of one line.
        let mut next = rest.next();
        if let Some(doc) = next.filter(|next| next.trim_start().starts_with("\"\"\"")) {
            if doc.trim().len() < 6 || !doc.trim_end().ends_with("\"\"\"") {
                return None;
            }
            out.push(doc.to_owned());
            next = rest.next();
        }
        out.extend(lines.iter().cloned());
        out.extend(next.map(ToOwned::to_owned));
    }
    mended.then(|| out.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples;

    fn draft(text: &str) -> Draft {
        Draft { tests: trim::test_names(text), ..samples::draft(&["from m import f"], text) }
    }

    fn setting(module: &str, name: &str, old: &str) -> Trace {
        Trace {
            what: format!("{module}.{name}"),
            kind: TraceKind::Setting,
            module: Some(module.into()),
            name: Some(name.into()),
            logger: None,
            old: Some(old.into()),
        }
    }

    fn looks(changes: &[(&str, &Trace)]) -> BTreeMap<String, Look> {
        let look = |trace: &Trace| Look { left: vec![trace.clone()], ..Look::default() };
        changes.iter().map(|(test, trace)| ((*test).to_owned(), look(trace))).collect()
    }

    #[test]
    fn many_variables_are_kept_away_in_a_loop_and_only_once() {
        let text = "def test_a():\n    \"\"\"Recorded.\"\"\"\n    assert f(1) == 1\n";
        let asked = |names: &[&str]| {
            let look = Look { asked: names.iter().map(|name| (*name).to_owned()).collect(), ..Look::default() };
            BTreeMap::from([("test_a".to_owned(), look)])
        };
        let once = draft(text);
        let mended = mend(&once, &pinning(&once, &asked(&["COLUMNS", "LANG", "LINES"]))).unwrap();
        let wanted = "def test_a(monkeypatch):\n    \"\"\"Recorded.\"\"\"\n    for variable in (\"COLUMNS\", \"LANG\", \"LINES\"):\n        \
                      monkeypatch.delenv(variable, raising=False)\n    assert f(1) == 1\n";
        assert_eq!(mended.text, wanted);
        assert!(pinning(&mended, &asked(&["LANG", "LINES"])).is_empty(), "they are kept away already");
        let again = pinning(&mended, &asked(&["LC_ALL", "LC_MESSAGES", "TERM"]));
        assert_eq!(again["test_a"].len(), 3, "a second loop would take the name of the first");
    }

    #[test]
    fn a_setting_is_pinned_before_and_put_back_after() {
        let text =
            "def test_a():\n    \"\"\"Recorded.\"\"\"\n    assert f(1) == 1\n\n\ndef test_b(value):\n    assert f(value)\n";
        let (lang, count) = (setting("shop.i18n", "_lang", "'en'"), setting("shop.ids", "count", "-1"));
        let lines = restoring(&looks(&[("test_a", &lang), ("test_b[one]", &count)])).unwrap();
        let mended = mend(&draft(text), &lines).unwrap();
        let expected = "def test_a(monkeypatch):\n    \"\"\"Recorded.\"\"\"\n    monkeypatch.setattr(\"shop.i18n._lang\", \"en\")\n    \
                        assert f(1) == 1\n\n\ndef test_b(value, monkeypatch):\n    monkeypatch.setattr(\"shop.ids.count\", -1)\n    \
                        assert f(value)\n";
        assert_eq!(mended.text, expected);
        assert_eq!(mended.tests, ["test_a", "test_b"]);
        assert!(mend(&mended, &lines).is_none(), "what was mended and still changes it is not mended twice");
    }

    #[test]
    fn the_local_time_zone_is_set_for_the_tests_that_follow_it() {
        let text = "EXPECTED_A = 3\n\n\n@pytest.mark.parametrize(\"n\", [1])\ndef test_a(n):\n    assert f(n) == EXPECTED_A\n\n\ndef test_b():\n    assert f(1)\n";
        let mended = zoning(&draft(text), ["test_a[1]"].into_iter(), "Europe/Berlin").unwrap();
        assert_eq!(mended.imports, ["from m import f", "import time", "import pytest"]);
        let fixture = "@pytest.fixture\ndef local_zone():\n    \"\"\"Sets the time zone of the recording.\"\"\"\n    \
                       with pytest.MonkeyPatch.context() as patch:\n        patch.setenv(\"TZ\", \"Europe/Berlin\")\n        \
                       time.tzset()\n        yield\n    time.tzset()\n\n\n";
        let marked = text.replacen("@pytest.mark.par", "@pytest.mark.usefixtures(\"local_zone\")\n@pytest.mark.par", 1);
        assert_eq!(mended.text, format!("{fixture}{marked}"));
        assert_eq!(trim::test_names(&mended.text), ["test_a", "test_b"]);
        assert!(zoning(&mended, ["test_a[1]"].into_iter(), "Europe/Berlin").is_none(), "once");
        assert!(zoning(&draft(text), std::iter::empty(), "UTC").is_none());
    }

    #[test]
    fn the_locale_is_held() {
        let text = "def test_a():\n    assert f(1) == 1\n";
        let lines = restoring(&looks(&[("test_a", &setting("locale", "setlocale", "held"))])).unwrap();
        let mended = mend(&draft(text), &lines).unwrap();
        let held =
            "def test_a(monkeypatch):\n    monkeypatch.setattr(\"locale.setlocale\", lambda *_: \"C\")\n    assert f(1) == 1\n";
        assert_eq!(mended.text, held);
        assert!(mend(&mended, &lines).is_none(), "a name that was imported from locale sets it all the same");
    }

    #[test]
    fn the_level_of_a_logger_is_put_back() {
        let of = |logger: &str, old: &str| Trace {
            what: "a logger".into(),
            kind: TraceKind::Setting,
            module: None,
            name: None,
            logger: Some(logger.into()),
            old: Some(old.into()),
        };
        let text = "def test_a():\n    assert f(1) == 1\n";
        let mended = |trace: &Trace| mend(&draft(text), &restoring(&looks(&[("test_a", trace)]))?).map(|draft| draft.text);
        let expected = "def test_a(caplog):\n    caplog.set_level(30, logger=\"shop.cart\")\n    assert f(1) == 1\n";
        assert_eq!(mended(&of("shop.cart", "30")).as_deref(), Some(expected));
        assert_eq!(mended(&of("", "0")).as_deref(), Some("def test_a(caplog):\n    caplog.set_level(0)\n    assert f(1) == 1\n"));
        assert_eq!(mended(&of("a\")\nimport os", "0")), None, "names come from the process that ran the test");
    }

    #[test]
    fn a_variable_that_is_asked_for_is_kept_away_once() {
        let draft = draft("def test_a():\n    assert f(1) == 1\n");
        let look = Look { asked: vec!["SHOP_MODE".into(), "BAD\"NAME".into()], ..Look::default() };
        let looks = BTreeMap::from([("test_a".to_owned(), look)]);
        let mended = mend(&draft, &pinning(&draft, &looks)).unwrap();
        assert_eq!(
            mended.text,
            "def test_a(monkeypatch):\n    monkeypatch.delenv(\"SHOP_MODE\", raising=False)\n    assert f(1) == 1\n"
        );
        assert!(pinning(&mended, &looks).is_empty());
    }

    #[test]
    fn a_test_that_needs_the_projects_folder_goes_there_once() {
        let text = "def test_a(tmp_path):\n    assert f(1) == 1\n\n\ndef test_b():\n    assert f(2)\n";
        let lines = rooting(&draft(text), ["test_a[one]", "test_a[two]"].into_iter());
        let mended = mend(&draft(text), &lines).unwrap();
        let first = "def test_a(tmp_path, monkeypatch, pytestconfig):\n    monkeypatch.chdir(pytestconfig.rootpath)\n    assert f(1) == 1\n";
        assert_eq!(mended.text, text.replacen("def test_a(tmp_path):\n    assert f(1) == 1\n", first, 1));
        assert!(rooting(&mended, ["test_a[one]"].into_iter()).is_empty());
        // A line of more than 88 columns is broken.
        let (name, text) = (format!("test_{}", "a".repeat(50)), |name: &str| format!("def {name}(tmp_path):\n    assert f(1)\n"));
        let long = draft(&text(&name));
        let mended = mend(&long, &rooting(&long, [name.as_str()].into_iter())).unwrap();
        let broken = format!("def {name}(\n    tmp_path, monkeypatch, pytestconfig\n):\n{TO_ROOT}\n    assert f(1)\n");
        assert_eq!((mended.text, mended.tests), (broken, vec![name]));
    }

    #[test]
    fn nothing_is_written_that_is_no_name_or_no_literal() {
        for (module, name, old) in [
            ("shop\"); import os #", "x", "1"),
            ("shop", "x y", "1"),
            ("shop", "x", "__import__('os')"),
            ("shop", "x", "'a' + 'b'"),
            ("shop", "x", "'\\n'"),
        ] {
            let trace = setting(module, name, old);
            assert!(restoring(&looks(&[("test_a", &trace)])).is_none(), "{module}.{name} = {old}");
        }
    }
}
