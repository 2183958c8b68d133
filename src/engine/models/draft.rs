//! Drafts by a language model: asked, streamed into a buffer, taken apart, proved as foreign text.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::event::{JobKind, Level};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::{Function, FunctionId};
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::{Body, Draft, Origin, Proposal, ProposalId, ProposalState};
use crate::domain::question::About;
use crate::domain::reason::{Detail, Place, Reason, ReasonCode};
use crate::domain::settings::Answers;
use crate::domain::snapshot::{Topic, Trust};
use crate::engine::calls;
use crate::engine::models::package_outlines;
use crate::engine::models::prompt_context;
use crate::engine::models::provider;
use crate::engine::proving;
use crate::engine::proving::basis;
use crate::engine::replay::first_replay;
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::jobs::Job;
use crate::engine::state::questions;
use crate::engine::state::token_buffers::Streams;
use crate::engine::state::trust::require_trust;
use crate::generate::contradict::{self, Contradiction};
use crate::generate::from_model;
use crate::generate::render;
use crate::llm::answer::Answer;
use crate::llm::cassette::{Cassette, Folder};
use crate::llm::choose;
use crate::llm::prompt::Earlier;
use crate::llm::provider::{Piece, Provider, Request};
use crate::pytest::report;

/// Where answers are kept, below the root.
pub const KEPT: &str = ".pytead/answers";
/// Bytes of source a token stands for, about.
const BYTES_PER_TOKEN: u64 = 4;

/// Asks the chosen model for tests of a function, and proves what it wrote. A draft that the gate turns down goes back to
/// the model once, with what was seen of it.
pub async fn ask(core: &Arc<Core>, function: FunctionId, remark: Option<String>) -> Result<Done, Trouble> {
    require_trust(&core.root, core.trust())?;
    let target = core.function(&function).ok_or_else(|| Trouble::usage(format!("No function {function}.")))?;
    // The model is told of calls that repeat.
    first_replay::calibrate_rest(core).await?;
    // The newest request wins.
    core.jobs.supersede(JobKind::Model, Some(&JobSubject::Writing(function.clone().into())));
    let Some(id) = turn(core, &target, remark.clone()).await? else { return Ok(Done::Nothing) };
    let drafted = core.proposal(id)?;
    // The demo model would say the same again.
    if is_repairable(&drafted) && !choose::is_demo(&core.settings()) {
        core.log.add(
            Level::Info,
            "asked again",
            format!("for {}, with what its proof said", function.qualname()),
            Some(Topic::Function(function.clone())),
        );
        // The first draft is told to the model; where the second turn fails, its reason stands in the proposal.
        if let Err(trouble) = turn(core, &target, remark).await {
            core.log.trouble("model", &trouble);
        }
    }
    Ok(Done::Proposal(id))
}

/// Goes on with what the program was ended over, one after the other. What was answered before is kept and not asked again.
pub async fn resume(core: &Arc<Core>) {
    let is_open = |line: &Evidence| line.what == EvidenceKind::Interrupted;
    let open: Vec<Arc<Proposal>> = {
        let state = core.state.lock();
        let broken = |one: &&Arc<Proposal>| one.state == ProposalState::Failed && one.evidence.iter().any(is_open);
        state.proposals.values().filter(broken).cloned().collect()
    };
    if open.is_empty() || provider::of(core).is_err() {
        return;
    }
    core.say(Level::Info, "goes on", format!("{} by the model, broken off before.", text::count(open.len(), "draft")));
    for proposal in open {
        let remark = proposal.draft().and_then(|draft| draft.remark.clone());
        // Somebody may have been quicker, and where the model is not there all the others would fail the same way.
        let still = core.proposal(proposal.id).is_ok_and(|now| now.state == ProposalState::Failed);
        if still
            && let Some(function) = proposal.function()
            && let Err(trouble) = ask(core, function.clone(), remark).await
        {
            core.complain("model", &trouble);
            return;
        }
    }
}

/// Tells whether the gate turned a draft down for what is in it.
fn is_repairable(proposal: &Proposal) -> bool {
    proposal.state == ProposalState::Refused
        && proposal.evidence.iter().any(|evidence| matches!(evidence.finding, Finding::Fail | Finding::Flaky))
}

/// Writes what a model is asked.
async fn request(
    core: &Arc<Core>,
    target: &Function,
    chosen: &dyn Provider,
    earlier: Option<&Before>,
    remark: Option<&str>,
) -> Result<Request, Trouble> {
    if prompt_context::says_needs(core, chosen.model()) {
        package_outlines::learn(core, target).await?;
    }
    let before = earlier.and_then(|before| before.told.as_ref());
    let before = before.map(|(text, failure)| Earlier { text, failure });
    let (prompt, form) = prompt_context::question(core, target, chosen.model(), before, remark)?;
    let settings = core.settings();
    let settings = &settings.generation;
    Ok(Request { prompt, max_tokens: settings.max_tokens, temperature: settings.temperature, form })
}

/// Asks once; `None` when nothing was to be sent.
async fn turn(core: &Arc<Core>, target: &Function, remark: Option<String>) -> Result<Option<ProposalId>, Trouble> {
    let function = &target.id;
    let earlier = earlier(core, function);
    let mut chosen = provider::of(core)?;
    loop {
        let request = request(core, target, chosen.as_ref(), earlier.as_ref(), remark.as_deref()).await?;
        if chosen.is_allowed() {
            let provider = kept(core, chosen);
            return answered(core, target, provider.as_ref(), request, earlier, remark).await.map(Some);
        }
        // Of several places each is asked about.
        match allowed(core, Some(function), chosen, &request).await? {
            Some(provider) => chosen = provider,
            None => return Ok(None),
        }
    }
}

/// Has answers kept: the same request to the same model with the same parameters is answered once. Where chance decides,
/// or recorded answers are asked for, it is not.
pub fn kept(core: &Core, chosen: Arc<dyn Provider>) -> Arc<dyn Provider> {
    let settings = &core.settings();
    let by_chance = settings.generation.temperature > 0.0;
    if by_chance || choose::answers(settings, |name| std::env::var(name).ok()) != Answers::Off {
        return chosen;
    }
    let Some(below) = RelPath::new(KEPT) else { return chosen };
    let generation = &settings.generation;
    let mut parameters = format!("max {} penalty {} seed {}", generation.max_tokens, generation.repeat_penalty, generation.seed);
    if generation.top_p < 1.0 {
        parameters += &format!(" top_p {}", generation.top_p);
    }
    Arc::new(Cassette::keeping(chosen, Folder::new(&core.root, below), &parameters))
}

/// Streams an answer into a proposal and proves it. Gives the proposal to look at.
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
    core.part::<Streams>().open(id, &label);
    core.move_proposal(id, ProposalState::Streaming, |_| {})?;
    core.log.add(
        Level::Info,
        "asked",
        format!("{label} for a test of {}", function.qualname()),
        Some(Topic::Function(function.clone())),
    );
    let job = core.jobs.begin(JobKind::Model, JobSubject::Writing(function.clone().into()), 0);
    core.touch();
    let written = stream(core, provider, request, id, &job).await;
    core.part::<Streams>().close(id);
    if let unsent @ [_, ..] = provider.unsent().as_slice() {
        let them = if unsent.len() == 1 { "it" } else { "them" };
        let said = format!("{} does not take {}: the model was asked without {them}.", provider.host(), unsent.join(", "));
        core.say(Level::Warning, "not sent", said);
    }
    match written {
        Ok(answer) => {
            job.end(true);
            match take(core, target, id, &answer).await? {
                Taken::Proved(denied) => explain(core, target, id, &denied)?,
                Taken::Refused => {}
                Taken::Waits(same) => return Ok(same),
            }
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

/// Says why tests that did not hold did not: a recorded call denies what they expect, or else they may have found a bug,
/// where the function has a docstring that they were written from. Such tests are in no file either way.
fn explain(core: &Core, target: &Function, id: ProposalId, denied: &[Contradiction]) -> Result<(), Trouble> {
    let proposal = core.proposal(id)?;
    let Some(draft) = proposal.draft() else { return Ok(()) };
    let is_refused = proposal.state == ProposalState::Refused;
    if !is_refused && proposal.state != ProposalState::Ready {
        return Ok(());
    }
    let denied: Vec<&Contradiction> =
        denied.iter().filter(|one| is_refused || draft.dropped.iter().any(|name| one.is_of(name))).collect();
    let left_out = draft.left_out.iter().filter_map(|left| match &left.reason {
        Reason { code: ReasonCode::Fails, place: Some(Place::Test(test)), detail: Some(Detail::Text(why)), .. }
            if report::is_assertion(why) =>
        {
            Some((test.clone(), why.clone()))
        }
        _ => None,
    });
    let refused = proposal
        .evidence
        .iter()
        .filter(|line| is_refused && line.what.is_failure())
        .filter_map(|line| Some((line.test.clone()?, report::assertion(&line.more)?.to_owned())));
    let claims = left_out.chain(refused).filter(|(test, _)| !denied.iter().any(|one| one.is_of(test)));
    let claims: Vec<String> = claims.map(|(test, why)| format!("{test} fails: {why}")).collect();

    let mut notes = Vec::new();
    // The model is told what made a draft fall.
    let weight = if is_refused { Finding::Fail } else { Finding::Note };
    notes.extend(
        denied
            .iter()
            .map(|one| Evidence::new(weight, EvidenceKind::ContradictsRecording, format!("a recorded call: {}", one.said))),
    );
    if target.docstring.is_some() && !claims.is_empty() {
        let what = text::count(claims.len(), "test");
        let mut note = Evidence::new(Finding::Note, EvidenceKind::PossibleBug, format!("{what} from the docstring did not hold"));
        note.more = claims;
        notes.push(note);
    }
    if !notes.is_empty() {
        core.change_proposal(id, move |proposal| proposal.evidence.extend(notes))?;
    }
    Ok(())
}

/// Asks before the first request to another machine; gives the provider that may send, or nothing after a no.
pub async fn allowed(
    core: &Arc<Core>,
    function: Option<&FunctionId>,
    chosen: Arc<dyn Provider>,
    request: &Request,
) -> Result<Option<Arc<dyn Provider>>, Trouble> {
    let outgoing: Arc<str> = chosen.outgoing(request).into();
    let bytes = outgoing.len() as u64;
    let about = About::FirstSend {
        function: function.cloned(),
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

/// A draft that is there already, whose place the new one takes.
struct Before {
    id: ProposalId,
    /// What the model is told: its text, and what its proof said. Nothing of one that was never whole.
    told: Option<(String, String)>,
}

fn earlier(core: &Core, function: &FunctionId) -> Option<Before> {
    let state = core.state.lock();
    let proposal = state.proposals.values().rev().find(|proposal| {
        proposal.subject.is(function)
            && proposal.edited.is_none()
            && proposal.draft().is_some_and(|draft| matches!(draft.origin, Origin::Model(_)))
            && may_be_replaced(proposal.state)
    })?;
    let failure = proposal
        .evidence
        .iter()
        .filter(|evidence| matches!(evidence.finding, Finding::Fail | Finding::Flaky | Finding::Error))
        .map(|evidence| format!("{} {}\n{}", evidence.what, evidence.detail, evidence.more.join("\n")))
        .collect::<Vec<_>>()
        .join("\n");
    let is_whole = proposal.state != ProposalState::Failed;
    Some(Before { id: proposal.id, told: proposal.draft().filter(|_| is_whole).map(|draft| (draft.standalone(), failure)) })
}

/// Tells whether a model's draft that stands so gives its place to a new one.
fn may_be_replaced(state: ProposalState) -> bool {
    matches!(state, ProposalState::Refused | ProposalState::Failed | ProposalState::Stale)
}

/// Makes the proposal the text goes to, or takes the one that was there.
fn begin(
    core: &Arc<Core>,
    function: &Function,
    model: &str,
    earlier: Option<Before>,
    remark: Option<String>,
) -> Result<Arc<Proposal>, Trouble> {
    let target = render::target(&core.settings().output.tests, function.id.module())
        .ok_or_else(|| Trouble::usage("output.tests is no folder of the project.").so("Name a folder below the root."))?;
    let draft = Draft {
        remark,
        promise: Some(function.fingerprint.promise()),
        ..Draft::new(Origin::Model(model.to_owned()), target, String::new())
    };
    if let Some(before) = earlier {
        let mine = draft.clone();
        // Since it was looked at, a person may have edited or accepted it, or a save had it proved again.
        let taken = core.claim(before.id, move |standing| {
            let waits = standing.edited.is_none() && may_be_replaced(standing.state);
            if waits {
                standing.state = ProposalState::Queued;
                standing.body = Body::Draft(mine);
                standing.evidence.clear();
                standing.proved = None;
            }
            waits
        })?;
        if let Some(taken) = taken {
            return Ok(taken);
        }
    }
    core.add_proposal(Proposal::queued(function.id.clone(), Body::Draft(draft), clock::now()))
}

/// Takes an answer in as it comes, into the buffer of its proposal.
pub async fn stream(
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
                let (tokens, rate) = core.part::<Streams>().push(id, &more);
                job.rate(tokens, rate);
            }
            Some(Ok(Piece::Thinking)) => {}
            Some(Ok(Piece::Elsewhere(why))) => {
                text.clear();
                core.part::<Streams>().begin_again(id);
                core.complain("model", &Trouble::environment(why).so("The others go on; it is asked last for a while."));
            }
            Some(Ok(Piece::End(usage))) => return Ok(Answer { text, usage }),
            Some(Err(error)) => return Err(error.trouble()),
            None => return Err(Trouble::environment("The model's answer broke off.").so("g asks again.")),
        }
    }
}

/// What came of an answer.
enum Taken {
    /// It was proved; these recorded calls deny tests of it.
    Proved(Vec<Contradiction>),
    Refused,
    /// This proposal says the same, word for word, and waits for the person.
    Waits(ProposalId),
}

/// Takes the model's text apart and proves it, where nobody has seen it yet.
async fn take(core: &Arc<Core>, function: &Function, id: ProposalId, answer: &Answer) -> Result<Taken, Trouble> {
    let answered = answer.text.as_str();
    let index = core.index();
    let (proposal, module) = (core.proposal(id)?, index.module(&function.path));
    let (Some(asked), Some(module)) = (proposal.draft(), module) else {
        return Err(Trouble::environment(format!("{} is gone.", function.path)));
    };
    let origin = match &asked.origin {
        Origin::Model(model) if answer.usage.replayed => Origin::Model(format!("{model}, replayed")),
        origin => origin.clone(),
    };
    let mut draft = match from_model::draft(answered, origin, function, module, &asked.target, asked.remark.as_deref()) {
        Ok(draft) => draft,
        Err(reason) => {
            let raw = answered.to_owned();
            return refuse(core, id, Evidence::new(Finding::Fail, EvidenceKind::NoTest, reason.to_string()), |draft| {
                draft.text = raw
            });
        }
    };
    draft.promise = asked.promise;
    if let Some(old) = said_before(core, function, &draft).await? {
        let number = format!("#{}", old.id.0);
        if old.state == ProposalState::Ready {
            core.withdraw_proposal(id)?;
            let same = format!("The same as {number}, which waits. m asks with a remark.");
            core.say_about(Topic::Function(function.id.clone()), Level::Info, "said before", same);
            return Ok(Taken::Waits(old.id));
        }
        // Whoever asks again wants another; the model is told.
        let why = Evidence::new(Finding::Fail, EvidenceKind::Rejected, format!("before, word for word: {number}"));
        return refuse(core, id, why, |standing| *standing = draft);
    }
    let recorded = |id: &FunctionId| calls::read::confirmed_calls(core, id);
    let denied = contradict::contradictions(&draft.text, function, module, recorded)?;
    core.move_proposal(id, ProposalState::Proving, move |proposal| {
        proposal.basis = hash::of(draft.standalone().as_bytes());
        proposal.body = Body::Draft(draft);
    })?;
    proving::pipeline::prove(core, vec![id]).await?;
    Ok(Taken::Proved(denied))
}

/// Turns an answer down before it is proved.
fn refuse(core: &Core, id: ProposalId, why: Evidence, text: impl FnOnce(&mut Draft) + Send + 'static) -> Result<Taken, Trouble> {
    core.move_proposal(id, ProposalState::Proving, move |proposal| {
        if let Body::Draft(draft) = &mut proposal.body {
            text(draft);
        }
    })?;
    core.move_proposal(id, ProposalState::Refused, move |proposal| proposal.evidence = vec![why])?;
    Ok(Taken::Refused)
}

/// Gives the proposal of a model that says what this draft says: it waits, or a person rejected it for the code as it is.
async fn said_before(core: &Arc<Core>, function: &Function, draft: &Draft) -> Result<Option<Proposal>, Trouble> {
    let same = |old: &Proposal| {
        let by_model = old.draft().is_some_and(|old| matches!(old.origin, Origin::Model(_)) && old.promise == draft.promise);
        by_model && old.edited.is_none() && basis::is_text_of(old, draft)
    };
    let all = core.store().proposals_of(&function.id)?;
    let is_known = |old: &Proposal| matches!(old.state, ProposalState::Ready | ProposalState::Rejected) && same(old);
    let Some(old) = all.into_iter().rev().find(is_known) else { return Ok(None) };
    let code = basis::code_of(core, vec![function.id.clone()]).await?;
    let code = code.get(&function.id).copied().unwrap_or_default();
    Ok(Some(old).filter(|old| old.basis == basis::rests_on(code, old)))
}

/// Keeps what was written so far, as text that is not proved.
pub fn give_up(core: &Arc<Core>, id: ProposalId, trouble: &Trouble, cancelled: bool) -> Result<(), Trouble> {
    let text = core.part::<Streams>().view(id).map(|view| view.text).unwrap_or_default();
    let tokens = core.part::<Streams>().view(id).map_or(0, |view| view.tokens);
    let (what, detail) = match cancelled {
        // Only a test of a function is asked for again by itself.
        true if core.closing.load(Ordering::Relaxed) && core.proposal(id)?.draft().is_some() => {
            (EvidenceKind::Interrupted, "it goes on with the next start".to_owned())
        }
        true => (EvidenceKind::Cancelled, format!("{tokens} tokens are kept as text")),
        false => (EvidenceKind::Stopped, trouble.to_string()),
    };
    let about = Topic::from(&core.proposal(id)?.subject);
    let told = format!("{what}: {tokens} tokens are kept as text");
    core.move_proposal(id, ProposalState::Failed, move |proposal| {
        match &mut proposal.body {
            Body::Draft(draft) => draft.text = text,
            Body::Spec(spec) => spec.test.text = text,
            Body::Change(_) | Body::Near(_) | Body::Verdict(_) => {}
        }
        proposal.evidence = vec![Evidence::new(Finding::Error, what, detail)];
    })?;
    core.log.add(Level::Info, "model", &told, Some(about));
    Ok(())
}

/// Gives what the chosen model would be sent for tests of a function, byte for byte.
pub async fn outgoing(core: &Arc<Core>, function: &FunctionId, remark: Option<&str>) -> Result<String, Trouble> {
    let target = core.function(function).ok_or_else(|| Trouble::usage(format!("No function {function}.")))?;
    if core.trust() == Trust::Trusted
        && let Err(trouble) = first_replay::calibrate_rest(core).await
    {
        core.log.trouble("model", &trouble);
    }
    let chosen = provider::of(core)?;
    let request = request(core, &target, chosen.as_ref(), earlier(core, function).as_ref(), remark).await?;
    Ok(chosen.outgoing(&request))
}
