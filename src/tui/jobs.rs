//! Which job is meant where one is: that of what is selected.

use crate::domain::call::ProgramEnd;
use crate::domain::event::{JobKind, JobState};
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::ProposalState;
use crate::domain::snapshot::JobRow;
use crate::tui::app::AppState;
use crate::tui::behaviour;
use crate::tui::content;
use crate::tui::content::start;
use crate::tui::doc_row::About;
use crate::tui::layout::Screen;

/// Finds the running or waiting job of what is selected.
#[must_use]
pub fn job_here(state: &AppState) -> Option<&JobRow> {
    let open = |job: &&JobRow| matches!(job.state, JobState::Running | JobState::Waiting);
    if let (Screen::Diff, Some(job)) = (state.screen, behaviour::job(state)) {
        return Some(job);
    }
    if state.screen == Screen::Journeys {
        return state.open_jobs().find(|job| matches!(job.kind, JobKind::Check | JobKind::Judge | JobKind::Clauses));
    }
    if state.screen == Screen::Specs {
        return of_specs(state);
    }
    match content::about(state, state.focus) {
        About::Job(index) => return state.snapshot.jobs.get(index).filter(open),
        About::Recording(index) => return of_recording(state, index).or_else(|| drafting(state)),
        _ => {}
    }
    if let Some(row) = start::followed(state).filter(|_| start::is_followed(state)) {
        let index = state.snapshot.recordings.iter().position(|other| other.id == row.id)?;
        return of_recording(state, index);
    }
    let subject = state.subject.as_ref()?;
    let names = |job: &&JobRow| job.subject.is_for(subject);
    let kind = match state.current().map(|row| row.state) {
        Some(ProposalState::Streaming) => Some(JobKind::Model),
        Some(ProposalState::Proving) => Some(JobKind::Prove),
        _ => None,
    };
    let works = |job: &&JobRow| Some(job.kind) == kind && job.state == JobState::Running;
    let mine = state.open_jobs().find(names).or_else(|| state.open_jobs().find(works));
    let only = || {
        let mut all = state.open_jobs();
        all.next().filter(|_| all.next().is_none() && state.screen == Screen::Runs)
    };
    mine.or_else(only).or_else(|| drafting(state))
}

/// Finds what works on the drafts of all that was recorded: its first replay, the drafts, their proof.
fn drafting(state: &AppState) -> Option<&JobRow> {
    let of_all = |job: &&JobRow| match job.kind {
        JobKind::Draft => job.subject == JobSubject::RecordedCalls,
        JobKind::Replay => job.subject == JobSubject::NewCalls,
        JobKind::Prove => matches!(job.subject, JobSubject::Drafts(_)),
        _ => false,
    };
    state.open_jobs().find(of_all)
}

/// Finds the job of a recording that is live.
fn of_recording(state: &AppState, index: usize) -> Option<&JobRow> {
    let row = state.snapshot.recordings.get(index).filter(|row| row.end == ProgramEnd::Running)?;
    let open = |job: &&JobRow| job.kind == JobKind::Record && matches!(job.state, JobState::Running | JobState::Waiting);
    state.snapshot.jobs.iter().filter(open).find(|job| matches!(job.subject, JobSubject::Recording { id, .. } if id == row.id))
}

/// Finds the job that runs the test that is shown, else any that runs YAML tests.
fn of_specs(state: &AppState) -> Option<&JobRow> {
    let of_specs = |job: &&JobRow| matches!(job.kind, JobKind::Spec | JobKind::Respec);
    let file = state.specs.file.as_ref();
    let own = |job: &&JobRow| matches!(&job.subject, JobSubject::Spec(own) if Some(own) == file);
    state.open_jobs().filter(of_specs).find(own).or_else(|| state.open_jobs().find(of_specs))
}
