//! What a terminal showed over time: as an asciinema recording (version 2), and as one SVG that CSS moves, without a script.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::picture;

/// Seconds between two pictures at least: faster changes share one.
const PICTURE: f64 = 0.4;
/// Seconds in which nothing changes, at most: longer waits are cut to this.
const IDLE: f64 = 2.0;
/// Seconds for which the last picture stays before it begins again.
const LAST: f64 = 6.0;

/// The bytes that a terminal received, each piece with the seconds since the start.
pub struct Recording {
    /// Columns and rows.
    pub size: (u16, u16),
    /// The pieces, in order.
    pub pieces: Vec<(f64, Vec<u8>)>,
}

impl Recording {
    /// Writes it for asciinema: a header and a line for each piece.
    pub fn cast(&self, title: &str) -> String {
        let (width, height) = self.size;
        let header = serde_json::json!({"version": 2, "width": width, "height": height, "idle_time_limit": IDLE, "title": title});
        let mut out = format!("{header}\n");
        let mut open = Vec::new();
        for (at, piece) in &self.pieces {
            open.extend_from_slice(piece);
            // A letter may come in two pieces.
            let whole = match std::str::from_utf8(&open) {
                Ok(text) => text.len(),
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                Err(_) => open.len(),
            };
            let text = String::from_utf8_lossy(&open[..whole]).into_owned();
            open.drain(..whole);
            if !text.is_empty() {
                let _ = writeln!(out, "{}", serde_json::json!([(at * 1000.0).round() / 1000.0, "o", text]));
            }
        }
        out
    }

    /// Gives what was on the screen, each time with the seconds at which it was there: whole frames alone, not too many of them, and
    /// no long wait between two.
    fn screens(&self) -> Vec<(f64, Vec<String>)> {
        let mut parser = vt100::Parser::new(self.size.1, self.size.0, 0);
        let mut all: Vec<(f64, Vec<String>)> = Vec::new();
        let (mut seen, mut shown, mut before) = (Vec::new(), 0.0, 0.0);
        for (at, piece) in &self.pieces {
            parser.process(piece);
            seen.extend_from_slice(piece);
            if super::is_drawing(&seen) {
                continue;
            }
            let rows = picture::rows(parser.screen());
            if all.last().is_some_and(|(_, last)| *last == rows) {
                continue;
            }
            shown += (at - before).min(IDLE);
            before = *at;
            match all.last_mut() {
                Some((since, last)) if shown - *since < PICTURE => *last = rows,
                _ => all.push((shown, rows)),
            }
        }
        all
    }

    /// Draws it: each line of the screen once for as long as it stays the same.
    pub fn animated(&self, title: &str) -> String {
        let screens = self.screens();
        let end = screens.last().map_or(LAST, |(at, _)| at + LAST);
        // Rows by the pictures from which and up to which they are shown.
        let mut shown: BTreeMap<(usize, usize), String> = BTreeMap::new();
        for row in 0..usize::from(self.size.1) {
            let mut from = 0;
            for at in 1..=screens.len() {
                let text = |at: usize| screens.get(at).and_then(|(_, rows)| rows.get(row));
                if at == screens.len() || text(at) != text(from) {
                    shown.entry((from, at)).or_default().push_str(text(from).map_or("", String::as_str));
                    from = at;
                }
            }
        }
        let part = |at: usize| screens.get(at).map_or(100.0, |(seconds, _)| seconds / end * 100.0);
        let mut style =
            String::from("g{visibility:hidden}.z{visibility:visible}\n@media (prefers-reduced-motion:no-preference){\n");
        let mut body = String::new();
        for (number, ((from, to), rows)) in shown.iter().filter(|(_, rows)| !rows.is_empty()).enumerate() {
            let is_last = *to == screens.len();
            let class = if is_last { "z" } else { "o" };
            let _ = writeln!(body, "<g id=\"g{number}\" class=\"{class}\">\n{rows}</g>");
            let (begin, over) = (part(*from), part(*to));
            let hides = if is_last { String::new() } else { format!("{over:.3}%{{visibility:hidden}}") };
            let first = if *from == 0 { String::new() } else { "0%{visibility:hidden}".to_owned() };
            let begin = if *from == 0 { 0.0 } else { begin };
            let last = if is_last { "visible" } else { "hidden" };
            let _ = writeln!(
                style,
                "@keyframes k{number}{{{first}{begin:.3}%{{visibility:visible}}{hides}to{{visibility:{last}}}}}\
                 #g{number}{{animation:k{number} {end:.2}s step-end infinite}}"
            );
        }
        style.push_str("}\n");
        picture::framed(self.size, title, &format!("<style>\n{style}</style>\n{body}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording() -> Recording {
        let mut pieces = vec![(0.0, b"\x1b[?2026h\x1b[2J\x1b[1;1Hfirst".to_vec()), (0.1, b"\x1b[?2026l".to_vec())];
        // Nothing happens for a minute, then the second line comes, in two pieces through a letter.
        pieces.push((60.0, b"\x1b[2;1Hsecond \xe2".to_vec()));
        pieces.push((60.1, b"\x9c\x93 <b>".to_vec()));
        pieces.push((63.0, b"\x1b[1;1Hother".to_vec()));
        Recording { size: (20, 3), pieces }
    }

    #[test]
    fn a_recording_has_the_form_of_asciinema_and_whole_letters() {
        let cast = recording().cast("A title");
        let lines: Vec<serde_json::Value> = cast.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&lines[0]["version"], &lines[0]["width"], &lines[0]["title"]), (&2.into(), &20.into(), &"A title".into()));
        let said: String = lines[1..].iter().map(|line| line[2].as_str().unwrap()).collect();
        assert!(said.contains("second ✓ <b>") && !said.contains('\u{fffd}'), "{said}");
        assert!(lines[1..].iter().all(|line| line[1] == "o" && line[0].is_number()));
    }

    #[test]
    fn an_animated_picture_shows_each_line_as_long_as_it_stayed_and_cuts_waits() {
        let svg = recording().animated("A <title>");
        assert!(svg.starts_with("<svg") && svg.contains("A &lt;title&gt;") && !svg.contains("<script"));
        for text in ["first", "second", "other"] {
            assert_eq!(svg.matches(text).count(), 1, "{text} in {svg}");
        }
        assert!(svg.contains("✓ &lt;b&gt;"));
        // The first picture comes at once; the second after two seconds in place of a minute; the third after two more, and stays.
        let (second, end) = (0.1 + IDLE, 0.2 + 2.0 * IDLE + LAST);
        assert!(svg.contains(&format!("{end:.2}s step-end infinite")), "{svg}");
        assert!(svg.contains(&format!("{:.3}%{{visibility:visible}}", second / end * 100.0)), "{svg}");
        // Where nothing may move, the last picture stands.
        assert!(svg.contains("prefers-reduced-motion:no-preference"));
        let last = svg.split("class=\"z\"").skip(1).collect::<String>();
        assert!(last.contains("second") && last.contains("other") && !last.contains("first"), "{svg}");
    }
}
