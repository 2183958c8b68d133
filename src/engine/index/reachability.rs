//! Who may reach whom, made once for each state of the index, of the recorded edges and of the files that calls read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::batch::Edge;
use crate::domain::call::RecordingId;
use crate::domain::event::Level;
use crate::domain::function::FunctionId;
use crate::domain::subject::Subject;
use crate::domain::touch::FileAccess;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::source::data::{self, DataFiles};
use crate::source::dependencies::Reach;
use crate::source::index::Index;
use crate::source::naming::Naming;

/// The reach of the newest index that was asked about, and the files that calls read.
#[derive(Default)]
struct Reaches {
    kept: Mutex<Kept>,
    data: Mutex<Data>,
}

/// The files that are no code and that calls may read.
pub type Readers = BTreeMap<RelPath, Reads>;

/// Who may read a file.
#[derive(Debug, Clone, Default)]
pub struct Reads {
    /// The functions whose calls did. Where none did, the functions and modules that name the file: it may be read on import.
    pub by: BTreeSet<Subject>,
    /// What the recorder noted of it; nothing where no call read it.
    pub accesses: BTreeSet<FileAccess>,
}

/// What is known of files that calls may read.
#[derive(Default)]
struct Data {
    /// The edition of the recordings and the index that the readers are from.
    of: Option<(u64, Arc<Index>)>,
    naming: Naming,
    known: Known,
}

#[derive(Default, Clone)]
struct Known {
    readers: Arc<Readers>,
    files: Arc<DataFiles>,
}

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
    let data = data_files(core, index)?.files;
    let reaches = core.part::<Reaches>();
    let mut kept = reaches.kept.lock();
    let kept = kept.of(index);
    if let Some((of, reach)) = &kept.recorded
        && *of == edition
        && Arc::ptr_eq(reach.data(), &data)
    {
        return Ok(reach.clone());
    }
    let reach = Arc::new(Reach::with_data(index, &edges(core)?, &data));
    kept.recorded = Some((edition, reach.clone()));
    Ok(reach)
}

/// Gives who may read which file.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn readers(core: &Core) -> Result<Arc<Readers>, Trouble> {
    Ok(data_files(core, &core.index())?.readers)
}

/// Gives the files that calls may read, as they were when they were looked at last.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn data(core: &Core) -> Result<Arc<DataFiles>, Trouble> {
    Ok(data_files(core, &core.index())?.files)
}

/// Looks again at files that calls may read: at these, or at all; gives those that changed.
pub fn look_again(core: &Core, paths: Option<&[RelPath]>) -> Vec<RelPath> {
    let reaches = core.part::<Reaches>();
    let mut data = reaches.data.lock();
    let mut now = (*data.known.files).clone();
    let changed = now.update(&core.root, paths);
    if !changed.is_empty() {
        data.known.files = Arc::new(now);
    }
    changed
}

fn data_files(core: &Core, index: &Arc<Index>) -> Result<Known, Trouble> {
    let edition = core.state.lock().recorded;
    let reaches = core.part::<Reaches>();
    let mut data = reaches.data.lock();
    if data.of.as_ref().is_some_and(|(of, known)| *of == edition && Arc::ptr_eq(known, index)) {
        return Ok(data.known.clone());
    }
    let mut readers = Readers::new();
    for (function, access) in core.store().files_touched()? {
        let Some(path) = data::read_by(&core.root, &access) else { continue };
        for path in data::with_target(&core.root, path) {
            let reads = readers.entry(path).or_default();
            reads.by.insert(Subject::Function(function.clone()));
            reads.accesses.insert(access.clone());
        }
    }
    for (path, by) in data.naming.of(index) {
        readers.entry(path).or_insert_with(|| Reads { by: by.into_iter().collect(), accesses: BTreeSet::new() });
    }
    if readers.len() > data::FILES_MAX {
        let said = format!("{} files may be read by calls: changes of the first {} are noticed.", readers.len(), data::FILES_MAX);
        core.log.add(Level::Warning, "watch", &said, None);
        readers = readers.into_iter().take(data::FILES_MAX).collect();
    }
    let wanted: BTreeSet<RelPath> = readers.keys().cloned().collect();
    // Followed before they are looked at, so that no change falls in between.
    if let Some(watcher) = &*core.watcher.lock() {
        watcher.follow(wanted.clone());
    }
    if !data.known.files.iter().map(|(path, _)| path).eq(&wanted) {
        data.known.files = Arc::new(data.known.files.with(&core.root, &wanted));
    }
    data.known.readers = Arc::new(readers);
    data.of = Some((edition, index.clone()));
    Ok(data.known.clone())
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
        let unknown = callees.into_iter().map(Subject::from).filter(|callee| !known.contains(callee));
        edges.extend(unknown.map(|callee| Edge { caller: caller.clone(), callee }));
    }
    if edges.is_empty() {
        return Ok(reach);
    }
    core.store().add_edges(recording, edges)?;
    core.reload_recorded()?;
    recorded(core, index)
}

/// Lists who was recorded to call whom, and who may read which file.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn edges(core: &Core) -> Result<Vec<(Subject, Subject)>, Trouble> {
    let readers = readers(core)?;
    let reads =
        readers.iter().flat_map(|(path, reads)| reads.by.iter().map(|reader| (reader.clone(), Subject::File(path.clone()))));
    let called = |edge: Edge| (Subject::Function(edge.caller), edge.callee);
    Ok(core.store().edges()?.into_iter().map(called).chain(reads).collect())
}

/// Gives what may run through what by the names alone, which recordings do not change. As slow as [`recorded`].
pub fn by_names(core: &Core, index: &Arc<Index>) -> Arc<Reach> {
    let reaches = core.part::<Reaches>();
    let mut kept = reaches.kept.lock();
    kept.of(index).by_names.get_or_insert_with(|| Arc::new(Reach::new(index, std::iter::empty()))).clone()
}

/// Lists the functions whose code calls of these may run through, and the files that they may read.
pub fn reach_of<'a>(functions: impl Iterator<Item = &'a FunctionId>, reach: &Reach) -> BTreeSet<Subject> {
    functions.collect::<BTreeSet<_>>().into_iter().flat_map(|id| reach.reached_from(id)).collect()
}

/// Gives what may run through what by an index, off the async threads.
pub async fn reach_of_now(core: &Arc<Core>, index: &Arc<Index>) -> Result<Arc<Reach>, Trouble> {
    let (core, index) = (core.clone(), index.clone());
    blocking(move || recorded(&core, &index)).await?
}

#[cfg(test)]
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
            at_least: false,
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
        let reached = Subject::Function(callee.clone());
        assert!(!before.reached_from(&caller).contains(&reached));
        let entered = BTreeMap::from([(caller.clone(), BTreeSet::from([callee.clone()]))]);
        let after = learn(&core, &index, before.clone(), recording, entered.clone()).unwrap();
        assert!(after.reached_from(&caller).contains(&reached));
        assert_ne!(before.code_key(&caller), after.code_key(&caller));
        assert!(Arc::ptr_eq(&after, &learn(&core, &index, after.clone(), recording, entered).unwrap()), "nothing new");
    }
}
