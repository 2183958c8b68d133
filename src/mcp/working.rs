//! The tools that run something or put something before a person: record a test, replay, diff, propose, explain.

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::command::Command;
use crate::domain::near::Near;
use crate::domain::proposal::ProposalId;
use crate::engine::handle::diff_report;
use crate::engine::{Done, Handle};
use crate::generate::near as words;
use crate::mcp::arguments::Arguments;
use crate::mcp::reading;
use crate::mcp::session::Request;

/// Seconds that one request may run.
pub const SECONDS_MAX: u64 = 600;
/// Bytes of a node id.
const TEST_MAX: usize = 1_000;
/// Lines of a test's output that are given back.
const OUTPUT_SHOWN: usize = 30;
/// Functions of one replay.
const FUNCTIONS_MAX: usize = 100;
/// Bytes of a reference.
const REF_MAX: usize = 200;

/// `record_test`
pub async fn record_test(request: &Request<'_>) -> Result<Value, Trouble> {
    let Request { handle, given, .. } = request;
    let seconds = seconds(given, 120)?;
    let test = node_id(handle, given)?;
    // Never an option, and never a file of options.
    let argv = ["-m", "pytest", "-q", "-p", "no:cacheprovider", &format!("./{test}")].map(str::to_owned).to_vec();
    let command = Command::Record { argv, limit: None, targets: Vec::new() };
    let worked = request.work(seconds, handle.perform(command)).await?;
    let Done::Recorded(recording) = worked.value else { return Err(Trouble::internal("The recording gave no result.")) };
    let snapshot = handle.refreshed().await;
    let row = snapshot.recordings.iter().find(|row| row.id == recording.id);
    let output: Vec<&String> = row.map(|row| row.output.iter().rev().take(OUTPUT_SHOWN).rev().collect()).unwrap_or_default();
    Ok(json!({
        "recording": recording.id, "end": recording.end, "ended_for_its_time": worked.late,
        "calls_seen": recording.seen, "calls_kept": recording.kept, "functions": recording.functions,
        "recorder_reported_in": recording.recorder_seen, "left_out": row.map(|row| row.gaps.iter().map(|(gap, number)| (gap.to_string(), *number)).collect::<Vec<_>>()), "output": output,
    }))
}

/// Reads the node id of a test, which has to name a test file of the project; gives it with that file below the root.
pub fn node_id(handle: &Handle, given: &Arguments) -> Result<String, Trouble> {
    let given = given.text("test", TEST_MAX)?;
    let refused = |why: &str| {
        Trouble::usage(format!("{} is not run.", text::cut(&text::display_line(given), 120)))
            .because(why)
            .so("Give the node id of a test of this project: tests/test_cart.py::test_total.")
    };
    if given.chars().any(char::is_control) {
        return Err(refused("There are control characters in it."));
    }
    let (file, rest) = given.split_once("::").map_or((given, None), |(file, rest)| (file, Some(rest)));
    let path = RelPath::new(file).ok_or_else(|| refused("Its file is not below the project's root."))?;
    let snapshot = handle.snapshot();
    // Files behind links are not in the index, nor is anything outside the root.
    if !snapshot.files.iter().any(|row| row.path == path && row.is_test) {
        return Err(refused("The project has no such test file."));
    }
    Ok(match rest {
        Some(rest) => format!("{path}::{rest}"),
        None => path.to_string(),
    })
}

/// Lines about edits in an answer.
const EDITS_SHOWN: usize = 30;

/// `replay`
pub async fn replay(request: &Request<'_>) -> Result<Value, Trouble> {
    let Request { handle, given, .. } = request;
    let seconds = seconds(given, 300)?;
    let mut functions = Vec::new();
    for name in given.texts("functions", FUNCTIONS_MAX)? {
        functions.extend(handle.find(text::cut(&name, reading::NAME_MAX).as_ref())?);
    }
    let worked = request.work(seconds, handle.perform(Command::Replay { functions })).await?;
    if worked.late {
        return Err(too_late());
    }
    let Done::Replayed { calls, same, changed, not_compared, edits } = worked.value else {
        return Err(Trouble::internal("The replay gave no result."));
    };
    let (beside, remarks) = near(request, seconds, handle.near(None, &edits)).await;
    let snapshot = handle.refreshed().await;
    let rows = snapshot.queue.iter().filter(|row| changed.contains(&row.id)).take(20);
    let shown: Vec<Value> = rows.map(|row| reading::change_line(handle, row)).collect();
    Ok(json!({
        "calls": calls, "as_before": same, "functions_changed": changed.len(), "not_compared": not_compared, "changes": shown,
        "edits": edits.lines().into_iter().take(EDITS_SHOWN).collect::<Vec<_>>(), "edits_sum": edits.sum(),
        "near_differences": beside, "near_remarks": remarks,
    }))
}

/// `diff`
pub async fn diff(request: &Request<'_>) -> Result<Value, Trouble> {
    let Request { handle, given, .. } = request;
    let seconds = seconds(given, 300)?;
    let reference = given.optional("ref", REF_MAX)?.unwrap_or("HEAD").trim().to_owned();
    if reference.starts_with('-') || reference.chars().any(char::is_control) {
        return Err(Trouble::usage(format!("There is no commit {}.", text::display_line(&reference))));
    }
    let worked = request.work(seconds, handle.perform(Command::Diff { reference })).await?;
    if worked.late {
        return Err(too_late());
    }
    let Done::Diffed(diff) = worked.value else { return Err(Trouble::internal("The comparison gave no result.")) };
    let (beside, remarks) = near(request, seconds, handle.near(Some(&diff.reference), &diff.edits)).await;
    let proposals: Vec<Value> = diff
        .functions
        .iter()
        .filter_map(|one| Some(json!({ "function": one.function, "proposal": one.proposal? })))
        .take(50)
        .collect();
    Ok(json!({
        "silent": diff.is_silent(), "functions_changed": diff.functions.len(), "waiting": proposals,
        "report": diff_report::agent(&diff, diff_report::AGENT_MAX), "near_differences": beside, "near_remarks": remarks,
    }))
}

/// Says what differs beside the recorded calls, and what was not searched or why the search failed: the answer stands without it.
async fn near(
    request: &Request<'_>,
    seconds: u64,
    search: impl Future<Output = Result<Near, Trouble>>,
) -> (Vec<String>, Vec<String>) {
    match request.work(seconds, search).await {
        Ok(found) if !found.late => (found.value.differences.iter().map(words::line).collect(), found.value.remarks()),
        Ok(_) => (Vec::new(), Near::failed("The search ran out of time.").remarks()),
        Err(trouble) => (Vec::new(), Near::failed(trouble.to_string()).remarks()),
    }
}

/// `propose_draft`
pub async fn propose(request: &Request<'_>) -> Result<Value, Trouble> {
    let Request { session, handle, given, context, .. } = request;
    let seconds = seconds(given, 300)?;
    let text = given.text("text", 64 << 10)?.to_owned();
    let remark = given.optional("remark", 2_000)?.map(str::to_owned);
    let function = reading::one(handle, given.text("function", reading::NAME_MAX)?)?;
    session.count_draft()?;
    let command = Command::Propose { function, text, remark, by: agent(context) };
    let worked = request.work(seconds, handle.perform(command)).await?;
    let Done::Proposal(id) = worked.value else { return Err(Trouble::internal("The proposal was not kept.")) };
    reading::shown(handle, id)
}

/// `explain_change`
pub async fn explain(request: &Request<'_>) -> Result<Value, Trouble> {
    let Request { handle, given, context, .. } = request;
    let proposal = ProposalId(given.id("proposal")?);
    let note = given.text("note", 4_000)?.to_owned();
    handle.perform(Command::Explain { proposal, note, by: agent(context) }).await?;
    reading::shown(handle, proposal)
}

/// Gives the name the agent gave itself; nothing is decided by it.
pub fn agent(context: &RequestContext<RoleServer>) -> String {
    context.peer.peer_info().map(|info| info.client_info.name.clone()).unwrap_or_default()
}

/// Gives the seconds that something may run.
pub fn seconds(given: &Arguments, default: u64) -> Result<u64, Trouble> {
    Ok(given.number("seconds", default, SECONDS_MAX)?.max(1))
}

pub fn too_late() -> Trouble {
    Trouble::environment("It ran out of time, so the result is unknown.").so("Ask for fewer functions, or more seconds.")
}
