//! L3: the one place that knows the order of things. Commands in, events out, a snapshot to look at.
//!
//! `state/core.rs` holds what the jobs share; each file of the other folders is one job or one kind of question. Only this
//! layer calls the store and writes files.

pub mod agents;
mod calls;
pub mod checks;
pub mod drafting;
mod edits;
pub mod handle;
mod index;
mod models;
mod proving;
mod python;
mod recording;
mod replay;
mod review;
mod specs;
mod state;
#[cfg(test)]
mod tests;
pub mod verdicts;
mod watch;
mod workflow;

pub use checks::verdict_files::{UNTRACED, prepare as prepare_verdicts};
pub use drafting::docstring_examples::Documented;
pub use drafting::export::ExportTo;
pub use drafting::why::Why;
pub use handle::clean::{Clean, Cleaned};
pub use handle::{Handle, Options, open};
pub use index::syntax_errors::Unparsed;
pub use recording::import::Imported;
pub use recording::refusal::Refusal;
pub use recording::run::{Program, gap_lines};
pub use review::decide::LeftAlone;
pub use state::done::Done;
pub use state::known_failures::summary as put_away;
pub use state::trust::require_trust;
