//! The verbs and flags that the predecessor had: `trace2test`, `gentests`, and flags that say what they mean today.

use std::io::Write;
use std::path::Path;

use crate::base::error::Trouble;
use crate::base::paths::tilde;
use crate::base::text;
use crate::base::typed::Typed;
use crate::cli::args::{Format, Former, Gen, Gentests, Global, Run, Trace2test};
use crate::cli::output::{self, Output};
use crate::cli::{r#gen, import, run};
use crate::compat::{generator, graph_out, spelling};
use crate::domain::call::Recording;
use crate::engine::Handle;

/// Names under which this program is one of the old verbs.
const PROGRAMS: &[&str] = &["trace2test", "gentests"];
/// Where old traces lie when nobody says otherwise.
const CALL_LOGS: &str = "call_logs";
/// Where `gentests` writes when nobody says otherwise.
const TESTS: &str = "tests/test_pytead_generated.py";

/// Puts old words into today's: the name of the program, then what was typed.
pub fn modern(mut words: impl Iterator<Item = String>) -> Vec<String> {
    let program = words.next().unwrap_or_default();
    let name = Path::new(&program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let verb = PROGRAMS.contains(&name).then(|| name.to_owned());
    // So that the help speaks of the program there is.
    let program = if verb.is_some() { "pytead-tui".to_owned() } else { program.clone() };
    std::iter::once(program).chain(spelling::modern(verb.into_iter().chain(words).collect())).collect()
}

/// Gives the format of today; says so where an old one was asked for.
pub fn format(asked: Format) -> Format {
    if !matches!(asked, Format::Pickle | Format::GraphJson) {
        return asked;
    }
    output::complain(&Trouble::usage("--format names no storage any more.").because("Recordings have one form."));
    Format::Human
}

/// `trace2test FUNC… -- CMD`: a recording of these functions.
pub async fn trace2test(global: &Global, args: Trace2test) -> Result<u8, Trouble> {
    let run = Run {
        check: false,
        limit: args.limit,
        targets: args.functions,
        journey: false,
        events: None,
        former: args.former,
        command: args.command,
    };
    run::run(global, run).await
}

/// `gentests`: old traces are taken in where there are any, then all that is recorded becomes one file of tests.
pub async fn gentests(global: &Global, args: Gentests) -> Result<u8, Trouble> {
    let mut former = args.former;
    if former.storage_dir.is_none() && Path::new(CALL_LOGS).is_dir() {
        former.storage_dir = Some(CALL_LOGS.into());
    }
    let output = Some(args.output.unwrap_or_else(|| TESTS.into()));
    r#gen::generate(global, Gen { output, former, ..Gen::default() }).await
}

impl Former {
    /// Writes the calls of a recording into the folder that was named, as traces.
    ///
    /// # Errors
    /// Fails when they cannot be read or written.
    pub fn hand_out(&self, handle: &Handle, out: &mut Output, recording: &Recording) -> Result<(), Trouble> {
        let Some(folder) = &self.storage_dir else { return Ok(()) };
        let not = |error: std::io::Error| {
            Trouble::environment(format!("{} cannot be written.", tilde(folder))).because(format!("{error}."))
        };
        let root = handle.snapshot().root.clone();
        let place = Typed::new(&root, folder).and_then(|typed| typed.folder()).map_err(not)?;
        let (mut written, mut left) = (0, 0);
        for call in handle.recorded_calls(recording.id)? {
            let plain = handle.function(&call.function).is_some_and(|function| !function.is_async && !function.is_generator);
            let Some(entry) = graph_out::entry(&call, recording.started).filter(|_| plain) else {
                left += 1;
                continue;
            };
            let file = place.file(&graph_out::name(&call)).and_then(|file| file.set_len(0).map(|()| file));
            file.and_then(|mut file| file.write_all(entry.as_bytes())).map_err(not)?;
            written += 1;
        }
        let more = if left > 0 {
            format!(" {} have no form there and are in .pytead alone.", text::thousands(left))
        } else {
            String::new()
        };
        out.say(format!("pytead-tui: wrote {} to {}.{more}", text::count(written, "trace"), tilde(folder)));
        Ok(())
    }

    /// Says what flags of the past mean.
    pub fn explain(&self) {
        if !self.gen_formats.is_empty() {
            output::complain(&Trouble::usage("--gen-formats is not used.").because("Tests have one form: plain pytest."));
        }
    }

    /// Takes in the old traces of the folder that was named, where they are newer than what was taken in before.
    ///
    /// # Errors
    /// Fails when they cannot be stored.
    pub async fn take_in(&self, handle: &Handle, out: &mut Output) -> Result<(), Trouble> {
        self.explain();
        let Some(folder) = &self.storage_dir else { return Ok(()) };
        if !folder.exists() {
            let name = text::display_line(&folder.display().to_string()).into_owned();
            out.say(format!("There is no {name}: what pytead-tui recorded is drafted."));
            return Ok(());
        }
        match handle.import_news(folder.clone()).await? {
            Some(imported) => import::report(out, &imported),
            None => out.say("All old traces there were taken in before."),
        }
        Ok(())
    }
}

/// Writes the index of classes as pytest-generator did, and checks one that was given: ours is read anew each time, so
/// there is nothing to take from it.
pub async fn indexes(handle: &Handle, out: &mut Output, save: Option<&Path>, load: Option<&Path>) -> Result<(), Trouble> {
    if let Some(path) = load {
        let wrong = |why: String| Trouble::usage(format!("{} is no index.", tilde(path))).because(format!("{why}."));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        generator::check_index(&text).map_err(wrong)?;
        out.say(format!("{} is not needed: the index is read anew each time.", tilde(path)));
    }
    if let Some(path) = save {
        let snapshot = handle.refreshed().await;
        let functions: Vec<_> = snapshot.functions.iter().filter_map(|row| handle.function(&row.id)).collect();
        let index = generator::index(&snapshot.root, &functions);
        let not =
            |error: String| Trouble::environment(format!("{} cannot be written.", tilde(path))).because(format!("{error}."));
        let text = serde_json::to_string_pretty(&index).map_err(|error| not(error.to_string()))?;
        let mut file =
            Typed::new(&snapshot.root, path).and_then(|typed| typed.create()).map_err(|error| not(error.to_string()))?;
        file.write_all((text + "\n").as_bytes()).map_err(|error| not(error.to_string()))?;
        out.say(format!("Wrote {}.", tilde(path)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_called_as_an_old_command_is_that_verb() {
        let typed = |words: &[&str]| modern(words.iter().map(|word| (*word).to_owned())).join(" ");
        assert_eq!(typed(&["/bin/trace2test", "m.f", "--", "main.py"]), "pytead-tui trace2test m.f -- main.py");
        assert_eq!(typed(&["gentests"]), "pytead-tui gentests");
        assert_eq!(typed(&["/bin/pytead-tui", "run", "m.f", "--", "a.py"]), "/bin/pytead-tui run -t m.f -- a.py");
        assert_eq!(typed(&[]), "");
    }
}
