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
mod replay;
mod review;
mod run;
mod show;
mod spec;
mod spec_new;
mod tead;
mod trust;
mod types;
mod watch;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{CommandFactory, Parser};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::base::error::Trouble;
use crate::base::paths::{nearest, tilde};
use crate::base::text;
use crate::cli::args::{Cli, Format, Global, SpecAction, SpecArgs, Verb};
use crate::cli::output::Output;
use crate::compat::{self, semantic};
use crate::config::layers::{self, Flag, Former, Layers, Loaded};
use crate::config::places::Places;
use crate::config::project;
use crate::config::trust::TrustList;
use crate::domain::event::Event;
use crate::domain::question::Consent;
use crate::domain::settings;
use crate::domain::snapshot::Trust;
use crate::engine::{self, Handle, Options};

/// How long the files are read without a word.
const LONG: Duration = Duration::from_secs(4);

/// Ends with success.
pub const OK: u8 = 0;
/// Ends a verb that judges: it found something.
pub const FINDINGS: u8 = 1;
/// Ends where the command line or the settings are wrong.
pub const WRONG: u8 = 2;
/// Ends after an interrupt.
pub const INTERRUPTED: u8 = 130;

/// Longest wait for what was interrupted to come to its end.
const LAST_STEPS: Duration = Duration::from_secs(10);

/// What the verbs need of the other front ends, which they do not know.
pub trait Screen {
    /// Refuses to open where nobody could see or press anything.
    ///
    /// # Errors
    /// Fails when standard input or output is no terminal.
    fn require_terminal(&self) -> Result<(), Trouble>;

    /// Opens the workbench and stays until the person leaves.
    fn open(&self, handle: Handle, settings: settings::Tui) -> impl Future<Output = Result<(), Trouble>>;

    /// Serves a coding agent on standard input and output until it leaves. `project` gives what to open, anew each time.
    fn serve(
        &self,
        project: impl Fn() -> Result<Options, Trouble> + Send + Sync + 'static,
    ) -> impl Future<Output = Result<(), Trouble>>;

    /// Relays between an agent on standard input and output and the tools of a YAML test behind a socket.
    fn relay(&self, socket: &Path) -> impl Future<Output = Result<(), Trouble>>;

    /// Lets a person edit a text in their editor and gives what became of it.
    fn edit(&self, text: &str) -> impl Future<Output = Result<String, Trouble>>;
}

/// Reads the arguments of this process; ends it where they are wrong, or ask for help.
#[must_use]
pub fn parse() -> Cli {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.iter().all(|word| word.to_str().is_some()) {
        let typed = words.iter().filter_map(|word| word.to_str().map(str::to_owned));
        words = former::modern(typed).into_iter().map(OsString::from).collect();
    }
    Cli::parse_from(words)
}

/// Does what was typed and gives the process exit code.
pub async fn dispatch(mut cli: Cli, screen: &impl Screen) -> u8 {
    let format = former::format(cli.global.format);
    cli.global.format = format;
    let beside = matches!(cli.verb, Some(Verb::Run(_) | Verb::Tead(_) | Verb::Trace2test(_) | Verb::Mcp));
    let only_diff = matches!(format, Format::Markdown | Format::Agent) && !matches!(cli.verb, Some(Verb::Diff(_)));
    let failed = |trouble: Trouble| {
        // Standard output belongs to a recorded program, or to a protocol: our failures go elsewhere.
        match Output::beside_a_program(format, None).ok().filter(|_| beside) {
            Some(mut out) => out.trouble(&trouble),
            None => Output::stdout(format).trouble(&trouble),
        }
        trouble.exit_code()
    };
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if let Err(trouble) = person::required(cli.verb.as_ref(), is_set) {
        return failed(trouble);
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

/// Finds the project a verb is about.
fn root_of(global: &Global, path: Option<PathBuf>) -> Result<PathBuf, Trouble> {
    if let Some(exact) = global.root.as_ref().or(path.as_ref()) {
        let real = exact.canonicalize().ok().filter(|real| real.is_dir());
        return real.ok_or_else(|| {
            let name = exact.display().to_string();
            let trouble = Trouble::usage(format!("There is no folder {}.", text::display_line(&name)));
            // A word alone may have been meant for a verb.
            let verbs = Cli::command();
            match nearest(&name, verbs.get_subcommands().map(clap::Command::get_name)).first() {
                Some(verb) => trouble.so(format!("Did you mean the verb {verb}?")),
                None => trouble,
            }
        });
    }
    let here = std::env::current_dir()
        .map_err(|error| Trouble::environment("The current folder cannot be read.").because(format!("{error}.")))?;
    Ok(project::find_root(&here))
}

/// Finds where the settings of a project are.
fn layers_of(global: &Global, root: &Path, trust: Trust) -> Result<Layers, Trouble> {
    let python = global.python.as_ref().map(|path| Flag { name: "python".into(), value: path.clone(), flag: "--python".into() });
    let variables: Vec<(String, String)> =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect();
    Ok(Layers {
        user: Some(Places::find()?.config),
        former_user: compat::settings::user_file(&variables),
        former: Some(Former { sections: compat::settings::SECTIONS, renamed: compat::settings::renamed }),
        root: Some(root.to_owned()),
        trust: Some(trust),
        variables,
        given: global.given.clone().map(|path| (path, compat::generator::modern as fn(_) -> _)),
        flags: python.into_iter().chain(global.flags.iter().cloned()).collect(),
    })
}

/// Reads the settings of a project.
fn settings(global: &Global, root: &Path, trust: Trust) -> Result<Loaded, Trouble> {
    let mut loaded = layers::load(&layers_of(global, root, trust)?);
    let chosen = &mut loaded.settings.model.provider;
    if chosen.is_none() {
        // What the predecessor's variables say comes below all of ours.
        let file = (trust == Trust::Trusted).then(|| semantic::file(root));
        if let Some(provider) = semantic::provider(|name| std::env::var(name).ok(), file.as_ref()) {
            *chosen = Some(semantic::NAME.into());
            loaded.settings.providers.insert(semantic::NAME.into(), provider);
        }
    }
    Ok(loaded)
}

/// Tells whether a verb may run the project's code.
fn trust_of(global: &Global, root: &Path) -> Result<Trust, Trouble> {
    let list = TrustList::in_folder(&Places::find()?.state);
    Ok(if global.trust { Trust::Trusted } else { list.of(root) })
}

/// Tells what was allowed in a folder besides running its code; `PYTEAD_SEND_TO` adds hosts for this call.
fn consent_of(root: &Path) -> Result<Consent, Trouble> {
    let mut consent = TrustList::in_folder(&Places::find()?.state).consent(root);
    let named = std::env::var("PYTEAD_SEND_TO").unwrap_or_default();
    consent.send_to.extend(named.split([',', ' ']).filter(|host| !host.is_empty()).map(str::to_ascii_lowercase));
    Ok(consent)
}

/// Tells whether a verb can ask a person: questions are no JSON, and go to the error stream.
fn somebody_is_there(global: &Global) -> bool {
    global.format == Format::Human && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Gives what the engine needs to open the project a verb is about. Wrong settings end everything but the workbench.
fn options(global: &Global, root: PathBuf, watch: bool) -> Result<Options, Trouble> {
    let trust = trust_of(global, &root)?;
    let consent = consent_of(&root)?;
    let loaded = settings(global, &root, trust)?;
    let attended = somebody_is_there(global);
    let workbench = watch && global.format == Format::Human && std::io::stdout().is_terminal();
    if !workbench {
        loaded.warnings.iter().chain(loaded.mistakes.iter().skip(1)).for_each(output::complain);
        if let Some(mistake) = loaded.mistakes.first() {
            return Err(mistake.clone());
        }
    }
    let settings_from = if watch { Some(settings_from(global, &root)?) } else { None };
    let notes = if workbench { loaded.mistakes.into_iter().chain(loaded.warnings).collect() } else { Vec::new() };
    Ok(Options { root, settings: loaded.settings, trust, consent, attended, watch, notes, settings_from })
}

/// Tells the engine how to read the settings again.
fn settings_from(global: &Global, root: &Path) -> Result<engine::handle::settings_reload::Source, Trouble> {
    let own = Places::find()?.config;
    let mut files = layers_of(global, root, Trust::Unknown)?.files();
    files.extend([own.join("keys.toml"), own.join("themes")]);
    let (global, root) = (global.clone(), root.to_owned());
    Ok(engine::handle::settings_reload::Source { files, read: std::sync::Arc::new(move |trust| settings(&global, &root, trust)) })
}

/// Opens the engine and says what went wrong on the way.
async fn opened(options: Options, out: &mut Output) -> Result<Handle, Trouble> {
    let root = tilde(&options.root);
    let mut opening = std::pin::pin!(engine::open(options));
    let handle = match tokio::time::timeout(LONG, &mut opening).await {
        Ok(handle) => handle?,
        Err(_) => {
            output::note(&format!("Reading the files of {root}. Where that is not one project, name its folder with --root."));
            opening.await?
        }
    };
    handle.notes().iter().for_each(|note| out.trouble(note));
    Ok(handle)
}

/// Opens the engine on the project a verb is about, without watching it.
async fn engine(global: &Global, out: &mut Output) -> Result<Handle, Trouble> {
    opened(options(global, root_of(global, None)?, false)?, out).await
}

/// Opens the engine on a folder whose code may be run.
///
/// # Errors
/// Fails in an untrusted folder with the command that trusts it.
async fn trusted_engine(global: &Global, out: &mut Output) -> Result<Handle, Trouble> {
    let options = options(global, root_of(global, None)?, false)?;
    engine::require_trust(&options.root, options.trust)?;
    opened(options, out).await
}

/// Does something while its events are printed, those it leaves behind included.
async fn with_events<T>(handle: &Handle, out: &mut Output, work: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    let mut events = handle.subscribe();
    tokio::pin!(work);
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            event = events.recv() => match event {
                Ok(event) => {
                    out.event(&event);
                    match event {
                        Event::Asked { question, .. } => tokio::select! {
                            answered = ask::question(handle, question) => answered?,
                            () = handle.stopped() => {}
                        },
                        Event::Failed { trouble } if !out.is_json() => output::complain(&trouble),
                        _ => {}
                    }
                }
                // Events are hints; what was missed is in the result.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break work.await,
            },
        }
    };
    handle.refreshed().await;
    loop {
        match events.try_recv() {
            Ok(event) => {
                out.event(&event);
                if let Event::Failed { trouble } = event
                    && !out.is_json()
                {
                    output::complain(&trouble);
                }
            }
            Err(TryRecvError::Lagged(_)) => {}
            Err(_) => return done,
        }
    }
}

/// As [`with_events`], and ends with `None` on Ctrl-C, with everything stopped.
async fn interruptible<T>(
    handle: &Handle,
    out: &mut Output,
    work: impl Future<Output = Result<T, Trouble>>,
) -> Result<Option<T>, Trouble> {
    {
        let mut work = std::pin::pin!(with_events(handle, out, work));
        tokio::select! {
            done = &mut work => return done.map(Some),
            _ = tokio::signal::ctrl_c() => handle.stop(),
        }
        // What is in the middle of its proof says so to others on this project; who cannot wait for that presses it again.
        tokio::select! {
            _ = tokio::time::timeout(LAST_STEPS, &mut work) => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }
    handle.close().await;
    Ok(None)
}
