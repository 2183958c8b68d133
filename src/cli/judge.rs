//! `pytead-tui __judge`: answers pytest's plugin, a JSON line for each, until nobody asks any more. Not for people.

use std::io::Write;

use serde::{Deserialize, Serialize};

use crate::base::error::Trouble;
use crate::cli::args::{Global, Judge as Args};
use crate::cli::exit::OK;
use crate::cli::start::{consent_of, root_of, settings, trust_of};
use crate::domain::verdict::{Asked, Verdict};
use crate::engine::checks::intents::judge::Judge;
use crate::engine::checks::intents::request::Request;
use crate::engine::checks::llm::budget::Run;

/// What the plugin and this binary have to agree on.
pub const PROTOCOL: u32 = 4;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ask {
    Judge(Request),
    /// Names of tests may hold secrets: their parameters are in them.
    Conceal(Vec<String>),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Ready {
        version: &'static str,
        protocol: u32,
        model: Option<String>,
    },
    /// A model is asked now, which takes its time.
    Asking(Asked),
    Verdict(Box<Verdict>),
    Concealed(Vec<String>),
    Error(String),
}

/// Serves on standard input and output.
pub async fn judge(global: &Global, args: Args) -> Result<u8, Trouble> {
    let root = root_of(global, None)?;
    // Wrong settings are for the verbs that people type; a test is judged by what is right of them.
    let mut settings = settings(global, &root, trust_of(global, &root)?).map(|loaded| loaded.settings).unwrap_or_default();
    settings.judge.model = args.model.or(settings.judge.model);
    let run = Run { processes: args.processes, session: args.session };
    let judge = Judge::open(&root, &settings, &consent_of(&root)?, &run);
    let model = judge.announcement();
    if !say(&Answer::Ready { version: env!("CARGO_PKG_VERSION"), protocol: PROTOCOL, model }) {
        return Ok(OK);
    }
    for line in std::io::stdin().lines() {
        let Ok(line) = line else { break };
        let answer = match serde_json::from_str(&line) {
            Ok(Ask::Judge(request)) => {
                let mut tell = |asked: &Asked| {
                    say(&Answer::Asking(asked.clone()));
                };
                Answer::Verdict(Box::new(judge.judge(&request, &mut tell).await))
            }
            Ok(Ask::Conceal(names)) => Answer::Concealed(judge.conceal(names)),
            Err(error) => Answer::Error(format!("The judge did not understand pytest's plugin: {error}.")),
        };
        if !say(&answer) {
            break;
        }
    }
    Ok(OK)
}

fn say(answer: &Answer) -> bool {
    let line = serde_json::to_string(answer).unwrap_or_default();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).is_ok()
}
