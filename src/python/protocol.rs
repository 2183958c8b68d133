//! Requests and replies of `docs/worker.md` and the frames they travel in. Who sends them is `zygote.rs`.

use std::collections::BTreeMap;

use crate::domain::answers::Answers;
use crate::domain::call::Call;
use crate::domain::observation::Control;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::value::TypeName;
use crate::python::line_values::{Followed, GivenLines};
use crate::python::near::Item;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Frames above this are not read: a reply is bounded by the recorder's budgets, a request by its calls.
pub const LARGEST_FRAME: u32 = 64 << 20;

/// A request and its number.
#[derive(Debug, Serialize)]
pub struct Request<'a> {
    /// Chosen by the sender; every reply carries it.
    pub id: u64,
    /// What is asked.
    #[serde(flatten)]
    pub op: Op<'a>,
}

/// What the worker can be asked.
#[derive(Debug, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Op<'a> {
    /// Say who you are, after importing these modules from outside the project. With `tests`, pytest and its plugins
    /// too; `tried` ones are known to leave no threads.
    Hello { preload: &'a [String], tests: bool, tried: bool },
    /// Import the modules of these functions, so that what comes next finds them imported.
    Import { root: &'a str, paths: &'a [String], places: &'a [Spot] },
    /// Make recorded calls.
    Replay {
        root: &'a str,
        paths: &'a [String],
        calls: Vec<WireCall<'a>>,
        track: bool,
        late_max: Option<u32>,
        #[serde(skip_serializing_if = "<[Former]>::is_empty")]
        former: &'a [Former],
    },
    /// Search for inputs beside recorded calls that two versions of functions tell apart.
    Near { root: &'a str, paths: &'a [String], items: Vec<Item<'a>>, former: &'a [Former], current: &'a [Former] },
    /// Evaluate expressions, as a program of this name.
    Evaluate {
        root: &'a str,
        paths: &'a [String],
        items: &'a [Expression],
        #[serde(skip_serializing_if = "Option::is_none")]
        program: Option<&'a str>,
    },
    /// Run tests.
    Prove(&'a Prove),
    /// End a request.
    Cancel { target: u64 },
}

/// The text of a module in place of what lies on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Former {
    /// The module, by its name in the index.
    pub module: String,
    /// Its file, relative to the root; need not be there.
    pub path: String,
    /// What it is imported from.
    pub text: String,
}

/// What a call is made in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Surroundings {
    /// Paths and what stands in these files.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// Variables of the environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// The command line, the program's name first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// The clock stands here, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<i64>,
    /// The clock of the moment of recording, in nanoseconds since 1970, and whether it stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_clock: Option<(i64, bool)>,
    /// The system's random bytes are zeros.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub chance: bool,
    /// The generator of module `random` begins otherwise than it does for other calls.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub other_seed: bool,
    /// The files are opened as they are given here, also where they are there and others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub files_as_recorded: bool,
    /// Parts of its arguments that cannot be made again are stood in for; a call that uses one has no outcome.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stands_in: bool,
    /// Its module is a script that nobody imports: where importing it does more than to compute, the call has no outcome.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub script: bool,
    /// Functions that give again what they gave when the call was recorded, in place of asking others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stand_ins: Vec<StandIn>,
}

/// A function that gives recorded answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StandIn {
    /// The module where it is read.
    pub module: String,
    /// Its name there.
    pub qualname: String,
    /// It is awaited.
    pub awaited: bool,
    /// Marshalled outcomes in base64, in order.
    pub outcomes: Vec<String>,
}

impl StandIn {
    /// Has a function give outcomes, as they are stored.
    #[must_use]
    pub fn new(answers: &Answers, outcomes: &[Vec<u8>]) -> Self {
        let Answers { target: TypeName { module, qualname }, awaited, .. } = answers.clone();
        Self { module, qualname, awaited, outcomes: outcomes.iter().map(|outcome| BASE64.encode(outcome)).collect() }
    }
}

impl Surroundings {
    /// Gives those in which a call was recorded, but for what stands in for others.
    #[must_use]
    pub fn of(call: &Call) -> Self {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self {
            files: call.files().map(owned).collect(),
            variables: call.variables().map(owned).collect(),
            argv: call.command_line().unwrap_or_default().to_vec(),
            clock: call.controls().find_map(Control::moment),
            recorded_clock: None,
            chance: call.controls().any(|control| control == Control::Bytes),
            other_seed: call.controls().any(|control| control == Control::OtherSeed),
            files_as_recorded: false,
            stands_in: false,
            script: false,
            stand_ins: Vec::new(),
        }
    }
}

/// A call to make.
#[derive(Debug, Serialize)]
pub struct WireCall<'a> {
    key: u64,
    module: &'a str,
    path: &'a str,
    qualname: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    as_kept: bool,
    args: String,
    wait_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    dispatch: Option<&'a Dispatch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sites: Option<&'a [(usize, Vec<String>)]>,
    #[serde(flatten)]
    surroundings: Option<&'a Surroundings>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    closely: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    faults: bool,
    #[serde(skip_serializing_if = "<[Spot]>::is_empty")]
    also: &'a [Spot],
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<&'a Lines>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'a Followed>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    only_import: bool,
}

/// Lines of files, by their paths relative to the root.
pub type Lines = BTreeMap<String, Vec<u32>>;

/// How an implementation is called that is registered with another function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dispatch {
    /// The name of that function.
    pub dispatcher: String,
    /// Where the definition of the implementation begins.
    pub line: u32,
}

/// A function whose faults a call is tried with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Spot {
    /// Its module.
    pub module: String,
    /// The module's file, relative to the root.
    pub path: String,
    /// Its name there.
    pub qualname: String,
    /// Where its definition begins, when it is registered with others of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl<'a> WireCall<'a> {
    /// Writes a call for the wire; `args` is a marshalled tuple of `(name, kind, value)`.
    #[must_use]
    pub fn new(key: u64, module: &'a str, path: &'a str, qualname: &'a str, args: &[u8], wait_ms: u64) -> Self {
        Self {
            key,
            module,
            path,
            qualname,
            as_kept: false,
            dispatch: None,
            sites: None,
            args: BASE64.encode(args),
            wait_ms,
            surroundings: None,
            closely: false,
            faults: false,
            also: &[],
            lines: None,
            values: None,
            only_import: false,
        }
    }

    /// Calls it by way of the function that it is registered with.
    #[must_use]
    pub fn dispatched(self, dispatch: Option<&'a Dispatch>) -> Self {
        Self { dispatch, ..self }
    }

    /// Says how its caller writes such calls today.
    #[must_use]
    pub fn sites(self, sites: Option<&'a [(usize, Vec<String>)]>) -> Self {
        Self { sites, ..self }
    }

    /// Calls what the name leads to, with what decorators made of it.
    #[must_use]
    pub fn as_kept(self, as_kept: bool) -> Self {
        Self { as_kept, ..self }
    }

    /// Makes it in these surroundings.
    #[must_use]
    pub fn within(self, surroundings: &'a Surroundings) -> Self {
        Self { surroundings: Some(surroundings), ..self }
    }

    /// Asks for a closer look: iterators read, what is printed and warned.
    #[must_use]
    pub fn closely(self) -> Self {
        Self { closely: true, ..self }
    }

    /// Asks whether the module can be imported, and calls nothing.
    #[must_use]
    pub fn only_import(self) -> Self {
        Self { only_import: true, ..self }
    }

    /// Asks which statements on these lines the call does not run.
    #[must_use]
    pub fn following(self, lines: &'a Lines) -> Self {
        Self { lines: Some(lines), ..self }
    }

    /// Asks what each line of this function gives, in the first call of it.
    #[must_use]
    pub fn with_values(self, values: &'a Followed) -> Self {
        Self { values: Some(values), ..self }
    }

    /// Asks which of some faults put into these functions, which it runs, make the call end otherwise.
    #[must_use]
    pub fn also(self, also: &'a [Spot]) -> Self {
        Self { also, ..self }
    }

    /// Asks which of some faults put into the function make the call end otherwise, besides a closer look.
    #[must_use]
    pub fn with_faults(self) -> Self {
        Self { faults: true, ..self.closely() }
    }
}

/// Tests to collect once and to run in forks from there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Prove {
    /// The project's root.
    pub root: String,
    /// The folders its modules are imported from.
    pub paths: Vec<String>,
    /// Put these folders on the path: plain pytest does not find the project.
    pub on_path: bool,
    /// The folder of the tests.
    pub bench: String,
    /// pytest's arguments.
    pub args: Vec<String>,
    /// Variables to set before anything of the project is imported.
    pub env: BTreeMap<String, String>,
    /// Where they run; the root when absent.
    pub cwd: Option<String>,
    /// They run as if on another machine, with nothing of this one's environment.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub other_machine: bool,
    /// What is run, in this order.
    pub runs: Vec<ProveRun>,
    /// How long any run may take.
    pub limit_ms: u64,
}

/// Some tests in some order, or each in a process of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ProveRun {
    /// Comes back with its lines.
    pub key: u64,
    /// Ids of tests, or what these begin with; all when absent.
    pub tests: Option<Vec<String>>,
    /// Each test in a process of its own.
    pub each: bool,
    /// Say what each test leaves behind, and run it again under this key when it leaves something.
    pub look: bool,
    /// The key of second runs.
    pub again: Option<u64>,
    /// `reverse`, `shuffle` or `listed`.
    pub order: Option<&'static str>,
    /// Seconds to put the clock forward.
    pub clock: Option<i64>,
    /// Functions whose lines are noted.
    pub targets: Vec<Place>,
    /// Run once for each of some faults of this function.
    pub fault: Option<Place>,
    /// How many faults.
    pub most: u32,
    /// How long a process may take.
    pub limit_ms: u64,
}

/// A function of the project, and the tests that are about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// What the ids of its tests begin with.
    pub tests: String,
    /// Its module.
    pub module: String,
    /// The module's file, relative to the root.
    pub path: String,
    /// Its name there.
    pub qualname: String,
    /// Where its definition begins, when it is registered with others of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// An expression to evaluate, and what it needs imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Expression {
    /// Comes back with the value.
    pub key: u64,
    /// A Python expression.
    pub source: String,
    /// Import statements.
    pub imports: Vec<String>,
    /// In place of an expression an object, marshalled: how it may be made is what is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The source is assertions: which details of these values they do not see is what is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
}

/// Values by their names that assertions look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// The names.
    pub names: Vec<String>,
    /// The values, a tuple, marshalled.
    pub values: String,
    /// The order of a dict is a part of them.
    pub ordered: bool,
}

impl Expression {
    /// Asks for the value of an expression.
    #[must_use]
    pub fn new(key: u64, source: String, imports: Vec<String>) -> Self {
        Self { key, source, imports, object: None, seen: None }
    }

    /// Asks for the ways to make an object from what it says of itself.
    #[must_use]
    pub fn ways(key: u64, object: &[u8]) -> Self {
        Self { key, source: String::new(), imports: Vec::new(), object: Some(BASE64.encode(object)), seen: None }
    }

    /// Gives about how many bytes it takes in a request.
    #[must_use]
    pub fn size(&self) -> usize {
        let seen = self.seen.as_ref().map_or(0, |seen| seen.values.len() + seen.names.iter().map(String::len).sum::<usize>());
        let imports: usize = self.imports.iter().map(String::len).sum();
        self.source.len() + imports + self.object.as_ref().map_or(0, String::len) + seen
    }

    /// Asks which details of values its assertions do not see.
    #[must_use]
    pub fn seeing(self, names: &[String], values: &[u8], ordered: bool) -> Self {
        let seen = Seen { names: names.to_vec(), values: BASE64.encode(values), ordered };
        Self { seen: Some(seen), ..self }
    }
}

/// Who the worker is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Hello {
    /// `3.12.1`
    pub python: String,
    /// Its path as it sees it.
    pub executable: String,
    /// The version of pytest.
    pub pytest: Option<String>,
    /// The seed of string hashes; `None` when it is random.
    pub hashseed: Option<u32>,
    /// The modules that were imported ahead.
    pub preloaded: Vec<String>,
    /// Top-level modules of the standard library.
    pub stdlib: Vec<String>,
    /// Top-level modules of pytest's plugins.
    pub plugins: Vec<String>,
    /// What changes the time of day: `time_machine`, `freezegun` or `ours`.
    pub clock: Option<String>,
}

/// An exception that broke an import.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Raised {
    /// The project's file that raised it, relative to the root.
    pub path: String,
    /// The line, 1-based.
    pub line: u32,
    /// The exception in one line: `ImportError: cannot import name 'scales' from 'helper'`.
    pub exception: String,
}

/// A reply, whatever to.
#[derive(Debug, Deserialize)]
pub struct Reply {
    /// The request's number.
    pub id: u64,
    /// The last reply to that request.
    #[serde(default)]
    pub done: bool,
    /// The request as a whole failed.
    pub error: Option<String>,
    /// The call or expression this answers.
    pub key: Option<u64>,
    /// How a call ended, marshalled.
    #[serde(default, deserialize_with = "bytes")]
    pub outcome: Option<Vec<u8>>,
    /// What an expression gave, marshalled.
    #[serde(default, deserialize_with = "bytes")]
    pub value: Option<Vec<u8>>,
    /// Why there is neither.
    pub broken: Option<String>,
    /// Where the import broke, when a module of the project cannot be imported.
    pub import_failure: Option<Raised>,
    /// The same as a code, if the worker knows one.
    #[serde(default)]
    pub reason: Option<Refusal>,
    /// How long a call took, in nanoseconds.
    pub ns: Option<u64>,
    /// The project's functions a call entered: relative path and qualified name.
    #[serde(default)]
    pub entered: Vec<(String, String)>,
    /// Lines of test runs, each `[run, turn, line]`.
    #[serde(default)]
    pub said: Vec<serde_json::Value>,
    /// What a call that was looked at closely printed, to the output and to the error stream.
    pub printed: Option<[String; 2]>,
    /// What it warned: the category's module and name, and the message.
    #[serde(default)]
    pub warned: Vec<[String; 3]>,
    /// A number for each way from line to line that it took, and for each fault that it noticed.
    #[serde(default)]
    pub arcs: Vec<u32>,
    /// The numbers of the faults of its function that it was tried with and did not notice, where it was tried with any.
    pub silent: Option<Vec<u32>>,
    /// The numbers of the faults that it noticed, for each function that it was tried with; none where no fault could be tried.
    #[serde(default)]
    pub noticed: Vec<Option<Vec<u32>>>,
    /// Edited statements: path, line, and whether the call ran it.
    pub lines_run: Option<Vec<(String, u32, bool)>>,
    /// What the lines of a function gave.
    pub line_values: Option<GivenLines>,
    /// What a result without a form says of itself: a dict, marshalled.
    #[serde(default, deserialize_with = "bytes")]
    pub says: Option<Vec<u8>>,
    /// The answer to `hello`.
    #[serde(flatten)]
    pub rest: serde_json::Value,
}

/// Why a call could not be made again, as the worker says it.
#[derive(Debug, Deserialize)]
pub struct Refusal {
    /// A code of [`ReasonCode`].
    code: String,
    name: Option<String>,
    detail: Option<String>,
}

impl Refusal {
    /// Gives the reason; what has no code of this version is told in the words of the worker.
    #[must_use]
    pub fn reason(refusal: Option<Self>, words: &str) -> Reason {
        let known = refusal.and_then(|refusal| Some((refusal.code.parse::<ReasonCode>().ok()?, refusal)));
        let Some((code, Self { name, detail, .. })) = known else { return ReasonCode::ReplayError.with(words) };
        let reason = Reason { name, ..code.into() };
        match detail {
            Some(detail) => reason.with(detail),
            None => reason,
        }
    }
}

/// Reads bytes in base64.
pub(crate) fn bytes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
    let text = String::deserialize(deserializer)?;
    BASE64.decode(text).map(Some).map_err(serde::de::Error::custom)
}

/// Puts a request into a frame; `None` when it is too large.
#[must_use]
pub fn frame(request: &impl Serialize) -> Option<Vec<u8>> {
    let body = serde_json::to_vec(request).ok()?;
    let length = u32::try_from(body.len()).ok().filter(|length| *length <= LARGEST_FRAME)?;
    let mut frame = length.to_le_bytes().to_vec();
    frame.extend(body);
    Some(frame)
}

/// Reads the next reply.
///
/// # Errors
/// When the stream ends or breaks, or what comes is not a reply.
pub async fn read_reply<T: DeserializeOwned>(stream: &mut (impl AsyncRead + Unpin)) -> std::io::Result<T> {
    let length = stream.read_u32_le().await?;
    if length > LARGEST_FRAME {
        return Err(std::io::Error::other(format!("a reply of {length} bytes is too large")));
    }
    let mut body = vec![0; length as usize];
    stream.read_exact(&mut body).await?;
    serde_json::from_slice(&body).map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_reply_is_read_from_its_frame_and_a_huge_one_is_refused() {
        let body = br#"{"id": 7, "key": 3, "outcome": "AAE=", "ns": 12, "entered": [["shop/cart.py", "Cart.total"]]}"#;
        let mut stream = Vec::from((body.len() as u32).to_le_bytes());
        stream.extend(body);
        let reply: Reply = read_reply(&mut stream.as_slice()).await.unwrap();
        assert_eq!((reply.id, reply.done, reply.key, reply.ns), (7, false, Some(3), Some(12)));
        assert_eq!(reply.outcome.as_deref(), Some(&[0, 1][..]));
        assert_eq!(reply.entered, [("shop/cart.py".to_owned(), "Cart.total".to_owned())]);

        let error = read_reply::<Reply>(&mut u32::MAX.to_le_bytes().as_slice()).await.unwrap_err();
        assert!(error.to_string().contains("too large"), "{error}");
        assert!(read_reply::<Reply>(&mut [9, 0, 0, 0, b'{'].as_slice()).await.is_err(), "a cut frame is an error");
    }

    #[test]
    fn a_request_has_the_form_of_its_page() {
        let call = WireCall::new(1, "shop.cart", "shop/cart.py", "Cart.total", &[0], 2000);
        let op = Op::Replay { root: "/p", paths: &["/p".into()], calls: vec![call], track: true, late_max: None, former: &[] };
        let frame = frame(&Request { id: 4, op }).unwrap();
        assert_eq!(u32::from_le_bytes(frame[..4].try_into().unwrap()) as usize, frame.len() - 4);
        let json: serde_json::Value = serde_json::from_slice(&frame[4..]).unwrap();
        assert_eq!(json["op"], "replay");
        assert_eq!(json["calls"][0]["args"], "AA==");
    }
}
