//! What the files said on which drafts and verdicts rest besides code, kept with the project for the next start.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::engine::index::{configuration, reachability};
use crate::engine::state::core::Core;

/// What files said when drafts and verdicts were last seen to rest on them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// By the files that say how tests run.
    pub configuration: BTreeMap<RelPath, Digest>,
    /// By the files that calls read.
    pub data: BTreeMap<RelPath, Digest>,
}

impl Said {
    /// Gives what is known now; nothing is read for it.
    pub fn now(core: &Core) -> Result<Self, Trouble> {
        let index = core.index();
        let conftests =
            configuration::conftests(&index).map(|module| (module.path.clone(), configuration::meaning_of_conftest(module)));
        let configuration = configuration::known(core).into_iter().chain(conftests).collect();
        Ok(Self { configuration, data: reachability::data(core)?.iter().map(|(path, digest)| (path.clone(), digest)).collect() })
    }
}

/// Keeps what is known now, for the next start.
pub fn keep(core: &Core) {
    let kept = Said::now(core).and_then(|said| Ok(core.store().keep_said(&said)?));
    if let Err(trouble) = kept {
        core.complain("stale", &trouble);
    }
}
