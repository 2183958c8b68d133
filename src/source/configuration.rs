//! Files that say how a project's tests are run: which they are, and what in them means something.

use std::io::Read as _;
use std::path::Path;

use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;

use super::regular::open;

/// Files that pytest or its plugins read, besides `conftest.py`.
const NAMES: &[&str] =
    &["pyproject.toml", "pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", ".env"];
/// Larger files are no configuration, in bytes.
const SIZE_MAX: u64 = 1 << 20;

/// Tells whether a file is configuration by its name; `conftest.py` is code as well.
#[must_use]
pub fn is_configuration(path: &Path) -> bool {
    path.file_name().is_some_and(|name| NAMES.iter().any(|known| name == *known))
}

/// Hashes what means something in a file: comments on lines of their own, empty lines and space at the ends of lines do
/// not. `None` where there is no such file, or nothing in it that means something.
#[must_use]
pub fn meaning(root: &Path, path: &RelPath) -> Option<Digest> {
    let (file, _) = open(&path.under(root), SIZE_MAX)?;
    let mut bytes = Vec::new();
    file.take(SIZE_MAX).read_to_end(&mut bytes).ok()?;
    let is_said = |line: &&[u8]| !matches!(line.trim_ascii_start().first(), None | Some(b'#' | b';'));
    let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(is_said).peekable();
    lines.peek()?;
    let mut hasher = Hasher::default();
    lines.for_each(|line| {
        hasher.part(line);
    });
    Some(hasher.digest())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_layout_mean_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = RelPath::new("pytest.ini").unwrap();
        let of = |text: &str| {
            std::fs::write(folder.path().join("pytest.ini"), text).unwrap();
            meaning(folder.path(), &path)
        };
        let plain = of("[pytest]\naddopts = -q\n    -x\n");
        assert_eq!(of("# Ours.\n[pytest]\n\naddopts = -q  \r\n  ; more\n    -x"), plain);
        assert_ne!(of("[pytest]\naddopts = -q\n"), plain);
        assert_ne!(of("[pytest]\naddopts = -q\n-x\n"), plain, "what is indented belongs to the line above");
        assert_eq!(of("# Nothing yet.\n"), None);
        std::fs::remove_file(folder.path().join("pytest.ini")).unwrap();
        assert_eq!(meaning(folder.path(), &path), None);
    }
}
