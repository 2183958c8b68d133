//! A whole answer: for whoever wants a result and not its pieces, and the JSON in it.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::llm::provider::{ModelError, Piece, Provider, Request, Usage};

/// What a model answered, from its first word to its last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The text, as hostile as any other by a model.
    pub text: String,
    /// What it took.
    pub usage: Usage,
}

/// Asks, and gives the answer once it is whole.
///
/// # Errors
/// As [`Provider::stream`]; a stream that closes without an end is cut off.
pub async fn whole(provider: &dyn Provider, request: Request, cancel: CancellationToken) -> Result<Answer, ModelError> {
    let mut pieces = provider.stream(request, cancel);
    let mut text = String::new();
    while let Some(piece) = pieces.recv().await {
        match piece? {
            Piece::Thinking => {}
            Piece::Elsewhere(_) => text.clear(),
            Piece::Text(more) => text.push_str(&more),
            Piece::End(usage) => return Ok(Answer { text, usage }),
        }
    }
    Err(ModelError::CutOff { host: provider.host().to_owned(), why: "it ended without saying so".into() })
}

impl Answer {
    /// Finds the JSON object in the answer, for providers that were only asked for one: the whole text, or the first object
    /// after what was thought aloud, in a fence or between other words.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        let text = self.text.trim();
        let text = text.rsplit_once("</think>").map_or(text, |(_, after)| after.trim());
        if let Ok(value) = serde_json::from_str(text) {
            return Some(value);
        }
        // The reader stops by itself where an object ends. A brace that begins none is passed over, at most so often that
        // a long text of braces stays cheap.
        const STARTS: usize = 64;
        text.match_indices('{').take(STARTS).find_map(|(at, _)| {
            let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
            values.next()?.ok().filter(Value::is_object)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::sync::mpsc;

    use super::*;
    use crate::llm::prompt::Prompt;
    use crate::llm::provider::Form;

    /// Gives these pieces.
    struct Scripted(Vec<Result<Piece, ModelError>>);

    impl Provider for Scripted {
        fn model(&self) -> &str {
            "m"
        }

        fn host(&self) -> &str {
            "h"
        }

        fn is_local(&self) -> bool {
            true
        }

        fn is_allowed(&self) -> bool {
            true
        }

        fn outgoing(&self, _: &Request) -> String {
            String::new()
        }

        fn stream(&self, _: Request, _: CancellationToken) -> mpsc::Receiver<Result<Piece, ModelError>> {
            let (sender, receiver) = mpsc::channel(8);
            for piece in &self.0 {
                sender.try_send(piece.clone()).unwrap();
            }
            receiver
        }
    }

    async fn collect(pieces: Vec<Result<Piece, ModelError>>) -> Result<Answer, ModelError> {
        let request = Request { prompt: Prompt::default(), max_tokens: 1, temperature: 0.0, form: Form::Text };
        whole(&Scripted(pieces), request, CancellationToken::new()).await
    }

    #[tokio::test]
    async fn an_answer_is_whole_or_an_error() {
        let usage = Usage { written: Some(2), ..Usage::default() };
        let text = |text: &str| Ok(Piece::Text(text.to_owned()));
        let answer = collect(vec![
            Ok(Piece::Thinking),
            text("x"),
            Ok(Piece::Elsewhere("it died".into())),
            text("a"),
            text("b"),
            Ok(Piece::End(usage)),
        ])
        .await;
        assert_eq!(answer, Ok(Answer { text: "ab".into(), usage }));
        assert!(matches!(collect(vec![text("a")]).await, Err(ModelError::CutOff { .. })));
        assert_eq!(collect(vec![text("a"), Err(ModelError::Cancelled)]).await, Err(ModelError::Cancelled));
    }

    #[test]
    fn the_object_is_found_where_models_put_it() {
        let read = |text: &str| Answer { text: text.into(), usage: Usage::default() }.json();
        let object = json!({ "verdict": "PASS", "why": "{ } in a text" });
        for text in [
            object.to_string(),
            format!("<think>{{\"verdict\":\"FAIL\"}}</think>\n{object}"),
            format!("```json\n{object}\n```"),
            format!("Sure {{here}} it is:\n{object}\nDone."),
        ] {
            assert_eq!(read(&text), Some(object.clone()), "{text}");
        }
        for text in ["", "no", "{\"cut\": ", "[1, {", &"{".repeat(100_000)] {
            assert_eq!(read(text), None, "{text:.20}");
        }
    }
}
