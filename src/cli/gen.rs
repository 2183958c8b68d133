//! `pytead-tui gen`: drafts from recordings, proved; with `--accept` written, with `--check` compared.

use std::collections::HashSet;

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{Gen, Global};
use crate::cli::output::Output;
use crate::cli::{FINDINGS, OK, show, trusted_engine};
use crate::domain::command::Command;
use crate::domain::decision::Verb;
use crate::domain::function::FunctionId;
use crate::domain::proposal::ProposalId;
use crate::engine::{Done, ExportTo, Handle};

/// Drafts, proves and prints; writes where asked.
pub async fn generate(global: &Global, args: Gen) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let handle = trusted_engine(global).await?;
    let mut functions = Vec::new();
    for text in &args.functions {
        functions.extend(handle.find(text)?);
    }
    let code = if args.check {
        check(&handle, &mut out).await?
    } else {
        let ready = drafts(&handle, &mut out, functions, args.accept).await?;
        if let Some(file) = &args.output {
            export(&handle, &mut out, &ready, ExportTo::File(file))?;
        }
        if let Some(folder) = &args.dir {
            export(&handle, &mut out, &ready, ExportTo::Folder(folder))?;
        }
        OK
    };
    handle.close().await;
    Ok(code)
}

/// Drafts and proves, prints every draft with its evidence, accepts when asked; gives the proved ones.
pub async fn drafts(
    handle: &Handle,
    out: &mut Output,
    functions: Vec<FunctionId>,
    accept: bool,
) -> Result<Vec<ProposalId>, Trouble> {
    let Done::Drafted { ready, refused, left_out } = handle.perform(Command::Draft { functions }).await? else {
        return Err(Trouble::internal("Drafting gave no result."));
    };
    for id in ready.iter().chain(&refused) {
        let view = handle.proposal(*id)?;
        out.result("proposal", &view);
        out.say(show::proposal(&view));
    }
    out.result("left_out", &left_out);
    let drafted: HashSet<FunctionId> =
        ready.iter().chain(&refused).filter_map(|id| Some(handle.proposal(*id).ok()?.proposal.function)).collect();
    let without: Vec<_> = left_out.iter().filter(|(function, _)| !drafted.contains(function)).collect();
    let functions: HashSet<&FunctionId> = without.iter().map(|(function, _)| function).collect();
    if !without.is_empty() {
        out.say("\nNo test possible yet for:");
        for (function, reason) in &without {
            out.say(format!(
                "  - {function}: {} ({})",
                reason.reason,
                text::count(usize::try_from(reason.calls).unwrap_or(0), "call")
            ));
        }
    }
    out.say(format!(
        "\n{} proved, {} refused, {} without a test.",
        text::count(ready.len(), "draft"),
        text::thousands(refused.len()),
        text::count(functions.len(), "function")
    ));
    if accept && !ready.is_empty() {
        let done = handle.perform(Command::Decide { proposals: ready.clone(), verb: Verb::Accept, reason: None }).await?;
        if let Done::Decided { lines } = done {
            lines.iter().for_each(|line| out.say(line));
        }
    } else if !ready.is_empty() {
        out.say("Nothing was written. gen --accept writes what is proved; review decides one by one.");
    }
    Ok(ready)
}

/// Says whether accepted tests are what would be drafted now.
async fn check(handle: &Handle, out: &mut Output) -> Result<u8, Trouble> {
    let Done::Checked { lines } = handle.check_accepted().await? else {
        return Err(Trouble::internal("The check gave no result."));
    };
    out.result("check", &lines);
    lines.iter().for_each(|line| out.say(line));
    if lines.is_empty() {
        out.say("Accepted tests are as they would be drafted now.");
        return Ok(OK);
    }
    Ok(FINDINGS)
}

/// Writes proved drafts somewhere else than into the project's tests; an existing file is never overwritten.
fn export(handle: &Handle, out: &mut Output, ready: &[ProposalId], target: ExportTo<'_>) -> Result<(), Trouble> {
    for (path, lines) in handle.export(ready, target)? {
        out.say(format!("Wrote {} ({}).", path.display(), text::count(lines, "line")));
    }
    Ok(())
}
