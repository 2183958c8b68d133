//! Recorded calls and the recordings they belong to.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::base::redact::PLACEHOLDER;
use crate::base::text;
use crate::domain::external_access::ExternalAccess;
use crate::domain::function::{FunctionId, ParamKind};
use crate::domain::gap::Gap;
use crate::domain::killer::Killer;
use crate::domain::observation::{Control, Observation};
use crate::domain::parts;
use crate::domain::reason::{Place, Reason, ReasonCode};
use crate::domain::secret;
use crate::domain::touch::Touch;
use crate::domain::value::Value;
use crate::domain::way::{Given, Way};

pub use crate::domain::outcome::{
    ANSWERS, ASKED, Effect, GeneratorEnd, ITS_END, ITS_ITEMS, ITS_SIDE_EFFECTS, Outcome, YIELDS_KEPT,
};

/// Numbers a recording in the project's store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordingId(pub i64);

/// Numbers a call in the project's store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub i64);

/// One argument as it was before the call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Argument {
    /// The parameter's name.
    pub name: String,
    /// The parameter's kind.
    pub kind: ParamKind,
    /// The value; a tuple for `*args`, a dict for `**kwargs`.
    pub value: Value,
    /// How the caller gave it.
    #[serde(default, skip_serializing_if = "Given::is_unknown")]
    pub given: Given,
}

impl Argument {
    /// Makes one of which nobody knows how it was given.
    #[must_use]
    pub fn new(name: &str, kind: ParamKind, value: Value) -> Self {
        Self { name: name.to_owned(), kind, value, given: Given::Unknown }
    }
}

/// One recorded call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Its number in the store.
    pub id: CallId,
    /// Its recording.
    pub recording: RecordingId,
    /// The function.
    pub function: FunctionId,
    /// The kept call it was made from.
    pub parent: Option<CallId>,
    /// The project function that called it, where known.
    pub caller: Option<FunctionId>,
    /// The caller's line.
    pub caller_line: Option<u32>,
    /// Called from outside the project: from a test, or with no project code near it in the stack.
    pub direct: bool,
    /// The thread: the spool's file ordinal.
    pub thread: u32,
    /// The asyncio task, 0 for none.
    pub task: u32,
    /// The receiver's number, for methods.
    pub receiver: Option<u64>,
    /// Start, in nanoseconds since the recording's start.
    pub start_ns: i64,
    /// Duration in nanoseconds.
    pub duration_ns: i64,
    /// Arguments as they were before the call, the receiver first.
    pub args: Vec<Argument>,
    /// How it came to its function.
    #[serde(default)]
    pub way: Way,
    /// How it ended and what it changed.
    pub effect: Effect,
    /// What it touched.
    pub touches: Vec<Touch>,
    /// What making it again showed.
    #[serde(skip)]
    pub observed: Observation,
    /// How often this input was seen.
    pub times: u64,
    /// Hash of the function and its arguments: equal for equal inputs in any recording.
    pub input: Digest,
}

/// Puts what stands in their place for the secrets in a value, by their ordinals; with `learn`, for those that were not met before.
fn veil(value: &mut Value, known: &mut BTreeMap<u64, Value>, learn: bool) {
    parts::each(value, &mut |part| {
        if let Value::Secret { kind, ordinal, look } = part {
            let number = known.len() + 1;
            if learn {
                known.entry(*ordinal).or_insert_with(|| secret::stand_in(kind, number, *look));
            }
            if let Some(stand_in) = known.get(ordinal) {
                *part = stand_in.clone();
            }
        }
    });
}

/// Decorators on one definition that are looked through.
pub const DECORATORS_MAX: usize = 8;

/// So many calls of a function are counted for certain. From then on a function that brought nothing new for a hundred calls
/// is recorded no more, and a greater number is a lower bound.
pub const COUNTED: u64 = 100;

/// Says how many calls there were; `at_least` where the number is a lower bound.
#[must_use]
pub fn told(calls: u64, at_least: bool) -> String {
    let number = text::count(usize::try_from(calls).unwrap_or(usize::MAX), "call");
    if at_least { format!("at least {number}") } else { number }
}

/// Tells that a call without an end cannot be run again.
#[must_use]
pub fn unended(outcome: &Outcome) -> Option<Reason> {
    matches!(outcome, Outcome::Unfinished).then(|| ReasonCode::Unfinished.into())
}

/// Tells what of that which a call touched stands in the way of running it again.
#[must_use]
pub fn touched(touches: &[Touch]) -> Option<Reason> {
    let touch = touches.iter().find(|touch| touch.forbids_replay())?;
    Some(match touch {
        Touch::Network(_) => ReasonCode::Network.with(touch.detail()),
        Touch::Process(_) => ReasonCode::Subprocess.with(touch.detail()),
        Touch::Unknown { kind, detail } => ReasonCode::UnknownSideEffect.of(kind).with(detail),
        _ => ReasonCode::WritesFiles.with(touch.detail()),
    })
}

/// Tells why a call is not run again that made another one which left the process (R16).
#[must_use]
pub fn reached_out(below: &FunctionId, access: ExternalAccess) -> Reason {
    ReasonCode::ExternalCall.of(below).through(access)
}

/// Tells why a function cannot be called with these arguments by somebody else; `is_bound`: a name leads to it, although
/// another function made it.
#[must_use]
pub fn not_callable(function: &FunctionId, is_bound: bool, args: &[Argument]) -> Option<Reason> {
    if function.qualname().contains("<locals>") && !is_bound {
        return Some(ReasonCode::NestedFunction.into());
    }
    let given = args.iter().filter(|arg| arg.given != Given::LeftOut);
    given.into_iter().find_map(|arg| Some(arg.value.not_buildable()?.at(Place::Argument(arg.name.clone()))))
}

impl Call {
    /// Tells why this call cannot be run again, if it cannot.
    #[must_use]
    pub fn not_replayable(&self) -> Option<Reason> {
        unended(&self.effect.outcome)
            .or_else(|| touched(&self.touches))
            .or_else(|| not_callable(&self.function, self.bound().is_some(), &self.args))
    }

    /// Tells which part of its arguments is stood in for when it runs again, because it cannot be made: no test may rest on it.
    #[must_use]
    pub fn stood_in(&self) -> Option<Reason> {
        self.not_replayable().filter(|reason| reason.code.is_stood_in())
    }

    /// Puts placeholders in the place of secrets that it was given, also where they come back. Others stay: a test could not
    /// know what they were.
    #[must_use]
    pub fn with_placeholders(mut self) -> Self {
        let mut given = BTreeMap::new();
        for arg in &mut self.args {
            veil(&mut arg.value, &mut given, true);
        }
        if given.is_empty() {
            return self;
        }
        let mut veil = |value: &mut Value| veil(value, &mut given, false);
        match &mut self.effect.outcome {
            Outcome::Returned(value) | Outcome::Raised { exception: value, .. } => veil(value),
            Outcome::Yielded { items, end } => {
                items.iter_mut().for_each(&mut veil);
                if let GeneratorEnd::Returned(value) | GeneratorEnd::Raised(value) = end {
                    veil(value);
                }
            }
            Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => {}
        }
        self.effect.changed.iter_mut().for_each(|(_, value)| veil(value));
        self
    }

    /// Tells which secret is inside of a text that the call gave, and was in none that it got: a test could not know what stands
    /// there.
    #[must_use]
    pub fn gave_unknown(&self) -> Option<Reason> {
        let text = |value: &Value| match value {
            Value::Str(text) => Some(text.clone()),
            Value::Bytes(bytes) => String::from_utf8(bytes.clone()).ok(),
            _ => None,
        };
        let mut given = BTreeSet::new();
        for arg in &self.args {
            arg.value.walk(&mut |part| {
                given.extend(text(part).iter().flat_map(|text| secret::placeholders(text)).map(ToOwned::to_owned));
                true
            });
        }
        let mut unknown = None;
        let mut look = |value: &Value| {
            value.walk(&mut |part| {
                let held = text(part);
                let found = held.iter().flat_map(|text| secret::placeholders(text)).find(|one| !given.contains(*one));
                unknown = found.map(|one| one[PLACEHOLDER.len()..].split('#').next().unwrap_or_default().to_owned());
                unknown.is_none()
            })
        };
        let gave = match &self.effect.outcome {
            Outcome::Returned(value) | Outcome::Raised { exception: value, .. } => look(value),
            Outcome::Yielded { items, .. } => items.iter().all(&mut look),
            Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => true,
        };
        let _ = gave && self.effect.changed.iter().all(|(_, value)| look(value));
        unknown.map(|kind| ReasonCode::Redacted.of(kind).at(Place::Result))
    }

    /// Tells which secret was not recorded of what the call got or gave, if any was: without it, it may end otherwise.
    #[must_use]
    pub fn withheld(&self) -> Option<Reason> {
        let of = |value: &Value| {
            let mut kind = None;
            value.walk(&mut |part| {
                kind = match part {
                    Value::Secret { kind, .. } => Some(kind.clone()),
                    Value::Str(text) => text.strip_prefix(PLACEHOLDER).and_then(|rest| Some(rest.split(']').next()?.to_owned())),
                    _ => None,
                };
                kind.is_none()
            });
            kind
        };
        let given = self.args.iter().find_map(|arg| Some((of(&arg.value)?, Place::Argument(arg.name.clone()))));
        let gave = || match &self.effect.outcome {
            Outcome::Returned(value) | Outcome::Raised { exception: value, .. } => Some((of(value)?, Place::Result)),
            Outcome::Yielded { items, .. } => Some((items.iter().find_map(of)?, Place::Result)),
            Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => None,
        };
        given.or_else(gave).map(|(kind, place)| ReasonCode::Redacted.of(kind).at(place))
    }

    /// Gives the name that leads to the function where another one made it: `shop.money:Money.__lt__` for what
    /// `__lt__ = comparer(…)` called.
    #[must_use]
    pub fn bound(&self) -> Option<FunctionId> {
        self.touches.iter().find_map(|touch| match touch {
            Touch::Bound(name) => Some(name.clone()),
            _ => None,
        })
    }

    /// Gives the name by which the function is called from elsewhere.
    #[must_use]
    pub fn callee(&self) -> FunctionId {
        self.bound().unwrap_or_else(|| self.function.clone())
    }

    /// Lists the small text files that it read, with what stood in them.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.touches.iter().filter_map(|touch| match touch {
            Touch::Content { path, text } => Some((path.as_str(), text.as_str())),
            _ => None,
        })
    }

    /// Lists what is held still when it is made again.
    pub fn controls(&self) -> impl Iterator<Item = Control> {
        self.observed.controls.iter().copied()
    }

    /// Lists the variables of the environment that it read and that were set.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.touches.iter().filter_map(|touch| match touch {
            Touch::Variable { name, value } => Some((name.as_str(), value.as_str())),
            _ => None,
        })
    }

    /// Gives the command line that it read, the program's name first.
    #[must_use]
    pub fn command_line(&self) -> Option<&[String]> {
        self.touches.iter().find_map(|touch| match touch {
            Touch::CommandLine(words) => Some(words.as_slice()),
            _ => None,
        })
    }

    /// Tells whether people's own code made the call, not the called package of itself: a test, a script, another package (R30).
    #[must_use]
    pub fn is_from_outside(&self) -> bool {
        let package = |function: &FunctionId| function.module().split('.').next().unwrap_or_default().to_owned();
        // The code of a module itself, which nothing names, is mostly a script.
        self.direct || self.caller.as_ref().is_none_or(|caller| package(caller) != package(&self.function))
    }

    /// Tells whether nothing but arguments that were not recorded whole, or cannot be read, stands in the way of running it
    /// again: what made them may be known.
    #[must_use]
    pub fn rests_on_its_past(&self) -> bool {
        let ended = matches!(self.effect.outcome, Outcome::Returned(_) | Outcome::Raised { .. } | Outcome::Yielded { .. });
        let touched = self.touches.iter().any(|touch| touch.forbids_replay() || touch.is_nondeterministic());
        let mut in_part = false;
        for arg in &self.args {
            arg.value.walk(&mut |value| {
                in_part |= match value {
                    Value::Cut { .. } | Value::Opaque { .. } => true,
                    // A test may define its class.
                    Value::Object { ty, .. } | Value::Sub { ty, .. } | Value::Name(ty) => ty.qualname.contains("<locals>"),
                    _ => false,
                };
                true
            });
        }
        ended && !touched && in_part && !self.callee().qualname().contains("<locals>")
    }

    /// Writes the arguments for people: `(Decimal('100.00'), 'TEN')`, the receiver left out.
    #[must_use]
    pub fn arguments(&self, limit: usize) -> String {
        let mut out = String::from("(");
        let skip =
            usize::from(self.receiver.is_some() || self.args.first().is_some_and(|a| matches!(a.name.as_str(), "self" | "cls")));
        for (index, arg) in self.args.iter().skip(skip).enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            match arg.kind {
                ParamKind::KeywordOnly => out.push_str(&format!("{}=", arg.name)),
                ParamKind::VarPositional => out.push('*'),
                ParamKind::VarKeyword => out.push_str("**"),
                _ => {}
            }
            out.push_str(&arg.value.summary(limit.saturating_sub(out.len()).max(12)));
        }
        out.push(')');
        out
    }
}

/// How a recorded program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramEnd {
    /// Still running.
    Running,
    /// It exited with this code.
    Exited(i32),
    /// It was ended before it exited.
    Killed(Killer),
    /// It could not be started.
    NotStarted(String),
}

impl ProgramEnd {
    /// Makes the end by a signal.
    #[must_use]
    pub fn by_signal(number: i32) -> Self {
        Self::Killed(Killer::Signal(number))
    }

    /// Says how a program failed, and how many of its calls are stored. Returns nothing for a program that did not fail.
    #[must_use]
    pub fn summary(&self, kept: u64) -> Option<String> {
        let end = match self {
            Self::Exited(0) | Self::Running | Self::NotStarted(_) => return None,
            Self::Exited(code) => format!("Your program ended with exit code {code}."),
            Self::Killed(killer) => format!("Your program was ended by {killer}."),
        };
        let calls = text::count(usize::try_from(kept).unwrap_or(usize::MAX), "call");
        Some(match kept {
            0 => format!("{end} It made no call that is kept."),
            1 => format!("{end} Its 1 call is kept and usable."),
            _ => format!("{end} Its {calls} are kept and usable."),
        })
    }

    /// Gives the exit code to pass on: the program's own, 128 and the signal's number as shells do, or 3 where it did not
    /// run to an end.
    #[must_use]
    pub fn exit_code(&self) -> i32 {
        match self {
            Self::Exited(code) => *code,
            Self::Killed(Killer::Signal(number)) => 128 + number,
            Self::Killed(Killer::Unwatched | Killer::Other(_)) => 128,
            Self::Running | Self::NotStarted(_) => 3,
        }
    }
}

/// One run of a program under the recorder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// Its number.
    pub id: RecordingId,
    /// The command as typed.
    pub command: Vec<String>,
    /// The folder it ran in, below the root; empty for the root.
    pub cwd: String,
    /// The interpreter, absolute.
    pub interpreter: Option<String>,
    /// `3.12.1`
    pub python: Option<String>,
    /// The commit that was checked out.
    pub commit: Option<String>,
    /// When it began.
    pub started: Moment,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
    /// How it ended.
    pub end: ProgramEnd,
    /// Calls seen and calls kept.
    pub seen: u64,
    /// Calls with values.
    pub kept: u64,
    /// Functions that were called.
    pub functions: u64,
    /// Calls that raised.
    pub raised: u64,
    /// Threads and processes that wrote a spool.
    pub threads: u64,
    /// What was left out: reason and count.
    pub gaps: Vec<(Gap, u64)>,
    /// A recorder reported in.
    pub recorder_seen: bool,
    /// A function was called more often than is counted for certain: `seen` is a lower bound.
    #[serde(default)]
    pub at_least: bool,
}

impl Recording {
    /// Makes the recording of a command that begins now: nothing is in it, and nothing is known of its surroundings.
    #[must_use]
    pub fn begun(command: Vec<String>, started: Moment) -> Self {
        Self {
            id: RecordingId(0),
            command,
            cwd: String::new(),
            interpreter: None,
            python: None,
            commit: None,
            started,
            duration_ms: 0,
            end: ProgramEnd::Running,
            seen: 0,
            kept: 0,
            functions: 0,
            raised: 0,
            threads: 0,
            gaps: Vec::new(),
            recorder_seen: false,
            at_least: false,
        }
    }
}
