//! `pytead-tui check`: the intents of tests, judged by pytest with our plugin put in; or sentences about what a program
//! did, decided by rules on a recorded journey. Ends with 1 when one does not hold; with `--strict` also when nothing decided
//! it; with 2 when one is no sentence of the grammar, or names what is not there.

use crate::base::error::Trouble;
use crate::base::scratch::Scratch;
use crate::base::text;
use crate::cli::args::{Check, Global, Suggest};
use crate::cli::events::with_events;
use crate::cli::exit::{FINDINGS, OK, WRONG};
use crate::cli::output::Output;
use crate::cli::pytest::{pytest, untraced};
use crate::cli::start::{beside_a_program, engine, options, root_of, trusted_engine};
use crate::cli::{overriding, run};
use crate::domain::clause::Outcome;
use crate::domain::verdict::ClauseOutcome;
use crate::engine::checks::intents::clauses::Understood;
use crate::engine::checks::{intents, pytest_run};
use crate::engine::verdicts::on_recording::Judged;
use crate::engine::{Handle, Options, Program, prepare_verdicts};

/// Records a program's journey where one is given, decides, and prints.
pub async fn check(global: &Global, args: Check) -> Result<u8, Trouble> {
    if args.accept {
        return accept(global, args).await;
    }
    if !args.overrule.is_empty() {
        return overriding::overrule(global, args).await;
    }
    if args.audit {
        return overriding::audit(global, args).await;
    }
    if !args.tests.is_empty() && !args.clauses.is_empty() {
        return Err(Trouble::usage("A sentence and a test do not go together here.")
            .so("To let the sentence decide the test's intent: --accept. To decide it on a program: -- CMD."));
    }
    if args.clauses.is_empty() && args.from.is_none() && args.recording.is_none() {
        return tests(global, args).await;
    }
    let said = sentences(&args)?;
    if args.command.is_empty() {
        let mut out = Output::stdout(global.format);
        let handle = engine(global, &mut out).await?;
        let code = decide(&handle, &mut out, &args, &said);
        handle.close().await;
        return code;
    }
    let mut out = beside_a_program(global, args.events.as_deref())?;
    let handle = trusted_engine(global, &mut out).await?;
    let program = Program { argv: args.command.clone(), journey: true, ..Program::default() };
    let recorded = with_events(&handle, &mut out, handle.record_attached(program)).await;
    let code = match &recorded {
        Ok(recording) => {
            run::report(&mut out, recording, handle.journey(recording.id).ok().map(|events| events.len()));
            decide(&handle, &mut out, &Check { recording: Some(recording.id.0), ..args }, &said)
        }
        Err(_) => Ok(OK),
    };
    handle.close().await;
    let recording = recorded?;
    // A program that failed by itself stays failed.
    Ok(match code? {
        OK => run::exit_code(&recording.end),
        code => code,
    })
}

/// Runs pytest with our plugin; its input, output and terminal are its own.
async fn tests(global: &Global, args: Check) -> Result<u8, Trouble> {
    let options = options(global, root_of(global, None)?, false)?;
    crate::engine::require_trust(&options.root, options.trust)?;
    let wanted = [
        (args.strict, "--semantic-strict"),
        (args.suggest.is_some(), "--semantic-show=suggestions"),
        (args.suggest == Some(Suggest::Model), "--semantic-show=proposals"),
        (args.journey, "--semantic-show=journey"),
        (args.lines, "--semantic-show=lines"),
        (args.show_outgoing, "--semantic-show=outgoing"),
        (args.dry_run, "--semantic-dry-run"),
        (args.refresh, "--semantic-refresh"),
    ];
    let flags = wanted.into_iter().filter(|(wanted, _)| *wanted).map(|(_, flag)| flag.to_owned());
    let flags = flags.chain(args.model.map(|name| format!("--semantic-model={name}")));
    let mut out = Output::stdout(global.format);
    let folder = Scratch::new()?;
    let report = folder.path().join("verdicts");
    // A report of the person's own comes later, and counts.
    let reported = out.is_json().then(|| format!("--semantic-report={}", report.display()));
    let words: Vec<String> = args.tests.into_iter().chain(flags).chain(reported).chain(args.command).collect();
    if args.stability {
        return stability(&options, &words, &mut out).await;
    }
    prepare_verdicts(&options.root);
    let code = pytest(pytest_run::pytest(&options.root, &options.settings, &words)?, out.is_json()).await?;
    for line in std::fs::read_to_string(&report).unwrap_or_default().lines() {
        if let Ok(verdict) = serde_json::from_str::<serde_json::Value>(line) {
            out.result("verdict", &verdict);
        }
    }
    Ok(code)
}

/// Runs tests and accepts clauses, or what they do, for their intents.
async fn accept(global: &Global, args: Check) -> Result<u8, Trouble> {
    let options = options(global, root_of(global, None)?, false)?;
    crate::engine::require_trust(&options.root, options.trust)?;
    intents::accept::sentences(&args.clauses)?;
    let folder = Scratch::new()?;
    let file = folder.path().join("told");
    let flags = [format!("--semantic-journeys={}", file.display()), "--no-semantic-strict".into(), "--semantic-dry-run".into()];
    let model = args.model.iter().map(|name| format!("--semantic-model={name}"));
    let tried = args.clauses.iter().map(|clause| format!("--semantic-try={clause}"));
    let words: Vec<String> = args.tests.iter().cloned().chain(flags).chain(model).chain(tried).chain(args.command).collect();
    let mut out = Output::stdout(global.format);
    let code = pytest(untraced(&options, &words)?, out.is_json()).await?;
    if code != OK {
        out.say("Nothing was accepted: what a test does is accepted where it passes.");
        return Ok(code);
    }
    let mut reports = pytest_run::reports(&file)?;
    pytest_run::only(&mut reports, &args.tests);
    for (test, _) in reports.iter().filter(|(_, report)| report.skipped) {
        out.say(format!("{} was skipped: nothing of it is accepted.", text::display_line(test)));
    }
    reports.retain(|_, report| !report.skipped);
    let tried = told_of_tried(&mut out, &reports);
    if tried == WRONG {
        out.say("Nothing was accepted: a sentence that cannot be read on this run can never hold.");
        return Ok(WRONG);
    }
    for accepted in intents::accept::accept(&options.root, &reports, &args.clauses, args.covers_all)? {
        let value = serde_json::json!({ "test": accepted.test, "journey_lines": accepted.journey, "uncovered": accepted.uncovered,
            "replaced": accepted.replaced });
        out.result("accepted", &value);
        match accepted.journey {
            Some(lines) => out.say(format!("Accepted: {} does these {}.", accepted.test, text::count(lines, "line"))),
            None => out.say(format!("Accepted: {} is decided by these clauses.", accepted.test)),
        }
        for clause in &accepted.replaced {
            let word = shlex::try_quote(clause).unwrap_or_default();
            out.say(format!("No longer required: {clause}. To keep it, accept it together with the others: -c {word}."));
        }
        for span in &accepted.uncovered {
            out.say(format!(
                "No clause covers “{}”: it passes in part. Add a clause, or say --covers-all.",
                text::display_line(span)
            ));
        }
    }
    if tried == FINDINGS {
        out.say("What does not hold was accepted all the same: the test is red until it does.");
    }
    Ok(tried)
}

/// Says what came of the clauses that are to be accepted, on the run of each test; gives the exit code that this makes.
fn told_of_tried(out: &mut Output, reports: &pytest_run::TestReports) -> u8 {
    let mut code = OK;
    for (test, report) in reports {
        for one in report.verdict.iter().flat_map(|verdict| &verdict.tried) {
            out.result("tried", &serde_json::json!({ "test": test, "clause": one }));
            let (mark, said) = match one.outcome {
                ClauseOutcome::Holds => ('✓', "holds"),
                ClauseOutcome::Violated => ('✗', "does not hold"),
                ClauseOutcome::Vacuous => ('◦', "nothing happened that it speaks of"),
                ClauseOutcome::Unknown => ('?', "cannot be told"),
                ClauseOutcome::Unclear => ('?', "cannot be read"),
            };
            out.say(format!("{mark} {}: {said} in this run of {}.", one.text, text::display_line(test)));
            out.say(format!("    {}", one.why));
            one.shown.iter().for_each(|line| out.say(format!("    {line}")));
            code = match one.outcome {
                ClauseOutcome::Unclear => WRONG,
                ClauseOutcome::Violated if code == OK => FINDINGS,
                _ => code,
            };
        }
    }
    code
}

/// Runs the tests twice and compares what they did.
async fn stability(options: &Options, words: &[String], out: &mut Output) -> Result<u8, Trouble> {
    let folder = Scratch::new()?;
    let mut runs = Vec::new();
    // What else was asked for is printed once; where nothing may be sent, that holds for both runs.
    let again = words.iter().filter_map(|word| match word.strip_prefix("--semantic-show=") {
        Some("outgoing") => Some("--semantic-dry-run".to_owned()),
        Some(_) => None,
        None => Some(word.clone()),
    });
    for (name, words) in [("first", words.to_vec()), ("second", again.collect())] {
        let file = folder.path().join(name);
        let words: Vec<String> = words.into_iter().chain([format!("--semantic-journeys={}", file.display())]).collect();
        let code = pytest(untraced(options, &words)?, out.is_json()).await?;
        if code > FINDINGS {
            return Ok(code);
        }
        runs.push(pytest_run::reports(&file)?);
    }
    let (Some(second), Some(first)) = (runs.pop(), runs.pop()) else { return Ok(OK) };
    let unstable = pytest_run::unstable(&first, &second);
    for (test, lines) in &unstable {
        out.result("unstable", &serde_json::json!({ "test": test, "lines": lines }));
        out.say(format!("≠ {test}"));
        lines.iter().for_each(|line| out.say(format!("    {line}")));
    }
    let differ = if unstable.len() == 1 { "differs" } else { "differ" };
    out.say(format!("{} of {} {differ} between two runs.", unstable.len(), text::count(first.len(), "journey")));
    Ok(if unstable.is_empty() { OK } else { FINDINGS })
}

/// Gathers the sentences: those of the command line, and a file's.
fn sentences(args: &Check) -> Result<String, Trouble> {
    let mut said = args.clauses.join("\n");
    if let Some(path) = &args.from {
        let name = text::display_line(&path.display().to_string()).into_owned();
        let read = std::fs::read_to_string(path)
            .map_err(|error| Trouble::usage(format!("{name} cannot be read.")).because(format!("{error}.")))?;
        said.push('\n');
        said.extend(read.lines().filter(|line| !line.trim_start().starts_with('#')).flat_map(|line| [line, "\n"]));
    }
    if said.trim().is_empty() {
        return Err(Trouble::usage("There is nothing to decide.")
            .so("Say what has to hold: --clause \"Db.save is called before Mail.send\"."));
    }
    Ok(said)
}

/// Decides and prints; gives the exit code.
fn decide(handle: &Handle, out: &mut Output, args: &Check, said: &str) -> Result<u8, Trouble> {
    let (recording, judged) = handle.judge(args.recording.map(crate::domain::call::RecordingId), said)?;
    let (mut findings, mut wrong) = (false, false);
    let mut holding = 0;
    for one in &judged {
        out.result("clause", one);
        let (mark, open) = mark(one);
        wrong |= matches!(one.understood, Understood::Unclear { .. });
        findings |= mark == '✗' || (open && args.strict);
        holding += usize::from(!open && mark == '✓');
        for line in lines(one, mark) {
            out.say(line);
        }
    }
    let verb = if judged.len() == 1 { "holds" } else { "hold" };
    out.say(format!("{holding} of {} {verb} in recording {}.", text::count(judged.len(), "clause"), recording.0));
    Ok(match (wrong, findings) {
        (true, _) => WRONG,
        (false, true) => FINDINGS,
        (false, false) => OK,
    })
}

/// The mark of a sentence, and whether it was left open.
fn mark(judged: &Judged) -> (char, bool) {
    match &judged.understood {
        Understood::Unclear { .. } => ('?', true),
        Understood::Clause { finding, .. } => match finding.outcome {
            Outcome::Holds { .. } => ('✓', false),
            Outcome::Violated => ('✗', false),
            Outcome::Vacuous => ('◦', true),
            Outcome::Unknown { .. } => ('?', true),
        },
    }
}

fn lines(judged: &Judged, mark: char) -> Vec<String> {
    match &judged.understood {
        Understood::Unclear { unclear, instead } => {
            let mut lines = vec![format!("{mark} {}", judged.sentence), format!("    {unclear}")];
            lines.extend(instead.iter().map(|form| format!("    can be said: {form}")));
            lines
        }
        Understood::Clause { clause, finding, shown } => {
            let mut lines = vec![format!("{mark} {clause}"), format!("    {}", finding.why)];
            lines.extend(shown.iter().map(|line| format!("    {line}")));
            lines.extend(finding.closest.iter().map(|line| format!("    {line}")));
            lines
        }
    }
}
