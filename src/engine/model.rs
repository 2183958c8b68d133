//! Drafts by a language model: asked, streamed into a buffer, taken apart, proved as foreign text.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash;
use crate::base::redact::Redactor;
use crate::domain::event::Level;
use crate::domain::function::{Function, FunctionId, FunctionKind};
use crate::domain::proposal::{Body, Draft, Evidence, Finding, Origin, Proposal, ProposalId, ProposalState};
use crate::domain::question::About;
use crate::engine::core::Core;
use crate::engine::jobs::Job;
use crate::engine::{Done, drafting, provider, questions, require_trust, views};
use crate::generate::render;
use crate::generate::{demo, from_model};
use crate::llm::choose;
use crate::llm::prompt::{self, Earlier, Prompt, Question};
use crate::llm::provider::{Form, Piece, Provider, Request};

/// Recorded calls shown to a model.
const CALLS_SHOWN: usize = 12;
/// Bytes of source a token stands for, about.
const BYTES_PER_TOKEN: u64 = 4;

/// Asks the chosen model for tests of a function, and proves what it wrote.
pub async fn ask(core: &Arc<Core>, function: FunctionId, remark: Option<String>) -> Result<Done, Trouble> {
    require_trust(&core.root, core.trust())?;
    let target = core.function(&function).ok_or_else(|| Trouble::usage(format!("No function {function}.")))?;
    let chosen = provider::of(core)?;
    // The newest request wins.
    core.jobs.supersede("model", Some(&function.0));
    let earlier = earlier(core, &function);
    let (prompt, form) = match choose::is_demo(&core.settings) {
        true => of_demo(core, &target)?,
        false => (question(core, &target, earlier.as_ref(), remark.as_deref())?, Form::Text),
    };
    let settings = &core.settings.generation;
    let request = Request { prompt, max_tokens: settings.max_tokens, temperature: settings.temperature, form };
    let Some(chosen) = allowed(core, &function, chosen, &request).await? else { return Ok(Done::Nothing) };
    let label = format!("{} at {}", chosen.model(), chosen.host());
    let proposal = begin(core, &target, chosen.model(), earlier, remark)?;
    let id = proposal.id;
    core.streams.open(id, &label);
    core.move_proposal(id, ProposalState::Streaming, |_| {})?;
    core.log.add(Level::Info, "asked", &format!("{label} for a test of {}", function.qualname()));
    let job = core.jobs.begin("model", &function.0, 0);
    core.touch();
    let written = stream(core, chosen.as_ref(), request, id, &job).await;
    core.streams.close(id);
    match written {
        Ok(text) => {
            job.end(true);
            take(core, &target, id, &text).await?;
        }
        Err(trouble) => {
            let cancelled = job.is_cancelled();
            job.end(false);
            give_up(core, id, &trouble, cancelled)?;
            if !cancelled {
                return Err(trouble);
            }
        }
    }
    Ok(Done::Proposal(id))
}

/// Asks before the first request to another machine; gives the provider that may send, or nothing after a no.
async fn allowed(
    core: &Arc<Core>,
    function: &FunctionId,
    chosen: Arc<dyn Provider>,
    request: &Request,
) -> Result<Option<Arc<dyn Provider>>, Trouble> {
    if chosen.is_allowed() {
        return Ok(Some(chosen));
    }
    let outgoing: Arc<str> = chosen.outgoing(request).into();
    let bytes = outgoing.len() as u64;
    let about = About::FirstSend {
        function: function.clone(),
        host: chosen.host().to_owned(),
        model: chosen.model().to_owned(),
        bytes,
        tokens: bytes.div_ceil(BYTES_PER_TOKEN),
    };
    if questions::ask(core, about.clone(), Some(outgoing)).await? {
        return provider::of(core).map(Some);
    }
    core.say(Level::Info, "not sent", about.declined().what);
    Ok(None)
}

/// A draft that is there already: the model sees it, and what its proof said.
struct Before {
    id: ProposalId,
    text: String,
    failure: String,
}

fn earlier(core: &Core, function: &FunctionId) -> Option<Before> {
    let state = core.state.lock();
    let proposal = state.proposals.values().rev().find(|proposal| {
        proposal.function == *function
            && proposal.draft().is_some_and(|draft| matches!(draft.origin, Origin::Model(_)))
            && matches!(proposal.state, ProposalState::Refused | ProposalState::Failed | ProposalState::Stale)
    })?;
    let failure = proposal
        .evidence
        .iter()
        .filter(|evidence| matches!(evidence.finding, Finding::Fail | Finding::Flaky | Finding::Error))
        .map(|evidence| format!("{} {}\n{}", evidence.what, evidence.detail, evidence.more.join("\n")))
        .collect::<Vec<_>>()
        .join("\n");
    Some(Before { id: proposal.id, text: proposal.draft()?.standalone(), failure })
}

/// Writes the request from what is known of the function.
fn question(core: &Core, function: &Function, earlier: Option<&Before>, remark: Option<&str>) -> Result<Prompt, Trouble> {
    let index = core.index();
    let text = index.text(&function.path).ok_or_else(|| Trouble::environment(format!("{} cannot be read.", function.path)))?;
    let lines = |first: u32, last: u32| {
        let take = last.saturating_sub(first) as usize + 1;
        text.lines().skip(first.saturating_sub(1) as usize).take(take).collect::<Vec<_>>().join("\n")
    };
    let source = lines(function.span.first, function.span.last);
    let module = index.module(&function.path);
    let class =
        function.id.qualname().rsplit_once('.').filter(|_| function.kind != FunctionKind::Nested).and_then(|(owner, _)| {
            let module = module?;
            let class = module.classes.iter().find(|class| class.qualname == owner)?;
            let body = module
                .functions
                .iter()
                .filter(|other| other.id.qualname().strip_prefix(owner).is_some_and(|rest| rest == ".__init__"));
            let first = module.functions.iter().map(|f| f.span.first).filter(|line| *line > class.span.def).min();
            let head_end = first.map_or(class.span.last, |line| line.saturating_sub(1)).min(class.span.last);
            let mut parts = vec![lines(class.span.first, head_end)];
            parts.extend(body.map(|init| lines(init.span.first, init.span.last)));
            Some(parts.join("\n"))
        });
    let imports: Vec<String> = module
        .map(|module| module.imports.iter().map(|import| lines(import.line, import.line).trim().to_owned()).collect())
        .unwrap_or_default();
    let calls: Vec<String> = views::calls(core, &function.id)?
        .iter()
        .take(CALLS_SHOWN)
        .map(|call| {
            let receiver = call.receiver.as_deref().map_or(String::new(), |receiver| format!("{receiver}."));
            format!("{receiver}{}{} {}", function.name(), call.arguments, call.outcome)
        })
        .collect();
    let question = Question {
        function,
        source: &source,
        class: class.as_deref(),
        imports: &imports,
        calls: &calls,
        earlier: earlier.map(|before| Earlier { text: &before.text, failure: &before.failure }),
        remark,
    };
    Ok(prompt::draft(&question, &mut Redactor::from_environment()))
}

/// Writes what the demo model is asked.
fn of_demo(core: &Core, function: &Function) -> Result<(Prompt, Form), Trouble> {
    let calls = views::confirmed_calls(core, &function.id)?;
    demo::question(function, calls.iter().map(|(call, effect)| (call, effect))).ok_or_else(|| {
        Trouble::usage(format!("The demo model has nothing to say of {}.", function.id))
            .because("It only arranges recorded calls of plain functions, whose arguments and results are numbers, texts and the like.")
            .so("Record a program that calls it, try another function, or choose a model: pytead-tui model.")
    })
}

/// Makes the proposal the text goes to, or takes the one that was there.
fn begin(
    core: &Arc<Core>,
    function: &Function,
    model: &str,
    earlier: Option<Before>,
    remark: Option<String>,
) -> Result<Arc<Proposal>, Trouble> {
    let target = render::target(&core.settings.output.tests, function.id.module())
        .ok_or_else(|| Trouble::usage("output.tests is no folder of the project.").so("Name a folder below the root."))?;
    let draft = Draft {
        origin: Origin::Model(model.to_owned()),
        target,
        imports: Vec::new(),
        text: String::new(),
        tests: Vec::new(),
        calls: Vec::new(),
        left_out: Vec::new(),
        dropped: Vec::new(),
        import_roots: Vec::new(),
        remark,
    };
    if let Some(before) = earlier {
        return core.change_proposal(before.id, move |proposal| {
            proposal.body = Body::Draft(draft);
            proposal.evidence.clear();
            proposal.proved = None;
            proposal.edited = None;
        });
    }
    core.add_proposal(Proposal {
        id: ProposalId(0),
        function: function.id.clone(),
        state: ProposalState::Queued,
        body: Body::Draft(draft),
        evidence: Vec::new(),
        proved: None,
        containment: None,
        basis: hash::Digest::default(),
        created: clock::now(),
        skipped: false,
        edited: None,
    })
}

async fn stream(
    core: &Core,
    provider: &dyn Provider,
    request: Request,
    id: ProposalId,
    job: &Job<'_>,
) -> Result<String, Trouble> {
    let mut pieces = provider.stream(request, job.cancel.clone());
    let mut text = String::new();
    loop {
        let piece = tokio::select! {
            // Cancelling is answered at once, whatever the provider does.
            biased;
            () = job.cancel.cancelled() => return Err(Trouble::environment("Cancelled. What was written is kept as text.")),
            piece = pieces.recv() => piece,
        };
        match piece {
            Some(Ok(Piece::Text(more))) => {
                text.push_str(&more);
                let (tokens, rate) = core.streams.push(id, &more);
                job.rate(tokens, rate);
            }
            Some(Ok(Piece::Thinking)) => {}
            Some(Ok(Piece::End(_))) => return Ok(text),
            Some(Err(error)) => return Err(error.trouble()),
            None => return Err(Trouble::environment("The model's answer broke off.").so("g asks again.")),
        }
    }
}

/// Takes the model's text apart and proves it.
async fn take(core: &Arc<Core>, function: &Function, id: ProposalId, text: &str) -> Result<(), Trouble> {
    let index = core.index();
    let (proposal, module) = (core.proposal(id)?, index.module(&function.path));
    let (Some(asked), Some(module)) = (proposal.draft(), module) else {
        return Err(Trouble::environment(format!("{} is gone.", function.path)));
    };
    match from_model::draft(text, asked.origin.clone(), function, module, &asked.target, asked.remark.as_deref()) {
        Ok(draft) => {
            core.move_proposal(id, ProposalState::Proving, move |proposal| {
                proposal.basis = hash::of(draft.standalone().as_bytes());
                proposal.body = Body::Draft(draft);
            })?;
            drafting::prove(core, vec![id]).await
        }
        Err(reason) => {
            let raw = text.to_owned();
            core.move_proposal(id, ProposalState::Proving, move |proposal| {
                if let Body::Draft(draft) = &mut proposal.body {
                    draft.text = raw;
                }
            })?;
            core.move_proposal(id, ProposalState::Refused, move |proposal| {
                proposal.evidence = vec![Evidence::new(Finding::Fail, "no test", reason.to_string())];
            })?;
            Ok(())
        }
    }
}

/// Keeps what was written so far, as text that is not proved.
fn give_up(core: &Arc<Core>, id: ProposalId, trouble: &Trouble, cancelled: bool) -> Result<(), Trouble> {
    let text = core.streams.view(id).map(|view| view.text).unwrap_or_default();
    let tokens = core.streams.view(id).map_or(0, |view| view.tokens);
    let (what, detail) =
        if cancelled { ("cancelled", format!("{tokens} tokens are kept as text")) } else { ("stopped", trouble.to_string()) };
    core.move_proposal(id, ProposalState::Failed, move |proposal| {
        if let Body::Draft(draft) = &mut proposal.body {
            draft.text = text;
        }
        proposal.evidence = vec![Evidence::new(Finding::Error, what, detail)];
    })?;
    core.log.add(Level::Info, "model", &format!("{what}: {tokens} tokens are kept as text"));
    Ok(())
}
