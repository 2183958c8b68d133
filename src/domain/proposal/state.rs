//! The states of a proposal, and the steps between them.

use serde::{Deserialize, Serialize};

/// Where a proposal stands on its way from idea to file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalState {
    /// Waits for its turn.
    Queued,
    /// A model is writing it.
    Streaming,
    /// It is being run.
    Proving,
    /// A person may decide.
    Ready,
    /// A person took it; it is about to be written.
    Accepted,
    /// A person changed it; it is about to be written.
    Edited,
    /// A person does not want it.
    Rejected,
    /// It is in the project's files.
    Written,
    /// The gate turned it down, with its reason in the evidence.
    Refused,
    /// It broke or was cancelled; it can be queued again.
    Failed,
    /// What it rests on changed.
    Stale,
}

/// A step that a proposal cannot take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a proposal cannot go from {from:?} to {to:?}")]
pub struct IllegalMove {
    /// Where it stands.
    pub from: ProposalState,
    /// Where it was to go.
    pub to: ProposalState,
}

impl ProposalState {
    /// Tells whether a person can still be asked.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Streaming | Self::Proving | Self::Ready | Self::Stale | Self::Failed)
    }

    /// Takes one step.
    ///
    /// # Errors
    /// Fails when the step is not one of the design's: see the table in the body.
    pub fn transition(self, to: Self) -> Result<Self, IllegalMove> {
        use ProposalState as S;
        let legal = match (self, to) {
            // Work moves on, and may be cut short anywhere.
            (S::Queued, S::Streaming | S::Proving | S::Ready)
            | (S::Streaming, S::Proving)
            | (S::Proving, S::Ready | S::Refused)
            | (S::Queued | S::Streaming | S::Proving, S::Failed)
            // A person decides.
            | (S::Ready, S::Accepted | S::Edited | S::Rejected | S::Proving | S::Queued)
            | (S::Accepted | S::Edited, S::Written)
            // An edit of refused or failed text is proved like new text; both may be put away.
            | (S::Refused | S::Failed, S::Queued | S::Proving | S::Streaming | S::Rejected)
            // Undo.
            | (S::Accepted | S::Edited | S::Rejected | S::Written, S::Ready)
            | (S::Rejected, S::Refused | S::Failed)
            // Old code: redone, or put away.
            | (S::Stale, S::Queued | S::Streaming | S::Proving | S::Ready | S::Rejected | S::Refused | S::Failed) => true,
            (from, S::Stale) => from != S::Stale,
            _ => false,
        };
        if legal { Ok(to) } else { Err(IllegalMove { from: self, to }) }
    }
}

#[cfg(test)]
mod tests {
    use super::ProposalState as S;

    const ALL: [S; 11] = [
        S::Queued,
        S::Streaming,
        S::Proving,
        S::Ready,
        S::Accepted,
        S::Edited,
        S::Rejected,
        S::Written,
        S::Refused,
        S::Failed,
        S::Stale,
    ];

    #[test]
    fn nothing_is_accepted_that_was_not_ready() {
        for from in ALL {
            for to in [S::Accepted, S::Edited] {
                assert_eq!(from.transition(to).is_ok(), from == S::Ready, "{from:?} → {to:?}");
            }
        }
    }

    #[test]
    fn nothing_is_written_that_was_not_decided() {
        for from in ALL {
            assert_eq!(from.transition(S::Written).is_ok(), matches!(from, S::Accepted | S::Edited), "{from:?}");
        }
    }

    #[test]
    fn everything_can_become_stale_once() {
        for from in ALL {
            assert_eq!(from.transition(S::Stale).is_ok(), from != S::Stale);
        }
    }

    #[test]
    fn undo_leads_back_to_ready() {
        for from in [S::Accepted, S::Edited, S::Rejected, S::Written] {
            assert_eq!(from.transition(S::Ready), Ok(S::Ready));
        }
    }
}
