//! The journey of a recording: what happened, event by event, each with a line id.

use serde::{Deserialize, Serialize};

use crate::domain::call::Argument;
use crate::domain::callee::Callee;
use crate::domain::function::FunctionId;
use crate::domain::touch::Touch;
use crate::domain::value::Value;

/// Characters of a value in [`JourneyEvent::text`].
const VALUE: usize = 60;

/// Numbers an event of a journey from 1 on; written `L1`, `L2` and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineId(pub u32);

impl std::fmt::Display for LineId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "L{}", self.0)
    }
}

/// The part of a test that an event belongs to. What is recorded without a test is all of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Fixtures, before the test itself.
    Setup,
    /// The test itself.
    #[default]
    Call,
    /// Fixtures, after it.
    Teardown,
}

impl Phase {
    /// Gives the phase of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "setup" => Some(Self::Setup),
            "call" => Some(Self::Call),
            "teardown" => Some(Self::Teardown),
            _ => None,
        }
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Setup => "setup",
            Self::Call => "call",
            Self::Teardown => "teardown",
        })
    }
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JourneyEvent {
    /// Its place in the journey.
    pub line: LineId,
    /// The event that began the call it belongs to: for a call's own beginning, itself.
    pub call: LineId,
    /// The process: any number that is one process's in the recording.
    pub process: i64,
    /// The thread: the spool's file ordinal.
    pub thread: u32,
    /// How many recorded calls are around the call.
    pub depth: u32,
    /// The part of the test it happened in.
    #[serde(default)]
    pub phase: Phase,
    /// When, in nanoseconds since the recording's start.
    pub at_ns: i64,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What an event tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum What {
    /// A call began. `reached` are the lines its own body came to, in the order of their first time. Where the call is
    /// told in `brief`, only those that no call of the function came to before, and no object was looked into: what
    /// changed is not known.
    Call {
        function: Callee,
        args: Vec<Argument>,
        receiver: Option<u64>,
        parent: Option<LineId>,
        caller_line: Option<u32>,
        direct: bool,
        task: u32,
        reached: Vec<u32>,
        #[serde(default)]
        brief: bool,
    },
    /// It returned; `changed` are the parameters whose content is another one now, none where the call is told in brief.
    Return { value: Value, changed: Vec<(String, Value)> },
    /// It raised, on this line of its function; `mro` are the names of the exception's type and its bases.
    Raise { exception: Value, mro: Vec<String>, raised_at: Option<u32>, changed: Vec<(String, Value)> },
    /// A generator yielded.
    Yield { value: Value },
    /// A generator went on.
    Resume,
    /// A generator was closed, or an exception thrown into it.
    Throw { closed: bool },
    /// Something besides computing.
    Touch { touch: Touch },
}

impl JourneyEvent {
    /// Writes the event as one line for people: `L3     shop.cart:total(3)`, `L4     → 6`.
    #[must_use]
    pub fn text(&self) -> String {
        let indent = "  ".repeat(usize::try_from(self.depth.min(40)).unwrap_or(0));
        let what = match &self.what {
            What::Call { function, args, receiver, .. } => {
                let skip = usize::from(receiver.is_some());
                let args: Vec<String> =
                    args.iter().skip(skip).map(|arg| format!("{}={}", arg.name, arg.value.summary(VALUE))).collect();
                format!("{function}({})", args.join(", "))
            }
            What::Return { value, .. } => format!("→ {}", value.summary(VALUE)),
            What::Raise { exception, raised_at, .. } => match raised_at {
                Some(line) => format!("✗ {} in line {line}", exception.summary(VALUE)),
                None => format!("✗ {}", exception.summary(VALUE)),
            },
            What::Yield { value } => format!("yields {}", value.summary(VALUE)),
            What::Resume => "goes on".into(),
            What::Throw { closed: true } => "is closed".into(),
            What::Throw { closed: false } => "is thrown into".into(),
            What::Touch { touch } => format!("touches {}: {}", touch.kind(), touch.detail()),
        };
        format!("{:<6}{indent}{what}", self.line.to_string())
    }
}

/// What a line of a journey is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// Where the lines below it belong: `In the test:`.
    Heading,
    /// A call began; the calls are counted.
    Called(usize),
    /// It returned.
    Returned,
    /// It raised.
    Raised,
    /// A generator yielded.
    Yielded,
    /// A generator was closed.
    Closed,
}

/// Where lines of a journey belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heading {
    /// What ran before the test.
    Setup,
    /// The test itself.
    Test,
    /// What ran after the test.
    Teardown,
    /// What another thread or task did at the same time.
    Beside,
}

impl Heading {
    /// Gives the words of it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Setup => "In setup:",
            Self::Test => "In the test:",
            Self::Teardown => "In teardown:",
            Self::Beside => "Beside it:",
        }
    }
}

/// One line of a journey, for people. Two runs of a test that do the same have the same lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JourneyLine {
    /// What it is.
    #[serde(rename = "telling")]
    pub kind: LineKind,
    /// The event that it shows; none for a heading.
    pub line: Option<LineId>,
    /// The event that began the call it belongs to.
    pub call: Option<LineId>,
    /// How many calls are around it.
    pub depth: u32,
    /// The function's name, with the object's number where there are several: `Cart#2.total`. Of a heading, its words.
    pub name: String,
    /// Arguments in brackets, or the value; sanitised. It is data: an accepted journey is compared by it.
    pub detail: String,
    /// The function, where a call begins.
    pub function: Option<FunctionId>,
    /// The line of its function that a call was made from, or that raised.
    pub at: Option<u32>,
    /// The lines of its own function that a call ran.
    pub reached: Vec<u32>,
}

impl JourneyLine {
    /// Makes a heading.
    #[must_use]
    pub fn heading(heading: Heading) -> Self {
        Self {
            kind: LineKind::Heading,
            line: None,
            call: None,
            depth: 0,
            name: heading.words().to_owned(),
            detail: String::new(),
            function: None,
            at: None,
            reached: Vec::new(),
        }
    }

    /// Tells whether it is this heading.
    #[must_use]
    pub fn is_heading(&self, heading: Heading) -> bool {
        self.kind == LineKind::Heading && self.name == heading.words()
    }

    /// Writes the line as files and reports have it: `2.   [CALLED] Cart.total({})`.
    #[must_use]
    pub fn text(&self) -> String {
        let indent = "  ".repeat(usize::try_from(self.depth).unwrap_or(0));
        let Self { name, detail, .. } = self;
        match self.kind {
            LineKind::Heading => name.clone(),
            LineKind::Called(number) => format!("{number}. {indent}[CALLED] {name}{detail}"),
            LineKind::Returned => format!("{indent}[RETURNED] {name} -> {detail}"),
            LineKind::Raised => format!("{indent}[RAISED] {name} -> {detail}"),
            LineKind::Yielded => format!("{indent}[YIELDED] {name} -> {detail}"),
            LineKind::Closed => format!("{indent}[CLOSED] {name}"),
        }
    }
}
