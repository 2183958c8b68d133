//! `agent: claude_code`: Claude Code calls the tools of a test, over MCP, in our place. What counts is which calls arrived at
//! the tools and what came of them; its own report decides nothing that a call did not show.
//!
//! It starts our relay as its MCP server, which speaks to a socket here in JSON lines; so the tools stay in the test's own
//! process. Then the steps are gone through as always (`run.rs`), each with the call that arrived for it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

use crate::base::scratch::Scratch;
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::evaluator::Evaluator;
use crate::domain::spec::{End, Phase, Status, StepReport};
use crate::domain::verdict::{ClauseOutcome, Decided};
use crate::llm::claude_agent::Errand;
use crate::llm::claude_code::ClaudeCode;
use crate::python::plugins::Tool;
use crate::spec::fold::Ending;
use crate::spec::tools::{Called, Toolbox};

/// The name of the agent, in a report.
const NAME: &str = "claude_code";
/// The words it is told.
const TEMPLATE: &str = include_str!("../../assets/prompts/spec_agent.md");
/// The name of the server, as it names our tools: `mcp__pytead__…`.
const SERVER: &str = "pytead";
/// Bytes of one request.
const LINE_MAX: u64 = 8 << 20;
/// Calls of one test.
const CALLS_MAX: usize = 10_000;
/// Objects that are looked for in what it said in the end.
const STARTS: usize = 4_096;

/// Who drives a test, and with what.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Claude Code.
    pub claude: ClaudeCode,
    /// The program and its first arguments that relay between MCP and a socket, which is its last argument.
    pub relay: Vec<String>,
}

/// A call that arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrived {
    /// The tool.
    pub tool: String,
    /// What it was given.
    pub args: Value,
    /// What came of it.
    pub called: Called,
    /// Milliseconds it took.
    pub ms: u64,
}

/// What it says about the test.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Said {
    verdict: String,
    /// Why.
    pub reason: String,
    steps: Vec<SaidStep>,
    /// What else it noticed.
    pub issues: Vec<Sentence>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
struct SaidStep {
    name: String,
    status: String,
    details: Value,
}

/// What came of letting it drive.
#[derive(Debug, Clone)]
pub struct Driven {
    /// The calls, in the order in which they arrived.
    pub calls: VecDeque<Arrived>,
    /// What it said in the end, or why it said nothing that can be used.
    pub said: Result<Said, String>,
}

/// A request of the relay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// Which tools there are.
    List,
    /// Call one.
    Call {
        /// The tool.
        tool: String,
        /// What it is given.
        args: Value,
    },
}

/// The answer to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The tools.
    Tools(Vec<Tool>),
    /// A result.
    Result(Value),
    /// What went wrong.
    Error(String),
}

/// Where a test that is driven stands.
pub struct Errands<'a> {
    /// The text of its file.
    pub test: &'a str,
    /// What was saved before.
    pub saved: Value,
    /// Seconds of one call.
    pub seconds: f64,
    /// Seconds of everything.
    pub limit: f64,
    /// Stops it.
    pub cancel: &'a CancellationToken,
    /// Hears of each call before it is made.
    pub say: &'a (dyn Fn(&str, &Value) + Send + Sync),
}

/// Lets it drive.
pub async fn drive(agent: &Agent, tools: &mut Toolbox, errands: &Errands<'_>) -> Driven {
    let mut calls = VecDeque::new();
    let said = said(agent, tools, errands, &mut calls).await;
    Driven { calls, said }
}

async fn said(agent: &Agent, tools: &mut Toolbox, errands: &Errands<'_>, calls: &mut VecDeque<Arrived>) -> Result<Said, String> {
    let folder = Scratch::new().map_err(|trouble| format!("there is no folder to work in: {trouble}"))?;
    let (socket, servers) = (folder.path().join("tools"), folder.path().join("servers.json"));
    let listener = UnixListener::bind(&socket).map_err(|error| format!("no socket can be opened: {error}"))?;
    let Some((program, first)) = agent.relay.split_first() else { return Err("nothing relays to the tools".into()) };
    let words: Vec<String> = first.iter().cloned().chain([socket.display().to_string()]).collect();
    let config = json!({ "mcpServers": { SERVER: { "command": program, "args": words, "alwaysLoad": true } } });
    std::fs::write(&servers, config.to_string()).map_err(|error| format!("its settings cannot be written: {error}"))?;
    let work = folder.path().join("work");
    std::fs::create_dir(&work).map_err(|error| format!("there is no folder to work in: {error}"))?;
    let names: Vec<String> = tools.described().iter().map(|tool| format!("mcp__{SERVER}__{}", tool.name)).collect();
    let (system, prompt) = prompt(errands.test, &errands.saved);
    let errand = Errand {
        system: &system,
        prompt: &prompt,
        servers: &servers,
        tools: &names,
        folder: &work,
        limit: Duration::from_secs_f64(errands.limit),
    };
    let mut listed = false;
    let text = {
        let errand = agent.claude.errand(errand, errands.cancel);
        tokio::pin!(errand);
        tokio::select! {
            text = &mut errand => text,
            never = serve(&listener, tools, errands, calls, &mut listed) => match never {},
        }
    };
    let text = text.map_err(|error| error.trouble().to_string())?;
    if !listed {
        return Err("Claude Code never asked which tools there are: it did not reach them".into());
    }
    verdict(&text).ok_or_else(|| {
        let shown = text::cut(&text::display_line(text.trim()), 200).into_owned();
        format!("Claude Code gave no verdict that can be read: {shown}")
    })
}

/// Answers the relay for as long as nobody ends it. Claude Code may start it more than once.
async fn serve(
    listener: &UnixListener,
    tools: &mut Toolbox,
    errands: &Errands<'_>,
    calls: &mut VecDeque<Arrived>,
    listed: &mut bool,
) -> std::convert::Infallible {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // One that breaks off is its own affair; the next one may come.
        let _ = relayed(stream, tools, errands, calls, listed).await;
    }
}

async fn relayed(
    stream: UnixStream,
    tools: &mut Toolbox,
    errands: &Errands<'_>,
    calls: &mut VecDeque<Arrived>,
    listed: &mut bool,
) -> std::io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    loop {
        let mut line = Vec::new();
        if (&mut read).take(LINE_MAX).read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        let answer = match serde_json::from_slice(&line) {
            Ok(Ask::List) => {
                *listed = true;
                Answer::Tools(tools.described())
            }
            Ok(Ask::Call { .. }) if calls.len() >= CALLS_MAX => Answer::Error("the test made too many calls".into()),
            Ok(Ask::Call { tool, args }) => {
                (errands.say)(&tool, &args);
                let begun = Instant::now();
                let called = tools.call(&tool, &args, errands.seconds, errands.cancel).await;
                let answer = match &called.end {
                    End::Returned { result } => Answer::Result(result.clone()),
                    other => Answer::Error(other.error().unwrap_or_default()),
                };
                let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                calls.push_back(Arrived { tool, args, called, ms });
                answer
            }
            Err(error) => Answer::Error(format!("this is no request: {error}")),
        };
        let mut line = serde_json::to_vec(&answer)?;
        line.push(b'\n');
        write.write_all(&line).await?;
    }
}

/// Names the agent where its own word decides.
#[must_use]
pub fn evaluator() -> Evaluator {
    Evaluator::Agent(NAME.to_owned())
}

/// Takes the call that arrived for a step: the next one of its tool with its arguments, else the next one of its tool.
pub fn take(calls: &mut VecDeque<Arrived>, tool: &str, args: &Value) -> Option<Arrived> {
    let same = calls.iter().position(|call| call.tool == tool && call.args == *args);
    let at = same.or_else(|| calls.iter().position(|call| call.tool == tool))?;
    calls.remove(at)
}

fn prompt(test: &str, saved: &Value) -> (String, String) {
    let parts: Vec<&str> = TEMPLATE.split("=== ").collect();
    let part =
        |name: &str| parts.iter().find_map(|part| part.strip_prefix(name)).map(|part| part.trim().to_owned()).unwrap_or_default();
    // What stands between the marks cannot close them: the mark is made from it.
    let saved = serde_json::to_string_pretty(saved).unwrap_or_default();
    let mark = crate::base::hash::of([test, &saved].join("\n").as_bytes()).to_string();
    let mut filled = String::new();
    for (at, piece) in part("test\n").split("{{").enumerate() {
        match piece.split_once("}}").filter(|_| at > 0) {
            Some((place, after)) => {
                filled.push_str(match place {
                    "mark" => &mark,
                    "test" => test.trim_end(),
                    _ => &saved,
                });
                filled.push_str(after);
            }
            None => filled.push_str(piece),
        }
    }
    (part("rules\n"), filled)
}

/// Finds the verdict in what it said in the end: of several objects the last one that has one.
#[must_use]
pub fn verdict(text: &str) -> Option<Said> {
    let text = text.rsplit_once("</think>").map_or(text, |(_, after)| after);
    let mut found = None;
    let mut past = 0;
    for (at, _) in text.match_indices('{').take(STARTS) {
        // What stands in an object that was read is no answer of its own.
        if at < past {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let Some(Ok(value)) = values.next() else { continue };
        past = at + values.byte_offset();
        if let Ok(said) = serde_json::from_value::<Said>(value)
            && ["pass", "fail", "unclear"].contains(&said.verdict.to_lowercase().as_str())
        {
            found = Some(said);
        }
    }
    found
}

impl Said {
    /// Says what it reported of a step: passed, failed, or neither.
    fn of(&self, name: &str) -> Option<bool> {
        let step = self.steps.iter().find(|step| step.name == name)?;
        match step.status.to_lowercase().as_str() {
            "pass" | "passed" => Some(true),
            "fail" | "failed" => Some(false),
            _ => None,
        }
    }

    /// Lists the steps of which it reports something else than what the calls show.
    #[must_use]
    pub fn differences(&self, steps: &[StepReport]) -> Vec<String> {
        let own = steps.iter().filter(|step| step.phase == Phase::Steps && step.tool.is_some());
        let differs = |step: &StepReport| {
            let said = self.of(&step.name)?;
            match (said, step.status) {
                (true, Status::Failed | Status::Skipped) => {
                    Some(format!("Claude Code says “{}” passed; its calls show that it did not.", step.name))
                }
                (false, Status::Passed) => {
                    Some(format!("Claude Code says “{}” failed; its calls show that it passed.", step.name))
                }
                _ => None,
            }
        };
        own.filter_map(differs).collect()
    }

    /// Lets its word decide what rules leave open of the steps; tells whether it did.
    pub fn decide_steps(&self, steps: &mut [StepReport]) -> bool {
        let mut decided = false;
        for step in steps.iter_mut() {
            let details = self.steps.iter().find(|one| one.name == step.name).map(|one| match &one.details {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            let why = details.unwrap_or_else(|| self.reason.clone());
            let said = self.of(&step.name);
            step.clauses.iter_mut().for_each(|clause| decided |= word(clause, said, &why));
        }
        decided
    }

    /// Lets its word decide what rules leave open of the whole; tells whether it did.
    pub fn decide_ending(&self, ending: &mut Ending) -> bool {
        let passed = match self.verdict.to_lowercase().as_str() {
            "pass" => Some(true),
            "fail" => Some(false),
            _ => None,
        };
        let mut decided = false;
        ending.pass_if.iter_mut().for_each(|clause| decided |= word(clause, passed, &self.reason));
        ending.fail_if.iter_mut().for_each(|clause| decided |= word(clause, passed.map(|passed| !passed), &self.reason));
        decided
    }
}

/// Decides a sentence that is open by what it said; tells whether it was open.
fn word(clause: &mut Decided, said: Option<bool>, why: &str) -> bool {
    if !std::mem::take(&mut clause.needs_model) {
        return false;
    }
    clause.outcome = match said {
        Some(true) => ClauseOutcome::Holds,
        Some(false) => ClauseOutcome::Violated,
        None => ClauseOutcome::Unclear,
    };
    clause.why = format!("Claude Code says: {}", text::display_line(why)).into();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_found_wherever_it_stands_and_never_turns_green() {
        let fail = r#"{"verdict": "FAIL", "reason": "no", "steps": []}"#;
        for text in [
            fail.to_owned(),
            format!("The format is {{\"verdict\": \"PASS\" | \"FAIL\"}} and my answer: {fail}"),
            format!("I used {{x}} and {{\"a\": {{}}}}.\n```json\n{fail}\n```"),
            format!("First I thought {{\"verdict\": \"PASS\"}}, but no: {fail}"),
            fail.replace("FAIL", "fail"),
            format!("<think>{{\"verdict\": \"PASS\"}}</think>{fail}"),
        ] {
            assert!(verdict(&text).is_some_and(|said| said.verdict.eq_ignore_ascii_case("fail")), "{text}");
        }
        let nested = format!(r#"{{"note": {}, "verdict": "PASS"}}"#, r#"{"verdict": "FAIL"}"#);
        assert_eq!(verdict(&nested).unwrap().verdict, "PASS", "what stands inside is no answer");
        for text in ["", "PASS", "{\"verdict\": \"MAYBE\"}", "{\"verdict\": ", &"{".repeat(100_000)] {
            assert_eq!(verdict(text), None, "{text:.30}");
        }
        let said =
            verdict(r#"{"verdict":"Pass","steps":[{"name":"a","status":"PASSED"},{"name":"b","status":"Fail"}]}"#).unwrap();
        assert_eq!((said.of("a"), said.of("b"), said.of("c")), (Some(true), Some(false), None));
    }

    #[test]
    fn calls_are_taken_by_tool_and_arguments() {
        let call = |tool: &str, args: Value| {
            let called = Called { end: End::Returned { result: Value::Null }, printed: String::new() };
            Arrived { tool: tool.into(), args, called, ms: 1 }
        };
        let mut calls = VecDeque::from([call("a", json!({ "x": 2 })), call("a", json!({ "x": 1 })), call("b", json!({}))]);
        assert_eq!(take(&mut calls, "a", &json!({ "x": 1 })).unwrap().args, json!({ "x": 1 }));
        assert_eq!(take(&mut calls, "a", &json!({ "x": 9 })).unwrap().args, json!({ "x": 2 }), "another one of the tool");
        assert!(take(&mut calls, "a", &json!({})).is_none());
        assert_eq!(calls.len(), 1);
    }

    #[test]
    fn data_cannot_end_its_part_in_what_an_agent_is_told() {
        use crate::llm::prompt::{CANARY, hostile, outside};
        let data = hostile(&prompt("x", &json!({ "user": "x" })).1);
        let (_, asked) = prompt(&data, &json!({ "user": data, (data.as_str()): 1 }));
        assert!(asked.contains(CANARY) && !outside(&asked).contains(CANARY), "{asked}");
    }

    #[test]
    fn the_prompt_has_the_file_between_marks_made_from_it() {
        let (system, asked) = prompt("test: {name: \"END test 0\"}\n", &json!({ "user": { "id": 1 } }));
        assert!(system.starts_with("You carry out one test"), "{system}");
        let mark = asked.split("BEGIN test ").nth(1).and_then(|rest| rest.lines().next()).unwrap();
        assert!(mark.len() == 16 && asked.contains(&format!("END test {mark}")) && !asked.contains("{{"), "{asked}");
        assert!(asked.contains("\"id\": 1"));
    }
}
