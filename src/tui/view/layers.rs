//! Layers: at the bottom of the screen, at its top where they would hide the focused line.

use ratatui::layout::Rect;

use crate::base::text::{self, count};
use crate::tui::action::{self, Action};
use crate::tui::app::AppState;
use crate::tui::content;
use crate::tui::highlight::{self, CodeLine};
use crate::tui::layer::{Layer, Purpose, Question};
use crate::tui::layout::Pane;
use crate::tui::live::Hint;
use crate::tui::panes::InPlace;
use crate::tui::row::{Bit, Pen, Row};
use crate::tui::theme::Role;
use crate::tui::view::{pickers, prompts};

/// Lines of what a question is about that are shown at most before they scroll.
const QUESTION_SHOWN: usize = 12;

/// Draws the top layer.
pub fn draw(state: &AppState, pen: &mut Pen<'_>) {
    let Some(layer) = state.layers.last() else { return };
    let layout = state.layout();
    let tall = layout.middle.height;
    let width = layout.middle.width;
    let (title, right, body) = lines(state, layer, usize::from(tall.saturating_sub(1)));
    let rows = u16::try_from(body.len()).unwrap_or(u16::MAX).saturating_add(1).min(tall);
    let below = Rect::new(0, layout.middle.bottom() - rows, width, rows);
    let above = Rect::new(0, layout.middle.y, width, rows);
    let focused = layout.slot(state.focus).map(|slot| {
        let list = content::standing(state, state.focus);
        slot.body.y + u16::try_from(list.cursor.saturating_sub(list.top)).unwrap_or(0)
    });
    let hides = |area: Rect| focused.is_some_and(|y| area.y <= y && y < area.bottom());
    let area = if hides(below) && !hides(above) { above } else { below };
    for y in area.y..area.bottom() {
        for x in area.x..area.right() {
            if let Some(cell) = pen.buf.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
    let inner = usize::from(width).saturating_sub(1);
    let title = text::cut(&text::display_line(&title), inner.saturating_sub(4)).into_owned();
    // What does not fit beside the title gives way as a whole.
    let fits = text::width(&title) + text::width(&right) + 7 <= inner;
    let right = if right.is_empty() || !fits { "━".to_owned() } else { format!(" {right} ━") };
    let fill = inner.saturating_sub(text::width(&title) + 3 + text::width(&right));
    let head = Row::new().add(Role::Focus, format!("━ {title} {}{right}", "━".repeat(fill))).add(Role::Dim, "┐").flush();
    pen.row(Rect { height: 1, ..area }, &head, 0);
    for (at, row) in body.iter().enumerate().take(usize::from(rows.saturating_sub(1))) {
        let y = area.y + 1 + u16::try_from(at).unwrap_or(0);
        pen.row(Rect { y, height: 1, ..area }, row, 0);
    }
}

/// Draws the text that is edited in place over the pane of the draft.
pub fn draw_in_place(state: &AppState, pen: &mut Pen<'_>) {
    let Some(edit) = state.in_place.as_ref().filter(|edit| edit.open) else { return };
    let layout = state.layout();
    let Some(slot) = layout.slot(Pane::Decision) else { return };
    let body = slot.body;
    for y in body.y..body.bottom() {
        for x in body.x..body.right() {
            if let Some(cell) = pen.buf.cell_mut((x, y)) {
                cell.reset();
            }
        }
    }
    let head = Row::new().add(Role::Accent, " Your version").add(Role::Dim, "  Ctrl-s proves it, Esc keeps it for later");
    pen.row(Rect { height: 1, ..body }, &head, 0);
    let area = Rect { y: body.y + 1, height: body.height.saturating_sub(1), ..body };
    let text = edit.text();
    let lines = highlight::lines("draft.py", &text);
    let cursor = edit.area.cursor();
    let chosen = edit.area.selection_range();
    for y in 0..usize::from(area.height) {
        let at = edit.at.0 + y;
        let Some(line) = lines.get(at).filter(|_| at < edit.area.lines().len()) else { break };
        let mut row = Row::new().add(Role::Dim, format!("{:>4} ", at + 1)).fix();
        row.left.extend(line.bits());
        if let Some((from, to)) = chosen.filter(|(from, to)| (from.0..=to.0).contains(&at)) {
            let byte = |chars: usize| 5 + shown_bytes(edit, at, chars);
            let start = if at == from.0 { byte(from.1) } else { 5 };
            let end = if at == to.0 { byte(to.1) } else { 5 + line.text.len() };
            row.mark(&[(start, end)], Role::SearchMatch);
        }
        let place = Rect { y: area.y + u16::try_from(y).unwrap_or(0), height: 1, ..area };
        pen.row(place, &row, edit.at.1);
        if at == cursor.0 {
            let column = u16::try_from(edit.column().saturating_sub(edit.at.1)).unwrap_or(u16::MAX).saturating_add(5);
            let style = pen.theme.style(Role::SearchMatch);
            if let Some(cell) = (column < place.width).then(|| pen.buf.cell_mut((place.x + column, place.y))).flatten() {
                cell.set_style(style);
            }
        }
    }
}

/// Counts the bytes that the first characters of a line take as it is shown.
fn shown_bytes(edit: &InPlace, line: usize, chars: usize) -> usize {
    let before: String = edit.area.lines().get(line).map(|line| line.chars().take(chars).collect()).unwrap_or_default();
    CodeLine::plain(&before).text.len()
}

fn lines(state: &AppState, layer: &Layer, tall: usize) -> (String, String, Vec<Row>) {
    match layer {
        Layer::Help(picker, _) => {
            let title = format!("Keys here: {}", super::titles::pane_word(state, state.focus));
            (title, "type to find".into(), pickers::help(state, picker, tall))
        }
        Layer::Palette(picker, _) => {
            let rows = pickers::palette(picker, tall.min(18), usize::from(state.size.0));
            ("Actions".into(), "by what they do".into(), rows)
        }
        Layer::Tests(picker, _) => {
            let rows = pickers::queue(picker, tall, usize::from(state.size.0) / 2);
            ("Tests with an intent".into(), count(picker.all.len(), "test"), rows)
        }
        Layer::TestsThrough(picker, function, _) => {
            let rows = pickers::queue(picker, tall.min(18), usize::from(state.size.0) / 2);
            (format!("Tests of {}", text::display_line(function.qualname())), count(picker.all.len(), "test"), rows)
        }
        Layer::Functions(picker, _) => {
            let rows = pickers::queue(picker, tall.min(14), usize::from(state.size.0) / 2);
            ("Go to a function".into(), count(picker.all.len(), "function"), rows)
        }
        Layer::Queue(picker, _) => {
            let rows = pickers::queue(picker, tall, usize::from(state.size.0) / 2);
            ("Queue".into(), count(picker.all.len(), "proposal"), rows)
        }
        Layer::Clauses(picker, _, chosen) => {
            // What is accepted is read whole, before what is said of it.
            let rows = pickers::queue(picker, tall, usize::from(state.size.0) * 4 / 5);
            ("Clauses for this test".into(), format!("{} chosen", chosen.len()), rows)
        }
        Layer::Prompt(prompt) => {
            let (title, rows) = prompts::lines(state, prompt);
            (title, String::new(), wrapped(&rows, state.size.0))
        }
        Layer::Question(question) => question_lines(question, tall, state.size.0),
        Layer::Text(text) => {
            let body = wrapped(&text.body, state.size.0);
            let top = text.top.min(body.len().saturating_sub(tall));
            let shown: Vec<Row> = body.iter().skip(top).take(tall).cloned().collect();
            let below = body.len().saturating_sub(top + shown.len());
            let right = if below > 0 { format!("{below} more, j k scroll") } else { String::new() };
            (text.title.clone(), right, shown)
        }
    }
}

fn question_lines(question: &Question, tall: usize, width: u16) -> (String, String, Vec<Row>) {
    let mut question = question.clone();
    if text::width(&text::display_line(&question.title)) + 6 > usize::from(width) {
        // A question that its line would cut is asked in full below it.
        question.body.insert(0, Row::plain(format!(" {}", std::mem::take(&mut question.title))));
        question.title = "?".to_owned();
    }
    let answers = answers(&question, usize::from(width));
    let room = tall.saturating_sub(answers.len()).min(QUESTION_SHOWN.max(tall / 2));
    let body = wrapped(&question.body, width);
    let top = question.top.min(body.len().saturating_sub(room));
    let mut out: Vec<Row> = body.iter().skip(top).take(room).cloned().collect();
    let below = body.len().saturating_sub(top + out.len());
    let mut right = question.right.clone();
    if below > 0 {
        right = format!("{right}  {below} more, j k scroll").trim().to_owned();
    }
    out.extend(answers);
    (question.title.clone(), right, out)
}

/// Sets the answers in a line, or in more where they do not fit.
fn answers(question: &Question, width: usize) -> Vec<Row> {
    let mut out = vec![Row::new()];
    let mut used = 0;
    for (at, answer) in question.answers.iter().enumerate() {
        let marked = at == question.marked;
        let wide = text::width(&answer.words) + 6;
        if used > 0 && used + wide > width {
            out.push(Row::new());
            used = 0;
        }
        used += wide;
        if let Some(row) = out.last_mut() {
            *row = std::mem::take(row)
                .add(Role::Focus, if marked { "  > " } else { "    " })
                .add(Role::Accent, answer.key.to_string())
                .add(if marked { Role::Focus } else { Role::Text }, format!(" {}", answer.words));
        }
    }
    out
}

/// Breaks sentences that are wider than the screen; code and what has a right end is cut instead.
fn wrapped(rows: &[Row], width: u16) -> Vec<Row> {
    let room = usize::from(width).saturating_sub(1);
    rows.iter().flat_map(|row| wrapped_row(row, room)).collect()
}

/// Breaks the last piece of a line, below where it begins; code and what has something at its right stay on one line.
fn wrapped_row(row: &Row, room: usize) -> Vec<Row> {
    let whole = || vec![row.clone()];
    let Some((last, head)) = row.left.split_last() else { return whole() };
    let wide = |bit: &Bit| text::width(&text::display_line(&bit.text));
    let line = text::display_line(&last.text);
    let text = line.trim_start();
    let before = head.iter().map(wide).sum::<usize>() + text::width(&line) - text::width(text);
    let fixed = row.fixed > 0 || !row.right.is_empty() || row.ground.is_some();
    if fixed || row.left.iter().map(wide).sum::<usize>() <= room || before > room / 2 {
        return whole();
    }
    let indent = " ".repeat(before);
    let lines = text::wrap(text, room - before);
    let mut out: Vec<Row> = lines.iter().map(|line| Row::new().add(last.role, format!("{indent}{line}"))).collect();
    if let (Some(first), Some(line)) = (out.first_mut().filter(|_| !head.is_empty()), lines.first()) {
        let gap = " ".repeat(before - head.iter().map(wide).sum::<usize>());
        *first = Row { left: head.to_vec(), ..Row::new() }.add(last.role, format!("{gap}{line}"));
    }
    out
}

/// Gives the keys of a layer for the key line.
#[must_use]
pub fn hints(state: &AppState, layer: &Layer) -> (Vec<Hint>, Vec<Hint>) {
    use Action as A;
    let wanted: &[(A, &'static str)] = match layer {
        Layer::Help(picker, _) if picker.line.text.trim().is_empty() => &[(A::Later, "scroll"), (A::Leave, "close")],
        Layer::Clauses(..) => &[(A::Submit, "takes it, or takes it out"), (A::Later, "move"), (A::Leave, "close")],
        Layer::Functions(..) => &[(A::Submit, "goes there"), (A::Later, "move"), (A::Leave, "stays here")],
        Layer::Tests(..) | Layer::TestsThrough(..) | Layer::Queue(..) => {
            &[(A::Submit, "goes there"), (A::Later, "move"), (A::Leave, "close")]
        }
        Layer::Help(..) | Layer::Palette(..) => &[(A::Submit, "does it"), (A::Later, "move"), (A::Leave, "close")],
        Layer::Prompt(prompt) => match prompt.purpose {
            Purpose::Filter => {
                &[(A::Complete, "completes"), (A::Submit, "sets"), (A::Earlier, "earlier"), (A::Leave, "leaves as it was")]
            }
            _ => &[(A::Submit, "does it"), (A::Earlier, "earlier"), (A::Leave, "closes, the words are kept")],
        },
        Layer::Question(_) => {
            &[(A::Answer, "the marked answer"), (A::NextAnswer, "mark another"), (A::SafeAnswer, "the safe one")]
        }
        Layer::Text(_) => &[(A::ScrollDown, "scroll"), (A::SafeAnswer, "close")],
    };
    (make(state, wanted), Vec::new())
}

/// Gives the keys of editing in place for the key line.
#[must_use]
pub fn in_place_hints(state: &AppState) -> (Vec<Hint>, Vec<Hint>) {
    use Action as A;
    let wanted = [
        (A::ProveEdit, "prove"),
        (A::CloseEdit, "close, kept"),
        (A::EditOutside, "$EDITOR"),
        (A::UndoTyping, "undo"),
        (A::RedoTyping, "redo"),
    ];
    (make(state, &wanted), Vec::new())
}

fn make(state: &AppState, wanted: &[(Action, &'static str)]) -> Vec<Hint> {
    wanted
        .iter()
        .filter_map(|(action, word)| {
            let word = if word.is_empty() { action::find(*action)?.word } else { word };
            Some(Hint { key: state.keymap.key_of(*action)?, word })
        })
        .collect()
}
