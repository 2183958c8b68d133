//! Settings from their layers: defaults, the user's file, the project's file, the environment, the command line; each
//! wins over those before it. Every value knows where it came from, and a project only gets what it may have.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::schema::{self, Form, KEYS, Key, Project};
use super::source;
use crate::base::error::Trouble;
use crate::base::paths::{RelPath, nearest, tilde};
use crate::base::text::display_line;
use crate::base::yaml::{Located, Place, Plain};
use crate::domain::settings::{CLAUDE_CODE, LOCAL, Settings};
use crate::domain::snapshot::Trust;

/// Mistakes that are said one by one.
const MISTAKES_MAX: usize = 50;

/// The project's own files of settings, the first one found counts.
const PROJECT_FILES: &[&str] = &[".pytead/config.yaml", ".pytead/config.toml", ".pytead/config.yml"];

/// The user's file of settings that a command wrote, in place of those of `config.yaml`, which is the person's own.
pub const CHOSEN: &str = "chosen.yaml";

const PROVIDER: &str = "model.provider";
const NAME: &str = "model.name";

/// Turns the keys of another tool in a file of settings into ours.
pub type Modern = fn(Located) -> Located;

/// Where the layers are.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    /// The user's folder of settings, which may hold `config.yaml` and [`CHOSEN`].
    pub user: Option<PathBuf>,
    /// A file of the user's that a tool before this one left; below the user's own.
    pub former_user: Option<PathBuf>,
    /// What its settings are called today.
    pub former: Option<Former>,
    /// The project's root.
    pub root: Option<PathBuf>,
    /// Is the project trusted.
    pub trust: Option<Trust>,
    /// The process's variables.
    pub variables: Vec<(String, String)>,
    /// A file that was named on the command line, and what turns the keys of another tool in it into ours.
    pub given: Option<(PathBuf, Modern)>,
    /// What was given on the command line.
    pub flags: Vec<Flag>,
}

impl Layers {
    /// Lists the files that may hold settings; they need not be there.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let own = self.user.iter().flat_map(|folder| [folder.join("config.yaml"), folder.join(CHOSEN)]);
        let project =
            self.root.iter().flat_map(|root| PROJECT_FILES.iter().chain(&["pyproject.toml"]).map(|name| root.join(name)));
        let given = self.given.iter().map(|(path, _)| path.clone());
        self.former_user.iter().cloned().chain(own).chain(project).chain(given).collect()
    }
}

/// Settings of a tool before this one: what they are called today.
#[derive(Debug, Clone, Copy)]
pub struct Former {
    /// Its sections; later ones win.
    pub sections: &'static [&'static str],
    /// Today's name of a key; `Some(None)` for one that means nothing any more.
    pub renamed: fn(&str) -> Option<Option<&'static str>>,
}

/// A setting given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The setting: `record.limit`.
    pub name: String,
    /// Its value as typed.
    pub value: String,
    /// The flag as typed: `--limit`.
    pub flag: String,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The user's file, with the line.
    User(PathBuf, u32),
    /// The project's file, with the line.
    Project(PathBuf, u32),
    /// A variable.
    Variable(String),
    /// A flag.
    Flag(String),
}

impl Origin {
    /// Tells whether two settings were made in one place: one file, the variables, the flags.
    fn is_of_one_source(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::User(one, _), Self::User(other, _)) | (Self::Project(one, _), Self::Project(other, _)) => one == other,
            _ => *self != Self::Default && std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User(path, line) | Self::Project(path, line) => write!(f, "{}:{line}", tilde(path)),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// The value of one setting and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The setting.
    pub name: String,
    /// Its value as JSON, which is YAML too.
    pub value: String,
    /// Where it came from.
    pub origin: Origin,
}

/// Settings as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The settings; where there was a mistake, the value below it.
    pub settings: Settings,
    /// Every setting with its origin, by name.
    pub origins: Vec<Shown>,
    /// What was left out on purpose: what a project may not set.
    pub warnings: Vec<Trouble>,
    /// What is wrong, all of it; a command that is not the workbench ends here with 2.
    pub mistakes: Vec<Trouble>,
}

/// Reads all layers.
#[must_use]
pub fn load(layers: &Layers) -> Loaded {
    let mut merge = Merge {
        values: BTreeMap::new(),
        former: layers.former,
        trust: layers.trust.unwrap_or(Trust::Unknown),
        warnings: Vec::new(),
        mistakes: Vec::new(),
    };
    merge.defaults();
    let own = layers.user.iter().flat_map(|folder| [folder.join("config.yaml"), folder.join(CHOSEN)]);
    for path in layers.former_user.iter().cloned().chain(own) {
        match source::read(&path) {
            Ok(Some(tree)) => merge.tree(&tree, &mut |line| Origin::User(path.clone(), line)),
            Ok(None) => {}
            Err(trouble) => merge.mistakes.push(trouble),
        }
    }
    if let Some(root) = &layers.root {
        merge.project(root);
    }
    for (variable, value) in &layers.variables {
        match schema::of_variable(variable) {
            Ok(Some(name)) => merge.text(&name, value, Origin::Variable(variable.clone())),
            Ok(None) => merge.warnings.extend(schema::misspelt(variable).map(|near| no_variable(variable, &near))),
            Err(name) => merge.unknown(&name, &Origin::Variable(variable.clone())),
        }
    }
    if let Some((path, modern)) = &layers.given {
        match source::read(path) {
            Ok(Some(tree)) => merge.tree(&modern(tree), &mut |line| Origin::User(path.clone(), line)),
            Ok(None) => merge.mistakes.push(Trouble::usage(format!("There is no file {}.", tilde(path)))),
            Err(trouble) => merge.mistakes.push(trouble),
        }
    }
    for flag in &layers.flags {
        merge.text(&flag.name, &flag.value, Origin::Flag(flag.flag.clone()));
    }
    merge.finish()
}

/// The values so far.
struct Merge {
    values: BTreeMap<String, (Value, Origin)>,
    former: Option<Former>,
    trust: Trust,
    warnings: Vec<Trouble>,
    mistakes: Vec<Trouble>,
}

impl Merge {
    fn defaults(&mut self) {
        match serde_json::to_value(Settings::default()) {
            Ok(value) => self.flatten(String::new(), value),
            Err(error) => self.mistakes.push(Trouble::internal("The default settings cannot be read.").because(error)),
        }
    }

    fn flatten(&mut self, name: String, value: Value) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    self.flatten(if name.is_empty() { key } else { format!("{name}.{key}") }, value);
                }
            }
            value => {
                self.values.insert(name, (value, Origin::Default));
            }
        }
    }

    fn project(&mut self, root: &Path) {
        let mut used: Option<PathBuf> = None;
        let own = PROJECT_FILES.iter().map(|name| root.join(name));
        for path in own.chain([root.join("pyproject.toml")]) {
            let read = if path.ends_with("pyproject.toml") { source::read_pyproject(&path) } else { source::read(&path) };
            match (read, &used) {
                (Ok(None), _) => {}
                (Ok(Some(_)), Some(used)) => self.warnings.push(
                    Trouble::usage(format!("The settings in {} are not read.", tilde(&path)))
                        .because(format!("{} comes first.", tilde(used)))
                        .so("Put all settings of the project into one of them."),
                ),
                (Ok(Some(tree)), None) => {
                    self.tree(&tree, &mut |line| Origin::Project(path.clone(), line));
                    used = Some(path);
                }
                (Err(trouble), _) => self.mistakes.push(trouble),
            }
        }
    }

    /// Takes a file's values.
    fn tree(&mut self, tree: &Located, origin: &mut dyn FnMut(u32) -> Origin) {
        match &tree.value {
            Plain::Map(entries) => {
                let former = self.former.map_or(&[][..], |former| former.sections);
                self.former_sections(former, entries, origin);
                let own: Vec<_> = entries.iter().filter(|(key, ..)| !former.contains(&key.as_str())).cloned().collect();
                self.section("", &own, origin);
            }
            Plain::Null => {}
            _ => self.mistakes.push(Trouble::usage(format!("{}: expected sections.", origin(tree.at.line)))),
        }
    }

    fn section(&mut self, section: &str, entries: &[(String, Place, Located)], origin: &mut dyn FnMut(u32) -> Origin) {
        for (key, at, value) in entries {
            // A dot inside a key would pass for a section.
            let name = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
            if key.contains('.') || key.is_empty() {
                self.unknown(&name, &origin(at.line));
                continue;
            }
            match (&value.value, schema::find(&name)) {
                (Plain::Map(entries), None) if schema::is_section(&name) => self.section(&name, entries, origin),
                // A section with all its keys commented out.
                (Plain::Null, None) if schema::is_section(&name) => {}
                // A value left empty is a value not set.
                (Plain::Null, Some(_)) => {}
                (_, Some(key)) => match key.form.take(&value.value) {
                    Ok(taken) => self.set(name, key, taken, origin(at.line)),
                    Err(expected) => self.wrong(&name, &expected, &origin(value.at.line.max(at.line))),
                },
                (_, None) if schema::is_section(&name) => self.wrong(&name, "a section", &origin(at.line)),
                (_, None) => self.unknown(&name, &origin(at.line)),
            }
        }
    }

    /// Takes what a tool before this one left in its sections; nothing there is a mistake, only not used.
    fn former_sections(
        &mut self,
        sections: &[&str],
        entries: &[(String, Place, Located)],
        origin: &mut dyn FnMut(u32) -> Origin,
    ) {
        let Some(former) = self.former else { return };
        let mut unused = Vec::new();
        let mut place = None;
        for section in sections {
            let Some((_, _, tree)) = entries.iter().find(|(key, ..)| key == section) else { continue };
            let Plain::Map(entries) = &tree.value else { continue };
            for (key, at, value) in entries {
                let name = (former.renamed)(key).flatten();
                let known = name.and_then(|name| Some((name, schema::find(name)?)));
                let taken = known.and_then(|(name, key)| {
                    let alone = matches!((&value.value, key.form), (Plain::Text(_), Form::Texts));
                    let value = if alone { &Plain::List(vec![value.clone()]) } else { &value.value };
                    let value = key.form.take(value).ok().filter(|value| fits(name, value).is_ok())?;
                    Some((name, key, value))
                });
                match taken {
                    Some((name, key, value)) => self.set(name.to_owned(), key, value, origin(at.line)),
                    None => {
                        unused.push(format!("{section}.{}", display_line(key)));
                        place.get_or_insert_with(|| origin(at.line));
                    }
                }
            }
        }
        if let Some(place) = place {
            self.warnings.push(
                Trouble::usage(format!("{place}: not used: {}.", unused.join(", ")))
                    .because("Recordings have one place and one form, and folders lie below the root."),
            );
        }
    }

    fn text(&mut self, name: &str, value: &str, origin: Origin) {
        let Some(key) = schema::find(name) else { return self.unknown(name, &origin) };
        match key.form.take_text(value) {
            Ok(taken) => self.set(name.to_owned(), key, taken, origin),
            Err(expected) => self.wrong(name, &expected, &origin),
        }
    }

    fn set(&mut self, name: String, key: &Key, value: Value, origin: Origin) {
        if let Err(expected) = fits(&name, &value) {
            return self.wrong(&name, expected, &origin);
        }
        let before = self.values.get(&name).map(|(value, _)| value);
        let value = match &origin {
            Origin::Project(..) => match allowed(key, before, value, self.trust) {
                Ok(value) => value,
                Err(why) => {
                    self.warnings.push(
                        Trouble::usage(format!("{origin}: {} of the project is not used.", display_line(&name)))
                            .because(why)
                            .so("Set it in your own config.yaml if you want it."),
                    );
                    return;
                }
            },
            _ => value,
        };
        if name == PROVIDER {
            self.forget_name_of_other(&value);
        }
        self.values.insert(name, (value, origin));
    }

    /// Drops the name of a model that was set together with a provider which another one now takes the place of.
    fn forget_name_of_other(&mut self, provider: &Value) {
        let (Some((old, old_origin)), Some((_, named))) = (self.values.get(PROVIDER), self.values.get(NAME)) else { return };
        if old != provider && old_origin.is_of_one_source(named) {
            self.values.insert(NAME.into(), (Value::Null, Origin::Default));
        }
    }

    fn wrong(&mut self, name: &str, expected: &str, origin: &Origin) {
        if self.is_enough() {
            return;
        }
        self.mistakes.push(Trouble::usage(format!("{origin}: {}: expected {expected}.", display_line(name))));
    }

    /// Tells whether so many mistakes are said that one more helps nobody.
    fn is_enough(&mut self) -> bool {
        if self.mistakes.len() == MISTAKES_MAX {
            self.mistakes.push(Trouble::usage("There are more mistakes in the settings.").so("Mend those above first."));
        }
        self.mistakes.len() > MISTAKES_MAX
    }

    fn unknown(&mut self, name: &str, origin: &Origin) {
        if self.is_enough() {
            return;
        }
        let trouble = Trouble::usage(format!("{origin}: there is no setting {}.", display_line(name)));
        let near = nearest_key(name);
        let near = display_line(&near);
        self.mistakes.push(if near.is_empty() { trouble } else { trouble.so(format!("Did you mean {near}?")) });
    }

    fn finish(mut self) -> Loaded {
        self.check_provider();
        let origins = self
            .values
            .iter()
            .map(|(name, (value, origin))| Shown { name: name.clone(), value: value.to_string(), origin: origin.clone() })
            .collect();
        let mut tree = Map::new();
        for (name, (value, _)) in self.values {
            insert(&mut tree, &name, value);
        }
        // A provider may be set in part: the rest has defaults of its own.
        let settings = serde_json::from_value(Value::Object(tree)).unwrap_or_else(|error| {
            self.mistakes.push(Trouble::internal("The settings cannot be put together.").because(error));
            Settings::default()
        });
        Loaded { settings, origins, warnings: self.warnings, mistakes: self.mistakes }
    }

    fn check_provider(&mut self) {
        let Some((Value::String(chosen), origin)) = self.values.get(PROVIDER) else { return };
        let mut names: Vec<&str> = self
            .values
            .keys()
            .filter_map(|name| name.strip_prefix("providers.")?.split_once('.'))
            .map(|(name, _)| name)
            .collect();
        names.dedup();
        if [LOCAL, CLAUDE_CODE].contains(&chosen.as_str()) || names.contains(&chosen.as_str()) {
            return;
        }
        let trouble = Trouble::usage(format!("{origin}: model.provider: there is no provider {}.", display_line(chosen)));
        let near = nearest(chosen, names);
        let todo = match near.first() {
            Some(near) => format!("Did you mean {near}?"),
            None => format!("Describe it under providers.{chosen}."),
        };
        self.mistakes.push(trouble.so(todo));
        self.values.insert(PROVIDER.into(), (Value::Null, Origin::Default));
    }
}

/// Checks what a form cannot say.
fn fits(name: &str, value: &Value) -> Result<(), &'static str> {
    let text = value.as_str().unwrap_or_default();
    let below = |path: &str| RelPath::new(path).is_some();
    let fine = match name {
        "output.tests" | "model.answers_folder" => below(text),
        "record.exclude" | "spec.paths" => value.as_array().is_some_and(|all| all.iter().filter_map(Value::as_str).all(below)),
        "record.python_path" => {
            value.as_array().is_some_and(|all| all.iter().filter_map(Value::as_str).all(|path| path == "." || below(path)))
        }
        _ if name.ends_with(".base_url") => text.starts_with("http://") || text.starts_with("https://"),
        _ if name.ends_with(".endpoints") => value.as_array().is_some_and(|all| {
            all.iter().filter_map(Value::as_str).all(|text| text.starts_with("http://") || text.starts_with("https://"))
        }),
        _ if name.ends_with(".key_env") => {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        }
        _ => true,
    };
    match name {
        _ if fine => Ok(()),
        "output.tests" | "model.answers_folder" => Err("a folder below the project's root"),
        "record.exclude" | "record.python_path" | "spec.paths" => Err("folders below the project's root"),
        _ if name.ends_with(".endpoints") => Err("addresses that begin with http:// or https://"),
        _ if name.ends_with(".base_url") => Err("an address that begins with http:// or https://"),
        _ => Err("the name of a variable, not the key itself"),
    }
}

/// Gives the value a project's file leads to, or why it is not used.
fn allowed(key: &Key, before: Option<&Value>, value: Value, trust: Trust) -> Result<Value, &'static str> {
    let rank = |value: &Value| match key.form {
        Form::Word(words) => words.iter().position(|word| value.as_str() == Some(*word)).map(|place| place as f64),
        _ => value.as_f64(),
    };
    match key.project {
        Project::Sets => Ok(value),
        Project::SetsWhenTrusted if trust == Trust::Trusted => Ok(value),
        Project::SetsWhenTrusted => Err("The folder is not trusted."),
        Project::Nothing => Err("Only you decide this, not a project."),
        Project::Lowers if before.and_then(rank) >= rank(&value) => Ok(value),
        Project::Lowers => Err("A project may only lower it."),
        Project::Raises if before.and_then(rank) <= rank(&value) => Ok(value),
        Project::Raises => Err("A project may only raise it."),
        Project::Adds => {
            let mut all = before.and_then(Value::as_array).cloned().unwrap_or_default();
            for item in value.as_array().cloned().unwrap_or_default() {
                if !all.contains(&item) {
                    all.push(item);
                }
            }
            Ok(Value::Array(all))
        }
    }
}

fn no_variable(variable: &str, near: &str) -> Trouble {
    let trouble = Trouble::usage(format!("The variable {} does nothing.", display_line(variable)))
        .because("There is no setting of this name.");
    if near.is_empty() { trouble } else { trouble.so(format!("Did you mean {near}?")) }
}

fn nearest_key(name: &str) -> String {
    // A provider is called as its owner likes: compared is what follows.
    let (wanted, provider) = match name.strip_prefix("providers.").and_then(|rest| rest.split_once('.')) {
        Some((provider, key)) => (format!("providers.*.{key}"), provider),
        None => (name.to_owned(), ""),
    };
    let found =
        nearest(&wanted, KEYS.iter().map(|key| key.name).chain(KEYS.iter().filter_map(|key| Some(key.name.split_once('.')?.0))));
    found.first().map_or_else(String::new, |name| name.replace('*', if provider.is_empty() { "NAME" } else { provider }))
}

fn insert(tree: &mut Map<String, Value>, name: &str, value: Value) {
    match name.split_once('.') {
        None => {
            tree.insert(name.to_owned(), value);
        }
        Some((section, rest)) => {
            if let Value::Object(inner) = tree.entry(section).or_insert_with(|| Value::Object(Map::new())) {
                insert(inner, rest, value);
            }
        }
    }
}
