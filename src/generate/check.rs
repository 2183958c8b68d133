//! What the assertions of a case have to see of its recorded outcome, as a check for the sandbox: there one detail after
//! another is changed, and for each of them an assertion has to fail (`worker/leaves.py`).

use crate::domain::call::CallId;
use crate::domain::value::Value;
use crate::generate::case::{Case, Ending};
use crate::generate::expect::RESULT;
use crate::generate::render;

/// Assertions, and the values that they look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// Import statements.
    pub imports: Vec<String>,
    /// Statements that hold for the values.
    pub source: String,
    /// The names of the values.
    pub names: Vec<String>,
    /// The values.
    pub values: Vec<Value>,
    /// The order of a dict is a part of them.
    pub ordered: bool,
}

/// The modules that assertions use besides those that a case is made of.
const MODULES: [&str; 3] = ["import math", "import pytest", "import re"];

/// Gives the check of a case; `None` where nothing was recorded that its assertions look at.
#[must_use]
pub fn of(case: &Case) -> Option<Check> {
    // The wording of Python and of packages is not asserted, and of what they carry only what means the same everywhere.
    if matches!(&case.ending, Ending::Raises(raised) if !raised.is_own) || case.seen.is_empty() {
        return None;
    }
    let source = render::asserted(case)?;
    let (names, values) = case.seen.iter().cloned().unzip();
    let names: Vec<String> = names;
    let names = names.into_iter().map(|name| name.replace(RESULT, &case.result)).collect();
    let imports = case.import_lines().into_iter().chain(MODULES.map(ToOwned::to_owned)).collect();
    Some(Check { imports, source, names, values, ordered: case.ordered })
}

/// Gives the check whether `==` sees all of an object.
#[must_use]
pub fn of_equality(object: &Value) -> Check {
    let source = format!("assert result == {RECORDED}");
    Check { imports: Vec::new(), source, names: vec!["result".into()], values: vec![object.clone()], ordered: false }
}

/// The name of an outcome as it was recorded.
const RECORDED: &str = "__recorded__";

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The details that were changed, by the way to them.
    pub tried: Vec<String>,
    /// Those of them that no assertion saw.
    pub unseen: Vec<String>,
}

impl Found {
    /// Reads what the sandbox found.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let texts = |value: &Value| match value {
            Value::List(items) => {
                items.iter().map(|item| if let Value::Str(text) = item { Some(text.clone()) } else { None }).collect()
            }
            _ => None,
        };
        let Value::Tuple(parts) = value else { return None };
        let [tried, unseen] = parts.as_slice() else { return None };
        Some(Self { tried: texts(tried)?, unseen: texts(unseen)? })
    }

    /// Tells of each field of an object whether a change of it was seen.
    #[must_use]
    pub fn fields(&self) -> Vec<(String, bool)> {
        let field = |way: &String| {
            let rest = way.strip_prefix("result.")?;
            Some(rest.split(['.', '[']).next().unwrap_or(rest).to_owned())
        };
        let mut fields: Vec<String> = self.tried.iter().filter_map(field).collect();
        fields.sort();
        fields.dedup();
        let count = |all: &[String], name: &String| all.iter().filter_map(field).filter(|other| other == name).count();
        // Parts of a field have classes of their own; what is itself not seen is not compared whole.
        let itself = |name: &String| self.unseen.contains(&format!("result.{name}"));
        let sees = |name: &String| !itself(name) && count(&self.unseen, name) < count(&self.tried, name);
        fields.into_iter().map(|name| (name.clone(), sees(&name))).collect()
    }
}

/// The checks of the cases that a draft is made of.
#[must_use]
pub fn all<'c>(cases: impl Iterator<Item = &'c Case>, calls: &[CallId]) -> Vec<Check> {
    cases.filter(|case| calls.contains(&case.call)).filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_compared_when_a_change_in_it_was_seen() {
        let texts = |ways: &[&str]| Value::List(ways.iter().map(|way| Value::Str((*way).into())).collect());
        let tried = texts(&["result.note", "result.items[0]", "result.items"]);
        let found = Found::read(&Value::Tuple(vec![tried, texts(&["result.note", "result.items[0]"])])).unwrap();
        assert_eq!(found.fields(), [("items".to_owned(), true), ("note".to_owned(), false)]);
        assert_eq!(Found::read(&Value::None), None);
    }
}
