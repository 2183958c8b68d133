//! Buffers of text that models are writing: one a proposal, read by the screen as it grows. Tokens never travel as events.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use parking_lot::Mutex;

use crate::base::clock;
use crate::domain::proposal::ProposalId;
use crate::domain::snapshot::StreamView;

/// The rate is a mean over this many seconds.
const RATE_WINDOW: f64 = 2.0;
/// No rate is told before this many tokens.
const RATE_FROM: u64 = 8;

/// All buffers.
#[derive(Default)]
pub struct Streams(Mutex<HashMap<ProposalId, Buffer>>);

struct Buffer {
    view: StreamView,
    recent: VecDeque<Instant>,
}

impl Streams {
    /// Opens the buffer of a proposal, empty.
    pub fn open(&self, id: ProposalId, model: &str) {
        let view = StreamView {
            text: String::new(),
            tokens: 0,
            rate: None,
            started: clock::now(),
            model: model.to_owned(),
            ended: false,
        };
        self.0.lock().insert(id, Buffer { view, recent: VecDeque::new() });
    }

    /// Adds a piece of text, counted as one token, and gives tokens and rate.
    pub fn push(&self, id: ProposalId, text: &str) -> (u64, Option<f64>) {
        let mut buffers = self.0.lock();
        let Some(buffer) = buffers.get_mut(&id) else { return (0, None) };
        let now = Instant::now();
        buffer.view.text.push_str(text);
        buffer.view.tokens += 1;
        buffer.recent.push_back(now);
        while buffer.recent.front().is_some_and(|at| now.duration_since(*at).as_secs_f64() > RATE_WINDOW) {
            buffer.recent.pop_front();
        }
        let span = buffer.recent.front().map_or(0.0, |at| now.duration_since(*at).as_secs_f64());
        #[allow(clippy::cast_precision_loss)] // a rate for people
        let rate = (buffer.view.tokens >= RATE_FROM && span > 0.05).then(|| (buffer.recent.len() - 1) as f64 / span);
        buffer.view.rate = rate;
        (buffer.view.tokens, rate)
    }

    /// Empties the buffer: the answer begins anew.
    pub fn begin_again(&self, id: ProposalId) {
        if let Some(buffer) = self.0.lock().get_mut(&id) {
            buffer.view.text.clear();
            buffer.view.tokens = 0;
            buffer.recent.clear();
        }
    }

    /// Says that nothing more will come.
    pub fn close(&self, id: ProposalId) {
        if let Some(buffer) = self.0.lock().get_mut(&id) {
            buffer.view.ended = true;
        }
    }

    /// Gives the text so far.
    pub fn view(&self, id: ProposalId) -> Option<StreamView> {
        self.0.lock().get(&id).map(|buffer| buffer.view.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_grows_and_no_rate_is_guessed_early() {
        let streams = Streams::default();
        let id = ProposalId(1);
        streams.open(id, "m");
        assert_eq!(streams.push(id, "def "), (1, None));
        streams.push(id, "test");
        streams.close(id);
        let view = streams.view(id).unwrap();
        assert_eq!((view.text.as_str(), view.tokens, view.ended), ("def test", 2, true));
        assert_eq!(streams.push(ProposalId(2), "x"), (0, None));
    }
}
