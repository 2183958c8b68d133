//! Settings are mostly the defaults of a module, and a few others: a large dict is written as what differs from such a one.

use std::collections::{HashMap, HashSet};

use super::{Builder, Stop};
use crate::domain::value::{TypeName, Value};
use crate::generate::layout::{Expr, Item, string};
use crate::source::mappings::Mapping;

/// So much of a dict has to be the module's.
const SHARED_MIN: f64 = 0.7;

impl Builder<'_, '_> {
    /// Writes a dict with many keys by the module's dict that it differs from least: `{**DEFAULTS, "NAME": 1}`. Gives `None` where
    /// there is none. What the module's own text does not tell is written out, so that evaluating finds the same dict.
    pub(super) fn by_mapping(&mut self, pairs: &[(Value, Value)]) -> Result<Option<Expr>, Stop> {
        let Some(((module, mapping), others)) = self.nearest(pairs) else { return Ok(None) };
        let Ok(name) = self.spell(&TypeName::new(module, &mapping.name)) else { return Ok(None) };
        let mut items = vec![Item { prefix: "**".to_owned(), value: Expr::Atom(name) }];
        for (key, value) in others {
            items.push(Item { prefix: format!("{}: ", string(key)), value: self.value(value, "setting")? });
        }
        Ok(Some(Expr::Bracket { open: "{".into(), items, close: '}', one_tuple: false }))
    }

    /// Finds the module's dict with the fewest differences, and the pairs that differ or may differ from it.
    fn nearest<'v>(&self, pairs: &'v [(Value, Value)]) -> Option<Near<'_, 'v>> {
        let texts = pairs.iter().map(|(key, value)| match key {
            Value::Str(key) => Some((key.as_str(), value)),
            _ => None,
        });
        let given: Vec<(&str, &Value)> = texts.collect::<Option<_>>()?;
        let by_key: HashMap<&str, &Value> = given.iter().copied().collect();
        let differing = |mapping: &Mapping| {
            // The order is a part of what is asserted then.
            let is_in_order = || mapping.items.iter().zip(&given).all(|((known, _), (key, _))| known == key);
            let has_all =
                mapping.items.len() <= given.len() && mapping.items.iter().all(|(known, _)| by_key.contains_key(known.as_str()));
            if !has_all || (self.ordered && !is_in_order()) {
                return None;
            }
            let is_same = |(key, known): &&(String, Option<Value>)| {
                known.as_ref().zip(by_key.get(key.as_str())).is_some_and(|(known, value)| known.same_as(value))
            };
            let same: HashSet<&str> = mapping.items.iter().filter(is_same).map(|(key, _)| key.as_str()).collect();
            let others: Vec<_> = given.iter().copied().filter(|(key, _)| !same.contains(key)).collect();
            #[expect(clippy::cast_precision_loss, reason = "no dict has so many items")]
            let shared = (given.len() - others.len()) as f64 / given.len() as f64;
            (shared >= SHARED_MIN).then_some(others)
        };
        let mappings = self.project.mappings;
        let near = mappings.iter().filter(|(module, _)| (self.project.importable)(module));
        let near = near.filter_map(|(module, mapping)| Some(((module.as_str(), mapping), differing(mapping)?)));
        near.min_by_key(|(_, others)| others.len())
    }
}

/// A module and a dict of it, with the pairs that are other ones.
type Near<'m, 'v> = ((&'m str, &'m Mapping), Vec<(&'v str, &'v Value)>);
