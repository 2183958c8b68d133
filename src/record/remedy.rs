//! Reads the output of a program that failed: its last error line, and what you can do about it.

use crate::domain::call::ProgramEnd;

/// How a recorded program failed, and what helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The last line of its output that names an error, else its last line.
    pub line: Option<String>,
    /// What you can do.
    pub advice: String,
    /// A command for a shell that does it, if there is one.
    pub command: Option<String>,
}

/// Reads what a failed program printed. `python` is the interpreter as a shell finds it, `is_own` tells which top-level
/// modules belong to the project.
#[must_use]
pub fn read(end: &ProgramEnd, output: &[String], python: &str, is_own: impl Fn(&str) -> bool) -> Failure {
    if let ProgramEnd::NotStarted(why) = end {
        let advice = "Choose the interpreter: pytead-tui --python PATH. Or record another command.".into();
        return Failure { line: Some(why.clone()), advice, command: None };
    }
    let line = last_error(output);
    let missing = line.as_deref().and_then(missing_module);
    let (advice, command) = match missing {
        Some("pytest") => ("Install pytest for this Python.".to_owned(), Some(format!("{python} -m pip install pytest"))),
        Some(module) if is_own(module) => (
            format!("Install this project for its Python, so that it finds {module}."),
            Some(format!("{python} -m pip install -e .")),
        ),
        // The name that is imported may be another package's, so no command is made of it.
        Some(module) => (
            format!("Install the package that provides {module}, or choose a Python that has it: pytead-tui --python PATH."),
            None,
        ),
        None => ("Mend the program, or record another command.".to_owned(), None),
    };
    Failure { line, advice, command }
}

/// Finds the last line that names an error, else the last line with words on it.
fn last_error(output: &[String]) -> Option<String> {
    let clean = |line: &String| line.trim().strip_prefix("E ").unwrap_or(line.trim()).trim().to_owned();
    let names_error = |line: &String| {
        let name: String = line.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).collect();
        ["Error", "Exception", "Exit", "Interrupt", "Warning"].iter().any(|end| name.ends_with(end))
            || missing_module(line).is_some()
    };
    let lines = || output.iter().map(clean).filter(|line| line.chars().any(char::is_alphanumeric));
    lines().rfind(names_error).or_else(|| lines().next_back())
}

/// Gives the top-level module that an error line says is missing.
fn missing_module(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("No module named ")?;
    let name = rest.trim_start_matches(['\'', '"']);
    let name = &name[..name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len())];
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(output: &[&str]) -> Failure {
        let output: Vec<String> = output.iter().map(ToString::to_string).collect();
        read(&ProgramEnd::Exited(1), &output, ".venv/bin/python", |module| module == "shop")
    }

    #[test]
    fn a_missing_module_is_installed_by_the_command_that_fits_it() {
        let cases = [
            ("/x/bin/python: No module named pytest", Some("pytest")),
            ("ModuleNotFoundError: No module named 'shop.cart'", Some("-e .")),
            ("E   ModuleNotFoundError: No module named 'requests'", None),
        ];
        for (line, wanted) in cases {
            let shown = failure(&["collecting", line, "", "1 error in 0.12s"]);
            assert_eq!(shown.command, wanted.map(|what| format!(".venv/bin/python -m pip install {what}")), "{line}");
            assert!(shown.line.is_some_and(|shown| line.ends_with(&shown)), "{line}");
        }
        assert!(failure(&["No module named 'yaml'"]).advice.contains("provides yaml"));
    }

    #[test]
    fn the_last_error_line_is_found_above_a_summary() {
        let shown = failure(&["Traceback (most recent call last):", "  File \"a.py\"", "KeyError: 'price'", "=== 1 error ==="]);
        assert_eq!(shown.line.as_deref(), Some("KeyError: 'price'"));
        assert_eq!(shown.command, None);
        assert_eq!(failure(&["usage: main.py [-h]", " "]).line.as_deref(), Some("usage: main.py [-h]"));
        assert_eq!(failure(&[]).line, None);
    }

    #[test]
    fn a_program_that_did_not_start_leads_to_the_choice_of_the_interpreter() {
        let shown = read(&ProgramEnd::NotStarted("there is no pythn".into()), &[], "python3", |_| false);
        assert_eq!(shown.line.as_deref(), Some("there is no pythn"));
        assert!(shown.advice.contains("--python PATH"), "{}", shown.advice);
    }
}
