//! What the command line of the sandbox asks for.

use std::ffi::OsString;

use super::confinement::Confinement;
use super::levels::Level;
use crate::base::error::Trouble;

/// The arguments after the first, which tells the binary to confine itself.
pub(super) struct Order {
    pub(super) level: Level,
    pub(super) parent: u32,
    pub(super) confinement: Confinement,
    /// Empty: set everything up, check it, and run nothing.
    pub(super) command: Vec<OsString>,
}

impl Order {
    pub(super) fn parse(args: &[OsString]) -> Result<Self, Trouble> {
        let wrong = || Trouble::usage("The sandbox was started with wrong arguments.");
        let [level, parent_flag, parent, spec_flag, spec, dashes, command @ ..] = args else { return Err(wrong()) };
        if parent_flag != "--parent" || spec_flag != "--spec" || dashes != "--" {
            return Err(wrong());
        }
        let text = |arg: &OsString| arg.to_str().map(str::to_owned).ok_or_else(wrong);
        Ok(Self {
            level: Level::from_word(&text(level)?).ok_or_else(wrong)?,
            parent: text(parent)?.parse().map_err(|_| wrong())?,
            confinement: serde_json::from_str(&text(spec)?).map_err(|error| wrong().because(error))?,
            command: command.to_vec(),
        })
    }
}
