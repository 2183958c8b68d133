//! Secrets that stand behind a word and a space, inside an element or in a place of a line: `--token x`, `PASSWORD 'x'`,
//! `<password>x</password>`, a line of `.pgpass`. What stands behind `=` or `:` is the affair of `finders.rs`, what a program takes
//! by an option of another name that of `commands.rs`.

use super::answers;
use super::beside;
use super::bits::is_random;
use super::commands::{self, is_value_of_option};
use super::escapes::{is_inside_word, names_in};
use super::found::{Found, floor, is_placeholder};
use super::names::{self, Holds};

/// At the end of a key of Mailchimp, before the number of its place; and digits before that.
const PLACE: &str = "-us";
const PLACE_DIGITS: usize = 32;
/// Before the number in a key of ClickUp, and bytes of a line with hashes.
const NUMBERED: &str = "pk_";
const HASHES: usize = 200;
/// In the middle of a token of Terraform.
const TERRAFORM: &str = ".atlasv1.";
/// Characters of a Telegram bot's token behind its number, and digits of that number.
const BOT: usize = 35;
const BOT_DIGITS: std::ops::RangeInclusive<usize> = 8..=10;
/// How data begins in an element, and bytes of a tag and of such data.
const CDATA: &str = "<![CDATA[";
const TAG: usize = 1000;
const ELEMENT: usize = 8 << 10;
/// Bytes within which a space or a bracket tells that a value stands behind a name; in a record it is a zero of a length.
const NEAR: usize = 48;
/// How such a secret begins: two bytes of each.
pub(super) fn beginnings() -> impl Iterator<Item = [u8; 2]> {
    let words = commands::beginnings().chain([TERRAFORM, PLACE, NUMBERED, ":::"]).map(str::as_bytes);
    words
        .filter_map(|word| word.first_chunk().copied())
        .chain((b'0'..=b'9').map(|digit| [b':', digit]))
        .chain([*b":*"])
        .chain(answers::beginnings())
}

/// Tells whether such a secret may begin here.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match bytes.first() {
        Some(b':') if bytes.starts_with(b":*:") || bytes.starts_with(b":::") => true,
        Some(b':') => (2..=5).contains(&digits(&bytes[1..])) && bytes.get(1 + digits(&bytes[1..])) == Some(&b':'),
        Some(b'0'..=b'9') => BOT_DIGITS.contains(&digits(bytes)) && bytes.get(digits(bytes)) == Some(&b':'),
        _ => {
            [TERRAFORM, PLACE, NUMBERED].iter().any(|word| bytes.starts_with(word.as_bytes()))
                || commands::begins(bytes)
                || answers::begins(bytes)
                || (names::may_stand(bytes) && bytes.iter().take(NEAR).any(|byte| matches!(byte, b' ' | b'>')))
                // The type of the next value follows at once there, as a letter.
                || (names::may_begin(bytes) && bytes.iter().take(NEAR).any(|byte| *byte == 0))
        }
    }
}

/// Finders, each for the first secret of its kind.
pub(super) const FINDERS: [fn(&str) -> Option<Found>; 11] = [
    said,
    element,
    answers::identified,
    answers::of_account,
    answers::digest,
    line_of_fields,
    line_of_hashes,
    terraform,
    bot,
    with_place,
    with_number,
];

/// Tells whether a word looks like a password.
pub(super) fn is_like_password(word: &str) -> bool {
    is_random(word) || is_mixed(word)
}

/// Tells whether letters and digits make up a text that is no path, address or reference.
fn is_mixed(text: &str) -> bool {
    let is_plain = |c: char| !matches!(c, '/' | '<' | '>' | '$' | '(' | ')' | '{' | '}' | '=') && !c.is_whitespace();
    text.chars().count() >= 6
        && text.chars().all(is_plain)
        && text.contains(|c: char| c.is_ascii_digit())
        && text.contains(char::is_alphabetic)
        && !is_placeholder(text)
}

/// Gives the first word of a text, or what its quotes hold: from, to, whether in quotes.
pub(super) fn word(text: &str) -> Option<(usize, usize, bool)> {
    let start = text.find(|c: char| c != ' ')?;
    if let Some(quote) = text[start..].chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let end = text[start + 1..].find([quote, '\n'])?;
        return Some((start + 1, start + 1 + end, true));
    }
    let end = text[start..].find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | ')' | ']' | '}' | '<'));
    let whole = end.map_or(text.len(), |end| start + end);
    let end = start + text[start..whole].trim_end_matches(['.', ':', '!', '?']).len();
    (end > start).then_some((start, end, false))
}

/// Finds the value behind a name and a space: `--token x`, `login ada password x`, `WITH PASSWORD 'x'`.
fn said(text: &str) -> Option<Found> {
    for (start, end) in names_in(text, 0) {
        let name = &text[start..end];
        if name.len() < 3 || !text[end..].starts_with(' ') || names::holds(name) != Some(Holds::One) {
            continue;
        }
        let Some(is_ambiguous) = names::ends_secret(name) else { continue };
        // `Your password is: x`
        let said = text[end..].strip_prefix(" is").map(|behind| behind.strip_prefix(':').unwrap_or(behind));
        let end = said.filter(|behind| behind.starts_with(' ')).map_or(end, |behind| text.len() - behind.len());
        let Some((begin, to, is_quoted)) = word(&text[end..]) else { continue };
        let value = &text[end + begin..end + to];
        let is_option = name.starts_with('-');
        let is_one = if is_option {
            is_value_of_option(name, value)
        } else {
            is_random(value) || (is_quoted && value.len() > 2 && !is_ambiguous && name.chars().all(char::is_uppercase))
        };
        if is_one && !is_placeholder(value) {
            return Some((end + begin, end + to, "assigned"));
        }
    }
    None
}

/// Finds what an element with a secret name holds: `<password>x</password>`.
fn element(text: &str) -> Option<Found> {
    text.match_indices('<').find_map(|(at, _)| {
        let rest = &text[at + 1..];
        let name = &rest[..rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | ':'))?];
        names::holds(name).filter(|holds| *holds == Holds::One)?;
        let near = floor(text, at + 1 + name.len() + TAG);
        let start = text[at + 1 + name.len()..near].find('>').map(|close| at + 2 + name.len() + close)?;
        let data = start + (text[start..].len() - text[start..].trim_start().len());
        let (start, end) = match text[data..].strip_prefix(CDATA) {
            Some(_) => (data + CDATA.len(), data + text[data..floor(text, data + ELEMENT)].find("]]>")?),
            None => (start, start + text[start..].find(['<', '\n'])?),
        };
        let held = text[start..end].trim();
        let begin = start + text[start..end].find(held)?;
        let is_one = text[end..].starts_with(['<', ']']) && beside::is_value(name.rsplit(':').next()?, held);
        is_one.then_some((begin, begin + held.len(), "assigned"))
    })
}

/// Finds a key of Mailchimp: 32 hexadecimal digits and the place of its server, `-us12`.
fn with_place(text: &str) -> Option<Found> {
    text.match_indices(PLACE).find_map(|(at, _)| {
        let start = at.checked_sub(PLACE_DIGITS).filter(|start| text.is_char_boundary(*start))?;
        let digits = text[at + PLACE.len()..].bytes().take_while(u8::is_ascii_digit).count();
        let is_key = text[start..at].bytes().all(|byte| byte.is_ascii_hexdigit()) && !is_inside_word(&text[..start]);
        (is_key && digits > 0).then_some((start, at + PLACE.len() + digits, "mailchimp-key"))
    })
}

/// Finds a key of ClickUp, whose number two signs enclose: `pk_12345_X`.
fn with_number(text: &str) -> Option<Found> {
    text.match_indices(NUMBERED).find_map(|(at, _)| {
        let from = at + NUMBERED.len();
        let digits = text[from..].bytes().take_while(u8::is_ascii_digit).count();
        let body = text[from + digits..].strip_prefix('_')?;
        let length = body.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let is_key = (4..=12).contains(&digits) && length >= PLACE_DIGITS && !is_inside_word(&text[..at]);
        is_key.then_some((at, from + digits + 1 + length, "clickup-token"))
    })
}

/// Finds the hashes of a line of Windows' accounts: `ada:1001:x:y:::`.
fn line_of_hashes(text: &str) -> Option<Found> {
    text.match_indices(":::").find_map(|(end, _)| {
        let near = floor(text, end.saturating_sub(HASHES));
        let mut fields = text[near..end].rsplitn(4, ':');
        let (one, other, id) = (fields.next()?, fields.next()?, fields.next()?);
        let is_hash = |text: &str| text.len() == PLACE_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_one = is_hash(one) && is_hash(other) && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        is_one.then_some((end - one.len() - other.len() - 1, end, "password-hash"))
    })
}

/// Finds the password of a line of `.pgpass`: `host:port:database:user:password`.
fn line_of_fields(text: &str) -> Option<Found> {
    let mut start = 0;
    text.split_inclusive('\n').find_map(|line| {
        let begin = start;
        start += line.len();
        let line = line.trim_end();
        let fields: Vec<&str> = line.splitn(5, ':').collect();
        let [host, port, _, user, password] = fields[..] else { return None };
        let is_port = port == "*" || ((2..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit()));
        let is_line = is_port && !host.is_empty() && !user.is_empty() && !line.contains(char::is_whitespace);
        let is_one = is_line && !is_placeholder(password) && is_like_password(password);
        is_one.then_some((begin + line.len() - password.len(), begin + line.len(), "password"))
    })
}

/// Finds a token of Terraform: `x.atlasv1.y`.
fn terraform(text: &str) -> Option<Found> {
    let of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(TERRAFORM).find_map(|(at, _)| {
        let start = text[..at].trim_end_matches(of_token).len();
        let from = at + TERRAFORM.len();
        let length = text[from..].find(|c| !of_token(c)).unwrap_or(text.len() - from);
        (at - start >= 10 && length >= 40).then_some((start, from + length, "terraform-token"))
    })
}

/// Finds the token of a Telegram bot: `123456789:x`.
fn bot(text: &str) -> Option<Found> {
    let of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(':').find_map(|(at, _)| {
        let before = text[..at].trim_end_matches(|c: char| c.is_ascii_digit());
        let rest = &text[at + 1..];
        let length = rest.find(|c| !of_token(c)).unwrap_or(rest.len());
        let is_alone = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'));
        let is_one = BOT_DIGITS.contains(&(at - before.len())) && is_alone && length == BOT && is_random(&rest[..length]);
        is_one.then_some((before.len(), at + 1 + length, "telegram-token"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<Found> {
        FINDERS.iter().filter_map(|find| find(text)).min()
    }

    #[test]
    fn a_secret_behind_a_word_in_an_element_or_in_its_place_is_found() {
        let bot = format!("123456789:AA{}", "zQ8kd20fhWx".repeat(3));
        let (clickup, hex) = (format!("pk_1234567_{}", "A1B2C3D4".repeat(4)), "0123456789abcdef".repeat(2));
        let terraform = format!("zQ8kd20fhWxp1m.atlasv1.{}", "a1B2".repeat(15));
        for (text, secret) in [
            ("tool --token zQ8-kd2x09 --verbose", "zQ8-kd2x09"),
            ("<password><![CDATA[zQ8-kd2x09]]></password>", "zQ8-kd2x09"),
            ("mysql --password hunter2 shop", "hunter2"),
            ("machine a.test login ada password zQ8kd20fhWx", "zQ8kd20fhWx"),
            ("ALTER USER ada WITH PASSWORD 'hunter'", "hunter"),
            ("CREATE USER ada IDENTIFIED BY 'tiger'", "tiger"),
            ("create user ada identified with caching_sha2_password by 'tiger'", "tiger"),
            ("ALTER USER 'ada'@'%' IDENTIFIED WITH 'sha256_password' AS 'tiger'", "tiger"),
            ("SET PASSWORD FOR 'bob'@'localhost' = 'hunter2xx'", "hunter2xx"),
            ("set password for 'bob'@'localhost' = password('hunter2xx')", "hunter2xx"),
            ("SET PASSWORD = OLD_PASSWORD(\"tiger\")", "tiger"),
            ("alter role ada with login encrypted password 'tiger'", "tiger"),
            (&format!("Digest username=ada, nonce=17, response={hex}, qop=auth"), &hex),
            (&format!("Digest username=\"ada\", response = \"{hex}{hex}\""), &format!("{hex}{hex}")),
            (&format!("{{\"nonce\": \"a1\", \"response\": \"{hex}\"}}"), &hex),
            ("Your new password is: zQ8-kd2x09. Bye!", "zQ8-kd2x09"),
            ("the token is 'zQ8kd20fhWx'", "zQ8kd20fhWx"),
            ("<cfg><password>hunter2</password></cfg>", "hunter2"),
            ("<ns:apiKey type=\"a\"> zQ8-kd2x09 </ns:apiKey>", "zQ8-kd2x09"),
            ("# hosts\ndb.test:5432:shop:ada:zQ8kd20fhWx\n", "zQ8kd20fhWx"),
            ("*:*:*:ada:hunter2", "hunter2"),
            (&format!("use {clickup}"), &clickup),
            (&format!("ada:1001:{hex}:{hex}:::"), &format!("{hex}:{hex}")),
            (&format!("bot {bot}"), &bot),
            (&format!("token is {terraform}."), &terraform),
        ] {
            let found = first(text).map(|(start, end, _)| &text[start..end]);
            assert_eq!(found, Some(secret), "{text}");
            assert!((0..text.len()).any(|at| begins(&text.as_bytes()[at..])), "{text}");
        }
    }

    #[test]
    fn in_a_record_an_option_and_its_value_are_two_texts() {
        for record in [
            "u\u{9}\0\0\0--api-keyu\u{18}\0\0\0zQ8-kd2x09",
            "u\u{2}\0\0\0-uu\u{b}\0\0\0ada:hunter2",
            "u\u{8}\0\0\0PASSWORDi\u{2}\0\0\0",
        ] {
            assert!((0..record.len()).any(|at| begins(&record.as_bytes()[at..])), "{record:?}");
        }
    }

    #[test]
    fn words_about_secrets_paths_and_times_are_none() {
        for text in [
            "the password must be long",
            "--token TOKEN  the token of the API",
            "a token of thanks",
            "the password is required",
            "the token is: invalid",
            "identified by its number '17-b2'",
            "SET PASSWORD FOR 'bob'@'localhost'",
            "set password for 'bob'; SELECT 1 = 'x'",
            "CREATE USER 'ada17'@'localhost'",
            "response=d41d8cd98f00b204e9800998ecf8427e",
            "nonce=17, response=ok",
            "the password is",
            "the password 'admin' is weak",
            "--token-file /run/x1y2z3",
            "<password>Your password</password>",
            "<token></token>",
            "<password>${DB_PASSWORD}</password>",
            "at 10:30:12:a:b1",
            "2026-11-22T08:36:17:123456",
            "a:80:b:c:d",
            "x.atlasv1.y",
            "123456789:short",
            "if token and self.x1y2: pass",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn the_value_of_an_option_is_told_from_the_next_option_and_from_words() {
        for (option, value) in [("--token", "zQ8-kd2x09"), ("--db-password", "hunter2"), ("-token", "a1B2c3D4e5F6")] {
            assert!(is_value_of_option(option, value), "{option} {value}");
        }
        for (option, value) in [
            ("--token", "--verbose"),
            ("--token", "NAME"),
            ("--password", "prompt"),
            ("--token-file", "a1B2c3D4e5F6"),
            ("token", "zQ8-kd2x09"),
            ("--size", "zQ8-kd2x09"),
        ] {
            assert!(!is_value_of_option(option, value), "{option} {value}");
        }
    }
}
