//! Where the text of a test reaches for what runs it: pytest's own modules, the interpreter's frames, hooks and module
//! table, this package. A test that can change these can have any result reported. Found in the text; nothing is run.
//!
//! The lists say what tests need, where that is short (`sys`, `pytest`), and what they must not touch elsewhere. Text that builds
//! names at run time is named too, since nobody can say what it reaches.

mod by_name;
mod lists;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use tree_sitter::Node;

use self::lists::{
    ATTRIBUTES, BUILTINS, BY_NAME, FIXTURES, GUARDED, HIDDEN, INNER, LEADING, LOOKUPS, MODULES, NOT_OF, OF_PYTEST, OF_REQUEST,
    OF_SYS, RUNNING,
};
use super::tree::syntax_tree;
use crate::base::text;

/// Nesting that is followed; what is deeper is named as such, for nobody looked at it.
const DEPTH: usize = 200;

/// What a text reaches for, shown as `sys.modules (line 5)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Internal {
    /// `sys.modules`
    pub what: String,
    /// The line of the text, from 1.
    pub line: usize,
}

impl fmt::Display for Internal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (line {})", self.what, self.line)
    }
}

/// Names what a text reaches for, one entry for each place. `library` lists the modules of Python's own library.
#[must_use]
pub fn internals(text: &str, library: &BTreeSet<String>) -> Vec<Internal> {
    // Python takes names for equal that look alike to it (NFKC): `ｓys` is `sys`.
    let plain = text::identifier(text);
    let text = plain.as_ref();
    let Some(tree) = syntax_tree(text) else {
        return vec![Internal { what: "text that takes too long to be read".to_owned(), line: 1 }];
    };
    let constants = by_name::constants(tree.root_node(), text);
    let (imported, modules) = (BTreeMap::new(), BTreeSet::new());
    let mut reader = Reader { text, library, constants, imported, modules, found: Vec::new() };
    reader.imports(tree.root_node(), DEPTH);
    reader.statements(tree.root_node());
    reader.walk(tree.root_node(), DEPTH, false);
    reader.found
}

struct Reader<'t> {
    text: &'t str,
    library: &'t BTreeSet<String>,
    /// Texts that the module gives names to, for its calls alone.
    constants: BTreeMap<String, String>,
    /// The modules and names that imports bind, by the name they have here: `sys`, `os.path`, `lib.f`.
    imported: BTreeMap<String, String>,
    /// Those of them that are modules.
    modules: BTreeSet<String>,
    found: Vec<Internal>,
}

impl<'t> Reader<'t> {
    fn source(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn field(&self, node: Node<'_>, name: &str) -> &'t str {
        node.child_by_field_name(name).map_or("", |node| self.source(node))
    }

    fn add(&mut self, what: &str, node: Node<'_>) {
        let entry = Internal { what: what.to_owned(), line: node.start_position().row + 1 };
        if !self.found.contains(&entry) {
            self.found.push(entry);
        }
    }

    /// Notes what imports bind, and names those that a test must not make.
    fn imports(&mut self, node: Node<'_>, depth: usize) {
        let from = self.field(node, "module_name").to_owned();
        let is_import = matches!(node.kind(), "import_statement" | "import_from_statement");
        let mut cursor = node.walk();
        if is_import {
            if is_denied_module(&from) {
                self.add(&from, node);
            }
            for name in node.children_by_field_name("name", &mut cursor) {
                let (whole, bound) = match name.child_by_field_name("alias") {
                    Some(alias) => (self.field(name, "name"), self.source(alias)),
                    None if from.is_empty() => (self.source(name), top(self.source(name))),
                    None => (self.source(name), self.source(name)),
                };
                let target = if from.is_empty() { whole.to_owned() } else { format!("{from}.{whole}") };
                let is_plain = from.is_empty() && bound == top(whole);
                let is_hidden = !from.is_empty() && self.is_hidden(&target, whole);
                if is_denied_module(&target) || is_denied(&target) || is_hidden || self.is_private(&target) {
                    self.add(&target, name);
                }
                if from.is_empty() {
                    self.modules.insert(bound.to_owned());
                }
                let last = whole.rsplit('.').next().unwrap_or(whole);
                if (LOOKUPS.contains(&last) || by_name::is_patch(&target)) && bound != last {
                    self.add(&format!("{target} under another name"), name);
                }
                self.imported.insert(bound.to_owned(), if is_plain { top(whole).to_owned() } else { target });
            }
            return;
        }
        let Some(depth) = depth.checked_sub(1) else { return };
        for child in node.named_children(&mut cursor) {
            self.imports(child, depth);
        }
    }

    /// Names statements of a module or class that do something when it is imported: they act on every other test of the project.
    fn statements(&mut self, block: Node<'_>) {
        let mut cursor = block.walk();
        for statement in block.named_children(&mut cursor) {
            let inner = statement.named_child(0).filter(|_| statement.kind() == "expression_statement").unwrap_or(statement);
            let definition = statement.child_by_field_name("definition").unwrap_or(statement);
            match (inner.kind(), definition.kind()) {
                (_, "class_definition") => {
                    if let Some(body) = definition.child_by_field_name("body") {
                        self.statements(body);
                    }
                }
                (_, "function_definition") => {
                    let name = self.field(definition, "name");
                    if name.starts_with("pytest_") {
                        self.add(&format!("the hook {name}()"), definition);
                    }
                }
                ("assignment", _) => {
                    let target = self.field(inner, "left");
                    let is_name = inner.child_by_field_name("left").is_some_and(|left| {
                        matches!(left.kind(), "identifier" | "pattern_list" | "tuple_pattern" | "list_pattern")
                            && !target.contains(['.', '['])
                    });
                    if !is_name {
                        self.add(&format!("{target}, which it changes when it is imported"), statement);
                    } else if target == "pytest_plugins" {
                        self.add(target, statement);
                    }
                }
                ("string" | "concatenated_string" | "ellipsis", _)
                | ("import_statement" | "import_from_statement" | "future_import_statement" | "comment" | "pass_statement", _)
                | ("type_alias_statement", _) => {}
                _ => self.add("a statement that acts when it is imported", statement),
            }
        }
    }

    /// Looks at all expressions; `asks` when the function around has a parameter `request`.
    fn walk(&mut self, node: Node<'_>, depth: usize, asks: bool) {
        let mut asks = asks;
        match node.kind() {
            "import_statement" | "import_from_statement" | "future_import_statement" => return,
            "lambda" => asks |= self.parameters(node).contains(&"request"),
            "function_definition" => {
                let names = self.parameters(node);
                if names.contains(&"request") && self.is_of_pytest(node) {
                    self.hands_on_request(node, depth);
                }
                for fixture in FIXTURES.iter().filter(|fixture| names.contains(fixture)) {
                    self.add(&format!("the fixture {fixture}"), node);
                }
                asks |= names.contains(&"request");
            }
            "attribute" => self.attribute(node, asks),
            "identifier" => self.identifier(node),
            // `case object(__globals__=found)`
            "keyword_pattern" => {
                let name = node.named_child(0).map_or("", |name| self.source(name));
                if ATTRIBUTES.contains(&name) || HIDDEN.contains(&name) {
                    self.add(name, node);
                }
            }
            "keyword_argument" if RUNNING.contains(&self.field(node, "name")) => {
                let name = self.field(node, "name");
                self.add(&format!("{name}="), node);
            }
            "call" => {
                self.call(node);
                self.named_by_call(node);
            }
            "string_content" => self.string(node),
            _ => {}
        }
        let Some(depth) = depth.checked_sub(1) else { return self.add("text nested too deeply to be read", node) };
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.walk(child, depth, asks);
        }
    }

    fn parameters(&self, function: Node<'_>) -> Vec<&'t str> {
        let Some(parameters) = function.child_by_field_name("parameters") else { return Vec::new() };
        let mut cursor = parameters.walk();
        let name = |node: Node<'_>| match node.kind() {
            "identifier" => Some(self.source(node)),
            "typed_parameter" => node.named_child(0).map(|name| self.source(name)),
            _ => node.child_by_field_name("name").map(|name| self.source(name)),
        };
        parameters.named_children(&mut cursor).filter_map(name).collect()
    }

    fn attribute(&mut self, node: Node<'_>, asks: bool) {
        let (name, object) = (self.field(node, "attribute"), self.field(node, "object"));
        if asks && object == "request" && !OF_REQUEST.contains(&name) {
            self.add(&format!("request.{name}"), node);
        }
        let whole = match self.imported.get(object) {
            Some(module) => format!("{module}.{name}"),
            None => format!(".{name}"),
        };
        let parent = node.parent();
        let is = |kind: &str, field: &str| {
            parent.is_some_and(|parent| parent.kind() == kind && parent.child_by_field_name(field) == Some(node))
        };
        // `type(f).__dict__["__globals__"]`
        let is_asked = name == "__dict__" && (is("subscript", "value") || is("attribute", "object"));
        if LOOKUPS.contains(&name) && !is("call", "function") || is_asked && object != "self" {
            self.add(name, node);
        }
        let bare = name.trim_start_matches('_');
        let source = self.imported.get(top(object)).cloned();
        let is_hidden = source.is_some() && (name == "__dict__" || HIDDEN.contains(&bare)) || LEADING.contains(&bare);
        let is_inner = INNER.contains(&object) && (is_private_name(name) || name == "request");
        let is_private = source.is_some_and(|source| self.is_private(&format!("{source}.{name}")));
        self.handed_on(node, name, object);
        if ATTRIBUTES.contains(&name) || is_denied(&whole) || is_hidden || is_inner || is_private {
            let shown = if whole.starts_with('.') { name } else { &whole };
            self.add(shown, node);
        }
    }

    /// Tells whether an import takes a module from another one: `from shutil import os`.
    fn is_hidden(&self, target: &str, name: &str) -> bool {
        let bare = name.trim_start_matches('_');
        bare == "os"
            || LEADING.contains(&bare)
            || self.library.contains(top(target)) && (HIDDEN.contains(&bare) || MODULES.contains(&bare))
    }

    /// Tells whether a dotted name leads into what Python's library keeps to itself: `collections._sys`.
    fn is_private(&self, target: &str) -> bool {
        self.library.contains(top(target)) && target.split('.').any(is_private_name)
    }

    /// A module whose parts are looked at by name must not be handed on as a whole.
    fn identifier(&mut self, node: Node<'_>) {
        let name = self.source(node);
        let parent = node.parent();
        let is = |field: &str| parent.is_some_and(|parent| parent.child_by_field_name(field) == Some(node));
        if parent.is_some_and(|parent| parent.kind() == "attribute") && (is("object") || is("attribute")) {
            return;
        }
        if parent.is_some_and(|parent| parent.kind() == "keyword_argument") && is("name") {
            return;
        }
        let is_module = |module: &&String| GUARDED.contains(&module.as_str()) || self.modules.contains(name);
        let Some(module) = self.imported.get(name).filter(is_module) else {
            let is_called = parent.is_some_and(|parent| parent.kind() == "call") && is("function");
            self.handed_on(node, name, "");
            if BUILTINS.contains(&name) || LOOKUPS.contains(&name) && !is_called {
                self.add(name, node);
            }
            return;
        };
        // `monkeypatch.setattr(sys, "argv", …)` says by name what it changes.
        let named = parent.and_then(|arguments| self.named_in(arguments, node));
        match named.map(|(name, is_read)| (format!("{module}.{name}"), is_read && HIDDEN.contains(&name))) {
            Some((named, false)) if !is_denied(&named) => {}
            named => self.add(&named.map_or_else(|| name.to_owned(), |(named, _)| named), node),
        }
    }

    /// Gives the name that a call changes or reads in its first argument, written out as its second one, and whether it reads it.
    fn named_in(&self, arguments: Node<'_>, first: Node<'_>) -> Option<(&'t str, bool)> {
        let call = arguments.parent().filter(|call| call.kind() == "call" && arguments.kind() == "argument_list")?;
        let function = call.child_by_field_name("function")?;
        let is_read = function.kind() != "attribute";
        let (name, names) = if is_read {
            (self.source(function), &["getattr", "hasattr"][..])
        } else {
            (self.field(function, "attribute"), &["setattr", "delattr", "object"][..])
        };
        let second = arguments.named_child(1).filter(|second| second.kind() == "string")?;
        let content = second.named_child(1).filter(|content| content.kind() == "string_content")?;
        let is_first = arguments.named_child(0) == Some(first);
        (is_first && names.contains(&name)).then(|| (self.source(content), is_read))
    }

    /// Attributes by name: what is not written out cannot be judged.
    fn call(&mut self, node: Node<'_>) {
        let function = self.field(node, "function");
        let name = function.rsplit('.').next().unwrap_or(function);
        let Some(arguments) = node.child_by_field_name("arguments") else { return };
        let mut cursor = arguments.walk();
        let given: Vec<Node<'_>> = arguments.named_children(&mut cursor).filter(|node| node.kind() != "comment").collect();
        let is_glued = |node: &&Node<'_>| matches!(node.kind(), "concatenated_string" | "binary_operator" | "call");
        if BY_NAME.contains(&name) && name != "dict" && given.first().filter(is_glued).is_some_and(|_| is_changing(function)) {
            self.add(&format!("{name}() with a name that is not written out"), node);
        }
        let is_builtin = matches!(function, "getattr" | "setattr" | "delattr");
        if !is_builtin && !matches!(name, "attrgetter" | "methodcaller") {
            return;
        }
        let names = if is_builtin { given.get(1..2).unwrap_or_default() } else { &given[..] };
        if names.is_empty() || names.iter().any(|name| self.written(*name).is_none()) {
            self.add(&format!("{name}() with a name that is not written out"), node);
        }
        let of_import = given.first().is_some_and(|first| self.imported.contains_key(self.source(*first)));
        if of_import && matches!(function, "setattr" | "delattr") {
            self.add(&format!("{name}() on what it imports"), node);
        }
    }

    /// `monkeypatch.setattr("a.b", …)`, `patch("a.b")` and attributes by name.
    fn string(&mut self, node: Node<'_>) {
        let text = self.source(node).trim();
        let is_inside = matches!(top(text), "_pytest" | "pluggy" | "pytead_tui") || top(text) == "sys" && is_denied(text);
        let is_changed = self.is_named_to_a_call(node)
            && (is_denied(text)
                || is_denied_module(text) && top(text) != "builtins"
                || text.split('.').any(|part| ATTRIBUTES.contains(&part)));
        if is_inside || is_changed || ATTRIBUTES.contains(&text) {
            self.add(&format!("{text:?}"), node);
        }
    }

    /// Tells whether a text is the first argument of a call that changes or imports what it names.
    fn is_named_to_a_call(&self, content: Node<'_>) -> bool {
        let Some(string) = content.parent() else { return false };
        let Some(arguments) = string.parent().filter(|node| node.kind() == "argument_list") else { return false };
        let Some(call) = arguments.parent().filter(|call| call.kind() == "call") else { return false };
        let function = self.field(call, "function");
        arguments.named_child(0) == Some(string) && BY_NAME.contains(&function.rsplit('.').next().unwrap_or(function))
    }
}

/// Tells whether a function of this dotted name changes what its first argument names: `mock.patch`, `monkeypatch.setattr`.
fn is_changing(function: &str) -> bool {
    function.ends_with("patch") || function.contains("patch.") || function.ends_with("importorskip")
}

fn is_private_name(name: &str) -> bool {
    name.starts_with('_') && !name.starts_with("__")
}

fn top(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

fn is_denied_module(path: &str) -> bool {
    MODULES.contains(&top(path))
}

/// Tells whether a dotted name is a part of a module that a test must not use.
fn is_denied(path: &str) -> bool {
    let Some((module, rest)) = path.split_once('.') else { return false };
    let name = top(rest);
    match module {
        "sys" => !OF_SYS.contains(&name),
        "pytest" if !OF_PYTEST.contains(&name) && !name.ends_with("Warning") => true,
        _ => NOT_OF.iter().any(|(of, names)| *of == module && names.contains(&name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_change_a_result_is_named() {
        for (text, name) in [
            ("import sys\n\nR = sys.modules['x']\n", "sys.modules (line 3)"),
            ("import sys as s\n\ndef test_a():\n    s._getframe(1)\n", "sys._getframe (line 4)"),
            ("import os, sys\nM = [sys]\n", "sys (line 2)"),
            ("import os\n\ndef test_a():\n    os.sys.modules.clear()\n", "os.sys (line 4)"),
            ("from sys import modules as m\n", "sys.modules (line 1)"),
            ("import _pytest.reports\n", "_pytest.reports (line 1)"),
            ("def test_a():\n    from _pytest.reports import TestReport as T\n", "_pytest.reports (line 2)"),
            ("from pytest import TestReport\n", "pytest.TestReport (line 1)"),
            ("import pytest\n\ndef test_a():\n    pytest.TestReport.from_item_and_call = 1\n", "pytest.TestReport (line 4)"),
            ("import pytest\nfor r in [pytest]: pass\n", "a statement that acts when it is imported (line 2)"),
            ("import gc\n", "gc (line 1)"),
            ("from importlib import import_module\n", "importlib (line 1)"),
            ("m = __import__('gc')\n", "__import__ (line 1)"),
            ("def test_a():\n    eval('1')\n", "eval (line 2)"),
            (
                "import lib\n\nlib.f.__code__ = (lambda x: 99).__code__\n",
                "lib.f.__code__, which it changes when it is imported (line 3)",
            ),
            ("import lib\n\ndef test_a():\n    lib.f.__code__ = g\n", "__code__ (line 4)"),
            (
                "import lib\n\ndef test_a():\n    getattr(lib.f, '__co' + 'de__')\n",
                "getattr() with a name that is not written out (line 4)",
            ),
            ("import lib\n\ndef test_a():\n    getattr(lib.f, '__code__')\n", "\"__code__\" (line 4)"),
            ("import lib\n\ndef test_a():\n    setattr(lib, 'f', 1)\n", "setattr() on what it imports (line 4)"),
            ("import lib\n\ndef test_a():\n    lib.__dict__['f'] = 1\n", "lib.__dict__ (line 4)"),
            ("import os\nos.environ['A'] = '1'\n", "os.environ['A'], which it changes when it is imported (line 2)"),
            ("import os\n\ndef test_a():\n    os.write(5, b'')\n", "os.write (line 4)"),
            ("from os import _exit\n", "os._exit (line 1)"),
            ("def test_a():\n    try:\n        f()\n    except E as e:\n        e.__traceback__.tb_frame\n", "tb_frame (line 5)"),
            ("def test_a(request):\n    request.config.x()\n", "request.config (line 2)"),
            ("def test_a(pytestconfig):\n    pass\n", "the fixture pytestconfig (line 1)"),
            (
                "def test_a(monkeypatch):\n    monkeypatch.setattr('_pytest.reports.TestReport', 1)\n",
                "\"_pytest.reports.TestReport\" (line 2)",
            ),
            ("def test_a(mocker):\n    mocker.patch('sys.modules', {})\n", "\"sys.modules\" (line 2)"),
            ("def pytest_runtest_makereport(item):\n    pass\n", "the hook pytest_runtest_makereport() (line 1)"),
            ("pytest_plugins = ['x']\n", "pytest_plugins (line 1)"),
            (
                "import shop\n\ndef test_a():\n    match shop.f:\n        case object(__globals__=g):\n            pass\n",
                "__globals__ (line 5)",
            ),
            ("import ｓys\n\ndef test_a():\n    ｓys.modules\n", "sys.modules (line 4)"),
            ("import warnings\n\ndef test_a():\n    [warnings][0].sys\n", "warnings (line 4)"),
            ("import warnings\n\ndef test_a():\n    getattr(warnings, 'sys')\n", "warnings.sys (line 4)"),
            ("def test_a():\n    [getattr][0](f, 'a')\n", "getattr (line 2)"),
            ("def test_a():\n    list(map(getattr, [f], ['a']))\n", "getattr (line 2)"),
            ("from operator import attrgetter as ag\n", "operator.attrgetter under another name (line 1)"),
            ("def test_a():\n    type(f).__dict__['__globals__'].__get__(f)\n", "__get__ (line 2)"),
            ("def test_a():\n    print.__self__\n", "__self__ (line 2)"),
            ("import timeit\n", "timeit (line 1)"),
            ("from string import Formatter\n", "string.Formatter (line 1)"),
            ("from typing import get_type_hints\n", "typing.get_type_hints (line 1)"),
            ("import pickle\n\ndef test_a():\n    pickle.loads(b'')\n", "pickle.loads (line 4)"),
            (
                "from unittest import mock\n\ndef test_a():\n    mock.patch('s' 'ys.modules')\n",
                "patch() with a name that is not written out (line 4)",
            ),
            ("print('hello')\n", "a statement that acts when it is imported (line 1)"),
            ("class TestA:\n    print('hello')\n", "a statement that acts when it is imported (line 2)"),
        ] {
            let found = internals(text, &BTreeSet::new());
            assert!(found.iter().any(|one| one.to_string() == name), "{text}\n{found:?}");
        }
    }

    #[test]
    fn what_tests_are_made_of_is_not() {
        for text in [
            "\"\"\"Tests.\"\"\"\nimport sys\nimport pytest\nfrom shop import total\n\nCASES = [(1, 2)]\n\n\n@pytest.mark.parametrize('a, b', CASES)\ndef test_a(a, b, tmp_path, monkeypatch, capsys):\n    monkeypatch.setattr('shop.rate', 2)\n    monkeypatch.setattr(sys, 'argv', ['x'])\n    assert total(a) == pytest.approx(b)\n",
            "import shop as module\n\ntotal = getattr(module, 'total')\n\n\ndef test_a():\n    assert total(1) == 2 and hasattr(module, 'rate')\n",
            "import os\nimport pytest\n\n\n@pytest.fixture\ndef shop(request):\n    return request.param\n\n\ndef test_a(shop):\n    assert os.path.join('a', 'b') and os.environ.get('HOME')\n    with pytest.raises(ValueError, match='no') as caught:\n        shop()\n    assert caught.value.args == ('no',)\n",
            "from unittest.mock import patch\n\n\ndef test_a():\n    with patch('builtins.open') as opened:\n        pass\n    assert opened.__class__.__name__ and getattr(opened, 'called') is False\n",
            "def test_a(rf):\n    request = rf.get('/')\n    request.session = {}\n    assert request.config == 1\n",
            "class TestA:\n    x: int = 1\n    def test_b(self):\n        assert self.__dict__ == {} and 'sys' and 'code.py' and 'a.b'\n",
        ] {
            assert!(internals(text, &BTreeSet::new()).is_empty(), "{text}\n{:?}", internals(text, &BTreeSet::new()));
        }
    }

    #[test]
    fn text_that_cannot_be_read_to_its_end_is_named() {
        let deep = format!("x = {}{}\n", "[".repeat(5_000), "]".repeat(5_000));
        assert!(
            internals(&deep, &BTreeSet::new()).iter().any(|one| one.what == "text nested too deeply to be read"),
            "{:?}",
            internals(&deep, &BTreeSet::new())
        );
    }
}
