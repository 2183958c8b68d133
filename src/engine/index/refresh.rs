//! Files that were saved, read into the index again.

use std::sync::Arc;

use crate::base::paths::RelPath;
use crate::engine::index::reachability;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::source::change::IndexChange;

/// Held by whoever reads files into the index.
#[derive(Default)]
pub struct Reading(pub tokio::sync::Mutex<()>);

/// Reads these files, or whatever differs, into the index; gives what changed. With whatever differs, files that are no code
/// are looked at, too, where nobody watches.
pub async fn reread(core: &Arc<Core>, paths: Option<Vec<RelPath>>) -> Option<IndexChange> {
    let reading = core.part::<Reading>();
    let _turn = reading.0.lock().await;
    let worker = core.clone();
    let updated = blocking(move || {
        // Where somebody watches, what is other than before is told after a save.
        if paths.is_none() && worker.watcher.lock().is_none() {
            reachability::look_again(&worker, None);
        }
        let mut index = (*worker.index()).clone();
        let change = index.update(&worker.root, paths.as_deref());
        (index, change)
    })
    .await;
    let (index, change) = updated.ok()?;
    *core.index.write() = Arc::new(index);
    Some(change)
}
