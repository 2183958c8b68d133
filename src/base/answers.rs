//! What a login says of itself: the password of an account in SQL (`IDENTIFIED BY 'x'`, `SET PASSWORD FOR ada = 'x'`), and the
//! answer to a challenge of HTTP (`Digest … response="x"`). Names beside values are the affair of `finders.rs`.

use super::escapes::is_inside_word;
use super::found::{Found, floor, is_placeholder};
use super::phrases::word;

/// What SQL says before a password.
const IDENTIFIED: &str = "IDENTIFIED ";
const PASSWORD: &str = "PASSWORD";
/// What it may say between the two, and how many words that are.
const WITH: [&str; 6] = ["WITH", "BY", "AS", "VALUES", "PASSWORD", "USING"];
const BETWEEN: usize = 5;
/// Statements about accounts, and bytes of one around its password.
const ACCOUNTS: [&str; 6] = ["CREATE USER ", "ALTER USER ", "CREATE ROLE ", "ALTER ROLE ", "CREATE LOGIN ", "ALTER LOGIN "];
const STATEMENT: usize = 300;

/// The answer to a challenge, what stands near it, in how many bytes, and how long it is.
const RESPONSE: &str = "response";
const NEAR_RESPONSE: [&str; 3] = ["nonce", "Digest ", "digest "];
const HEADER: usize = 600;
const ANSWERS: [usize; 2] = [32, 64];
/// Bytes between a name and its value.
const GAP: usize = 8;

/// How such a secret begins: two bytes of each.
pub(super) fn beginnings() -> impl Iterator<Item = [u8; 2]> {
    [*b"ID", *b"Id", *b"id", *b"iD", *b"re"].into_iter()
}

/// Tells, fast, whether such a secret may begin here. `PASSWORD` is a secret name.
pub(super) fn begins(bytes: &[u8]) -> bool {
    starts(bytes, IDENTIFIED) || bytes.starts_with(RESPONSE.as_bytes())
}

/// Tells whether bytes begin with a word, in letters of any case.
fn starts(bytes: &[u8], begin: &str) -> bool {
    bytes.get(..begin.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(begin.as_bytes()))
}

/// Gives the places where a word begins, in letters of any case.
fn places<'t>(text: &'t str, wanted: &'static str) -> impl Iterator<Item = usize> + 't {
    let is_place = move |at: &usize| starts(&text.as_bytes()[*at..], wanted) && !is_inside_word(&text[..*at]);
    (0..text.len()).filter(|at| text.is_char_boundary(*at)).filter(is_place)
}

/// Finds the password of `IDENTIFIED BY 'x'`, also of `IDENTIFIED WITH plugin BY 'x'`.
pub(super) fn identified(text: &str) -> Option<Found> {
    places(text, IDENTIFIED).find_map(|at| {
        let (mut from, mut is_next) = (at + IDENTIFIED.len(), false);
        for number in 0..BETWEEN {
            let (start, end, is_quoted) = word(&text[from..])?;
            let held = &text[from + start..from + end];
            if is_next && is_quoted {
                return is_secret(held).then_some((from + start, from + end, "password"));
            }
            let is_word = WITH.iter().any(|word| held.eq_ignore_ascii_case(word));
            // The name of a plugin may stand in quotes.
            if !is_word && (number == 0 || is_next) {
                return None;
            }
            is_next |= ["BY", "AS"].iter().any(|word| held.eq_ignore_ascii_case(word));
            from += end + usize::from(is_quoted);
        }
        None
    })
}

/// Finds the password of `SET PASSWORD FOR 'ada'@'h' = 'x'` and of `ALTER USER ada PASSWORD 'x'`.
pub(super) fn of_account(text: &str) -> Option<Found> {
    places(text, PASSWORD).find_map(|at| {
        let from = at + PASSWORD.len();
        let statement = text[floor(text, at.saturating_sub(STATEMENT))..at].rsplit(';').next().unwrap_or_default();
        let behind = &text[from..floor(text, from + STATEMENT)];
        let before = statement.trim_end();
        let is_set = before.len().checked_sub(3).is_some_and(|set| starts(&before.as_bytes()[set..], "SET"));
        let start = if is_set {
            let equals = behind.find('=').filter(|equals| !behind[..*equals].contains([';', '\n']))?;
            let rest = behind[equals + 1..].trim_start();
            let hashed = ["PASSWORD(", "OLD_PASSWORD("].into_iter().find(|name| starts(rest.as_bytes(), name));
            from + behind.len() - rest.len() + hashed.map_or(0, str::len)
        } else if behind.starts_with([' ', '=']) && ACCOUNTS.iter().any(|begin| places(statement, begin).next().is_some()) {
            from + behind.len() - behind.trim_start_matches([' ', '=']).len()
        } else {
            return None;
        };
        // Only a literal is one.
        let rest = &text[start..];
        let (begin, end, _) = word(rest).filter(|(begin, _, is_quoted)| *is_quoted && *begin == 1)?;
        is_secret(&rest[begin..end]).then_some((start + begin, start + end, "password"))
    })
}

fn is_secret(held: &str) -> bool {
    !held.is_empty() && !is_placeholder(held)
}

/// Finds the answer to a challenge: `Digest username="ada", response="x"`, `{"nonce": "…", "response": "x"}`.
pub(super) fn digest(text: &str) -> Option<Found> {
    text.match_indices(RESPONSE).find_map(|(at, _)| {
        let from = at + RESPONSE.len();
        let is_sign = |c: char| matches!(c, '"' | '\'' | '\\' | ' ' | '=' | ':' | '%');
        let signs = text[from..].find(|c| !is_sign(c)).filter(|signs| (1..=GAP).contains(signs))?;
        let start = from + signs;
        let length = text[start..].bytes().take_while(u8::is_ascii_hexdigit).count();
        let is_whole = ANSWERS.contains(&length) && !text[start + length..].starts_with(char::is_alphanumeric);
        let near = || &text[floor(text, at.saturating_sub(HEADER))..floor(text, start + length + HEADER)];
        let is_one = is_whole && text[from..start].contains(['=', ':']) && NEAR_RESPONSE.iter().any(|word| near().contains(word));
        is_one.then_some((start, start + length, "digest"))
    })
}
