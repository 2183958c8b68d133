//! Layers: at the bottom of the screen, at its top where they would hide the focused line.

use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use crate::base::text::{self, count};
use crate::tui::action::{self, Action};
use crate::tui::app::AppState;
use crate::tui::content;
use crate::tui::filter::STATES;
use crate::tui::layer::{Layer, Prompt, Purpose, Question};
use crate::tui::layout::Pane;
use crate::tui::live::Hint;
use crate::tui::row::{Pen, Row};
use crate::tui::theme::Role;
use crate::tui::widgets::line_edit::LineEdit;
use crate::tui::widgets::picker::Picker;

/// Rows of the queue that are shown before the rest is counted.
const QUEUE_SHOWN: usize = 20;

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
    let right = if right.is_empty() { "━".to_owned() } else { format!(" {right} ━") };
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
            (title, "type to find".into(), picked("/", picker, tall, usize::MAX, ""))
        }
        Layer::Palette(picker, _) => ("Actions".into(), String::new(), picked(":", picker, tall.min(14), usize::MAX, "")),
        Layer::Queue(picker, _) => {
            let rest = "type to find them";
            ("Queue".into(), count(picker.all.len(), "proposal"), picked("/", picker, tall, QUEUE_SHOWN, rest))
        }
        Layer::Prompt(prompt) => prompt_lines(state, prompt),
        Layer::Question(question) => question_lines(question, tall),
        Layer::Text(text) => {
            let shown: Vec<Row> = text.body.iter().skip(text.top).take(tall).cloned().collect();
            let below = text.body.len().saturating_sub(text.top + shown.len());
            let right = if below > 0 { format!("{below} more, j k scroll") } else { String::new() };
            (text.title.clone(), right, shown)
        }
    }
}

fn typed(sign: &str, line: &LineEdit) -> Row {
    let (before, after) = line.halves();
    Row::new()
        .add(Role::Accent, format!(" {sign} "))
        .add(Role::Text, before.to_owned())
        .add(Role::Focus, "█")
        .add(Role::Text, after.to_owned())
}

fn picked(sign: &str, picker: &Picker, tall: usize, most: usize, rest: &str) -> Vec<Row> {
    let mut out = vec![typed(sign, &picker.line).end(Role::Dim, format!("{} of {}", picker.shown.len(), picker.all.len()))];
    let room = tall.saturating_sub(2);
    let shown = picker.shown.len().min(most.max(if picker.line.text.is_empty() { 0 } else { usize::MAX }));
    let top = picker.list.cursor.saturating_sub(room.saturating_sub(1));
    for (at, index) in picker.shown.iter().enumerate().take(shown.max(picker.list.cursor + 1)).skip(top).take(room) {
        let Some(choice) = picker.all.get(*index) else { continue };
        let mark = if at == picker.list.cursor { " > " } else { "   " };
        let role = if choice.blocked.is_some() { Role::Dim } else { Role::Text };
        let mut row = Row::new().add(Role::Accent, mark);
        if let Some(why) = &choice.blocked {
            row = row.add(role, format!("not now: {} ({why})", choice.title));
        } else {
            row = row.add(role, choice.title.clone());
        }
        if !choice.detail.is_empty() {
            row = row.add(Role::Dim, format!("   {}", choice.detail));
        }
        row = row.end(Role::Accent, choice.key.clone());
        if at == picker.list.cursor {
            row = row.on(Role::Selection);
        }
        out.push(row);
    }
    if shown < picker.shown.len() && !rest.is_empty() {
        out.push(Row::new().add(Role::Dim, format!("   and {} more: {rest}", picker.shown.len() - shown)));
    }
    if picker.shown.is_empty() {
        out.push(Row::new().add(Role::Dim, "   Nothing fits these words. Esc closes, Ctrl-u clears."));
    }
    out
}

fn prompt_lines(state: &AppState, prompt: &Prompt) -> (String, String, Vec<Row>) {
    let dim = |text: String| Row::new().add(Role::Dim, text);
    let mut out = Vec::new();
    let (title, sign) = match &prompt.purpose {
        Purpose::Filter => ("Filter: words, is:state, in:path".to_owned(), "f"),
        Purpose::Search => ("Search in this pane".to_owned(), "/"),
        Purpose::Record => ("Record a command".to_owned(), "!"),
        Purpose::Remark(function) => (format!("Ask a model for {} with a remark", function.qualname()), "m"),
        Purpose::Reason(_) => ("This recorded outcome is a bug".to_owned(), "o"),
    };
    out.push(typed(sign, &prompt.line));
    match &prompt.purpose {
        Purpose::Filter => {
            let functions = &state.snapshot.functions;
            let filter = crate::tui::filter::Filter::parse(&prompt.line.text);
            let shown = functions.iter().filter(|row| filter.takes(row)).count();
            if let Some(first) = out.first_mut() {
                *first = first.clone().end(Role::Dim, format!("{shown} of {}", count(functions.len(), "function")));
            }
            let number = |name: &str| {
                let filter = crate::tui::filter::Filter::parse(&format!("is:{name}"));
                functions.iter().filter(|row| filter.takes(row)).count()
            };
            for three in STATES.chunks(3) {
                let cells: String = three.iter().map(|name| format!("{:<20}", format!("is:{name} {}", number(name)))).collect();
                out.push(dim(format!("   {cells}")));
            }
        }
        Purpose::Record => {
            for (at, entry) in prompt.earlier.iter().enumerate().take(5) {
                let mark = if prompt.at == Some(at) { " > " } else { "   " };
                out.push(Row::new().add(Role::Accent, mark).add(Role::Dim, entry.clone()));
            }
            out.push(dim("   It runs as you typed it, in the project's folder. Its output goes to Runs, v shows it.".into()));
        }
        Purpose::Remark(_) => out.push(dim("   What to do differently. The code and its recorded calls go with it.".into())),
        Purpose::Reason(_) => {
            out.push(dim("   Why? No test is made. The note stays until the outcome changes.".into()));
            let typed = prompt.line.text.trim().chars().count();
            if let Some(first) = out.first_mut() {
                *first = first.clone().end(Role::Dim, typed.to_string());
            }
        }
        Purpose::Search => {}
    }
    if let Some(wrong) = prompt.wrong {
        out.push(Row::new().add(Role::Failing, " ! ").add(Role::Text, wrong));
    }
    (title, String::new(), out)
}

fn question_lines(question: &Question, tall: usize) -> (String, String, Vec<Row>) {
    let room = tall.saturating_sub(1).min(12);
    let mut out: Vec<Row> = question.body.iter().skip(question.top).take(room).cloned().collect();
    let below = question.body.len().saturating_sub(question.top + out.len());
    let mut right = question.right.clone();
    if below > 0 {
        right = format!("{right}  {below} more, j k scroll").trim().to_owned();
    }
    let mut answers = Row::new();
    for (at, answer) in question.answers.iter().enumerate() {
        let mark = if at == question.marked { "  > " } else { "   " };
        answers = answers
            .add(Role::Focus, mark)
            .add(Role::Accent, answer.key.to_string())
            .add(if at == question.marked { Role::Focus } else { Role::Text }, format!(" {}", answer.words));
    }
    out.push(answers);
    (question.title.clone(), right, out)
}

/// Gives the keys of a layer for the key line.
#[must_use]
pub fn hints(state: &AppState, layer: &Layer) -> (Vec<Hint>, Vec<Hint>) {
    use Action as A;
    let wanted: &[(A, &'static str)] = match layer {
        Layer::Help(..) | Layer::Palette(..) | Layer::Queue(..) => {
            &[(A::Submit, "does it"), (A::Later, "move"), (A::Leave, "close")]
        }
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
