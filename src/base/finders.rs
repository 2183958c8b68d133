//! What secrets look like in text: each finder gives the first one of its kind, with where it begins and ends.

use super::bits::{is_random, looks_secret};
use super::card::is_card;
use super::escapes::{is_inside_word, names_in};
use super::forms::{self, FORMS, Form, first_of};
use super::found::{Found, is_placeholder, rank};
use super::names::Holds;
use super::{beside, columns, logins, names, phrases, several, yaml_values};

/// Where the text of a private key begins.
pub(super) const KEY: &str = "-----BEGIN ";

/// Modules of the library whose values hold secrets that only their type tells.
pub(super) const MODULES: [&str; 2] = ["urllib.parse", "http.cookie"];

/// Ways to log in, as headers name them.
pub(super) const SCHEMES: [&str; 4] = ["Bearer ", "bearer ", "Basic ", "basic "];
/// Shorter words behind them are words.
const CREDENTIALS_MIN: usize = 16;

/// Bytes between a name and its value.
const GAP: usize = 6;
/// Entropy, in bits a character, from which on a text is random: of base64 and of hexadecimal digits.
const RANDOM: (f64, f64) = (4.5, 3.0);
/// Shorter texts are not called random.
const RANDOM_MIN: usize = 20;

/// Tells whether a secret of any kind may begin here.
pub(super) fn begins(bytes: &[u8]) -> bool {
    match bytes.first() {
        Some(b'0'..=b'9') => bytes.iter().take(19).filter(|byte| byte.is_ascii_digit()).count() >= 13 || phrases::begins(bytes),
        Some(b':') => bytes.starts_with(b"://") || phrases::begins(bytes),
        // The name of what it is may stand behind it.
        Some(b'v' | b'V') if bytes.get(1..5).is_some_and(|rest| rest.eq_ignore_ascii_case(b"alue")) => true,
        _ => {
            forms::may_begin(bytes)
                || bytes.starts_with(KEY.as_bytes())
                || SCHEMES.iter().chain(&MODULES).any(|begin| bytes.starts_with(begin.as_bytes()))
                || (names::may_begin(bytes)
                    && bytes.iter().take(48).any(|byte| matches!(byte, b'=' | b':' | b',' | b'%' | b';' | b'\t' | b'|' | b'>')))
                || phrases::begins(bytes)
        }
    }
}

/// Tells whether a secret of any kind may begin anywhere.
#[cfg(test)]
pub(super) fn begins_anywhere(bytes: &[u8]) -> bool {
    (0..bytes.len()).any(|at| begins(&bytes[at..]))
}

/// Finds the first secret in a text, from a place on.
pub(super) fn first(text: &str, from: usize) -> Option<Found> {
    let listed = [
        several::first(text, from),
        several::bare(text, from),
        yaml_values::first(text, from),
        columns::first(text, from),
        columns::first_of_elements(text, from),
    ];
    everywhere(text, from).chain(assigned(text, from, false)).chain(listed.into_iter().flatten()).min_by_key(rank)
}

/// Finds the first secret in Python source.
pub(super) fn first_in_source(text: &str, from: usize) -> Option<Found> {
    everywhere(text, from).chain(assigned(text, from, true)).chain(several::first(text, from)).min_by_key(rank)
}

/// Finds the first text that leaves nobody.
pub(super) fn first_outgoing(text: &str, from: usize) -> Option<Found> {
    first_in_source(text, from).into_iter().chain(first_random(text, from)).min_by_key(rank)
}

/// Finds the first text that only chance writes.
pub(super) fn first_random(text: &str, from: usize) -> Option<Found> {
    moved(random(&text[from..]), from)
}

fn moved(found: Option<Found>, by: usize) -> Option<Found> {
    found.map(|(start, end, kind)| (start + by, end + by, kind))
}

fn everywhere(text: &str, from: usize) -> impl Iterator<Item = Found> {
    let rest = &text[from..];
    let formed = |form: &Form| first_of(rest, *form).map(|(start, end)| (start, end, form.3));
    let formed = FORMS.iter().filter_map(formed).min_by_key(rank);
    [
        formed,
        private_key(rest),
        logins::with_scheme(rest),
        logins::alone(rest),
        credentials(rest),
        card(rest),
        beside::first(rest, 0),
        phrases::first(rest),
    ]
    .into_iter()
    .filter_map(move |found| moved(found, from))
}

fn private_key(text: &str) -> Option<Found> {
    let start = text.find(KEY)?;
    let head = &text[start..];
    let named = head.get(..64.min(head.len())).is_some_and(|head| head.contains("PRIVATE KEY"));
    // A text may end within the key.
    let last = head.rfind("-----END ").and_then(|at| Some(at + 9 + head[at + 9..].find("-----")? + 5));
    let end = last.map_or(text.len(), |at| start + at);
    named.then_some((start, end, "private-key"))
}

/// Finds what is sent behind the name of a way to log in: `Bearer x`.
fn credentials(text: &str) -> Option<Found> {
    let of_token = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
    let of = |scheme: &&str| {
        text.match_indices(*scheme).find_map(|(at, _)| {
            let start = at + scheme.len();
            let length = text[start..].find(|c| !of_token(c)).unwrap_or(text.len() - start);
            let is_one = length >= CREDENTIALS_MIN && looks_secret(&text[start..start + length]);
            (is_one && !is_inside_word(&text[..at])).then_some((start, start + length, "credentials"))
        })
    };
    SCHEMES.iter().filter_map(of).min_by_key(rank)
}

/// Finds a card's number: digits in one run or in groups. The digits of a float are none.
fn card(text: &str) -> Option<Found> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        let (mut end, mut grouped) = (at, 0);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'0'..=b'9' => {
                    end = at + 1;
                    grouped = 0;
                }
                b' ' | b'-' if grouped == 0 => grouped = 1,
                _ => break,
            }
            at += 1;
        }
        let is_float = text[end..].strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if !is_float && is_card(&text[start..end]) && stands_alone(text, start, end) {
            return Some((start, end, "card"));
        }
    }
    None
}

/// Tells whether what stands there is no part of a longer word.
pub(super) fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    !is_inside_word(&text[..start]) && !text[..start].ends_with(['_', '.']) && !text[end..].starts_with(inside)
}

/// Finds the first value that stands behind a secret name: `password=x`, `"token": "x"`, `Authorization: Bearer x`. In source
/// only a literal is one, but what stands inside of literals and comments is text.
fn assigned(text: &str, from: usize, source: bool) -> Option<Found> {
    for (start, end) in names_in(text, from) {
        let name = &text[start..end];
        // Telling what a name says takes longer.
        let behind = text[end..].trim_start_matches(' ').as_bytes();
        let is_assigned = behind.iter().take(GAP + 1).any(|byte| matches!(byte, b'=' | b'!' | b':' | b'%'));
        if name.len() >= 3
            && is_assigned
            && let Some(holds) = names::holds(name)
            && let Some((at, to)) = value(&text[end..], source && (is_key(&text[end..]) || !in_text(text, start)))
            && is_held(holds, &text[end + at..end + to])
        {
            return Some((end + at, end + to, "assigned"));
        }
    }
    None
}

/// Tells whether what is assigned to a name is a secret of those that it holds, and not how many there are.
fn is_held(holds: Holds, value: &str) -> bool {
    match holds {
        Holds::One => true,
        Holds::Several => !value.bytes().all(|byte| byte.is_ascii_digit()),
        Holds::PerhapsSeveral => is_random(value),
    }
}

/// Tells whether a place of Python source lies inside a literal of several words, or a comment.
fn in_text(source: &str, place: usize) -> bool {
    let bytes = source.as_bytes();
    let (mut at, mut open): (usize, Option<&[u8]>) = (0, None);
    while at < place {
        let rest = &bytes[at..];
        match open {
            Some(quote) if rest.starts_with(quote) => {
                at += quote.len();
                open = None;
            }
            Some(quote) if rest[0] == b'\n' && quote.len() == 1 => {
                at += 1;
                open = None;
            }
            Some(_) => at += if rest[0] == b'\\' { 2 } else { 1 },
            None => {
                let quotes: [&[u8]; 5] = [b"\"\"\"", b"'''", b"\"", b"'", b"#"];
                let found = quotes.into_iter().find(|quote| rest.starts_with(quote));
                at += found.map_or(1, <[u8]>::len);
                // A comment ends with its line.
                open = found.map(|quote| if quote == b"#" { b"\n" as &[u8] } else { quote });
            }
        }
    }
    open.is_some()
}

/// Tells whether a name that has just ended is all of a literal: its value stands outside.
fn is_key(rest: &str) -> bool {
    rest.starts_with(['"', '\''])
}

/// Finds the value of a name that has just ended.
fn value(rest: &str, source: bool) -> Option<(usize, usize)> {
    // What closes the name: a quote, a bracket; names may be aligned by spaces.
    let mut at = rest.find(|c: char| !matches!(c, '"' | '\'' | ']' | ' ' | '\\'))?;
    if rest[..at].bytes().filter(|byte| *byte != b' ').count() > GAP {
        return None;
    }
    let assign = match rest.as_bytes()[at] {
        b'=' | b'!' => true,
        b':' => false,
        b'%' if rest[at..].get(..3).is_some_and(|sign| sign.eq_ignore_ascii_case("%3D")) => {
            at += 3;
            true
        }
        _ => return None,
    };
    let quoted_name = rest.starts_with(['"', '\'', '\\']);
    at += rest[at..].find(|c: char| !matches!(c, '=' | '!' | ':' | '>' | ' '))?;
    if source && !assign && !quoted_name {
        // An annotation: the value comes after it.
        let line = rest[at..].lines().next()?;
        let equals = line.find('=').filter(|equals| !line[..*equals].contains(['(', ',', ')', '"', '\'']))?;
        at += equals + 1;
        at += rest[at..].find(|c: char| c != ' ')?;
    }
    // A literal may stand on the next line, or in a call: `SecretStr('x')`.
    let held = rest[at..].trim_start_matches(|c: char| c.is_whitespace());
    if held.starts_with(['"', '\'']) {
        at = rest.len() - held.len();
    } else if let Some((called, inside)) = rest[at..].split_once('(')
        && called.ends_with("Str")
        && called.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && inside.starts_with(['"', '\''])
    {
        at = rest.len() - inside.len();
    }
    let begin = rest[at..].trim_start_matches(['b', 'r', 'f', 'u', 'B', 'R', 'F', 'U', '\\']);
    let quote = begin.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        at = rest.len() - begin.len();
        let opening = if begin.starts_with(&quote.to_string().repeat(3)) { 3 } else { 1 };
        let inside = &begin[opening..];
        let end = inside.find([quote, '\n']).unwrap_or(inside.len());
        let text = inside[..end].trim_end_matches('\\');
        return (text.len() >= 2 && !is_placeholder(text)).then_some((at + opening, at + opening + text.len()));
    }
    if source {
        return None;
    }
    for scheme in SCHEMES.into_iter().chain(["Token "]) {
        if rest[at..].starts_with(scheme) {
            at += scheme.len();
        }
    }
    let word = &rest[at..];
    let end = word
        .find(|c: char| c.is_whitespace() || matches!(c, '&' | ',' | ';' | '"' | '\'' | '}' | ')' | ']' | '<'))
        .unwrap_or(word.len());
    let word = word[..end].split("%26").next().unwrap_or_default();
    // After a colon there is often a sentence: its words are plain.
    let odd = |c: char| c.is_ascii_digit() || !c.is_alphanumeric();
    let mut but_last = word.chars();
    but_last.next_back();
    let looks = if assign { word.len() >= 3 } else { word.len() >= 6 && but_last.as_str().contains(odd) };
    let plain = matches!(word, "None" | "True" | "False" | "null" | "true" | "false") || word.starts_with(['[', '‹', '<', '(']);
    // A text may be code: `password = getpass()`.
    let of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let is_call =
        word.split_once('(').is_some_and(|(called, _)| called.starts_with(char::is_alphabetic) && called.chars().all(of_path));
    let plain = plain || is_call || word.starts_with("self.");
    let all_digits = word.bytes().all(|byte| byte.is_ascii_digit());
    (looks && !plain && !(assign && all_digits && word.len() < 4)).then_some((at, at + word.len()))
}

/// Finds a text that only chance writes: as long and as mixed as keys are. Names of the code and ids are not.
fn random(text: &str) -> Option<Found> {
    let of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '-' | '=');
    let mut from = 0;
    while let Some(at) = text[from..].find(of_word) {
        let start = from + at;
        let end = text[start..].find(|c| !of_word(c)).map_or(text.len(), |at| start + at);
        from = end;
        let word = &text[start..end];
        if word.len() < RANDOM_MIN || is_uuid(word) {
            continue;
        }
        let hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mixed = word.bytes().any(|b| b.is_ascii_digit()) && (hex || word.bytes().any(|b| b.is_ascii_uppercase()));
        if mixed && entropy(word) >= if hex { RANDOM.1 } else { RANDOM.0 } {
            return Some((start, end, "random"));
        }
    }
    None
}

fn is_uuid(word: &str) -> bool {
    word.len() == 36 && word.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

/// Shannon's entropy, in bits a character.
fn entropy(word: &str) -> f64 {
    let mut counts = [0_u32; 256];
    word.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = f64::from(u32::try_from(word.len()).unwrap_or(u32::MAX));
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all).map(|share| -share * share.log2()).sum()
}

/// Reads the assignments of a `.env` file: `NAME=value`, `export NAME="value"`.
pub(super) fn assignments(text: &str) -> impl Iterator<Item = (String, String)> + '_ {
    text.lines().filter_map(|line| {
        let line = line.trim().strip_prefix("export ").unwrap_or(line.trim());
        let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
        let value = value.trim();
        let quoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.split(*quote).next());
        let bare = value.split(" #").next().unwrap_or_default().trim_end();
        Some((name.trim().to_owned(), quoted.unwrap_or(bare).to_owned()))
    })
}
