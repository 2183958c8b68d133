//! R10: what a call changed in its arguments, and what it took away from them.

use crate::domain::value::Value;
use crate::generate::build::{Builder, Stop, is_mock};
use crate::generate::expect::{Assertion, Relation, databases};
use crate::generate::layout::{Expr, string};
use crate::generate::scope::is_identifier;

/// R10: attributes asserted to be gone.
const REMOVED_MAX: usize = 2;

impl Builder<'_, '_> {
    /// R10: asserts what an argument or the receiver holds after the call.
    pub(in crate::generate) fn after(&mut self, subject: &str, before: &Value, after: &Value) -> Result<Vec<Assertion>, Stop> {
        let mut changed = Vec::new();
        let rest = databases::split(before, after, subject, &mut changed);
        let mut all = Vec::new();
        for database in &changed {
            all.extend(self.tables_of(&database.way, &database.content)?);
            let set: Vec<(&str, &Value)> = database.attributes.iter().map(|(name, value)| (name.as_str(), value)).collect();
            all.extend(self.attributes(&database.way, &set)?);
        }
        if all.is_empty() || !before.same_as(&rest) {
            all.extend(self.after_all_else(subject, before, &rest)?);
        }
        Ok(all)
    }

    fn after_all_else(&mut self, subject: &str, before: &Value, after: &Value) -> Result<Vec<Assertion>, Stop> {
        if let Some(found) = self.chosen_graph(subject, after)? {
            return Ok(found);
        }
        let after = self.expecting.as_ref().map_or(after, |expecting| expecting.resolve(after)).clone();
        if let (Value::Object { fields: old, .. }, Value::Object { ty, fields: new, .. }) = (before, &after) {
            let mut changed = differing(old, new);
            changed.retain(|(name, value)| !self.project.is_cache(ty, name, value));
            let found = self.attributes(subject, &changed)?;
            return Ok(if found.is_empty() { removed(subject, old, new) } else { found });
        }
        if let (Value::Sub { base: held, fields: old, .. }, Value::Sub { ty, base, fields: new, .. }) = (before, &after)
            && !new.is_empty()
        {
            if is_mock(ty) {
                return self.calls_of_mock(subject, new);
            }
            let same = held.same_as(base);
            let mut all = if same { Vec::new() } else { self.content(subject, ty, base)? };
            all.extend(self.attributes(subject, &differing(old, new))?);
            return Ok(all);
        }
        match self.assertions(subject, &after) {
            Err(Stop::No(_)) => Ok(Vec::new()),
            other => other,
        }
    }
}

/// Gives the part of an object that is asserted after a call: the fields that it changed.
pub(in crate::generate) fn part(before: &Value, after: &Value) -> Value {
    let owned = |fields: Vec<(&str, &Value)>| fields.into_iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let changed = match (before, after) {
        (Value::Object { fields: old, .. }, Value::Object { ordinal, ty, kind, fields: new }) => {
            Value::Object { ordinal: *ordinal, ty: ty.clone(), kind: *kind, fields: owned(differing(old, new)) }
        }
        _ => after.clone(),
    };
    databases::trimmed(before, &changed)
}

/// Lists the fields of an object that hold something else than before.
fn differing<'v>(old: &[(String, Value)], new: &'v [(String, Value)]) -> Vec<(&'v str, &'v Value)> {
    let is_kept = |name: &str, value: &Value| old.iter().any(|(known, before)| known == name && before.same_as(value));
    new.iter().filter(|(name, value)| !is_kept(name, value)).map(|(name, value)| (name.as_str(), value)).collect()
}

/// Asserts that attributes are gone which an object had before.
fn removed(subject: &str, old: &[(String, Value)], new: &[(String, Value)]) -> Vec<Assertion> {
    let gone = old.iter().map(|(name, _)| name).filter(|name| !new.iter().any(|(other, _)| other == *name));
    let assertion =
        |name: &String| Assertion::new(&format!("hasattr({subject}, {})", string(name)), Relation::Is, Expr::atom("False"));
    gone.filter(|name| is_identifier(name)).take(REMOVED_MAX).map(assertion).collect()
}
