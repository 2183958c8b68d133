//! Finding, making and judging the database file: whose it is, whether it is sound, and what to do when it is not.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::error::WRITABLE;
use super::error::{Result, StoreError};
use super::handle::{FILE, FOLDER, Mode, Store};
use super::recordings;
use super::schema::{self, Place};
use crate::base::error::Trouble;
use crate::base::paths::tilde;
use crate::domain::call::RecordingId;

/// What stands in `.pytead/.gitignore`: the settings belong to the project, all else to this machine.
const GITIGNORE: &str = "*\n!config.yaml\n!config.yml\n!config.toml\n";

/// Files up to this many bytes are checked whole at each start.
const CHECK_MAX: u64 = 16 << 20;

/// A larger database is not copied into memory.
const COPIED_MAX: u64 = 512 << 20;

/// How long to wait for another process that opens the same project.
const PATIENCE: Duration = Duration::from_secs(10);

/// An opened store, and what a person should know about it.
pub struct Opened {
    /// The store.
    pub store: Store,
    /// The database was made by somebody else; it is only read until [`set_aside`].
    pub foreign: bool,
    /// It can be written, and no other process has it open.
    pub alone: bool,
    /// What went wrong on the way, none of it fatal.
    pub notes: Vec<Trouble>,
    /// Recordings that a killed process left running; their spools may still be there.
    pub interrupted: Vec<RecordingId>,
}

/// Opens the database of the project at `root`, and makes it if there is none.
///
/// A damaged database is set aside and a new one made. A database that this user did not make is only read. Where
/// nothing can be written the store only reads, or lives in memory. All this is said in the notes.
///
/// # Errors
/// Fails when the database was written by a newer version of the program.
pub fn open(root: &Path, state_dir: &Path) -> Result<Opened, Trouble> {
    let folder = root.join(FOLDER);
    let file = folder.join(FILE);
    let known = Known { path: state_dir.join("databases") };
    let lock = match prepare(&folder).and_then(|()| lock(&folder)) {
        Ok(lock) => lock,
        Err(error) => return fall_back(&file, &known, StoreError::read_only(error.to_string())),
    };
    let mut notes = Vec::new();
    if let Some(planted) = move_planted_logs(&file) {
        notes.push(planted);
    }
    // Twice: a damaged database is replaced once.
    for _ in 0..2 {
        let judged = match judge(&file, &known) {
            Ok(judged) => judged,
            Err(StoreError::Damaged) => Judged::Damaged,
            Err(error) => return fall_back(&file, &known, error),
        };
        match judged {
            Judged::Absent | Judged::Ours { .. } => match open_own(&file, &known, matches!(judged, Judged::Absent)) {
                Ok((store, interrupted)) => {
                    let (alone, users) = join(&folder);
                    store.hold(users);
                    drop(lock);
                    return Ok(Opened { store, foreign: false, alone, notes, interrupted });
                }
                Err(StoreError::Damaged) => notes.push(replace_damaged(&file)?),
                Err(error) => return fall_back(&file, &known, error),
            },
            Judged::Damaged => notes.push(replace_damaged(&file)?),
            Judged::Newer => return Err(newer(&file)),
            Judged::Foreign { readable } => return open_foreign(file, readable),
            Judged::NoFile => {
                return fall_back(&file, &known, StoreError::read_only("there is something in its place that is no file"));
            }
        }
    }
    fall_back(&file, &known, StoreError::read_only("it was damaged again as soon as it was made"))
}

/// Gives our folder in a project, which need not be there yet; none where something else lies in its place: a link would have
/// us write where somebody else chose.
#[must_use]
pub fn folder_in(root: &Path) -> Option<PathBuf> {
    let folder = root.join(FOLDER);
    let is_other = fs::symlink_metadata(&folder).is_ok_and(|meta| !meta.is_dir());
    (!is_other).then_some(folder)
}

/// Tells whether this user made the database of the project at `root`. Nothing is written to find out, nor made beside it.
#[must_use]
pub fn is_own(root: &Path, state_dir: &Path) -> bool {
    let Some(file) = folder_in(root).map(|folder| folder.join(FILE)) else { return false };
    if !fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file()) {
        return false;
    }
    let known = Known { path: state_dir.join("databases") };
    let identity = schema::unchanging(&file).and_then(|connection| schema::identity(&connection));
    identity.is_ok_and(|identity| identity.is_some_and(|identity| known.contains(&identity)))
}

/// Makes a store that lives in memory and is gone with the process.
///
/// # Errors
/// Fails when there is no memory for it.
pub fn open_in_memory() -> Result<Store, Trouble> {
    let identity = schema::new_identity()?;
    let place = Place::Memory(format!("pytead-{identity}"));
    let writer = schema::writer(&place, &identity)?;
    Ok(Store::start(place, false, Some(writer))?)
}

/// Makes a store in memory that begins with what a database holds, which stays as it is.
fn copy_in_memory(file: &Path) -> Result<Store> {
    let place = Place::Memory(format!("pytead-{}", schema::new_identity()?));
    let first = schema::copy(file, &place, COPIED_MAX)?;
    let writer = schema::writer(&place, "")?;
    recordings::end_interrupted(&writer)?;
    let store = Store::start(place, false, Some(writer));
    // What is in memory is there as long as a connection is.
    drop(first);
    store
}

/// Moves the database of a project out of the way, so that the next [`open`] makes a new one. Gives its new place.
///
/// # Errors
/// Fails when the file cannot be moved.
pub fn set_aside(root: &Path) -> Result<PathBuf, Trouble> {
    let file = root.join(FOLDER).join(FILE);
    let _lock = lock(&root.join(FOLDER)).map_err(|error| cannot_move(&file, &error))?;
    move_away(&file, "foreign")
}

/// What a look at the file found.
enum Judged {
    /// There is none, or nothing in it.
    Absent,
    /// This user made it; `current` when in today's form.
    Ours { current: bool },
    /// This user made it, with a newer version of the program.
    Newer,
    /// Somebody else made it; `readable` when its tables are what this program makes today.
    Foreign { readable: bool },
    /// It is damaged.
    Damaged,
    /// A link, a folder, a device.
    NoFile,
}

fn judge(file: &Path, known: &Known) -> Result<Judged> {
    // Behind a link lies what somebody else chose, and to read a database makes files beside it.
    if file.parent().is_some_and(|folder| fs::symlink_metadata(folder).is_ok_and(|meta| !meta.is_dir())) {
        return Ok(Judged::NoFile);
    }
    let meta = match fs::symlink_metadata(file) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Judged::Absent),
        Err(_) => return Ok(Judged::NoFile),
    };
    if !meta.is_file() {
        return Ok(Judged::NoFile);
    }
    if meta.len() == 0 {
        return Ok(Judged::Absent);
    }
    let connection = schema::read_only(file)?;
    if !schema::has_tables(&connection)? {
        return Ok(Judged::Absent);
    }
    let ours = meta.uid() == rustix::process::getuid().as_raw()
        && schema::identity(&connection)?.is_some_and(|identity| known.contains(&identity));
    let version = schema::version(&connection)?;
    let (newer, current) = (version > schema::VERSION, version == schema::VERSION);
    // The tables are looked at before anything else is read from them.
    let readable = schema::is_ours(&connection)?;
    Ok(match (ours, newer, readable) {
        (true, true, _) => Judged::Newer,
        (true, false, true) => Judged::Ours { current },
        // Ours, and yet not as this program makes it: somebody was at it.
        (true, false, false) => Judged::Damaged,
        (false, ..) => Judged::Foreign { readable: readable && current && schema::is_sound(&connection)? },
    })
}

fn open_own(file: &Path, known: &Known, new: bool) -> Result<(Store, Vec<RecordingId>)> {
    let identity = schema::new_identity()?;
    if new {
        // First known, then made: killed in between, a number is known that nobody has. Its files get the modes of the
        // database file, which SQLite copies to its log and shared memory.
        known.add(&identity).map_err(|error| known.refused(&error))?;
        create(file).map_err(|error| unwritable(&error))?;
    }
    for part in ["", "-wal", "-shm"] {
        // Read while it could not be written, the database has logs that cannot be written either.
        let path = file.with_file_name(format!("{FILE}{part}"));
        if fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file()) {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(|error| unwritable(&error))?;
        }
    }
    let place = Place::File(file.to_owned());
    let writer = schema::writer(&place, &identity)?;
    if file.metadata().is_ok_and(|meta| meta.len() <= CHECK_MAX) && !schema::is_sound(&writer)? {
        return Err(StoreError::Damaged);
    }
    let interrupted = recordings::end_interrupted(&writer)?;
    Ok((Store::start(place, false, Some(writer))?, interrupted))
}

fn unwritable(error: &io::Error) -> StoreError {
    if error.kind() == io::ErrorKind::StorageFull { StoreError::Full } else { StoreError::read_only(error.to_string()) }
}

const FOREIGN: &str = "it was not made by you on this machine, so it is only read";
const MOVE_FOREIGN: &str = "Move it away to begin a new one.";

fn open_foreign(file: PathBuf, readable: bool) -> Result<Opened, Trouble> {
    let note = Trouble::environment(format!("{} was not made by you on this machine.", tilde(&file)))
        .because("It may say anything, so its decisions do not count, and nothing is stored.")
        .so(MOVE_FOREIGN);
    let store = if readable { Store::start_reading(file, true, FOREIGN, MOVE_FOREIGN)? } else { open_in_memory()? };
    Ok(Opened { store, foreign: true, alone: false, notes: vec![note], interrupted: Vec::new() })
}

/// Opens what can be opened where nothing can be written: a copy of the database in memory, the database for reading, or an
/// empty one in memory.
fn fall_back(file: &Path, known: &Known, error: StoreError) -> Result<Opened, Trouble> {
    const GONE: &str = "What is recorded and decided now is gone when the program ends.";
    const READ: &str = "It is only read, and what is recorded and decided now is gone when the program ends.";
    const OLDER: &str =
        "It is only read, without what its log (-wal) holds, and what is recorded and decided now is gone when the program ends.";
    let (why, todo, may_be_copied) = match error {
        StoreError::ReadOnly { why, todo } => (why, todo, true),
        other => (other.to_string(), WRITABLE.to_owned(), false),
    };
    let copied = |file: &Path| may_be_copied.then(|| copy_in_memory(file).ok()).flatten();
    let (store, effect, cannot) = match judge(file, known) {
        Ok(Judged::Newer) => return Err(newer(file)),
        // In a read-only folder verbs do what they do in one without a database.
        Ok(Judged::Ours { current: true }) if let Some(store) = copied(file) => {
            (store, if has_unread_log(file) { OLDER } else { READ }, "written")
        }
        // What cannot be brought to today's form cannot be asked today's questions.
        Ok(Judged::Ours { current: true }) => {
            (Store::start_reading(file.to_owned(), false, &why, &todo)?, "It is only read.", "written")
        }
        Ok(Judged::Foreign { readable }) => return open_foreign(file.to_owned(), readable),
        _ => (open_in_memory()?, GONE, "used"),
    };
    let note = Trouble::environment(format!("{} cannot be {cannot}: {why}.", tilde(file))).because(effect).so(todo);
    let alone = store.mode() == Mode::Memory;
    Ok(Opened { store, foreign: false, alone, notes: vec![note], interrupted: Vec::new() })
}

/// Tells whether a log holds what cannot be read: its shared memory is gone, and cannot be made where nothing can be written.
fn has_unread_log(file: &Path) -> bool {
    let length = |part: &str| fs::symlink_metadata(file.with_file_name(format!("{FILE}{part}"))).map(|meta| meta.len());
    length("-wal").is_ok_and(|length| length > 0) && length("-shm").is_err()
}

fn newer(file: &Path) -> Trouble {
    Trouble::environment(format!("{} was written by a newer pytead-tui.", tilde(file)))
        .because("This version does not know its form.")
        .so("Update pytead-tui, or move the file away.")
}

fn replace_damaged(file: &Path) -> Result<Trouble, Trouble> {
    let moved = move_away(file, "damaged")?;
    Ok(Trouble::environment(format!("{} was damaged.", tilde(file)))
        .because(format!("It is kept as {}, and a new one was made.", tilde(&moved)))
        .so("Record again what you need; accepted tests are in your files and are not touched."))
}

fn move_away(file: &Path, word: &str) -> Result<PathBuf, Trouble> {
    let name = |number: u32, part: &str| {
        let number = if number == 1 { String::new() } else { format!(".{number}") };
        file.with_file_name(format!("{FILE}.{word}{number}{part}"))
    };
    let number = (1..).find(|number| fs::symlink_metadata(name(*number, "")).is_err()).unwrap_or(u32::MAX);
    // The log first: a new database must never meet the log of an old one.
    for part in ["-wal", "-shm", "-journal", ""] {
        let from = file.with_file_name(format!("{FILE}{part}"));
        match fs::rename(&from, name(number, part)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot_move(&from, &error)),
            _ => {}
        }
    }
    Ok(name(number, ""))
}

fn cannot_move(file: &Path, error: &io::Error) -> Trouble {
    Trouble::environment(format!("{} cannot be set aside.", tilde(file)))
        .because(format!("{error}."))
        .so("Move it away by hand, then start again.")
}

/// Moves a log away that stands beside our database and that SQLite did not make: it would be read into the database at
/// the next opening. SQLite gives its logs the mode of the database, closed to others; a checkout does not.
fn move_planted_logs(file: &Path) -> Option<Trouble> {
    let is_closed = |meta: &fs::Metadata| meta.is_file() && meta.mode() & 0o077 == 0;
    // A file system without modes cannot tell; neither can a database that was opened to others by hand.
    if !fs::symlink_metadata(file).is_ok_and(|meta| is_closed(&meta)) {
        return None;
    }
    let mut moved = None;
    for part in ["-wal", "-journal", "-shm"] {
        let log = file.with_file_name(format!("{FILE}{part}"));
        if fs::symlink_metadata(&log).is_ok_and(|meta| !is_closed(&meta))
            && fs::rename(&log, file.with_file_name(format!("{FILE}{part}.foreign"))).is_ok()
        {
            moved = Some(log);
        }
    }
    let log = moved?;
    Some(
        Trouble::environment(format!("{} was not made by pytead-tui.", tilde(&log)))
            .because("It would have changed the database; it was set aside with .foreign at its end.")
            .so("Find out who put it there; the database is as you left it."),
    )
}

/// Makes the folder of a project, closed to others, with its `.gitignore`.
///
/// # Errors
/// Fails when it cannot be made, or something else has its name.
pub fn prepare(folder: &Path) -> io::Result<()> {
    if fs::symlink_metadata(folder).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        match DirBuilder::new().mode(0o700).create(folder) {
            // Another process that opens the same project may have been faster.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    let meta = fs::symlink_metadata(folder)?;
    if !meta.is_dir() {
        return Err(io::Error::other(format!("{FOLDER} is no folder")));
    }
    if meta.mode() & 0o777 != 0o700 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    match OpenOptions::new().write(true).create_new(true).open(folder.join(".gitignore")) {
        Ok(mut file) => file.write_all(GITIGNORE.as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Enters this process among those that have the database open, until the file is closed; tells whether it is the only
/// one. The opening lock has to be held.
fn join(folder: &Path) -> (bool, Option<File>) {
    use rustix::fs::{FlockOperation as Op, flock};
    let Ok(file) = lock_file(folder, "users") else { return (false, None) };
    let alone = flock(&file, Op::NonBlockingLockExclusive).is_ok();
    let joined = flock(&file, Op::NonBlockingLockShared).is_ok();
    (alone && joined, Some(file))
}

/// Opens the file of a lock, made where it is not there.
pub(super) fn lock_file(folder: &Path, name: &str) -> io::Result<File> {
    // A repository may hold anything under this name; a link is not followed.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(folder.join(name))
}

/// Makes sure that one process at a time looks at, makes or replaces the database.
fn lock(folder: &Path) -> io::Result<File> {
    let file = lock_file(folder, "lock")?;
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(io::Error::other("another pytead-tui is opening it and does not come to an end"));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

fn create(file: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// The identities of the databases that this user made, one a line, outside of any project.
struct Known {
    path: PathBuf,
}

impl Known {
    fn contains(&self, identity: &str) -> bool {
        fs::read_to_string(&self.path).is_ok_and(|text| text.lines().any(|line| line == identity))
    }

    /// Gives the error of a list that cannot be written.
    fn refused(&self, error: &io::Error) -> StoreError {
        let folder = tilde(self.path.parent().unwrap_or(&self.path));
        StoreError::ReadOnly {
            why: format!("the list of your databases in {folder} cannot be written: {error}"),
            todo: format!("Make {folder} a folder you can write, with room on its disk, or set XDG_STATE_HOME to one."),
        }
    }

    fn add(&self, identity: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
        file.write_all(format!("{identity}\n").as_bytes())
    }
}
