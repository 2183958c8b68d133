//! Type stubs from recorded calls: a text a module, and where it would stand.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::call::Call;
use crate::domain::function::{FunctionId, Module};
use crate::engine::calls::read::{CALLS_MAX, decode};
use crate::engine::edits::typed_place;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::generate::types::Annotations;
use crate::source::stub::stub;

/// What a stub begins with, so that it is known as ours when it is made again.
const HEADER: &str = "# Types seen in recorded calls, by pytead-tui types. Made anew by each run.\n";

/// The stub of a module.
#[derive(Debug, Clone, Serialize)]
pub struct Stub {
    /// Where it would stand below a folder of stubs: as the module does below the folder that it is imported from.
    pub path: RelPath,
    /// The file it describes.
    pub source: RelPath,
    /// Its text.
    pub text: String,
    /// Functions whose recorded calls gave it types.
    pub functions: usize,
}

/// Makes the stubs of the modules of these functions, or of all that were recorded; where `whole`, of the other modules of
/// their packages too, which a folder of stubs hides from checkers.
pub async fn stubs(core: &Arc<Core>, functions: Vec<FunctionId>, whole: bool) -> Result<Vec<Stub>, Trouble> {
    let core = core.clone();
    blocking(move || {
        let index = core.index();
        let recorded: BTreeSet<FunctionId> = core.store().functions()?.into_iter().map(|total| total.function).collect();
        let wanted = if functions.is_empty() { recorded.iter().cloned().collect() } else { functions };
        let mut paths: BTreeSet<RelPath> = wanted
            .iter()
            .filter_map(|id| index.module_of(id))
            .filter(|module| !module.is_test())
            .map(|m| m.path.clone())
            .collect();
        if whole {
            let packages: BTreeSet<_> = paths.iter().filter_map(|path| package(index.module(path)?)).collect();
            let of_them = |module: &&Arc<Module>| !module.is_test() && package(module).is_some_and(|own| packages.contains(&own));
            paths.extend(index.modules().filter(of_them).map(|module| module.path.clone()));
        }
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
            // Where a checker looks: below the folder that its package is imported from.
            let below = path.as_str().strip_prefix(&format!("{}/", module.import_root)).unwrap_or(path.as_str());
            let Some(path) = RelPath::new(format!("{below}i")) else { continue };
            let text = format!("{HEADER}{imports}{gap}{body}");
            out.push(Stub { path, source: module.path.clone(), text, functions });
        }
        Ok(out)
    })
    .await?
}

/// Writes stubs below a folder; only stubs of ours are written over.
///
/// # Errors
/// Fails when there is another file in the place of one, a link is in the way, or the disk refuses.
pub fn write(core: &Core, folder: &Path, stubs: &[Stub]) -> Result<(), Trouble> {
    let files = stubs.iter().map(|stub| (stub.path.clone(), stub.text.clone())).collect();
    typed_place::write_below(core, folder, files, |there| there.starts_with(HEADER))
}

/// Names the package at the top of a module's name, with the folder it is imported from; `None` for a module in none.
fn package(module: &Module) -> Option<(String, String)> {
    let top = module.name.split('.').next()?;
    let is_in_one = top != module.name || module.path.file_name() == "__init__.py";
    is_in_one.then(|| (module.import_root.clone(), top.to_owned()))
}
