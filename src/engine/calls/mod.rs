//! Recorded calls: read, and qualified for a test.

pub(crate) mod decorated;
pub(crate) mod eligible;
pub(crate) mod external;
pub(crate) mod read;
pub(crate) mod tests_through;
pub(crate) mod views;
