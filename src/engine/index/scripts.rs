//! Scripts: modules that begin their work when they are imported.

use crate::domain::function::Module;
use crate::source::index::Index;

/// Tells whether importing a module may begin its work: a script at the top of the project that nobody imports and that has no
/// main guard (R31). Whether it does harm is seen when its recorded calls run again.
#[must_use]
pub fn is_script(index: &Index, module: &Module) -> bool {
    let is_named = |import: &str| import == module.name || import.starts_with(&format!("{}.", module.name));
    let imported = || index.modules().any(|other| other.imports.iter().any(|import| is_named(&import.module)));
    !module.has_main_guard && module.path.parts().count() == 1 && !imported()
}
