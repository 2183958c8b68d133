//! One line of the screen as pieces with roles, and the pen that puts it into the buffer.
//!
//! The pen is the one door to the buffer: it sanitises, cuts to the columns there are and applies the sign set, so no
//! view can let a control character through or draw outside its pane.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::text;
use crate::tui::glyphs::Glyphs;
use crate::tui::theme::{Role, Theme};

/// A piece of text with its role and, where it stands on a coloured line, a second one on top.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bit {
    /// The text, not yet sanitised.
    pub text: String,
    /// What it is.
    pub role: Role,
    /// What it is besides: a changed word, a search match.
    pub over: Option<Role>,
}

/// One line: pieces from the left, pieces against the right edge, and a role for its whole length.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// From the left.
    pub left: Vec<Bit>,
    /// Against the right edge, one column free after them.
    pub right: Vec<Bit>,
    /// The whole line.
    pub ground: Option<Role>,
    /// Columns of `left` that stay when the text is scrolled sideways: marks and line numbers.
    pub fixed: usize,
    /// `right` ends at the very edge.
    pub flush: bool,
}

impl Row {
    /// Makes an empty line.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a line of one plain text.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new().add(Role::Text, text)
    }

    /// Adds a piece on the left.
    #[must_use]
    pub fn add(mut self, role: Role, text: impl Into<String>) -> Self {
        self.left.push(Bit { text: text.into(), role, over: None });
        self
    }

    /// Adds a piece on the right.
    #[must_use]
    pub fn end(mut self, role: Role, text: impl Into<String>) -> Self {
        self.right.push(Bit { text: text.into(), role, over: None });
        self
    }

    /// Gives the whole line a role.
    #[must_use]
    pub fn on(mut self, ground: Role) -> Self {
        self.ground = Some(ground);
        self
    }

    /// Keeps what was added so far in place when the text moves sideways.
    #[must_use]
    pub fn fix(mut self) -> Self {
        self.fixed = self.left.iter().map(|bit| text::width(&bit.text)).sum();
        self
    }

    /// Lets the right part end at the very edge.
    #[must_use]
    pub fn flush(mut self) -> Self {
        self.flush = true;
        self
    }

    /// Lays a role over parts of the left text, given as byte ranges of it.
    pub fn mark(&mut self, ranges: &[(usize, usize)], over: Role) {
        self.left = overlay(std::mem::take(&mut self.left), ranges, over);
    }

    /// Gives the text, for searching and copying.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out: String = self.left.iter().map(|bit| bit.text.as_str()).collect();
        if !self.right.is_empty() {
            out.push_str("  ");
            out.extend(self.right.iter().map(|bit| bit.text.as_str()));
        }
        out
    }
}

/// Writes into the buffer.
pub struct Pen<'a> {
    /// The buffer.
    pub buf: &'a mut Buffer,
    /// How roles look.
    pub theme: &'a Theme,
    /// Which signs there are.
    pub glyphs: Glyphs,
}

impl Pen<'_> {
    /// Writes a text and gives the column after it; what does not fit ends in `…`.
    pub fn put(&mut self, x: u16, y: u16, columns: u16, text: &str, role: Role) -> u16 {
        let style = self.theme.style(role);
        self.put_styled(x, y, columns, text, style)
    }

    fn put_styled(&mut self, x: u16, y: u16, columns: u16, text: &str, style: Style) -> u16 {
        let area = self.buf.area;
        if y < area.top() || y >= area.bottom() || x >= area.right() || columns == 0 {
            return x;
        }
        let columns = columns.min(area.right() - x);
        let safe = self.glyphs.map(text::display_line(text));
        let cut = self.glyphs.map(text::cut(&safe, usize::from(columns)));
        self.buf.set_stringn(x, y, cut, usize::from(columns), style).0
    }

    /// Writes a line into one row of a pane, moved sideways by `shift` columns.
    pub fn row(&mut self, area: Rect, row: &Row, shift: usize) {
        if area.width == 0 || area.height == 0 {
            return;
        }
        if let Some(ground) = row.ground {
            self.buf.set_style(Rect { height: 1, ..area }, self.theme.style(ground));
        }
        let right_edge = area.right();
        let wide: u16 = row.right.iter().map(|bit| columns(&bit.text)).fold(0, u16::saturating_add);
        // What stands on the right gives way first: the left is what the line is about.
        let margin = u16::from(!row.flush);
        let room = area.width.saturating_sub(margin);
        let left_wide: usize = row.left.iter().map(|bit| text::width(&text::display_line(&bit.text))).sum();
        let free = usize::from(room).saturating_sub(left_wide.saturating_sub(shift)).saturating_sub(1);
        let wide = if wide <= room { wide.min(u16::try_from(free).unwrap_or(room).max(wide.min(room / 2))) } else { room / 2 };
        let mut x = area.x;
        let right = right_edge - margin - wide;
        let stop = if wide == 0 { right_edge } else { right.saturating_sub(1).max(area.x) };
        let mut hidden = shift;
        let mut seen = 0;
        for bit in &row.left {
            let safe = text::display_line(&bit.text);
            let mut part: &str = &safe;
            if seen >= row.fixed && hidden > 0 {
                let before = text::width(part);
                part = text::skip_columns(part, hidden);
                hidden -= hidden.min(before - text::width(part));
            }
            seen += text::width(&safe);
            let style = self.style(row, bit);
            x = self.put_styled(x, area.y, stop.saturating_sub(x), part, style);
        }
        // A piece that just fits hides that another one does not.
        if left_wide.saturating_sub(shift) > usize::from(stop - area.x)
            && let Some(cell) = self.buf.cell_mut((stop.saturating_sub(1), area.y)).filter(|cell| text::width(cell.symbol()) == 1)
            && cell.symbol() != " "
        {
            cell.set_symbol(&self.glyphs.map("…".into()));
        }
        let mut x = right;
        for bit in row.right.iter().filter(|_| wide > 0) {
            let style = self.style(row, bit);
            x = self.put_styled(x, area.y, (right_edge - margin).saturating_sub(x), &bit.text, style);
        }
    }

    fn style(&self, row: &Row, bit: &Bit) -> Style {
        let mut style = self.theme.style(bit.role);
        if let Some(ground) = row.ground {
            let ground = self.theme.style(ground);
            style.bg = ground.bg.or(style.bg);
            style = style.add_modifier(ground.add_modifier);
        }
        if let Some(over) = bit.over {
            style = style.patch(self.theme.style(over));
        }
        style
    }
}

/// Splits pieces at byte ranges of their joined text and lays a role over what is inside.
#[must_use]
pub fn overlay(bits: Vec<Bit>, ranges: &[(usize, usize)], over: Role) -> Vec<Bit> {
    let mut out = Vec::with_capacity(bits.len());
    let mut at = 0;
    for bit in bits {
        let end = at + bit.text.len();
        let mut cuts: Vec<usize> = ranges
            .iter()
            .flat_map(|(from, to)| [*from, *to])
            .filter(|cut| (at + 1..end).contains(cut) && bit.text.is_char_boundary(cut - at))
            .collect();
        cuts.push(end);
        let mut from = at;
        for cut in cuts {
            if let Some(text) = bit.text.get(from - at..cut - at).filter(|text| !text.is_empty()) {
                let inside = ranges.iter().any(|(start, stop)| *start <= from && from < *stop);
                out.push(Bit { text: text.to_owned(), role: bit.role, over: inside.then_some(over).or(bit.over) });
            }
            from = cut;
        }
        at = end;
    }
    out
}

/// Tells how many columns a text will take once it is safe.
#[must_use]
pub fn columns(text: &str) -> u16 {
    u16::try_from(text::width(&text::display_line(text))).unwrap_or(u16::MAX)
}
