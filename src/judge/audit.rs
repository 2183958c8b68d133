//! What persons overruled: `tests/semantic.audit.jsonl`, a line for each, only ever added to. Each line carries its own hash,
//! so that lines of two branches merge and a line that was changed later is seen.
//!
//! An override stands while the test does what it did and means what it meant, and until it expires.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::base::clock::Moment;
use crate::base::{seal, text};
use crate::domain::evaluator::{Actor, Evaluator};
use crate::domain::verdict::{Bound, Ruling};

/// Where they are, below the project's root.
pub const PATH: &str = "tests/semantic.audit.jsonl";

/// One override.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Override {
    /// The test.
    pub test: String,
    /// When.
    pub at: Moment,
    /// Who, as the machine knows them.
    pub by: String,
    /// Who, as git would sign a commit: name and address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<String>,
    /// What anything but a person overruled does not count.
    pub actor: Actor,
    /// What it would be without.
    pub was: Ruling,
    /// Who decided that.
    pub evaluator: Evaluator,
    /// The lines that showed it.
    pub evidence: Vec<String>,
    /// Why it is overruled.
    pub reason: String,
    /// What it is bound to.
    #[serde(flatten)]
    pub bound: Bound,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Moment>,
}

/// Whether an override counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It does.
    Stands,
    /// Its time is over.
    Expired,
    /// The test does something else now.
    OtherJourney,
    /// The intent, its checks or what was accepted changed.
    OtherMeaning,
    /// A later one took its place.
    Replaced,
}

impl Override {
    /// Tells whether it counts for a verdict that is bound to this.
    #[must_use]
    pub fn state(&self, bound: &Bound, now: Moment) -> State {
        if self.expires.is_some_and(|expires| expires <= now) {
            State::Expired
        } else if self.bound.meaning != bound.meaning {
            State::OtherMeaning
        } else if self.bound.journey != bound.journey {
            State::OtherJourney
        } else {
            State::Stands
        }
    }

    /// Names who overruled: as the machine knows them, and as git does.
    #[must_use]
    pub fn who(&self) -> String {
        let git = self.git.as_ref().map_or_else(String::new, |git| format!(" ({git})"));
        text::display_line(&format!("{}{git}", self.by)).into_owned()
    }

    /// Writes its line.
    #[must_use]
    pub fn line(&self) -> String {
        let mut fields = match serde_json::to_value(self) {
            Ok(Json::Object(fields)) => fields,
            _ => Map::new(),
        };
        let sum = sum(&fields);
        fields.insert("sha256".into(), Json::String(sum));
        Json::Object(fields).to_string()
    }
}

/// Reads the lines of the file. Gives the numbers of those that are not as they were written, too.
#[must_use]
pub fn read(text: &str) -> (Vec<Override>, Vec<usize>) {
    let (mut overrides, mut damaged) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match one(line) {
            Some(found) => overrides.push(found),
            None => damaged.push(number),
        }
    }
    (overrides, damaged)
}

fn one(line: &str) -> Option<Override> {
    let Ok(Json::Object(mut fields)) = serde_json::from_str(line) else { return None };
    let own = fields.shift_remove("sha256")?;
    (own.as_str() == Some(&sum(&fields))).then(|| serde_json::from_value(Json::Object(fields)).ok())?
}

fn sum(fields: &Map<String, Json>) -> String {
    // Whatever the order in which a merge tool left them.
    let mut sorted: Vec<(&String, String)> = fields.iter().map(|(name, value)| (name, value.to_string())).collect();
    sorted.sort();
    let parts: Vec<&[u8]> = sorted.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]).collect();
    seal::sha256(&parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overruled() -> Override {
        Override {
            test: "t.py::t[a]".into(),
            at: Moment(5),
            by: "ada".into(),
            git: Some("Ada <ada@example.com>".into()),
            actor: Actor::Person,
            was: Ruling::Fail,
            evaluator: Evaluator::Rules,
            evidence: vec!["L3".into()],
            reason: "The mail is sent by a cron job.".into(),
            bound: Bound { journey: "j".into(), meaning: "m".into() },
            expires: Some(Moment(100)),
        }
    }

    #[test]
    fn a_line_is_read_as_it_was_written_or_not_at_all() {
        let line = overruled().line();
        let alone = Override { expires: None, git: None, ..overruled() };
        let second = alone.line();
        let text = format!("{line}\n\n{second}\n");
        assert_eq!(read(&text), (vec![overruled(), alone], vec![]));
        for damaged in [line.replace("FAIL", "PASS"), line.replace("cron", "kron"), line[1..].to_owned(), "{}".into(), "7".into()]
        {
            assert_eq!(read(&format!("{damaged}\n{second}")).1, [1], "{damaged}");
        }
    }

    #[test]
    fn it_stands_while_nothing_it_is_bound_to_changes() {
        let bound = |journey: &str, meaning: &str| Bound { journey: journey.into(), meaning: meaning.into() };
        let state = |bound: &Bound, now| overruled().state(bound, Moment(now));
        assert_eq!(state(&bound("j", "m"), 50), State::Stands);
        assert_eq!(state(&bound("j", "m"), 100), State::Expired);
        assert_eq!(state(&bound("k", "m"), 50), State::OtherJourney);
        assert_eq!(state(&bound("k", "n"), 50), State::OtherMeaning);
    }
}
