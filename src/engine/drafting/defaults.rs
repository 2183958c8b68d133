//! Defaults of settings: what the large dicts of modules hold once these are imported.

use std::collections::HashMap;

use crate::base::error::Trouble;
use crate::domain::function::Module;
use crate::domain::value::Value;
use crate::engine::drafting::evidence::Gathered;
use crate::engine::python::environment::Environment;
use crate::engine::state::core::Core;
use crate::generate::build::MAPPING_MIN;
use crate::python::protocol::Expression;
use crate::source::index::Index;
use crate::source::mappings::{Mapping, mappings};

/// More of them are not looked at.
const MOST: usize = 50;

/// Finds the large dicts of modules, if a call was given one: their keys by the modules' texts, their values by importing them.
pub async fn learn(core: &Core, environment: &Environment, index: &Index, gathered: &mut Gathered) -> Result<(), Trouble> {
    if !gathered.calls().any(|call| call.args.iter().any(|arg| holds_large_dict(&arg.value))) {
        return Ok(());
    }
    let mut found = mappings_of(index);
    found.truncate(MOST);
    let of = |key: u64, (module, mapping): &(String, Mapping)| {
        Expression::new(key, mapping.name.clone(), vec![format!("from {module} import {}", mapping.name)])
    };
    let items: Vec<Expression> = (0..).zip(&found).map(|(key, one)| of(key, one)).collect();
    let mut held: HashMap<u64, Result<Value, String>> = environment.evaluate(core, &items).await?;
    for (key, (_, mapping)) in (0..).zip(&mut found) {
        if let Some(Ok(value)) = held.remove(&key)
            && let Some(items) = items_of(value)
        {
            mapping.items = items;
        }
    }
    gathered.mappings = found;
    Ok(())
}

fn holds_large_dict(value: &Value) -> bool {
    !value.walk(&mut |part| !matches!(part, Value::Dict(pairs) if pairs.len() >= MAPPING_MIN))
}

/// Gives the items of a dict whose keys are texts.
fn items_of(value: Value) -> Option<Vec<(String, Option<Value>)>> {
    let Value::Dict(pairs) = value else { return None };
    let text = |(key, value)| if let Value::Str(key) = key { Some((key, Some(value))) } else { None };
    pairs.into_iter().map(text).collect()
}

/// Lists the large dicts of modules that are no tests.
fn mappings_of(index: &Index) -> Vec<(String, Mapping)> {
    let of = |module: &Module| mappings(&index.text(&module.path).unwrap_or_default());
    let modules = index.modules().filter(|module| !module.is_for_tests());
    modules.flat_map(|module| of(module).into_iter().map(|mapping| (module.name.clone(), mapping))).collect()
}
