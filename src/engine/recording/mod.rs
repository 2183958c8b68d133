//! Programs are recorded, and recordings of elsewhere read.

pub(crate) mod import;
pub(crate) mod read;
pub(crate) mod recover;
pub(crate) mod refusal;
pub(crate) mod run;
