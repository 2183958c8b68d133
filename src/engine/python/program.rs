//! The program that a recording ran, by the name that it had for itself: a command that names itself, as argparse's `prog` does,
//! takes the last part of `sys.argv[0]`.

use std::path::Path;

use crate::domain::call::RecordingId;
use crate::engine::state::core::Core;
use crate::record::activation;

/// Options of Python that have their value in a word of its own.
const WITH_VALUE: [&str; 2] = ["-W", "-X"];

/// Gives the name of the program of a recording.
pub fn of_recording(core: &Core, id: RecordingId) -> Option<String> {
    let state = core.state.lock();
    name(&state.recordings.iter().find(|row| row.id == id)?.command)
}

/// Gives the name of the program that was recorded last.
pub fn latest(core: &Core) -> Option<String> {
    let state = core.state.lock();
    name(&state.recordings.iter().max_by_key(|row| row.id)?.command)
}

/// Gives the last part of `sys.argv[0]` in what a command starts. What `-m` runs is taken for a package, such as pytest.
fn name(command: &[String]) -> Option<String> {
    let last = |word: &str| Path::new(word).file_name().map(|name| name.to_string_lossy().into_owned());
    let (_, typed) = activation::assignments(command);
    let (first, after) = typed.split_first()?;
    let program = last(first)?;
    // `-m pkg` and `-c CODE` are typed without a Python, too.
    let mut rest = match program.as_str() {
        "-m" | "-c" => typed,
        name if name.starts_with("python") => after,
        _ => return Some(program),
    };
    loop {
        match rest {
            [option, ..] if option.starts_with("-m") => return Some("__main__.py".to_owned()),
            [option, ..] if option.starts_with("-c") => return Some("-c".to_owned()),
            [option, _, after @ ..] if WITH_VALUE.contains(&option.as_str()) => rest = after,
            [option, after @ ..] if option.starts_with('-') => rest = after,
            [script, ..] => return last(script),
            [] => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_program_is_named_as_it_names_itself() {
        for (command, named) in [
            ("pytest -q", Some("pytest")),
            ("/venv/bin/flask run", Some("flask")),
            ("python -m pytest -q", Some("__main__.py")),
            ("/usr/bin/python3.13 -X dev -W error -B tools/make.py --all", Some("make.py")),
            ("python3 -c pass", Some("-c")),
            ("main.py", Some("main.py")),
            ("TZ=UTC DEBUG= pytest -q", Some("pytest")),
            ("-m pkg x", Some("__main__.py")),
            ("python -i", None),
            ("", None),
        ] {
            let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            assert_eq!(name(&words).as_deref(), named, "{command}");
        }
    }
}
