//! Tests with intents run once more under the recorder, and judged: what `check` does, for the workbench.
//!
//! Their verdicts come as those of every run do, by `leaving.rs`. The tests run as the user, like the command `check`.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::task::JoinHandle;

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::event::{Event, Level};
use crate::domain::settings::WatchJudge;
use crate::domain::snapshot::Trust;
use crate::engine::core::Core;
use crate::engine::{Done, blocking, intent_runs, leaving, require_trust, verdicts};

/// The kind of the job a person asked for, and of the one that a save did.
const JOB: &str = "check";
const AFTER_SAVE: &str = "judge";
/// How often what was left is taken in while the tests run.
const EVERY: Duration = Duration::from_millis(100);
/// How long the last words of pytest are waited for, once it ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Lines of pytest's output that are kept to say what went wrong.
const KEPT: usize = 30;

/// Runs these tests, or all that were judged before, and judges them; the newest request for the same tests wins.
pub async fn judge(core: &Arc<Core>, tests: Vec<String>) -> Result<Done, Trouble> {
    run(core, JOB, tests).await
}

/// After a save: runs the tests whose verdicts are stale by it. A newer save ends the run and begins it anew, with its own.
pub async fn after_save(core: &Arc<Core>) {
    if core.settings.watch.judge == WatchJudge::Off || core.trust() != Trust::Trusted {
        return;
    }
    core.jobs.supersede(AFTER_SAVE, None);
    let _one = core.rejudging.lock().await;
    let stale = verdicts::stale(core);
    if stale.is_empty() {
        return;
    }
    if let Err(trouble) = run(core, AFTER_SAVE, stale).await {
        core.complain("judged", &trouble);
    }
}

async fn run(core: &Arc<Core>, kind: &str, tests: Vec<String>) -> Result<Done, Trouble> {
    require_trust(&core.root, core.trust())?;
    let words: Vec<(String, String)> = {
        let state = core.state.lock();
        let wanted = state.verdicts.values().filter(|kept| tests.is_empty() || tests.contains(&kept.stored.judged.test));
        wanted.map(|kept| (kept.stored.judged.test.clone(), node(&kept.stored.judged))).collect()
    };
    let Some((first, _)) = words.first() else {
        return Err(Trouble::usage("No test with an intent was judged here yet.").so("Run them once: pytead-tui check."));
    };
    let subject = match words.len() {
        1 => verdicts::short(first).to_owned(),
        number => text::count(number, "intent"),
    };
    core.jobs.supersede(kind, Some(&subject));
    let began = clock::now();
    let job = core.jobs.begin(kind, &subject, words.len() as u64);
    core.touch();
    leaving::prepare(&core.root);
    let nodes: Vec<String> = words.iter().map(|(_, node)| node.clone()).chain(["-q".into(), "--no-header".into()]).collect();
    let worker = core.clone();
    let mut command = blocking(move || intent_runs::pytest(&worker.root, &worker.settings, &nodes)).await??;
    // Nobody is there to be told what it takes: a model is asked by `check`, or where the settings say so.
    if core.settings.watch.judge != WatchJudge::Model {
        command.env("PYTEAD_JUDGE_ASK", "off");
    }
    command.current_dir(&core.root).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut command = tokio::process::Command::from(command);
    let failed = |error: std::io::Error| Trouble::environment("pytest could not be started.").because(format!("{error}."));
    let mut child = command.kill_on_drop(true).spawn().map_err(failed)?;
    let (said, complained) = (tokio::spawn(tail(child.stdout.take())), tokio::spawn(tail(child.stderr.take())));
    let status = loop {
        let goes_on = job.unless_cancelled(tokio::time::sleep(EVERY)).await;
        take_in(core).await?;
        job.progress(since(core, &words, began).len() as u64, words.len() as u64);
        core.touch();
        if goes_on.is_none() {
            // Gone with its own children, as far as they end with it.
            let _ = child.kill().await;
            job.end(false);
            // Nothing else tells a screen that the job is over.
            core.announce(Event::Resync);
            return Ok(Done::Nothing);
        }
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
    };
    take_in(core).await?;
    let judged = since(core, &words, began);
    let (said, complained) = (last_words(said).await, last_words(complained).await);
    // 0 and 1 are what tests come to; all else is pytest's own.
    let ran = matches!(status.code(), Some(0 | 1));
    job.end(ran);
    core.announce(Event::Resync);
    if !ran {
        let last = |lines: &[String]| lines.iter().rev().find(|line| !line.trim().is_empty()).cloned();
        let why = last(&complained).or_else(|| last(&said)).unwrap_or_else(|| "it said nothing".into());
        let trouble = Trouble::environment(format!("Not judged again: pytest did not run {subject}."));
        return Err(trouble.because(text::display_line(&why).into_owned()));
    }
    let missing: Vec<&String> = words.iter().map(|(test, _)| test).filter(|test| !judged.contains(test)).collect();
    if let Some(first) = missing.first() {
        let names = if missing.len() == 1 { verdicts::short(first).to_owned() } else { text::count(missing.len(), "test") };
        core.say(Level::Warning, "judged", format!("{names} came to no verdict: skipped, renamed, or ended before its end."));
    }
    Ok(Done::Judged { tests: judged })
}

/// Lists those of the tests that were judged since a moment, whoever took their verdicts in.
fn since(core: &Core, tests: &[(String, String)], began: Moment) -> Vec<String> {
    let state = core.state.lock();
    let judged = |test: &&String| state.verdicts.get(*test).is_some_and(|kept| kept.stored.judged.at >= began);
    tests.iter().map(|(test, _)| test).filter(judged).cloned().collect()
}

async fn take_in(core: &Arc<Core>) -> Result<Vec<String>, Trouble> {
    let worker = core.clone();
    blocking(move || verdicts::take_in(&worker)).await?
}

/// Names a test by its file below the root, wherever pytest's own root is.
fn node(judged: &crate::domain::verdict::JudgedTest) -> String {
    match judged.test.split_once("::") {
        Some((_, name)) => intent_runs::known(&format!("{}::{name}", judged.file)).to_owned(),
        None => judged.file.to_string(),
    }
}

/// Reads what a program says to its end, and keeps the last lines.
async fn tail(from: Option<impl AsyncRead + Unpin>) -> Vec<String> {
    let mut kept = Vec::new();
    let Some(from) = from else { return kept };
    let mut lines = BufReader::new(from).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(String::from_utf8_lossy(&line).trim_end().to_owned());
    }
    kept
}

/// Gives what a program that ended said. What it left running may hold its pipes: that is not waited for.
async fn last_words(told: JoinHandle<Vec<String>>) -> Vec<String> {
    tokio::time::timeout(LAST_WORDS, told).await.ok().and_then(Result::ok).unwrap_or_default()
}
