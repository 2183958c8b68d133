//! Tests against the real file system: every edit arrives, whatever way it is made, and nothing else does.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::*;
use crate::base::hash;

/// Long enough for a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(20);

struct Project {
    folder: tempfile::TempDir,
    watcher: Watcher,
    batches: Receiver<Batch>,
}

impl Project {
    /// A project `shop` with `cart.py` and `pkg/tax.py`, watched.
    fn new(settings: &Watch) -> Self {
        Self::with(settings, &[], |_| {})
    }

    fn with(settings: &Watch, exclude: &[String], prepare: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        fs::create_dir_all(root.join("pkg")).unwrap();
        fs::write(root.join("cart.py"), "total = 0\n").unwrap();
        fs::write(root.join("pkg/tax.py"), "rate = 1\n").unwrap();
        prepare(&root);
        let (sender, batches) = channel();
        let on_batch: OnBatch = Box::new(move |batch| {
            let _ = sender.send(batch);
        });
        let watcher = Watcher::start(&root, exclude, settings, on_batch).unwrap();
        Self { folder, watcher, batches }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("shop").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
    }

    /// Writes a file as the product does: a reader finds the whole file or none.
    fn write_at_once(&self, path: &str, text: &str) {
        let beside = tempfile::NamedTempFile::new_in(self.folder.path().parent().unwrap()).unwrap();
        fs::write(beside.path(), text).unwrap();
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        beside.persist(self.path(path)).unwrap();
    }

    /// Waits until all these files were reported, and gives the batches up to then.
    fn until(&self, wanted: &[&str]) -> Vec<Batch> {
        let mut missing: BTreeSet<&str> = wanted.iter().copied().collect();
        let until = Instant::now() + PATIENCE;
        let mut batches = Vec::new();
        while !missing.is_empty() {
            let left = until.saturating_duration_since(Instant::now());
            let batch = self.batches.recv_timeout(left).unwrap_or_else(|_| panic!("{missing:?} missed, got {batches:?}"));
            for path in &batch.paths {
                missing.remove(path.as_str());
            }
            batches.push(batch);
        }
        batches
    }

    /// Makes an edit that must be reported, and gives all that was reported before it or with it.
    fn reported_until_marker(&self) -> BTreeSet<String> {
        self.write("marker.py", &format!("{:?}", Instant::now()));
        let mut paths: BTreeSet<String> =
            self.until(&["marker.py"]).into_iter().flat_map(|batch| batch.paths).map(|path| path.to_string()).collect();
        paths.remove("marker.py");
        paths
    }
}

fn polling() -> Watch {
    Watch { poll_ms: 20, ..Watch::default() }
}

#[test]
fn every_way_to_save_a_file_is_seen() {
    for settings in [Watch::default(), polling()] {
        let project = Project::new(&settings);
        // Truncated and written.
        fs::write(project.path("cart.py"), "total = 10\n").unwrap();
        project.until(&["cart.py"]);
        // Written beside it and renamed over it.
        fs::write(project.path(".cart.py.tmp"), "total = 200\n").unwrap();
        fs::rename(project.path(".cart.py.tmp"), project.path("cart.py")).unwrap();
        project.until(&["cart.py"]);
        // Moved away as a backup, then written anew.
        fs::rename(project.path("pkg/tax.py"), project.path("pkg/tax.py~")).unwrap();
        fs::write(project.path("pkg/tax.py"), "rate = 3000\n").unwrap();
        project.until(&["pkg/tax.py"]);
        fs::remove_file(project.path("pkg/tax.py")).unwrap();
        project.until(&["pkg/tax.py"]);
        fs::rename(project.path("cart.py"), project.path("basket.py")).unwrap();
        project.until(&["basket.py", "cart.py"]);
    }
}

#[test]
fn a_file_is_reported_once_it_is_whole() {
    let project = Project::new(&Watch::default());
    let mut file = fs::File::create(project.path("cart.py")).unwrap();
    file.write_all(b"total = 1\n").unwrap();
    let early = project.batches.recv_timeout(Duration::from_millis(40));
    // On a machine that stops this test for long, the wait for the writer may be over.
    drop(file);
    if early.is_err() {
        assert_eq!(project.until(&["cart.py"]).len(), 1);
    }
}

#[test]
fn new_folders_are_watched_with_what_is_in_them() {
    for settings in [Watch::default(), polling()] {
        let project = Project::new(&settings);
        project.write("new/deep/er/a.py", "a = 1\n");
        project.until(&["new/deep/er/a.py"]);
        project.write("new/deep/er/a.py", "a = 22\n");
        project.until(&["new/deep/er/a.py"]);
        project.write("new/deep/b.py", "b = 1\n");
        project.until(&["new/deep/b.py"]);
    }
}

#[test]
fn folders_may_go_and_come_back() {
    for settings in [Watch::default(), polling()] {
        let project = Project::new(&settings);
        fs::remove_dir_all(project.path("pkg")).unwrap();
        project.until(&["pkg/tax.py"]);
        project.write("pkg/tax.py", "rate = 2\n");
        project.until(&["pkg/tax.py"]);
        project.write("pkg/tax.py", "rate = 33\n");
        project.until(&["pkg/tax.py"]);
        // At once, with the same names in it.
        fs::rename(project.path("pkg"), project.path("old")).unwrap();
        project.write("pkg/tax.py", "rate = 444\n");
        project.until(&["pkg/tax.py", "old/tax.py"]);
        project.write("pkg/tax.py", "rate = 5555\n");
        project.until(&["pkg/tax.py"]);
        project.write("old/tax.py", "rate = 66666\n");
        project.until(&["old/tax.py"]);
    }
}

#[test]
fn the_root_may_go_and_come_back() {
    for settings in [Watch::default(), polling()] {
        let project = Project::new(&settings);
        fs::remove_dir_all(project.path("")).unwrap();
        project.until(&["cart.py", "pkg/tax.py"]);
        project.write("pkg/tax.py", "rate = 2\n");
        project.until(&["pkg/tax.py"]);
        project.write("pkg/tax.py", "rate = 33\n");
        project.until(&["pkg/tax.py"]);
    }
}

#[test]
fn two_thousand_files_are_few_batches_and_none_is_lost() {
    let project = Project::new(&Watch::default());
    let names: Vec<String> = (0..2_000).map(|number| format!("made{}/m{number}.py", number % 40)).collect();
    for name in &names {
        project.write(name, "x = 1\n");
    }
    let batches = project.until(&names.iter().map(String::as_str).collect::<Vec<_>>());
    // Pauses that a busy machine makes part them; a batch for each file, or nearly, would be no coalescing.
    assert!(batches.len() * 20 <= names.len(), "{} batches", batches.len());
}

#[test]
fn our_own_writes_are_not_news() {
    for settings in [Watch::default(), polling()] {
        let project = Project::new(&settings);
        let path = RelPath::new("tests/test_cart.py").unwrap();
        project.watcher.expect(&path, Some(hash::of(b"ours\n")));
        project.write_at_once(path.as_str(), "ours\n");
        assert_eq!(project.reported_until_marker(), BTreeSet::new());
        project.write(path.as_str(), "somebody else's\n");
        project.until(&[path.as_str()]);
    }
}

#[test]
fn ignored_folders_are_not_watched() {
    let project = Project::with(&Watch::default(), &["left_out".to_owned()], |root| {
        for folder in [".venv/lib", "left_out", "build", "node_modules/x"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join(".venv/pyvenv.cfg"), "").unwrap();
        fs::write(root.join(".gitignore"), "build/\n*_pb2.py\n").unwrap();
    });
    for path in [
        ".venv/lib/a.py",
        ".venv/new/a.py",
        "left_out/a.py",
        "build/a.py",
        "node_modules/x/a.py",
        "made_pb2.py",
        "notes.txt",
        "__pycache__/a.py",
    ] {
        project.write(path, "x = 1\n");
    }
    assert_eq!(project.reported_until_marker(), BTreeSet::new());
    // What is ignored may change.
    project.write(".gitignore", "*_pb2.py\n");
    project.until(&["build/a.py"]);
    project.write("build/a.py", "x = 22\n");
    project.until(&["build/a.py"]);
}

#[test]
fn reading_files_is_not_news() {
    let project = Project::new(&Watch::default());
    for _ in 0..20 {
        fs::read(project.path("cart.py")).unwrap();
        fs::read_dir(project.path("pkg")).unwrap().count();
    }
    assert_eq!(project.reported_until_marker(), BTreeSet::new());
}

#[test]
fn what_is_saved_during_a_pause_comes_after_it() {
    let project = Project::new(&Watch::default());
    project.watcher.pause();
    project.write("cart.py", "total = 10\n");
    project.write("pkg/tax.py", "rate = 10\n");
    let until = Instant::now() + PATIENCE;
    while !matches!(project.watcher.state(), WatchState::Paused { files: 2, .. }) {
        assert!(Instant::now() < until, "{:?}", project.watcher.state());
        std::thread::yield_now();
    }
    assert!(project.batches.try_recv().is_err());
    project.watcher.resume();
    let batches = project.until(&["cart.py", "pkg/tax.py"]);
    assert_eq!(batches.len(), 1);
    assert_eq!(project.watcher.state(), WatchState::On);
}

#[test]
fn git_at_work_makes_one_batch() {
    let project = Project::with(&Watch::default(), &[], |root| fs::create_dir(root.join(".git")).unwrap());
    fs::write(project.path(".git/index.lock"), "").unwrap();
    project.write("cart.py", "total = 10\n");
    project.write("pkg/tax.py", "rate = 10\n");
    // Both are known, and neither is told while git holds its lock.
    let until = Instant::now() + PATIENCE;
    while project.watcher.shared.pending.lock().coalescer.python_files().count() < 2 {
        assert!(Instant::now() < until, "{:?}", project.batches.try_recv());
        std::thread::yield_now();
    }
    fs::remove_file(project.path(".git/index.lock")).unwrap();
    assert_eq!(project.until(&["cart.py", "pkg/tax.py"]).len(), 1);
}

#[test]
fn something_missed_means_compare_everything() {
    let project = Project::new(&Watch::default());
    project.watcher.shared.rescan();
    let batch = project.batches.recv_timeout(PATIENCE).unwrap();
    assert!(batch.rescan && batch.paths.is_empty(), "{batch:?}");
    project.write("pkg/tax.py", "rate = 2\n");
    project.until(&["pkg/tax.py"]);
}

#[test]
fn states_are_said() {
    let off = Watch { enabled: false, ..Watch::default() };
    assert_eq!(Project::new(&off).watcher.state(), WatchState::Off);
    assert_eq!(Project::new(&Watch::default()).watcher.state(), WatchState::On);
    let WatchState::Polling { reason } = Project::new(&polling()).watcher.state() else { panic!("it reads the tree") };
    assert_eq!(reason, "watch.poll_ms says so");
    let missing = Watcher::start(Path::new("/no/such/folder"), &[], &Watch::default(), Box::new(|_| {}));
    assert!(missing.is_err_and(|trouble| trouble.to_string().contains("/no/such/folder cannot be watched")));
}

#[test]
fn when_the_system_gives_up_the_tree_is_read() {
    let project = Project::new(&Watch { poll_ms: 0, ..Watch::default() });
    // As the worker does when a limit is reached.
    project.watcher.shared.set_pace(Pace::Reading("a limit is reached".into()));
    let batch = project.batches.recv_timeout(PATIENCE).unwrap();
    assert!(batch.rescan, "nobody knows what happened in between");
    assert!(matches!(project.watcher.state(), WatchState::Polling { .. }));
    project.write("cart.py", "total = 10\n");
    project.until(&["cart.py"]);
}

#[test]
fn what_is_followed_is_reported_wherever_it_lies_and_nothing_else() {
    for settings in [Watch::default(), polling()] {
        let project = Project::with(&settings, &[], |root| {
            fs::write(root.join(".gitignore"), "data/\n").unwrap();
            fs::create_dir_all(root.join("data/lists")).unwrap();
            fs::write(root.join("data/a.json"), "1").unwrap();
            fs::write(root.join("data/lists/read.txt"), "1").unwrap();
        });
        let paths = ["data/a.json", "data/lists", "data/lists/read.txt", "later/c.json"];
        project.watcher.follow(paths.into_iter().filter_map(RelPath::new).collect());
        project.write("data/a.json", "22");
        project.until(&["data/a.json"]);
        fs::write(project.path("data/a.json.tmp"), "333").unwrap();
        fs::rename(project.path("data/a.json.tmp"), project.path("data/a.json")).unwrap();
        project.until(&["data/a.json"]);
        fs::remove_file(project.path("data/a.json")).unwrap();
        project.until(&["data/a.json"]);
        project.write("data/a.json", "1");
        project.until(&["data/a.json"]);
        project.write("later/c.json", "1");
        project.until(&["later/c.json"]);
        project.write("data/lists/x", "1");
        project.until(&["data/lists"]);
        fs::remove_file(project.path("data/lists/read.txt")).unwrap();
        project.until(&["data/lists", "data/lists/read.txt"]);
        project.reported_until_marker();
        project.write("data/b.json", "1");
        project.write("data/b.json", "22");
        project.write("notes.json", "1");
        assert_eq!(project.reported_until_marker(), BTreeSet::new());
        // Followed no more, it is one of those.
        project.watcher.follow(BTreeSet::new());
        project.reported_until_marker();
        project.write("data/a.json", "4444");
        assert_eq!(project.reported_until_marker(), BTreeSet::new());
    }
}

#[test]
fn configuration_is_reported() {
    let project = Project::new(&Watch::default());
    project.write("tox.ini", "[pytest]\n");
    project.until(&["tox.ini"]);
    project.write("pkg/.env", "A=1\n");
    project.until(&["pkg/.env"]);
}
