//! Finds and replaces secrets in text before it is stored: known token shapes and the values of secret variables.
//!
//! Redaction by the *name* of a parameter or key happens in the recorder, where names are known.

use std::collections::HashMap;

use serde_json::Value;

/// Prefixes of issued tokens, the least length of the whole, and the kind shown in place of it.
const SHAPES: &[(&str, usize, &str)] = &[
    ("ghp_", 36, "github-token"),
    ("gho_", 36, "github-token"),
    ("ghs_", 36, "github-token"),
    ("github_pat_", 40, "github-token"),
    ("glpat-", 20, "gitlab-token"),
    ("sk-", 24, "api-key"),
    ("sk_live_", 20, "api-key"),
    ("rk_live_", 20, "api-key"),
    ("xoxb-", 20, "slack-token"),
    ("xoxp-", 20, "slack-token"),
    ("AKIA", 20, "aws-key"),
    ("ASIA", 20, "aws-key"),
    ("AIza", 35, "google-key"),
    ("hf_", 30, "hf-token"),
    ("pypi-", 40, "pypi-token"),
    ("npm_", 36, "npm-token"),
    ("eyJ", 60, "jwt"),
];

/// Where the text of a private key begins.
const KEY: &str = "-----BEGIN ";

/// Replaces secrets; the same secret always gets the same number.
#[derive(Debug)]
pub struct Redactor {
    known: Vec<String>,
    numbers: HashMap<String, usize>,
    /// A bit for each pair of bytes that any secret begins with: nearly all text is passed over at the speed of a look-up.
    begins: Box<[u64; 1024]>,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new([])
    }
}

impl Redactor {
    /// Makes a redactor that also knows these values, the shortest 8 characters long.
    #[must_use]
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        let mut known: Vec<String> = known.into_iter().filter(|value| value.len() >= 8).collect();
        known.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let mut begins = Box::new([0; 1024]);
        let shapes = SHAPES.iter().map(|(prefix, _, _)| *prefix);
        for begin in known.iter().map(String::as_str).chain(shapes).chain([KEY]) {
            if let [first, second, ..] = *begin.as_bytes() {
                let (word, bit) = place(first, second);
                begins[word] |= bit;
            }
        }
        Self { known, numbers: HashMap::new(), begins }
    }

    /// Makes a redactor that knows the values of the process's variables with secret names.
    #[must_use]
    pub fn from_environment() -> Self {
        Self::new(std::env::vars().filter(|(name, _)| is_secret_name(name)).map(|(_, value)| value))
    }

    /// Tells, fast, whether there may be a secret in the bytes; `false` is certain.
    #[must_use]
    pub fn may_hold(&self, bytes: &[u8]) -> bool {
        bytes.windows(2).enumerate().any(|(at, pair)| {
            let (word, bit) = place(pair[0], pair[1]);
            self.begins[word] & bit != 0 && self.begins_at(&bytes[at..])
        })
    }

    fn begins_at(&self, bytes: &[u8]) -> bool {
        SHAPES.iter().any(|(prefix, _, _)| bytes.starts_with(prefix.as_bytes()))
            || bytes.starts_with(KEY.as_bytes())
            || self.known.iter().any(|value| bytes.starts_with(value.as_bytes()))
    }

    /// Gives the text without its secrets, or `None` when there is none in it.
    pub fn redact(&mut self, text: &str) -> Option<String> {
        if !self.may_hold(text.as_bytes()) {
            return None;
        }
        let mut out = String::new();
        let mut rest = text;
        let mut found = false;
        while let Some((start, end, kind)) = self.first_secret(rest) {
            found = true;
            out.push_str(&rest[..start]);
            let next = self.numbers.len() + 1;
            let number = *self.numbers.entry(rest[start..end].to_owned()).or_insert(next);
            out.push_str(&format!("[REDACTED:{kind}#{number}]"));
            rest = &rest[end..];
        }
        found.then(|| out + rest)
    }

    /// Gives a value without its secrets: those in its texts, and what stands under a secret name.
    pub fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(&text).unwrap_or(text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let hidden = |name: &str, value: &Value| is_secret_name(name) && (value.is_string() || value.is_number());
                let fields = fields.into_iter().map(|(name, value)| {
                    let value = if hidden(&name, &value) { Value::String("[REDACTED]".into()) } else { self.value(value) };
                    (self.redact(&name).unwrap_or(name), value)
                });
                Value::Object(fields.collect())
            }
            other => other,
        }
    }

    fn first_secret(&self, text: &str) -> Option<(usize, usize, &'static str)> {
        let known = self.known.iter().filter_map(|value| {
            let start = text.find(value.as_str())?;
            Some((start, start + value.len(), "secret"))
        });
        let shaped = SHAPES.iter().filter_map(|&(prefix, least, kind)| first_shaped(text, prefix, least, kind));
        let key = text.find(KEY).and_then(|start| {
            let head = &text[start..];
            head.get(..64.min(head.len())).is_some_and(|h| h.contains("PRIVATE KEY")).then(|| {
                let end = head.rfind("-----").map_or(text.len(), |at| start + at + 5);
                (start, end, "private-key")
            })
        });
        known.chain(shaped).chain(key).min_by_key(|&(start, end, _)| (start, std::cmp::Reverse(end)))
    }
}

/// Gives the bit of a pair of bytes: its word, and the bit in that.
fn place(first: u8, second: u8) -> (usize, u64) {
    (usize::from(first) << 2 | usize::from(second >> 6), 1 << (second & 63))
}

fn first_shaped(text: &str, prefix: &str, least: usize, kind: &'static str) -> Option<(usize, usize, &'static str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find(prefix) {
        let start = from + at;
        let tail = &text[start + prefix.len()..];
        let body = tail.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')).count();
        let boundary = !text[..start].ends_with(|c: char| c.is_alphanumeric());
        if boundary && prefix.len() + body >= least {
            return Some((start, start + prefix.len() + body, kind));
        }
        from = start + prefix.len();
    }
    None
}

/// Tells whether a variable, parameter or key of this name holds a secret, by its words.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "password",
        "passwd",
        "passphrase",
        "secret",
        "secrets",
        "token",
        "apikey",
        "authorization",
        "credential",
        "credentials",
        "cookie",
    ];
    let mut words = Vec::new();
    let mut word = String::new();
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && word.ends_with(|l: char| l.is_lowercase())) {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.push(c);
        }
    }
    words.push(word);
    let words: Vec<String> = words.into_iter().map(|w| w.to_lowercase()).collect();
    words.iter().any(|w| WORDS.contains(&w.as_str()))
        || words.windows(2).any(|w| matches!((w[0].as_str(), w[1].as_str()), ("api" | "private" | "access", "key")))
}

#[cfg(test)]
mod tests {
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
    fn what_is_redacted_is_never_passed_over_beforehand() {
        let mut redactor = Redactor::new(["hunter2hunter2".to_owned(), "éclair-secret".to_owned()]);
        let shaped = SHAPES.iter().map(|(prefix, least, _)| format!("{prefix}{}", "a".repeat(*least)));
        let known = ["hunter2hunter2", "éclair-secret", "-----BEGIN PRIVATE KEY-----"].map(str::to_owned);
        for secret in shaped.chain(known) {
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
    fn names_are_judged_by_their_words() {
        for name in ["password", "userPassword", "DB_PASSWORD", "api_key", "accessToken", "X-Api-Key"] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["tokenize", "keyboard", "monkey", "primary_key", "passenger", "secretary"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
