//! From the settings to the one provider a person chose, or the sentence that says what is missing.

use std::sync::Arc;

use secrecy::SecretString;

use crate::base::error::Trouble;
use crate::base::paths::nearest;
use crate::base::text::display_line;
use crate::domain::settings::{Provider as Place, Settings};
use crate::llm::network::Route;
use crate::llm::openai::{Key, OpenAi, Patience};
use crate::llm::provider::Provider;

/// Variables that people have set for a certain host already, and that host; subdomains count.
const KEYS_OF_HOSTS: &[(&str, &str)] = &[
    ("OPENAI_API_KEY", "openai.com"),
    ("OPENROUTER_API_KEY", "openrouter.ai"),
    ("ANTHROPIC_API_KEY", "anthropic.com"),
    ("MISTRAL_API_KEY", "mistral.ai"),
    ("GROQ_API_KEY", "groq.com"),
    ("DEEPSEEK_API_KEY", "deepseek.com"),
    ("GEMINI_API_KEY", "googleapis.com"),
    ("GITHUB_TOKEN", "github.com"),
    ("HF_TOKEN", "huggingface.co"),
];

/// Finds the chosen provider. `variable` reads the environment.
///
/// # Errors
/// Fails with a sentence for people when none is chosen, when its entry is not complete, when the network setting or
/// the address stands against it, and when its key is missing or belongs to another host.
pub fn choose(settings: &Settings, variable: impl Fn(&str) -> Option<String>) -> Result<Arc<dyn Provider>, Trouble> {
    let (name, place) = chosen(settings)?;
    if place.kind != "openai" {
        return Err(Trouble::usage(format!(
            "providers.{name} is of the kind {}, which is not known.",
            display_line(&place.kind)
        ))
        .so("Use openai: most servers speak it."));
    }
    let model = settings.model.name.as_ref().unwrap_or(&place.model).trim();
    if model.is_empty() {
        return Err(Trouble::usage(format!("providers.{name} names no model."))
            .so(format!("Add providers.{name}.model to your own config.")));
    }
    let route = Route::open(settings.network, &place.base_url).map_err(|error| error.trouble())?;
    let key = place.key_env.as_deref().map(|name| key(name, &route, variable)).transpose()?;
    let patience = Patience::usual(route.is_local());
    Ok(Arc::new(OpenAi::new(route, model, key, place.concurrency, patience)))
}

fn chosen(settings: &Settings) -> Result<(String, &Place), Trouble> {
    let names = || settings.providers.keys().map(String::as_str);
    let Some(name) = &settings.model.provider else {
        return Err(if settings.providers.is_empty() {
            Trouble::environment("No model is set up.")
                .so("Name one in your own config: model.provider, and providers.<name> with base_url and model.")
        } else {
            let names: Vec<_> = names().map(display_line).collect();
            Trouble::environment("No model is chosen.")
                .so(format!("Set model.provider in your own config; there is {}.", names.join(", ")))
        });
    };
    let shown = display_line(name).into_owned();
    let place = settings.providers.get(name).ok_or_else(|| {
        let trouble = Trouble::usage(format!("model.provider is {shown}, and providers has no {shown}."));
        match nearest(name, names()).first() {
            Some(near) => trouble.so(format!("Nearest: {}.", display_line(near))),
            None => trouble.so(format!("Add providers.{shown} with base_url and model to your own config.")),
        }
    })?;
    Ok((shown, place))
}

/// Reads a key, and keeps it from going anywhere but where it belongs.
fn key(name: &str, route: &Route, variable: impl Fn(&str) -> Option<String>) -> Result<Key, Trouble> {
    let shown = display_line(name).into_owned();
    if let Some((_, host)) = KEYS_OF_HOSTS.iter().find(|(known, _)| *known == name)
        && !belongs(route.name(), host)
    {
        return Err(Trouble::usage(format!("{name} is a key for {host} and is not sent to {}.", route.host()))
            .so("Put the key of this host into a variable of its own, and name that one in key_env."));
    }
    if !route.is_private() {
        return Err(Trouble::usage(format!(
            "{shown} is not sent to {}: without https anybody on the way can read it.",
            route.host()
        ))
        .so("Use an https address in base_url."));
    }
    let secret = variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).ok_or_else(|| {
        Trouble::environment(format!("There is no key for {}: {shown} is not set.", route.host()))
            .so(format!("Set {shown}, or take key_env out when the server wants no key."))
    })?;
    Ok(Key { variable: shown, secret: SecretString::from(secret) })
}

fn belongs(name: &str, host: &str) -> bool {
    name.strip_suffix(host).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
