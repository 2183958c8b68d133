//! Values of Python literals, as far as two spellings of one value have to be told to be equal; docstring dedenting.

/// A string literal taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    /// `b"…"`
    pub bytes: bool,
    /// `f"…"` or `t"…"`
    pub formatted: bool,
    /// What it stands for; the raw content for a formatted one.
    pub value: String,
}

/// Reads a string literal from its source.
pub(super) fn string(source: &str) -> Literal {
    let start = source.find(['"', '\'']).unwrap_or(source.len());
    let (prefix, rest) = source.split_at(start);
    let prefix = prefix.to_ascii_lowercase();
    let quote = if rest.len() >= 6 && (rest.starts_with("\"\"\"") || rest.starts_with("'''")) { 3 } else { 1 };
    let content = rest.get(quote..rest.len().saturating_sub(quote)).unwrap_or_default();
    let formatted = prefix.contains(['f', 't']);
    let bytes = prefix.contains('b');
    let value = if formatted || prefix.contains('r') { content.to_owned() } else { unescape(content, bytes) };
    Literal { bytes, formatted, value }
}

fn unescape(content: &str, bytes: bool) -> String {
    if !content.contains('\\') {
        return content.to_owned();
    }
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let (c, used) = escape(tail, bytes);
        match c {
            Escape::Char(c) => out.push(c),
            Escape::Nothing => {}
            Escape::AsWritten => out.push('\\'),
        }
        rest = &tail[used..];
    }
    out.push_str(rest);
    out
}

enum Escape {
    Char(char),
    Nothing,
    AsWritten,
}

/// Reads what follows a backslash: the character and how many bytes it took.
fn escape(tail: &str, bytes: bool) -> (Escape, usize) {
    let simple = |c| (Escape::Char(c), 1);
    let hex = |digits: usize| {
        let code = tail.get(1..=digits).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
        let c = code.and_then(|text| u32::from_str_radix(text, 16).ok()).and_then(char::from_u32);
        c.map_or((Escape::AsWritten, 0), |c| (Escape::Char(c), digits + 1))
    };
    match tail.as_bytes().first() {
        Some(b'\n') => (Escape::Nothing, 1),
        Some(b'\\') => simple('\\'),
        Some(b'\'') => simple('\''),
        Some(b'"') => simple('"'),
        Some(b'a') => simple('\x07'),
        Some(b'b') => simple('\x08'),
        Some(b'f') => simple('\x0c'),
        Some(b'n') => simple('\n'),
        Some(b'r') => simple('\r'),
        Some(b't') => simple('\t'),
        Some(b'v') => simple('\x0b'),
        Some(b'x') => hex(2),
        Some(b'u') if !bytes => hex(4),
        Some(b'U') if !bytes => hex(8),
        Some(b'0'..=b'7') => {
            let digits = tail.bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let c = u32::from_str_radix(&tail[..digits], 8).ok().and_then(char::from_u32);
            c.map_or((Escape::AsWritten, 0), |c| (Escape::Char(c), digits))
        }
        _ => (Escape::AsWritten, 0),
    }
}

/// Writes a number so that equal values of one type read equally: `0x10` and `16`, `1_000.0` and `1e3`.
pub(super) fn number(source: &str) -> String {
    let plain: String = source.chars().filter(|c| *c != '_').collect::<String>().to_ascii_lowercase();
    let radix = |digits: &str, radix| u128::from_str_radix(digits, radix).map_or_else(|_| plain.clone(), |n| n.to_string());
    if let Some(digits) = plain.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = plain.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if let Some(digits) = plain.strip_prefix("0b") {
        return radix(digits, 2);
    }
    if let Some(imaginary) = plain.strip_suffix('j') {
        return imaginary.parse::<f64>().map_or_else(|_| plain.clone(), |n| format!("{n:e}j"));
    }
    if plain.bytes().all(|b| b.is_ascii_digit()) {
        let digits = plain.trim_start_matches('0');
        return if digits.is_empty() { "0".into() } else { digits.into() };
    }
    plain.parse::<f64>().map_or(plain, |n| format!("{n:e}"))
}

/// Dedents a docstring as `inspect.cleandoc` does.
pub(super) fn cleandoc(text: &str) -> String {
    let expanded = expand_tabs(text);
    let mut lines: Vec<&str> = expanded.split('\n').collect();
    let margin =
        lines.iter().skip(1).filter(|line| !line.trim_start().is_empty()).map(|line| indent(line)).min().unwrap_or_default();
    for (index, line) in lines.iter_mut().enumerate() {
        *line = if index == 0 {
            line.trim_start()
        } else {
            let cut = line.char_indices().nth(margin).map_or(line.len(), |(at, _)| at);
            &line[cut..]
        };
    }
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(first, |last| last + 1);
    lines[first..end].join("\n")
}

fn indent(line: &str) -> usize {
    line.chars().count() - line.trim_start().chars().count()
}

fn expand_tabs(text: &str) -> String {
    if !text.contains('\t') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' => {
                let wide = 8 - column % 8;
                out.extend(std::iter::repeat_n(' ', wide));
                column += wide;
            }
            c => {
                out.push(c);
                column = if matches!(c, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_equal_by_value() {
        assert_eq!(string("'a'"), string("u\"\"\"a\"\"\""));
        assert_eq!(string(r"'\x41\n\101\u00e9\\'").value, "A\nAé\\");
        assert_eq!(string(r"r'\n'").value, r"\n");
        assert_eq!(string(r"'\q'").value, r"\q");
        assert_eq!(string("''").value, "");
        assert_ne!(string("b'a'"), string("'a'"));
        assert!(string("Rf'{x}'").formatted);
    }

    #[test]
    fn numbers_are_equal_by_value() {
        for (a, b) in [("0x10", "16"), ("1_000", "1000"), ("1e3", "1000.0"), ("00", "0"), ("1J", "1.0j")] {
            assert_eq!(number(a), number(b), "{a} {b}");
        }
        assert_ne!(number("1"), number("1.0"));
        assert_ne!(number("1"), number("1j"));
    }

    #[test]
    fn docstrings_are_dedented() {
        assert_eq!(cleandoc("  One.\n\n    Two\n      three\n    "), "One.\n\nTwo\n  three");
        assert_eq!(cleandoc("\n\tTabs\n\t\tmore\n"), "Tabs\n        more");
        assert_eq!(cleandoc("   \n  "), "  ", "as CPython has it");
    }
}
