//! What a person set of how a model chooses its words, as a server takes it: under which names, and what it does not take.

use serde_json::{Map, Value, json};

use crate::llm::local::protocol::Sampling;
use crate::llm::network::belongs;

/// Services whose interface has no penalty for what was written lately, and that refuse fields they do not know.
const NO_PENALTY: &[&str] = &[
    "api.openai.com",
    "azure.com",
    "anthropic.com",
    "mistral.ai",
    "googleapis.com",
    "groq.com",
    "deepseek.com",
    "models.github.ai",
    "x.ai",
    "cohere.com",
];
/// Services that call it as vLLM does.
const REPETITION: &[&str] = &["openrouter.ai", "together.xyz", "together.ai", "fireworks.ai", "deepinfra.com"];

/// The names of the penalty: that of llama.cpp, LM Studio and Ollama, and that of vLLM.
const PENALTIES: [&str; 2] = ["repeat_penalty", "repetition_penalty"];

/// What was set, where it is not what a server does by itself.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Wishes {
    temperature: bool,
    top_p: Option<f64>,
    penalty: Option<f64>,
    seed: Option<u32>,
    /// Which of [`PENALTIES`] are sent.
    named: [bool; 2],
}

/// What a server refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Refused {
    top_p: bool,
    penalties: [bool; 2],
    seed: bool,
}

impl Wishes {
    /// Finds what is sent to a host.
    pub(crate) fn of(host: &str, set: Sampling) -> Self {
        let is_one_of = |hosts: &[&str]| hosts.iter().any(|known| belongs(host, known));
        let named = if is_one_of(NO_PENALTY) {
            [false, false]
        } else if is_one_of(REPETITION) {
            [false, true]
        } else {
            // A server that does not know one of them passes over it, or says so.
            [true, true]
        };
        let unless = |value: f64, usual: f64| (value.total_cmp(&usual).is_ne()).then_some(value);
        Self {
            temperature: set.temperature > 0.0,
            top_p: unless(set.top_p, 1.0),
            penalty: unless(set.repeat_penalty, 1.0),
            seed: (set.seed != 0).then_some(set.seed),
            named,
        }
    }

    /// Writes into a request what was not refused.
    pub(crate) fn write(self, refused: Refused, body: &mut Map<String, Value>) {
        if let Some(top_p) = self.top_p.filter(|_| !refused.top_p) {
            body.insert("top_p".into(), json!(top_p));
        }
        for (at, name) in PENALTIES.iter().enumerate() {
            if let Some(penalty) = self.penalty.filter(|_| self.named[at] && !refused.penalties[at]) {
                body.insert((*name).into(), json!(penalty));
            }
        }
        if let Some(seed) = self.seed.filter(|_| !refused.seed) {
            body.insert("seed".into(), json!(seed));
        }
    }

    /// Names the settings that a person set and that are not sent.
    pub(crate) fn unsent(self, refused: Refused, no_temperature: bool) -> Vec<&'static str> {
        let penalty_goes = (0..PENALTIES.len()).any(|at| self.named[at] && !refused.penalties[at]);
        [
            (self.temperature && no_temperature, "generation.temperature"),
            (self.top_p.is_some() && refused.top_p, "generation.top_p"),
            (self.penalty.is_some() && !penalty_goes, "generation.repeat_penalty"),
            (self.seed.is_some() && refused.seed, "generation.seed"),
        ]
        .into_iter()
        .filter_map(|(is_unsent, name)| is_unsent.then_some(name))
        .collect()
    }

    /// Names all that a person set: what a provider without any of it does not take.
    pub(crate) fn all(set: Sampling) -> Vec<&'static str> {
        let nothing = Refused { top_p: true, penalties: [true, true], seed: true };
        Self::of("", set).unsent(nothing, true)
    }
}

impl Refused {
    /// Gives what is refused after this was said, where it names a setting that was not refused before.
    pub(crate) fn after(self, refusal: &str) -> Option<Self> {
        let mut next = self;
        let names = |name: &str| refusal.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        next.top_p |= names("top_p");
        for (at, name) in PENALTIES.iter().enumerate() {
            next.penalties[at] |= names(name);
        }
        next.seed |= names("seed");
        (next != self).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: Sampling = Sampling { temperature: 0.5, top_p: 0.7, repeat_penalty: 1.1, seed: 3 };

    fn sent(wishes: Wishes, refused: Refused) -> Value {
        let mut body = Map::new();
        wishes.write(refused, &mut body);
        Value::Object(body)
    }

    #[test]
    fn what_a_person_set_is_sent_by_the_names_of_the_server() {
        let to = |host: &str| sent(Wishes::of(host, SET), Refused::default());
        let both = json!({ "top_p": 0.7, "repeat_penalty": 1.1, "repetition_penalty": 1.1, "seed": 3 });
        assert_eq!((to("127.0.0.1"), to("gpu.example.org")), (both.clone(), both));
        assert_eq!(to("openrouter.ai"), json!({ "top_p": 0.7, "repetition_penalty": 1.1, "seed": 3 }));
        assert_eq!(to("api.openai.com"), json!({ "top_p": 0.7, "seed": 3 }));
        assert_eq!(sent(Wishes::of("127.0.0.1", Sampling::default()), Refused::default()), json!({}));
    }

    #[test]
    fn what_is_not_sent_is_named() {
        let local = Wishes::of("127.0.0.1", SET);
        assert_eq!(local.unsent(Refused::default(), false), Vec::<&str>::new());
        assert_eq!(
            Wishes::of("api.openai.com", SET).unsent(Refused::default(), true),
            ["generation.temperature", "generation.repeat_penalty"]
        );
        let first = Refused::default().after("`temperature` and `top_p` cannot both be specified").unwrap();
        assert_eq!((sent(local, first).get("top_p"), local.unsent(first, false)), (None, vec!["generation.top_p"]));
        assert_eq!(first.after("top_p"), None);
        let second = first.after("extra_forbidden: repeat_penalty").unwrap();
        assert_eq!(local.unsent(second, false), ["generation.top_p"], "the other name of the penalty goes");
        let third = second.after("Unknown field: \"repetition_penalty\", \"seed\"").unwrap();
        assert_eq!(local.unsent(third, false), ["generation.top_p", "generation.repeat_penalty", "generation.seed"]);
        assert_eq!(Wishes::of("127.0.0.1", Sampling::default()).unsent(third, true), Vec::<&str>::new());
        assert_eq!(Wishes::all(SET).len(), 4);
    }
}
