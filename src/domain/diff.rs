//! What a change of the code does: recorded calls under the code of a commit and under today's, function by function.

use serde::{Deserialize, Serialize};

use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::call::{CallId, Effect};
use crate::domain::difference::Difference;
use crate::domain::edited::Edits;
use crate::domain::function::FunctionId;
use crate::domain::near::Near;
use crate::domain::proposal::{Edit, ProposalId};

/// How a call ends differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It raises now, and did not.
    NowRaises,
    /// It gives or changes something else.
    Changed,
    /// It raised, and does not any more.
    NoLongerRaises,
    /// It ends as before, at least ten times slower.
    Slower,
}

impl Kind {
    /// Names it for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NowRaises => "now raises",
            Self::Changed => "changed",
            Self::NoLongerRaises => "no longer raises",
            Self::Slower => "slower",
        }
    }
}

/// One recorded call, under both versions of the code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiffedCall {
    /// The call.
    pub call: CallId,
    /// How it differs.
    pub kind: Kind,
    /// Its arguments for people.
    pub arguments: String,
    /// How often this input was seen.
    pub times: u64,
    /// Who called it when it was recorded: `checkout order.py:41`.
    pub caller: Option<String>,
    /// How it ended under the commit's code.
    pub old: Effect,
    /// How it ends now.
    pub new: Effect,
    /// Where the two differ first; `None` for one that is only slower.
    pub difference: Option<Difference>,
    /// Nanoseconds under the commit's code and now.
    pub durations: (i64, i64),
}

/// The edits behind what a function does differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Because {
    /// The edits.
    pub edits: Vec<Edit>,
    /// How that is known.
    pub how: How,
    /// Changed files that are no code and were read by the calls.
    #[serde(default)]
    pub data: Vec<RelPath>,
}

/// How the edits behind a difference were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// There is no other edit.
    Only,
    /// Each of them alone, made to the commit's code, does it.
    Alone,
    /// None of them alone does it, and without any one of them it does not happen.
    Together,
    /// The calls run through them; they were not taken apart.
    Entered,
}

impl How {
    /// Leads from a difference to its edits.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Only | Self::Alone => "because of",
            Self::Together => "because of, together,",
            Self::Entered => "the calls run through",
        }
    }
}

/// A function whose recorded calls end differently.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionDiff {
    /// The function.
    pub function: FunctionId,
    /// Its file.
    pub path: RelPath,
    /// Its first line today.
    pub line: u32,
    /// It was edited itself; otherwise this is a side effect elsewhere.
    pub edited: bool,
    /// The calls that end differently, the telling ones first.
    pub calls: Vec<DiffedCall>,
    /// How many of its calls end as before.
    pub same: u64,
    /// What did it.
    pub because: Because,
    /// The change of it that waits for a person.
    pub proposal: Option<ProposalId>,
}

/// A changed file that is no Python, and the recorded calls that rest on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    /// The file.
    pub path: RelPath,
    /// Functions with calls that read it, themselves or through calls they made, with the number of these calls.
    pub read_by: Vec<(FunctionId, u64)>,
    /// Modules that name it, where no call is known to read it: it may be read when they are imported.
    pub named_by: Vec<RelPath>,
}

impl DataFile {
    /// Writes who rests on it: `shop/rates.json, read by 3 calls of shop.rates:load`.
    #[must_use]
    pub fn line(&self) -> String {
        const NAMED: usize = 3;
        if self.read_by.is_empty() {
            let names: Vec<String> = self.named_by.iter().take(NAMED).map(ToString::to_string).collect();
            let more = self.named_by.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {}", text::count(more, "more file")) } else { String::new() };
            return format!("{}, named in {}{more}", self.path, names.join(", "));
        }
        let calls = |number: u64| text::count(usize::try_from(number).unwrap_or(usize::MAX), "call");
        let mut named: Vec<String> =
            self.read_by.iter().take(NAMED).map(|(id, number)| format!("{} of {id}", calls(*number))).collect();
        if let Some(more) = self.read_by.len().checked_sub(NAMED + 1) {
            named.push(format!("calls of {}", text::count(more + 1, "more function")));
        }
        format!("{}, read by {}", self.path, named.join(", "))
    }
}

/// What a change of the code does, as far as recorded calls show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diff {
    /// The commit as it was asked for: `HEAD`.
    pub reference: String,
    /// Its hash, shortened.
    pub commit: String,
    /// Hash of today's files as they were compared: under other files it says nothing.
    pub tree: Digest,
    /// Functions that behave differently: side effects elsewhere first, then edited ones.
    pub functions: Vec<FunctionDiff>,
    /// What was edited, and what the calls tell of it.
    pub edits: Edits,
    /// Calls whose outcome is known under both versions.
    pub compared: u64,
    /// Those that end as before.
    pub same: u64,
    /// Calls of functions that may do something else, and were not compared.
    pub not_compared: u64,
    /// Changed files that are no Python and were read by recorded calls, or are named in modules that these run: such calls
    /// are compared too.
    pub data_files: Vec<DataFile>,
    /// Changed files that are no Python, and that neither a recorded call is known to read nor a module names: they are not
    /// looked at.
    pub other_files: Vec<RelPath>,
    /// What differs beside the recorded calls, where that was asked.
    #[serde(default)]
    pub near: Option<Near>,
}

impl Diff {
    /// Tells whether nothing behaves differently, as far as can be told.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.functions.is_empty() && !self.edits.breaks()
    }

    /// Names the commit: as it was asked for, and which one that is.
    #[must_use]
    pub fn against(&self) -> String {
        if self.reference.starts_with(&self.commit) || self.commit.starts_with(&self.reference) {
            self.commit.clone()
        } else {
            format!("{} ({})", self.reference, self.commit)
        }
    }

    /// Sums up what was compared: `Against HEAD (1f2e3d4c): 38 calls compared, 3 differ in 2 functions, 4 not compared.`
    #[must_use]
    pub fn sum_of_calls(&self) -> String {
        let against = self.against();
        if self.compared + self.not_compared == 0 && self.is_silent() {
            let nothing = if self.edits.edited.is_empty() { " Nothing was edited." } else { "" };
            return format!("Against {against}: no call to compare.{nothing}");
        }
        let not = if self.not_compared > 0 { format!(", {} not compared", self.not_compared) } else { String::new() };
        let differ = self.compared - self.same;
        let functions = text::count(self.functions.len(), "function");
        format!("Against {against}: {} compared, {differ} differ in {functions}{not}.", text::count_u64(self.compared, "call"))
    }

    /// Sums it up in a line: what was compared, and what was edited.
    #[must_use]
    pub fn sum(&self) -> String {
        let edited = self.edits.sum().map_or_else(String::new, |sum| format!(" {sum}"));
        self.sum_of_calls() + &edited
    }
}
