//! Blocking work beside the async threads.

use crate::base::error::Trouble;

/// Runs short blocking work off the async threads.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Trouble> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Trouble::internal("A background task broke.").because(error))
}
