//! Drafts by a language model: asked, streamed into a buffer, taken apart, proved as foreign text.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash;
use crate::base::paths::RelPath;
use crate::domain::event::Level;
use crate::domain::function::{Function, FunctionId};
use crate::domain::proposal::{Body, Draft, Evidence, Finding, Origin, Proposal, ProposalId, ProposalState};
use crate::domain::question::About;
use crate::domain::settings::Answers;
use crate::engine::core::Core;
use crate::engine::jobs::Job;
use crate::engine::{Done, drafting, provider, questions, require_trust, telling};
use crate::generate::from_model;
use crate::generate::render;
use crate::llm::answer::Answer;
use crate::llm::cassette::{Cassette, Folder};
use crate::llm::choose;
use crate::llm::prompt::Earlier;
use crate::llm::provider::{Piece, Provider, Request};

/// Where answers are kept, below the root.
const KEPT: &str = ".pytead/answers";
/// Bytes of source a token stands for, about.
const BYTES_PER_TOKEN: u64 = 4;

/// Asks the chosen model for tests of a function, and proves what it wrote. A draft that the gate turns down goes back to
/// the model once, with what was seen of it.
pub async fn ask(core: &Arc<Core>, function: FunctionId, remark: Option<String>) -> Result<Done, Trouble> {
    require_trust(&core.root, core.trust())?;
    let target = core.function(&function).ok_or_else(|| Trouble::usage(format!("No function {function}.")))?;
    // The newest request wins.
    core.jobs.supersede("model", Some(&function.0));
    let Some(id) = turn(core, &target, remark.clone()).await? else { return Ok(Done::Nothing) };
    let drafted = core.proposal(id)?;
    // The demo model would say the same again.
    if is_repairable(&drafted) && !choose::is_demo(&core.settings) {
        core.log.add(Level::Info, "asked again", &format!("for {}, with what its proof said", function.qualname()));
        // The first draft is told to the model; where the second turn fails, its reason stands in the proposal.
        if let Err(trouble) = turn(core, &target, remark).await {
            core.log.trouble("model", &trouble);
        }
    }
    note_possible_bugs(core, &target, id)?;
    Ok(Done::Proposal(id))
}

/// Tells whether the gate turned a draft down for what is in it.
fn is_repairable(proposal: &Proposal) -> bool {
    proposal.state == ProposalState::Refused
        && proposal.evidence.iter().any(|evidence| matches!(evidence.finding, Finding::Fail | Finding::Flaky))
}

/// Asks once; `None` when nothing was to be sent.
async fn turn(core: &Arc<Core>, target: &Function, remark: Option<String>) -> Result<Option<ProposalId>, Trouble> {
    let function = &target.id;
    let earlier = earlier(core, function);
    let settings = &core.settings.generation;
    let mut chosen = provider::of(core)?;
    loop {
        let before = earlier.as_ref().map(|before| Earlier { text: &before.text, failure: &before.failure });
        let (prompt, form) = telling::question(core, target, chosen.model(), before, remark.as_deref())?;
        let request = Request { prompt, max_tokens: settings.max_tokens, temperature: settings.temperature, form };
        if chosen.is_allowed() {
            let provider = kept(core, chosen);
            return answered(core, target, provider.as_ref(), request, earlier, remark).await.map(Some);
        }
        // Of several places each is asked about.
        match allowed(core, function, chosen, &request).await? {
            Some(provider) => chosen = provider,
            None => return Ok(None),
        }
    }
}

/// Has answers kept: the same request to the same model with the same parameters is answered once. Where chance decides,
/// or recorded answers are asked for, it is not.
fn kept(core: &Core, chosen: Arc<dyn Provider>) -> Arc<dyn Provider> {
    let settings = &core.settings;
    let by_chance = settings.generation.temperature > 0.0;
    if by_chance || choose::answers(settings, |name| std::env::var(name).ok()) != Answers::Off {
        return chosen;
    }
    let Some(below) = RelPath::new(KEPT) else { return chosen };
    let generation = &settings.generation;
    let parameters = format!("max {} penalty {} seed {}", generation.max_tokens, generation.repeat_penalty, generation.seed);
    Arc::new(Cassette::keeping(chosen, Folder::new(&core.root, below), &parameters))
}

/// Streams an answer into a proposal and proves it.
async fn answered(
    core: &Arc<Core>,
    target: &Function,
    provider: &dyn Provider,
    request: Request,
    earlier: Option<Before>,
    remark: Option<String>,
) -> Result<ProposalId, Trouble> {
    let function = &target.id;
    let label = format!("{} at {}", provider.model(), provider.host());
    let proposal = begin(core, target, provider.model(), earlier, remark)?;
    let id = proposal.id;
    core.streams.open(id, &label);
    core.move_proposal(id, ProposalState::Streaming, |_| {})?;
    core.log.add(Level::Info, "asked", &format!("{label} for a test of {}", function.qualname()));
    let job = core.jobs.begin("model", &function.0, 0);
    core.touch();
    let written = stream(core, provider, request, id, &job).await;
    core.streams.close(id);
    match written {
        Ok(answer) => {
            job.end(true);
            take(core, target, id, &answer).await?;
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
    Ok(id)
}

/// Says where a test that the model wrote from the docstring did not hold: the test is in no draft, and it may be the
/// function that is wrong.
fn note_possible_bugs(core: &Arc<Core>, target: &Function, id: ProposalId) -> Result<(), Trouble> {
    let proposal = core.proposal(id)?;
    let Some(draft) = proposal.draft().filter(|_| target.docstring.is_some() && proposal.state == ProposalState::Ready) else {
        return Ok(());
    };
    let is_claim = |reason: &str| {
        reason.split_once(" fails: ").is_some_and(|(_, why)| why.contains("assert") || why.contains("DID NOT RAISE"))
    };
    let claims: Vec<String> = draft.left_out.iter().map(|left| left.reason.clone()).filter(|reason| is_claim(reason)).collect();
    if !claims.is_empty() {
        let what = crate::base::text::count(claims.len(), "test");
        let mut note = Evidence::new(Finding::Note, "possible bug", format!("{what} from the docstring did not hold"));
        note.more = claims;
        core.change_proposal(id, move |proposal| proposal.evidence.push(note))?;
    }
    Ok(())
}

/// Asks before the first request to another machine; gives the provider that may send, or nothing after a no.
async fn allowed(
    core: &Arc<Core>,
    function: &FunctionId,
    chosen: Arc<dyn Provider>,
    request: &Request,
) -> Result<Option<Arc<dyn Provider>>, Trouble> {
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
        helpers: Vec::new(),
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
) -> Result<Answer, Trouble> {
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
            Some(Ok(Piece::End(usage))) => return Ok(Answer { text, usage }),
            Some(Err(error)) => return Err(error.trouble()),
            None => return Err(Trouble::environment("The model's answer broke off.").so("g asks again.")),
        }
    }
}

/// Takes the model's text apart and proves it.
async fn take(core: &Arc<Core>, function: &Function, id: ProposalId, answer: &Answer) -> Result<(), Trouble> {
    let text = answer.text.as_str();
    let index = core.index();
    let (proposal, module) = (core.proposal(id)?, index.module(&function.path));
    let (Some(asked), Some(module)) = (proposal.draft(), module) else {
        return Err(Trouble::environment(format!("{} is gone.", function.path)));
    };
    let origin = match &asked.origin {
        Origin::Model(model) if answer.usage.replayed => Origin::Model(format!("{model}, replayed")),
        origin => origin.clone(),
    };
    match from_model::draft(text, origin, function, module, &asked.target, asked.remark.as_deref()) {
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
