//! `pytead-tui model`: the language models of this machine, got, chosen, listed, removed.

use std::io::{IsTerminal, Write};
use std::path::Path;

use serde::Serialize;

use crate::base::error::Trouble;
use crate::base::{paths, text, yaml};
use crate::cli::args::{Global, Model, ModelAction};
use crate::cli::ask;
use crate::cli::exit::{FINDINGS, INTERRUPTED, OK};
use crate::cli::output::Output;
use crate::cli::start::{root_of, settings, somebody_is_there, trust_of};
use crate::config::layers::CHOSEN;
use crate::config::places::Places;
use crate::domain::settings::{CLAUDE_CODE, LOCAL, Settings};
use crate::llm::demo;
use crate::llm::gguf::Gguf;
use crate::llm::hub::download::{Hub, LARGE, Progress};
use crate::llm::hub::{self, Cache, Wanted};
use crate::llm::local;

/// Lists, gets, chooses or removes a model.
pub async fn model(global: &Global, args: Model) -> Result<u8, Trouble> {
    let root = root_of(global, None)?;
    let settings = settings(global, &root, trust_of(global, &root)?)?.settings;
    let cache = Cache::find(variable)?;
    let mut out = Output::stdout(global.format);
    match args.action.unwrap_or(ModelAction::List) {
        ModelAction::List => list(&mut out, &settings, &cache),
        ModelAction::Get { model, yes } => get(global, &mut out, &settings, &cache, model, yes).await,
        ModelAction::Use { model } => choose(&mut out, &cache, &model),
        ModelAction::Rm { model } => {
            if model == demo::NAME {
                return Err(built_in());
            }
            let wanted = Wanted::parse(&model)?;
            let bytes = cache.remove(&wanted)?;
            out.result("removed", &serde_json::json!({ "model": model, "bytes": bytes }));
            out.say(format!("Removed {wanted}: {} are free again.", text::bytes(bytes)));
            Ok(OK)
        }
    }
}

fn built_in() -> Trouble {
    Trouble::usage("The demo model is a part of this program.").so("To have it asked: pytead-tui model use demo.")
}

pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A model of this machine, for people and as JSON.
#[derive(Serialize)]
struct Here {
    model: String,
    path: String,
    bytes: u64,
    chosen: bool,
    /// What it is, or why it cannot be used.
    about: String,
}

fn list(out: &mut Output, settings: &Settings, cache: &Cache) -> Result<u8, Trouble> {
    let chosen = chosen(settings);
    let mut models: Vec<(String, std::path::PathBuf)> =
        cache.list().into_iter().map(|(wanted, path)| (wanted.to_string(), path)).collect();
    if let Some(name) = &chosen
        && !models.iter().any(|(model, _)| model == name)
        && let Ok(path) = hub::locate(name, cache)
    {
        models.push((name.clone(), path));
    }
    let here: Vec<Here> = models
        .into_iter()
        .map(|(model, path)| {
            let (bytes, about) = match Gguf::read(&path) {
                Ok(head) => (head.bytes, format!("{}, {} tokens of context", head.architecture, head.context)),
                Err(trouble) => (0, trouble.what.to_string()),
            };
            Here { chosen: chosen.as_ref() == Some(&model), path: path.display().to_string(), model, bytes, about }
        })
        .collect();
    out.result("models", &here);
    for model in &here {
        let mark = if model.chosen { "●" } else { " " };
        out.say(format!("{mark} {}  {}, {}", text::display_line(&model.model), text::bytes(model.bytes), model.about));
    }
    if !here.iter().any(|model| model.model == demo::NAME) {
        out.say("  demo  built in: only arranges recorded calls, to show the way (pytead-tui model use demo)");
    }
    if here.is_empty() {
        out.say(format!("No other model is in {}.", paths::tilde(cache.folder())));
        out.say(format!("pytead-tui model get brings {}.", hub::USUAL));
    } else if !here.iter().any(|model| model.chosen) {
        out.say("None of them is asked: pytead-tui model use MODEL chooses one.");
    }
    Ok(OK)
}

/// Gives the name of the local model that is chosen.
pub(super) fn chosen(settings: &Settings) -> Option<String> {
    let provider = settings.model.provider.as_ref()?;
    let name = match settings.providers.get(provider) {
        Some(place) if place.kind == LOCAL => settings.model.name.clone().unwrap_or_else(|| place.model.clone()),
        Some(_) => return None,
        None if provider == LOCAL => settings.model.name.clone().unwrap_or_default(),
        None => return None,
    };
    Some(if name.is_empty() { hub::USUAL.into() } else { name })
}

async fn get(
    global: &Global,
    out: &mut Output,
    settings: &Settings,
    cache: &Cache,
    model: Option<String>,
    yes: bool,
) -> Result<u8, Trouble> {
    if model.as_deref() == Some(demo::NAME) {
        return Err(built_in());
    }
    let wanted = Wanted::parse(model.as_deref().unwrap_or(hub::USUAL))?;
    if let Some(path) = cache.file(&wanted) {
        out.result("model", &serde_json::json!({ "model": wanted.to_string(), "path": path }));
        out.say(format!("{wanted} is here: {}.", paths::tilde(&path)));
        return Ok(OK);
    }
    let source = Hub::find(settings.network, variable);
    let (wanted, offer) = source.find_offer(model.as_deref(), cache).await?;
    let missing = offer.size - offer.here;
    if missing > LARGE && !yes {
        let size = text::bytes(missing);
        if !somebody_is_there(global) {
            return Err(Trouble::usage(format!("{wanted} would be {size} to get.")).so("Say so with --yes."));
        }
        if !matches!(ask::ask(&format!("Get {size} of {wanted}? y yes   n no > ")).await?.as_deref(), Some("y" | "yes")) {
            out.say("Nothing was got.");
            return Ok(FINDINGS);
        }
    }
    let live = !out.is_json() && std::io::stderr().is_terminal();
    let got = tokio::select! {
        got = source.get(&wanted, &offer, cache, |progress| tell(progress, live)) => got,
        _ = tokio::signal::ctrl_c() => {
            end_line(live);
            out.say("Stopped. What is here is kept: the same command goes on.");
            return Ok(INTERRUPTED);
        }
    };
    end_line(live);
    let path = got?;
    out.result("model", &serde_json::json!({ "model": wanted.to_string(), "path": path }));
    out.say(format!("{wanted} is here: {}.", paths::tilde(&path)));
    if chosen(settings).as_deref() != Some(&wanted.to_string()) {
        out.say(format!("To have it asked for drafts: pytead-tui model use {wanted}"));
    }
    Ok(OK)
}

/// Writes one line over and over, on the error stream: standard output is for results.
fn tell(progress: Progress, live: bool) {
    if !live {
        return;
    }
    let percent = progress.done * 100 / progress.size.max(1);
    let left = progress.left.map_or_else(String::new, |left| format!(", {}:{:02} left", left / 60, left % 60));
    let (done, size, rate) = (text::bytes(progress.done), text::bytes(progress.size), text::bytes(progress.rate));
    // A terminal that is gone needs no progress.
    let _ = write!(std::io::stderr(), "\r\x1b[K{percent} %  {done} of {size}, {rate}/s{left}");
}

fn end_line(live: bool) {
    if live {
        let _ = writeln!(std::io::stderr());
    }
}

/// Chooses a model by a file of our own, so that the person's own file stays as it is written.
fn choose(out: &mut Output, cache: &Cache, model: &str) -> Result<u8, Trouble> {
    if model == CLAUDE_CODE {
        let file = keep_choice(&serde_json::json!({ "model": { "provider": CLAUDE_CODE } }))?;
        out.result("chosen", &serde_json::json!({ "model": model, "file": file }));
        out.say(format!("Claude Code is asked for drafts and by the judge from now on ({}).", paths::tilde(&file)));
        return Ok(OK);
    }
    let path = hub::locate(model, cache)?;
    let head = Gguf::read(&path)?;
    let name = match model {
        demo::NAME => model.to_owned(),
        path_typed if hub::is_path(path_typed) => path.display().to_string(),
        wanted => Wanted::parse(wanted)?.to_string(),
    };
    // The kind as well: a server of the person's may have the same name.
    let file = keep_choice(&serde_json::json!({
        "model": { "provider": LOCAL, "name": name },
        "providers": { LOCAL: { "kind": LOCAL } },
    }))?;
    out.result("chosen", &serde_json::json!({ "model": name, "file": file }));
    let name = text::display_line(&name);
    out.say(format!("{name} is asked for drafts from now on ({}, {}).", head.architecture, paths::tilde(&file)));
    if let Err(trouble) = local::program() {
        out.trouble(&trouble);
    }
    Ok(OK)
}

/// Writes the settings of a choice into the file for it, and gives that.
fn keep_choice(settings: &serde_json::Value) -> Result<std::path::PathBuf, Trouble> {
    let folder = Places::find()?.config;
    Places::ensure(&folder)?;
    let file = folder.join(CHOSEN);
    let chosen = yaml::write(settings).map_err(|error| Trouble::internal("The choice cannot be written.").because(error))?;
    write(&file, &format!("# Written by `pytead-tui model use`; without this file, config.yaml decides.\n{chosen}"))?;
    Ok(file)
}

fn write(path: &Path, text: &str) -> Result<(), Trouble> {
    let not = |error: std::io::Error| {
        Trouble::environment(format!("{} cannot be written.", paths::tilde(path))).because(format!("{error}."))
    };
    let beside = path.with_extension("tmp~");
    std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path)).map_err(not)
}
