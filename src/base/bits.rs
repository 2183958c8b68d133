//! How much a text says: whether it is found elsewhere by no chance. `recorder/redact.py` measures alike.

use super::names;

/// Bits from which on a text is a secret by its look.
const ENOUGH: f64 = 24.0;
/// A word, a letter, one of both cases, a digit, a sign.
const WORD: f64 = 11.0;
const LETTER: f64 = 4.7;
const CASE: f64 = 5.7;
const DIGIT: f64 = 2.4;
const SIGN: f64 = 5.0;
/// `123`, `0000`.
const SERIES: f64 = 3.0;
/// More letters are no word.
const WORD_MAX: usize = 16;
/// More consonants beside each other are no word.
const CONSONANTS_MAX: usize = 5;
/// A longer text is not looked through.
const LONG: usize = 200;

/// Tells whether a text is no word, no few of them and no short number.
#[must_use]
pub fn looks_secret(text: &str) -> bool {
    if text.chars().count() > LONG {
        return true;
    }
    let kind = |c: char| {
        if c.is_alphabetic() {
            1
        } else if c.is_numeric() {
            2
        } else {
            0
        }
    };
    let mut bits = 0.0;
    let mut run = String::new();
    for c in text.chars() {
        let goes_on = kind(c) != 0 && run.chars().next().is_none_or(|first| kind(first) == kind(c));
        if !goes_on {
            bits += of_run(&std::mem::take(&mut run));
        }
        match kind(c) {
            0 if !"-_. @/".contains(c) => bits += SIGN,
            0 => {}
            _ => run.push(c),
        }
    }
    bits + of_run(&run) >= ENOUGH
}

/// Tells whether a text looks like a secret that no words make up.
#[must_use]
pub fn is_random(text: &str) -> bool {
    let of_chance = || text.split(|c: char| !c.is_alphanumeric()).any(is_odd);
    !text.contains(char::is_whitespace) && looks_secret(text) && (text.chars().count() > LONG || of_chance())
}

/// Tells whether letters and digits are no word, also with a number behind it, and no few words in camel case.
fn is_odd(piece: &str) -> bool {
    let chars: Vec<char> = piece.chars().collect();
    let runs: Vec<String> = chars.chunk_by(|one, next| one.is_numeric() == next.is_numeric()).map(String::from_iter).collect();
    let is_number = |run: &String| run.starts_with(char::is_numeric);
    let is_unsaid = |run: &String| {
        let parts = names::split(run);
        let unsaid = |part: &String| {
            let letters: Vec<char> = part.chars().collect();
            letters.chunks(WORD_MAX).any(|word| word.len() > 2 && !is_word(&String::from_iter(word), word.len()))
        };
        parts.iter().filter(|part| part.chars().count() < 3).count() > 2 || parts.iter().any(unsaid)
    };
    runs.len() > 3 || (runs.len() == 1 && is_number(&runs[0])) || runs.iter().any(|run| !is_number(run) && is_unsaid(run))
}

/// Tells whether a text is what somebody says to somebody, as labels are: a sentence, or words beginning with a capital.
#[must_use]
pub fn is_said(text: &str) -> bool {
    let begins = text.starts_with(char::is_uppercase) || text.ends_with(['.', ':', '?', '!', '…']);
    let is_plain = |piece: &str| {
        let bare: String = piece.trim_matches([',', '.', ':', ';', '?', '!', '…', '(', ')', '"', '\'', '`', '’']).into();
        let bare = bare.replace(['\'', '’'], "");
        let length = bare.chars().count();
        length < 3 || (bare.chars().all(char::is_alphabetic) && is_word(&bare, length))
    };
    text.contains(' ')
        && text.chars().count() <= LONG
        && begins
        && text.split(|c: char| c.is_whitespace() || matches!(c, '-' | '/')).all(is_plain)
}

/// Gives what a run of letters or digits says.
fn of_run(run: &str) -> f64 {
    let length = run.chars().count();
    let per = |bits: f64| bits * f64::from(u32::try_from(length).unwrap_or(u32::MAX));
    if run.chars().all(char::is_numeric) {
        let alike = run.chars().all(|c| run.starts_with(c));
        let is_series = length > 2 && (alike || "01234567890".contains(run) || "09876543210".contains(run));
        return if is_series { SERIES } else { per(DIGIT) };
    }
    let one_case = |text: &str| text.chars().all(char::is_lowercase) || text.chars().all(char::is_uppercase);
    if is_word(run, length) {
        WORD
    } else if one_case(run) {
        per(LETTER)
    } else {
        per(CASE)
    }
}

/// Tells whether letters can be said.
pub(super) fn is_word(run: &str, length: usize) -> bool {
    let mut rest = run.chars();
    rest.next();
    let one_case = run.chars().all(char::is_lowercase) || run.chars().all(char::is_uppercase);
    if !(3..=WORD_MAX).contains(&length) || !(one_case || rest.as_str().chars().all(char::is_lowercase)) {
        return false;
    }
    let mut beside = 0;
    !run.is_ascii()
        || run.to_ascii_lowercase().chars().all(|c| {
            beside = if "aeiouy".contains(c) { 0 } else { beside + 1 };
            beside <= CONSONANTS_MAX
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_said_and_a_passphrase_is_not() {
        for text in ["Forgot your password?", "The password is wrong.", "Don't tell (yet)!", "Two-factor code", "New password"] {
            assert!(is_said(text), "{text}");
        }
        for text in ["Password", "correct horse battery", "tr0ub4dor nine.", "Horse zQ8kd20fhWx", ""] {
            assert!(!is_said(text), "{text}");
        }
    }

    #[test]
    fn a_text_of_words_is_not_random() {
        for text in [
            "get_user_by_id",
            "state-of-the-art",
            "internationalization",
            "getUserById",
            "covid19",
            "read-orders",
            "ada@example.com",
            "gpt4-turbo",
            "hello there friend",
            "",
        ] {
            assert!(!is_random(text), "{text}");
        }
        for text in ["zQ8-kd2x09", "tr0ub4dor9", "AbCdEfGhIj", "90417362858", "550e8400-e29b-41d4-a716-446655440000", "s3cr3t-a"]
        {
            assert!(is_random(text), "{text}");
        }
    }

    #[test]
    fn a_common_word_is_no_secret_by_its_look_and_a_password_of_chance_is() {
        for text in
            ["test", "secret", "raclette", "test123", "hunter2", "Correct horse", "12345678", "20241231", "admin@test", ""]
        {
            assert!(!looks_secret(text), "{text}");
        }
        for text in
            ["zQ8!kd-20fh", "correct horse battery", "tr0ub4dor9", "123456789012345", "chained-pa55w0rd", "env-file-s3cret"]
        {
            assert!(looks_secret(text), "{text}");
        }
    }
}
