//! From the tree of a YAML file to a test, or to everything that is wrong with it at once.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::paths::nearest;
use crate::base::text;
use crate::base::yaml::{self, Located, Place, Plain};
use crate::domain::spec::{Action, Spec, Step, Wording};
use crate::judge::data;
use crate::spec::interpolate;
use crate::spec::load::Mistake;
use crate::spec::rules;
use crate::spec::schema::{self, Field, Form};

/// Groups may be nested this deep.
const DEPTH_MAX: u32 = 8;
/// Columns of a wrong value that are repeated.
const SHOWN: usize = 40;

/// A test that is written wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Wrong {
    /// All mistakes, in the order of the file.
    pub all: Vec<Mistake>,
    /// What could be read of it all the same: good for finding more mistakes, and for nothing else.
    pub rest: Option<Box<Spec>>,
}

/// Reads a test.
///
/// # Errors
/// Gives all mistakes, in the order of the file.
pub fn spec(text: &str) -> Result<Spec, Wrong> {
    let tree = yaml::tree(text).map_err(|misread| {
        let at = misread.at.unwrap_or(Place::line(1));
        let mut what = format!("This is no YAML that is read here: {}.", misread.why.trim_end_matches('.'));
        if misread.in_flow {
            what += " Within braces, a text with a bracket, brace, comma or colon in it stands in quotes.";
        }
        Wrong { all: vec![Mistake { at, length: 1, what }], rest: None }
    })?;
    let mut reader = Reader { mistakes: Vec::new(), misnamed: BTreeSet::new() };
    let spec = reader.file(&tree);
    if let Some(spec) = &spec {
        reader.mistakes.extend(interpolate::check(spec, &reader.misnamed));
    }
    let mut all = reader.mistakes;
    all.sort_by_key(|mistake| mistake.at);
    match spec {
        Some(spec) if all.is_empty() => Ok(spec),
        rest => Err(Wrong { all, rest: rest.map(Box::new) }),
    }
}

pub(super) struct Reader {
    mistakes: Vec<Mistake>,
    /// Names that results cannot be saved under, and are: references to them are no second mistake.
    misnamed: BTreeSet<String>,
}

/// The values of a mapping that has the fields it may have.
pub(super) type Values<'a> = BTreeMap<&'static str, &'a Located>;

impl Reader {
    pub(super) fn wrong(&mut self, at: Place, length: usize, what: String) {
        self.mistakes.push(Mistake { at, length, what });
    }

    fn file(&mut self, tree: &Located) -> Option<Spec> {
        let values = self.fields(tree, schema::FILE, "a YAML test")?;
        let test = self.section(&values, "test");
        let verdict = self.section(&values, "verdict");
        let text = |values: &Values<'_>, name: &str| values.get(name).and_then(|value| wording(value));
        let words = |name: &str| text(&values, name).map(|found| found.text);
        let spec = Spec {
            name: text(&test, "name").map(|found| found.text).unwrap_or_default(),
            description: text(&test, "description").map(|found| found.text).unwrap_or_default(),
            tags: test.get("tags").map(|value| texts(value).into_iter().map(|tag| tag.text).collect()).unwrap_or_default(),
            timeout: test.get("timeout").and_then(|value| seconds(value)),
            total_timeout: test.get("total_timeout").and_then(|value| seconds(value)),
            former: words("compat").is_some(),
            driven: words("agent").is_some(),
            setup: self.steps(values.get("setup").copied(), 0),
            steps: self.steps(values.get("steps").copied(), 0),
            teardown: self.steps(values.get("teardown").copied(), 0),
            pass_if: text(&verdict, "pass_if").unwrap_or(Wording { text: String::new(), at: tree.at }),
            fail_if: text(&verdict, "fail_if").unwrap_or(Wording { text: String::new(), at: tree.at }),
        };
        Some(spec)
    }

    fn section<'a>(&mut self, values: &Values<'a>, name: &'static str) -> Values<'a> {
        let Some(tree) = values.get(name) else { return Values::new() };
        let Some(Field { form: Form::Section(fields), .. }) = schema::FILE.iter().find(|field| field.name == name) else {
            return Values::new();
        };
        self.fields(tree, fields, name).unwrap_or_default()
    }

    fn steps(&mut self, tree: Option<&Located>, depth: u32) -> Vec<Step> {
        let Some(Located { value: Plain::List(items), at }) = tree else { return Vec::new() };
        if depth > DEPTH_MAX {
            self.wrong(*at, 1, format!("Steps are nested more than {DEPTH_MAX} deep."));
            return Vec::new();
        }
        items.iter().filter_map(|item| self.step(item, depth)).collect()
    }

    fn step(&mut self, tree: &Located, depth: u32) -> Option<Step> {
        let values = self.fields(tree, schema::STEP, "a step")?;
        let text = |name: &str| values.get(name).and_then(|value| wording(value));
        let number = |name: &str, default: u32| values.get(name).and_then(|value| whole(value)).unwrap_or(default);
        let tool = text("tool");
        let action = match (&tool, values.get("steps")) {
            (Some(tool), Some(steps)) => {
                self.wrong(
                    steps.at,
                    1,
                    format!("A step calls a tool or is made of steps: this one has `tool: {}` too.", tool.text),
                );
                Action::Group(self.steps(Some(*steps), depth + 1))
            }
            (None, None) => {
                // One that has the wrong form was reported already.
                if !(has(tree, "tool") || has(tree, "steps")) {
                    self.wrong(tree.at, 1, "A step needs a `tool` that it calls, or `steps` that it is made of.".into());
                }
                Action::Group(Vec::new())
            }
            (None, Some(_)) => {
                for name in ["args", "retry", "retry_delay"] {
                    if let Some(value) = values.get(name) {
                        self.wrong(
                            value.at,
                            1,
                            format!("`{name}` belongs to a step with a tool, and this one is made of steps."),
                        );
                    }
                }
                Action::Group(self.steps(values.get("steps").copied(), depth + 1))
            }
            (Some(tool), None) => Action::Tool {
                tool: tool.clone(),
                // Of the wrong form, too: then nothing is said of what is in it.
                args: given(tree, "args").map_or_else(|| nothing(tree.at), Clone::clone),
                retry: number("retry", 0),
                retry_delay: values.get("retry_delay").and_then(|value| seconds(value)).unwrap_or(1.0),
            },
        };
        let name = text("name").or(tool).map_or_else(|| "steps".to_owned(), |found| found.text);
        Some(Step {
            at: tree.at,
            name,
            action,
            repeat: number("repeat", 1),
            expect: text("expect"),
            analyze: text("analyze"),
            check: values.get("check").map(|value| texts(value)).unwrap_or_default(),
            rules: values.get("rules").map(|value| self.rules(value)).unwrap_or_default(),
            save_as: text("save_as").map(|found| found.text),
            timeout: values.get("timeout").and_then(|value| seconds(value)),
        })
    }

    /// Takes a mapping apart: what it may not have, has twice, or lacks is a mistake. A field left empty is not there.
    pub(super) fn fields<'a>(&mut self, tree: &'a Located, fields: &'static [Field], what: &str) -> Option<Values<'a>> {
        let Plain::Map(entries) = &tree.value else {
            self.wrong(tree.at, 1, format!("{} is a mapping of fields, and this is {}.", text::capital(what), kind(&tree.value)));
            return None;
        };
        let mut values = Values::new();
        let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
        for (key, at, value) in entries {
            let length = key.chars().count();
            if let Some(first) = seen.insert(key, *at) {
                self.wrong(*at, length, format!("`{}` stands here twice; the first is in line {}.", shown(key), first.line));
                continue;
            }
            let Some(field) = fields.iter().find(|field| field.name == key) else {
                self.unknown(key, *at, fields, what);
                continue;
            };
            if value.value == Plain::Null {
                if field.required {
                    self.wrong(*at, length, format!("`{key}` is empty: {} needs it.", article(what)));
                }
                continue;
            }
            if self.has_form(field, value) {
                values.insert(field.name, value);
            }
        }
        for field in fields.iter().filter(|field| field.required && !seen.contains_key(field.name)) {
            self.wrong(tree.at, 1, format!("{} needs `{}`: {}", text::capital(article(what).as_str()), field.name, field.doc));
        }
        Some(values)
    }

    fn unknown(&mut self, key: &str, at: Place, fields: &[Field], what: &str) {
        let mut said = format!("`{}` is no field of {}.", shown(key), article(what));
        let near = nearest(key, fields.iter().map(|field| field.name));
        if let Some(home) = schema::home(key) {
            said += &format!(" It belongs {home}.");
        } else if near.is_empty() {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            said += &format!(" There are: {}.", names.join(", "));
        } else {
            let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
            said += &format!(" Did you mean {}?", near.join(" or "));
        }
        self.wrong(at, key.chars().count(), said);
    }

    /// Checks a value for the form of its field; says what is wrong with it.
    fn has_form(&mut self, field: &Field, value: &Located) -> bool {
        let name = field.name;
        let (expected, hint) = match (field.form, &value.value) {
            // What is in them is looked at where they are taken apart.
            (Form::Section(_) | Form::Count | Form::Range, _) => return true,
            (Form::Rules, Plain::List(items)) if !items.is_empty() => return true,
            (Form::Rules, Plain::List(_)) => ("a list of rules that is not empty", ""),
            (Form::Rules, _) => ("a list of rules", " Each begins with `- of:`."),
            (Form::True, Plain::Bool(true)) => return true,
            (Form::True, Plain::Bool(false)) => ("true", " Leave it out where it need not hold."),
            (Form::True, _) => ("true", ""),
            (Form::Format, Plain::Text(text)) if data::is_format(text) => return true,
            (Form::Format, _) => ("a format", rules::FORMAT_HINT),
            (Form::Text | Form::TextOrTexts, Plain::Text(text)) if !text.trim().is_empty() => return true,
            (Form::Text, Plain::Text(_)) => ("a text that is not empty", ""),
            (Form::Texts | Form::TextOrTexts, Plain::List(items)) => {
                let wrong: Vec<&Located> = items.iter().filter(|item| wording(item).is_none()).collect();
                for item in &wrong {
                    self.wrong(item.at, 1, format!("`{name}` is a list of texts, and this is {}.", kind(&item.value)));
                }
                if matches!(field.form, Form::TextOrTexts) && items.is_empty() {
                    self.wrong(value.at, 1, format!("`{name}` is empty."));
                    return false;
                }
                return true;
            }
            (Form::Name, Plain::Text(text)) if is_name(text) && !interpolate::is_reserved(text) => return true,
            (Form::Name, Plain::Text(text)) if interpolate::is_reserved(text) => ("another name", " That one is taken."),
            (Form::Name, written) => {
                self.misnamed.extend(if let Plain::Text(text) = written { Some(text.clone()) } else { None });
                ("a name of letters, digits, `_` and `-`", "")
            }
            (Form::Word(words), Plain::Text(text)) if words.contains(&text.as_str()) => return true,
            (Form::Word(words), _) => {
                let said = format!("`{name}` is {}, and this is {}.", words.join(" or "), value_shown(&value.value));
                self.wrong(value.at, length(value), said);
                return false;
            }
            (Form::Seconds, _) if seconds(value).is_some_and(|seconds| seconds > 0.0 && seconds <= schema::SECONDS_MAX) => {
                return true;
            }
            (Form::Delay, _) if seconds(value).is_some_and(|seconds| (0.0..=schema::SECONDS_MAX).contains(&seconds)) => {
                return true;
            }
            (Form::Seconds | Form::Delay, Plain::Text(text)) if text.starts_with('0') && text.parse::<f64>().is_ok() => {
                ("a number of seconds", " Write it without quotes, and without zeros in front.")
            }
            (Form::Seconds, Plain::Text(text)) if text.parse::<f64>().is_ok() => {
                ("a number of seconds above 0", " Take the quotes away.")
            }
            (Form::Seconds, _) => ("a number of seconds above 0", ""),
            (Form::Delay, _) => ("a number of seconds, 0 or more", ""),
            (Form::Whole(least), Plain::Int(number)) if (least..=schema::ROUNDS_MAX).contains(number) => return true,
            (Form::Whole(least), _) => {
                let said = format!(
                    "`{name}` is a whole number from {least} to {}, and this is {}.",
                    schema::ROUNDS_MAX,
                    value_shown(&value.value)
                );
                self.wrong(value.at, length(value), said);
                return false;
            }
            (Form::Mapping, Plain::Map(entries)) => {
                self.mapping(name, entries);
                return true;
            }
            (Form::Mapping, _) => ("a mapping: names and values", ""),
            (Form::Steps, Plain::List(items)) if !items.is_empty() || name != "steps" => return true,
            (Form::Steps, Plain::List(_)) => ("a list of steps that is not empty", ""),
            (Form::Steps, _) => ("a list of steps", " Each begins with `-`."),
            (Form::Text | Form::TextOrTexts, Plain::Int(_) | Plain::Whole(_) | Plain::Float(_) | Plain::Bool(_)) => {
                ("a text", " Put it in quotes.")
            }
            (Form::Text, _) => ("a text", ""),
            (Form::Texts, _) => ("a list of texts", " In brackets: [a, b]."),
            (Form::TextOrTexts, _) => ("a text or a list of texts", ""),
        };
        self.wrong(value.at, length(value), format!("`{name}` is {expected}, and this is {}.{hint}", value_shown(&value.value)));
        false
    }

    /// A mapping of anything, each key once at every depth.
    fn mapping(&mut self, name: &str, entries: &[(String, Place, Located)]) {
        let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
        for (key, at, value) in entries {
            if let Some(first) = seen.insert(key, *at) {
                let said = format!("`{}` stands in `{name}` twice; the first is in line {}.", shown(key), first.line);
                self.wrong(*at, key.chars().count(), said);
            }
            self.nested(name, value);
        }
    }

    fn nested(&mut self, name: &str, value: &Located) {
        match &value.value {
            Plain::Map(entries) => self.mapping(name, entries),
            Plain::List(items) => items.iter().for_each(|item| self.nested(name, item)),
            _ => {}
        }
    }
}

fn has(tree: &Located, name: &str) -> bool {
    given(tree, name).is_some()
}

/// Gives the value of a field as it is written, if it is not nothing.
fn given<'a>(tree: &'a Located, name: &str) -> Option<&'a Located> {
    let Plain::Map(entries) = &tree.value else { return None };
    entries.iter().find(|(key, _, value)| key == name && value.value != Plain::Null).map(|(.., value)| value)
}

fn nothing(at: Place) -> Located {
    Located { at, value: Plain::Map(Vec::new()) }
}

pub(super) fn wording(value: &Located) -> Option<Wording> {
    match &value.value {
        Plain::Text(text) => Some(Wording { text: text.clone(), at: value.at }),
        _ => None,
    }
}

pub(super) fn texts(value: &Located) -> Vec<Wording> {
    match &value.value {
        Plain::List(items) => items.iter().filter_map(wording).collect(),
        _ => wording(value).into_iter().collect(),
    }
}

#[allow(clippy::cast_precision_loss)] // seconds are far below where that begins
fn seconds(value: &Located) -> Option<f64> {
    match value.value {
        Plain::Int(number) => Some(number as f64),
        Plain::Float(number) => Some(number),
        _ => None,
    }
}

fn whole(value: &Located) -> Option<u32> {
    match value.value {
        Plain::Int(number) => u32::try_from(number).ok(),
        _ => None,
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn shown(text: &str) -> String {
    text::cut(&text::display_line(text), SHOWN).into_owned()
}

fn kind(value: &Plain) -> &'static str {
    match value {
        Plain::Null => "nothing",
        Plain::Bool(_) => "true or false",
        Plain::Int(_) | Plain::Whole(_) | Plain::Float(_) => "a number",
        Plain::Text(_) => "a text",
        Plain::List(_) => "a list",
        Plain::Map(_) => "a mapping",
    }
}

/// Writes a value as a part of a sentence.
pub(super) fn value_shown(value: &Plain) -> String {
    match value {
        Plain::Bool(flag) => flag.to_string(),
        Plain::Int(number) => number.to_string(),
        Plain::Whole(digits) => shown(digits),
        Plain::Float(number) => number.to_string(),
        Plain::Text(text) => format!("the text “{}”", shown(text)),
        other => kind(other).to_owned(),
    }
}

/// Characters of a value on its first line, as far as they are known.
pub(super) fn length(value: &Located) -> usize {
    match &value.value {
        Plain::Text(text) => text.lines().next().map_or(1, |line| line.chars().count()),
        Plain::List(_) | Plain::Map(_) | Plain::Null => 1,
        other => value_shown(other).chars().count(),
    }
}

/// Writes a section's name as a part of a sentence.
fn article(what: &str) -> String {
    if what.starts_with("a ") { what.to_owned() } else { format!("`{what}`") }
}

#[cfg(test)]
mod tests;
