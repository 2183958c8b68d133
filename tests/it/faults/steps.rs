//! A fault in each step of a decision, one at a time, on copies of one project; what the decisions are stands beside this file.

use std::collections::VecDeque;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

use crate::harness::Place;

/// What leaves something on the disk, and every how manieth of it gets the fault. The database is written in many small
/// pieces; what makes them count are the others, and SQLite answers for the rest. The longest come first.
const STEPS: [(&str, usize); 7] =
    [("pwrite64", 4), ("fsync", 1), ("renameat2", 1), ("ftruncate", 1), ("unlink", 1), ("mkdirat", 1), ("fdatasync", 1)];

/// Copies that get faults at the same time: a decision waits for the disk more than it computes.
const AT_ONCE: usize = 4;

/// A decision that a command makes and another takes back.
pub struct Decision<'a> {
    /// The words that make it.
    pub made_by: &'a [&'a str],
    /// Takes it back, without faults; what was decided can be taken back, or this fails.
    pub take_back: &'a (dyn Fn(&Place) + Sync),
    /// Tells, as a process sees it that starts now, whether it stands; fails where a part of it does.
    pub stands: &'a (dyn Fn(&Place, &str) -> bool + Sync),
}

/// How many faults came, by what became of the decision.
#[derive(Debug, Default, Clone, Copy)]
pub struct Faults {
    pub done: usize,
    pub not_done: usize,
}

/// Runs a command of the project that has to go well, and gives what it said.
pub fn well(place: &Place, words: &[&str]) -> String {
    let (code, out, err) = place.run(words);
    assert!(code == 0 && !err.contains("panicked"), "{words:?}\n{out}{err}");
    out
}

/// What waits for a decision, as a process sees it that starts now.
pub fn waiting(place: &Place) -> Vec<serde_json::Value> {
    let out = well(place, &["--format", "json", "review", "--list"]);
    let mut lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let queue = lines.find(|line| line["result"] == "queue").unwrap_or_else(|| panic!("{out}"));
    queue["value"].as_array().unwrap().clone()
}

/// Fails where a write left half a file behind in a folder.
pub fn no_halves(place: &Place, folder: &str, context: &str) {
    let files = place.root().join(folder).read_dir().into_iter().flatten().flatten().map(|file| file.file_name());
    let halves: Vec<_> = files.filter(|name| name.to_string_lossy().ends_with(".tmp")).collect();
    assert!(halves.is_empty(), "{context}: {halves:?} was left behind");
}

/// Runs the binary under strace with a fault in the system calls of one name; what it said, and how it ended.
pub fn with_fault(place: &Place, call: &str, fault: &str, words: &[&str]) -> Output {
    faulty(place, call, fault, words).output().unwrap()
}

fn faulty(place: &Place, call: &str, fault: &str, words: &[&str]) -> Command {
    let plain = place.command(words);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "-e"]).arg(format!("trace={call}"));
    command.arg("-e").arg(format!("inject={call}:{fault}")).arg(plain.get_program()).args(plain.get_args());
    command.current_dir(place.root()).env_clear().envs(place.environment()).stdin(Stdio::null());
    command
}

/// Tells whether strace can trace and kill here; else says so.
pub fn strace_works() -> bool {
    let killed = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=getcwd", "-e", "inject=getcwd:signal=KILL:when=1", "pwd", "-P"])
        .output();
    let works = killed.is_ok_and(|output| output.status.signal() == Some(9) || output.status.code() == Some(137));
    if !works {
        eprintln!("skipped: there is no strace here that may put faults into a program");
    }
    works
}

/// Kills the process in every step of a decision; each way out has to be met so often.
pub fn killed(place: &Place, decision: &Decision<'_>, least: Faults) {
    faulted(place, decision, least, |step| format!("signal=KILL:when={step}"));
}

/// Lets the disk be full from every step of a decision on; each way out has to be met so often.
pub fn full(place: &Place, decision: &Decision<'_>, least: Faults) {
    faulted(place, decision, least, |step| format!("error=ENOSPC:when={step}+"));
}

/// Work that a command does and that is begun again after a fault.
pub struct Work<'a> {
    /// The words that do it.
    pub words: &'a [&'a str],
    /// Variables that it runs with.
    pub env: &'a [(&'a str, &'a str)],
    /// Makes the project as it was before.
    pub prepare: &'a (dyn Fn(&Place) + Sync),
    /// Begins it again where it was not done, and fails where something of it is lost or there twice.
    pub finish: &'a (dyn Fn(&Place, &str) + Sync),
}

/// Kills the process in every step of a work, which has to have so many, and lets it be begun again after each.
pub fn killed_and_begun_again(place: &Place, work: &Work<'_>, least: usize) {
    if !strace_works() {
        return;
    }
    let sum = Mutex::new(0);
    in_each_call(place, |twin, call, every| {
        for step in (1..).step_by(every) {
            (work.prepare)(twin);
            let mut command = faulty(twin, call, &format!("signal=KILL:when={step}"), work.words);
            let output = command.envs(work.env.iter().copied()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            let context = format!("{:?}, killed in {call} number {step}: {said}", work.words);
            assert!(!said.contains("panicked"), "{context}");
            (work.finish)(twin, &context);
            if output.status.success() {
                break;
            }
            *sum.lock().unwrap() += 1;
        }
    });
    let sum = *sum.lock().unwrap();
    eprintln!("{sum} times killed and begun again");
    assert!(sum >= least, "{sum}: they came elsewhere");
}

/// Does something for each kind of system call in which a step is persisted, several at once, each on a copy of the place.
fn in_each_call(place: &Place, work: impl Fn(&Place, &'static str, usize) + Sync) {
    let calls = Mutex::new(VecDeque::from(STEPS));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                let twin = place.twin();
                loop {
                    let Some((call, every)) = calls.lock().unwrap().pop_front() else { return };
                    work(&twin, call, every);
                }
            });
        }
    });
}

fn faulted(place: &Place, decision: &Decision<'_>, least: Faults, fault: impl Fn(usize) -> String + Sync) {
    if !strace_works() {
        return;
    }
    assert!(!(decision.stands)(place, "at first"), "nothing is decided at first");
    let sum = Mutex::new(Faults::default());
    in_each_call(place, |twin, call, every| {
        let found = at_every_step(twin, decision, call, every, &fault);
        let mut sum = sum.lock().unwrap();
        sum.done += found.done;
        sum.not_done += found.not_done;
    });
    let Faults { done, not_done } = *sum.lock().unwrap();
    eprintln!("{} faults: {done} decisions finished, {not_done} not begun", done + not_done);
    assert!(done >= least.done && not_done >= least.not_done, "{done} finished, {not_done} not begun: they came elsewhere");
}

fn at_every_step(place: &Place, decision: &Decision<'_>, call: &str, every: usize, fault: impl Fn(usize) -> String) -> Faults {
    let mut found = Faults::default();
    for step in (1..).step_by(every) {
        let output = with_fault(place, call, &fault(step), decision.made_by);
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let context = format!("{:?}, fault in {call} number {step}: {said}", decision.made_by);
        assert!(!said.contains("panicked"), "{context}");
        let stands = (decision.stands)(place, &context);
        if stands {
            (decision.take_back)(place);
            assert!(!(decision.stands)(place, &context), "taken back: {context}");
        }
        if output.status.success() {
            // No fault came any more, or it was none: what was told is so.
            assert!(stands, "{context}");
            return found;
        }
        *(if stands { &mut found.done } else { &mut found.not_done }) += 1;
    }
    found
}
