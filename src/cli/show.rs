//! How proposals read as lines: title, evidence, diff. Used by every verb that prints one.

use similar::TextDiff;

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::output::Output;
use crate::domain::decision::FileEdit;
use crate::domain::evidence::{Evidence, Finding};
use crate::domain::proposal::{Body, Origin, Proposal, ProposalState};
use crate::domain::snapshot::ProposalView;
use crate::engine::{Handle, Unparsed};
use crate::generate::near;
use crate::generate::replay::{both_outcomes, leaf};

/// Calls of a change that are written out; the rest is counted.
const CALLS_SHOWN: usize = 5;

/// Writes what a proposal is and what is known of it, without what it would write.
pub fn head(proposal: &Proposal) -> String {
    let mut out = String::new();
    let kind = match &proposal.body {
        Body::Draft(draft) if draft.origin == Origin::Near => "draft, not recorded".to_owned(),
        Body::Draft(draft) => draft.origin.author().map_or_else(|| "draft".into(), |author| format!("draft by {author}")),
        Body::Change(_) => "change".to_owned(),
        Body::Near(_) => "near".to_owned(),
        Body::Verdict(_) => "verdict".to_owned(),
        Body::Spec(spec) => format!("YAML test by {}", spec.origin.author().unwrap_or_default()),
    };
    out.push_str(&format!("\n#{} {kind}  {}  {}\n", proposal.id.0, proposal.subject, state(proposal.state)));
    for evidence in &proposal.evidence {
        out.push_str(&format!("  {}\n", evidence_line(evidence)));
        for line in evidence.more.iter().take(8) {
            out.push_str(&format!("      {line}\n"));
        }
    }
    out
}

/// Writes a proposal as lines.
pub fn proposal(view: &ProposalView) -> String {
    let proposal = &view.proposal;
    let mut out = head(proposal);
    if let Some(conflict) = view.conflict.as_ref().filter(|_| view.blocked.is_none()) {
        out.push_str(&format!("  {}\n", text::display_line(&conflict.summary())));
    }
    if let Body::Spec(spec) = &proposal.body {
        out.push_str(&format!("  asked for: {}\n", text::display_line(&spec.asked)));
    }
    if let Body::Verdict(open) = &proposal.body {
        out.push_str(&format!("  intent: {}\n", text::display_line(&open.intent)));
        out.push_str(&format!("  {}\n", open.verdict.reason.line()));
    }
    for edit in proposal.because() {
        out.push_str(&format!("  because {}\n", edit.summary_with_place()));
        for line in edit.hunk.iter().take(12) {
            out.push_str(&format!("      {line}\n"));
        }
    }
    if let Body::Near(near) = &proposal.body {
        out.push_str(&format!("  {}\n", near::line(&near.difference)));
        out.push_str(&format!("  recorded  {}{}\n", proposal.subject, near.difference.recorded));
    }
    if let Body::Change(change) = &proposal.body {
        for call in change.calls.iter().take(CALLS_SHOWN) {
            let times = if call.times > 1 { format!("  ×{}", call.times) } else { String::new() };
            out.push_str(&format!("  {}{}{times}\n", proposal.subject, call.arguments));
            let (old, new) = both_outcomes(&call.old, &call.new, 120);
            out.push_str(&format!("    old  {old}\n    new  {new}\n"));
            if !call.difference.path.is_empty() {
                out.push_str(&format!("    at {}: {}\n", call.difference.path, leaf(&call.difference, 60)));
            }
        }
        if change.calls.len() > CALLS_SHOWN {
            out.push_str(&format!("  and {} more\n", text::count(change.calls.len() - CALLS_SHOWN, "call")));
        }
    }
    // The manifest only keeps account; the tests are what a person decides on.
    let is_beside =
        |edit: &&FileEdit| proposal.draft().is_some_and(|draft| draft.helpers.iter().any(|one| one.path == edit.path));
    let is_read = |edit: &FileEdit| edit.path.as_str().ends_with(".py") || proposal.draft().is_none();
    for edit in view.plan.iter().filter(|edit| is_read(edit) && !is_beside(edit)) {
        if edit.is_bookkeeping() && proposal.draft().is_some() {
            out.push_str(&format!("  beside it  {}, {}\n", edit.path, text::count(edit.lines_added(), "line")));
        } else {
            out.push_str(&diff(edit));
        }
    }
    for edit in view.plan.iter().filter(is_beside) {
        let lines = edit.after.as_deref().unwrap_or_default().lines().count();
        out.push_str(&format!("  beside it  {}, {}\n", edit.path, text::count(lines, "line")));
    }
    if view.plan.is_empty() {
        let plugin = match &proposal.body {
            Body::Spec(spec) => spec.plugin.as_ref().map(|plugin| plugin.file.text.as_str()),
            _ => None,
        };
        for line in proposal.text().as_deref().into_iter().chain(plugin).flat_map(str::lines) {
            out.push_str(&format!("    {line}\n"));
        }
    }
    if let Some(trouble) = &view.blocked {
        out.push_str(&format!("  ! {trouble}\n"));
    }
    out
}

/// Says which files do not parse, and what that means.
pub fn unparsed(handle: &Handle, out: &mut Output) -> Result<Vec<Unparsed>, Trouble> {
    let found = handle.unparsed()?;
    out.result("unparsed", &found);
    found.iter().for_each(|file| out.say(format!("! {}", file.summary())));
    Ok(found)
}

/// Writes one line of evidence.
pub fn evidence_line(evidence: &Evidence) -> String {
    let mark = match evidence.finding {
        Finding::Pass => "✓",
        Finding::Fail => "✗",
        Finding::Flaky => "?",
        Finding::Pending => "⋯",
        Finding::Running => "»",
        Finding::Note => "◦",
        Finding::Error => "!",
    };
    format!("{mark} {}  {}", evidence.what, evidence.detail)
}

/// Writes a change of a file as a unified diff.
pub fn diff(edit: &FileEdit) -> String {
    let old = edit.before.as_deref().unwrap_or("");
    let new = edit.after.as_deref().unwrap_or("");
    let (from, to) = (format!("a/{}", edit.path), format!("b/{}", edit.path));
    let from = if edit.before.is_none() { "/dev/null" } else { &from };
    let to = if edit.after.is_none() { "/dev/null" } else { &to };
    TextDiff::from_lines(old, new).unified_diff().context_radius(2).header(from, to).to_string()
}

/// Names a state for people.
pub fn state(state: ProposalState) -> &'static str {
    match state {
        ProposalState::Queued => "queued",
        ProposalState::Streaming => "being written",
        ProposalState::Proving => "being proved",
        ProposalState::Ready => "ready",
        ProposalState::Accepted | ProposalState::Written => "accepted",
        ProposalState::Edited => "accepted as edited",
        ProposalState::Rejected => "rejected",
        ProposalState::Refused => "refused: the proof failed",
        ProposalState::Failed => "failed",
        ProposalState::Stale => "stale: the code under it changed",
    }
}
