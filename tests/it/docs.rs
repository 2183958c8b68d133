//! What the pages say can be typed: each command they name is one the program knows, and runs. Figures are those that were
//! measured. What tutorials print is in `tutorials.rs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::harness::model::Model;
use crate::harness::{Place, script};
use crate::tutorials::is_tutorial;
use clap::Parser;
use pytead_tui::cli::args::Cli;
use pytead_tui::cli::former;

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("finetuning/README.md")];
    let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    // Made from the help itself.
    pages.extend(docs.filter(|page| page.extension().is_some_and(|end| end == "md") && !page.ends_with("verbs.md")));
    pages
}

/// Gives the commands that a page names: in code within a line, and as lines of code of their own, where two blanks end a
/// command and begin a remark. Those of transcripts are given on request.
fn commands(path: &Path, with_transcripts: bool) -> Vec<String> {
    let page = std::fs::read_to_string(path).unwrap();
    let mut found = Vec::new();
    let mut block = None;
    for line in page.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = if block.is_none() { Some(language) } else { None };
        }
        // Also as a step of a recipe for CI. A line of prose may begin with the program's name.
        let step = || line.trim_start().trim_start_matches("$ ").trim_start_matches("- ").trim_start_matches("run: ");
        let code = match block {
            Some("console") => line.strip_prefix("$ ").filter(|_| with_transcripts).unwrap_or(""),
            None if !line.starts_with("    ") => "",
            _ => step(),
        };
        if let Some(rest) = code.strip_prefix("pytead-tui ") {
            let ends = ["  ", " > ", " || "].into_iter().filter_map(|end| rest.find(end)).min();
            found.push(rest[..ends.unwrap_or(rest.len())].to_owned());
        }
        found.extend(line.split('`').skip(1).step_by(2).filter_map(|code| Some(code.strip_prefix("pytead-tui ")?.to_owned())));
    }
    found
}

/// Puts words in the places of those that stand for others: `[-l N]` becomes `-l 1`, `NODEID…` a word.
fn filled(command: &str) -> Vec<String> {
    let plain = command.replace(['[', ']'], "").replace("\\|", "|");
    let words = shlex::split(&plain).unwrap_or_else(|| panic!("{command}"));
    let fill = |word: String| match word.trim_end_matches('…') {
        "N" | "ID" => "1".to_owned(),
        "VERB" => "run".to_owned(),
        "" => word,
        // The branch that a request is to be merged into.
        branch if branch.starts_with("origin/$") => "main".to_owned(),
        word => word.split('|').next().unwrap().to_owned(),
    };
    words.into_iter().map(fill).filter(|word| !word.is_empty()).collect()
}

#[test]
fn every_picture_is_shown_once_and_the_readme_begins_with_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shown_by = |page: &Path| -> Vec<String> {
        let text = std::fs::read_to_string(page).unwrap();
        let pictures =
            text.split("![").skip(1).filter_map(|rest| rest.split_once("](")?.1.split_once("pictures/")?.1.split_once(')'));
        pictures.map(|(name, _)| name.to_owned()).collect()
    };
    let shown: Vec<String> = pages().iter().flat_map(|page| shown_by(page)).collect();
    let there = std::fs::read_dir(root.join("docs/pictures")).unwrap().map(|entry| entry.unwrap().file_name());
    // A recording lies beside the picture that is made of it, for those who play it in a terminal.
    let names = there.map(|name| name.into_string().unwrap());
    let (there, recordings): (BTreeSet<String>, BTreeSet<String>) = names.partition(|name| name.ends_with(".svg"));
    assert_eq!(recordings, ["first-draft.cast".to_owned()].into());
    assert_eq!(shown.len(), there.len(), "{shown:?}");
    assert_eq!(shown.into_iter().collect::<BTreeSet<_>>(), there);
    // One of each place that a number opens, one of a change, and one of the first draft.
    let places = ["review", "verdict", "specs", "runs", "log", "diff", "watch", "first-draft"];
    assert_eq!(there, places.map(|name| format!("{name}.svg")).into());
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.lines().take(6).any(|line| line.contains("](docs/pictures/watch.svg)")), "a reader sees a change first");
}

#[test]
fn every_figure_of_the_readme_is_one_that_was_measured() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cells = |line: &str| -> Option<Vec<String>> {
        let cells = line.strip_prefix('|')?.strip_suffix('|')?.split('|');
        Some(cells.map(|cell| cell.trim().to_owned()).collect())
    };
    let page = std::fs::read_to_string(root.join("docs/benchmarks.md")).unwrap();
    let measured: Vec<Vec<String>> = page.lines().filter_map(cells).collect();
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let (_, told) = readme.split_once("\n## Measured\n").unwrap();
    let told: Vec<Vec<String>> = told.lines().take_while(|line| !line.starts_with("## ")).filter_map(cells).skip(2).collect();
    assert!(told.len() > 5, "{told:?}");
    for row in told {
        assert!(measured.iter().any(|line| line.starts_with(&row)), "{row:?} is no row of docs/benchmarks.md");
    }
}

#[test]
fn every_command_that_a_page_names_is_one_the_program_knows() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for page in pages() {
        for command in commands(&page, true) {
            if command.starts_with("__") {
                continue;
            }
            seen += 1;
            let words = former::modern(std::iter::once("pytead-tui".to_owned()).chain(filled(&command)));
            if let Err(error) = Cli::try_parse_from(&words)
                && error.use_stderr()
            {
                wrong.push(format!("{}: pytead-tui {command}\n{error}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 60, "the pages name only {seen} commands");
}

/// What stands for something of one's own in a command, and what is typed for it.
const OWN: &[(&str, &str)] = &[
    ("[NODEID…] [-- PYTEST ARGS]", "tests/test_semantic.py -- -q"),
    ("NODEID", "tests/test_semantic.py::test_twice"),
    ("\"…\"", "'It is polite enough.'"),
    ("DESCRIPTION", "an address is kept"),
    ("FILE CONFIG.yaml -o DIR", "shop/pricing.py myconfig.yaml -o drafts"),
    ("module:function", "shop.pricing:shipping_for"),
    ("MODULE:FUNCTION", "shop.pricing:shipping_for"),
    ("[--limit N] -t FUNC", "--limit 5 -t shop.pricing:shipping_for"),
    ("import FOLDER", "import call_logs"),
    // Nobody is there to be asked.
    ("agent init claude --yes", "agent init claude"),
    ("agent init claude", "agent init claude --yes"),
    ("HOST", "models.example.org"),
    ("origin/main", "main"),
    ("model use ./mine.gguf", "model use demo"),
    ("model rm MODEL", "model rm owner/repository/file.gguf"),
];

/// What does not end, ends in a question, or is between processes: run by tests of their own.
const ELSEWHERE: &[&str] = &["", "watch", "review", "__contain LEVEL -- CMD", "diff --hook"];

/// Commands that end otherwise than with 0 on the example, and why.
const ENDS: &[(&str, i32)] = &[
    // Nothing is asked.
    ("draft shop.pricing:tax_for --show-outgoing", 0),
    // There is no network here.
    ("model get", 3),
    // Nothing of it is on this machine.
    ("model use owner", 3),
    ("model rm owner", 2),
    // Nothing waits there.
    ("review --reject", 2),
    // What the server here answers is no test in Python.
    ("draft ", 1),
];

/// The example with everything in it that the pages speak of.
fn told_of() -> (Place, Model) {
    let place = Place::example("shop");
    place.save("tests/test_semantic.py", include_str!("../fixtures/shop_intents.py"));
    place.save("tests/llm/test_kept.yaml", KEPT);
    place.save(
        "call_logs/call.gjson",
        r#"{"func": "shop.pricing.tax_for", "args_graph": [1, "DE"], "kwargs_graph": {}, "result_graph": 1}"#,
    );
    place.save("myconfig.yaml", "generation: {tests_per_function: 2}\n");
    place.commit();
    let model = Model::answers(&[&format!("```yaml\n{KEPT}```\n")]);
    std::fs::create_dir_all(place.home().join("config/pytead-tui")).unwrap();
    let config = model.config() + "judge: {ask: 'off'}\n";
    std::fs::write(place.home().join("config/pytead-tui/config.yaml"), config).unwrap();
    for words in [&["trust"][..], &["run", "--", "pytest", "-q", "tests/test_pricing.py"], &["gen", "--accept", "tax_for"]] {
        let (code, out, err) = place.run(words);
        assert_eq!(code, 0, "{out}{err}");
    }
    (place, model)
}

const KEPT: &str = "test:\n  name: A value is kept\nsteps:\n  - {tool: store_value, args: {name: a, value: 1}, check: \
                    \"result['stored'] == 'a'\"}\nverdict: {pass_if: all steps pass, fail_if: any step fails}\n";

#[test]
fn every_command_that_a_page_names_runs_on_the_example() {
    // The transcripts of tutorials are typed one after the other, by tests of their own.
    let named = pages().into_iter().flat_map(|page| commands(&page, !is_tutorial(&page)));
    let own = |command: String| OWN.iter().fold(command, |typed, (own, instead)| typed.replace(own, instead));
    let named: BTreeSet<String> = named.filter(|command| !ELSEWHERE.contains(&command.as_str())).map(own).collect();
    assert!(named.len() > 40, "{named:?}");
    let (place, _model) = told_of();
    let left = Mutex::new(named.into_iter().collect::<Vec<_>>());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        while let Some(typed) = { left.lock().unwrap().pop() } {
            let twin = place.twin();
            let words = filled(&typed);
            let run = twin
                .command(&words.iter().map(String::as_str).collect::<Vec<_>>())
                .env("HF_ENDPOINT", "http://127.0.0.1:9")
                .output();
            let output = run.unwrap();
            let expected = ENDS.iter().find(|(start, _)| typed.starts_with(start)).map_or(0, |(_, code)| *code);
            let said = [output.stdout, output.stderr].map(|out| String::from_utf8(out).unwrap()).concat();
            if output.status.code() != Some(expected) || said.contains("panicked") {
                wrong.lock().unwrap().push(format!("pytead-tui {typed}: {}, not {expected}\n{said}", output.status));
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Gives the shell lines of the recipes on the page about CI: the step that comments, and the whole job.
fn recipes(page: &str) -> [String; 2] {
    let block = |from: &str, to: &str| page.split(from).nth(1).unwrap().split(to).next().unwrap().to_owned();
    let step = block("        run: |\n", "        env:");
    let job = block("  script:\n", "  variables:");
    let lines =
        job.lines().map(|line| line.trim_start().strip_prefix("- ").unwrap_or_else(|| panic!("{line}")).to_owned() + "\n");
    [step, lines.collect()]
}

#[test]
fn the_recipes_for_ci_say_what_changed_also_when_tests_fail_and_fail_then() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci.md")).unwrap();
    let place = Place::example("shop");
    place.commit();
    place.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let programs = place.home().join("bin");
    std::fs::create_dir_all(&programs).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pytead-tui"), programs.join("pytead-tui")).unwrap();
    for name in ["pip", "gh"] {
        script(&programs.join(name), &format!("#!/bin/sh\necho \"$@\" >> \"$HOME/{name}\"\n"));
    }
    let run = |recipe: &str| {
        let variables = place.environment();
        let search = variables.iter().find(|(name, _)| name == "PATH").unwrap().1.clone();
        let mut shell = std::process::Command::new("bash");
        shell.args(["-eo", "pipefail", "-c", recipe]).current_dir(place.root()).env_clear().envs(variables);
        shell.env("PATH", format!("{}:{search}", programs.display())).env("CI", "true").env("NUMBER", "7");
        shell.env("GITHUB_BASE_REF", "main").env("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main");
        let output = shell.stdin(std::process::Stdio::null()).output().unwrap();
        let said = [output.stdout, output.stderr].map(|out| String::from_utf8_lossy(&out).into_owned()).concat();
        (output.status.code(), said)
    };
    for recipe in recipes(&page) {
        let (code, said) = run(&recipe);
        assert_eq!(code, Some(0), "a suite that passes: {said}");
        std::fs::remove_file(place.root().join("changes.md")).unwrap();
        place.edit("shop/pricing.py", "if total > FREE_FROM", "if total >= FREE_FROM");
        place.edit("shop/pricing.py", "\"IT\": Decimal(\"7.50\")", "\"IT\": Decimal(\"8.50\")");
        let (code, said) = run(&recipe);
        assert_eq!(code, Some(1), "a suite that fails: {said}");
        assert!(said.contains("failed"), "{said}");
        let changes = place.read("changes.md");
        assert!(changes.contains("shipping_for"), "{changes}\n{said}");
        place.git(&["checkout", "-q", "shop"]);
    }
    let comments = std::fs::read_to_string(place.home().join("gh")).unwrap();
    assert_eq!(comments, "pr comment 7 --body-file changes.md\n".repeat(2));
}

/// Gives the text of all sources with tests in them, Rust and Python.
fn sources() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = String::new();
    let mut folders: Vec<PathBuf> = ["src", "tests", "fuzz"].iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs" || end == "py") {
                // Some of them are in other encodings, as what they test.
                sources.push_str(&String::from_utf8_lossy(&std::fs::read(path).unwrap()));
            }
        }
    }
    sources
}

/// Gives the rows of a page's tables whose last column names tests: all that stands before, and the tests.
fn rows(page: &str) -> Vec<(String, Vec<String>)> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.rsplit_once(" | "));
    rows.map(|(head, tests)| (head.to_owned(), tests.split('`').skip(1).step_by(2).map(str::to_owned).collect())).collect()
}

fn are_there(named: &[&String]) {
    let sources = sources();
    let there = |name: &str| sources.contains(&format!("fn {name}(")) || sources.contains(&format!("def {name}("));
    let gone: Vec<_> = named.iter().filter(|name| !there(name)).collect();
    assert!(gone.is_empty(), "no such tests: {gone:?}");
}

#[test]
fn every_promise_names_tests_that_are_there() {
    let rows = rows("docs/promises.md");
    let named: Vec<&String> = rows.iter().flat_map(|(_, tests)| tests).collect();
    assert!(named.len() > 60, "{named:?}");
    are_there(&named);
}

#[test]
fn every_threat_names_tests_that_are_there() {
    let rows = rows("docs/security.md");
    let number = |head: &str| head.strip_prefix('S')?.split(' ').next()?.parse::<u32>().ok();
    let threats: Vec<_> = rows.iter().filter_map(|(head, tests)| Some((number(head)?, tests))).collect();
    assert_eq!(threats.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (1..=17).collect::<Vec<_>>());
    assert!(threats.iter().all(|(_, tests)| tests.len() >= 4), "{threats:?}");
    are_there(&threats.iter().flat_map(|(_, tests)| *tests).collect::<Vec<_>>());
}
