//! From the settings to the one provider a person chose, or the sentence that says what is missing.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::paths::{RelPath, nearest};
use crate::base::text::display_line;
use crate::domain::settings::{Answers, CLAUDE_CODE, COMMAND, Generation, LOCAL, Network, OPENAI, Provider as Place, Settings};
use crate::llm::cassette::{Cassette, Folder};
use crate::llm::claude_code::{ADDRESS, ADDRESS_VARIABLE, ClaudeCode};
use crate::llm::command::Commanded;
use crate::llm::demo;
use crate::llm::hub::{self, Cache};
use crate::llm::key;
use crate::llm::local::protocol::Sampling;
use crate::llm::local::{Knobs, Local};
use crate::llm::network::Route;
use crate::llm::openai::{OpenAi, Patience};
use crate::llm::pool::Pool;
use crate::llm::provider::Provider;

/// Finds the chosen provider, with recorded answers in its place or beside it where the settings say so. `root` is the
/// project's, `allowed` tells whether a person lets this host be sent to, `variable` reads the environment.
///
/// # Errors
/// Fails with a sentence for people when none is chosen, when its entry is not complete, when the network setting or
/// the address stands against it, and when its key is missing or belongs to another host.
pub fn choose(
    settings: &Settings,
    root: &Path,
    allowed: impl Fn(&str) -> bool,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Arc<dyn Provider>, Trouble> {
    let mode = answers(settings, &variable);
    if mode == Answers::Off {
        return asked(settings, allowed, variable);
    }
    let below = RelPath::new(&settings.model.answers_folder)
        .ok_or_else(|| Trouble::usage("model.answers_folder is no folder of the project.").so("Name a folder below the root."))?;
    let folder = Folder::new(root, below);
    Ok(Arc::new(match mode {
        Answers::Replay => Cassette::alone(folder, settings.model.name.as_deref(), settings.model.answers.is_none()),
        mode => Cassette::around(asked(settings, allowed, variable)?, folder, mode),
    }))
}

/// Tells what is done with recorded answers: what the settings say, or else what is usual here.
#[must_use]
pub fn answers(settings: &Settings, variable: impl Fn(&str) -> Option<String>) -> Answers {
    settings.model.answers.unwrap_or_else(|| if in_ci(variable) { Answers::Replay } else { Answers::Off })
}

/// Tells whether this is a build server, as all of them say it.
fn in_ci(variable: impl Fn(&str) -> Option<String>) -> bool {
    variable("CI").is_some_and(|value| !matches!(value.trim().to_lowercase().as_str(), "" | "0" | "false"))
}

/// Finds the provider that is really asked.
fn asked(
    settings: &Settings,
    allowed: impl Fn(&str) -> bool,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Arc<dyn Provider>, Trouble> {
    let (name, place) = chosen(settings)?;
    if place.kind == LOCAL {
        return local(settings, &place, variable);
    }
    let model = settings.model.name.as_ref().unwrap_or(&place.model).trim();
    match place.kind.as_str() {
        OPENAI => served(settings, &name, &place, model, allowed, variable),
        CLAUDE_CODE => {
            let address = variable(ADDRESS_VARIABLE).unwrap_or_else(|| ADDRESS.into());
            let route = opened(settings.network, &address, &allowed)?;
            Ok(Arc::new(
                ClaudeCode::new(&place.command, route, model, place.concurrency).sampling(sampling(&settings.generation)),
            ))
        }
        COMMAND if place.command.is_empty() => Err(Trouble::usage(format!("providers.{name} names no command."))
            .so(format!("Add providers.{name}.command to your own config: the program and its arguments."))),
        COMMAND => {
            let sampling = sampling(&settings.generation);
            Commanded::new(settings.network, &place.command, model, sampling, place.concurrency, allowed)
                .map(|provider| Arc::new(provider) as Arc<dyn Provider>)
                .map_err(|error| error.trouble())
        }
        other => Err(Trouble::usage(format!("providers.{name} is of the kind {}, which is not known.", display_line(other)))
            .so("Use openai, which most servers speak, local, claude_code or command.")),
    }
}

/// Finds Claude Code for tests that it drives: the entry of the chosen provider where that is one of its kind, else the only
/// one of its kind, else as it is without an entry.
///
/// # Errors
/// Fails with a sentence for people when the network setting or the address stands against it.
pub fn agent(
    settings: &Settings,
    allowed: impl Fn(&str) -> bool,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<ClaudeCode, Trouble> {
    let entry = |name: &String| settings.providers.get(name).filter(|place| place.kind == CLAUDE_CODE);
    let named = [&settings.judge.provider, &settings.model.provider].into_iter().flatten().find_map(entry);
    let place = named.or_else(|| settings.providers.values().find(|place| place.kind == CLAUDE_CODE)).cloned();
    let place = place.unwrap_or_else(|| Place { kind: CLAUDE_CODE.into(), ..Place::default() });
    let address = variable(ADDRESS_VARIABLE).unwrap_or_else(|| ADDRESS.into());
    let route = opened(settings.network, &address, &allowed)?;
    Ok(ClaudeCode::new(&place.command, route, place.model.trim(), place.concurrency))
}

/// Lets an address through the gate.
fn opened(network: Network, address: &str, allowed: &impl Fn(&str) -> bool) -> Result<Route, Trouble> {
    let route = Route::open(network, address).map_err(|error| error.trouble())?;
    Ok(if allowed(route.host()) { route.allow() } else { route })
}

/// Makes the provider of an OpenAI-compatible server, or of several that serve one model.
fn served(
    settings: &Settings,
    name: &str,
    place: &Place,
    model: &str,
    allowed: impl Fn(&str) -> bool,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Arc<dyn Provider>, Trouble> {
    if model.is_empty() {
        return Err(Trouble::usage(format!("providers.{name} names no model."))
            .so(format!("Add providers.{name}.model to your own config.")));
    }
    // Of several, those named first are preferred; the base is one of them.
    let base = Some(&place.base_url).filter(|base| !base.is_empty() || place.endpoints.is_empty());
    let several = !place.endpoints.is_empty();
    let mut providers: Vec<Arc<dyn Provider>> = base
        .into_iter()
        .chain(&place.endpoints)
        .map(|address| {
            let route = opened(settings.network, address, &allowed)?;
            let key = place.key_env.as_deref().map(|name| key::read(name, &route, &variable)).transpose()?;
            let usual = Patience::usual(route.is_local());
            let patience = Patience { tries: if several { 1 } else { usual.tries }, ..usual };
            let provider = OpenAi::new(route, model, key, place.concurrency, patience);
            Ok(Arc::new(provider.sampling(sampling(&settings.generation))) as Arc<dyn Provider>)
        })
        .collect::<Result<_, Trouble>>()?;
    Ok(if several { Arc::new(Pool::new(providers)) } else { providers.remove(0) })
}

fn sampling(generation: &Generation) -> Sampling {
    Sampling {
        temperature: generation.temperature,
        top_p: generation.top_p,
        repeat_penalty: generation.repeat_penalty,
        seed: generation.seed,
    }
}

/// Tells whether the demo model is the chosen one: it is asked in a form of its own.
#[must_use]
pub fn is_demo(settings: &Settings) -> bool {
    chosen(settings)
        .is_ok_and(|(_, place)| place.kind == LOCAL && settings.model.name.as_ref().unwrap_or(&place.model).trim() == demo::NAME)
}

/// Makes the provider of a model on this machine; the file has to be here.
fn local(settings: &Settings, place: &Place, variable: impl Fn(&str) -> Option<String>) -> Result<Arc<dyn Provider>, Trouble> {
    let name = settings.model.name.as_ref().unwrap_or(&place.model).trim();
    let name = if name.is_empty() { hub::USUAL } else { name };
    let path = hub::locate(name, &Cache::find(variable)?)?;
    let sampling = sampling(&settings.generation);
    let knobs = Knobs { sampling, context: settings.hardware.context, threads: settings.hardware.threads };
    Ok(Arc::new(Local::new(&path, knobs).chosen_as(name)))
}

/// Finds the chosen place; `local` needs no entry of its own.
fn chosen(settings: &Settings) -> Result<(String, Cow<'_, Place>), Trouble> {
    let names = || settings.providers.keys().map(String::as_str);
    let Some(name) = &settings.model.provider else {
        return Err(if settings.providers.is_empty() {
            Trouble::usage("No model is set up.").so("For one on this machine: pytead-tui model get, then pytead-tui model use. \
                 For a server: model.provider in your own config, and providers.<name> with base_url and model.")
        } else {
            let names: Vec<_> = names().map(display_line).collect();
            Trouble::usage("No model is chosen.")
                .so(format!("Set model.provider in your own config; there is {}.", names.join(", ")))
        });
    };
    let shown = display_line(name).into_owned();
    // These two need nothing said about them.
    if [LOCAL, CLAUDE_CODE].contains(&name.as_str()) && !settings.providers.contains_key(name) {
        return Ok((shown, Cow::Owned(Place { kind: name.clone(), ..Place::default() })));
    }
    let place = settings.providers.get(name).ok_or_else(|| {
        let trouble = Trouble::usage(format!("model.provider is {shown}, and providers has no {shown}."));
        match nearest(name, names()).first() {
            Some(near) => trouble.so(format!("Nearest: {}.", display_line(near))),
            None => trouble.so(format!("Add providers.{shown} with base_url and model to your own config.")),
        }
    })?;
    Ok((shown, Cow::Borrowed(place)))
}

#[cfg(test)]
mod tests {
    use super::{choose as choose_at, *};
    use crate::domain::settings::Network;

    fn settings(base_url: &str, key_env: Option<&str>) -> Settings {
        let mut settings = Settings { network: Network::On, ..Settings::default() };
        settings.model.provider = Some("mine".into());
        let place =
            Place { base_url: base_url.into(), model: "coder".into(), key_env: key_env.map(Into::into), ..Place::default() };
        settings.providers.insert("mine".into(), place);
        settings
    }

    fn choose(
        settings: &Settings,
        allowed: impl Fn(&str) -> bool,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn Provider>, Trouble> {
        choose_at(settings, Path::new("/project"), allowed, variable)
    }

    fn said(settings: &Settings) -> String {
        choose(settings, |_| false, |name| (name == "SET").then(|| " secret \n".to_owned())).err().unwrap().to_string()
    }

    #[test]
    fn the_chosen_one_is_found() {
        let provider = choose(&settings("http://localhost:8080/v1", None), |_| false, |_| None).unwrap();
        assert_eq!((provider.model(), provider.host(), provider.is_local()), ("coder", "localhost:8080", true));
        let mut other = settings("https://api.example.com/v1", Some("SET"));
        other.model.name = Some("larger".into());
        let provider = choose(&other, |_| false, |name| (name != "CI").then(|| "secret".into())).unwrap();
        assert_eq!((provider.model(), provider.host(), provider.is_local()), ("larger", "api.example.com", false));
        assert!(!provider.is_allowed(), "a host is sent to only with a person's word");
        let provider = choose(&other, |host| host == "api.example.com", |name| (name != "CI").then(|| "secret".into())).unwrap();
        assert!(provider.is_allowed());
    }

    #[test]
    fn nothing_is_used_that_nobody_chose() {
        let none = Settings::default();
        assert!(said(&none).starts_with("No model is set up."), "{}", said(&none));
        let mut unchosen = settings("http://localhost:1", None);
        unchosen.model.provider = None;
        assert_eq!(said(&unchosen), "No model is chosen. Set model.provider in your own config; there is mine.");
        unchosen.model.provider = Some("mien".into());
        assert_eq!(said(&unchosen), "model.provider is mien, and providers has no mien. Nearest: mine.");
    }

    #[test]
    fn recorded_answers_need_no_provider_and_are_usual_in_ci() {
        let ci = |name: &str| (name == "CI").then(|| "true".to_owned());
        let replayed = choose(&Settings::default(), |_| false, ci).unwrap();
        assert_eq!((replayed.host(), replayed.is_allowed()), ("recorded answers", true));
        let mut asks = settings("http://localhost:8080/v1", None);
        asks.model.answers = Some(Answers::Off);
        assert_eq!(choose(&asks, |_| false, ci).unwrap().host(), "localhost:8080");
        for mode in [Answers::Record, Answers::Live] {
            asks.model.answers = Some(mode);
            assert_eq!(choose(&asks, |_| false, |_| None).unwrap().host(), "localhost:8080");
            let none = Settings { model: asks.model.clone(), ..Settings::default() };
            assert!(choose(&none, |_| false, |_| None).is_err(), "somebody has to be asked");
        }
    }

    #[test]
    fn an_incomplete_entry_says_what_is_missing() {
        let mut kind = settings("http://localhost:1", None);
        kind.providers.get_mut("mine").unwrap().kind = "grpc".into();
        assert!(said(&kind).contains("kind grpc"), "{}", said(&kind));
        let mut model = settings("http://localhost:1", None);
        model.providers.get_mut("mine").unwrap().model.clear();
        assert!(said(&model).contains("providers.mine.model"), "{}", said(&model));
        assert!(said(&settings("", None)).contains("base_url"));
        assert!(said(&settings("https://api.example.com", Some("UNSET"))).contains("UNSET is not set"));
    }

    #[test]
    fn a_key_goes_only_where_it_belongs() {
        let there = |base_url| said(&settings(base_url, Some("OPENAI_API_KEY")));
        for thief in ["http://127.0.0.1:9999", "https://openai.com.example.org", "https://notopenai.com"] {
            assert!(there(thief).contains("is a key for openai.com and is not sent to"), "{thief}");
        }
        let home = settings("https://api.openai.com/v1", Some("OPENAI_API_KEY"));
        assert!(choose(&home, |_| false, |name| (name != "CI").then(|| "key".into())).is_ok());
        let second = settings("https://models.github.ai/inference", Some("GITHUB_TOKEN"));
        assert!(choose(&second, |_| false, |name| (name != "CI").then(|| "key".into())).is_ok());
        let open = settings("http://example.com/v1", Some("SET"));
        assert!(said(&open).contains("without https"), "{}", said(&open));
    }
}
