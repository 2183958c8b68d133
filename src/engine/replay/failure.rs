//! Why a recorded call has no outcome under today's code.

use crate::domain::reason::{Reason, ReasonCode};
use crate::python::zygote::NotMade;

/// Why a call has no outcome under today's code.
#[derive(Debug, Clone)]
pub enum Failure {
    /// It could not be made.
    NotMade(NotMade),
    /// It ended differently each time.
    Differs,
    /// It ended otherwise than before on the recorded code, too.
    DiffersAsRecorded,
    /// It is compared inside a test that did not have to run.
    OtherTest,
}

impl Failure {
    /// Gives the reason for people and for JSON.
    pub fn reason(&self) -> Reason {
        match self {
            Self::NotMade(NotMade { import: Some(raised), .. }) => {
                ReasonCode::ImportFails.with(format!("{}:{}: {}", raised.path, raised.line, raised.exception))
            }
            Self::NotMade(NotMade { why, import: None }) => why.clone(),
            Self::Differs => ReasonCode::Nondeterministic.into(),
            Self::DiffersAsRecorded => ReasonCode::Unsettled.into(),
            Self::OtherTest => ReasonCode::OtherTest.into(),
        }
    }
}
