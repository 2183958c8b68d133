//! What a decision would write, planned and not written yet.

pub(crate) mod manifest_lookup;
pub(crate) mod plan;
pub(crate) mod support_files;
