//! `pytead-tui spec`: YAML tests, checked or run; and `__spec`, which answers pytest's plugin line by line. Ends with 1
//! when a test fails, with `--strict` also when one is unclear or could not be run, with 2 when a file is wrong.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{Global, SpecArgs};
use crate::cli::exit::{FINDINGS, INTERRUPTED, OK, WRONG};
use crate::cli::judge::PROTOCOL;
use crate::cli::output;
use crate::cli::output::Output;
use crate::cli::start::{consent_of, options, root_of, settings, trust_of};
use crate::domain::snapshot::Trust;
use crate::domain::spec::{End, Progress, Report, Status, StepReport};
use crate::domain::verdict::{ClauseOutcome, Decided, Ruling};
use crate::engine::checks::specs::runner::{Outcome, Specs, Wanted};
use crate::engine::checks::specs::validate::Looked;
use crate::engine::{prepare_verdicts, require_trust};
use crate::spec::{load, recognize, schema, tools as built_in};

/// Columns of a value in a line for people.
const SHOWN: usize = 200;
/// A reason with more bytes than this is printed once.
const REPEATED: usize = 80;

/// Checks or runs YAML tests.
pub async fn spec(global: &Global, args: SpecArgs) -> Result<u8, Trouble> {
    if args.schema {
        output::raw(&(serde_json::to_string_pretty(&schema::json_schema()).unwrap_or_default() + "\n"));
        return Ok(OK);
    }
    let options = options(global, root_of(global, None)?, false)?;
    let specs = Specs::new(&options.root, &options.settings).with_model(&consent_of(&options.root)?);
    let files = specs.find(&args.paths)?;
    let mut out = Output::stdout(global.format);
    if args.check {
        return Ok(check(&specs, &files, options.trust == Trust::Trusted, &mut out).await);
    }
    require_trust(&options.root, options.trust)?;
    if args.tools {
        return tools(&specs, &files, &mut out).await;
    }
    prepare_verdicts(&options.root);
    let workers = args.workers.unwrap_or(options.settings.spec.workers) as usize;
    let wanted = Wanted { workers, timeout: args.timeout, refresh: args.refresh, ..Wanted::one(CancellationToken::new()) };
    stop_on_signals(&wanted.cancel)?;
    run(&specs, &files, &wanted, &args, out).await
}

/// Says what is wrong with each file; runs no step.
async fn check(specs: &Specs, files: &[PathBuf], may_import: bool, out: &mut Output) -> u8 {
    let mut wrong = 0;
    let mut looked = Looked::default();
    for file in files {
        let name = specs.name(file);
        let mistakes = specs.mistakes(file, may_import, &mut looked).await;
        let lines = mistakes.as_ref().map(|mistakes| mistakes.lines(&name)).unwrap_or_default();
        out.result(
            "checked",
            &serde_json::json!({ "file": name, "good": lines.is_empty(), "mistakes": mistakes_json(mistakes.as_ref()) }),
        );
        wrong += usize::from(!lines.is_empty());
        lines.iter().for_each(|line| out.say(line));
    }
    let all = text::count(files.len(), "YAML test");
    out.say(if wrong == 0 { format!("No mistakes in {all}.") } else { format!("Mistakes in {wrong} of {all}.") });
    if wrong == 0 { OK } else { WRONG }
}

fn mistakes_json(mistakes: Option<&load::Mistakes>) -> Vec<serde_json::Value> {
    let all = mistakes.map(|mistakes| mistakes.all.as_slice()).unwrap_or_default();
    let line = |one: &load::Mistake| serde_json::json!({ "line": one.at.line, "column": one.at.column, "length": one.length, "what": text::display(&one.what) });
    all.iter().map(line).collect()
}

/// Lists the tools that tests may call, and plugins that are broken.
async fn tools(specs: &Specs, files: &[PathBuf], out: &mut Output) -> Result<u8, Trouble> {
    let Some(file) = files.first() else { return Ok(OK) };
    let (plugins, broken) = specs.plugins(file).await?;
    let own = built_in::built_in();
    let described = plugins.iter().map(|plugin| (specs.name(plugin.file.as_ref()), &plugin.tools));
    for (place, tools) in std::iter::once((built_in::BUILT_IN.to_owned(), &own)).chain(described) {
        out.say(place.clone());
        for tool in tools {
            out.result("tool", &serde_json::json!({ "place": place, "tool": tool }));
            out.say(format!("    {}: {}", tool.name, text::display_line(&tool.description)));
        }
    }
    for plugin in plugins.iter().filter(|plugin| !plugin.not_async.is_empty()) {
        out.say(format!(
            "{}: not `async def`, so no tools: {}.",
            specs.name(plugin.file.as_ref()),
            text::display_line(&plugin.not_async.join(", "))
        ));
    }
    for one in &broken {
        out.result("broken", one);
        out.say(format!("{} is broken: {}.", specs.name(one.file.as_ref()), text::display_line(one.why.trim_end_matches('.'))));
    }
    Ok(if broken.is_empty() { OK } else { FINDINGS })
}

async fn run(specs: &Specs, files: &[PathBuf], wanted: &Wanted, args: &SpecArgs, out: Output) -> Result<u8, Trouble> {
    let out = Mutex::new(out);
    let with = |act: &mut dyn FnMut(&mut Output)| {
        if let Ok(mut out) = out.lock() {
            act(&mut out);
        }
    };
    let verbose = args.verbose;
    let say = |progress: Progress| {
        with(&mut |out| {
            out.result("progress", &progress);
            if verbose {
                told(&progress).iter().for_each(|line| out.say(line));
            }
        });
    };
    let mut counts = [0usize; 4];
    let mut wrong = false;
    specs
        .run_all(files, wanted, &say, |Outcome { report, mistakes, .. }| {
            counts[report.verdict as usize] += 1;
            wrong |= mistakes.is_some();
            with(&mut |out| {
                out.result("report", &report);
                // A file's mistakes are what its report says, with the places besides.
                let shown = if mistakes.is_some() { 1 } else { usize::MAX };
                lines(&report).iter().take(shown).for_each(|line| out.say(line));
                if let Some(mistakes) = &mistakes {
                    mistakes.lines(&report.file).iter().for_each(|line| out.say(format!("    {line}")));
                }
            });
        })
        .await;
    let [passed, failed, unclear, broken] = counts;
    let words = [(passed, "passed"), (failed, "failed"), (unclear, "unclear"), (broken, "could not be run")];
    let told: Vec<String> =
        words.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}")).collect();
    with(&mut |out| out.say(format!("{}: {}.", text::count(files.len(), "YAML test"), told.join(", "))));
    Ok(match (wanted.cancel.is_cancelled(), failed) {
        (true, _) => INTERRUPTED,
        _ if wrong => WRONG,
        (false, 1..) => FINDINGS,
        _ if args.strict && unclear + broken > 0 => FINDINGS,
        _ => OK,
    })
}

/// The first signal stops the tests in order: teardown and cleanup are run.
fn stop_on_signals(cancel: &CancellationToken) -> Result<(), Trouble> {
    let unwatched = |error: std::io::Error| Trouble::internal("Signals cannot be watched.").because(error);
    let mut terminate = signal(SignalKind::terminate()).map_err(unwatched)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(unwatched)?;
    let mut hangup = signal(SignalKind::hangup()).map_err(unwatched)?;
    let cancel = cancel.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hangup.recv() => {}
            }
            cancel.cancel();
        }
    });
    Ok(())
}

/// Writes a report for a person.
fn lines(report: &Report) -> Vec<String> {
    let mark = match report.verdict {
        Ruling::Pass => '✓',
        Ruling::Fail => '✗',
        Ruling::Unclear => '?',
        Ruling::Error => '!',
    };
    #[allow(clippy::cast_precision_loss)]
    let seconds = report.ms as f64 / 1000.0;
    let mut out = vec![format!("{mark} {}  {}  {seconds:.1} s", report.file, report.name)];
    if report.verdict != Ruling::Pass {
        out.push(format!("    {}", report.reason));
        let mut said = BTreeSet::new();
        report.steps.iter().for_each(|step| out.extend(step_lines(step, &mut said)));
        report
            .clauses
            .iter()
            .filter(|clause| clause.outcome != ClauseOutcome::Holds)
            .for_each(|clause| out.push(clause_line(clause, "    ", &mut said)));
    }
    out.extend(report.issues.iter().map(|issue| format!("    issue: {issue}")));
    out.extend(report.notes.iter().map(|note| format!("    note: {note}")));
    out
}

fn step_lines(step: &StepReport, said: &mut BTreeSet<String>) -> Vec<String> {
    let mark = match step.status {
        Status::Passed => '✓',
        Status::Failed => '✗',
        Status::Unclear => '?',
        Status::Skipped => '◦',
    };
    let indent = "  ".repeat(step.depth as usize);
    let round = step.round.map_or(String::new(), |(round, of)| format!(" {round}/{of}"));
    let tries = if step.tries > 1 { format!(", {} tries", step.tries) } else { String::new() };
    let mut out = vec![format!("    {indent}{mark} {}{round}{tries}", step.name)];
    if matches!(step.status, Status::Passed | Status::Skipped) {
        return out;
    }
    if let Some(error) = step.end.error() {
        out.extend(error.lines().map(|line| format!("        {indent}{line}")));
    }
    let open = step.clauses.iter().filter(|clause| clause.outcome != ClauseOutcome::Holds);
    out.extend(open.map(|clause| clause_line(clause, &format!("        {indent}"), said)));
    out.extend(step.printed.lines().map(|line| format!("        {indent}| {line}")));
    out
}

/// Writes a clause. A long reason that was `said` of another one is not repeated.
fn clause_line(clause: &Decided, indent: &str, said: &mut BTreeSet<String>) -> String {
    let mark = match clause.outcome {
        ClauseOutcome::Holds => '✓',
        ClauseOutcome::Violated => '✗',
        ClauseOutcome::Vacuous => '◦',
        ClauseOutcome::Unknown | ClauseOutcome::Unclear => '?',
    };
    let why = clause.why.to_string();
    if why.is_empty() {
        format!("{indent}{mark} {}", clause.text)
    } else if why.len() > REPEATED && !said.insert(why.clone()) {
        format!("{indent}{mark} {}: as above", clause.text)
    } else {
        format!("{indent}{mark} {}: {why}", clause.text)
    }
}

/// Writes what happens, as llm-pytest's documents show it.
fn told(progress: &Progress) -> Vec<String> {
    match progress {
        Progress::Began { file, name } => vec![format!("[spec] {file}: {name}")],
        Progress::Step { tool, args, filled, tries, line, .. } => {
            let mut out: Vec<String> = filled.iter().map(|(from, to)| format!("[interpolate] {from} -> {to}")).collect();
            let again = if *tries > 1 { format!(" (try {tries})") } else { String::new() };
            // What an agent asks for stands in no line of the test; it is matched with the steps when the agent is done.
            let who = if *line == 0 { "agent" } else { "tool" };
            out.push(format!("[{who}] {tool}({}){again}", text::cut(&text::display_line(&args.to_string()), SHOWN)));
            out
        }
        Progress::Stepped { step, .. } if step.tool.is_none() => Vec::new(),
        Progress::Stepped { step, .. } => vec![match &step.end {
            End::Returned { result } => {
                format!("[tool result] OK: {}", text::cut(&text::display_line(&result.to_string()), SHOWN))
            }
            other => format!("[tool result] ERROR: {}", text::display_line(&other.error().unwrap_or_default())),
        }],
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ask {
    /// Read a file: its name and tags, or what is wrong with it.
    Read { file: PathBuf },
    /// Run a file.
    Run {
        file: PathBuf,
        timeout: Option<f64>,
        #[serde(default)]
        refresh: bool,
    },
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Ready { version: &'static str, protocol: u32, paths: Vec<String> },
    Read { name: String, tags: Vec<String>, mistakes: Vec<String>, is_test: bool },
    Told(Vec<String>),
    Report { report: Box<Report>, lines: Vec<String>, mistakes: Vec<String> },
    Error(String),
}

/// Serves pytest's plugin on standard input and output until it hangs up. Not for people.
pub async fn serve(global: &Global) -> Result<u8, Trouble> {
    let root = root_of(global, None)?;
    // Wrong settings are for the verbs that people type; pytest was started by a person, so what it runs needs no trust.
    let loaded = settings(global, &root, trust_of(global, &root)?)?;
    let specs = Specs::new(&root, &loaded.settings).with_model(&consent_of(&root)?);
    let say = |answer: &Answer| {
        let mut out = std::io::stdout().lock();
        let line = serde_json::to_string(answer).unwrap_or_default();
        writeln!(out, "{line}").and_then(|()| out.flush()).is_ok()
    };
    let paths = loaded.settings.spec.paths.clone();
    if !say(&Answer::Ready { version: env!("CARGO_PKG_VERSION"), protocol: PROTOCOL, paths }) {
        return Ok(OK);
    }
    let wanted = Wanted::one(CancellationToken::new());
    stop_on_signals(&wanted.cancel)?;
    // Read apart, so that pytest's end is noticed while a test runs: then it is stopped, and cleaned up after.
    let (lines, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let gone = wanted.cancel.clone();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
        gone.cancel();
    });
    loop {
        let line = tokio::select! {
            line = asked.recv() => line,
            () = wanted.cancel.cancelled() => None,
        };
        let Some(line) = line else { return Ok(OK) };
        let answer = match serde_json::from_str(&line) {
            Ok(Ask::Read { file }) => match load::file(&file) {
                Ok(spec) => Answer::Read {
                    name: text::display_line(&spec.name).into_owned(),
                    tags: spec.tags,
                    mistakes: Vec::new(),
                    is_test: true,
                },
                Err(mistakes) => {
                    let name = specs.name(&file);
                    Answer::Read {
                        mistakes: mistakes.lines(&name),
                        name,
                        tags: Vec::new(),
                        is_test: recognize::is_test(Path::new(&file)),
                    }
                }
            },
            Ok(Ask::Run { file, timeout, refresh }) => {
                let tell = |progress: Progress| _ = say(&Answer::Told(told(&progress)));
                let Outcome { report, mistakes, .. } =
                    specs.run(&file, &Wanted { timeout, refresh, ..wanted.clone() }, &tell).await;
                let mistakes = mistakes.map(|mistakes| mistakes.lines(&report.file)).unwrap_or_default();
                Answer::Report { lines: self::lines(&report), report: Box::new(report), mistakes }
            }
            Err(error) => Answer::Error(format!("pytest's plugin was not understood: {error}.")),
        };
        if !say(&answer) {
            return Ok(OK);
        }
    }
}
