//! What secrets look like in text: each finder gives the first one of its kind, with where it begins and ends.

use super::bits::{is_random, looks_secret};
use super::card::is_card;
use super::escapes::{is_inside_word, names_in};
use super::forms::{self, FORMS, Form, first_of};
use super::found::{Found, floor, is_placeholder, rank};
use super::names::Holds;
use super::{beside, columns, commands, html, laid, logins, names, phrases, several, yaml_values};

/// Where the text of a private key begins: as most write it, as SSH did, and the secret part of PuTTY's with its end.
pub(super) const KEY: &str = "-----BEGIN ";
pub(super) const SSH_KEY: &str = "---- BEGIN SSH2 ";
pub(super) const PUTTY: [&str; 2] = ["Private-Lines: ", "Private-MAC: "];

/// A shorter known value stands alone: inside a word it may be by chance.
pub(super) const ALONE: usize = 8;

/// Modules of the library whose values hold secrets that only their type tells.
pub(super) const MODULES: [&str; 2] = ["urllib.parse", "http.cookie"];

/// Ways to log in, as headers name them.
pub(super) const SCHEMES: [&str; 4] = ["Bearer ", "bearer ", "Basic ", "basic "];
/// Shorter words behind them are words.
const CREDENTIALS_MIN: usize = 16;

/// Letters of a word before a key.
const WORD_BEFORE: usize = 12;
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
                || bytes.starts_with(b"kty")
                || [KEY, SSH_KEY, PUTTY[0]].iter().any(|begin| bytes.starts_with(begin.as_bytes()))
                || SCHEMES.iter().chain(&MODULES).any(|begin| bytes.starts_with(begin.as_bytes()))
                || (names::may_begin(bytes)
                    && bytes.iter().take(48).any(|byte| {
                        matches!(byte, b'=' | b':' | b',' | b'%' | b';' | b'\t' | b'\n' | b'|' | b'>' | b']' | b')' | 0xe2)
                    }))
                || phrases::begins(bytes)
        }
    }
}

/// Tells whether a secret of any kind may begin anywhere.
#[cfg(test)]
pub(super) fn begins_anywhere(bytes: &[u8]) -> bool {
    (0..bytes.len()).any(|at| begins(&bytes[at..]))
}

/// Which secrets a text is looked through for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    /// Those of any text.
    Text,
    /// Those of Python source: of an assignment only a literal is one.
    Source,
    /// Those of source that leaves this machine: long random texts, too.
    Outgoing,
    /// Texts that only chance writes.
    Random,
}

/// What finds the first secret of one kind behind a place, or has found all of them.
enum Find<'t> {
    /// In the rest of a text.
    Rest(fn(&str) -> Option<Found>),
    /// As one of several kinds, in the rest.
    Kind(fn(&str, usize) -> Option<Found>, usize),
    From(fn(&str, usize) -> Option<Found>),
    Form(&'static Form),
    Known(&'t str),
    Assigned(Option<Inside>),
    All(std::vec::IntoIter<Found>),
}

/// A search through a text, from its start to its end. What each finder has found is kept until the search has passed it: a text
/// with very many secrets is not read again for each of them.
pub(super) struct Search<'t> {
    text: &'t str,
    finders: Vec<(Find<'t>, Found)>,
}

impl<'t> Search<'t> {
    /// Begins a search, also for known values.
    pub(super) fn new(text: &'t str, looks: Looks, known: &'t [String]) -> Self {
        let mut all: Vec<Find<'t>> = known.iter().map(|value| Find::Known(value)).collect();
        if matches!(looks, Looks::Outgoing | Looks::Random) {
            all.push(Find::Rest(random));
        }
        if looks != Looks::Random {
            all.extend(FORMS.iter().map(Find::Form));
            all.extend([private_key, logins::with_scheme, logins::alone, logins::oracle].map(Find::Rest));
            all.extend((0..SCHEMES.len()).map(|kind| Find::Kind(credentials, kind)));
            all.extend([Find::Rest(card), Find::From(beside::keyed), Find::From(beside::pair)]);
            all.extend(phrases::FINDERS.map(Find::Rest));
            all.extend((0..commands::FINDERS).map(|kind| Find::Kind(commands::first, kind)));
            all.push(Find::Assigned((looks != Looks::Text).then(|| Inside::new(text))));
            let of_text = || {
                [yaml_values::all(text), columns::all(text), columns::all_of_elements(text), html::all(text), several::all(text)]
                    .concat()
            };
            let mut listed = if looks == Looks::Text { of_text() } else { several::literals(text) };
            listed.extend(laid::in_text(text).into_iter().map(|range| (range.start, range.end, "assigned")));
            listed.sort_by_key(rank);
            all.push(Find::All(listed.into_iter()));
        }
        let finders = all.into_iter().filter_map(|mut find| find.first(text, 0).map(|found| (find, found))).collect();
        Self { text, finders }
    }

    /// Finds the first secret that begins at a place or behind it; the place is never before the last one.
    pub(super) fn next(&mut self, from: usize) -> Option<Found> {
        self.finders.retain_mut(|(find, found)| {
            let is_passed = found.0 < from;
            let next = if is_passed { find.first(self.text, from) } else { Some(*found) };
            *found = next.unwrap_or(*found);
            next.is_some()
        });
        self.finders.iter().map(|(_, found)| *found).min_by_key(rank)
    }
}

impl Find<'_> {
    fn first(&mut self, text: &str, from: usize) -> Option<Found> {
        match self {
            Find::Rest(find) => moved(find(&text[from..]), from),
            Find::Kind(find, kind) => moved(find(&text[from..], *kind), from),
            Find::From(find) => find(text, from),
            Find::Form(form) => moved(first_of(&text[from..], **form).map(|(start, end)| (start, end, form.3)), from),
            Find::Known(value) => first_known(text, from, value),
            Find::Assigned(inside) => assigned(text, from, inside.as_ref()),
            Find::All(found) => found.find(|found| found.0 >= from),
        }
    }
}

fn moved(found: Option<Found>, by: usize) -> Option<Found> {
    found.map(|(start, end, kind)| (start + by, end + by, kind))
}

/// Finds a known value. A short one stands alone: inside a word it may be by chance.
fn first_known(text: &str, from: usize, value: &str) -> Option<Found> {
    let fits = |start: &usize| value.len() >= ALONE || stands_alone(text, *start, start + value.len());
    let start = text[from..].match_indices(value).map(|(at, _)| from + at).find(fits)?;
    Some((start, start + value.len(), "secret"))
}

fn private_key(text: &str) -> Option<Found> {
    let of_pem = |(start, _): (usize, &str)| {
        let head = &text[start..];
        let named = head.get(..floor(head, 64)).is_some_and(|head| head.contains("PRIVATE KEY"));
        // A text may end within the key.
        let end = || head.rfind("-----END ").and_then(|at| Some(start + at + 9 + head[at + 9..].find("-----")? + 5));
        named.then(|| (start, end().unwrap_or(text.len()), "private-key"))
    };
    let of_putty = |(start, _): (usize, &str)| {
        let behind = start + text[start..].find(['\n', '\\'])?;
        let end = text[behind..].find(PUTTY[1]).map(|at| behind + at + PUTTY[1].len());
        let end = end.map(|at| at + text[at..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len() - at));
        Some((behind, end.unwrap_or(text.len()), "private-key"))
    };
    let pem = text.match_indices(KEY).chain(text.match_indices(SSH_KEY)).find_map(of_pem);
    pem.into_iter().chain(text.match_indices(PUTTY[0]).find_map(of_putty)).min_by_key(rank)
}

/// Finds what is sent behind the name of a way to log in: `Bearer x`.
fn credentials(text: &str, kind: usize) -> Option<Found> {
    let (scheme, of_token) = (SCHEMES[kind], |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c));
    text.match_indices(scheme).find_map(|(at, _)| {
        let start = at + scheme.len();
        let length = text[start..].find(|c| !of_token(c)).unwrap_or(text.len() - start);
        let is_one = length >= CREDENTIALS_MIN && looks_secret(&text[start..start + length]);
        (is_one && !is_inside_word(&text[..at])).then_some((start, start + length, "credentials"))
    })
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
fn assigned(text: &str, from: usize, source: Option<&Inside>) -> Option<Found> {
    for (start, end) in names_in(text, from) {
        let name = &text[start..end];
        // Telling what a name says takes longer.
        let behind = text[end..].trim_start_matches(' ').as_bytes();
        let is_assigned = behind.iter().take(GAP + 1).any(|byte| matches!(byte, b'=' | b'!' | b':' | b'%'));
        if name.len() >= 3
            && is_assigned
            && let Some(holds) = names::holds(name).or_else(|| holds_with_word_before(&text[..start], name))
            && let Some((at, to)) = value(&text[end..], source.is_some_and(|inside| is_key(&text[end..]) || !inside.holds(start)))
            && is_held(name, holds, &text[end + at..end + to])
        {
            return Some((end + at, end + to, "assigned"));
        }
    }
    None
}

/// Tells what a key holds of which the word before it says which one it is: `API key: x`.
fn holds_with_word_before(before: &str, name: &str) -> Option<Holds> {
    let before = before.strip_suffix(' ').filter(|_| name.eq_ignore_ascii_case("key"))?;
    let word = &before[before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len()..];
    names::holds(&format!("{word}_{name}")).filter(|_| (2..=WORD_BEFORE).contains(&word.len()))
}

/// Tells whether what is assigned to a name is a secret of those that it holds, and not how many there are.
fn is_held(name: &str, holds: Holds, value: &str) -> bool {
    match holds {
        Holds::One => !beside::is_reference(value),
        Holds::Several => !value.bytes().all(|byte| byte.is_ascii_digit()),
        // `pass` alone is what logs in.
        Holds::PerhapsSeveral => is_random(value) || (name.eq_ignore_ascii_case("pass") && phrases::is_like_password(value)),
    }
}

/// Where the literals and the comments of Python source are: what stands in them is text.
#[derive(Debug)]
struct Inside(Vec<(usize, usize)>);

impl Inside {
    fn new(source: &str) -> Self {
        let bytes = source.as_bytes();
        let quotes: [&[u8]; 5] = [b"\"\"\"", b"'''", b"\"", b"'", b"#"];
        let (mut at, mut all) = (0, Vec::new());
        while at < bytes.len() {
            let Some(quote) = quotes.into_iter().find(|quote| bytes[at..].starts_with(quote)) else {
                at += 1;
                continue;
            };
            let start = at + quote.len();
            // A comment ends with its line, as a literal in single quotes does that nothing ends before.
            let (close, is_long): (&[u8], bool) = if quote == b"#" { (b"\n", true) } else { (quote, quote.len() == 3) };
            at = start;
            while at < bytes.len() && !bytes[at..].starts_with(close) && (is_long || bytes[at] != b'\n') {
                at += if bytes[at] == b'\\' && quote != b"#" { 2 } else { 1 };
            }
            all.push((start, at));
            at += if bytes.get(at) == Some(&b'\n') { 1 } else { close.len() };
        }
        Self(all)
    }

    /// Tells whether a place is in one of them.
    fn holds(&self, place: usize) -> bool {
        let next = self.0.partition_point(|(start, _)| *start <= place);
        next.checked_sub(1).is_some_and(|at| place <= self.0[at].1)
    }
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
    // A text may be code: `password = getpass()`.
    let of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let called = word.find(|c: char| !of_path(c)).unwrap_or(0);
    let is_call = word.starts_with(char::is_alphabetic) && word[called..].starts_with('(');
    if is_call || word.starts_with("self.") || word.starts_with(['[', '‹', '<', '(']) {
        return None;
    }
    let end = word
        .find(|c: char| c.is_whitespace() || matches!(c, '&' | ',' | ';' | '"' | '\'' | '}' | ')' | ']' | '<'))
        .unwrap_or(word.len());
    let word = word[..end].split("%26").next().unwrap_or_default();
    // After a colon there is often a sentence: its words are plain.
    let odd = |c: char| c.is_ascii_digit() || !c.is_alphanumeric();
    let mut but_last = word.chars();
    but_last.next_back();
    let looks = if assign { word.len() >= 3 } else { word.len() >= 6 && but_last.as_str().contains(odd) };
    let plain = matches!(word, "None" | "True" | "False" | "null" | "true" | "false");
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Takes the time of a search for all secrets of a text, the shorter of two.
    fn time_of(text: &str, looks: Looks) -> Duration {
        let once = || {
            let begin = Instant::now();
            let (mut search, mut at) = (Search::new(text, looks, &[]), 0);
            while let Some((_, end, _)) = search.next(at) {
                at = end;
            }
            begin.elapsed()
        };
        (0..2).map(|_| once()).min().unwrap_or_default()
    }

    #[test]
    fn a_text_of_secrets_and_near_ones_eight_times_as_long_takes_no_longer_than_that() {
        let near = [
            "password=hunter2 ",
            "password: str\n",
            "token = 'a' or x\n",
            "<password ",
            "<password>",
            "<password><![CDATA[",
            "a@",
            "a:b@",
            "name=",
            "name=password ",
            "name: token\n",
            "value=",
            "sk-",
            "sk-a.b.",
            "MT.",
            ") VALUES ",
            "(password) VALUES ('",
            "name,password\nada,hunter2\n\n",
            "name,password\n",
            "passwords:\n",
            "- passwords:\n",
            "passwords=[",
            "passwords=['a1',",
            "tokens=['a',",
            "password: |\n  x1\n",
            "-p ",
            "-u a:b1b2b3 ",
            "['password'],",
            "['user', 'password'], ['ada', 'hunter2'],",
            "'UPDATE u SET password = ?', ",
            "('UPDATE u SET password = ?', ('a',)), ",
            "((((",
            "-----BEGIN ",
            "Bearer ",
            "Bearer a1B2c3D4e5F6g7H8 ",
            "IDENTIFIED BY ",
            "://",
            "://a:b@c ",
            "4111 ",
            "UPDATE \n\n",
            "UPDATE u SET password = ?\n\n",
            "INSERT INTO \n[",
            "api key: ",
            "password is ",
            "x | x --password-stdin ",
            "<tr><td>",
            "a/b@",
            ":::",
            "\\",
            "\"",
        ];
        let mut slow = Vec::new();
        for text in near {
            let of_source = text.starts_with(['p', 't']);
            for looks in [Looks::Text, Looks::Source].into_iter().take(1 + usize::from(of_source)) {
                let times = || [1 << 9, 1 << 12].map(|bytes| time_of(&text.repeat(bytes / text.len()), looks));
                let is_slow = |[few, many]: &[Duration; 2]| *many > *few * 24 + Duration::from_millis(20);
                // On a busy machine a search may wait for others: what is slow each time is slow.
                if let Some([few, many]) = (0..5).map(|_| times()).take_while(is_slow).nth(4) {
                    slow.push(format!("{text:?} {looks:?}: {few:?}, {many:?}"));
                }
            }
        }
        assert!(slow.is_empty(), "{slow:#?}");
    }
}
