//! L4: the verbs of the command line. Words become commands, results become lines or JSON; no business rules here.

mod agent;
pub mod args;
mod ask;
mod check;
mod clean;
mod completions;
mod config;
mod diff;
mod doc;
mod doctor;
mod draft;
mod events;
mod exit;
mod export;
pub mod former;
mod r#gen;
mod hook;
mod import;
mod index;
mod judge;
mod mcp;
mod model;
mod open;
pub mod output;
mod overriding;
mod person;
mod pytest;
mod reasons;
mod replay;
mod review;
mod run;
pub mod screen;
mod show;
mod spec;
mod spec_new;
mod start;
mod tead;
mod trust;
mod types;
mod watch;

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;

use crate::base::error::Trouble;
use crate::cli::args::{Cli, Format, SpecAction, SpecArgs, Verb};
use crate::cli::exit::OK;
use crate::cli::output::Output;
use crate::cli::screen::Screen;

/// Reads the arguments of this process; ends it where they are wrong, or ask for help.
#[must_use]
pub fn parse() -> Cli {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.iter().all(|word| word.to_str().is_some()) {
        let typed = words.iter().filter_map(|word| word.to_str().map(str::to_owned));
        words = former::modern(typed).into_iter().map(OsString::from).collect();
    }
    Cli::parse_from(asking_for_help(words))
}

/// Reads `help gen` as `gen --help`: a word before a command is a path otherwise.
fn asking_for_help(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    words
}

/// Does what was typed and gives the process exit code.
pub async fn dispatch(mut cli: Cli, screen: &impl Screen) -> u8 {
    let format = former::format(cli.global.format);
    cli.global.format = format;
    let beside = matches!(cli.verb, Some(Verb::Run(_) | Verb::Tead(_) | Verb::Trace2test(_) | Verb::Mcp));
    let only_diff = matches!(format, Format::Markdown | Format::Agent) && !matches!(cli.verb, Some(Verb::Diff(_)));
    let failed = |trouble: Trouble| {
        // Standard output belongs to a recorded program, or to a protocol: our failures go elsewhere.
        if beside {
            Output::beside(format, std::io::stderr()).trouble(&trouble);
        } else {
            Output::stdout(format).trouble(&trouble);
        }
        trouble.exit_code()
    };
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if let Err(trouble) = person::required(cli.verb.as_ref(), is_set) {
        return failed(trouble);
    }
    let elsewhere = cli.path.as_deref().filter(|_| cli.verb.is_some()).map(Path::display).map(|path| path.to_string());
    if let Some(path) = elsewhere {
        let trouble = Trouble::usage(format!("A command takes no path before it: {path}."));
        let why = "It works in the project of the current folder.";
        return failed(trouble.because(why).so(format!("Go there first: cd {path}, or leave {path} out.")));
    }
    let outcome = match cli.verb {
        _ if only_diff => Err(Trouble::usage("Only diff is printed as Markdown or for an agent.").so("Use human or json.")),
        None => open::open(&cli.global, cli.path, screen).await,
        Some(Verb::Run(args)) => run::run(&cli.global, args).await,
        Some(Verb::Gen(args)) => r#gen::generate(&cli.global, args).await,
        Some(Verb::Tead(args)) => tead::tead(&cli.global, args).await,
        Some(Verb::Replay(args)) => replay::replay(&cli.global, args).await,
        Some(Verb::Diff(args)) if args.hook => Ok(hook::hook(&cli.global, &args.reference).await),
        Some(Verb::Diff(args)) => diff::diff(&cli.global, args).await,
        Some(Verb::Agent(args)) => agent::agent(&cli.global, args.action).await,
        Some(Verb::Mcp) => mcp::mcp(&cli.global, screen).await,
        Some(Verb::Draft(args)) => draft::draft(&cli.global, args).await,
        Some(Verb::Model(args)) => model::model(&cli.global, args).await,
        Some(Verb::Types(args)) => types::types(&cli.global, args).await,
        Some(Verb::Doc(args)) => doc::doc(&cli.global, args).await,
        Some(Verb::Review(args)) => review::review(&cli.global, args, screen).await,
        Some(Verb::Watch) => watch::watch(&cli.global).await,
        Some(Verb::Import(args)) => import::import(&cli.global, args).await,
        Some(Verb::Judge(args)) => judge::judge(&cli.global, args).await,
        Some(Verb::Check(args)) => check::check(&cli.global, args).await,
        Some(Verb::Spec(SpecArgs { new: Some(SpecAction::New(args)), .. })) => spec_new::new(&cli.global, args).await,
        Some(Verb::Spec(args)) => spec::spec(&cli.global, args).await,
        Some(Verb::ServeSpecs) => spec::serve(&cli.global).await,
        Some(Verb::RelayTools { socket }) => screen.relay(&socket).await.map(|()| OK),
        Some(Verb::Export(args)) => export::export(&cli.global, args).await,
        Some(Verb::Index(args)) => index::index(&cli.global, args).await,
        Some(Verb::Clean(args)) => clean::clean(&cli.global, args).await,
        Some(Verb::Trust(args)) => trust::trust(&cli.global, &args),
        Some(Verb::Config(args)) => config::config(&cli.global, &args),
        Some(Verb::Trace2test(args)) => former::trace2test(&cli.global, args).await,
        Some(Verb::Gentests(args)) => former::gentests(&cli.global, args).await,
        Some(Verb::Doctor) => doctor::doctor(&cli.global).await,
        Some(Verb::Completions { shell }) => completions::print(shell),
    };
    outcome.unwrap_or_else(failed)
}
