//! Which folder is the project: the nearest one upwards that looks like one.

use std::path::{Path, PathBuf};

/// What the root of a project has.
const MARKS: &[&str] = &[".pytead", "pyproject.toml", "setup.py", "setup.cfg", ".git"];

/// Finds the root of the project that a file or folder belongs to: its nearest folder upwards with a mark, or else the
/// folder itself. Links are resolved, so that one project has one name.
#[must_use]
pub fn find_root(start: &Path) -> PathBuf {
    let start = start.canonicalize().unwrap_or_else(|_| start.to_owned());
    let folder = if start.is_file() { start.parent().unwrap_or(&start).to_owned() } else { start };
    let marked = folder.ancestors().find(|folder| MARKS.iter().any(|mark| folder.join(mark).exists()));
    marked.map_or_else(|| folder.clone(), Path::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_nearest_mark_upwards_wins() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let inner = home.join("mono/shop/src/shop");
        fs::create_dir_all(&inner).unwrap();
        fs::create_dir(home.join("mono/.git")).unwrap();
        fs::write(inner.join("cart.py"), "").unwrap();
        assert_eq!(find_root(&inner), home.join("mono"));
        fs::write(home.join("mono/shop/setup.cfg"), "").unwrap();
        assert_eq!(find_root(&inner.join("cart.py")), home.join("mono/shop"));
        std::os::unix::fs::symlink(home.join("mono/shop"), home.join("link")).unwrap();
        assert_eq!(find_root(&home.join("link/src")), home.join("mono/shop"));
    }

    #[test]
    fn a_folder_without_marks_is_its_own_root() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        if find_root(home.parent().unwrap()) == home.parent().unwrap() {
            assert_eq!(find_root(&home), home);
        }
        assert_eq!(find_root(Path::new("/no/such/folder")), Path::new("/no/such/folder"));
    }
}
