//! What a verb starts with: the project it is about, its settings, what is trusted, and the engine.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::CommandFactory;

use crate::base::error::Trouble;
use crate::base::paths::{nearest, tilde};
use crate::base::text;
use crate::base::typed::Typed;
use crate::cli::args::{Cli, Format, Global};
use crate::cli::output::{self, Output};
use crate::compat::{self, semantic};
use crate::config::layers::{self, Flag, Former, Layers, Loaded};
use crate::config::places::Places;
use crate::config::project;
use crate::config::trust::TrustList;
use crate::domain::question::Consent;
use crate::domain::snapshot::Trust;
use crate::engine::{self, Handle, Options};

/// How long the files are read without a word.
const LONG: Duration = Duration::from_secs(4);

/// Finds the project a verb is about.
pub(super) fn root_of(global: &Global, path: Option<PathBuf>) -> Result<PathBuf, Trouble> {
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

/// Prints beside a recorded program, which has standard output for itself: on the error stream, or in a file.
///
/// # Errors
/// Fails when the file cannot be made.
pub(super) fn beside_a_program(global: &Global, file: Option<&Path>) -> Result<Output, Trouble> {
    let Some(path) = file else { return Ok(Output::beside(global.format, std::io::stderr())) };
    let root = root_of(global, None)?;
    let events = Typed::new(&root, path).and_then(|typed| typed.create()).map_err(|error| {
        Trouble::usage(format!("The events cannot be written to {}.", text::display_line(&path.display().to_string())))
            .because(error)
    })?;
    Ok(Output::beside(global.format, events))
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
pub(super) fn settings(global: &Global, root: &Path, trust: Trust) -> Result<Loaded, Trouble> {
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
pub(super) fn trust_of(global: &Global, root: &Path) -> Result<Trust, Trouble> {
    let list = TrustList::in_folder(&Places::find()?.state);
    Ok(if global.trust { Trust::Trusted } else { list.of(root) })
}

/// Tells what was allowed in a folder besides running its code; `PYTEAD_SEND_TO` adds hosts for this call.
pub(super) fn consent_of(root: &Path) -> Result<Consent, Trouble> {
    let mut consent = TrustList::in_folder(&Places::find()?.state).consent(root);
    let named = std::env::var("PYTEAD_SEND_TO").unwrap_or_default();
    consent.send_to.extend(named.split([',', ' ']).filter(|host| !host.is_empty()).map(str::to_ascii_lowercase));
    Ok(consent)
}

/// Tells whether a verb can ask a person: questions are no JSON, and go to the error stream.
pub(super) fn somebody_is_there(global: &Global) -> bool {
    global.format == Format::Human && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Gives what the engine needs to open the project a verb is about. Wrong settings end everything but the workbench.
pub(super) fn options(global: &Global, root: PathBuf, watch: bool) -> Result<Options, Trouble> {
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
pub(super) async fn opened(options: Options, out: &mut Output) -> Result<Handle, Trouble> {
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
pub(super) async fn engine(global: &Global, out: &mut Output) -> Result<Handle, Trouble> {
    opened(options(global, root_of(global, None)?, false)?, out).await
}

/// Opens the engine on a folder whose code may be run.
///
/// # Errors
/// Fails in an untrusted folder with the command that trusts it.
pub(super) async fn trusted_engine(global: &Global, out: &mut Output) -> Result<Handle, Trouble> {
    let options = options(global, root_of(global, None)?, false)?;
    engine::require_trust(&options.root, options.trust)?;
    opened(options, out).await
}
