//! `pytead-tui trust`: whether a folder's code may be run. Kept outside the project.

use crate::base::error::Trouble;
use crate::base::paths;
use crate::cli::args::{Global, Trust as Args};
use crate::cli::output::Output;
use crate::cli::{OK, root_of};
use crate::config::places::Places;
use crate::config::trust::TrustList;
use crate::domain::snapshot::Trust;

/// Trusts, takes trust back, or lists.
pub fn trust(global: &Global, args: &Args) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let trusted = TrustList::in_folder(&Places::find()?.state);
    if args.list {
        let folders = trusted.list()?;
        out.result("trusted", &folders);
        if folders.is_empty() {
            out.say("No folder is trusted.");
        }
        for entry in &folders {
            let word = if entry.trust == Trust::Trusted { "trusted" } else { "only read" };
            out.say(format!("{word}  {}", paths::tilde(&entry.path)));
        }
        return Ok(OK);
    }
    let root = root_of(global, None)?;
    out.result("trust", &serde_json::json!({ "root": root, "trusted": !args.remove }));
    if args.remove {
        trusted.set(&root, Trust::ReadOnly)?;
        out.say(format!("{} is only read from now on.", paths::tilde(&root)));
    } else {
        trusted.set(&root, Trust::Trusted)?;
        out.say(format!("{} is trusted: its code may be run.", paths::tilde(&root)));
    }
    Ok(OK)
}
