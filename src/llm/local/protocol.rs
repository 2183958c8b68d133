//! What the workbench and `pytead-llm` say to each other: one JSON object a line, orders in, reports out.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What `pytead-llm` is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Load a model, in place of the one that is loaded.
    Load(Load),
    /// Write an answer.
    Generate(Box<Generate>),
    /// Stop writing one.
    Cancel {
        /// The answer's number.
        id: u64,
    },
    /// End.
    Quit,
}

/// A model to load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// The GGUF file.
    pub path: String,
    /// Tokens of context to begin with; a longer prompt gets more, up to what the model was trained with.
    #[serde(default)]
    pub context: u32,
    /// Threads; 0 for what suits the machine and the model.
    #[serde(default)]
    pub threads: u32,
}

/// An answer to write.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Generate {
    /// A number that the reports on it carry.
    pub id: u64,
    /// What is the same for many requests, first in the prompt so that it is read once.
    pub system: String,
    /// What is asked.
    pub user: String,
    /// Most tokens to write.
    pub max_tokens: u32,
    /// How the next token is chosen.
    pub sampling: Sampling,
    /// A GBNF grammar that the answer has to follow.
    pub grammar: Option<String>,
    /// A JSON schema that the answer has to follow.
    pub schema: Option<Value>,
}

impl Default for Generate {
    fn default() -> Self {
        Self {
            id: 0,
            system: String::new(),
            user: String::new(),
            max_tokens: 2048,
            sampling: Sampling::default(),
            grammar: None,
            schema: None,
        }
    }
}

/// How the next token is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sampling {
    /// 0 takes the likeliest token, always.
    pub temperature: f64,
    /// The share of likely tokens to choose from.
    pub top_p: f64,
    /// How much less likely a token gets that was written lately; 1 for no less.
    pub repeat_penalty: f64,
    /// What the choices follow from.
    pub seed: u32,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { temperature: 0.0, top_p: 1.0, repeat_penalty: 1.0, seed: 0 }
    }
}

/// What `pytead-llm` says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// How much of a model is loaded.
    Loading {
        /// Of a hundred.
        percent: u8,
    },
    /// A model is loaded.
    Loaded(Loaded),
    /// How much of a prompt is read.
    Reading {
        /// The answer's number.
        id: u64,
        /// Tokens read.
        done: u64,
        /// Tokens to read.
        of: u64,
    },
    /// More of an answer, whole characters.
    Text {
        /// The answer's number.
        id: u64,
        /// The text.
        text: String,
    },
    /// An answer is over.
    End(End),
    /// Something did not work; the answer, where one is named, is over.
    Failed {
        /// The answer's number.
        id: Option<u64>,
        /// A sentence for people.
        why: String,
    },
}

/// A loaded model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// What the model is, in its own words: `qwen3 8B Q4_K - Medium`.
    pub model: String,
    /// Tokens of context it was trained with.
    pub context: u32,
    /// Threads it computes with.
    pub threads: u32,
}

/// What an answer took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The answer's number.
    pub id: u64,
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Those of them that were still there from the request before.
    pub reused: u64,
    /// Tokens written.
    pub written: u64,
    /// Why it ended.
    pub reason: Reason,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The model was done.
    Stop,
    /// There were no more tokens to write.
    Length,
    /// It was cancelled.
    Cancelled,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_people_would_write_them() {
        let order = |line: &str| serde_json::from_str::<Order>(line).unwrap();
        assert_eq!(order(r#"{"cancel":{"id":7}}"#), Order::Cancel { id: 7 });
        assert_eq!(order(r#""quit""#), Order::Quit);
        let Order::Generate(asked) = order(r#"{"generate":{"id":3,"user":"u","sampling":{"temperature":0.5}}}"#) else {
            unreachable!()
        };
        assert_eq!((asked.id, asked.sampling.temperature, asked.sampling.top_p, asked.max_tokens), (3, 0.5, 1.0, 2048));
        assert!(serde_json::from_str::<Order>(r#"{"load":{"path":"x","gpu":1}}"#).is_err());
    }

    #[test]
    fn every_order_and_report_survives_its_line() {
        let asked = Generate { id: 1, grammar: Some("root ::= \"a\"".into()), ..Generate::default() };
        for order in [Order::Load(Load { path: "/m".into(), context: 1, threads: 2 }), Order::Generate(Box::new(asked))] {
            let line = serde_json::to_string(&order).unwrap();
            assert!(!line.contains('\n'));
            assert_eq!(serde_json::from_str::<Order>(&line).unwrap(), order);
        }
        let end = Report::End(End { id: 1, prompt: 5, reused: 4, written: 3, reason: Reason::Length });
        for report in [end, Report::Text { id: 1, text: "é\n".into() }, Report::Loading { percent: 5 }] {
            assert_eq!(serde_json::from_str::<Report>(&serde_json::to_string(&report).unwrap()).unwrap(), report);
        }
    }
}
