//! The tools about YAML tests: what is wrong with one, which tools its steps may call, what came of a run, and a new one
//! put before a person.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::command::Command;
use crate::domain::spec::Status;
use crate::domain::verdict::Ruling;
use crate::engine::Done;
use crate::engine::checks::specs::runner::{Specs, Wanted};
use crate::engine::checks::specs::validate::Looked;
use crate::mcp::session::Request;
use crate::mcp::working::{self, seconds};
use crate::mcp::{reading, values};
use crate::spec::{fold, load, tools};

/// Bytes of a path, of what a test is to show, and of a test or a plugin.
const PATH_MAX: usize = 500;
const DESCRIPTION_MAX: usize = 4_000;
const TEXT_MAX: usize = 64 << 10;

/// `validate_test`
pub async fn validate(request: &Request<'_>) -> Result<Value, Trouble> {
    let (specs, file) = given(request)?;
    let name = specs.name(&file);
    let mut looked = Looked::default();
    let look = async { Ok(specs.mistakes(&file, true, &mut looked).await) };
    let mistakes = request.work(120, look).await?.value;
    let spec = match load::file(&file) {
        Ok(spec) => Some(Box::new(spec)),
        Err(mistakes) => mistakes.rest,
    };
    let errors = mistakes.map(|mistakes| mistakes.lines(&name)).unwrap_or_default();
    Ok(json!({
        "valid": errors.is_empty(), "test_name": spec.as_ref().map(|spec| &spec.name).filter(|name| !name.is_empty()),
        "step_count": spec.as_ref().map_or(0, |spec| spec.steps.len()),
        "tools_used": spec.as_ref().map(|spec| tools::called(spec)).unwrap_or_default(), "errors": errors,
    }))
}

/// `list_plugins`
pub async fn plugins(request: &Request<'_>) -> Result<Value, Trouble> {
    let Request { handle, .. } = request;
    let specs = specs(request);
    let (root, settings) = handle.project();
    let beside = root.join(settings.spec.paths.first().map_or("tests/llm", String::as_str)).join("any.yaml");
    let worked = request.work(120, specs.plugins(&beside)).await?;
    let (plugins, broken) = worked.value;
    let own = tools::built_in();
    let total = own.len() + plugins.iter().map(|plugin| plugin.tools.len()).sum::<usize>();
    Ok(json!({ "plugins": plugins, "builtin_tools": own, "total_tools": total, "broken": broken }))
}

/// `run_test`
pub async fn run(request: &Request<'_>) -> Result<Value, Trouble> {
    let Request { session, given: arguments, context, .. } = request;
    let (specs, file) = given(request)?;
    let limit = seconds(arguments, 300)?;
    let timeout = arguments.number("timeout", 0, working::SECONDS_MAX)?;
    #[allow(clippy::cast_precision_loss)] // at most ten minutes
    let timeout = (timeout > 0).then_some(timeout as f64);
    let wanted = Wanted { timeout, ..Wanted::one(CancellationToken::new()) };
    // Stopped in order, so that teardown and cleanup are run.
    let (cancel, taken_back) = (wanted.cancel.clone(), context.ct.clone());
    let watcher = tokio::spawn(async move {
        tokio::select! {
            () = taken_back.cancelled() => {}
            () = tokio::time::sleep(Duration::from_secs(limit)) => {}
        }
        cancel.cancel();
    });
    /// Seconds for teardown and cleanup of a test that was stopped.
    const PATIENCE: u64 = 60;
    let mut stored = values::of_test(session, &file);
    let before: Vec<String> = stored.keys().cloned().collect();
    let run = async { Ok(specs.run_with(&mut stored, &file, &wanted, &|_| {}).await) };
    let worked = request.work(limit + PATIENCE, run).await;
    watcher.abort();
    let outcome = worked?.value;
    let not_kept = values::left_by(session, &file, stored);
    let report = outcome.report;
    let open: Vec<String> = report.steps.iter().filter(|step| step.status != Status::Passed).map(fold::said).collect();
    #[allow(clippy::cast_precision_loss)]
    let took = report.ms as f64 / 1000.0;
    Ok(json!({
        "success": report.verdict == Ruling::Pass, "verdict": report.verdict, "reason": report.reason,
        "duration_seconds": took, "decided_by": report.evaluator, "not_passed": open, "steps": report.steps,
        "clauses": report.clauses, "notes": report.notes, "began_with": before, "stored_and_not_kept": not_kept,
        "errors": outcome.mistakes.map(|mistakes| mistakes.lines(&report.file)).unwrap_or_default(),
    }))
}

/// `create_test`
pub async fn create(request: &Request<'_>) -> Result<Value, Trouble> {
    let Request { session, handle, given, context, .. } = request;
    let limit = seconds(given, 300)?;
    let optional = |name: &str, max: usize| Ok::<_, Trouble>(given.optional(name, max)?.map(str::to_owned));
    let asked = optional("description", DESCRIPTION_MAX)?.unwrap_or_default();
    let (name, extend) = (optional("filename", PATH_MAX)?, optional("extend_plugin", PATH_MAX)?);
    let (test, plugin) = (optional("text", TEXT_MAX)?, optional("plugin", TEXT_MAX)?);
    let command = match test {
        Some(test) => {
            // One without a name has mistakes, and they are told.
            let named = || load::read(&test).map_or_else(|_| "unnamed".to_owned(), |spec| spec.name);
            let asked = if asked.is_empty() { named() } else { asked };
            Command::ProposeSpec { test, plugin, asked, name, extend, by: working::agent(context) }
        }
        None if plugin.is_some() => return Err(Trouble::usage("A plugin comes with the text of a test that calls it.")),
        None if asked.is_empty() => return Err(Trouble::usage("Give the text of a test, or a description of one.")),
        None => Command::AskSpec { asked, name, extend },
    };
    session.count_draft()?;
    let worked = request.work(limit, handle.perform(command)).await?;
    let Done::Proposal(id) = worked.value else { return Err(Trouble::environment("Nothing was proposed.")) };
    reading::shown(handle, id)
}

fn specs(request: &Request<'_>) -> Specs {
    let (root, settings) = request.handle.project();
    Specs::new(root, &settings)
}

/// Gives the file that was asked for: a YAML file of the project, and nothing behind a link out of it.
pub fn given(request: &Request<'_>) -> Result<(Specs, PathBuf), Trouble> {
    let asked = request.given.text("test_path", PATH_MAX)?;
    let refused = |why: &str| {
        Trouble::usage(format!("{} is not read.", text::cut(&text::display_line(asked), 120)))
            .because(why)
            .so("Give a YAML test of this project: tests/llm/test_users.yaml.")
    };
    let below = RelPath::new(asked).ok_or_else(|| refused("It is not below the project's root."))?;
    if !below.as_str().ends_with(".yaml") && !below.as_str().ends_with(".yml") {
        return Err(refused("It is no YAML file."));
    }
    let (root, _) = request.handle.project();
    let real = root.join(below.as_str()).canonicalize().map_err(|error| refused(&format!("{error}.")))?;
    if !real.starts_with(root) || !real.is_file() {
        return Err(refused("It leads out of the project, or is no file."));
    }
    Ok((specs(request), real))
}
