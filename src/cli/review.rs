//! `pytead-tui review`: the queue, line by line, without the full screen; also for screen readers and scripts.

use std::io::IsTerminal;

use crate::base::error::Trouble;
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::cli::args::{Global, Review};
use crate::cli::ask::ask;
use crate::cli::events::with_events;
use crate::cli::exit::OK;
use crate::cli::output::Output;
use crate::cli::screen::Screen;
use crate::cli::show;
use crate::cli::start::{engine, trusted_engine};
use crate::domain::command::Command;
use crate::domain::decision::Verb;
use crate::domain::proposal::{ProposalId, ProposalKind, ProposalState};
use crate::domain::snapshot::{QueueRow, Snapshot};
use crate::engine::{Done, Handle, put_away};

/// Lists, decides what was named, or asks one by one.
pub async fn review(global: &Global, args: Review, screen: &impl Screen) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    // A list only reads.
    let handle = if args.list { engine(global, &mut out).await? } else { trusted_engine(global, &mut out).await? };
    let snapshot = handle.refreshed().await;
    let queue = snapshot.queue.clone();
    let code = if args.undo || args.redo {
        let command = if args.undo { Command::Undo } else { Command::Redo };
        said(&mut out, handle.perform(command).await?, false);
        OK
    } else if !args.accept.is_empty() || !args.reject.is_empty() || !args.keep.is_empty() {
        for (words, verb) in [(&args.accept, Verb::Accept), (&args.reject, Verb::Reject), (&args.keep, Verb::Keep)] {
            let mut proposals = chosen(words, &queue)?;
            if verb == Verb::Accept && words.iter().any(|word| word == "all") {
                let (together, alone) = handle.in_bulk(&proposals)?;
                left_to_look_at(&handle, &mut out, &alone)?;
                proposals = together;
            }
            if !proposals.is_empty() {
                let reason = args.why.clone().filter(|_| verb == Verb::Reject);
                let decided = handle.perform(Command::Decide { proposals, verb, reason });
                let decided = with_events(&handle, &mut out, decided).await?;
                said(&mut out, decided, verb == Verb::Accept);
            }
        }
        OK
    } else if args.list || out.is_json() {
        list(&mut out, &snapshot);
        OK
    } else if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        one_by_one(&handle, &mut out, screen).await?
    } else {
        list(&mut out, &snapshot);
        return Err(Trouble::usage("Review asks questions, and this is no terminal.")
            .so("Use review --list, review --accept ID…|all, review --reject ID…, review --keep ID, review --undo or --redo, or gen --accept."));
    };
    handle.close().await;
    Ok(code)
}

/// What can be typed at a near difference.
const OF_NEAR: &str = "a meant   o this is a bug   O keep the old outcome as a test   s skip   u undo   q quit > ";
/// What can be typed at all else.
const OF_OTHERS: &str = "a accept   r reject   s skip   o this is a bug   e edit   u undo   q quit > ";

fn list(out: &mut Output, snapshot: &Snapshot) {
    let queue = &snapshot.queue;
    out.result("queue", queue);
    out.result("red", &snapshot.red);
    if queue.is_empty() {
        out.say("Nothing waits. run records what your program does.");
    }
    for (index, row) in queue.iter().enumerate() {
        let proved = row.proved.map_or_else(String::new, |(passed, runs)| format!("  proved {passed}/{runs}"));
        out.say(format!(
            "{}/{}  #{} {}  {}  {}{proved}",
            index + 1,
            queue.len(),
            row.id.0,
            row.kind.word(),
            row.title,
            show::state(row.state)
        ));
    }
    for row in snapshot.red.iter() {
        let change = row.calls.first().map_or_else(String::new, |call| format!("  {}  {}", call.call, call.change));
        let told = row.decision.as_ref().map_or_else(String::new, |decision| format!("  {}", put_away(decision)));
        out.say(format!("red  #{} change  {}{change}{told}", row.proposal.0, row.function));
    }
}

fn chosen(words: &[String], queue: &[QueueRow]) -> Result<Vec<ProposalId>, Trouble> {
    let mut ids = Vec::new();
    for word in words {
        if word == "all" {
            ids.extend(queue.iter().filter(|row| row.state == ProposalState::Ready && row.blocked.is_none()).map(|row| row.id));
            continue;
        }
        let id = word.trim_start_matches('#').parse().map(ProposalId).ok();
        match id.filter(|id| queue.iter().any(|row| row.id == *id)) {
            Some(id) => ids.push(id),
            None => {
                return Err(
                    Trouble::usage(format!("No proposal {word} waits.")).so("review --list shows the numbers of what waits.")
                );
            }
        }
    }
    Ok(ids)
}

/// Says what is not accepted together with others, and how it is accepted.
pub fn left_to_look_at(handle: &Handle, out: &mut Output, alone: &[(ProposalId, Sentence)]) -> Result<(), Trouble> {
    out.result("left_to_look_at", &alone);
    for (id, why) in alone {
        let view = handle.proposal(*id)?;
        // What cannot be written does not get better by being accepted alone.
        let takes = if view.conflict.is_some() { "writes its other tests" } else { "takes it" };
        let todo = view.blocked.and_then(|trouble| trouble.todo);
        let todo = todo.unwrap_or_else(|| format!("review --accept {} {takes}.", id.0).into());
        out.say(format!("Left for you to look at: #{} {}: {why}. {todo}", id.0, view.proposal.subject));
    }
    Ok(())
}

/// Says what was decided, and after accepting how it is taken back.
fn said(out: &mut Output, done: Done, accepted: bool) {
    if let Done::Decided { lines } = done {
        out.result("decided", &lines);
        lines.iter().for_each(|line| out.say(line));
        if accepted && !lines.is_empty() {
            out.say("pytead-tui review --undo takes back what was decided at once.");
        }
    }
}

async fn one_by_one(handle: &Handle, out: &mut Output, screen: &impl Screen) -> Result<u8, Trouble> {
    let mut position = 0;
    loop {
        let queue = handle.refreshed().await.queue.clone();
        let Some(row) = queue.get(position) else {
            out.say(if queue.is_empty() { "All decided." } else { "That was the last one; skipped ones come back next time." });
            return Ok(OK);
        };
        out.say(format!("\nReviewing {}/{}", position + 1, queue.len()));
        let shown = handle.proposal(row.id)?;
        out.say(show::proposal(&shown));
        let keys = if row.kind == ProposalKind::Near { OF_NEAR } else { OF_OTHERS };
        let verb = match ask(keys).await?.as_deref() {
            None | Some("q") => return Ok(OK),
            Some("a") => Verb::Accept,
            Some("r") => Verb::Reject,
            Some("s") => {
                position += 1;
                continue;
            }
            Some("u") => {
                report(out, handle.perform(Command::Undo).await, false);
                position = 0;
                continue;
            }
            Some("e") => {
                let edited = edit(handle, out, row.id, screen).await;
                report(out, edited, false);
                continue;
            }
            Some("o") => Verb::Overrule,
            Some("O") => Verb::Keep,
            Some(other) => {
                out.say(format!("{} means nothing here.", text::display_line(other)));
                continue;
            }
        };
        let reason = match (verb, row.kind) {
            (Verb::Overrule, _) => ask("Why (10 characters or more)? > ").await?,
            (Verb::Reject, ProposalKind::Change) => ask("Why (Enter for none)? > ").await?.filter(|why| !why.trim().is_empty()),
            _ => None,
        };
        let command = if verb == Verb::Accept {
            Command::Accept { proposal: row.id, seen: shown.proposal.sight(&shown.plan) }
        } else {
            Command::Decide { proposals: vec![row.id], verb, reason }
        };
        let decided = with_events(handle, out, handle.perform(command)).await;
        report(out, decided, verb == Verb::Accept);
    }
}

fn report(out: &mut Output, done: Result<Done, Trouble>, accepted: bool) {
    match done {
        Ok(done) => said(out, done, accepted),
        Err(trouble) => out.trouble(&trouble),
    }
}

/// Opens the draft in the person's editor and proves what comes back.
async fn edit(handle: &Handle, out: &mut Output, id: ProposalId, screen: &impl Screen) -> Result<Done, Trouble> {
    let view = handle.proposal(id)?;
    let Some(before) = view.proposal.text() else {
        return Err(Trouble::usage("Only drafts have a text to edit."));
    };
    let after = screen.edit(&before).await?;
    if after == *before {
        return Ok(Done::Nothing);
    }
    with_events(handle, out, handle.perform(Command::Edit { proposal: id, text: after })).await
}
