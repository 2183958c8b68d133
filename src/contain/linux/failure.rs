//! A step of the sandbox that did not work.

/// Which step, and why.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {cause}")]
pub(super) struct Failure {
    pub(super) step: &'static str,
    pub(super) cause: String,
}

/// Names the step in its error.
pub(super) trait Step<T> {
    fn step(self, step: &'static str) -> Result<T, Failure>;
}

impl<T, E: std::fmt::Display> Step<T> for Result<T, E> {
    fn step(self, step: &'static str) -> Result<T, Failure> {
        self.map_err(|cause| Failure { step, cause: cause.to_string() })
    }
}
