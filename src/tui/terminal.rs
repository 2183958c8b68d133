//! The terminal's modes: entered in order, left in reverse, also after a panic, an error or a signal.
//!
//! Asks the terminal what it is before the first frame: its background, and how wide it draws a line sign.

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange, EnableMouseCapture,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;

use crate::domain::settings;
use crate::tui::app::AppState;
use crate::tui::glyphs::Glyphs;
use crate::tui::theme::{Theme, ThemeName};
use crate::tui::view::frame;

/// The modes are on.
static ACTIVE: AtomicBool = AtomicBool::new(false);
/// The mouse is taken.
static MOUSE: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

type Out = CrosstermBackend<BufWriter<Stdout>>;

/// The terminal while the workbench has it. Dropping it gives it back.
pub struct Screen {
    terminal: Terminal<Out>,
    theme: Theme,
    /// Which built-in theme it is; none for a person's own.
    theme_name: Option<ThemeName>,
    /// The settings leave the theme to what the terminal is.
    follows: bool,
    /// What the terminal said of itself at the start.
    answer: Answer,
    /// Which signs it can show.
    pub glyphs: Glyphs,
    mouse: bool,
}

impl Screen {
    /// Takes the terminal; `own` is the theme of a person's own that the settings name.
    ///
    /// # Errors
    /// Fails when the terminal refuses a mode; what was entered is left again.
    pub fn enter(settings: &settings::Tui, own: Option<Theme>) -> io::Result<Self> {
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                restore();
                before(info);
            }));
        });
        modes(settings.mouse)?;
        let answer = probe(settings);
        let built = theme_for(settings, own, &answer).and_then(|chosen| {
            let mut terminal = Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 16, stdout())))?;
            // What a killed program left on this screen would show through.
            execute!(terminal.backend_mut(), Clear(ClearType::All))?;
            Ok((chosen, terminal))
        });
        match built {
            Ok(((theme, theme_name, follows), terminal)) => {
                let glyphs = choose_glyphs(&settings.glyphs, &answer, &environment());
                Ok(Self { terminal, theme, theme_name, follows, answer, glyphs, mouse: settings.mouse })
            }
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Gives columns and rows.
    #[must_use]
    pub fn size(&self) -> (u16, u16) {
        self.terminal.size().map_or((80, 24), |size| (size.width, size.height))
    }

    /// Draws one frame inside a synchronised update.
    ///
    /// # Errors
    /// Fails when the terminal cannot be written to.
    pub fn draw(&mut self, state: &AppState) -> io::Result<()> {
        // A task that broke gave the terminal back on its way; the workbench goes on.
        if !ACTIVE.load(Ordering::SeqCst) {
            self.resume()?;
        }
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        let drawn = self.terminal.draw(|f| frame::draw(state, &self.theme, f)).map(|_| ());
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        drawn
    }

    /// Takes other settings: theme, signs, mouse.
    ///
    /// # Errors
    /// Fails when the theme cannot be read or the terminal refuses a mode.
    pub fn take_settings(&mut self, settings: &settings::Tui, own: Option<Theme>) -> io::Result<()> {
        (self.theme, self.theme_name, self.follows) = theme_for(settings, own, &self.answer)?;
        self.glyphs = choose_glyphs(&settings.glyphs, &self.answer, &environment());
        if self.mouse != settings.mouse {
            self.mouse = settings.mouse;
            MOUSE.store(self.mouse, Ordering::SeqCst);
            let backend = self.terminal.backend_mut();
            if self.mouse { execute!(backend, EnableMouseCapture)? } else { execute!(backend, DisableMouseCapture)? }
        }
        Ok(())
    }

    /// Asks the terminal for its background again, where the theme follows it; the answer comes as input. Tells whether
    /// it asked.
    pub fn ask_background(&mut self) -> bool {
        let coloured = matches!(self.theme_name, Some(ThemeName::Dark | ThemeName::Light));
        self.follows && coloured && self.send(BACKGROUND).is_ok()
    }

    /// Takes the theme for a background and tells whether it is another one.
    pub fn take_background(&mut self, dark: bool) -> bool {
        self.answer.dark = Some(dark);
        let name = if dark { ThemeName::Dark } else { ThemeName::Light };
        let Some(theme) = Theme::load(name).ok().filter(|_| Some(name) != self.theme_name) else { return false };
        (self.theme, self.theme_name) = (theme, Some(name));
        true
    }

    /// Forgets what stands on the screen, so that the next frame writes all of it.
    ///
    /// # Errors
    /// Fails when the terminal cannot be written to.
    pub fn forget(&mut self) -> io::Result<()> {
        // Not `clear`: that asks the terminal where its cursor is, and the answer would be read as keys.
        let (width, height) = self.size();
        self.terminal.resize(Rect::new(0, 0, width, height))
    }

    /// Gives the terminal back for a while: to an editor, to the shell.
    pub fn pause(&mut self) {
        restore();
    }

    /// Takes it again and drops what was typed meanwhile.
    ///
    /// # Errors
    /// Fails when the terminal refuses a mode.
    pub fn resume(&mut self) -> io::Result<()> {
        modes(self.mouse)?;
        #[cfg(unix)]
        let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
        self.forget()
    }

    /// Writes an escape sequence of our own making, such as one for the clipboard.
    ///
    /// # Errors
    /// Fails when the terminal cannot be written to.
    pub fn send(&mut self, sequence: &str) -> io::Result<()> {
        let backend = self.terminal.backend_mut();
        backend.write_all(sequence.as_bytes())?;
        Write::flush(backend)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// A theme, which built-in one it is, and whether it follows the terminal's background.
type Chosen = (Theme, Option<ThemeName>, bool);

fn theme_for(settings: &settings::Tui, own: Option<Theme>, answer: &Answer) -> io::Result<Chosen> {
    if let Some(theme) = own {
        return Ok((theme, None, false));
    }
    let name = choose_theme(&settings.theme, answer, &environment());
    let theme = Theme::load(name).map_err(io::Error::other)?;
    Ok((theme, Some(name), ThemeName::parse(&settings.theme).is_none()))
}

fn modes(mouse: bool) -> io::Result<()> {
    ACTIVE.store(true, Ordering::SeqCst);
    MOUSE.store(mouse, Ordering::SeqCst);
    let entered = enable_raw_mode()
        .and_then(|()| execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange))
        .and_then(|()| if mouse { execute!(stdout(), EnableMouseCapture) } else { Ok(()) })
        .and_then(|()| execute!(stdout(), cursor::Hide));
    if entered.is_err() {
        restore();
    }
    entered
}

/// Leaves all modes in reverse order; every step is tried, and a second call does nothing.
pub fn restore() {
    if !ACTIVE.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = stdout();
    // A terminal that is gone cannot be restored, and there is nobody left to tell.
    let _ = execute!(out, EndSynchronizedUpdate, cursor::Show);
    if MOUSE.swap(false, Ordering::SeqCst) {
        let _ = execute!(out, DisableMouseCapture);
    }
    let _ = execute!(out, DisableFocusChange);
    let _ = execute!(out, DisableBracketedPaste);
    let _ = execute!(out, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}

/// What the environment says about the terminal.
#[derive(Debug, Clone, Default)]
struct Environment {
    no_color: bool,
    colour_term: String,
    term: String,
    locale: String,
}

fn environment() -> Environment {
    static SEEN: OnceLock<Environment> = OnceLock::new();
    let read = |name: &str| std::env::var(name).unwrap_or_default();
    let locale = || ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().map(read).find(|value| !value.is_empty()).unwrap_or_default();
    SEEN.get_or_init(|| Environment {
        no_color: !read("NO_COLOR").is_empty(),
        colour_term: read("COLORTERM"),
        term: read("TERM"),
        locale: locale(),
    })
    .clone()
}

/// What the terminal answered.
#[derive(Debug, Clone, Default, PartialEq)]
struct Answer {
    /// Its background is dark.
    dark: Option<bool>,
    /// Columns that a line sign took.
    rule_columns: Option<u16>,
}

fn choose_theme(wanted: &str, answer: &Answer, environment: &Environment) -> ThemeName {
    if let Some(name) = ThemeName::parse(wanted) {
        return name;
    }
    if environment.no_color || environment.term == "dumb" {
        return ThemeName::Mono;
    }
    let many = matches!(environment.colour_term.as_str(), "truecolor" | "24bit");
    match answer.dark {
        Some(true) if many => ThemeName::Dark,
        Some(false) if many => ThemeName::Light,
        _ => ThemeName::Ansi,
    }
}

fn choose_glyphs(wanted: &str, answer: &Answer, environment: &Environment) -> Glyphs {
    let locale = environment.locale.to_lowercase().replace('-', "");
    match wanted {
        "unicode" => Glyphs::Unicode,
        "ascii" => Glyphs::Ascii,
        _ if cfg!(unix) && !locale.contains("utf8") => Glyphs::Ascii,
        _ if environment.term == "linux" || answer.rule_columns.is_some_and(|columns| columns != 1) => Glyphs::Ascii,
        _ => Glyphs::Unicode,
    }
}

/// Reads a background as terminals tell it, `2828/2c2c/3434`, and tells whether it is dark.
#[must_use]
pub fn is_dark(colour: &str) -> Option<bool> {
    let channel = |part: &str| {
        let digits: String = part.chars().take_while(char::is_ascii_hexdigit).take(4).collect();
        let value = f64::from(u32::from_str_radix(&digits, 16).ok()?);
        let most = f64::from(16_u32.checked_pow(u32::try_from(digits.len()).ok()?)? - 1);
        Some(value / most)
    };
    let mut parts = colour.split('/');
    let (r, g, b) = (channel(parts.next()?)?, channel(parts.next()?)?, channel(parts.next()?)?);
    Some(0.2126 * r + 0.7152 * g + 0.0722 * b < 0.5)
}

/// Reads the answers to the background, cursor and identity questions out of what the terminal sent.
fn read_answer(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes);
    let dark = text.split("]11;rgb:").nth(1).and_then(is_dark);
    let rule_columns = text.match_indices('R').find_map(|(end, _)| {
        let start = text[..end].rfind("\x1b[")?;
        let (_, column) = text[start + 2..end].split_once(';')?;
        column.parse::<u16>().ok()?.checked_sub(1)
    });
    Answer { dark, rule_columns }
}

/// Asks for the background.
const BACKGROUND: &str = "\x1b]11;?\x1b\\";

/// Asks for background and width, and for the identity that every terminal tells, so that nobody waits for an answer
/// that never comes: at most 100 ms.
#[cfg(unix)]
fn probe(settings: &settings::Tui) -> Answer {
    use std::io::Read;
    use std::time::{Duration, Instant};

    use rustix::termios::{OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

    if settings.theme != "auto" && settings.glyphs != "auto" {
        return Answer::default();
    }
    let Ok(mut tty) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty") else { return Answer::default() };
    let Ok(before) = tcgetattr(&tty) else { return Answer::default() };
    let mut timed = before.clone();
    timed.special_codes[SpecialCodeIndex::VMIN] = 0;
    timed.special_codes[SpecialCodeIndex::VTIME] = 1;
    if tcsetattr(&tty, OptionalActions::Now, &timed).is_err() {
        return Answer::default();
    }
    let mut got = Vec::new();
    let deadline = Instant::now() + Duration::from_millis(100);
    if tty.write_all(format!("{BACKGROUND}\x1b[1;1H─\x1b[6n\x1b[1;1H\x1b[2K\x1b[c").as_bytes()).is_ok() {
        let mut buffer = [0; 256];
        while Instant::now() < deadline {
            match tty.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(read) => got.extend_from_slice(&buffer[..read]),
            }
            // The identity comes last and ends in c.
            if got.windows(3).any(|part| part == b"\x1b[?") && got.ends_with(b"c") {
                break;
            }
        }
    }
    let _ = tcsetattr(&tty, OptionalActions::Now, &before);
    read_answer(&got)
}

#[cfg(not(unix))]
fn probe(_settings: &settings::Tui) -> Answer {
    Answer::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terminals_answers_are_read() {
        let all = b"\x1b]11;rgb:2828/2c2c/3434\x1b\\\x1b[1;2R\x1b[?65;1;9c";
        assert_eq!(read_answer(all), Answer { dark: Some(true), rule_columns: Some(1) });
        assert_eq!(read_answer(b"\x1b]11;rgb:ff/ff/f0\x07\x1b[1;3R"), Answer { dark: Some(false), rule_columns: Some(2) });
        assert_eq!(read_answer(b"\x1b[?1;2c"), Answer::default());
        assert_eq!(read_answer(b"\xff\x1b]11;rgb:zz/"), Answer::default());
    }

    #[test]
    fn auto_takes_what_reads_well() {
        let dark = Answer { dark: Some(true), rule_columns: Some(1) };
        let many = Environment { colour_term: "truecolor".into(), locale: "en_GB.UTF-8".into(), ..Environment::default() };
        assert_eq!(choose_theme("auto", &dark, &many), ThemeName::Dark);
        assert_eq!(choose_theme("auto", &Answer { dark: Some(false), ..dark.clone() }, &many), ThemeName::Light);
        assert_eq!(choose_theme("auto", &Answer::default(), &many), ThemeName::Ansi);
        assert_eq!(choose_theme("auto", &dark, &Environment::default()), ThemeName::Ansi);
        assert_eq!(choose_theme("auto", &dark, &Environment { no_color: true, ..many.clone() }), ThemeName::Mono);
        assert_eq!(choose_theme("light", &dark, &many), ThemeName::Light);
        assert_eq!(choose_glyphs("auto", &dark, &many), Glyphs::Unicode);
        assert_eq!(choose_glyphs("auto", &Answer { rule_columns: Some(2), ..dark.clone() }, &many), Glyphs::Ascii);
        #[cfg(unix)]
        assert_eq!(choose_glyphs("auto", &dark, &Environment { locale: "C".into(), ..many }), Glyphs::Ascii);
    }
}
