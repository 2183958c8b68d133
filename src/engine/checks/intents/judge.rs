//! The intents of tests, judged while they run: pytest hands over the journey of one test, and gets a verdict.
//!
//! Works without a database and runs nothing: the functions are read from the sources, the journey from the folder that
//! the test's recorder wrote. What the clauses mean is `judge/`; what pytest makes of a verdict is the plugin's affair.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::redact::Redactor;
use crate::base::text;
use crate::domain::batch::JourneyBlock;
use crate::domain::callee::Callee;
use crate::domain::evaluator::Evaluator;
use crate::domain::function::{Function, FunctionId, Module};
use crate::domain::gap::Gap;
use crate::domain::journey::JourneyEvent;
use crate::domain::question::Consent;
use crate::domain::settings::Settings;
use crate::domain::verdict::{Asked, Bound as VerdictBound, ClauseOutcome, Decided, Ruling, Show, Suggested, Verdict};
use crate::engine::checks::intents;
use crate::engine::checks::intents::clauses;
use crate::engine::checks::intents::request::Request;
use crate::engine::checks::intents::unrecorded_programs;
use crate::engine::checks::intents::verdict::{
    anew, decided, decisive, failed_itself, fold, not_clauses, nothing_recorded, own, undecided, verdict, word,
};
use crate::engine::checks::llm;
use crate::engine::checks::llm::budget::Run;
use crate::engine::checks::llm::opinions::{Asking, Reply};
use crate::engine::checks::secrets;
use crate::engine::checks::verdict_files::{self, Seen};
use crate::judge::answer;
use crate::judge::audit::Override;
use crate::judge::evaluate::Missing;
use crate::judge::grammar;
use crate::judge::lock::{self, Entry, Lock};
use crate::judge::names::{Bound, Names};
use crate::judge::prompt::{Question, Wanted};
use crate::judge::{approved, telling};
use crate::record::ingest::Ingest;
use crate::record::journey::{events, started};
use crate::source::bare::bare;
use crate::source::index::Index;

/// What a test did.
pub struct Journey {
    /// In their order.
    pub events: Vec<JourneyEvent>,
    /// What was left out: reason and count.
    pub gaps: Vec<(Gap, u64)>,
    /// Why the calls of another program are missing, if it started one.
    pub elsewhere: Option<Missing>,
    /// A recorder wrote something.
    pub recorded: bool,
    /// What took the secrets out of it: for what belongs to it, so that equal ones stay equal.
    pub(crate) redactor: Redactor,
}

impl Journey {
    /// Says why something may be missing that decides any sentence at all.
    fn incomplete(&self) -> Option<String> {
        let elsewhere = self.elsewhere.as_ref().map(|missing| missing.reason.to_string());
        elsewhere.or_else(|| self.gaps.first().map(|(gap, _)| gap.to_string()))
    }

    pub(crate) fn missing(&self, clause: &Bound) -> Option<Missing> {
        self.elsewhere.clone().or_else(|| clauses::cut(&self.gaps, clause))
    }
}

/// Judges the tests of one project.
pub struct Judge {
    pub(crate) root: PathBuf,
    /// When the run began.
    began: Moment,
    index: Arc<Index>,
    secret: secrets::Places,
    /// What was accepted, or why that cannot be read.
    lock: Result<Lock, String>,
    /// The model that is asked about what nothing else decides, or why the chosen one cannot be; none where nobody chose one.
    pub(crate) asking: Result<Option<Asking>, String>,
    /// How a model may decide where none is asked.
    unasked: &'static str,
    /// What persons overruled.
    overrides: Vec<Override>,
}

/// What decides a test besides a model: its clauses, those of them that only a model may decide, and what is said without one.
pub(crate) struct Standing {
    pub(crate) clauses: Vec<Decided>,
    /// The places of the open ones.
    pub(crate) open: Vec<usize>,
    pub(crate) without: Verdict,
}

impl Judge {
    /// Reads the project's sources, and finds the model that was chosen.
    #[must_use]
    pub fn open(root: &Path, settings: &Settings, consent: &Consent, run: &Run) -> Self {
        let began = clock::now();
        let said = |trouble: Trouble| text::display_line(&trouble.to_string()).into_owned();
        let lock = intents::accept::read(root, lock::PATH).and_then(|text| Lock::read(text.as_deref())).map_err(said);
        let asking = Asking::open(settings, root, consent, run).map_err(said);
        let index = Arc::new(Index::build(root, &settings.record.exclude, &|_, _| {}));
        let overrides = intents::overrule::read(root).map(|(overrides, _)| overrides).unwrap_or_default();
        let secret = secrets::Places::new(&index);
        let unasked = llm::provider::unasked(settings, root).1;
        Self { root: root.to_owned(), began, index, secret, lock, asking, unasked, overrides }
    }

    /// Says what may be asked of a model, and how much of it; nothing where no model is asked.
    #[must_use]
    pub fn announcement(&self) -> Option<String> {
        self.asking.as_ref().ok()?.as_ref().map(Asking::announcement)
    }

    /// Judges one test by what it did. `tell` hears of each question to a model before it is sent.
    pub async fn judge(&self, request: &Request, tell: &mut (dyn FnMut(&Asked) + Send)) -> Verdict {
        let mut journey = self.journey(&request.journey);
        if !journey.recorded {
            return nothing_recorded();
        }
        let standing = self.standing(request, &journey);
        let told = telling::tell(&journey.events);
        let entry = self.lock.as_ref().ok().and_then(|lock| lock.get(&request.test));
        let bound = VerdictBound {
            journey: lock::journey_hash(&told),
            meaning: lock::meaning_hash(&request.intent, &request.checks, entry),
        };
        let proposed = self.proposed(request, &mut journey, &bound.journey, tell).await;
        let mut shown = BTreeMap::new();
        for show in &request.show {
            let lines = match (show, &proposed) {
                (Show::Proposals, Some(proposed)) => intents::suggest::lines(proposed, &request.test),
                _ => self.show(*show, request, &mut journey, &standing),
            };
            shown.insert(*show, lines);
        }
        if let Some(said) = &request.failed {
            let said = journey.redactor.redact(said).unwrap_or_else(|| said.clone());
            let verdict = Verdict { shown, ..failed_itself(&said) };
            let suggestions = Vec::new();
            let seen = Seen { events: &journey.events, gaps: &journey.gaps, began: self.began, accepts: false, suggestions };
            verdict_files::leave(&self.root, request, &verdict, seen);
            return verdict;
        }
        let tried: Vec<String> = request.tried.iter().flat_map(|text| own(text)).collect();
        let tried = self.clauses(request, &journey, &tried);
        let verdict = self.decide(request, &mut journey, standing, &bound.journey, tell).await;
        let mut verdict = Verdict { tried, shown, bound: Some(bound), proposed: proposed.map(Box::new), ..verdict };
        if matches!(verdict.verdict, Ruling::Unclear | Ruling::Error)
            && let Some(said) = intents::legacy::said(&self.root, &self.index, &request.test, &request.intent, &journey.events)
        {
            verdict.reason = format!("{} {said}", verdict.reason).into();
        }
        intents::overrule::apply_to(&self.overrides, &request.test, &mut verdict, clock::now());
        let accepts = decisive(request).is_none();
        let open = accepts && verdict.verdict == Ruling::Unclear;
        let suggestions = if open {
            intents::suggest::from_journey(&journey, &self.names(request, &journey), &request.intent)
        } else {
            Vec::new()
        };
        let seen = Seen { events: &journey.events, gaps: &journey.gaps, began: self.began, accepts, suggestions };
        verdict_files::leave(&self.root, request, &verdict, seen);
        verdict
    }

    /// Gives names of tests without the secrets in them, each by itself.
    #[must_use]
    pub fn conceal(&self, names: Vec<String>) -> Vec<String> {
        let mut redactor = secrets::of_project(&self.root);
        names.into_iter().map(|name| redactor.redact_alone(&name).unwrap_or(name)).collect()
    }

    fn show(&self, show: Show, request: &Request, journey: &mut Journey, standing: &Standing) -> Vec<String> {
        match show {
            Show::Journey => self.told(journey),
            Show::Lines => self.lines(journey),
            Show::Suggestions => {
                let suggested = intents::suggest::from_journey(journey, &self.names(request, journey), &request.intent);
                suggested.iter().map(Suggested::to_string).collect()
            }
            Show::Proposals => Vec::new(),
            Show::Outgoing => self.outgoing(request, journey, standing),
        }
    }

    /// Tells a journey, then the source of each function once.
    fn told(&self, journey: &mut Journey) -> Vec<String> {
        let mut out = telling::tell(&journey.events);
        for (module, function) in self.sources(telling::called(&journey.events)) {
            let source = self.source(module, function, &mut journey.redactor);
            out.push(String::new());
            out.push(format!("# {}, {}:{}", function.id.qualname(), module.path.as_str(), function.span.first));
            out.extend(source.lines().map(|line| text::display_line(line).into_owned()));
        }
        out
    }

    /// Gives the source of a function without its secrets; it keeps its lines.
    fn source(&self, module: &Module, function: &Function, redactor: &mut Redactor) -> String {
        let text = self.index.text(&module.path).unwrap_or_default();
        let lines = text.lines().skip(function.span.first as usize - 1);
        let source: Vec<&str> = lines.take((function.span.last + 1 - function.span.first) as usize).collect();
        let source = source.join("\n");
        let source = self.secret.without_given(&source, redactor);
        redactor.redact_source(&source).unwrap_or(source)
    }

    /// Lists the functions that ran, each line with the number of activations that reached it.
    fn lines(&self, journey: &mut Journey) -> Vec<String> {
        let mut out = Vec::new();
        for (module, function) in self.sources(telling::called(&journey.events)) {
            let reached = telling::reached(&journey.events, &function.id);
            let text = self.source(module, function, &mut journey.redactor);
            out.push(format!("{}, {}", function.id.qualname(), module.path.as_str()));
            for (number, line) in (function.span.first..).zip(text.lines()) {
                let times = reached.get(&number).map_or(String::new(), |times| format!("×{times}"));
                out.push(format!("{number:>5} {times:>5}  {}", text::display_line(line)));
            }
        }
        out
    }

    fn sources<'a>(&'a self, functions: Vec<&FunctionId>) -> impl Iterator<Item = (&'a Module, &'a Function)> + use<'a> {
        let found = |id: &FunctionId| Some((self.index.module_of(id)?, self.index.function(id)?));
        functions.into_iter().filter_map(found).collect::<Vec<_>>().into_iter()
    }

    /// Finds what decides a test, the strongest first: clauses beside it or of its intent, and those that a person accepted besides; else
    /// what a person accepted. A sentence that is a clause counts as it is written, whatever else decides.
    fn standing(&self, request: &Request, journey: &Journey) -> Standing {
        let final_ = |without: Verdict| Standing { clauses: Vec::new(), open: Vec::new(), without };
        let entry = match &self.lock {
            Ok(lock) => lock.get(&request.test),
            Err(why) => return final_(verdict(Ruling::Error, why.clone(), Vec::new())),
        };
        let current = entry.filter(|entry| entry.intent == lock::intent_hash(&request.intent));
        if let Some(sentences) = decisive(request) {
            let sentences = with_accepted(sentences, current.map_or(&[], |entry| &entry.clauses));
            let clauses = self.clauses(request, journey, &sentences);
            let open = not_clauses(&sentences);
            return Standing { without: fold(clauses.clone()), clauses, open };
        }
        let sentences = own(&request.intent);
        let open = not_clauses(&sentences);
        if let Some(entry) = current.filter(|entry| !entry.clauses.is_empty()) {
            let written = (0..sentences.len()).filter(|at| !open.contains(at)).map(|at| sentences[at].clone()).collect();
            return self.by_entry(request, journey, with_accepted(written, &entry.clauses), entry);
        }
        let clauses = self.clauses(request, journey, &sentences);
        if clauses.iter().any(|clause| clause.outcome == ClauseOutcome::Violated) {
            return Standing { without: fold(clauses.clone()), clauses, open };
        }
        match (entry, current) {
            (None, _) => Standing { without: undecided(request, &sentences, self.unasked), clauses, open },
            (Some(_), Some(current)) => final_(self.by_journey(request, journey, current)),
            (Some(stale), None) => {
                let by = text::display_line(&stale.accepted_by);
                let reason = format!("The intent changed since {by} accepted it. {}", anew(&request.test));
                final_(verdict(Ruling::Unclear, reason, Vec::new()))
            }
        }
    }

    /// Decides by accepted clauses, and by the sentences that are clauses; what of the intent none of them covers stays open.
    fn by_entry(&self, request: &Request, journey: &Journey, sentences: Vec<String>, entry: &Entry) -> Standing {
        let mut clauses = self.clauses(request, journey, &sentences);
        let mut without = fold(clauses.clone());
        let uncovered = entry.uncovered().filter(|span| grammar::parse(span).is_err());
        without.uncovered = uncovered.map(|span| text::display_line(span).into_owned()).collect();
        if let (Ruling::Pass, [span, ..]) = (without.verdict, without.uncovered.as_slice()) {
            without.reason = format!("{} No clause covers “{span}”.", without.reason).into();
        }
        let open = (clauses.len()..clauses.len() + without.uncovered.len()).collect();
        clauses.extend(without.uncovered.iter().map(|span| Decided {
            text: span.clone(),
            outcome: ClauseOutcome::Unclear,
            evidence: Vec::new(),
            why: "No clause covers it.".into(),
            shown: Vec::new(),
            needs_model: false,
        }));
        Standing { clauses, open, without }
    }

    /// Decides by the journey that a person accepted.
    fn by_journey(&self, request: &Request, journey: &Journey, entry: &Entry) -> Verdict {
        let unclear = |why: &str| (Ruling::Unclear, format!("{why} {}", anew(&request.test)));
        let told = telling::tell(&journey.events);
        let accepted = intents::accept::read(&self.root, &intents::accept::journey_path(&request.test)).ok().flatten();
        let accepted: Option<Vec<String>> = accepted.map(|text| text.lines().map(str::to_owned).collect());
        let (ruling, reason) = match accepted.filter(|lines| entry.journey.as_ref() == Some(&lock::journey_hash(lines))) {
            None => unclear("The accepted journey is not there, or not as it was accepted."),
            Some(_) if !journey.gaps.is_empty() => unclear("The recording is not complete."),
            Some(accepted) => match approved::changed(&accepted, &told) {
                None => (Ruling::Pass, format!("It does what {} accepted.", text::display_line(&entry.accepted_by))),
                Some(change) => unclear(&format!("The journey changed: {change}")),
            },
        };
        Verdict { evaluator: Evaluator::Approved, ..verdict(ruling, reason, Vec::new()) }
    }

    fn clauses(&self, request: &Request, journey: &Journey, sentences: &[String]) -> Vec<Decided> {
        let names = self.names(request, journey);
        let missing = |clause: &_| journey.missing(clause);
        let decide = |sentence: &String| decided(&clauses::decide(&names, &journey.events, &missing, sentence), sentence);
        sentences.iter().map(decide).collect()
    }

    /// Decides; asks a model where something is open, a person chose one, and no rule has found a violation already.
    async fn decide(
        &self,
        request: &Request,
        journey: &mut Journey,
        standing: Standing,
        told: &str,
        tell: &mut (dyn FnMut(&Asked) + Send),
    ) -> Verdict {
        let failed = standing.clauses.iter().any(|clause| clause.outcome == ClauseOutcome::Violated);
        if standing.open.is_empty() {
            return standing.without;
        }
        let asking = match &self.asking {
            Ok(Some(asking)) => asking,
            Ok(None) => return standing.without,
            Err(why) => return verdict(Ruling::Error, why.clone(), standing.clauses),
        };
        if failed {
            return fold(standing.clauses);
        }
        let about = llm::opinions::About {
            test: &request.test,
            root: &self.root,
            journey: told,
            refresh: request.refresh,
            dry: request.dry,
        };
        let material = self.material(request, journey, &standing);
        let question = material.question(Wanted::Verdict, &request.intent, &journey.events, asking.budget());
        // The run is for clauses: what was said before counts, and nothing is spent on a verdict.
        if request.show.contains(&Show::Proposals) {
            return match asking.known(&question, &about, &mut journey.redactor) {
                Some(reply) => joined(standing, reply, asking.evaluator(), &journey.events),
                None => standing.without,
            };
        }
        let reply = asking.ask(&question, &about, &mut journey.redactor, tell).await;
        joined(standing, reply, asking.evaluator(), &journey.events)
    }

    fn outgoing(&self, request: &Request, journey: &mut Journey, standing: &Standing) -> Vec<String> {
        let said = match &self.asking {
            Ok(Some(asking)) if request.show.contains(&Show::Proposals) => self.outgoing_proposals(request, journey, asking),
            _ if standing.open.is_empty() => Err("Nothing: no model is needed.".to_owned()),
            Ok(None) => Err("Nothing: no model is chosen.".to_owned()),
            Err(why) => Err(why.clone()),
            Ok(Some(asking)) => {
                let material = self.material(request, journey, standing);
                let question = material.question(Wanted::Verdict, &request.intent, &journey.events, asking.budget());
                asking.outgoing(&question, &mut journey.redactor)
            }
        };
        vec![text::display_line(&said.unwrap_or_else(|why| why)).into_owned()]
    }

    /// Gathers what a model is told beside the journey.
    pub(crate) fn material(&self, request: &Request, journey: &mut Journey, standing: &Standing) -> Material {
        let called = telling::called(&journey.events);
        let found: Vec<_> = self.sources(called).collect();
        let sources = found
            .iter()
            .map(|(module, function)| (function.id.clone(), bare(&self.source(module, function, &mut journey.redactor))))
            .collect();
        let near = |function: &&Function| {
            let module = self.index.module_of(&function.id);
            module.is_some_and(|module| !module.is_test() && found.iter().any(|(near, _)| near.path == module.path))
        };
        let uncalled = |function: &&Function| !found.iter().any(|(_, called)| called.id == function.id);
        let others =
            self.index.functions().filter(near).filter(uncalled).map(|function| Callee::Function(function.id.clone())).collect();
        let is_open = |at: &usize| standing.open.contains(at);
        let texts = |open: bool| {
            let chosen = (0..standing.clauses.len()).filter(move |at| is_open(at) == open);
            chosen.map(|at| &standing.clauses[at])
        };
        Material {
            names: self.names(request, journey),
            sources,
            others,
            sentences: texts(true).map(|clause| clause.text.clone()).collect(),
            decided: texts(false).map(|clause| (clause.text.clone(), word(clause.outcome))).collect(),
            incomplete: journey.incomplete(),
        }
    }

    /// Reads the journey that the recorder of a test wrote.
    fn journey(&self, folder: &Path) -> Journey {
        let index = self.index.clone();
        let resolve = move |path: &str, qualname: &str, line| {
            let path = RelPath::new(path)?;
            index.by_code(&path, qualname, line).map(|function| function.id.clone())
        };
        let redactor = secrets::of_project(&self.root);
        let mut ingest = Ingest::new(folder.to_owned(), Moment(0), redactor, Box::new(resolve));
        let mut blocks: Vec<JourneyBlock> = Vec::new();
        ingest.finish(&mut |batch, _| blocks.extend(batch.journey));
        let summary = ingest.summary();
        let (gaps, recorded) = (summary.gaps.clone(), summary.recorder_seen);
        let elsewhere = unrecorded_programs::missing(&started(&blocks));
        Journey { events: events(blocks, Moment(0)), gaps, elsewhere, recorded, redactor: ingest.into_redactor() }
    }

    /// Lists what a clause of a test may name: the project's functions, and those of its own file and of conftest files. Between those of
    /// one name its imports and what ran decide.
    pub(crate) fn names(&self, request: &Request, journey: &Journey) -> Names {
        let file = request.file.as_str();
        let visible =
            |module: &Module| !module.is_test() || module.path.as_str() == file || module.path.file_name() == "conftest.py";
        let named = |function: &&Function| self.index.module_of(&function.id).is_none_or(visible);
        Names::new(self.index.functions().filter(named)).near(intents::nearby::of(&self.index, file, &journey.events))
    }
}

/// Adds accepted clauses to written sentences that do not say the same.
fn with_accepted(mut sentences: Vec<String>, accepted: &[String]) -> Vec<String> {
    let canonical = |sentence: &String| grammar::parse(sentence).map_or_else(|_| sentence.clone(), |clause| clause.to_string());
    let written: Vec<String> = sentences.iter().map(canonical).collect();
    sentences.extend(accepted.iter().filter(|clause| !written.contains(&canonical(clause))).cloned());
    sentences
}

/// What a model is told of a test.
pub(crate) struct Material {
    names: Names,
    sources: Vec<(FunctionId, String)>,
    others: Vec<Callee>,
    sentences: Vec<String>,
    decided: Vec<(String, &'static str)>,
    incomplete: Option<String>,
}

impl Material {
    pub(crate) fn question<'a>(
        &'a self,
        wanted: Wanted,
        intent: &'a str,
        events: &'a [JourneyEvent],
        budget: usize,
    ) -> Question<'a> {
        Question {
            wanted,
            intent,
            sentences: &self.sentences,
            must_not: &[],
            whole: false,
            decided: &self.decided,
            events,
            names: &self.names,
            sources: &self.sources,
            others: &self.others,
            incomplete: self.incomplete.as_deref(),
            budget,
        }
    }
}

/// Puts a model's answers in the places of the open sentences.
fn joined(mut standing: Standing, reply: Reply, evaluator: Evaluator, events: &[JourneyEvent]) -> Verdict {
    match reply {
        Reply::Not { ruling, reason, asked } => Verdict { evaluator, asked, ..verdict(ruling, reason, standing.clauses) },
        Reply::Decided { sentences, suspicion, asked, .. } => {
            for (place, sentence) in standing.open.into_iter().zip(sentences) {
                let clause = &mut standing.clauses[place];
                clause.outcome = match sentence.outcome {
                    answer::Outcome::Holds => ClauseOutcome::Holds,
                    answer::Outcome::Violated => ClauseOutcome::Violated,
                    answer::Outcome::Vacuous => ClauseOutcome::Vacuous,
                    answer::Outcome::Unclear => ClauseOutcome::Unclear,
                };
                clause.why = sentence.why;
                let event = |line: &crate::domain::journey::LineId| events.get((line.0 as usize).checked_sub(1)?);
                clause.shown = sentence
                    .evidence
                    .iter()
                    .filter_map(event)
                    .map(|event| text::display_line(&event.text()).into_owned())
                    .collect();
                clause.evidence = sentence.evidence.iter().map(ToString::to_string).collect();
            }
            let mut folded = Verdict { evaluator, asked: Some(asked), ..fold(standing.clauses) };
            if let (Ruling::Pass, Some(suspicion)) = (folded.verdict, suspicion) {
                (folded.verdict, folded.reason) = (Ruling::Unclear, suspicion);
            }
            folded
        }
    }
}
