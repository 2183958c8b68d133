//! Text by a language model or a coding agent → a draft: finds the code, splits imports from tests, refuses what tests nothing.

use std::collections::HashSet;

use crate::base::paths::RelPath;
use crate::domain::function::{Function, Module};
use crate::domain::proposal::{Draft, Origin};
use crate::generate::trim::{self, has_word};
use crate::source::parse::syntax_error;
use crate::source::rename::bound;

/// Why a model's or an agent's text is no draft.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum NotADraft {
    /// There is no code in it.
    #[error("No Python code was written.")]
    NoCode,
    /// The code does not parse.
    #[error("The code does not parse: line {line}, column {column}.")]
    DoesNotParse { line: u32, column: u32 },
    /// No test function is in it.
    #[error("The code has no test: no function whose name begins with test.")]
    NoTest,
    /// It does not import what it should test.
    #[error("The code imports nothing of {0}, so it tests something else.")]
    NotTheTarget(String),
}

/// Makes a draft of what a model wrote.
///
/// # Errors
/// Fails when there is no code, no test, no import of the target, or the code does not parse.
pub fn draft(
    answer: &str,
    origin: Origin,
    function: &Function,
    module: &Module,
    target: &RelPath,
    remark: Option<&str>,
) -> Result<Draft, NotADraft> {
    let code = distinct(&plainly(&at_home(&code(answer).ok_or(NotADraft::NoCode)?, &module.name), &module.name));
    if let Some(error) = syntax_error(&code) {
        return Err(NotADraft::DoesNotParse { line: error.line, column: error.column });
    }
    let (imports, body) = split(&code);
    if trim::test_names(&body).is_empty() {
        return Err(NotADraft::NoTest);
    }
    let outer = function.id.qualname().split(['.', '#']).next().unwrap_or_default();
    let (imports, body) = without_copies(imports, body, outer, module);
    let tests = trim::test_names(&body);
    if tests.is_empty() {
        return Err(NotADraft::NoTest);
    }
    let by_name = format!("import {} as ", module.name);
    let is_inside = code.lines().any(|line| line.trim_start().starts_with(&by_name));
    if !is_inside && !imports.iter().any(|import| imports_target(import, &module.name, outer, &body)) {
        return Err(NotADraft::NotTheTarget(module.name.clone()));
    }
    let imports = with_forgotten(imports, &body);
    Ok(Draft {
        imports,
        tests,
        import_roots: vec![module.import_root.clone()],
        remark: remark.map(str::to_owned),
        ..Draft::new(origin, target.clone(), body)
    })
}

/// What models often use and forget to import.
const FORGOTTEN: &[(&str, &[&str])] = &[("unittest.mock", &["AsyncMock", "MagicMock", "Mock", "mock_open", "patch"])];

/// Adds the imports that the tests use and that nothing in their text gives.
fn with_forgotten(mut imports: Vec<String>, body: &str) -> Vec<String> {
    let known = imports.join("\n");
    let is_given = |name: &str| has_word(&known, name) || known.contains("import *") || bound(body).contains_key(name);
    let is_used = |name: &str| {
        body.contains(&format!("{name}(")) || body.contains(&format!("@{name}.")) || body.contains(&format!("{name}.object"))
    };
    for (module, names) in FORGOTTEN {
        let missing: Vec<&str> =
            names.iter().copied().filter(|name| has_word(body, name) && is_used(name) && !is_given(name)).collect();
        if !missing.is_empty() {
            imports.push(format!("from {module} import {}", missing.join(", ")));
        }
    }
    if has_word(body, "pytest") && !has_word(&known, "pytest") {
        imports.push("import pytest".to_owned());
    }
    imports
}

/// Takes out what a model repeats of the module before its tests, and imports it: its tests are to run the project's code and
/// not a copy. What else the copy needed goes too.
fn without_copies(imports: Vec<String>, body: String, outer: &str, module: &Module) -> (Vec<String>, String) {
    let is_own = |name: &str| name == outer || defines(module, name);
    let (kept, copies) = trim::apart(&body, is_own);
    if copies.is_empty() {
        return (imports, body);
    }
    let mut needed: Vec<String> = imports.iter().filter_map(|import| trim::used_part(import, &kept)).collect();
    let text = needed.join("\n");
    let names: Vec<String> = copies.into_iter().filter(|name| has_word(&kept, name) && !has_word(&text, name)).collect();
    if !names.is_empty() {
        needed.push(format!("from {} import {}", module.name, names.join(", ")));
    }
    (needed, kept)
}

/// Tells whether a module has a function or class of this name at its top level.
fn defines(module: &Module, name: &str) -> bool {
    module.functions.iter().any(|function| function.written() == name)
        || module.classes.iter().any(|class| class.qualname == name)
}

/// What models write where they do not know a module's name.
const PLACEHOLDERS: &[&str] = &["module", "your_module", "my_module", "mymodule", "module_name"];

/// Puts the module's real name where a model wrote a placeholder: in imports, in `import_module("…")`, and in the texts that
/// name something to replace (`patch("module.now")`).
fn at_home(code: &str, module: &str) -> String {
    let stands_for = |line: &str, name: &str| {
        line.starts_with(&format!("from {name} import "))
            || line.trim_end() == format!("import {name}")
            || line.starts_with(&format!("import {name} as "))
            || ['"', '\''].iter().any(|quote| line.contains(&format!("import_module({quote}{name}{quote})")))
    };
    let named = PLACEHOLDERS.iter().find(|name| **name != module && code.lines().any(|line| stands_for(line, name)));
    let Some(name) = named else { return code.to_owned() };
    let lines = code.lines().map(|line| {
        if let Some(rest) = line.strip_prefix(&format!("from {name} import ")) {
            return format!("from {module} import {rest}");
        }
        if let Some(rest) = line.strip_prefix(&format!("import {name}")) {
            if rest.trim().is_empty() {
                return format!("import {module} as {name}");
            }
            if rest.starts_with(" as ") {
                return format!("import {module}{rest}");
            }
        }
        ['"', '\''].iter().fold(line.to_owned(), |line, quote| {
            let line =
                line.replace(&format!("import_module({quote}{name}{quote})"), &format!("import_module({quote}{module}{quote})"));
            line.replace(&format!("{quote}{name}."), &format!("{quote}{module}."))
        })
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Imports plainly what pytest-generator had its model import by name: `module = importlib.import_module("shop.cart")`. A test needs
/// importlib for nothing else, and one that has it is refused.
fn plainly(code: &str, module: &str) -> String {
    let plain = |line: &str| {
        let (name, call) = line.split_once('=')?;
        let call = call.trim();
        let of = call.strip_prefix("importlib.").unwrap_or(call).strip_prefix("import_module(")?.strip_suffix(')')?;
        let of = ['"', '\''].iter().find_map(|quote| of.trim().strip_prefix(*quote)?.strip_suffix(*quote))?;
        let is_name = name.trim().chars().all(|c| c.is_alphanumeric() || c == '_');
        let indent = &line[..line.len() - line.trim_start().len()];
        (of == module && is_name).then(|| format!("{indent}import {module} as {}", name.trim()))
    };
    let lines: Vec<String> = code.lines().map(|line| plain(line).unwrap_or_else(|| line.to_owned())).collect();
    let is_its_import = |line: &&String| matches!(line.trim(), "import importlib" | "from importlib import import_module");
    let is_used = lines
        .iter()
        .filter(|line| !is_its_import(line))
        .any(|line| has_word(line, "importlib") || has_word(line, "import_module"));
    let kept: Vec<&str> = lines.iter().filter(|line| is_used || !is_its_import(line)).map(String::as_str).collect();
    kept.join("\n") + "\n"
}

/// Gives tests of one name different names: Python would forget all but the last.
fn distinct(code: &str) -> String {
    let head = |line: &str| -> Option<(usize, String)> {
        let start = ["def ", "async def "].iter().find(|head| line.starts_with(**head))?.len();
        let name: String = line[start..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        name.starts_with("test").then_some((start, name))
    };
    let mut taken: HashSet<String> = code.lines().filter_map(head).map(|(_, name)| name).collect();
    let mut seen = HashSet::new();
    let lines = code.lines().map(|line| {
        let Some((start, name)) = head(line).filter(|(_, name)| !seen.insert(name.clone())) else { return line.to_owned() };
        let mut number = 2;
        while !taken.insert(format!("{name}_{number}")) {
            number += 1;
        }
        format!("{}{name}_{number}{}", &line[..start], &line[start + name.len()..])
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Finds the Python code in an answer: the fenced blocks, or all of it but the prose around it.
#[must_use]
pub fn code(answer: &str) -> Option<String> {
    let answer = answer.replace("\r\n", "\n");
    // What a model thinks aloud is not its answer.
    let answer = answer.rsplit_once("</think>").map_or(answer.as_str(), |(_, after)| after);
    let fenced = fenced(answer);
    let code = if fenced.is_empty() { bare(answer) } else { fenced.join("\n\n") };
    (!code.trim().is_empty()).then(|| format!("{}\n", code.trim_end()))
}

/// Lists the fenced blocks that hold Python; the last one may lack its end.
fn fenced(answer: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, bool, Vec<&str>)> = None;
    for line in answer.lines() {
        let bare = line.trim_start();
        let fence = bare.starts_with("```");
        match open.take() {
            None if fence => {
                let language = bare.trim_start_matches('`').trim().to_ascii_lowercase();
                let python = matches!(language.as_str(), "" | "python" | "py" | "python3" | "pytest");
                open = Some((line.len() - bare.len(), python, Vec::new()));
            }
            None => {}
            Some((_, true, lines)) if fence => blocks.push(lines.join("\n")),
            Some(_) if fence => {}
            Some((indent, python, mut lines)) => {
                let spaces = line.len() - line.trim_start_matches(' ').len();
                lines.push(&line[indent.min(spaces)..]);
                open = Some((indent, python, lines));
            }
        }
    }
    if let Some((_, true, lines)) = open {
        blocks.push(lines.join("\n"));
    }
    // A block that shows how to run the tests is not one of them.
    blocks.retain(|block| block.lines().any(starts_code));
    blocks
}

/// Gives a text without the prose before its first and after its last line of code.
fn bare(answer: &str) -> String {
    let lines: Vec<&str> = answer.lines().collect();
    let Some(first) = lines.iter().position(|line| starts_code(line)) else { return String::new() };
    let is_code = |line: &&str| starts_code(line) || line.starts_with([' ', '\t', ')', ']', '}']);
    let last = lines.iter().rposition(|line| !line.trim().is_empty() && is_code(line)).unwrap_or(first);
    lines[first..=last.max(first)].join("\n")
}

fn starts_code(line: &str) -> bool {
    let from = line.strip_prefix("from ").is_some_and(|rest| rest.contains(" import "));
    let import = line.strip_prefix("import ").is_some_and(|rest| !rest.trim().is_empty() && !rest.trim_end().ends_with('.'));
    from || import || ["def ", "async def ", "class ", "@"].iter().any(|head| line.starts_with(head))
}

/// Splits the top-level imports from the rest, and drops what runs the tests by hand.
pub fn split(code: &str) -> (Vec<String>, String) {
    let mut imports: Vec<String> = Vec::new();
    let mut body: Vec<&str> = Vec::new();
    let mut lines = code.lines().peekable();
    let mut in_main = false;
    let mut in_text: Option<&str> = None;
    while let Some(line) = lines.next() {
        let top = in_text.is_none() && !line.is_empty() && !line.starts_with([' ', '\t']);
        if top {
            in_main = line.starts_with("if __name__");
        }
        if top && (line.starts_with("import ") || line.starts_with("from ")) {
            let mut statement = line.to_owned();
            while statement.contains('(') && !statement.contains(')') || statement.ends_with('\\') {
                let Some(more) = lines.next() else { break };
                statement = format!("{statement}\n{more}");
            }
            let statement = statement.split("  #").next().unwrap_or(&statement).trim_end().to_owned();
            if !statement.starts_with("from __future__") && !imports.contains(&statement) {
                imports.push(statement);
            }
            continue;
        }
        for triple in ["\"\"\"", "'''"] {
            if in_text.is_none_or(|open| open == triple) && line.matches(triple).count() % 2 == 1 {
                in_text = if in_text.is_some() { None } else { Some(triple) };
            }
        }
        if !in_main {
            body.push(line);
        }
    }
    let text = body.join("\n");
    (imports, format!("{}\n", text.trim()))
}

/// Tells whether an import statement brings the target's module or a name of it, be it by the package above.
fn imports_target(import: &str, module: &str, outer: &str, body: &str) -> bool {
    let (package, last) = module.rsplit_once('.').unwrap_or(("", module));
    match import.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
        Some((from, names)) => {
            let from = from.trim();
            from == module
                || (from == package && has_word(names, last))
                || ((module.starts_with(&format!("{from}.")) || from.is_empty()) && has_word(names, outer))
        }
        None => import.strip_prefix("import ").is_some_and(|modules| {
            modules.split(',').filter_map(|name| name.split_whitespace().next()).any(|name| {
                name == module
                    || (module.starts_with(&format!("{name}."))
                        && body.contains(&format!("{name}."))
                        && body.contains(&format!(".{outer}")))
            })
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::parse::parse;

    const MODULE: &str = "def total(prices):\n    return sum(prices)\n";

    fn read(answer: &str) -> Result<Draft, NotADraft> {
        let path = RelPath::new("shop/cart.py").unwrap();
        let module = parse(&path, MODULE.as_bytes(), "shop.cart", "");
        let target = RelPath::new("tests/pytead/test_pytead_shop__cart.py").unwrap();
        draft(answer, Origin::Model("qwen".into()), &module.functions[0], &module, &target, None)
    }

    #[test]
    fn what_a_model_forgot_to_import_is_imported() {
        let body = "def test_a():\n    with pytest.raises(ValueError):\n        f(AsyncMock(), Mock(side_effect=call))\n\n\ndef call():\n    return 1\n";
        assert_eq!(with_forgotten(vec![], body), ["from unittest.mock import AsyncMock, Mock", "import pytest"]);
        let there = vec!["from unittest.mock import AsyncMock, Mock".to_owned(), "import pytest".to_owned()];
        assert_eq!(with_forgotten(there.clone(), body), there);
        assert_eq!(with_forgotten(vec![], "def test_a(mock):\n    assert mock.call(1).patch\n"), Vec::<String>::new());
    }

    #[test]
    fn the_code_is_found_among_prose() {
        let code = "import pytest\nfrom shop.cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n";
        for answer in [
            code.to_owned(),
            format!(
                "<think>def test_wrong(): pass</think>\nHere are tests:\n\n```python\n{code}```\n\nRun them:\n```sh\npytest\n```\n"
            ),
            format!("Sure! Here you go.\n\n{code}\nThese cover the main case."),
            format!("```python\n{code}"),
            format!("```py\r\n{}```", code.replace('\n', "\r\n")),
            format!("{code}\n\nif __name__ == \"__main__\":\n    pytest.main()\n"),
        ] {
            let draft = read(&answer).unwrap();
            assert_eq!(draft.imports, ["import pytest", "from shop.cart import total"], "{answer}");
            assert_eq!(draft.text, "def test_total():\n    assert total([1, 2]) == 3\n", "{answer}");
            assert_eq!(draft.tests, ["test_total"]);
        }
    }

    #[test]
    fn a_placeholder_becomes_the_real_module() {
        let test = "\n\ndef test_total():\n    assert total([1]) == 1\n";
        for (head, expected) in [
            ("from module import total", "from shop.cart import total"),
            ("import your_module as m\ntotal = m.total", "import shop.cart as m"),
            ("import module\ntotal = module.total", "import shop.cart as module"),
        ] {
            assert_eq!(read(&format!("{head}{test}")).unwrap().imports, [expected], "{head}");
        }
        let by_name = "import importlib\nfrom unittest.mock import patch\n\nmodule = importlib.import_module(\"module\")\ntotal = getattr(module, \"total\")\n\n\n@patch(\"module.sum\")\ndef test_total(sum):\n    assert total([1]) is sum.return_value\n";
        let draft = read(by_name).unwrap();
        assert_eq!(draft.imports, ["from unittest.mock import patch", "import shop.cart as module"]);
        assert!(draft.text.contains("@patch(\"shop.cart.sum\")") && !draft.text.contains("importlib"), "{}", draft.text);
        assert!(draft.text.contains("getattr(module, \"total\")"), "{}", draft.text);
        let inside = "from importlib import import_module\n\n\ndef test_total():\n    m = import_module('module')\n    assert m.total([1]) == 1\n";
        assert!(read(inside).unwrap().text.contains("    import shop.cart as m\n"), "{:?}", read(inside));
    }

    #[test]
    fn tests_of_one_name_are_told_apart() {
        let test = |result: u8| format!("\n\ndef test_total():\n    assert total([{result}]) == {result}\n");
        let text = format!("from shop.cart import total{}{}{}\n\ndef test_total_2():\n    pass\n", test(1), test(2), test(3));
        let draft = read(&text).unwrap();
        assert_eq!(draft.tests, ["test_total", "test_total_3", "test_total_4", "test_total_2"]);
        assert!(draft.text.contains("def test_total_3():\n    assert total([2]) == 2"));
    }

    #[test]
    fn what_tests_nothing_is_refused() {
        for (answer, expected) in [
            ("I cannot do that.", NotADraft::NoCode),
            ("```python\nfrom shop.cart import total\n```", NotADraft::NoTest),
            ("def test_total():\n    assert sum([1]) == 1\n", NotADraft::NotTheTarget("shop.cart".into())),
            ("def total(p):\n    return 0\n", NotADraft::NoTest),
        ] {
            assert_eq!(read(answer), Err(expected), "{answer}");
        }
        let broken = read("from shop.cart import total\n\ndef test_total(:\n    assert total([1]) == 1\n");
        assert!(matches!(broken, Err(NotADraft::DoesNotParse { line: 3, .. })), "{broken:?}");
    }

    #[test]
    fn the_target_may_be_imported_in_any_way() {
        for import in
            ["import shop.cart", "from shop import cart", "from shop.cart import (\n    total,\n)", "from shop import total"]
        {
            assert!(read(&format!("{import}\n\ndef test_total():\n    assert True\n")).is_ok(), "{import}");
        }
        assert!(read("import shop\n\ndef test_sum():\n    assert shop.total([]) == 0\n").is_ok());
        assert!(read("import shop\n\ndef test_sum():\n    assert shop.other([]) == 0\n").is_err());
    }
    #[test]
    fn a_copy_of_the_function_is_taken_out() {
        let test = "def test_total():\n    assert total([1, 2]) == 3\n";
        let copy = "def total(prices):\n    \"\"\"All of them.\n\ndef no_function():\n    \"\"\"\n    return sum(prices)\n";
        for answer in [
            format!("{copy}\n\n{test}"),
            format!("```python\n{copy}```\nAnd its tests:\n```python\nfrom shop.cart import total\n\n{test}```"),
            format!("import math\nfrom shop.cart import total\n\n@cached\n{copy}\n\n{test}"),
            format!("import math\n\nasync def total(\n    prices,\n) -> int:\n    return math.fsum(prices)\n\n\n{test}"),
        ] {
            let draft = read(&answer).unwrap();
            assert_eq!((draft.imports, draft.text.as_str()), (vec!["from shop.cart import total".to_owned()], test), "{answer}");
        }
        let by_module = format!("import shop.cart\n\n\n{copy}\n\n{}", test.replace("total([", "shop.cart.total(["));
        assert_eq!(read(&by_module).unwrap().imports, ["import shop.cart"]);
    }
}
