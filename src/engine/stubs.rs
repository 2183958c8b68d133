//! Type stubs from recorded calls: a text a module, and where it would stand. Writes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::call::Call;
use crate::domain::function::FunctionId;
use crate::engine::blocking;
use crate::engine::core::Core;
use crate::engine::views::{CALLS_MAX, decode};
use crate::generate::types::Annotations;
use crate::source::stub::stub;

/// What a stub begins with, so that it is known as ours when it is made again.
pub const HEADER: &str = "# Types seen in recorded calls, by pytead-tui types. Made anew by each run.\n";

/// The stub of a module.
#[derive(Debug, Clone, Serialize)]
pub struct Stub {
    /// Where it would stand: beside the module's file.
    pub path: RelPath,
    /// The file it describes.
    pub source: RelPath,
    /// Its text.
    pub text: String,
    /// Functions whose recorded calls gave it types.
    pub functions: usize,
}

/// Makes the stubs of the modules of these functions, or of all that were recorded.
pub async fn stubs(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Vec<Stub>, Trouble> {
    let core = core.clone();
    blocking(move || {
        let index = core.index();
        let recorded: BTreeSet<FunctionId> = core.store().functions()?.into_iter().map(|total| total.function).collect();
        let wanted = if functions.is_empty() { recorded.iter().cloned().collect() } else { functions };
        let paths: BTreeSet<RelPath> = wanted
            .iter()
            .filter_map(|id| index.module_of(id))
            .filter(|module| !module.is_test())
            .map(|m| m.path.clone())
            .collect();
        let mut out = Vec::new();
        for path in paths {
            let (Some(module), Some(text)) = (index.module(&path), index.text(&path)) else { continue };
            let mut calls: Vec<Call> = Vec::new();
            let mut functions = 0;
            for function in module.functions.iter().filter(|function| recorded.contains(&function.id)) {
                functions += 1;
                calls.extend(core.store().calls_of(&function.id, CALLS_MAX)?.into_iter().map(decode));
            }
            let annotations = Annotations::new(&index, module, &calls);
            let Some(body) = stub(&text, &annotations) else { continue };
            let imports: String = annotations.imports().iter().map(|line| format!("{line}\n")).collect();
            let gap = if imports.is_empty() { "" } else { "\n" };
            let Some(path) = RelPath::new(format!("{path}i")) else { continue };
            // `from __future__` may come after nothing but comments, and means nothing in a stub.
            let body = body.lines().filter(|line| !line.starts_with("from __future__")).map(|line| format!("{line}\n"));
            let text = format!("{HEADER}{imports}{gap}{}", body.collect::<String>());
            out.push(Stub { path, source: module.path.clone(), text, functions });
        }
        Ok(out)
    })
    .await?
}
