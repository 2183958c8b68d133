//! What a decision would write, and the one place that writes it.

pub(crate) mod apply;
pub(crate) mod draft_text;
pub(crate) mod manifest_lookup;
pub(crate) mod overlay;
pub(crate) mod plan;
pub(crate) mod spec_edits;
pub(crate) mod support_files;
pub(crate) mod typed_place;
pub(crate) mod verdict_edits;
