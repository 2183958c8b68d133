//! Pages and files that are made from the program's own tables: settings, keys, verbs, man page, completions. Each lies in
//! the repository as it comes out here; `PYTEAD_WRITE=1 cargo nextest run --test it reference::` writes them anew.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Command, CommandFactory};
use pytead_tui::cli::args::Cli;
use pytead_tui::config::schema::{Form, KEYS, Project, misspelt, of_variable};
use pytead_tui::domain::gap::GapKind;
use pytead_tui::domain::reason::ReasonCode;
use pytead_tui::domain::settings::Settings;
use pytead_tui::tui::action::{Action, Context, TABLE};
use pytead_tui::tui::keymap::Keymap;
use pytead_tui::tui::view::pickers::MARKS;

/// Holds a file of the repository against what it is made from.
fn agrees(path: &str, made: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("PYTEAD_WRITE").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, made).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == made, "{path} is not what the tables say; PYTEAD_WRITE=1 cargo nextest run --test it reference:: writes it");
}

/// Escapes what ends a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[test]
fn the_page_of_settings_is_the_table_of_settings() {
    let mut page = String::from(
        "# Settings\n\n\
        You change a setting in a file, an environment variable or a flag, and see which one applies:\n\n\
        ```console\n$ pytead-tui config show --origin\n```\n\n\
        | source, weakest first | |\n|---|---|\n\
        | built in | the column *default* below |\n\
        | yours | `~/.config/pytead-tui/config.yaml` |\n\
        | the project's | `.pytead/config.yaml` (or `.toml`, or `[tool.pytead]` in `pyproject.toml`) |\n\
        | the environment | `PYTEAD_<SECTION>_<KEY>`, as in `PYTEAD_RECORD_LIMIT=20` |\n\
        | the command line | a command's own flags |\n\n\
        [myconfig.yaml](../examples/myconfig.yaml) uses every key. The workbench reads these files when you save them. `python`, `record.exclude` and\n\
        `watch` (except `watch.judge`) wait for its next start, and a message says so. If a file has a mistake, the previous settings stay.\n\n\
        A project must not spend your money, send your keys or change your screen. So the column *a project may* limits its own file.\n",
    );
    let defaults = serde_json::to_value(Settings::default()).unwrap();
    let mut section = "";
    for key in KEYS {
        let (head, rest) = key.name.split_once('.').unwrap_or(("", key.name));
        if head != section {
            section = head;
            let heading = if head.is_empty() {
                "No section\n\nThese keys are at the left margin of the file: `network: loopback`. The variable is `PYTEAD_NETWORK`.".into()
            } else {
                format!("`{head}`")
            };
            let _ = write!(
                page,
                "\n## {heading}\n\n| key | takes | default | a project may | what it is for |\n|---|---|---|---|---|\n"
            );
        }
        let takes = match key.form {
            Form::Whole(least, most) => format!("{least} to {most}"),
            Form::Number(least, most) => format!("{least} to {most}, with fractions"),
            Form::Flag => "`true`, `false`".into(),
            Form::Text => "a text".into(),
            Form::Texts => "a list of texts".into(),
            Form::Word(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        };
        let may = match key.project {
            Project::Sets => "set it",
            Project::SetsWhenTrusted => "set it, once trusted",
            Project::Lowers => "lower it",
            Project::Raises => "raise it",
            Project::Adds => "add to it",
            Project::Nothing => "–",
        };
        let default = match defaults.pointer(&format!("/{}", key.name.replace('.', "/"))) {
            None | Some(serde_json::Value::Null) => "–".to_owned(),
            Some(value) => format!("`{value}`"),
        };
        let _ = writeln!(page, "| `{rest}` | {takes} | {default} | {may} | {} |", cell(key.doc));
    }
    agrees("docs/settings.md", &page);
}

#[test]
fn the_variables_that_the_page_of_settings_names_are_taken() {
    for key in KEYS {
        let name = key.name.replace('*', "mine");
        let variable = format!("PYTEAD_{}", name.replace('.', "_").to_uppercase());
        assert_eq!(of_variable(&variable), Ok(Some(name)), "{variable}");
    }
    assert_eq!(misspelt("PYTEAD_GENERAL_NETWORK").as_deref(), Some("PYTEAD_NETWORK"), "it was on the page once");
}

/// A variable that we set ourselves is never called a mistake.
#[test]
fn every_variable_that_the_sources_name_is_known() {
    fn look(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                look(&path, found);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let quoted = text.split('"').filter(|word| word.strip_prefix("PYTEAD_").is_some_and(|rest| !rest.is_empty()));
                found.extend(quoted.filter(|word| word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')).map(str::to_owned));
            }
        }
    }
    let mut found = Vec::new();
    for folder in ["src", "assets/python"] {
        look(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    // Of tests, and such as are no variables of anything.
    let odd = [
        "PYTEAD_WRITE",
        "PYTEAD_TEST_OTHER_LETTERS",
        "PYTEAD_TEST_ROOT",
        "PYTEAD_TEST_TERMINAL",
        "PYTEAD_GENERAL_NETWORK",
        "PYTEAD_NETWROK",
        "PYTEAD_WHATEVER_ELSE_THERE_IS",
    ];
    found.retain(|name| !odd.contains(&name.as_str()));
    assert!(found.len() > 20, "{found:?}");
    let unknown: Vec<_> = found.iter().filter(|name| misspelt(name).is_some()).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn the_page_of_keys_is_the_table_of_actions() {
    let mut page = String::from(
        "# Keys\n\n\
        You use the same keys in every pane, and you can change all of them. Write `~/.config/pytead-tui/keys.toml`:\n\n\
        ```toml\n[decide]\naccept = [\"a\", \"F2\"]\n\n[global]\nquit = [\"q\", \"Ctrl-q\"]\n```\n\n\
        | rule | |\n|---|---|\n\
        | a table | for each context: the word in brackets in the headings below |\n\
        | a name | from the second column, in quotes if it has more than one word |\n\
        | an empty list | frees the keys of an action |\n\
        | saving the file | changes the keys at once |\n\
        | a key with two meanings in one place | is reported, and the previous keys stay (at the start: the built-in ones) |\n\n\
        `?` shows the keys of the current place and the marks, and `:` finds any action by what it does. The last line of the screen shows the most useful keys.\n",
    );
    let all = [
        (Context::Decide, "Deciding, in Review"),
        (Context::Look, "Looking, in panes with code, calls or evidence"),
        (Context::Move, "Moving"),
        (Context::Global, "Everywhere"),
        (Context::Prompt, "Lines to type into"),
        (Context::InPlace, "Editing in place"),
        (Context::Layer, "Questions and boxes"),
    ];
    for (context, heading) in all {
        let _ =
            write!(page, "\n## {heading} (`{}`)\n\n| keys | name | action | what it does |\n|---|---|---|---|\n", context.name());
        for entry in TABLE.iter().filter(|entry| entry.context == context) {
            let keys: Vec<String> = entry.keys.iter().map(|key| format!("`{}`", cell(key))).collect();
            let _ =
                writeln!(page, "| {} | `{}` | {} | {} |", keys.join(" "), cell(entry.word), cell(entry.title), cell(entry.does));
        }
    }
    page.push_str("\n## Marks\n\n| mark | meaning |\n|---|---|\n");
    for (mark, _, means) in MARKS {
        let _ = writeln!(page, "| `{}` | {} |", cell(mark), cell(means));
    }
    let example = page.split("```").nth(1).and_then(|block| block.strip_prefix("toml\n")).unwrap();
    let keys = Keymap::with_changes(example).unwrap();
    assert_eq!(keys.keys_of(Action::Accept), ["a", "F2"], "the page's own example is taken");
    agrees("docs/keys.md", &page);
}

/// Gives the verbs that people see, and those of `agent`, `model` and the like below them.
fn verbs<'c>(command: &'c Command, above: &str, found: &mut Vec<(String, &'c Command)>) {
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let name = format!("{above} {}", verb.get_name());
        found.push((name.clone(), verb));
        verbs(verb, &name, found);
    }
}

#[test]
fn the_page_of_verbs_is_the_help_of_the_program() {
    let mut command = Cli::command().term_width(110);
    command.build();
    let mut page = String::from(
        "# Commands\n\n\
        You look up a command and its flags here. `pytead-tui COMMAND --help` prints the same text in your terminal.\n\n\
        ```console\n$ pytead-tui run --help\n```\n\n\
        | exit code | meaning |\n|---|---|\n\
        | 0 | success |\n\
        | 1 | the command judges, and found something; `replay` also for a syntax error in code that recorded calls can reach |\n\
        | 2 | a usage or configuration error |\n\
        | 3 | the machine lacks something, such as Python or your trust |\n\
        | 4 | `replay` and `diff`: no change found, and edited code was not compared |\n\
        | 130 | interrupted |\n\n\
        `run` and `tead` exit with the recorded program's own code. `doctor` always exits with 0: in scripts, read `doctor --format json`.\n\
        Every command accepts the flags of the first list. All but `completions` print JSON lines with `--format json` ([json.md](json.md)).\n\n## pytead-tui\n",
    );
    let help = |command: &Command| command.clone().render_long_help().to_string();
    let _ = write!(page, "\n```text\n{}\n```\n", help(&command).trim_end());
    let mut found = Vec::new();
    verbs(&command, "pytead-tui", &mut found);
    for (name, verb) in found {
        let everywhere: Vec<_> = verb.get_arguments().filter(|arg| arg.is_global_set()).map(|arg| arg.get_id().clone()).collect();
        let shown = everywhere.into_iter().fold(verb.clone(), |verb, id| verb.mut_arg(id, |arg| arg.hide(true)));
        let _ = write!(page, "\n## {name}\n\n```text\n{}\n```\n", help(&shown).trim_end());
    }
    agrees("docs/verbs.md", &page);
}

#[test]
fn the_man_page_and_the_completions_in_the_wheel_are_those_of_the_program() {
    let mut man = Vec::new();
    clap_mangen::Man::new(Cli::command()).date("").render(&mut man).unwrap();
    agrees("assets/wheel/data/share/man/man1/pytead-tui.1", &String::from_utf8(man).unwrap());
    for (shell, path) in [
        (clap_complete::Shell::Bash, "bash-completion/completions/pytead-tui"),
        (clap_complete::Shell::Zsh, "zsh/site-functions/_pytead-tui"),
        (clap_complete::Shell::Fish, "fish/vendor_completions.d/pytead-tui.fish"),
    ] {
        let mut words = Vec::new();
        clap_complete::generate(shell, &mut Cli::command(), "pytead-tui", &mut words);
        agrees(&format!("assets/wheel/data/share/{path}"), &String::from_utf8(words).unwrap());
    }
}

#[test]
fn the_page_of_reasons_is_the_table_of_codes() {
    let mut page = String::from(
        "# Reasons\n\n\
        You find out here why a recorded call is not replayed or a function has no test, and what you can do about it.\n\n\
        ```console\n$ pytead-tui gen --why tax_for\n```\n\n\
        The code never changes. `--format json` prints it as `why.code`. The message can change. `…` is a name or value that was found.\n\n\
        | code | message | what you can do |\n|---|---|---|\n",
    );
    for code in ReasonCode::ALL.iter().filter(|code| **code != ReasonCode::Legacy) {
        let reason = code.of("…").with("…");
        let keys = code.fix().split('`').filter_map(|word| word.split(':').next()).filter(|word| word.starts_with("generation."));
        keys.for_each(|key| assert!(KEYS.iter().any(|known| known.name == key), "{code}: {key} is no setting"));
        let _ = writeln!(page, "| <a id=\"{code}\"></a>`{code}` | {} | {} |", cell(&reason.message()), cell(&reason.fix()));
    }
    page.push_str("\n## What a recording left out\n\n| code | message |\n|---|---|\n");
    for kind in GapKind::ALL.iter().filter(|kind| **kind != GapKind::Other) {
        let _ = writeln!(page, "| `{}` | {} |", kind.code(), cell(&kind.of("…").to_string()));
    }
    agrees("docs/reasons.md", &page);
}
