//! Python expressions as small trees, and how they are broken into lines: 88 columns, the way `black` does it.
//!
//! What the expressions mean is `build.rs`; this page only knows brackets, commas and quotes.

use crate::base::text;
use crate::domain::value::python_float;

/// Columns of a line, as `black` and `ruff format` count them.
pub const WIDTH: usize = 88;

/// From so many numbers on a list has as many in a line as there is room for.
const FILLED: usize = 16;

/// A Python expression.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Expr {
    /// A name, a number or an operation: never broken.
    Atom(String),
    /// A string; a long one is broken into pieces that stand one below the other in parentheses.
    Text(String),
    /// Something in brackets: a list, a dict, a call, an index. `open` holds what stands before the bracket too.
    Bracket { open: String, items: Vec<Item>, close: char, one_tuple: bool },
    /// A call, and a call of a method of what it gives or a part of that: `pd.DataFrame(…)` and `.astype(…)`.
    Chain(Box<Expr>, Box<Expr>),
}

/// One item between brackets, with what stands before it: `name=`, `"key": `, `**`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// `name=`, `key: `, `*` or nothing.
    pub prefix: String,
    /// The value.
    pub value: Expr,
}

impl Expr {
    /// Makes an expression that is never broken.
    #[must_use]
    pub fn atom(text: impl Into<String>) -> Self {
        Self::Atom(text.into())
    }

    /// Makes a call with positional arguments.
    #[must_use]
    pub fn call(callee: &str, args: Vec<Expr>) -> Self {
        Self::call_with(callee, args.into_iter().map(Item::from).collect())
    }

    /// Makes a call with any arguments.
    #[must_use]
    pub fn call_with(callee: &str, items: Vec<Item>) -> Self {
        Self::Bracket { open: format!("{callee}("), items, close: ')', one_tuple: false }
    }

    /// Makes a list.
    #[must_use]
    pub fn list(items: Vec<Expr>) -> Self {
        Self::Bracket { open: "[".into(), items: items.into_iter().map(Item::from).collect(), close: ']', one_tuple: false }
    }

    /// Makes a tuple.
    #[must_use]
    pub fn tuple(items: Vec<Expr>) -> Self {
        let one_tuple = items.len() == 1;
        Self::Bracket { open: "(".into(), items: items.into_iter().map(Item::from).collect(), close: ')', one_tuple }
    }

    /// Makes a dict.
    #[must_use]
    pub fn dict(pairs: Vec<(Expr, Expr)>) -> Self {
        let items = pairs.into_iter().map(|(key, value)| Item { prefix: format!("{}: ", key.flat()), value }).collect();
        Self::Bracket { open: "{".into(), items, close: '}', one_tuple: false }
    }

    /// Makes a call of a method of what this gives, or reads a part of it; `call` begins with the dot or the bracket.
    #[must_use]
    pub fn then(self, call: Self) -> Self {
        Self::Chain(Box::new(self), Box::new(call))
    }

    /// Writes the expression on one line.
    #[must_use]
    pub fn flat(&self) -> String {
        match self {
            Self::Atom(text) => text.clone(),
            Self::Text(text) => string(text),
            Self::Bracket { open, items, close, one_tuple } => {
                let items: Vec<String> = items.iter().map(|item| format!("{}{}", item.prefix, item.value.flat())).collect();
                format!("{open}{}{}{close}", items.join(", "), if *one_tuple { "," } else { "" })
            }
            Self::Chain(first, then) => first.flat() + &then.flat(),
        }
    }

    /// Writes the expression between a prefix and a suffix, `indent` columns in, broken where it is too long.
    #[must_use]
    pub fn lines(&self, indent: usize, prefix: &str, suffix: &str) -> Vec<String> {
        let margin = " ".repeat(indent);
        let one = format!("{margin}{prefix}{}{suffix}", self.flat());
        if text::width(&one) <= WIDTH {
            return vec![one];
        }
        match self {
            Self::Atom(_) => vec![one],
            Self::Text(text) => {
                let pieces = pieces(text, WIDTH.saturating_sub(indent + 8).max(24));
                if pieces.len() < 2 {
                    return vec![one];
                }
                let mut lines = vec![format!("{margin}{prefix}(")];
                lines.extend(pieces.iter().map(|piece| format!("{margin}    {}", string(piece))));
                lines.push(format!("{margin}){suffix}"));
                lines
            }
            Self::Chain(first, then) => {
                let open = if let Self::Bracket { open, .. } = &**then { open } else { "" };
                let mut lines = first.lines(indent, prefix, open);
                let last = lines.pop().unwrap_or_default();
                lines.extend(then.lines(indent, last.trim_start().strip_suffix(open).unwrap_or_default(), suffix));
                lines
            }
            Self::Bracket { items, .. } if items.is_empty() => vec![one],
            Self::Bracket { open, items, close, .. } if open == "[" && items.len() > FILLED && items.iter().all(is_number) => {
                let mut lines = vec![format!("{margin}{prefix}{open}"), format!("{margin}   ")];
                for item in items {
                    let item = item.value.flat();
                    let line = lines.pop().unwrap_or_default();
                    let longer = format!("{line} {item},");
                    if text::width(&longer) <= WIDTH {
                        lines.push(longer);
                    } else {
                        lines.extend([line, format!("{margin}    {item},")]);
                    }
                }
                lines.push(format!("{margin}{close}{suffix}"));
                lines
            }
            Self::Bracket { open, items, close, one_tuple } => {
                let mut lines = vec![format!("{margin}{prefix}{open}")];
                let inside: Vec<String> = items.iter().map(|item| format!("{}{}", item.prefix, item.value.flat())).collect();
                let body = format!("{margin}    {}{}", inside.join(", "), if *one_tuple { "," } else { "" });
                // A call's arguments may share a line of their own; the items of a literal never do.
                let is_literal = open.len() == 1 && items.len() > 1;
                if text::width(&body) <= WIDTH && !is_literal {
                    lines.push(body);
                } else if let ([Item { prefix, value: Self::Text(text) }], true) =
                    (items.as_slice(), *close == ')' && open.len() > 1)
                    && prefix.is_empty()
                {
                    // The call's own parentheses hold the pieces together.
                    let pieces = pieces(text, WIDTH.saturating_sub(indent + 8).max(24));
                    lines.extend(pieces.iter().map(|piece| format!("{margin}    {}", string(piece))));
                } else {
                    let comma = if items.len() > 1 || *one_tuple { "," } else { "" };
                    for item in items {
                        lines.extend(item.value.lines(indent + 4, &item.prefix, comma));
                    }
                }
                lines.push(format!("{margin}{close}{suffix}"));
                lines
            }
        }
    }
}

impl From<Expr> for Item {
    fn from(value: Expr) -> Self {
        Self { prefix: String::new(), value }
    }
}

impl Item {
    /// Makes a keyword argument.
    #[must_use]
    pub fn keyword(name: &str, value: Expr) -> Self {
        Self { prefix: format!("{name}="), value }
    }
}

fn is_number(item: &Item) -> bool {
    matches!(&item.value, Expr::Atom(text) if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') && item.prefix.is_empty())
}

/// Cuts a long string after its line ends, and else after spaces, into pieces of about `width` columns.
fn pieces(text: &str, width: usize) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.split_inclusive('\n') {
        let mut piece = String::new();
        for word in line.split_inclusive(' ') {
            if !piece.is_empty() && text::width(&string(&format!("{piece}{word}"))) > width {
                out.push(std::mem::take(&mut piece));
            }
            piece.push_str(word);
        }
        out.push(piece);
    }
    out
}

/// Gives the parameters and the body of a lambda's text; `None` for other expressions, and for lambdas in its parameters.
#[must_use]
pub fn lambda(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("lambda").filter(|rest| rest.starts_with([' ', ':']))?;
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ':') if depth == 0 => {
                let (parameters, body) = (rest[..at].trim(), rest[at + 1..].trim());
                return (!parameters.contains("lambda") && !body.is_empty()).then_some((parameters, body));
            }
            _ => {}
        }
    }
    None
}

/// Writes a string literal: printable characters stay, the others are escaped, quotes as `black` chooses them.
#[must_use]
pub fn string(text: &str) -> String {
    let quote = if text.contains('"') && !text.contains('\'') { '\'' } else { '"' };
    let mut out = String::new();
    out.push(quote);
    for c in text.chars() {
        character(&mut out, c, quote);
    }
    out.push(quote);
    out
}

fn character(out: &mut String, c: char, quote: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\\' => out.push_str("\\\\"),
        c if c == quote => {
            out.push('\\');
            out.push(c);
        }
        ' '..='~' => out.push(c),
        c if is_printable(c) => out.push(c),
        c => escape(out, c as u32),
    }
}

fn escape(out: &mut String, code: u32) {
    out.push_str(&match code {
        0..=0xff => format!("\\x{code:02x}"),
        0x100..=0xffff => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    });
}

/// A character that can stand in source text and be seen there.
fn is_printable(c: char) -> bool {
    let private = matches!(c as u32, 0xe000..=0xf8ff | 0xf_0000.. | 0xfff0..=0xffff);
    let mut buffer = [0; 4];
    let text: &str = c.encode_utf8(&mut buffer);
    !c.is_control() && !c.is_whitespace() && !private && text::display_line(text) == text
}

/// Writes a string literal from `surrogatepass` UTF-8.
#[must_use]
pub fn raw_string(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    let mut rest = bytes;
    while !rest.is_empty() {
        let valid = match std::str::from_utf8(rest) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
        };
        for c in valid.chars() {
            character(&mut out, c, '"');
        }
        rest = &rest[valid.len()..];
        if let [a, b, c, tail @ ..] = rest {
            escape(&mut out, (u32::from(a & 0x0f) << 12) | (u32::from(b & 0x3f) << 6) | u32::from(c & 0x3f));
            rest = tail;
        } else {
            for byte in std::mem::take(&mut rest) {
                escape(&mut out, u32::from(*byte));
            }
        }
    }
    out.push('"');
    out
}

/// Writes a bytes literal.
#[must_use]
pub fn bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'"') && !bytes.contains(&b'\'') { '\'' } else { '"' };
    let mut out = format!("b{quote}");
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            b'\\' => out.push_str("\\\\"),
            byte if char::from(*byte) == quote => {
                out.push('\\');
                out.push(quote);
            }
            0x20..0x7f => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push(quote);
    out
}

/// Writes a finite float as `repr` does, but for the `+` that formatters take out; infinities and NaN have no literal.
#[must_use]
pub fn float(number: f64) -> Option<String> {
    number.is_finite().then(|| python_float(number).replace("e+", "e"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_black_does_and_keep_what_can_be_read() {
        for (text, literal) in [
            ("plain", r#""plain""#),
            ("say \"hi\"", r#"'say "hi"'"#),
            ("it's \"both\"", r#""it's \"both\"""#),
            ("Grüße 漢字 \u{1f600}", "\"Grüße 漢字 \u{1f600}\""),
            ("a\u{a0}b\u{200b}\x1b\n", r#""a\xa0b\u200b\x1b\n""#),
            ("\u{e000}\u{10ffff}", r#""\ue000\U0010ffff""#),
        ] {
            assert_eq!(string(text), literal);
        }
        assert_eq!(raw_string(b"a\xed\xa0\x80\"b"), r#""a\ud800\"b""#);
        assert_eq!(bytes(b"a\"\x00\n"), r#"b'a"\x00\n'"#);
    }

    #[test]
    fn a_lambda_comes_apart_at_its_colon() {
        assert_eq!(lambda("lambda x, y={1: 2}: x[1:] or ':'"), Some(("x, y={1: 2}", "x[1:] or ':'")));
        assert_eq!(lambda("lambda: 3"), Some(("", "3")));
        for other in ["lambdas: 3", "lambda f=lambda: 1: f", "f(lambda: 1)"] {
            assert_eq!(lambda(other), None, "{other}");
        }
    }

    #[test]
    fn what_fits_stays_on_a_line_and_what_does_not_is_broken_from_outside_in() {
        let number = |n: usize| Expr::atom(format!("{}", 10_usize.pow(17) + n));
        let short = Expr::list(vec![number(1), number(2)]);
        assert_eq!(short.lines(4, "assert result == ", ""), ["    assert result == [100000000000000001, 100000000000000002]"]);
        let middle = |open: &str| match Expr::list((0..4).map(number).collect()) {
            Expr::Bracket { items, .. } => Expr::call_with(open, items),
            other => other,
        };
        assert_eq!(
            middle("f").lines(4, "assert result == ", ""),
            [
                "    assert result == f(",
                "        100000000000000000, 100000000000000001, 100000000000000002, 100000000000000003",
                "    )",
            ]
        );
        assert_eq!(middle("").lines(4, "assert result == ", "").len(), 6, "the items of a literal stand one below the other");
        let long = Expr::call_with(
            "Cart",
            vec![
                Item::keyword("items", Expr::list((0..5).map(number).collect())),
                Item::keyword("owner", Expr::Text("Ada".into())),
            ],
        );
        assert_eq!(
            long.lines(4, "cart = ", ""),
            [
                "    cart = Cart(",
                "        items=[",
                "            100000000000000000,",
                "            100000000000000001,",
                "            100000000000000002,",
                "            100000000000000003,",
                "            100000000000000004,",
                "        ],",
                "        owner=\"Ada\",",
                "    )",
            ]
        );
    }

    #[test]
    fn a_call_of_what_a_call_gives_is_broken_at_the_last_bracket_that_the_head_reaches() {
        let text = |length: usize| Expr::Text("a".repeat(length));
        let found = |pattern| Expr::call("re.compile", vec![text(pattern)]).then(Expr::call(".match", vec![text(30)]));
        let lines = |pattern| found(pattern).lines(4, "found = ", "").iter().map(|line| line.trim().len()).collect::<Vec<_>>();
        let pattern = 40;
        assert_eq!(
            lines(pattern),
            ["found = re.compile(\"\").match(".len() + pattern, 32, 1],
            "the head fits: {:?}",
            found(pattern)
        );
        let pattern = 62;
        assert_eq!(lines(pattern), ["found = re.compile(".len(), pattern + 2, ").match(\"\")".len() + 30]);
    }

    #[test]
    fn a_long_text_is_shown_line_by_line() {
        let text = Expr::Text(format!("{}\n{}\n", "a".repeat(60), "b".repeat(60)));
        assert_eq!(
            text.lines(4, "assert result == ", ""),
            [
                "    assert result == (".to_owned(),
                format!("        \"{}\\n\"", "a".repeat(60)),
                format!("        \"{}\\n\"", "b".repeat(60)),
                "    )".to_owned(),
            ]
        );
    }
}
