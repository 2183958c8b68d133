//! A call and how a recorded test came to it.

use crate::domain::call::{Call, CallId};
use crate::domain::scene::{Scene, Step};

/// A call, how often it was made, and how a test came to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The call.
    pub call: CallId,
    /// How often it was made.
    pub times: u64,
    /// How a test came to it.
    pub scene: Scene,
    /// The call as it was recorded, where the test made it itself.
    pub made: Option<Call>,
}

impl Told {
    /// Tells whether a fixture or a step of the test gave a row for a parameter.
    #[must_use]
    pub fn is_row(&self, param: &str) -> bool {
        let Some(Step::Direct { given, .. }) = self.scene.steps.last() else { return false };
        let fixture = |way: &str| self.scene.fixtures.get(way).is_some_and(|origin| origin.pk.is_some());
        given
            .get(param)
            .is_some_and(|told| told.get("row").is_some() || told.get("way").and_then(|way| way.as_str()).is_some_and(fixture))
    }
}
