//! Decisions on drafts as training data: what was accepted or edited as examples, what was rejected as counter-examples.
//! In the layout that the predecessor's trainer reads, and as chats in the words the program asks models in.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;

use crate::base::error::Trouble;
use crate::base::hash;
use crate::base::paths::RelPath;
use crate::base::redact::Redactor;
use crate::domain::evidence::{Evidence, Finding};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Proposal, ProposalState};
use crate::engine::edits::typed_place;
use crate::engine::models::prompt_context;
use crate::engine::state::core::Core;

/// Every so many functions one is kept for measuring.
const TESTED: u64 = 5;
/// Decisions looked through for reasons.
const DECISIONS_MAX: usize = 100_000;
/// The model whose form of question is used: one that was trained on it.
const FORM: &str = "pytest-8b";
const COLUMNS: &str = "question,answer,context,reasoning\n";

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// The folder.
    pub folder: PathBuf,
    /// Examples to learn from.
    pub learned: usize,
    /// Examples to measure with.
    pub tested: usize,
    /// Counter-examples.
    pub rejected: usize,
    /// Decided drafts that are in none of the files: their function is gone, or a secret may stand in them.
    pub left_out: usize,
}

struct Example {
    question: String,
    messages: serde_json::Value,
    answer: String,
    context: String,
    reasoning: String,
    is_tested: bool,
}

/// Writes the files into a folder, over those of an earlier export.
///
/// # Errors
/// Fails when nothing was decided yet, and when the database cannot be read or the folder not be written to.
pub fn export(core: &Core, folder: &Path) -> Result<Exported, Trouble> {
    let states = [ProposalState::Accepted, ProposalState::Edited, ProposalState::Written, ProposalState::Rejected];
    let decided = core.store().proposals_in(&states)?;
    let drafts: Vec<&Proposal> = decided.iter().filter(|proposal| proposal.draft().is_some()).collect();
    if drafts.is_empty() {
        return Err(Trouble::usage("There is nothing to learn from yet.")
            .because("No draft was accepted, edited or rejected here.")
            .so("Decide on some in pytead-tui, or with pytead-tui review."));
    }
    let reasons = reasons(core)?;
    let (mut examples, mut rejected, mut left_out) = (Vec::new(), Vec::new(), 0);
    for proposal in drafts {
        let Some(example) = example(core, proposal)? else {
            left_out += 1;
            continue;
        };
        match proposal.state {
            ProposalState::Rejected => rejected.push((example, reasons.get(&proposal.id.0).cloned())),
            _ => examples.push(example),
        }
    }
    let (tested, learned): (Vec<&Example>, Vec<&Example>) = examples.iter().partition(|example| example.is_tested);
    let chats = |examples: &[&Example]| examples.iter().map(|example| line(&example.messages, None)).collect::<String>();
    let files = [
        ("train.csv", rows(&learned)),
        ("test.csv", rows(&tested)),
        ("chats.jsonl", chats(&learned)),
        ("rejected.jsonl", rejected.iter().map(|(example, reason)| line(&example.messages, reason.as_deref())).collect()),
        ("config.yaml", include_str!("../../../finetuning/data/config.yaml").to_owned()),
        ("job_description.json", include_str!("../../../finetuning/data/job_description.json").to_owned()),
    ];
    let files = files.into_iter().filter_map(|(name, text)| Some((RelPath::new(name)?, text))).collect();
    typed_place::write_below(core, folder, files, |_| true)?;
    let (learned, tested, rejected) = (learned.len(), tested.len(), rejected.len());
    Ok(Exported { folder: folder.to_owned(), learned, tested, rejected, left_out })
}

/// Makes an example of a draft; `None` where its function is gone or something in it looks like a secret.
fn example(core: &Core, proposal: &Proposal) -> Result<Option<Example>, Trouble> {
    let (Some(function), Some(draft)) = (proposal.function().and_then(|id| core.function(id)), proposal.draft()) else {
        return Ok(None);
    };
    let answer = proposal.edited.clone().unwrap_or_else(|| draft.standalone());
    if Redactor::from_environment().redact(&answer).is_some() {
        return Ok(None);
    }
    let prompt = prompt_context::prompt(core, &function, FORM, None, None)?;
    let mut messages = vec![json!({ "role": "user", "content": prompt.asked() })];
    if !prompt.system.is_empty() {
        messages.insert(0, json!({ "role": "system", "content": prompt.system }));
    }
    messages.push(json!({ "role": "assistant", "content": answer }));
    Ok(Some(Example {
        question: prompt_context::promise(core, &function)?,
        messages: messages.into(),
        answer,
        context: function.id.to_string(),
        reasoning: reasoning(&proposal.evidence),
        is_tested: is_tested(&function.id),
    }))
}

/// Says what the proof said, a sentence for each thing that held.
fn reasoning(evidence: &[Evidence]) -> String {
    let held = evidence.iter().filter(|one| one.finding == Finding::Pass);
    held.map(|one| format!("{}: {}.", one.what, one.detail)).collect::<Vec<_>>().join(" ")
}

/// A function's own name decides, so that it stays on its side in every export.
fn is_tested(function: &FunctionId) -> bool {
    hash::of(function.0.as_bytes()).0.is_multiple_of(TESTED)
}

/// Finds why drafts were rejected, where a reason was given.
fn reasons(core: &Core) -> Result<BTreeMap<i64, String>, Trouble> {
    let decisions = core.store().decisions(DECISIONS_MAX)?;
    let given = decisions.into_iter().rev().filter(|decision| !decision.undone);
    Ok(given.filter_map(|decision| Some((decision.proposal.0, decision.reason?))).collect())
}

fn rows(examples: &[&Example]) -> String {
    let mut out = COLUMNS.to_owned();
    for example in examples {
        let cells = [&example.question, &example.answer, &example.context, &example.reasoning];
        out.push_str(&cells.map(|cell| quoted(cell)).join(","));
        out.push('\n');
    }
    out
}

/// Writes a cell as RFC 4180 has it.
fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

fn line(messages: &serde_json::Value, reason: Option<&str>) -> String {
    let mut chat = json!({ "messages": messages });
    if let Some(reason) = reason {
        chat["reason"] = reason.into();
    }
    let mut out = String::new();
    // A text takes whatever is written to it.
    let _ = writeln!(out, "{chat}");
    out
}
