//! The refusal to run anything in a folder that nobody trusts.

use std::path::Path;

use crate::base::error::Trouble;
use crate::base::paths;
use crate::domain::snapshot::Trust;

/// Refuses what would run code in a folder that nobody trusts.
///
/// # Errors
/// Fails with the command that trusts the folder.
pub fn require_trust(root: &Path, trust: Trust) -> Result<(), Trouble> {
    if trust == Trust::Trusted {
        return Ok(());
    }
    Err(Trouble::environment(format!("{} is not trusted, so nothing runs.", paths::tilde(root)))
        .so("If you trust its code: pytead-tui trust, or --trust for one call."))
}
