//! What is to be done after a job by another kind of job. The first one says what came to pass, and need not know what follows.

use parking_lot::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::domain::function::FunctionId;

/// What came to pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// Changes of these functions were decided or are gone: drafts that waited for that may be worked on again.
    Settled(Vec<FunctionId>),
}

/// What came to pass and nobody took up yet.
pub struct FollowUps {
    came: UnboundedSender<Came>,
    waiting: Mutex<Option<UnboundedReceiver<Came>>>,
}

impl Default for FollowUps {
    fn default() -> Self {
        let (came, waiting) = unbounded_channel();
        Self { came, waiting: Mutex::new(Some(waiting)) }
    }
}

impl FollowUps {
    /// Says what came to pass.
    pub fn say(&self, came: Came) {
        // Where the project is being closed nothing follows.
        let _ = self.came.send(came);
    }

    /// Gives what comes to pass from the beginning on, to the first who asks.
    pub fn take(&self) -> Option<UnboundedReceiver<Came>> {
        self.waiting.lock().take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_to_pass_before_anybody_asked_is_not_lost() {
        let follow_ups = FollowUps::default();
        let settled = Came::Settled(vec![FunctionId("m:f".into())]);
        follow_ups.say(settled.clone());
        let mut waiting = follow_ups.take().unwrap();
        assert_eq!(waiting.try_recv().ok(), Some(settled));
        assert!(follow_ups.take().is_none());
    }
}
