//! Which Python files a project has: its folders, without what git ignores, environments and caches.
//!
//! Links are never followed and only regular files count, so no loop, pipe or device can hold the walk.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use crate::base::paths::RelPath;

use super::configuration::is_configuration;
use super::ignored::Ignored;

/// Files larger than this many bytes are named, but not read.
pub const SIZE_MAX: u64 = 2 << 20;

/// More files than this are not taken.
pub const FILES_MAX: usize = 200_000;

/// More files that are no Python than this are not listed.
const OTHERS_MAX: usize = 100_000;

/// Folders that never hold code of the project.
const NEVER: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".pytead",
    "node_modules",
    "__pycache__",
    ".tox",
    ".nox",
    ".eggs",
    "site-packages",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    "__pypackages__",
];

/// What a walk found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// Python files, sorted.
    pub files: Vec<RelPath>,
    /// YAML files, sorted: some of them are tests.
    pub yaml: Vec<RelPath>,
    /// Files that say how tests are run, sorted.
    pub configuration: Vec<RelPath>,
    /// Regular files that are no Python, those above included, sorted; the first ones found where there are very many.
    pub others: Vec<RelPath>,
    /// Folders that were entered, relative to the root with `/`, the root as empty text; sorted.
    pub folders: Vec<String>,
    /// Python files over [`SIZE_MAX`].
    pub too_large: Vec<RelPath>,
    /// There were more than [`FILES_MAX`]; the rest was left out.
    pub cut: bool,
}

impl Walk {
    /// Gives the files whose changes matter.
    pub fn watched(self) -> impl Iterator<Item = RelPath> {
        self.files.into_iter().chain(self.yaml).chain(self.configuration)
    }
}

/// Walks a project; `exclude` holds names of folders or relative paths that are left out as well.
#[must_use]
pub fn walk(root: &Path, exclude: &[String]) -> Walk {
    let mut found = Walk::default();
    let base: PathBuf = root.to_owned();
    let exclude: Vec<String> = exclude.iter().map(|text| text.trim_matches('/').to_owned()).collect();
    let ignored = Ignored::of(root);
    let entries = WalkBuilder::new(root)
        .standard_filters(false)
        .follow_links(false)
        .filter_entry(move |entry| is_wanted(&base, &exclude, &ignored, entry))
        .build();
    for entry in entries.flatten() {
        let Some(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            let folder = RelPath::below(root, entry.path());
            if folder.is_some() || entry.depth() == 0 {
                found.folders.push(folder.map(|path| path.as_str().to_owned()).unwrap_or_default());
            }
            continue;
        }
        let ending = entry.path().extension();
        let (is_yaml, is_configuration) = (is_yaml(entry.path()), is_configuration(entry.path()));
        if !kind.is_file() {
            continue;
        }
        let Some(path) = RelPath::below(root, entry.path()) else { continue };
        if ending != Some(OsStr::new("py")) {
            if found.others.len() < OTHERS_MAX {
                found.others.push(path.clone());
            }
            if !(is_yaml || is_configuration) {
                continue;
            }
        }
        if is_configuration {
            found.configuration.push(path);
        } else if is_yaml {
            found.yaml.push(path);
        } else if entry.metadata().is_ok_and(|meta| meta.len() > SIZE_MAX) {
            found.too_large.push(path);
        } else if found.files.len() >= FILES_MAX {
            found.cut = true;
            break;
        } else {
            found.files.push(path);
        }
    }
    found.files.sort();
    found.yaml.sort();
    found.configuration.sort();
    found.others.sort();
    found.folders.sort();
    found.too_large.sort();
    found
}

/// Tells whether a file is YAML by its name.
#[must_use]
pub fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml")
}

/// Tells whether a folder is left out by its name or content, whatever git says.
#[must_use]
pub fn is_never_walked(folder: &Path) -> bool {
    folder.file_name().is_some_and(is_never_named) || folder.join("pyvenv.cfg").is_file()
}

/// Tells whether a name is a template's (`{{cookiecutter.slug}}`): what lies there is no Python before it is filled in.
fn is_template(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    ["{{", "{%"].iter().any(|mark| name.contains(mark))
}

/// Tells whether a folder of this name is left out.
#[must_use]
pub fn is_never_named(name: &OsStr) -> bool {
    NEVER.iter().any(|never| name == *never)
}

fn is_wanted(root: &Path, exclude: &[String], ignored: &Ignored, entry: &DirEntry) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if (is_folder && is_never_walked(entry.path())) || is_template(entry.file_name()) || ignored.holds(entry.path(), is_folder) {
        return false;
    }
    let Some(path) = RelPath::below(root, entry.path()) else { return false };
    !exclude.iter().any(|pattern| pattern == path.as_str() || pattern == path.file_name())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn only_the_projects_own_python_files_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in [
            "a.py",
            "pkg/b.py",
            "pkg/data.txt",
            "pkg/t.yaml",
            "pkg/tox.ini",
            ".env",
            "made/tox.ini",
            "made/u.yml",
            ".git/x.py",
            "env/lib/y.py",
            "node_modules/z.py",
            "made/c.py",
            "old/d.py",
            "new/{{cookiecutter.slug}}/e.py",
            "new/{% if x %}f.py",
        ] {
            write(root, path, "");
        }
        write(root, "env/pyvenv.cfg", "");
        write(root, ".gitignore", "made/\n");
        fs::write(root.join("big.py"), vec![b'#'; usize::try_from(SIZE_MAX).unwrap() + 1]).unwrap();
        // A terabyte that takes no room on the disk.
        fs::File::create(root.join("sparse.py")).unwrap().set_len(1 << 40).unwrap();
        std::os::unix::fs::symlink(root, root.join("pkg/loop")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("pkg/link.py")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe.py"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .unwrap();
        let found = walk(root, &["old".to_owned()]);
        assert_eq!(found.files.iter().map(RelPath::as_str).collect::<Vec<_>>(), ["a.py", "pkg/b.py"]);
        assert_eq!(found.yaml.iter().map(RelPath::as_str).collect::<Vec<_>>(), ["pkg/t.yaml"]);
        assert_eq!(found.configuration.iter().map(RelPath::as_str).collect::<Vec<_>>(), [".env", "pkg/tox.ini"]);
        let others = [".env", ".gitignore", "pkg/data.txt", "pkg/t.yaml", "pkg/tox.ini"];
        assert_eq!(found.others.iter().map(RelPath::as_str).collect::<Vec<_>>(), others);
        assert_eq!(found.folders, ["", "new", "pkg"]);
        assert_eq!(found.too_large.iter().map(RelPath::as_str).collect::<Vec<_>>(), ["big.py", "sparse.py"]);
        assert!(!found.cut);
    }

    #[test]
    fn ignore_files_hold_as_git_holds_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repository/project");
        for path in ["a.py", "made/b.py", "kept/c.py", "kept/made/d.py", "x/e.py", "x/y/f.py", "g.py", "out/h.py"] {
            write(&root, path, "");
        }
        fs::create_dir_all(folder.path().join("repository/.git/info")).unwrap();
        write(&root, "../.gitignore", "g.py\n");
        write(&root, "../.git/info/exclude", "/project/out\n");
        write(&root, ".gitignore", "# made\nmade/\n*.[\n");
        write(&root, "x/.gitignore", "*.py\n!/y/f.py\n");
        write(&root, "kept/.ignore", "!made\n");
        // In a repository inside nothing counts of what is above it, but its own.
        for path in ["inner/made/i.py", "inner/own/j.py", "inner/.git/HEAD"] {
            write(&root, path, "");
        }
        write(&root, "inner/.gitignore", "\u{feff}own/\n");
        // Above the repository nothing counts.
        fs::write(folder.path().join(".gitignore"), "*.py\n").unwrap();
        let found = walk(&root, &[]);
        assert_eq!(
            found.files.iter().map(RelPath::as_str).collect::<Vec<_>>(),
            ["a.py", "inner/made/i.py", "kept/c.py", "kept/made/d.py", "x/y/f.py"]
        );
    }

    #[test]
    fn a_worktree_leaves_out_what_its_repository_leaves_out() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = (folder.path().join("main"), folder.path().join("tree"));
        write(&main, ".git/info/exclude", "scratch\n");
        write(&main, ".git/worktrees/tree/commondir", "../..\n");
        write(&tree, ".git", &format!("gitdir: {}\n", main.join(".git/worktrees/tree").display()));
        write(&tree, "scratch/a.py", "");
        write(&tree, "b.py", "");
        assert_eq!(walk(&tree, &[]).files.iter().map(RelPath::as_str).collect::<Vec<_>>(), ["b.py"]);
    }

    #[test]
    fn what_lies_in_the_place_of_an_ignore_file_is_not_followed_waited_for_nor_read_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["a.py", "link/b.py", "pipe/c.py", "large/d.py", "many/e.py", ".git/info/x"] {
            write(root, path, "");
        }
        std::os::unix::fs::symlink("/dev/zero", root.join(".gitignore")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", root.join("link/.ignore")).unwrap();
        for pipe in ["pipe/.gitignore", ".git/info/exclude"] {
            let mode = rustix::fs::Mode::RUSR;
            rustix::fs::mknodat(rustix::fs::CWD, root.join(pipe), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        }
        fs::File::create(root.join("large/.gitignore")).unwrap().set_len(1 << 40).unwrap();
        write(root, "many/.gitignore", &"e.py\n".repeat(1 << 20));
        let found = walk(root, &[]);
        let files: Vec<&str> = found.files.iter().map(RelPath::as_str).collect();
        assert_eq!(files, ["a.py", "large/d.py", "link/b.py", "many/e.py", "pipe/c.py"]);
    }
}
