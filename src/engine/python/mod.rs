//! The processes that run the project's Python.

pub(crate) mod appears;
pub(crate) mod async_style;
pub(crate) mod environment;
pub(crate) mod formatter;
pub(crate) mod fresh_process;
pub(crate) mod program;
pub(crate) mod pytest_process;
pub(crate) mod replay_calls;
pub(crate) mod rerun;
pub(crate) mod worker_pool;
