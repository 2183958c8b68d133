//! The system's notices: which of them say that a file may have changed, and where there are none to be had.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Weak;

use notify::event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind, RemoveKind};
use notify::{Error, ErrorKind, Event};

use super::Shared;
use super::coalesce::Stage;
use super::followed::Interest;
use crate::source::configuration::is_configuration;
use crate::source::walk;

/// Takes one notice, on the system's own thread: it only fills a set.
///
/// The parent of `root` is watched for the sake of `root` alone; what happens to its other children is nobody's business.
pub(super) fn take(shared: &Weak<Shared>, root: &Path, notice: Result<Event, Error>) {
    let Some(shared) = shared.upgrade() else { return };
    match notice {
        // A queue that ran over has no path, so this comes first.
        Ok(event) if event.need_rescan() => shared.rescan(),
        Ok(event) => {
            for path in event.paths {
                if !path.starts_with(root) {
                    continue;
                }
                let interest = shared.followed.lock().interest(root, &path);
                if let Some(stage) = stage(event.kind, &path, interest) {
                    shared.hint(path, stage);
                }
            }
        }
        Err(error) => {
            tracing::warn!(%error, "watching files");
            shared.rescan();
        }
    }
}

/// Tells what a notice says of a path; `None` when it can neither be about a file that counts nor about what is watched.
fn stage(kind: EventKind, path: &Path, interest: Interest) -> Option<Stage> {
    let linux = cfg!(target_os = "linux");
    let counts = interest == Interest::Content || is_named_right(path);
    let listed = interest == Interest::Name;
    let (matters, stage) = match kind {
        // Reading a file is no change; the end of a write is the best moment to look.
        EventKind::Access(access) => (access == AccessKind::Close(AccessMode::Write) && counts, Stage::Done),
        // inotify tells of permissions and link counts this way, other systems of content.
        EventKind::Modify(ModifyKind::Metadata(_)) => (counts && !linux, Stage::Done),
        // A moved folder looks like a moved file.
        EventKind::Modify(ModifyKind::Name(_)) => (true, Stage::Done),
        EventKind::Create(CreateKind::File) if listed => (true, Stage::Done),
        // inotify tells when the writer is done; other systems do not.
        EventKind::Create(CreateKind::File) | EventKind::Modify(_) => (counts, if linux { Stage::Writing } else { Stage::Done }),
        EventKind::Remove(RemoveKind::File) => (counts || listed, Stage::Done),
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => (true, Stage::Done),
    };
    matters.then_some(stage)
}

/// Tells whether a file of this name is Python's, may be a YAML test, says how tests are run, or says what is ignored.
pub(super) fn is_named_right(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("py"))
        || walk::is_yaml(path)
        || is_configuration(path)
        || matches!(path.file_name().and_then(OsStr::to_str), Some(".gitignore" | ".ignore"))
}

/// Says why there are no notices for this folder, where that is known beforehand.
pub(super) fn no_notices(root: &Path) -> Option<String> {
    #[cfg(target_os = "linux")]
    {
        let kind = match rustix::fs::statfs(root).ok()?.f_type as u32 {
            0x6969 => "NFS",
            0x517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB",
            0x6573_5546 => "FUSE",
            0x0102_1997 => "9p",
            _ => return None,
        };
        Some(format!("{kind} does not tell of all changes"))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = root;
        None
    }
}

/// Says why watching failed, when it is a limit that reading the tree gets around; `None` for what is gone by now.
pub(super) fn limit(error: &Error) -> Option<String> {
    match &error.kind {
        ErrorKind::MaxFilesWatch => Some("the system's limit fs.inotify.max_user_watches is reached".into()),
        ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound => None,
        // ENOSPC is the limit of watches, EMFILE that of instances; some kernels say one of them, some of its layers none.
        ErrorKind::Io(io) if io.raw_os_error() == Some(28) => {
            Some("the system's limit fs.inotify.max_user_watches is reached".into())
        }
        ErrorKind::Io(io) if io.raw_os_error() == Some(24) => {
            Some("the system's limit fs.inotify.max_user_instances or of open files is reached".into())
        }
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => None,
        // A folder deleted between the walk and the watch, or one that may not be read, is no reason to give up.
        ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::PermissionDenied => None,
        _ => Some(format!("the system refuses notices: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{DataChange, MetadataKind, RenameMode};

    use super::*;

    #[test]
    fn reading_is_no_change_and_the_end_of_a_write_is() {
        let py = Path::new("/p/a.py");
        let read = [AccessKind::Any, AccessKind::Read, AccessKind::Open(AccessMode::Any), AccessKind::Close(AccessMode::Read)];
        for kind in read {
            assert_eq!(stage(EventKind::Access(kind), py, Interest::None), None, "{kind:?}");
        }
        assert_eq!(stage(EventKind::Access(AccessKind::Close(AccessMode::Write)), py, Interest::None), Some(Stage::Done));
        let content = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        assert_eq!(stage(content, py, Interest::None) == Some(Stage::Writing), cfg!(target_os = "linux"));
        let permissions = EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any));
        assert_eq!(stage(permissions, py, Interest::None).is_none(), cfg!(target_os = "linux"));
    }

    #[test]
    fn only_python_files_and_folders_matter() {
        let other = Path::new("/p/a.txt");
        assert_eq!(stage(EventKind::Create(CreateKind::File), other, Interest::None), None);
        assert_eq!(stage(EventKind::Modify(ModifyKind::Any), other, Interest::None), None);
        assert_eq!(stage(EventKind::Create(CreateKind::Folder), other, Interest::None), Some(Stage::Done));
        let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::To));
        assert_eq!(stage(renamed, other, Interest::None), Some(Stage::Done), "it may be a folder");
        assert!(stage(EventKind::Modify(ModifyKind::Any), Path::new("/p/.gitignore"), Interest::None).is_some());
    }

    #[test]
    fn what_is_written_into_a_file_of_a_listed_folder_is_no_change_of_the_list() {
        let (written, gone) = (EventKind::Modify(ModifyKind::Any), EventKind::Remove(RemoveKind::File));
        let data = Path::new("/p/data/a.json");
        assert!(stage(written, data, Interest::Content).is_some());
        assert!(stage(gone, data, Interest::Content).is_some());
        assert_eq!(stage(written, data, Interest::Name), None);
        assert_eq!(stage(gone, data, Interest::Name), Some(Stage::Done));
        assert_eq!(stage(EventKind::Create(CreateKind::File), data, Interest::Name), Some(Stage::Done));
    }

    #[test]
    fn limits_lead_to_reading_and_vanished_folders_do_not() {
        let io = |code| Error::io(std::io::Error::from_raw_os_error(code));
        for error in [io(28), Error::new(ErrorKind::MaxFilesWatch)] {
            assert!(limit(&error).is_some_and(|why| why.contains("max_user_watches")));
        }
        assert!(limit(&io(24)).is_some_and(|why| why.contains("max_user_instances")));
        for error in [io(2), io(13), Error::path_not_found()] {
            assert_eq!(limit(&error), None);
        }
    }
}
