//! Spool folders on disk: made for one recording, locked while we read along, removed once all is stored.
//!
//! A folder whose lock is free was left by a run that was killed: [`leftovers`] finds it for the next start. No link is
//! followed, and only files that a recorder writes are removed: a repository may bring anything under our names.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::fs::Folder;
use crate::base::paths::tilde;

const LOCK: &str = "lock";
/// How the names of folders begin that the decorator makes: `traced-<milliseconds since 1970>-<process>`.
const TRACED: &str = "traced-";

/// How the names of spool files end.
const SPOOL: &str = ".spool";

/// The spool folder of one recording; the lock goes with this value.
#[derive(Debug)]
pub struct SpoolFolder {
    place: Folder,
    folder: Folder,
    recording: String,
    _lock: File,
}

impl SpoolFolder {
    /// Makes the folder of a recording: `<place>/<recording>` in the first of the places that can be written, mode 0700.
    ///
    /// # Errors
    /// When it can be made in none of them, or exists already.
    pub fn create(places: &[PathBuf], recording: &str) -> Result<Self, Trouble> {
        let mut first = None;
        for place in places {
            match Folder::open_or_create(place).and_then(|place| make(place, recording)) {
                Ok(made) => return Ok(made),
                Err(error) => {
                    first.get_or_insert((place, error));
                }
            }
        }
        let trouble = Trouble::environment("The program was not started: its calls cannot be written anywhere.");
        Err(match first {
            Some((place, error)) => trouble
                .because(format!("{}: {error}.", tilde(place)))
                .so(format!("Make {} writable, or set XDG_CACHE_HOME to a folder that is.", tilde(place))),
            None => trouble,
        })
    }

    /// Gives the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the recording's id, as it was given to the program.
    #[must_use]
    pub fn recording(&self) -> &str {
        &self.recording
    }

    /// Gives when a process began to write decorated functions' calls here by itself: for a folder that is of no recording,
    /// and that nobody but this user can have made.
    #[must_use]
    pub fn traced(&self) -> Option<Moment> {
        let (started, process) = self.recording.strip_prefix(TRACED)?.split_once('-')?;
        process.parse::<u32>().ok()?;
        self.folder.is_private().then(|| started.parse().ok().map(Moment)).flatten()
    }

    /// Makes the folder a recording's: whoever finds it left behind goes on with that recording, and begins no second one.
    ///
    /// # Errors
    /// When there is such a folder already, or it cannot be renamed.
    pub fn adopt(self, recording: &str) -> io::Result<Self> {
        self.place.rename(&self.recording, recording)?;
        let folder = self.place.folder(recording)?;
        Ok(Self { folder, recording: recording.to_owned(), ..self })
    }

    /// Removes the folder with its spool files.
    ///
    /// # Errors
    /// When something of it cannot be removed, or it holds what no recorder writes; it will be found among the leftovers then.
    pub fn remove(self) -> io::Result<()> {
        self.folder.remove_files(|name| name == LOCK || name.ends_with(SPOOL))?;
        self.place.remove_folder(&self.recording)
    }
}

fn make(place: Folder, recording: &str) -> io::Result<SpoolFolder> {
    let folder = place.create_folder(recording)?;
    let lock = folder.file(LOCK)?;
    // Where the file system knows no locks, a second run could take this one for a leftover; that is all.
    let _ = flock(&lock, FlockOperation::NonBlockingLockExclusive);
    Ok(SpoolFolder { place, folder, recording: recording.to_owned(), _lock: lock })
}

/// Lists what runs that were killed left in a place, locked for this process. A folder says of itself which recording it
/// is of: believe it only when that recording is known to have been interrupted.
#[must_use]
pub fn leftovers(place: &Path) -> Vec<SpoolFolder> {
    let names = Folder::open(place).and_then(|folder| folder.names()).unwrap_or_default();
    let open = |recording: String| {
        let place = Folder::open(place).ok()?;
        let folder = place.folder(&recording).ok()?;
        let lock = folder.file(LOCK).ok()?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?;
        Some(SpoolFolder { place, folder, recording, _lock: lock })
    };
    let mut found: Vec<SpoolFolder> = names.into_iter().filter(|name| is_ours(name)).filter_map(open).collect();
    found.sort_by(|a, b| a.recording.cmp(&b.recording));
    found
}

/// Tells whether a folder has a name that we give: a recording's number, or that of a process with decorated functions.
fn is_ours(name: &str) -> bool {
    name.starts_with(TRACED) || name.parse::<i64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_use_is_no_leftover() {
        let place = tempfile::tempdir().unwrap();
        let folder = SpoolFolder::create(&[place.path().join("spool")], "7").unwrap();
        assert!(leftovers(&place.path().join("spool")).is_empty());
        drop(folder);
        let mut left = leftovers(&place.path().join("spool"));
        assert_eq!(left.iter().map(SpoolFolder::recording).collect::<Vec<_>>(), ["7"]);
        let adopted = left.remove(0).adopt("8").unwrap();
        assert!(adopted.path().ends_with("spool/8") && leftovers(&place.path().join("spool")).is_empty(), "still locked");
        drop(SpoolFolder::create(&[place.path().join("spool")], "9").unwrap());
        assert!(leftovers(&place.path().join("spool")).remove(0).adopt("8").is_err(), "nothing is taken over");
        adopted.remove().unwrap();
        leftovers(&place.path().join("spool")).remove(0).remove().unwrap();
        assert!(leftovers(&place.path().join("spool")).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_decorated_functions_folder_is_believed_when_nobody_else_can_have_made_it() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("traced-1700000000123-77");
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        let traced = |place: &Path| leftovers(place).iter().map(SpoolFolder::traced).collect::<Vec<_>>();
        assert_eq!(traced(place.path()), [None], "as git makes folders");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o700)).unwrap();
        assert_eq!(traced(place.path()), [Some(Moment(1_700_000_000_123))]);
        for other in ["traced-1-", "traced--1", "traced-1-2-3", "12"] {
            std::fs::rename(&path, place.path().join(other)).unwrap();
            assert_eq!(traced(place.path()), [None], "{other}");
            std::fs::rename(place.path().join(other), &path).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_look_into_it() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let folder = SpoolFolder::create(&[place.path().join("a/b")], "7").unwrap();
        assert_eq!(folder.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_folder_leads_nowhere() {
        let top = tempfile::tempdir().unwrap();
        let outside = top.path().join("outside");
        std::fs::create_dir_all(outside.join("1/deep")).unwrap();
        std::fs::write(outside.join("1/a.jpg"), "precious").unwrap();
        let spool = top.path().join("spool");
        std::os::unix::fs::symlink(&outside, &spool).unwrap();
        assert!(leftovers(&spool).is_empty());
        assert!(SpoolFolder::create(std::slice::from_ref(&spool), "7").is_err());
        std::fs::remove_file(&spool).unwrap();
        std::fs::create_dir(&spool).unwrap();
        std::os::unix::fs::symlink(outside.join("1"), spool.join("1")).unwrap();
        assert!(leftovers(&spool).is_empty());
        assert!(SpoolFolder::create(std::slice::from_ref(&spool), "1").is_err());
        let mut left = std::fs::read_dir(outside.join("1")).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        left.sort();
        assert_eq!(left, ["a.jpg", "deep"], "nothing came and nothing went");
    }

    #[test]
    fn what_no_recorder_wrote_is_not_removed_nor_touched() {
        let place = tempfile::tempdir().unwrap();
        for folder in ["1/deep", "summer"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        std::fs::write(place.path().join("1/a.jpg"), "precious").unwrap();
        std::fs::write(place.path().join("1/2-0.spool"), "").unwrap();
        let [left] = <[SpoolFolder; 1]>::try_from(leftovers(place.path())).unwrap();
        assert_eq!(left.recording(), "1");
        assert!(left.remove().is_err(), "it holds more than that");
        assert!(place.path().join("1/a.jpg").exists() && place.path().join("1/deep").exists());
        assert!(!place.path().join("1/2-0.spool").exists() && !place.path().join("summer/lock").exists());
    }

    #[test]
    fn the_next_place_is_taken_when_the_first_cannot_be_written() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        let folder = SpoolFolder::create(&[file.join("spool"), place.path().join("cache")], "7").unwrap();
        assert_eq!(folder.path(), place.path().join("cache/7"));
        let trouble = SpoolFolder::create(&[file.join("spool")], "7").unwrap_err();
        assert!(trouble.to_string().contains("cannot be written"), "{trouble}");
    }
}
