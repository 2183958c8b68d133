//! Tests of the database file: made, shared, killed, damaged, brought by somebody else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::error::Result;
use super::samples::{batch, call, recording};
use super::schema::Place;
use super::*;
use crate::domain::call::ProgramEnd;
use crate::domain::function::FunctionId;

struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self) -> PathBuf {
        self.root().join(FOLDER).join(FILE)
    }

    fn open(&self) -> Opened {
        open(self.root(), &self.root().join("state")).unwrap()
    }

    fn open_as_stranger(&self) -> Opened {
        open(self.root(), &self.root().join("stranger")).unwrap()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_stored_is_there_after_closing() {
    let project = Project::new();
    let id = project.open().store.begin_recording(&recording()).unwrap();
    let opened = project.open();
    assert_eq!(opened.store.mode(), Mode::Full);
    assert!(opened.notes.is_empty() && !opened.foreign);
    assert_eq!(opened.store.recording(id).unwrap().unwrap().command, recording().command);
}

#[test]
fn nobody_else_can_read_the_files() {
    let project = Project::new();
    let opened = project.open();
    opened.store.begin_recording(&recording()).unwrap();
    let folder = project.root().join(FOLDER);
    assert_eq!(mode(&folder), 0o700);
    for name in ["pytead.db", "pytead.db-wal", "pytead.db-shm", "lock"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    assert_eq!(mode(&project.root().join("state/databases")), 0o600);
    let ignored = fs::read_to_string(folder.join(".gitignore")).unwrap();
    assert!(ignored.starts_with("*\n") && ignored.contains("!config.yaml\n"), "{ignored}");
}

#[test]
fn a_gitignore_that_is_there_stays() {
    let project = Project::new();
    fs::create_dir(project.root().join(FOLDER)).unwrap();
    fs::write(project.root().join(FOLDER).join(".gitignore"), "mine\n").unwrap();
    project.open();
    assert_eq!(fs::read_to_string(project.root().join(FOLDER).join(".gitignore")).unwrap(), "mine\n");
}

#[test]
fn two_handles_see_each_other_s_work() {
    let project = Project::new();
    let (one, two) = (project.open().store, project.open().store);
    let id = one.begin_recording(&recording()).unwrap();
    assert!(two.changed().unwrap(), "what came after it was opened and before it was asked is news, too");
    assert!(!two.changed().unwrap());
    assert!(!one.changed().unwrap(), "its own work is no news");
    assert!(two.recording(id).unwrap().is_some());
}

#[test]
fn what_would_be_written_into_a_deleted_folder_is_refused() {
    let project = Project::new();
    let store = project.open().store;
    store.begin_recording(&recording()).unwrap();
    let (folder, aside) = (project.root().join(FOLDER), project.root().join("aside"));
    fs::rename(&folder, &aside).unwrap();
    let refused = |store: &Store| matches!(store.begin_recording(&recording()), Err(StoreError::Gone));
    assert!(refused(&store) && matches!(store.changed(), Err(StoreError::Gone)));
    let other = project.open().store;
    assert!(refused(&store), "another one in its place is not this one");
    other.begin_recording(&recording()).unwrap();
    drop(other);
    fs::remove_dir_all(&folder).unwrap();
    fs::rename(&aside, &folder).unwrap();
    store.begin_recording(&recording()).unwrap();
    assert_eq!(store.recordings().unwrap().len(), 2, "put back, it goes on");
}

#[test]
fn threads_write_through_clones_at_the_same_time() {
    let project = Project::new();
    let (one, two) = (project.open().store, project.open().store);
    std::thread::scope(|scope| {
        for store in [one.clone(), one.clone(), two.clone(), two] {
            scope.spawn(move || {
                for _ in 0..20 {
                    store.begin_recording(&recording()).unwrap();
                    store.recordings().unwrap();
                }
            });
        }
    });
    assert_eq!(one.recordings().unwrap().len(), 80);
}

#[test]
fn processes_that_open_at_once_agree_on_one_database() {
    // Often, because the moment at which they get into each other's way is short.
    for _ in 0..20 {
        let project = Project::new();
        let start = std::sync::Barrier::new(6);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    start.wait();
                    let opened = project.open();
                    let notes: Vec<_> = opened.notes.iter().map(ToString::to_string).collect();
                    assert_eq!((opened.foreign, notes), (false, vec![]));
                    opened.store.begin_recording(&recording()).unwrap();
                });
            }
        });
        assert_eq!(project.open().store.recordings().unwrap().len(), 6);
    }
}

#[test]
fn a_failing_write_leaves_nothing() {
    let project = Project::new();
    let store = project.open().store;
    let result: Result<()> = store.write(|transaction| {
        transaction.execute("INSERT INTO meta VALUES ('half', 'done')", [])?;
        Err(StoreError::Full)
    });
    assert!(matches!(result, Err(StoreError::Full)));
    let panicked: Result<()> = store.write(|transaction| {
        transaction.execute("INSERT INTO meta VALUES ('half', 'done')", [])?;
        panic!("a defect");
    });
    assert!(matches!(panicked, Err(StoreError::Closed)));
    let half: i64 = store
        .read(|connection| Ok(connection.query_row("SELECT count(*) FROM meta WHERE key = 'half'", [], |row| row.get(0))?))
        .unwrap();
    assert_eq!(half, 0);
    store.begin_recording(&recording()).unwrap();
}

/// Run as a process of its own by the test below.
#[test]
#[ignore = "the other half of a test: runs until it is killed"]
fn writes_until_it_is_killed() {
    let Some(root) = std::env::var_os("PYTEAD_TEST_ROOT") else { return };
    let root = PathBuf::from(root);
    let store = open(&root, &root.join("state")).unwrap().store;
    let id = store.begin_recording(&recording()).unwrap();
    for round in 0.. {
        let calls = (0..10).map(|number| call("shop:total", round * 10 + number)).collect();
        store.ingest(id, Batch { calls, ..Batch::default() }).unwrap();
    }
}

#[test]
fn a_killed_process_leaves_whole_batches_and_a_dangling_recording() {
    let project = Project::new();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::tests::writes_until_it_is_killed", "--ignored"])
        .env("PYTEAD_TEST_ROOT", project.root())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let count = |store: &Store| -> i64 {
        store.read(|connection| Ok(connection.query_row("SELECT count(*) FROM calls", [], |row| row.get(0))?)).unwrap()
    };
    let until = Instant::now() + Duration::from_secs(60);
    while !project.root().join("state/databases").exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(2));
    }
    let opened = project.open();
    while count(&opened.store) < 50 {
        assert!(Instant::now() < until, "the other process writes nothing");
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(opened.store.recordings().unwrap()[0].end, ProgramEnd::Running, "another process runs it");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(opened);
    let opened = project.open();
    assert!(opened.notes.is_empty());
    assert_eq!(count(&opened.store) % 10, 0);
    assert_eq!(opened.interrupted.len(), 1);
    assert!(matches!(opened.store.recordings().unwrap()[0].end, ProgramEnd::Killed(_)));
}

#[test]
fn a_damaged_database_is_set_aside_and_said() {
    let project = Project::new();
    for round in ["pytead.db.damaged", "pytead.db.damaged.2"] {
        project.open().store.begin_recording(&recording()).unwrap();
        fs::write(project.file(), "this is no database, whatever its name says. ".repeat(40)).unwrap();
        let opened = project.open();
        assert_eq!(opened.notes.len(), 1);
        assert!(opened.notes[0].to_string().contains(round), "{}", opened.notes[0]);
        assert!(project.root().join(FOLDER).join(round).exists());
        assert_eq!(opened.store.mode(), Mode::Full);
        assert!(opened.store.recordings().unwrap().is_empty());
    }
}

#[test]
fn a_database_with_torn_pages_is_set_aside() {
    let project = Project::new();
    {
        let store = project.open().store;
        let id = store.begin_recording(&recording()).unwrap();
        store.ingest(id, batch("shop:total", 500)).unwrap();
    }
    let mut bytes = fs::read(project.file()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0x5a);
    fs::write(project.file(), bytes).unwrap();
    let opened = project.open();
    assert_eq!(opened.notes.len(), 1, "the damage is said");
    assert!(opened.store.recordings().unwrap().is_empty());
}

#[test]
fn a_database_of_somebody_else_is_only_read_and_not_believed() {
    let project = Project::new();
    {
        let store = project.open().store;
        let id = store.begin_recording(&recording()).unwrap();
        store.ingest(id, batch("shop:total", 1)).unwrap();
        let call = store.calls_of(&FunctionId("shop:total".into()), 1).unwrap()[0].id;
        store.set_baseline(call, Some(b"accepted".to_vec())).unwrap();
        store.keep_session(&serde_json::json!({"screen": "review"})).unwrap();
        store.put_accepted(&samples::accepted()).unwrap();
    }
    let opened = project.open_as_stranger();
    let store = &opened.store;
    assert!(opened.foreign && store.is_foreign() && opened.notes.len() == 1);
    assert_eq!(store.mode(), Mode::ReadOnly);
    assert_eq!(store.recordings().unwrap().len(), 1, "it can be looked at");
    assert!(matches!(store.begin_recording(&recording()), Err(StoreError::ReadOnly { .. })));
    assert!(store.accepted().unwrap().is_empty());
    assert_eq!(store.session().unwrap(), None);
    let call = store.calls_of(&FunctionId("shop:total".into()), 1).unwrap()[0].id;
    assert_eq!(store.baselines(&[call]).unwrap()[&call], b"recorded", "what a stranger accepted does not count");

    let moved = set_aside(project.root()).unwrap();
    assert!(moved.ends_with("pytead.db.foreign"));
    let opened = project.open_as_stranger();
    assert!(!opened.foreign && opened.store.recordings().unwrap().is_empty());
}

#[test]
fn a_made_up_schema_is_not_even_read() {
    for trap in [
        "CREATE VIEW meta AS WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n) SELECT 'id' AS key, value FROM n",
        "CREATE TABLE recordings (id); CREATE TRIGGER t AFTER INSERT ON recordings BEGIN DELETE FROM recordings; END",
        "CREATE TABLE something (else_)",
    ] {
        let project = Project::new();
        fs::create_dir(project.root().join(FOLDER)).unwrap();
        Connection::open(project.file()).unwrap().execute_batch(trap).unwrap();
        let before = fs::read(project.file()).unwrap();
        let opened = project.open();
        assert!(opened.foreign, "{trap}");
        assert_eq!(opened.store.mode(), Mode::Memory);
        opened.store.begin_recording(&recording()).unwrap();
        assert_eq!(fs::read(project.file()).unwrap(), before);
    }
}

#[test]
fn a_database_of_ours_that_somebody_changed_is_set_aside() {
    let project = Project::new();
    drop(project.open());
    let trigger = "CREATE TRIGGER t AFTER INSERT ON decisions BEGIN DELETE FROM decisions; END";
    Connection::open(project.file()).unwrap().execute_batch(trigger).unwrap();
    let opened = project.open();
    assert_eq!((opened.foreign, opened.notes.len(), opened.store.mode()), (false, 1, Mode::Full));
    assert!(project.root().join(FOLDER).join("pytead.db.damaged").exists());
}

#[test]
fn a_log_that_somebody_put_beside_the_database_is_not_read() {
    let project = Project::new();
    drop(project.open());
    // A log as a stranger makes it: from a copy of the database, with a recording in it.
    let other = Project::new();
    fs::create_dir(other.root().join(FOLDER)).unwrap();
    fs::copy(project.file(), other.file()).unwrap();
    let stranger = schema::writer(&Place::File(other.file()), "id").unwrap();
    stranger.execute("INSERT INTO session VALUES ('screen', '\"theirs\"')", []).unwrap();
    let log = project.root().join(FOLDER).join("pytead.db-wal");
    fs::copy(other.root().join(FOLDER).join("pytead.db-wal"), &log).unwrap();
    for (mode, session, notes) in [(0o644, None, 1), (0o600, Some("theirs"), 0)] {
        fs::copy(other.root().join(FOLDER).join("pytead.db-wal"), &log).unwrap();
        fs::set_permissions(&log, fs::Permissions::from_mode(mode)).unwrap();
        let opened = project.open();
        // The second round shows that the log would have worked.
        assert_eq!(opened.store.session().unwrap(), session.map(Into::into), "{mode:o}");
        assert_eq!(opened.notes.len(), notes);
    }
}

#[test]
fn a_log_without_a_database_is_not_read() {
    let project = Project::new();
    let other = Project::new();
    let store = other.open().store;
    store.begin_recording(&recording()).unwrap();
    fs::create_dir(project.root().join(FOLDER)).unwrap();
    for part in ["pytead.db-wal", "pytead.db-shm"] {
        fs::copy(other.root().join(FOLDER).join(part), project.root().join(FOLDER).join(part)).unwrap();
    }
    let opened = project.open();
    assert_eq!((opened.store.mode(), opened.foreign), (Mode::Full, false));
    assert!(opened.store.recordings().unwrap().is_empty());
}

#[test]
fn links_in_the_place_of_our_files_are_not_followed() {
    let project = Project::new();
    let target = project.root().join("precious");
    fs::write(&target, "precious").unwrap();
    fs::create_dir(project.root().join(FOLDER)).unwrap();
    std::os::unix::fs::symlink(&target, project.file()).unwrap();
    let opened = project.open();
    assert_eq!((opened.store.mode(), opened.notes.len()), (Mode::Memory, 1));
    opened.store.begin_recording(&recording()).unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");

    let project = Project::new();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), project.root().join(FOLDER)).unwrap();
    assert_eq!(project.open().store.mode(), Mode::Memory);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_newer_database_is_left_alone() {
    let project = Project::new();
    drop(project.open());
    Connection::open(project.file()).unwrap().pragma_update(None, "user_version", 999).unwrap();
    let Err(trouble) = open(project.root(), &project.root().join("state")) else { panic!("it was opened") };
    assert!(trouble.to_string().contains("newer pytead-tui"), "{trouble}");
    assert_eq!(trouble.exit_code(), 3);
}

#[test]
fn every_step_of_the_schema_leads_to_today_s() {
    let connection = schema::writer(&Place::Memory("pytead-migrations".into()), "id").unwrap();
    assert_eq!(schema::version(&connection).unwrap(), schema::VERSION);
    assert!(schema::is_ours(&connection).unwrap());
    assert_eq!(schema::identity(&connection).unwrap().as_deref(), Some("id"));
    let again = schema::writer(&Place::Memory("pytead-migrations".into()), "other").unwrap();
    assert_eq!(schema::identity(&again).unwrap().as_deref(), Some("id"), "an identity is for ever");
}

#[test]
fn a_store_in_memory_works_like_any_other() {
    let store = open_in_memory().unwrap();
    let id = store.begin_recording(&recording()).unwrap();
    store.ingest(id, batch("shop:total", 3)).unwrap();
    assert_eq!(store.calls_of(&FunctionId("shop:total".into()), 9).unwrap().len(), 3);
    assert!(open_in_memory().unwrap().recordings().unwrap().is_empty(), "each has its own");
}

#[test]
fn a_project_that_cannot_be_written_can_still_be_browsed() {
    if rustix::process::getuid().is_root() {
        // Root may write anywhere, so a place that cannot hold a folder stands for it.
        let project = Project::new();
        fs::write(project.root().join(FOLDER), "a file").unwrap();
        let opened = project.open();
        assert_eq!((opened.store.mode(), opened.notes.len()), (Mode::Memory, 1));
        return;
    }
    let project = Project::new();
    project.open().store.begin_recording(&recording()).unwrap();
    let folder = project.root().join(FOLDER);
    for path in [project.file(), folder.join("lock")] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o400)).unwrap();
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    fs::set_permissions(project.root(), fs::Permissions::from_mode(0o500)).unwrap();
    let opened = project.open();
    fs::set_permissions(project.root(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    assert!(!opened.store.recordings().unwrap().is_empty());
}

#[test]
fn one_process_at_a_time_has_the_turn() {
    let project = Project::new();
    let (first, second) = (project.open().store, project.open().store);
    let turn = first.turn().unwrap();
    assert!(second.turn_if_free().unwrap().is_none());
    drop(turn);
    assert!(second.turn_if_free().unwrap().is_some());
    assert!(open_in_memory().unwrap().turn_if_free().unwrap().is_some(), "nobody else can know of it");
}
