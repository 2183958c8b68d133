//! What is drawn: one file a pane, the lines around them, the layers over them. Drawing never changes the state.

pub mod calls;
pub mod chrome;
pub mod frame;
pub mod functions;
pub mod key_line;
pub mod layers;
pub mod log;
pub mod pickers;
pub mod prompts;
pub mod recorded;
pub mod runs;
pub mod source;
pub mod titles;
