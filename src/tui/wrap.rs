//! Breaks lines that are wider than their pane. What goes on begins with `↳`, below where the text of the line begins.

use unicode_segmentation::UnicodeSegmentation;

use crate::base::text;
use crate::tui::doc_row::DocRow;
use crate::tui::row::{Bit, Row};
use crate::tui::theme::Role;

/// The sign of a line that goes on.
pub const GOES_ON: &str = "↳ ";
/// Lines that one is broken into at most; `v` shows all of it.
const MOST: usize = 40;
/// Panes from this width on have room for two values side by side.
const WIDE: usize = 100;
/// Panes narrower than this cut their lines instead.
const NARROWEST: usize = 16;

/// Lines as they are shown, each with the position of the line that it is a part of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wrapped {
    /// What is shown.
    pub rows: Vec<DocRow>,
    /// For each of them, the line it belongs to.
    pub of: Vec<usize>,
}

impl Wrapped {
    /// Breaks lines at a width.
    #[must_use]
    pub fn new(lines: &[DocRow], width: usize) -> Self {
        Self::side_by_side(lines, width, &[])
    }

    /// Breaks lines at a width, and sets the lines of a pair side by side where there is room.
    #[must_use]
    pub fn side_by_side(lines: &[DocRow], width: usize, pairs: &[(usize, usize)]) -> Self {
        let half = width / 2;
        let fits = |at: usize| lines.get(at).is_some_and(|line| text::width(&text::display_line(&line.row.text())) + 2 <= half);
        let beside =
            |at: usize| pairs.iter().find(|(old, new)| width >= WIDE && (*old == at || *new == at) && fits(*old) && fits(*new));
        let mut out = Self::default();
        for (at, line) in lines.iter().enumerate() {
            if let Some((old, new)) = beside(at) {
                if at == *old {
                    let used = text::width(&text::display_line(&line.row.text()));
                    let mut row = line.row.clone().add(Role::Text, " ".repeat(half - used));
                    row.left.extend(lines[*new].row.left.iter().cloned());
                    out.rows.push(DocRow { row, ..line.clone() });
                    out.of.push(at);
                }
                continue;
            }
            for (piece, row) in pieces(&line.row, width).into_iter().enumerate() {
                out.rows.push(DocRow { row, about: line.about.clone(), stop: line.stop && piece == 0, changed: line.changed });
                out.of.push(at);
            }
        }
        out
    }

    /// Gives the line that a shown line is a part of; after the last, how many lines there are.
    #[must_use]
    pub fn line(&self, shown: usize) -> usize {
        self.of.get(shown).copied().unwrap_or_else(|| self.of.last().map_or(0, |last| last + 1))
    }

    /// Gives the first shown line of a line.
    #[must_use]
    pub fn shown(&self, line: usize) -> usize {
        self.of.partition_point(|of| *of < line)
    }
}

/// Breaks one line at a width, where it has to be.
#[must_use]
pub fn pieces(row: &Row, width: usize) -> Vec<Row> {
    let bits: Vec<Bit> =
        row.left.iter().map(|bit| Bit { text: text::display_line(&bit.text).into_owned(), ..bit.clone() }).collect();
    let left: usize = bits.iter().map(|bit| text::width(&bit.text)).sum();
    let right: usize = row.right.iter().map(|bit| text::width(&text::display_line(&bit.text))).sum();
    let first = if right == 0 { width } else { width.saturating_sub(right + 2) };
    if left <= first || width < NARROWEST || first < NARROWEST {
        return vec![row.clone()];
    }
    let whole: String = bits.iter().map(|bit| bit.text.as_str()).collect();
    let begins = if row.fixed > 0 { row.fixed } else { whole.len() - whole.trim_start().len() + 2 };
    let indent = begins.clamp(2, width / 2);
    let cuts = cuts(&whole, first, width - indent, row.fixed);
    let mut out = Vec::with_capacity(cuts.len());
    let mut from = 0;
    for (at, to) in cuts.iter().copied().chain([whole.len()]).enumerate() {
        let part = slice(&bits, from, to);
        out.push(if at == 0 {
            Row { left: part, right: row.right.clone(), ..row.clone() }
        } else {
            let mark = Bit { text: format!("{}{GOES_ON}", " ".repeat(indent - 2)), role: Role::Dim, over: None };
            Row { left: std::iter::once(mark).chain(part).collect(), right: Vec::new(), fixed: indent, ..row.clone() }
        });
        from = to;
    }
    if out.len() > MOST {
        out.truncate(MOST);
        if let Some(last) = out.last_mut() {
            *last = std::mem::take(last).add(Role::Dim, "…");
        }
    }
    out
}

/// Finds where a text is broken in the second half of a line: after a space, else after an opening or separating sign, else
/// anywhere.
fn cuts(whole: &str, first: usize, others: usize, fixed: usize) -> Vec<usize> {
    let mut out = Vec::new();
    let (mut used, mut room) = (0, first);
    // The last space, and the last sign, with the columns up to them.
    let mut good: [Option<(usize, usize)>; 2] = [None, None];
    for (at, grapheme) in whole.grapheme_indices(true) {
        let wide = text::width(grapheme);
        if used + wide > room {
            let cut = good.into_iter().flatten().find(|(_, columns)| *columns * 2 > room).unwrap_or((at, used));
            out.push(cut.0);
            used -= cut.1;
            room = others;
            good = [None, None];
        }
        used += wide;
        let here = Some((at + grapheme.len(), used)).filter(|_| used > fixed);
        match grapheme {
            " " => good[0] = here.or(good[0]),
            "," | ";" | "(" | "[" | "{" => good[1] = here.or(good[1]),
            _ => {}
        }
    }
    out
}

/// Gives the pieces of a part of a line.
fn slice(bits: &[Bit], from: usize, to: usize) -> Vec<Bit> {
    let mut out = Vec::new();
    let mut at = 0;
    for bit in bits {
        let (start, end) = (from.max(at) - at, to.min(at + bit.text.len()).saturating_sub(at));
        if start < end
            && let Some(text) = bit.text.get(start..end)
        {
            out.push(Bit { text: text.to_owned(), ..bit.clone() });
        }
        at += bit.text.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(row: &Row, width: usize) -> Vec<String> {
        pieces(row, width).iter().map(Row::text).collect()
    }

    #[test]
    fn a_long_line_goes_on_below_where_its_code_begins() {
        let row = Row::new().add(Role::Dim, "  12 + ").fix().add(Role::Text, "assert total(['lamp', 'chair'], 'FR') == 104.90");
        let lines = shown(&row, 32);
        assert_eq!(lines, ["  12 + assert total(['lamp', ", "     ↳ 'chair'], 'FR') == 104.90"]);
        assert_eq!(shown(&row, 80).len(), 1);
    }

    #[test]
    fn what_stands_at_the_right_stays_beside_the_first_part() {
        let row = Row::plain(" ▾ call 14  Cart.total(country='FR')").end(Role::Dim, "×2");
        assert_eq!(shown(&row, 30), [" ▾ call 14  Cart.total(  ×2", " ↳ country='FR')"]);
    }

    #[test]
    fn old_and_new_stand_side_by_side_where_there_is_room() {
        let line = |sign: &str, value: &str| DocRow::of(Row::plain(format!("     {sign}  ")).fix().add(Role::Text, value));
        let lines = [DocRow::of(Row::plain("call")), line("old", "104.90"), line("new", "100.00"), DocRow::of(Row::plain("end"))];
        let wide = Wrapped::side_by_side(&lines, 120, &[(1, 2)]);
        assert_eq!(wide.of, [0, 1, 3]);
        let shown = wide.rows[1].row.text();
        assert!(shown.contains("old  104.90") && shown.contains("new  100.00"), "{shown}");
        assert_eq!(Wrapped::side_by_side(&lines, 99, &[(1, 2)]).of, [0, 1, 2, 3]);
        let long = [line("old", &"x".repeat(90)), line("new", "1")];
        assert_eq!(Wrapped::side_by_side(&long, 120, &[(0, 1)]).rows.len(), 2, "what is long stays above the other");
    }

    #[test]
    fn a_shown_line_is_found_by_its_line_and_back() {
        let rows = ["short", "one two three four five six seven", "end"].map(|line| DocRow::of(Row::plain(line)));
        let wrapped = Wrapped::new(&rows, 20);
        assert_eq!(wrapped.of, [0, 1, 1, 2]);
        assert_eq!((wrapped.line(2), wrapped.line(9), wrapped.shown(2)), (1, 3, 3));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_is_wider_than_the_pane(text in "[a-z ,(\\[漢é]{0,100}", width in 24usize..60, fixed in 0usize..8) {
            let row = Row::new().add(Role::Dim, " ".repeat(fixed)).fix().add(Role::Text, text.clone());
            let all = pieces(&row, width);
            let joined: String = all.iter().map(|row| row.text().replacen(GOES_ON, "", 1).trim_start().to_owned()).collect();
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&joined), letters(&text));
            for row in &all {
                prop_assert!(text::width(&row.text()) <= width.max(fixed + 2));
            }
        }
    }
}
