//! The lines around the panes: line 1, line 2, the message line. Titles are `titles.rs`, keys `key_line.rs`.

use std::ops::Range;

use crate::base::text::{self, count};
use crate::domain::call::ProgramEnd;
use crate::domain::decision::Verb;
use crate::domain::event::{JobKind, JobState};
use crate::domain::evidence::Finding;
use crate::domain::proposal::{ProposalKind, ProposalState};
use crate::domain::snapshot::{QueueRow, WatchState};
use crate::domain::verdict::Ruling;
use crate::tui::action::Action;
use crate::tui::app::AppState;
use crate::tui::behaviour;
use crate::tui::content;
use crate::tui::content::start;
use crate::tui::content::{log, runs};
use crate::tui::journeys;
use crate::tui::layout::{Pane, Screen};
use crate::tui::news;
use crate::tui::row::Row;
use crate::tui::specs;
use crate::tui::theme::Role;
use crate::tui::view::titles;
use crate::tui::words;

/// The name in line 1.
const NAME: &str = "pytead";
/// The screens of line 1: key, word, action.
const CHIPS: [(Screen, char, &str, Action); 6] = [
    (Screen::Review, '1', "Review", Action::Review),
    (Screen::Journeys, '2', "Journeys", Action::Journeys),
    (Screen::Specs, '3', "Specs", Action::Specs),
    (Screen::Runs, '4', "Runs", Action::Runs),
    (Screen::Log, '5', "Log", Action::Log),
    (Screen::Diff, '6', "Diff", Action::Diff),
];

/// Makes line 1: where work waits, and whether what is shown is fresh.
#[must_use]
pub fn first(state: &AppState) -> Row {
    first_with_chips(state).0
}

/// Finds the screen whose chip stands at a column of line 1.
#[must_use]
pub fn chip_at(state: &AppState, x: u16) -> Option<Action> {
    let (_, places) = first_with_chips(state);
    places.into_iter().find(|(range, _)| range.contains(&usize::from(x))).map(|(_, action)| action)
}

fn first_with_chips(state: &AppState) -> (Row, Vec<(Range<usize>, Action)>) {
    let width = usize::from(state.size.0);
    let project = text::display_line(&state.snapshot.project).into_owned();
    let untitled = state.size.1 < 12;
    // Words go before counts: from all of it down to the screen alone.
    let levels: [(String, &str, bool, usize); 5] = [
        (format!(" {NAME}  {project}    "), "   ", true, 140),
        (format!(" {NAME}  {project}  "), " ", true, 90),
        (format!(" {NAME} {project} "), " ", true, 50),
        (format!(" {NAME} {project} "), " ", false, 50),
        (" ".to_owned(), " ", false, 0),
    ];
    let mut best = None;
    for (level, (head, gap, words, from)) in levels.into_iter().enumerate() {
        let last = level == 4;
        if width < from || (untitled && !last && width < 90) {
            continue;
        }
        // When the last recording was is left out before the words of the screens are.
        let parts: &[usize] = if width >= 90 { &[3, 2] } else { &[1] };
        for parts in parts {
            let fresh = freshness(state, *parts);
            let row = build(state, &head, gap, words, last, &fresh);
            let fits = row.1 + text::width(&fresh) < width;
            best = Some((row.0, row.2));
            if fits {
                return best.unwrap_or_default();
            }
        }
    }
    best.unwrap_or_default()
}

type Built = (Row, usize, Vec<(Range<usize>, Action)>);

fn build(state: &AppState, head: &str, gap: &str, words: bool, alone: bool, fresh: &str) -> Built {
    let mut row = Row::new().add(Role::Text, head.to_owned());
    let mut at = text::width(head);
    let mut places = Vec::new();
    for (screen, key, word, action) in CHIPS {
        let here = state.screen == screen;
        // A comparison that nobody asked for takes no room, and neither do YAML tests where there are none.
        let unasked = match screen {
            Screen::Diff => state.diff.shown.is_none() && behaviour::running(state).is_none(),
            Screen::Specs => state.snapshot.specs.is_empty(),
            _ => false,
        };
        if !here && (alone || unasked) {
            continue;
        }
        let counts = chip_counts(state, screen);
        let mut label = if words || here { format!("{key} {word}") } else { key.to_string() };
        if !counts.is_empty() {
            label = format!("{label} {counts}");
        }
        if here {
            label = format!("[{label}]");
        }
        let wide = text::width(&label);
        places.push((at..at + wide, action));
        row = row.add(if here { Role::Focus } else { Role::Text }, label).add(Role::Text, gap.to_owned());
        at += wide + gap.len();
    }
    if alone && state.screen.panes().len() > 1 {
        let panes = state.screen.panes();
        let position = panes.iter().position(|pane| *pane == state.focus).unwrap_or(0) + 1;
        let label = format!("{} {position}/{}", titles::pane_word(state, state.focus), panes.len());
        at += text::width(&label);
        row = row.add(Role::Text, label);
    }
    (row.end(Role::Dim, fresh.to_owned()).flush(), at, places)
}

fn chip_counts(state: &AppState, screen: Screen) -> String {
    match screen {
        Screen::Review => match state.pass.open() {
            0 => String::new(),
            number => number.to_string(),
        },
        Screen::Runs => {
            let live = state.snapshot.recordings.iter().filter(|row| row.end == ProgramEnd::Running).count();
            let running =
                state.snapshot.jobs.iter().filter(|job| job.state == JobState::Running && job.kind != JobKind::Record).count();
            if live + running == 0 { String::new() } else { format!("»{}", live + running) }
        }
        Screen::Journeys => journeys::counts(&state.snapshot.verdicts, state.snapshot.unjudged.len()),
        Screen::Specs => specs::counts(&state.snapshot.specs),
        Screen::Log => String::new(),
        Screen::Diff if behaviour::running(state).is_some() => "»".into(),
        Screen::Diff => match state.diff.shown.as_ref().map_or(0, |diff| diff.functions.len()) {
            0 => String::new(),
            number => number.to_string(),
        },
    }
}

/// Writes how fresh everything is, in up to three parts.
fn freshness(state: &AppState, parts: usize) -> String {
    let snapshot = &state.snapshot;
    let watch = match &snapshot.watch {
        WatchState::Off => "watch off".to_owned(),
        WatchState::On => "watch on".to_owned(),
        WatchState::Polling { .. } => "watch polls".to_owned(),
        WatchState::Paused { since, files, .. } if parts > 1 => {
            let wait = if *files == 1 { "waits" } else { "wait" };
            format!("~ watch paused since {}: {} {wait}", state.zone.minute(*since), count(*files, "file"))
        }
        WatchState::Paused { .. } => "~ watch paused".to_owned(),
    };
    if parts == 1 {
        let narrow = state.size.0 < 50;
        if state.size.1 < 12 && !state.filter_here().is_empty() {
            return format!("[{} ×F]", text::cut(&text::display_line(&state.filter_here().text), 10));
        }
        return if narrow && snapshot.stale > 0 { format!("~{} {watch}", snapshot.stale) } else { watch };
    }
    let mut out = vec![watch, fresh_word(state)];
    // A recording that ended is named by its time, so that nobody takes its number for a running one.
    if let Some(row) = snapshot.recordings.first() {
        out.push(match row.end {
            ProgramEnd::Running => format!("» recording {}", row.id.0),
            _ => format!("recorded {}", state.zone.day(row.started, state.now)),
        });
    }
    out.retain(|part| !part.is_empty());
    out.truncate(parts);
    out.join(" · ")
}

fn fresh_word(state: &AppState) -> String {
    if !state.snapshot.indexed {
        return words::reading(state.snapshot.reading).to_lowercase();
    }
    let changes = state.snapshot.queue.iter().filter(|row| row.kind == ProposalKind::Change).count();
    let unparsed = state.snapshot.files.iter().filter(|file| file.error.is_some()).count();
    let (stale, red) = (state.snapshot.stale, state.snapshot.red.len());
    let near = state.snapshot.queue.iter().filter(|row| row.kind == ProposalKind::Near).count();
    if changes == 0 && red == 0 && near == 0 {
        return match (stale, unparsed) {
            (0, 0) => "all fresh".into(),
            // Nobody knows what the functions of a file do that does not parse.
            (0, unparsed) => words::unparsed(unparsed),
            (stale, unparsed) => format!("all fresh but {}", stale + unparsed),
        };
    }
    let parts = [(changes, "changed"), (near, "near"), (red, "red"), (stale, "stale")];
    let parts = parts.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}"));
    parts.collect::<Vec<_>>().join(", ")
}

/// Makes line 2: what is decided on, and whether it is proved.
#[must_use]
pub fn second(state: &AppState) -> Row {
    let (left, right) = match state.screen {
        Screen::Review => review_line(state),
        Screen::Journeys => journeys::line(state),
        Screen::Specs => specs::line(state),
        Screen::Diff => behaviour::line(state),
        Screen::Runs => runs::line(state),
        Screen::Log => log::line(state),
    };
    // The shortest is better than a longer one without its end.
    let room = usize::from(state.size.0).saturating_sub(text::width(&text::display_line(&left)) + 2);
    let right =
        right.iter().find(|right| text::width(&text::display_line(right)) <= room).or(right.last()).cloned().unwrap_or_default();
    let sign_role = if right.starts_with(['✗', '!']) { Role::Failing } else { Role::Text };
    Row::new().add(Role::Text, left).end(sign_role, right).flush()
}

/// Gives what line 2 names, and where it stands in fewer and fewer words.
fn review_line(state: &AppState) -> (String, Vec<String>) {
    let one = |text: &str| vec![text.to_owned()];
    if state.asks_for_trust() {
        let question = if state.size.0 < 50 { " folder not trusted yet" } else { " question  this folder is not trusted yet" };
        return (question.into(), one("only reading"));
    }
    let Some(row) = state.current() else {
        let subject = state.subject_row();
        return match subject {
            _ if start::is_followed(state) => recording_line(state),
            _ if content::first_run(state) => (" first run".into(), one("nothing recorded yet")),
            _ if content::queue_done(state) => {
                let red = state.snapshot.red.len();
                let red = if red > 0 { format!(", {red} red") } else { String::new() };
                (" queue".into(), one(&format!("all decided{red}")))
            }
            Some(function) => {
                let (sign, _, word) = crate::tui::glyphs::of_mark(function.mark);
                let name = if state.size.0 < 90 { function.id.qualname() } else { &function.id.0 };
                (format!(" function  {name}"), one(format!("{} {word}", sign.trim()).trim_start()))
            }
            None => (" review".into(), Vec::new()),
        };
    };
    let (at, all) = match state.pass.count() {
        (0, all) => ("-".to_owned(), all),
        (at, all) => (at.to_string(), all),
    };
    let width = state.size.0;
    let name = row.subject.short();
    let right = standing(state, row);
    if row.kind == ProposalKind::Change {
        let head = match width {
            0..50 => format!(" {at}/{all} "),
            _ => format!(" {at}/{all}  change  "),
        };
        // The values come before how many calls there are.
        let shortest = right.iter().map(|right| text::width(right)).min().unwrap_or(0);
        let room = usize::from(width).saturating_sub(text::width(&head) + shortest + 2);
        return (format!("{head}{}", news::fitting(&news::lines(state, row), room)), right);
    }
    if row.kind == ProposalKind::Near {
        let head = if width < 50 { format!(" {at}/{all} ") } else { format!(" {at}/{all}  near  ") };
        return (format!("{head}{}", row.about), right);
    }
    let left = match (width, row.kind) {
        (0..50, _) => format!(" {at}/{all} {name}"),
        (50..90, ProposalKind::Verdict) => {
            let (sign, _, word) = journeys::of_ruling(row.ruling.unwrap_or(Ruling::Unclear), false);
            format!(" {at}/{all}  {sign} {word}  {name}")
        }
        (50..90, ProposalKind::Spec) => format!(" {at}/{all}  YAML test  {name}"),
        (50..90, kind) => format!(" {at}/{all}  {}  {name}", kind.word()),
        (_, ProposalKind::Verdict) => format!(" {at}/{all}  verdict  {}", row.about),
        (_, ProposalKind::Spec) => format!(" {at}/{all}  {}", row.about),
        (_, kind) => format!(" {at}/{all}  {}  test for {}", kind.word(), row.subject),
    };
    (left, right)
}

/// Gives what line 2 says of the recording that the pane follows.
fn recording_line(state: &AppState) -> (String, Vec<String>) {
    let Some(row) = start::followed(state) else { return (" recording".into(), vec!["starts".into()]) };
    let left = format!(" recording  {}", text::command_line(&row.command));
    let calls = count(usize::try_from(row.seen).unwrap_or(usize::MAX), "call");
    match row.end {
        ProgramEnd::Running => (left, vec![format!("» {calls} · {}", runs::elapsed(row.started, state.now)), calls]),
        _ if start::failure(state).is_some() => (left, vec!["✗ no call recorded".into(), "✗ failed".into()]),
        _ => (left, vec![format!("✓ {calls}"), String::new()]),
    }
}

/// Writes where a proposal stands, for the right end of line 2, in fewer and fewer words.
fn standing(state: &AppState, row: &QueueRow) -> Vec<String> {
    if let Some(verb) = state.pass.verdict(row.id) {
        return vec![
            match verb {
                Verb::Accept => "✓ Accepted",
                Verb::Edit => "✓ Accepted as you wrote it",
                Verb::Reject => "Rejected",
                Verb::Skip => "Skipped",
                Verb::Overrule if row.kind == ProposalKind::Verdict => "⊘ overridden",
                Verb::Overrule => "⊘ noted as a bug",
                Verb::Keep => "⊘ kept as a test",
            }
            .into(),
        ];
    }
    if state.pass.is_gone(row.id) {
        return vec![
            if matches!(row.kind, ProposalKind::Change | ProposalKind::Near) {
                "✓ ends as before again"
            } else {
                "waits no more"
            }
            .into(),
        ];
    }
    let seconds = state
        .open_jobs()
        .find(|job| job.state == JobState::Running && job.subject.is_for(&row.subject))
        .map(|job| format!(" · {} s", (state.now.0 - job.started.0).max(0) / 1_000))
        .unwrap_or_default();
    match row.state {
        ProposalState::Ready => ready(state, row),
        ProposalState::Queued => vec!["⋯ waits for its turn".into(), "⋯ waits".into()],
        ProposalState::Streaming => {
            let rate = state.decision.stream.rate.map(|rate| format!(" · {rate:.0} tok/s")).unwrap_or_default();
            let since = state.decision.stream.started;
            let seconds = if since.0 > 0 { format!(" · {} s", (state.now.0 - since.0).max(0) / 1_000) } else { seconds };
            vec![format!("Streaming{rate}{seconds}"), format!("»{rate}"), "» streaming".into()]
        }
        ProposalState::Proving => {
            let job = state.open_jobs().find(|job| job.total > 0 && job.subject.is_for(&row.subject));
            let runs = row.proved.map(|(done, all)| (u64::from(done), u64::from(all))).or(job.map(|job| (job.done, job.total)));
            let runs = runs.map(|(done, all)| format!(" · {done}/{all}")).unwrap_or_default();
            vec![format!("Proving{runs}{seconds}"), format!("»{runs}"), "» proving".into()]
        }
        ProposalState::Stale => vec!["~ Stale: the code changed".into(), "~ Stale".into()],
        ProposalState::Refused | ProposalState::Failed => {
            let failed = state.loaded().and_then(|loaded| {
                let all = &loaded.view.proposal.evidence;
                all.iter().find(|e| matches!(e.finding, Finding::Fail | Finding::Flaky | Finding::Error)).cloned()
            });
            let mut out: Vec<String> = failed
                .map(|evidence| vec![format!("✗ {}, {}", evidence.what, evidence.detail), format!("✗ {}", evidence.what)])
                .unwrap_or_default();
            out.push("✗ not ready".into());
            out
        }
        ProposalState::Accepted | ProposalState::Edited | ProposalState::Written => vec!["✓ Accepted".into()],
        ProposalState::Rejected => vec!["Rejected".into()],
    }
}

fn ready(state: &AppState, row: &QueueRow) -> Vec<String> {
    if row.kind == ProposalKind::Verdict {
        let open = state.loaded().and_then(|loaded| loaded.view.proposal.verdict());
        return open.map(|open| vec![open.verdict.evaluator.to_string(), String::new()]).unwrap_or_default();
    }
    if let Some(change) = state.loaded().and_then(|loaded| loaded.view.proposal.change()) {
        let all = change.calls.len() + usize::try_from(change.same).unwrap_or(0);
        let some = format!("{} of {}", change.calls.len(), count(all, "call"));
        return vec![format!("{some} · from your edit {}", state.zone.minute(change.seen)), some, String::new()];
    }
    if row.kind == ProposalKind::Near {
        let near = state.loaded().and_then(|loaded| loaded.view.proposal.near());
        return near
            .map(|near| vec![near.difference.distance.phrase(), "not recorded".into(), String::new()])
            .unwrap_or_default();
    }
    let (runs, short) = match row.proved {
        Some((passed, runs)) => (format!(" · proved {passed}/{runs}"), format!("✓ {passed}/{runs}")),
        None => (String::new(), "ready".to_owned()),
    };
    let weak = state.loaded().is_some_and(|loaded| loaded.view.proposal.containment.as_deref() == Some("weak"));
    let weak = if weak { " · weak" } else { "" };
    let blocked = if row.blocked.is_some() { " · blocked, w why" } else { "" };
    let done = state.pass.items().len() - state.pass.open();
    let mut out =
        vec![format!("Ready{runs}{weak}{blocked}"), format!("{short}{weak}{}", if blocked.is_empty() { "" } else { " · w" })];
    if done > 0 {
        out.insert(0, format!("{} · decided {done}", out[0]));
    }
    out
}

/// Makes the message line: what happened at the left, what runs at the right, as far as there is room.
#[must_use]
pub fn message(state: &AppState) -> Row {
    let (row, right) = match &state.messages.shown {
        Some(message) => {
            (Row::new().add(message.role, format!(" {} ", message.sign)).add(Role::Text, message.text.clone()), jobs(state))
        }
        None if state.streaming().is_some() => {
            let line = state.decision.stream.len();
            let said = words::writing(line);
            let tokens = text::thousands(usize::try_from(state.decision.stream.tokens).unwrap_or(usize::MAX));
            (Row::new().add(Role::Running, " » ").add(Role::Text, said), [format!("{tokens} tok"), String::new()])
        }
        None => (idle(state), jobs(state)),
    };
    let used = text::width(&text::display_line(&row.text()));
    let room = usize::from(state.size.0).saturating_sub(used + 2);
    let right = right.into_iter().find(|right| text::width(right) <= room).unwrap_or_default();
    row.end(Role::Dim, right).flush()
}

/// Says what a person would look for next, when nothing else is said.
fn idle(state: &AppState) -> Row {
    if !state.layers.is_empty() {
        return Row::new();
    }
    let say = |sign: &str, role: Role, text: String| Row::new().add(role, format!(" {sign} ")).add(Role::Text, text);
    if state.question_left_open().is_some() {
        return say("?", Role::Unclear, words::LEFT_OPEN.into());
    }
    if let WatchState::Paused { since, files, .. } = &state.snapshot.watch {
        return say("~", Role::Warning, words::paused(&state.zone.minute(*since), *files));
    }
    if state.screen == Screen::Review {
        let reads = reads_on(state);
        let score = !state.snapshot.recordings.is_empty() && !start::is_followed(state);
        return match score {
            true if reads.is_empty() => Row::new().add(Role::Dim, format!(" ◦ {}", start::score(state))),
            _ => Row::new().add(Role::Dim, reads),
        };
    }
    let waits = state.pass.open();
    let live = state.snapshot.recordings.iter().find(|row| row.end == ProgramEnd::Running);
    match (live, waits) {
        (Some(row), _) => say("»", Role::Running, words::drafts_come(row.id.0, waits)),
        (None, 0) => Row::new(),
        (None, _) => say("◦", Role::Accent, words::drafts_wait(waits)),
    }
}

fn reads_on(state: &AppState) -> String {
    let layout = state.layout();
    let Some(slot) = layout.slot(Pane::Decision).filter(|_| state.size.0 < 90) else { return String::new() };
    let Some(loaded) = state.loaded() else { return String::new() };
    let below = content::len(state, Pane::Decision) > state.decision.list.top + usize::from(slot.body.height);
    let (added, removed) = loaded.size;
    let size = if (added, removed) == (0, 0) { String::new() } else { format!(" +{added} -{removed}") };
    match (below, size.is_empty()) {
        (true, true) => " Space reads on".into(),
        (true, false) => format!("{size}, Space reads on"),
        (false, _) => size,
    }
}

/// Writes what runs, in words and in short.
fn jobs(state: &AppState) -> [String; 2] {
    let mut running: Vec<_> = state.snapshot.jobs.iter().filter(|job| job.state == JobState::Running).collect();
    // Recordings are counted as such; beside other work they are no jobs.
    if running.iter().any(|job| job.kind != JobKind::Record) {
        running.retain(|job| job.kind != JobKind::Record);
    }
    let waiting = state.snapshot.jobs.iter().filter(|job| job.state == JobState::Waiting).count();
    let all = running.len() + waiting;
    if all == 0 {
        return if state.size.0 < 140 { [fresh_word(state), String::new()] } else { [String::new(), String::new()] };
    }
    let mut parts = Vec::new();
    match running.as_slice() {
        [] => {}
        [job] => {
            let seconds = (state.now.0 - job.started.0).max(0) / 1_000;
            let left = runs::time_left(job, state.now).map(|left| format!(", about {left} left")).unwrap_or_default();
            let word = job_word(job.kind);
            parts.push(format!("{word} {} {seconds} s{left}", text::cut(&text::display_line(&job.subject.short()), 30)));
        }
        many => parts.push(format!("{} jobs run", many.len())),
    }
    if waiting > 0 {
        parts.push(format!("{} {}", count(waiting, "job"), if waiting == 1 { "waits" } else { "wait" }));
    }
    [parts.join(" · "), count(all, "job")]
}

fn job_word(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Index => "reading",
        JobKind::Record => "recording",
        JobKind::Draft => "drafting",
        JobKind::Prove => "proving",
        JobKind::Replay => "replaying",
        JobKind::Diff => "comparing with",
        JobKind::Near => "searching beside",
        JobKind::Model => "asking a model for",
        JobKind::Check | JobKind::Judge => "judging",
        JobKind::Clauses => "asking for clauses of",
        JobKind::Spec | JobKind::Respec => "running",
        JobKind::Download | JobKind::Doc => kind.word(),
    }
}
