//! The README's example and the tutorials do what they print: their files are written and their commands typed, one after the
//! other, in a folder that is empty or has the example shop.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Place, environment_with, python_with};

/// Tells whether the transcripts of a page are typed here, in their order.
pub fn is_tutorial(page: &Path) -> bool {
    let name = page.file_name().unwrap().to_str().unwrap();
    let is_top = page.parent() == Some(Path::new(env!("CARGO_MANIFEST_DIR")));
    is_top && name == "README.md" || name == "first-steps.md" || name.starts_with("tutorial-")
}

/// Gives the steps of a page: what is pasted whole with no output, and what is typed with the lines that it prints.
fn steps(page: &str) -> Vec<(String, Vec<String>)> {
    let mut steps: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = None;
    for line in page.lines() {
        match (inside, line) {
            (None, "```sh") => {
                inside = Some("sh");
                steps.push((String::new(), Vec::new()));
            }
            (None, "```console") => inside = Some("console"),
            (Some(_), "```") => inside = None,
            (Some("sh"), line) => steps.last_mut().unwrap().0.push_str(&format!("{line}\n")),
            (Some(_), line) => match line.strip_prefix("$ ") {
                Some(command) => steps.push((command.to_owned(), Vec::new())),
                None => steps.last_mut().unwrap().1.push(line.to_owned()),
            },
            (None, _) => {}
        }
    }
    steps
}

/// Types a page, with the interpreter named first on the path, and holds what is printed against it.
fn type_page(page: &str, place: &Place, python: &Path) {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
    let programs = place.home().join("bin");
    std::fs::create_dir_all(&programs).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pytead-tui"), programs.join("pytead-tui")).unwrap();
    let variables = place.environment();
    let search = &variables.iter().find(|(name, _)| name == "PATH").unwrap().1;
    let search = format!("{}:{}:{search}", programs.display(), python.parent().unwrap().display());
    let identity = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"];
    let steps = steps(&text);
    assert!(steps.len() >= 6, "{page} has only {} steps", steps.len());
    for (command, expected) in steps {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &command]).current_dir(place.root()).env_clear().envs(variables.clone()).env("PATH", &search);
        let output = shell.envs(identity.map(|name| (name, "ada@example.org"))).stdin(Stdio::null()).output().unwrap();
        let said = [output.stdout, output.stderr].map(|out| String::from_utf8(out).unwrap()).concat();
        let mut left: Vec<&str> = said.lines().collect();
        for line in expected.iter().filter(|line| !matches!(line.trim(), "" | "…")) {
            let at = left.iter().position(|said| is_like(said.trim_end(), line));
            let at = at.unwrap_or_else(|| panic!("{page}\n$ {command}\nhas no line like\n{line}\nit said\n{said}"));
            left.drain(..=at);
        }
        assert!(!said.contains("panicked"), "{said}");
    }
}

/// Tells whether a line is as the page has it, where `…` is any text.
fn is_like(line: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('…');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let mut last = "";
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        (rest, last) = (&rest[at + part.len()..], part);
    }
    rest.is_empty() || (pattern.ends_with('…') && last.is_empty())
}

#[test]
fn the_example_of_the_readme_works_in_an_empty_folder() {
    type_page("README.md", &Place::empty(), &python_with("pytest"));
}

#[test]
fn the_first_steps_print_what_the_page_shows() {
    let place = Place::example("shop");
    place.commit();
    type_page("docs/first-steps.md", &place, &python_with("pytest"));
}

#[test]
fn the_tutorial_with_an_agent_prints_what_the_page_shows() {
    type_page("docs/tutorial-agent.md", &Place::empty(), &python_with("pytest"));
}

#[test]
fn the_tutorial_with_pandas_prints_what_the_page_shows() {
    type_page("docs/tutorial-pandas.md", &Place::empty(), &python_with("pandas"));
}

#[test]
fn the_tutorial_with_flask_prints_what_the_page_shows() {
    let place = Place::empty();
    let python = environment_with(&["web"]);
    type_page("docs/tutorial-flask.md", &place, Path::new(&python));
}

#[test]
fn every_tutorial_is_typed_by_a_test() {
    let own = include_str!("tutorials.rs");
    let docs = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")).unwrap();
    let pages: Vec<_> = docs.map(|entry| entry.unwrap().path()).filter(|page| is_tutorial(page)).collect();
    assert!(pages.len() >= 4, "{pages:?}");
    for page in pages {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(own.contains(&format!("type_page(\"docs/{name}\"")), "no test types {name}");
    }
}

#[test]
fn a_page_that_prints_something_else_is_found() {
    assert!(is_like("86 passed in 0.4s", "86 passed in …") && is_like("a b c", "…b…") && is_like("same", "same"));
    assert!(!is_like("85 passed in 0.4s", "86 passed in …") && !is_like("a b c", "…b") && !is_like("same", "sam"));
    let page = "```sh\ncat >a <<'END'\nx\nEND\n```\ntext\n```console\n$ cat a\nx\n$ true\n```\n";
    let expected = [("cat >a <<'END'\nx\nEND\n", vec![]), ("cat a", vec!["x"]), ("true", vec![])];
    let found = steps(page);
    let found: Vec<_> =
        found.iter().map(|(command, lines)| (command.as_str(), lines.iter().map(String::as_str).collect())).collect();
    assert_eq!(found, expected);
}
