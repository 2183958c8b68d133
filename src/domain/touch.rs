//! What a call touched outside its arguments: what the recorder noted of it, and what stands in for it in a replay.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::domain::answers::Answers;
use crate::domain::function::FunctionId;

/// What a call touched. Stored as two texts, `kind` and `detail`, as the recorder writes them (`docs/spool.md`, `E`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touch {
    /// It read the clock by this function: `time.time`.
    Clock(String),
    /// It used chance by this function: `random.choice`, `os.urandom`.
    Random(String),
    /// It used the environment by this function: `os.getenv`, `os.environ`.
    Environment(String),
    /// It asked for the working folder, or changed it: `os.getcwd`.
    WorkingFolder(String),
    /// It used a file or a folder.
    File(FileAccess),
    /// It used the network: `socket.connect api.pay.test:443`.
    Network(String),
    /// It started a process, or ended one.
    Process(ProcessStart),
    /// It started a thread.
    Thread(String),
    /// It warned.
    Warning(String),
    /// It printed.
    Output(String),
    /// It read a small text file, and this stood in it.
    Content {
        /// The file's path, as the program wrote it.
        path: String,
        /// What stood in it.
        text: String,
    },
    /// It read a variable of the environment that was set.
    Variable {
        /// The variable's name.
        name: String,
        /// Its value.
        value: String,
    },
    /// It read the command line, which held these words, the program's name first.
    CommandLine(Vec<String>),
    /// The name that leads to its function, which another one made (R12).
    Bound(FunctionId),
    /// What stands in for a function that left its process while the call was made (R17).
    StandIn(Answers),
    /// What the recorded test did with fixtures until it made the call, as JSON: a [`Scene`](super::scene::Scene).
    Scene(String),
    /// What a client of the test was answered by way of it, as JSON. Only runs of recorded tests note it.
    Answer(String),
    /// What this version cannot read: of a newer recorder, or of a damaged spool.
    Unknown {
        /// The kind, as it was written.
        kind: String,
        /// The detail, as it was written.
        detail: String,
    },
}

/// How a call used a file or a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileAccess {
    /// What it did.
    pub operation: FileOperation,
    /// With which file, as the program wrote it; `None` where the recorder could not tell.
    pub path: Option<String>,
}

/// What is done with a file or a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileOperation {
    /// Opened to be read.
    Read,
    /// Opened to be written.
    Write,
    /// The names in a folder were listed, by `os.listdir`.
    List,
    /// The entries of a folder were listed, by `os.scandir`.
    Scan,
    /// Anything else, by its audit event: `os.remove`, `sqlite3.connect`.
    Other(String),
}

/// How a call started a process, or ended one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessStart {
    /// By what.
    pub method: StartMethod,
    /// Which program; `None` where the recorder could not tell.
    pub program: Option<String>,
}

/// What starts a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartMethod {
    /// `subprocess.Popen`.
    Popen,
    /// `os.system`: a shell.
    System,
    /// `os.exec…`.
    Exec,
    /// `os.posix_spawn`.
    PosixSpawn,
    /// `os.spawn…`.
    Spawn,
    /// `multiprocessing.Process`.
    Multiprocessing,
    /// `os.fork`: no other program.
    Fork,
    /// What starts no other program, by its audit event: `os.kill`.
    Other(String),
}

/// The kinds as they are stored.
mod kind {
    use crate::domain::external_access::ExternalAccess;

    pub const CLOCK: &str = "clock";
    pub const RANDOM: &str = "random";
    pub const ENVIRONMENT: &str = "env";
    pub const WORKING_FOLDER: &str = "cwd";
    pub const FILE: &str = "file";
    pub const NETWORK: &str = ExternalAccess::Network.kind();
    pub const PROCESS: &str = ExternalAccess::Process.kind();
    pub const THREAD: &str = "thread";
    pub const WARNING: &str = "warning";
    pub const OUTPUT: &str = "output";
    pub const CONTENT: &str = "content";
    pub const VARIABLE: &str = "variable";
    pub const COMMAND_LINE: &str = "argv";
    pub const BOUND: &str = "bound";
    pub const STAND_IN: &str = "stand-in";
    pub const SCENE: &str = "scene";
    pub const ANSWER: &str = "answer";
}

impl Touch {
    /// Reads a touch as it is stored: every pair of texts is one, and [`Self::kind`] and [`Self::detail`] give them back.
    #[must_use]
    pub fn from_stored(kind: &str, detail: String) -> Self {
        let read = match kind {
            kind::CLOCK => return Self::Clock(detail),
            kind::RANDOM => return Self::Random(detail),
            kind::ENVIRONMENT => return Self::Environment(detail),
            kind::WORKING_FOLDER => return Self::WorkingFolder(detail),
            kind::NETWORK => return Self::Network(detail),
            kind::THREAD => return Self::Thread(detail),
            kind::WARNING => return Self::Warning(detail),
            kind::OUTPUT => return Self::Output(detail),
            kind::COMMAND_LINE => return Self::CommandLine(detail.split('\0').map(str::to_owned).collect()),
            kind::BOUND => return Self::Bound(FunctionId(detail)),
            kind::SCENE => return Self::Scene(detail),
            kind::ANSWER => return Self::Answer(detail),
            kind::FILE => Some(Self::File(FileAccess::from_stored(&detail))),
            kind::PROCESS => Some(Self::Process(ProcessStart::from_stored(&detail))),
            kind::CONTENT => {
                detail.split_once('\0').map(|(path, text)| Self::Content { path: path.to_owned(), text: text.to_owned() })
            }
            kind::VARIABLE => {
                detail.split_once('=').map(|(name, value)| Self::Variable { name: name.to_owned(), value: value.to_owned() })
            }
            kind::STAND_IN => Answers::from_stored(&detail).map(Self::StandIn),
            _ => None,
        };
        read.unwrap_or_else(|| Self::Unknown { kind: kind.to_owned(), detail })
    }

    /// Gives the stored word for what it is.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Clock(_) => kind::CLOCK,
            Self::Random(_) => kind::RANDOM,
            Self::Environment(_) => kind::ENVIRONMENT,
            Self::WorkingFolder(_) => kind::WORKING_FOLDER,
            Self::File(_) => kind::FILE,
            Self::Network(_) => kind::NETWORK,
            Self::Process(_) => kind::PROCESS,
            Self::Thread(_) => kind::THREAD,
            Self::Warning(_) => kind::WARNING,
            Self::Output(_) => kind::OUTPUT,
            Self::Content { .. } => kind::CONTENT,
            Self::Variable { .. } => kind::VARIABLE,
            Self::CommandLine(_) => kind::COMMAND_LINE,
            Self::Bound(_) => kind::BOUND,
            Self::StandIn(_) => kind::STAND_IN,
            Self::Scene(_) => kind::SCENE,
            Self::Answer(_) => kind::ANSWER,
            Self::Unknown { kind, .. } => kind,
        }
    }

    /// Gives what exactly it is, as it is stored and shown: a path, an address, a command, a function.
    #[must_use]
    pub fn detail(&self) -> Cow<'_, str> {
        match self {
            Self::Clock(detail)
            | Self::Random(detail)
            | Self::Environment(detail)
            | Self::WorkingFolder(detail)
            | Self::Network(detail)
            | Self::Thread(detail)
            | Self::Warning(detail)
            | Self::Output(detail)
            | Self::Unknown { detail, .. }
            | Self::Scene(detail)
            | Self::Answer(detail)
            | Self::Bound(FunctionId(detail)) => Cow::Borrowed(detail),
            Self::File(access) => Cow::Owned(access.to_string()),
            Self::Process(start) => Cow::Owned(start.to_string()),
            Self::Content { path, text } => Cow::Owned(format!("{path}\0{text}")),
            Self::Variable { name, value } => Cow::Owned(format!("{name}={value}")),
            Self::CommandLine(words) => Cow::Owned(words.join("\0")),
            Self::StandIn(answers) => Cow::Owned(answers.stored()),
        }
    }

    /// Tells whether running the call again could do harm or cannot work: it wrote files, spoke to the network, started
    /// processes, or did what this version does not know.
    #[must_use]
    pub fn forbids_replay(&self) -> bool {
        match self {
            Self::File(access) => access.read().is_none(),
            Self::Network(_) | Self::Process(_) | Self::Unknown { .. } => true,
            Self::Clock(_)
            | Self::Random(_)
            | Self::Environment(_)
            | Self::WorkingFolder(_)
            | Self::Thread(_)
            | Self::Warning(_)
            | Self::Output(_)
            | Self::Content { .. }
            | Self::Variable { .. }
            | Self::CommandLine(_)
            | Self::Bound(_)
            | Self::StandIn(_)
            | Self::Scene(_)
            | Self::Answer(_) => false,
        }
    }

    /// Tells whether the outcome may differ from run to run.
    #[must_use]
    pub fn is_nondeterministic(&self) -> bool {
        matches!(self, Self::Clock(_) | Self::Random(_) | Self::Environment(_) | Self::WorkingFolder(_))
    }
}

impl FileAccess {
    /// Makes the access of a file that is only read.
    #[must_use]
    pub fn reading(path: impl Into<String>) -> Self {
        Self { operation: FileOperation::Read, path: Some(path.into()) }
    }

    /// Gives the file or folder of which only the content was read; `None` for what may have changed something.
    #[must_use]
    pub fn read(&self) -> Option<&str> {
        match self.operation {
            FileOperation::Read | FileOperation::List | FileOperation::Scan => self.path.as_deref(),
            FileOperation::Write | FileOperation::Other(_) => None,
        }
    }

    /// Reads it as it is stored: the operation and, behind a space, the path.
    #[must_use]
    pub fn from_stored(detail: &str) -> Self {
        let (operation, path) = parted(detail);
        let operation = match operation {
            "read" => FileOperation::Read,
            "write" => FileOperation::Write,
            "os.listdir" => FileOperation::List,
            "os.scandir" => FileOperation::Scan,
            other => FileOperation::Other(other.to_owned()),
        };
        Self { operation, path }
    }
}

impl fmt::Display for FileAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = match &self.operation {
            FileOperation::Read => "read",
            FileOperation::Write => "write",
            FileOperation::List => "os.listdir",
            FileOperation::Scan => "os.scandir",
            FileOperation::Other(event) => event,
        };
        joined(f, operation, self.path.as_deref())
    }
}

impl ProcessStart {
    /// Reads it as it is stored: what started the program and, behind a space, the program.
    #[must_use]
    pub fn from_stored(detail: &str) -> Self {
        let (method, program) = parted(detail);
        let method = match method {
            "subprocess.Popen" => StartMethod::Popen,
            "os.system" => StartMethod::System,
            "os.exec" => StartMethod::Exec,
            "os.posix_spawn" => StartMethod::PosixSpawn,
            "os.spawn" => StartMethod::Spawn,
            "multiprocessing.Process" => StartMethod::Multiprocessing,
            "os.fork" => StartMethod::Fork,
            other => StartMethod::Other(other.to_owned()),
        };
        Self { method, program }
    }
}

impl fmt::Display for ProcessStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = match &self.method {
            StartMethod::Popen => "subprocess.Popen",
            StartMethod::System => "os.system",
            StartMethod::Exec => "os.exec",
            StartMethod::PosixSpawn => "os.posix_spawn",
            StartMethod::Spawn => "os.spawn",
            StartMethod::Multiprocessing => "multiprocessing.Process",
            StartMethod::Fork => "os.fork",
            StartMethod::Other(event) => event,
        };
        joined(f, method, self.program.as_deref())
    }
}

/// Parts an audit event from what it is about.
fn parted(detail: &str) -> (&str, Option<String>) {
    match detail.split_once(' ') {
        Some((event, about)) => (event, Some(about.to_owned())),
        None => (detail, None),
    }
}

fn joined(f: &mut fmt::Formatter<'_>, event: &str, about: Option<&str>) -> fmt::Result {
    match about {
        Some(about) => write!(f, "{event} {about}"),
        None => f.write_str(event),
    }
}

/// A touch as databases, journeys and JSON hold it.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    kind: Cow<'a, str>,
    detail: Cow<'a, str>,
}

impl Serialize for Touch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Stored { kind: Cow::Borrowed(self.kind()), detail: self.detail() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Touch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Stored { kind, detail } = Stored::deserialize(deserializer)?;
        Ok(Self::from_stored(&kind, detail.into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KINDS: [&str; 16] = [
        "clock", "random", "env", "cwd", "file", "net", "process", "thread", "warning", "output", "content", "variable", "bound",
        "stand-in", "scene", "answer",
    ];

    fn touch(kind: &str, detail: &str) -> Touch {
        Touch::from_stored(kind, detail.to_owned())
    }

    #[test]
    fn only_what_is_known_to_be_harmless_may_run_again() {
        for (kind, detail) in [
            ("file", "read prices.csv"),
            ("file", "read "),
            ("file", "os.listdir data"),
            ("file", "os.scandir data"),
            ("clock", "time.time"),
            ("output", "builtins.print"),
            ("content", "a.txt\0ada"),
            ("variable", "SHOP=Ada"),
            ("bound", "shop:Money.__lt__"),
            ("stand-in", "rates\0Client.get\0await\x003 7"),
            ("scene", "{}"),
            ("answer", "{}"),
        ] {
            assert!(!touch(kind, detail).forbids_replay(), "{kind} {detail}");
        }
        for (kind, detail) in [
            ("file", "write prices.csv"),
            ("file", "read"),
            ("file", "os.scandir"),
            ("file", "os.remove prices.csv"),
            ("file", "reads prices.csv"),
            ("file", ""),
            ("net", "socket.connect api.pay.test:443"),
            ("process", "os.fork"),
            ("gpu", "launch"),
            ("content", "a.txt"),
            ("variable", "SHOP"),
            ("stand-in", "no\0such"),
            ("", ""),
        ] {
            assert!(touch(kind, detail).forbids_replay(), "{kind} {detail}");
        }
    }

    proptest! {
        #[test]
        fn whatever_was_stored_is_stored_again(
            kind in prop_oneof![prop::sample::select(&KINDS[..]).prop_map(str::to_owned), ".{0,8}"],
            detail in prop_oneof![
                ".{0,20}",
                "(read|write|os\\.listdir|os\\.remove|os\\.system|os\\.fork)( .{0,8})?",
                "[a-z]{0,3}\0[a-z.]{0,3}\0(await)?(\0[0-9 ]{0,4})?",
                "[A-Z]{0,3}=.{0,4}",
            ],
        ) {
            let read = touch(&kind, &detail);
            let stored = read.detail();
            prop_assert_eq!((read.kind(), stored.as_ref()), (kind.as_str(), detail.as_str()));
            let json = serde_json::to_string(&read).unwrap();
            prop_assert_eq!(&json, &serde_json::json!({ "kind": kind, "detail": detail }).to_string());
            prop_assert_eq!(serde_json::from_str::<Touch>(&json).unwrap(), read);
        }
    }
}
