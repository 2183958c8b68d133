//! Who may reach whom, made once for each state of the index and of the recorded edges.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::error::Trouble;
use crate::domain::batch::Edge;
use crate::domain::call::RecordingId;
use crate::domain::function::FunctionId;
use crate::engine::core::Core;
use crate::source::dependencies::Reach;
use crate::source::index::Index;

/// The reach of the newest index that was asked about.
#[derive(Default)]
pub struct Reaches(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    index: Option<Arc<Index>>,
    by_names: Option<Arc<Reach>>,
    /// With the edition of the recordings that the edges are from.
    recorded: Option<(u64, Arc<Reach>)>,
}

impl Kept {
    fn of(&mut self, index: &Arc<Index>) -> &mut Self {
        if !self.index.as_ref().is_some_and(|known| Arc::ptr_eq(known, index)) {
            *self = Self { index: Some(index.clone()), ..Self::default() };
        }
        self
    }
}

/// Gives what may run through what, by recorded edges and by the names functions use. Takes a while where the index is
/// new: to be called off the async threads.
///
/// # Errors
/// Fails when the edges cannot be read.
pub fn recorded(core: &Core, index: &Arc<Index>) -> Result<Arc<Reach>, Trouble> {
    let edition = core.state.lock().recorded;
    let mut kept = core.reaches.0.lock();
    let kept = kept.of(index);
    if let Some((of, reach)) = &kept.recorded
        && *of == edition
    {
        return Ok(reach.clone());
    }
    let reach = Arc::new(Reach::new(index, &edges(core)?));
    kept.recorded = Some((edition, reach.clone()));
    Ok(reach)
}

/// Takes in what calls ran through when they were run again and the reach does not know: functions that were called by a
/// name made at run time. Gives the reach that knows.
///
/// # Errors
/// Fails when the database does.
pub fn learn(
    core: &Core,
    index: &Arc<Index>,
    reach: Arc<Reach>,
    recording: RecordingId,
    entered: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
) -> Result<Arc<Reach>, Trouble> {
    let mut edges = Vec::new();
    for (caller, callees) in entered {
        let known = reach.reached_from(&caller);
        let unknown = callees.into_iter().filter(|callee| !known.contains(callee));
        edges.extend(unknown.map(|callee| Edge { caller: caller.clone(), callee }));
    }
    if edges.is_empty() {
        return Ok(reach);
    }
    core.store().add_edges(recording, edges)?;
    core.reload_recorded()?;
    recorded(core, index)
}

/// Lists who was recorded to call whom.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn edges(core: &Core) -> Result<Vec<(FunctionId, FunctionId)>, Trouble> {
    Ok(core.store().edges()?.into_iter().map(|edge| (edge.caller, edge.callee)).collect())
}

/// Gives what may run through what by the names alone, which recordings do not change. As slow as [`recorded`].
pub fn by_names(core: &Core, index: &Arc<Index>) -> Arc<Reach> {
    let mut kept = core.reaches.0.lock();
    kept.of(index).by_names.get_or_insert_with(|| Arc::new(Reach::new(index, std::iter::empty()))).clone()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::clock::Moment;
    use crate::domain::call::{ProgramEnd, Recording};
    use crate::domain::settings::Settings;
    use crate::domain::snapshot::Trust;

    fn recording() -> Recording {
        let end = ProgramEnd::Running;
        let (id, started) = (RecordingId(0), Moment(0));
        Recording {
            id,
            command: vec![],
            cwd: String::new(),
            interpreter: None,
            python: None,
            commit: None,
            started,
            duration_ms: 0,
            end,
            seen: 0,
            kept: 0,
            functions: 0,
            raised: 0,
            threads: 0,
            gaps: vec![],
            recorder_seen: true,
        }
    }

    #[test]
    fn a_function_called_by_a_name_made_at_run_time_is_rested_on_once_it_was_seen() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("m.py"), "def by_name(n):\n    return globals()['f' + n]()\n\ndef f1():\n    pass\n")
            .unwrap();
        let index = Arc::new(Index::build(folder.path(), &[], &|_, _| {}));
        let store = crate::store::open_in_memory().unwrap();
        let core = Core::new(folder.path().into(), Settings::default(), store, Trust::Trusted, "none".into());
        let recording = core.store().begin_recording(&recording()).unwrap();
        let [caller, callee] = ["m:by_name", "m:f1"].map(|id| FunctionId(id.into()));
        let before = recorded(&core, &index).unwrap();
        assert!(!before.reached_from(&caller).contains(&callee));
        let entered = BTreeMap::from([(caller.clone(), BTreeSet::from([callee.clone()]))]);
        let after = learn(&core, &index, before.clone(), recording, entered.clone()).unwrap();
        assert!(after.reached_from(&caller).contains(&callee));
        assert_ne!(before.code_key(&caller), after.code_key(&caller));
        assert!(Arc::ptr_eq(&after, &learn(&core, &index, after.clone(), recording, entered).unwrap()), "nothing new");
    }
}
