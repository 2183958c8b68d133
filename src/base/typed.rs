//! Places that the user typed for results. Outside of the project a typed path means what it means to the system; inside, a link may
//! have come with the repository, so none is followed there.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::base::fs::Folder;
use crate::base::paths::RelPath;

/// A typed path, taken apart where it enters the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// The project's root, or the typed path itself if it leads elsewhere.
    pub base: PathBuf,
    /// The path below the root, no part of which may be a link; `None` outside of the project, and for the root itself.
    pub below: Option<RelPath>,
}

impl Typed {
    /// Takes a typed path apart.
    ///
    /// # Errors
    /// Fails when the current folder or the root cannot be found, and for a path in the project that is not UTF-8 or has
    /// several lines.
    pub fn new(root: &Path, typed: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        let mut real = std::env::current_dir()?;
        for part in typed.components() {
            match part {
                Component::ParentDir => _ = real.pop(),
                Component::RootDir => real = PathBuf::from("/"),
                Component::CurDir | Component::Prefix(_) => {}
                Component::Normal(name) => {
                    real.push(name);
                    // Outside, links are the user's own; one that leads into the project ends there as any path does.
                    if !is_inside(&root, &real)
                        && let Ok(followed) = real.canonicalize()
                    {
                        real = followed;
                    }
                }
            }
        }
        if !is_inside(&root, &real) {
            return Ok(Self { base: real, below: None });
        }
        let below = real.strip_prefix(&root).unwrap_or(Path::new(""));
        if below.as_os_str().is_empty() {
            return Ok(Self { base: root, below: None });
        }
        let below = RelPath::new(below).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Self { base: root, below: Some(below) })
    }

    /// Opens the folder that was typed, made where it is missing.
    ///
    /// # Errors
    /// Fails when it cannot be made, and in the project when a part of its path is a link.
    pub fn folder(&self) -> io::Result<Folder> {
        let Some(below) = &self.below else { return Folder::open_or_create(&self.base) };
        let mut folder = Folder::open(&self.base)?;
        for name in below.parts() {
            folder = match folder.folder(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => folder.create_folder(name)?,
                opened => opened?,
            };
        }
        Ok(folder)
    }

    /// Makes the file that was typed, or empties it.
    ///
    /// # Errors
    /// Fails when it cannot be written, and in the project when a part of its path is a link or the file is not a regular one.
    pub fn create(&self) -> io::Result<File> {
        let Some(below) = &self.below else { return File::create(&self.base) };
        let mut folder = Folder::open(&self.base)?;
        for name in below.parent().iter().flat_map(RelPath::parts) {
            folder = folder.folder(name)?;
        }
        let file = folder.file(below.file_name())?;
        file.set_len(0)?;
        Ok(file)
    }
}

/// Tells whether a path is the root or below it; the root's own parents are outside.
fn is_inside(root: &Path, path: &Path) -> bool {
    path.starts_with(root)
}

/// Splits the last name off a typed path.
#[must_use]
pub fn parent_and_name(typed: &Path) -> Option<(&Path, OsString)> {
    let parent = typed.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some((parent, typed.file_name()?.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_count_outside_of_the_project_and_not_in_it() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path().canonicalize().unwrap();
        let (root, outside) = (at.join("project"), at.join("outside"));
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        symlink(&outside, root.join("out")).unwrap();
        symlink(&outside, at.join("mine")).unwrap();
        symlink(root.join("sub"), at.join("into")).unwrap();
        symlink(&root, at.join("alias")).unwrap();
        let typed = |path: &str| Typed::new(&root, &at.join(path)).unwrap();
        for (path, base, below) in [
            ("project/out", &root, Some("out")),
            ("project/out/deep", &root, Some("out/deep")),
            ("project/sub/../out", &root, Some("out")),
            ("alias/out", &root, Some("out")),
            ("into/new", &root, Some("sub/new")),
            ("project", &root, None),
            ("project/../mine", &outside, None),
            ("mine", &outside, None),
        ] {
            let expected = Typed { base: base.clone(), below: below.and_then(RelPath::new) };
            assert_eq!(typed(path), expected, "{path}");
        }
        assert!(typed("project/out/events").create().is_err(), "nothing is made behind a link");
        symlink(outside.join("file"), root.join("file")).unwrap();
        assert!(typed("project/file").create().is_err());
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
        for path in ["mine/file", "project/sub/file"] {
            typed(path).create().unwrap();
            assert!(at.join(path).is_file(), "{path}");
        }
    }
}
