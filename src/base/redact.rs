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
        if is_no_word(secret) {
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

    /// As [`redact`](Self::redact), and takes those out, too, that their place told before.
    pub fn redact_placed(&mut self, text: &str) -> Option<String> {
        let safe = self.redact(text);
        let mut found: Vec<&String> = self.placed.iter().filter(|secret| text.contains(secret.as_str())).collect();
        if found.is_empty() {
            return safe;
        }
        found.sort_by_key(|secret| (std::cmp::Reverse(secret.len()), *secret));
        let without = |text: String, secret: &String| {
            let number = self.numbers.get(secret).copied().unwrap_or_default();
            text.replace(secret.as_str(), &format!("{PLACEHOLDER}secret#{number}]"))
        };
        Some(found.into_iter().fold(safe.unwrap_or_else(|| text.to_owned()), without))
    }

    /// Gives a value without its secrets: those in its texts, what stands under a secret name, and what stood there before.
    pub fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact_placed(&text).unwrap_or(text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let beside = beside::hidden(&fields);
                let hidden = |name: &str, value: &Value| {
                    let is_one = names::holds(name) == Some(Holds::One) || beside.iter().any(|key| key == name);
                    is_one && (value.is_string() || value.is_number())
                };
                let fields = fields.into_iter().map(|(name, value)| {
                    let value = match names::holds(&name) {
                        _ if hidden(&name, &value) => self.hide(&value),
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

    /// Gives what is shown of a secret, and remembers it for later texts where it is no word.
    fn hide(&mut self, secret: &Value) -> Value {
        if let Some(text) = secret.as_str().filter(|text| is_no_word(text)) {
            self.number_of_placed(text);
        }
        Value::String(HIDDEN.into())
    }

    /// Gives what stands under a name of several secrets without them: all texts, or those that look random. With `numbers`, a
    /// number in a list or right under a key is one; any other says how many there are.
    fn several(&mut self, value: Value, perhaps: bool, numbers: bool) -> Value {
        match value {
            Value::String(text) if text.is_empty() || (perhaps && !is_random(&text)) => self.value(Value::String(text)),
            Value::String(_) => self.hide(&value),
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

/// Tells whether a secret is no common word. An equal text in another place is then the secret, too.
fn is_no_word(secret: &str) -> bool {
    secret.len() >= ALONE && looks_secret(secret) && !is_said(secret)
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
mod tests;
