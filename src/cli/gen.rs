//! `pytead-tui gen`: drafts from recordings, proved; with `--accept` written, with `--check` compared.

use std::collections::HashSet;
use std::path::Path;

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{Gen, Global};
use crate::cli::events::interruptible;
use crate::cli::exit::{FINDINGS, INTERRUPTED, OK};
use crate::cli::output::{Output, note};
use crate::cli::start::trusted_engine;
use crate::cli::{reasons, review, show};
use crate::domain::command::Command;
use crate::domain::decision::Verb;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::domain::snapshot::Mark;
use crate::engine::{Done, ExportTo, Handle};

/// Drafts, proves and prints; writes where asked.
pub async fn generate(global: &Global, args: Gen) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let handle = trusted_engine(global, &mut out).await?;
    args.former.take_in(&handle, &mut out).await?;
    let mut functions = Vec::new();
    for text in args.functions.iter().chain(&args.targets) {
        functions.extend(handle.find(text)?);
    }
    let code = if !args.why.is_empty() {
        let mut named = Vec::new();
        for text in &args.why {
            named.extend(handle.find(text)?);
        }
        let found = interruptible(&handle, &mut out, handle.why(named)).await?;
        let Some(found) = found else { return Ok(INTERRUPTED) };
        reasons::explain(&handle, &mut out, &found)?;
        OK
    } else if args.check {
        check(&handle, &mut out).await?
    } else {
        let wanted = functions.clone();
        let Some(mut ready) = drafts(&handle, &mut out, functions, args.accept).await? else { return Ok(INTERRUPTED) };
        if args.near {
            let Some(more) = beside(&handle, &mut out, wanted).await? else { return Ok(INTERRUPTED) };
            ready.extend(more);
        }
        place(&handle, &mut out, &ready, args.accept, args.output.as_deref(), args.dir.as_deref())?;
        OK
    };
    handle.close().await;
    Ok(code)
}

/// Writes proved drafts where somebody asked for them, or says that nothing was written.
pub fn place(
    handle: &Handle,
    out: &mut Output,
    ready: &[ProposalId],
    accepted: bool,
    file: Option<&Path>,
    folder: Option<&Path>,
) -> Result<(), Trouble> {
    match (file, folder) {
        (Some(file), _) => export(handle, out, ready, ExportTo::File(file)),
        (None, Some(folder)) => export(handle, out, ready, ExportTo::Folder(folder)),
        (None, None) => {
            if !ready.is_empty() && !accepted {
                out.say("Nothing was written. gen --accept writes what is proved; review decides one by one.");
            }
            Ok(())
        }
    }
}

/// Drafts and proves, prints every draft with its evidence, accepts when asked; gives the proved ones, `None` when it was
/// interrupted.
pub async fn drafts(
    handle: &Handle,
    out: &mut Output,
    functions: Vec<FunctionId>,
    accept: bool,
) -> Result<Option<Vec<ProposalId>>, Trouble> {
    let asked = functions.clone();
    let done = interruptible(handle, out, handle.perform(Command::Draft { functions })).await?;
    let Some(done) = done else { return Ok(None) };
    let Done::Drafted { ready, refused, left_out } = done else {
        return Err(Trouble::internal("Drafting gave no result."));
    };
    for id in ready.iter().chain(&refused) {
        let view = handle.proposal(*id)?;
        out.result("proposal", &view);
        // What failed is written nowhere: `gen --why` and `review` show its text.
        let is_text_shown = view.proposal.state != ProposalState::Refused;
        out.say(if is_text_shown { show::proposal(&view) } else { show::head(&view.proposal) });
    }
    out.result("left_out", &left_out);
    show::unparsed(handle, out)?;
    let drafted: HashSet<FunctionId> =
        ready.iter().chain(&refused).filter_map(|id| handle.proposal(*id).ok()?.proposal.function().cloned()).collect();
    // Of a function that was asked for and has its test, there is nothing to say against the rest of its calls.
    let snapshot = handle.refreshed().await;
    let is_tested = |id: &FunctionId| snapshot.functions.iter().any(|row| row.id == *id && row.mark == Mark::Tested);
    let tested: Vec<&FunctionId> = asked.iter().filter(|id| !drafted.contains(*id) && is_tested(id)).collect();
    for function in &tested {
        out.say(format!("{function}: its test is accepted already, and there is nothing new to draft."));
    }
    let is_left = |function: &FunctionId| !drafted.contains(function) && !tested.contains(&function);
    let functions = reasons::grouped(out, &left_out, is_left);
    if ready.is_empty() && refused.is_empty() && left_out.is_empty() {
        if accept {
            accept_all(handle, out, &[]).await?;
        }
        out.say(if handle.snapshot().recordings.is_empty() {
            "Nothing to draft from: nothing is recorded yet. pytead-tui run records what a program does."
        } else {
            "Nothing new to draft from what is recorded."
        });
        return Ok(Some(ready));
    }
    out.say(format!(
        "\n{} proved, {} refused, {} without a test.",
        text::count(ready.len(), "draft"),
        text::thousands(refused.len()),
        text::count(functions, "function")
    ));
    if accept {
        accept_all(handle, out, &ready).await?;
    }
    Ok(Some(ready))
}

/// Proposes inputs beside the recorded ones for these functions, or for all with a test or a draft; they are accepted one by one.
async fn beside(handle: &Handle, out: &mut Output, functions: Vec<FunctionId>) -> Result<Option<Vec<ProposalId>>, Trouble> {
    let snapshot = handle.refreshed().await;
    let served = snapshot.functions.iter().filter(|row| row.drafts > 0 || row.mark == Mark::Tested).map(|row| row.id.clone());
    let functions = if functions.is_empty() { served.collect() } else { functions };
    let done = interruptible(handle, out, handle.perform(Command::DraftNear { functions })).await?;
    let Some(done) = done else { return Ok(None) };
    let Done::Drafted { ready, refused, .. } = done else { return Err(Trouble::internal("Drafting gave no result.")) };
    for id in ready.iter().chain(&refused) {
        let view = handle.proposal(*id)?;
        out.result("proposal", &view);
        out.say(show::proposal(&view));
    }
    out.say(format!("{} beside the recorded inputs proved, {} refused.", text::count(ready.len(), "draft"), refused.len()));
    Ok(Some(ready))
}

/// Accepts what may be accepted many at once, and says what is left for a person to look at.
async fn accept_all(handle: &Handle, out: &mut Output, ready: &[ProposalId]) -> Result<(), Trouble> {
    let (together, alone) = handle.in_bulk(ready)?;
    if !together.is_empty() {
        let done = handle.perform(Command::Decide { proposals: together, verb: Verb::Accept, reason: None }).await?;
        if let Done::Decided { lines } = done {
            out.result("decided", &lines);
            lines.iter().for_each(|line| out.say(line));
            out.say("pytead-tui review --undo takes all of it back.");
        }
    }
    review::left_to_look_at(handle, out, &alone)?;
    let gone = handle.note_deleted()?;
    out.result("noted_deleted", &gone);
    gone.iter().for_each(|test| out.say(format!("{test} was deleted by hand; it stays so.")));
    Ok(())
}

/// Says whether accepted tests are what would be drafted now.
async fn check(handle: &Handle, out: &mut Output) -> Result<u8, Trouble> {
    let done = interruptible(handle, out, handle.check_accepted()).await?;
    let Some(done) = done else { return Ok(INTERRUPTED) };
    let Done::Checked { lines } = done else {
        return Err(Trouble::internal("The check gave no result."));
    };
    out.result("check", &lines);
    lines.iter().for_each(|line| out.say(line));
    let edited = handle.changed_by_hand()?;
    if !edited.is_empty() {
        let tests = text::count(edited.len(), "accepted test");
        note(&format!("{tests} changed by hand since: {}. What stands there counts; git diff shows it.", edited.join(", ")));
    }
    if lines.is_empty() {
        out.say("No accepted test is gone, and none would be drafted otherwise from the calls recorded here.");
        return Ok(OK);
    }
    Ok(FINDINGS)
}

/// Writes proved drafts somewhere else than into the project's tests; what an existing file holds is never overwritten.
fn export(handle: &Handle, out: &mut Output, ready: &[ProposalId], target: ExportTo<'_>) -> Result<(), Trouble> {
    for file in handle.export(ready, target)? {
        out.result("wrote", &file);
        let path = text::display_line(&file.path.display().to_string()).into_owned();
        out.say(format!("Wrote {path} ({}).", text::count(file.lines, "line")));
        if !file.other.is_empty() {
            let other = file.other.join(", ");
            out.say(format!("{path} has these tests with another text, and they stay: {other}. Delete one to get it anew."));
        }
    }
    Ok(())
}
