//! Secrets that stand behind a word and a space, inside an element or in a place of a line: `--token x`, `PASSWORD 'x'`,
//! `<password>x</password>`, `curl -u ada:x`, a line of `.pgpass`. What stands behind `=` or `:` is the affair of `finders.rs`.

use super::beside;
use super::bits::is_random;
use super::escapes::{is_inside_word, names_in};
use super::found::{Found, is_placeholder, rank};
use super::names::{self, Holds};

/// Options that take a user and a password.
const USER_OPTIONS: [&str; 4] = ["-u ", "-U ", "--user ", "--proxy-user "];
/// What SQL says before a password.
const IDENTIFIED: [&str; 2] = ["IDENTIFIED BY ", "identified by "];
/// Programs that take a password behind `-p`, and those that take it at once behind it.
const BEHIND_P: [&str; 2] = ["sshpass ", " login "];
const AT_P: [&str; 4] = ["mysql ", "mysqldump ", "mysqladmin ", "mariadb "];
/// Bytes between such a program and its option.
const OF_PROGRAM: usize = 80;
/// At the end of a key of Mailchimp, before the number of its place; and digits before that.
const PLACE: &str = "-us";
const PLACE_DIGITS: usize = 32;
/// In the middle of a token of Terraform.
const TERRAFORM: &str = ".atlasv1.";
/// Characters of a Telegram bot's token behind its number, and digits of that number.
const BOT: usize = 35;
const BOT_DIGITS: std::ops::RangeInclusive<usize> = 8..=10;
/// Bytes within which a space or a bracket tells that a value stands behind a name; in a record it is a zero of a length.
const NEAR: usize = 48;
/// Bytes between two texts of a record.
const BETWEEN: usize = 6;

/// How such a secret begins: two bytes of each.
pub(super) fn beginnings() -> impl Iterator<Item = [u8; 2]> {
    let words = USER_OPTIONS.iter().chain(&IDENTIFIED).map(|word| word.as_bytes());
    let words = words.chain([TERRAFORM.as_bytes(), PLACE.as_bytes(), b"-p"]);
    words.filter_map(|word| word.first_chunk().copied()).chain((b'0'..=b'9').map(|digit| [b':', digit])).chain([*b":*"])
}

/// Tells whether such a secret may begin here.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match bytes.first() {
        Some(b':') if bytes.starts_with(b":*:") => true,
        Some(b':') => (2..=5).contains(&digits(&bytes[1..])) && bytes.get(1 + digits(&bytes[1..])) == Some(&b':'),
        Some(b'0'..=b'9') => BOT_DIGITS.contains(&digits(bytes)) && bytes.get(digits(bytes)) == Some(&b':'),
        _ => {
            let words = USER_OPTIONS.iter().chain(&IDENTIFIED).map(|word| word.as_bytes());
            let words = words.chain([TERRAFORM.as_bytes(), PLACE.as_bytes(), b"-p"]);
            let in_record = |option: &&str| {
                let behind = bytes.strip_prefix(option.trim_end().as_bytes());
                behind.is_some_and(|behind| behind.iter().take(BETWEEN).any(|byte| *byte == 0))
            };
            words.into_iter().any(|word| bytes.starts_with(word))
                || USER_OPTIONS.iter().any(in_record)
                || (names::may_stand(bytes) && bytes.iter().take(NEAR).any(|byte| matches!(byte, b' ' | b'>')))
                // The type of the next value follows at once there, as a letter.
                || (names::may_begin(bytes) && bytes.iter().take(NEAR).any(|byte| *byte == 0))
        }
    }
}

/// Finds the first of them.
pub(super) fn first(text: &str) -> Option<Found> {
    let found = [said(text), element(text), identified(text), login(text), line_of_fields(text), terraform(text), bot(text)];
    let found = found.into_iter().chain([behind_p(text), with_place(text)]);
    found.flatten().min_by_key(rank)
}

/// Tells whether the word behind an option with a secret name is its value: `["--token", "x"]`.
pub fn is_value_of_option(option: &str, value: &str) -> bool {
    let name = option.trim_start_matches('-');
    if USER_OPTIONS.iter().any(|user| user.trim_end() == option) {
        return password_of(value).is_some();
    }
    name.len() < option.len()
        && names::holds(name) == Some(Holds::One)
        && !value.starts_with('-')
        && (is_random(value) || (names::ends_secret(name) == Some(false) && is_mixed(value)))
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
fn word(text: &str) -> Option<(usize, usize, bool)> {
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
        let start = rest[name.len()..].find('>').map(|close| at + 2 + name.len() + close)?;
        let end = start + text[start..].find("</")?;
        let held = text[start..end].trim();
        let held = held.strip_prefix("<![CDATA[").and_then(|held| held.strip_suffix("]]>")).unwrap_or(held);
        let begin = start + text[start..end].find(held)?;
        let is_one = !held.contains(['<', '\n']) && beside::is_value(name.rsplit(':').next()?, held);
        is_one.then_some((begin, begin + held.len(), "assigned"))
    })
}

/// Finds the password of `IDENTIFIED BY 'x'`.
fn identified(text: &str) -> Option<Found> {
    let of = |begin: &&str| {
        text.match_indices(*begin).find_map(|(at, _)| {
            let from = at + begin.len();
            let (start, end, is_quoted) = word(&text[from..])?;
            let held = &text[from + start..from + end];
            (is_quoted && !held.is_empty() && !is_placeholder(held)).then_some((from + start, from + end, "password"))
        })
    };
    IDENTIFIED.iter().filter_map(of).min_by_key(rank)
}

/// Finds the password of `-u user:password`.
fn login(text: &str) -> Option<Found> {
    let of = |option: &&str| {
        text.match_indices(*option).find_map(|(at, _)| {
            if text[..at].ends_with('-') || is_inside_word(&text[..at]) {
                return None;
            }
            let from = at + option.len();
            let (start, end, _) = word(&text[from..])?;
            let (begin, to) = password_of(&text[from + start..from + end])?;
            Some((from + start + begin, from + start + to, "password"))
        })
    };
    USER_OPTIONS.iter().filter_map(of).min_by_key(rank)
}

/// Finds the password of `sshpass -p x` and `mysql -px`.
fn behind_p(text: &str) -> Option<Found> {
    text.match_indices("-p").find_map(|(at, _)| {
        let before = &text[..at];
        let from = before.char_indices().rev().nth(OF_PROGRAM).map_or(0, |(from, _)| from);
        let line = before[from..].rsplit('\n').next().unwrap_or_default();
        let has = |programs: &[&str]| programs.iter().any(|program| line.contains(program));
        let rest = &text[at + 2..];
        let is_taken = if rest.starts_with(' ') { has(&BEHIND_P) } else { has(&AT_P) };
        if !is_taken || !before.ends_with(' ') {
            return None;
        }
        let (start, end, _) = word(rest)?;
        let held = &rest[start..end];
        (is_random(held) || is_mixed(held)).then_some((at + 2 + start, at + 2 + end, "password"))
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

/// Gives where the password of `user:password` stands.
fn password_of(word: &str) -> Option<(usize, usize)> {
    let (user, password) = word.split_once(':')?;
    let is_one = !user.is_empty() && !is_placeholder(password) && (is_random(password) || is_mixed(password));
    is_one.then_some((user.len() + 1, word.len()))
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
        let is_one = is_line && !is_placeholder(password) && (is_random(password) || is_mixed(password));
        is_one.then_some((begin + line.len() - password.len(), begin + line.len(), "password"))
    })
}

/// Finds a token of Terraform: `x.atlasv1.y`.
fn terraform(text: &str) -> Option<Found> {
    let at = text.find(TERRAFORM)?;
    let of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let start = text[..at].trim_end_matches(of_token).len();
    let from = at + TERRAFORM.len();
    let length = text[from..].find(|c| !of_token(c)).unwrap_or(text.len() - from);
    (at - start >= 10 && length >= 40).then_some((start, from + length, "terraform-token"))
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

    #[test]
    fn a_secret_behind_a_word_in_an_element_or_in_its_place_is_found() {
        let bot = format!("123456789:AA{}", "zQ8kd20fhWx".repeat(3));
        let terraform = format!("zQ8kd20fhWxp1m.atlasv1.{}", "a1B2".repeat(15));
        for (text, secret) in [
            ("tool --token zQ8-kd2x09 --verbose", "zQ8-kd2x09"),
            ("sshpass -p zQ8-kd2x09 ssh ada@h", "zQ8-kd2x09"),
            ("docker login -u ada -p zQ8-kd2x09", "zQ8-kd2x09"),
            ("mysql -u root -pzQ8-kd2x09 shop", "zQ8-kd2x09"),
            ("<password><![CDATA[zQ8-kd2x09]]></password>", "zQ8-kd2x09"),
            ("mysql --password hunter2 shop", "hunter2"),
            ("machine a.test login ada password zQ8kd20fhWx", "zQ8kd20fhWx"),
            ("ALTER USER ada WITH PASSWORD 'hunter'", "hunter"),
            ("CREATE USER ada IDENTIFIED BY 'tiger'", "tiger"),
            ("curl -u ada:hunter2 https://a.test", "hunter2"),
            ("curl --user 'ada:zQ8!kd-20fh' https://a.test", "zQ8!kd-20fh"),
            ("<cfg><password>hunter2</password></cfg>", "hunter2"),
            ("<ns:apiKey type=\"a\"> zQ8-kd2x09 </ns:apiKey>", "zQ8-kd2x09"),
            ("# hosts\ndb.test:5432:shop:ada:zQ8kd20fhWx\n", "zQ8kd20fhWx"),
            ("*:*:*:ada:hunter2", "hunter2"),
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
            "docker login --password-stdin registry.example.com",
            "a token of thanks",
            "the password 'admin' is weak",
            "sort -u name:1",
            "docker run -u 1000:1000 image",
            "git push -u origin:main",
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
        for (option, value) in
            [("--token", "zQ8-kd2x09"), ("--db-password", "hunter2"), ("-u", "ada:hunter2"), ("-token", "a1B2c3D4e5F6")]
        {
            assert!(is_value_of_option(option, value), "{option} {value}");
        }
        for (option, value) in [
            ("--token", "--verbose"),
            ("--token", "NAME"),
            ("--password", "prompt"),
            ("--token-file", "a1B2c3D4e5F6"),
            ("token", "zQ8-kd2x09"),
            ("-u", "1000:1000"),
            ("--size", "zQ8-kd2x09"),
        ] {
            assert!(!is_value_of_option(option, value), "{option} {value}");
        }
    }
}
