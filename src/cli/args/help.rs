//! Writes the help of the program itself: the short one with the commands to start with, the long one with all commands.

use std::fmt::Write as _;

use clap::{Command, Subcommand};

use super::Verb;

/// The order of the parts. The list of commands is a part of [`all`], so that the short help fits on one screen.
pub const TEMPLATE: &str = "{about}\n\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}\n";

/// What people type first, and what that does.
const FIRST: &[(&str, &str)] = &[
    ("pytead-tui", "open the workbench on this project"),
    ("pytead-tui run pytest -q", "record what your tests make the program do"),
    ("pytead-tui diff", "show what your change does to recorded calls"),
    ("pytead-tui review", "accept or reject drafts and changes"),
    ("pytead-tui doctor", "show what works on this machine"),
];

fn first() -> String {
    FIRST.iter().fold("Start here:".to_owned(), |mut text, (typed, does)| {
        let _ = write!(text, "\n  {typed:<27}{does}");
        text
    })
}

/// Gives the middle of the short help.
pub fn start() -> String {
    first() + "\n\nAll commands: pytead-tui --help. One command: pytead-tui run --help."
}

/// Gives the middle of the long help.
pub fn all() -> String {
    let commands = Verb::augment_subcommands(Command::new("pytead-tui"));
    commands.get_subcommands().filter(|command| !command.is_hide_set()).fold(first() + "\n\nCommands:", |mut text, command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = write!(text, "\n  {:<13}{about}", command.get_name());
        text
    })
}
