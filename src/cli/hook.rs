//! `pytead-tui diff --hook`: what a coding agent is told when it stops. It is told once, in the form its hook wants;
//! whatever goes wrong here lets it stop.

use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::Global;
use crate::cli::exit::OK;
use crate::cli::output;
use crate::cli::start::{options, root_of};
use crate::config::project;
use crate::domain::diff::Diff;
use crate::engine;
use crate::engine::handle::diff_report;

/// The comparison ends before the agent loses its patience.
const LIMIT: Duration = Duration::from_secs(100);
/// What an agent says about its stop is short.
const INPUT_MAX: u64 = 1 << 20;
/// Characters of the evidence; with the words around it no more than 2,000 tokens.
const EVIDENCE_MAX: usize = 5_400;

/// What an agent says when it stops; each agent says a part of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stop {
    /// Its session; Cursor says a conversation.
    #[serde(alias = "conversation_id")]
    session_id: Option<String>,
    /// It was told already, and stops again.
    stop_hook_active: bool,
    /// Cursor: how often it was told in this turn. Others do not say it.
    loop_count: Option<u64>,
    /// Cursor: how its turn ended.
    status: Option<String>,
    /// Where it works.
    cwd: Option<PathBuf>,
    /// Cursor: where it works.
    workspace_roots: Vec<PathBuf>,
}

impl Stop {
    /// Reads what the agent says; what cannot be read says nothing.
    fn read(text: &str) -> Self {
        serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default()
    }

    fn is_cursor(&self) -> bool {
        self.loop_count.is_some() || !self.workspace_roots.is_empty()
    }

    /// Tells whether nothing may be said now: it was told in this turn, or a person broke it off.
    fn must_stop(&self) -> bool {
        self.stop_hook_active
            || self.loop_count.is_some_and(|count| count > 0)
            || self.status.as_deref().is_some_and(|status| status != "completed")
    }

    /// Writes the answer that gives the agent something to do. Values of the program stand in the text: a character that a
    /// person cannot see gives no orders.
    fn with_work(&self, text: &str) -> String {
        let text = text::display(text);
        let answer =
            if self.is_cursor() { json!({ "followup_message": text }) } else { json!({ "decision": "block", "reason": text }) };
        answer.to_string()
    }
}

/// Answers on standard output; always ends well, for any other end could be taken for a verdict.
pub async fn hook(global: &Global, reference: &str) -> u8 {
    let stop = Stop::read(&input().await);
    let news = if stop.must_stop() { Ok(None) } else { news(global, reference, &stop).await };
    let answer = match news {
        Ok(Some(diff)) => stop.with_work(&message(&diff)),
        Ok(None) => "{}".into(),
        Err(trouble) => {
            output::complain(&trouble);
            "{}".into()
        }
    };
    output::raw(&format!("{answer}\n"));
    OK
}

async fn input() -> String {
    let read = tokio::task::spawn_blocking(|| {
        let mut bytes = Vec::new();
        // What was read until an error is all there is.
        let _ = std::io::stdin().lock().take(INPUT_MAX).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    read.await.unwrap_or_default()
}

async fn news(global: &Global, reference: &str, stop: &Stop) -> Result<Option<Diff>, Trouble> {
    let root = match root(global, stop) {
        Some(root) => root,
        None => root_of(global, None)?,
    };
    let options = options(global, root, false)?;
    engine::require_trust(&options.root, options.trust)?;
    let handle = engine::open(options).await?;
    let late = || {
        Trouble::environment("The agent got no report of what its edits do.")
            .because(format!("It took more than {} s.", LIMIT.as_secs()))
            .so("pytead-tui diff shows it.")
    };
    let news = tokio::time::timeout(LIMIT, handle.unexplained(reference, stop.session_id.as_deref().unwrap_or_default()))
        .await
        .unwrap_or_else(|_| Err(late()));
    handle.close().await;
    news
}

/// Finds the project the agent works on; without a word from it, it is the one of the current folder.
fn root(global: &Global, stop: &Stop) -> Option<PathBuf> {
    if global.root.is_some() {
        return None;
    }
    let named = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let said = named.iter().chain(stop.workspace_roots.first()).chain(&stop.cwd);
    said.filter(|folder| folder.is_absolute())
        .find_map(|folder| folder.canonicalize().ok())
        .map(|folder| project::find_root(&folder))
}

fn message(diff: &Diff) -> String {
    let differs = if diff.is_silent() {
        ""
    } else {
        "Recorded calls of this program end differently after the edits, or cannot run any more, and nobody has accepted that. \
         Where it is a mistake, put it right. Where it is meant, say why with explain_change of the pytead-tui server, or in \
         your answer. "
    };
    let uncompared = if diff.edits.not_compared().next().is_none() {
        ""
    } else {
        "No recorded call tells what some of the edits do: they are listed with the reason. Run the test or command that is \
         named there, or say in your answer how you checked them. "
    };
    let beside = if diff.near.as_ref().is_none_or(|near| near.differences.is_empty()) {
        ""
    } else {
        "All recorded calls of an edited function end as before, and an input near them does not (near: …). Nobody recorded that \
         input: say in your answer whether the difference is meant. "
    };
    format!(
        "{differs}{uncompared}{beside}This is reported once. A person decides what stays.\n\n{}",
        diff_report::agent(diff, EVIDENCE_MAX)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_is_answered_in_its_own_form() {
        let claude = Stop::read(r#"{"session_id":"s","hook_event_name":"Stop","stop_hook_active":false,"cwd":"/x"}"#);
        assert_eq!(claude.with_work("t"), r#"{"decision":"block","reason":"t"}"#);
        let cursor = Stop::read("\u{feff}{\"status\":\"completed\",\"loop_count\":0,\"workspace_roots\":[\"/x\"]}");
        assert_eq!(cursor.with_work("t"), r#"{"followup_message":"t"}"#);
        assert!(!claude.must_stop() && !cursor.must_stop());
    }

    #[test]
    fn what_nobody_sees_is_escaped_for_an_agent() {
        let claude = Stop::read(r#"{"session_id":"s","hook_event_name":"Stop"}"#);
        let cursor = Stop::read(r#"{"status":"completed","loop_count":0}"#);
        for hidden in ['\u{e0041}', '\u{202e}', '\u{200b}', '\u{9b}', '\u{1b}', '\u{2028}'] {
            for stop in [&claude, &cursor] {
                let answer: serde_json::Value = serde_json::from_str(&stop.with_work(&format!("a{hidden}b\nc"))).unwrap();
                let text = answer["reason"].as_str().or(answer["followup_message"].as_str()).unwrap();
                assert!(!text.contains(hidden) && text.contains("b\nc"), "{text:?}");
            }
        }
    }

    #[test]
    fn an_agent_that_was_told_or_broken_off_may_stop() {
        for text in [r#"{"stop_hook_active":true}"#, r#"{"loop_count":1}"#, r#"{"status":"aborted","loop_count":0}"#] {
            assert!(Stop::read(text).must_stop(), "{text}");
        }
        assert!(!Stop::read("no json").must_stop(), "an agent that says nothing is told");
    }
}
