//! The tools that only read: functions, calls, changes, proposals.

use serde_json::{Value, json};

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::call::CallId;
use crate::domain::evidence::Evidence;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Body, CallChange, Change, Edit, Origin, ProposalId, ProposalKind};
use crate::domain::reason::Reason;
use crate::domain::snapshot::{CallRow, QueueRow};
use crate::engine::Handle;
use crate::generate::near as words;
use crate::mcp::answers::Page;
use crate::mcp::arguments::Arguments;

/// Bytes of a function's name.
pub const NAME_MAX: usize = 500;
/// Characters of a value in a list.
const LINE: usize = 300;
/// Calls of a change in a list, and when it is shown.
const CALLS_LISTED: usize = 2;
const CALLS_SHOWN: usize = 10;
/// Lines of an edit that are shown.
const HUNK_SHOWN: usize = 30;

/// `list_functions`
pub async fn functions(handle: &Handle, given: &Arguments) -> Result<Value, Trouble> {
    let page = page(given, 50, 200)?;
    let query = given.optional("query", NAME_MAX)?.unwrap_or_default().to_lowercase();
    let recorded = match given.optional("recorded", 10)? {
        None | Some("any") => None,
        Some("yes") => Some(true),
        Some("no") => Some(false),
        Some(_) => return Err(Trouble::usage("recorded is any, yes or no.")),
    };
    let snapshot = handle.refreshed().await;
    let wanted: Vec<_> = snapshot
        .functions
        .iter()
        .filter(|row| recorded.is_none_or(|recorded| recorded == (row.calls > 0)))
        .filter(|row| row.id.0.to_lowercase().contains(&query) || row.path.as_str().to_lowercase().contains(&query))
        .collect();
    Ok(page.of(&wanted, "functions", |row| {
        json!({
            "function": row.id, "path": row.path, "line": row.line, "calls": row.calls, "mark": row.mark,
            "drafts": row.drafts, "changes": row.changes,
        })
    }))
}

/// `show_function`
pub async fn function(handle: &Handle, given: &Arguments) -> Result<Value, Trouble> {
    let id = one(handle, given.text("function", NAME_MAX)?)?;
    let snapshot = handle.refreshed().await;
    let row = snapshot.functions.iter().find(|row| row.id == id);
    let row = row.ok_or_else(|| Trouble::usage(format!("No function {id}.")))?;
    let waiting: Vec<Value> = snapshot.queue.iter().filter(|waiting| waiting.subject.is(&id)).map(line).collect();
    Ok(json!({
        "function": id, "path": row.path, "lines": row.lines, "calls": row.calls, "mark": row.mark,
        "no_test_because": row.reason.as_ref().map(Reason::message), "waiting": waiting, "source": source(handle, &id)?,
    }))
}

/// Gives the lines of a function.
pub fn source(handle: &Handle, id: &FunctionId) -> Result<String, Trouble> {
    let function = handle.function(id).ok_or_else(|| Trouble::usage(format!("No function {id}.")))?;
    let file = handle.source(&function.path)?;
    let (first, last) = (function.span.first as usize, function.span.last as usize);
    let lines = file.lines().skip(first.saturating_sub(1)).take(last.saturating_sub(first) + 1);
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// `list_calls`
pub fn calls(handle: &Handle, given: &Arguments) -> Result<Value, Trouble> {
    let page = page(given, 20, 100)?;
    let id = one(handle, given.text("function", NAME_MAX)?)?;
    Ok(page.of(&handle.calls(&id)?, "calls", call_line))
}

/// Writes a recorded call as a line of a list.
pub fn call_line(row: &CallRow) -> Value {
    json!({
        "call": row.id, "arguments": text::cut(&row.arguments, LINE), "outcome": text::cut(&row.outcome, LINE),
        "times": row.times, "caller": row.caller, "not_run_again_because": row.not_replayable.as_ref().map(Reason::message),
    })
}

/// `show_call`
pub fn call(handle: &Handle, given: &Arguments) -> Result<Value, Trouble> {
    let number = CallId(given.id("call")?);
    let id = one(handle, given.text("function", NAME_MAX)?)?;
    let all = handle.calls(&id)?;
    let row = all.iter().find(|row| row.id == number);
    let row = row.ok_or_else(|| Trouble::usage(format!("{id} has no recorded call {}.", number.0)))?;
    Ok(json!({
        "call": row.id, "function": id, "recording": row.recording, "times": row.times, "caller": row.caller,
        "receiver": row.receiver, "calls_made": row.inner, "changed": row.changed, "whole": row.full,
    }))
}

/// `list_changes`
pub async fn changes(handle: &Handle, given: &Arguments) -> Result<Value, Trouble> {
    let page = page(given, 20, 100)?;
    let snapshot = handle.refreshed().await;
    let changes: Vec<&QueueRow> = snapshot.queue.iter().filter(|row| row.kind == ProposalKind::Change).collect();
    Ok(page.of(&changes, "changes", |row| change_line(handle, row)))
}

/// Writes a change as an entry of a list, with its first calls.
pub fn change_line(handle: &Handle, row: &QueueRow) -> Value {
    let mut out = line(row);
    if let Ok(view) = handle.proposal(row.id)
        && let Some(change) = view.proposal.change()
    {
        out["calls"] = change_calls(change, CALLS_LISTED);
        out["same"] = change.same.into();
    }
    out
}

/// `list_proposals`
pub async fn proposals(handle: &Handle, given: &Arguments) -> Result<Value, Trouble> {
    let page = page(given, 20, 100)?;
    let snapshot = handle.refreshed().await;
    Ok(page.of(&snapshot.queue, "proposals", line))
}

/// `show_proposal`
pub fn proposal(handle: &Handle, given: &Arguments) -> Result<Value, Trouble> {
    shown(handle, ProposalId(given.id("proposal")?))
}

fn by_rules(origin: &Origin) -> &'static str {
    if *origin == Origin::Near { "rules, from an input beside the recorded ones" } else { "rules, from recorded calls" }
}

/// Writes a proposal with its evidence.
pub fn shown(handle: &Handle, id: ProposalId) -> Result<Value, Trouble> {
    let view = handle.proposal(id)?;
    let proposal = &view.proposal;
    let mut out = json!({
        "proposal": proposal.id, "function": proposal.subject, "state": proposal.state,
        "evidence": proposal.evidence.iter().map(evidence).collect::<Vec<_>>(),
        "not_acceptable_because": view.blocked.as_ref().map(ToString::to_string),
    });
    match &proposal.body {
        Body::Draft(draft) => {
            out["kind"] = "draft".into();
            out["by"] = draft.origin.author().unwrap_or_else(|| by_rules(&draft.origin).into()).into();
            out["file"] = json!(draft.target);
            out["text"] = proposal.edited.clone().unwrap_or_else(|| draft.standalone()).into();
        }
        Body::Verdict(open) => {
            out["kind"] = "verdict".into();
            out["test"] = open.test.clone().into();
            out["intent"] = open.intent.clone().into();
            out["verdict"] = json!(open.verdict);
        }
        Body::Spec(spec) => {
            out["kind"] = "yaml test".into();
            out["by"] = spec.origin.author().into();
            out["asked_for"] = spec.asked.clone().into();
            out["file"] = json!(spec.test.path);
            out["text"] = proposal.text().into();
            out["plugin"] = json!(spec.plugin.as_ref().map(|plugin| &plugin.file));
        }
        Body::Near(near) => {
            out["kind"] = "near".into();
            out["near"] = words::line(&near.difference).into();
            out["edits"] = near.because.iter().map(edit).collect();
        }
        Body::Change(change) => {
            out["kind"] = "change".into();
            out["calls"] = change_calls(change, CALLS_SHOWN);
            out["same"] = change.same.into();
            out["edits"] = change.because.iter().map(edit).collect();
        }
    }
    Ok(out)
}

fn edit(edit: &Edit) -> Value {
    let lines: Vec<&String> = edit.hunk.iter().take(HUNK_SHOWN).collect();
    let function = edit.subject.file().is_none().then_some(&edit.subject);
    json!({ "function": function, "path": edit.path, "line": edit.line, "edit": lines })
}

fn change_calls(change: &Change, most: usize) -> Value {
    let line = |call: &CallChange| {
        let at = (!call.difference.path.is_empty()).then_some(&call.difference.path);
        json!({
            "call": call.call, "arguments": text::cut(&call.arguments, LINE), "times": call.times,
            "old": call.old.outcome.summary(LINE), "new": call.new.outcome.summary(LINE), "differs_at": at,
        })
    };
    let mut out: Vec<Value> = change.calls.iter().take(most).map(line).collect();
    if change.calls.len() > most {
        out.push(format!("and {} more", text::count(change.calls.len() - most, "call")).into());
    }
    out.into()
}

fn evidence(line: &Evidence) -> Value {
    let more: Vec<&String> = line.more.iter().take(8).collect();
    json!({ "finding": line.finding, "what": line.what, "detail": line.detail, "more": more })
}

fn line(row: &QueueRow) -> Value {
    json!({
        "proposal": row.id, "kind": row.kind, "function": row.subject, "path": row.path, "title": row.title,
        "state": row.state,
    })
}

/// Finds the one function that is meant.
pub fn one(handle: &Handle, wanted: &str) -> Result<FunctionId, Trouble> {
    match handle.find(wanted)?.as_slice() {
        [one] => Ok(one.clone()),
        several => {
            let names: Vec<String> = several.iter().take(5).map(ToString::to_string).collect();
            let trouble = Trouble::usage(format!("{} names {} functions.", text::display_line(wanted), several.len()));
            Err(trouble.so(format!("Choose one: {}.", names.join(", "))))
        }
    }
}

/// Reads which part of a list is wanted.
pub fn page(given: &Arguments, default: u64, max: u64) -> Result<Page, Trouble> {
    let from = given.number("cursor", 0, u64::from(u32::MAX))?;
    let limit = given.number("limit", default, max)?.max(1);
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(Page { from: whole(from), limit: whole(limit) })
}
