//! Who decides about a test, and who may overrule that.

use std::borrow::Cow;

use crate::domain::text_form::text_form;

/// Who decided what came of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evaluator {
    /// Rules, without a model.
    Rules,
    /// The journey that a person accepted.
    Approved,
    /// The test itself, by an assertion that failed: its intent was not judged.
    Test,
    /// A model, by its place and name.
    Model(String),
    /// A coding agent, by its own word.
    Agent(String),
    /// What this version does not know.
    Other(String),
}

impl Evaluator {
    /// Reads the text of one.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        match text {
            "rules" => Self::Rules,
            "approved" => Self::Approved,
            "pytest" => Self::Test,
            other => match other.split_once(':') {
                Some(("llm", model)) => Self::Model(model.to_owned()),
                Some(("agent", agent)) => Self::Agent(agent.to_owned()),
                _ => Self::Other(other.to_owned()),
            },
        }
    }

    /// Gives the text of it.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Rules => Cow::Borrowed("rules"),
            Self::Approved => Cow::Borrowed("approved"),
            Self::Test => Cow::Borrowed("pytest"),
            Self::Model(model) => Cow::Owned(format!("llm:{model}")),
            Self::Agent(agent) => Cow::Owned(format!("agent:{agent}")),
            Self::Other(other) => Cow::Borrowed(other),
        }
    }
}

text_form!(Evaluator);

/// Who overruled a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person.
    Person,
    /// Anything else, whose word does not count.
    Other(String),
}

impl Actor {
    /// Reads the text of one.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        if text == "person" { Self::Person } else { Self::Other(text.to_owned()) }
    }

    /// Gives the text of it.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::Person => "person",
            Self::Other(other) => other,
        })
    }
}

text_form!(Actor);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_text_tells_who_decided() {
        for (text, evaluator) in [
            ("rules", Evaluator::Rules),
            ("approved", Evaluator::Approved),
            ("pytest", Evaluator::Test),
            ("llm:127.0.0.1:8080/tiny", Evaluator::Model("127.0.0.1:8080/tiny".into())),
            ("agent:claude_code", Evaluator::Agent("claude_code".into())),
            ("none", Evaluator::Other("none".into())),
        ] {
            assert_eq!(Evaluator::from_text(text), evaluator);
        }
    }

    proptest! {
        #[test]
        fn a_stored_text_is_stored_again(text in "(rules|approved|pytest|person|llm|agent)?:?.{0,6}") {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(serde_json::to_string(&Evaluator::from_text(&text)).unwrap(), json.as_str());
            prop_assert_eq!(serde_json::to_string(&Actor::from_text(&text)).unwrap(), json.as_str());
            prop_assert_eq!(serde_json::from_str::<Evaluator>(&json).unwrap(), Evaluator::from_text(&text));
        }
    }
}
