//! Literals that belong to a secret name although code stands between the two.

use std::ops::Range;

use tree_sitter::Node;

use super::literals;
use crate::base::bits::is_random;
use crate::base::redact::{Holds, holds, is_often_none};

/// Calls that give what they are given in another form.
const FORMING: [&str; 12] = [
    "str",
    "bytes",
    "bytearray",
    "fromhex",
    "unhexlify",
    "b64decode",
    "urlsafe_b64decode",
    "SecretStr",
    "SecretBytes",
    "join",
    "encode",
    "strip",
];
/// Calls whose second argument is taken where there is no value of the name.
const DEFAULTING: [&str; 5] = ["get", "getenv", "pop", "setdefault", "getattr"];

/// Adds what a statement or an expression gives to a secret name, or compares with it.
pub(super) fn of(node: Node<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "assignment" | "augmented_assignment" | "for_statement" | "for_in_clause" => {
            if let (Some(left), Some(right)) = (field("left"), field("right")) {
                let is_loop = node.kind().starts_with("for");
                // Of a plain literal behind its name the text alone tells enough.
                let is_told = node.kind() == "assignment" && left.kind() != "subscript" && is_plain(right);
                if !is_told {
                    assigned(left, right, is_loop, text, found);
                }
            }
        }
        "named_expression" | "keyword_argument" | "default_parameter" => {
            if let (Some(name), Some(value)) = (field("name"), field("value"))
                && (node.kind() == "named_expression" || !is_plain(value))
            {
                values(name, value, text, found);
            }
        }
        "pair" => {
            if let (Some(key), Some(value)) = (field("key"), field("value"))
                && !is_plain(value)
            {
                values(key, value, text, found);
            }
        }
        "comparison_operator" => {
            let mut cursor = node.walk();
            let sides: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            for two in sides.windows(2) {
                values(two[0], two[1], text, found);
                values(two[1], two[0], text, found);
            }
        }
        "match_statement" => {
            if let (Some(subject), Some(body)) = (field("subject"), field("body")) {
                let mut cursor = body.walk();
                for case in body.named_children(&mut cursor).filter(|child| child.kind() == "case_clause") {
                    let mut cursor = case.walk();
                    case.named_children(&mut cursor).for_each(|pattern| patterns(subject, pattern, text, found));
                }
            }
        }
        "call" => parametrized(node, text, found),
        _ => {}
    }
}

/// Pairs targets with values, place by place where both have several.
fn assigned(left: Node<'_>, right: Node<'_>, is_loop: bool, text: &str, found: &mut Vec<Range<usize>>) {
    let targets = parts(left);
    match (is_loop, parts(right)) {
        (true, rows) if targets.len() > 1 => rows.into_iter().for_each(|row| assigned(left, row, false, text, found)),
        (true, rows) if !rows.is_empty() => rows.into_iter().for_each(|row| values(left, row, text, found)),
        (false, items) if targets.len() > 1 && targets.len() == items.len() => {
            targets.into_iter().zip(items).for_each(|(target, item)| values(target, item, text, found));
        }
        _ => values(left, right, text, found),
    }
}

/// The rows of `pytest.mark.parametrize("user,password", […])`, by the names of their columns.
fn parametrized(call: Node<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    let is_it = call.child_by_field_name("function").is_some_and(|function| text[function.byte_range()].ends_with("parametrize"));
    let arguments = call.child_by_field_name("arguments").filter(|_| is_it);
    let Some((names, rows)) = arguments.and_then(|all| Some((all.named_child(0)?, all.named_child(1)?))) else { return };
    let inner: Vec<&str> = match names.kind() {
        "string" => text[names.byte_range()].trim_matches(['"', '\'']).split(',').map(str::trim).collect(),
        _ => parts(names).into_iter().map(|name| text[name.byte_range()].trim_matches(['"', '\''])).collect(),
    };
    for row in parts(rows) {
        let row = if row.kind() == "call" { row.child_by_field_name("arguments").unwrap_or(row) } else { row };
        let columns = if inner.len() == 1 && row.kind() != "argument_list" { vec![row] } else { parts(row) };
        inner.iter().zip(columns).for_each(|(name, column)| named(name, column, text, found));
    }
}

/// The parts of a tuple, a list, a set, arguments or an expression with commas; none of any other node.
fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let several = ["tuple", "list", "set", "expression_list", "pattern_list", "tuple_pattern", "list_pattern", "argument_list"];
    if !several.contains(&node.kind()) {
        return Vec::new();
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// Adds the literals that one of the alternatives of a value is, if the name is that of a secret.
fn values(name: Node<'_>, value: Node<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    let name = match name.kind() {
        "identifier" | "string" => name,
        "attribute" => name.child_by_field_name("attribute").unwrap_or(name),
        "subscript" => match name.child_by_field_name("subscript") {
            Some(key) if key.kind() == "string" => key,
            _ => return,
        },
        _ => return,
    };
    named(text[name.byte_range()].trim_matches(['"', '\'']), value, text, found);
}

fn named(name: &str, value: Node<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    let Some(holds) = holds(name) else { return };
    let first = found.len();
    alternatives(value, text, found);
    let needs_chance = holds == Holds::PerhapsSeveral || is_often_none(name);
    let mut at = 0;
    found.retain(|range| {
        at += 1;
        let literal = &text[range.clone()];
        let is_number = literal.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        // A separator or the place in a format is none.
        let has_letters = literal.chars().filter(|c| c.is_alphanumeric()).count() > 1;
        let is_one = if is_number { holds == Holds::One && literal.len() > 3 } else { has_letters };
        at <= first || (is_one && (!needs_chance || is_random(literal)))
    });
}

/// Goes down to the literals that a value may be: `a or "…"`, `"…" if a else b`, `os.environ.get("A", "…")`, `"".join(["…"])`.
fn alternatives(value: Node<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    let mut open = vec![value];
    while let Some(node) = open.pop() {
        let mut cursor = node.walk();
        match node.kind() {
            "boolean_operator" | "parenthesized_expression" | "conditional_expression" | "await" => {
                // The second part of `a if b else c` is its condition.
                let is_choice = node.kind() == "conditional_expression";
                let inner = node.named_children(&mut cursor).enumerate();
                open.extend(inner.filter(|(at, _)| !is_choice || *at != 1).map(|(_, child)| child));
            }
            "named_expression" => open.extend(node.child_by_field_name("value")),
            "call" => {
                let Some(function) = node.child_by_field_name("function") else { continue };
                let name = function.child_by_field_name("attribute").unwrap_or(function);
                let Some(arguments) = node.child_by_field_name("arguments") else { continue };
                let name = &text[name.byte_range()];
                if FORMING.contains(&name) {
                    open.extend(function.child_by_field_name("object"));
                    open.extend(arguments.named_children(&mut cursor));
                } else if DEFAULTING.contains(&name) {
                    let place = if name == "getattr" { 2 } else { 1 };
                    let others = arguments.named_children(&mut cursor).skip(place);
                    open.extend(others.map(|argument| argument.child_by_field_name("value").unwrap_or(argument)));
                }
            }
            _ => literals(node, found),
        }
    }
}

/// Adds the literals of a pattern, and of its alternatives.
fn patterns(subject: Node<'_>, pattern: Node<'_>, text: &str, found: &mut Vec<Range<usize>>) {
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "string" | "integer" | "float" => values(subject, node, text, found),
            "case_pattern" | "union_pattern" | "dotted_name" | "as_pattern" => {
                let mut cursor = node.walk();
                open.extend(node.named_children(&mut cursor));
            }
            _ => {}
        }
    }
}

/// Tells whether a value is one literal, or none at all.
fn is_plain(value: Node<'_>) -> bool {
    matches!(value.kind(), "string" | "integer" | "float" | "identifier" | "attribute" | "none" | "true" | "false")
}

#[cfg(test)]
mod tests {
    use super::super::given;

    fn found(source: &str) -> Vec<&str> {
        given(source, &|_, _| None).into_iter().map(|range| &source[range]).collect()
    }

    #[test]
    fn code_between_a_secret_name_and_its_literal_hides_nothing() {
        let secret = "k3yZq81x";
        for source in [
            "user, password = 'ada', 'k3yZq81x'",
            "(user, self.password) = ('ada', 'k3yZq81x')",
            "if (password := 'k3yZq81x'): pass",
            "password = read('file') or 'k3yZq81x'",
            "password = 'k3yZq81x' if debug == 'no' else other",
            "password = os.environ.get('NAME', 'k3yZq81x')",
            "password = os.getenv(NAME, default='k3yZq81x')",
            "password += 'k3yZq81x'",
            "password = ''.join(['k3yZq81x'])",
            "password = base64.b64decode(b'k3yZq81x')",
            "password = 'k3yZq81x'.encode()",
            "match password:\n    case 'k3yZq81x':\n        pass",
            "match self.password:\n    case 'k3yZq81x' | None:\n        pass",
            "if password == 'k3yZq81x': pass",
            "assert 'k3yZq81x' != user.password",
            "if password in ('k3yZq81x',): pass",
            "for password in ['k3yZq81x']: pass",
            "for user, password in [('ada', 'k3yZq81x')]: pass",
            "config['password'] = 'k3yZq81x'",
            "login(user='ada', password=given or 'k3yZq81x')",
            "x = {'user': 'ada', 'password': given or 'k3yZq81x'}",
            "@pytest.mark.parametrize('user, password', [('ada', 'k3yZq81x')])\ndef test(user, password): pass",
            "@pytest.mark.parametrize(('user', 'password'), [pytest.param('ada', 'k3yZq81x', id='one')])\ndef test(user, password): pass",
        ] {
            assert_eq!(found(source), [secret], "{source}");
        }
        assert_eq!(found("password = 'k3y' 'Zq81x'"), ["k3y", "Zq81x"]);
        assert_eq!(found("password = ('k3y' + 'Zq81x')"), ["k3y", "Zq81x"]);
    }

    #[test]
    fn what_only_asks_for_a_secret_or_tells_of_one_is_none() {
        for source in [
            "password = getpass('Password: ')",
            "password = request.form['password']",
            "token = request.headers.get('X-Token')",
            "if token == 'end': pass",
            "match token:\n    case '(' | ')':\n        pass",
            "for token in ['if', 'else']: pass",
            "user, age = 'ada', 36",
            "password = one if mode == 'k3yZq81x' else other",
            "password = None or read()",
        ] {
            assert_eq!(found(source), [""; 0], "{source}");
        }
    }
}
