//! Passwords in addresses: `scheme://user:password@host`, and `user:password@host` alone.

use super::bits::{is_random, is_word, looks_secret};
use super::found::{Found, floor, is_placeholder};

/// What stands before an address that somebody writes to, and no user.
const ADDRESSES: [&str; 22] = [
    "mailto", "sip", "sips", "xmpp", "acct", "email", "e-mail", "mail", "to", "cc", "bcc", "from", "reply-to", "sender",
    "contact", "npm", "git", "ssh", "im", "jabber", "user", "owner",
];
/// What stands behind `@` and is no host.
const DIGESTS: [&str; 3] = ["sha256", "sha512", "md5"];
/// What stands before a user and a password that a slash parts, and bytes of these.
const ORACLE: [&str; 9] =
    ["oracle:thin:", "oracle:oci:", "oracle:oci8:", "sqlplus ", "sqlldr ", "rman target ", "expdp ", "impdp ", "connect "];
const LOGIN: usize = 300;
/// Digits at the end of what somebody is called.
const DIGITS_MAX: usize = 4;
/// A shorter user is no token.
const TOKEN_MIN: usize = 16;
/// A shorter password that does not look like one is none.
const PASSWORD_MIN: usize = 4;

/// Tells, fast, whether there may be one.
pub(super) fn may_hold(bytes: &[u8]) -> bool {
    bytes.contains(&b'@') && (bytes.contains(&b':') || bytes.contains(&b'/'))
}

/// Finds the password in `scheme://user:password@host`.
pub(super) fn with_scheme(text: &str) -> Option<Found> {
    text.match_indices("://").find_map(|(at, _)| {
        let start = at + 3;
        let rest = &text[start..];
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '?' | '#')).unwrap_or(rest.len());
        let (user, _) = rest[..end].rsplit_once('@')?;
        let (name, password) = user.split_once(':').unwrap_or((user, ""));
        // `https://TOKEN@host`, `https://TOKEN:x-oauth-basic@host`
        let is_token = text[..at].ends_with("http") || text[..at].ends_with("https");
        if is_token && (password.is_empty() || password.starts_with("x-oauth")) && name.len() >= TOKEN_MIN && is_random(name) {
            return (!is_placeholder(name)).then_some((start, start + name.len(), "token"));
        }
        let from = start + name.len() + 1;
        (!password.is_empty() && !is_placeholder(password)).then_some((from, from + password.len(), "password"))
    })
}

/// Finds the password in `user:password@host` without a scheme. Addresses that somebody writes to look alike
/// (`author:ada.lovelace7@example.com`): where nothing tells them apart, a name is no password.
pub(super) fn alone(text: &str) -> Option<Found> {
    text.match_indices('@').find_map(|(at, _)| {
        let parts = |c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '(' | ')' | '[' | '{' | '}' | ',' | ';' | '|')
        };
        let near = floor(text, at.saturating_sub(LOGIN));
        let before = text[near..at].rfind(parts).map(|before| near + before);
        let start = before.map_or(near, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        // What stands in the place of a secret begins with a bracket.
        if text[..start].ends_with('[') && is_placeholder(&text[start - 1..at]) {
            return None;
        }
        let (user, password) = text[start..at].split_once(':')?;
        let name = user.rsplit('=').next()?;
        let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+' | '%');
        let is_user = name.contains(char::is_alphabetic) && name.chars().all(of_name);
        let is_address = ADDRESSES.iter().any(|scheme| name.eq_ignore_ascii_case(scheme));
        let is_path = password.contains('/') || password.contains("::") || password.starts_with(':') || password.ends_with(':');
        if !is_user || is_address || is_path || is_placeholder(password) || !is_password(password, &text[at + 1..]) {
            return None;
        }
        Some((at - password.len(), at, "password"))
    })
}

/// Finds the password in `user/password@host`, where what is around it tells that it is none of a path.
pub(super) fn oracle(text: &str) -> Option<Found> {
    text.match_indices('@').find_map(|(at, _)| {
        let near = floor(text, at.saturating_sub(LOGIN));
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | '(' | ',' | ';' | '<' | '>');
        let start = near + text[near..at].rfind(ends).map_or(0, |before| before + 1);
        let word = &text[start..at];
        let (begin, login) = word.rfind(':').map_or((start, word), |colon| (start + colon + 1, &word[colon + 1..]));
        let (user, password) = login.split_once('/')?;
        let is_told = ORACLE
            .iter()
            .any(|before| text[near..begin].ends_with(before) || text[near..begin].ends_with(&format!("{before}-s ")));
        let is_one = (is_told || text[at + 1..].starts_with("//")) && !user.is_empty() && !password.contains('/');
        (is_one && !password.is_empty() && !is_placeholder(password)).then_some((begin + user.len() + 1, at, "password"))
    })
}

/// Tells whether something is a password, by what it looks like and what stands behind the `@`.
fn is_password(password: &str, rest: &str) -> bool {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '_')).unwrap_or(rest.len());
    let (host, rest) = (rest[..end].trim_end_matches('.'), &rest[end..]);
    let labels: Vec<&str> = host.split('.').collect();
    let is_number = |label: &&str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
    let is_ip = labels.len() == 4 && labels.iter().all(is_number);
    if host.is_empty() || DIGESTS.contains(&host) || (!is_ip && labels.iter().all(is_number)) {
        return false;
    }
    let port = rest.strip_prefix(':').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let has_port = (2..=5).contains(&port) && !rest[1 + port..].starts_with(char::is_alphanumeric);
    let is_domain = labels.len() > 1 && labels.last().is_some_and(|last| last.len() > 1 && last.chars().all(char::is_alphabetic));
    let has_path = rest.starts_with('/') || rest.starts_with(":/");
    if has_port || has_path && !(is_domain && is_called(password)) {
        return true; // nobody writes to a port
    }
    let is_mixed = password.contains(char::is_alphabetic) && !password.chars().all(char::is_alphabetic);
    let is_one =
        if is_domain || is_ip || host == "localhost" { password.chars().count() >= PASSWORD_MIN } else { looks_secret(password) };
    is_mixed && is_one && !is_called(password)
}

/// Tells whether somebody may be called so in an address: words, each with few digits at its end.
fn is_called(text: &str) -> bool {
    text.split(['.', '_', '-', '+']).all(|piece| {
        let word = piece.trim_end_matches(|c: char| c.is_ascii_digit());
        let length = word.chars().count();
        let is_name =
            length < 3 && word.chars().all(char::is_alphabetic) || is_word(word, length) && word.chars().all(char::is_alphabetic);
        !piece.is_empty() && is_name && piece.len() - word.len() <= DIGITS_MAX
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_in_the_place_of_a_user_is_found() {
        for text in ["https://@@github.test/a/b", "git clone https://@:x-oauth-basic@github.test/a", "http://@:@h/"] {
            let text = text.replacen('@', "zQ8kd20fhWxLp1mT", 1);
            let found = with_scheme(&text).map(|(start, end, _)| &text[start..end]);
            assert_eq!(found, Some("zQ8kd20fhWxLp1mT"), "{text}");
        }
        for text in ["https://ada.lovelace@h.test/", "ssh://zQ8kd20fhWxLp1mT@h", "https://h.test/@zQ8kd20fhWxLp1mT"] {
            assert_eq!(with_scheme(text), None, "{text}");
        }
    }

    #[test]
    fn a_password_before_a_host_is_found_without_a_scheme_and_an_address_to_write_to_is_none() {
        for (text, password) in [
            ("ada:tr0ub4dor9@db.example.com", "tr0ub4dor9"),
            ("dsn=ada:hunter2@db:5432/shop", "hunter2"),
            ("connect to 'root:p4ss!@10.0.0.7' now", "p4ss!"),
            ("ada:raclette@localhost:6379", "raclette"),
            ("curl -u x, ada:zQ8!kd-20fh@db", "zQ8!kd-20fh"),
            ("ada%40x:s3cr3t@h.test:/srv", "s3cr3t"),
            ("rsync ada:a:b9c@backup.example.org", "a:b9c"),
        ] {
            let found = alone(text).map(|(start, end, _)| &text[start..end]);
            assert_eq!(found, Some(password), "{text}");
            assert!(may_hold(text.as_bytes()));
        }
        for text in [
            "a:b@c",
            "12:30@office",
            "mailto:ada2x9@example.com",
            "author:ada.lovelace7@example.com",
            "nginx:1.25@sha256:0123456789abcdef",
            "npm:left-pad@1.3.0",
            "pkg:pypi/django@1.11.1",
            "git@github.com:org/repo.git",
            "http://example.com:8080/a@b",
            "ada:[REDACTED:password#1]@h:80",
            "x: a1b2 @decorator",
            "std::a1b2@h.test",
            "jdbc:oracle:thin:@db17.test:1521:shop",
            "see:ada@example.com/about",
        ] {
            assert_eq!(alone(text), None, "{text}");
        }
    }

    #[test]
    fn a_password_behind_a_slash_is_found_where_it_is_no_part_of_a_path() {
        for text in [
            "jdbc:oracle:thin:ada/hunter2@//db.test:1521/shop",
            "jdbc:oracle:oci:ada/hunter2@shop",
            "sqlplus ada/hunter2@shop",
            "sqlplus -s ada/hunter2@shop",
            "dsn='ada/hunter2@//db:1521/x'",
        ] {
            let found = oracle(text).map(|(start, end, _)| &text[start..end]);
            assert_eq!(found, Some("hunter2"), "{text}");
            assert!(may_hold(text.as_bytes()));
        }
        for text in ["jdbc:oracle:thin:@db:1521:x", "a/b@1.3.0", "npm i @org/pkg@2", "https://medium.com/@ada/x", "sqlplus /@x"] {
            assert_eq!(oracle(text), None, "{text}");
        }
    }
}
