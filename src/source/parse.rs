//! One Python file as the index sees it: functions, classes, imports, spans, fingerprints.
//!
//! One walk over tree-sitter's tree with a stack of scopes; nothing recurses, so no nesting can exhaust the stack.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tree_sitter::{Node, Tree};

use crate::base::hash;
use crate::base::paths::RelPath;
use crate::base::text::identifier;
use crate::domain::function::{Class, Fingerprint, Function, FunctionId, FunctionKind, Module, Span, SyntaxError};

use super::decode::{Decoded, decode, number, place};
use super::literal;
use super::parts::{
    decorator_name, decorator_nodes, docstring, exported, fields, first_error, first_mistaken, first_name, imports,
    is_main_guard, is_mistake, kind, params, row,
};
use super::tokens::{KEYWORD, Shape, Step};
use super::tree::syntax_tree;

/// A parsed file: the module, and what only the index needs of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The module.
    pub module: Module,
    /// The text with `\n` line ends.
    pub text: String,
    /// Names that the code run on import may call.
    pub init_uses: BTreeSet<String>,
    /// Bases, decorators and names that the bodies of classes may call, by qualified name.
    pub class_uses: BTreeMap<String, BTreeSet<String>>,
}

/// Reads one file's content into a module.
#[must_use]
pub fn parse(path: &RelPath, source: &[u8], name: &str, import_root: &str) -> Module {
    parse_file(path, source, name, import_root).module
}

/// Reads one file's content, with what the index keeps beside the module.
#[must_use]
pub fn parse_file(path: &RelPath, source: &[u8], name: &str, import_root: &str) -> Parsed {
    let Decoded { text, error } = decode(source);
    let module = Module {
        name: name.to_owned(),
        path: path.clone(),
        import_root: import_root.to_owned(),
        hash: hash::of(source),
        lines: number(text.lines().count()),
        functions: Vec::new(),
        classes: Vec::new(),
        imports: Vec::new(),
        exports: None,
        init: hash::Digest::default(),
        acts_on: Vec::new(),
        docstring: hash::Digest::default(),
        has_main_guard: false,
        error,
    };
    let tree = syntax_tree(&text);
    let mut walk = Walk {
        source: &text,
        parsed: Parsed { module, text: String::new(), init_uses: BTreeSet::new(), class_uses: BTreeMap::new() },
        scopes: vec![Scope::new(What::Module, String::new())],
        marks: Vec::new(),
        decorated: None,
        last_row: 0,
        lambdas: 0,
        calls: 0,
        set_aside: None,
        names: HashMap::new(),
    };
    match &tree {
        Some(tree) => walk.run(tree),
        None => walk.error_at(0),
    }
    let mut parsed = walk.parsed;
    parsed.text = text;
    parsed
}

/// What a scope belongs to.
enum What {
    Module,
    Class(Box<Class>),
    Function(Box<Function>),
}

struct Scope<'t> {
    what: What,
    /// As CPython writes it; empty for the module.
    qualname: String,
    shape: Shape,
    /// Names used by signature, decorators and bases, which belong to the definition all the same.
    outer: Shape,
    globals: BTreeSet<&'t str>,
    /// Names inside calls: what a module's or a class's body may run.
    called: BTreeSet<&'t str>,
    /// The statement that is the docstring.
    docstring: Option<usize>,
}

impl Scope<'_> {
    fn new(what: What, qualname: String) -> Self {
        Self {
            what,
            qualname,
            shape: Shape::default(),
            outer: Shape::default(),
            globals: BTreeSet::new(),
            called: BTreeSet::new(),
            docstring: None,
        }
    }
}

/// What has to happen when a node is left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Nothing,
    Close,
    Lambda,
    Call,
    MainGuard,
    Definition,
}

struct Walk<'t> {
    source: &'t str,
    parsed: Parsed,
    scopes: Vec<Scope<'t>>,
    marks: Vec<Mark>,
    /// The decorated definition that was entered last and whose definition comes.
    decorated: Option<Node<'t>>,
    last_row: usize,
    lambdas: usize,
    calls: usize,
    /// The module's shape while the walk is inside `if __name__ == "__main__"`, which no import runs.
    set_aside: Option<Shape>,
    /// How often each qualified name was seen.
    names: HashMap<String, usize>,
}

impl<'t> Walk<'t> {
    fn run(&mut self, tree: &'t Tree) {
        let root = tree.root_node();
        if let Some(byte) = first_error(root) {
            self.error_at(byte);
        }
        if let Some(scope) = self.scopes.first_mut() {
            let found = docstring(root, self.source);
            self.parsed.module.docstring = hash::of(found.as_ref().map_or("", |(_, text)| text).as_bytes());
            scope.docstring = found.map(|(id, _)| id);
        }
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            if self.enter(node, cursor.field_name()) && cursor.goto_first_child() {
                if node.kind() == KEYWORD {
                    cursor.goto_next_sibling();
                }
                continue;
            }
            if node.kind() != "comment" && node.end_byte() > node.start_byte() {
                self.last_row = node.end_position().row;
            }
            self.leave();
            loop {
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    self.finish();
                    return;
                }
                self.leave();
            }
        }
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    fn scope(&mut self) -> Option<&mut Scope<'t>> {
        self.scopes.last_mut()
    }

    fn error_at(&mut self, byte: usize) {
        let found = place(self.source, byte);
        let first = self.parsed.module.error.filter(|error| (error.line, error.column) <= (found.line, found.column));
        self.parsed.module.error = first.or(Some(found));
    }

    /// Takes up a node; tells whether to go on to its children.
    fn enter(&mut self, node: Node<'t>, field: Option<&str>) -> bool {
        let (mark, descend) = self.look(node, field);
        self.marks.push(mark);
        descend
    }

    fn look(&mut self, node: Node<'t>, field: Option<&str>) -> (Mark, bool) {
        // Of a definition only the body is left; the rest was absorbed when it was entered.
        if self.marks.last() == Some(&Mark::Definition) && field != Some("body") {
            return (Mark::Nothing, false);
        }
        match node.kind() {
            "module" => return (Mark::Nothing, true),
            "decorated_definition" => {
                self.decorated = Some(node);
                return (Mark::Nothing, true);
            }
            "decorator" => return (Mark::Nothing, false),
            "function_definition" | "class_definition" => return self.define(node),
            _ if is_mistake(node) => self.error_at(node.start_byte()),
            "expression_statement" if self.scopes.last().and_then(|scope| scope.docstring) == Some(node.id()) => {
                return (Mark::Nothing, false);
            }
            "import_statement" | "import_from_statement" | "future_import_statement" => {
                let imports = imports(node, self.source);
                self.parsed.module.imports.extend(imports);
            }
            "if_statement" if self.scopes.len() == 1 && is_main_guard(node, self.source) => {
                self.parsed.module.has_main_guard = true;
                if self.set_aside.is_none() {
                    self.set_aside = self.scopes.last_mut().map(|scope| std::mem::take(&mut scope.shape));
                    return (Mark::MainGuard, true);
                }
            }
            "expression_statement" if self.scopes.len() == 1 && self.set_aside.is_none() => {
                let called = node.named_child(0).filter(|child| child.kind() == "call");
                self.acts_on(called.and_then(|call| call.child_by_field_name("function")));
            }
            "assignment" | "augmented_assignment" if self.scopes.len() == 1 => {
                let left = node.child_by_field_name("left");
                self.acts_on(
                    left.filter(|left| matches!(left.kind(), "attribute" | "subscript") || node.kind() == "augmented_assignment"),
                );
                if let Some(names) = exported(node, self.source) {
                    self.parsed.module.exports.get_or_insert_default().extend(names);
                }
            }
            "identifier" if self.calls > 0 && self.set_aside.is_none() => {
                let name = self.text(node);
                if let Some(scope) = self.scope() {
                    scope.called.insert(name);
                }
            }
            "global_statement" => {
                let mut cursor = node.walk();
                let names: Vec<&'t str> = node.named_children(&mut cursor).map(|name| self.text(name)).collect();
                if let Some(scope) = self.scope() {
                    scope.globals.extend(names);
                }
            }
            "yield" if self.lambdas == 0 => {
                if let Some(Scope { what: What::Function(function), .. }) = self.scopes.last_mut() {
                    function.is_generator = true;
                }
            }
            _ => {}
        }
        let source = self.source;
        let Some(scope) = self.scope() else { return (Mark::Nothing, false) };
        let step = scope.shape.enter(node, field, source);
        match node.kind() {
            "lambda" => {
                self.lambdas += 1;
                return (Mark::Lambda, true);
            }
            "call" => {
                self.calls += 1;
                return (Mark::Call, true);
            }
            _ => {}
        }
        match step {
            // An error can hide definitions: whatever stands in it is looked at.
            Step::Over => (Mark::Nothing, node.is_error()),
            Step::Through => (Mark::Nothing, true),
            Step::Into => (Mark::Close, true),
        }
    }

    fn leave(&mut self) {
        let mark = self.marks.pop();
        match mark {
            Some(Mark::Lambda) => self.lambdas -= 1,
            Some(Mark::Call) => self.calls -= 1,
            Some(Mark::Definition) => self.end_definition(),
            Some(Mark::MainGuard) => {
                if let (Some(shape), Some(scope)) = (self.set_aside.take(), self.scopes.last_mut()) {
                    scope.shape = shape;
                }
            }
            Some(Mark::Close | Mark::Nothing) | None => {}
        }
        if let (Some(Mark::Close | Mark::Lambda | Mark::Call), Some(scope)) = (mark, self.scopes.last_mut()) {
            scope.shape.close();
        }
    }

    /// Notes something that an import changes, or calls for what it does.
    fn acts_on(&mut self, node: Option<Node<'t>>) {
        let name = node.and_then(|node| first_name(node, self.source));
        self.parsed.module.acts_on.extend(name);
    }

    /// Opens the scope of a function or class.
    fn define(&mut self, node: Node<'t>) -> (Mark, bool) {
        let name = identifier(node.child_by_field_name("name").map_or("", |name| self.text(name)));
        let name = name.as_ref();
        let decorators = self.decorated.take().map_or_else(Vec::new, decorator_nodes);
        let span = Span {
            first: row(decorators.first().map_or(node.start_position().row, |first| first.start_position().row)),
            def: row(node.start_position().row),
            last: row(node.start_position().row),
        };
        let decorator_texts: Vec<String> = decorators.iter().map(|node| self.text(*node).to_owned()).collect();
        let body = node.child_by_field_name("body");
        let doc = body.and_then(|body| docstring(body, self.source));
        let (qualname, in_class, in_function) = self.qualname(name);
        let source = self.source;
        let mut outer = Shape::default();
        for decorator in &decorators {
            outer.word("decorator", "");
            outer.absorb(*decorator, source);
        }
        for field in ["type_parameters", "superclasses", "parameters", "return_type"] {
            if let Some(part) = node.child_by_field_name(field) {
                outer.word("part", field);
                outer.absorb(part, source);
                // What the grammar cannot see counts as it is written.
                if field == "type_parameters" && self.text(part).contains('=') {
                    outer.word("written", self.text(part));
                }
            }
        }
        let what = if node.kind() == "class_definition" {
            What::Class(Box::new(Class {
                qualname: qualname.clone(),
                span,
                bases: node.child_by_field_name("superclasses").map_or_else(Vec::new, |list| self.bases(list)),
                decorators: decorator_texts,
                docstring: doc.as_ref().map(|(_, text)| literal::cleandoc(text)),
                fields: body.map_or_else(Vec::new, |body| fields(body, source)),
                fingerprint: hash::Digest::default(),
            }))
        } else {
            let is_async = node.child(0).is_some_and(|child| child.kind() == "async");
            if is_async {
                outer.word("async", "");
            }
            let count = self.names.entry(qualname.clone()).or_default();
            *count += 1;
            let numbered = if *count == 1 { qualname.clone() } else { format!("{qualname}#{count}") };
            let params = node.child_by_field_name("parameters").map_or_else(Vec::new, |list| params(list, self.source));
            What::Function(Box::new(Function {
                id: FunctionId::new(&self.parsed.module.name, &numbered),
                path: self.parsed.module.path.clone(),
                span,
                kind: kind(name, &decorator_texts, &params, in_class, in_function),
                is_async,
                is_generator: false,
                decorators: decorator_texts,
                params,
                returns: node.child_by_field_name("return_type").map(|node| self.text(node).to_owned()),
                fingerprint: Fingerprint {
                    doc: doc.as_ref().map_or_else(hash::Digest::default, |(_, text)| hash::of(text.as_bytes())),
                    ..Fingerprint::default()
                },
                docstring: doc.as_ref().map(|(_, text)| literal::cleandoc(text)),
                uses: BTreeSet::new(),
            }))
        };
        let mut scope = Scope::new(what, qualname);
        scope.outer = outer;
        scope.docstring = doc.map(|(id, _)| id);
        self.last_row = node.start_position().row;
        self.scopes.push(scope);
        (Mark::Definition, true)
    }

    /// Gives the qualified name as CPython makes it, and whether the scope around is a class or a function.
    fn qualname(&self, name: &str) -> (String, bool, bool) {
        let Some(scope) = self.scopes.last() else { return (name.to_owned(), false, false) };
        let (in_class, in_function) = (matches!(scope.what, What::Class(_)), matches!(scope.what, What::Function(_)));
        let qualname = if scope.globals.contains(name) || !(in_class || in_function) {
            name.to_owned()
        } else if in_function {
            format!("{}.<locals>.{name}", scope.qualname)
        } else {
            format!("{}.{name}", scope.qualname)
        };
        (qualname, in_class, in_function)
    }

    fn bases(&self, list: Node<'_>) -> Vec<String> {
        let mut cursor = list.walk();
        list.named_children(&mut cursor)
            .filter(|child| child.kind() != "comment")
            .map(|child| self.text(child).to_owned())
            .collect()
    }

    fn end_definition(&mut self) {
        let last = row(self.last_row);
        let Some(scope) = self.scopes.pop() else { return };
        let Scope { what, qualname, shape, outer, called, .. } = scope;
        match what {
            What::Module => {}
            What::Function(mut function) => {
                function.span.last = last.max(function.span.def);
                function.fingerprint.signature = outer.digest();
                function.fingerprint.body = shape.digest();
                let own: Vec<&str> = function.params.iter().map(|param| param.name.as_str()).collect();
                function.uses = shape.uses(&own);
                function.uses.extend(outer.uses(&own));
                if let Some(around) = self.scopes.last_mut().filter(|scope| matches!(scope.what, What::Function(_))) {
                    around.shape.word("def", function.name());
                }
                self.parsed.module.functions.push(*function);
            }
            What::Class(mut class) => {
                class.span.last = last.max(class.span.def);
                let mut hasher = hash::Hasher::default();
                hasher.part(&outer.digest().0.to_le_bytes()).part(&shape.digest().0.to_le_bytes());
                class.fingerprint = hasher.digest();
                let mut runs = outer.uses(&[]);
                runs.extend(called.iter().map(|name| (*name).to_owned()));
                // What the class statement runs, the scope around it runs.
                if let Some(around) = self.scopes.last_mut() {
                    if !matches!(around.what, What::Module) {
                        around.shape.word("class", &format!("{qualname} {}", class.fingerprint));
                    }
                    around.called.extend(called);
                    if matches!(around.what, What::Function(_)) {
                        around.shape.names.extend(outer.uses(&[]).into_iter().chain(shape.uses(&[])));
                    }
                }
                self.parsed.class_uses.entry(qualname).or_default().extend(runs);
                self.parsed.module.classes.push(*class);
            }
        }
    }

    fn finish(&mut self) {
        if let Some(scope) = self.scopes.pop() {
            self.parsed.module.init = scope.shape.digest();
            self.parsed.init_uses = scope.called.into_iter().map(str::to_owned).collect();
        }
        let module = &mut self.parsed.module;
        let decorators =
            module.functions.iter().filter(|function| function.kind != FunctionKind::Nested).flat_map(|f| &f.decorators);
        let decorators = decorators.chain(module.classes.iter().flat_map(|class| &class.decorators));
        self.parsed.init_uses.extend(decorators.filter_map(|text| decorator_name(text)));
        module.functions.sort_by_key(|function| function.span.def);
        module.classes.sort_by_key(|class| class.span.def);
    }
}

/// Gives the place of the first mistake in a text, if it does not parse.
#[must_use]
pub fn syntax_error(text: &str) -> Option<SyntaxError> {
    let decoded = decode(text.as_bytes());
    first_mistake(&decoded, syntax_tree(&decoded.text).as_ref())
}

/// Gives the place of the first mistake in a text that was read; one that took too long is a mistake as a whole.
pub(super) fn first_mistake(decoded: &Decoded, tree: Option<&Tree>) -> Option<SyntaxError> {
    let (unclear, mistake) =
        tree.map_or((Some(0), None), |tree| (first_error(tree.root_node()), first_mistaken(tree.root_node())));
    let places = unclear.into_iter().chain(mistake).map(|byte| place(&decoded.text, byte));
    places.chain(decoded.error).min_by_key(|error| (error.line, error.column))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Module {
        parse(&RelPath::new("shop/cart.py").unwrap(), text.as_bytes(), "shop.cart", "")
    }

    #[test]
    fn a_method_is_read_whole() {
        let module = read(
            "import os\n\n\nclass Cart(Base):\n    \"\"\"Holds.\"\"\"\n\n    @memo(1)\n    async def total(self, code: str = \"x\", *, tax) -> int:\n        \"\"\"Adds.\"\"\"\n        return self.sum(code) + os.getpid()\n",
        );
        let total = &module.functions[0];
        assert_eq!(total.id.0, "shop.cart:Cart.total");
        assert_eq!((total.span.first, total.span.def, total.span.last), (7, 8, 10));
        assert_eq!((total.kind, total.is_async, total.docstring.as_deref()), (FunctionKind::Method, true, Some("Adds.")));
        assert_eq!(total.decorators, ["memo(1)"]);
        assert_eq!(total.returns.as_deref(), Some("int"));
        assert_eq!((total.params[1].annotation.as_deref(), total.params[1].default.as_deref()), (Some("str"), Some("\"x\"")));
        for (name, used) in [("sum", true), ("os", true), ("getpid", true), ("memo", true), ("code", false), ("self", false)] {
            assert_eq!(total.uses.contains(name), used, "{name}");
        }
        assert_eq!(module.classes[0].bases, ["Base"]);
        assert_eq!((module.lines, module.error), (10, None));
    }

    #[test]
    fn names_are_what_python_makes_of_them() {
        let module = read("from ﬁle import ｃount as K\n\n\nclass ﬂat:\n    def ﬁnd(self, ª, *ｂ):\n        return ª\n");
        let found = &module.functions[0];
        assert_eq!((found.id.0.as_str(), module.classes[0].qualname.as_str()), ("shop.cart:flat.find", "flat"));
        assert_eq!(found.params.iter().map(|param| param.name.as_str()).collect::<Vec<_>>(), ["self", "a", "b"]);
        let import = &module.imports[0];
        assert_eq!((import.module.as_str(), import.name.as_deref()), ("file", Some("count")));
    }

    #[test]
    fn twins_are_numbered() {
        let module = read("if a:\n    def f(): return 1\nelse:\n    def f():\n        def g(): pass\n        return 2\n");
        let ids: Vec<&str> = module.functions.iter().map(|f| f.id.0.as_str()).collect();
        assert_eq!(ids, ["shop.cart:f", "shop.cart:f#2", "shop.cart:f.<locals>.g"]);
        assert_eq!(module.functions[1].name(), "f");
    }

    #[test]
    fn import_time_code_is_hashed_apart_from_definitions() {
        let text = "\"\"\"Doc.\"\"\"\nLIMIT = 1\n\ndef f():\n    return LIMIT\n\nif __name__ == '__main__':\n    f()\n";
        let old = read(text);
        assert!(old.has_main_guard);
        assert_ne!(read(&text.replace("= 1", "= 2")).init, old.init);
        for same in [("Doc.", "Dog."), ("return LIMIT", "return 2"), ("    f()\n", "    print(f())\n"), ("\ndef f", "\n\ndef f")]
        {
            assert_eq!(read(&text.replace(same.0, same.1)).init, old.init, "{same:?}");
        }
    }

    #[test]
    fn class_statements_belong_to_the_class() {
        let text = "class K(A):\n    \"\"\"Doc.\"\"\"\n    x = 1\n    def m(self): return 1\n";
        let old = read(text).classes.remove(0).fingerprint;
        for (from, to, differs) in
            [("(A)", "(B)", true), ("x = 1", "x = 2", true), ("Doc.", "Dog.", false), ("return 1", "return 2", false)]
        {
            assert_eq!(read(&text.replace(from, to)).classes[0].fingerprint != old, differs, "{to}");
        }
    }

    #[test]
    fn mistakes_are_marked_where_they_are() {
        for (text, line) in [
            ("def f():\n    return (1,\n\n", 2),
            ("print 'x'\n", 1),
            ("x = 1\n\ndef f():\n\ny = 2\n", 3),
            ("class K:\n    def f(self, :\n        pass\n", 2),
        ] {
            let error = read(text).error.unwrap_or_else(|| panic!("{text} is no Python"));
            assert!(error.line.abs_diff(line) <= 1, "{text}: {error:?}");
        }
        assert_eq!(read("print >>f, x\nx = print\n").error, None);
    }

    #[test]
    fn deep_nesting_and_long_lines_do_no_harm() {
        for text in [
            "(".repeat(100_000),
            format!("x = {}1{}\n", "(".repeat(50_000), ")".repeat(50_000)),
            format!("x = {}\n", "-".repeat(100_000)),
            format!("x = {}1\n", "1 + ".repeat(50_000)),
            (0..2_000).map(|depth| format!("{}def f():\n", " ".repeat(depth % 600))).collect(),
            format!("x = {}'a'{}\n", "f'{".repeat(500), "}'".repeat(500)),
            "a.b".to_owned() + &".c".repeat(100_000),
        ] {
            let module = read(&text);
            assert!(module.lines >= 1);
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let module = parse(&RelPath::new("a.py").unwrap(), &bytes, "a", "");
            prop_assert!(module.functions.iter().all(|f| f.span.first <= f.span.def && f.span.def <= f.span.last));
        }

        #[test]
        fn no_shreds_of_python_are_too_strange(parts in proptest::collection::vec(prop_oneof![
            Just("def f(a, *, b=1):\n"), Just("class K(A):\n"), Just("    "), Just("\t"), Just("@d\n"), Just("\"\"\""), Just("f'{x"),
            Just("return 1\n"), Just("("), Just("]"), Just("# c\n"), Just("lambda x: "), Just("\\\n"), Just("async "), Just("if x:\n"),
            Just("\u{feff}"), Just("é"), Just("import a.b\n"), Just("from . import x\n"), Just("global f\n"), Just("yield\n"), Just("\r"),
        ], 0..60)) {
            let module = read(&parts.concat());
            let mut ids: Vec<&FunctionId> = module.functions.iter().map(|f| &f.id).collect();
            ids.sort();
            ids.dedup();
            prop_assert_eq!(ids.len(), module.functions.len());
        }
    }
}
