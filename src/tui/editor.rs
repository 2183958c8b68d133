//! The person's editor: which program, at which line, on which file. The one place that starts it.
//!
//! The caller has dropped the input stream and given the terminal back before.

use std::ffi::OsString;
use std::path::Path;

use crate::base::error::Trouble;
use crate::base::scratch::Scratch;

/// Opens a file in the editor and waits for it.
///
/// # Errors
/// Fails when the command has no meaning, does not start or ends with an error.
pub async fn open(file: &Path, line: u32) -> Result<(), Trouble> {
    let command = command_line(std::env::var("VISUAL").ok(), std::env::var("EDITOR").ok());
    let words = shlex::split(&command).filter(|words| !words.is_empty()).ok_or_else(|| {
        Trouble::environment(format!("The editor command cannot be read: {command}."))
            .so("Set VISUAL or EDITOR, such as: export EDITOR=vim")
    })?;
    let (program, given) = words.split_first().ok_or_else(|| Trouble::internal("The editor command is empty."))?;
    let status =
        tokio::process::Command::new(program).args(given).args(arguments(program, given, file, line)).status().await.map_err(
            |error| {
                Trouble::environment(format!("The editor {program} did not start."))
                    .because(format!("{error}."))
                    .so("Set VISUAL or EDITOR, such as: export EDITOR=vim")
            },
        )?;
    if status.success() {
        Ok(())
    } else {
        Err(Trouble::environment(format!("The editor {program} ended with {status}.")).because("Your text was not taken."))
    }
}

/// Lets a person edit a text and gives what became of it.
///
/// # Errors
/// Fails as [`open`] does, and when the file cannot be written or read as text.
pub async fn edit_text(text: &str, line: u32) -> Result<String, Trouble> {
    let cannot = |what: &'static str| {
        move |error: std::io::Error| {
            Trouble::environment(format!("The draft could not be {what} for the editor.")).because(format!("{error}."))
        }
    };
    let folder = Scratch::new()?;
    let file = folder.path().join("test_draft.py");
    std::fs::write(&file, text).map_err(cannot("written"))?;
    open(&file, line).await?;
    std::fs::read_to_string(&file).map_err(cannot("read back"))
}

fn command_line(visual: Option<String>, editor: Option<String>) -> String {
    let fallback = if cfg!(windows) { "notepad" } else { "vi" };
    [visual, editor].into_iter().flatten().find(|value| !value.trim().is_empty()).unwrap_or_else(|| fallback.into())
}

/// Gives the arguments that open a file at a line, as the program wants them.
fn arguments(program: &str, given: &[String], file: &Path, line: u32) -> Vec<OsString> {
    let name = Path::new(program).file_stem().and_then(|name| name.to_str()).unwrap_or(program).to_lowercase();
    let at_line = || {
        let mut out = file.as_os_str().to_owned();
        out.push(format!(":{line}"));
        out
    };
    let waits = given.iter().any(|arg| arg == "--wait" || arg == "-w");
    let wait = if waits { None } else { Some(OsString::from("--wait")) };
    match name.as_str() {
        "vi" | "vim" | "nvim" | "view" | "nano" | "pico" | "emacs" | "emacsclient" | "kak" | "joe" | "micro" | "mg" | "ne"
        | "jed" => {
            vec![format!("+{line}").into(), file.into()]
        }
        "code" | "code-insiders" | "codium" | "vscodium" | "cursor" | "windsurf" => {
            wait.into_iter().chain(["--goto".into(), at_line()]).collect()
        }
        "subl" | "sublime_text" | "zed" => wait.into_iter().chain([at_line()]).collect(),
        "hx" | "helix" => vec![at_line()],
        "pycharm" | "idea" => wait.into_iter().chain(["--line".into(), line.to_string().into(), file.into()]).collect(),
        _ => vec![file.into()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_gets_the_line_its_own_way() {
        let args = |program: &str, given: &[&str]| {
            let given: Vec<String> = given.iter().map(|s| (*s).to_owned()).collect();
            arguments(program, &given, Path::new("a b.py"), 7).into_iter().map(|s| s.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(args("/usr/bin/nvim", &[]), ["+7", "a b.py"]);
        assert_eq!(args("code", &["--wait"]), ["--goto", "a b.py:7"]);
        assert_eq!(args("code", &[]), ["--wait", "--goto", "a b.py:7"]);
        assert_eq!(args("hx", &[]), ["a b.py:7"]);
        assert_eq!(args("ed", &[]), ["a b.py"]);
    }

    #[test]
    fn visual_comes_before_editor_and_empty_ones_do_not_count() {
        assert_eq!(command_line(Some("code -w".into()), Some("vi".into())), "code -w");
        assert_eq!(command_line(Some(" ".into()), Some("nano".into())), "nano");
    }
}
