//! What the verbs need of the other front ends, which they do not know.

use std::path::Path;

use crate::base::error::Trouble;
use crate::domain::settings;
use crate::engine::{Handle, Options};

/// The other front ends, as the verbs see them.
pub trait Screen {
    /// Refuses to open where nobody could see or press anything.
    ///
    /// # Errors
    /// Fails when standard input or output is no terminal.
    fn require_terminal(&self) -> Result<(), Trouble>;

    /// Opens the workbench and stays until the person leaves.
    fn open(&self, handle: Handle, settings: settings::Tui) -> impl Future<Output = Result<(), Trouble>>;

    /// Serves a coding agent on standard input and output until it leaves. `project` gives what to open, anew each time.
    fn serve(
        &self,
        project: impl Fn() -> Result<Options, Trouble> + Send + Sync + 'static,
    ) -> impl Future<Output = Result<(), Trouble>>;

    /// Relays between an agent on standard input and output and the tools of a YAML test behind a socket.
    fn relay(&self, socket: &Path) -> impl Future<Output = Result<(), Trouble>>;

    /// Lets a person edit a text in their editor and gives what became of it.
    fn edit(&self, text: &str) -> impl Future<Output = Result<String, Trouble>>;
}
