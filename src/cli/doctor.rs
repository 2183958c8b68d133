//! `pytead-tui doctor`: what works on this machine, for a person and for a bug report.

use std::io::IsTerminal;
use std::path::Path;

use serde::Serialize;

use crate::base::error::Trouble;
use crate::base::paths;
use crate::cli::args::Global;
use crate::cli::exit::OK;
use crate::cli::output::Output;
use crate::cli::start::{options, root_of};
use crate::compat::beside::{self, Beside};
use crate::config::places::Places;
use crate::contain::{self, Layer, Level};
use crate::domain::snapshot::{FileRow, Trust};
use crate::engine;
use crate::judge::{audit, lock};
use crate::llm::local;

/// Files with imports of a predecessor that are named.
const OLD_IMPORTS: usize = 5;

#[derive(Serialize)]
struct Finding {
    mark: &'static str,
    what: &'static str,
    detail: String,
}

/// Prints a line for each thing the product rests on.
pub async fn doctor(global: &Global) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let root = root_of(global, None)?;
    let options = options(global, root.clone(), false)?;
    let trust = options.trust;
    let provider = options.settings.model.provider.clone();
    let tests = options.settings.output.tests.clone();
    let mut findings = vec![
        note("version", env!("CARGO_PKG_VERSION").to_owned()),
        note("project", paths::tilde(&root)),
        match trust {
            Trust::Trusted => good("trust", "this folder's code may be run".into()),
            _ => note("trust", "only read; `pytead-tui trust` lets its code be run".into()),
        },
    ];
    let mut has_pytead = false;
    let handle = match engine::open(options).await {
        Ok(handle) => handle,
        Err(trouble) => {
            findings.push(bad("database", trouble.to_string()));
            print(&mut out, &findings);
            return Ok(trouble.exit_code());
        }
    };
    match handle.environment().await {
        Ok(found) => {
            findings.push(good("python", format!("{} {}", found.label, found.path)));
            findings.push(match found.pytest {
                Some(version) => good("pytest", version),
                None => bad("pytest", format!("not in {}; drafts cannot be proved without it", found.path)),
            });
            findings.push(plugin(found.packages.get("pytead_tui")));
            has_pytead = found.packages.contains_key("pytead");
            findings.extend(beside::packages(&found.packages, &found.path).into_iter().map(former));
        }
        Err(trouble) => findings.push(bad("python", trouble.to_string())),
    }
    findings.extend(beside::commands(std::env::var_os("PATH").as_ref(), &root).into_iter().map(former));
    findings.extend(beside::kept(&root).into_iter().map(former));
    let snapshot = handle.refreshed().await;
    if !has_pytead {
        let old = |row: &FileRow| beside::import(row.path.as_str(), &handle.source(&row.path).ok()?);
        findings.extend(snapshot.files.iter().filter(|row| !row.is_test).filter_map(old).take(OLD_IMPORTS).map(former));
    }
    findings.push(match snapshot.containment.as_str() {
        level if Level::from_word(level).is_some_and(Level::is_kernel) => good("containment", level.to_owned()),
        other => {
            let why = contain::probe().refused.iter().map(|(level, why)| format!("; {}: {why}", level.word()));
            bad("containment", format!("{other}: text by a model cannot be proved here{}", why.collect::<String>()))
        }
    });
    findings.push(recorded_tests());
    findings.push(match provider {
        Some(name) => match &snapshot.model {
            Some(label) => good("model", format!("{name}, {label}")),
            None => bad("model", format!("{name} cannot be asked; pytead-tui draft says why")),
        },
        None => note("model", "none chosen; drafts from recordings need none".into()),
    });
    findings.push(match local::program() {
        Ok(path) => good("local models", paths::tilde(&path)),
        Err(trouble) => note("local models", trouble.to_string()),
    });
    findings.push(note("terminal", terminal()));
    findings.push(note("database", handle.store_line()));
    findings.extend(handle.notes().iter().map(|trouble| bad("database", trouble.to_string())));
    let places = Places::find()?;
    for (what, place) in [("settings", &places.config), ("state and log", &places.state), ("cache", &places.cache)] {
        findings.push(note(what, paths::tilde(place)));
    }
    findings.push(note("to remove", leaving(&root, &tests)));
    handle.close().await;
    print(&mut out, &findings);
    Ok(OK)
}

fn print(out: &mut Output, findings: &[Finding]) {
    out.result("doctor", &findings);
    for finding in findings {
        out.say(format!("{} {:<14} {}", finding.mark, finding.what, finding.detail));
    }
}

/// Says whether recorded tests can run again in the sandbox.
fn recorded_tests() -> Finding {
    const WHAT: &str = "recorded tests";
    match contain::available_for_tests() {
        Ok(Layer::Overlay) => good(WHAT, "run again in the sandbox, on a private layer over the project".into()),
        Ok(Layer::Copy) => {
            note(WHAT, "run again in the sandbox, on a copy of the project: up to 64 MiB and 20,000 files for certain".into())
        }
        Err(why) => note(WHAT, format!("cannot run again in the sandbox: {why}")),
    }
}

/// Says whether `pytest` alone, as people type it, judges intents here.
fn plugin(installed: Option<&String>) -> Finding {
    const OWN: &str = env!("CARGO_PKG_VERSION");
    match installed {
        Some(version) if version == OWN => good("pytest plugin", format!("{version}; `pytest` judges tests with an intent")),
        Some(version) => bad("pytest plugin", format!("{version}, and this program is {OWN}: install both alike")),
        None => note("pytest plugin", "not installed; `pytest` judges no intent here, `pytead-tui check` does".into()),
    }
}

/// Says how what is ours in the project goes, and what in it is the person's own.
fn leaving(root: &Path, tests: &str) -> String {
    let yours: Vec<&str> =
        [tests, lock::PATH, audit::PATH].into_iter().filter(|path| root.join(path).symlink_metadata().is_ok()).collect();
    let kept = if yours.is_empty() { String::new() } else { format!("; {} you accepted, and may keep", yours.join(", ")) };
    format!("pytead-tui agent remove, pytead-tui trust --remove, then delete .pytead{kept}")
}

fn former(beside: Beside) -> Finding {
    note("predecessor", format!("{}: {}", beside.what, beside.line))
}

fn terminal() -> String {
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| "unset".into());
    let kind = if std::io::stdout().is_terminal() { "a terminal" } else { "no terminal" };
    format!("{kind}, TERM {}, COLORTERM {}, LANG {}", variable("TERM"), variable("COLORTERM"), variable("LANG"))
}

fn good(what: &'static str, detail: String) -> Finding {
    Finding { mark: "✓", what, detail }
}

fn bad(what: &'static str, detail: String) -> Finding {
    Finding { mark: "✗", what, detail }
}

fn note(what: &'static str, detail: String) -> Finding {
    Finding { mark: "◦", what, detail }
}
