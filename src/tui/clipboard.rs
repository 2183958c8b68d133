//! Copying: a command of the desktop, else tmux, else the terminal by OSC 52; and which of them it was.

use std::io::Write;
use std::process::{Command, Stdio};

use base64::Engine as _;

/// Terminals drop longer sequences.
const OSC_52_MAX: usize = 74_994;

/// How a text was or can be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// A program took it; its name.
    Taken(String),
    /// This sequence has to be written to the terminal.
    Terminal(String),
    /// There is no way.
    Nowhere,
}

/// What decides on the way.
#[derive(Debug, Clone, Default)]
struct Surroundings {
    wayland: bool,
    x11: bool,
    tmux: bool,
    ssh: bool,
}

/// Copies a text; may block shortly.
#[must_use]
pub fn copy(text: &str) -> Route {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let here = Surroundings {
        wayland: set("WAYLAND_DISPLAY"),
        x11: set("DISPLAY"),
        tmux: set("TMUX"),
        ssh: set("SSH_CONNECTION") || set("SSH_TTY"),
    };
    for argv in commands(&here) {
        if feed(argv, text) {
            let name = if argv.first() == Some(&"tmux") { "tmux (OSC 52)" } else { argv.first().copied().unwrap_or_default() };
            return Route::Taken(name.to_owned());
        }
    }
    if text.len() > OSC_52_MAX { Route::Nowhere } else { Route::Terminal(osc_52(text)) }
}

/// Gives the commands to try. Over SSH a desktop's command would fill the clipboard of the wrong machine.
fn commands(here: &Surroundings) -> Vec<&'static [&'static str]> {
    let mut out: Vec<&'static [&'static str]> = Vec::new();
    if !here.ssh {
        if cfg!(target_os = "macos") {
            out.push(&["pbcopy"]);
        }
        if cfg!(windows) {
            out.push(&["clip.exe"]);
        }
        if here.wayland {
            out.push(&["wl-copy"]);
        }
        if here.x11 {
            out.push(&["xclip", "-selection", "clipboard"]);
            out.push(&["xsel", "--clipboard", "--input"]);
        }
    }
    if here.tmux {
        out.push(&["tmux", "load-buffer", "-w", "-"]);
    }
    out
}

fn feed(argv: &[&str], text: &str) -> bool {
    let Some((program, args)) = argv.split_first() else { return false };
    let child = Command::new(program).args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return false };
    let written = child.stdin.take().is_some_and(|mut stdin| stdin.write_all(text.as_bytes()).is_ok());
    child.wait().is_ok_and(|status| status.success()) && written
}

fn osc_52(text: &str) -> String {
    format!("\x1b]52;c;{}\x07", base64::engine::general_purpose::STANDARD.encode(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_ssh_no_desktop_command_is_tried() {
        let here = Surroundings { wayland: true, x11: true, tmux: true, ssh: true };
        assert_eq!(commands(&here), [&["tmux", "load-buffer", "-w", "-"]]);
        let local = commands(&Surroundings { x11: true, ..Surroundings::default() });
        assert_eq!(local[local.len() - 2][0], "xclip");
    }

    #[test]
    fn the_terminals_way_carries_any_text() {
        assert_eq!(osc_52("a\x1b]"), "\x1b]52;c;YRtd\x07");
    }
}
