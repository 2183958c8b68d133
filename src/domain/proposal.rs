//! Whatever waits for a person: drafts, behaviour changes and verdicts, their states, and the evidence that stands beside them.

mod state;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use self::state::{IllegalMove, ProposalState};
use crate::base::clock::Moment;
use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::call::{CallId, Effect};
use crate::domain::decision::FileEdit;
use crate::domain::difference::Difference;
use crate::domain::evidence::{Evidence, EvidenceKind};
use crate::domain::function::FunctionId;
use crate::domain::near::NearChange;
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::reason::Reason;
use crate::domain::subject::Subject;
use crate::domain::verdict::Verdict;

/// Numbers a proposal in the project's store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProposalId(pub i64);

/// What kind of thing waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Body {
    /// Text for a file.
    Draft(Draft),
    /// Recorded calls that end differently now.
    Change(Change),
    /// An input beside the recorded ones that ends differently now.
    Near(Box<NearChange>),
    /// A test whose intent was not met, or not decided.
    Verdict(OpenVerdict),
    /// A YAML test, with a plugin where it needs one.
    Spec(SpecDraft),
}

impl Body {
    /// Tells which kind it is.
    #[must_use]
    pub fn kind(&self) -> ProposalKind {
        match self {
            Self::Draft(_) => ProposalKind::Draft,
            Self::Change(_) => ProposalKind::Change,
            Self::Near(_) => ProposalKind::Near,
            Self::Verdict(_) => ProposalKind::Verdict,
            Self::Spec(_) => ProposalKind::Spec,
        }
    }
}

/// The kinds of what waits, as [`Body`] has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposalKind {
    /// Text for a file.
    Draft,
    /// Recorded calls that end differently now.
    Change,
    /// An input beside the recorded ones that ends differently now.
    Near,
    /// A test whose intent was not met, or not decided.
    Verdict,
    /// A YAML test.
    Spec,
}

impl ProposalKind {
    /// Gives the word for it, on the screen and in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Change => "change",
            Self::Near => "near",
            Self::Verdict => "verdict",
            Self::Spec => "spec",
        }
    }
}

/// A test whose intent was not met, or not decided. What the test did is kept by its node id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenVerdict {
    /// The test, by its node id.
    pub test: String,
    /// What it is for.
    pub intent: String,
    /// What came of it.
    pub verdict: Verdict,
    /// Accepting what it does now would decide it.
    pub takes_journey: bool,
    /// When it was judged.
    pub at: Moment,
}

impl OpenVerdict {
    /// Tells whether clauses that a person chooses would decide it: in place of what it does now, or of a model's word.
    #[must_use]
    pub fn takes_clauses(&self) -> bool {
        self.takes_journey || self.verdict.is_failed_by_a_model()
    }
}

/// Characters of an agent's name.
const NAME_MAX: usize = 40;

/// Makes the name an agent gave itself fit for a line.
#[must_use]
pub fn agent_name(by: &str) -> String {
    let name = text::display_line(by.trim());
    if name.is_empty() { "unnamed".into() } else { text::cut(&name, NAME_MAX).into_owned() }
}

/// Who wrote a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Rules, from recorded calls.
    Recording,
    /// Rules, from an input beside the recorded ones.
    Near,
    /// A language model, by its name.
    Model(String),
    /// A coding agent, by the name it gave itself.
    Agent(String),
}

impl Origin {
    /// Gives the origin of what a coding agent wrote, by the name it gave itself.
    #[must_use]
    pub fn of_agent(by: &str) -> Self {
        Self::Agent(agent_name(by))
    }

    /// Tells whether its tests go beside those of the function, and take the place of none.
    #[must_use]
    pub fn is_added(&self) -> bool {
        self.is_foreign() || *self == Self::Near
    }

    /// Tells whether the text is nobody's of here: it runs in a kernel sandbox or not at all.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        matches!(self, Self::Model(_) | Self::Agent(_))
    }

    /// Names who wrote it, for people; nothing for rules.
    #[must_use]
    pub fn author(&self) -> Option<String> {
        match self {
            Self::Recording | Self::Near => None,
            Self::Model(name) => Some(name.clone()),
            Self::Agent(name) => Some(format!("{name}, a coding agent")),
        }
    }
}

/// Proposed tests of one function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// Who wrote it.
    pub origin: Origin,
    /// The file it is for.
    pub target: RelPath,
    /// Import lines it needs, each a full statement.
    pub imports: Vec<String>,
    /// The tests, without imports, ending in a newline.
    pub text: String,
    /// Names of the test functions and classes in `text`, in order.
    pub tests: Vec<String>,
    /// The calls it is made from.
    pub calls: Vec<CallId>,
    /// Calls that are not in it, each with its reason.
    pub left_out: Vec<LeftOut>,
    /// Tests and rows that did not pass the proof and were taken out: `test_total`, `test_total[ten]`.
    #[serde(default)]
    pub dropped: Vec<String>,
    /// Recorded details that no assertion of it sees, by the way to them: `result.note`.
    #[serde(default)]
    pub overlooked: Vec<String>,
    /// How often a recorded detail was changed to see whether an assertion fails.
    #[serde(default)]
    pub details: Details,
    /// Mutants of its function, by their numbers, that every recorded call was tried with and none separates.
    #[serde(default)]
    pub unseparated: BTreeSet<u32>,
    /// Files beside its own that it needs.
    #[serde(default)]
    pub helpers: Vec<Helper>,
    /// Folders that have to be on `sys.path`, below the root; empty text for the root.
    pub import_roots: Vec<String>,
    /// The remark that a person gave to the model. It is data: the model is sent it again.
    pub remark: Option<String>,
    /// What the function promised when a model was asked, by [`Fingerprint::promise`](super::function::Fingerprint::promise).
    #[serde(default)]
    pub promise: Option<Digest>,
    /// Hash of the whole text as rules drafted it, whatever the proof took out of it or put right in it.
    #[serde(default)]
    pub drafted: Option<Digest>,
}

impl Draft {
    /// Gives a draft of a text, of which nothing else is known yet.
    #[must_use]
    pub fn new(origin: Origin, target: RelPath, text: String) -> Self {
        Self {
            origin,
            target,
            imports: Vec::new(),
            text,
            tests: Vec::new(),
            calls: Vec::new(),
            left_out: Vec::new(),
            dropped: Vec::new(),
            overlooked: Vec::new(),
            details: Details::default(),
            unseparated: BTreeSet::new(),
            helpers: Vec::new(),
            import_roots: Vec::new(),
            remark: None,
            promise: None,
            drafted: None,
        }
    }

    /// Gives the whole text of a file that holds only this draft.
    #[must_use]
    pub fn standalone(&self) -> String {
        let mut out = String::new();
        for import in &self.imports {
            out.push_str(import);
            out.push('\n');
        }
        if !self.imports.is_empty() {
            out.push_str("\n\n");
        }
        out.push_str(&self.text);
        out
    }
}

/// Recorded details that were changed, one after another, while the assertions of a draft looked on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Details {
    /// How many were changed.
    pub changed: u64,
    /// Of how many no assertion failed.
    pub unseen: u64,
}

/// A file that tests need beside their own: written with them, and never over what a person made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Helper {
    /// Where it goes.
    pub path: RelPath,
    /// What it holds.
    pub text: String,
}

/// Calls of a function that no draft covers, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// How many calls.
    pub calls: u64,
    /// Why.
    #[serde(flatten)]
    pub reason: Reason,
}

/// A YAML test that a model or a coding agent wrote. Nothing of it is run, and its plugin is not imported, before a person
/// accepts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecDraft {
    /// Who wrote it.
    pub origin: Origin,
    /// What was asked for, in plain English.
    pub asked: String,
    /// The test.
    pub test: Helper,
    /// The plugin that was written with it.
    pub plugin: Option<PluginDraft>,
}

/// A plugin that is written with a YAML test: a new one, or one that gets more tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginDraft {
    /// The file.
    pub file: Helper,
    /// What stood in the file when this was written; none for a new one.
    pub instead_of: Option<String>,
}

/// Recorded calls of one function whose outcome under today's code is not the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The calls that end differently.
    pub calls: Vec<CallChange>,
    /// How many replayed calls of the function end as before.
    pub same: u64,
    /// The edited functions the calls ran through.
    pub because: Vec<Edit>,
    /// When the edit was seen.
    pub seen: Moment,
}

/// One call with its former and its present result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallChange {
    /// The call.
    pub call: CallId,
    /// Its arguments for people.
    pub arguments: String,
    /// How often this input was seen.
    pub times: u64,
    /// The baseline.
    pub old: Effect,
    /// Today's.
    pub new: Effect,
    /// Where they differ first.
    pub difference: Difference,
}

/// An edit that may have caused a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// What was edited.
    #[serde(rename = "function")]
    pub subject: Subject,
    /// The file.
    pub path: RelPath,
    /// Lines before and after as a unified hunk without header, `-` and `+` lines.
    pub hunk: Vec<String>,
    /// The first line of the hunk in today's file.
    pub line: u32,
}

impl Edit {
    /// Names what was edited, for people.
    #[must_use]
    pub fn summary(&self) -> String {
        match &self.subject {
            Subject::File(path) => format!("{path}, which its calls read"),
            Subject::ImportCode(module) => format!("{module} outside its functions"),
            Subject::Function(id) => id.to_string(),
        }
    }

    /// Names what was edited with its place, for people.
    #[must_use]
    pub fn summary_with_place(&self) -> String {
        match self.subject {
            Subject::File(_) => self.summary(),
            Subject::Function(_) | Subject::ImportCode(_) => format!("{} in {}:{}", self.summary(), self.path, self.line),
        }
    }
}

/// A proposal with all that stands beside it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Its number.
    pub id: ProposalId,
    /// What it is about.
    #[serde(rename = "function")]
    pub subject: ProposalSubject,
    /// Where it stands.
    pub state: ProposalState,
    /// What it proposes.
    pub body: Body,
    /// What is known for and against it.
    pub evidence: Vec<Evidence>,
    /// Runs passed and runs made.
    pub proved: Option<(u32, u32)>,
    /// The level of containment the proof ran in.
    pub containment: Option<String>,
    /// Hash of everything it rests on: fingerprints and inputs. Another one makes it stale.
    pub basis: Digest,
    /// When it was made.
    pub created: Moment,
    /// It was skipped in this pass.
    pub skipped: bool,
    /// The text a person made of it, in place of the draft's.
    pub edited: Option<String>,
}

impl Proposal {
    /// Returns the evidence that the signature or docstring changed since the model was asked.
    #[must_use]
    pub fn promise_changed(&self) -> Option<&Evidence> {
        self.evidence.iter().find(|line| self.state == ProposalState::Stale && line.what == EvidenceKind::InterfaceChanged)
    }

    /// Hashes what accepting it does, as a person is shown it: the outcomes that it takes, and `edits`, the files that it
    /// writes.
    #[must_use]
    pub fn sight(&self, edits: &[FileEdit]) -> Digest {
        let mut hasher = Hasher::default();
        if self.change().is_some() || self.near().is_some() {
            hasher.part(&self.basis.0.to_le_bytes());
        }
        for edit in edits {
            hasher.part(edit.path.as_str().as_bytes());
            for text in [&edit.before, &edit.after] {
                hasher.part(&[u8::from(text.is_some())]).part(text.as_deref().unwrap_or_default().as_bytes());
            }
        }
        hasher.digest()
    }

    /// Makes a proposal that waits for its turn: without a number, nothing known of it yet.
    #[must_use]
    pub fn queued(subject: impl Into<ProposalSubject>, body: Body, created: Moment) -> Self {
        Self {
            id: ProposalId(0),
            subject: subject.into(),
            state: ProposalState::Queued,
            body,
            evidence: Vec::new(),
            proved: None,
            containment: None,
            basis: Digest::default(),
            created,
            skipped: false,
            edited: None,
        }
    }

    /// Returns the function that it is about, if it is about one.
    #[must_use]
    pub fn function(&self) -> Option<&FunctionId> {
        self.subject.function()
    }

    /// Gives the draft, when it is one.
    #[must_use]
    pub fn draft(&self) -> Option<&Draft> {
        match &self.body {
            Body::Draft(draft) => Some(draft),
            Body::Change(_) | Body::Near(_) | Body::Verdict(_) | Body::Spec(_) => None,
        }
    }

    /// Gives the change, when it is one.
    #[must_use]
    pub fn change(&self) -> Option<&Change> {
        match &self.body {
            Body::Change(change) => Some(change),
            Body::Draft(_) | Body::Near(_) | Body::Verdict(_) | Body::Spec(_) => None,
        }
    }

    /// Gives the near difference, when it is one.
    #[must_use]
    pub fn near(&self) -> Option<&NearChange> {
        match &self.body {
            Body::Near(near) => Some(near),
            Body::Draft(_) | Body::Change(_) | Body::Verdict(_) | Body::Spec(_) => None,
        }
    }

    /// Gives the verdict, when it is one.
    #[must_use]
    pub fn verdict(&self) -> Option<&OpenVerdict> {
        match &self.body {
            Body::Verdict(verdict) => Some(verdict),
            Body::Draft(_) | Body::Change(_) | Body::Near(_) | Body::Spec(_) => None,
        }
    }

    /// Gives the YAML test, when it is one.
    #[must_use]
    pub fn spec(&self) -> Option<&SpecDraft> {
        match &self.body {
            Body::Spec(spec) => Some(spec),
            Body::Draft(_) | Body::Change(_) | Body::Near(_) | Body::Verdict(_) => None,
        }
    }

    /// Lists the edits that may have caused what ends differently.
    #[must_use]
    pub fn because(&self) -> &[Edit] {
        match &self.body {
            Body::Change(change) => &change.because,
            Body::Near(near) => &near.because,
            Body::Draft(_) | Body::Verdict(_) | Body::Spec(_) => &[],
        }
    }

    /// Gives the text that a person reads and may edit: their own version, else what was drafted, whole.
    #[must_use]
    pub fn text(&self) -> Option<Cow<'_, str>> {
        let drafted = match &self.body {
            Body::Draft(draft) => Cow::Owned(draft.standalone()),
            Body::Spec(spec) => Cow::Borrowed(spec.test.text.as_str()),
            Body::Change(_) | Body::Near(_) | Body::Verdict(_) => return None,
        };
        Some(self.edited.as_deref().map_or(drafted, Cow::Borrowed))
    }

    /// Names who wrote it, when a model or a coding agent did.
    #[must_use]
    pub fn author(&self) -> Option<&Origin> {
        match &self.body {
            Body::Draft(draft) => Some(&draft.origin),
            Body::Spec(spec) => Some(&spec.origin),
            Body::Change(_) | Body::Near(_) | Body::Verdict(_) => None,
        }
    }

    /// Tells whether a coding agent wrote a draft that no person has changed since.
    #[must_use]
    pub fn is_by_agent(&self) -> bool {
        self.edited.is_none() && self.author().is_some_and(|origin| matches!(origin, Origin::Agent(_)))
    }
}
