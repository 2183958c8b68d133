//! What knows a project's secrets: the process's own variables, those of the project's `.env` file, and which parameters of
//! its functions take one.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::bits::is_random;
use crate::base::hash::{self, Digest};
use crate::base::redact::{self, Holds, PLACEHOLDER, Redactor};
use crate::domain::function::{Function, FunctionKind, Module, ParamKind};
use crate::source::given::given;
use crate::source::index::Index;

/// Bytes of a `.env` file that are read.
const SIZE_MAX: u64 = 64 << 10;

/// Secrets, one in the other.
const NESTED_MAX: usize = 3;

/// Makes the redactor of a project.
pub(crate) fn of_project(root: &Path) -> Redactor {
    Redactor::with_env_file(&env_file(root))
}

/// Reads the `.env` file of a project; gives an empty text without one.
fn env_file(root: &Path) -> String {
    let path = root.join(".env");
    let mut text = String::new();
    // A pipe in its place would be waited for.
    if path.metadata().is_ok_and(|meta| meta.is_file())
        && let Ok(file) = std::fs::File::open(path)
    {
        let mut bytes = Vec::new();
        if file.take(SIZE_MAX).read_to_end(&mut bytes).is_ok() {
            text = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    text
}

/// Gives a command line without the secrets that were typed in it: known ones, those of known shapes, and what follows an
/// option with a secret name.
pub(crate) fn command(root: &Path, typed: &[String]) -> Vec<String> {
    let mut redactor = of_project(root);
    let mut is_value = false;
    let mut safe = |word: &String| {
        let named = word.starts_with('-').then(|| word.split_once('=').unwrap_or((word, "")));
        let secret = named.filter(|(name, _)| takes_secret(name));
        let after = std::mem::replace(&mut is_value, matches!(secret, Some((_, ""))));
        match secret {
            Some((name, value)) if !value.is_empty() => format!("{name}={}", redactor.placeholder(value, "secret")),
            None if after && !word.starts_with("--") => redactor.placeholder(word, "secret"),
            _ => redactor.redact(word).unwrap_or_else(|| word.clone()),
        }
    };
    typed.iter().map(&mut safe).collect()
}

/// Tells whether an option is given a secret by its name, and not that there is none or where one lies.
fn takes_secret(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    let is_other = ["no-", "use-", "with-"].iter().any(|begin| name.starts_with(begin));
    !is_other && redact::is_secret_name(name)
}

/// Which places of which functions take a secret: those of parameters with a secret name.
pub(crate) struct Places(HashMap<String, BTreeMap<usize, Holds>>);

impl Places {
    /// Looks through the functions of a project. One that has the name of another one counts for it, too.
    pub(crate) fn new(index: &Index) -> Self {
        let mut places: HashMap<String, BTreeMap<usize, Holds>> = HashMap::new();
        for function in index.functions() {
            let bound = matches!(function.kind, FunctionKind::Method | FunctionKind::ClassMethod | FunctionKind::Property);
            let by_place = function.params.iter().skip(usize::from(bound));
            let by_place = by_place.take_while(|param| param.kind != ParamKind::KeywordOnly);
            let secret: Vec<(usize, Holds)> =
                by_place.enumerate().filter_map(|(place, param)| Some((place, redact::holds(&param.name)?))).collect();
            if secret.is_empty() {
                continue;
            }
            let mut names = function.id.qualname().rsplit('.');
            let name = match (names.next(), names.next()) {
                (Some("__init__" | "__new__"), Some(class)) => class,
                (name, _) => name.unwrap_or_default(),
            };
            places.entry(name.to_owned()).or_default().extend(secret);
        }
        // What dataclasses and their like take is the list of their fields.
        for class in index.modules().flat_map(|module| &module.classes) {
            let name = class.qualname.rsplit('.').next().unwrap_or_default();
            let fields = class.fields.iter().enumerate();
            for (place, holds) in fields.filter_map(|(place, field)| Some((place, redact::holds(&field.name)?))) {
                places.entry(name.to_owned()).or_default().insert(place, holds);
            }
        }
        Self(places)
    }

    /// Tells whether what the index knows of a file may hold a secret by its place: it has a name for one, or gives one.
    pub(crate) fn may_hold(&self, module: &Module, redactor: &mut Redactor) -> bool {
        let params = module.functions.iter().flat_map(|function| &function.params).map(|param| &param.name);
        let fields = module.classes.iter().flat_map(|class| &class.fields).map(|field| &field.name);
        let of_functions = module.functions.iter().flat_map(|function| &function.decorators);
        let mut decorators = of_functions.chain(module.classes.iter().flat_map(|class| &class.decorators));
        params.chain(fields).any(|name| redact::holds(name).is_some())
            || decorators.any(|decorator| self.without_given(decorator, redactor) != *decorator)
    }

    /// Gives source without the literals that are given to such a parameter; each keeps the number of its lines.
    pub(crate) fn without_given(&self, source: &str, redactor: &mut Redactor) -> String {
        let mut out = String::with_capacity(source.len());
        let mut at = 0;
        for range in given(source, &|name, place| self.0.get(name)?.get(&place).copied()) {
            let secret = &source[range.clone()];
            out.push_str(&source[at..range.start]);
            out.push_str(&redactor.placeholder(secret, "given"));
            secret.matches('\n').for_each(|line| out.push_str(line));
            at = range.end;
        }
        out + &source[at..]
    }
}

/// Gives a text that is said without secrets.
pub(crate) type Saying<'s> = dyn FnMut(&str) -> String + 's;

/// Source without its secrets, by the hash of the source, as long as neither the project's code nor its `.env` file is another.
#[derive(Default)]
pub(crate) struct KeptSources(Mutex<Option<OfProject>>);

struct OfProject {
    index: Arc<Index>,
    env_file: Digest,
    texts: HashMap<Digest, Arc<str>>,
}

impl KeptSources {
    /// As [`Sources::kept`]; looks at a source once.
    pub(crate) fn kept(&self, root: &Path, index: &Arc<Index>, source: &str) -> Arc<str> {
        let (env_file, of) = (hash::of(env_file(root).as_bytes()), hash::of(source.as_bytes()));
        let is_of = |known: &OfProject| Arc::ptr_eq(&known.index, index) && known.env_file == env_file;
        if let Some(text) = self.0.lock().as_ref().filter(|known| is_of(known)).and_then(|known| known.texts.get(&of)) {
            return text.clone();
        }
        let text: Arc<str> = Sources::new(root, index).kept(source).into();
        let mut known = self.0.lock();
        if !known.as_ref().is_some_and(is_of) {
            *known = Some(OfProject { index: index.clone(), env_file, texts: HashMap::new() });
        }
        known.as_mut().and_then(|known| known.texts.insert(of, text.clone()));
        text
    }
}

/// Takes secrets out of source that is kept, and out of what is said of it.
pub(crate) struct Sources<'a> {
    root: &'a Path,
    index: &'a Index,
    /// What takes a secret in the project: looked for when it is asked for.
    known: Option<(Places, Redactor)>,
}

impl<'a> Sources<'a> {
    /// Begins with a project.
    pub(crate) fn new(root: &'a Path, index: &'a Index) -> Self {
        Self { root, index, known: None }
    }

    fn known(&mut self) -> (&Places, &mut Redactor) {
        let (places, redactor) = self.known.get_or_insert_with(|| (Places::new(self.index), of_project(self.root)));
        (places, redactor)
    }

    /// Gives source without the secrets in it, numbered among themselves: the same source gives the same text. Each keeps the
    /// number of its lines.
    pub(crate) fn kept(&mut self, source: &str) -> String {
        let (places, redactor) = self.known();
        redactor.alone(|redactor| without_secrets(places, source, redactor))
    }

    /// Puts the secrets of today's source back into an earlier one that was kept; `None` where it had others.
    pub(crate) fn put_back(&mut self, kept: &str, now: &str) -> Option<String> {
        let (places, redactor) = self.known();
        redactor.alone(|redactor| {
            without_secrets(places, now, redactor);
            let mut text = kept.to_owned();
            // A secret of one kind may stand in one of another.
            for _ in 0..NESTED_MAX {
                if !text.contains(PLACEHOLDER) {
                    break;
                }
                text = redactor.put_back(&text)?;
            }
            Some(text)
        })
    }

    /// Gives source as it is compared with what was kept: without its secrets, where that lost some.
    pub(crate) fn like<'s>(&mut self, kept: &str, source: &'s str) -> Cow<'s, str> {
        if kept.contains(PLACEHOLDER) { self.kept(source).into() } else { source.into() }
    }

    /// Lets something be said of source without the secrets that stand in it.
    pub(crate) fn said(&mut self, source: &str, say: &mut dyn FnMut(&mut Saying<'_>)) {
        let (places, redactor) = self.known();
        redactor.alone(|redactor| {
            without_secrets(places, source, redactor);
            say(&mut |line| {
                let safe = redactor.redact_met(line).unwrap_or_else(|| line.to_owned());
                redactor.redact_source(&safe).unwrap_or(safe)
            });
        });
    }
}

fn without_secrets(places: &Places, source: &str, redactor: &mut Redactor) -> String {
    let text = places.without_given(source, redactor);
    redactor.redact_source(&text).unwrap_or(text)
}

/// Gives a function whose parameters with secret names have no literals as their defaults.
pub(crate) fn without_defaults(function: &Function, redactor: &mut Redactor) -> Function {
    let mut function = function.clone();
    for param in &mut function.params {
        let Some(holds) = redact::holds(&param.name) else { continue };
        let quotes = ['"', '\''];
        let is_literal = |text: &String| match holds {
            Holds::One => text.contains(quotes) || text.starts_with(|c: char| c.is_ascii_digit()),
            Holds::Several => text.contains(quotes),
            Holds::PerhapsSeveral => text.contains(quotes) && text.split(quotes).any(is_random),
        };
        if let Some(default) = param.default.take_if(|default| is_literal(default)) {
            param.default = Some(format!("'{}'", redactor.placeholder(&default, "given")));
        }
    }
    function
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_kept_without_the_secrets_typed_in_it() {
        let place = tempfile::tempdir().unwrap();
        let of = |words: &[&str]| {
            let typed: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            command(place.path(), &typed).join(" ")
        };
        assert_eq!(of(&["pytest", "-q", "tests/test_token.py", "-k", "x"]), "pytest -q tests/test_token.py -k x");
        assert_eq!(
            of(&["m.py", "--password=a b", "--api-key", "c", "d"]),
            "m.py --password=[REDACTED:secret#1] --api-key [REDACTED:secret#2] d"
        );
        let token = format!("ghp_{}", "a1B2".repeat(9));
        assert_eq!(of(&["m.py", &token, "https://u:pw@h/"]), "m.py [REDACTED:github-token#1] https://u:[REDACTED:password#2]@h/");
        assert_eq!(of(&["m.py", "--no-password", "db", "--key-file", "k"]), "m.py --no-password db --key-file k");
        assert_eq!(of(&["m.py", "--password", "-x1"]), "m.py --password [REDACTED:secret#1]");
        assert_eq!(of(&["m.py", "--token", "--quiet"]), "m.py --token --quiet", "an option is no value");
    }

    #[test]
    fn a_literal_for_a_secret_parameter_goes_and_equal_ones_stay_equal() {
        let place = tempfile::tempdir().unwrap();
        let source = "class Vault:\n    def __init__(self, api_key):\n        pass\n\n    def login(self, user, password, *, token=None):\n        \
                      pass\n\n\ndef work():\n    Vault('k3y-one').login('ada', 'k3y-one')\n    login('x', 'y', 'z')\n";
        std::fs::write(place.path().join("m.py"), source).unwrap();
        let places = Places::new(&Index::build(place.path(), &[], &|_, _| {}));
        let safe = places.without_given(source, &mut Redactor::new([]));
        assert!(safe.contains("Vault('[REDACTED:given#1]').login('ada', '[REDACTED:given#1]')"), "{safe}");
        assert!(safe.contains("    login('x', '[REDACTED:given#2]', 'z')"), "{safe}");
    }
}
