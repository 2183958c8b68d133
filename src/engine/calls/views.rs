//! What front ends read in detail: source, calls, proposals. Values are decoded and made readable here.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::call::{Argument, Call, CallId, Effect, Outcome, RecordingId};
use crate::domain::function::FunctionId;
use crate::domain::observation::Observation;
use crate::domain::proposal::{Body, Proposal, ProposalId, ProposalState};
use crate::domain::snapshot::{CallKind, CallRow, OtherDraft, ProposalView, RecordedRow};
use crate::domain::touch::Touch;
use crate::engine::edits::plan::{self, Overlay, planned};
use crate::engine::review::known_failures;
use crate::engine::state::core::Core;
use crate::engine::state::rows;
use crate::python::value;
use crate::source::index::Index;
use crate::store::{StoredCall, StoredOutcome};
use crate::write::plan::in_order;

/// Calls of a function that are read at most.
pub const CALLS_MAX: usize = 400;
/// Calls of a recording that are listed at most.
const RECORDED_MAX: usize = 200_000;
/// Characters of the arguments, and of the outcome, of a listed call.
const RECORDED_LINE: usize = 120;
/// Calls shown that were made from a call.
const INNER_MAX: usize = 20;
/// Characters of a value on one line.
const LINE: usize = 400;
/// Characters of a value shown whole.
const WHOLE: usize = 200_000;
/// Source files larger than this are not shown.
const SOURCE_MAX: u64 = 2 << 20;

/// Reads a source file.
pub fn source(core: &Core, path: &RelPath) -> Result<Arc<str>, Trouble> {
    let full = path.under(&core.root);
    let fail = |error: std::io::Error| Trouble::environment(format!("{path} cannot be read.")).because(error);
    let meta = std::fs::symlink_metadata(&full).map_err(fail)?;
    if !meta.is_file() || meta.len() > SOURCE_MAX {
        return Err(
            Trouble::environment(format!("{path} is not shown.")).because("It is no ordinary file, or larger than 2 MiB.")
        );
    }
    let bytes = std::fs::read(&full).map_err(fail)?;
    Ok(String::from_utf8_lossy(&bytes).into())
}

/// Decodes a stored call; what cannot be decoded is a reason, not an error.
pub fn decode(stored: StoredCall) -> Call {
    let broken = |what: &str| Argument {
        name: what.to_owned(),
        kind: crate::domain::function::ParamKind::PositionalOrKeyword,
        value: crate::domain::value::Value::Opaque { ordinal: 0, ty: crate::domain::value::TypeName::new("", "unreadable") },
    };
    let args = value::arguments(&stored.args).unwrap_or_else(|_| vec![broken("arguments")]);
    let effect = match stored.outcome.as_deref().map(value::outcome) {
        Some(Ok(effect)) => effect,
        Some(Err(_)) | None => Effect { outcome: Outcome::Unfinished, changed: Vec::new() },
    };
    Call {
        id: stored.id,
        recording: stored.recording,
        function: stored.function,
        parent: stored.parent,
        caller: stored.caller,
        caller_line: stored.caller_line,
        direct: stored.direct,
        thread: stored.thread,
        task: stored.task,
        receiver: stored.receiver,
        start_ns: stored.start_ns,
        duration_ns: stored.duration_ns,
        args,
        effect,
        touches: stored.touches,
        observed: Observation::default(),
        times: stored.times,
        input: stored.input,
    }
}

/// Gives the calls of a recording that end and may be run again.
pub fn replayable_of(core: &Core, recording: RecordingId) -> Result<Vec<Call>, Trouble> {
    let calls = core.store().calls_in(recording)?;
    Ok(calls
        .into_iter()
        .filter(|call| call.not_replayable.is_none())
        .map(decode)
        .filter(|call| call.not_replayable().is_none())
        .collect())
}

/// Gives the calls of a function that were seen to repeat, each with its baseline.
pub fn confirmed_calls(core: &Core, function: &FunctionId) -> Result<Vec<(Call, Effect)>, Trouble> {
    parted_calls(core, function).map(|(confirmed, _)| confirmed)
}

/// As [`confirmed_calls`], and how many others are kept of the function: they may not run, or run alone they end differently.
pub fn parted_calls(core: &Core, function: &FunctionId) -> Result<(Vec<(Call, Effect)>, u64), Trouble> {
    let stored = core.store().calls_of(function, CALLS_MAX)?;
    let kept = stored.len();
    let stored: Vec<StoredCall> =
        stored.into_iter().filter(|call| call.not_replayable.is_none() && call.outcome.is_some()).collect();
    let ids: Vec<CallId> = stored.iter().map(|call| call.id).collect();
    let baselines = core.store().baselines(&ids)?;
    let repeated = core.store().repeated(&ids)?;
    let mut out = Vec::new();
    for call in stored {
        if !repeated.contains(&call.id) {
            continue;
        }
        let Some(Ok(baseline)) = baselines.get(&call.id).map(|bytes| value::outcome(bytes)) else { continue };
        out.push((decode(call), baseline));
    }
    let others = (kept - out.len()) as u64;
    Ok((out, others))
}

/// Gives the known outcomes of calls under a version of the code, each with the functions it ran through.
pub fn outcomes(
    core: &Core,
    calls: impl Iterator<Item = CallId>,
    code: Digest,
) -> Result<HashMap<CallId, (Effect, Vec<FunctionId>)>, Trouble> {
    let stored = core.store().outcomes(&calls.collect::<Vec<_>>(), code)?;
    let decoded = |(call, stored): (CallId, StoredOutcome)| Some((call, (value::outcome(&stored.outcome).ok()?, stored.entered)));
    Ok(stored.into_iter().filter_map(decoded).collect())
}

/// Says where a call was made: `checkout order.py:41`.
pub fn place(index: &Index, id: &FunctionId, line: Option<u32>) -> String {
    let file = index.function(id).map_or_else(|| id.module().to_owned(), |f| f.path.file_name().to_owned());
    match line {
        Some(line) => format!("{} {file}:{line}", id.qualname()),
        None => format!("{} {file}", id.qualname()),
    }
}

/// Gives the newest recorded calls of a function as rows.
pub fn calls(core: &Core, function: &FunctionId) -> Result<Vec<CallRow>, Trouble> {
    call_lines(core, core.store().calls_of(function, CALLS_MAX)?)
}

/// Gives some kinds of calls as rows; those that are gone are left out.
pub fn call_rows(core: &Core, kinds: &[CallKind]) -> Result<Vec<CallRow>, Trouble> {
    let ids: Vec<CallId> = kinds.iter().map(|kind| kind.id).collect();
    let mut stored = core.store().calls(&ids)?;
    for call in &mut stored {
        call.times = kinds.iter().find(|kind| kind.id == call.id).map_or(call.times, |kind| kind.times);
    }
    call_lines(core, stored)
}

fn call_lines(core: &Core, stored: Vec<StoredCall>) -> Result<Vec<CallRow>, Trouble> {
    let index = core.index();
    let ids: Vec<CallId> = stored.iter().map(|call| call.id).collect();
    let mut inside: HashMap<CallId, Vec<String>> = HashMap::new();
    for child in core.store().children(&ids, INNER_MAX)? {
        let Some(parent) = child.parent else { continue };
        let call = decode(child);
        let line = format!("{}{} {}", call.function.qualname(), call.arguments(120), call.effect.outcome.summary(120));
        inside.entry(parent).or_default().push(text::display_line(&line).into_owned());
    }
    let mut rows = Vec::with_capacity(stored.len());
    for stored in stored {
        let reason = stored.not_replayable.clone();
        let call = decode(stored);
        let inner = inside.remove(&call.id).unwrap_or_default();
        let caller = call.caller.as_ref().map(|id| place(&index, id, call.caller_line));
        rows.push(row(&call, inner, caller, reason.or_else(|| call.not_replayable())));
    }
    Ok(rows)
}

/// Gives the kept calls of a recording as rows, in the order they began.
pub fn recorded(core: &Core, recording: RecordingId) -> Result<Vec<RecordedRow>, Trouble> {
    let mut rows = Vec::new();
    let mut depths: HashMap<CallId, u16> = HashMap::new();
    core.store().each_call_in(recording, RECORDED_MAX, |stored| {
        let call = decode(stored);
        let depth = call.parent.and_then(|parent| depths.get(&parent)).map_or(0, |depth| depth.saturating_add(1));
        depths.insert(call.id, depth);
        rows.push(RecordedRow {
            id: call.id,
            depth,
            arguments: text::display_line(&call.arguments(RECORDED_LINE)).into_owned(),
            outcome: text::display_line(&call.effect.outcome.summary(RECORDED_LINE)).into_owned(),
            failed: call.effect.outcome.is_failure(),
            times: call.times,
            duration_ns: call.duration_ns,
            input: call.input,
            function: call.function,
        });
    })?;
    Ok(rows)
}

fn row(call: &Call, inner: Vec<String>, caller: Option<String>, not_replayable: Option<String>) -> CallRow {
    let line = |text: String| text::display_line(&text).into_owned();
    let receiver = call.receiver.and_then(|ordinal| {
        let first = call.args.first()?;
        Some(line(format!("{}#{ordinal}", first.value.type_name())))
    });
    let changed: Vec<String> =
        call.effect.changed.iter().map(|(name, value)| line(format!("{name} is now {}", value.summary(LINE)))).collect();
    let mut full = vec![format!("{}{}", call.callee().qualname(), call.arguments(WHOLE))];
    full.extend(call.args.iter().map(|arg| format!("  {} = {}", arg.name, arg.value.summary(WHOLE))));
    full.push(call.effect.outcome.summary(WHOLE));
    full.extend(call.effect.changed.iter().map(|(name, value)| format!("  {name} is now {}", value.summary(WHOLE))));
    let told = call.touches.iter().filter(|touch| !matches!(touch, Touch::Content { .. } | Touch::Bound(_) | Touch::StandIn(_)));
    full.extend(told.map(|touch| format!("  touched {}: {}", touch.kind(), touch.detail())));
    full.extend(not_replayable.iter().map(|reason| format!("  not run again: {reason}")));
    CallRow {
        id: call.id,
        args: call.args.iter().map(|arg| (line(arg.name.clone()), line(arg.value.summary(LINE)))).collect(),
        arguments: line(call.arguments(LINE)),
        outcome: line(call.effect.outcome.summary(LINE)),
        failed: call.effect.outcome.is_failure(),
        times: call.times,
        duration_ns: call.duration_ns,
        inner,
        caller: caller.map(line),
        receiver,
        changed,
        not_replayable: not_replayable.map(line),
        recording: call.recording,
        thread: call.thread,
        full: full.into_iter().map(line).collect(),
    }
}

/// Gives a proposal with what accepting it would write now.
pub fn proposal(core: &Core, id: ProposalId) -> Result<ProposalView, Trouble> {
    let proposal = core.proposal(id)?;
    let newer = core
        .state
        .lock()
        .proposals
        .values()
        .rev()
        .find(|other| {
            other.function == proposal.function
                && other.id > id
                && other.draft().is_some() == proposal.draft().is_some()
                && rows::is_in_queue(other)
        })
        .map(|other| other.id);
    let mut blocked = blocked(core, &proposal);
    let planned = match proposal.state {
        ProposalState::Written => Ok((Vec::new(), false)),
        _ => planned(core, &proposal, &Overlay::new()),
    };
    let (plan, beside) = planned.unwrap_or_else(|trouble| {
        blocked.get_or_insert(trouble);
        (Vec::new(), true)
    });
    let conflict = if beside { plan::conflict(core, &proposal).unwrap_or_default() } else { None };
    let others = others(core, &proposal)?;
    Ok(ProposalView { proposal: as_written(&proposal), plan, blocked, newer, others, conflict })
}

/// Says why a proposal may not be accepted now, when that is so; of one that was put away also who did it and why.
fn blocked(core: &Core, proposal: &Proposal) -> Option<Trouble> {
    let why = rows::blocked(proposal)?;
    let decision = core.state.lock().put_away.get(&proposal.id).cloned();
    let told = decision
        .map_or_else(|| text::capital(&format!("{}.", why.trim_end_matches('.'))), |decision| known_failures::told(&decision));
    Some(Trouble::usage("It cannot be accepted now.").because(told))
}

/// Gives a proposal with its tests in the order in which accepting writes them: an editor shows what the page shows.
fn as_written(proposal: &Proposal) -> Proposal {
    let mut shown = proposal.clone();
    if let Body::Draft(draft) = &mut shown.body {
        draft.text = in_order(&draft.text);
        shown.edited = shown.edited.as_deref().map(in_order);
    }
    shown
}

/// Lists the other drafts of a proposal's function that have a text, the newest first.
fn others(core: &Core, proposal: &Proposal) -> Result<Vec<OtherDraft>, Trouble> {
    if proposal.draft().is_none() {
        return Ok(Vec::new());
    }
    let all = core.store().proposals_of(&proposal.function)?;
    let others = all.iter().rev().filter(|other| other.id != proposal.id).filter_map(|other| {
        let draft = other.draft()?;
        let text = other.edited.clone().unwrap_or_else(|| draft.standalone());
        let model = draft.origin.author();
        (!text.trim().is_empty()).then_some(OtherDraft { id: other.id, state: other.state, model, text })
    });
    Ok(others.collect())
}
