//! What the types and functions of installed packages look like that a function needs: asked of the project's Python,
//! contained, which reads their files. Where that does not work, prompts say less.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::paths::read_regular;
use crate::base::scratch::Scratch;
use crate::contain::Level;
use crate::domain::function::Function;
use crate::engine::models::prompt_context;
use crate::engine::python::environment::{self, Environment, Packages};
use crate::engine::python::fresh_process;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::pytest::runner::Invocation;
use crate::source::installed::Outline;

/// How often is asked again for what an answer led to: modules that hand names on, base classes.
const ROUNDS: usize = 6;
/// Seconds that one answer may take.
const SECONDS: u64 = 20;
/// Largest answer that is read.
const REPLY_MAX: u64 = 32 << 20;

#[derive(Serialize)]
struct Request<'a> {
    modules: &'a BTreeSet<String>,
    may_import: bool,
}

/// Learns what is missing to tell a model what a function needs.
///
/// # Errors
/// Fails when the database cannot be read.
pub async fn learn(core: &Arc<Core>, function: &Function) -> Result<(), Trouble> {
    for _ in 0..ROUNDS {
        let unknown = prompt_context::needs(core, function)?.unknown;
        if unknown.is_empty() {
            break;
        }
        let outlines = ask(core, unknown.clone()).await.unwrap_or_else(|trouble| {
            tracing::debug!(%trouble, "installed modules were not looked at");
            BTreeMap::new()
        });
        let packages = core.part::<Packages>();
        let mut installed = packages.0.write();
        for name in &unknown {
            Arc::make_mut(&mut installed).learn(name, outlines.get(name));
        }
    }
    Ok(())
}

/// Asks the project's Python, where it may be run; nothing of the project is.
async fn ask(core: &Arc<Core>, modules: BTreeSet<String>) -> Result<BTreeMap<String, Outline>, Trouble> {
    let environment = environment::get(core).await?;
    if environment.level == Level::None {
        return Ok(BTreeMap::new());
    }
    let core = core.clone();
    blocking(move || {
        // What is written in C says what it has only when it runs, and may end the Python that asks it.
        let may_import = environment.level.is_kernel();
        let outlines = |may_import| outlines(&core, &environment, &Request { modules: &modules, may_import });
        outlines(may_import).or_else(|trouble| if may_import { outlines(false) } else { Err(trouble) })
    })
    .await?
}

fn outlines(core: &Core, environment: &Environment, request: &Request<'_>) -> Result<BTreeMap<String, Outline>, Trouble> {
    let failed = |why: String| Trouble::environment("Packages could not be looked at.").because(why);
    let scratch = Scratch::new()?;
    let (asked, replied) = (scratch.path().join("request.json"), scratch.path().join("reply.json"));
    let request = serde_json::to_vec(request).map_err(|error| failed(error.to_string()))?;
    std::fs::write(&asked, request).map_err(|error| failed(error.to_string()))?;
    let env = [
        ("PYTHONPATH", environment.package.folder.display().to_string()),
        ("PYTHONDONTWRITEBYTECODE", "1".into()),
        ("PYTHONSAFEPATH", "1".into()),
    ];
    let args: [OsString; 4] = ["-m".into(), "pytead_tui.outlines".into(), asked.into(), replied.clone().into()];
    let invocation = Invocation {
        program: environment.interpreter.path.clone(),
        args: args.into(),
        env: env.map(|(name, value)| (name.to_owned(), value)).into(),
        cwd: scratch.path().to_owned(),
        limit: Duration::from_secs(SECONDS),
    };
    let cancel = CancellationToken::new();
    let said = fresh_process::contained(&core.root, environment, environment.level, &invocation, scratch.path(), &cancel)?;
    let reply = read_regular(&replied, REPLY_MAX + 1).map_err(|_| failed(said.text))?;
    if reply.len() as u64 > REPLY_MAX {
        return Err(failed("They have too much to say.".into()));
    }
    serde_json::from_slice(&reply).map_err(|error| failed(error.to_string()))
}
