//! `pytead-tui agent init` and `agent remove`: the entries of a coding agent's own files, shown before they are written.

use std::path::Path;

use crate::base::error::Trouble;
use crate::base::{paths, text};
use crate::cli::args::{AgentAction, AgentName, Global};
use crate::cli::exit::{OK, WRONG};
use crate::cli::output::Output;
use crate::cli::start::{root_of, somebody_is_there, trust_of};
use crate::cli::{ask, show};
use crate::domain::agent::Agent;
use crate::domain::decision::FileEdit;
use crate::engine::{agents, require_trust};

/// Sets an agent up, or takes it out.
pub async fn agent(global: &Global, action: AgentAction) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let root = root_of(global, None)?;
    match action {
        AgentAction::Init { agent, yes, command } => {
            // Nothing is written into a folder before a person trusts it; the agent would be told nothing there.
            require_trust(&root, trust_of(global, &root)?)?;
            let agent = known(agent);
            let edits = agents::setup::setup(&root, agent, &command_of(command)?)?;
            if !agreed(global, &mut out, &edits, yes, "Write this?").await? {
                return Ok(WRONG);
            }
            agents::setup::write(&root, &edits)?;
            out.result("agent", &serde_json::json!({ "agent": agent, "files": names(&edits) }));
            out.say(match edits.len() {
                0 => format!("{} is set up here already.", agent.name()),
                _ => format!("{} is set up here. pytead-tui agent remove takes it out again.", agent.name()),
            });
            agent.asks().into_iter().for_each(|asks| out.say(asks));
        }
        AgentAction::Remove { agent, yes } => {
            let agents = agent.map_or_else(|| Agent::ALL.to_vec(), |agent| vec![known(agent)]);
            let edits = agents::setup::removal(&root, &agents)?;
            if !agreed(global, &mut out, &edits, yes, "Take this out?").await? {
                return Ok(WRONG);
            }
            agents::setup::take_out(&root, &edits, &agents)?;
            out.result("removed", &names(&edits));
            out.say(if edits.is_empty() { "No agent is set up here." } else { "Taken out." });
        }
    }
    Ok(OK)
}

fn known(name: AgentName) -> Agent {
    match name {
        AgentName::Claude => Agent::Claude,
        AgentName::Cursor => Agent::Cursor,
        AgentName::Codex => Agent::Codex,
    }
}

fn names(edits: &[FileEdit]) -> Vec<&str> {
    edits.iter().map(|edit| edit.path.as_str()).collect()
}

/// Shows what would be written and asks; `--yes` has said it ahead.
async fn agreed(global: &Global, out: &mut Output, edits: &[FileEdit], yes: bool, question: &str) -> Result<bool, Trouble> {
    for edit in edits {
        out.result("edit", edit);
        out.say(show::diff(edit));
    }
    if yes || edits.is_empty() {
        return Ok(true);
    }
    if !somebody_is_there(global) {
        return Err(Trouble::usage("Nothing was written: nobody is there to ask.").so("Add --yes to write what is shown."));
    }
    loop {
        match ask::ask(&format!("{question}\ny yes   n no > ")).await?.as_deref() {
            Some("y") => return Ok(true),
            None | Some("n") => return Ok(false),
            Some(_) => {}
        }
    }
}

/// Gives what starts this program: as typed, by its name where a shell finds it, else by its path.
fn command_of(typed: Option<String>) -> Result<Vec<String>, Trouble> {
    if let Some(typed) = typed {
        return shlex::split(&typed)
            .filter(|words| !words.is_empty())
            .ok_or_else(|| Trouble::usage(format!("{} is no command.", text::display_line(&typed))));
    }
    const NAME: &str = "pytead-tui";
    let unknown = |error: std::io::Error| Trouble::environment("The path of this program is not known.").because(error);
    let own = std::env::current_exe().and_then(|path| path.canonicalize()).map_err(unknown)?;
    let found = paths::find_program(NAME, std::env::var_os("PATH"), Path::new("/")).and_then(|path| path.canonicalize().ok());
    if found.as_ref() == Some(&own) {
        return Ok(vec![NAME.to_owned()]);
    }
    let path =
        own.to_str().ok_or_else(|| Trouble::usage("The path of this program is not UTF-8.").so("Name it with --command."))?;
    Ok(vec![path.to_owned()])
}
