//! Runs a test: setup, steps, teardown, each step as it is written. No model takes part.
//!
//! A step is tried again when its tool fails, takes too long, or a rule says no. A failing step does not stop the others; a
//! failing setup does. Teardown is always run.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::base::text;
use crate::domain::spec::{Action, End, Phase, Progress, STEP_SECONDS, Spec, Status, Step, StepReport};
use crate::domain::verdict::{ClauseOutcome, Decided};
use crate::judge::{data, grammar};
use crate::spec::agent::{self, Agent, Arrived, Driven, Errands, Said};
use crate::spec::fold;
use crate::spec::interpolate::{self, Filled, Known, STORED, Table};
use crate::spec::sentences;
use crate::spec::tools::{Called, STOPPED, Toolbox};

/// Seconds that teardown may take when the test was stopped.
const TEARDOWN_WHEN_STOPPED: f64 = 20.0;
/// Most steps that are run of one test: rounds in groups multiply.
const STEPS_MAX: usize = 100_000;
/// What stands in a step that an agent left out.
const NEVER_CALLED: &str = "Claude Code never called it";
/// What stands in a step that an agent that broke did not come to.
const NOT_COME: &str = "Claude Code did not come to it";

/// How a test is run.
pub struct How<'a> {
    /// Its file, as it is named in what is said.
    pub file: &'a str,
    /// Seconds that each step may take that does not say so itself, in place of the test's own default.
    pub timeout: Option<f64>,
    /// Stops it: what runs is ended, what comes is not run, teardown is.
    pub cancel: CancellationToken,
    /// Hears what happens.
    pub say: &'a (dyn Fn(Progress) + Send + Sync),
    /// Who calls the tools of the test's own steps in our place, and the text of the file.
    pub agent: Option<(Agent, String)>,
}

/// What a test did.
#[derive(Debug, Default)]
pub struct Ran {
    /// Its steps.
    pub steps: Vec<StepReport>,
    /// What is known in the end: results by name, what was stored, the steps.
    pub known: Known,
    /// It did not finish in its time: seconds.
    pub late: Option<f64>,
    /// Somebody stopped it.
    pub stopped: bool,
    /// What an agent that drove it said in the end, or why it said nothing that can be used.
    pub said: Option<Result<Said, String>>,
    /// Calls of an agent that no step asks for.
    pub unasked: Vec<String>,
}

/// Runs a test with its tools.
pub async fn run(spec: &Spec, tools: &mut Toolbox, how: &How<'_>) -> Ran {
    let begun = Instant::now();
    let total = spec.total_timeout.map(|seconds| (begun + Duration::from_secs_f64(seconds), seconds));
    let mut run = Run {
        table: if spec.former { Table::Former } else { Table::Typed },
        seconds: how.timeout.or(spec.timeout).unwrap_or(STEP_SECONDS),
        tools,
        how,
        cancel: how.cancel.clone(),
        until: total.map(|(until, _)| until),
        ran: Ran::default(),
        driven: None,
    };
    run.phase(Phase::Setup, &spec.setup, None).await;
    let broken = run.ran.steps.iter().any(|step| step.status == Status::Failed);
    let skip = broken.then_some("the setup failed");
    if let Some((agent, text)) = how.agent.as_ref().filter(|_| skip.is_none()) {
        run.drive(agent, text, spec).await;
    }
    run.phase(Phase::Steps, &spec.steps, skip).await;
    if let Some(driven) = run.driven.take() {
        run.ran.unasked = driven.calls.into_iter().map(|call| call.tool).collect();
        run.ran.said = Some(driven.said);
    }
    run.ran.late = total.filter(|(until, _)| Instant::now() >= *until).map(|(_, seconds)| seconds);
    run.ran.stopped = how.cancel.is_cancelled();
    // Teardown has its own time, whatever happened before it.
    run.cancel = CancellationToken::new();
    run.until = run.ran.stopped.then(|| Instant::now() + Duration::from_secs_f64(TEARDOWN_WHEN_STOPPED));
    run.phase(Phase::Teardown, &spec.teardown, None).await;
    run.ran.known.insert(STORED.into(), Value::Object(run.tools.stored().clone()));
    run.ran.known.insert("steps".into(), told(&run.ran.steps));
    run.ran
}

struct Run<'a> {
    table: Table,
    seconds: f64,
    tools: &'a mut Toolbox,
    how: &'a How<'a>,
    cancel: CancellationToken,
    until: Option<Instant>,
    ran: Ran,
    /// What an agent did, while the steps are gone through with it.
    driven: Option<Driven>,
}

/// Where a step stands.
#[derive(Clone, Copy)]
struct Spot<'a> {
    phase: Phase,
    depth: u32,
    /// Seconds of the group around it.
    seconds: f64,
    /// Why it is not run.
    skip: Option<&'a str>,
}

impl Run<'_> {
    async fn phase(&mut self, phase: Phase, steps: &[Step], skip: Option<&str>) {
        let spot = Spot { phase, depth: 0, seconds: self.seconds, skip };
        for step in steps {
            self.step(step, spot).await;
        }
    }

    /// Runs a step, all rounds of it; gives their results.
    async fn step(&mut self, step: &Step, spot: Spot<'_>) -> Vec<Value> {
        let mut results = Vec::new();
        for round in 1..=step.repeat {
            let round = (step.repeat > 1).then_some((round, step.repeat));
            let spot = Spot { seconds: step.timeout.unwrap_or(spot.seconds), ..spot };
            let why = match self.ended() {
                _ if spot.skip.is_some() => spot.skip,
                None if self.ran.steps.len() >= STEPS_MAX => Some("the test has too many steps"),
                ended => ended,
            };
            if let Some(why) = why {
                self.report(step, spot, round, None, End::NotRun { why: why.into() });
                // The other rounds would say the same.
                break;
            }
            results.push(match &step.action {
                Action::Tool { .. } => self.tool(step, spot, round).await,
                Action::Group(steps) => self.group(step, steps, spot, round).await,
            });
        }
        results
    }

    /// Lets an agent call the tools.
    async fn drive(&mut self, agent: &Agent, text: &str, spec: &Spec) {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()).as_secs_f64());
        let file = self.how.file;
        let say = |tool: &str, args: &Value| {
            let (name, tool) = (tool.to_owned(), tool.to_owned());
            let step = Progress::Step {
                file: file.to_owned(),
                name,
                line: 0,
                tool,
                args: args.clone(),
                filled: Vec::new(),
                tries: 1,
                of: 1,
            };
            (self.how.say)(step);
        };
        let errands = Errands {
            test: text,
            saved: Value::Object(self.known()),
            seconds: self.seconds,
            limit: left.unwrap_or_else(|| agent_seconds(&spec.steps, self.seconds)),
            cancel: &self.cancel,
            say: &say,
        };
        self.driven = Some(agent::drive(agent, self.tools, &errands).await);
    }

    /// Calls a tool, or takes the call of an agent that drove the test.
    async fn call(&mut self, tool: &str, args: &Value, seconds: f64) -> (Called, Option<Arrived>) {
        let Some(driven) = self.driven.as_mut() else {
            let cancel = self.cancel.clone();
            return (self.tools.call(tool, args, seconds, &cancel).await, None);
        };
        if let Some(arrived) = agent::take(&mut driven.calls, tool, args) {
            return (arrived.called.clone(), Some(arrived));
        }
        let why = if driven.said.is_ok() { NEVER_CALLED } else { NOT_COME };
        (Called { end: End::NotRun { why: why.into() }, printed: String::new() }, None)
    }

    /// Says why nothing more is run, if so.
    fn ended(&self) -> Option<&'static str> {
        // What an agent did in its time counts.
        if self.driven.is_some() {
            return None;
        }
        if self.cancel.is_cancelled() {
            Some(STOPPED)
        } else if self.until.is_some_and(|until| Instant::now() >= until) {
            Some("the test has had its time")
        } else {
            None
        }
    }

    async fn group(&mut self, step: &Step, steps: &[Step], spot: Spot<'_>, round: Option<(u32, u32)>) -> Value {
        let begun = Instant::now();
        let at = self.ran.steps.len();
        self.report(step, spot, round, None, End::Returned { result: Value::Null });
        let mut results = Vec::new();
        for inner in steps {
            results.extend(Box::pin(self.step(inner, Spot { depth: spot.depth + 1, ..spot })).await);
        }
        let result = Value::Array(results);
        let end = End::Returned { result: result.clone() };
        if let Some(name) = &step.save_as {
            self.ran.known.insert(name.clone(), result.clone());
        }
        let clauses = self.clauses(step, &end).await;
        let inner: Vec<Status> = self.ran.steps[at + 1..].iter().map(|step| step.status).collect();
        if let Some(report) = self.ran.steps.get_mut(at) {
            report.ms = millis(begun);
            report.clauses = clauses;
            report.end = end;
            report.status = fold::group(&report.clauses, &inner);
            let step = Box::new(report.clone());
            (self.how.say)(Progress::Stepped { file: self.how.file.to_owned(), step });
        }
        result
    }

    async fn tool(&mut self, step: &Step, spot: Spot<'_>, round: Option<(u32, u32)>) -> Value {
        let Action::Tool { tool, args, retry, retry_delay } = &step.action else { return Value::Null };
        let begun = Instant::now();
        let known = self.known();
        let Filled { args, trace } = match interpolate::fill(args, &known, self.table) {
            Ok(filled) => filled,
            Err(mistakes) => {
                let why = mistakes.iter().map(|one| format!("line {}: {}", one.at.line, one.what)).collect::<Vec<_>>().join(" ");
                let came = self.driven.as_ref().is_none_or(|driven| driven.said.is_ok());
                let end = if came { End::Raised { error: why } } else { End::NotRun { why: NOT_COME.into() } };
                let report = self.report(step, spot, round, None, end);
                report.status = if came { Status::Failed } else { Status::Skipped };
                self.say_last();
                return Value::Null;
            }
        };
        let (mut tries, mut took) = (0, 0);
        let (end, printed, clauses, left_out) = loop {
            tries += 1;
            (self.how.say)(Progress::Step {
                file: self.how.file.to_owned(),
                name: step.name.clone(),
                line: step.at.line,
                tool: tool.text.clone(),
                args: args.clone(),
                filled: trace.clone(),
                tries,
                of: retry.saturating_add(1),
            });
            let left = self.until.map_or(f64::MAX, |until| until.saturating_duration_since(Instant::now()).as_secs_f64());
            let (called, arrived) = self.call(&tool.text, &args, spot.seconds.min(left)).await;
            took += arrived.as_ref().map_or(0, |arrived| arrived.ms);
            let left_out = arrived.is_none() && self.driven.as_ref().is_some_and(|driven| driven.said.is_ok());
            if let (Some(name), End::Returned { result }) = (&step.save_as, &called.end) {
                self.ran.known.insert(name.clone(), result.clone());
            }
            let mut clauses = self.clauses(step, &called.end).await;
            if let Some(arrived) = arrived.filter(|arrived| arrived.args != args) {
                let why =
                    format!("Claude Code called it with {}.", text::cut(&text::display_line(&arrived.args.to_string()), 200));
                clauses.push(decided("the call has the arguments of the step", ClauseOutcome::Violated, &why));
            }
            let again = fold::by_rules(&called.end, &clauses, is_error_expected(step)) == Status::Failed;
            let more = match &self.driven {
                // An agent waits by itself; only what it tried again counts.
                Some(driven) => driven.calls.iter().any(|call| call.tool == tool.text && call.args == args),
                None => true,
            };
            let waited = self.driven.is_some() || !again || tries > *retry || self.wait(*retry_delay).await;
            if !again || tries > *retry || !more || !waited {
                break (called.end, called.printed, clauses, left_out);
            }
        };
        let result = match &end {
            End::Returned { result } => result.clone(),
            _ => Value::Null,
        };
        // A call that an agent left out is no step that was skipped: it did not do what it was asked to.
        let status = if left_out { Status::Failed } else { fold::by_rules(&end, &clauses, is_error_expected(step)) };
        let ms = if self.driven.is_some() { took } else { millis(begun) };
        let report = self.report(step, spot, round, Some(args), end);
        (report.tries, report.ms, report.printed, report.filled) = (tries, ms, printed, trace);
        (report.status, report.clauses) = (status, clauses);
        self.say_last();
        result
    }

    /// Waits before the next try; tells whether there is to be one.
    async fn wait(&self, seconds: f64) -> bool {
        let left = self.until.map_or(f64::MAX, |until| until.saturating_duration_since(Instant::now()).as_secs_f64());
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs_f64(seconds.min(left).clamp(0.0, 86_400.0))) => self.ended().is_none(),
            () = self.cancel.cancelled() => false,
        }
    }

    fn known(&self) -> Known {
        let mut known = self.ran.known.clone();
        known.insert(STORED.into(), Value::Object(self.tools.stored().clone()));
        known
    }

    /// Decides by rules what a step says of its result; what rules cannot decide is left open.
    async fn clauses(&mut self, step: &Step, end: &End) -> Vec<Decided> {
        if step.expect.is_none() && step.analyze.is_none() && step.check.is_empty() && step.rules.is_empty() {
            return Vec::new();
        }
        let mut scope = self.known();
        let result = if let End::Returned { result } = end { result.clone() } else { Value::Null };
        scope.insert("result".into(), result);
        scope.insert("error".into(), end.error().map_or(Value::Null, Value::String));
        scope.insert("steps".into(), told(&self.ran.steps));
        let mut clauses = Vec::new();
        for check in &step.check {
            let checked = self.tools.check(&check.text, &scope).await;
            let (outcome, why) =
                checked.map_or_else(|why| (ClauseOutcome::Violated, why), |()| (ClauseOutcome::Holds, String::new()));
            clauses.push(decided(&format!("check: {}", check.text), outcome, &why));
        }
        clauses.extend(step.rules.iter().flat_map(|rule| data::rules::decide(rule, &scope)));
        let rules = |sentence: &str| data::decide(sentence, &scope);
        if let Some(expect) = &step.expect {
            clauses.extend(sentences::decide(&expect.text, false, rules));
        }
        if let Some(analyze) = &step.analyze {
            clauses.extend(sentences::decide(&analyze.text, true, rules));
        }
        clauses
    }

    fn report(
        &mut self,
        step: &Step,
        spot: Spot<'_>,
        round: Option<(u32, u32)>,
        args: Option<Value>,
        end: End,
    ) -> &mut StepReport {
        let tool = match &step.action {
            Action::Tool { tool, .. } => Some(tool.text.clone()),
            Action::Group(_) => None,
        };
        self.ran.steps.push(StepReport {
            phase: spot.phase,
            name: step.name.clone(),
            line: step.at.line,
            depth: spot.depth,
            round,
            tool,
            args: args.unwrap_or(Value::Null),
            tries: 0,
            ms: 0,
            status: if matches!(end, End::NotRun { .. }) { Status::Skipped } else { Status::Passed },
            end,
            clauses: Vec::new(),
            filled: Vec::new(),
            printed: String::new(),
        });
        let last = self.ran.steps.len() - 1;
        &mut self.ran.steps[last]
    }

    fn say_last(&self) {
        if let Some(step) = self.ran.steps.last() {
            (self.how.say)(Progress::Stepped { file: self.how.file.to_owned(), step: Box::new(step.clone()) });
        }
    }
}

/// Counts the seconds that an agent may take where the test does not say: those of its steps, one after the other.
fn agent_seconds(steps: &[Step], seconds: f64) -> f64 {
    let one = |step: &Step| {
        let own = step.timeout.unwrap_or(seconds);
        let inner = match &step.action {
            Action::Tool { retry, retry_delay, .. } => f64::from(retry + 1) * own + f64::from(*retry) * retry_delay,
            Action::Group(inner) => agent_seconds(inner, own),
        };
        inner * f64::from(step.repeat)
    };
    // It thinks besides.
    (STEP_SECONDS + steps.iter().map(one).sum::<f64>()).min(86_400.0)
}

/// Tells whether a step says in sentences for rules, or in a check, that its tool is to fail.
fn is_error_expected(step: &Step) -> bool {
    let said = step
        .expect
        .iter()
        .chain(&step.analyze)
        .any(|wording| grammar::sentences(&wording.text).into_iter().any(data::is_about_error));
    let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "error");
    let ruled = step.rules.iter().any(|rule| data::root(&rule.of) == Some("error"));
    said || ruled || step.check.iter().any(|check| word(&check.text))
}

/// Makes a sentence that was decided.
#[must_use]
pub fn decided(sentence: &str, outcome: ClauseOutcome, why: &str) -> Decided {
    Decided {
        text: text::display_line(sentence).into_owned(),
        outcome,
        evidence: Vec::new(),
        why: text::display_line(why).into(),
        shown: Vec::new(),
        needs_model: false,
    }
}

/// Makes a sentence that no rule decides.
#[must_use]
pub fn needs_model(sentence: &str) -> Decided {
    Decided { needs_model: true, ..decided(sentence, ClauseOutcome::Unclear, "Rules cannot decide this sentence.") }
}

/// Tells the steps so far, as expressions and sentences see them.
fn told(steps: &[StepReport]) -> Value {
    let told = steps.iter().map(|step| {
        let result = if let End::Returned { result } = &step.end { result.clone() } else { Value::Null };
        json!({
            "name": step.name, "tool": step.tool, "args": step.args, "result": result, "error": step.end.error(),
            "status": step.status, "tries": step.tries, "ms": step.ms, "phase": step.phase,
        })
    });
    told.collect()
}

fn millis(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}
