//! Keys: read from the variable that a provider names, and kept from going anywhere but where they belong.

use secrecy::SecretString;

use crate::base::error::Trouble;
use crate::base::text::display_line;
use crate::llm::network::{Route, belongs};

/// A key and where it came from.
#[derive(Debug, Clone)]
pub struct Key {
    /// The variable it was read from.
    pub variable: String,
    /// The key.
    pub secret: SecretString,
}

/// Variables that people have set for a certain host already, and that host; subdomains count.
const KEYS_OF_HOSTS: &[(&str, &str)] = &[
    ("OPENAI_API_KEY", "openai.com"),
    ("OPENROUTER_API_KEY", "openrouter.ai"),
    ("ANTHROPIC_API_KEY", "anthropic.com"),
    ("MISTRAL_API_KEY", "mistral.ai"),
    ("GROQ_API_KEY", "groq.com"),
    ("DEEPSEEK_API_KEY", "deepseek.com"),
    ("GEMINI_API_KEY", "googleapis.com"),
    ("GITHUB_TOKEN", "github.ai"),
    ("GITHUB_TOKEN", "github.com"),
    ("HF_TOKEN", "huggingface.co"),
];

/// Reads a key for a host.
///
/// # Errors
/// Fails where the key is another host's, where anybody on the way could read it, and where there is none.
pub(crate) fn read(name: &str, route: &Route, variable: impl Fn(&str) -> Option<String>) -> Result<Key, Trouble> {
    let shown = display_line(name).into_owned();
    let hosts: Vec<&str> = KEYS_OF_HOSTS.iter().filter(|(known, _)| *known == name).map(|(_, host)| *host).collect();
    if let Some(host) = hosts.first()
        && !hosts.iter().any(|host| belongs(route.name(), host))
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
