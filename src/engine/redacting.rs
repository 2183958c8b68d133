//! What knows a project's secrets: the process's own variables, and those of the project's `.env` file.

use std::io::Read;
use std::path::Path;

use crate::base::redact::Redactor;

/// Bytes of a `.env` file that are read.
const SIZE_MAX: u64 = 64 << 10;

/// Makes the redactor of a project.
pub(super) fn of_project(root: &Path) -> Redactor {
    let path = root.join(".env");
    let mut text = String::new();
    // A pipe in its place would be waited for.
    if path.metadata().is_ok_and(|meta| meta.is_file())
        && let Ok(file) = std::fs::File::open(path)
    {
        let mut bytes = Vec::new();
        if file.take(SIZE_MAX).read_to_end(&mut bytes).is_ok() {
            text = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    Redactor::with_env_file(&text)
}
