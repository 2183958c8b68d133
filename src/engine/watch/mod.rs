//! What follows a save, and what was changed while nobody watched.

pub(crate) mod config_changes;
pub(crate) mod offline_changes;
pub(crate) mod on_save;
pub(crate) mod store_sync;
