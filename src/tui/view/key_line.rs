//! The last line: what can be pressed now, as much of it as fits.

use crate::base::text;
use crate::tui::app::AppState;
use crate::tui::keymap::Key;
use crate::tui::live::{self, Hint};
use crate::tui::row::{Bit, Row};
use crate::tui::theme::Role;
use crate::tui::view::layers;

/// Makes the key line: what can be pressed now.
#[must_use]
pub fn keys(state: &AppState) -> Row {
    let (left, right) = match state.layers.last() {
        Some(layer) => layers::hints(state, layer),
        None if state.in_place.as_ref().is_some_and(|edit| edit.open) => layers::in_place_hints(state),
        None => live::hints(state),
    };
    fit_hints(&left, &right, usize::from(state.size.0))
}

/// Finds the key that stands, with its word, at a column of the key line.
#[must_use]
pub fn key_at(state: &AppState, x: u16) -> Option<Key> {
    let row = keys(state);
    let wide = |bits: &[Bit]| bits.iter().map(|bit| text::width(&bit.text)).sum::<usize>();
    let start = usize::from(state.size.0).saturating_sub(wide(&row.right));
    let mut at = 0;
    let mut last = None;
    for (from, bits) in [(0, &row.left), (start, &row.right)] {
        at = at.max(from);
        for bit in bits {
            if bit.role == Role::Accent {
                last = Key::parse(&bit.text);
            }
            // The gap behind a word belongs to nothing.
            let width = if bit.role == Role::Accent { text::width(&bit.text) } else { text::width(bit.text.trim_end()) };
            if (at..at + width).contains(&usize::from(x)) {
                return last;
            }
            at += text::width(&bit.text);
        }
        last = None;
    }
    None
}

/// Fits the keys into a width: first closer together, then without words, then fewer.
fn fit_hints(left: &[Hint], right: &[Hint], width: usize) -> Row {
    let wide = |hints: &[Hint], gap: usize, words: usize| -> usize {
        let all = hints
            .iter()
            .enumerate()
            .map(|(at, hint)| text::width(&hint.key) + if at < words { text::width(hint.word) + 1 } else { 0 });
        all.sum::<usize>() + gap * hints.len().saturating_sub(1)
    };
    let row = |left: &[Hint], right: &[Hint], gap: usize, words: (usize, usize)| {
        let mut row = Row::new().add(Role::Text, " ").flush();
        for (at, hint) in left.iter().enumerate() {
            row = row.add(Role::Accent, hint.key.clone());
            let space = if at + 1 < left.len() { " ".repeat(gap) } else { String::new() };
            let word = if at < words.0 { format!(" {}{space}", hint.word) } else { space };
            row = row.add(Role::Text, word);
        }
        for (at, hint) in right.iter().enumerate() {
            row = row.end(Role::Accent, hint.key.clone());
            let space = if at + 1 < right.len() { " ".repeat(gap) } else { String::new() };
            let word = if at < words.1 { format!(" {}{space}", hint.word) } else { space };
            row = row.end(Role::Text, word);
        }
        row
    };
    let all = (left.len(), right.len());
    for gap in [3, 2] {
        if 1 + wide(left, gap, all.0) + 3 + wide(right, gap, all.1) <= width {
            return row(left, right, gap, all);
        }
    }
    // The last two of the right, actions and keys, lead everywhere else: they stay longest.
    let core = &right[right.len().saturating_sub(2)..];
    for keep in (0..=left.len()).rev() {
        let shown = &left[..keep];
        if 1 + wide(shown, 2, keep) + 2 + wide(core, 2, core.len()) <= width {
            if keep + 1 < left.len() && keep < 4 {
                break;
            }
            return row(shown, core, 2, (keep, core.len()));
        }
    }
    for words in (0..=left.len()).rev() {
        if 1 + wide(left, 2, words) + 2 + wide(core, 2, 0) <= width {
            return row(left, core, 2, (words, 0));
        }
    }
    for keep in (0..=left.len()).rev() {
        if 1 + wide(&left[..keep], 2, 0) + 2 + wide(core, 2, 0) <= width || keep == 0 {
            return row(&left[..keep], core, 2, (0, 0));
        }
    }
    Row::new()
}
