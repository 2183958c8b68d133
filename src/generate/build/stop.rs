//! Why a construction stopped.

use crate::domain::reason::{Place, Reason};

/// Why a construction stopped, or has to begin again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::generate) enum Stop {
    /// This object is met twice: begin again and bind it to a name.
    Again(u64),
    /// It cannot be written as code.
    No(Reason),
}

impl Stop {
    /// Says where the reason lies, if it is one.
    pub(in crate::generate) fn at(self, place: Place) -> Self {
        match self {
            Self::No(reason) => Self::No(reason.at(place)),
            again @ Self::Again(_) => again,
        }
    }
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Self::No(reason)
    }
}

/// Stops with a reason.
pub(in crate::generate) fn no<T>(reason: impl Into<Reason>) -> Result<T, Stop> {
    Err(Stop::No(reason.into()))
}
