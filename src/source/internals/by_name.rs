//! Calls that change, import or evaluate what a text names. The name has to be written out: nobody can say what one reaches that is
//! built when the test runs, and what could be handed to such a call under another name.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::lists::{ATTRIBUTES, FIXTURES, INNER, MOCKERS, OF_REQUEST};
use super::{DEPTH, Reader, is_denied, is_denied_module, top};

/// The names of `mock.patch`.
const PATCHES: [&str; 2] = ["mock.patch", "unittest.mock.patch"];
/// What `patch` has besides.
const OF_PATCH: [&str; 3] = ["dict", "multiple", "object"];

pub(super) fn is_patch(target: &str) -> bool {
    PATCHES.contains(&target)
}

/// The arguments of a call.
struct Given<'t> {
    by_place: Vec<Node<'t>>,
    by_name: BTreeMap<&'t str, Node<'t>>,
    /// `*args`, `**kwargs`
    is_open: bool,
}

impl<'t> Given<'t> {
    fn get(&self, place: usize, name: &str) -> Option<Node<'t>> {
        self.by_place.get(place).or_else(|| self.by_name.get(name)).copied()
    }

    fn count(&self, names: &[&str]) -> usize {
        self.by_place.len() + names.iter().filter(|name| self.by_name.contains_key(*name)).count()
    }
}

impl<'t> Reader<'t> {
    /// Gives the text that a node writes out.
    pub(super) fn written(&self, node: Node<'_>) -> Option<String> {
        if node.kind() == "identifier" {
            return self.constants.get(self.source(node)).cloned();
        }
        plain(node, self.text).map(str::to_owned)
    }

    /// Names what a call changes, imports or evaluates by a name that is not written out.
    pub(super) fn named_by_call(&mut self, node: Node<'_>) {
        let Some(given) = self.given(node) else { return };
        let function = self.field(node, "function");
        let (object, name) = function.rsplit_once('.').unwrap_or(("", function));
        let is_patch = self.is_mock(object, name) || OF_PATCH.contains(&name) && self.is_patch_text(object);
        let first = given.get(0, "target");
        let is_plain = match name {
            "importorskip" => self.is_allowed(given.get(0, "modname")),
            "getfixturevalue" => given.get(0, "argname").and_then(|one| self.written(one)).is_some_and(|name| {
                !FIXTURES.contains(&name.as_str()) && !INNER.contains(&name.as_str()) && !MOCKERS.contains(&name.as_str())
            }),
            "patch" if is_patch => self.is_allowed(first),
            "object" if is_patch => self.is_allowed(given.get(1, "attribute")),
            "multiple" | "dict" if is_patch => first.is_some_and(|one| self.is_looked_up(one) || self.is_allowed(Some(one))),
            "setattr" if !object.is_empty() => {
                first.is_some_and(|one| self.written(one).is_some()) && self.is_allowed(first)
                    || given.count(&["target", "name", "value"]) > 2 && self.is_allowed(given.get(1, "name"))
            }
            "delattr" if !object.is_empty() => {
                first.is_some_and(|one| self.written(one).is_some()) && self.is_allowed(first)
                    || self.is_allowed(given.get(1, "name"))
            }
            // pytest evaluates a text.
            "skipif" | "xfail" => given.get(0, "condition").is_none_or(is_truth),
            "signature" => return self.add_open(node, name, given.is_open),
            "fixture" if self.is_pytests(object) => given.by_place.is_empty(),
            _ => return,
        };
        if !is_plain || given.is_open {
            self.add(&format!("{name}() with a name that is not written out"), node);
        }
    }

    fn add_open(&mut self, node: Node<'_>, name: &str, is_open: bool) {
        if is_open {
            self.add(&format!("{name}() with arguments that are not written out"), node);
        }
    }

    /// Names what has to be called where it stands, and is handed on instead: then no name shows what is changed by it.
    pub(super) fn handed_on(&mut self, node: Node<'_>, name: &str, object: &str) {
        let Some(parent) = node.parent() else { return };
        let is = |field: &str| parent.child_by_field_name(field) == Some(node);
        let is_asked = parent.kind() == "attribute" && is("object");
        let is_called = parent.kind() == "call" && is("function");
        let is_kept = match name {
            "patch" => self.is_mock(object, name) && !is_asked && !is_called,
            "fixture" => self.is_pytests(object) && !is_called && parent.kind() != "decorator",
            _ if OF_PATCH.contains(&name) => self.is_patch_text(object) && !is_called,
            _ if MOCKERS.contains(&name) => node.kind() == "identifier" && !is_asked && !is_parameter(parent),
            _ if INNER.contains(&name) => {
                node.kind() == "identifier" && (is("right") || is("value") && parent.kind() == "named_expression")
            }
            _ => false,
        };
        if is_kept {
            self.add(&format!("{name} under another name"), node);
        }
    }

    /// Names each place of a test or fixture where `request` is not asked for what a test may ask of it.
    pub(super) fn hands_on_request(&mut self, function: Node<'_>, depth: usize) {
        let Some(body) = function.child_by_field_name("body") else { return };
        let mut open = vec![(body, depth)];
        while let Some((node, depth)) = open.pop() {
            if node.kind() == "identifier" && self.source(node) == "request" {
                let parent = node.parent();
                let is_asked = parent.is_some_and(|parent| {
                    parent.kind() == "attribute"
                        && (parent.child_by_field_name("attribute") == Some(node)
                            || OF_REQUEST.contains(&self.field(parent, "attribute")))
                });
                let is_name = parent.is_some_and(|parent| {
                    parent.kind() == "keyword_argument" && parent.child_by_field_name("name") == Some(node)
                });
                if !is_asked && !is_name && !parent.is_some_and(is_parameter) {
                    self.add("request under another name", node);
                }
            }
            let Some(depth) = depth.checked_sub(1) else { continue };
            let mut cursor = node.walk();
            open.extend(node.named_children(&mut cursor).map(|child| (child, depth)));
        }
    }

    /// Tells whether pytest calls a function with its own `request`: a test, or a fixture.
    pub(super) fn is_of_pytest(&self, function: Node<'_>) -> bool {
        let decorated = function.parent().filter(|parent| parent.kind() == "decorated_definition");
        let mut cursor = function.walk();
        self.field(function, "name").starts_with("test")
            || decorated.is_some_and(|parent| {
                parent
                    .named_children(&mut cursor)
                    .any(|child| child.kind() == "decorator" && self.source(child).contains("fixture"))
            })
    }

    fn given<'n>(&self, call: Node<'n>) -> Option<Given<'n>>
    where
        't: 'n,
    {
        let arguments = call.child_by_field_name("arguments").filter(|arguments| arguments.kind() == "argument_list")?;
        let mut given = Given { by_place: Vec::new(), by_name: BTreeMap::new(), is_open: false };
        let mut cursor = arguments.walk();
        for one in arguments.named_children(&mut cursor) {
            match one.kind() {
                "comment" => {}
                "list_splat" | "dictionary_splat" => given.is_open = true,
                "keyword_argument" => {
                    if let Some(value) = one.child_by_field_name("value") {
                        given.by_name.insert(self.field(one, "name"), value);
                    }
                }
                _ => given.by_place.push(one),
            }
        }
        Some(given)
    }

    /// Tells whether a name is written out, and none of those that a test must not change.
    fn is_allowed(&self, node: Option<Node<'_>>) -> bool {
        let Some(name) = node.and_then(|node| self.written(node)) else { return false };
        let is_inside = matches!(top(&name), "_pytest" | "pluggy" | "pytead_tui") || is_denied(&name);
        let is_module = is_denied_module(&name) && top(&name) != "builtins";
        !is_inside && !is_module && !name.split('.').any(|part| ATTRIBUTES.contains(&part))
    }

    /// Tells whether an expression is a part of something, or imported: no text that was built.
    fn is_looked_up(&self, node: Node<'_>) -> bool {
        node.kind() == "attribute" || node.kind() == "identifier" && self.imported.contains_key(self.source(node))
    }

    fn is_mock(&self, object: &str, name: &str) -> bool {
        if name != "patch" {
            return false;
        }
        let source = self.imported.get(if object.is_empty() { name } else { object }).map(String::as_str);
        match object {
            "" => source.is_some_and(is_patch),
            "unittest.mock" | "mock" => true,
            _ => matches!(source, Some("mock" | "unittest.mock")) || MOCKERS.contains(&object),
        }
    }

    /// Tells whether a text is that of `patch`, whose functions are looked for.
    fn is_patch_text(&self, text: &str) -> bool {
        let (object, name) = text.rsplit_once('.').unwrap_or(("", text));
        self.is_mock(object, name)
    }

    fn is_pytests(&self, object: &str) -> bool {
        let source = self.imported.get(if object.is_empty() { "fixture" } else { object });
        matches!((object.is_empty(), source.map(String::as_str)), (true, Some("pytest.fixture")) | (false, Some("pytest")))
    }
}

/// Gives the texts that a module gives names to, once each, and hands to calls only: `TARGET = "shop.rate"`.
pub(super) fn constants(root: Node<'_>, text: &str) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut places: BTreeSet<usize> = BTreeSet::new();
    let mut cursor = root.walk();
    for statement in root.named_children(&mut cursor) {
        let Some(inner) = statement.named_child(0).filter(|inner| inner.kind() == "assignment") else { continue };
        let (Some(left), Some(right)) = (inner.child_by_field_name("left"), inner.child_by_field_name("right")) else { continue };
        let name = text.get(left.byte_range()).unwrap_or_default().to_owned();
        if let (true, Some(value)) = (left.kind() == "identifier" && !found.contains_key(&name), plain(right, text)) {
            found.insert(name, value.to_owned());
            places.insert(left.start_byte());
        }
    }
    let mut open = vec![(root, DEPTH)];
    while let Some((node, depth)) = open.pop() {
        if node.kind() == "identifier" && !places.contains(&node.start_byte()) && !is_argument(node) {
            found.remove(text.get(node.byte_range()).unwrap_or_default());
        }
        let Some(depth) = depth.checked_sub(1) else { return BTreeMap::new() };
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor).map(|child| (child, depth)));
    }
    found
}

fn is_argument(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| match parent.kind() {
        "argument_list" => true,
        "keyword_argument" => parent.child_by_field_name("value") == Some(node),
        _ => false,
    })
}

fn is_parameter(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "parameters" | "lambda_parameters" | "typed_parameter" | "default_parameter" | "typed_default_parameter"
    )
}

/// Gives what a string holds, where its text says so: no escapes, nothing put in.
fn plain<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    if node.kind() != "string" {
        return None;
    }
    let mut cursor = node.walk();
    let mut content = None;
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "string_start" | "string_end" => {}
            "string_content" if part.named_child_count() == 0 => content = text.get(part.byte_range()),
            _ => return None,
        }
    }
    let start = node.child(0).and_then(|start| text.get(start.byte_range())).unwrap_or_default();
    let is_text = !start.contains(['f', 'F', 'b', 'B', 't', 'T']);
    is_text.then_some(content.unwrap_or_default())
}

/// Tells whether an expression is true or false, and no text.
fn is_truth(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    match node.kind() {
        "comparison_operator" | "not_operator" | "true" | "false" => true,
        "boolean_operator" | "parenthesized_expression" => node.named_children(&mut cursor).all(is_truth),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::internals;

    fn said(text: &str) -> Vec<String> {
        let library = ["argparse", "collections", "enum", "unittest", "warnings", "_pickle"];
        let library: BTreeSet<String> = library.iter().map(|name| (*name).to_owned()).collect();
        internals(text, &library).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_name_that_is_built_when_the_test_runs_is_named() {
        for (text, name) in [
            ("N = '_py' + 'test.x'\n\ndef test_a(monkeypatch):\n    monkeypatch.setattr(N, 1)\n", "setattr"),
            ("def test_a(monkeypatch):\n    monkeypatch.setattr(f'{A}.x', 1)\n", "setattr"),
            ("def test_a(monkeypatch):\n    monkeypatch.setattr(A, 'x')\n", "setattr"),
            ("def test_a(monkeypatch):\n    monkeypatch.setattr(*A)\n", "setattr"),
            ("def test_a(monkeypatch):\n    monkeypatch.setattr('\\x5fpytest.x', 1)\n", "setattr"),
            ("def test_a(monkeypatch):\n    monkeypatch.delattr(f, '__co' 'de__')\n", "delattr"),
            ("from unittest.mock import patch\n\n@patch(N)\ndef test_a(m):\n    pass\n", "patch"),
            ("from unittest import mock\n\ndef test_a():\n    mock.patch.object(f, N).start()\n", "object"),
            ("from unittest import mock\n\ndef test_a():\n    mock.patch.dict(N, {})\n", "dict"),
            ("def test_a(mocker):\n    mocker.patch(N)\n", "patch"),
            ("import pytest\n\ndef test_a():\n    pytest.importorskip(N)\n", "importorskip"),
            ("import pytest\n\n@pytest.mark.skipif('sys.x' '()')\ndef test_a():\n    pass\n", "skipif"),
            ("import pytest\n\n@pytest.mark.xfail(N)\ndef test_a():\n    pass\n", "xfail"),
            ("def test_a(request):\n    request.getfixturevalue('pytestconfig')\n", "getfixturevalue"),
            ("import pytest\n\nA = pytest.fixture(B)\n", "fixture"),
        ] {
            let expected = format!("{name}() with a name that is not written out");
            assert!(said(text).iter().any(|one| one.starts_with(&expected)), "{text}\n{:?}", said(text));
        }
        let open = "import inspect\n\ndef test_a():\n    inspect.signature(f, **A)\n";
        assert!(said(open)[0].starts_with("signature() with arguments"), "{:?}", said(open));
        assert_eq!(said("def test_a():\n    load(f, allow_pickle=True)\n"), ["allow_pickle= (line 2)"]);
        assert!(!said("def test_a():\n    getattr(f, '__c\\x6fde__')\n").is_empty());
    }

    #[test]
    fn what_could_be_handed_on_under_another_name_is_named() {
        for (text, name) in [
            ("from unittest.mock import patch as p\n", "unittest.mock.patch under another name"),
            ("from unittest.mock import patch\n\nP = patch\n", "patch under another name"),
            ("from unittest import mock\n\ndef test_a():\n    p = mock.patch\n", "patch under another name"),
            ("from unittest.mock import patch\n\ndef test_a():\n    p = patch.object\n", "object under another name"),
            ("def test_a(mocker):\n    client = mocker\n", "mocker under another name"),
            ("def test_a(caplog):\n    log = caplog\n", "caplog under another name"),
            ("def test_a(request):\n    (r := request).node\n", "request under another name"),
            ("def test_a(request):\n    [request][0].node\n", "request under another name"),
            ("import pytest\n\n@pytest.fixture\ndef q(request):\n    return request\n", "request under another name"),
            ("import pytest\n\nmake = pytest.fixture\n", "fixture under another name"),
            ("A = lambda request: request.node\n", "request.node"),
        ] {
            assert!(said(text).iter().any(|one| one.starts_with(name)), "{text}\n{:?}", said(text));
        }
    }

    #[test]
    fn what_leads_into_pythons_library_is_named() {
        for (text, name) in [
            ("import collections\n\ndef test_a():\n    collections._sys.x\n", "collections._sys (line 4)"),
            ("from collections import _sys as s\n", "collections._sys (line 1)"),
            ("from warnings import sys\n", "warnings.sys (line 1)"),
            ("class A:\n    from shutil import os\n", "shutil.os (line 2)"),
            ("import _pickle\n", "_pickle (line 1)"),
            ("from unittest import mock\n\ndef test_a():\n    mock._importer('x')\n", "unittest.mock._importer (line 4)"),
            ("from unittest import mock\n\ndef test_a():\n    mock.pkgutil.x\n", "unittest.mock.pkgutil (line 4)"),
            ("import re\n\ndef test_a():\n    e = re.enum\n    e.sys\n", "sys (line 5)"),
            ("import pydoc\n", "pydoc (line 1)"),
            ("import logging.config\n", "logging.config (line 1)"),
            ("def test_a(caplog):\n    caplog._item\n", "_item (line 2)"),
            ("def test_a(capsys):\n    capsys.request\n", "request (line 2)"),
            ("def test_a():\n    (i for i in ()).gi_code\n", "gi_code (line 2)"),
        ] {
            assert!(said(text).iter().any(|one| one == name), "{text}\n{:?}", said(text));
        }
    }

    #[test]
    fn what_is_written_out_and_of_the_project_is_not() {
        for text in [
            "from unittest.mock import patch\n\nTARGET = 'shop.rate'\n\n\n@patch(TARGET)\ndef test_a(rate):\n    with patch.object(rate, 'x', 1), patch.dict('os.environ', {}):\n        pass\n",
            "import shop\nfrom unittest import mock\n\ndef test_a(monkeypatch):\n    monkeypatch.setattr(shop, 'rate', 2)\n    monkeypatch.setattr('shop.rate', 3, raising=False)\n    monkeypatch.delattr(shop, 'rate')\n    with mock.patch.multiple('shop', rate=1), mock.patch.dict(shop.SETTINGS, a=1):\n        shop._helper()\n",
            "def test_a(mocker, client):\n    mocker.patch('shop.rate')\n    assert client.patch(url, data) and client.patch(f'/{a}')\n",
            "import pytest\nfrom shop import _helper\n\n@pytest.mark.skipif(not _helper, reason='x')\n@pytest.mark.xfail\ndef test_a(request, capsys):\n    assert request.param and capsys.readouterr().out == request.getfixturevalue('shop')\n",
            "def view(request):\n    return answer(request)\n\n\ndef test_a(rf):\n    request = rf.get('/')\n    assert view(request)\n",
            "import pytest\n\n@pytest.fixture(scope='module', name='shop')\ndef made(request):\n    return request.param\n",
        ] {
            assert!(said(text).is_empty(), "{text}\n{:?}", said(text));
        }
    }
}
