//! The tools there are: names, what they say of themselves, what they take. Numbers are plain with a default, since many
//! agents send what may be null as text.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    ListFunctions,
    ShowFunction,
    ListCalls,
    ShowCall,
    ListChanges,
    ListProposals,
    ShowProposal,
    RecordTest,
    Replay,
    Diff,
    ProposeDraft,
    ExplainChange,
    ValidateTest,
    ListPlugins,
    RunTest,
    CreateTest,
    StoreValue,
    GetValue,
    ListValues,
    Sleep,
    ListVerdicts,
    CheckIntent,
    EvaluateSemanticAssertion,
}

/// All of them, in the order they are listed.
pub const ALL: [Which; 23] = [
    Which::ListFunctions,
    Which::ShowFunction,
    Which::ListCalls,
    Which::ShowCall,
    Which::ListChanges,
    Which::ListProposals,
    Which::ShowProposal,
    Which::RecordTest,
    Which::Replay,
    Which::Diff,
    Which::ProposeDraft,
    Which::ExplainChange,
    Which::ValidateTest,
    Which::ListPlugins,
    Which::RunTest,
    Which::CreateTest,
    Which::StoreValue,
    Which::GetValue,
    Which::ListValues,
    Which::Sleep,
    Which::ListVerdicts,
    Which::CheckIntent,
    Which::EvaluateSemanticAssertion,
];

impl Which {
    /// Finds a tool by its name.
    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Names it in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::ListFunctions => "list_functions",
            Self::ShowFunction => "show_function",
            Self::ListCalls => "list_calls",
            Self::ShowCall => "show_call",
            Self::ListChanges => "list_changes",
            Self::ListProposals => "list_proposals",
            Self::ShowProposal => "show_proposal",
            Self::RecordTest => "record_test",
            Self::Replay => "replay",
            Self::Diff => "diff",
            Self::ProposeDraft => "propose_draft",
            Self::ExplainChange => "explain_change",
            Self::ValidateTest => "validate_test",
            Self::ListPlugins => "list_plugins",
            Self::RunTest => "run_test",
            Self::CreateTest => "create_test",
            Self::StoreValue => "store_value",
            Self::GetValue => "get_value",
            Self::ListValues => "list_values",
            Self::Sleep => "sleep",
            Self::ListVerdicts => "list_verdicts",
            Self::CheckIntent => "check_intent",
            Self::EvaluateSemanticAssertion => "evaluate_semantic_assertion",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::ListFunctions => {
                "Functions of the project: where they are, how often they were seen called, whether a test is accepted."
            }
            Self::ShowFunction => "One function: its source, how often it was seen called, what waits for it.",
            Self::ListCalls => {
                "Recorded calls of a function: arguments, result or exception, who called. Equal inputs are one; a journey keeps none."
            }
            Self::ShowCall => "One recorded call with its whole values, what it changed and what it called.",
            Self::ListChanges => {
                "Recorded calls that end differently under the code of now, with both results. They wait for a person's decision."
            }
            Self::ListProposals => "Everything that waits for a person: changes, verdicts, drafted tests.",
            Self::ShowProposal => {
                "One proposal with its evidence: its calls with the former and the present result, and the edits behind them, or the test."
            }
            Self::RecordTest => {
                "Run one pytest test of the project, by its node id, and record the calls it makes. The project's code runs as \
                 the user."
            }
            Self::Replay => {
                "Run recorded calls against the code of now, in a sandbox, and list what changed. Without functions: all that may \
                 differ."
            }
            Self::Diff => {
                "Run recorded calls under a commit's code and under the code of now: which functions behave differently, side \
                 effects elsewhere first, and which edit does it."
            }
            Self::ProposeDraft => {
                "Put a pytest test you wrote before a person. It is run in a sandbox first and has to notice faults put into the \
                 function; a person decides."
            }
            Self::ExplainChange => "Say why a change that waits is meant. A person reads it beside the evidence and decides.",
            Self::ValidateTest => {
                "Say what is wrong with a YAML test, every mistake with its line. No step is run; the plugins are imported as the user."
            }
            Self::ListPlugins => {
                "The tools that steps of YAML tests may call, with their schemas. The plugins are imported as the user."
            }
            Self::RunTest => {
                "Run one YAML test, step by step, with the project's plugins as the user. Rules decide; what only a model could \
                 is UNCLEAR."
            }
            Self::CreateTest => {
                "Put a new YAML test before a person: the text you wrote, with a plugin where it needs one, or a description for \
                 the model that the person chose. Nothing of it is run or imported before the person takes it."
            }
            Self::StoreValue => {
                "Keep a value for one YAML test, or without test_path for all: the next run_test begins with it, as `${stored.name}`. In \
                 memory, for this session."
            }
            Self::GetValue => {
                "A value kept for one YAML test, also what its last run_test stored; without test_path, one kept for all."
            }
            Self::ListValues => "Names of the values kept for one YAML test; without test_path, of those kept for all.",
            Self::Sleep => "Wait, for something that takes its time outside of the tests.",
            Self::ListVerdicts => {
                "What the tests with an intent came to when they were judged last: verdict, reason, clauses with their evidence, \
                 and whether it waits for a person."
            }
            Self::CheckIntent => {
                "Run one test by its node id under the recorder, as the user, and judge its intent by rules and by what a person \
                 took as right. A model is asked only where the person chose one and allows what is sent."
            }
            Self::EvaluateSemanticAssertion => "check_intent, as pytest-semantic called it: by test, never by a trace you tell.",
        }
    }

    /// Names what it takes.
    pub fn arguments(self) -> Vec<String> {
        let (properties, _) = self.properties();
        properties.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default()
    }

    /// Gives the schema of what it takes, and what of it has to be there.
    fn properties(self) -> (Value, &'static [&'static str]) {
        let text = |about: &str| json!({ "type": "string", "description": about });
        let number = |about: &str| json!({ "type": "integer", "description": about });
        let bounded = |default: u64, max: u64, about: &str| json!({ "type": "integer", "default": default, "minimum": 1, "maximum": max, "description": about });
        let cursor = || json!({ "type": "string", "default": "", "description": "next_cursor of the page before" });
        let function = || text("module:qualname, path:qualname or a name: shop.cart:Cart.total");
        let test_path = || text("tests/llm/test_users.yaml, below the root");
        let for_all =
            || json!({ "type": "string", "default": "", "description": "tests/llm/test_users.yaml; without, for all tests" });
        let seconds = |default: u64| bounded(default, super::working::SECONDS_MAX, "it is ended after so many seconds");
        match self {
            Self::ListFunctions => (
                json!({
                    "query": { "type": "string", "default": "", "description": "only those with this text in name or path" },
                    "recorded": { "type": "string", "enum": ["any", "yes", "no"], "default": "any" },
                    "limit": bounded(50, 200, "entries of a page"),
                    "cursor": cursor(),
                }),
                &[],
            ),
            Self::ShowFunction => (json!({ "function": function() }), &["function"]),
            Self::ListCalls => (
                json!({ "function": function(), "limit": bounded(20, 100, "entries of a page"), "cursor": cursor() }),
                &["function"],
            ),
            Self::ShowCall => (json!({ "function": function(), "call": number("its number") }), &["function", "call"]),
            Self::ListChanges | Self::ListProposals => {
                (json!({ "limit": bounded(20, 100, "entries of a page"), "cursor": cursor() }), &[])
            }
            Self::ShowProposal => (json!({ "proposal": number("its number") }), &["proposal"]),
            Self::RecordTest => (
                json!({ "test": text("tests/test_cart.py::test_total, as pytest names it"), "seconds": seconds(120) }),
                &["test"],
            ),
            Self::Replay => (
                json!({
                    "functions": { "type": "array", "items": { "type": "string" }, "default": [] },
                    "seconds": seconds(300),
                }),
                &[],
            ),
            Self::Diff => (
                json!({
                    "ref": { "type": "string", "default": "HEAD", "description": "a commit, a branch, a tag" },
                    "seconds": seconds(300),
                }),
                &[],
            ),
            Self::ProposeDraft => (
                json!({
                    "function": function(),
                    "text": text("a whole test file: imports and functions whose names begin with test"),
                    "remark": { "type": "string", "default": "", "description": "a sentence for the person" },
                    "seconds": seconds(300),
                }),
                &["function", "text"],
            ),
            Self::ExplainChange => {
                (json!({ "proposal": number("its number"), "note": text("why it is meant") }), &["proposal", "note"])
            }
            Self::ValidateTest => (json!({ "test_path": test_path() }), &["test_path"]),
            Self::ListPlugins => (json!({}), &[]),
            Self::RunTest => (
                json!({
                    "test_path": test_path(), "seconds": seconds(300),
                    "timeout": {
                        "type": "integer", "default": 0, "minimum": 0, "maximum": super::working::SECONDS_MAX,
                        "description": "seconds of each step that does not say so itself; 0: as the test says",
                    },
                }),
                &["test_path"],
            ),
            Self::CreateTest => (
                json!({
                    "description": { "type": "string", "default": "", "description": "what the test is to show" },
                    "text": { "type": "string", "default": "", "description": "the whole YAML test; without, a model is asked" },
                    "plugin": { "type": "string", "default": "", "description": "the whole Python file of a plugin it needs" },
                    "filename": { "type": "string", "default": "", "description": "test_users; by default made of the words" },
                    "extend_plugin": { "type": "string", "default": "", "description": "an accepted plugin that gets more tools" },
                    "seconds": seconds(300),
                }),
                &[],
            ),
            Self::StoreValue => (
                json!({ "test_path": for_all(), "name": text("its name"), "value": text("a text, or JSON: 42, {\"id\": 7}") }),
                &["name", "value"],
            ),
            Self::GetValue => (
                json!({
                    "test_path": for_all(), "name": text("its name"),
                    "default": { "type": "string", "default": "", "description": "given where there is none" },
                }),
                &["name"],
            ),
            Self::ListValues => (json!({ "test_path": for_all() }), &[]),
            Self::Sleep => (
                json!({ "seconds": {
                    "type": "number", "minimum": 0, "maximum": super::working::SECONDS_MAX, "description": "how long: 1.5",
                } }),
                &["seconds"],
            ),
            Self::ListVerdicts => (
                json!({
                    "verdict": { "type": "string", "enum": ["any", "pass", "fail", "unclear", "error"], "default": "any" },
                    "limit": bounded(20, 100, "entries of a page"), "cursor": cursor(),
                }),
                &[],
            ),
            Self::CheckIntent | Self::EvaluateSemanticAssertion => (
                json!({ "test": text("tests/test_cart.py::test_total, as pytest names it"), "seconds": seconds(120) }),
                &["test"],
            ),
        }
    }

    fn reads_only(self) -> bool {
        !matches!(
            self,
            Self::RecordTest
                | Self::Replay
                | Self::Diff
                | Self::ProposeDraft
                | Self::ExplainChange
                | Self::ValidateTest
                | Self::ListPlugins
                | Self::RunTest
                | Self::CreateTest
                | Self::StoreValue
                | Self::CheckIntent
                | Self::EvaluateSemanticAssertion
        )
    }

    /// Describes it to an agent.
    pub fn describe(self) -> Tool {
        let (properties, required) = self.properties();
        let schema = json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
        let hints = ToolAnnotations::from_raw(None, Some(self.reads_only()), Some(false), Some(self.reads_only()), Some(false));
        Tool::new(self.name(), self.about(), Arc::new(schema)).with_annotations(hints)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tool_decides_trusts_or_raises_a_limit() {
        for tool in ALL {
            let said = format!("{} {:?}", tool.name(), tool.arguments());
            for word in
                ["accept", "reject", "approve", "override", "overrule", "trust", "budget", "undo", "write", "edit", "config"]
            {
                assert!(!said.contains(word), "{word} in {said}");
            }
        }
    }

    #[test]
    fn numbers_are_plain_and_have_a_default_unless_they_must_be_given() {
        for tool in ALL {
            let (properties, required) = tool.properties();
            for (name, schema) in properties.as_object().into_iter().flatten() {
                assert!(schema["type"].is_string(), "{} {name}: one type, never a list with null", tool.name());
                assert!(required.contains(&name.as_str()) || schema.get("default").is_some(), "{} {name}", tool.name());
            }
        }
    }
}
