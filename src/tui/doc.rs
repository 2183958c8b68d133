//! A proposal as lines to read: evidence, what accepting writes against the disk, what is left out, the change.
//!
//! Built once when a proposal arrives, off the drawing thread; drawing only takes the lines in sight.

use crate::base::paths::RelPath;
use crate::base::text::{self, count};
use crate::domain::call::Effect;
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::near::{NearChange, NearDifference};
use crate::domain::proposal::{Body, Change, Draft, Edit, Origin, ProposalState, SpecDraft};
use crate::domain::snapshot::ProposalView;
use crate::generate::replay::leaf;
use crate::tui::diff::{diff_rows, plain_rows, plan_rows, size_of};
use crate::tui::doc_row::{About, DocRow};
use crate::tui::glyphs;
use crate::tui::highlight::CodeLine;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::widgets::code::diff_row;
use crate::tui::words;

/// Values longer than this are cut in the list of calls; `v` shows them whole.
const VALUE: usize = 400;
/// Columns of old and new, where they are longer and differ late.
const AROUND: usize = 160;
/// Columns of each side of what differs inside of a value.
pub const LEAF: usize = 24;
/// Columns of what was checked, at most.
const LABEL: usize = 24;

/// The ways to look at a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compare {
    /// Against the files on disk.
    #[default]
    Disk,
    /// The whole text.
    Whole,
    /// Against the text before the person's edit, where there is one.
    Draft,
    /// Against another draft of the same function.
    Other,
}

/// A proposal with its lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The proposal.
    pub view: ProposalView,
    /// Against the disk.
    pub disk: Vec<DocRow>,
    /// The whole text.
    pub whole: Vec<DocRow>,
    /// The edit against the draft; empty without an edit.
    pub edit: Vec<DocRow>,
    /// Lines added and removed.
    pub size: (usize, usize),
    /// Lines of old results, each with the line of the new one: side by side where there is room.
    pub pairs: Vec<(usize, usize)>,
}

impl Loaded {
    /// Makes the lines of a proposal.
    #[must_use]
    pub fn new(view: ProposalView) -> Self {
        let size = view.plan.iter().map(size_of).fold((0, 0), |(a, r), (added, removed)| (a + added, r + removed));
        let mut pairs = Vec::new();
        let (disk, whole, edit) = match &view.proposal.body {
            Body::Draft(draft) => draft_docs(&view, draft),
            Body::Change(change) => (change_doc(&view, change, &mut pairs), Vec::new(), Vec::new()),
            Body::Near(near) => (near_doc(&view, near, &mut pairs), Vec::new(), Vec::new()),
            // What the test is for and what came of it wraps at the pane's width: only what accepting writes is made here.
            Body::Verdict(_) => (plan_rows(&RelPath::default(), &view.plan), Vec::new(), Vec::new()),
            Body::Spec(spec) => spec_docs(&view, spec),
        };
        Self { view, disk, whole, edit, size, pairs }
    }

    /// Gives the lines of a way to look, and the way itself when that one has none.
    #[must_use]
    pub fn rows(&self, compare: Compare) -> &[DocRow] {
        match compare {
            Compare::Whole if !self.whole.is_empty() => &self.whole,
            Compare::Draft if !self.edit.is_empty() => &self.edit,
            _ => &self.disk,
        }
    }

    /// Gives the next way to look that has lines.
    #[must_use]
    pub fn next(&self, compare: Compare) -> Compare {
        match compare {
            Compare::Disk if !self.whole.is_empty() => Compare::Whole,
            Compare::Disk | Compare::Whole if !self.edit.is_empty() => Compare::Draft,
            _ => Compare::Disk,
        }
    }

    /// Makes the lines of another draft of a function against this one.
    #[must_use]
    pub fn against(&self, other: &Self) -> Vec<DocRow> {
        let text = |loaded: &Self| loaded.view.proposal.text().unwrap_or_default().into_owned();
        let path = self.view.proposal.draft().map(|draft| draft.target.clone()).unwrap_or_default();
        diff_rows(&path, Some(&text(self)), Some(&text(other)), false)
    }
}

fn draft_docs(view: &ProposalView, draft: &Draft) -> (Vec<DocRow>, Vec<DocRow>, Vec<DocRow>) {
    let proposal = &view.proposal;
    // With its imports, as an editor gets it.
    let drafted = draft.standalone();
    let text = proposal.edited.as_deref().unwrap_or(&drafted);
    let mut head = state_rows(view);
    // The draft itself says what it leaves out, reason by reason.
    let told = |evidence: &Evidence| evidence.what == EvidenceKind::NotCovered && !draft.left_out.is_empty();
    let (main, notes): (Vec<_>, Vec<_>) = proposal
        .evidence
        .iter()
        .enumerate()
        .filter(|(_, evidence)| !told(evidence))
        .partition(|(_, evidence)| evidence.finding != Finding::Note || is_head(evidence));
    let wide = labels(main.iter().map(|(_, evidence)| &evidence.what));
    for (index, evidence) in &main {
        head.extend(evidence_rows(*index, evidence, wide));
    }
    if draft.origin == Origin::Near {
        head.push(DocRow::of(Row::new().add(Role::Warning, " ≈ ").add(Role::Text, words::NOT_RECORDED)));
    }
    if let Some(author) = draft.origin.author() {
        // A model writes from what a function promises, calls or none.
        let from = match draft.calls.len() {
            0 => format!(" by {author}"),
            calls => format!(" from {} · {author}", count(calls, "call")),
        };
        head.push(DocRow::of(Row::new().add(Role::Dim, from)));
    }
    if !head.is_empty() {
        head.push(DocRow::default());
    }
    let mut tail = vec![DocRow::default()];
    let wide = labels(notes.iter().map(|(_, evidence)| &evidence.what).chain([&EvidenceKind::NotCovered]));
    for (index, evidence) in &notes {
        tail.extend(evidence_rows(*index, evidence, wide));
    }
    let said = proposal.evidence.iter().any(|evidence| evidence.what == EvidenceKind::NotCovered);
    if draft.left_out.is_empty() && draft.origin == Origin::Recording && !said {
        let all = format!("nothing: all calls are in {}", these(draft.tests.len()));
        tail.extend(evidence_rows(usize::MAX, &Evidence::new(Finding::Note, EvidenceKind::NotCovered, all), wide));
    }
    for left in &draft.left_out {
        let line = format!("{}: {}", count(usize::try_from(left.calls).unwrap_or(usize::MAX), "call"), left.reason);
        tail.extend(evidence_rows(usize::MAX, &Evidence::new(Finding::Note, EvidenceKind::NotCovered, line), wide));
    }
    let with = |body: Vec<DocRow>| [head.clone(), body, tail.clone()].concat();
    let whole = plain_rows(&draft.target, text);
    let disk = if view.plan.is_empty() { whole.clone() } else { plan_rows(&draft.target, &view.plan) };
    let edit = match &proposal.edited {
        Some(edited) => with(diff_rows(&draft.target, Some(&drafted), Some(edited), false)),
        None => Vec::new(),
    };
    (with(disk), with(whole), edit)
}

/// A YAML test: what was asked for, what was found out about it, and the files that accepting writes.
fn spec_docs(view: &ProposalView, spec: &SpecDraft) -> (Vec<DocRow>, Vec<DocRow>, Vec<DocRow>) {
    let proposal = &view.proposal;
    let mut head = state_rows(view);
    let wide = labels(proposal.evidence.iter().map(|evidence| &evidence.what));
    for (index, evidence) in proposal.evidence.iter().enumerate() {
        head.extend(evidence_rows(index, evidence, wide));
    }
    let author = spec.origin.author().unwrap_or_default();
    head.push(DocRow::of(Row::new().add(Role::Dim, format!(" {author} · asked for: {}", text::display_line(&spec.asked)))));
    head.push(DocRow::default());
    let text = proposal.edited.as_ref().unwrap_or(&spec.test.text);
    let mut whole = plain_rows(&spec.test.path, text);
    if let Some(plugin) = &spec.plugin {
        let file = &plugin.file;
        whole.push(DocRow::default());
        whole.push(DocRow::of(Row::new().add(Role::Accent, format!(" {}", file.path))));
        whole.extend(plain_rows(&file.path, &file.text));
    }
    let with = |body: Vec<DocRow>| [head.clone(), body].concat();
    let disk = if view.plan.is_empty() { whole.clone() } else { plan_rows(&spec.test.path, &view.plan) };
    let edit = match &proposal.edited {
        Some(edited) => with(diff_rows(&spec.test.path, Some(&spec.test.text), Some(edited), false)),
        None => Vec::new(),
    };
    (with(disk), with(whole), edit)
}

/// Lines that stand above everything else, because they say why it cannot be decided.
fn state_rows(view: &ProposalView) -> Vec<DocRow> {
    let mut out = Vec::new();
    let mut say = |sign: &str, role: Role, text: &str| {
        out.push(DocRow::of(Row::new().add(role, format!(" {sign} ")).add(Role::Text, text)));
    };
    match view.proposal.state {
        ProposalState::Stale => {
            let promise = view.proposal.promise_changed().is_some();
            let change = view.proposal.change().is_some() || view.proposal.near().is_some();
            let draft = if promise { words::STALE_PROMISE } else { words::STALE_DRAFT };
            say("~", Role::Stale, if change { words::STALE_CHANGE } else { draft });
            if view.newer.is_some() {
                say(" ", Role::Text, words::NEWER_READY);
            }
        }
        ProposalState::Refused => say("✗", Role::Failing, words::REFUSED),
        ProposalState::Failed => say("✗", Role::Failing, words::FAILED),
        _ => {}
    }
    if let Some(trouble) = view.blocked.as_ref().filter(|_| view.proposal.state == ProposalState::Ready) {
        say("!", Role::Failing, &trouble.to_string());
    } else if let Some(conflict) = &view.conflict {
        say("◦", Role::Accent, &conflict.summary());
    }
    if view.proposal.edited.is_some() {
        say("◦", Role::Accent, words::YOUR_VERSION);
    }
    out
}

fn is_head(evidence: &Evidence) -> bool {
    matches!(evidence.what, EvidenceKind::Source | EvidenceKind::Mocks)
}

fn these(tests: usize) -> String {
    if tests == 1 { "this test".into() } else { format!("these {tests} tests") }
}

/// Finds the width of the column that says what was checked.
#[must_use]
pub fn labels<'a>(all: impl Iterator<Item = &'a EvidenceKind>) -> usize {
    all.map(|kind| text::width(&text::display_line(&kind.text()))).max().unwrap_or(0).min(LABEL)
}

/// Makes the lines of one piece of evidence: sign, what was checked, what was seen.
#[must_use]
pub fn evidence_rows(index: usize, evidence: &Evidence, labels: usize) -> Vec<DocRow> {
    let (sign, role) = glyphs::of_finding(evidence.finding);
    let about = if index == usize::MAX { About::Nothing } else { About::Evidence(index) };
    let row =
        Row::new().add(role, format!(" {sign} ")).add(Role::Text, text::fit(&text::display_line(&evidence.what.text()), labels));
    let row = row.add(Role::Text, "  ").fix().add(Role::Text, evidence.detail.for_people());
    let mut out = vec![DocRow { row, about: about.clone(), stop: true, changed: false }];
    let failed = matches!(evidence.finding, Finding::Fail | Finding::Flaky | Finding::Error);
    for line in evidence.more.iter().filter(|_| failed) {
        let role = if line.trim_start().starts_with("E ") { Role::Failing } else { Role::Dim };
        let code = CodeLine::plain(line).text;
        out.push(DocRow { row: Row::new().add(role, format!("   {code}")), about: about.clone(), ..DocRow::default() });
    }
    out
}

fn change_doc(view: &ProposalView, change: &Change, pairs: &mut Vec<(usize, usize)>) -> Vec<DocRow> {
    let proposal = &view.proposal;
    let changed = change.calls.len();
    let all = changed + usize::try_from(change.same).unwrap_or(0);
    let verb = if changed == 1 { "ends" } else { "end" };
    let plain = |role: Role, line: String| DocRow::of(Row::new().add(role, line));
    let mut out = state_rows(view);
    out.push(plain(
        Role::Text,
        format!(" {changed} of {} of {} {verb} differently now.", count(all, "call"), proposal.subject.short()),
    ));
    out.push(DocRow::default());
    for edit in &change.because {
        let about = About::Source(edit.path.clone(), edit.line);
        let row = Row::new().add(Role::Accent, " because").add(Role::Text, format!("  you changed {}", edit.summary()));
        out.push(DocRow { row, about: about.clone(), stop: true, changed: false });
        out.extend(hunk_rows(edit));
    }
    if !change.because.is_empty() {
        out.push(DocRow::default());
    }
    // Where a file is written, its lines have to be in sight; otherwise old and new are all there is.
    let unwritten = view.plan.is_empty();
    for (index, call) in change.calls.iter().enumerate() {
        let row = Row::new()
            .add(Role::Text, format!(" ▾ call {}  ", call.call.0))
            .add(Role::Text, format!("{}{}", proposal.subject.short(), call.arguments))
            .end(Role::Dim, format!("×{}", call.times));
        out.push(DocRow { row, about: About::Changed(index), stop: true, changed: unwritten });
        let (old, new) = effects_lines(&call.old, &call.new);
        pairs.extend((0..old.len().min(new.len())).map(|at| (out.len() + at, out.len() + old.len() + at)));
        for (sign, role, lines) in [("old", Role::Removed, old), ("new", Role::Added, new)] {
            for line in lines {
                let row = Row::new().add(Role::Dim, format!("     {sign}  ")).fix().add(role, line);
                out.push(DocRow { row, about: About::Changed(index), changed: unwritten, ..DocRow::default() });
            }
        }
        if !call.difference.path.is_empty() {
            let leaf = leaf(&call.difference, LEAF);
            out.push(plain(Role::Dim, format!("     at   {}: {leaf}", call.difference.path)));
        }
    }
    out.push(DocRow::default());
    if view.plan.is_empty() {
        out.push(plain(Role::Text, " accept takes the new outcome; no file is written.".into()));
    } else {
        out.push(plain(Role::Text, " accept writes this, and nothing else:".into()));
        for edit in &view.plan {
            out.push(plain(Role::Accent, format!(" {}", edit.path)));
            out.extend(diff_rows(&edit.path, edit.before.as_deref(), edit.after.as_deref(), true));
        }
    }
    out.push(DocRow::default());
    let wide = labels(proposal.evidence.iter().map(|evidence| &evidence.what));
    for (index, evidence) in proposal.evidence.iter().enumerate() {
        out.extend(evidence_rows(index, evidence, wide));
    }
    if change.same > 0 && proposal.evidence.is_empty() {
        let same = count(usize::try_from(change.same).unwrap_or(0), "call");
        out.push(DocRow::of(Row::new().add(Role::Tested, " ✓ ").add(Role::Text, format!("{same} end as before"))));
    }
    out
}

/// A near difference: what was edited, the input with both outcomes, and the recorded call that it is near to.
fn near_doc(view: &ProposalView, near: &NearChange, pairs: &mut Vec<(usize, usize)>) -> Vec<DocRow> {
    let one = &near.difference;
    let name = view.proposal.subject.short();
    let mut out = state_rows(view);
    let says = |role: Role, line: String| DocRow::of(Row::new().add(role, line));
    out.push(says(Role::Text, " Recorded calls end as before. An input beside them does not.".into()));
    out.push(DocRow::default());
    for edit in &near.because {
        let about = About::Source(edit.path.clone(), edit.line);
        let row = Row::new().add(Role::Accent, " because").add(Role::Text, format!("  you changed {}", edit.summary()));
        out.push(DocRow { row, about, stop: true, changed: false });
        out.extend(hunk_rows(edit));
    }
    if !near.because.is_empty() {
        out.push(DocRow::default());
    }
    let row = Row::new().add(Role::Warning, " ≈ near  ").add(Role::Text, format!("{name}{}", one.arguments));
    out.push(DocRow { row, about: About::Changed(0), stop: true, changed: true });
    let (old, new) = effects_lines(&one.old, &one.new);
    pairs.extend((0..old.len().min(new.len())).map(|at| (out.len() + at, out.len() + old.len() + at)));
    for (sign, role, lines) in [("old", Role::Removed, old), ("new", Role::Added, new)] {
        for line in lines {
            let row = Row::new().add(Role::Dim, format!("     {sign}  ")).fix().add(role, line);
            out.push(DocRow { row, about: About::Changed(0), changed: true, ..DocRow::default() });
        }
    }
    if !one.difference.path.is_empty() {
        out.push(says(Role::Dim, format!("     at   {}: {}", one.difference.path, leaf(&one.difference, LEAF))));
    }
    let recorded = Row::new().add(Role::Dim, "     recorded  ").fix().add(Role::Text, format!("{name}{}", one.recorded));
    out.push(DocRow { row: recorded, about: About::Changed(0), ..DocRow::default() });
    out.push(says(Role::Dim, format!("     nobody recorded this; {}", one.distance.phrase())));
    out.push(DocRow::default());
    out.push(says(Role::Text, " accept: the new outcome is meant. No file is written.".into()));
    out.push(DocRow::default());
    let wide = labels(view.proposal.evidence.iter().map(|evidence| &evidence.what));
    for (index, evidence) in view.proposal.evidence.iter().enumerate() {
        out.extend(evidence_rows(index, evidence, wide));
    }
    out
}

/// Writes a near difference whole, for `v`.
#[must_use]
pub fn whole_near(one: &NearDifference) -> Vec<String> {
    let mut lines = vec![format!("near  {}", one.arguments), format!("recorded  {}", one.recorded)];
    lines.extend(effect_lines(&one.old).into_iter().map(|line| format!("old  {line}")));
    lines.extend(effect_lines(&one.new).into_iter().map(|line| format!("new  {line}")));
    lines
}

/// Writes the lines of an edit, each about its place in today's file.
#[must_use]
pub fn hunk_rows(edit: &Edit) -> Vec<DocRow> {
    let about = About::Source(edit.path.clone(), edit.line);
    let mut new_line = edit.line as usize;
    let mut out = Vec::with_capacity(edit.hunk.len());
    for line in &edit.hunk {
        let mut chars = line.chars();
        let sign = chars.next().filter(|sign| matches!(sign, '+' | '-')).unwrap_or(' ');
        let code = CodeLine::plain(chars.as_str()).bits();
        out.push(DocRow { row: diff_row(Some(new_line), sign, code), about: about.clone(), ..DocRow::default() });
        if sign != '-' {
            new_line += 1;
        }
    }
    out
}

/// Writes how a call ended before and ends now, as [`effect_lines`], long lines cut around the place where they differ.
#[must_use]
pub fn effects_lines(old: &Effect, new: &Effect) -> (Vec<String>, Vec<String>) {
    let (mut before, mut after) = (effect_lines(old), effect_lines(new));
    for (old, new) in before.iter_mut().zip(after.iter_mut()) {
        (*old, *new) = text::around(old, new, AROUND);
    }
    (before, after)
}

/// Writes how a call ended and what it changed, a line each.
#[must_use]
pub fn effect_lines(effect: &Effect) -> Vec<String> {
    let outcome = effect.outcome.summary(VALUE);
    let mut out = vec![outcome.strip_prefix("→ ").unwrap_or(&outcome).to_owned()];
    out.extend(effect.changed.iter().map(|(name, value)| format!("{name} became {}", value.summary(VALUE))));
    out
}
