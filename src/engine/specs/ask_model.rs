//! YAML tests by a language model: asked with the tools and functions there are, streamed into a buffer, taken apart,
//! checked, and sent back once with its mistakes.

use std::collections::HashSet;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::event::{JobKind, Level};
use crate::domain::function::{Function, FunctionKind};
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::{Body, Origin, Proposal, ProposalId, ProposalState};
use crate::domain::snapshot::Topic;
use crate::engine::checks::secrets;
use crate::engine::models;
use crate::engine::models::provider;
use crate::engine::specs;
use crate::engine::specs::drafts::{Tools, Wanted};
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::token_buffers::Streams;
use crate::engine::state::trust::require_trust;
use crate::judge::suggest::words;
use crate::llm::choose;
use crate::llm::prompt::signature;
use crate::llm::provider::{Form, Request};
use crate::spec::prompt::{self, Question};
use crate::spec::written::{self, Answer};

/// Functions of the project that a model is told of.
const FUNCTIONS: usize = 120;
/// Columns of a function's first line of documentation.
const DOC: usize = 100;

/// Has the chosen model write a YAML test. One with mistakes goes back to the model once.
///
/// # Errors
/// Fails where no model was chosen, it does not answer, or Python does not start.
pub async fn ask(core: &Arc<Core>, wanted: Wanted) -> Result<Done, Trouble> {
    require_trust(&core.root, core.trust())?;
    if choose::is_demo(&core.settings()) {
        return Err(Trouble::usage("The demo model writes no YAML tests.")
            .because("It only arranges recorded calls of plain functions.")
            .so("Choose another model: pytead-tui model."));
    }
    // Said before anything is started.
    provider::of(core)?;
    core.jobs.supersede(JobKind::Model, Some(&JobSubject::Writing(wanted.place.subject())));
    let tools = specs::drafts::tools(core, &wanted.place.file).await?;
    let Some(id) = turn(core, &wanted, &tools, None).await? else { return Ok(Done::Nothing) };
    let first = core.proposal(id)?;
    if let Some(wrong) = specs::drafts::mistakes(&first.evidence).filter(|_| first.state == ProposalState::Refused) {
        core.log.add(
            Level::Info,
            "asked again",
            format!("for {}, with its mistakes", wanted.place.subject().short()),
            Some(Topic::Spec(wanted.place.file.clone())),
        );
        // Where the second turn fails, its reason stands in the proposal.
        if let Err(trouble) = turn(core, &wanted, &tools, Some((id, wrong))).await {
            core.log.trouble("model", &trouble);
        }
    }
    Ok(Done::Proposal(id))
}

/// Asks once, the second time with what is wrong; `None` when nothing was to be sent.
async fn turn(
    core: &Arc<Core>,
    wanted: &Wanted,
    tools: &Tools,
    again: Option<(ProposalId, String)>,
) -> Result<Option<ProposalId>, Trouble> {
    let functions = functions(core, &wanted.asked);
    let plugin = wanted.extends.as_ref().map(|old| (old.path.file_name(), old.text.as_str()));
    let before = match &again {
        Some((id, _)) => written_before(&*core.proposal(*id)?),
        None => String::new(),
    };
    let earlier = again.as_ref().map(|(_, wrong)| (before.as_str(), wrong.as_str()));
    let question = Question { wanted: &wanted.asked, tools: &tools.known, functions: &functions, plugin, earlier };
    let prompt = prompt::ask(&question, &mut secrets::of_project(&core.root));
    let settings = core.settings();
    let settings = &settings.generation;
    let request = Request { prompt, max_tokens: settings.max_tokens, temperature: settings.temperature, form: Form::Text };
    let mut chosen = provider::of(core)?;
    while !chosen.is_allowed() {
        // Of several places each is asked about.
        match models::draft::allowed(core, None, chosen, &request).await? {
            Some(provider) => chosen = provider,
            None => return Ok(None),
        }
    }
    let provider = models::draft::kept(core, chosen);
    let label = format!("{} at {}", provider.model(), provider.host());
    let id = begin(core, wanted, provider.model(), again.map(|(id, _)| id))?;
    core.part::<Streams>().open(id, &label);
    core.move_proposal(id, ProposalState::Streaming, |_| {})?;
    core.log.add(Level::Info, "asked", format!("{label} for a YAML test"), Some(Topic::Spec(wanted.place.file.clone())));
    let job = core.jobs.begin(JobKind::Model, JobSubject::Writing(wanted.place.subject()), 0);
    core.touch();
    let answered = models::draft::stream(core, provider.as_ref(), request, id, &job).await;
    core.part::<Streams>().close(id);
    match answered {
        Ok(answer) => {
            job.end(true);
            let model = provider.model().to_owned();
            let origin = Origin::Model(if answer.usage.replayed { format!("{model}, replayed") } else { model });
            let made = specs::drafts::draft(wanted, written::parts(&answer.text), origin)?;
            let proposal = core.move_proposal(id, ProposalState::Proving, move |proposal| proposal.body = Body::Spec(made))?;
            specs::drafts::finish(core, &proposal).await?;
        }
        Err(trouble) => {
            let cancelled = job.is_cancelled();
            job.end(false);
            models::draft::give_up(core, id, &trouble, cancelled)?;
            if !cancelled {
                return Err(trouble);
            }
        }
    }
    Ok(Some(id))
}

/// Makes the proposal that the answer goes to, or takes the one that was there.
fn begin(core: &Core, wanted: &Wanted, model: &str, again: Option<ProposalId>) -> Result<ProposalId, Trouble> {
    let empty = specs::drafts::draft(wanted, Answer::default(), Origin::Model(model.to_owned()))?;
    let is_open = |old: &&Proposal| {
        let by_model = old.spec().is_some_and(|spec| matches!(spec.origin, Origin::Model(_)));
        let open = matches!(old.state, ProposalState::Ready | ProposalState::Refused | ProposalState::Failed);
        by_model && open && old.edited.is_none()
    };
    let earlier = match again {
        Some(id) => Some(id),
        None => core.store().proposals_about(&wanted.place.subject())?.iter().rev().find(is_open).map(|old| old.id),
    };
    specs::drafts::enter(core, wanted.place.subject(), empty, earlier)
}

/// Gives what a model wrote, as it is told again.
fn written_before(proposal: &Proposal) -> String {
    let Some(spec) = proposal.spec() else { return String::new() };
    let plugin = spec.plugin.as_ref().map_or_else(String::new, |plugin| format!("\n{}", plugin.file.text));
    format!("{}{plugin}", spec.test.text)
}

/// Lists what the project offers, a line each: first what shares words with what is wanted.
fn functions(core: &Core, wanted: &str) -> Vec<String> {
    let spoken: HashSet<String> = words(wanted).collect();
    let index = core.index();
    let offered = index.modules().filter(|module| !module.is_test()).flat_map(|module| &module.functions);
    let offered = offered.filter(|function| function.kind != FunctionKind::Nested && !function.is_private());
    let shared = |function: &&Function| {
        let own: HashSet<String> = words(&function.id.0).chain(function.docstring.iter().flat_map(|doc| words(doc))).collect();
        std::cmp::Reverse(own.intersection(&spoken).count())
    };
    let mut offered: Vec<&Function> = offered.collect();
    offered.sort_by_cached_key(shared);
    let line = |function: &Function| {
        let doc = function.docstring.as_deref().and_then(|doc| doc.trim().lines().next()).unwrap_or_default();
        format!("{}: {}  {}", function.id, signature(function), text::cut(&text::display_line(doc), DOC)).trim_end().to_owned()
    };
    offered.into_iter().take(FUNCTIONS).map(line).collect()
}
