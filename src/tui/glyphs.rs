//! The signs of the screen in two sets, and the sign and word of each state.
//!
//! Views write the Unicode set; the ascii set is applied in one place, where text enters the buffer.

use std::borrow::Cow;

use crate::domain::evidence::Finding;
use crate::domain::snapshot::Mark;
use crate::tui::theme::Role;

/// Which signs the terminal can show one column wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Glyphs {
    /// All of them.
    #[default]
    Unicode,
    /// Plain ASCII only.
    Ascii,
}

const PAIRS: [(char, char); 25] = [
    ('◦', 'o'),
    ('✓', 'v'),
    ('✗', 'x'),
    ('»', '*'),
    ('⋯', '.'),
    ('⊘', '='),
    ('▸', '+'),
    ('▾', '-'),
    ('━', '='),
    ('─', '-'),
    ('│', '|'),
    ('┃', '#'),
    ('→', '>'),
    ('…', '~'),
    ('×', 'x'),
    ('·', '|'),
    ('┬', '+'),
    ('┐', '+'),
    ('┌', '+'),
    ('┘', '+'),
    ('└', '+'),
    ('█', '_'),
    ('↓', 'v'),
    ('↳', '\\'),
    ('↑', '^'),
];

impl Glyphs {
    /// Writes a text in this set.
    #[must_use]
    pub fn map<'a>(self, text: Cow<'a, str>) -> Cow<'a, str> {
        if self == Self::Unicode || text.is_ascii() {
            return text;
        }
        let swap = |c: char| PAIRS.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to);
        Cow::Owned(text.chars().map(swap).collect())
    }
}

/// Gives the sign, the role and the word of a function's mark.
#[must_use]
pub fn of_mark(mark: Mark) -> (&'static str, Role, &'static str) {
    match mark {
        Mark::Error => ("!", Role::Failing, "error"),
        Mark::Failing => ("✗", Role::Failing, "failing"),
        Mark::Unclear => ("?", Role::Unclear, "unclear"),
        Mark::Stale => ("~", Role::Stale, "stale"),
        Mark::Running => ("»", Role::Running, "running"),
        Mark::Tested => ("✓", Role::Tested, "tested"),
        Mark::Untestable => ("-", Role::Dim, "untestable"),
        Mark::Recorded => ("◦", Role::Accent, "recorded"),
        Mark::Never => (" ", Role::Text, "never"),
    }
}

/// Gives the sign and the role of a finding.
#[must_use]
pub fn of_finding(finding: Finding) -> (&'static str, Role) {
    match finding {
        Finding::Pass => ("✓", Role::Tested),
        Finding::Fail | Finding::Flaky => ("✗", Role::Failing),
        Finding::Pending => ("⋯", Role::Waiting),
        Finding::Running => ("»", Role::Running),
        Finding::Note => ("◦", Role::Accent),
        Finding::Error => ("!", Role::Failing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::width;

    #[test]
    fn the_ascii_set_is_ascii_and_as_wide() {
        for (from, to) in PAIRS {
            assert!(to.is_ascii() && width(&from.to_string()) == 1, "{from}");
        }
        assert_eq!(Glyphs::Ascii.map("━ ✓ 漢".into()), "= v 漢");
        assert_eq!(Glyphs::Unicode.map("━".into()), "━");
    }
}
