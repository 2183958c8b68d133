//! Style roles and the themes that map them, built in or a person's own: the only place that names a colour.
//!
//! Views name roles; what a role looks like stands in `themes/*.toml`. Choosing between the themes is `terminal.rs`.

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use crate::base::error::Trouble;
use crate::base::text;

/// What a piece of text is, not how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// The terminal's own colours.
    #[default]
    Text,
    /// Second rank.
    Dim,
    /// Key names, counts, recorded functions.
    Accent,
    /// The title line of the focused pane.
    Focus,
    /// The line under the cursor of the focused pane.
    Selection,
    /// The line under the cursor of another pane.
    SelectionElsewhere,
    /// Tested, proved, passed.
    Tested,
    /// Rests on code that changed.
    Stale,
    /// Not decided; redacted.
    Unclear,
    /// Failing, and errors.
    Failing,
    /// Less than it could be.
    Warning,
    /// Runs now.
    Running,
    /// Waits.
    Waiting,
    /// A line that is added.
    Added,
    /// A line that is removed.
    Removed,
    /// The word in a line that differs.
    ChangedWord,
    /// A line that something rests on.
    Evidence,
    /// A matcher in a draft.
    Matcher,
    /// What was searched for.
    SearchMatch,
    /// Code.
    Keyword,
    /// Code.
    String,
    /// Code.
    Number,
    /// Code.
    Name,
    /// Code.
    Comment,
}

/// How the roles look.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    text: Look,
    dim: Look,
    accent: Look,
    focus: Look,
    selection: Look,
    selection_elsewhere: Look,
    tested: Look,
    stale: Look,
    unclear: Look,
    failing: Look,
    warning: Look,
    running: Look,
    waiting: Look,
    added: Look,
    removed: Look,
    changed_word: Look,
    evidence: Look,
    matcher: Look,
    search_match: Look,
    keyword: Look,
    string: Look,
    number: Look,
    name: Look,
    comment: Look,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Look {
    fg: Option<Color>,
    bg: Option<Color>,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    reverse: bool,
}

impl Look {
    fn style(self) -> Style {
        let mut style = Style { fg: self.fg, bg: self.bg, ..Style::default() };
        for (on, modifier) in [
            (self.bold, Modifier::BOLD),
            (self.dim, Modifier::DIM),
            (self.italic, Modifier::ITALIC),
            (self.underline, Modifier::UNDERLINED),
            (self.reverse, Modifier::REVERSED),
        ] {
            if on {
                style = style.add_modifier(modifier);
            }
        }
        style
    }
}

/// The names of the built-in themes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ThemeName {
    /// Colours for a dark background.
    Dark,
    /// Colours for a light background.
    Light,
    /// The terminal's own sixteen colours.
    Ansi,
    /// No colour.
    Mono,
}

impl ThemeName {
    /// Reads a name from the settings; `auto` and unknown names give nothing.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "dark" => Self::Dark,
            "light" => Self::Light,
            "ansi" => Self::Ansi,
            "mono" => Self::Mono,
            _ => return None,
        })
    }

    fn toml(self) -> &'static str {
        match self {
            Self::Dark => include_str!("../../themes/dark.toml"),
            Self::Light => include_str!("../../themes/light.toml"),
            Self::Ansi => include_str!("../../themes/ansi.toml"),
            Self::Mono => include_str!("../../themes/mono.toml"),
        }
    }
}

impl Theme {
    /// Loads a built-in theme.
    ///
    /// # Errors
    /// Fails when the embedded file is not a theme; a test loads all of them.
    pub fn load(name: ThemeName) -> Result<Self, toml::de::Error> {
        toml::from_str(name.toml())
    }

    /// Reads a person's own theme: looks by role, and `base`, the built-in theme that gives the others.
    ///
    /// # Errors
    /// Fails when the text is no such table, or names a role, a look or a base that there is not.
    pub fn own(name: &str, source: &str) -> Result<Self, Trouble> {
        let wrong = |why: &str| {
            let why = text::display_line(why.trim());
            Trouble::usage(format!("The theme {} is not used.", text::display_line(name)))
                .because(format!("{}.", why.trim_end_matches('.')))
                .so("docs/themes.md has an example of each part.")
        };
        let mut own: toml::Table = toml::from_str(source).map_err(|error| wrong(error.message()))?;
        let base = own.remove("base").unwrap_or_else(|| "dark".into());
        let base = base.as_str().and_then(ThemeName::parse).ok_or_else(|| wrong("base is none of dark, light, ansi, mono"))?;
        let mut looks: toml::Table = toml::from_str(base.toml()).map_err(|error| wrong(error.message()))?;
        looks.extend(own);
        Self::deserialize(looks).map_err(|error| wrong(error.message()))
    }

    /// Gives the look of a role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        let look = match role {
            Role::Text => self.text,
            Role::Dim => self.dim,
            Role::Accent => self.accent,
            Role::Focus => self.focus,
            Role::Selection => self.selection,
            Role::SelectionElsewhere => self.selection_elsewhere,
            Role::Tested => self.tested,
            Role::Stale => self.stale,
            Role::Unclear => self.unclear,
            Role::Failing => self.failing,
            Role::Warning => self.warning,
            Role::Running => self.running,
            Role::Waiting => self.waiting,
            Role::Added => self.added,
            Role::Removed => self.removed,
            Role::ChangedWord => self.changed_word,
            Role::Evidence => self.evidence,
            Role::Matcher => self.matcher,
            Role::SearchMatch => self.search_match,
            Role::Keyword => self.keyword,
            Role::String => self.string,
            Role::Number => self.number,
            Role::Name => self.name,
            Role::Comment => self.comment,
        };
        look.style()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [ThemeName; 4] = [ThemeName::Dark, ThemeName::Light, ThemeName::Ansi, ThemeName::Mono];

    fn looks(theme: &Theme) -> Vec<(&'static str, Look)> {
        vec![
            ("dim", theme.dim),
            ("accent", theme.accent),
            ("tested", theme.tested),
            ("unclear", theme.unclear),
            ("failing", theme.failing),
            ("warning", theme.warning),
            ("added", theme.added),
            ("removed", theme.removed),
            ("keyword", theme.keyword),
            ("string", theme.string),
            ("number", theme.number),
            ("name", theme.name),
        ]
    }

    fn luminance(color: Color) -> f64 {
        let Color::Rgb(r, g, b) = color else { panic!("{color:?} is not RGB") };
        let channel = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
    }

    fn contrast(a: Color, b: Color) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_embedded_theme_loads() {
        for name in ALL {
            assert!(Theme::load(name).is_ok(), "{name:?}: {:?}", Theme::load(name).err());
        }
    }

    #[test]
    fn a_theme_of_ones_own_changes_what_it_names_and_says_what_it_cannot() {
        let own = Theme::own("sea", "base = \"light\"\nfailing = { fg = \"#ff0000\", underline = true }\n").unwrap();
        assert_eq!(own.failing.fg, Some(Color::Rgb(255, 0, 0)));
        assert_eq!(own.tested.fg, Theme::load(ThemeName::Light).unwrap().tested.fg);
        for (source, why) in [
            ("failing = { fg = \"#ff0000\"", "inline table"),
            ("base = \"sepia\"", "none of dark, light, ansi, mono"),
            ("faling = {}", "faling"),
            ("failing = { colour = \"red\" }", "colour"),
            ("failing = { fg = \"\u{1b}[31mred\" }", "invalid basic string"),
        ] {
            let trouble = Theme::own("sea", source).unwrap_err().to_string();
            assert!(trouble.contains("The theme sea is not used") && !trouble.contains('\u{1b}'), "{trouble}");
            assert!(trouble.contains(why), "{source}: {trouble}");
        }
    }

    #[test]
    fn every_foreground_reads_well_on_the_backgrounds_it_is_made_for() {
        for (name, grounds) in [(ThemeName::Dark, ["#000000", "#282c34"]), (ThemeName::Light, ["#ffffff", "#fdf6e3"])] {
            for (role, look) in looks(&Theme::load(name).unwrap()) {
                let Some(fg) = look.fg else { continue };
                for ground in grounds.iter().map(|c| c.parse().unwrap()).chain(look.bg) {
                    let ratio = contrast(fg, ground);
                    assert!(ratio >= 4.5, "{name:?} {role} on {ground:?}: {ratio:.2}");
                }
            }
        }
    }

    #[test]
    fn mono_has_no_colour_and_ansi_no_yellow_white_or_blue() {
        for role in looks(&Theme::load(ThemeName::Mono).unwrap()) {
            assert!(role.1.fg.is_none() && role.1.bg.is_none(), "{}", role.0);
        }
        let ansi = ThemeName::Ansi.toml();
        let body: String = ansi.lines().filter(|l| !l.starts_with('#')).collect();
        for colour in ["yellow", "white", "blue", "#"] {
            assert!(!body.contains(colour), "{colour}");
        }
    }
}
