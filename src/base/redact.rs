//! Finds and replaces secrets in text before it is stored, shown or sent: values of secret variables, shapes of issued tokens,
//! what is assigned to a secret name, card numbers, passwords in addresses.
//!
//! Redaction of values by the *name* of a parameter or key happens in the recorder, where names are known. What a finder
//! of each kind looks for is `finders.rs`; the forms of tokens are `forms.rs`, the words of secret names `names.rs`.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use serde_json::Value;

pub use super::beside::is_value;
use super::bits::{is_random, is_said, looks_secret};
use super::finders::{self, ALONE, KEY, Looks, MODULES, PUTTY, SCHEMES, SSH_KEY, Search};
use super::forms::FORMS;
pub use super::names::{Holds, holds, is_often_none, is_secret_name};
use super::{beside, logins, names, phrases};

/// What stands for a secret begins so.
pub const PLACEHOLDER: &str = "[REDACTED:";

/// A known value is at least this long.
const KNOWN_MIN: usize = 6;

/// Replaces a whole value.
const HIDDEN: &str = "[REDACTED]";
/// A smaller number says how long or how many.
const PIN: u64 = 1000;

/// What is left of a text that holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Safe {
    /// It was nothing else: of which kind, and the secret's number.
    Whole {
        /// The kind.
        kind: &'static str,
        /// The number.
        number: usize,
    },
    /// The text, with placeholders.
    Part(String),
}

/// Replaces secrets; the same secret always gets the same number.
#[derive(Debug)]
pub struct Redactor {
    known: Vec<String>,
    numbers: HashMap<String, usize>,
    /// Values that their place among others told, and that are told from words: equal ones are taken out elsewhere, too.
    placed: HashSet<String>,
    placed_begins: HashSet<[u8; ALONE]>,
    /// A bit for each pair of bytes that any secret begins with: nearly all text is passed over at the speed of a look-up.
    begins: Box<[u64; 1024]>,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new([])
    }
}

impl Redactor {
    /// Makes a redactor that also knows these values, the shortest 6 characters long, as they are, percent-encoded and in
    /// base64.
    #[must_use]
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        let mut all: Vec<String> = Vec::new();
        for value in known.into_iter().filter(|value| value.len() >= KNOWN_MIN) {
            all.extend(encoded(&value));
            all.push(value);
        }
        all.sort_by_key(|value| std::cmp::Reverse(value.len()));
        all.dedup();
        let mut begins = Box::new([0; 1024]);
        let mut mark = |first: u8, second: u8| {
            let (word, bit) = place(first, second);
            begins[word] |= bit;
        };
        for begin in all
            .iter()
            .map(String::as_str)
            .chain(FORMS.iter().map(|form| form.0))
            .chain(SCHEMES)
            .chain(MODULES)
            .chain([KEY, SSH_KEY, PUTTY[0], "kty", "://", "value", "Value", "VALUE"])
        {
            if let [first, second, ..] = *begin.as_bytes() {
                mark(first, second);
            }
        }
        phrases::beginnings().for_each(|[first, second]| mark(first, second));
        for [first, second] in names::beginnings() {
            for first in [first, first.to_ascii_uppercase()] {
                [second, second.to_ascii_uppercase()].into_iter().for_each(|second| mark(first, second));
            }
        }
        for first in b'0'..=b'9' {
            (b'0'..=b'9').for_each(|second| mark(first, second));
        }
        Self { known: all, numbers: HashMap::new(), placed: HashSet::new(), placed_begins: HashSet::new(), begins }
    }

    /// Makes a redactor that knows the values of the process's variables with secret names.
    #[must_use]
    pub fn from_environment() -> Self {
        Self::with_env_file("")
    }

    /// As [`from_environment`](Self::from_environment), with those of a project's `.env` file besides, given as its text.
    #[must_use]
    pub fn with_env_file(text: &str) -> Self {
        // In the shell these are no passwords: every path of the project begins with one of them.
        let is_folder = |name: &String| matches!(name.as_str(), "PWD" | "OLDPWD");
        // What is no UTF-8 is not found in any text either.
        let told = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        let own = std::env::vars_os().filter_map(told).filter(|(name, _)| !is_folder(name)).collect::<Vec<_>>();
        let all = own.into_iter().chain(finders::assignments(text));
        // A common word means elsewhere what it says.
        Self::new(all.filter(|(name, value)| is_secret_name(name) && looks_secret(value)).map(|(_, value)| value))
    }

    /// Tells, fast, whether there may be a secret in the bytes; `false` is certain.
    #[must_use]
    pub fn may_hold(&self, bytes: &[u8]) -> bool {
        let begins = bytes.windows(2).enumerate().any(|(at, pair)| {
            let (word, bit) = place(pair[0], pair[1]);
            self.begins[word] & bit != 0 && self.begins_at(&bytes[at..])
        });
        begins || logins::may_hold(bytes)
    }

    /// Tells whether a whole text is a known value.
    #[must_use]
    pub fn knows(&self, text: &str) -> bool {
        self.known.iter().any(|value| value == text)
    }

    fn begins_at(&self, bytes: &[u8]) -> bool {
        let was_placed = || bytes.first_chunk().is_some_and(|begin| self.placed_begins.contains(begin));
        finders::begins(bytes) || was_placed() || self.known.iter().any(|value| bytes.starts_with(value.as_bytes()))
    }

    /// Gives the text without its secrets, or `None` when there is none in it.
    pub fn redact(&mut self, text: &str) -> Option<String> {
        if !self.may_hold(text.as_bytes()) {
            return None;
        }
        self.replace(text, Looks::Text)
    }

    /// As [`redact`](Self::redact) for a text of a recorded value, of which it matters whether there is more than a secret.
    pub fn redact_value(&mut self, text: &str) -> Option<Safe> {
        if !self.may_hold(text.as_bytes()) {
            return None;
        }
        match Search::new(text, Looks::Text, &self.known).next(0)? {
            (0, end, kind) if end == text.len() => Some(Safe::Whole { kind, number: self.number(text) }),
            _ => self.replace(text, Looks::Text).map(Safe::Part),
        }
    }

    /// As [`redact`](Self::redact) for Python source: of an assignment only a literal is a secret, not code that gets one.
    pub fn redact_source(&mut self, source: &str) -> Option<String> {
        self.replace(source, Looks::Source)
    }

    /// As [`redact_source`](Self::redact_source) for what leaves this machine: long random texts go too, whatever they are.
    pub fn redact_outgoing(&mut self, text: &str) -> Option<String> {
        self.replace(text, Looks::Outgoing)
    }

    /// Gives what stands for a text that is known to be a secret of this kind.
    pub fn placeholder(&mut self, secret: &str, kind: &str) -> String {
        format!("{PLACEHOLDER}{kind}#{}]", self.number(secret))
    }

    /// Numbers a secret: the same one has the same number.
    pub fn number(&mut self, secret: &str) -> usize {
        let next = self.numbers.len() + 1;
        *self.numbers.entry(secret.to_owned()).or_insert(next)
    }

    /// Numbers a secret that its place among other values told.
    pub fn number_of_placed(&mut self, secret: &str) -> usize {
        if secret.len() >= ALONE && looks_secret(secret) && !is_said(secret) {
            self.placed.insert(secret.to_owned());
            if let Some(begin @ [first, second, ..]) = secret.as_bytes().first_chunk::<ALONE>() {
                let (word, bit) = place(*first, *second);
                self.begins[word] |= bit;
                self.placed_begins.insert(*begin);
            }
        }
        self.number(secret)
    }

    /// Tells whether a text is one that its place told before.
    #[must_use]
    pub fn was_placed(&self, text: &str) -> bool {
        !self.placed.is_empty() && self.placed.contains(text)
    }

    /// As [`redact`](Self::redact) for a text that stands alone: its secrets are numbered among themselves.
    pub fn redact_alone(&mut self, text: &str) -> Option<String> {
        self.alone(|redactor| redactor.redact(text))
    }

    /// Does something whose secrets are numbered among themselves.
    pub fn alone<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let numbers = std::mem::take(&mut self.numbers);
        let done = work(self);
        self.numbers = numbers;
        done
    }

    /// Puts secrets that were met back where their placeholders stand in a source that was redacted; `None` where one was not met.
    pub fn put_back(&self, source: &str) -> Option<String> {
        let secrets: HashMap<usize, &str> = self.numbers.iter().map(|(secret, number)| (*number, secret.as_str())).collect();
        let mut out = String::with_capacity(source.len());
        let mut rest = source;
        while let Some((before, after)) = rest.split_once(PLACEHOLDER) {
            let (name, after) = after.split_once(']')?;
            let number: usize = name.rsplit_once('#')?.1.parse().ok()?;
            let secret = secrets.get(&number)?;
            out.push_str(before);
            out.push_str(secret);
            // Its line ends were kept, so that each line has its number.
            rest = secret.matches('\n').try_fold(after, |after, line| after.strip_prefix(line))?;
        }
        Some(out + rest)
    }

    /// Takes those secrets out of a text that were met already, as far as they are told from words.
    pub fn redact_met(&self, text: &str) -> Option<String> {
        let mut met: Vec<(&String, &usize)> = self.numbers.iter().filter(|(secret, _)| text.contains(secret.as_str())).collect();
        met.retain(|(secret, _)| secret.len() >= ALONE && looks_secret(secret));
        met.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
        let without = |text: String, (secret, number): (&String, &usize)| {
            text.replace(secret.as_str(), &format!("{PLACEHOLDER}secret#{number}]"))
        };
        (!met.is_empty()).then(|| met.into_iter().fold(text.to_owned(), without))
    }

    /// Takes long random texts out of what was redacted otherwise already.
    pub fn redact_random(&mut self, text: &str) -> Option<String> {
        self.replace(text, Looks::Random)
    }

    /// Gives a value without its secrets: those in its texts, and what stands under a secret name.
    pub fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(&text).unwrap_or(text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let beside = beside::hidden(&fields);
                let hidden = |name: &str, value: &Value| {
                    let is_one = names::holds(name) == Some(Holds::One) || beside.iter().any(|key| key == name);
                    is_one && (value.is_string() || value.is_number())
                };
                let fields = fields.into_iter().map(|(name, value)| {
                    let value = match names::holds(&name) {
                        _ if hidden(&name, &value) => Value::String(HIDDEN.into()),
                        Some(Holds::Several) => self.several(value, false, true),
                        Some(Holds::PerhapsSeveral) => self.several(value, true, false),
                        Some(Holds::One) | None => self.value(value),
                    };
                    (self.redact(&name).unwrap_or(name), value)
                });
                Value::Object(fields.collect())
            }
            other => other,
        }
    }

    /// Gives what stands under a name of several secrets without them: all texts, or those that look random. With `numbers`, a
    /// number in a list or right under a key is one; any other says how many there are.
    fn several(&mut self, value: Value, perhaps: bool, numbers: bool) -> Value {
        match value {
            Value::String(text) if text.is_empty() || (perhaps && !is_random(&text)) => self.value(Value::String(text)),
            Value::String(_) => Value::String(HIDDEN.into()),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.one_of_several(item, perhaps, numbers)).collect())
            }
            Value::Object(fields) => {
                let field = |(name, item): (String, Value)| {
                    let item = self.one_of_several(item, perhaps, numbers);
                    let name = if is_random(&name) { HIDDEN.into() } else { self.redact(&name).unwrap_or(name) };
                    (name, item)
                };
                Value::Object(fields.into_iter().map(field).collect())
            }
            other => other,
        }
    }

    /// Does so with what is in a list or under a key of them: there a mapping is about one secret.
    fn one_of_several(&mut self, item: Value, perhaps: bool, numbers: bool) -> Value {
        if numbers && item.as_u64().is_some_and(|number| number >= PIN) {
            return Value::String(HIDDEN.into());
        }
        let numbers = numbers && !item.is_object();
        self.several(item, perhaps, numbers)
    }

    /// Of source, what stands behind a secret keeps the number of its line.
    fn replace(&mut self, text: &str, looks: Looks) -> Option<String> {
        let known = std::mem::take(&mut self.known);
        let mut search = Search::new(text, looks, &known);
        let (mut out, mut at) = (String::new(), 0);
        while let Some((start, end, kind)) = search.next(at) {
            out.push_str(&text[at..start]);
            out.push_str(&self.placeholder(&text[start..end], kind));
            if matches!(looks, Looks::Source | Looks::Outgoing) {
                text[start..end].matches('\n').for_each(|line| out.push_str(line));
            }
            at = end;
        }
        self.known = known;
        (at > 0).then(|| out + &text[at..])
    }
}

/// The forms in which a known value travels.
fn encoded(value: &str) -> Vec<String> {
    let percent: String = value
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect();
    // As `urllib.parse.quote` has it, and as others write the digits.
    let path = percent.replace("%2F", "/");
    let lower = |text: &str| {
        let mut parts = text.split('%');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |all, part| {
            let (digits, rest) = part.split_at(part.len().min(2));
            format!("{all}%{}{rest}", digits.to_lowercase())
        })
    };
    let json = serde_json::to_string(value).unwrap_or_default().trim_matches('"').to_owned();
    let html =
        value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#x27;");
    // Inside a longer text it may begin at any of three places; what stands beside it changes the outermost characters.
    let mut forms = vec![lower(&percent), lower(&path), percent, path, json, html];
    for (before, changed) in [(0, 0), (1, 2), (2, 3)] {
        let bytes = [&[0; 2][..before], value.as_bytes()].concat();
        let whole = &bytes[..bytes.len() / 3 * 3];
        for text in [BASE64_STANDARD_NO_PAD.encode(whole), BASE64_URL_SAFE_NO_PAD.encode(whole)] {
            forms.push(text[changed..].to_owned());
        }
    }
    forms.retain(|form| form != value && form.len() >= ALONE);
    forms
}

/// Gives the bit of a pair of bytes: its word, and the bit in that.
fn place(first: u8, second: u8) -> (usize, u64) {
    (usize::from(first) << 2 | usize::from(second >> 6), 1 << (second & 63))
}

#[cfg(test)]
mod tests {
    use super::super::forms::sample;
    use super::*;

    #[test]
    fn token_shapes_and_known_values_are_replaced() {
        let mut redactor = Redactor::new(["hunter2hunter2".to_owned()]);
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let text = format!("use {token} or hunter2hunter2, again {token}");
        assert_eq!(
            redactor.redact(&text).as_deref(),
            Some("use [REDACTED:github-token#1] or [REDACTED:secret#2], again [REDACTED:github-token#1]")
        );
        assert_eq!(redactor.redact("task-force sk-short eyJust"), None);
    }

    #[test]
    fn a_secret_right_behind_an_escape_is_found() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        for before in ["\\n", "\\t", "%3D", "%22", "\\u0022", "\\x22", "\x1b[31m", "\x1b[1;31m"] {
            let found = Redactor::default().redact(&format!("x{before}{token}"));
            assert!(found.is_some_and(|text| !text.contains(&token)), "{before:?}");
        }
        for text in [
            r"x\npassword=zQ8kd20fhWx",
            "a%26password%3DzQ8kd20fhWx&b",
            "PGPASSWORD=zQ8kd20fhWx psql",
            "SMTP_PASS=zQ8kd20fhWx",
            "password            = zQ8kd20fhWx",
            "{\"password\":\n  \"zQ8kd20fhWx\"}",
            "password=SecretStr('zQ8kd20fhWx')",
        ] {
            let found = Redactor::default().redact(text);
            assert!(found.is_some_and(|text| !text.contains("zQ8kd20fhWx")), "{text}");
        }
    }

    #[test]
    fn a_private_key_is_found_whole_also_where_its_end_is_missing() {
        let body = "MIIEowIBAAKCAQEA7b".repeat(4);
        let (begin, end) = (["-----BEGIN RSA ", "PRIVATE KEY-----"].concat(), ["-----END RSA ", "PRIVATE KEY-----"].concat());
        for text in [format!("{begin}\n{body}"), format!("{begin}\n{body}\n{end}"), format!("{begin}\\n{body}")] {
            assert!(Redactor::default().redact(&text).is_some_and(|text| !text.contains(&body)), "{text}");
        }
        let both = Redactor::default().redact(&format!("{begin}\n{body}\n{end} and more")).unwrap();
        assert!(both.ends_with(" and more"), "{both}");
    }

    #[test]
    fn a_known_value_is_found_in_the_forms_in_which_it_travels() {
        let value = "pa/ss w\"ord&1!zQ";
        for form in [
            "pa/ss%20w%22ord%261%21zQ",
            "pa%2fss%20w%22ord%261%21zQ",
            "pa%2Fss%20w%22ord%261%21zQ",
            "pa/ss w\\\"ord&1!zQ",
            "pa/ss w&quot;ord&amp;1!zQ",
        ] {
            let found = Redactor::new([value.to_owned()]).redact(&format!("a {form} b"));
            assert!(found.is_some_and(|text| !text.contains(form)), "{form}");
        }
    }

    #[test]
    fn a_value_that_is_nothing_but_a_secret_is_told_as_one() {
        let mut redactor = Redactor::default();
        let token = format!("ghp_{}", "a1B2".repeat(9));
        assert_eq!(redactor.redact_value(&token), Some(Safe::Whole { kind: "github-token", number: 1 }));
        assert_eq!(redactor.redact_value(&format!("{token}!")), Some(Safe::Part("[REDACTED:github-token#1]!".into())));
        assert_eq!(redactor.redact_value("nothing"), None);
        assert_eq!(redactor.redact_met(&format!("said {token}!")).as_deref(), Some("said [REDACTED:secret#1]!"));
        assert_eq!(redactor.alone(|alone| alone.redact_met(&token)), None);
    }

    #[test]
    fn of_the_environment_only_what_is_no_word_is_looked_for_elsewhere() {
        let mut redactor =
            Redactor::with_env_file("DB_PASSWORD=postgres\nAPI_TOKEN=k3y-of-the-sh0p\nTOKEN_URL=https://a.test/tok3n9x\n");
        assert_eq!(redactor.redact("postgres at https://a.test/tok3n9x"), None);
        assert_eq!(redactor.redact("with k3y-of-the-sh0p").as_deref(), Some("with [REDACTED:secret#1]"));
    }

    #[test]
    fn what_is_redacted_is_never_passed_over_beforehand() {
        let mut redactor = Redactor::new(["hunter2hunter2".to_owned(), "éclair-secret".to_owned()]);
        let shaped = FORMS.iter().map(|form| sample(*form));
        let known = ["hunter2hunter2", "éclair-secret", "-----BEGIN PRIVATE KEY-----"].map(str::to_owned);
        let found = ["password=hunter3", "Api_Key: k3y-k3y", "\"token\": \"abc\"", "4111 1111 1111 1111", "http://a:pw9@b/"];
        for secret in shaped.chain(known).chain(found.map(str::to_owned)) {
            for text in [secret.clone(), format!("x {secret} y")] {
                assert!(redactor.may_hold(text.as_bytes()), "{text}");
                assert!(redactor.redact(&text).is_some(), "{text}");
            }
        }
        assert!(!redactor.may_hold(b"a sentence of plain words, \x00\xff and numbers 12345"));
    }

    #[test]
    fn values_lose_what_stands_under_a_secret_name_and_the_secrets_in_their_texts() {
        let mut redactor = Redactor::new(["hunter2hunter2".to_owned()]);
        let value = serde_json::json!({ "user": { "password": "x", "pin": [1], "note": "is hunter2hunter2" }, "tokens": 3 });
        assert_eq!(
            redactor.value(value),
            serde_json::json!({ "user": { "password": "[REDACTED]", "pin": [1], "note": "is [REDACTED:secret#1]" }, "tokens": 3 })
        );
    }

    #[test]
    fn a_name_of_several_secrets_hides_what_is_in_it_at_every_depth() {
        let mut redactor = Redactor::default();
        let value = serde_json::json!({
            "passwords": ["a9", { "old": ["b"], "when": 1_700_000_000 }, 471_147, ""],
            "api_keys": { "ada": "k", "grace": 90_807_060, "most": 12 },
            "tokens": { "a": "zQ8-kd2x09", "b": ["the", "monkeys"], "n": 1500 },
            "keys": ["a", "b"], "max_tokens": 256, "passwords_tried": 4000,
        });
        let safe = "[REDACTED]";
        assert_eq!(
            redactor.value(value),
            serde_json::json!({
                "passwords": [safe, { "old": [safe], "when": 1_700_000_000 }, safe, ""],
                "api_keys": { "ada": safe, "grace": safe, "most": 12 },
                "tokens": { "a": safe, "b": ["the", "monkeys"], "n": 1500 },
                "keys": ["a", "b"], "max_tokens": 256, "passwords_tried": 4000,
            })
        );
    }

    fn redacted(text: &str) -> Option<String> {
        Redactor::new(["hunter2hunter2".to_owned(), "s3cret".to_owned()]).redact(text)
    }

    #[test]
    fn a_known_value_is_found_in_every_form_it_travels_in() {
        for text in ["aHVudGVyMmh1bnRlcjI=", "Basic eDpodW50ZXIyaHVudGVyMg==", "x s3cret y", "\"hunter2hunter2\""] {
            let safe = redacted(text).unwrap_or_default();
            assert!(!safe.contains("aHVudGVy") && !safe.contains("ZXIyaHVudGVy") && !safe.contains("s3cret"), "{text}: {safe}");
        }
        let mut odd = Redactor::new(["p&ss wörd".to_owned()]);
        assert_eq!(odd.redact("q=p%26ss%20w%C3%B6rd&x=1").as_deref(), Some("q=[REDACTED:secret#1]&x=1"));
        assert_eq!(redacted("a s3cretary"), None, "short ones stand alone");
    }

    #[test]
    fn what_is_assigned_to_a_secret_name_goes_and_prose_stays() {
        for (text, safe) in [
            ("password=hunter9", "password=[REDACTED:assigned#1]"),
            ("?user=ada&api_key=k-1&x=2", "?user=ada&api_key=[REDACTED:assigned#1]&x=2"),
            ("{\"accessToken\": \"ab c\", \"n\": 1}", "{\"accessToken\": \"[REDACTED:assigned#1]\", \"n\": 1}"),
            ("{'passwd': 'x y'}", "{'passwd': '[REDACTED:assigned#1]'}"),
            ("Authorization: Bearer abc.def-9", "Authorization: Bearer [REDACTED:assigned#1]"),
            ("DB_PASSWORD: tr0ub4dor", "DB_PASSWORD: [REDACTED:assigned#1]"),
            ("postgres://ada:pw@db/shop", "postgres://ada:[REDACTED:password#1]@db/shop"),
            ("card 4111-1111-1111-1111.", "card [REDACTED:card#1]."),
            ("AccountName=a;AccountKey=k9-x==;x", "AccountName=a;AccountKey=[REDACTED:assigned#1];x"),
            ("Bearer a1B2c3D4e5F6g7H8", "Bearer [REDACTED:credentials#1]"),
            ("password=$ecr3t_1", "password=[REDACTED:assigned#1]"),
            ("API key: k3y-k3y9", "API key: [REDACTED:assigned#1]"),
            ("theme=dark; csrftoken=k3y9", "theme=dark; csrftoken=[REDACTED:assigned#1]"),
            ("x=1&code_verifier=k3y-k3y9&y=2", "x=1&code_verifier=[REDACTED:assigned#1]&y=2"),
            ("?e=17&signature=zQ8kd20fhWx&x=1", "?e=17&signature=[REDACTED:assigned#1]&x=1"),
        ] {
            assert_eq!(redacted(text).as_deref(), Some(safe), "{text}");
        }
        for (text, safe) in [
            ("passwords=['a9', \"b c\"]", "passwords=['[REDACTED:assigned#1]', \"[REDACTED:assigned#2]\"]"),
            ("{\"tokens\": {\"ada\": \"zQ8-kd2x09\"}}", "{\"tokens\": {\"ada\": \"[REDACTED:assigned#1]\"}}"),
            ("api_keys=k-1", "api_keys=[REDACTED:assigned#1]"),
        ] {
            assert_eq!(redacted(text).as_deref(), Some(safe), "{text}");
        }
        for text in [
            "keys=['a', 'b'], max_tokens=256, api_keys=5000, token_count=12, tokens=['the', 'monkeys']",
            "the password: must be long",
            "Invalid token: unexpected end",
            "tokens_used=12345",
            "password=${DB_PASSWORD} token=$API_TOKEN",
            "password: ********",
            "primary key: a1-b2-c3",
            "sort key: k3y-k3y9",
            "author=Ada Lovelace",
            "http://example.com:8080/a@b",
            "4111 1111 1111 1112",
            "[2.8571428571428568, 4.516705679377284, 4111111111111111.5]",
            "[4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1]",
            "2026-11-22 08:36:17.123456",
            "password = [REDACTED:password#1]",
            "password=None",
            "password = getpass()",
            "token = self.token",
            "Basic authentication is needed",
            "signature=ok sig=SIGTERM signature: def f(a1, b2): ...",
            "signature = inspect.signature(total17)",
        ] {
            assert_eq!(redacted(text), None, "{text}");
        }
    }

    #[test]
    fn in_source_only_literals_are_secrets() {
        let mut redactor = Redactor::default();
        let source = "API_KEY = 'k-123'\npassword: str = \"x y\"\nlogin(password=read(), token=\"abc\")\nif pwd != 'zz9':\n    d[\"secret\"] = b'q1w'\n\
                      token = parse(text)\npasswords = get('name')\n";
        let safe = redactor.redact_source(source).unwrap_or_default();
        for gone in ["k-123", "x y", "abc", "zz9", "q1w"] {
            assert!(!safe.contains(gone), "{gone}: {safe}");
        }
        let told = "log(\"password=abc9 and db_token: x9-y8z\")  # pwd=q9q\nx = token(1)\n";
        let safe = redactor.redact_source(told).unwrap_or_default();
        assert!(
            !safe.contains("abc9") && !safe.contains("x9-y8z") && !safe.contains("q9q") && safe.contains("x = token(1)"),
            "{safe}"
        );
        let safe = redactor.redact_source(source).unwrap_or_default();
        for stays in ["login(password=read(), token=\"[REDACTED", "token = parse(text)", "get('name')"] {
            assert!(safe.contains(stays), "{stays}: {safe}");
        }
        assert_eq!(safe.lines().count(), source.lines().count());
    }

    #[test]
    fn only_what_leaves_is_searched_for_what_is_merely_random() {
        let mut redactor = Redactor::default();
        let text = "\"Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5MHF3ZXJ0eQ\" 'da39a3ee5e6b4b0d3255bfef95601890afd80709'";
        assert_eq!(redactor.redact(text), None);
        let safe = redactor.redact_outgoing(text).unwrap_or_default();
        assert_eq!(safe, "\"[REDACTED:random#1]\" '[REDACTED:random#2]'");
        for plain in [
            "RegistrationService.register_customer_by_email",
            "123e4567-e89b-12d3-a456-426614174000",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            assert_eq!(redactor.redact_outgoing(plain), None, "{plain}");
        }
    }
}
