//! Spools written by hand and by real programs, read back.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::base::clock::{Moment, now};
use crate::base::redact::Redactor;
use crate::domain::batch::{Batch, NewCall};
use crate::domain::call::{Effect, GeneratorEnd, Outcome, ProgramEnd};
use crate::domain::function::FunctionId;
use crate::domain::gap::GapKind;
use crate::domain::journey::{JourneyEvent, What};
use crate::domain::settings::{Record, Redact};
use crate::domain::touch::Touch;
use crate::domain::value::Value;
use crate::python::package::install_in;
use crate::python::testing::{interpreter, interpreters};
use crate::python::value::{arguments, outcome};
use crate::record::folder::{SpoolFolder, leftovers};
use crate::record::ingest::{Ingest, Summary};
use crate::record::journey::events;
use crate::record::launch::{Mode, Plan, Request};
use crate::record::live::{Attach, Ended, Progress, recover, run};

/// All that several readings found.
#[derive(Default)]
struct Found {
    batch: Batch,
    output: Vec<u8>,
    batches: usize,
}

impl Found {
    fn take(&mut self, progress: Progress) {
        match progress {
            Progress::Reading(reading) => self.add(reading.batch),
            Progress::Output { bytes, .. } => self.output.extend(bytes),
        }
    }

    fn add(&mut self, batch: Batch) {
        self.batches += 1;
        self.batch.calls.extend(batch.calls);
        self.batch.ends.extend(batch.ends);
        self.batch.touches.extend(batch.touches);
        self.batch.times.extend(batch.times);
        self.batch.edges.extend(batch.edges);
        self.batch.journey.extend(batch.journey);
        for count in batch.counts {
            self.batch.counts.retain(|known| known.function != count.function);
            self.batch.counts.push(count);
        }
        for count in batch.callers {
            self.batch.callers.push(count);
        }
    }

    fn calls(&self, function: &str) -> Vec<&NewCall> {
        self.batch.calls.iter().filter(|call| call.function.0 == function).collect()
    }

    fn args(&self, call: &NewCall) -> Vec<Value> {
        arguments(&call.args).unwrap().0.into_iter().map(|arg| arg.value).collect()
    }

    fn effect(&self, call: &NewCall) -> Effect {
        let end = self.batch.ends.iter().find(|end| end.spool == call.spool).unwrap();
        outcome(&end.outcome).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.batch.calls.iter().map(|call| call.function.0.clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// Writes spool files from Python expressions: one line a record, `S` is the mark of tagged values.
const SPOOL: &str = r"
import marshal, sys
records = eval(sys.stdin.read(), {'S': StopIteration})
with open(sys.argv[1], 'wb') as spool:
    for record in records:
        data = marshal.dumps(record, 2)
        spool.write(len(data).to_bytes(4, 'little') + data)
";

fn write_spool(path: &Path, records: &str) {
    use std::io::Write;
    let mut child = Command::new(interpreter())
        .args(["-c", SPOOL, path.to_str().unwrap()])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(format!("[{records}]").as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

fn ingest(folder: &Path) -> Ingest {
    let resolve = |path: &str, qualname: &str, line: u32| {
        (path == "src/shop/cart.py" && line == 10).then(|| FunctionId(format!("shop.cart:{qualname}")))
    };
    Ingest::new(folder.to_owned(), Moment(1_000), Redactor::new(["hunter2hunter2".into()]), Box::new(resolve))
}

const HEAD: &str = "('H', 1, 'r', 40, 1, 0, 1_005_000_000, 500, '3.12.1', 'calls', '/p'), \
    ('M', 1, 'cart', 'src/shop/cart.py', 'ab', None), ('M', 2, '__main__', 'tools/go.py', '', None), \
    ('F', 1, 1, 'Cart.total', 10, 16, (('self', 1), ('code', 1), ('rest', 2)), 0), \
    ('F', 2, 2, 'main', 3, 0, (), 0), ('F', 3, 2, 'rows', 9, 1, (('n', 1),), 0), ";

fn read(records: &str) -> (Found, Summary) {
    let folder = tempfile::tempdir().unwrap();
    write_spool(&folder.path().join("40-0.spool"), &format!("{HEAD}{records}"));
    let mut ingest = ingest(folder.path());
    let mut found = Found::default();
    ingest.finish(&mut |batch, _| found.add(batch));
    (found, ingest.summary().clone())
}

/// With a secret taken out it would be another command.
#[test]
fn a_command_line_with_a_secret_is_not_kept() {
    let touches = |argv: &str| {
        let (found, _) = read(&format!(
            "('C', 1, 2, None, 600, True, 0, None, (), None, None), ('E', 1, 'argv', '{argv}'), ('R', 1, 1700, 5, {{}}), ('Z', 0, {{}})"
        ));
        found.batch.touches.into_iter().map(|touch| touch.touch).collect::<Vec<_>>()
    };
    assert_eq!(touches(r"go\0tea\0-v"), [Touch::CommandLine(["go", "tea", "-v"].map(str::to_owned).to_vec())]);
    for argv in [r"go\0hunter2hunter2", r"docker\0login\0-p\0Tq7xPz93kLm2", r"curl\0-u\0ada:Tq7xPz93kLm2\0http://shop.test"] {
        assert_eq!(touches(argv), [], "{argv}");
    }
}

#[test]
fn start_and_end_of_calls_find_each_other() {
    let (found, summary) = read(
        "('C', 1, 2, None, 600, True, 0, None, (), None, None), ('D', 2, 1), \
         ('C', 2, 1, 1, 700, False, 5, 9, ((S, 'obj', 9, '__main__', 'Cart', 'plain', {}), 'hunter2hunter2', (1,)), 2, 4), \
         ('O', 9, '__main__', 'Cart', None), ('?', 'from a later version'), \
         ('E', 2, 'clock', 'time.time'), ('E', None, 'env', 'HOME'), \
         ('R', 2, 1700, 5, {'self': (S, 'obj', 9, '__main__', 'Cart', 'plain', {'n': 1})}), \
         ('X', 1, 2700, (S, 'exc', 3, '__main__', 'Bad', ('no',), {}), ('__main__:Bad', 'builtins:Exception'), 5, None, {}), \
         ('N', 1, 12, 0, ((2, 11),), ((2, 4, 11), (None, None, 1))), ('N', 2, 1, 1, (), ()), \
         ('G', 'budget of cart:Cart.total', 3), ('Z', 0, {})",
    );
    assert_eq!(found.names(), ["shop.cart:Cart.total", "tools.go:main"], "the resolver first, then names made from paths");
    let total = found.calls("shop.cart:Cart.total")[0];
    assert_eq!((total.spool.process, total.spool.number, total.parent), (40, 2, Some(1)));
    assert_eq!(total.caller, Some(FunctionId("tools.go:main".into())));
    assert_eq!((total.caller_line, total.direct, total.task, total.receiver), (Some(4), false, 5, Some(9)));
    assert_eq!(total.start_ns, 5_000_200, "the file began 5 ms after the recording, the call 200 ns after the file");
    assert_eq!(total.path, "src/shop/cart.py");
    let args = found.args(total);
    assert!(matches!(&args[0], Value::Object { ty, .. } if ty.module == "tools.go"), "{args:?}");
    assert_eq!(args[1].summary(60), "‹secret:secret#1›");
    let effect = found.effect(total);
    assert_eq!(effect.outcome, Outcome::Returned(Value::Int(5)));
    assert_eq!(effect.changed[0].0, "self");
    let Outcome::Raised { mro, .. } = found.effect(found.calls("tools.go:main")[0]).outcome else { panic!("it raised") };
    assert_eq!(mro, ["tools.go:Bad", "builtins:Exception"]);
    let end = &found.batch.ends[0];
    assert_eq!((end.duration_ns, end.failed), (1000, false));
    assert_eq!(end.not_replayable, None);
    assert_eq!(found.batch.touches.len(), 1);
    assert_eq!(found.batch.times[0].times, 12, "kept once, repeated 11 times");
    assert_eq!(found.batch.edges.len(), 1);
    let count = found.batch.counts.iter().find(|count| count.function.0 == "shop.cart:Cart.total").unwrap();
    assert_eq!(count.calls, 12);
    assert_eq!(found.batch.callers.len(), 2);
    let expected = Summary {
        at_least: false,
        recorder_seen: true,
        python: Some("3.12.1".into()),
        seen: 13,
        kept: 2,
        functions: 2,
        raised: 1,
        threads: 1,
        events: 0,
        gaps: vec![(GapKind::CaptureLimit.of("cart:Cart.total"), 3)],
    };
    assert_eq!(summary, expected);
}

#[test]
fn generators_end_in_each_of_their_ways() {
    let yields =
        |last: &str| format!("('C', 1, 3, None, 1, True, 0, None, (2,), None, None), ('Y', 1, 2, 7), ('S', 1, 3), {last}");
    let end = |last: &str| {
        let (found, _) = read(&yields(last));
        found.batch.ends.first().map(|end| outcome(&end.outcome).unwrap().outcome)
    };
    let items = vec![Value::Int(7)];
    let yielded = |end| Some(Outcome::Yielded { items: items.clone(), end });
    assert_eq!(end("('R', 1, 9, None, {})"), yielded(GeneratorEnd::Returned(Value::None)));
    assert_eq!(end("('T', 1, 9, 'closed')"), yielded(GeneratorEnd::Open));
    let raised = end("('T', 1, 9, 'thrown'), ('X', 1, 9, 'e', (), 1, None, {})");
    assert_eq!(raised, yielded(GeneratorEnd::Raised(Value::Str("e".into()))));
    assert_eq!(end(""), None, "it was not run to its end when the recording stopped");
    let many = "('Y', 1, 2, 7), ".repeat(60) + "('R', 1, 9, None, {})";
    assert!(matches!(end(&many), Some(Outcome::Yielded { items, end: GeneratorEnd::Open }) if items.len() == 50));
}

#[test]
fn what_makes_no_sense_is_counted_and_the_rest_is_read() {
    let (found, summary) = read(
        "('C', 1, 99, None, 1, True, 0, None, (), None, None), ('C', 'x'), 7, (), ('R', 77, 1, None, {}), \
         ('M', 5, 'evil', '../../etc/passwd', '', None), ('C', 2, 2, None, 1, True, 0, None, (), None, None)",
    );
    assert_eq!(found.names(), ["tools.go:main"]);
    assert_eq!(summary.gaps, [(GapKind::WrongForm.into(), 5)]);
}

#[test]
fn a_file_of_another_format_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    write_spool(&folder.path().join("40-0.spool"), &HEAD.replacen("'H', 1", "'H', 2", 1));
    let mut ingest = ingest(folder.path());
    ingest.finish(&mut |_, _| panic!("nothing is read from it"));
    assert_eq!(ingest.summary().gaps, [(GapKind::VersionMismatch.of("2 and not 1"), 1)]);
    assert!(!ingest.summary().recorder_seen);
}

#[test]
fn reading_stops_at_the_size_limit_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    write_spool(&folder.path().join("40-0.spool"), &format!("{HEAD} ('G', 'first', 1)"));
    write_spool(&folder.path().join("41-0.spool"), &format!("{HEAD} ('G', 'second', 1)"));
    let first = folder.path().join("40-0.spool").metadata().unwrap().len();
    let mut ingest = ingest(folder.path()).with_size_max(first);
    ingest.finish(&mut |_, _| {});
    let gaps = &ingest.summary().gaps;
    assert_eq!(gaps.len(), 2, "{gaps:?}");
    assert_eq!(gaps[0].0, GapKind::Other.of("first"));
    assert_eq!(gaps[1].0.kind, GapKind::SpoolLimit);
}

/// A small program with a bit of everything; `{wait}` at its end.
const PROGRAM: &str = r#"
import threading, lib

class Cart:
    def __init__(self, items):
        self.items = items
    def add(self, item):
        self.items.append(item)
    def total(self):
        return sum(self.items)

def rows(n):
    for i in range(n):
        yield i

def fails(text):
    raise KeyError(text)

def main():
    cart = Cart([1, 2])
    cart.add(3)
    print("total", cart.total(), lib.double(4), list(rows(2)))
    try:
        fails("missing")
    except KeyError:
        pass
    thread = threading.Thread(target=lib.double, args=(5,))
    thread.start()
    thread.join()

main()
"#;

struct Project {
    folder: tempfile::TempDir,
    mode: Mode,
}

impl Project {
    fn new(program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("main.py"), program).unwrap();
        std::fs::write(folder.path().join("lib.py"), "def double(x):\n    return 2 * x\n").unwrap();
        Self { folder, mode: Mode::Calls }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn plan(&self, python: &Path, typed: &[&str]) -> Plan {
        let package = install_in(&self.path("cache")).unwrap();
        Plan::new(&Request {
            typed: &typed.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(),
            root: self.folder.path(),
            cwd: self.folder.path(),
            interpreter: Some(python),
            chosen: false,
            package: &package,
            record: &Record::default(),
            redact: &Redact::default(),
            mode: self.mode,
        })
        .unwrap()
    }

    fn run(&self, python: &Path, typed: &[&str], stop: CancellationToken) -> (Found, Ended) {
        let plan = self.plan(python, typed);
        let folder = SpoolFolder::create(&[self.path(".pytead/spool")], "1").unwrap();
        let ingest = Ingest::new(folder.path().to_owned(), now(), Redactor::default(), Box::new(|_, _, _| None));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut found = Found::default();
        let ended = runtime.block_on(run(&plan, folder, ingest, Attach::Piped, stop, |progress| found.take(progress))).unwrap();
        assert!(leftovers(&self.path(".pytead/spool")).is_empty(), "the folder is gone");
        (found, ended)
    }
}

#[test]
fn a_program_is_recorded_by_every_python_of_this_machine() {
    let project = Project::new(PROGRAM);
    for python in interpreters() {
        let (found, ended) = project.run(python, &["main.py"], CancellationToken::new());
        let by = python.display();
        assert_eq!(String::from_utf8_lossy(&found.output), "total 6 8 [0, 1]\n", "{by}");
        assert_eq!((&ended.end, ended.end.exit_code()), (&ProgramEnd::Exited(0), 0), "{by}");
        assert!(ended.summary.recorder_seen, "{by}");
        assert_eq!(ended.summary.gaps, [], "{by}");
        let expected =
            ["lib:double", "main:Cart.__init__", "main:Cart.add", "main:Cart.total", "main:fails", "main:main", "main:rows"];
        assert_eq!(found.names(), expected, "{by}");
        let effect = |name: &str| found.effect(found.calls(name)[0]);
        let add = effect("main:Cart.add");
        let fields = |value: &Value| match value {
            Value::Object { ty, fields, .. } => (ty.module.clone(), fields.clone()),
            other => panic!("{other:?}"),
        };
        let numbers = |numbers: &[i64]| Value::List(numbers.iter().map(|n| Value::Int(*n)).collect());
        let before = found.args(found.calls("main:Cart.add")[0]);
        assert_eq!(fields(&before[0]), ("main".into(), vec![("items".into(), numbers(&[1, 2]))]), "{by}");
        assert_eq!(fields(&add.changed[0].1).1, vec![("items".into(), numbers(&[1, 2, 3]))], "{by}");
        assert_eq!(effect("main:Cart.total").outcome, Outcome::Returned(Value::Int(6)), "{by}");
        let Outcome::Yielded { items, end } = effect("main:rows").outcome else { panic!("rows yields by {by}") };
        assert_eq!((items, end), (vec![Value::Int(0), Value::Int(1)], GeneratorEnd::Returned(Value::None)), "{by}");
        let Outcome::Raised { exception, mro } = effect("main:fails").outcome else { panic!("fails raises by {by}") };
        assert_eq!(exception.summary(80), "KeyError('missing')", "{by}");
        assert_eq!(mro[..3], ["builtins:KeyError", "builtins:LookupError", "builtins:Exception"], "{by}");
        assert_eq!(found.calls("lib:double").len(), 2, "{by}");
        let threads: Vec<u32> = found.calls("lib:double").iter().map(|call| call.thread).collect();
        assert_ne!(threads[0], threads[1], "{by}");
        let main = found.calls("main:main")[0];
        assert_eq!(found.calls("main:fails")[0].parent, Some(main.spool.number), "{by}");
        let threaded = found.calls("lib:double").into_iter().find(|call| call.thread != main.thread).unwrap();
        assert!(threaded.direct && !found.calls("main:fails")[0].direct, "{by}");
        assert_eq!(ended.summary.raised, 1, "{by}");
        assert!(found.batch.edges.iter().any(|edge| edge.caller.0 == "main:main" && edge.callee.text() == "lib:double"), "{by}");
        let wide = found.batch.calls.iter().all(|call| (0..60_000_000_000).contains(&call.start_ns));
        assert!(wide, "calls are timed from the recording's start by {by}");
    }
}

/// What each event of the program's journey reads as, `main()`'s own and those of the thread.
const JOURNEY: &str = "
main:main()
  main:Cart.__init__(items=[1, 2])
  → None
  main:Cart.add(item=3)
  → None
  main:Cart.total()
  → 6
  lib:double(x=4)
  → 8
  main:rows(n=2)
  yields 0
  goes on
  yields 1
  goes on
  → None
  touches output: builtins.print
  main:fails(text='missing')
  ✗ KeyError('missing') in line 17
  touches thread: started
→ None
lib:double(x=5)
→ 10";

#[test]
fn the_journey_of_a_program_is_read_back_event_by_event() {
    let project = Project { mode: Mode::Journey, ..Project::new(PROGRAM) };
    for python in interpreters() {
        let by = python.display();
        let (found, ended) = project.run(python, &["main.py"], CancellationToken::new());
        assert_eq!((found.batch.calls.len(), ended.summary.kept), (0, 0), "a journey makes no rows by {by}");
        let journey = events(found.batch.journey, now());
        assert_eq!(ended.summary.events, journey.len() as u64, "{by}");
        let lines: Vec<u32> = journey.iter().map(|event| event.line.0).collect();
        assert_eq!(lines, (1..=u32::try_from(journey.len()).unwrap()).collect::<Vec<_>>(), "{by}");
        let (own, threaded): (Vec<_>, Vec<_>) = journey.iter().partition(|event| event.thread == journey[0].thread);
        let text = |event: &&JourneyEvent| event.text().split_at(6).1.to_owned();
        let read: Vec<String> = own.iter().map(text).chain(threaded.iter().map(text)).collect();
        // How print comes to be noted differs in time, not in what it says.
        let order = |lines: Vec<String>| lines.into_iter().filter(|line| !line.contains("touches")).collect::<Vec<_>>();
        assert_eq!(order(read.clone()), order(JOURNEY.trim().lines().map(str::to_owned).collect()), "{by}");
        let touches = |kind: &str| read.iter().any(|line| line.contains("touches") && line.contains(kind));
        assert!(touches("output") && touches("thread"), "{by}: {read:?}");
        let What::Call { reached, .. } = &journey[0].what else { panic!("{by}") };
        assert!(reached.len() >= 7 && reached.is_sorted(), "{by}: {reached:?}");
        let fails = journey.iter().find(|event| event.text().contains("main:fails")).unwrap();
        let What::Call { parent, direct, .. } = &fails.what else { panic!("{by}") };
        assert_eq!((*parent, *direct), (Some(journey[0].line), false), "{by}");
    }
}

#[test]
fn a_long_journey_is_kept_in_blocks_of_a_thousand_events_without_its_secrets() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let program = format!("def f(x):\n    return x\nfor i in range(1750):\n    f(i)\nf('{token}')\n");
    let project = Project { mode: Mode::Journey, ..Project::new(&program) };
    let (found, ended) = project.run(interpreter(), &["main.py"], CancellationToken::new());
    let blocks: Vec<(u32, u32)> = found.batch.journey.iter().map(|block| (block.number, block.events)).collect();
    assert_eq!(blocks, [(0, 1000), (1, 1000), (2, 1000), (3, 502)]);
    assert_eq!(ended.summary.seen, 1751);
    let holds = |block: &crate::domain::batch::JourneyBlock| String::from_utf8_lossy(&block.records).contains("ghp_");
    assert!(!found.batch.journey.iter().any(holds));
    let journey = events(found.batch.journey, now());
    assert_eq!(journey.len(), 3502);
    assert!(journey[3500].text().ends_with("f(x=‹secret:github-token#1›)"), "{}", journey[3500].text());
}

#[test]
fn inputs_are_equal_in_two_recordings() {
    let project = Project::new(PROGRAM);
    let python = interpreter();
    let inputs = || {
        let (found, _) = project.run(python, &["main.py"], CancellationToken::new());
        let mut inputs: Vec<_> = found.batch.calls.iter().map(|call| (call.function.0.clone(), call.input)).collect();
        inputs.sort();
        inputs
    };
    assert_eq!(inputs(), inputs());
}

#[test]
fn a_program_is_seen_while_it_runs_and_stopped_when_asked() {
    let project = Project::new(&format!("{PROGRAM}\nimport time\nlib.double(9)\ntime.sleep(600)\n"));
    let python = interpreter();
    let plan = project.plan(python, &["main.py"]);
    let folder = SpoolFolder::create(&[project.path(".pytead/spool")], "1").unwrap();
    let ingest = Ingest::new(folder.path().to_owned(), now(), Redactor::default(), Box::new(|_, _, _| None));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stop = CancellationToken::new();
    let mut found = Found::default();
    let ended = runtime
        .block_on(run(&plan, folder, ingest, Attach::Piped, stop.clone(), |progress| {
            found.take(progress);
            if found.calls("lib:double").len() == 3 {
                stop.cancel();
            }
        }))
        .unwrap();
    assert!(ended.took < Duration::from_secs(30), "{ended:?}");
    assert_eq!((&ended.end, ended.end.exit_code()), (&ProgramEnd::by_signal(2), 130));
}

#[test]
fn what_is_not_python_runs_and_says_nothing() {
    let project = Project::new(PROGRAM);
    let (found, ended) = project.run(interpreter(), &["sh", "-c", "echo hello; exit 7"], CancellationToken::new());
    assert_eq!(found.output, b"hello\n");
    assert_eq!((ended.end.clone(), ended.end.exit_code()), (ProgramEnd::Exited(7), 7));
    assert!(!ended.summary.recorder_seen);
    let (_, ended) = project.run(interpreter(), &["sh", "-c", "kill -SEGV $$"], CancellationToken::new());
    assert_eq!((ended.end.clone(), ended.end.exit_code()), (ProgramEnd::by_signal(11), 139));
}

#[test]
fn a_killed_run_leaves_what_the_next_start_reads() {
    let project = Project::new(&format!("{PROGRAM}\nimport os\nos._exit(3)\n"));
    let python = interpreter();
    let plan = project.plan(python, &["main.py"]);
    let place = project.path(".pytead/spool");
    let folder = SpoolFolder::create(std::slice::from_ref(&place), "5").unwrap();
    let mut command = Command::new(&plan.program);
    command.args(&plan.args).current_dir(&plan.cwd).envs(Plan::spool_env(folder.path(), "5"));
    command.envs(plan.env.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))));
    assert_eq!(command.output().unwrap().status.code(), Some(3));
    drop(folder);
    let left = leftovers(&place).remove(0);
    let ingest = Ingest::new(left.path().to_owned(), now(), Redactor::default(), Box::new(|_, _, _| None));
    let mut found = Found::default();
    let summary = recover(ingest, |progress| found.take(progress));
    left.remove().unwrap();
    assert_eq!(found.calls("lib:double").len(), 2);
    assert!(summary.recorder_seen && summary.kept == summary.seen, "{summary:?}");
    assert!(leftovers(&place).is_empty());
}

#[test]
fn a_spool_of_a_real_program_cut_anywhere_is_read_up_to_the_cut() {
    let project = Project::new(PROGRAM);
    let folder = project.path("spool");
    std::fs::create_dir(&folder).unwrap();
    let plan = project.plan(interpreter(), &["main.py"]);
    let mut command = Command::new(&plan.program);
    command.args(&plan.args).current_dir(&plan.cwd).envs(Plan::spool_env(&folder, "5"));
    command.envs(plan.env.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))));
    assert!(command.output().unwrap().status.success());
    let main = std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path());
    let main = main.max_by_key(|path| path.metadata().unwrap().len()).unwrap();
    let bytes = std::fs::read(&main).unwrap();
    let cut_folder = project.path("cut");
    std::fs::create_dir(&cut_folder).unwrap();
    // Where records end; what follows the last one is room that was not needed.
    let (mut ends, mut length) = (vec![0], 0);
    while let Some(size) = bytes.get(length..).and_then(|rest| rest.first_chunk()).filter(|size| **size != [0; 4]) {
        length += 4 + u32::from_le_bytes(*size) as usize;
        ends.push(length);
    }
    let mut before = 0;
    for cut in 0..=length {
        std::fs::write(cut_folder.join("1-0.spool"), &bytes[..cut]).unwrap();
        let mut ingest = Ingest::new(cut_folder.clone(), now(), Redactor::default(), Box::new(|_, _, _| None));
        let mut found = Found::default();
        ingest.finish(&mut |batch, _| found.add(batch));
        let calls = found.batch.calls.len();
        let gaps = &ingest.summary().gaps;
        if ends.binary_search(&cut).is_ok() {
            assert!(gaps.is_empty() && (before..=before + 1).contains(&calls), "cut at {cut}: {calls} after {before}, {gaps:?}");
        } else {
            assert_eq!(*gaps, [(GapKind::RecordCut.into(), 1)], "cut at {cut}");
            assert_eq!(calls, before, "cut at {cut}: no record more or less");
        }
        before = calls;
    }
    assert!(before >= 7, "{before}");
}

/// What a program with the terminal looks like from outside: run by the test below in a process of its own.
#[test]
#[ignore = "a part of `a_program_with_the_terminal_gets_ctrl_c_and_we_live_on`"]
fn on_the_terminal() {
    let Some(root) = std::env::var_os("PYTEAD_TEST_TERMINAL").map(PathBuf::from) else { return };
    let package = install_in(&root.join("cache")).unwrap();
    let typed = ["main.py".to_owned()];
    let request = Request {
        typed: &typed,
        root: &root,
        cwd: &root,
        interpreter: Some(interpreter()),
        chosen: false,
        package: &package,
        record: &Record::default(),
        redact: &Redact::default(),
        mode: Mode::Calls,
    };
    let plan = Plan::new(&request).unwrap();
    let folder = SpoolFolder::create(&[root.join(".pytead/spool")], "1").unwrap();
    let ingest = Ingest::new(folder.path().to_owned(), now(), Redactor::default(), Box::new(|_, _, _| None));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ended = runtime.block_on(run(&plan, folder, ingest, Attach::Terminal, CancellationToken::new(), |_| {})).unwrap();
    std::fs::write(root.join("ended"), format!("{:?} {}", ended.end, ended.summary.seen)).unwrap();
}

#[test]
fn a_program_with_the_terminal_gets_ctrl_c_and_we_live_on() {
    use std::io::{Read, Write};

    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    let project = Project::new(
        "import sys, lib\nname = input('name? ')\nprint('terminal', sys.stdout.isatty(), name, lib.double(2))\n\
         try:\n    print('waiting')\n    import time; time.sleep(600)\nexcept KeyboardInterrupt:\n    sys.exit(5)\n",
    );
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.args(["record::tests::on_the_terminal", "--exact", "--ignored", "--nocapture"]);
    command.env("PYTEAD_TEST_TERMINAL", project.folder.path());
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let (mut from, mut to) = (pair.master.try_clone_reader().unwrap(), pair.master.take_writer().unwrap());
    let mut said = String::new();
    let mut buffer = [0; 1024];
    let mut answers = [("name? ", "Ada\r"), ("waiting", "\x03")].into_iter().peekable();
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        said.push_str(&String::from_utf8_lossy(&buffer[..count]));
        if let Some((_, answer)) = answers.next_if(|(sign, _)| said.contains(sign)) {
            to.write_all(answer.as_bytes()).unwrap();
            to.flush().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(said.contains("terminal True Ada 4"), "{said}");
    let ended = std::fs::read_to_string(project.path("ended")).unwrap_or_default();
    assert_eq!(ended, "Exited(5) 1", "the program chose its own code, and its call was read: {said}");
}
