//! Who may reach whom, made once for each state of the index and of the recorded edges.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::error::Trouble;
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
