//! YAML tests: found, run with their plugins, several at once, and reported without secrets.
//!
//! Works without a database. What a file means and how a test is run is `spec/`; this knows where files and plugins lie, who
//! runs Python, and what of a report may be shown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream;
use ignore::WalkBuilder;
use serde_json::{Map, Value};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use crate::base::bits::is_random;
use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::{self, Digest};
use crate::base::paths::{RelPath, read_file, read_text};
use crate::base::redact::{Holds, Redactor, holds};
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::evaluator::Evaluator;
use crate::domain::question::Consent;
use crate::domain::settings::Settings;
use crate::domain::spec::{End, Phase, Progress, Report, Spec, Status, StepReport};
use crate::domain::spec_board::{SpecRun, Used};
use crate::domain::verdict::{Decided, Ruling};
use crate::engine::checks::llm::budget::Run;
use crate::engine::checks::llm::opinions::Asking;
use crate::engine::checks::llm::provider;
use crate::engine::checks::specs::llm_judge::{self, File, Put};
use crate::engine::checks::specs::validate::Looked;
use crate::engine::checks::verdict_files;
use crate::llm::choose;
use crate::python::interpreter::{self, Interpreter};
use crate::python::package::{self, Package};
use crate::python::plugins::{Broken, HostSpec, Plugin, PluginHost, Seen, Server};
use crate::spec::agent::{self, Agent};
use crate::spec::load::{self, Mistake, Mistakes};
use crate::spec::tools::{Toolbox, needs_python};
use crate::spec::{fold, recognize, run};

/// The YAML tests of one project.
pub struct Specs {
    root: PathBuf,
    settings: Settings,
    python: OnceCell<(Interpreter, Package)>,
    /// The model that a person chose, or why it is not asked.
    asking: Result<Option<Asking>, String>,
    /// Whom a person lets be sent to.
    consent: Consent,
}

/// How tests are run.
#[derive(Clone)]
pub struct Wanted {
    /// Tests at once.
    pub workers: usize,
    /// Seconds that each step may take that does not say so itself, in place of each test's own default.
    pub timeout: Option<f64>,
    /// Whether a model is asked anew, whatever it said before.
    pub refresh: bool,
    /// Stops everything; teardown and cleanup are run all the same.
    pub cancel: CancellationToken,
    /// Why tests are run that nobody asked for.
    pub because: BTreeMap<PathBuf, Sentence>,
}

impl Wanted {
    /// One test at a time, as its file says, because somebody asked for it.
    #[must_use]
    pub fn one(cancel: CancellationToken) -> Self {
        Self { workers: 1, timeout: None, refresh: false, cancel, because: BTreeMap::new() }
    }
}

impl Specs {
    /// Prepares to run tests of a project.
    #[must_use]
    pub fn new(root: &Path, settings: &Settings) -> Self {
        Self {
            root: root.to_owned(),
            settings: settings.clone(),
            python: OnceCell::new(),
            asking: Ok(None),
            consent: Consent::default(),
        }
    }

    /// Lets the model that a person chose decide what rules leave open.
    #[must_use]
    pub fn with_model(mut self, consent: &Consent) -> Self {
        self.consent = consent.clone();
        self.asking = Asking::open(&self.settings, &self.root, consent, &Run::default()).map_err(|trouble| trouble.to_string());
        self
    }

    /// Finds the tests of files and folders; without any, those of the folders that the settings name.
    ///
    /// # Errors
    /// When a path is not there, or there is no test in any.
    pub fn find(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Trouble> {
        let usual: Vec<PathBuf>;
        let paths = if paths.is_empty() {
            usual = self.folders().filter(|folder| folder.is_dir()).collect();
            &usual
        } else {
            paths
        };
        let mut found = Vec::new();
        for path in paths {
            let real = path.canonicalize().map_err(|error| {
                Trouble::usage(format!("{} cannot be read.", text::display_line(&path.display().to_string())))
                    .because(format!("{error}."))
            })?;
            if real.is_dir() {
                found.extend(tests_below(&real));
            } else {
                found.push(real);
            }
        }
        found.sort();
        found.dedup();
        if found.is_empty() {
            let places: Vec<String> = self.settings.spec.paths.iter().map(|path| format!("{path}/")).collect();
            return Err(Trouble::usage("There is no YAML test.")
                .because(format!(
                    "None lies in {}.",
                    if paths.is_empty() { places.join(", ") } else { "the given folders".into() }
                ))
                .so("Write one: docs/specs.md shows how."));
        }
        Ok(found)
    }

    /// Tells whether tools come from servers besides.
    pub(crate) fn has_servers(&self) -> bool {
        !self.settings.mcp_servers.is_empty()
    }

    fn folders(&self) -> impl Iterator<Item = PathBuf> {
        self.settings.spec.paths.iter().map(|below| self.root.join(below))
    }

    /// Names a file as people see it: below the root where it lies there.
    #[must_use]
    pub fn name(&self, file: &Path) -> String {
        let below = file.strip_prefix(&self.root).unwrap_or(file);
        text::display_line(&below.display().to_string()).into_owned()
    }

    /// Finds the plugins of a test: beside it, above it within the folders of tests, and in `tests/llm/plugins` of every
    /// folder above it up to the root.
    #[must_use]
    pub fn plugin_files(&self, file: &Path) -> Vec<PathBuf> {
        let own = file.parent().unwrap_or(&self.root);
        let mut folders: Vec<PathBuf> = Vec::new();
        for above in own.ancestors().take_while(|above| above.starts_with(&self.root)) {
            if above == own || self.folders().any(|folder| above.starts_with(folder)) {
                folders.push(above.join("plugins"));
            }
            folders.push(above.join("tests/llm/plugins"));
        }
        if !own.starts_with(&self.root) {
            folders.push(own.join("plugins"));
        }
        let mut files: Vec<PathBuf> = Vec::new();
        for folder in folders {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            let mut here: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            here.retain(|path| {
                let hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with(['_', '.']));
                path.extension().is_some_and(|kind| kind == "py") && !hidden && path.is_file() && !files.contains(path)
            });
            here.sort();
            files.extend(here);
        }
        files
    }

    async fn host(&self, file: &Path) -> Result<HostSpec, Trouble> {
        let (interpreter, package) = self
            .python
            .get_or_try_init(|| async {
                let (root, setting) = (self.root.clone(), self.settings.python.clone());
                let found = tokio::task::spawn_blocking(move || {
                    Ok::<_, Trouble>((interpreter::find(&root, setting.as_deref())?, package::install()?))
                });
                found.await.map_err(|error| Trouble::internal("Python was not looked for.").because(error))?
            })
            .await?
            .clone();
        let mut paths: Vec<PathBuf> = self.settings.record.python_path.iter().map(|below| self.root.join(below)).collect();
        paths.extend([self.root.join("src")].into_iter().filter(|folder| folder.is_dir()));
        paths.push(self.root.clone());
        let servers =
            self.settings.mcp_servers.iter().map(|(name, server)| Server { name: name.clone(), command: server.command.clone() });
        Ok(HostSpec {
            root: self.root.clone(),
            interpreter,
            package,
            files: self.plugin_files(file),
            paths,
            servers: servers.collect(),
            import: Duration::from_secs(self.settings.spec.import_seconds.into()),
        })
    }

    /// Loads the plugins that a test of this file would have, and says what each offers and which are broken.
    ///
    /// # Errors
    /// When Python does not start.
    pub async fn plugins(&self, file: &Path) -> Result<(Vec<Plugin>, Vec<Broken>), Trouble> {
        let host = PluginHost::start(self.host(file).await?).await?;
        let found = (host.plugins().to_vec(), host.broken().to_vec());
        host.end().await;
        Ok(found)
    }

    /// Runs tests, several at once; reports come in the order of their ends.
    pub async fn run_all(
        &self,
        files: &[PathBuf],
        wanted: &Wanted,
        say: &(dyn Fn(Progress) + Send + Sync),
        mut take: impl FnMut(Outcome),
    ) {
        let mut runs = Vec::with_capacity(files.len());
        for file in files {
            runs.push(self.run(file, wanted, say));
        }
        let mut runs = stream::iter(runs).buffer_unordered(wanted.workers.max(1));
        while let Some(outcome) = runs.next().await {
            take(outcome);
        }
    }

    /// Runs one test. What goes wrong with ourselves is an ERROR of the report.
    pub async fn run(&self, file: &Path, wanted: &Wanted, say: &(dyn Fn(Progress) + Send + Sync)) -> Outcome {
        self.run_with(&mut Map::new(), file, wanted, say).await
    }

    /// As [`Specs::run`], with values that are stored before the first step; afterwards they are what the test left.
    pub async fn run_with(
        &self,
        stored: &mut Map<String, Value>,
        file: &Path,
        wanted: &Wanted,
        say: &(dyn Fn(Progress) + Send + Sync),
    ) -> Outcome {
        let name = self.name(file);
        if wanted.cancel.is_cancelled() {
            return Outcome::broken(error(&name, None, "It was not run: the tests were stopped."));
        }
        let (own, since) = (self.own_files(file), clock::now());
        let read = {
            let file = file.to_owned();
            tokio::task::spawn_blocking(move || load::file(&file)).await
        };
        let spec = match read {
            Ok(Ok(spec)) => spec,
            Ok(Err(mistakes)) => {
                // What its tools say of it is told in the same round.
                let mistakes = self.mistakes(file, true, &mut Looked::default()).await.unwrap_or(mistakes);
                let mut said = mistakes.all.iter().filter_map(|one| mistakes.of_one(one, &name).into_iter().next());
                let mut report = error(&name, None, said.next().unwrap_or_default());
                report.issues = said.map(Sentence::from).collect();
                return Outcome { report, mistakes: Some(mistakes), run: None };
            }
            Err(failure) => return Outcome::broken(error(&name, None, failure.to_string())),
        };
        let begun = Instant::now();
        let redactor = Arc::new(parking_lot::Mutex::new(Redactor::from_environment()));
        say(Progress::Began { file: name.clone(), name: text::display_line(&spec.name).into_owned() });
        let safe = {
            let redactor = Arc::clone(&redactor);
            move |progress: Progress| say(shown(progress, &mut redactor.lock()))
        };
        let (mut report, seen, missing) = match self.done(&spec, stored, (file, &name), wanted, &safe).await {
            Ok(done) => done,
            Err(trouble) => (error(&name, Some(&spec), trouble.to_string()), Seen::default(), Vec::new()),
        };
        report.ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        redact(&mut report, &mut redactor.lock());
        let run = RelPath::below(&self.root, file).map(|path| {
            let used = Used { own, ..self.used(seen) };
            let because = wanted.because.get(file).cloned();
            let run = SpecRun { report: report.clone(), began: since, at: clock::now(), because, used };
            verdict_files::leave_spec(&self.root, &path, &run);
            Box::new(run)
        });
        let text = || read_text(file).unwrap_or_default();
        Outcome { report, mistakes: (!missing.is_empty()).then(|| Mistakes::of(&text(), missing)), run }
    }

    /// Finds Claude Code for a test that it drives, as far as a person allowed to ask it.
    fn agent(&self) -> Result<Agent, Trouble> {
        let variable = |name: &str| std::env::var(name).ok();
        let claude = choose::agent(&self.settings, |host| self.consent.send_to.contains(host), variable)?;
        let program = std::env::current_exe()
            .map_err(|error| Trouble::internal("This program does not find itself.").because(format!("{error}.")))?;
        Ok(Agent { claude, relay: vec![program.display().to_string(), RELAY.into()] })
    }

    /// Gives the test's own file and those of its plugins, with hashes of what is in them.
    fn own_files(&self, file: &Path) -> BTreeMap<RelPath, Digest> {
        let all = std::iter::once(file.to_owned()).chain(self.plugin_files(file));
        all.filter_map(|path| Some((RelPath::below(&self.root, &path)?, hash::of(&read_file(&path).ok()?)))).collect()
    }

    /// Makes what was seen of a run comparable with the project as it is later.
    fn used(&self, seen: Seen) -> Used {
        let named = |path: &String| RelPath::new(path);
        let hashed = |path: RelPath| {
            let text = read_file(&path.under(&self.root)).ok()?;
            Some((path, hash::of(&text)))
        };
        Used {
            own: BTreeMap::new(),
            files: seen.files.iter().filter_map(named).filter_map(hashed).collect(),
            entered: seen
                .entered
                .map(|all| all.into_iter().filter_map(|(path, name)| Some((RelPath::new(&path)?, name))).collect()),
            spawned: seen.spawned,
        }
    }

    async fn done(
        &self,
        spec: &Spec,
        stored: &mut Map<String, Value>,
        (file, name): (&Path, &str),
        wanted: &Wanted,
        say: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<(Report, Seen, Vec<Mistake>), Trouble> {
        let host = if needs_python(spec) { Some(self.host(file).await?) } else { None };
        let mut tools = Toolbox::open(host, stored.clone()).await?;
        let missing = tools.missing(spec);
        let mut notes: Vec<Sentence> = tools
            .broken()
            .iter()
            .map(|broken| {
                format!("The plugin {} is broken: {}.", self.name(Path::new(&broken.file)), broken.why.trim_end_matches('.'))
                    .into()
            })
            .collect();
        if !missing.is_empty() {
            let (told, seen) = tools.close().await;
            notes.extend(told.into_iter().map(Sentence::from));
            let what = missing.iter().map(|one| format!("line {}: {}", one.at.line, one.what)).collect::<Vec<_>>().join(" ");
            return Ok((Report { notes, ..error(name, Some(spec), what) }, seen, missing));
        }
        let agent = if spec.driven { Some((self.agent()?, read_text(file).unwrap_or_default())) } else { None };
        let how = run::How { file: name, timeout: wanted.timeout, cancel: wanted.cancel.clone(), say, agent };
        let mut ran = run::run(spec, &mut tools, &how).await;
        stored.clone_from(tools.stored());
        let (told, seen) = tools.close().await;
        notes.extend(told.into_iter().map(Sentence::from));
        let mut put = match &self.asking {
            Ok(Some(asking)) => {
                let mut redactor = Redactor::from_environment();
                let file = File { name, root: &self.root, refresh: wanted.refresh };
                llm_judge::put(asking, spec, &file, &mut ran, &mut redactor).await
            }
            _ => Put { ending: fold::ending(spec, &ran), evaluator: None, broken: None, issues: Vec::new() },
        };
        let mut agent_broke = false;
        match ran.said.take() {
            Some(Ok(said)) => {
                put.issues.extend(said.differences(&ran.steps).into_iter().map(Sentence::from));
                put.issues.extend(said.issues.iter().cloned());
                // The chosen model decides; without one the agent's own word does.
                if put.evaluator.is_none() && put.broken.is_none() {
                    let of_steps = said.decide_steps(&mut ran.steps);
                    llm_judge::fold_steps(&mut ran);
                    put.ending = fold::ending(spec, &ran);
                    let of_the_end = said.decide_ending(&mut put.ending);
                    put.evaluator = (of_steps || of_the_end).then(agent::evaluator);
                }
            }
            Some(Err(why)) => (put.broken, agent_broke) = (Some(why.into()), true),
            None => {}
        }
        if !ran.unasked.is_empty() {
            notes.push(format!("Claude Code made calls that no step asks for: {}.", ran.unasked.join(", ")).into());
        }
        let nobody = || format!("Only a model can decide this, and {}", provider::unasked(&self.settings, &self.root).0);
        let why = &self.asking.as_ref().err().cloned().unwrap_or_else(nobody);
        let clauses = ran.steps.iter_mut().flat_map(|step| &mut step.clauses);
        clauses.chain(&mut put.ending.pass_if).chain(&mut put.ending.fail_if).for_each(|clause| left_open(clause, why));
        let (mut verdict, mut reason) = fold::verdict(&ran, &put.ending);
        // What a call already failed stays failed; of all else nobody knows.
        let failed = ran.steps.iter().any(|step| step.phase != Phase::Teardown && step.status == Status::Failed);
        if let Some(broken) = put.broken.filter(|_| verdict == Ruling::Unclear || agent_broke && !failed) {
            (verdict, reason) = (Ruling::Error, broken);
        }
        let clauses = put.ending.clauses();
        let report = Report {
            file: name.to_owned(),
            name: spec.name.clone(),
            tags: spec.tags.clone(),
            verdict,
            reason,
            evaluator: put.evaluator.unwrap_or(Evaluator::Rules),
            steps: ran.steps,
            clauses,
            issues: put.issues,
            notes,
            ms: 0,
        };
        Ok((report, seen, Vec::new()))
    }
}

/// The argument by which this program relays between an agent and the tools of a test.
pub const RELAY: &str = "__tools";

/// What became of a file.
pub struct Outcome {
    /// The report.
    pub report: Report,
    /// What is wrong with the file, where something is: then nothing was run.
    pub mistakes: Option<Mistakes>,
    /// The run as it is kept, of a test of the project.
    pub run: Option<Box<SpecRun>>,
}

impl Outcome {
    fn broken(report: Report) -> Self {
        Self { report, mistakes: None, run: None }
    }
}

fn left_open(clause: &mut Decided, why: &str) {
    if std::mem::take(&mut clause.needs_model) {
        clause.why = why.into();
    }
}

fn error(file: &str, spec: Option<&Spec>, reason: impl Into<Sentence>) -> Report {
    Report {
        file: file.to_owned(),
        name: spec.map_or_else(|| file.to_owned(), |spec| spec.name.clone()),
        tags: spec.map(|spec| spec.tags.clone()).unwrap_or_default(),
        verdict: Ruling::Error,
        reason: reason.into(),
        evaluator: Evaluator::Rules,
        steps: Vec::new(),
        clauses: Vec::new(),
        issues: Vec::new(),
        notes: Vec::new(),
        ms: 0,
    }
}

/// Lists the tests below a folder, whatever may be wrong with them.
fn tests_below(folder: &Path) -> Vec<PathBuf> {
    let is_yaml = |path: &Path| path.extension().is_some_and(|kind| kind == "yaml" || kind == "yml");
    let walk = WalkBuilder::new(folder).standard_filters(false).hidden(true).follow_links(false).build();
    let files =
        walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())).map(|entry| entry.into_path());
    files.filter(|path| is_yaml(path) && recognize::is_test(path)).collect()
}

/// Makes what is said while a test runs fit to be shown.
fn shown(progress: Progress, redactor: &mut Redactor) -> Progress {
    match progress {
        Progress::Began { .. } => progress,
        Progress::Step { file, name, line, tool, args, filled, tries, of } => Progress::Step {
            file,
            name: safe(&name, redactor),
            line,
            tool: safe(&tool, redactor),
            args: redactor.value(args),
            filled: filled.into_iter().map(|(from, to)| (safe(&from, redactor), safe_of(&from, &to, redactor))).collect(),
            tries,
            of,
        },
        Progress::Stepped { file, mut step } => {
            redact_step(&mut step, redactor);
            Progress::Stepped { file, step }
        }
    }
}

fn redact(report: &mut Report, redactor: &mut Redactor) {
    report.name = safe(&report.name, redactor);
    for sentence in [&mut report.reason].into_iter().chain(&mut report.notes).chain(&mut report.issues) {
        *sentence = sentence.redacted(redactor);
    }
    report.tags.iter_mut().for_each(|tag| *tag = safe(tag, redactor));
    report.steps.iter_mut().for_each(|step| redact_step(step, redactor));
    report.clauses.iter_mut().for_each(|clause| redact_clause(clause, redactor));
}

fn redact_step(step: &mut StepReport, redactor: &mut Redactor) {
    step.name = safe(&step.name, redactor);
    step.args = redactor.value(std::mem::take(&mut step.args));
    step.end = match std::mem::replace(&mut step.end, End::NotRun { why: String::new() }) {
        End::Returned { result } => End::Returned { result: redactor.value(result) },
        End::Raised { error } => End::Raised { error: safe_lines(&error, redactor) },
        End::Died { how } => End::Died { how: safe(&how, redactor) },
        End::NotRun { why } => End::NotRun { why: safe(&why, redactor) },
        late @ End::TimedOut { .. } => late,
    };
    step.clauses.iter_mut().for_each(|clause| redact_clause(clause, redactor));
    for (from, to) in &mut step.filled {
        *to = safe_of(from, to, redactor);
        *from = safe(from, redactor);
    }
    step.printed = safe_lines(&step.printed, redactor);
}

fn redact_clause(clause: &mut Decided, redactor: &mut Redactor) {
    clause.text = safe(&clause.text, redactor);
    clause.why = clause.why.redacted(redactor);
}

fn safe(text: &str, redactor: &mut Redactor) -> String {
    let redacted = redactor.redact_placed(text);
    text::display_line(redacted.as_deref().unwrap_or(text)).into_owned()
}

fn safe_lines(text: &str, redactor: &mut Redactor) -> String {
    let redacted = redactor.redact_placed(text);
    text::display(redacted.as_deref().unwrap_or(text)).into_owned()
}

/// Makes a value fit to be shown that has a name.
fn safe_of(name: &str, value: &str, redactor: &mut Redactor) -> String {
    let last = name.trim_end_matches('}').rsplit(['.', '[', '{']).next().unwrap_or_default();
    let is_secret = match holds(last) {
        Some(Holds::One | Holds::Several) => true,
        Some(Holds::PerhapsSeveral) => is_random(value),
        None => false,
    };
    if is_secret { "[REDACTED]".into() } else { safe(value, redactor) }
}
