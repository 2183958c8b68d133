//! Why a construction stopped.

/// Why a construction stopped, or has to begin again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::generate) enum Stop {
    /// This object is met twice: begin again and bind it to a name.
    Again(u64),
    /// It cannot be written as code.
    No(String),
}

impl From<String> for Stop {
    fn from(reason: String) -> Self {
        Self::No(reason)
    }
}

/// Stops with a reason.
pub(in crate::generate) fn no<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::No(reason.into()))
}
