//! What is drawn: the panes with their content, the lines around them, the layers over them. Drawing never changes the state.

pub mod chrome;
pub mod frame;
pub mod key_line;
pub mod layers;
pub mod pickers;
pub mod prompts;
pub mod titles;
