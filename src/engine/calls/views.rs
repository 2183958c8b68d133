//! What front ends read in detail: source, calls, proposals. Values are decoded and made readable here.

use std::collections::HashMap;

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::call::{Call, CallId, RecordingId};
use crate::domain::function::FunctionId;
use crate::domain::reason::Reason;
use crate::domain::snapshot::{CallKind, CallRow, RecordedRow};
use crate::domain::touch::Touch;
use crate::engine::calls::read::{CALLS_MAX, decode, place};
use crate::engine::state::core::Core;
use crate::store::StoredCall;

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

fn row(call: &Call, inner: Vec<String>, caller: Option<String>, not_replayable: Option<Reason>) -> CallRow {
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
    let is_told =
        |touch: &&Touch| !matches!(touch, Touch::Content { .. } | Touch::Bound(_) | Touch::StandIn(_) | Touch::Scene(_));
    let told = call.touches.iter().filter(is_told);
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
        not_replayable,
        recording: call.recording,
        thread: call.thread,
        full: full.into_iter().map(line).collect(),
    }
}
