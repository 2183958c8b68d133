//! `pytead-tui watch`: what every save changes, as lines, until it is interrupted.

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::Global;
use crate::cli::exit::{INTERRUPTED, OK};
use crate::cli::output::Output;
use crate::cli::show;
use crate::cli::start::{options, root_of};
use crate::domain::event::{Event, Level};
use crate::domain::proposal::ProposalId;
use crate::domain::verdict::Ruling;
use crate::engine::{self, Handle};

/// Watches and prints.
pub async fn watch(global: &Global) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let mut options = options(global, root_of(global, None)?, true)?;
    // It prints lines and reads none.
    options.attended = false;
    engine::require_trust(&options.root, options.trust)?;
    let handle = engine::open(options).await?;
    let mut events = handle.subscribe();
    let snapshot = handle.refreshed().await;
    let project = snapshot.project.clone();
    let mut told = snapshot.indexed;
    if told {
        begin(&mut out, &project, snapshot.functions.len(), snapshot.files.len());
        show::unparsed(&handle, &mut out)?;
    }
    loop {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => break,
            event = events.recv() => match event {
                Ok(event) => {
                    if let (Event::Indexed { functions, files, .. }, false) = (&event, told) {
                        told = true;
                        begin(&mut out, &project, *functions, *files);
                        show::unparsed(&handle, &mut out)?;
                    }
                    print(&mut out, &event);
                    if let Event::BehaviourChanged { proposal, .. } = &event {
                        because(&handle, &mut out, *proposal);
                    }
                    if out.is_closed() {
                        handle.close().await;
                        return Ok(OK);
                    }
                }
                Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
                Err(tokio::sync::broadcast::error::RecvError::Closed) => break,
            },
        }
    }
    handle.close().await;
    Ok(INTERRUPTED)
}

/// Says what is watched, once it is read.
fn begin(out: &mut Output, project: &str, functions: usize, files: usize) {
    let (functions, files) = (text::count(functions, "function"), text::count(files, "file"));
    out.say(format!("Watching {project}: {functions} in {files}. Ctrl-C ends it."));
}

/// Says which edits a change follows from, as far as that is known.
fn because(handle: &Handle, out: &mut Output, proposal: ProposalId) {
    let Ok(view) = handle.proposal(proposal) else { return };
    for edit in view.proposal.change().map_or(&[][..], |change| &change.because) {
        out.say(format!("    because you changed {}", edit.summary_with_place()));
    }
}

fn mark(ruling: Ruling) -> &'static str {
    match ruling {
        Ruling::Pass => "✓",
        Ruling::Fail => "✗",
        Ruling::Unclear => "?",
        Ruling::Error => "!",
    }
}

fn print(out: &mut Output, event: &Event) {
    out.event(event);
    match event {
        Event::Saved { paths, functions, because } => {
            let files: Vec<&str> = paths.iter().take(3).map(crate::base::paths::RelPath::as_str).collect();
            let more = if paths.len() > 3 { format!(" and {} more", paths.len() - 3) } else { String::new() };
            let said = because.clone().unwrap_or_else(|| text::count(functions.len(), "function").into());
            out.say(format!("~ saved {}{more}: {said}", files.join(", ")));
        }
        Event::BehaviourChanged { line, .. } => out.say(format!("✗ {line}")),
        Event::EditNotCompared { line, .. } => out.say(format!("? {line}")),
        Event::NearDifference { line, .. } => out.say(format!("≈ {line}")),
        Event::BehaviourRestored { function, .. } => out.say(format!("✓ {function} is as before")),
        Event::Judged { test, overridden: true, .. } => out.say(format!("⊘ overridden {}", text::display_line(test))),
        Event::Judged { test, ruling, .. } => {
            out.say(format!("{} {} {}", mark(*ruling), ruling.word(), text::display_line(test)));
        }
        Event::SpecBegan { name, because: Some(why), .. } => out.say(format!("» {name}: {why}")),
        Event::SpecEnded { name, ruling, reason, ms, .. } => {
            let seconds = *ms as f64 / 1000.0;
            out.say(format!("{} {} {name}, {seconds:.1} s: {reason}", mark(*ruling), ruling.word()));
        }
        Event::Replayed { calls, changed, same, ms, .. } => {
            let (calls, seconds) = (text::count_u64(*calls, "call"), *ms as f64 / 1000.0);
            out.say(format!("  replayed {calls} in {seconds:.1} s: {same} as before, {changed} changed"));
        }
        Event::Said { level: Level::Warning | Level::Error, text } => out.say(format!("! {text}")),
        _ => {}
    }
}
