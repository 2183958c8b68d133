//! Places a person jumped from, to go back and forward.

use crate::base::paths::RelPath;
use crate::domain::call::RecordingId;
use crate::domain::proposal::ProposalId;
use crate::domain::proposal_subject::ProposalSubject;
use crate::tui::layout::{Pane, Screen};

const KEPT: usize = 100;

/// A place: screen, pane, what it was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The screen.
    pub screen: Screen,
    /// The pane.
    pub pane: Pane,
    /// What the panes are about.
    pub subject: Option<ProposalSubject>,
    /// The proposal.
    pub proposal: Option<ProposalId>,
    /// The file and line of the source pane.
    pub source: Option<(RelPath, u32)>,
    /// The test whose journey is shown.
    pub journey: Option<String>,
    /// The line of it.
    pub line: usize,
    /// The YAML test that is shown.
    pub spec: Option<RelPath>,
    /// The recording that is shown, and the line of its calls.
    pub recording: Option<(RecordingId, usize)>,
}

/// The places, and where on the way one stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Jumps {
    behind: Vec<Place>,
    ahead: Vec<Place>,
}

impl Jumps {
    /// Remembers the place one jumps from.
    pub fn leave(&mut self, place: Place) {
        self.ahead.clear();
        if self.behind.last() != Some(&place) {
            self.behind.push(place);
        }
        if self.behind.len() > KEPT {
            self.behind.remove(0);
        }
    }

    /// Goes back from here.
    pub fn back(&mut self, here: Place) -> Option<Place> {
        let place = self.behind.pop()?;
        self.ahead.push(here);
        Some(place)
    }

    /// Goes forward from here.
    pub fn forward(&mut self, here: Place) -> Option<Place> {
        let place = self.ahead.pop()?;
        self.behind.push(here);
        Some(place)
    }
}
