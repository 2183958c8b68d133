//! The words of a clause: text into tokens, and the many ways to say a thing rewritten into the one the grammar knows.

/// A token with the place in the text where it begins, in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub at: usize,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A word of the sentence, or a name without back-ticks.
    Word(String),
    /// A name in back-ticks.
    Name(String),
    /// A quoted text.
    Text(String),
    /// A number as written.
    Number(String),
    /// What stands between the slashes of `/…/`.
    Pattern(String),
    /// One of [`SIGNS`].
    Sign(&'static str),
}

/// Longer ones first.
const SIGNS: &[&str] = &["==", "!=", "<=", ">=", "=", "<", ">", ",", "(", ")", "[", "]", "{", "}", ":"];

/// Left: how people say it; right: how the grammar does. Applied in this order, each wherever it stands; `^` only at the start.
const REWRITES: &[(&str, &str)] = &[
    ("^make sure that", ""),
    ("^make sure", ""),
    ("^ensure that", ""),
    ("^ensure", ""),
    ("^check that", ""),
    ("^verify that", ""),
    ("^it", ""),
    ("isn't", "is not"),
    ("doesn't", "does not"),
    ("mustn't", "must not"),
    ("shouldn't", "must not"),
    ("can't", "must not"),
    ("cannot", "must not"),
    ("has to", "must"),
    ("have to", "must"),
    ("needs to", "must"),
    ("should", "must"),
    ("shall", "must"),
    ("may not", "must not"),
    ("can not", "must not"),
    ("must only be called", "is called only"),
    ("may only be called", "is called only"),
    ("can only be called", "is called only"),
    ("is only called", "is called only"),
    ("must not be called", "is not called"),
    ("must never be called", "is not called"),
    ("is never called", "is not called"),
    ("are never called", "is not called"),
    ("are not called", "is not called"),
    ("must be called", "is called"),
    ("may be called", "is called"),
    ("can be called", "is called"),
    ("gets called", "is called"),
    ("are called", "is called"),
    ("was called", "is called"),
    ("does not call", "never calls"),
    ("do not call", "never calls"),
    ("must not call", "never calls"),
    ("must never call", "never calls"),
    ("never call", "never calls"),
    ("must call", "calls"),
    ("^call", "calls"),
    ("must happen before", "is called before"),
    ("happens before", "is called before"),
    ("comes before", "is called before"),
    ("must precede", "is called before"),
    ("precedes", "is called before"),
    ("must be followed by", "is followed by"),
    ("must return", "returns"),
    ("throws", "raises"),
    ("must raise", "raises"),
    ("must not raise", "never raises"),
    ("must never raise", "never raises"),
    ("does not raise", "never raises"),
    ("must not change", "does not change"),
    ("must never change", "does not change"),
    ("never changes", "does not change"),
    ("does not modify", "does not change"),
    ("does not mutate", "does not change"),
    ("whenever", "if"),
    ("when", "if"),
    ("^once", "if"),
    ("no more than", "at most"),
    ("not more than", "at most"),
    ("a single time", "once"),
    ("only from", "only inside"),
];

/// Cuts a sentence into tokens.
///
/// # Errors
///
/// The place of what is no token, in bytes.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, usize> {
    let mut out: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let after_matches =
            matches!(out.last(), Some(Token { kind: Kind::Word(word), .. }) if word.eq_ignore_ascii_case("matches"));
        let (kind, used) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if c == '`' {
            let name = rest[1..].split_once('`').map(|(name, _)| name).filter(|name| is_name(name)).ok_or(at)?;
            (Kind::Name(name.to_owned()), name.len() + 2)
        } else if c == '"' || c == '\'' {
            let (value, used) = quoted(rest, c).ok_or(at)?;
            (Kind::Text(value), used)
        } else if c == '/' && after_matches {
            let (value, used) = quoted(rest, '/').ok_or(at)?;
            (Kind::Pattern(value), used)
        } else if c.is_ascii_digit() || (c == '-' && rest[1..].starts_with(|next: char| next.is_ascii_digit())) {
            let used = number(rest);
            let is_float = rest[..used].contains(['.', 'e', 'E']);
            if is_float && rest[..used].replace('_', "").parse::<f64>().is_ok_and(f64::is_infinite) {
                return Err(at);
            }
            (Kind::Number(rest[..used].to_owned()), used)
        } else if c.is_alphabetic() || c == '_' {
            let used = word(rest);
            (Kind::Word(rest[..used].to_owned()), used)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Kind::Sign(sign), sign.len())
        } else if matches!(c, '.' | ';') && rest[1..].trim().is_empty() {
            break;
        } else {
            return Err(at);
        };
        out.push(Token { at, kind });
        at += used;
    }
    Ok(out)
}

/// Reads a quoted text and how many bytes it took; a backslash keeps what follows it, in a pattern itself too.
fn quoted(rest: &str, quote: char) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut chars = rest.char_indices();
    chars.next();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return Some((value, at + c.len_utf8())),
            '\\' => {
                let (_, next) = chars.next()?;
                match (quote, next) {
                    ('/', '/') => value.push('/'),
                    ('/', next) => value.extend(['\\', next]),
                    (_, 'n') => value.push('\n'),
                    (_, 't') => value.push('\t'),
                    (_, 'r') => value.push('\r'),
                    (_, 'x' | 'u' | 'U') => match by_number(next, chars.as_str()) {
                        Some((told, digits)) => {
                            value.push(told);
                            chars.by_ref().take(digits).for_each(drop);
                        }
                        None => value.push(next),
                    },
                    (_, next) => value.push(next),
                }
            }
            c => value.push(c),
        }
    }
    None
}

/// Reads the character that Python would write as `\x1b`, `\u200b` or `\U000e0001`, and how many digits that took.
fn by_number(kind: char, rest: &str) -> Option<(char, usize)> {
    let digits = match kind {
        'x' => 2,
        'u' => 4,
        _ => 8,
    };
    let number = rest.get(..digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((char::from_u32(u32::from_str_radix(number, 16).ok()?)?, digits))
}

fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
    let mut end = digits(usize::from(bytes[0] == b'-'));
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    end
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_') && word(text) == text.len()
}

/// A word or a dotted name: `doesn't`, `Db.save`, `shop.cart:Cart.total`.
fn word(rest: &str) -> usize {
    let mut end = 0;
    for (at, c) in rest.char_indices() {
        let next = rest[at + c.len_utf8()..].chars().next();
        let joins = matches!(c, '.' | ':' | '\'') && next.is_some_and(|next| next.is_alphabetic() || next == '_');
        if !(c.is_alphanumeric() || c == '_' || joins) {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

/// Says it in the grammar's words.
pub(super) fn rewritten(mut tokens: Vec<Token>) -> Vec<Token> {
    for (said, meant) in REWRITES {
        let (start_only, said) = said.strip_prefix('^').map_or((false, *said), |said| (true, said));
        let said: Vec<&str> = said.split(' ').collect();
        let mut at = 0;
        while at + said.len() <= tokens.len() {
            let here = said.iter().zip(&tokens[at..]).all(|(word, token)| token.is(word));
            if here {
                let place = tokens[at].at;
                let instead = meant.split_whitespace().map(|word| Token { at: place, kind: Kind::Word(word.to_owned()) });
                tokens.splice(at..at + said.len(), instead);
            }
            if start_only {
                break;
            }
            at += 1;
        }
    }
    tokens
}

impl Token {
    /// Tells whether this is a certain word, however it is capitalised.
    pub(super) fn is(&self, word: &str) -> bool {
        matches!(&self.kind, Kind::Word(own) if own.eq_ignore_ascii_case(word))
    }
}
