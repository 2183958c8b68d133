//! Reading the whole project at the start, from what the last start kept of it where its files are the same.

use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::event::{Event, JobKind, Level};
use crate::domain::function::Module;
use crate::domain::job_subject::JobSubject;
use crate::domain::snapshot::Trust;
use crate::engine::checks::secrets;
use crate::engine::index::refresh::Reading;
use crate::engine::index::syntax_errors;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs;
use crate::source::index::Index;
use crate::source::kept::{self, Kept};
use crate::source::walk::{FILES_MAX, SIZE_MAX};
use crate::store;
use crate::write::apply::{sweep, temporary_in};

/// The file in the project's folder of ours.
const FILE: &str = "index";
/// Files in the folders in which whole files take the place of others.
const OURS: [&str; 3] = [FILE, "verdicts/*", "specs/*"];
/// One file in so many is parsed anew at the next start, too, rather than all written again.
const FEW: usize = 20;

/// Reads the whole project. Once it was read, `again` is to find what differs.
pub async fn index(core: &Arc<Core>, again: impl Future<Output = ()> + Send) {
    let job = core.jobs.begin(JobKind::Index, JobSubject::Project(core.project.clone()), 0);
    let started = clock::now();
    let reading = core.part::<Reading>();
    let turn = reading.0.lock().await;
    if core.state.lock().indexed {
        drop(turn);
        again.await;
        job.end(true);
        return tell(core, started);
    }
    let worker = core.clone();
    let built = blocking(move || {
        sweep_ours(&worker);
        let kept = kept(&worker);
        Index::build_from(&worker.root, &worker.settings().record.exclude, &kept, &|done, total| {
            worker.state.lock().reading = (done, total);
            if done % 50 == 0 {
                worker.touch();
            }
        })
    })
    .await;
    let Ok((built, parsed)) = built else { return };
    let files = built.modules().count();
    let built = Arc::new(built);
    *core.index.write() = built.clone();
    core.state.lock().indexed = true;
    drop(turn);
    job.end(true);
    tell(core, started);
    tell_unread(core);
    syntax_errors::warn(core, None).await;
    // Once it is in use: nobody waits for this, and the next start is quicker for it.
    let Some(place) = place(core).filter(|_| parsed > files / FEW) else { return };
    let root = core.root.clone();
    if let Ok(Err(error)) = blocking(move || keep(&place, &built, &root)).await {
        core.log.add(Level::Info, "index", format!("not kept for the next start: {error}"), None);
    }
}

/// Tells what is in the index that was read since a moment.
fn tell(core: &Core, started: Moment) {
    let index = core.index();
    let (files, functions) = (index.modules().count(), index.functions().count());
    let errors = syntax_errors::files(&index).len();
    let ms = jobs::elapsed_ms(started);
    core.log.add(
        Level::Info,
        "opened",
        format!("{}, {}, {ms} ms", text::count(files, "file"), text::count(functions, "function")),
        None,
    );
    core.announce(Event::Indexed { files, functions, errors, ms });
}

/// Tells what of the project was not read.
fn tell_unread(core: &Core) {
    let index = core.index();
    if index.is_cut() {
        let most = text::thousands(FILES_MAX);
        let trouble = Trouble::usage(format!("There are more than {most} Python files here. The rest of them is not read."));
        core.complain(
            "index",
            &trouble.so("Name the folder of one project with --root, or leave folders out with record.exclude."),
        );
    }
    if let [first, others @ ..] = index.too_large() {
        let others = if others.is_empty() { String::new() } else { format!(" and {}", text::count(others.len(), "more file")) };
        let line = format!("{first}{others}: larger than {}, and not read", text::bytes(SIZE_MAX));
        core.log.add(Level::Warning, "index", line, None);
    }
}

/// Removes what killed processes left half written in our folder.
fn sweep_ours(core: &Core) {
    if core.trust() == Trust::Trusted {
        let beside = OURS.iter().filter_map(|inside| RelPath::new(Path::new(store::FOLDER).join(inside)));
        sweep(&core.root, &beside.collect::<Vec<_>>());
    }
}

/// Gives what the last start kept; nothing in a folder that is only read, for what lies there is not ours.
fn kept(core: &Core) -> Kept {
    place(core).map(|place| Kept::read(&place, &maker())).unwrap_or_default()
}

/// Keeps an index for the next start, without the files that may hold secrets: those stay where their owner put them alone.
fn keep(place: &Path, index: &Index, root: &Path) -> std::io::Result<()> {
    let file = temporary_in(place.parent().unwrap_or(place))?;
    let (places, mut redactor) = (secrets::Places::new(index), secrets::of_project(root));
    let mut may_keep = |module: &Module, read: &str| !places.may_hold(module, &mut redactor) && redactor.redact(read).is_none();
    kept::write(index, &maker(), &mut may_keep, &mut BufWriter::new(&file))?;
    file.persist(place).map_err(|error| error.error)?;
    Ok(())
}

fn place(core: &Core) -> Option<PathBuf> {
    store::folder_in(&core.root).filter(|_| core.trust() == Trust::Trusted).map(|folder| folder.join(FILE))
}

/// Names this very build: another one may read more, or otherwise, out of the same file.
fn maker() -> String {
    use std::os::unix::fs::MetadataExt;
    let build = std::env::current_exe().and_then(std::fs::metadata).map(|meta| (meta.size(), meta.mtime(), meta.mtime_nsec()));
    format!("pytead-tui {} {:?}", env!("CARGO_PKG_VERSION"), build.ok())
}
