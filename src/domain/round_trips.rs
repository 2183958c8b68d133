//! Every enum that is kept by a field's name comes back as it went: numbers with a fraction, the largest and the least too.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::call::{Argument, CallId, Effect, Outcome, RecordingId};
use super::clause;
use super::command::Command;
use super::difference::Difference;
use super::event::Event;
use super::function::{FunctionId, ParamKind};
use super::journey::{JourneyEvent, LineId, What};
use super::near::{Apart, Distance, NearChange, NearDifference};
use super::proposal::{Body, CallChange, Change, ProposalId};
use super::question::About;
use super::spec::{End, Phase, Progress, Status, StepReport};
use super::touch::Touch;
use super::value::Value;
use super::verdict::Ruling;
use super::way::Way;
use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;

const FRACTIONS: [f64; 7] = [0.5, 2.0, 120.0, -0.125, 1e-9, 1.7e308, 0.1];

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: T) {
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap_or_else(|error| panic!("{error}: {text}")), value, "{text}");
}

fn step(end: End) -> StepReport {
    StepReport {
        phase: Phase::Steps,
        name: "waits".into(),
        line: u32::MAX,
        depth: 0,
        round: Some((1, 2)),
        tool: Some("shop_order".into()),
        args: numbers(),
        tries: 1,
        ms: u64::MAX,
        end,
        status: Status::Failed,
        clauses: Vec::new(),
        filled: Vec::new(),
        printed: String::new(),
    }
}

fn numbers() -> serde_json::Value {
    let huge: serde_json::Value = serde_json::from_str("123456789012345678901234567890").unwrap();
    json!({ "many": [0.5, 2.0, -1.5e-300, i64::MIN, u64::MAX, huge], "in": { "one": { "1": 0.1 } } })
}

#[test]
fn reports_of_yaml_tests_come_back() {
    let fractions = FRACTIONS.map(|seconds| End::TimedOut { seconds });
    let others = [
        End::Returned { result: numbers() },
        End::Raised { error: "no".into() },
        End::Died { how: "SIGKILL".into() },
        End::NotRun { why: "no".into() },
    ];
    for end in fractions.into_iter().chain(others) {
        comes_back(end.clone());
        comes_back(step(end.clone()));
        comes_back(Progress::Stepped { file: "a.yaml".into(), step: Box::new(step(end)) });
    }
    comes_back(Progress::Began { file: "a.yaml".into(), name: "a".into() });
    comes_back(Progress::Step {
        file: "a.yaml".into(),
        name: "a".into(),
        line: 1,
        tool: "t".into(),
        args: numbers(),
        filled: Vec::new(),
        tries: 1,
        of: 2,
    });
}

#[test]
fn changes_come_back() {
    let effect = |outcome: Outcome| Effect { outcome, changed: vec![("self".into(), Value::Int(i64::MIN))] };
    for number in FRACTIONS {
        let change = CallChange {
            call: CallId(i64::MAX),
            arguments: "(1)".into(),
            times: u64::MAX,
            old: effect(Outcome::Returned(Value::Float(number))),
            new: effect(Outcome::TimedOut(number)),
            difference: Difference { path: String::new(), old: Some(Value::Complex(number, f64::INFINITY)), new: None },
        };
        comes_back(Body::Change(Change { calls: vec![change], same: u64::MAX, because: Vec::new(), seen: Moment(i64::MIN) }));
    }
}

#[test]
fn near_differences_come_back() {
    let effect = |number| Effect { outcome: Outcome::Returned(Value::Float(number)), changed: vec![] };
    for number in FRACTIONS {
        let difference = NearDifference {
            function: FunctionId("shop:total".into()),
            path: RelPath::new("shop.py").unwrap(),
            line: 3,
            arguments: "(1)".into(),
            call: CallId(i64::MAX),
            recorded: "(2)".into(),
            distance: Distance { place: "n".into(), how: Apart::Number, by: "1".into() },
            old: effect(number),
            new: effect(0.5),
            difference: Difference { path: String::new(), old: Some(Value::Float(number)), new: None },
            proposal: None,
        };
        let args = vec![Argument::new("n", ParamKind::KeywordOnly, Value::Float(number))];
        let near = NearChange {
            difference,
            args,
            way: Way::default(),
            code: Digest(u64::MAX),
            because: Vec::new(),
            test: Some(ProposalId(7)),
        };
        comes_back(Body::Near(Box::new(near)));
    }
}

#[test]
fn journeys_come_back() {
    let value = || Value::List(vec![Value::Float(0.5), Value::Int(i64::MIN), Value::Int(i64::MAX)]);
    let args = vec![Argument::new("x", ParamKind::KeywordOnly, value())];
    let whats = [
        What::Call {
            function: FunctionId("shop:total".into()).into(),
            args,
            receiver: Some(u64::MAX),
            parent: Some(LineId(u32::MAX)),
            caller_line: Some(1),
            direct: true,
            task: u32::MAX,
            reached: vec![1, 2],
            brief: false,
        },
        What::Return { value: value(), changed: vec![("x".into(), value())] },
        What::Raise { exception: value(), mro: vec!["builtins:ValueError".into()], raised_at: Some(3), changed: Vec::new() },
        What::Yield { value: value() },
        What::Resume,
        What::Throw { closed: true },
        What::Touch { touch: Touch::Clock("time.time".into()) },
    ];
    for what in whats {
        comes_back(JourneyEvent {
            line: LineId(1),
            call: LineId(1),
            process: i64::MIN,
            thread: u32::MAX,
            depth: 0,
            phase: super::journey::Phase::default(),
            at_ns: i64::MAX,
            what,
        });
    }
}

#[test]
fn what_came_of_clauses_comes_back() {
    let outcomes = [
        clause::Outcome::Holds { times: usize::MAX },
        clause::Outcome::Violated,
        clause::Outcome::Vacuous,
        clause::Outcome::Unknown { reason: "no".into() },
    ];
    for outcome in outcomes {
        comes_back(clause::Finding { outcome, why: "so".into(), evidence: vec![LineId(u32::MAX)], closest: Vec::new() });
    }
}

#[test]
fn what_front_ends_say_and_hear_comes_back() {
    comes_back(Event::Indexed { files: usize::MAX, functions: 0, errors: 0, ms: u64::MAX });
    comes_back(Event::CallsArrived { recording: RecordingId(i64::MAX), kept: u64::MAX, seen: 0 });
    comes_back(Event::SpecEnded {
        file: RelPath::new("a.yaml").unwrap(),
        name: "a".into(),
        ruling: Ruling::Fail,
        reason: "no".into(),
        ms: u64::MAX,
        because: None,
    });
    let (host, model) = ("example.org".to_owned(), "m".to_owned());
    comes_back(About::FirstSend { function: None, host, model: model.clone(), bytes: u64::MAX, tokens: u64::MAX });
    comes_back(About::LargeDownload { model, bytes: u64::MAX });
    comes_back(Command::Answer { question: super::question::QuestionId(u64::MAX), yes: true });
}
