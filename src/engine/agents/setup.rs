//! Setting up a coding agent in a project: the server and the stop hook in the agent's own files, and out of them again
//! without a trace.
//!
//! What the files were before is kept in the user's state folder, so that a file nobody else touched becomes again what
//! it was, byte for byte.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::base::error::Trouble;
use crate::base::hash;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::config::places::Places;
use crate::domain::agent::Agent;
use crate::domain::decision::FileEdit;
use crate::write::apply::{self, WriteError};
use crate::write::entries::{self, EntryError};

/// The name of the server in the agents' files.
const SERVER: &str = "pytead-tui";
/// What every command of ours for a hook ends with.
const HOOK: &str = "diff --hook";
/// Seconds an agent waits for the hook; the hook itself ends before.
const SECONDS: u32 = 120;
/// Settings files larger than this are nobody's.
const SIZE_MAX: u64 = 256 << 10;

/// Plans what sets an agent up; nothing where it is set up already. `command` starts this program: `uvx pytead-tui`.
///
/// # Errors
/// Fails when a file cannot be read, or is no settings file of the agent.
pub fn setup(root: &Path, agent: Agent, command: &[String]) -> Result<Vec<FileEdit>, Trouble> {
    let Some((program, rest)) = command.split_first() else { return Err(Trouble::usage("No command was given.")) };
    let mut args = rest.to_vec();
    args.push("mcp".into());
    let hook = shlex::try_join(command.iter().map(String::as_str).chain(HOOK.split(' ')))
        .map_err(|error| Trouble::usage("The command cannot be written.").because(format!("{error}.")))?;
    let servers = edit(root, agent.servers(), |text| match agent {
        Agent::Codex => entries::set_toml(text, ("mcp_servers", SERVER), program, &args),
        Agent::Claude | Agent::Cursor => {
            entries::set_json(text, &["mcpServers", SERVER], &json!({ "command": program, "args": args }))
        }
    })?;
    let hooks = edit(root, agent.hooks(), |text| match agent {
        Agent::Cursor => {
            let text = if has_version(text) { text.to_owned() } else { entries::set_json(text, &["version"], &json!(1))? };
            entries::add_json(&text, &["hooks", "stop"], &json!({ "command": hook, "timeout": SECONDS }), is_our_hook)
        }
        Agent::Claude | Agent::Codex => {
            let entry = json!({ "hooks": [{ "type": "command", "command": hook, "timeout": SECONDS }] });
            entries::add_json(text, &["hooks", "Stop"], &entry, is_our_hook)
        }
    })?;
    Ok([servers, hooks].into_iter().flatten().collect())
}

/// Plans what takes the agents' entries out again.
///
/// # Errors
/// Fails when a file cannot be read, or is no settings file of the agent.
pub fn removal(root: &Path, agents: &[Agent]) -> Result<Vec<FileEdit>, Trouble> {
    let kept = Kept::read(root)?;
    let mut edits = Vec::new();
    for agent in agents {
        for file in [agent.servers(), agent.hooks()] {
            let Some(now) = content(root, file)? else { continue };
            let after = match kept.files.get(file).filter(|kept| kept.after == now) {
                Some(kept) => kept.before.clone(),
                None => without(*agent, file, &now)?,
            };
            if after.as_ref() != Some(&now) {
                edits.push(FileEdit { path: below(file)?, before: Some(now), after });
            }
        }
    }
    Ok(edits)
}

/// Writes what [`setup`] planned, and keeps what was there before.
///
/// # Errors
/// Fails, with every file as it was, when one of them changed since or cannot be written.
pub fn write(root: &Path, edits: &[FileEdit]) -> Result<(), Trouble> {
    let mut kept = Kept::read(root)?;
    for edit in edits {
        let Some(after) = edit.after.clone() else { continue };
        let name = edit.path.as_str();
        // What we wrote ourselves and nobody touched since is no original.
        let before = match kept.files.get(name).filter(|old| Some(&old.after) == edit.before.as_ref()) {
            Some(old) => old.before.clone(),
            None => edit.before.clone(),
        };
        if let Some((folder, _)) = name.rsplit_once('/')
            && !root.join(folder).exists()
        {
            kept.folders.push(folder.to_owned());
        }
        kept.files.insert(name.to_owned(), File { before, after });
    }
    // First the note: files that are written and not remembered could not be put back.
    kept.write()?;
    apply::apply(root, edits).map_err(not_written)
}

/// Writes what [`removal`] planned, and takes out the folders that were made for it and are empty now.
///
/// # Errors
/// Fails, with every file as it was, when one of them changed since or cannot be written.
pub fn take_out(root: &Path, edits: &[FileEdit], agents: &[Agent]) -> Result<(), Trouble> {
    apply::apply(root, edits).map_err(not_written)?;
    let mut kept = Kept::read(root)?;
    for agent in agents {
        kept.files.remove(agent.servers());
        kept.files.remove(agent.hooks());
    }
    // A folder that is not empty is somebody else's by now.
    kept.folders.retain(|folder| RelPath::new(folder).is_some_and(|folder| !apply::remove_empty_folder(root, &folder)));
    if kept.files.is_empty() { kept.forget() } else { kept.write() }
}

fn not_written(error: WriteError) -> Trouble {
    Trouble::environment("Nothing was written.").because(format!("{error}."))
}

/// Plans the change of one file; nothing where it stays as it is.
fn edit(root: &Path, file: &str, change: impl Fn(&str) -> Result<String, EntryError>) -> Result<Option<FileEdit>, Trouble> {
    let before = content(root, file)?;
    let after = change(before.as_deref().unwrap_or_default()).map_err(|error| unusable(file, &error))?;
    Ok((before.as_ref() != Some(&after)).then_some(FileEdit { path: below(file)?, before, after: Some(after) }))
}

/// Gives a file without our entries; nothing where nothing else is in it.
fn without(agent: Agent, file: &str, text: &str) -> Result<Option<String>, Trouble> {
    let rest = match agent {
        Agent::Codex if file == agent.servers() => entries::unset_toml(text, ("mcp_servers", SERVER)),
        _ if file == agent.servers() => entries::unset_json(text, &["mcpServers", SERVER]),
        Agent::Cursor => entries::remove_json(text, &["hooks", "stop"], is_our_hook),
        Agent::Claude | Agent::Codex => entries::remove_json(text, &["hooks", "Stop"], is_our_hook),
    }
    .map_err(|error| unusable(file, &error))?;
    if rest == text {
        return Ok(Some(rest));
    }
    let nothing = match entries::read_json(&rest) {
        Some(Value::Object(entries)) => entries.keys().all(|name| name == "version"),
        _ => rest.trim().is_empty(),
    };
    Ok((!nothing || rest.contains("//")).then_some(rest))
}

/// Tells an entry of ours from those of others by the command in it.
fn is_our_hook(entry: &Value) -> bool {
    match entry {
        Value::Object(fields) => {
            let command = fields.get("command").and_then(Value::as_str).unwrap_or_default();
            (command.contains("pytead-tui") && command.ends_with(HOOK))
                || fields.get("hooks").and_then(Value::as_array).is_some_and(|hooks| hooks.len() == 1 && is_our_hook(&hooks[0]))
        }
        _ => false,
    }
}

fn has_version(text: &str) -> bool {
    entries::read_json(text).is_some_and(|value| value.get("version").is_some())
}

fn content(root: &Path, file: &str) -> Result<Option<String>, Trouble> {
    let path = root.join(file);
    let unreadable = |why: String| Trouble::environment(format!("{file} cannot be read.")).because(why);
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(format!("{error}."))),
        Ok(meta) if !meta.is_file() || meta.len() > SIZE_MAX => {
            return Err(unreadable("It is no ordinary file, or too large.".into()));
        }
        Ok(_) => {}
    }
    std::fs::read_to_string(&path).map(Some).map_err(|error| unreadable(format!("{error}.")))
}

fn below(file: &str) -> Result<RelPath, Trouble> {
    RelPath::new(file).ok_or_else(|| Trouble::internal(format!("{file} is no path of the project.")))
}

fn unusable(file: &str, error: &EntryError) -> Trouble {
    Trouble::usage(format!("{file} is left as it is."))
        .because(text::display_line(&error.to_string()).into_owned())
        .so("Put it right, then try again.")
}

/// What the files of a project were before.
#[derive(Default, Serialize, Deserialize)]
struct Kept {
    files: BTreeMap<String, File>,
    /// Folders that were made.
    folders: Vec<String>,
    #[serde(skip)]
    place: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct File {
    before: Option<String>,
    after: String,
}

impl Kept {
    fn read(root: &Path) -> Result<Self, Trouble> {
        let name = format!("{}.json", hash::of(root.as_os_str().as_encoded_bytes()));
        let place = Places::find()?.state.join("agents").join(name);
        let kept: Self = std::fs::read(&place).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Ok(Self { place, ..kept })
    }

    fn write(&self) -> Result<(), Trouble> {
        let folder = self.place.parent().unwrap_or(&self.place);
        Places::ensure(folder)?;
        let failed = |error: std::io::Error| {
            Trouble::environment("What the files were before could not be kept, so nothing was written.")
                .because(format!("{error}."))
        };
        let beside = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        serde_json::to_writer(&beside, self).map_err(|error| failed(error.into()))?;
        beside.persist(&self.place).map_err(|error| failed(error.error))?;
        Ok(())
    }

    fn forget(&self) -> Result<(), Trouble> {
        match std::fs::remove_file(&self.place) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Trouble::environment("The note of what was written could not be removed.").because(format!("{error}.")))
            }
            _ => Ok(()),
        }
    }
}
