//! What the engine does only after a person said yes: asked once, remembered with the trust of the folder.
//!
//! Owns the questions and their words, which every front end says alike. Who is asked, and what follows, is the engine's.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::function::FunctionId;

/// Numbers a question of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuestionId(pub u64);

/// A question that waits for a person; so does the work that needs the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Its number, for [`Command::Answer`](crate::domain::command::Command::Answer).
    pub id: QuestionId,
    /// What is asked.
    pub about: About,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum About {
    /// May recorded calls and drafts run under a guard that careless code cannot pass and hostile code can? `why` says
    /// what stands against a stronger one, a sentence each.
    WeakContainment { why: Vec<String> },
    /// May this be sent to a host that is not this machine? A no holds for this time only.
    FirstSend {
        /// The function it is about; none where a YAML test is asked for.
        function: Option<FunctionId>,
        /// The host, with its port where it is not the usual one.
        host: String,
        /// The model that is asked.
        model: String,
        /// Size of what is sent, in bytes; the engine's `outgoing` gives them.
        bytes: u64,
        /// About how many tokens that is.
        tokens: u64,
    },
    /// May a file of this size be got? The answer holds for this time only.
    LargeDownload {
        /// The model.
        model: String,
        /// What is missing of it, in bytes.
        bytes: u64,
    },
}

impl About {
    /// Asks it, in one line.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::WeakContainment { .. } => {
                "The sandbox here is weak: it stops careless code, not hostile code. Run recorded calls in it?".into()
            }
            Self::FirstSend { host, bytes, function, .. } => {
                let host = text::display_line(host);
                let what = if function.is_some() { "1 function" } else { "a request for a YAML test" };
                format!("Send {what} ({}) to {host}? First time from this folder.", text::bytes(*bytes))
            }
            Self::LargeDownload { model, bytes } => {
                format!("Get {} of {}?", text::bytes(*bytes), text::display_line(model))
            }
        }
    }

    /// Gives the command that says yes ahead of the question.
    #[must_use]
    pub fn command(&self) -> String {
        match self {
            Self::WeakContainment { .. } => "pytead-tui trust --allow-weak".into(),
            Self::FirstSend { host, .. } => format!("pytead-tui trust --send-to {}", text::display_line(host)),
            Self::LargeDownload { model, .. } => format!("pytead-tui model get {} --yes", text::display_line(model)),
        }
    }
}

impl About {
    /// Says why nothing was done where nobody could be asked.
    #[must_use]
    pub fn unanswered(&self) -> Trouble {
        match self {
            Self::WeakContainment { why } => {
                let trouble =
                    Trouble::environment("Recorded calls are not run: the sandbox here is weak, and nobody allowed it.");
                let trouble = if why.is_empty() { trouble } else { trouble.because(why.join(" ")) };
                trouble.so(format!("To allow it for this folder: {}.", self.command()))
            }
            Self::FirstSend { host, .. } => {
                let host = text::display_line(host);
                Trouble::environment(format!("Nothing was sent: from this folder, nothing was ever sent to {host}."))
                    .so(format!("To allow it: {}, or PYTEAD_SEND_TO={host} for one call.", self.command()))
            }
            Self::LargeDownload { model, bytes } => {
                let (model, size) = (text::display_line(model), text::bytes(*bytes));
                Trouble::environment(format!("{model} would be {size} to get, and nobody was there to say yes."))
                    .so(format!("To get it: {}.", self.command()))
            }
        }
    }

    /// Says what a no leads to.
    #[must_use]
    pub fn declined(&self) -> Trouble {
        match self {
            Self::WeakContainment { .. } => {
                Trouble::environment("Recorded calls are not run: the sandbox here is weak, and the answer was no.")
                    .so(format!("To allow it after all: {}.", self.command()))
            }
            Self::FirstSend { host, .. } => Trouble::environment(format!("Nothing was sent to {}.", text::display_line(host))),
            Self::LargeDownload { model, .. } => {
                Trouble::environment(format!("Nothing was got of {}.", text::display_line(model)))
            }
        }
    }
}

/// What a person allowed in a folder, besides running its code.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Consent {
    /// The answer about the weak sandbox, once it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak: Option<bool>,
    /// Hosts that functions may be sent to.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub send_to: BTreeSet<String>,
}

impl Consent {
    /// Tells whether nothing was answered yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Gives what was answered to a question, if it was.
    #[must_use]
    pub fn answer(&self, about: &About) -> Option<bool> {
        match about {
            About::WeakContainment { .. } => self.weak,
            About::FirstSend { host, .. } => self.send_to.contains(host).then_some(true),
            About::LargeDownload { .. } => None,
        }
    }

    /// Keeps an answer. A host that nothing is sent to now is asked about again.
    pub fn keep(&mut self, about: &About, yes: bool) {
        match about {
            About::WeakContainment { .. } => self.weak = Some(yes),
            About::FirstSend { host, .. } if yes => _ = self.send_to.insert(host.clone()),
            About::FirstSend { .. } | About::LargeDownload { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(host: &str) -> About {
        About::FirstSend {
            function: Some(FunctionId("m:f".into())),
            host: host.into(),
            model: "m".into(),
            bytes: 2_100,
            tokens: 525,
        }
    }

    #[test]
    fn a_no_to_sending_holds_once_and_a_no_to_the_weak_sandbox_stays() {
        let mut consent = Consent::default();
        let weak = About::WeakContainment { why: vec![] };
        consent.keep(&send("a.example"), false);
        assert!(consent.is_empty());
        consent.keep(&weak, false);
        consent.keep(&send("a.example"), true);
        assert_eq!((consent.answer(&weak), consent.answer(&send("a.example"))), (Some(false), Some(true)));
        assert_eq!(consent.answer(&send("b.example")), None, "each host is asked about");
    }

    #[test]
    fn a_question_says_how_much_goes_where_and_what_to_type() {
        let about = send("api.example.com:8443");
        assert_eq!(about.line(), "Send 1 function (2.1 kB) to api.example.com:8443? First time from this folder.");
        assert_eq!(about.command(), "pytead-tui trust --send-to api.example.com:8443");
    }
}
