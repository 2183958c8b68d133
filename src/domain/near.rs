//! Differences beside the recorded calls: inputs near recorded ones that an edited function takes otherwise than before.

use serde::{Deserialize, Serialize};

use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::call::{Argument, CallId, Effect};
use crate::domain::difference::Difference;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Edit, ProposalId};
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::way::Way;

/// What a search beside the recorded calls came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Near {
    /// What differs, function by function, the most different first.
    pub differences: Vec<NearDifference>,
    /// Functions that were searched, with the number of inputs that were tried.
    pub searched: Vec<(FunctionId, u64)>,
    /// Edited functions that were compared and have no near inputs.
    pub not_searched: Vec<(FunctionId, WithoutNear)>,
    /// Recorded calls of searched functions that no input was made of.
    #[serde(default)]
    pub left_out: Vec<NearLeftOut>,
    /// Why nothing could be searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Sentence>,
    /// What was not known before.
    #[serde(skip)]
    pub fresh: Vec<ProposalId>,
}

/// Recorded calls of a searched function that no input was made of, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Printed", into = "Printed")]
pub struct NearLeftOut {
    /// The function.
    pub function: FunctionId,
    /// How many calls.
    pub calls: u64,
    /// Why.
    pub why: NoInput,
}

/// Why no near input was made of a recorded call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoInput {
    /// It can be compared only inside its test, or with the clock held still.
    Inside,
    /// It used something outside of the program.
    Outside,
    /// It does not end when it runs alone.
    Endless,
    /// It is not compared at all.
    NotCompared(Reason),
}

impl NoInput {
    /// Gives the code for programs: one of its own, or that of the reason.
    fn code(&self) -> &'static str {
        match self {
            Self::Inside => "inside",
            Self::Outside => "outside",
            Self::Endless => "endless",
            Self::NotCompared(reason) => reason.code.code(),
        }
    }

    /// Says it for people.
    fn sentence(&self) -> Sentence {
        match self {
            Self::Inside => "they can be compared only inside their test or under a still clock.".into(),
            Self::Outside => "they used a file, the clock, the network or another program.".into(),
            Self::Endless => "they do not end alone.".into(),
            Self::NotCompared(reason) => format!("{}.", reason.message()).into(),
        }
    }
}

/// Calls that were left out, as JSON has them: the code for programs, and the sentence for people.
#[derive(Serialize, Deserialize)]
struct Printed {
    function: FunctionId,
    calls: u64,
    code: String,
    why: Sentence,
}

impl From<NearLeftOut> for Printed {
    fn from(NearLeftOut { function, calls, why }: NearLeftOut) -> Self {
        Self { function, calls, code: why.code().to_owned(), why: why.sentence() }
    }
}

impl From<Printed> for NearLeftOut {
    fn from(Printed { function, calls, code, why }: Printed) -> Self {
        let own = [NoInput::Inside, NoInput::Outside, NoInput::Endless].into_iter().find(|own| own.code() == code);
        let reason = || code.parse().map_or_else(|_| ReasonCode::Legacy.with(why.without_stop()), |code: ReasonCode| code.into());
        Self { function, calls, why: own.unwrap_or_else(|| NoInput::NotCompared(reason())) }
    }
}

impl Near {
    /// Says that nothing could be searched, and why.
    #[must_use]
    pub fn failed(why: impl Into<Sentence>) -> Self {
        Self { failed: Some(why.into()), ..Self::default() }
    }

    /// Tells whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.differences.is_empty() && self.searched.is_empty() && self.not_searched.is_empty()
    }

    /// Forgets what is known of these functions.
    pub fn forget(&mut self, which: impl Fn(&FunctionId) -> bool) {
        self.differences.retain(|one| !which(&one.function));
        self.searched.retain(|(function, _)| !which(function));
        self.not_searched.retain(|(function, _)| !which(function));
        self.left_out.retain(|one| !which(&one.function));
    }

    /// Adds what another search came to.
    pub fn add(&mut self, other: Self) {
        self.differences.extend(other.differences);
        self.searched.extend(other.searched);
        self.not_searched.extend(other.not_searched);
        self.left_out.extend(other.left_out);
    }

    /// Says which compared functions were not searched and which calls were left out, and why.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let none = self.not_searched.iter().map(|(id, why)| format!("◦ No near inputs for {id}: {}", why.sentence()));
        let failed = self.failed.iter().map(|why| format!("◦ No near inputs: {why}"));
        failed.chain(none).chain(self.left_out.iter().map(NearLeftOut::line)).collect()
    }
}

impl NearLeftOut {
    fn line(&self) -> String {
        format!("◦ No near inputs from {} of {}: {}", text::count_u64(self.calls, "call"), self.function, self.why.sentence())
    }
}

/// A near difference as a person decides on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearChange {
    /// The difference.
    pub difference: NearDifference,
    /// The arguments of the input.
    pub args: Vec<Argument>,
    /// How it comes to its function.
    #[serde(default)]
    pub way: Way,
    /// Hash of the function's code that gives the new outcome.
    pub code: Digest,
    /// The edits of the function.
    #[serde(default)]
    pub because: Vec<Edit>,
    /// The draft of a test that expects the old outcome.
    #[serde(default)]
    pub test: Option<ProposalId>,
}

impl NearChange {
    /// Hashes what a person decides on: the input and both outcomes, whatever the code is.
    #[must_use]
    pub fn basis(&self) -> Digest {
        let mut hasher = Hasher::default();
        hasher.part(self.difference.function.0.as_bytes());
        hasher.part(serde_json::to_string(&(&self.args, self.way)).unwrap_or_default().as_bytes());
        for end in [&self.difference.old, &self.difference.new] {
            hasher.part(serde_json::to_string(end).unwrap_or_default().as_bytes());
        }
        hasher.digest()
    }
}

/// An input that nobody recorded, under both versions of the code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearDifference {
    /// The function.
    pub function: FunctionId,
    /// Its file.
    pub path: RelPath,
    /// Its first line today.
    pub line: u32,
    /// The input for people: `(datetime.timedelta(days=366))`.
    pub arguments: String,
    /// The nearest recorded call.
    pub call: CallId,
    /// Its arguments for people.
    pub recorded: String,
    /// How far the input is from that call.
    pub distance: Distance,
    /// How it ended before the edit.
    pub old: Effect,
    /// How it ends now.
    pub new: Effect,
    /// Where the two differ first.
    pub difference: Difference,
    /// The proposal to decide on it, if it was compared with the recorded code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
}

/// How far an input is from the nearest recorded call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distance {
    /// The part of the arguments that differs: `rows[0].price`.
    pub place: String,
    /// In what it differs.
    pub how: Apart,
    /// By how much: `1`, `1 day`.
    pub by: String,
}

/// In what an input differs from a recorded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Apart {
    /// A number.
    Number,
    /// A moment or a span of time.
    Time,
    /// It has more items or characters.
    Longer,
    /// It has fewer.
    Shorter,
    /// It has none.
    Empty,
    /// It is another value.
    Other,
    /// Several parts differ.
    Several,
}

impl Distance {
    /// Says it for people: `delta is 1 day away from a recorded call`.
    #[must_use]
    pub fn phrase(&self) -> String {
        let (place, by) = (text::display_line(&self.place), text::display_line(&self.by));
        match self.how {
            Apart::Number | Apart::Time => format!("{place} is {by} away from a recorded call"),
            Apart::Longer => format!("{place} is longer by {by} than in a recorded call"),
            Apart::Shorter => format!("{place} is shorter by {by} than in a recorded call"),
            Apart::Empty => format!("{place} is empty, unlike in a recorded call"),
            Apart::Other => format!("only {place} differs from a recorded call"),
            Apart::Several => format!("{by} values differ from a recorded call"),
        }
    }
}

/// Why a function has no near inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithoutNear {
    /// Recorded calls of it end differently already.
    Differs,
    /// None of its calls was compared.
    Uncompared,
    /// Its calls can be compared only inside their test, or with the clock held still.
    Inside,
    /// Its recorded calls used something outside of the program.
    Outside,
    /// Files were edited while the search ran.
    Edited,
    /// There is no kernel sandbox.
    Weak,
    /// Its text before the edit is not known whole.
    NoText,
    /// Too many functions were edited at once.
    TooMany,
    /// It could not be called.
    NotRun(Sentence),
}

impl WithoutNear {
    /// Says it for people.
    #[must_use]
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Differs => "recorded calls differ already; decide on them first.".into(),
            Self::Uncompared => "none of its recorded calls was compared alone.".into(),
            Self::Inside => "its calls can be compared only inside their test or under a still clock.".into(),
            Self::Outside => "its recorded calls used a file, the clock, the network or another program.".into(),
            Self::Edited => "files changed during the search. Search again.".into(),
            Self::Weak => "they run only in a sandbox of the kernel, which this machine does not have.".into(),
            Self::NoText => "the text of its file before the edit is not known whole.".into(),
            Self::TooMany => "too many functions were edited at once. Name it to search it.".into(),
            Self::NotRun(why) => format!("{}.", why.without_stop()).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_searched_is_said_with_the_reason() {
        let id = || FunctionId("m:f".into());
        let left_out = NearLeftOut { function: id(), calls: 2, why: NoInput::Inside };
        let stored = serde_json::to_value(&left_out).unwrap();
        assert_eq!((&stored["code"], stored["why"].as_str()), (&"inside".into(), Some(&*NoInput::Inside.sentence())));
        let near = Near { not_searched: vec![(id(), WithoutNear::NoText)], left_out: vec![left_out], ..Near::default() };
        let said = near.remarks().join("\n");
        assert!(said.contains("◦ No near inputs for m:f: the text of its file"), "{said}");
        assert!(said.contains("◦ No near inputs from 2 calls of m:f: they can be compared only inside"), "{said}");
        assert_eq!(Near::failed("It broke.").remarks(), ["◦ No near inputs: It broke."]);
    }

    #[test]
    fn a_distance_is_said_by_its_part_and_its_amount() {
        let far = |how, by: &str| Distance { place: "delta".into(), how, by: by.into() }.phrase();
        assert_eq!(far(Apart::Time, "1 day"), "delta is 1 day away from a recorded call");
        assert_eq!(far(Apart::Longer, "2"), "delta is longer by 2 than in a recorded call");
        assert_eq!(far(Apart::Several, "3"), "3 values differ from a recorded call");
    }
}
