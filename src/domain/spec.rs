//! YAML tests: what a file asks for, and what came of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::sentence::Sentence;
use crate::base::yaml::{Located, Place};
use crate::domain::evaluator::Evaluator;
use crate::domain::verdict::{Decided, Ruling};

/// Seconds that a step may take where neither it nor its test says something else.
pub const STEP_SECONDS: f64 = 120.0;

/// A YAML test as its file has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// Its name.
    pub name: String,
    /// What it is about, for people.
    pub description: String,
    /// Words to select it by.
    pub tags: Vec<String>,
    /// Seconds that each step may take that does not say so itself.
    pub timeout: Option<f64>,
    /// Seconds that setup and steps may take together.
    pub total_timeout: Option<f64>,
    /// References are filled in as llm-pytest did.
    pub former: bool,
    /// Claude Code calls the tools of its steps.
    pub driven: bool,
    /// What comes first; where a step of it fails, the test's own steps are not run.
    pub setup: Vec<Step>,
    /// The test itself.
    pub steps: Vec<Step>,
    /// What is run in the end, whatever happened.
    pub teardown: Vec<Step>,
    /// What has to hold in the end.
    pub pass_if: Wording,
    /// What must not hold in the end.
    pub fail_if: Wording,
}

/// A text of the file, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// The text.
    pub text: String,
    /// Where it begins.
    pub at: Place,
}

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Where it begins.
    pub at: Place,
    /// Its name, or its tool's where it has none.
    pub name: String,
    /// What it does.
    pub action: Action,
    /// How often.
    pub repeat: u32,
    /// What should come of it, in plain English or in sentences that rules decide.
    pub expect: Option<Wording>,
    /// What else is to be looked at.
    pub analyze: Option<Wording>,
    /// Python expressions that have to be true.
    pub check: Vec<Wording>,
    /// Rules that its data has to keep.
    pub rules: Vec<Rule>,
    /// The name its result is kept under.
    pub save_as: Option<String>,
    /// Seconds that one try may take.
    pub timeout: Option<f64>,
}

/// Rules about one place in the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Where it begins.
    pub at: Place,
    /// The place: `result.users[*].email`.
    pub of: String,
    /// What the data there has to be.
    pub needs: Vec<Need>,
}

/// What data has to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Need {
    /// So many items.
    Count {
        /// At least so many.
        least: Option<u64>,
        /// At most so many.
        most: Option<u64>,
    },
    /// No two items are equal.
    Unique,
    /// Every item matches: `email`, or `/^[A-Z]/`.
    Format(String),
    /// Every item lies between these two, or is one of them.
    Range {
        /// The least.
        from: Option<Value>,
        /// The most.
        to: Option<Value>,
    },
    /// Every item has these fields.
    Required(Vec<String>),
    /// No item is less than the one before it; none more, where it is descending.
    Order {
        /// From the most to the least.
        descending: bool,
    },
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// It calls a tool.
    Tool {
        /// The tool.
        tool: Wording,
        /// Its arguments, a mapping.
        args: Located,
        /// How often it is tried again.
        retry: u32,
        /// Seconds before it is tried again.
        retry_delay: f64,
    },
    /// It is made of steps.
    Group(Vec<Step>),
}

/// Which part of a test a step belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// What comes first.
    Setup,
    /// The test itself.
    Steps,
    /// What is run in the end.
    Teardown,
}

/// How the last try of a step ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum End {
    /// The tool gave a result.
    Returned {
        /// The result, as JSON.
        result: Value,
    },
    /// The tool raised.
    Raised {
        /// `ValueError: no such user`
        error: String,
    },
    /// It took too long and was ended.
    TimedOut {
        /// Seconds it was given.
        #[serde(with = "crate::base::fraction")]
        seconds: f64,
    },
    /// The process of the tools died.
    Died {
        /// How.
        how: String,
    },
    /// It was not tried.
    NotRun {
        /// Why. Checks of a test read it as `error`, so it is data.
        why: String,
    },
}

impl End {
    /// Gives the error of a tool that gave no result.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        match self {
            Self::Returned { .. } => None,
            Self::Raised { error } => Some(error.clone()),
            Self::TimedOut { seconds } => Some(format!("no result in {seconds} s")),
            Self::Died { how } | Self::NotRun { why: how } => Some(how.clone()),
        }
    }
}

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It did what was expected.
    Passed,
    /// It did not.
    Failed,
    /// It cannot be told.
    Unclear,
    /// It was not run.
    Skipped,
}

/// What one step, or one round of a repeated step, did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// The part of the test.
    pub phase: Phase,
    /// Its name.
    pub name: String,
    /// Its line in the file.
    pub line: u32,
    /// How deep it lies in groups.
    pub depth: u32,
    /// Its round and how many there are, where it is repeated.
    pub round: Option<(u32, u32)>,
    /// Its tool; a group has none.
    pub tool: Option<String>,
    /// What the tool was given.
    pub args: Value,
    /// How often it was tried.
    pub tries: u32,
    /// Milliseconds, all tries.
    pub ms: u64,
    /// How the last try ended.
    #[serde(flatten)]
    pub end: End,
    /// What came of it.
    pub status: Status,
    /// What was expected, one by one.
    pub clauses: Vec<Decided>,
    /// References and what they became.
    pub filled: Vec<(String, String)>,
    /// What the tool printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub printed: String,
}

/// The report on a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Its file, below the project's root where it lies there.
    pub file: String,
    /// Its name.
    pub name: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The verdict.
    pub verdict: Ruling,
    /// Why, in a sentence.
    pub reason: Sentence,
    /// Who decided.
    pub evaluator: Evaluator,
    /// Its steps, in the order they were run.
    pub steps: Vec<StepReport>,
    /// The results of `pass_if` and `fail_if`, one by one.
    pub clauses: Vec<Decided>,
    /// Observations across steps, which decide nothing.
    pub issues: Vec<Sentence>,
    /// More for you to know: broken plugins, a failed cleanup, processes left behind.
    pub notes: Vec<Sentence>,
    /// Milliseconds.
    pub ms: u64,
}

/// What happens while a test runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "spec", rename_all = "snake_case")]
pub enum Progress {
    /// It began.
    Began {
        /// Its file.
        file: String,
        /// Its name.
        name: String,
    },
    /// A try of a step began.
    Step {
        /// Its file.
        file: String,
        /// The step's name.
        name: String,
        /// Its line.
        line: u32,
        /// Its tool.
        tool: String,
        /// What the tool is given.
        args: Value,
        /// References and what they became.
        filled: Vec<(String, String)>,
        /// Which try it is.
        tries: u32,
        /// How many there may be.
        of: u32,
    },
    /// A step is over.
    Stepped {
        /// Its file.
        file: String,
        /// What it did.
        step: Box<StepReport>,
    },
}
