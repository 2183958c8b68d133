//! The process that holds the plugins of one YAML test: started watched over, spoken to in frames, ended with its test.
//!
//! Plugins in a trusted folder are the user's own code and run as the user. A plugin that ends or holds up the process while
//! it is imported is named, and the process is started again without it. What plugins print never reaches the protocol.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::text;
use crate::contain;
use crate::python::interpreter::Interpreter;
use crate::python::package::Package;
use crate::python::protocol::{frame, read_reply};

/// How long the host may take besides the time of a call: to interrupt it, to end it, to write the result.
const GRACE: Duration = Duration::from_secs(4);
/// How long all cleanups may take together.
const CLEANUP: Duration = Duration::from_secs(30);
/// How much of what plugins print is kept of a call: its end.
const PRINTED: usize = 16 << 10;
/// How long output is waited for that was written before a reply.
const SETTLE: Duration = Duration::from_millis(5);

/// What is needed to hold plugins.
#[derive(Debug, Clone)]
pub struct HostSpec {
    /// The project's root, which is the working folder.
    pub root: PathBuf,
    /// Who runs it.
    pub interpreter: Interpreter,
    /// Our package.
    pub package: Package,
    /// The plugin files.
    pub files: Vec<PathBuf>,
    /// Folders that plugins import the project from.
    pub paths: Vec<PathBuf>,
    /// Servers whose tools are offered besides.
    pub servers: Vec<Server>,
    /// How long a plugin may take to be imported.
    pub import: Duration,
}

/// An MCP server to start beside the plugins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Server {
    /// What its tools' names begin with.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
}

/// A plugin that was loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plugin {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Its tools.
    pub tools: Vec<Tool>,
    /// What its other public methods would be called as tools: they are none, for they are not `async`.
    #[serde(default)]
    pub not_async: Vec<String>,
}

/// A tool, as MCP describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its whole name.
    pub name: String,
    /// What it does, in a line.
    pub description: String,
    /// The JSON schema of its arguments.
    #[serde(rename = "inputSchema")]
    pub input_schema: Value,
}

/// A plugin file that is broken, as far as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// The file.
    pub file: String,
    /// Why.
    pub why: String,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// With a result.
    Returned(Value),
    /// The tool raised: the exception in a line, and where.
    Raised(String, Vec<String>),
    /// It took too long, or somebody stopped it.
    Late,
    /// The process is gone.
    Died(String),
}

/// What of the project the plugins used, as far as it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Seen {
    /// Files that were imported, relative to the root.
    pub files: BTreeSet<String>,
    /// Functions that were entered: file and qualified name; `None` where nobody could see them.
    pub entered: Option<BTreeSet<(String, String)>>,
    /// Processes were started, or one ended before it told: what those ran nobody saw.
    pub spawned: bool,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.files.extend(other.files);
        self.entered = match (self.entered.take(), other.entered) {
            (Some(mut all), Some(more)) => {
                all.extend(more);
                Some(all)
            }
            _ => None,
        };
        self.spawned |= other.spawned;
    }
}

/// What an expression came to: true, or why not.
pub type Checked = Result<(), String>;

/// A frame to the host.
#[derive(Serialize)]
struct Ask<'a> {
    id: u64,
    #[serde(flatten)]
    op: Op<'a>,
}

#[derive(Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Op<'a> {
    Load { root: &'a Path, paths: &'a [PathBuf], files: &'a [PathBuf], servers: &'a [Server] },
    Call { tool: &'a str, args: &'a Value, seconds: f64 },
    Check { source: &'a str, names: &'a Map<String, Value>, seconds: f64 },
    Cancel,
    End,
}

/// A frame from the host, whatever to.
#[derive(Deserialize)]
struct Answer {
    id: u64,
    loading: Option<String>,
    #[serde(default)]
    plugins: Vec<Plugin>,
    #[serde(default)]
    broken: Vec<Broken>,
    #[serde(default, deserialize_with = "given")]
    result: Option<Value>,
    error: Option<String>,
    #[serde(default)]
    trace: Vec<String>,
    #[serde(default)]
    late: bool,
    #[serde(default)]
    stubborn: bool,
    value: Option<bool>,
    #[serde(default)]
    shown: String,
    #[serde(default)]
    cleanup: Vec<Uncleaned>,
    used: Option<Seen>,
}

#[derive(Deserialize)]
struct Uncleaned {
    plugin: String,
    error: String,
}

/// `null` is a result.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The plugins of one test.
pub struct PluginHost {
    spec: HostSpec,
    live: Option<Live>,
    plugins: Vec<Plugin>,
    broken: Vec<Broken>,
    notes: Vec<String>,
    seen: Seen,
    number: u64,
}

/// One run of the process.
struct Live {
    child: Child,
    process: u32,
    stdin: ChildStdin,
    stdout: ChildStdout,
    printed: Arc<Mutex<Vec<u8>>>,
}

impl PluginHost {
    /// Starts the process and loads the plugins.
    ///
    /// # Errors
    /// When Python does not start. Plugins that are broken are no error: [`PluginHost::broken`] names them.
    pub async fn start(spec: HostSpec) -> Result<Self, Trouble> {
        let seen = Seen { entered: Some(BTreeSet::new()), ..Seen::default() };
        let mut host = Self { spec, live: None, plugins: Vec::new(), broken: Vec::new(), notes: Vec::new(), seen, number: 0 };
        host.load().await?;
        Ok(host)
    }

    /// Lists the plugins that were loaded.
    #[must_use]
    pub fn plugins(&self) -> &[Plugin] {
        &self.plugins
    }

    /// Lists what is broken.
    #[must_use]
    pub fn broken(&self) -> &[Broken] {
        &self.broken
    }

    async fn load(&mut self) -> Result<(), Trouble> {
        let mut died = Vec::new();
        loop {
            let mut live = Live::start(&self.spec)?;
            self.number += 1;
            let files: Vec<PathBuf> = self
                .spec
                .files
                .iter()
                .filter(|file| !died.iter().any(|one: &Broken| Path::new(&one.file) == **file))
                .cloned()
                .collect();
            let op = Op::Load { root: &self.spec.root, paths: &self.spec.paths, files: &files, servers: &self.spec.servers };
            // Where it cannot be sent, no answer comes either.
            let _ = live.send(&Ask { id: self.number, op }).await;
            let mut current: Option<String> = None;
            let why = loop {
                match tokio::time::timeout(self.spec.import, live.answer()).await {
                    Ok(Some(answer)) if answer.loading.is_some() => current = answer.loading,
                    Ok(Some(answer)) => {
                        self.plugins = answer.plugins;
                        self.broken = died;
                        self.broken.extend(answer.broken);
                        self.live = Some(live);
                        return Ok(());
                    }
                    Ok(None) => break "importing it ends the process".to_owned(),
                    Err(_) => break format!("importing it takes more than {} s", self.spec.import.as_secs()),
                }
            };
            let said = live.last_words().await;
            live.kill().await;
            let Some(file) = current.filter(|file| !died.iter().any(|one| one.file == *file)) else {
                let trouble = Trouble::environment("The process for the plugins did not start.");
                return Err(if said.is_empty() { trouble.because(why) } else { trouble.because(said) });
            };
            died.push(Broken { file, why });
        }
    }

    /// Calls a tool. What it printed comes with the result. Cancelling ends the call at once.
    pub async fn call(&mut self, tool: &str, args: &Value, seconds: f64, cancel: &CancellationToken) -> (Ended, String) {
        if self.live.is_none() {
            match self.load().await {
                Ok(()) => self.notes.push("The plugins were started anew: what they had opened before is gone.".into()),
                Err(trouble) => return (Ended::Died(trouble.to_string()), String::new()),
            }
        }
        self.number += 1;
        let Some(live) = &mut self.live else { return (Ended::Died("The process is gone.".into()), String::new()) };
        live.printed.lock().clear();
        let ask = Ask { id: self.number, op: Op::Call { tool, args, seconds } };
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).saturating_add(GRACE);
        if live.send(&ask).await.is_err() {
            let how = live.died().await;
            self.lose();
            return (Ended::Died(how), String::new());
        }
        let answer = tokio::select! {
            answer = tokio::time::timeout(limit, live.answer_to(self.number)) => answer.map_err(|_| ()),
            () = cancel.cancelled() => {
                let _ = live.send(&Ask { id: self.number, op: Op::Cancel }).await;
                tokio::time::timeout(GRACE, live.answer_to(self.number)).await.map_err(|_| ())
            }
        };
        let printed = live.printed().await;
        let ended = match answer {
            // It does not even answer: nothing of it can be kept.
            Err(()) => {
                live.kill().await;
                self.lose();
                return (Ended::Late, printed);
            }
            Ok(None) => {
                let how = live.died().await;
                self.lose();
                return (Ended::Died(how), printed);
            }
            Ok(Some(Answer { late: true, stubborn, .. })) => {
                if stubborn {
                    let notes = self.finish().await;
                    self.notes.extend(notes);
                }
                Ended::Late
            }
            Ok(Some(Answer { error: Some(error), trace, .. })) => Ended::Raised(error, trace),
            Ok(Some(answer)) => Ended::Returned(answer.result.unwrap_or(Value::Null)),
        };
        (ended, printed)
    }

    /// Evaluates a Python expression over values, in a process of its own with little time and memory.
    ///
    /// # Errors
    /// Says why it is not true: what it compared, or what it raised.
    pub async fn check(&mut self, source: &str, names: &Map<String, Value>, seconds: f64) -> Checked {
        if self.live.is_none() {
            self.load().await.map_err(|trouble| trouble.to_string())?;
        }
        self.number += 1;
        let gone = || "The process that evaluates checks is gone.".to_owned();
        let Some(live) = &mut self.live else { return Err(gone()) };
        let ask = Ask { id: self.number, op: Op::Check { source, names, seconds } };
        live.send(&ask).await.map_err(|()| gone())?;
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).saturating_add(2 * GRACE);
        let answer = tokio::time::timeout(limit, live.answer_to(self.number)).await.ok().flatten().ok_or_else(gone)?;
        match (answer.error, answer.value) {
            (Some(error), _) => Err(error),
            (None, Some(true)) => Ok(()),
            (None, _) if answer.shown.is_empty() => Err("It is not true.".into()),
            (None, _) => Err(answer.shown),
        }
    }

    /// Cleans up and ends the process with everything it started; gives what a person should know, and what was used.
    pub async fn end(mut self) -> (Vec<String>, Seen) {
        let notes = self.finish().await;
        self.notes.extend(notes);
        (std::mem::take(&mut self.notes), std::mem::take(&mut self.seen))
    }

    /// Forgets a process that is gone without having told what it used.
    fn lose(&mut self) {
        self.live = None;
        self.seen.spawned = true;
    }

    async fn finish(&mut self) -> Vec<String> {
        let Some(mut live) = self.live.take() else { return Vec::new() };
        self.number += 1;
        let mut notes = Vec::new();
        if live.send(&Ask { id: self.number, op: Op::End }).await.is_ok() {
            match tokio::time::timeout(CLEANUP, live.answer_to(self.number)).await {
                Ok(Some(answer)) => {
                    match answer.used {
                        Some(used) => self.seen.add(used),
                        None => self.seen.spawned = true,
                    }
                    notes
                        .extend(answer.cleanup.iter().map(|one| format!("The cleanup of {} failed: {}.", one.plugin, one.error)));
                }
                Ok(None) => notes.push("The process of the plugins ended while they were cleaned up.".into()),
                Err(_) => notes.push(format!("The cleanup of the plugins took more than {} s.", CLEANUP.as_secs())),
            }
        }
        live.over().await;
        notes
    }
}

impl Live {
    fn start(spec: &HostSpec) -> Result<Self, Trouble> {
        let failed = |error: std::io::Error| Trouble::environment("The process for the plugins was not started.").because(error);
        let mut command = contain::watched(&spec.interpreter.path, ["-m", "pytead_tui.plugin_host"])?;
        let mut search = vec![spec.package.folder.clone()];
        if let Some(others) = std::env::var_os("PYTHONPATH") {
            search.extend(std::env::split_paths(&others));
        }
        let search = std::env::join_paths(search)
            .map_err(|error| Trouble::environment("Python cannot be started with this folder.").because(error))?;
        // Not in the project: what lies there must not stand for our own modules.
        command.env("PYTHONPATH", search).current_dir(&spec.package.folder);
        let mut child = tokio::process::Command::from(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(process), Some(stdin), Some(stdout), Some(mut stderr)) =
            (child.id(), child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Trouble::internal("The process for the plugins was started without pipes."));
        };
        let printed = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&printed);
        tokio::spawn(async move {
            let mut buffer = vec![0; 8192];
            while let Ok(got @ 1..) = stderr.read(&mut buffer).await {
                let mut kept = kept.lock();
                kept.extend_from_slice(&buffer[..got]);
                let over = kept.len().saturating_sub(PRINTED);
                kept.drain(..over);
            }
        });
        Ok(Self { child, process, stdin, stdout, printed })
    }

    async fn send(&mut self, ask: &Ask<'_>) -> Result<(), ()> {
        let frame = frame(ask).ok_or(())?;
        self.stdin.write_all(&frame).await.map_err(|_| ())?;
        self.stdin.flush().await.map_err(|_| ())
    }

    async fn answer(&mut self) -> Option<Answer> {
        read_reply(&mut self.stdout).await.ok()
    }

    /// Waits for the answer to a request; late ones to others are passed over.
    async fn answer_to(&mut self, number: u64) -> Option<Answer> {
        loop {
            let answer = self.answer().await?;
            if answer.id == number && answer.loading.is_none() {
                return Some(answer);
            }
        }
    }

    /// Takes what was printed since the last time.
    async fn printed(&self) -> String {
        tokio::time::sleep(SETTLE).await;
        let printed = std::mem::take(&mut *self.printed.lock());
        text::display(&String::from_utf8_lossy(&printed)).into_owned()
    }

    async fn last_words(&self) -> String {
        let printed = self.printed().await;
        printed.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
    }

    /// Says how a process ended that nobody ended.
    async fn died(&mut self) -> String {
        let said = self.last_words().await;
        let code =
            tokio::time::timeout(GRACE, self.child.wait()).await.ok().and_then(Result::ok).and_then(|status| status.code());
        let how = match code {
            Some(code @ 128..) => format!("the process of the tools was ended by signal {}", code - 128),
            Some(code) => format!("the tool ended its process with {code}"),
            None => "the process of the tools is gone".to_owned(),
        };
        if said.is_empty() { how } else { format!("{how}: {said}") }
    }

    /// Ends the process, and what it started, at once.
    async fn kill(&mut self) {
        contain::stop(self.process);
        // What is asked twice does not wait for an end in order.
        let mut asked = 0;
        while asked < 100 && tokio::time::timeout(Duration::from_millis(100), self.child.wait()).await.is_err() {
            contain::stop(self.process);
            asked += 1;
        }
    }

    /// Waits for a process that said it is done.
    async fn over(&mut self) {
        if tokio::time::timeout(GRACE, self.child.wait()).await.is_err() {
            self.kill().await;
        }
    }
}

impl Drop for PluginHost {
    fn drop(&mut self) {
        if let Some(live) = &self.live {
            contain::stop(live.process);
        }
    }
}
