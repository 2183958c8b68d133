//! Records a real program, drafts tests of it, and runs them: every draft has to pass as it is.

mod odd_programs;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::harness::package::compiled_by;
use crate::harness::python_with_pytest;
use odd_programs::{DEFECTS, KINDS, MUTANTS, UNSTABLE, WRITTEN};
use pytead_tui::base::clock::now;
use pytead_tui::base::paths::RelPath;
use pytead_tui::base::redact::Redactor;
use pytead_tui::contain;
use pytead_tui::domain::batch::{Batch, SpoolCall};
use pytead_tui::domain::call::{Call, CallId, Effect, Outcome, RecordingId};
use pytead_tui::domain::function::{FunctionId, Module};
use pytead_tui::domain::observation::Observation;
use pytead_tui::domain::proposal::Draft;
use pytead_tui::domain::reason::ReasonCode;
use pytead_tui::domain::settings::{Record, Redact, Snapshots};
use pytead_tui::domain::value::{TypeName, Value};
use pytead_tui::generate::closer::{self, Look};
use pytead_tui::generate::describing;
use pytead_tui::generate::learned::{self, Form, Learned};
use pytead_tui::generate::plan::Plan;
use pytead_tui::generate::project::{AwaitBy, ClockBy, Definitions, Project};
use pytead_tui::generate::prove::{Ground, Manner, Run, RunEnd, TestResult, Trial, Verdict, judge};
use pytead_tui::generate::render::target;
use pytead_tui::python::interpreter;
use pytead_tui::python::protocol::{Expression, Surroundings};
use pytead_tui::python::value::{arguments, encode, encode_arguments, outcome, value};
use pytead_tui::python::zygote::{Evaluated, Looked, ReplayCall, Worker, WorkerSpec};
use pytead_tui::record::folder::SpoolFolder;
use pytead_tui::record::ingest::Ingest;
use pytead_tui::record::launch::{Mode, Plan as Launch, Request};
use pytead_tui::record::live::{Attach, Progress, run};
use pytead_tui::source::facades::Facades;
use pytead_tui::source::index::Index;
use tokio_util::sync::CancellationToken;

/// A project that was recorded.
struct Recorded {
    folder: tempfile::TempDir,
    calls: Vec<(SpoolCall, Call)>,
    index: Index,
    worker: Worker,
    /// How objects are asserted.
    snapshots: Snapshots,
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else if path.extension().is_some_and(|ext| ext == "py" || ext == "toml") {
            fs::copy(&path, &target).unwrap();
        }
    }
}

async fn record(project: &Path, command: &[&str]) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    copy(project, &root);
    let root = root.canonicalize().unwrap();
    let package = compiled_by(&python_with_pytest());
    let python = python_with_pytest();
    let typed: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    let launch = Launch::new(&Request {
        typed: &typed,
        root: &root,
        cwd: &root,
        interpreter: Some(&python),
        chosen: false,
        package: &package,
        record: &Record::default(),
        redact: &Redact::default(),
        mode: Mode::Calls,
    })
    .unwrap();
    let index = Index::build(&root, &[], &|_, _| {});
    let resolver = index.clone();
    let spool = SpoolFolder::create(&[folder.path().join("spool")], "1").unwrap();
    let resolve = move |path: &str, qualname: &str, line: u32| {
        resolver.by_code(&RelPath::new(path)?, qualname, line).map(|function| function.id.clone())
    };
    let ingest = Ingest::new(spool.path().to_owned(), now(), Redactor::default(), Box::new(resolve));
    let mut batches: Vec<Batch> = Vec::new();
    let mut output = Vec::new();
    let ended = run(&launch, spool, ingest, Attach::Piped, CancellationToken::new(), |progress| match progress {
        Progress::Reading(reading) => batches.push(reading.batch),
        Progress::Output { bytes, .. } => output.extend(bytes),
    })
    .await
    .unwrap();
    assert_eq!(ended.end.exit_code(), 0, "{}", String::from_utf8_lossy(&output));
    contain::use_executable(env!("CARGO_BIN_EXE_pytead-tui"));
    let interpreter = interpreter::find(&root, python.to_str()).unwrap();
    let worker = Worker::start(WorkerSpec::new(interpreter, package, contain::available(), &root)).await.unwrap();
    Recorded { folder, calls: assemble(batches), index, worker, snapshots: Snapshots::Values }
}

fn assemble(batches: Vec<Batch>) -> Vec<(SpoolCall, Call)> {
    let mut calls: Vec<(SpoolCall, Call)> = Vec::new();
    let mut at: HashMap<SpoolCall, usize> = HashMap::new();
    for batch in batches {
        for new in batch.calls {
            at.insert(new.spool, calls.len());
            let id = CallId(calls.len() as i64 + 1);
            let (args, way) = arguments(&new.args).unwrap();
            let call = Call {
                id,
                recording: RecordingId(1),
                function: new.function,
                parent: None,
                caller: new.caller,
                caller_line: new.caller_line,
                direct: new.direct,
                thread: new.thread,
                task: new.task,
                receiver: new.receiver,
                start_ns: new.start_ns,
                duration_ns: 0,
                args,
                way,
                effect: Effect { outcome: Outcome::Unfinished, changed: Vec::new() },
                touches: Vec::new(),
                observed: Observation::default(),
                times: 1,
                input: new.input,
            };
            calls.push((new.spool, call));
        }
        for end in batch.ends {
            let call = &mut calls[at[&end.spool]].1;
            call.effect = outcome(&end.outcome).unwrap();
            call.duration_ns = end.duration_ns;
        }
        for touch in batch.touches {
            calls[at[&touch.spool]].1.touches.push(touch.touch);
        }
        for times in batch.times {
            calls[at[&times.spool]].1.times = times.times;
        }
    }
    calls.into_iter().map(|(spool, call)| (spool, call.with_placeholders())).collect()
}

/// What became of a function's calls.
struct Outcomes {
    drafts: Vec<Draft>,
    /// Functions without a draft, and each reason.
    untested: BTreeMap<String, Vec<String>>,
}

impl Recorded {
    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    async fn evaluate(&self, plan: &Plan) -> BTreeMap<u64, Result<Value, String>> {
        let items: Vec<Expression> =
            plan.check_items().into_iter().map(|item| Expression::new(item.key, item.source, item.imports)).collect();
        if items.is_empty() {
            return BTreeMap::new();
        }
        let answers = self.worker.evaluate(&items, None).await.unwrap().all().await.unwrap();
        answers.into_iter().map(|answer| (answer.key, answer.result.map(|bytes| value(&bytes).unwrap()))).collect()
    }

    /// Tries to make objects from what they say of themselves, as the engine does before it drafts.
    async fn ways(&self, objects: Vec<&Value>) -> Vec<(Value, Vec<(Form, Value)>)> {
        let items: Vec<Expression> = (0..).zip(&objects).map(|(key, object)| Expression::ways(key, &encode(object))).collect();
        if items.is_empty() {
            return Vec::new();
        }
        let answers = self.worker.evaluate(&items, None).await.unwrap().all().await.unwrap();
        let read = |answer: Evaluated| Some((answer.key, learned::said(value(&answer.result.ok()?).unwrap()).ways));
        let mut found: HashMap<u64, _> = answers.into_iter().filter_map(read).collect();
        (0..).zip(objects).filter_map(|(key, object)| Some((object.clone(), found.remove(&key)?))).collect()
    }

    /// Looks at calls closely, as the engine does before it drafts.
    async fn look(&self, calls: &[&Call]) -> HashMap<CallId, Look> {
        let mut requests = Vec::new();
        for (key, call) in calls.iter().enumerate() {
            let callee = call.callee();
            let Some(module) = self.index.modules().find(|module| module.name == callee.module()) else { continue };
            requests.push(ReplayCall {
                key: key as u64,
                module: callee.module().to_owned(),
                path: module.path.as_str().to_owned(),
                qualname: callee.qualname().split('#').next().unwrap().to_owned(),
                as_kept: call.bound().is_some(),
                args: encode_arguments(&call.args, call.way),
                surroundings: Surroundings::of(call),
                wait: Duration::from_secs(10),
                sites: None,
                dispatch: None,
                also: Vec::new(),
            });
        }
        let replies = self.worker.look(&requests, |_| false).await.unwrap().all().await.unwrap();
        let look = |reply: Looked| {
            let effect = outcome(&reply.outcome?).ok()?;
            let says = reply.says.and_then(|bytes| value(&bytes).ok()).map_or_else(Vec::new, closer::said);
            let (printed, warned, arcs, silent) = (reply.printed, reply.warned, reply.arcs, reply.silent);
            Some((calls[reply.key as usize].id, Look { effect, printed, warned, arcs, silent, says }))
        };
        replies.into_iter().filter_map(look).collect()
    }

    async fn drafts(&self, most: usize) -> Outcomes {
        let module = |name: &str| self.index.modules().find(|module| module.name == name).map(|module| &**module);
        let life = |of: &Call, ordinal: u64| {
            let process = self.calls.iter().find(|(_, call)| call.id == of.id).map(|(spool, _)| spool.process);
            let same = |(spool, call): &&(SpoolCall, Call)| Some(spool.process) == process && call.receiver == Some(ordinal);
            let mut found: Vec<&Call> = self.calls.iter().filter(same).map(|(_, call)| call).collect();
            found.sort_by_key(|call| (call.start_ns, call.id));
            found
        };
        let history = |of: &Call, ordinal: u64| {
            let mut found = life(of, ordinal);
            found.retain(|call| call.start_ns < of.start_ns);
            found
        };
        let afterwards = |of: &Call, ordinal: u64| {
            let mut found = life(of, ordinal);
            found.retain(|call| call.start_ns >= of.start_ns + of.duration_ns);
            found
        };
        let importable = |name: &str| module(name).is_none_or(|module| name != "main" || module.has_main_guard);
        let births = |ty: &TypeName| {
            let init = FunctionId::new(&ty.module, &format!("{}.__init__", ty.qualname));
            self.calls.iter().map(|(_, call)| call).filter(|call| call.function == init).collect()
        };
        let nothing = |_| None;
        let given = |call: &Call| match &call.effect.outcome {
            Outcome::Returned(value) => Some(value.clone()),
            _ => None,
        };
        let makers = |of: &Call, ordinal: u64| {
            let gave = |call: &&Call| {
                let mut found = false;
                if let Some(value) = given(call) {
                    value.walk(&mut |part| {
                        let held = match part {
                            Value::Object { ordinal, .. } | Value::Sub { ordinal, .. } | Value::Opaque { ordinal, .. } => {
                                Some(*ordinal)
                            }
                            _ => None,
                        };
                        found |= held == Some(ordinal);
                        !found
                    });
                }
                found && call.start_ns + call.duration_ns <= of.start_ns
            };
            self.calls.iter().map(|(_, call)| call).filter(gave).collect()
        };
        let makers_of = |ty: &TypeName| {
            let gave = |call: &&Call| {
                let is_one = |value: &Value| matches!(value, Value::Object { ty: other, .. } if other == ty);
                given(call).is_some_and(|value| is_one(&value) || value.children().iter().any(|(_, part)| is_one(part)))
            };
            self.calls.iter().map(|(_, call)| call).filter(gave).collect()
        };
        let root = self.root().canonicalize().unwrap();
        let facades = Facades::of(self.index.modules().map(AsRef::as_ref));
        let mut learned = Learned::default();
        self.calls.iter().for_each(|(_, call)| learned.see(call));
        let definitions = Definitions::default();
        let project = Project {
            definitions: &definitions,
            module: &module,
            history: &history,
            afterwards: &afterwards,
            inner: &|_| Vec::new(),
            scenes: &|_| &[],
            births: &births,
            makers: &makers,
            makers_of: &makers_of,
            reached: &nothing,
            says: &|_| &[],
            stand_ins: &|_| &[],
            text: &|_, _| None,
            mappings: &[],
            importable: &importable,
            learned: &learned,
            root: root.to_str().unwrap(),
            facades: &facades,
            clock: ClockBy::default(),
            awaits: AwaitBy::default(),
            snapshots: self.snapshots,
        };
        let all: Vec<&Call> = self.calls.iter().map(|(_, call)| call).collect();
        let looks = self.look(&all).await;
        let arcs: HashMap<CallId, BTreeSet<u32>> =
            looks.iter().map(|(call, look)| (*call, look.arcs.iter().copied().collect())).collect();
        let reached = |call: CallId| arcs.get(&call);
        let says = |call: CallId| looks.get(&call).map_or(&[][..], |look| look.says.as_slice());
        let project = Project { reached: &reached, says: &says, ..project };
        let seen: Vec<Call> = self
            .calls
            .iter()
            .map(|(_, call)| {
                let mut call = call.clone();
                if let Some(look) = looks.get(&call.id).filter(|_| closer::is_wanted(&call, project)) {
                    closer::apply(&mut call, look.clone(), project);
                }
                call
            })
            .collect();
        let told = self.ways(describing::telling(seen.iter().collect(), project)).await;
        let mut learned = learned.clone();
        for (object, ways) in told {
            learned.tell(&object, ways, |value| project.without_caches(value));
        }
        let project = Project { learned: &learned, ..project };
        let mut by_function: BTreeMap<_, Vec<&Call>> = BTreeMap::new();
        for call in &seen {
            by_function.entry(call.function.clone()).or_default().push(call);
        }
        let mut found = Outcomes { drafts: Vec::new(), untested: BTreeMap::new() };
        for (id, calls) in by_function {
            let Some(function) = self.index.function(&id) else { continue };
            if self.index.module_of(&id).is_some_and(Module::is_test) {
                continue;
            }
            let mut plan = Plan::new(function, &calls, project);
            plan.settle(&self.evaluate(&plan).await, |value| project.without_caches(value));
            let file = target("tests/pytead", id.module()).unwrap();
            match plan.draft(function, project, &file, most, &BTreeSet::new()) {
                Some(draft) => found.drafts.push(draft),
                None => {
                    let reasons = plan.left_out().into_iter().map(|left| left.reason.message()).collect();
                    found.untested.insert(id.to_string(), reasons);
                }
            }
        }
        found
    }

    /// Runs each draft as a file of its own.
    fn run(&self, drafts: &[Draft], seed: u32) -> Vec<Run> {
        let folder = self.root().join("tests/pytead");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for helper in drafts.iter().flat_map(|draft| &draft.helpers) {
            let path = helper.path.under(&self.root());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &helper.text).unwrap();
        }
        for (at, draft) in drafts.iter().enumerate() {
            fs::write(folder.join(format!("test_draft_{at:04}.py")), draft.standalone()).unwrap();
        }
        let done = Command::new(python_with_pytest())
            .args(["-m", "pytest", "-q", "-rA", "--tb=short", "-p", "no:cacheprovider", "tests/pytead"])
            .env("PYTHONPATH", self.root())
            .env("PYTHONHASHSEED", seed.to_string())
            .current_dir(self.root())
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&done.stdout).into_owned();
        if let Ok(path) = std::env::var("DRAFTS_SHOW") {
            let all: Vec<String> =
                drafts.iter().map(|draft| format!("{}\n# left out: {:#?}\n", draft.standalone(), draft.left_out)).collect();
            fs::write(format!("{path}.{}", drafts.len()), format!("{}\n\n{output}", all.join("\n"))).unwrap();
        }
        (0..drafts.len())
            .map(|at| {
                let file = format!("tests/pytead/test_draft_{at:04}.py::");
                let results = output.lines().filter_map(|line| {
                    let (word, rest) = line.split_once(' ')?;
                    let (name, message) = rest.split_once(" - ").unwrap_or((rest, ""));
                    let name = name.strip_prefix(&file)?.to_owned();
                    let passed = word == "PASSED";
                    matches!(word, "PASSED" | "FAILED" | "ERROR").then(|| TestResult {
                        name,
                        passed,
                        message: message.into(),
                        lines: vec![],
                        interrupted: None,
                        reached: vec![],
                    })
                });
                let end = RunEnd::Finished(results.collect());
                Run { manner: Manner::Forward, fresh: true, hash_seed: Some(seed), varied: vec![], end }
            })
            .collect()
    }

    /// Gives the mistakes that ruff finds in the drafts that were run last. What it would write otherwise for a younger Python
    /// is not asked: `Union[int, str]` is another value than `int | str`.
    fn lint(&self) -> String {
        let done = Command::new(python_with_pytest())
            .args([
                "-m",
                "ruff",
                "check",
                "--isolated",
                "--quiet",
                "--select=E4,E7,E9,F",
                "--output-format=concise",
                "tests/pytead",
            ])
            .current_dir(self.root())
            .output()
            .unwrap();
        format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
    }

    /// Proves drafts until nothing is left to take out of them: those that are ready, and what was refused.
    fn prove(&self, mut drafts: Vec<Draft>) -> (Vec<Draft>, Vec<String>) {
        let (mut ready, mut refused) = (Vec::new(), Vec::new());
        while !drafts.is_empty() {
            let runs: Vec<Vec<Run>> = [1, 2].iter().map(|seed| self.run(&drafts, *seed)).collect();
            let mut again = Vec::new();
            for (at, draft) in drafts.into_iter().enumerate() {
                let own = Trial { runs: runs.iter().map(|runs| runs[at].clone()).collect(), ..Trial::default() };
                match judge(&draft, &own, &Ground::default()).verdict {
                    Verdict::Ready => ready.push(draft),
                    Verdict::Again(rest) => {
                        let failed = rest.left_out.iter().filter(|left| left.reason.code == ReasonCode::Fails);
                        refused.extend(failed.map(|left| left.reason.message()));
                        again.push(*rest);
                    }
                    Verdict::Refused => refused.push(draft.tests.join(" ")),
                    Verdict::Broken => panic!("{}", draft.standalone()),
                }
            }
            drafts = again;
        }
        (ready, refused)
    }
}

/// R6: what depends on a seam that the program's own tests patched cannot be told from its calls; the proof refuses it.
const PATCHED: &[&str] = &["test_gateway_post_", "test_gateway_charge_", "test_gateway_new_reference", "test_order_place_"];

/// R6: recorded outcomes come again from unchanged code in other processes.
#[tokio::test(flavor = "multi_thread")]
async fn drafts_of_the_shop_pass_as_they_are() {
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/shop");
    let python = python_with_pytest();
    let recorded = record(&shop, &[python.to_str().unwrap(), "-m", "pytest", "-q"]).await;
    let found = recorded.drafts(6).await;
    let count = found.drafts.len();
    let (ready, refused) = recorded.prove(found.drafts.clone());
    let unexpected: Vec<&String> = refused.iter().filter(|test| !PATCHED.iter().any(|known| test.starts_with(known))).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    assert!(ready.len() >= 30 && ready.len() + refused.len() >= count, "{} of {count} are ready", ready.len());
    let reasons: Vec<&String> = found.untested.values().flatten().collect();
    assert!(reasons.iter().all(|reason| !reason.is_empty()));
    // The same recording gives the same drafts.
    assert_eq!(recorded.drafts(6).await.drafts, found.drafts);
}

#[tokio::test(flavor = "multi_thread")]
async fn drafts_of_every_kind_of_function_and_value_pass() {
    let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/zoo");
    let recorded = record(&zoo, &["main.py"]).await;
    // So many that every kind of value is among them.
    let mut found = recorded.drafts(400).await;
    // What the standard library touches on the way of a whole program differs from version to version.
    found.untested.remove("main:main");
    let (ready, refused) = recorded.prove(found.drafts.clone());
    assert_eq!(refused, Vec::<String>::new());
    let all: Vec<String> = ready.iter().map(Draft::standalone).collect();
    insta::assert_snapshot!("zoo", all.join("\n# ---\n"));
    insta::assert_debug_snapshot!("zoo_untested", found.untested);
}

/// R8: all that objects hold is asserted where a person chose that, and the tests need nothing but the file beside them.
#[tokio::test(flavor = "multi_thread")]
async fn graphs_of_objects_are_what_the_helper_draws() {
    let odd = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/odd");
    let mut recorded = record(&odd, &["main.py"]).await;
    recorded.snapshots = Snapshots::Graph;
    let found = recorded.drafts(8).await;
    let (graphs, plain): (Vec<Draft>, Vec<Draft>) = found.drafts.into_iter().partition(|draft| !draft.helpers.is_empty());
    assert!(plain.iter().all(|draft| !draft.text.contains("graph(")));
    let (ready, refused) = recorded.prove(graphs);
    assert_eq!(refused, Vec::<String>::new());
    let all: Vec<String> = ready.iter().map(Draft::standalone).collect();
    insta::assert_snapshot!("graphs", all.join("\n# ---\n"));
}

/// R2, R15: types, warnings and output are asserted, so that changes of them are noticed.
#[tokio::test(flavor = "multi_thread")]
async fn odd_little_programs_are_drafted_and_notice_changes() {
    let odd = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/odd");
    let recorded = record(&odd, &["main.py"]).await;
    let mut found = recorded.drafts(8).await;
    // Of what only drives the others, the standard library's ways differ from version to version.
    found.untested.retain(|function, _| !function.ends_with(":use") && function != "main:main");
    let (ready, refused) = recorded.prove(found.drafts.clone());
    assert_eq!(recorded.lint(), "", "linters have nothing to say of drafts");
    let all: Vec<String> = ready.iter().map(Draft::standalone).collect();
    // Every function of every program has a test that passes, or its reason is here. What decorators change is left out by
    // the engine: `what_a_decorator_changes_is_tested_by_the_name_it_is_called_by` in gate.rs.
    insta::assert_debug_snapshot!("odd_untested", (&found.untested, &refused));
    assert!(recorded.index.modules().filter(|module| module.name.starts_with("odd.")).count() >= 44);
    let is_of = |draft: &Draft, name: &str| {
        recorded.calls.iter().any(|(_, call)| draft.calls.first() == Some(&call.id) && call.function.to_string() == name)
    };
    let written = |name: &str| ready.iter().find(|draft| is_of(draft, name)).map(Draft::standalone);
    for (defect, (name, code)) in DEFECTS.iter().flat_map(|(defect, shown)| shown.iter().map(move |one| (defect, one))) {
        let name = if name.starts_with("main:") { (*name).to_owned() } else { format!("odd.{name}") };
        let text = written(&name);
        assert!(text.as_ref().is_some_and(|text| text.contains(code)), "{defect}: {name} lacks {code:?}: {text:?}");
    }
    for (name, code) in WRITTEN {
        let text = written(&format!("odd.{name}"));
        assert!(text.as_ref().is_some_and(|text| text.contains(code)), "{name} lacks {code:?}: {text:?}");
    }
    for name in KINDS.iter().flat_map(|(_, names)| names.split_whitespace()).map(|name| format!("odd.{name}")) {
        let is_called = recorded.calls.iter().any(|(_, call)| call.function.to_string() == name);
        let may_lack = name.starts_with("odd.modelled:") && !is_called;
        assert!(may_lack || written(&name).is_some(), "{name}: {:?}", found.untested.get(&name));
    }
    for unstable in UNSTABLE {
        assert!(found.untested[*unstable].iter().any(|reason| reason.contains("may")), "{:?}", found.untested[*unstable]);
    }
    for (file, before, after) in MUTANTS {
        let path = recorded.root().join(format!("odd/{file}.py"));
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches(before).count(), 1, "{before}");
        fs::write(&path, text.replace(before, after)).unwrap();
        let of_file = |draft: &&Draft| draft.target.as_str().ends_with(&format!("odd__{file}.py"));
        let own: Vec<Draft> = ready.iter().filter(of_file).cloned().collect();
        let runs = recorded.run(&own, 1);
        let fails = |run: &Run| matches!(&run.end, RunEnd::Finished(results) if results.iter().any(|result| !result.passed));
        assert!(runs.iter().any(fails), "{before} -> {after} lives: {all:#?}");
        fs::write(&path, text).unwrap();
    }
}
