//! The tests of the project that run through a function, as far as recordings know.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::base::error::Trouble;
use crate::domain::function::FunctionId;
use crate::domain::snapshot::TestRow;
use crate::domain::subject::Subject;
use crate::engine::index::reachability;
use crate::engine::state::core::Core;
use crate::source::index::Index;

/// Lists the tests that run through a function, those first in which most of its calls were recorded.
///
/// Equal calls are kept once, with the test that made them first. Other tests are found by who was seen entering whom: they run
/// something that was seen to run this function.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn of(core: &Core, function: &FunctionId) -> Result<Vec<TestRow>, Trouble> {
    let index = core.index();
    let mut calls: BTreeMap<FunctionId, u64> = BTreeMap::new();
    for (test, times) in core.store().calls_in_tests(function)? {
        if let Some(id) = test_function(&index, &test) {
            *calls.entry(id).or_default() += times;
        }
    }
    let mut callers: HashMap<FunctionId, Vec<FunctionId>> = HashMap::new();
    for edge in core.store().edges()? {
        if let Subject::Function(callee) = edge.callee {
            callers.entry(callee).or_default().push(edge.caller);
        }
    }
    let mut around: BTreeSet<FunctionId> = BTreeSet::from([function.clone()]);
    let mut open = vec![function.clone()];
    while let Some(callee) = open.pop() {
        for caller in callers.get(&callee).into_iter().flatten() {
            if around.insert(caller.clone()) {
                open.push(caller.clone());
            }
        }
    }
    around.extend(calls.keys().cloned());
    if !around.iter().any(|id| is_test(&index, id)) {
        // Nobody recorded a test of it: those are left whose text leads to it.
        around = reachability::by_names(core, &index).resting_on(&[function.clone().into()], &[]);
    }
    let rows = around.into_iter().filter(|id| is_test(&index, id)).filter_map(|id| {
        let found = index.function(&id)?;
        let calls = calls.get(&id).copied().unwrap_or_default();
        Some(TestRow { path: found.path.clone(), line: found.span.first, calls, test: id })
    });
    let mut rows: Vec<TestRow> = rows.collect();
    rows.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| (&a.path, a.line).cmp(&(&b.path, b.line))));
    Ok(rows)
}

fn is_test(index: &Index, id: &FunctionId) -> bool {
    let name = id.qualname().rsplit('.').next().unwrap_or_default();
    name.starts_with("test") && index.module_of(id).is_some_and(|module| module.is_test()) && index.function(id).is_some()
}

/// Finds the function of a test by its name, as pytest writes it: `tests/test_cart.py::TestCart::test_total[a-1]`.
fn test_function(index: &Index, name: &str) -> Option<FunctionId> {
    let (path, rest) = name.split_once("::")?;
    let qualname = rest.split('[').next()?.replace("::", ".");
    let module = index.modules().find(|module| module.path.as_str() == path || path.ends_with(&format!("/{}", module.path)))?;
    let id = FunctionId::new(&module.name, &qualname);
    index.function(&id).map(|function| function.id.clone())
}
