//! The proof: drafts run by pytest in fresh, contained processes; what was seen becomes evidence and a verdict.
//!
//! Drafts run together, each in a file of its own, under different hash seeds and orders. When a run dies, each of its
//! drafts runs alone, so that one bad test costs nobody else.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::contain::{self, Class, Confinement, Level};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Body, Draft, Evidence, Finding, Origin, Proposal, ProposalId, ProposalState};
use crate::engine::blocking;
use crate::engine::core::Core;
use crate::engine::drafting::{self, announce_ready};
use crate::engine::environment::{self, Environment};
use crate::engine::jobs::Job;
use crate::generate::prove::{Ground, Proof, Run, RunEnd, Verdict, judge};
use crate::pytest::bench::Bench;
use crate::pytest::report::Report;
use crate::pytest::runner::{self, End, Invocation, Output, Suite};

/// A draft whose failing parts were left out is proved again at most so often.
const ROUNDS: usize = 3;
/// What a run may print before the rest is dropped.
const OUTPUT_MAX: usize = 256 << 10;
/// How often a run is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Proves some proposals; each ends as ready, refused or failed.
pub async fn batch(core: &Arc<Core>, ids: &[ProposalId], job: &Job<'_>) -> Result<(), Trouble> {
    let mut open = Vec::new();
    for id in ids {
        let proposal = core.proposal(*id)?;
        match proposal.state {
            ProposalState::Proving => open.push(proposal),
            ProposalState::Queued => open.push(core.move_proposal(*id, ProposalState::Proving, |_| {})?),
            // It became stale or was decided while it waited.
            _ => {}
        }
    }
    let environment = environment::get(core).await?;
    let code = drafting::code_of(core, open.iter().map(|proposal| proposal.function.clone()).collect()).await?;
    let (foreign, own): (Vec<_>, Vec<_>) = open.into_iter().partition(|proposal| is_foreign(proposal));
    round(core, &environment, own, environment.level, &code, job).await?;
    let level = contain::level_for(Class::Foreign);
    for proposal in foreign {
        if level == Level::None {
            refuse_unproved(core, &proposal)?;
        } else {
            round(core, &environment, vec![proposal], level, &code, job).await?;
        }
    }
    Ok(())
}

fn is_foreign(proposal: &Proposal) -> bool {
    proposal.edited.is_none() && proposal.draft().is_some_and(|draft| matches!(draft.origin, Origin::Model(_)))
}

fn refuse_unproved(core: &Arc<Core>, proposal: &Proposal) -> Result<(), Trouble> {
    core.move_proposal(proposal.id, ProposalState::Refused, |proposal| {
        let detail = "no sandbox here, and text by a model runs nowhere else";
        proposal.evidence = vec![Evidence::new(Finding::Error, "unproved", detail)];
    })?;
    Ok(())
}

/// Proves proposals of one class; drafts that lost a part are proved again.
async fn round(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    mut open: Vec<Arc<Proposal>>,
    level: Level,
    code: &HashMap<FunctionId, Digest>,
    job: &Job<'_>,
) -> Result<(), Trouble> {
    for turn in 0..ROUNDS {
        if open.is_empty() {
            return Ok(());
        }
        for proposal in &open {
            core.show_evidence(proposal.id, vec![Evidence::new(Finding::Running, "runs", "in fresh processes")]);
        }
        let seen = observe(core, environment, &open, level, job).await?;
        let mut again = Vec::new();
        for proposal in open {
            let Some(observed) = seen.get(&proposal.id) else { continue };
            let standing = core.proposal(proposal.id)?;
            if !is_same_work(&standing, &proposal) {
                continue;
            }
            let proof = verdict(core, &proposal, observed, level)?;
            match proof.verdict {
                Verdict::Again(rest) if turn + 1 < ROUNDS => {
                    again.push(core.settle_proposal(proposal.id, move |standing| {
                        if is_same_work(standing, &proposal) {
                            standing.body = Body::Draft(*rest);
                        }
                    })?);
                }
                _ => {
                    let code = code.get(&proposal.function).copied().unwrap_or_default();
                    settle(core, &proposal, proof, observed, level, code)?;
                }
            }
        }
        open = again;
    }
    Ok(())
}

fn verdict(core: &Core, proposal: &Proposal, observed: &Observed, level: Level) -> Result<Proof, Trouble> {
    let draft = effective(proposal)?;
    let (calls, tested) = {
        let state = core.state.lock();
        (state.calls.get(&proposal.function).copied().unwrap_or(0), state.tested.contains(&proposal.function))
    };
    let ground = Ground { containment: Some(level.word().to_owned()), recorded: None, calls, tests_there: usize::from(tested) };
    Ok(judge(&draft, &observed.runs, &ground))
}

/// Gives the draft with a person's text in place of its own, where there is one.
fn effective(proposal: &Proposal) -> Result<Draft, Trouble> {
    let Some(draft) = proposal.draft() else { return Err(Trouble::internal("A change is not proved by tests.")) };
    let parts = drafting::parts(proposal)?;
    Ok(Draft { imports: parts.imports, text: parts.text, tests: parts.tests, ..draft.clone() })
}

/// Tells whether a proposal still waits for the proof of this very text.
fn is_same_work(standing: &Proposal, proved: &Proposal) -> bool {
    standing.state == ProposalState::Proving && standing.edited == proved.edited && standing.body == proved.body
}

fn settle(
    core: &Arc<Core>,
    proposal: &Arc<Proposal>,
    proof: Proof,
    observed: &Observed,
    level: Level,
    code: Digest,
) -> Result<(), Trouble> {
    let state = match proof.verdict {
        Verdict::Ready => ProposalState::Ready,
        Verdict::Refused | Verdict::Again(_) => ProposalState::Refused,
        Verdict::Broken => ProposalState::Failed,
    };
    let roots = observed.import_roots.clone();
    let proved = proposal.clone();
    let moved = core.settle_proposal(proposal.id, move |proposal| {
        // A save or a person may have been quicker.
        if !is_same_work(proposal, &proved) {
            return;
        }
        proposal.state = state;
        proposal.basis = drafting::rests_on(code, proposal);
        proposal.evidence = proof.evidence;
        proposal.proved = Some(proof.proved);
        proposal.containment = Some(level.word().to_owned());
        if let Body::Draft(draft) = &mut proposal.body {
            draft.import_roots = roots;
        }
    })?;
    if moved.state == state {
        announce_ready(core, &moved);
    }
    Ok(())
}

/// What the runs of one draft showed.
#[derive(Clone, Default)]
struct Observed {
    runs: Vec<Run>,
    /// Folders that had to be put on the path; none where pytest finds the project by itself.
    import_roots: Vec<String>,
}

async fn observe(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    open: &[Arc<Proposal>],
    level: Level,
    job: &Job<'_>,
) -> Result<HashMap<ProposalId, Observed>, Trouble> {
    let mut drafts = Vec::new();
    for proposal in open {
        drafts.push((proposal.id, effective(proposal)?));
    }
    let bench = Arc::new(Proofs {
        root: core.root.clone(),
        environment: environment.clone(),
        level,
        roots: environment::import_roots(core),
        names: core.index().modules().filter_map(|module| module.name.split('.').next().map(ToOwned::to_owned)).collect(),
        runs: core.settings.generation.proof_runs.clamp(1, 10),
        limit: Duration::from_secs(core.settings.generation.proof_seconds.max(1)),
        cancel: job.cancel.clone(),
    });
    blocking(move || bench.prove(&drafts)).await?
}

/// How drafts are run.
struct Proofs {
    root: PathBuf,
    environment: Arc<Environment>,
    level: Level,
    roots: Vec<PathBuf>,
    names: std::collections::BTreeSet<String>,
    runs: u32,
    limit: Duration,
    cancel: CancellationToken,
}

impl Proofs {
    fn prove(&self, drafts: &[(ProposalId, Draft)]) -> Result<HashMap<ProposalId, Observed>, Trouble> {
        let mut together = self.run(drafts)?;
        if drafts.len() > 1 && together.values().any(Observed::died) {
            for one in drafts {
                together.extend(self.run(std::slice::from_ref(one))?);
            }
        }
        Ok(together)
    }

    /// Runs drafts together, as often as asked for.
    fn run(&self, drafts: &[(ProposalId, Draft)]) -> Result<HashMap<ProposalId, Observed>, Trouble> {
        let mut seen: HashMap<ProposalId, Observed> = drafts.iter().map(|(id, _)| (*id, Observed::default())).collect();
        let mut with_roots = false;
        let mut run = 0;
        while run < self.runs {
            let reports = self.once(drafts, run, with_roots)?;
            if !with_roots && reports.1.values().any(|end| self.misses_the_project(end)) {
                // Plain pytest does not find the project here: its folders go on the path, and a conftest with the tests.
                with_roots = true;
                continue;
            }
            for (id, end) in reports.1 {
                let conditions = if run % 2 == 1 { vec!["reversed order".to_owned()] } else { Vec::new() };
                let observed = seen.entry(id).or_default();
                observed.runs.push(Run { hash_seed: Some(reports.0), conditions, end });
                observed.import_roots = if with_roots { self.relative_roots() } else { Vec::new() };
            }
            run += 1;
        }
        Ok(seen)
    }

    fn relative_roots(&self) -> Vec<String> {
        self.roots.iter().map(|path| path.strip_prefix(&self.root).unwrap_or(path).display().to_string()).collect()
    }

    /// Tells whether a test file could not be collected for lack of the project's own packages.
    fn misses_the_project(&self, end: &RunEnd) -> bool {
        let RunEnd::NotCollected(lines) = end else { return false };
        lines.iter().any(|line| {
            line.split_once("No module named '").is_some_and(|(_, rest)| {
                let name = rest.split(['\'', '.']).next().unwrap_or("");
                self.names.contains(name)
            })
        })
    }

    /// Runs drafts once in a folder of their own; gives the hash seed and each one's end.
    fn once(
        &self,
        drafts: &[(ProposalId, Draft)],
        run: u32,
        with_roots: bool,
    ) -> Result<(u32, HashMap<ProposalId, RunEnd>), Trouble> {
        let scratch = contain::scratch()?;
        let mut files = BTreeMap::new();
        let mut owners = HashMap::new();
        for (at, (id, draft)) in drafts.iter().enumerate() {
            let path = beside(&draft.target, at);
            owners.insert(path.as_str().to_owned(), *id);
            files.insert(path, draft.standalone());
        }
        let texts = files.iter().map(|(path, text)| (path, text.as_str()));
        let bench = Bench::lay_out(&self.root, scratch.path(), texts)
            .map_err(|error| Trouble::environment("A proof could not be laid out.").because(format!("{error}.")))?;
        let hash_seed = run * 7 + 1;
        let tests: Vec<String> = owners.keys().cloned().collect();
        let suite = Suite {
            interpreter: &self.environment.interpreter.path,
            package: &self.environment.package,
            root: &self.root,
            bench: &bench,
            tests: &tests,
            import_roots: if with_roots { &self.roots } else { &[] },
            hash_seed,
            reverse: run % 2 == 1,
            env: BTreeMap::from([("PYTHONSAFEPATH".to_owned(), "1".to_owned())]),
            limit: self.limit,
        };
        let report = runner::run(&suite, &mut |invocation| self.start(invocation, scratch.path()))?;
        Ok((hash_seed, ends(&report, &owners)))
    }

    /// Starts pytest, contained, and waits for its end.
    fn start(&self, invocation: &Invocation, scratch: &Path) -> Result<Output, Trouble> {
        let mut confinement = Confinement::new(&self.root, scratch);
        confinement.cwd.clone_from(&invocation.cwd);
        confinement.read_only.clone_from(&self.environment.interpreter.prefixes);
        confinement.read_only.push(self.environment.package.folder.clone());
        confinement.env.clone_from(&invocation.env);
        if let Some(base) = &self.environment.interpreter.user_base {
            confinement.env.insert("PYTHONUSERBASE".into(), base.display().to_string());
        }
        let fail = |error: std::io::Error| Trouble::environment("pytest could not be started.").because(format!("{error}."));
        let log = scratch.join(format!("output-{}", clock::now().0));
        let out = std::fs::File::create(&log).map_err(fail)?;
        let mut child = contain::command(self.level, &confinement, &invocation.program, &invocation.args)?
            .stdin(std::process::Stdio::null())
            .stdout(out.try_clone().map_err(fail)?)
            .stderr(out)
            .spawn()
            .map_err(fail)?;
        let until = Instant::now() + invocation.limit;
        let end = loop {
            match child.try_wait().map_err(fail)? {
                Some(status) => break ended(status),
                None if self.cancel.is_cancelled() => {
                    contain::stop(child.id());
                    child.wait().map_err(fail)?;
                    return Err(Trouble::environment("The proof was cancelled."));
                }
                None if Instant::now() > until => {
                    contain::stop(child.id());
                    child.wait().map_err(fail)?;
                    break End::TimedOut;
                }
                None => std::thread::sleep(LOOK),
            }
        };
        let bytes = std::fs::read(&log).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(OUTPUT_MAX)..]).into_owned();
        Ok(Output { end, text })
    }
}

impl Observed {
    /// Tells whether a run ended before its time, so that other drafts may have suffered.
    fn died(&self) -> bool {
        self.runs.iter().any(|run| match &run.end {
            RunEnd::TimedOut(_) | RunEnd::Broke(_) => true,
            RunEnd::Finished(tests) => tests.iter().any(|test| test.message.contains("the process ")),
            RunEnd::NotCollected(_) => false,
        })
    }
}

fn ended(status: std::process::ExitStatus) -> End {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return End::Killed(format!("signal {signal}"));
    }
    End::Exited(status.code().unwrap_or(-1))
}

/// Gives a draft a file of its own beside its target, so that drafts of one module do not meet.
fn beside(target: &RelPath, at: usize) -> RelPath {
    let path = target.as_str();
    let stem = path.strip_suffix(".py").unwrap_or(path);
    RelPath::new(format!("{stem}__draft_{at}.py")).unwrap_or_else(|| target.clone())
}

/// Parts a report by the file each test is in.
fn ends(report: &Report, owners: &HashMap<String, ProposalId>) -> HashMap<ProposalId, RunEnd> {
    let mut ends = HashMap::new();
    for (file, id) in owners {
        let of_file = |nodeid: &str| nodeid.split("::").next().is_some_and(|path| path.ends_with(file.as_str()));
        let results: Vec<_> = report.results.iter().filter(|result| of_file(&result.nodeid)).cloned().collect();
        let problem = report.problem.clone().or_else(|| results.is_empty().then(|| "pytest did not report on it".to_owned()));
        ends.insert(*id, RunEnd::from(&Report { pytest: report.pytest.clone(), results, problem }));
    }
    ends
}
