//! YAML tests that a model or a coding agent wrote, as proposals: checked by our own schema and against the tools there are,
//! put before a person, written when accepted. Nothing of them is run or imported before; what a model is asked is
//! `ask_model.rs`.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::event::Level;
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::proposal::agent_name;
use crate::domain::proposal::{Body, Helper, Origin, PluginDraft, Proposal, ProposalId, ProposalState, SpecDraft};
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::spec::Spec;
use crate::engine::checks::specs::runner::Specs;
use crate::engine::index::files;
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::trust::require_trust;
use crate::python::plugins::{Broken, Tool};
use crate::source::parse::parse;
use crate::spec::load::{self, Mistakes};
use crate::spec::tools as own;
use crate::spec::written::{self, Answer};

/// Bytes of a test, and of a plugin.
const TEXT_MAX: usize = 64 << 10;
/// Characters of what was asked for.
const ASKED_MAX: usize = 4_000;
/// Tests of one name.
const SAME_MAX: usize = 1_000;
/// Where tests are written when no setting says so.
const FOLDER: &str = "tests/llm";
/// The class of a plugin.
const BASE: &str = "LLMPlugin";
/// Methods of that class which are no tools.
const NO_TOOLS: &[&str] = &["get_tools", "call_tool"];

/// What somebody wants a test of, and where it goes.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// What it is to show.
    pub asked: String,
    /// Where it goes.
    pub place: Place,
    /// The plugin that gets more tools, as it is now.
    pub extends: Option<Helper>,
}

/// The place of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder of the test.
    folder: String,
    /// The file of the test.
    pub file: RelPath,
}

impl Place {
    fn new(folder: &str, name: &str) -> Result<Self, Trouble> {
        Ok(Self { folder: folder.to_owned(), file: below(&format!("{folder}/{name}.yaml"))? })
    }

    /// Returns the test as the subject of a proposal.
    pub fn subject(&self) -> ProposalSubject {
        ProposalSubject::YamlTest(self.file.clone())
    }

    fn plugin(&self, name: &str) -> Result<RelPath, Trouble> {
        below(&format!("{}/plugins/{name}.py", self.folder))
    }
}

fn below(path: &str) -> Result<RelPath, Trouble> {
    RelPath::new(path)
        .ok_or_else(|| Trouble::usage("spec.paths names no folder of the project.").so("Name a folder below the root."))
}

/// Finds a place for what is wanted. A chosen name has to be free; one that is made of the words becomes free.
///
/// # Errors
/// Fails when the name is none or taken, or there is no such plugin.
pub fn wanted(core: &Core, asked: &str, name: Option<&str>, extend: Option<&str>) -> Result<Wanted, Trouble> {
    require_trust(&core.root, core.trust())?;
    let folder = core.settings().spec.paths.first().map_or(FOLDER, String::as_str).trim_end_matches('/').to_owned();
    let place = |name: &str| Place::new(&folder, name);
    let taken = |place: &Place| Ok::<_, Trouble>(files::read(&core.root, &place.file)?.is_some());
    let asked = text::cut(&text::display_line(asked.trim()), ASKED_MAX).into_owned();
    let place = match name {
        Some(given) => {
            let given = place(&written::chosen(given).map_err(Trouble::usage)?)?;
            if taken(&given)? {
                return Err(Trouble::usage(format!("There is a test {} already.", given.file)).so("Choose another name."));
            }
            given
        }
        None if asked.is_empty() => return Err(Trouble::usage("Nothing says what the test is to show.")),
        None => {
            let made = written::name(&asked);
            let numbered = (1..SAME_MAX).map(|at| if at == 1 { made.clone() } else { format!("{made}_{at}") });
            let mut free = None;
            for name in numbered {
                let place = place(&name)?;
                if !taken(&place)? {
                    free = Some(place);
                    break;
                }
            }
            free.ok_or_else(|| Trouble::usage(format!("There are too many tests {made}.")).so("Choose a name."))?
        }
    };
    let extends = match extend {
        None => None,
        Some(name) => {
            let known = is_word(name).then(|| place.plugin(name)).transpose()?;
            let text = known.as_ref().map(|path| files::read(&core.root, path)).transpose()?.flatten();
            let (Some(path), Some(text)) = (known, text) else {
                return Err(Trouble::usage(format!("There is no plugin {}.", text::display_line(name)))
                    .so("pytead-tui spec --tools lists them."));
            };
            Some(Helper { path, text })
        }
    };
    Ok(Wanted { asked, place, extends })
}

/// The tools that steps may call now.
pub struct Tools {
    /// Our own and those of accepted plugins.
    pub known: Vec<Tool>,
    broken: Vec<Broken>,
}

/// Finds the tools that a test in this file may call. The plugins are the project's own, accepted ones, and run as the user.
///
/// # Errors
/// Fails when there are plugins and Python does not start.
pub async fn tools(core: &Core, file: &RelPath) -> Result<Tools, Trouble> {
    let specs = Specs::new(&core.root, &core.settings());
    let file = file.under(&core.root);
    let mut known = own::built_in();
    if specs.plugin_files(&file).is_empty() && core.settings().mcp_servers.is_empty() {
        return Ok(Tools { known, broken: Vec::new() });
    }
    let (plugins, broken) = specs.plugins(&file).await?;
    known.extend(plugins.into_iter().flat_map(|plugin| plugin.tools));
    Ok(Tools { known, broken })
}

/// Makes of what was written what is put before a person.
///
/// # Errors
/// Fails when the settings name no folder of the project.
pub fn draft(wanted: &Wanted, answer: Answer, origin: Origin) -> Result<SpecDraft, Trouble> {
    let plugin = match answer.plugin {
        None => None,
        Some(text) => {
            // One without a name that can be a file's is refused below, wherever it would have gone.
            let name = inspected(&text).map_or_else(|_| "plugin".to_owned(), |found| found.name);
            let path = match &wanted.extends {
                Some(old) => old.path.clone(),
                None => wanted.place.plugin(&name)?,
            };
            let instead_of = wanted.extends.as_ref().map(|old| old.text.clone());
            Some(PluginDraft { file: Helper { path, text }, instead_of })
        }
    };
    let test = Helper { path: wanted.place.file.clone(), text: answer.test };
    Ok(SpecDraft { origin, asked: wanted.asked.clone(), test, plugin })
}

/// Puts a test that a coding agent wrote before a person; one with mistakes goes back to the agent.
///
/// # Errors
/// Fails with what is wrong with it.
pub async fn propose(core: &Arc<Core>, wanted: Wanted, answer: Answer, by: &str) -> Result<Done, Trouble> {
    let refused = |why: String| Trouble::usage("Not proposed.").because(why);
    if answer.test.len().max(answer.plugin.as_ref().map_or(0, String::len)) > TEXT_MAX {
        return Err(refused(format!("A text has more than {}.", text::bytes(TEXT_MAX as u64))));
    }
    let made = draft(&wanted, answer, Origin::of_agent(by))?;
    let subject = wanted.place.subject();
    let mut replaced = None;
    for old in core.store().proposals_about(&subject)?.into_iter().rev() {
        let Some(spec) = old.spec() else { continue };
        let same = is_same(spec, &made);
        match old.state {
            ProposalState::Rejected if same => return Err(refused(format!("A person rejected this very text: #{}.", old.id.0))),
            ProposalState::Ready if same && old.edited.is_none() => return Ok(Done::Proposal(old.id)),
            ProposalState::Ready | ProposalState::Refused | ProposalState::Failed
                if old.edited.is_none() && spec.origin == made.origin =>
            {
                replaced.get_or_insert(old.id);
            }
            _ => {}
        }
    }
    let evidence = check(&core.root, &made, &made.test.text, &tools(core, &made.test.path).await?)?;
    if let Some(wrong) = mistakes(&evidence) {
        return Err(refused(wrong).so("Put it right and propose it again."));
    }
    let kept = enter(core, subject.clone(), made, replaced)?;
    core.move_proposal(kept, ProposalState::Proving, |_| {})?;
    settle(core, kept, evidence)?;
    core.log.add(
        Level::Info,
        "proposed",
        format!("the YAML test {} by {}", subject.short(), agent_name(by)),
        Some((&subject).into()),
    );
    Ok(Done::Proposal(kept))
}

/// Enters a proposal that is to be worked on, in the place of an earlier one where there is one.
///
/// # Errors
/// Fails when the store cannot be written.
pub fn enter(core: &Core, subject: ProposalSubject, made: SpecDraft, earlier: Option<ProposalId>) -> Result<ProposalId, Trouble> {
    if let Some(earlier) = earlier {
        core.move_proposal(earlier, ProposalState::Queued, move |proposal| {
            proposal.body = Body::Spec(made);
            proposal.evidence.clear();
            proposal.skipped = false;
            proposal.edited = None;
        })?;
        return Ok(earlier);
    }
    let proposal = core.add_proposal(Proposal::queued(subject, Body::Spec(made), clock::now()))?;
    Ok(proposal.id)
}

/// Takes a person's text in place of what was written, or looks at what is there once more, and checks it.
///
/// # Errors
/// Fails when it is still being written, or Python does not start.
pub async fn check_again(core: &Arc<Core>, id: ProposalId, text: Option<String>) -> Result<(), Trouble> {
    let proposal = core.proposal(id)?;
    if proposal.state == ProposalState::Streaming {
        return Err(Trouble::usage("A model is still writing it.").so("Edit it when it is there."));
    }
    let proposal = core.move_proposal(id, ProposalState::Proving, move |proposal| {
        if text.is_some() {
            proposal.edited = text;
        }
    })?;
    finish(core, &proposal).await
}

/// Checks a proposal that is being proved, and lets a person decide or says what is wrong with it.
///
/// # Errors
/// Fails when Python does not start or the store cannot be written.
pub async fn finish(core: &Arc<Core>, proposal: &Proposal) -> Result<(), Trouble> {
    let Some(spec) = proposal.spec() else { return Ok(()) };
    let text = proposal.edited.as_ref().unwrap_or(&spec.test.text);
    let checked = match tools(core, &spec.test.path).await {
        Ok(tools) => check(&core.root, spec, text, &tools),
        Err(trouble) => Err(trouble),
    };
    let mut evidence = match checked {
        Ok(evidence) => evidence,
        Err(trouble) => {
            let why = trouble.to_string();
            core.move_proposal(proposal.id, ProposalState::Failed, move |failed| {
                failed.evidence = vec![Evidence::new(Finding::Error, EvidenceKind::NotChecked, why)];
            })?;
            return Err(trouble);
        }
    };
    let all = core.store().proposals_about(&proposal.subject)?;
    let is_rejected = |old: &&Proposal| {
        old.id != proposal.id && old.state == ProposalState::Rejected && old.spec().is_some_and(|old| is_same(old, spec))
    };
    if let Some(old) = all.iter().find(is_rejected).filter(|_| proposal.edited.is_none()) {
        evidence.insert(
            0,
            Evidence::new(Finding::Fail, EvidenceKind::Rejected, format!("a person rejected this very text: #{}", old.id.0)),
        );
    }
    settle(core, proposal.id, evidence)
}

fn settle(core: &Core, id: ProposalId, evidence: Vec<Evidence>) -> Result<(), Trouble> {
    let good = mistakes(&evidence).is_none();
    core.move_proposal(id, if good { ProposalState::Ready } else { ProposalState::Refused }, move |proposal| {
        if let Some(spec) = proposal.spec() {
            proposal.basis = hash::of(basis(spec).as_bytes());
        }
        proposal.evidence = evidence;
    })?;
    core.touch();
    Ok(())
}

fn basis(spec: &SpecDraft) -> String {
    let plugin = spec.plugin.as_ref().map_or("", |plugin| plugin.file.text.as_str());
    format!("{}\0{plugin}", spec.test.text)
}

fn is_same(one: &SpecDraft, other: &SpecDraft) -> bool {
    basis(one) == basis(other)
}

/// Gives what is wrong with a test by its evidence, every mistake with its line; nothing where nothing is.
pub fn mistakes(evidence: &[Evidence]) -> Option<String> {
    let wrong = evidence.iter().filter(|line| line.finding == Finding::Fail);
    let lines: Vec<String> = wrong
        .map(|line| if line.more.is_empty() { format!("{}: {}", line.what, line.detail) } else { line.more.join("\n") })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Checks a test and its plugin; runs and imports nothing of them.
fn check(root: &std::path::Path, spec: &SpecDraft, text: &str, tools: &Tools) -> Result<Vec<Evidence>, Trouble> {
    let name = spec.test.path.as_str();
    let mut out = Vec::new();
    let mut names: Vec<String> = tools.known.iter().map(|tool| tool.name.clone()).collect();
    if let Some(plugin) = &spec.plugin {
        let there = files::read(root, &plugin.file.path)?;
        let checked = checked_plugin(plugin, there.as_deref());
        match checked {
            Ok(found) => {
                let file = &plugin.file.path;
                out.push(Evidence::new(
                    Finding::Pass,
                    EvidenceKind::Plugin,
                    format!("{file} parses: {}", text::count(found.tools.len(), "tool")),
                ));
                names.retain(|known| plugin.instead_of.is_none() || !known.starts_with(&format!("{}_", found.name)));
                names.extend(found.tools);
            }
            Err(why) => out.push(Evidence::new(Finding::Fail, EvidenceKind::Plugin, why)),
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let missing = |test: &Spec| own::missing(test, &names, &[], &tools.broken);
    let read = match load::read(text) {
        Ok(test) => match missing(&test) {
            none if none.is_empty() => Ok(test),
            all => Err(Mistakes::of(text, all)),
        },
        Err(mut mistakes) => {
            mistakes.all.extend(mistakes.rest.as_deref().map(missing).unwrap_or_default());
            mistakes.all.sort_by_key(|mistake| mistake.at);
            Err(mistakes)
        }
    };
    match read {
        Ok(test) => {
            let steps = text::count(test.steps.len(), "step");
            let called = own::called(&test).join(", ");
            out.insert(
                0,
                Evidence::new(
                    Finding::Pass,
                    EvidenceKind::ValidTest,
                    format!("{steps}, as they should be written; calls {called}"),
                ),
            );
        }
        Err(wrong) => {
            let lines = wrong.lines(name);
            let first = lines.first().cloned().unwrap_or_default();
            out.insert(0, Evidence { more: lines, ..Evidence::new(Finding::Fail, EvidenceKind::Mistakes, first) });
        }
    }
    out.push(Evidence::new(Finding::Note, EvidenceKind::NotRun, "it runs as you once you accept it, and nothing of it before"));
    Ok(out)
}

/// A plugin as its text says.
struct Inspected {
    name: String,
    tools: Vec<String>,
}

/// Checks a plugin against what is in its place now.
fn checked_plugin(plugin: &PluginDraft, there: Option<&str>) -> Result<Inspected, String> {
    let file = &plugin.file.path;
    let found = inspected(&plugin.file.text)?;
    match (&plugin.instead_of, there) {
        (None, Some(there)) if there != plugin.file.text => {
            return Err(format!("there is a plugin {file} already: use its tools, or give yours another name"));
        }
        (Some(old), there) if there != Some(old.as_str()) && there != Some(plugin.file.text.as_str()) => {
            return Err(format!("{file} changed since this was written"));
        }
        (Some(old), _) => {
            let before = inspected(old).map(|old| old.tools).unwrap_or_default();
            if let Some(gone) = before.iter().find(|tool| !found.tools.contains(tool)) {
                return Err(format!("the tool {gone} is gone, which other tests may call"));
            }
        }
        _ => {}
    }
    Ok(found)
}

/// Reads the text of a plugin, which is not imported.
fn inspected(text: &str) -> Result<Inspected, String> {
    let path = RelPath::new("plugin.py").unwrap_or_default();
    let module = parse(&path, text.as_bytes(), "plugin", "");
    if let Some(error) = module.error {
        return Err(format!("the plugin does not parse: line {}, column {}", error.line, error.column));
    }
    let is_base = |base: &String| base.rsplit('.').next() == Some(BASE);
    let class = module.classes.iter().find(|class| class.bases.iter().any(is_base));
    let class = class.ok_or_else(|| format!("the plugin has no class made of {BASE}"))?;
    let named = class.fields.iter().find(|field| field.name == "name").and_then(|field| field.value.as_deref());
    let name = named.unwrap_or_default().trim_matches(['"', '\'']).to_owned();
    if !is_word(&name) {
        let shown = text::display_line(&name);
        return Err(format!("the plugin's `name` is “{}”: small letters, digits and _ are a name", text::cut(&shown, 40)));
    }
    let tool = |function: &crate::domain::function::Function| {
        let method = function.id.qualname().strip_prefix(&format!("{}.", class.qualname))?;
        let is_tool = function.is_async && !method.starts_with('_') && !method.contains('.') && !NO_TOOLS.contains(&method);
        is_tool.then(|| format!("{name}_{method}"))
    };
    let mut tools: Vec<String> = module.functions.iter().filter_map(tool).collect();
    if tools.is_empty() {
        return Err("the plugin has no tool: no public `async` method".into());
    }
    let cleanup = format!("{name}_cleanup");
    if !tools.contains(&cleanup) {
        tools.push(cleanup);
    }
    Ok(Inspected { name, tools })
}

fn is_word(name: &str) -> bool {
    name.len() <= 40
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
