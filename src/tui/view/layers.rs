//! Layers: at the bottom of the screen, at its top where they would hide the focused line.

use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use crate::base::text::{self, count};
use crate::tui::action::{self, Action};
use crate::tui::app::AppState;
use crate::tui::content;
use crate::tui::layer::{Layer, Purpose, Question};
use crate::tui::layout::Pane;
use crate::tui::live::Hint;
use crate::tui::row::{Pen, Row};
use crate::tui::theme::Role;
use crate::tui::view::{pickers, prompts};
use crate::tui::widgets::line_edit::LineEdit;

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
    // The widget draws characters as they are, so a copy that is safe to show is drawn.
    let safe: Vec<String> = edit.area.lines().iter().map(|line| text::display_line(line).into_owned()).collect();
    let mut shown = ratatui_textarea::TextArea::new(safe);
    shown.set_tab_length(4);
    let cursor = edit.area.cursor();
    let jump = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
    shown.move_cursor(ratatui_textarea::CursorMove::Jump(jump(cursor.0), jump(cursor.1)));
    shown.set_line_number_style(pen.theme.style(Role::Dim));
    shown.set_cursor_style(pen.theme.style(Role::SearchMatch));
    shown.set_cursor_line_style(pen.theme.style(Role::Text));
    shown.render(area, pen.buf);
}

fn lines(state: &AppState, layer: &Layer, tall: usize) -> (String, String, Vec<Row>) {
    match layer {
        Layer::Help(picker, _) => {
            let title = format!("Keys here: {}", super::titles::pane_word(state, state.focus));
            (title, "type to find".into(), pickers::help(state, picker, tall))
        }
        Layer::Palette(picker, _) => ("Actions".into(), String::new(), pickers::palette(picker, tall.min(14))),
        Layer::Queue(picker, _) => {
            let rows = pickers::queue(picker, tall, state.size.0);
            ("Queue".into(), count(picker.all.len(), "proposal"), rows)
        }
        Layer::Clauses(picker, _, chosen) => {
            let rows = pickers::queue(picker, tall, state.size.0);
            ("Clauses that hold for this test".into(), format!("{} chosen", chosen.len()), rows)
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

/// Draws a line that is typed into.
#[must_use]
pub fn typed(sign: &str, line: &LineEdit) -> Row {
    let (before, after) = line.halves();
    Row::new()
        .add(Role::Accent, format!(" {sign} "))
        .add(Role::Text, before.to_owned())
        .add(Role::Focus, "█")
        .add(Role::Text, after.to_owned())
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
    let mut out = Vec::new();
    for row in rows {
        let [bit] = row.left.as_slice() else {
            out.push(row.clone());
            continue;
        };
        let line = text::display_line(&bit.text);
        if text::width(&line) <= room || !row.right.is_empty() || row.ground.is_some() {
            out.push(row.clone());
            continue;
        }
        let text = line.trim_start();
        let indent = " ".repeat((text::width(&line) - text::width(text)).min(room / 2));
        out.extend(text::wrap(text, room - indent.len()).iter().map(|line| Row::new().add(bit.role, format!("{indent}{line}"))));
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
        Layer::Queue(..) => &[(A::Submit, "goes there"), (A::Later, "move"), (A::Leave, "close")],
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
