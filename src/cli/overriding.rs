//! `pytead-tui check --override NODEID --reason "…"`: a person overrules a verdict; `check --audit`: which overrides no longer
//! stand. Ends with 1 where one does not.

use std::collections::BTreeSet;

use crate::base::error::Trouble;
use crate::base::scratch::Scratch;
use crate::base::text;
use crate::cli::args::{Check, Global};
use crate::cli::clean;
use crate::cli::exit::{FINDINGS, OK};
use crate::cli::output::Output;
use crate::cli::pytest::{pytest, untraced};
use crate::cli::start::{options, root_of};
use crate::engine::Options;
use crate::engine::checks::intents;
use crate::engine::checks::intents::overrule::Audited;
use crate::engine::checks::pytest_run;
use crate::judge::audit::{self, State};

/// Runs the tests and overrules what came of their intents.
pub(super) async fn overrule(global: &Global, args: Check) -> Result<u8, Trouble> {
    let lasts = args.expires.as_deref().map(clean::age).transpose()?;
    let (options, mut out) = (options(global, root_of(global, None)?, false)?, Output::stdout(global.format));
    let words = args.overrule.iter().cloned().chain(["--no-semantic-strict".to_owned()]).chain(args.command).collect();
    let (code, mut reports) = run(&options, words, out.is_json()).await?;
    if code > FINDINGS {
        return Ok(code);
    }
    pytest_run::only(&mut reports, &args.overrule);
    for entry in intents::overrule::overrule(&options.root, &reports, args.reason.as_deref().unwrap_or_default(), lasts)? {
        out.result("overruled", &entry);
        out.say(format!("Overruled: {}, for as long as it does and means the same.", text::display_line(&entry.test)));
    }
    out.say(format!("It is in {}, to be committed.", audit::PATH));
    Ok(OK)
}

/// Runs the tests that were overruled and says which overrides count.
pub(super) async fn audit(global: &Global, args: Check) -> Result<u8, Trouble> {
    let (options, mut out) = (options(global, root_of(global, None)?, false)?, Output::stdout(global.format));
    let (overrides, damaged) = intents::overrule::read(&options.root)?;
    for line in &damaged {
        out.result("damaged", line);
        out.say(format!("✗ Line {line} of {} is not as it was written, and does not count.", audit::PATH));
    }
    if overrides.is_empty() {
        out.say("Nothing is overruled.");
        return Ok(if damaged.is_empty() { OK } else { FINDINGS });
    }
    let file = |test: &str| test.split("::").next().unwrap_or(test).to_owned();
    let files: BTreeSet<String> = overrides.iter().map(|entry| file(&entry.test)).collect();
    let there = files.into_iter().filter(|file| options.root.join(file).is_file());
    let words: Vec<String> = there.collect();
    let mut reports = pytest_run::TestReports::new();
    if !words.is_empty() {
        let flags = ["-q", "--no-header", "--no-summary", "--no-semantic-strict", "--semantic-dry-run"].map(str::to_owned);
        let (code, found) = run(&options, words.into_iter().chain(flags).chain(args.command).collect(), out.is_json()).await?;
        if code > FINDINGS {
            return Ok(code);
        }
        reports = found;
    }
    let mut findings = !damaged.is_empty();
    for one in intents::overrule::audited(overrides, &reports) {
        findings |= !matches!(one.state, Some(State::Stands | State::Replaced));
        out.result("override", &one);
        lines(&one).into_iter().for_each(|line| out.say(line));
    }
    Ok(if findings { FINDINGS } else { OK })
}

async fn run(options: &Options, words: Vec<String>, beside_json: bool) -> Result<(u8, pytest_run::TestReports), Trouble> {
    crate::engine::require_trust(&options.root, options.trust)?;
    let folder = Scratch::new()?;
    let path = folder.path().join("told");
    let words: Vec<String> = words.into_iter().chain([format!("--semantic-journeys={}", path.display())]).collect();
    let code = pytest(untraced(options, &words)?, beside_json).await?;
    Ok((code, if code > FINDINGS { pytest_run::TestReports::new() } else { pytest_run::reports(&path)? }))
}

fn lines(one: &Audited) -> Vec<String> {
    let (mark, state) = match one.state {
        Some(State::Stands) => ('✓', "stands"),
        Some(State::Replaced) => ('◦', "a later one took its place"),
        Some(State::Expired) => ('✗', "has expired"),
        Some(State::OtherJourney) => ('✗', "does not count: the test does something else now"),
        Some(State::OtherMeaning) => ('✗', "does not count: the intent or what decides it changed"),
        None => ('?', "does not count: its test did not run to its end, or is gone"),
    };
    let safe = |text: &str| text::display_line(text).into_owned();
    vec![
        format!("{mark} {} {state}", safe(&one.entry.test)),
        format!("    {} by {}: {}", one.entry.was.word(), one.entry.who(), safe(&one.entry.reason)),
    ]
}
