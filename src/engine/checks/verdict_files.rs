//! Verdicts on their way to the workbench: the judge of a test run leaves one file a test in `.pytead/verdicts`, the
//! workbench takes them in and removes them. A test run never opens the database.
//!
//! Nothing is left where the project has no such folder or it cannot be written: a verdict does not depend on it.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::{hash, text};
use crate::domain::gap::Gap;
use crate::domain::journey::{JourneyEvent, JourneyLine};
use crate::domain::spec_board::SpecRun;
use crate::domain::verdict::{JudgedTest, Suggested, Verdict};
use crate::engine::checks::intents::request::Request;
use crate::judge::telling;
use crate::store;
use crate::write::apply::temporary_in;

/// Below the workbench's folder of a project.
const FOLDER: &str = "verdicts";

/// Where runs of YAML tests are kept, below the workbench's folder of a project: the last one of each test.
pub const SPECS: &str = "specs";

/// Set where a run is made to compare or to accept, and its verdicts are nobody's.
pub const UNTRACED: &str = "PYTEAD_UNTRACED";
/// Lines of a journey that are kept.
const LINES_MAX: usize = 20_000;
/// Larger files are not ours.
const SIZE_MAX: u64 = 64 << 20;

/// Makes the place for verdicts in a project, so that a run may leave its own; where that cannot be, none are left.
pub fn prepare(root: &Path) {
    let folder = root.join(store::FOLDER);
    if let Err(error) = store::prepare(&folder) {
        tracing::debug!(%error, "no place for verdicts");
    }
}

/// What was seen of a test.
pub struct Seen<'a> {
    /// What it did.
    pub events: &'a [JourneyEvent],
    /// What the recorder left out.
    pub gaps: &'a [(Gap, u64)],
    /// When its run began.
    pub began: Moment,
    /// What a person accepts decides it.
    pub accepts: bool,
    /// Clauses that hold for what it did.
    pub suggestions: Vec<Suggested>,
}

/// Leaves what came of a test.
pub fn leave(root: &Path, request: &Request, verdict: &Verdict, seen: Seen<'_>) {
    if request.intent.trim().is_empty()
        || std::env::var_os(UNTRACED).is_some()
        || !store::folder_in(root).is_some_and(|folder| folder.is_dir())
    {
        return;
    }
    let Some(file) = crate::base::paths::RelPath::new(&request.file) else { return };
    let mut journey = telling::lines(seen.events);
    let cut = journey.len().saturating_sub(LINES_MAX);
    journey.truncate(LINES_MAX);
    let judged = JudgedTest {
        test: request.test.clone(),
        file,
        intent: request.intent.clone(),
        verdict: Verdict { shown: Default::default(), ..verdict.clone() },
        journey,
        cut,
        gaps: seen.gaps.to_vec(),
        accepts: seen.accepts,
        suggestions: seen.suggestions,
        began: seen.began,
        at: clock::now(),
    };
    if let Err(error) = write(root, &judged) {
        tracing::debug!(%error, "a verdict was not left");
    }
}

fn write(root: &Path, judged: &JudgedTest) -> std::io::Result<()> {
    put(root, FOLDER, &judged.test, judged)
}

/// Writes a file of a run's into a folder of the workbench's that is its owner's alone.
pub(crate) fn put(root: &Path, folder: &str, name: &str, value: &impl serde::Serialize) -> std::io::Result<()> {
    let folder = store::folder_in(root).ok_or_else(|| std::io::Error::other("there is something in its place"))?.join(folder);
    if let Err(error) = fs::DirBuilder::new().mode(0o700).create(&folder)
        && error.kind() != std::io::ErrorKind::AlreadyExists
    {
        return Err(error);
    }
    if !is_private(&folder) {
        return Err(std::io::Error::other("its place is open to others"));
    }
    // A temporary file is its owner's alone; under its own name a newer run takes the place of an older one.
    let file = temporary_in(&folder)?;
    serde_json::to_writer(std::io::BufWriter::new(&file), value)?;
    let name = format!("{}.json", hash::of(name.as_bytes()));
    file.persist(folder.join(name)).map_err(|error| error.error)?;
    Ok(())
}

/// A verdict that was left.
pub struct Left {
    /// Its file.
    pub file: PathBuf,
    /// What it says, or why it cannot be read.
    pub judged: Result<JudgedTest, Trouble>,
}

/// Lists the verdicts that were left in a project by this user.
#[must_use]
pub fn left(root: &Path) -> Vec<Left> {
    files(root, FOLDER).into_iter().map(|file| Left { judged: read(&file), file }).collect()
}

/// Lists the files of runs in a folder of the workbench's; none where others may write there.
pub(crate) fn files(root: &Path, folder: &str) -> Vec<PathBuf> {
    let Some(folder) = store::folder_in(root).map(|ours| ours.join(folder)) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(&folder) else { return Vec::new() };
    if !is_private(&folder) {
        return Vec::new();
    }
    let files = entries.flatten().map(|entry| entry.path());
    files.filter(|file| file.extension().is_some_and(|end| end == "json")).collect()
}

/// Reads a file of a run's; one that is not this user's is none.
pub(crate) fn get<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, Trouble> {
    let fail = |why: String| Trouble::environment("What a test run left cannot be read.").because(format!("{why}."));
    let own = rustix::process::geteuid().as_raw();
    let meta = fs::symlink_metadata(file).map_err(|error| fail(error.to_string()))?;
    if !meta.is_file() || meta.uid() != own || meta.len() > SIZE_MAX {
        return Err(fail("it is no ordinary file of yours".into()));
    }
    let mut text = String::new();
    fs::File::open(file)
        .and_then(|opened| opened.take(SIZE_MAX).read_to_string(&mut text))
        .map_err(|error| fail(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| fail(error.to_string()))
}

fn read(file: &Path) -> Result<JudgedTest, Trouble> {
    let mut judged: JudgedTest = get(file)?;
    let line = |text: &mut String| {
        if let std::borrow::Cow::Owned(safe) = text::display_line(text) {
            *text = safe;
        }
    };
    for told in &mut judged.journey {
        let JourneyLine { name, detail, .. } = told;
        line(name);
        line(detail);
    }
    Ok(judged)
}

fn is_private(folder: &Path) -> bool {
    let own = rustix::process::geteuid().as_raw();
    folder.symlink_metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == own && meta.mode() & 0o077 == 0)
}

/// Keeps what came of a test, for the workbench; where it has no place, nothing is kept.
pub fn leave_spec(root: &Path, file: &RelPath, run: &SpecRun) {
    if std::env::var_os(UNTRACED).is_some() || !store::folder_in(root).is_some_and(|folder| folder.is_dir()) {
        return;
    }
    if let Err(error) = put(root, SPECS, file.as_str(), run) {
        tracing::debug!(%error, "the run of a YAML test was not kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::evaluator::Evaluator;
    use crate::domain::verdict::Ruling;

    const NOTHING: Seen<'static> = Seen { events: &[], gaps: &[], began: Moment(0), accepts: false, suggestions: Vec::new() };

    fn request(intent: &str) -> Request {
        Request {
            test: "tests/test_a.py::test_a".into(),
            file: "tests/test_a.py".into(),
            intent: intent.into(),
            checks: Vec::new(),
            journey: PathBuf::new(),
            show: Vec::new(),
            dry: false,
            refresh: false,
            tried: Vec::new(),
            failed: None,
        }
    }

    fn verdict(ruling: Ruling) -> Verdict {
        Verdict {
            verdict: ruling,
            overridden: false,
            evaluator: Evaluator::Rules,
            reason: "Because.".into(),
            clauses: Vec::new(),
            uncovered: Vec::new(),
            asked: None,
            bound: None,
            proposed: None,
            tried: Vec::new(),
            shown: Default::default(),
        }
    }

    #[test]
    fn a_run_leaves_its_verdict_only_where_the_workbench_has_a_place() {
        let project = tempfile::tempdir().unwrap();
        leave(project.path(), &request("A is called"), &verdict(Ruling::Fail), NOTHING);
        assert!(left(project.path()).is_empty() && !project.path().join(".pytead").exists());
        prepare(project.path());
        leave(project.path(), &request(" "), &verdict(Ruling::Fail), NOTHING);
        assert!(left(project.path()).is_empty(), "a test without an intent is only shown");
        leave(project.path(), &request("A is called"), &verdict(Ruling::Fail), NOTHING);
        leave(project.path(), &request("A is called"), &verdict(Ruling::Pass), NOTHING);
        let found = left(project.path());
        assert_eq!(found.len(), 1, "a newer run takes the place of an older one");
        let judged = found[0].judged.as_ref().unwrap();
        assert_eq!((judged.verdict.verdict, judged.file.as_str()), (Ruling::Pass, "tests/test_a.py"));
    }

    #[test]
    fn what_others_may_write_is_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let project = tempfile::tempdir().unwrap();
        prepare(project.path());
        leave(project.path(), &request("A is called"), &verdict(Ruling::Fail), NOTHING);
        let folder = project.path().join(".pytead/verdicts");
        fs::write(folder.join("broken.json"), "{").unwrap();
        assert_eq!(left(project.path()).iter().filter(|one| one.judged.is_err()).count(), 1);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(left(project.path()).is_empty());
    }
}
