//! `pytead-tui __judge`: answers pytest's plugin, a JSON line for each, until nobody asks any more. Not for people.

use std::io::{BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::base::error::Trouble;
use crate::cli::args::Global;
use crate::cli::{OK, root_of, settings, trust_of};
use crate::domain::verdict::Verdict;
use crate::engine::intents::{Judge, Request};

/// What the plugin and this binary have to agree on.
const PROTOCOL: u32 = 1;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ask {
    Judge(Request),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Ready { version: &'static str, protocol: u32 },
    Verdict(Verdict),
    Error(String),
}

/// Serves on standard input and output.
pub fn judge(global: &Global) -> Result<u8, Trouble> {
    let root = root_of(global, None)?;
    let mut out = std::io::stdout().lock();
    let mut say = |answer: &Answer| {
        let line = serde_json::to_string(answer).unwrap_or_default();
        writeln!(out, "{line}").and_then(|()| out.flush()).is_ok()
    };
    if !say(&Answer::Ready { version: env!("CARGO_PKG_VERSION"), protocol: PROTOCOL }) {
        return Ok(OK);
    }
    // Wrong settings are for the verbs that people type; a test is judged without them.
    let exclude = settings(global, &root, trust_of(global, &root)?).map(|loaded| loaded.settings.record.exclude);
    let judge = Judge::open(&root, &exclude.unwrap_or_default());
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let answer = match serde_json::from_str(&line) {
            Ok(Ask::Judge(request)) => Answer::Verdict(judge.judge(&request)),
            Err(error) => Answer::Error(format!("The judge did not understand pytest's plugin: {error}.")),
        };
        if !say(&answer) {
            break;
        }
    }
    Ok(OK)
}
