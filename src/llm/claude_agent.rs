//! Claude Code as an agent that is given tools over MCP, and none of its own. What it does with them is seen where the tools
//! are, not here: of its stream only the end counts.

use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::llm::claude_code::{ClaudeCode, Line, PROGRAM};
use crate::llm::program::{Program, shown};
use crate::llm::provider::ModelError;

/// Milliseconds that it waits for the server of the tools.
const CONNECTING: &str = "60000";

/// What it is asked to do.
#[derive(Debug, Clone, Copy)]
pub struct Errand<'a> {
    /// The rules.
    pub system: &'a str,
    /// What to do.
    pub prompt: &'a str,
    /// The file that names the one MCP server.
    pub servers: &'a Path,
    /// What it may use, as it names tools: `mcp__server__tool`.
    pub tools: &'a [String],
    /// The folder it is started in.
    pub folder: &'a Path,
    /// How long it may take.
    pub limit: Duration,
}

impl ClaudeCode {
    /// Lets it do something, and gives what it says in the end. Dropping the future ends it with all it started.
    ///
    /// # Errors
    /// When it may not be asked, does not start, breaks, says nothing, or has had its time.
    pub async fn errand(&self, errand: Errand<'_>, cancel: &CancellationToken) -> Result<String, ModelError> {
        let shared = &self.shared;
        if !shared.route.is_allowed() {
            return Err(ModelError::NotAllowed { host: shared.host() });
        }
        let mut command = tokio::process::Command::new(shared.words.first().map_or(PROGRAM, String::as_str));
        command
            .args(shared.words.iter().skip(1))
            .args(["-p", "--output-format", "stream-json", "--verbose"])
            .args(["--setting-sources", "", "--strict-mcp-config", "--tools", "", "--no-session-persistence"])
            .args(["--system-prompt", errand.system])
            .arg("--mcp-config")
            .arg(errand.servers)
            .args(["--allowedTools", &errand.tools.join(",")])
            .current_dir(errand.folder)
            // It would begin without the tools where their server is not there at once.
            .env("MCP_CONNECTION_NONBLOCKING", "0")
            .env("MCP_CONNECT_TIMEOUT_MS", CONNECTING)
            .env("MCP_TIMEOUT", CONNECTING)
            .env("MCP_TOOL_TIMEOUT", errand.limit.as_millis().to_string())
            // It refuses to run inside of itself, which this is not.
            .env_remove("CLAUDECODE");
        if !shared.model.is_empty() {
            command.args(["--model", &shared.model]);
        }
        let mut program = Program::start(command, errand.prompt.to_owned()).map_err(|error| {
            let why = format!("{} does not start: {error}.", shown(shared.words.first().map_or("", String::as_str)));
            shared.unavailable(&why, "Install Claude Code, or name its program in command under providers.")
        })?;
        let until = Instant::now() + errand.limit;
        loop {
            let line = tokio::select! {
                line = timeout_at(until, program.line()) => line,
                () = cancel.cancelled() => return Err(ModelError::Cancelled),
            };
            let late = |_| ModelError::NoAnswer { host: shared.host(), seconds: errand.limit.as_secs() };
            let Some(line) = line.map_err(late)? else {
                let todo = "Run claude once by hand: it may ask for a login.";
                return Err(shared.unavailable(&format!("{}.", program.gone().await), todo));
            };
            let strange = |why: String| ModelError::Strange { host: shared.host(), why: shown(&why) };
            let line = line.map_err(|()| strange("a line is too long".into()))?;
            let event = serde_json::from_slice(&line).map_err(|error| strange(format!("a line is no event: {error}")))?;
            if let Line::Result(outcome) = event {
                let text = outcome.result.clone().unwrap_or_default();
                shared.broke(&outcome)?;
                return Ok(text);
            }
        }
    }
}
