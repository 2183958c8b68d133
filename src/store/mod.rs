//! The project's database: `.pytead/pytead.db`, SQLite in WAL mode, the only home of `rusqlite`.
//!
//! Writes go through one thread that owns the writing connection, each in a transaction of its own; reads use
//! connections of their own and see a consistent state. Values are kept as the recorder's bytes and are not decoded here.
//! What to store, and when, is the engine's business.

mod calls;
mod clean;
mod code;
mod decisions;
mod drafted;
mod edges;
mod edits;
mod error;
pub mod former;
mod handle;
mod import_variables;
mod journeys;
mod json;
mod numbers;
mod open;
pub mod opinions;
mod outcomes;
mod paths;
mod prints;
mod proposals;
mod ran;
mod reason;
mod recorded_tests;
mod recordings;
mod schema;
mod session;
mod unfinished;
mod untestable;
mod verdicts;

#[cfg(test)]
mod row_tests;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

pub use calls::{
    Batch, CallEnd, CallTimes, CallTouch, CallerCount, Edge, FunctionCount, FunctionTotal, Life, NewCall, Reach, SpoolCall,
    StoredCall,
};
pub use clean::{Cleaned, Unwanted};
pub use code::RecordedCode;
pub use error::StoreError;
pub use handle::{FILE, FOLDER, Mode, Store};
pub use open::{Opened, folder_in, is_own, open, open_in_memory, prepare, set_aside};
pub use outcomes::{Note, StoredOutcome};
pub use recordings::Pruned;
pub use session::AcceptedTest;
pub use unfinished::Turn;
pub use verdicts::StoredVerdict;
