//! The project's environment around a program, as if it were activated, and variables typed before it: `FOO=1 app.py`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::base::error::Trouble;
use crate::base::text::{command_line, display_line, is_for_a_shell};

/// Where programs are looked for, and which environment is active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// The `PATH` of what is run.
    pub path: OsString,
    /// `VIRTUAL_ENV`: set, taken away, or left as it is.
    pub virtual_env: Option<Option<OsString>>,
    /// Whether `PYTHONHOME` is taken away, which would name another Python's library.
    pub home_goes: bool,
}

impl Activation {
    /// Finds what activating the interpreter's environment does. `chosen` says that a person named the interpreter, `search` is
    /// the `PATH` as it is.
    ///
    /// A virtual environment comes first, and so does the folder of a chosen Python whose `python3` or `python` that is; of
    /// any other interpreter, the programs beside it come last.
    #[must_use]
    pub fn new(interpreter: Option<&Path>, chosen: bool, search: Option<&OsStr>) -> Self {
        let as_it_is = search.unwrap_or_default().to_owned();
        let Some((interpreter, bin)) = interpreter.and_then(|path| Some((path, path.parent()?))) else {
            return Self { path: as_it_is, virtual_env: None, home_goes: false };
        };
        let environment = bin.parent().filter(|folder| folder.join("pyvenv.cfg").is_file());
        let real = |path: PathBuf| path.canonicalize().ok();
        let is_its_python = |name: &&str| {
            let held = real(bin.join(name));
            held.is_some() && held == real(interpreter.to_owned())
        };
        let first = environment.is_some() || chosen && ["python3", "python"].iter().any(is_its_python);
        let mut folders: Vec<PathBuf> = search.iter().flat_map(std::env::split_paths).collect();
        if first {
            folders.retain(|folder| folder != bin);
            folders.insert(0, bin.to_owned());
        } else {
            folders.push(bin.to_owned());
        }
        let path = std::env::join_paths(folders);
        Self {
            path: path.unwrap_or(as_it_is),
            virtual_env: environment.map(|folder| Some(folder.into())).or(chosen.then_some(None)),
            home_goes: environment.is_some(),
        }
    }
}

/// Splits what is typed into variables, as a shell takes them before a program, and the rest.
#[must_use]
pub fn assignments(typed: &[String]) -> (Vec<(&str, &str)>, &[String]) {
    let given: Vec<(&str, &str)> = typed.iter().map_while(|word| assignment(word)).collect();
    let rest = &typed[given.len()..];
    (given, rest)
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let mut letters = name.chars();
    let is_name = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value))
}

/// Explains a whole line that was given as one word: `"app.py | head"`. `is_known` tells whether a word can be run.
#[must_use]
pub fn one_word(typed: &[String], is_known: impl Fn(&str) -> bool) -> Option<Trouble> {
    let line = typed.first().filter(|word| word.trim().contains(' '))?;
    let trouble = Trouble::usage(format!("There is no program {}.", display_line(line)));
    if is_for_a_shell(line) {
        let shell = display_line(&command_line(&["sh".into(), "-c".into(), line.clone()])).into_owned();
        return Some(trouble.because("It is a line for a shell.").so(format!("Run it in one: pytead-tui run {shell}")));
    }
    let first = line.split_whitespace().find(|word| assignment(word).is_none())?;
    let so = format!("Type them without quotes: pytead-tui run {}", display_line(line));
    is_known(first).then(|| trouble.because("It is several words in one.").so(so))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(search: &OsStr) -> Vec<PathBuf> {
        std::env::split_paths(search).collect()
    }

    #[test]
    fn an_environment_comes_first_and_a_python_that_nobody_chose_last() {
        let place = tempfile::tempdir().unwrap();
        let (venv, plain) = (place.path().join(".venv"), place.path().join("3.10"));
        for folder in [&venv, &plain] {
            std::fs::create_dir_all(folder.join("bin")).unwrap();
            std::fs::write(folder.join("bin/python3"), "").unwrap();
        }
        std::fs::write(venv.join("pyvenv.cfg"), "").unwrap();
        let search = std::env::join_paths(["/usr/bin".into(), venv.join("bin"), "/bin".into()]).unwrap();
        let of = |folder: &Path, chosen| Activation::new(Some(&folder.join("bin/python3")), chosen, Some(&search));
        let active = of(&venv, false);
        assert_eq!(folders(&active.path), [venv.join("bin"), "/usr/bin".into(), "/bin".into()], "once, and first");
        assert_eq!((active.virtual_env, active.home_goes), (Some(Some(venv.clone().into())), true));
        let found = of(&plain, false);
        assert_eq!(folders(&found.path).last(), Some(&plain.join("bin")));
        assert_eq!((found.virtual_env, found.home_goes), (None, false));
        let chosen = of(&plain, true);
        assert_eq!(folders(&chosen.path)[0], plain.join("bin"));
        assert_eq!(chosen.virtual_env, Some(None), "the shell's environment is another one");
        assert_eq!(Activation::new(None, false, Some(&search)).path, search);
    }

    #[test]
    fn variables_before_a_program_are_told_from_its_words() {
        let typed = ["A=1", "_b2=x=y", "app.py", "C=3"].map(str::to_owned);
        let (given, rest) = assignments(&typed);
        assert_eq!(given, [("A", "1"), ("_b2", "x=y")]);
        assert_eq!(rest, ["app.py", "C=3"]);
        assert_eq!(assignments(&["2a=1".to_owned()]).0, []);
    }

    #[test]
    fn a_whole_line_in_one_word_gets_a_way_out() {
        let said = |line: &str| one_word(&[line.to_owned()], |word| word == "python").map(|trouble| trouble.to_string());
        assert!(said("app.py | head").unwrap().ends_with("Run it in one: pytead-tui run sh -c 'app.py | head'"));
        assert!(said("A=1 python app.py").unwrap().ends_with("without quotes: pytead-tui run A=1 python app.py"));
        assert_eq!(said("my scirpt.py"), None, "a name may have spaces");
        assert_eq!(said("python"), None);
    }
}
