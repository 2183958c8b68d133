//! How a call left its process.

/// By what a call left its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExternalAccess {
    /// By the network.
    Network,
    /// By a process that it started.
    Process,
}

impl ExternalAccess {
    /// Gives the kind of a touch, as it is stored.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Network => "net",
            Self::Process => "process",
        }
    }

    /// Reads the kind of a touch.
    #[must_use]
    pub fn from_stored(kind: &str) -> Option<Self> {
        [Self::Network, Self::Process].into_iter().find(|access| access.kind() == kind)
    }
}
