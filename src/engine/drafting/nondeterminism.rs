//! Calls that end differently each time, before they are drafted: made again with clock and chance held still, some times,
//! so that what stays the same can be asserted and what does not is left open (R17, R18).

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId, Effect, RecordingId};
use crate::domain::touch::Touch;
use crate::engine::calls;
use crate::engine::calls::read::Unsteady;
use crate::engine::drafting::evidence::Gathered;
use crate::engine::python::environment::Environment;
use crate::engine::state::core::Core;
use crate::generate::project::ClockBy;
use crate::generate::steady::{controls, elsewhere, settled};

/// How often a call is made again.
const RUNS: usize = 3;
/// Calls inside a call that are asked what they touched, and how deep.
const INNER: usize = 200;
const DEPTH: usize = 8;

/// Gives calls that follow the clock, chance or something unknown an outcome that a test can hold on to, where they have one.
pub async fn steady(core: &Arc<Core>, environment: &Environment, gathered: &mut Gathered) -> Result<(), Trouble> {
    let unsteady = gathered.unsteady();
    if unsteady.is_empty() {
        return Ok(());
    }
    gathered.set_clock(clock(core, environment).await?);
    let mut started = HashMap::new();
    let mut controlled = Vec::new();
    let mut doubtful = Vec::new();
    for Unsteady { mut call, reason } in unsteady {
        let seconds = match started.get(&call.recording) {
            Some(seconds) => *seconds,
            None => *started.entry(call.recording).or_insert(start_of(core, call.recording)?),
        };
        if reason.is_some() {
            call.touches.extend(inner_touches(core, call.id)?);
        }
        let held = controls(&call.touches, seconds + call.start_ns / 1_000_000_000);
        if reason.is_some() { controlled.push((call, held)) } else { doubtful.push((call, held)) }
    }
    // What ends the same way at another time and with other chance follows neither.
    let at_another: Vec<Call> = doubtful.iter().filter_map(|(call, held)| elsewhere(call, held)).collect();
    let seen = environment.look(core, &at_another, usize::MAX, &|_, _| {}).await?;
    let follows = |call: &Call| seen.get(&call.id).is_some_and(|look| !is_same(&call.effect, &look.effect));
    controlled.extend(doubtful.into_iter().filter(|(call, _)| follows(call)));
    let asked: Vec<Call> = controlled
        .iter()
        .map(|(call, held)| {
            let mut call = call.clone();
            call.observed.controls.extend(held);
            call
        })
        .collect();
    let mut runs: HashMap<CallId, Vec<Effect>> = HashMap::new();
    for _ in 0..RUNS {
        for (id, look) in environment.look(core, &asked, usize::MAX, &|_, _| {}).await? {
            runs.entry(id).or_default().push(look.effect);
        }
    }
    let numbered = gathered.without_serials(&core.index(), &mut runs);
    let found = controlled.iter().filter_map(|(call, held)| {
        let runs = runs.get(&call.id).filter(|runs| runs.len() == RUNS)?;
        settled(call, runs, held, numbered.contains(&call.id))
    });
    let found = found.collect();
    gathered.settle(found);
    Ok(())
}

fn is_same(one: &Effect, other: &Effect) -> bool {
    crate::generate::replay::difference(one, other).is_none()
}

/// Finds what stops the clock: a plugin of pytest's, or what the project itself imports.
async fn clock(core: &Core, environment: &Environment) -> Result<ClockBy, Trouble> {
    let by = environment.clock(core).await?;
    let index = core.index();
    let imports = |name: &str| index.modules().flat_map(|module| &module.imports).any(|import| import.module == name);
    Ok(match by.as_deref() {
        Some("time_machine") => ClockBy::TimeMachine,
        Some("freezegun") if imports("freezegun") => ClockBy::Freezegun,
        _ => ClockBy::Monkeypatch,
    })
}

/// Gives the second at which a recording began.
fn start_of(core: &Core, recording: RecordingId) -> Result<i64, Trouble> {
    Ok(core.store().recording(recording)?.map_or(0, |recording| recording.started.0 / 1000))
}

/// Lists what the calls inside a call touched.
fn inner_touches(core: &Core, call: CallId) -> Result<Vec<Touch>, Trouble> {
    let mut all = Vec::new();
    let mut layer = vec![call];
    for _ in 0..DEPTH {
        let children: Vec<Call> = core.store().children(&layer, INNER)?.into_iter().map(calls::read::decode).collect();
        layer = children.iter().map(|child| child.id).take(INNER).collect();
        all.extend(children.into_iter().flat_map(|child| child.touches).filter(|touch| !touch.forbids_replay()));
        if layer.is_empty() {
            break;
        }
    }
    Ok(all)
}
