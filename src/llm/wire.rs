//! The JSON of OpenAI-compatible servers: what is sent, and the little that is read of what comes back.
//!
//! Everything read is optional: servers differ, and what they add is no reason to fail.

use reqwest::header::{HeaderMap, HeaderValue};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::llm::local::protocol::Sampling;
use crate::llm::network::belongs;
use crate::llm::prompt::{Prompt, SEAM};
use crate::llm::provider::{Form, Request, Usage};
use crate::llm::wishes::{Refused, Wishes};

/// Parts of a request that some servers or models refuse, and what is sent in their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Dialect {
    /// `max_completion_tokens` in place of `max_tokens`.
    new_limit: bool,
    /// No temperature but the model's own.
    no_temperature: bool,
    /// Settings of a person's that it does not take.
    refused: Refused,
    /// No word of usage at the end of a stream.
    no_usage: bool,
    /// The form of the answer in words only.
    no_form: bool,
}

/// Words in refusals of a forced form.
const FORM_SIGNS: &[&str] =
    &["response_format", "schema", "structured", "json mode", "json_object", "grammar", "guided", "requested parameters"];

/// Alibaba's service, in each of its regions.
const DASHSCOPE: &[&str] = &["dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"];
/// Anthropic's models, which OpenRouter serves too, keep a prefix for at most so many marks.
const MARKS_MAX: usize = 4;

impl Dialect {
    /// Gives the dialect that avoids what a refusal complains about; `None` when that is nothing known or avoided already.
    pub(crate) fn after(self, refusal: &str, form: &Form) -> Option<Self> {
        let lower = refusal.to_lowercase();
        let next = if let Some(refused) = self.refused.after(refusal) {
            Self { refused, ..self }
        } else if *form != Form::Text && FORM_SIGNS.iter().any(|sign| lower.contains(sign)) {
            Self { no_form: true, ..self }
        } else if refusal.contains("max_completion_tokens") {
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
    pub(crate) fn body(self, model: &str, request: &Request, service: Service) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), json!(model));
        body.insert("messages".into(), self.messages(request, service.keeps_marked));
        if !self.no_form {
            if service.passes_on && request.form != Form::Text {
                body.insert("provider".into(), json!({ "require_parameters": true }));
            }
            match &request.form {
                Form::Text => {}
                Form::Json(schema) => {
                    let schema = json!({ "name": "answer", "strict": true, "schema": schema.as_ref() });
                    body.insert("response_format".into(), json!({ "type": "json_schema", "json_schema": schema }));
                }
                // llama-server takes it; a server that does not know it says so or passes over it.
                Form::Grammar(grammar) => {
                    body.insert("grammar".into(), json!(grammar));
                }
            }
        }
        body.insert("stream".into(), json!(true));
        if !self.no_usage {
            body.insert("stream_options".into(), json!({ "include_usage": true }));
        }
        let limit = if self.new_limit { "max_completion_tokens" } else { "max_tokens" };
        body.insert(limit.into(), json!(request.max_tokens));
        if !self.no_temperature {
            body.insert("temperature".into(), json!(request.temperature));
        }
        service.wishes.write(self.refused, &mut body);
        Value::Object(body)
    }

    /// Names the settings of a person's that are not sent to a service.
    pub(crate) fn unsent(self, service: Service) -> Vec<&'static str> {
        service.wishes.unsent(self.refused, self.no_temperature)
    }

    fn messages(self, request: &Request, marks: bool) -> Value {
        let Prompt { system, shared, user, .. } = &request.prompt;
        let in_words = if self.no_form { in_words(&request.form) } else { String::new() };
        let mut messages = Vec::new();
        if !marks {
            if !system.is_empty() {
                messages.push(json!({ "role": "system", "content": system }));
            }
            messages.push(json!({ "role": "user", "content": request.prompt.asked() + &in_words }));
            return Value::Array(messages);
        }
        // The last parts end the longest prefixes; the system text is part of each of them.
        let kept = json!({ "type": "ephemeral" });
        if !system.is_empty() {
            let mut part = json!({ "type": "text", "text": system });
            if shared.is_empty() {
                part["cache_control"] = kept.clone();
            }
            messages.push(json!({ "role": "system", "content": [part] }));
        }
        let unmarked = shared.len().saturating_sub(MARKS_MAX);
        let mut content: Vec<Value> = Vec::new();
        for (at, text) in shared.iter().enumerate() {
            let mut part = json!({ "type": "text", "text": format!("{text}{SEAM}") });
            if at >= unmarked {
                part["cache_control"] = kept.clone();
            }
            content.push(part);
        }
        content.push(json!({ "type": "text", "text": format!("{user}{in_words}") }));
        messages.push(json!({ "role": "user", "content": content }));
        Value::Array(messages)
    }
}

/// Says in words what form an answer has to have, to go after what is asked.
pub(crate) fn in_words(form: &Form) -> String {
    match form {
        Form::Text => String::new(),
        Form::Json(schema) => {
            format!("{SEAM}Answer with JSON alone, without any other word. It follows this JSON schema:\n{schema}")
        }
        Form::Grammar(grammar) => format!("{SEAM}Answer with nothing but what this GBNF grammar allows:\n{grammar}"),
    }
}

/// What is particular to a service, known by its address.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Service {
    /// It keeps the prefixes that a request marks; others find them by themselves, or keep nothing.
    keeps_marked: bool,
    /// It passes requests on to whoever serves the model, and has to be told that all of a request counts.
    passes_on: bool,
    /// What a person set, as far as it has it.
    wishes: Wishes,
}

impl Service {
    /// Finds what is known of a host.
    pub(crate) fn of(host: &str, model: &str) -> Self {
        let passes_on = belongs(host, "openrouter.ai");
        let keeps_marked = if passes_on {
            ["anthropic/", "google/gemini", "qwen/"].iter().any(|family| model.contains(family))
        } else {
            DASHSCOPE.iter().any(|own| belongs(host, own)) && model.to_lowercase().starts_with("qwen")
        };
        Self { keeps_marked, passes_on, wishes: Wishes::default() }
    }

    /// Sends what a person set, too.
    pub(crate) fn wishing(self, host: &str, set: Sampling) -> Self {
        Self { wishes: Wishes::of(host, set), ..self }
    }

    /// Gives the headers it asks its users for.
    pub(crate) fn headers(self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if self.passes_on {
            headers.insert("http-referer", HeaderValue::from_static("https://pypi.org/project/pytead-tui/"));
            headers.insert("x-title", HeaderValue::from_static("pytead-tui"));
        }
        headers
    }
}

/// One event of a stream, or a whole answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Chunk {
    pub(crate) choices: Option<Vec<Choice>>,
    pub(crate) usage: Option<Tokens>,
    pub(crate) error: Option<Value>,
    /// `error` where the event itself is one.
    object: Option<Value>,
    message: Option<Value>,
    pub(crate) system_fingerprint: Option<String>,
}

impl Chunk {
    /// Gives the error that it is or holds.
    pub(crate) fn failure(&mut self) -> Option<Value> {
        let is_one = self.object.as_ref().and_then(Value::as_str) == Some("error");
        let own = || Value::String("no reason given".into());
        self.error.take().filter(|error| !error.is_null()).or_else(|| is_one.then(|| self.message.take().unwrap_or_else(own)))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Choice {
    delta: Option<Delta>,
    /// In an answer that comes whole.
    message: Option<Delta>,
    pub(crate) finish_reason: Option<String>,
}

impl Choice {
    /// Gives what the model wrote: a piece, or all of it.
    pub(crate) fn written(&self) -> Option<&Delta> {
        self.delta.as_ref().or(self.message.as_ref())
    }

    /// Tells whether all of the answer is in it.
    pub(crate) fn is_whole(&self) -> bool {
        self.message.is_some()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta {
    content: Option<Value>,
    reasoning: Option<Value>,
    reasoning_content: Option<Value>,
}

impl Delta {
    /// Gives the text of this piece: as one, or as a list of parts.
    pub(crate) fn text(&self) -> String {
        self.content.as_ref().map(text).unwrap_or_default()
    }

    /// Tells whether the model reasons in this piece.
    pub(crate) fn reasons(&self) -> bool {
        let mut apart = [&self.reasoning, &self.reasoning_content].into_iter().flatten();
        let mut parts = self.content.as_ref().and_then(Value::as_array).into_iter().flatten();
        apart.any(|text| text.as_str().is_some_and(|text| !text.is_empty())) || parts.any(is_reasoning)
    }
}

/// Reads a text out of a text, a part, or a list of parts.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text).collect(),
        Value::Object(part) if !is_reasoning(content) => part.get("text").map(text).unwrap_or_default(),
        _ => String::new(),
    }
}

/// Tells whether a part of an answer is what the model thinks: no text of the answer.
fn is_reasoning(part: &Value) -> bool {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.contains("think") || kind.contains("reason")
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
            replayed: false,
        }
    }
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
mod tests {
    use std::sync::Arc;

    use super::*;

    fn request() -> Request {
        let prompt = Prompt { system: "s".into(), user: "u".into(), version: 1, ..Prompt::default() };
        Request { prompt, max_tokens: 7, temperature: 0.0, form: Form::Text }
    }

    #[test]
    fn a_dialect_follows_the_refusal_once() {
        let first = Dialect::default();
        let body = first.body("m", &request(), Service::default());
        assert_eq!((&body["max_tokens"], &body["stream_options"]["include_usage"]), (&json!(7), &json!(true)));
        let second = first.after("Unsupported parameter: use 'max_completion_tokens'", &Form::Text).unwrap();
        let body = second.body("m", &request(), Service::default());
        assert_eq!((body.get("max_tokens"), &body["max_completion_tokens"]), (None, &json!(7)));
        assert_eq!(second.after("max_completion_tokens", &Form::Text), None);
        let third = second.after("'temperature' does not support 0 with this model", &Form::Text).unwrap();
        assert_eq!(third.body("m", &request(), Service::default()).get("temperature"), None);
        assert_eq!(third.after("something else", &Form::Text), None);
    }

    #[test]
    fn a_form_is_forced_until_it_is_refused_and_then_asked_for_in_words() {
        let schema = json!({ "type": "object", "properties": {} });
        let asked = Request { form: Form::Json(Arc::new(schema.clone())), ..request() };
        let first = Dialect::default();
        let body = first.body("m", &asked, Service::default());
        let expected = json!({ "type": "json_schema", "json_schema": { "name": "answer", "strict": true, "schema": schema } });
        assert_eq!((&body["response_format"], &body["messages"][1]["content"]), (&expected, &json!("u")));
        for refusal in ["Unrecognized request argument supplied: response_format", "This model has no Structured Outputs"] {
            let second = first.after(refusal, &asked.form).unwrap();
            let body = second.body("m", &asked, Service::default());
            assert_eq!(body.get("response_format"), None, "{refusal}");
            let content = body["messages"][1]["content"].as_str().unwrap();
            assert!(content.starts_with("u\n\nAnswer with JSON alone") && content.ends_with(&schema.to_string()), "{content}");
            assert_eq!(second.after(refusal, &asked.form), None);
            assert_eq!(first.after(refusal, &Form::Text), None, "nothing was forced, so it is about something else");
        }
        let grammar = Request { form: Form::Grammar("root ::= \"a\"".into()), ..request() };
        assert_eq!(first.body("m", &grammar, Service::default())["grammar"], json!("root ::= \"a\""));
    }

    #[test]
    fn what_is_worth_keeping_is_marked_where_a_provider_takes_marks() {
        let mut asked = request();
        asked.prompt.shared = vec!["catalogue".into(), "journey".into()];
        let body = Dialect::default().body("m", &asked, Service::default());
        assert_eq!(body["messages"][1]["content"], json!("catalogue\n\njourney\n\nu"));
        let marked = Dialect::default().body("m", &asked, Service { keeps_marked: true, passes_on: true, ..Service::default() });
        let content = marked["messages"][1]["content"].as_array().unwrap();
        let texts: String = content.iter().map(|part| part["text"].as_str().unwrap()).collect();
        assert_eq!(json!(texts), body["messages"][1]["content"], "the words are the same");
        let kept: Vec<bool> = content.iter().map(|part| part.get("cache_control").is_some()).collect();
        assert_eq!(kept, [true, true, false]);
        asked.prompt.shared = (0..9).map(|part| part.to_string()).collect();
        let marked = Dialect::default()
            .body("m", &asked, Service { keeps_marked: true, passes_on: true, ..Service::default() })
            .to_string();
        assert_eq!(marked.matches("cache_control").count(), MARKS_MAX);
        let system =
            Dialect::default().body("m", &request(), Service { keeps_marked: true, passes_on: true, ..Service::default() });
        assert!(system["messages"][0]["content"][0].get("cache_control").is_some());
    }

    #[test]
    fn a_service_that_passes_requests_on_is_told_what_it_needs() {
        let service = Service::of("openrouter.ai", "anthropic/claude");
        assert_eq!(service, Service { keeps_marked: true, passes_on: true, ..Service::default() });
        assert_eq!(
            Service::of("openrouter.ai", "meta/llama"),
            Service { keeps_marked: false, passes_on: true, ..Service::default() }
        );
        assert_eq!(Service::of("openrouter.ai.example.com", "anthropic/claude"), Service::default());
        // The families of which their providers document it; all others find prefixes by themselves.
        for (host, model, keeps_marked) in [
            ("openrouter.ai", "anthropic/claude-sonnet-4.5:beta", true),
            ("openrouter.ai", "google/gemini-2.5-pro", true),
            ("openrouter.ai", "google/gemma-3-27b-it", false),
            ("openrouter.ai", "qwen/qwen3-coder-plus", true),
            ("openrouter.ai", "openai/gpt-5-mini", false),
            ("openrouter.ai", "deepseek/deepseek-chat", false),
            ("openrouter.ai", "x-ai/grok-4", false),
            ("openrouter.ai", "moonshotai/kimi-k2", false),
            ("dashscope.aliyuncs.com", "qwen3-max", true),
            ("dashscope-intl.aliyuncs.com", "qwen-plus", true),
            ("dashscope-intl.aliyuncs.com", "deepseek-v3", false),
            ("api.openai.com", "gpt-5-mini", false),
            ("generativelanguage.googleapis.com", "gemini-2.5-pro", false),
        ] {
            assert_eq!(Service::of(host, model).keeps_marked, keeps_marked, "{model} at {host}");
        }
        assert!(service.headers().contains_key("x-title") && Service::default().headers().is_empty());
        let asked = Request { form: Form::Json(Arc::new(json!({}))), ..request() };
        assert_eq!(Dialect::default().body("m", &asked, service)["provider"]["require_parameters"], json!(true));
        assert_eq!(Dialect::default().body("m", &request(), service).get("provider"), None);
        let refusal = "No endpoints found that can handle the requested parameters.";
        let second = Dialect::default().after(refusal, &asked.form).unwrap();
        assert_eq!(second.body("m", &asked, service).get("provider"), None);
    }

    #[test]
    fn a_chunk_is_read_with_nulls_and_additions() {
        let chunk: Chunk =
            serde_json::from_str(r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null},"x":1}],"usage":null}"#)
                .unwrap();
        assert_eq!(chunk.choices.unwrap()[0].written().unwrap().text(), "");
        let chunk: Chunk =
            serde_json::from_str(r#"{"choices":null,"usage":{"prompt_tokens":3,"prompt_tokens_details":null}}"#).unwrap();
        assert_eq!(Usage::from(chunk.usage.unwrap()).prompt, Some(3));
    }
    #[test]
    fn content_is_read_as_a_text_and_as_parts() {
        let thinks = r#"[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]"#;
        for (content, text, reasons) in [
            (r#""ab""#, "ab", false),
            (r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#, "ab", false),
            (r#"["a",{"type":"output_text","text":"b"},{"type":"image_url","image_url":{"url":"x"}}]"#, "ab", false),
            (r#"{"type":"text","text":"ab"}"#, "ab", false),
            (thinks, "", true),
            ("null", "", false),
            ("7", "", false),
        ] {
            for place in ["delta", "message"] {
                let chunk: Chunk =
                    serde_json::from_str(&format!(r#"{{"choices":[{{"{place}":{{"content":{content}}}}}]}}"#)).unwrap();
                let choices = chunk.choices.unwrap();
                let written = choices[0].written().unwrap();
                assert_eq!((written.text().as_str(), written.reasons()), (text, reasons), "{content}");
                assert_eq!(choices[0].is_whole(), place == "message");
            }
        }
    }
}
