//! Clauses proposed by a model in the workbench: the test runs once more, so that each is decided on what it really does, and
//! what was proposed is kept beside its verdict. The verdict stays as it is; a person chooses, and accepts.

use std::sync::Arc;
use std::time::Duration;

use crate::base::error::Trouble;
use crate::base::scratch::Scratch;
use crate::base::text;
use crate::domain::event::{Event, JobKind, Level};
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::question::About;
use crate::domain::verdict::{JudgedTest, Proposed};
use crate::engine::checks::intents::suggest::NO_MODEL;
use crate::engine::checks::llm::budget::Run;
use crate::engine::checks::llm::opinions::Asking;
use crate::engine::checks::pytest_run::{self, TestReport};
use crate::engine::checks::verdict_files::UNTRACED;
use crate::engine::python::pytest_process::Running;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::jobs::Job;
use crate::engine::state::questions;
use crate::engine::state::trust::require_trust;
use crate::engine::state::verdict_rows;
use crate::engine::verdicts;

/// The kind of its job.
const JOB: JobKind = JobKind::Clauses;
/// How often it is looked whether pytest has ended.
const EVERY: Duration = Duration::from_millis(100);
/// Bytes of text a token stands for, about.
const BYTES_PER_TOKEN: u64 = 4;

/// Has the chosen model propose clauses for the intent of a test.
///
/// # Errors
/// Fails where no model was chosen, the test does not run, or nothing usable was proposed.
pub async fn ask(core: &Arc<Core>, test: String) -> Result<Done, Trouble> {
    require_trust(&core.root, core.trust())?;
    let view = verdicts::state::view(core, &test)?;
    let asking = asking(core)?;
    let name = verdict_rows::short(&test).to_owned();
    let subject = JobSubject::Test(test.clone());
    core.jobs.supersede(JOB, Some(&subject));
    let job = core.jobs.begin(JOB, subject, 0);
    core.touch();
    core.log.add(Level::Info, "asked", format!("for clauses of {name}"), None);
    let done = if asking.is_allowed() { Ok(true) } else { allowed(core, &job, &asking, &view.judged, view.function).await };
    let told = match done {
        Ok(true) => told(core, &job, &view.judged, &["proposals"]).await,
        Ok(false) => Ok(None),
        Err(trouble) => Err(trouble),
    };
    job.end(matches!(told, Ok(Some(_))));
    // Nothing else tells a screen that the job is over.
    core.announce(Event::Resync);
    let Some(told) = told? else { return Ok(Done::Nothing) };
    keep(core, &view.judged, told)?;
    Ok(Done::Judged { tests: vec![test] })
}

/// Finds the model that judges.
fn asking(core: &Core) -> Result<Asking, Trouble> {
    let consent = core.state.lock().consent.clone();
    let none = || Trouble::usage(NO_MODEL.0).so(NO_MODEL.1);
    Asking::open(&core.settings(), &core.root, &consent, &Run::default())?.ok_or_else(none)
}

/// Asks a person before the first question to another machine, with what would be sent.
async fn allowed(
    core: &Arc<Core>,
    job: &Job<'_>,
    asking: &Asking,
    judged: &JudgedTest,
    function: FunctionId,
) -> Result<bool, Trouble> {
    let Some(told) = told(core, job, judged, &["proposals", "outgoing"]).await? else { return Ok(false) };
    let outgoing = told.outgoing.join("\n");
    let bytes = outgoing.len() as u64;
    let about = About::FirstSend {
        function: Some(function),
        host: asking.provider.host().to_owned(),
        model: asking.provider.model().to_owned(),
        bytes,
        tokens: bytes.div_ceil(BYTES_PER_TOKEN),
    };
    let answer = job.unless_cancelled(questions::ask(core, about.clone(), Some(outgoing.into()))).await;
    let yes = answer.transpose()?.unwrap_or(false);
    if !yes {
        core.say(Level::Info, "not sent", about.declined().what);
    }
    Ok(yes)
}

/// Runs the test and gives what was told of it; none when somebody wanted it to stop.
async fn told(core: &Arc<Core>, job: &Job<'_>, judged: &JudgedTest, shown: &[&str]) -> Result<Option<TestReport>, Trouble> {
    let name = verdict_rows::short(&judged.test);
    let folder = Scratch::new()?;
    let file = folder.path().join("told");
    // Never an option, and never a file of options.
    let mut words = vec![format!("./{}", verdicts::rerun::node(judged)), "-q".into(), "--no-header".into()];
    words.extend(["--no-semantic-strict".into(), format!("--semantic-journeys={}", file.display())]);
    words.extend(shown.iter().map(|kind| format!("--semantic-show={kind}")));
    let worker = core.clone();
    let mut command = blocking(move || pytest_run::pytest(&worker.root, &worker.settings(), &words)).await??;
    let hosts: Vec<String> = core.state.lock().consent.send_to.iter().cloned().collect();
    command.env(UNTRACED, "1").env("PYTEAD_SEND_TO", hosts.join(","));
    let mut running = Running::begin(core, command)?;
    let status = loop {
        if job.unless_cancelled(tokio::time::sleep(EVERY)).await.is_none() {
            running.stop().await;
            return Ok(None);
        }
        if let Some(status) = running.ended()? {
            break status;
        }
    };
    // 0 and 1 are what tests come to; all else is pytest's own.
    if !matches!(status.code(), Some(0 | 1)) {
        let why = running.last_word().await;
        return Err(Trouble::environment(format!("No clauses: pytest did not run {name}.")).because(why));
    }
    let mut all = pytest_run::reports(&file)?;
    let told = all.remove(&judged.test).ok_or_else(|| {
        Trouble::usage(format!("No clauses: {name} came to no verdict."))
            .because("It was skipped, renamed, or ended before its end.")
    })?;
    if told.intent != judged.intent {
        return Err(Trouble::usage(format!("No clauses: {name} has another intent by now.")).so("t judges it again; then ask."));
    }
    Ok(Some(told))
}

/// Makes what was told fit for a terminal: it came through a file that the tests' own process wrote.
fn made_safe(proposed: &mut Proposed) {
    let Proposed { by, clauses, uncovered, left_out, note, .. } = proposed;
    for sentence in clauses.iter_mut().map(|clause| &mut clause.why).chain(left_out).chain(note) {
        *sentence = sentence.line();
    }
    let texts = clauses.iter_mut().flat_map(|clause| [&mut clause.text, &mut clause.span].into_iter().chain(&mut clause.notices));
    for line in [by].into_iter().chain(texts).chain(uncovered) {
        if let std::borrow::Cow::Owned(safe) = text::display_line(line) {
            *line = safe;
        }
    }
}

/// Keeps what was proposed beside the verdict, and says what came of it.
fn keep(core: &Arc<Core>, judged: &JudgedTest, told: TestReport) -> Result<(), Trouble> {
    let name = verdict_rows::short(&judged.test);
    let mut proposed = *told.verdict.and_then(|verdict| verdict.proposed).unwrap_or_default();
    made_safe(&mut proposed);
    if proposed.by.is_empty() {
        let why = proposed.note.unwrap_or_else(|| "The test was not judged.".into());
        return Err(Trouble::environment(format!("No clauses for {name}.")).because(why));
    }
    let mut line = format!("{} proposed for {name}", text::count(proposed.clauses.len(), "clause"));
    if !proposed.left_out.is_empty() {
        line.push_str(&format!(", {} left out", text::count(proposed.left_out.len(), "sentence")));
    }
    core.store().put_proposed(&judged.test, &proposed)?;
    verdicts::state::load(core)?;
    core.log.add(Level::Done, "proposed", &line, None);
    core.touch();
    core.announce(Event::ClausesProposed { test: judged.test.clone(), line: line.into() });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::verdict::{ClauseOutcome, ProposedClause};

    #[test]
    fn what_a_test_process_may_have_written_reaches_no_terminal_as_it_is() {
        let bad = || "\u{1b}[2J\u{7}\nA is called".to_owned();
        let clause =
            ProposedClause { text: bad(), span: bad(), outcome: ClauseOutcome::Holds, why: bad().into(), notices: vec![bad()] };
        let mut proposed = Proposed {
            by: bad(),
            clauses: vec![clause],
            uncovered: vec![bad()],
            left_out: vec![bad().into()],
            note: Some(bad().into()),
            asked: None,
        };
        made_safe(&mut proposed);
        let all = format!("{proposed:?}");
        // Shown as the characters that name it, each is a backslash more in this form.
        assert_eq!(all.matches(r"\\x1b[2J").count(), 8, "{all}");
        assert!(!all.contains(r"\u{1b}") && !all.contains(r"\u{7}"), "{all}");
    }
}
