//! Reports to a coding agent when it stops: recorded calls with another result that no person accepted and no agent explained,
//! broken imports, and edited code that was not compared. Each is reported once. The list of reports is stored in the user's
//! state folder, never in the project.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::error::Trouble;
use crate::base::hash::{self, Digest, Hasher};
use crate::base::paths::read_file;
use crate::config::places::Places;
use crate::domain::diff::{Because, Diff, DiffedCall, FunctionDiff, How, Kind};
use crate::domain::edited::{EditedCode, Edits};
use crate::domain::evidence::EvidenceKind;
use crate::domain::function::FunctionId;
use crate::domain::near::Near;
use crate::domain::proposal::{Change, Edit, Proposal, ProposalState};
use crate::domain::subject::Subject;
use crate::engine::index::refresh;
use crate::engine::replay::{behaviour, diff, near};
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::trust::require_trust;
use crate::generate::replay::difference;

/// Returns what differs from a commit, or from what a person accepted last, and was not reported to this session of an agent. Then
/// it counts as reported.
pub async fn news(core: &Arc<Core>, reference: &str, session: &str) -> Result<Option<Diff>, Trouble> {
    require_trust(&core.root, core.trust())?;
    if core.store().recordings()?.is_empty() {
        return Ok(None);
    }
    refresh::reread(core, None).await;
    let mut reported = Reported::read(core, session)?;
    let waiting = waiting(core).await?;
    let mut found = match diff::diff(core, reference.to_owned()).await {
        Ok(found) => Arc::unwrap_or_clone(found),
        // Outside a repository, and before its first commit, there is still what was recorded.
        Err(trouble) if waiting.is_empty() => return Err(trouble),
        Err(_) => nothing_compared(core),
    };
    found.functions.extend(only_waiting(core, &found, &waiting));
    // The report stands without what lies beside the recorded calls.
    let searched = Box::pin(near::search(core, Some(reference), &found.edits)).await;
    let mut near = searched.unwrap_or_else(|trouble| Near::failed(trouble.to_string()));
    let mut marks = Vec::new();
    found.functions.retain_mut(|one| {
        let decided = core.store().proposals_of(&one.function).unwrap_or_default();
        one.calls.retain(|call| {
            let mark = mark(&one.function, call);
            let waits = !is_explained(&decided, call);
            marks.extend(waits.then_some(mark));
            waits && !reported.has(mark)
        });
        !one.calls.is_empty()
    });
    let mut is_news = |text: &str| {
        let mark = hash::of(text.as_bytes());
        marks.push(mark);
        !reported.has(mark)
    };
    found.edits.gone.retain(|(function, _)| is_news(&function.0));
    found.edits.import_failures.retain(|one| is_news(&format!("{}:{}: {}", one.path, one.line, one.exception)));
    let index = core.index();
    // An edit is reported again once the code is another.
    let now = |one: &EditedCode| match &one.subject {
        Subject::Function(id) => index.function(id).map(|function| function.fingerprint.code()),
        Subject::ImportCode(module) => index.module_called(module).map(|module| module.init),
        Subject::File(path) => read_file(&path.under(&core.root)).ok().map(|bytes| hash::of(&bytes)),
    };
    found.edits.edited.retain(|one| !one.is_compared() && is_news(&format!("{} {:?}", one.subject, now(one))));
    near.differences.retain(|one| is_news(&format!("{} {} {:?}", one.function, one.arguments, one.new)));
    near.failed.take_if(|why| !is_news(&why.to_string()));
    let is_near = !near.differences.is_empty() || near.failed.is_some();
    found.near = Some(near);
    // What does not differ any more is forgotten: when it comes back, it is news.
    reported.replace(marks)?;
    Ok((!found.is_silent() || !found.edits.edited.is_empty() || is_near).then_some(found))
}

/// Gives the changes against what a person last accepted: a commit in between does not hide them.
async fn waiting(core: &Arc<Core>) -> Result<Vec<Arc<Proposal>>, Trouble> {
    let Done::Replayed { changed, .. } = behaviour::replay(core, Vec::new()).await? else { return Ok(Vec::new()) };
    let changes = changed.into_iter().map(|id| core.proposal(id)).collect::<Result<Vec<_>, _>>()?;
    Ok(changes.into_iter().filter(|one| one.change().is_some()).collect())
}

/// Lists the waiting changes of functions that behave as they do in the commit.
fn only_waiting(core: &Core, found: &Diff, waiting: &[Arc<Proposal>]) -> Vec<FunctionDiff> {
    let there: BTreeSet<&FunctionId> = found.functions.iter().map(|one| &one.function).collect();
    let others = waiting.iter().filter(|proposal| proposal.function().is_some_and(|id| !there.contains(id)));
    others.filter_map(|proposal| function_diff(core, proposal, proposal.change()?)).collect()
}

fn function_diff(core: &Core, proposal: &Proposal, change: &Change) -> Option<FunctionDiff> {
    let id = proposal.function()?;
    let function = core.function(id)?;
    let (data, edits): (Vec<Edit>, Vec<Edit>) = change.because.iter().cloned().partition(|edit| edit.subject.file().is_some());
    let calls = change.calls.iter().map(|call| DiffedCall {
        call: call.call,
        kind: match (call.old.outcome.is_failure(), call.new.outcome.is_failure()) {
            (false, true) => Kind::NowRaises,
            (true, false) => Kind::NoLongerRaises,
            _ => Kind::Changed,
        },
        arguments: call.arguments.clone(),
        times: call.times,
        caller: None,
        old: call.old.clone(),
        new: call.new.clone(),
        difference: Some(call.difference.clone()),
        durations: (0, 0),
    });
    Some(FunctionDiff {
        function: id.clone(),
        path: function.path,
        line: function.span.first,
        edited: change.because.iter().any(|edit| edit.subject.function() == Some(id)),
        calls: calls.collect(),
        same: change.same,
        because: Because { edits, how: How::Entered, data: data.into_iter().map(|edit| edit.path).collect() },
        proposal: Some(proposal.id),
    })
}

fn nothing_compared(core: &Core) -> Diff {
    Diff {
        reference: "what was recorded".into(),
        commit: "what was recorded".into(),
        tree: core.index().hash(),
        functions: Vec::new(),
        edits: Edits::default(),
        compared: 0,
        same: 0,
        not_compared: 0,
        data_files: Vec::new(),
        other_files: Vec::new(),
        near: None,
    }
}

/// Tells whether a person took this outcome, or an agent said why it is meant.
fn is_explained(proposals: &[Proposal], call: &DiffedCall) -> bool {
    proposals.iter().any(|proposal| {
        let said = match proposal.state {
            ProposalState::Written => true,
            ProposalState::Ready | ProposalState::Rejected => {
                proposal.evidence.iter().any(|line| line.what == EvidenceKind::AgentSays)
            }
            _ => false,
        };
        let same = |change: &Change| {
            change.calls.iter().any(|other| other.call == call.call && difference(&other.new, &call.new).is_none())
        };
        said && proposal.change().is_some_and(same)
    })
}

/// Names a difference: this call, ending this way.
fn mark(function: &FunctionId, call: &DiffedCall) -> Digest {
    let mut hasher = Hasher::default();
    hasher.part(function.0.as_bytes()).part(&call.call.0.to_le_bytes()).part(call.kind.word().as_bytes());
    hasher.part(serde_json::to_string(&call.new).unwrap_or_default().as_bytes());
    hasher.digest()
}

/// Sessions of agents that are remembered, the newest: more than work on a project at once.
const SESSIONS: usize = 20;

/// What was reported to a session of an agent already.
struct Reported {
    file: PathBuf,
    session: Digest,
    kept: Kept,
}

#[derive(Default, Serialize, Deserialize)]
struct Kept {
    /// By sessions, the newest last.
    #[serde(rename = "told")]
    reported: Vec<(Digest, Vec<Digest>)>,
}

impl Reported {
    fn read(core: &Core, session: &str) -> Result<Self, Trouble> {
        let folder = Places::find()?.state.join("told");
        Places::ensure(&folder)?;
        let file = folder.join(format!("{}.json", hash::of(core.root.as_os_str().as_encoded_bytes())));
        // Without a readable file, all of it is reported once more.
        let kept = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Ok(Self { file, session: hash::of(session.as_bytes()), kept })
    }

    fn has(&self, mark: Digest) -> bool {
        self.own().is_some_and(|marks| marks.contains(&mark))
    }

    fn own(&self) -> Option<&Vec<Digest>> {
        self.kept.reported.iter().find(|(session, _)| *session == self.session).map(|(_, marks)| marks)
    }

    fn replace(&mut self, marks: Vec<Digest>) -> Result<(), Trouble> {
        if self.own() == Some(&marks) {
            return Ok(());
        }
        self.kept.reported.retain(|(session, _)| *session != self.session);
        self.kept.reported.push((self.session, marks));
        let old = self.kept.reported.len().saturating_sub(SESSIONS);
        self.kept.reported.drain(..old);
        let failed = |error: std::io::Error| {
            Trouble::environment("Cannot note what was reported to the agent, so nothing is reported.")
                .because(format!("{error}."))
        };
        let folder = self.file.parent().unwrap_or(&self.file);
        let beside = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        serde_json::to_writer(&beside, &self.kept).map_err(|error| failed(error.into()))?;
        beside.persist(&self.file).map_err(|error| failed(error.error))?;
        Ok(())
    }
}
