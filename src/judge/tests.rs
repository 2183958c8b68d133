//! What clauses come to on journeys written as indented calls, and beside a second evaluator that only counts.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::Argument;
use crate::domain::clause::{Finding, Head, Outcome, Test};
use crate::domain::function::{Fingerprint, Function, FunctionId, FunctionKind, Param, ParamKind, Span};
use crate::domain::journey::{JourneyEvent, LineId, Phase, What};
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::judge::evaluate::{Missing, evaluate};
use crate::judge::forms;
use crate::judge::grammar::parse;
use crate::judge::names::{Names, Unresolved};

/// Writes a journey: `Db.save user=1 -> True`, `Db.save !OSError`, `Db.save …` (it goes on); two spaces for what is below.
/// `@2` before a name is another thread, `~` says that it is told in brief, `#3` after it is the receiver.
pub(super) fn journey(script: &str) -> Vec<JourneyEvent> {
    let mut events: Vec<JourneyEvent> = Vec::new();
    let mut open: Vec<(usize, LineId, u32, Option<What>)> = Vec::new();
    let next = |events: &Vec<JourneyEvent>| LineId(u32::try_from(events.len()).expect("short") + 1);
    let close = |events: &mut Vec<JourneyEvent>,
                 open: &mut Vec<(usize, LineId, u32, Option<What>)>,
                 depth: usize,
                 thread: Option<u32>| {
        while open.last().is_some_and(|(own, _, on, _)| *own >= depth && thread.is_none_or(|thread| thread == *on)) {
            let (_, call, thread, what) = open.pop().expect("not empty");
            if let Some(what) = what {
                let line = next(events);
                events.push(JourneyEvent { line, call, process: 1, thread, depth: 0, phase: Phase::Call, at_ns: 0, what });
            }
        }
    };
    for line in script.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let (thread, said) = match line.trim().strip_prefix('@') {
            Some(rest) => rest.split_once(' ').map(|(thread, rest)| (thread.parse().expect("a thread"), rest)).expect("@2 name"),
            None => (0, line.trim()),
        };
        close(&mut events, &mut open, depth, (thread > 0).then_some(thread));
        let (said, ended) = if let Some((said, exception)) = said.split_once(" !") {
            let ty = TypeName::new("m", exception);
            let exception =
                Value::Exception { ordinal: 1000 + events.len() as u64, ty: ty.clone(), args: vec![], fields: vec![] };
            let mro = vec![format!("m:{}", ty.qualname), "builtins:Exception".into()];
            (said, Some(What::Raise { exception, mro, raised_at: None, changed: vec![] }))
        } else if let Some(said) = said.strip_suffix(" …") {
            (said, None)
        } else {
            let (said, value) = said.split_once(" -> ").unwrap_or((said, "None"));
            (said, Some(What::Return { value: value_of(value), changed: vec![] }))
        };
        let (name, args) = said.split_once(' ').unwrap_or((said, ""));
        let (name, brief) = name.strip_prefix('~').map_or((name, false), |name| (name, true));
        let (name, receiver) = name.split_once('#').map_or((name, None), |(name, number)| (name, number.parse().ok()));
        let args = arguments(args);
        let line = next(&events);
        let parent =
            open.iter().rev().find(|(own, _, on, _)| *own < depth && (*on == thread || *own == 0)).map(|(_, call, _, _)| *call);
        events.push(JourneyEvent {
            line,
            call: line,
            process: 1,
            thread,
            depth: 0,
            phase: Phase::Call,
            at_ns: 0,
            what: What::Call {
                function: FunctionId::new("m", name).into(),
                args,
                receiver,
                parent,
                caller_line: None,
                direct: parent.is_none(),
                task: 0,
                reached: vec![],
                brief,
            },
        });
        open.push((depth, line, thread, ended));
    }
    close(&mut events, &mut open, 0, None);
    events
}

fn value_of(text: &str) -> Value {
    let number = |text: &str| text.parse().ok();
    if let Some(ordinal) = text.strip_prefix("<same ").and_then(|rest| number(rest.trim_end_matches('>'))) {
        return Value::Ref(ordinal);
    }
    if let Some(object) = text.strip_prefix("<object ").map(|rest| rest.trim_end_matches('>')) {
        let (ordinal, id) = object.split_once('.').unwrap_or((object, "70"));
        let ordinal = number(ordinal).expect("a number");
        let fields = vec![("id".to_owned(), Value::Int(id.parse().expect("a number")))];
        return Value::Object { ordinal, ty: TypeName::new("m", "Thing"), kind: ObjectKind::Plain, fields };
    }
    if text == "<cut>" {
        let head = Box::new(Value::Str(String::new()));
        return Value::Cut { ty: "str".into(), length: Some(9), head: head.clone(), tail: head, hash: String::new() };
    }
    match parse(&format!("x returns {text}")).expect("a value").head {
        Head::Returns { test: Test::Is(value), .. } => value,
        other => panic!("{text} is no value but {other:?}"),
    }
}

fn arguments(text: &str) -> Vec<Argument> {
    let one = |part: &str| {
        let (name, value) = part.split_once('=').expect("name=value");
        Argument::new(name.trim(), ParamKind::PositionalOrKeyword, value_of(value.trim()))
    };
    if text.is_empty() { Vec::new() } else { text.split(", ").map(one).collect() }
}

/// All functions that the tests speak of take `**rest`, but for `Api.get(url, timeout)`.
pub(super) fn names() -> Names {
    let function = |name: &str| {
        let open = name != "Api.get";
        let param = |name: &str, kind| Param { name: name.into(), kind, annotation: None, default: None };
        Function {
            id: FunctionId::new("m", name),
            path: RelPath::new("m.py").expect("a path"),
            span: Span { first: 1, def: 1, last: 2 },
            kind: FunctionKind::Function,
            is_async: false,
            is_generator: false,
            decorators: vec![],
            params: if open {
                vec![param("rest", ParamKind::VarKeyword)]
            } else {
                ["url", "timeout"].map(|name| param(name, ParamKind::PositionalOrKeyword)).into()
            },
            returns: None,
            docstring: None,
            fingerprint: Fingerprint { signature: Digest(0), doc: Digest(0), body: Digest(0) },
            uses: Default::default(),
        }
    };
    let all = ["A", "B", "C", "D", "Api.get", "Db.save", "Db.exists", "Mail.send", "Pen.sign", "Seal.sign", "Reg.register"];
    let functions: Vec<Function> = all.iter().map(|name| function(name)).collect();
    Names::new(&functions)
}

pub(super) fn decide(script: &str, clause: &str) -> Finding {
    decide_without(script, clause, None)
}

fn decide_without(script: &str, clause: &str, missing: Option<&Missing>) -> Finding {
    let clause = parse(clause).unwrap_or_else(|unclear| panic!("{clause}: {unclear}"));
    let bound = names().bind(clause).unwrap_or_else(|unresolved| panic!("{unresolved}"));
    evaluate(&journey(script), missing, &bound)
}

/// `holds`, `violated`, `vacuous` or `unknown`, and the lines.
pub(super) fn outcome(finding: &Finding) -> (&'static str, Vec<u32>) {
    let lines = finding.evidence.iter().map(|line| line.0).collect();
    let word = match finding.outcome {
        Outcome::Holds { .. } => "holds",
        Outcome::Violated => "violated",
        Outcome::Vacuous => "vacuous",
        Outcome::Unknown { .. } => "unknown",
    };
    (word, lines)
}

/// A journey, a clause, what it comes to and the lines that show it.
type Row = (&'static str, &'static str, &'static str, &'static [u32]);

const ROWS: &[Row] = &[
    // Counts.
    ("A\nB\nA", "A is called", "holds", &[1, 5]),
    ("B", "A is called", "violated", &[]),
    ("A\nA\nA", "A is called at most once", "violated", &[3, 5]),
    ("A\nA", "A is called exactly twice", "holds", &[1, 3]),
    ("B", "A is never called", "holds", &[]),
    ("A n=1\nA n=1\nA n=2", "A is called at most once per n", "violated", &[3]),
    ("A n=1\nA n=3\nA n=2", "A is called at most once per n", "holds", &[1]),
    ("A n=1, k=1\nA n=1, k=2", "A is called at most once per (n, k)", "holds", &[1]),
    // Order: the first has ended before the second begins, for every second, and both occur.
    ("A\nB", "A is called before B", "holds", &[1, 3]),
    ("B\nA", "A is called before B", "violated", &[1, 3]),
    ("A", "A is called before B", "violated", &[]),
    ("A\n  B", "A is called before B", "violated", &[2, 1]),
    ("A\nB\nB", "A is called before B", "holds", &[1, 3]),
    ("A\nB\nC", "first A, then B, then C", "holds", &[1, 3, 5]),
    ("A\nC\nB", "first A, then B, then C", "violated", &[3, 5]),
    ("C", "B is called only after A", "vacuous", &[]),
    ("B\nA\nB", "B is called only after A", "violated", &[1, 2]),
    ("A -> 'no'\nB", "B is called only after A returns \"yes\"", "violated", &[3, 4]),
    ("A\n  C\nB", "B is called immediately after A", "holds", &[5]),
    ("A\nC\nB", "B is called immediately after A", "violated", &[5, 6]),
    ("A\nB\nA\nC", "after A, B is called", "violated", &[5, 6]),
    ("A\nB\nA\nC", "after A, B or C is called", "holds", &[1, 5]),
    ("A#1\nA#2\nB#2", "every A has a matching B", "violated", &[1, 2]),
    ("A#1\nA#2\nB#2\nB#1", "every A has a matching B", "holds", &[1, 3]),
    // Conditions: in the innermost call around it that ever leads to the other.
    ("A -> False\nB", "if A returns False then B is called", "holds", &[1]),
    ("A -> False\nC", "if A returns False then B is called", "violated", &[1, 2]),
    ("A -> True\nC", "if A returns False then B is called", "vacuous", &[]),
    ("B\nA -> False", "if A returns False then B is called", "violated", &[3, 4]),
    ("C\n  A -> True\nC\n  A -> False\n  B", "if A returns True then B is not called", "holds", &[2]),
    ("C\n  A -> True\n  B", "if A returns True then B is not called", "violated", &[2, 4]),
    ("C\n  D\n    A -> False\n  B", "if A returns False then B is called", "holds", &[3]),
    ("A !OSError\nB", "if A raises OSError then B is called", "holds", &[1]),
    ("A !OSError\nC", "if A fails then B is called", "violated", &[1, 2]),
    // Values.
    ("A n=4\nA n=5", "A is called with n=4", "holds", &[1]),
    ("A n=5", "every call of A has n=4", "violated", &[1, 2]),
    ("A n=5", "every call of A has n > 4", "holds", &[1]),
    ("A n='https://x'", "every call of A has n matches /^https:/", "holds", &[1]),
    ("A n=<cut>", "every call of A has n='long'", "unknown", &[1]),
    ("A n=<cut>\nA n=3", "A is called with n=3", "holds", &[3]),
    ("A n=<cut>", "A is never called with n=3", "unknown", &[1]),
    ("A n=1\nA n=2", "A is called with n=1, then with n=2", "holds", &[1, 3]),
    ("A n=2\nA n=1", "A is called with n=1, then with n=2", "violated", &[3]),
    ("A -> 'Success'", "A returns \"Success\"", "holds", &[1]),
    ("A -> 'Success'\nA -> 'No'", "A returns \"Success\"", "violated", &[3, 4]),
    ("A -> True", "A returns 1", "violated", &[1, 2]),
    ("A -> 2.0", "A returns 2", "holds", &[1]),
    // Flow.
    ("A -> <object 7>\nB n=<object 7>", "B is called with n returned by A", "holds", &[1, 3]),
    ("A -> <object 7>\nB n=<object 8>", "B is called with n returned by A", "violated", &[3]),
    ("A -> <object 7>\nB n=70", "B is called with n equal to the id of the result of A", "holds", &[1, 3]),
    ("A -> <object 7>\nB n=70", "B is called with n returned by A.id", "holds", &[1, 3]),
    (
        "C n=<object 7.10>\nA -> <same 7>\nD n=<object 7.20>\nB n=10",
        "B is called with n equal to the id of the result of A",
        "holds",
        &[3, 7],
    ),
    ("A n=1", "A does not change its argument n", "holds", &[1]),
    ("~A n=1", "A does not change its argument n", "unknown", &[1]),
    ("B n=5\nA -> 5", "B is called with n returned by A", "violated", &[1]),
    ("A -> 5\n  B -> 5", "A returns the result of B", "holds", &[1]),
    ("A -> 5\n  B -> 6", "A returns the result of B", "violated", &[1, 4]),
    ("A n=<object 1>\nB n=<object 1>", "A and B get the same n", "holds", &[1, 3]),
    ("A n=<object 1>\nB n=<object 2>", "A and B get the same n", "violated", &[1, 3, 4]),
    ("A -> 1\nA -> 2\nA -> 1", "the first result of A equals the last result of A", "holds", &[1, 5]),
    ("A -> 1\nA -> 2", "the first result of A equals the last result of A", "violated", &[1, 3]),
    // Exceptions.
    ("A !OSError", "A raises OSError", "holds", &[1]),
    ("A", "A raises OSError", "violated", &[]),
    ("A\n  B !OSError", "OSError is raised inside A and handled", "holds", &[2]),
    ("A !OSError", "OSError is raised inside A and handled", "violated", &[1]),
    ("C\n  A !OSError", "OSError is raised inside A and handled by C", "holds", &[2]),
    ("A\n  B !OSError", "no exception escapes A", "holds", &[1]),
    ("A !OSError", "no exception escapes A", "violated", &[1, 2]),
    ("A !StopIteration", "no exception escapes A", "holds", &[1]),
    // Nesting and windows.
    ("A\n  C\n    B", "A calls B", "holds", &[1]),
    ("A\n  B\nA\n  C", "A calls B", "violated", &[5, 8]),
    ("A\n  A", "A calls A", "violated", &[2, 3]),
    ("A\n  B", "B is called only inside A", "holds", &[2]),
    ("A\n  B\nB", "B is called only inside A", "violated", &[5, 6]),
    ("A\n  B\nB", "B is called exactly once inside A", "holds", &[2]),
    ("A\n  B\nA\n  C", "B is called exactly once in each A", "violated", &[]),
    ("A\nC\nB", "between A and B, C is never called", "violated", &[2, 3, 5]),
    ("A\nB\nC", "between A and B, C is never called", "holds", &[2]),
    ("A\nC\nB", "C is called only between A and B", "holds", &[3]),
    ("A\nC\nB\nC", "C is called only between A and B", "violated", &[7, 8]),
    // Threads.
    ("A …\n@2 A", "calls of A overlap", "holds", &[1, 2]),
    ("A\nA", "A is never called concurrently", "holds", &[]),
    ("A\n  A", "A is never called concurrently", "holds", &[]),
];

#[test]
fn clauses_come_to_what_they_say_with_the_lines_that_show_it() {
    for (script, clause, word, lines) in ROWS {
        let finding = decide(script, clause);
        assert_eq!(outcome(&finding), (*word, lines.to_vec()), "{clause} on:\n{script}\n{finding:?}");
    }
}

#[test]
fn an_incomplete_recording_leaves_open_what_it_might_hide() {
    let rows = [
        ("A", "A is called", "holds"),
        ("B", "A is called", "unknown"),
        ("B", "A is never called", "unknown"),
        ("A", "A is never called", "violated"),
        ("A\nA", "A is called exactly once", "violated"),
        ("A", "A is called exactly once", "unknown"),
        ("A", "after A, B is called", "unknown"),
        ("A\nB", "A is called before B", "unknown"),
        ("B\nA", "A is called before B", "violated"),
        ("A", "A is called before B", "unknown"),
        ("C", "B is called only after A", "unknown"),
    ];
    let cut = Missing { reason: "journey cut".into(), anywhere: false };
    for (script, clause, word) in rows {
        assert_eq!(outcome(&decide_without(script, clause, Some(&cut))).0, word, "{clause} on {script:?}");
    }
}

#[test]
fn names_are_found_by_their_end_and_errors_name_the_nearest() {
    let bind = |clause: &str| names().bind(parse(clause).expect(clause)).map(|_| ());
    assert_eq!(bind("register is called"), Ok(()));
    assert_eq!(bind("m.Db.save is called"), Ok(()));
    assert_eq!(bind("`m:Db.save` is called"), Ok(()));
    let error = bind("sign is called").expect_err("two are called so");
    assert_eq!(error.to_string(), "sign may be Pen.sign, Seal.sign. Say which one.");
    let error = bind("never calls Db.sav").expect_err("a typo");
    assert_eq!(error.to_string(), "No function of the project is called Db.sav. Did you mean Db.save?");
    let error = bind("every call of Api.get has timeot=5").expect_err("a typo");
    assert!(matches!(&error, Unresolved::Parameter { nearest, .. } if nearest == &["timeout"]), "{error}");
}

#[test]
fn what_another_program_may_have_done_leaves_open_all_but_what_was_seen() {
    let rows = [
        ("A", "A is called", "holds"),
        ("A\nA", "A is called at least twice", "holds"),
        ("A n=2", "A is called with n=1", "unknown"),
        ("A n=1", "A is called with n=1", "holds"),
        ("A !OSError", "A raises OSError", "holds"),
        ("A", "B is called", "unknown"),
        ("A", "B is never called", "unknown"),
        ("B", "B is never called", "violated"),
        ("A", "A is called exactly once", "unknown"),
        ("A\nA", "A is called exactly once", "violated"),
        ("A", "A is called at most once", "unknown"),
        ("A\nA", "A is called at most once", "violated"),
        ("A\nB", "A is called before B", "unknown"),
        // An A that nobody saw may have been before it.
        ("B\nA", "A is called before B", "unknown"),
        ("A\nB", "B is called only after A", "unknown"),
        ("B", "B is called only after A", "unknown"),
        ("A\n  B", "B is called only inside A", "unknown"),
        ("B", "B is called only inside A", "violated"),
        ("A n=1", "every call of A has n=1", "unknown"),
        ("A n=2", "every call of A has n=1", "violated"),
        ("A", "no exception escapes A", "unknown"),
        ("A !OSError", "no exception escapes A", "violated"),
        ("A\nB", "after A, B is called", "unknown"),
        ("A", "if A returns False then B is called (may not occur)", "unknown"),
    ];
    let program = Missing { reason: "a program was started that was not recorded".into(), anywhere: true };
    for (script, clause, word) in rows {
        let finding = decide_without(script, clause, Some(&program));
        assert_eq!(outcome(&finding).0, word, "{clause} on {script:?}");
        let said =
            "The recording is not complete (a program was started that was not recorded), and what is missing may decide it.";
        assert_eq!(finding.why == said, word == "unknown", "{}", finding.why);
    }
}

#[test]
fn what_was_called_instead_is_said() {
    let finding = decide("Seal.sign", "Pen.sign is called");
    assert_eq!(finding.closest, ["Pen.sign was not called; Seal.sign was (L1)."]);
    assert_eq!(finding.why, "Pen.sign was not called.");
    let finding = decide("A", "Pen.sign is called (may not occur)");
    assert_eq!(outcome(&finding).0, "violated", "a call that has to be is not vacuous");
    assert_eq!(outcome(&decide("A", "C is called only after B (may not occur)")).0, "holds");
}

/// One call of a random journey: name, argument, result, depth.
pub(super) type Step = (usize, i64, Option<bool>, usize);

pub(super) fn script(steps: &[Step]) -> String {
    let mut depth = 0;
    let lines = steps.iter().map(|(name, n, result, wanted)| {
        depth = (*wanted).min(depth + 1);
        let ended = match result {
            Some(true) => "-> True",
            Some(false) => "-> False",
            None => "!OSError",
        };
        let line = format!("{}{} n={n} {ended}", "  ".repeat(depth), ["A", "B", "C", "D"][*name]);
        line
    });
    // The first line has nothing above it.
    lines.collect::<Vec<_>>().join("\n").trim_start().to_owned()
}

/// A call as the second evaluator sees it: only numbers.
struct Plain {
    name: String,
    n: i64,
    result: Option<bool>,
    start: u32,
    end: u32,
    above: Vec<usize>,
}

fn plain(events: &[JourneyEvent]) -> Vec<Plain> {
    let mut out: Vec<Plain> = Vec::new();
    for event in events {
        if let What::Call { function, args, parent, .. } = &event.what {
            let parent = parent.map(|line| out.iter().position(|call| call.start == line.0).expect("a parent"));
            let above = parent.map_or(Vec::new(), |at| std::iter::once(at).chain(out[at].above.clone()).collect());
            let Value::Int(n) = args[0].value else { panic!("n is a number") };
            out.push(Plain { name: function.qualname().into(), n, result: None, start: event.line.0, end: u32::MAX, above });
        } else {
            let call = out.iter_mut().find(|call| call.start == event.call.0).expect("a call");
            call.end = event.line.0;
            call.result = match &event.what {
                What::Return { value: Value::Bool(value), .. } => Some(*value),
                _ => None,
            };
        }
    }
    out
}

/// The meaning of some clauses, written once more from their definitions.
fn naive(calls: &[Plain], clause: usize) -> Option<bool> {
    let of = |name: &'static str| calls.iter().enumerate().filter(move |(_, call)| call.name == name);
    let all = |items: Vec<bool>| if items.is_empty() { None } else { Some(items.iter().all(|item| *item)) };
    match clause {
        0 => Some(of("A").count() >= 2),
        1 => Some(of("A").filter(|(_, call)| call.n == 1).count() == 0),
        2 => Some(
            of("A").count() > 0
                && of("B").count() > 0
                && of("B").all(|(_, late)| of("A").any(|(_, early)| early.end < late.start)),
        ),
        3 => {
            all(of("B").map(|(_, late)| of("A").any(|(_, early)| early.result == Some(true) && early.end < late.start)).collect())
        }
        4 => all(of("A").map(|(_, early)| of("B").any(|(_, late)| late.start > early.end)).collect()),
        5 => all(of("A").map(|(at, _)| of("B").any(|(_, call)| call.above.contains(&at))).collect()),
        6 => all(of("B").map(|(_, call)| call.above.iter().any(|above| calls[*above].name == "A")).collect()),
        7 => all(of("A")
            .map(|(_, first)| {
                let until = of("B").map(|(_, last)| last.start).filter(|start| *start > first.end).min().unwrap_or(u32::MAX);
                !of("C").any(|(_, call)| call.start > first.end && call.start < until)
            })
            .collect()),
        8 => all(of("A").map(|(_, call)| call.n == 1).collect()),
        9 => Some((0..3).all(|n| of("A").filter(|(_, call)| call.n == n).count() <= 1)),
        10 => all(of("A")
            .filter(|(_, call)| call.result == Some(false))
            .map(|(_, call)| {
                let around = call.above.iter().copied().find(|above| {
                    calls
                        .iter()
                        .any(|inner| inner.name == "B" && inner.above.iter().any(|over| calls[*over].name == calls[*above].name))
                });
                of("B").any(|(_, other)| other.start > call.end && around.is_none_or(|around| other.above.contains(&around)))
            })
            .collect()),
        11 => all(of("A").map(|(_, call)| call.result.is_some()).collect()),
        _ => unreachable!("there are twelve"),
    }
}

const NAIVE: [&str; 12] = [
    "A is called at least twice",
    "A is never called with n=1",
    "A is called before B",
    "B is called only after A returns True",
    "after A, B is called",
    "A calls B",
    "B is called only inside A",
    "between A and B, C is never called",
    "every call of A has n=1",
    "A is called at most once per n",
    "if A returns False then B is called",
    "no exception escapes A",
];

#[test]
fn names_that_are_words_of_the_grammar_are_read_back() {
    let quoted = regex::Regex::new("\"([^\"\n]*)\"").expect("a pattern");
    let sources = [include_str!("grammar.rs"), include_str!("phrases.rs"), include_str!("words.rs")];
    let words: BTreeSet<&str> = sources
        .iter()
        .flat_map(|source| quoted.captures_iter(source))
        .flat_map(|found| found.get(1).expect("a group").as_str().split(' '))
        .filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
        .collect();
    assert!(words.len() > 100, "{words:?}");
    let names = regex::Regex::new(r"\b(A|B|C|ValueError|item|items|n)(\.id)?\b").expect("a pattern");
    for word in words {
        for form in forms::sentences() {
            let sentence = names.replace_all(form, format!("`{word}$2`"));
            let clause = parse(&sentence).unwrap_or_else(|unclear| panic!("{sentence}: {unclear}"));
            let again = parse(&clause.to_string()).unwrap_or_else(|unclear| panic!("{sentence} is told as {clause}: {unclear}"));
            assert_eq!(again, clause, "{sentence} is told as {clause}");
        }
    }
}

proptest! {
    #[test]
    fn a_second_evaluator_that_only_counts_agrees(
        steps in prop::collection::vec((0..4usize, 0..3i64, prop::option::of(any::<bool>()), 0..4usize), 1..14)
    ) {
        let script = script(&steps);
        let events = journey(&script);
        let calls = plain(&events);
        for (number, clause) in NAIVE.iter().enumerate() {
            let bound = names().bind(parse(clause).expect("a clause")).expect("known names");
            let found = match evaluate(&events, None, &bound).outcome {
                Outcome::Holds { .. } => Some(true),
                Outcome::Violated => Some(false),
                Outcome::Vacuous => None,
                Outcome::Unknown { reason } => panic!("nothing is unknown here: {reason}"),
            };
            prop_assert_eq!(found, naive(&calls, number), "{} on:\n{}", clause, &script);
        }
    }

    #[test]
    fn no_text_makes_the_grammar_panic(text in "\\PC{0,60}") {
        if let Err(unclear) = parse(&text) {
            prop_assert!(unclear.to_string().len() > 1);
        }
    }
}
