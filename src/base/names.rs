//! Which names are secret. The words are those of the recorder's table, so that both sides judge a name alike.

use std::collections::HashSet;
use std::sync::LazyLock;

/// A longer text is no name.
const NAME_MAX: usize = 64;

/// The table, as Python source: names assigned to texts of words.
const TABLE: &str = include_str!("../../assets/python/pytead_tui/recorder/secret_names.py");

/// Words that make a name secret, those of objects left out: variables of the environment have them, too. Two words are one here.
static WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| words("NAMES").chain(words("AMBIGUOUS")).map(|word| word.replace('-', "")).collect());
/// Plurals of those that are often no secrets.
static PERHAPS_SEVERAL: LazyLock<HashSet<String>> = LazyLock::new(|| words("AMBIGUOUS").map(|word| format!("{word}s")).collect());
/// Plurals of the others.
static SEVERAL: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let without: HashSet<&str> = words("NO_PLURAL").collect();
    words("NAMES").filter(|word| !without.contains(word)).map(|word| word.replace('-', "") + "s").collect()
});
/// With one of these at its end a name is about a secret.
static ABOUT: LazyLock<HashSet<&str>> = LazyLock::new(|| words("ABOUT").collect());

/// What makes a longer word secret that ends with it.
static ENDS: LazyLock<Vec<&str>> = LazyLock::new(|| words("ENDS").collect());

/// Those that are often no secrets.
static AMBIGUOUS: LazyLock<HashSet<&str>> = LazyLock::new(|| words("AMBIGUOUS").collect());

/// At the end of a name, the word that says that a test passed, or means a password.
static PERHAPS: LazyLock<HashSet<&str>> = LazyLock::new(|| words("PERHAPS").collect());

/// Names of proofs such as signatures, one or several, which are often no secrets.
static PROOFS: LazyLock<HashSet<String>> =
    LazyLock::new(|| words("PROOFS").flat_map(|word| [word.to_owned(), format!("{word}s")]).collect());

/// How secret names begin: the first words.
static FIRST: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let all = words("NAMES").chain(words("AMBIGUOUS")).chain(words("PERHAPS")).chain(words("PROOFS"));
    all.filter_map(|word| word.split('-').next()).collect()
});

/// How secret names end: the last bytes of their words, in small letters.
static LAST: LazyLock<HashSet<&[u8]>> = LazyLock::new(|| {
    let several = SEVERAL.iter().chain(&*PERHAPS_SEVERAL).map(|word| last(word.as_bytes()));
    let ends = words("NAMES").chain(words("AMBIGUOUS")).chain(words("ENDS")).map(|word| last(word.as_bytes()));
    several.chain(ends).chain(PROOFS.iter().map(|word| last(word.as_bytes()))).collect()
});
/// Bytes of a name's end that are looked at.
const END: usize = 3;

fn last(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.len().saturating_sub(END)..]
}

/// Tells, fast, whether a text may end with a word of a secret name.
pub(super) fn may_end(text: &str) -> bool {
    let end = last(text.as_bytes()).to_ascii_lowercase();
    // A word of two letters is kept as it is.
    let is_one = LAST.contains(end.as_slice()) || LAST.contains(&end[end.len().saturating_sub(END - 1)..]);
    is_one || !text.is_ascii() || text.ends_with(|c: char| !c.is_ascii_alphanumeric())
}

/// Gives the words of one text of the table.
pub(super) fn words(table: &'static str) -> impl Iterator<Item = &'static str> {
    let text = TABLE.split_once(&format!("\n{table} = ")).map_or("", |(_, rest)| rest);
    let quote = if text.starts_with("\"\"\"") { "\"\"\"" } else { "\"" };
    text.get(quote.len()..).and_then(|rest| rest.split(quote).next()).unwrap_or_default().split_whitespace()
}

/// Gives how secret names begin: two bytes of each.
pub(super) fn beginnings() -> impl Iterator<Item = [u8; 2]> {
    FIRST.iter().filter_map(|word| word.as_bytes().first_chunk().copied())
}

/// Tells, fast, whether a word of a secret name may begin here.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    let begins = |word: &&str| bytes.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()));
    FIRST.iter().any(begins)
}

/// Tells, fast, whether a whole word of a secret name may stand here, in small letters or capitals, also as a plural.
pub(super) fn may_stand(bytes: &[u8]) -> bool {
    let goes_on = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_lowercase);
    let stands = |word: &str| {
        let is_there = bytes.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()));
        let next = bytes.get(word.len());
        is_there && (!goes_on(next) || (next == Some(&b's') && !goes_on(bytes.get(word.len() + 1))))
    };
    may_begin(bytes) && (FIRST.iter().any(|word| stands(word)) || WORDS.iter().any(|word| stands(word)))
}

/// What a variable, parameter or key holds, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A secret.
    One,
    /// Several secrets; a number says how many.
    Several,
    /// Several secrets, or words: what looks random alone is secret.
    PerhapsSeveral,
}

/// Tells whether a variable, parameter or key of this name holds a secret or several, by its words.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    matches!(holds(name), Some(Holds::One | Holds::Several))
}

/// Tells what a variable, parameter or key of this name holds, by its words; `None` for no secret.
#[must_use]
pub fn holds(name: &str) -> Option<Holds> {
    let words = split(name);
    if words.last().is_none_or(|last| ABOUT.contains(last.as_str())) {
        return None;
    }
    let known = |word: &str| {
        let found = [(&*WORDS, Holds::One), (&*SEVERAL, Holds::Several), (&*PERHAPS_SEVERAL, Holds::PerhapsSeveral)];
        let whole = found.into_iter().find(|(words, _)| words.contains(word)).map(|(_, holds)| holds);
        whole.or_else(|| ENDS.iter().any(|end| word.ends_with(end)).then_some(Holds::One))
    };
    // A word before the pair that it begins, as the recorder has it: the second word of `access_tokens` says less than the two.
    let at = |at: usize| known(&words[at]).or_else(|| known(&words.get(at..at + 2)?.concat()));
    let is_perhaps =
        words.last().is_some_and(|last| PERHAPS.contains(last.as_str())) || words.iter().any(|word| PROOFS.contains(word));
    let perhaps = || is_perhaps.then_some(Holds::PerhapsSeveral);
    (0..words.len()).find_map(at).or_else(perhaps)
}

/// Tells of a name that ends with a secret word whether that is often none; `None` for any other name.
pub(super) fn ends_secret(name: &str) -> Option<bool> {
    let words = if name.len() > NAME_MAX { Vec::new() } else { split(name) };
    let last = words.last()?;
    let pair = words.get(words.len().saturating_sub(2)..).unwrap_or_default().concat();
    if PERHAPS_SEVERAL.contains(last) {
        return Some(true);
    }
    let is_secret = [last, &pair].into_iter().any(|word| WORDS.contains(word) || SEVERAL.contains(word));
    let is_secret = is_secret || ENDS.iter().any(|end| last.ends_with(end));
    is_secret.then(|| AMBIGUOUS.contains(last.as_str()))
}

/// Tells whether what a secret name holds is often none: the `token` of a parser.
#[must_use]
pub fn is_often_none(name: &str) -> bool {
    ends_secret(name) == Some(true)
}

/// Splits a name at anything but letters and digits, and where the case changes.
pub(super) fn split(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let goes_on = c.is_alphanumeric();
        let is_next = c.is_uppercase() && (!before.is_uppercase() || rest.peek().is_some_and(|next| next.is_lowercase()));
        if !goes_on || is_next {
            words.push(std::mem::take(&mut word));
        }
        if goes_on {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_by_their_words() {
        assert!(WORDS.len() > 40 && ABOUT.len() > 50, "the tables are read");
        for name in [
            "password",
            "userPassword",
            "DB_PASSWORD",
            "api_key",
            "accessToken",
            "X-Api-Key",
            "APIKey",
            "encryption_key",
            "signingKey",
            "jwt",
            "pin_code",
            "AccountKey",
            "sessionid",
            "PGPASSWORD",
            "clientsecret",
            "xauthtoken",
            "SMTP_PASS",
            "dbPass",
            "wpa_psk",
            "code_verifier",
            "clientAssertion",
            "signature_secret",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "tokenize",
            "keyboard",
            "monkey",
            "primary_key",
            "passenger",
            "secretary",
            "token_type",
            "tokenUrl",
            "password_min_length",
            "SSH_AUTH_SOCK",
            "client_assertion_type",
            "signature_algorithm",
            "first_pass",
            "bypass",
            "PGPASSFILE",
            "",
            "_",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn a_plural_is_the_name_of_several_secrets_and_of_words_only_perhaps() {
        for name in ["passwords", "API_KEYS", "dbPasswords", "access_tokens", "session_ids", "passwords_by_user", "X-Api-Keys"] {
            assert_eq!(holds(name), Some(Holds::Several), "{name}");
        }
        for name in ["tokens", "max_tokens", "cookies", "promptTokens", "X-Hub-Signature-256", "sig"] {
            assert_eq!((holds(name), is_secret_name(name)), (Some(Holds::PerhapsSeveral), false), "{name}");
        }
        for name in ["keys", "primary_keys", "token_count", "authorizations", "passwords_file", "sessions"] {
            assert_eq!(holds(name), None, "{name}");
        }
        assert_eq!(holds("secrets"), Some(Holds::One));
        for (name, is_one) in [("pass", true), ("first_pass", true), ("bypass", false), ("passed", false), ("pass_count", false)]
        {
            assert_eq!(holds(name) == Some(Holds::PerhapsSeveral), is_one, "{name}");
        }
    }
}
