//! Which verbs are a person's: those that decide, trust a folder, or take an agent's own entries out again. Typed in the
//! shell of a coding agent they are refused. A rail, not a wall: whoever may run any command can also change its
//! environment; what an agent wrote stays marked, and every decision is in the log.

use crate::base::error::Trouble;
use crate::cli::args::{Check, Gen, Review, Tead, Trust, Verb};

/// Variables that coding agents set for the commands they run.
const AGENTS: &[(&str, &str)] = &[
    ("CLAUDECODE", "Claude Code"),
    ("CURSOR_AGENT", "Cursor"),
    ("CODEX_SANDBOX", "Codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
    ("CODEX_THREAD_ID", "Codex"),
    ("GEMINI_CLI", "Gemini CLI"),
    ("OPENCODE", "OpenCode"),
    ("AI_AGENT", "a coding agent"),
];

/// Refuses a verb that decides where a coding agent typed it.
///
/// # Errors
/// Fails with the variable that says so.
pub fn required(verb: Option<&Verb>, variable: impl Fn(&str) -> bool) -> Result<(), Trouble> {
    let decides = match verb {
        Some(Verb::Review(Review { list: false, .. }) | Verb::Agent(_)) => true,
        Some(Verb::Gen(Gen { accept, .. }) | Verb::Tead(Tead { accept, .. })) => *accept,
        Some(Verb::Check(Check { accept, overrule, .. })) => *accept || !overrule.is_empty(),
        Some(Verb::Trust(Trust { list, .. })) => !*list,
        _ => false,
    };
    match AGENTS.iter().find(|(name, _)| decides && variable(name)) {
        None => Ok(()),
        Some((name, agent)) => {
            Err(Trouble::usage(format!("Decisions are a person's, and {name} says that {agent} runs this command."))
                .so("Leave it to the person: what waits is in pytead-tui, and in `pytead-tui review` in a shell of their own."))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn what_decides_is_refused_to_agents_and_what_shows_is_not() {
        let refused = |line: &str, set: &str| {
            let cli = Cli::try_parse_from(line.split(' ')).ok();
            cli.is_some_and(|cli| required(cli.verb.as_ref(), |name| name == set).is_err())
        };
        for line in [
            "pytead-tui review",
            "pytead-tui review --accept 3",
            "pytead-tui review --undo",
            "pytead-tui gen --accept",
            "pytead-tui tead --accept main.py",
            "pytead-tui check --accept tests/test_x.py::test_y",
            "pytead-tui check --override tests/test_x.py::test_y --reason because",
            "pytead-tui trust",
            "pytead-tui trust --remove",
            "pytead-tui agent remove --yes",
        ] {
            assert!(refused(line, "CLAUDECODE") && refused(line, "CODEX_SANDBOX"), "{line}");
            assert!(!refused(line, "EDITOR"), "{line} is anybody's");
        }
        for line in
            ["pytead-tui diff", "pytead-tui review --list", "pytead-tui gen --check", "pytead-tui trust --list", "pytead-tui mcp"]
        {
            assert!(!refused(line, "CLAUDECODE"), "{line} only shows");
        }
    }
}
