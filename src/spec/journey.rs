//! The steps of a test as a journey: each call of a tool is a call, so that whoever judges journeys can judge them.

use crate::domain::call::Argument;
use crate::domain::callee::Callee;
use crate::domain::function::ParamKind;
use crate::domain::journey::{JourneyEvent, LineId, Phase as Part, What};
use crate::domain::spec::{End, Phase, StepReport};
use crate::domain::value::{TypeName, Value};
use crate::domain::value_json;
use crate::judge::names::Names;

/// A test as a journey.
pub struct StepsJourney {
    /// Its events.
    pub events: Vec<JourneyEvent>,
    /// The line of each step's call; none of a group and of what was not run.
    pub lines: Vec<Option<LineId>>,
    /// The tools.
    pub names: Names,
}

/// Writes the steps of a test as a journey.
#[must_use]
pub fn of_steps(steps: &[StepReport]) -> StepsJourney {
    let mut events: Vec<JourneyEvent> = Vec::new();
    let mut lines = Vec::new();
    let mut tools = Vec::new();
    for step in steps {
        let Some(tool) = step.tool.as_ref().filter(|_| !matches!(step.end, End::NotRun { .. })) else {
            lines.push(None);
            continue;
        };
        let function = Callee::Tool(tool.clone());
        tools.push(function.clone());
        let call = LineId(u32::try_from(events.len() + 1).unwrap_or(u32::MAX));
        lines.push(Some(call));
        let mut add = |what: What| {
            events.push(JourneyEvent {
                line: LineId(u32::try_from(events.len() + 1).unwrap_or(u32::MAX)),
                call,
                process: 0,
                thread: 0,
                depth: 0,
                phase: match step.phase {
                    Phase::Setup => Part::Setup,
                    Phase::Steps => Part::Call,
                    Phase::Teardown => Part::Teardown,
                },
                at_ns: i64::try_from(events.len()).unwrap_or(i64::MAX),
                what,
            });
        };
        let given = step.args.as_object().into_iter().flatten();
        add(What::Call {
            function,
            args: given.map(|(name, given)| Argument::new(name, ParamKind::KeywordOnly, value_json::read(given))).collect(),
            receiver: None,
            parent: None,
            caller_line: None,
            direct: true,
            task: 0,
            reached: Vec::new(),
            brief: false,
        });
        add(match &step.end {
            End::Returned { result } => What::Return { value: value_json::read(result), changed: Vec::new() },
            end => raised(&end.error().unwrap_or_default()),
        });
    }
    StepsJourney { events, lines, names: Names::of(tools) }
}

/// Writes an error: `ValueError: no such user`, or words of ours.
fn raised(error: &str) -> What {
    let first = error.lines().next().unwrap_or_default();
    let (name, message) = first.split_once(": ").filter(|(name, _)| !name.contains(' ')).unwrap_or(("ToolError", first));
    let ty = TypeName { module: "builtins".into(), qualname: name.to_owned() };
    let exception = Value::Exception { ordinal: 0, ty, args: vec![Value::Str(message.to_owned())], fields: Vec::new() };
    What::Raise { exception, mro: vec![name.to_owned(), "Exception".into()], raised_at: None, changed: Vec::new() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::spec::Status;

    fn step(name: &str, tool: Option<&str>, end: End) -> StepReport {
        StepReport {
            phase: Phase::Steps,
            name: name.into(),
            line: 1,
            depth: 0,
            round: None,
            tool: tool.map(str::to_owned),
            args: json!({ "id": 1, "big": 18_446_744_073_709_551_615_u64 }),
            tries: 1,
            ms: 0,
            end,
            status: Status::Passed,
            clauses: Vec::new(),
            filled: Vec::new(),
            printed: String::new(),
        }
    }

    #[test]
    fn data_cannot_end_its_part_in_a_question_about_a_yaml_test() {
        use crate::base::redact::Redactor;
        use crate::judge::prompt::{Question, Wanted, ask};
        use crate::llm::prompt::{CANARY, hostile, outside};
        let asked = |data: &str| {
            let mut one = step(data, Some(data), End::Returned { result: json!({ data: [data, { data: data }] }) });
            one.args = json!({ data: data });
            one.printed = data.into();
            let other = step("b", Some("api"), End::Raised { error: data.into() });
            let journey = of_steps(&[one, other]);
            let question = Question {
                wanted: Wanted::Verdict,
                intent: "It is nice.",
                sentences: &["It is nice.".to_owned()],
                must_not: &[],
                whole: true,
                decided: &[],
                events: &journey.events,
                names: &journey.names,
                sources: &[],
                others: &[],
                incomplete: None,
                budget: 100_000,
            };
            let asked = ask(&question, &mut Redactor::default()).unwrap();
            format!("{}\n{}\n{}", asked.functions, asked.journey, asked.question(0, None).0)
        };
        let data = hostile(&asked("x"));
        let prompt = asked(&data);
        assert!(prompt.contains(CANARY) && !outside(&prompt).contains(CANARY), "{prompt}");
    }

    #[test]
    fn a_question_holds_results_whole_up_to_its_budget_and_says_what_is_cut() {
        use crate::base::redact::Redactor;
        use crate::judge::prompt::{Asked, Question, Wanted, ask};
        let user = |id: usize| json!({ "id": id, "email": format!("user{id}@example.com"), "born": "2026-13-45T99:00:00" });
        let asked = |users: usize, budget: usize| -> Asked {
            let result = (0..users).map(user).collect::<serde_json::Value>();
            let journey = of_steps(&[
                step("a", Some("api_users"), End::Returned { result }),
                step("b", Some("api_path"), End::Returned { result: json!("/tmp/abc/x 0x7fffdeadbeef") }),
            ]);
            let question = Question {
                wanted: Wanted::Verdict,
                intent: "It is nice.",
                sentences: &["fail_if: it is odd".to_owned()],
                must_not: &[true],
                decided: &[],
                events: &journey.events,
                whole: true,
                names: &journey.names,
                sources: &[],
                others: &[],
                incomplete: None,
                budget,
            };
            ask(&question, &mut Redactor::default()).unwrap()
        };
        let whole = asked(60, 24_000);
        for text in ["user0@example.com", "user59@example.com", "2026-13-45T99:00:00", "/tmp/abc/x 0x7fffdeadbeef"] {
            assert!(whole.journey.contains(text), "{text}: {}", whole.journey);
        }
        let question = whole.question(0, None).0;
        assert!(whole.sent.cut.is_empty() && !question.contains("did not fit"), "{question}");
        assert!(question.contains("must not come about"), "{question}");
        let cut = asked(5_000, 24_000);
        assert!(cut.tokens <= 24_000 && cut.tokens > 15_000, "as much as fits: {}", cut.tokens);
        let [one] = cut.sent.cut.as_slice() else { panic!("{:?}", cut.sent.cut) };
        assert!(one.line == LineId(2) && one.whole > 300_000 && (20_000..one.whole).contains(&one.shown), "{one:?}");
        assert!(cut.journey.contains("/tmp/abc/x"), "what is small stays whole");
        let question = cut.question(0, None).0;
        assert!(question.contains("L2 shows at most") && question.contains("is `unclear`"), "{question}");
        assert_ne!((whole.hash(), whole.standing()), (cut.hash(), cut.standing()), "another question has another key");
    }

    #[test]
    fn calls_of_tools_are_calls_and_what_was_not_run_is_not_there() {
        let journey = of_steps(&[
            step("group", None, End::Returned { result: json!([]) }),
            step("a", Some("api_get"), End::Returned { result: json!({ "x": [1.5, null, true] }) }),
            step("b", Some("api_put"), End::NotRun { why: "no".into() }),
            step("c", Some("api_put"), End::Raised { error: "ValueError: no such user\n  a.py:1".into() }),
        ]);
        assert_eq!(journey.lines, [None, Some(LineId(1)), None, Some(LineId(3))]);
        let lines: Vec<String> = journey.events.iter().map(JourneyEvent::text).collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[0].contains("tools:api_get(id=1, big=18446744073709551615)"), "{lines:?}");
        assert!(lines[1].contains("1.5") && lines[3].contains("ValueError"), "{lines:?}");
        assert!(journey.names.resolve("api_put").is_ok() && journey.names.resolve("api_other").is_err());
    }
}
