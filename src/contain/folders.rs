//! Private folders for what runs contained.

use std::path::Path;

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
