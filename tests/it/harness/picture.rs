//! A terminal's screen as a picture: SVG, cell by cell, with the colours the program chose.

use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

/// Pixels of a cell.
const CELL: (f64, f64) = (8.4, 18.0);
/// Pixels around the screen.
const MARGIN: f64 = 12.0;
/// A terminal's own colours, where the program chose none.
const PAPER: &str = "#16181d";
const INK: &str = "#d6dae1";
/// The sixteen colours that have names.
const NAMED: [&str; 16] = [
    "#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4", "#6b7280", "#ff9a94", "#b5e890",
    "#f2cc60", "#7cc7ff", "#d9b3ff", "#7fd8d8", "#ffffff",
];

/// How a cell looks.
#[derive(PartialEq, Clone)]
struct Look {
    ink: String,
    paper: String,
    bold: bool,
    italic: bool,
    underline: bool,
    faint: bool,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        let (mut ink, mut paper) = (colour(cell.fgcolor(), INK), colour(cell.bgcolor(), PAPER));
        if cell.inverse() {
            std::mem::swap(&mut ink, &mut paper);
        }
        let (bold, italic, underline, faint) = (cell.bold(), cell.italic(), cell.underline(), cell.dim());
        Self { ink, paper, bold, italic, underline, faint }
    }

    fn attributes(&self) -> String {
        let mut out = format!("fill=\"{}\"", self.ink);
        for (on, attribute) in [
            (self.bold, " font-weight=\"bold\""),
            (self.italic, " font-style=\"italic\""),
            (self.underline, " text-decoration=\"underline\""),
            (self.faint, " opacity=\"0.7\""),
        ] {
            if on {
                out.push_str(attribute);
            }
        }
        out
    }
}

fn colour(colour: Color, own: &str) -> String {
    match colour {
        Color::Default => own.into(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Idx(n @ 0..16) => NAMED[usize::from(n)].into(),
        Color::Idx(n @ 16..232) => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = n - 16;
            format!("#{:02x}{:02x}{:02x}", level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        Color::Idx(n) => format!("#{0:02x}{0:02x}{0:02x}", 8 + 10 * (n - 232)),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Draws a screen; `title` is what a screen reader says of it.
pub fn svg(screen: &Screen, title: &str) -> String {
    let (rows_of, columns) = screen.size();
    framed((columns, rows_of), title, &rows(screen).concat())
}

fn x(column: u16) -> f64 {
    MARGIN + f64::from(column) * CELL.0
}

fn y(row: u16) -> f64 {
    MARGIN + f64::from(row) * CELL.1
}

/// Puts what was drawn of a screen with so many columns and rows on its ground.
pub fn framed(size: (u16, u16), title: &str, body: &str) -> String {
    let (width, height) = (x(size.0) + MARGIN, y(size.1) + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" font-size=\"14\" \
         font-family=\"ui-monospace, 'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace\" xml:space=\"preserve\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\"/>\n{body}</svg>\n",
        escaped(title)
    )
}

/// Draws the lines of a screen, each at its place.
pub fn rows(screen: &Screen) -> Vec<String> {
    (0..screen.size().0).map(|row| line(screen, row)).collect()
}

fn line(screen: &Screen, row: u16) -> String {
    let columns = screen.size().1;
    let mut out = String::new();
    let mut column = 0;
    while column < columns {
        let Some(cell) = screen.cell(row, column) else { break };
        let look = Look::of(cell);
        let (start, mut text) = (column, String::new());
        while let Some(cell) = screen.cell(row, column).filter(|cell| column < columns && Look::of(cell) == look) {
            if !cell.is_wide_continuation() {
                text.push_str(if cell.has_contents() { cell.contents() } else { " " });
            }
            column += 1;
        }
        let long = f64::from(column - start) * CELL.0;
        if look.paper != PAPER {
            let (x, y, paper, high) = (x(start), y(row), &look.paper, CELL.1);
            let _ = writeln!(out, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{long:.1}\" height=\"{high}\" fill=\"{paper}\"/>");
        }
        if !text.trim().is_empty() {
            let (x, y, look) = (x(start), y(row) + CELL.1 * 0.75, look.attributes());
            let text = escaped(&text);
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{long:.1}\" lengthAdjust=\"spacingAndGlyphs\" {look}>{text}</text>"
            );
        }
    }
    out
}
