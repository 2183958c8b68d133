//! Python and YAML text as coloured lines: syntect's scopes become roles.
//!
//! The only user of syntect. Tabs become spaces here, so that every column of a pane is a column of the text.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use crate::base::hash::{self, Digest};
use crate::tui::row::Bit;
use crate::tui::theme::Role;

/// Files larger than this stay plain: colours are not worth a second.
const MAX_BYTES: usize = 600_000;
/// Lines longer than this stay plain.
const MAX_LINE: usize = 2_000;
/// Texts kept.
const KEPT: usize = 64;
const TAB: usize = 4;
/// What syntect knows of Python and YAML. All its languages take ten times as much, and do not compress.
const CARRIED: &[u8] = include_bytes!("../../assets/syntaxes.packdump");

/// One line of code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeLine {
    /// The text, tabs expanded, without its newline.
    pub text: String,
    /// Where a role begins, in bytes, in order; the rest is plain.
    pub spans: Vec<(usize, usize, Role)>,
}

impl CodeLine {
    /// Makes a line without colours.
    #[must_use]
    pub fn plain(line: &str) -> Self {
        Self { text: expand_tabs(line), spans: Vec::new() }
    }

    /// Gives the line as pieces.
    #[must_use]
    pub fn bits(&self) -> Vec<Bit> {
        let mut out = Vec::with_capacity(self.spans.len() * 2 + 1);
        let mut at = 0;
        let mut push = |from: usize, to: usize, role: Role| {
            if let Some(text) = self.text.get(from..to).filter(|text| !text.is_empty()) {
                out.push(Bit { text: text.to_owned(), role, over: None });
            }
        };
        for (from, to, role) in &self.spans {
            push(at, *from, Role::Text);
            push(*from, *to, *role);
            at = *to;
        }
        push(at, self.text.len(), Role::Text);
        out
    }
}

/// Colours a text line by line as it arrives.
#[derive(Clone)]
pub struct Incremental {
    state: Option<(ParseState, ScopeStack)>,
}

impl Default for Incremental {
    fn default() -> Self {
        Self::of("py")
    }
}

impl Incremental {
    fn of(ending: &str) -> Self {
        let syntax = syntaxes().find_syntax_by_extension(ending);
        Self { state: syntax.map(|syntax| (ParseState::new(syntax), ScopeStack::new())) }
    }

    /// Colours the next whole line.
    pub fn line(&mut self, line: &str) -> CodeLine {
        let text = expand_tabs(line);
        let Some((state, stack)) = self.state.as_mut().filter(|_| text.len() <= MAX_LINE) else {
            return CodeLine { text, spans: Vec::new() };
        };
        let with_newline = format!("{text}\n");
        let mut spans: Vec<(usize, usize, Role)> = Vec::new();
        if let Ok(ops) = state.parse_line(&with_newline, syntaxes()) {
            let mut at = 0;
            let mut push = |from: usize, to: usize, role: Role| {
                let to = to.min(text.len());
                if from >= to || role == Role::Text {
                    return;
                }
                match spans.last_mut() {
                    Some((_, end, last)) if *end == from && *last == role => *end = to,
                    _ => spans.push((from, to, role)),
                }
            };
            for (position, op) in ops {
                push(at, position, role_of(stack));
                at = position;
                // A stack that does not fit leaves the rest of the line plain.
                let _ = stack.apply(&op);
            }
            push(at, text.len(), role_of(stack));
        }
        CodeLine { text, spans }
    }
}

/// Colours a whole text of Python.
#[must_use]
pub fn python_lines(text: &str) -> Arc<Vec<CodeLine>> {
    lines("", text)
}

/// Colours a whole text by the name of its file; equal texts are coloured once.
#[must_use]
pub fn lines(file: &str, text: &str) -> Arc<Vec<CodeLine>> {
    static CACHE: OnceLock<Mutex<HashMap<Digest, Arc<Vec<CodeLine>>>>> = OnceLock::new();
    let cache = CACHE.get_or_init(Mutex::default);
    let ending = if file.ends_with(".yaml") || file.ends_with(".yml") { "yaml" } else { "py" };
    let key = hash::of([ending, text].join("\n").as_bytes());
    if let Some(lines) = cache.lock().get(&key) {
        return Arc::clone(lines);
    }
    let lines = Arc::new(if text.len() > MAX_BYTES {
        text.lines().map(CodeLine::plain).collect()
    } else {
        let mut colours = Incremental::of(ending);
        text.lines().map(|line| colours.line(line)).collect::<Vec<_>>()
    });
    let mut cache = cache.lock();
    if cache.len() >= KEPT {
        cache.clear();
    }
    cache.insert(key, Arc::clone(&lines));
    lines
}

fn syntaxes() -> &'static SyntaxSet {
    static SET: OnceLock<SyntaxSet> = OnceLock::new();
    // The tests read it; were it unreadable, code would be plain.
    SET.get_or_init(|| syntect::dumps::from_uncompressed_data(CARRIED).unwrap_or_default())
}

fn role_of(stack: &ScopeStack) -> Role {
    static PREFIXES: OnceLock<Vec<(Scope, Role)>> = OnceLock::new();
    let prefixes = PREFIXES.get_or_init(|| {
        [
            ("comment", Role::Comment),
            ("string", Role::String),
            ("constant.numeric", Role::Number),
            ("constant.language", Role::Number),
            ("keyword.operator.logical", Role::Keyword),
            ("keyword.operator", Role::Text),
            ("keyword", Role::Keyword),
            ("storage", Role::Keyword),
            ("entity.name", Role::Name),
        ]
        .into_iter()
        .filter_map(|(name, role)| Some((Scope::new(name).ok()?, role)))
        .collect()
    });
    stack
        .as_slice()
        .iter()
        .rev()
        .find_map(|scope| prefixes.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, role)| *role))
        .unwrap_or(Role::Text)
}

fn expand_tabs(line: &str) -> String {
    if !line.contains('\t') {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len() + TAB);
    let mut column = 0;
    for c in line.chars() {
        if c == '\t' {
            let wide = TAB - column % TAB;
            out.extend(std::iter::repeat_n(' ', wide));
            column += wide;
        } else {
            out.push(c);
            column += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use syntect::parsing::{SyntaxDefinition, SyntaxSetBuilder};

    use super::*;

    /// Gives syntect's own syntaxes without all that neither Python nor YAML leads to. What is empty keeps its place, because
    /// syntaxes lead to others by number.
    fn needed() -> SyntaxSetBuilder {
        let all = SyntaxSet::load_defaults_newlines();
        let names = ["py", "yaml"].map(|ending| all.find_syntax_by_extension(ending).unwrap().name.clone());
        let all = all.into_builder();
        let mut reached = BTreeSet::new();
        let mut open: Vec<usize> = (0..all.syntaxes().len()).filter(|at| names.contains(&all.syntaxes()[*at].name)).collect();
        while let Some(at) = open.pop() {
            if reached.insert(at) {
                numbers(&serde_json::to_value(&all.syntaxes()[at].contexts).unwrap(), &mut open);
            }
        }
        let mut kept = SyntaxSetBuilder::new();
        for (at, syntax) in all.syntaxes().iter().enumerate() {
            let empty = SyntaxDefinition {
                name: String::new(),
                file_extensions: Vec::new(),
                first_line_match: None,
                variables: HashMap::new(),
                contexts: HashMap::new(),
                hidden: true,
                scope: syntax.scope,
            };
            kept.add(if reached.contains(&at) { syntax.clone() } else { empty });
        }
        kept
    }

    /// Adds the numbers of all syntaxes that contexts lead to.
    fn numbers(contexts: &serde_json::Value, into: &mut Vec<usize>) {
        match contexts {
            serde_json::Value::Object(fields) => {
                into.extend(fields.get("syntax_index").and_then(serde_json::Value::as_u64).map(|number| number as usize));
                fields.values().for_each(|value| numbers(value, into));
            }
            serde_json::Value::Array(values) => values.iter().for_each(|value| numbers(value, into)),
            _ => {}
        }
    }

    #[test]
    fn the_syntaxes_carried_are_those_that_python_and_yaml_need() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/syntaxes.packdump");
        if std::env::var_os("PYTEAD_WRITE").is_some() {
            syntect::dumps::dump_to_uncompressed_file(&needed().build(), path).unwrap();
        }
        let carried: SyntaxSet = syntect::dumps::from_uncompressed_data(&std::fs::read(path).unwrap()).unwrap();
        let (carried, needed) = (carried.into_builder(), needed().build().into_builder());
        assert!(carried.syntaxes() == needed.syntaxes(), "PYTEAD_WRITE=1 cargo nextest run --lib highlight writes {path}");
    }

    #[test]
    fn languages_within_strings_are_there() {
        let lines =
            python_lines("x = re.compile(r\"\"\"(?P<a>\\d+|[^b])\"\"\")\ny = \"SELECT a FROM b\"  # c\nz = f\"{1!r:>{4}} {{\"\n");
        for (line, text) in lines.iter().zip(["(?P", "FROM", "!r"]) {
            let at = line.text.find(text).unwrap();
            assert!(line.spans.iter().any(|(from, to, _)| (*from..*to).contains(&at)), "{line:?}");
        }
    }

    #[test]
    fn code_gets_its_roles() {
        let lines = python_lines("def total(x):\n    # sum\n    return x + 10 if x is not None else \"no\"\n");
        let role = |line: usize, part: &str| {
            let line = &lines[line];
            let at = line.text.find(part).unwrap();
            line.spans.iter().find(|(from, to, _)| (*from..*to).contains(&at)).map_or(Role::Text, |(_, _, role)| *role)
        };
        assert_eq!(role(0, "def"), Role::Keyword);
        assert_eq!(role(0, "total"), Role::Name);
        assert_eq!(role(1, "# sum"), Role::Comment);
        assert_eq!(role(2, "return"), Role::Keyword);
        assert_eq!(role(2, "10"), Role::Number);
        assert_eq!(role(2, "\"no"), Role::String);
        assert_eq!(role(2, "+"), Role::Text);
    }

    #[test]
    fn yaml_has_colours_of_its_own() {
        let lines = lines("test_a.yaml", "# why\nname: \"x\"\n");
        assert!(lines[0].spans.iter().any(|(.., role)| *role == Role::Comment), "{lines:?}");
        assert!(lines[1].spans.iter().any(|(.., role)| *role == Role::Name), "{lines:?}");
    }

    #[test]
    fn the_pieces_of_a_line_are_the_line_again() {
        for line in python_lines("x = 'a\tb' # ☃\n\tif x:\n").iter() {
            assert_eq!(line.bits().iter().map(|b| b.text.as_str()).collect::<String>(), line.text);
            assert!(!line.text.contains('\t'));
        }
    }
}
