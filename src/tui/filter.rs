//! The filter of lists: words, `is:state`, `in:path`.

use crate::base::paths::nearest;
use crate::base::sentence::Sentence;
use crate::domain::event::Level;
use crate::domain::proposal::{ProposalKind, ProposalState};
use crate::domain::snapshot::{FunctionRow, LogRow, Mark, QueueRow, RecordedRow, UnjudgedRow, VerdictRow};
use crate::domain::spec_board::SpecRow;
use crate::domain::verdict::Ruling;
use crate::tui::glyphs;

/// The states `is:` knows, in the order they are offered.
pub const STATES: [&str; 10] =
    ["waiting", "changed", "recorded", "failing", "stale", "unclear", "error", "tested", "untestable", "never"];
/// States of other lists than that of functions.
const OTHERS: [&str; 3] = ["red", "running", "overridden"];
/// States of the calls of a recording.
const OF_CALLS: [&str; 2] = ["recorded", "failing"];
/// Words before a colon that are meant for one that there is.
const MEANT: [(&str, &str); 9] = [
    ("state", "is"),
    ("status", "is"),
    ("mark", "is"),
    ("kind", "is"),
    ("path", "in"),
    ("file", "in"),
    ("folder", "in"),
    ("dir", "in"),
    ("module", "in"),
];

/// The list that a filter is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Functions, with their proposals and tests.
    Functions,
    /// The calls of a recording.
    Calls,
    /// The log.
    Log,
}

/// A parsed filter; an empty one takes everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// As typed.
    pub text: String,
    words: Vec<String>,
    states: Vec<String>,
    places: Vec<String>,
}

impl Filter {
    /// Reads a filter; everything typed means something.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut filter = Self { text: text.trim().to_owned(), ..Self::default() };
        for word in text.split_whitespace().map(str::to_lowercase) {
            if let Some(state) = word.strip_prefix("is:") {
                filter.states.push(state.to_owned());
            } else if let Some(place) = word.strip_prefix("in:") {
                filter.places.push(place.to_owned());
            } else {
                filter.words.push(word);
            }
        }
        filter
    }

    /// Tells what is wrong with a filter: a state that there is not, with the nearest that there is.
    #[must_use]
    pub fn wrong(text: &str, of: Of) -> Option<String> {
        let known: Vec<&str> = match of {
            Of::Functions => STATES.into_iter().chain(OTHERS).collect(),
            Of::Calls => OF_CALLS.to_vec(),
            Of::Log => return None,
        };
        text.split_whitespace().map(str::to_lowercase).find_map(|word| {
            let (key, state) = word.split_once(':')?;
            if key == "is" && !known.iter().any(|known| known.starts_with(state)) {
                let near = nearest(state, known.iter().copied());
                return Some(match near.first() {
                    Some(near) => format!("Unknown state {state}. Nearest: is:{near}."),
                    None => format!("Unknown state {state}. Known: {}.", known.join(", ")),
                });
            }
            let (_, meant) = MEANT.iter().find(|(other, _)| *other == key)?;
            Some(format!("Unknown word {key}: write {meant}:{state}"))
        })
    }

    /// Tells whether it takes everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Tells whether a function is in it. A state half typed takes every state it could become.
    #[must_use]
    pub fn takes(&self, row: &FunctionRow) -> bool {
        let (_, _, mark) = glyphs::of_mark(row.mark);
        self.takes_name(&row.id.0, row.path.as_str())
            && self.states.iter().all(|state| {
                mark.starts_with(state.as_str())
                    || ("waiting".starts_with(state.as_str()) && row.drafts + row.changes > 0)
                    || ("changed".starts_with(state.as_str()) && row.changes > 0)
                    || ("red".starts_with(state.as_str()) && row.mark == Mark::Failing && row.changes == 0)
            })
    }

    /// Tells whether it asks for tests too: without a filter they are folded away, a place may name them.
    #[must_use]
    pub fn takes_tests(&self) -> bool {
        self.is_empty() || !self.places.is_empty()
    }

    /// Tells whether a proposal is in it.
    #[must_use]
    pub fn takes_proposal(&self, row: &QueueRow) -> bool {
        let state = match row.state {
            ProposalState::Stale => "stale",
            ProposalState::Failed | ProposalState::Refused => "failing",
            ProposalState::Streaming | ProposalState::Proving => "running",
            _ if row.kind == ProposalKind::Change => "failing",
            _ if row.kind == ProposalKind::Near => "unclear",
            _ if row.ruling == Some(Ruling::Unclear) => "unclear",
            _ if row.ruling.is_some() => "failing",
            _ => "recorded",
        };
        let is_change = matches!(row.kind, ProposalKind::Change | ProposalKind::Near);
        let changed = |word: &str| is_change && "changed".starts_with(word);
        self.takes_name(&row.subject.text(), row.path.as_str())
            && self
                .states
                .iter()
                .all(|word| state.starts_with(word.as_str()) || "waiting".starts_with(word.as_str()) || changed(word))
    }

    /// Tells whether a test with an intent is in it.
    #[must_use]
    pub fn takes_verdict(&self, row: &VerdictRow) -> bool {
        let state = match row.ruling {
            _ if row.stale => "stale",
            _ if row.overridden => "overridden",
            Ruling::Pass => "tested",
            Ruling::Fail => "failing",
            Ruling::Unclear => "unclear",
            Ruling::Error => "error",
        };
        let waits = |word: &str| row.proposal.is_some() && "waiting".starts_with(word);
        self.takes_name(&row.test, row.path.as_str())
            && self.states.iter().all(|word| state.starts_with(word.as_str()) || waits(word))
    }

    /// Tells whether a test that was never judged is in it.
    #[must_use]
    pub fn takes_unjudged(&self, row: &UnjudgedRow) -> bool {
        let never = |word: &String| "never".starts_with(word.as_str());
        self.takes_name(&row.test, row.path.as_str()) && self.states.iter().all(never)
    }

    /// Tells whether a YAML test is in it.
    #[must_use]
    pub fn takes_spec(&self, row: &SpecRow) -> bool {
        let state = match row.ruling {
            _ if row.running.is_some() => "running",
            _ if row.mistakes > 0 => "error",
            _ if row.stale.is_some() => "stale",
            Some(Ruling::Pass) => "tested",
            Some(Ruling::Fail) => "failing",
            Some(Ruling::Unclear) => "unclear",
            Some(Ruling::Error) => "error",
            None => "never",
        };
        self.takes_name(&row.name, row.file.as_str()) && self.states.iter().all(|word| state.starts_with(word.as_str()))
    }

    /// Tells whether a line of the log is in it: by its words, its kind or how much it matters.
    #[must_use]
    pub fn takes_log(&self, row: &LogRow) -> bool {
        let level = match row.level {
            Level::Info => "info",
            Level::Done => "done",
            Level::Warning => "warning",
            Level::Error => "error",
        };
        let more = row.more.iter().map(Sentence::for_people).collect::<Vec<_>>().join(" ");
        let text = format!("{} {} {more}", row.word, row.text).to_lowercase();
        self.words.iter().chain(&self.places).all(|word| text.contains(word.as_str()))
            && self.states.iter().all(|word| level.starts_with(word.as_str()) || row.word.starts_with(word.as_str()))
    }

    /// Tells whether a call of a recording is in it: by the words of its line, its module, and whether it failed.
    #[must_use]
    pub fn takes_call(&self, row: &RecordedRow) -> bool {
        let text = format!("{}{} {}", row.function, row.arguments, row.outcome).to_lowercase();
        let place = row.function.module().replace('.', "/").to_lowercase();
        let state = if row.failed { "failing" } else { "recorded" };
        self.words.iter().all(|word| text.contains(word.as_str()))
            && self.places.iter().all(|word| place.contains(word.trim_end_matches(".py")))
            && self.states.iter().all(|word| state.starts_with(word.as_str()))
    }

    fn takes_name(&self, name: &str, path: &str) -> bool {
        if self.words.is_empty() && self.places.is_empty() {
            return true;
        }
        let name = name.to_lowercase();
        let path = path.to_lowercase();
        self.words.iter().all(|word| name.contains(word.as_str()) || path.contains(word.as_str()))
            && self.places.iter().all(|place| path.contains(place.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_is_an_error_that_names_the_nearest() {
        let wrong = |text: &str| Filter::wrong(text, Of::Functions).unwrap_or_default();
        assert_eq!(wrong("cart is:chnaged"), "Unknown state chnaged. Nearest: is:changed.");
        assert_eq!(wrong("is:testd"), "Unknown state testd. Nearest: is:tested.");
        assert!(wrong("is:purple").starts_with("Unknown state purple. Known: waiting, changed, "));
        assert_eq!(wrong("path:shop/cart.py"), "Unknown word path: write in:shop/cart.py");
        for right in ["", "cart", "is:changed in:shop", "is:wai", "is:", "shop.cart:Cart.total", "is:red"] {
            assert_eq!(wrong(right), "", "{right}");
        }
        assert!(Filter::wrong("is:saved", Of::Log).is_none(), "the log has kinds of its own");
        assert!(Filter::wrong("is:tested", Of::Calls).is_some());
    }
}
