//! Spool folders on disk: made for one recording, locked while we read along, removed once all is stored.
//!
//! A folder whose lock is free was left by a run that was killed: [`leftovers`] finds it for the next start.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::paths::tilde;

const LOCK: &str = "lock";
/// How the names of folders begin that the decorator makes: `traced-<milliseconds since 1970>-<process>`.
const TRACED: &str = "traced-";

/// The spool folder of one recording; the lock goes with this value.
#[derive(Debug)]
pub struct SpoolFolder {
    path: PathBuf,
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
            match make(place, recording) {
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
        &self.path
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
        is_private(&self.path).then(|| started.parse().ok().map(Moment)).flatten()
    }

    /// Makes the folder a recording's: whoever finds it left behind goes on with that recording, and begins no second one.
    ///
    /// # Errors
    /// When there is such a folder already, or it cannot be renamed.
    pub fn adopt(self, recording: &str) -> io::Result<Self> {
        let path = self.path.with_file_name(recording);
        if path.symlink_metadata().is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        std::fs::rename(&self.path, &path)?;
        Ok(Self { path, recording: recording.to_owned(), ..self })
    }

    /// Removes the folder with its spool files.
    ///
    /// # Errors
    /// When something of it cannot be removed; it will be found among the leftovers then.
    pub fn remove(self) -> io::Result<()> {
        std::fs::remove_dir_all(&self.path)
    }
}

fn make(place: &Path, recording: &str) -> io::Result<SpoolFolder> {
    builder().recursive(true).create(place)?;
    let path = place.join(recording);
    builder().create(&path)?;
    let lock = OpenOptions::new().write(true).create_new(true).open(path.join(LOCK))?;
    // Where the file system knows no locks, a second run could take this one for a leftover; that is all.
    let _ = flock(&lock, FlockOperation::NonBlockingLockExclusive);
    Ok(SpoolFolder { path, recording: recording.to_owned(), _lock: lock })
}

fn builder() -> DirBuilder {
    #[allow(unused_mut)]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Tells whether a folder is this user's and closed to others: one that came with a repository or an archive is open.
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    folder.symlink_metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == own && meta.mode() & 0o077 == 0)
}

/// Lists what runs that were killed left in a place, locked for this process. A folder says of itself which recording it
/// is of: believe it only when that recording is known to have been interrupted.
#[must_use]
pub fn leftovers(place: &Path) -> Vec<SpoolFolder> {
    let Ok(entries) = std::fs::read_dir(place) else { return Vec::new() };
    let mut found: Vec<SpoolFolder> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| {
            let recording = entry.file_name().into_string().ok()?;
            let path = entry.path();
            let lock = OpenOptions::new().write(true).create(true).truncate(false).open(path.join(LOCK)).ok()?;
            flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?;
            Some(SpoolFolder { path, recording, _lock: lock })
        })
        .collect();
    found.sort_by(|a, b| a.recording.cmp(&b.recording));
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
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
