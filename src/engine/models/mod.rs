//! Drafts by language models.

pub(crate) mod download;
pub(crate) mod draft;
pub(crate) mod outdated;
pub(crate) mod package_outlines;
pub(crate) mod prompt_context;
pub(crate) mod provider;
