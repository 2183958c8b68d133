//! Docstring examples from recorded calls: tried in the sandbox, put into the docstrings, proved there by doctest, and only
//! then shown. What is written can be taken back as long as the files are as they were left.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::paths::{RelPath, read_regular, read_text};
use crate::base::scratch::Scratch;
use crate::domain::decision::FileEdit;
use crate::domain::event::JobKind;
use crate::domain::function::{Function, FunctionId};
use crate::domain::job_subject::JobSubject;
use crate::engine::drafting;
use crate::engine::edits::apply;
use crate::engine::index::files;
use crate::engine::python::environment::{Environment, import_roots};
use crate::engine::python::{environment, fresh_process};
use crate::engine::replay::first_replay;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::trust::require_trust;
use crate::generate::case::Case;
use crate::generate::examples::{self, Example, Shown};
use crate::pytest::runner::Invocation;
use crate::source::docstring::docstring;
use crate::write::apply::WriteError;

/// Bytes of a reply that are read.
const REPLY_MAX: u64 = 16 << 20;
/// Seconds that all examples of a run may take.
const RUN_SECONDS: u64 = 120;

/// Docstrings with examples in them, not yet written.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Documented {
    /// Each file as it is and as it would be.
    pub edits: Vec<FileEdit>,
    /// The functions that have examples now.
    pub functions: Vec<FunctionId>,
    /// The recorded functions that have none, and why.
    pub left_out: Vec<(FunctionId, String)>,
}

/// What the sandbox is asked.
#[derive(Debug, Serialize)]
struct Request<'a> {
    paths: Vec<String>,
    seconds: f64,
    sources: BTreeMap<&'a str, Source<'a>>,
    items: Vec<Item<'a>>,
}

#[derive(Debug, Clone, Serialize)]
struct Source<'a> {
    path: String,
    text: &'a str,
}

#[derive(Debug, Clone, Serialize)]
struct Item<'a> {
    key: usize,
    module: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    statements: Option<Vec<&'a String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qualname: Option<&'a str>,
}

/// What it answers, for an item.
#[derive(Debug, Deserialize)]
struct Answer {
    key: usize,
    #[serde(default)]
    printed: Vec<String>,
    raised: Option<Raised>,
    #[serde(default)]
    attempted: usize,
    #[serde(default)]
    failed: usize,
    error: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Raised {
    #[serde(rename = "type")]
    name: String,
    text: String,
}

/// A function and the lines for its docstring.
struct Wanted<'a> {
    function: &'a Function,
    block: Vec<String>,
}

/// Makes examples for these functions, or for all that were recorded.
pub async fn document(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Documented, Trouble> {
    let environment = environment::contained(core).await?;
    first_replay::calibrate_rest(core).await?;
    let job = core.jobs.begin(JobKind::Doc, JobSubject::RecordedCalls, 0);
    let cancel = job.cancel.clone();
    let progress = |done, all| job.progress(done, all);
    let mut gathered = drafting::pipeline::gather(core, &environment, functions, &cancel, &progress).await?;
    gathered.name_by_modules();
    let (gathered, plans) = drafting::plans::planned(core, &environment, gathered, &cancel, &progress).await?;
    let worker = core.clone();
    let done = blocking(move || documented(&worker, &environment, gathered.cases(plans), &cancel)).await?;
    job.end(done.is_ok());
    done
}

fn documented(
    core: &Core,
    environment: &Environment,
    cases: Vec<(Function, Vec<Case>)>,
    cancel: &CancellationToken,
) -> Result<Documented, Trouble> {
    let mut out = Documented::default();
    let mut tried: Vec<(Function, Vec<Example>)> = Vec::new();
    for (function, cases) in cases {
        let examples = examples::candidates(&function, cases);
        let why = examples::refused(&function).or_else(|| examples.is_empty().then_some("no recorded call makes an example"));
        match why {
            Some(why) => out.left_out.push((function.id, why.to_owned())),
            None => tried.push((function, examples)),
        }
    }
    let runner = Runner { core, environment, cancel };
    let shown = runner.show(&tried)?;
    let mut by_file: BTreeMap<RelPath, Vec<Wanted<'_>>> = BTreeMap::new();
    for ((function, examples), shown) in tried.iter().zip(shown) {
        let both: Vec<(Example, Shown)> =
            examples.iter().cloned().zip(shown).filter_map(|(example, shown)| Some((example, shown?))).collect();
        let block = examples::block(&both, 8, &core.root.to_string_lossy());
        if block.is_empty() {
            out.left_out.push((function.id.clone(), "what it gives is long, or not the same everywhere".into()));
        } else {
            by_file.entry(function.path.clone()).or_default().push(Wanted { function, block });
        }
    }
    for (path, mut wanted) in by_file {
        let Ok(before) = read_text(&path.under(&core.root)) else {
            let why = || format!("{path} is not UTF-8");
            out.left_out.extend(wanted.iter().map(|one| (one.function.id.clone(), why())));
            continue;
        };
        // What fails in company goes, and the rest is proved again.
        while !wanted.is_empty() {
            let after = with_blocks(&before, &mut wanted, &mut out.left_out);
            let failed = runner.prove(&path, &after, &wanted)?;
            if failed.is_empty() {
                out.functions.extend(wanted.iter().map(|one| one.function.id.clone()));
                if before != after {
                    out.edits.push(FileEdit { path: path.clone(), before: Some(before), after: Some(after) });
                }
                break;
            }
            wanted.retain(|one| !failed.iter().any(|(id, _)| *id == one.function.id));
            out.left_out.extend(failed);
        }
    }
    out.left_out.sort();
    Ok(out)
}

/// Puts the blocks into the docstrings of a file, from the last to the first; those that cannot be put in go.
fn with_blocks(before: &str, wanted: &mut Vec<Wanted<'_>>, left_out: &mut Vec<(FunctionId, String)>) -> String {
    wanted.sort_by_key(|one| std::cmp::Reverse(one.function.span.def));
    let mut text = before.to_owned();
    wanted.retain(|one| {
        let found = docstring(&text, one.function.span.def);
        let put = found.and_then(|found| Some((examples::put(&text, &found, &one.block)?, found.literal)));
        match put {
            Some((literal, place)) => {
                text.replace_range(place, &literal);
                true
            }
            None => {
                left_out.push((one.function.id.clone(), "its docstring cannot be added to without changing it".into()));
                false
            }
        }
    });
    text
}

/// Runs examples in the sandbox.
struct Runner<'a> {
    core: &'a Core,
    environment: &'a Environment,
    cancel: &'a CancellationToken,
}

impl Runner<'_> {
    /// Runs examples alone, and gives what each did; `None` for one that could not be run.
    fn show(&self, tried: &[(Function, Vec<Example>)]) -> Result<Vec<Vec<Option<Shown>>>, Trouble> {
        let mut items = Vec::new();
        for (function, examples) in tried {
            for example in examples {
                let statements = Some(example.imports.iter().chain(&example.statements).collect());
                items.push(Item { key: items.len(), module: function.id.module(), statements, qualname: None });
            }
        }
        let mut answers = self.run(items, BTreeMap::new(), 1)?;
        let mut key = 0..;
        let mut shown_of = |_: &Example| {
            let answer = answers.remove(&key.next()?).filter(|answer| answer.error.is_none())?;
            Some(Shown { printed: answer.printed, raised: answer.raised.map(|raised| (raised.name, raised.text)) })
        };
        Ok(tried.iter().map(|(_, examples)| examples.iter().map(&mut shown_of).collect()).collect())
    }

    /// Runs the docstrings of a text with doctest; gives the functions whose examples do not hold, and why.
    fn prove(&self, path: &RelPath, text: &str, wanted: &[Wanted<'_>]) -> Result<Vec<(FunctionId, String)>, Trouble> {
        let Some(module) = wanted.first().map(|one| one.function.id.module()) else { return Ok(Vec::new()) };
        let source = Source { path: path.under(&self.core.root).display().to_string(), text };
        let items = wanted.iter().enumerate();
        let items = items.map(|(key, one)| Item { key, module, statements: None, qualname: Some(one.function.id.qualname()) });
        let answers = self.run(items.collect(), BTreeMap::from([(module, source)]), 2)?;
        let mut failed = Vec::new();
        for (key, one) in wanted.iter().enumerate() {
            let examples = one.block.iter().filter(|line| line.starts_with(">>>")).count();
            let why = match answers.get(&key) {
                Some(Answer { error: None, attempted, failed: 0, .. }) if *attempted == examples => continue,
                Some(Answer { error: Some(error), .. }) => format!("its examples could not be proved: {error}"),
                Some(_) => "its examples do not hold when they are run again".to_owned(),
                None => "its examples could not be proved".to_owned(),
            };
            failed.push((one.function.id.clone(), why));
        }
        Ok(failed)
    }

    fn run(
        &self,
        items: Vec<Item<'_>>,
        sources: BTreeMap<&str, Source<'_>>,
        seed: u32,
    ) -> Result<HashMap<usize, Answer>, Trouble> {
        if items.is_empty() {
            return Ok(HashMap::new());
        }
        let failed = |error: std::io::Error| Trouble::environment("Examples could not be run.").because(format!("{error}."));
        let scratch = Scratch::new()?;
        let (asked, replied) = (scratch.path().join("request.json"), scratch.path().join("reply.jsonl"));
        let roots = import_roots(&self.core.index(), &self.core.root);
        let request = Request {
            paths: roots.iter().map(|root| root.display().to_string()).collect(),
            seconds: self.core.settings().generation.call_seconds.clamp(0.05, 600.0),
            sources,
            items,
        };
        let request =
            serde_json::to_vec(&request).map_err(|error| Trouble::internal("Examples cannot be sent.").because(error))?;
        std::fs::write(&asked, request).map_err(failed)?;
        let place = scratch.path().display().to_string();
        let env = [
            ("PYTHONPATH", self.environment.package.folder.display().to_string()),
            ("PYTHONHASHSEED", seed.to_string()),
            ("PYTHONDONTWRITEBYTECODE", "1".into()),
            ("PYTHONSAFEPATH", "1".into()),
            ("PYTEAD_LEVEL", self.environment.level.word().into()),
            ("PYTEAD_SCRATCH", place),
        ];
        let args: [OsString; 4] = ["-m".into(), "pytead_tui.doctests".into(), asked.into(), replied.clone().into()];
        let invocation = Invocation {
            program: self.environment.interpreter.path.clone(),
            args: args.into(),
            env: env.map(|(name, value)| (name.to_owned(), value)).into(),
            cwd: scratch.path().to_owned(),
            limit: Duration::from_secs(RUN_SECONDS),
        };
        let environment = self.environment;
        fresh_process::contained(&self.core.root, environment, environment.level, &invocation, scratch.path(), self.cancel)?;
        let reply = read_regular(&replied, REPLY_MAX).unwrap_or_default();
        let reply = String::from_utf8_lossy(&reply);
        let answers = reply.lines().filter_map(|line| serde_json::from_str::<Answer>(line).ok());
        Ok(answers.map(|answer| (answer.key, answer)).collect())
    }
}

/// Writes what was shown, if the files are still as they were. How to take it back is remembered first.
pub fn write(core: &Core, edits: &[FileEdit]) -> Result<(), Trouble> {
    require_trust(&core.root, core.trust())?;
    let before = core.store().documented()?;
    core.store().keep_documented(edits)?;
    apply::write(core, edits).or_else(|error| {
        core.store().keep_documented(&before)?;
        Err(error.into())
    })
}

/// Takes back what was written last; gives its files. One that is as it was before needs nothing: a crash came first.
pub fn take_back(core: &Core) -> Result<Vec<RelPath>, Trouble> {
    require_trust(&core.root, core.trust())?;
    let mut edits = core.store().documented()?;
    edits.retain(|edit| files::read(&core.root, &edit.path).map_or(true, |now| now != edit.before));
    if edits.is_empty() {
        return Err(Trouble::usage("Nothing to take back: no examples were written."));
    }
    let inverse: Vec<FileEdit> = edits.iter().map(FileEdit::inverse).collect();
    apply::write(core, &inverse).map_err(|error| match error {
        WriteError::Changed { path } => {
            Trouble::environment(format!("Not taken back: {path} changed since. Nothing was written."))
        }
        error => error.into(),
    })?;
    core.store().keep_documented(&[])?;
    Ok(edits.into_iter().map(|edit| edit.path).collect())
}
