//! The texts of modules before an edit, for a search beside recorded calls: as they were recorded or last accepted, or as a commit has
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::function::FunctionId;
use crate::domain::subject::Subject;
use crate::engine::checks::secrets::Sources;
use crate::engine::replay::checkout::Elsewhere;
use crate::engine::replay::edited::Delta;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::python::protocol::Former;
use crate::source::git;

/// The texts of two versions; a module without one is as it lies on the disk.
#[derive(Debug, Default)]
pub struct Texts {
    /// Of the version before.
    pub former: Vec<Former>,
    /// Of today, where the other one is known without its secrets only: both are taken without.
    pub current: Vec<Former>,
    /// Functions of modules whose text before is not known whole.
    pub unknown: BTreeSet<FunctionId>,
}

impl Texts {
    fn add(&mut self, module: &str, path: &RelPath, former: String, today: &str, sources: &mut Sources<'_>) {
        let of = |text: String| Former { module: module.to_owned(), path: path.as_str().to_owned(), text };
        let alike = sources.kept(today);
        if alike != today {
            self.current.push(of(alike));
        }
        self.former.push(of(former));
    }

    /// Gives the texts that a commit has, where today's are others.
    ///
    /// # Errors
    /// Fails when git or the disk does.
    pub async fn of_commit(core: &Arc<Core>, reference: &str) -> Result<Self, Trouble> {
        let place = (core.root.clone(), reference.to_owned());
        let revision = blocking(move || git::resolve(&place.0, &place.1)).await??;
        let before = Elsewhere::of_commit(core, revision).await?.index().clone();
        let core = core.clone();
        blocking(move || {
            let today = core.index();
            let mut sources = Sources::new(&core.root, &today);
            let mut found = Self::default();
            for module in before.modules().filter(|module| !module.is_test()) {
                let Some(old) = before.text(&module.path) else { continue };
                let new = today.text(&module.path);
                if new.as_deref() != Some(&*old) {
                    let kept = sources.kept(&old);
                    found.add(&module.name, &module.path, kept, new.as_deref().unwrap_or_default(), &mut sources);
                }
            }
            found
        })
        .await
    }

    /// Gives the texts that modules had when their calls were recorded, or when a person accepted last what they do.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub async fn of_recording(core: &Arc<Core>) -> Result<Self, Trouble> {
        let core = core.clone();
        blocking(move || {
            let index = core.index();
            let delta = Delta::since_recording(&core)?;
            let texts = delta.recorded_texts(&core)?;
            let mut parts: BTreeMap<&str, Vec<(&FunctionId, &str)>> = BTreeMap::new();
            for (id, text) in &texts {
                parts.entry(id.module()).or_default().push((id, text));
            }
            let modules = delta.edited.iter().filter_map(|subject| match subject {
                Subject::Function(id) => Some(id.module()),
                Subject::ImportCode(module) => Some(module.as_str()),
                Subject::File(_) => None,
            });
            let wanted: BTreeSet<Subject> = modules.map(|module| Subject::ImportCode(module.to_owned())).collect();
            let wanted: Vec<Subject> = wanted.into_iter().collect();
            let mut sources = Sources::new(&core.root, &index);
            let mut found = Self::default();
            for code in core.store().code(&wanted)? {
                let Subject::ImportCode(module) = &code.subject else { continue };
                let own = parts.remove(module.as_str()).unwrap_or_default();
                // Outcomes of its functions may have been accepted one by one, each with another text of the module.
                if own.iter().all(|(_, text)| holds(&code.text, text)) {
                    let new = index.text(&code.path);
                    found.add(module, &code.path, code.text.clone(), new.as_deref().unwrap_or_default(), &mut sources);
                } else {
                    found.unknown.extend(own.into_iter().map(|(id, _)| id.clone()));
                }
            }
            found.unknown.extend(parts.into_values().flatten().map(|(id, _)| id.clone()));
            Ok::<_, Trouble>(found)
        })
        .await?
    }
}

/// Tells whether a module's text has the text of one of its functions: line by line, as the two may end their lines otherwise.
fn holds(module: &str, function: &str) -> bool {
    let (module, function): (Vec<&str>, Vec<&str>) = (module.lines().collect(), function.lines().collect());
    function.is_empty() || module.windows(function.len()).any(|lines| lines == function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_holds_a_function_by_its_lines() {
        let module = "import a\r\n\r\ndef f():\r\n    return 1\r\n";
        assert!(holds(module, "def f():\n    return 1"));
        assert!(!holds(module, "def f():\n    return 2"));
        assert!(holds(module, ""));
    }
}
