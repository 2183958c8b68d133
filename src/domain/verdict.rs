//! Verdicts: the result of a test's intent, and of each of its clauses.
//!
//! What a screen needs: the mark from `verdict`, but where `overridden` is set its own mark, never that of PASS; `PASS` with
//! something in `uncovered` is a pass in part and shown as such (amber). `reason` is the line under the title. Each of
//! `clauses` has its own mark by `outcome`; its `evidence` are line ids to jump to, `shown` the same as text. Who decided is
//! `evaluator`; what a model cost is `asked`. All texts are fit for a terminal.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::clock::Moment;
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::domain::evaluator::Evaluator;
use crate::domain::gap::Gap;
use crate::domain::journey::JourneyLine;
use crate::domain::text_form::text_form;

/// The result of an intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Ruling {
    /// What it asks for happened.
    Pass,
    /// It did not.
    Fail,
    /// It is undecided.
    Unclear,
    /// The judge failed, which says nothing about the test.
    Error,
}

impl Ruling {
    /// Gives it as a word: `PASS`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Unclear => "UNCLEAR",
            Self::Error => "ERROR",
        }
    }
}

/// The result of a clause, or of a sentence that is not a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClauseOutcome {
    /// It was met.
    Holds,
    /// It was not.
    Violated,
    /// The clause never applied.
    Vacuous,
    /// The recording does not decide it.
    Unknown,
    /// The sentence is not a clause, or names an unknown function.
    Unclear,
}

/// A clause of an intent, decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// The canonical sentence, or the sentence as written if it is not a clause.
    pub text: String,
    /// Its result.
    pub outcome: ClauseOutcome,
    /// The lines of the journey that show it: `L17`.
    pub evidence: Vec<String>,
    /// Why, for people.
    pub why: Sentence,
    /// The evidence as text, and what a reader asks first. The text is data: lines of the journey.
    pub shown: Vec<String>,
    /// No rule decides it, so a model is queried. False once the test is judged.
    #[serde(skip)]
    pub needs_model: bool,
}

/// The result of the intent of one run of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The result.
    pub verdict: Ruling,
    /// A person overruled it; the verdict itself is unchanged.
    pub overridden: bool,
    /// Who decided.
    pub evaluator: Evaluator,
    /// Why, in a sentence.
    pub reason: Sentence,
    /// Its clauses.
    pub clauses: Vec<Decided>,
    /// Sentences of the intent that no accepted clause covers. They are undecided, and a PASS with some is a partial one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncovered: Vec<String>,
    /// The query to a model, if one was queried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// What an override of it is bound to; none if nothing was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Clauses that a model proposed for the intent, if it was queried for some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed: Option<Box<Proposed>>,
    /// Clauses that a person is about to accept, decided on this run. They are no part of the verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Decided>,
    /// More that was requested: lines for people.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shown: BTreeMap<Show, Vec<String>>,
}

/// What a person's override of a verdict is bound to. The override counts while both are unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// A hash of the journey, without what differs between runs.
    pub journey: String,
    /// A hash of what decides it: the intent's words, its checks, the accepted clauses or journey.
    pub meaning: String,
}

/// Clauses that a model proposed for an intent. A clause counts once a person accepts it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Proposed {
    /// Who proposed them: `llm:` with the place and name of the model; empty if no model was queried.
    pub by: String,
    /// In the order of the intent.
    pub clauses: Vec<ProposedClause>,
    /// Words of the intent that no clause covers.
    pub uncovered: Vec<String>,
    /// Sentences that were left out, each with the reason: they are not clauses, or name an unknown function.
    pub left_out: Vec<Sentence>,
    /// Why there are none, or a warning.
    pub note: Option<Sentence>,
    /// The query, sent or not.
    pub asked: Option<Asked>,
}

/// A clause that a model proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedClause {
    /// The canonical sentence.
    pub text: String,
    /// The words of the intent that it covers.
    pub span: String,
    /// Its result on the current journey.
    pub outcome: ClauseOutcome,
    /// Why, for people.
    pub why: Sentence,
    /// The small changes of the journey that it detects.
    pub notices: Vec<String>,
}

impl ProposedClause {
    /// Says in a line whether it holds now, what it is for, and what it would notice or why it does not hold.
    #[must_use]
    pub fn about(&self) -> Sentence {
        let why = || self.why.without_stop();
        let (now, more) = match self.outcome {
            ClauseOutcome::Holds if self.notices.is_empty() => ("holds", "notices nothing small".into()),
            ClauseOutcome::Holds => ("holds", format!("notices {}", self.notices.join(", ")).into()),
            ClauseOutcome::Violated => ("violated now", why()),
            ClauseOutcome::Vacuous => ("nothing happened that it speaks of", why()),
            ClauseOutcome::Unknown | ClauseOutcome::Unclear => ("not decided", why()),
        };
        format!("{now}, for “{}”: {more}", self.span).into()
    }
}

/// What was, or would be, asked of a model for a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Asked {
    /// The model.
    pub model: String,
    /// Where it is: a host, or `local`.
    pub host: String,
    /// Tokens of one question, as they were estimated before it was sent.
    pub tokens: usize,
    /// Tokens sent, as the provider counted them, all questions together.
    pub sent: Option<u64>,
    /// Those of them that the provider had kept from before.
    pub cached: Option<u64>,
    /// Tokens written.
    pub written: Option<u64>,
    /// How often the model was asked; 0 where a kept verdict was used, or nothing was sent.
    pub times: usize,
    /// The verdict was kept from an earlier run.
    pub kept: bool,
    /// The answers came from a recording.
    pub replayed: bool,
    /// What it cost, where prices are known, in millionths; where nothing was sent, what one question costs at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
}

/// What can be asked for beside a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Show {
    /// What the test did, call by call.
    Journey,
    /// Which lines of the source each call reached.
    Lines,
    /// Clauses that hold.
    Suggestions,
    /// Clauses that a model proposes for the intent.
    Proposals,
    /// What would be sent to a model, byte for byte; nothing is sent then.
    Outgoing,
}

/// What the last run of a test with an intent came to, with what it did: what the workbench shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedTest {
    /// The test, by its node id.
    pub test: String,
    /// Its file.
    pub file: RelPath,
    /// What it is for, in plain English.
    pub intent: String,
    /// What came of it.
    pub verdict: Verdict,
    /// What it did, line by line.
    pub journey: Vec<JourneyLine>,
    /// Lines of it that were left out, at its end.
    pub cut: usize,
    /// What the recorder left out: reason and count.
    pub gaps: Vec<(Gap, u64)>,
    /// Its own sentences decide nothing: clauses or a journey that a person accepts do.
    pub accepts: bool,
    /// Clauses that hold for what it did, each with what it would notice; where none decide it.
    #[serde(default)]
    pub suggestions: Vec<Suggested>,
    /// When its run began: code that was edited later was not in it.
    pub began: Moment,
    /// When it was judged.
    pub at: Moment,
}

/// A clause that holds for what a test did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggested {
    /// The clause.
    pub text: String,
    /// What it would notice, for people; none where a text without it was stored.
    pub notices: Option<String>,
}

impl Suggested {
    /// Stands between a clause and what it would notice.
    const BETWEEN: &str = "    # ";

    /// Reads the line of one.
    #[must_use]
    pub fn from_text(line: &str) -> Self {
        match line.split_once(Self::BETWEEN) {
            Some((text, notices)) => Self { text: text.to_owned(), notices: Some(notices.to_owned()) },
            None => Self { text: line.to_owned(), notices: None },
        }
    }

    /// Gives it as a line: `Cart.total is called    # notices a call less`.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match &self.notices {
            Some(notices) => Cow::Owned(format!("{}{}{notices}", self.text, Self::BETWEEN)),
            None => Cow::Borrowed(&self.text),
        }
    }
}

text_form!(Suggested);

impl Verdict {
    /// Tells whether a model found the intent violated, and no person overruled it.
    #[must_use]
    pub fn is_failed_by_a_model(&self) -> bool {
        self.verdict == Ruling::Fail && !self.overridden && matches!(self.evaluator, Evaluator::Model(_))
    }
}

impl JudgedTest {
    /// Tells whether accepting what the test does now would decide it.
    #[must_use]
    pub fn takes_journey(&self) -> bool {
        self.accepts && self.verdict.verdict == Ruling::Unclear && self.cut == 0 && self.gaps.is_empty()
    }

    /// Tells whether clauses that a person chooses would decide it: in place of what it does now, or of a model's word.
    #[must_use]
    pub fn takes_clauses(&self) -> bool {
        self.takes_journey() || self.accepts && self.verdict.is_failed_by_a_model() && self.cut == 0 && self.gaps.is_empty()
    }

    /// Tells whether a person should look at it, and can decide on it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let open = matches!(self.verdict.verdict, Ruling::Fail | Ruling::Unclear) && !self.verdict.overridden;
        open && !self.fails_itself()
    }

    /// Tells whether the test failed by its own assertion, so that its intent was not judged.
    #[must_use]
    pub fn fails_itself(&self) -> bool {
        self.verdict.evaluator == Evaluator::Test
    }
}

/// When a test came to what it comes to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    /// The first run in a row with the ruling of the last one.
    pub begun: Moment,
    /// The last run that passed.
    pub passed: Option<Moment>,
}
