//! The variables of the predecessor that judged (`SEMANTIC_MODEL`, `SEMANTIC_PROVIDER`, `SEMANTIC_BASE_URL`), from the
//! environment and, in trusted folders, from the project's `.env`, as a provider of ours.
//!
//! A key goes only where it was meant for: one from the environment to the hosts that are known for it, one from `.env`
//! to the address in the same file, or to such a host. Where neither holds, none is sent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::domain::settings::{OPENAI, Provider};

/// The name the provider gets.
pub const NAME: &str = "semantic";
/// Stands before the name of a variable that is read from `.env`.
pub const FROM_FILE: &str = ".env:";
/// Largest `.env` that is read, in bytes.
const FILE_MAX: u64 = 64 << 10;

/// Services by the names it knew: where they are, and the variable of their key.
const SERVICES: &[(&str, &str, Option<&str>)] = &[
    ("openrouter", "https://openrouter.ai/api/v1", Some("OPENROUTER_API_KEY")),
    ("ollama", "http://localhost:11434/v1", None),
    ("openai", "https://api.openai.com/v1", Some("OPENAI_API_KEY")),
];

/// Finds the provider that the variables describe; `None` where they name no model. `file` is the project's `.env`, left
/// out where the folder is not trusted.
#[must_use]
pub fn provider(variable: impl Fn(&str) -> Option<String>, file: Option<&BTreeMap<String, String>>) -> Option<Provider> {
    let own = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let there = |name: &str| file.and_then(|file| file.get(name)).filter(|value| !value.is_empty()).cloned();
    let model = own("SEMANTIC_MODEL").or_else(|| there("SEMANTIC_MODEL"))?;
    let named = own("SEMANTIC_PROVIDER").or_else(|| there("SEMANTIC_PROVIDER")).map(|name| name.to_lowercase());
    let routed = ["openrouter/", "minimax/"].iter().any(|prefix| model.starts_with(prefix));
    let name = named.unwrap_or_else(|| if routed { "openrouter".into() } else { "openai".into() });
    // Any other name was taken for OpenAI.
    let &(service, usual, key) = SERVICES.iter().find(|(known, ..)| *known == name).or(SERVICES.last())?;
    let own_base = own("SEMANTIC_BASE_URL");
    let base = own_base.clone().or_else(|| there("SEMANTIC_BASE_URL"));
    let base_url = base.clone().unwrap_or_else(|| usual.to_owned());
    let key_env = key.and_then(|key| {
        let at_home = host(&base_url) == host(usual);
        let from_file = base.is_some() && own_base.is_none();
        match (own(key), there(key)) {
            (Some(_), _) if at_home => Some(key.to_owned()),
            (_, Some(_)) if at_home || from_file => Some(format!("{FROM_FILE}{key}")),
            _ => None,
        }
    });
    // The service itself calls `openrouter/vendor/model` by its vendor.
    let model = model.strip_prefix("openrouter/").filter(|rest| service == "openrouter" && rest.contains('/')).unwrap_or(&model);
    Some(Provider { kind: OPENAI.into(), base_url, model: model.to_owned(), key_env, ..Provider::default() })
}

/// Reads a project's `.env`, the nearest from the current folder up to the root: `NAME=value` lines, `export` and quotes taken off. What is no such line is passed over.
#[must_use]
pub fn file(root: &Path) -> BTreeMap<String, String> {
    let here = std::env::current_dir().ok().filter(|here| here.starts_with(root)).unwrap_or_else(|| root.to_owned());
    let folders = here.ancestors().take_while(|folder| folder.starts_with(root));
    let is_there = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok();
    let path = folders.map(|folder| folder.join(".env")).find(is_there).unwrap_or_else(|| root.join(".env"));
    let readable = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() <= FILE_MAX);
    let text = if readable { std::fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    text.lines().filter_map(line).collect()
}

fn line(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let value = value.trim();
    let value = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value.split(" #").next().unwrap_or_default().trim_end(),
    };
    is_name.then(|| (name.to_owned(), value.to_owned()))
}

/// Gives the host of an address.
fn host(address: &str) -> Option<String> {
    let rest = address.split_once("://")?.1;
    let host = rest.split(['/', '?', '#']).next()?;
    Some(host.rsplit('@').next()?.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(own: &[(&str, &str)], file: Option<&[(&str, &str)]>) -> Option<Provider> {
        let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let (own, file) = (map(own), file.map(map));
        provider(|name| own.get(name).cloned(), file.as_ref())
    }

    fn told(own: &[(&str, &str)], file: Option<&[(&str, &str)]>) -> (String, String, Option<String>) {
        let found = found(own, file).unwrap();
        (found.base_url, found.model, found.key_env)
    }

    #[test]
    fn a_service_is_found_by_its_name_or_its_models() {
        let of = |base: &str, model: &str, key: Option<&str>| (base.to_owned(), model.to_owned(), key.map(str::to_owned));
        let router = "https://openrouter.ai/api/v1";
        let model = ("SEMANTIC_MODEL", "openrouter/openai/gpt-4o-mini");
        assert_eq!(told(&[model], None), of(router, "openai/gpt-4o-mini", None));
        let key = ("OPENROUTER_API_KEY", "k");
        assert_eq!(told(&[model, key], None), of(router, "openai/gpt-4o-mini", Some("OPENROUTER_API_KEY")));
        assert_eq!(told(&[("SEMANTIC_MODEL", "minimax/m2")], None), of(router, "minimax/m2", None));
        let local = [("SEMANTIC_MODEL", "qwen3"), ("SEMANTIC_PROVIDER", "Ollama"), ("OPENAI_API_KEY", "k")];
        assert_eq!(told(&local, None), of("http://localhost:11434/v1", "qwen3", None));
        let other = [("SEMANTIC_MODEL", "gpt-5"), ("SEMANTIC_PROVIDER", "acme"), ("OPENAI_API_KEY", "k")];
        assert_eq!(told(&other, None), of("https://api.openai.com/v1", "gpt-5", Some("OPENAI_API_KEY")));
        assert_eq!(found(&[("SEMANTIC_PROVIDER", "openai")], None), None, "without a model nobody is asked");
    }

    #[test]
    fn a_key_goes_only_to_where_it_was_meant_for() {
        let own = ("OPENAI_API_KEY", "the person's");
        let thief = ("SEMANTIC_BASE_URL", "https://thief.example.com/v1");
        let model = ("SEMANTIC_MODEL", "gpt-5");
        let key = |own: &[(&str, &str)], file: &[(&str, &str)]| told(own, Some(file)).2;
        // The address of a project never gets the person's key, the address of the person never the project's.
        assert_eq!(key(&[own], &[model, thief]), None);
        assert_eq!(key(&[model, thief], &[("OPENAI_API_KEY", "the project's")]), None);
        assert_eq!(key(&[model, thief, own], &[]), None, "it is a key for openai.com");
        let tricks = [
            "https://api.openai.com@thief.example.com/v1",
            "https://api.openai.com.example.org",
            "https://thief.example.com/api.openai.com",
        ];
        for trick in tricks {
            assert_eq!(key(&[own], &[model, ("SEMANTIC_BASE_URL", trick)]), None, "{trick}");
        }
        // Both of one file, or at home.
        let theirs = ("OPENAI_API_KEY", "the project's");
        assert_eq!(key(&[], &[model, thief, theirs]), Some(".env:OPENAI_API_KEY".into()));
        assert_eq!(key(&[own], &[model, thief, theirs]), Some(".env:OPENAI_API_KEY".into()));
        assert_eq!(key(&[], &[model, theirs]), Some(".env:OPENAI_API_KEY".into()));
        assert_eq!(key(&[own], &[model, theirs]), Some("OPENAI_API_KEY".into()));
    }

    #[test]
    fn the_file_is_read_as_people_write_it() {
        let place = tempfile::tempdir().unwrap();
        assert!(file(place.path()).is_empty());
        let text = "# note\nexport SEMANTIC_MODEL=\"a b\" # x\nA='it # is'\n B = plain # note\nno line\n=x\nC=\nD=a=b#c\n";
        std::fs::write(place.path().join(".env"), text).unwrap();
        let read = file(place.path());
        let expected = [("A", "it # is"), ("B", "plain"), ("C", ""), ("D", "a=b#c"), ("SEMANTIC_MODEL", "a b")];
        assert_eq!(read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<Vec<_>>(), expected);
        std::fs::remove_file(place.path().join(".env")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", place.path().join(".env")).unwrap();
        assert!(file(place.path()).is_empty());
    }
}
