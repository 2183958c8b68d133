//! What installed modules define, as far as somebody told: outlines of their classes and functions, which are read like the
//! project's own files. Nothing is looked up here; what is not known yet is only named.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::paths::RelPath;
use crate::domain::function::Module;
use crate::source::parse::parse;

/// An outline of a module: Python source with the headers of what it defines.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct Outline {
    /// The source.
    pub text: String,
    /// It is a package, so that its relative imports count from itself.
    pub package: bool,
    /// Python brings it itself.
    pub standard: bool,
}

/// Installed modules by name.
#[derive(Debug, Clone, Default)]
pub struct Installed {
    /// `None` for what is not there.
    modules: BTreeMap<String, Option<Module>>,
    standard: BTreeSet<String>,
}

impl Installed {
    /// Takes in what is known of a module now; `None` when it is not there.
    pub fn learn(&mut self, name: &str, outline: Option<&Outline>) {
        let module = outline.and_then(|outline| {
            let below = name.replace('.', "/");
            let path = if outline.package { format!("{below}/__init__.py") } else { format!("{below}.py") };
            Some(parse(&RelPath::new(path)?, outline.text.as_bytes(), name, ""))
        });
        if outline.is_some_and(|outline| outline.standard) {
            self.standard.insert(name.to_owned());
        }
        self.modules.insert(name.to_owned(), module);
    }

    /// Gives a module that is known.
    #[must_use]
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.modules.get(name)?.as_ref()
    }

    /// Tells whether a module was asked about, be it there or not.
    #[must_use]
    pub fn was_asked(&self, name: &str) -> bool {
        self.modules.contains_key(name)
    }

    /// Tells whether Python brings a module itself.
    #[must_use]
    pub fn is_standard(&self, name: &str) -> bool {
        self.standard.contains(name)
    }
}
