//! Literals that a person looks at before they are committed: what looks personal, random or redacted. Knows shapes only, so
//! it may be wrong in either direction; it decides nothing but whether somebody looks.

use std::collections::BTreeSet;

use crate::base::card::is_card;
use crate::base::redact::PLACEHOLDER;
use crate::domain::secret::SHORT;

/// Shorter runs of letters and digits are words.
const TOKEN_MIN: usize = 20;
/// Bits of surprise in each character of what looks random.
const RANDOM_BITS: f64 = 3.5;
/// Domains kept for examples (RFC 2606).
const EXAMPLE_DOMAINS: &[&str] = &["example.com", "example.org", "example.net"];
const EXAMPLE_ENDINGS: &[&str] = &[".test", ".example", ".invalid", ".localhost"];

/// Names what the literals of a Python text look like, each kind once; nothing for a text that anybody may read.
#[must_use]
pub fn looks(text: &str) -> Vec<&'static str> {
    let mut found = BTreeSet::new();
    for literal in literals(text) {
        found.extend(kinds(&literal));
    }
    found.into_iter().collect()
}

/// Lists the contents of string literals as they are written, and numbers long enough to be somebody's.
fn literals(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| matches!(c, '"' | '\'' | '#' | '.' | '_') || c.is_alphanumeric()) {
        let from = &rest[at..];
        let end = match from.as_bytes()[0] {
            b'#' => from.find('\n').unwrap_or(from.len()),
            b'"' | b'\'' => {
                let triple = &from[..1].repeat(3);
                let quotes = if from.starts_with(triple.as_str()) { triple.as_str() } else { &from[..1] };
                let inside = &from[quotes.len()..];
                let end = closing(inside, quotes);
                out.push(inside[..end].to_owned());
                (quotes.len() * 2 + end).min(from.len())
            }
            b'0'..=b'9' | b'.' => {
                let end = number(from);
                // A negative number is nobody's.
                let whole = from[..end].bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
                if whole && !rest[..at].ends_with('-') {
                    out.push(from[..end].replace('_', ""));
                }
                end
            }
            // A name, or the prefix of a text.
            _ => from.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(from.len()),
        };
        rest = &from[end.max(1)..];
    }
    out
}

/// Gives the length of the number that begins a text, with its point, exponent and suffix.
fn number(text: &str) -> usize {
    let is_based = ["0x", "0X", "0b", "0B", "0o", "0O"].iter().any(|base| text.starts_with(base));
    let mut last = ' ';
    let end = text.find(|c: char| {
        let goes_on = c.is_ascii_alphanumeric()
            || matches!(c, '.' | '_')
            || (matches!(c, '+' | '-') && matches!(last, 'e' | 'E') && !is_based);
        last = c;
        !goes_on
    });
    end.unwrap_or(text.len()).max(1)
}

fn closing(inside: &str, quotes: &str) -> usize {
    let mut at = 0;
    while let Some(rest) = inside.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(quotes) {
            return at;
        }
        let mut chars = rest.chars();
        at += chars.next().map_or(0, char::len_utf8);
        if rest.starts_with('\\') {
            at += chars.next().map_or(0, char::len_utf8);
        }
    }
    inside.len()
}

fn kinds(literal: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    if literal.contains(PLACEHOLDER) || literal.contains(SHORT) {
        found.push("a redacted value");
    }
    if literal.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | ',' | ';' | ':' | '(' | ')')).any(is_mail) {
        found.push("an e-mail address");
    }
    if ["/home/", "/Users/", ":\\Users\\", ":\\\\Users\\\\"].iter().any(|home| literal.contains(home)) {
        found.push("a home folder");
    }
    let plain = literal.trim();
    if is_phone(plain) {
        found.push("a phone number");
    }
    if is_card(plain) {
        found.push("a card number");
    }
    if is_iban(plain) {
        found.push("an IBAN");
    }
    if literal.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '+' | '/' | '=')).any(is_random) {
        found.push("a random-looking value");
    }
    found
}

fn is_mail(word: &str) -> bool {
    let Some((name, domain)) = word.split_once('@') else { return false };
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    let labels: Vec<&str> = domain.split('.').collect();
    let is_label = |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let kept = EXAMPLE_DOMAINS.iter().any(|known| domain == *known || domain.ends_with(&format!(".{known}")))
        || EXAMPLE_ENDINGS.iter().any(|ending| domain.ends_with(ending));
    !name.is_empty()
        && labels.len() > 1
        && labels.iter().all(is_label)
        && labels.last().is_some_and(|top| top.len() > 1 && top.chars().all(char::is_alphabetic))
        && !kept
}

fn is_phone(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let joints = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '(' | ')' | '/');
    if let Some(rest) = text.strip_prefix('+') {
        return (9..=15).contains(&digits) && rest.chars().all(joints);
    }
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    matches!(shape.as_str(), "(000) 000-0000" | "(000)000-0000" | "000-000-0000" | "000.000.0000" | "000 000 0000")
}

fn is_iban(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| *c != ' ').collect();
    let head = plain.as_bytes();
    if !(15..=34).contains(&plain.len())
        || !plain.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        || !head[..2].iter().all(u8::is_ascii_uppercase)
        || !head[2..4].iter().all(u8::is_ascii_digit)
    {
        return false;
    }
    let turned = plain[4..].chars().chain(plain[..4].chars());
    turned.filter_map(|c| c.to_digit(36)).fold(0, |rest, value| (rest * if value > 9 { 100 } else { 10 } + value) % 97) == 1
}

/// Tells whether a run of characters looks drawn by lot: a hash, a key, a UUID.
fn is_random(run: &str) -> bool {
    let run = run.trim_matches(['=', '-', '_', '/']);
    let has = |wanted: fn(&char) -> bool| run.chars().any(|c| wanted(&c));
    let letters_and_digits = has(|c| c.is_ascii_digit()) && has(|c| c.is_ascii_alphabetic());
    if run.len() < TOKEN_MIN || !letters_and_digits {
        return false;
    }
    let hex = run.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let mixed = has(|c| c.is_ascii_uppercase()) && has(|c| c.is_ascii_lowercase()) && !run.contains('/');
    if hex { run.len() >= 32 && surprise(run) > RANDOM_BITS - 0.5 } else { mixed && surprise(run) > RANDOM_BITS }
}

fn surprise(run: &str) -> f64 {
    let mut counts = [0_u32; 128];
    run.bytes().filter(u8::is_ascii).for_each(|byte| counts[usize::from(byte)] += 1);
    let all = f64::from(counts.iter().sum::<u32>().max(1));
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all).map(|part| -part * part.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_somebody_is_seen() {
        for (text, kind) in [
            ("f('ada@lovelace.org')", "an e-mail address"),
            ("f(\"\"\"Dear <ada.l+x@mail.lovelace.co.uk>,\"\"\")", "an e-mail address"),
            ("f('+44 20 7946 0958')", "a phone number"),
            ("f('(212) 555-0123')", "a phone number"),
            ("f('4111 1111 1111 1111')", "a card number"),
            ("f(5_500_005_555_555_559)", "a card number"),
            ("f(4111111111111111, 'x')", "a card number"),
            ("f(x=[4111111111111111])", "a card number"),
            ("f('DE89 3704 0044 0532 0130 00')", "an IBAN"),
            ("f('/home/ada/notes.txt')", "a home folder"),
            ("f('C:\\\\Users\\\\ada')", "a home folder"),
            ("f(b'dGhpcyBpcyBhIHNlY3JldCB0b2tlbiE5')", "a random-looking value"),
            ("f('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b')", "a random-looking value"),
            ("f('1b4e28ba-2fa1-11d2-883f-0016d3cca427')", "a random-looking value"),
            ("f('[REDACTED:api-key#1]')", "a redacted value"),
        ] {
            assert_eq!(looks(text), [kind], "{text}");
        }
    }

    #[test]
    fn what_anybody_may_read_is_not() {
        for text in [
            "assert f('2024-01-02', 'a@b', 'x@example.com', '@pytest.fixture') == 12345678901234",
            "f('00000000-0000-0000-0000-000000000000', 'tests/pytead/test_pytead_shop__pricing_v2.py')",
            "f('the quick brown fox jumps over 13 lazy dogs', 'AAAAAAAAAAAAAAAAAAAAAAAA1', '192.168.100.200')",
            "f('hello') # ada@lovelace.org",
            "f('https://docs.python.org/3/library/doctest.html', 'en_US.UTF-8', '1.2.3', 'GB00 0000')",
            "f('a\\'b', 'it''s', 0x7fff_ffff_ffff_ffff, 1e-9)",
            "assert ratio(4.516705679377284) == 2.8571428571428568 and f([.4539509814945467, 4539509814945467.5])",
            "f(4111111111111111e-3, 4111111111111111j, 1e+4111111111111111, -4111111111111111, x4111111111111111, 0x4111111111111111)",
            "f('4.516705679377284', '[4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1]', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1')",
            "'never closed",
            "",
        ] {
            assert_eq!(looks(text), Vec::<&str>::new(), "{text}");
        }
    }
}
