//! What a model's server says when it refuses, in its own words: found in the JSON of each kind of server.

use serde_json::Value;

/// Errors of one answer that are said.
const SAID_MAX: usize = 3;
/// Errors within errors that are looked into.
const DEPTH_MAX: usize = 6;

/// Finds the sentence in the body of an error, or gives the text itself.
pub(crate) fn message(body: &str) -> String {
    let own = || page(body).unwrap_or_else(|| body.trim().to_owned());
    let Ok(value) = serde_json::from_str::<Value>(body) else { return own() };
    let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(&value);
    message_of(error).or_else(|| message_of(&value)).unwrap_or_else(own)
}

/// Names a page of HTML, as gateways answer with, by its title, and by its text where it has none.
fn page(body: &str) -> Option<String> {
    if !body.trim_start().starts_with('<') {
        return None;
    }
    let title = body.split_once("<title>").and_then(|(_, rest)| rest.split("</title>").next());
    [title, Some(body)].into_iter().flatten().map(without_tags).find(|text| !text.is_empty())
}

/// Gives the words of a page.
fn without_tags(page: &str) -> String {
    let mut words = Vec::new();
    for piece in page.split('<') {
        let text = piece.split_once('>').map_or(if piece.len() == page.len() { piece } else { "" }, |(_, text)| text);
        words.extend(text.split_whitespace());
    }
    words.join(" ")
}

/// Finds the sentence in an error object.
pub(crate) fn message_of(error: &Value) -> Option<String> {
    said(error, 0)
}

fn said(error: &Value, depth: usize) -> Option<String> {
    if depth > DEPTH_MAX {
        return None;
    }
    match error {
        Value::String(text) => {
            // Who passes requests on gives the other server's answer as a text.
            let inner = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
            let inner = inner.and_then(|inner| said(inner.get("error").unwrap_or(&inner), depth + 1));
            inner.or_else(|| Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
        }
        Value::Array(all) => {
            let all: Vec<String> = all.iter().filter_map(|one| said(one, depth + 1)).take(SAID_MAX).collect();
            (!all.is_empty()).then(|| all.join("; "))
        }
        Value::Object(fields) => {
            let of = |name: &str| fields.get(name).and_then(|value| said(value, depth + 1));
            if let Some(text) = of("msg") {
                // A field that was not taken, as validators name it.
                let place = fields.get("loc").map(place).filter(|place| !place.is_empty());
                return Some(place.map_or_else(|| text.clone(), |place| format!("{place}: {text}")));
            }
            let own = ["message", "detail", "error", "code", "type"].iter().find_map(|name| of(name))?;
            let more = fields.get("metadata").and_then(|metadata| passed_on(metadata, depth + 1));
            Some(match more {
                Some(more) if !own.contains(&more) => format!("{}: {more}", own.trim_end_matches('.')),
                _ => own,
            })
        }
        _ => None,
    }
}

/// Reads what another server said, from what the one that passed the request on says of it.
fn passed_on(metadata: &Value, depth: usize) -> Option<String> {
    let text = |name: &str| metadata.get(name).and_then(|value| said(value, depth));
    let what = text("raw").or_else(|| text("reasons"))?;
    Some(text("provider_name").map_or_else(|| what.clone(), |who| format!("{who}: {what}")))
}

/// Writes a place in a request: `messages.0.content` of `["body", "messages", 0, "content"]`.
fn place(loc: &Value) -> String {
    let parts = loc.as_array().into_iter().flatten().map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned));
    parts.filter(|part| part != "body").collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_found_in_every_form() {
        for body in [
            r#"{"error": {"message": "no", "type": "x"}}"#,
            r#"{"error": "no"}"#,
            r#"{"error": null, "message": "no"}"#,
            r#"{"message": "no"}"#,
            r#"{"detail": "no"}"#,
            " no\n",
        ] {
            assert_eq!(message(body), "no", "{body}");
        }
        assert_eq!(message("[1]"), "[1]");
        assert_eq!(message("<html><head><title>502 Bad Gateway</title></head><body>…</body></html>"), "502 Bad Gateway");
        assert_eq!(
            message("<html>\n<body><h1>503 Service Unavailable</h1>\nNo server is free.\n</body></html>\n"),
            "503 Service Unavailable No server is free."
        );
        assert_eq!(message("<html></html>"), "<html></html>");
        assert_eq!(message("{}"), "{}");
    }

    /// The forms that the makers of the servers document, or that these were seen to answer with.
    #[test]
    fn every_server_is_told_in_its_own_words() {
        for (server, body, words) in [
            (
                "Mistral",
                r#"{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","param":null,"code":"3505"}"#,
                "Service tier capacity exceeded for this model.",
            ),
            ("Mistral", r#"{"message":"Unauthorized","request_id":"9f3c"}"#, "Unauthorized"),
            (
                "Mistral",
                r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":1}]},"type":"invalid_request_error","param":null,"code":null}"#,
                "seed: Extra inputs are not permitted",
            ),
            (
                "Mistral",
                r#"{"object":"error","message":{"detail":[{"type":"float_type","loc":["body","top_p"],"msg":["Input should be a valid number"],"input":null}]},"type":"invalid_request_error"}"#,
                "top_p: Input should be a valid number",
            ),
            (
                "Mistral",
                r#"{"detail":[{"type":"missing","loc":["body","messages",0,"content"],"msg":"Field required","input":{}},{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted"}]}"#,
                "messages.0.content: Field required; store: Extra inputs are not permitted",
            ),
            (
                "Azure",
                r#"{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}"#,
                "The API deployment for this resource does not exist.",
            ),
            (
                "Azure",
                r#"{ "statusCode": 401, "message": "Access denied due to invalid subscription key or wrong API endpoint." }"#,
                "Access denied due to invalid subscription key or wrong API endpoint.",
            ),
            (
                "Azure",
                r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"hate":{"filtered":true,"severity":"high"}}}}}"#,
                "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
            ),
            (
                "OpenRouter",
                r#"{"error":{"code":402,"message":"Insufficient credits. Add more using https://openrouter.ai/settings/credits"}}"#,
                "Insufficient credits. Add more using https://openrouter.ai/settings/credits",
            ),
            (
                "OpenRouter",
                r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}","provider_name":"Anthropic"}},"user_id":"u"}"#,
                "Provider returned error: Anthropic: prompt is too long: 210000 tokens > 200000 maximum",
            ),
            (
                "OpenRouter",
                r#"{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"x/y:free is temporarily rate-limited upstream.","provider_name":"Chutes"}}}"#,
                "Provider returned error: Chutes: x/y:free is temporarily rate-limited upstream.",
            ),
            (
                "OpenRouter",
                r#"{"error":{"code":403,"message":"Input was flagged.","metadata":{"reasons":["violence"],"flagged_input":"…","provider_name":"OpenAI","model_slug":"m"}}}"#,
                "Input was flagged: OpenAI: violence",
            ),
            (
                "vLLM",
                r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","param":null,"code":400}"#,
                "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
            ),
            (
                "vLLM",
                r#"{"error":{"message":"The model `x` does not exist.","type":"NotFoundError","param":"model","code":404}}"#,
                "The model `x` does not exist.",
            ),
            ("vLLM", r#"{"error":"Unauthorized"}"#, "Unauthorized"),
            (
                "Ollama",
                r#"{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error","param":null,"code":null}}"#,
                "model \"x\" not found, try pulling it first",
            ),
            (
                "Ollama",
                r#"{"error":"model requires more system memory (9.0 GiB) than is available (4.1 GiB)"}"#,
                "model requires more system memory (9.0 GiB) than is available (4.1 GiB)",
            ),
            (
                "LM Studio",
                r#"{"error":{"message":"Failed to load model \"x\". Error: Model does not exist.","type":"invalid_request_error","param":"model","code":"model_not_found"}}"#,
                "Failed to load model \"x\". Error: Model does not exist.",
            ),
            (
                "LM Studio",
                r#"{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens."}"#,
                "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens.",
            ),
            (
                "llama.cpp",
                r#"{"error":{"code":400,"message":"request (4476 tokens) exceeds the available context size (4096 tokens)","type":"exceed_context_size_error","n_prompt_tokens":4476,"n_ctx":4096}}"#,
                "request (4476 tokens) exceeds the available context size (4096 tokens)",
            ),
            ("llama.cpp", r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#, "Loading model"),
        ] {
            assert_eq!(message(body), words, "{server}: {body}");
        }
    }

    #[test]
    fn errors_within_errors_end() {
        let deep = format!("{}\"x\"{}", "{\"error\":".repeat(50), "}".repeat(50));
        assert_eq!(message(&deep), deep, "nothing is found in so many");
    }
}
