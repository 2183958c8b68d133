//! Private folders for what runs contained.

use std::path::Path;

use crate::base::error::Trouble;

/// Makes a private folder for a contained command to write to; it goes with the value.
///
/// # Errors
/// When there is no room for it.
pub fn scratch() -> Result<tempfile::TempDir, Trouble> {
    private_folder(&std::env::temp_dir(), "pytead-")
        .map_err(|error| Trouble::environment("There is no room for a temporary folder.").because(error))
}

/// Makes a folder that this user alone may enter.
///
/// # Errors
/// When it cannot be made.
pub fn private_folder(parent: &Path, prefix: &str) -> std::io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(parent)
}
