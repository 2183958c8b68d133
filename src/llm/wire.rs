//! The JSON of OpenAI-compatible servers: what is sent, and the little that is read of what comes back.
//!
//! Everything read is optional: servers differ, and what they add is no reason to fail.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::llm::provider::{Request, Usage};

/// Parts of a request that some servers or models refuse, and what is sent in their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Dialect {
    /// `max_completion_tokens` in place of `max_tokens`.
    new_limit: bool,
    /// No temperature but the model's own.
    no_temperature: bool,
    /// No word of usage at the end of a stream.
    no_usage: bool,
}

impl Dialect {
    /// Gives the dialect that avoids what a refusal complains about; `None` when that is nothing known or avoided already.
    pub(crate) fn after(self, refusal: &str) -> Option<Self> {
        let next = if refusal.contains("max_completion_tokens") {
            Self { new_limit: true, ..self }
        } else if refusal.contains("temperature") {
            Self { no_temperature: true, ..self }
        } else if refusal.contains("stream_options") {
            Self { no_usage: true, ..self }
        } else {
            self
        };
        (next != self).then_some(next)
    }

    /// Writes a request's body.
    pub(crate) fn body(self, model: &str, request: &Request) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), json!(model));
        body.insert(
            "messages".into(),
            json!([
                { "role": "system", "content": request.prompt.system },
                { "role": "user", "content": request.prompt.user },
            ]),
        );
        body.insert("stream".into(), json!(true));
        if !self.no_usage {
            body.insert("stream_options".into(), json!({ "include_usage": true }));
        }
        let limit = if self.new_limit { "max_completion_tokens" } else { "max_tokens" };
        body.insert(limit.into(), json!(request.max_tokens));
        if !self.no_temperature {
            body.insert("temperature".into(), json!(request.temperature));
        }
        Value::Object(body)
    }
}

/// One event of a stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Chunk {
    pub(crate) choices: Option<Vec<Choice>>,
    pub(crate) usage: Option<Tokens>,
    pub(crate) error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Choice {
    pub(crate) delta: Option<Delta>,
    pub(crate) finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta {
    pub(crate) content: Option<String>,
    reasoning: Option<Value>,
    reasoning_content: Option<Value>,
}

impl Delta {
    /// Tells whether the model reasons in this piece.
    pub(crate) fn reasons(&self) -> bool {
        [&self.reasoning, &self.reasoning_content]
            .into_iter()
            .flatten()
            .any(|text| text.as_str().is_some_and(|text| !text.is_empty()))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Tokens {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Details {
    cached_tokens: Option<u64>,
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        Self {
            prompt: tokens.prompt_tokens,
            cached: tokens.prompt_tokens_details.and_then(|details| details.cached_tokens),
            written: tokens.completion_tokens,
        }
    }
}

/// Finds the sentence in the body of an error: `{"error": {"message": …}}`, its common variants, or the text itself.
pub(crate) fn message(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else { return body.trim().to_owned() };
    let error = value.get("error").unwrap_or(&value);
    message_of(error).unwrap_or_else(|| body.trim().to_owned())
}

/// Finds the sentence in an error object.
pub(crate) fn message_of(error: &Value) -> Option<String> {
    let text = match error {
        Value::String(text) => text,
        Value::Object(fields) => ["message", "detail", "code", "type"].iter().find_map(|name| fields.get(*name)?.as_str())?,
        _ => return None,
    };
    Some(text.trim().to_owned())
}

/// Reads the names in the answer of `/models`.
pub(crate) fn model_names(body: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct List {
        data: Vec<Entry>,
    }
    #[derive(Deserialize)]
    struct Entry {
        id: String,
    }
    serde_json::from_str::<List>(body).map(|list| list.data.into_iter().map(|entry| entry.id).collect()).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::llm::prompt::Prompt;

    fn request() -> Request {
        Request { prompt: Prompt { system: "s".into(), user: "u".into(), version: 1 }, max_tokens: 7, temperature: 0.0 }
    }

    #[test]
    fn a_dialect_follows_the_refusal_once() {
        let first = Dialect::default();
        let body = first.body("m", &request());
        assert_eq!((&body["max_tokens"], &body["stream_options"]["include_usage"]), (&json!(7), &json!(true)));
        let second = first.after("Unsupported parameter: use 'max_completion_tokens'").unwrap();
        let body = second.body("m", &request());
        assert_eq!((body.get("max_tokens"), &body["max_completion_tokens"]), (None, &json!(7)));
        assert_eq!(second.after("max_completion_tokens"), None);
        let third = second.after("'temperature' does not support 0 with this model").unwrap();
        assert_eq!(third.body("m", &request()).get("temperature"), None);
        assert_eq!(third.after("something else"), None);
    }

    #[test]
    fn the_message_is_found_in_every_form() {
        for body in [
            r#"{"error": {"message": "no", "type": "x"}}"#,
            r#"{"error": "no"}"#,
            r#"{"message": "no"}"#,
            r#"{"detail": "no"}"#,
            " no\n",
        ] {
            assert_eq!(message(body), "no", "{body}");
        }
        assert_eq!(message("[1]"), "[1]");
    }

    #[test]
    fn a_chunk_is_read_with_nulls_and_additions() {
        let chunk: Chunk =
            serde_json::from_str(r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null},"x":1}],"usage":null}"#)
                .unwrap();
        assert_eq!(chunk.choices.unwrap()[0].delta.as_ref().unwrap().content, None);
        let chunk: Chunk =
            serde_json::from_str(r#"{"choices":null,"usage":{"prompt_tokens":3,"prompt_tokens_details":null}}"#).unwrap();
        assert_eq!(Usage::from(chunk.usage.unwrap()).prompt, Some(3));
    }
}
