//! Drafts run by pytest in fresh, contained processes: where no warm Python can, and once more for what a warm one passed.
//!
//! Drafts run together, each in a file of its own. When a run dies, each of its drafts runs alone, so that one bad test
//! costs nobody else. What they leave lies where they can write, and is read as what a stranger left.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::scratch::Scratch;
use crate::contain::{self, Confinement, Level};
use crate::domain::proposal::{Draft, ProposalId};
use crate::engine::index::files;
use crate::engine::python::environment::{self, Environment};
use crate::engine::python::worker_pool;
use crate::engine::state::core::Core;
use crate::generate::path_help;
use crate::generate::prove::{Manner, Run, RunEnd, TestResult, Variation};
use crate::pytest::bench::Bench;
use crate::pytest::report::{Interruption, Report};
use crate::pytest::runner::{self, End, Invocation, Output, Suite};

/// What a run may print before the rest is dropped.
const OUTPUT_MAX: usize = 256 << 10;
/// How often a run is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// How drafts are run.
pub struct Fresh {
    pub root: PathBuf,
    pub environment: Arc<Environment>,
    pub level: Level,
    /// The folders of the project's modules, and the modules' names.
    pub roots: Vec<PathBuf>,
    pub names: BTreeSet<String>,
    /// What they need of the environment to be imported.
    pub variables: BTreeMap<String, String>,
    pub limit: Duration,
    pub cancel: CancellationToken,
}

/// One way to run drafts.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    pub manner: Manner,
    pub hash_seed: u32,
    /// In a folder that is not the project's, as if on another machine.
    pub elsewhere: bool,
}

/// What fresh runs of a draft showed.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    pub runs: Vec<Run>,
    /// Folders that had to be put on the path; none where pytest finds the project by itself.
    pub with_roots: bool,
}

impl Fresh {
    /// Gives what runs drafts of a project in an environment.
    pub fn new(core: &Core, environment: &Arc<Environment>, level: Level, cancel: &CancellationToken) -> Self {
        let (root, roots, names) = worker_pool::places(core);
        Self {
            root,
            environment: environment.clone(),
            level,
            roots,
            names,
            variables: environment::import_variables(core),
            limit: Duration::from_secs(core.settings().generation.proof_seconds.max(1)),
            cancel: cancel.clone(),
        }
    }

    /// Runs drafts in each of these ways.
    pub fn prove(&self, drafts: &[(ProposalId, Draft)], ways: &[Way]) -> Result<HashMap<ProposalId, Seen>, Trouble> {
        let mut together = self.run(drafts, ways)?;
        if drafts.len() > 1 && together.values().any(Seen::died) {
            for one in drafts {
                together.extend(self.run(std::slice::from_ref(one), ways)?);
            }
        }
        Ok(together)
    }

    fn run(&self, drafts: &[(ProposalId, Draft)], ways: &[Way]) -> Result<HashMap<ProposalId, Seen>, Trouble> {
        let mut seen: HashMap<ProposalId, Seen> = drafts.iter().map(|(id, _)| (*id, Seen::default())).collect();
        let rooted = &self.environment.provers.rooted;
        let mut with_roots = rooted.load(Ordering::Relaxed);
        for way in ways {
            let mut ends = self.once(drafts, way, with_roots)?;
            if !with_roots && ends.values().any(|end| misses_the_project(end, &self.names)) {
                // Plain pytest does not find the project here: its folders go on the path, and a conftest with the tests.
                with_roots = true;
                rooted.store(true, Ordering::Relaxed);
                ends = self.once(drafts, way, with_roots)?;
            }
            for (id, end) in ends {
                let varied = if way.elsewhere { vec![Variation::Folder, Variation::Machine] } else { Vec::new() };
                let observed = seen.entry(id).or_default();
                observed.runs.push(Run { manner: way.manner, fresh: true, hash_seed: Some(way.hash_seed), varied, end });
                observed.with_roots = with_roots;
            }
        }
        Ok(seen)
    }

    /// Runs drafts once in a folder of their own; gives each one's end.
    fn once(&self, drafts: &[(ProposalId, Draft)], way: &Way, with_roots: bool) -> Result<HashMap<ProposalId, RunEnd>, Trouble> {
        let scratch = Scratch::new()?;
        let (bench, owners) = lay_out(&self.root, scratch.path(), drafts, &self.variables)?;
        let tests: Vec<String> = owners.keys().cloned().collect();
        let elsewhere = way.elsewhere.then(|| self.environment.provers.elsewhere()).transpose()?;
        let suite = Suite {
            interpreter: &self.environment.interpreter.path,
            package: &self.environment.package,
            root: &self.root,
            bench: &bench,
            tests: &tests,
            import_roots: if with_roots { &self.roots } else { &[] },
            hash_seed: way.hash_seed,
            order: match way.manner {
                Manner::Alone | Manner::Forward => None,
                Manner::Backward => Some("reverse"),
                Manner::Shuffled => Some("shuffle"),
            },
            cwd: elsewhere.as_deref(),
            other_machine: way.elsewhere,
            env: [("PYTHONSAFEPATH".to_owned(), "1".to_owned())].into_iter().chain(self.variables.clone()).collect(),
            limit: self.limit + Duration::from_secs(drafts.len() as u64),
        };
        let report = runner::run(&suite, &mut |invocation| {
            contained(&self.root, &self.environment, self.level, invocation, scratch.path(), &self.cancel)
        })?;
        Ok(ends(&report, &owners))
    }
}

/// Starts Python, contained, and waits for its end; what it may write is the scratch folder.
pub fn contained(
    root: &Path,
    environment: &Environment,
    level: Level,
    invocation: &Invocation,
    scratch: &Path,
    cancel: &CancellationToken,
) -> Result<Output, Trouble> {
    let mut confinement = Confinement::new(root, scratch);
    confinement.cwd.clone_from(&invocation.cwd);
    confinement.read_only.clone_from(&environment.interpreter.prefixes);
    confinement.read_only.push(environment.package.folder.clone());
    confinement.read_only.push(environment.provers.elsewhere()?);
    confinement.env.clone_from(&invocation.env);
    if let Some(base) = &environment.interpreter.user_base {
        confinement.env.insert("PYTHONUSERBASE".into(), base.display().to_string());
    }
    let fail = |error: std::io::Error| Trouble::environment("Python could not be started.").because(format!("{error}."));
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let log = scratch.join(format!("output-{}-{}", clock::now().0, RUNS.fetch_add(1, Ordering::Relaxed)));
    let mut options = std::fs::OpenOptions::new();
    let out = options.read(true).append(true).create_new(true).open(&log).map_err(fail)?;
    let kept = out.try_clone().map_err(fail)?;
    let mut child = contain::command(level, &confinement, &invocation.program, &invocation.args)?
        .stdin(std::process::Stdio::null())
        .stdout(out.try_clone().map_err(fail)?)
        .stderr(out)
        .spawn()
        .map_err(fail)?;
    let until = Instant::now() + invocation.limit;
    let end = loop {
        match child.try_wait().map_err(fail)? {
            Some(status) => break ended(status),
            None if cancel.is_cancelled() => {
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
    Ok(Output { end, text: last_of(&kept) })
}

/// Reads the last part of what was written to a file: the one that was opened, whatever has its name by now.
fn last_of(file: &std::fs::File) -> String {
    let length = file.metadata().map_or(0, |meta| meta.len());
    let mut bytes = Vec::new();
    let mut place = length.saturating_sub(OUTPUT_MAX as u64);
    let mut part = [0; 8 << 10];
    while bytes.len() < OUTPUT_MAX
        && let Ok(read @ 1..) = file.read_at(&mut part, place)
    {
        bytes.extend_from_slice(&part[..read]);
        place += read as u64;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Seen {
    /// Tells whether a run ended before its time, so that other drafts may have suffered.
    fn died(&self) -> bool {
        self.runs.iter().any(|run| match &run.end {
            RunEnd::TimedOut(_) | RunEnd::Broke(_) => true,
            RunEnd::Finished(tests) => {
                let died = |test: &TestResult| test.interrupted.is_some_and(|interrupted| interrupted.by == Interruption::Died);
                tests.iter().any(died)
            }
            RunEnd::NotCollected { .. } => false,
        })
    }
}

/// Lays drafts out in a folder, each in a file of its own; gives whose file is whose.
pub fn lay_out(
    root: &Path,
    folder: &Path,
    drafts: &[(ProposalId, Draft)],
    variables: &BTreeMap<String, String>,
) -> Result<(Bench, BTreeMap<String, ProposalId>), Trouble> {
    let mut texts = BTreeMap::new();
    let mut owners = BTreeMap::new();
    for (at, (id, draft)) in drafts.iter().enumerate() {
        let path = Bench::file_of(&draft.target, at);
        owners.insert(path.as_str().to_owned(), *id);
        let folder = path.parent().map_or_else(String::new, |folder| format!("{folder}/"));
        if let (Some(set_up), Some(conftest)) = (path_help::set_up(variables), RelPath::new(format!("{folder}conftest.py")))
            && files::read(root, &conftest)?.is_none()
        {
            texts.insert(conftest, set_up);
        }
        texts.insert(path, draft.standalone());
        for helper in &draft.helpers {
            // A person's text where there is one.
            texts.insert(helper.path.clone(), files::read(root, &helper.path)?.unwrap_or_else(|| helper.text.clone()));
        }
    }
    let texts = texts.iter().map(|(path, text)| (path, text.as_str()));
    let bench = Bench::lay_out(root, folder, texts)
        .map_err(|error| Trouble::environment("A proof could not be laid out.").because(format!("{error}.")))?;
    Ok((bench, owners))
}

/// Tells whether a test file could not be collected for lack of the project's own packages.
pub fn misses_the_project(end: &RunEnd, names: &BTreeSet<String>) -> bool {
    let lines = match end {
        RunEnd::NotCollected { lines, .. } => lines.as_slice(),
        // A conftest.py that imports it stops pytest before it collects anything.
        RunEnd::Broke(why) => std::slice::from_ref(why),
        _ => return false,
    };
    lines.iter().any(|line| {
        line.split_once("No module named '").is_some_and(|(_, rest)| {
            let name = rest.split(['\'', '.']).next().unwrap_or("");
            names.contains(name)
        })
    })
}

fn ended(status: std::process::ExitStatus) -> End {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return End::Killed(format!("signal {signal}"));
    }
    End::Exited(status.code().unwrap_or(-1))
}

/// Parts a report by the file each test is in.
fn ends(report: &Report, owners: &BTreeMap<String, ProposalId>) -> HashMap<ProposalId, RunEnd> {
    let mut ends = HashMap::new();
    for (file, id) in owners {
        let of_file = |nodeid: &str| nodeid.split("::").next().is_some_and(|path| path.ends_with(file.as_str()));
        let results: Vec<_> = report.results.iter().filter(|result| of_file(&result.nodeid)).cloned().collect();
        let problem = report.problem.clone().or_else(|| results.is_empty().then(|| "pytest did not report on it".to_owned()));
        ends.insert(*id, RunEnd::from(&Report { pytest: report.pytest.clone(), results, problem }));
    }
    ends
}
