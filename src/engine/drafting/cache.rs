//! Drafts as they were written last: with nothing changed that they rest on, none is written anew.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::base::error::Trouble;
use crate::base::hash::{Digest, Hasher};
use crate::base::paths::read_regular;
use crate::domain::event::Level;
use crate::domain::function::FunctionId;
use crate::domain::reason::ReasonCode;
use crate::engine::drafting::written::Made;
use crate::engine::edits::manifest_lookup::Standing;
use crate::engine::index::reachability;
use crate::engine::python::environment::Environment;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;

/// Files that say how drafts are laid out, and how pytest runs them.
const SETTINGS: &[&str] =
    &["pyproject.toml", "ruff.toml", ".ruff.toml", "setup.cfg", "tox.ini", "pytest.ini", ".pytest.ini", ".editorconfig"];

/// Larger settings files are not read.
const SETTINGS_MAX: u64 = 1 << 20;

/// What drafts of a set of functions rest on.
#[derive(Clone, Copy)]
pub struct Key {
    scope: Digest,
    rests_on: Digest,
}

/// Hashes what drafts of these functions, or of all, rest on: the recorded calls and what was decided of them, the code but
/// for the accepted tests, the files that calls read, the Python and its packages, the settings, and this program.
pub async fn key(core: &Arc<Core>, environment: &Environment, functions: &[FunctionId]) -> Result<Key, Trouble> {
    let interpreter = &environment.interpreter;
    let python = serde_json::json!([interpreter.path, interpreter.version, interpreter.packages, environment.package.folder]);
    let python = format!("{python} {:?}", environment.level);
    let scope: BTreeSet<FunctionId> = functions.iter().cloned().collect();
    let core = core.clone();
    blocking(move || {
        let mut of_scope = Hasher::default();
        for function in &scope {
            of_scope.part(function.0.as_bytes());
        }
        let mut hasher = Hasher::default();
        hasher.part(python.as_bytes()).part(program().as_bytes());
        let settings = core.settings();
        let told = serde_json::json!([settings.generation, settings.output, settings.record, settings.redact]).to_string();
        hasher.part(told.as_bytes());
        hasher.part(&core.store().calls_digest()?.0.to_le_bytes());
        // What is accepted changes with every decision, and no draft rests on it.
        let tests = format!("{}/", settings.output.tests);
        for module in core.index().modules().filter(|module| !module.path.as_str().starts_with(&tests)) {
            hasher.part(module.path.as_str().as_bytes()).part(&module.hash.0.to_le_bytes());
        }
        for (path, digest) in reachability::data(&core)?.iter().filter(|(path, _)| !path.as_str().starts_with(&tests)) {
            hasher.part(path.as_str().as_bytes()).part(&digest.0.to_le_bytes());
        }
        for name in SETTINGS {
            hasher.part(&read_regular(&core.root.join(name), SETTINGS_MAX).unwrap_or_default());
        }
        Ok(Key { scope: of_scope.digest(), rests_on: hasher.digest() })
    })
    .await?
}

/// Tells one build of this program from another.
fn program() -> String {
    let built = std::env::current_exe().and_then(|path| path.metadata()).ok();
    let when = built.as_ref().and_then(|meta| meta.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    format!("{} {:?} {:?}", env!("CARGO_PKG_VERSION"), built.map(|meta| meta.len()), when)
}

/// Gives the drafts that were written last, if they rest on the same and have in them what was accepted since.
pub fn read(core: &Core, key: Key) -> Result<Option<Vec<Made>>, Trouble> {
    let Some((then, made)) = core.store().drafted::<(Accepted, Vec<Made>)>(key.scope, key.rests_on)? else { return Ok(None) };
    let now = accepted(core)?;
    for one in &made {
        let (now, then) = (now.get(&one.function), then.get(&one.function));
        if now == then {
            continue;
        }
        // A draft holds what is accepted in it. Another may be chosen beside what is not.
        let calls = one.draft.as_ref().map(|draft| draft.calls.clone()).unwrap_or_default();
        let own: BTreeSet<Digest> = core.store().calls(&calls)?.into_iter().map(|call| call.input).collect();
        if now.is_some_and(|now| !now.is_subset(&own)) {
            return Ok(None);
        }
    }
    Ok(Some(made))
}

/// Keeps drafts for the next time. Where that fails, and where something was not found out, they are written anew then.
pub fn keep(core: &Core, key: Key, made: &[Made]) {
    if made.iter().flat_map(|one| &one.left_out).any(|left| left.reason.code == ReasonCode::NotEvaluated) {
        return;
    }
    let kept = accepted(core).and_then(|accepted| Ok(core.store().keep_drafted(key.scope, key.rests_on, &(accepted, made))?));
    if let Err(trouble) = kept {
        core.log.add(Level::Warning, "draft", trouble.to_string(), None);
    }
}

/// The inputs of accepted tests, by their function.
type Accepted = BTreeMap<FunctionId, BTreeSet<Digest>>;

fn accepted(core: &Core) -> Result<Accepted, Trouble> {
    Ok(Standing::read(core)?.inputs())
}
