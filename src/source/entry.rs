//! One file of the index: what was read of it, and when it has to be read again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::domain::function::Module;

use super::parse::Parsed;
use super::regular::Stat;

/// One file of the index.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub module: Arc<Module>,
    /// The text that `module` was read from: the last good one.
    pub text: Arc<str>,
    pub init_uses: Arc<BTreeSet<String>>,
    pub class_uses: Arc<BTreeMap<String, BTreeSet<String>>>,
    pub stat: Stat,
    /// It parsed at least once.
    pub was_good: bool,
}

impl Entry {
    pub fn new(parsed: Parsed, stat: Stat) -> Self {
        Self {
            was_good: parsed.module.error.is_none(),
            module: Arc::new(parsed.module),
            text: parsed.text.into(),
            init_uses: Arc::new(parsed.init_uses),
            class_uses: Arc::new(parsed.class_uses),
            stat,
        }
    }
}
