//! Files of the project as text.

use std::path::Path;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::engine::state::core::Core;

/// Source files larger than this are not shown.
const SOURCE_MAX: u64 = 2 << 20;

/// A file of tests larger than this was not written by us.
const SIZE_MAX: u64 = 8 << 20;

/// Reads a source file.
pub fn source(core: &Core, path: &RelPath) -> Result<Arc<str>, Trouble> {
    let full = path.under(&core.root);
    let fail = |error: std::io::Error| Trouble::environment(format!("{path} cannot be read.")).because(error);
    let meta = std::fs::symlink_metadata(&full).map_err(fail)?;
    if !meta.is_file() || meta.len() > SOURCE_MAX {
        return Err(
            Trouble::environment(format!("{path} is not shown.")).because("It is no ordinary file, or larger than 2 MiB.")
        );
    }
    let bytes = std::fs::read(&full).map_err(fail)?;
    Ok(String::from_utf8_lossy(&bytes).into())
}

/// Reads a file of tests; `None` when there is none.
pub fn read(root: &Path, path: &RelPath) -> Result<Option<String>, Trouble> {
    let full = path.under(root);
    let fail = |why: String| Trouble::environment(format!("{path} cannot be read.")).because(why);
    let meta = match std::fs::symlink_metadata(&full) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(fail(format!("{error}."))),
    };
    if !meta.is_file() || meta.len() > SIZE_MAX {
        return Err(fail("It is no ordinary file, or larger than 8 MiB.".into()));
    }
    let bytes = std::fs::read(&full).map_err(|error| fail(format!("{error}.")))?;
    String::from_utf8(bytes).map(Some).map_err(|_| fail("It is not UTF-8.".into()))
}
