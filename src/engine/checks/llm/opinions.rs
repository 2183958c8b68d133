//! Intents put to a language model: which one, what it may cost, how often it is asked, and what is kept of its answers.
//!
//! What is asked is `judge/prompt.rs`, what is believed of an answer `judge/validate.rs`. Here is the order of things: kept
//! verdicts first, then the budget, then a person's word for the host, and a second opinion where the first is in doubt.
//! Whatever goes wrong with the model is said to be so, and is never a failed test.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::redact::Redactor;
use crate::base::seal;
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::config::places::Places;
use crate::domain::evaluator::Evaluator;
use crate::domain::journey::LineId;
use crate::domain::question::Consent;
use crate::domain::settings::{self, Answers, Settings};
use crate::domain::verdict::{Asked, Ruling};
use crate::engine::checks::llm::budget::{Price, Purse, Run, money};
use crate::engine::checks::llm::provider;
use crate::judge::answer::{self, Confidence, Outcome, Word};
use crate::judge::prompt::{self, Question, Wanted};
use crate::judge::prompt_journey::TooLong;
use crate::judge::proposed;
use crate::judge::validate::{self, Believed, Fault, Judged};
use crate::llm::answer::whole;
use crate::llm::choose;
use crate::llm::prompt::Prompt;
use crate::llm::provider::{Form, ModelError, Provider, Request, Usage};
pub use crate::store::opinions::Found;
use crate::store::opinions::{self, Opinions};

/// Opinions that are heard where the first is in doubt.
const OPINIONS: usize = 3;
/// Failures in a row after which the model is not asked any more.
const FAILURES: usize = 2;
/// Names the rules by which secrets are taken out; a verdict belongs to them.
const REDACTION: &str = "redaction/1";
/// Milliseconds of an hour.
const HOUR: i64 = 3_600_000;

/// A model that may be asked.
pub struct Asking {
    pub(crate) provider: Arc<dyn Provider>,
    limits: settings::Judge,
    max_tokens: u32,
    price: Price,
    /// What was said before, where that can be kept.
    pub(crate) kept: Option<Opinions>,
    purse: Purse,
    session: Mutex<Session>,
    /// Why nobody is asked but recorded answers, if that is so.
    replays: Option<String>,
    /// Answers are recorded, so what is known of a question does not stand for asking it.
    records: bool,
}

#[derive(Debug, Default)]
struct Session {
    failures: usize,
    /// Why it is not asked any more.
    broken: Option<String>,
}

/// What belongs to a question and is not asked.
pub struct About<'a> {
    /// The test.
    pub test: &'a str,
    /// The folder of the project.
    pub root: &'a Path,
    /// A hash of the journey as two runs tell it alike.
    pub journey: &'a str,
    /// Use nothing that was kept.
    pub refresh: bool,
    /// Ask nobody.
    pub dry: bool,
}

/// Removes kept verdicts of models that a project paid for, or without one those of all projects; with an age only older ones. With
/// `look` nothing is removed.
///
/// # Errors
/// When there is no home folder.
pub fn clean(root: Option<&Path>, older_than: Option<Duration>, look: bool) -> Result<Found, Trouble> {
    Ok(opinions::clean(&Places::find()?.cache, root, older_than, look))
}

/// What came of asking.
pub enum Reply {
    /// The sentences are decided.
    Decided {
        /// In the order in which they were asked.
        sentences: Vec<Judged>,
        /// Why nothing may pass beside them, if it may not.
        suspicion: Option<Sentence>,
        /// All of it, in a sentence of the model's.
        summary: String,
        /// What it took.
        asked: Asked,
    },
    /// They are not.
    Not {
        /// UNCLEAR or ERROR.
        ruling: Ruling,
        /// Why, in a sentence.
        reason: Sentence,
        /// What would have been asked, where something would.
        asked: Option<Asked>,
    },
}

/// A sentence as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct KeptSentence {
    outcome: Outcome,
    why: Sentence,
    evidence: Vec<u32>,
}

/// What is kept of a model's verdict.
#[derive(Debug, Serialize, Deserialize)]
struct Opinion {
    evaluator: Evaluator,
    question: String,
    journey: String,
    word: Word,
    sentences: Vec<KeptSentence>,
    suspicion: Option<Sentence>,
    #[serde(default)]
    summary: String,
    asked: Asked,
}

impl Asking {
    /// Finds the model that a person chose to be asked, for the processes of a run; none where nobody did.
    ///
    /// # Errors
    /// When the chosen one cannot be asked, with the sentence that says why.
    pub fn open(settings: &Settings, root: &Path, consent: &Consent, run: &Run) -> Result<Option<Self>, Trouble> {
        let judge = &settings.judge;
        let chosen = judge.provider.as_ref().or(settings.model.provider.as_ref());
        let recorded = || root.join(&settings.model.answers_folder).is_dir();
        if judge.ask == settings::Ask::Off || (chosen.is_none() && !recorded()) {
            return Ok(None);
        }
        let mut own = settings.clone();
        own.model.provider = chosen.cloned();
        if judge.provider.is_some() || judge.model.is_some() {
            own.model.name = judge.model.clone();
        }
        // A verdict follows from the question: it is the likeliest answer, however drafts are written.
        (own.generation.temperature, own.generation.top_p, own.generation.repeat_penalty) = (0.0, 1.0, 1.0);
        let provider = match provider::provider(&own, root, consent) {
            Ok(provider) => provider,
            // Recorded answers were only looked for.
            Err(_) if chosen.is_none() => return Ok(None),
            Err(trouble) => return Err(trouble),
        };
        let places = Places::find().ok();
        let kept = places.as_ref().and_then(|places| Opinions::open(&places.cache, &places.state, root).ok());
        Ok(Some(Self {
            provider,
            limits: judge.clone(),
            max_tokens: settings.generation.max_tokens,
            price: Price::of(&own),
            purse: Purse::open(judge, run, places.as_ref().map(|places| places.state.as_path())),
            kept,
            session: Mutex::new(Session::default()),
            replays: replays(&own),
            records: matches!(choose::answers(&own, |name| std::env::var(name).ok()), Answers::Record | Answers::Live),
        }))
    }

    /// Names the model, for reports: with its place and name.
    #[must_use]
    pub fn evaluator(&self) -> Evaluator {
        Evaluator::Model(text::display_line(&format!("{}/{}", self.host(), self.provider.model())).into_owned())
    }

    fn host(&self) -> String {
        let host = if self.provider.is_local() && self.provider.host().is_empty() { "local" } else { self.provider.host() };
        text::display_line(host).into_owned()
    }

    /// Says what may be asked in this run, and how much of it.
    #[must_use]
    pub fn announcement(&self) -> String {
        if let Some(replays) = &self.replays {
            return replays.clone();
        }
        let thousands = |number: u32| text::thousands(usize::try_from(number).unwrap_or(usize::MAX));
        format!(
            "what rules leave open is asked of {} at {}: at most {} tokens each, {} in all, and {} questions",
            text::display_line(self.provider.model()),
            self.host(),
            thousands(self.limits.tokens),
            thousands(self.limits.session_tokens),
            thousands(self.limits.session_questions),
        )
    }

    /// Gives what would be sent for a question, byte for byte.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn outgoing(&self, question: &Question<'_>, redactor: &mut Redactor) -> Result<String, String> {
        let asked = self.written(question, redactor)?;
        Ok(self.provider.outgoing(&self.request(&asked, 0, None).0))
    }

    /// Tells whether it may be sent to: it is on this machine, or a person said yes.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.provider.is_allowed()
    }

    /// Gives the tokens of one question at most.
    #[must_use]
    pub fn budget(&self) -> usize {
        usize::try_from(self.limits.tokens).unwrap_or(usize::MAX)
    }

    /// Asks about the open sentences of an intent. `tell` hears of each question before it is sent.
    pub async fn ask(
        &self,
        question: &Question<'_>,
        about: &About<'_>,
        redactor: &mut Redactor,
        tell: &mut (dyn FnMut(&Asked) + Send),
    ) -> Reply {
        let written = match self.written(question, redactor) {
            Ok(written) => written,
            Err(reason) => return Reply::Not { ruling: Ruling::Unclear, reason: reason.into(), asked: None },
        };
        let key = self.key(&written, about);
        if let Some(reply) = self.kept(&key, about).filter(|_| !self.records) {
            return reply;
        }
        if about.dry {
            let (reason, asked) = self.unasked(&written);
            return Reply::Not { ruling: Ruling::Unclear, reason: reason.into(), asked: Some(asked) };
        }
        let mut turn = Turn { asking: self, question, written: &written, asked: self.about_to(&written), tell };
        match turn.opinions(self.last(about)).await {
            Ok((believed, split)) => {
                let reply = Reply::of(believed, split, turn.asked);
                self.keep(&key, &written, about, &reply);
                reply
            }
            Err((ruling, reason)) => Reply::Not { ruling, reason: reason.into(), asked: Some(turn.asked) },
        }
    }

    /// Gives what was said of this very question before, where that still counts; nobody is asked.
    pub fn known(&self, question: &Question<'_>, about: &About<'_>, redactor: &mut Redactor) -> Option<Reply> {
        let written = self.written(question, redactor).ok()?;
        self.kept(&self.key(&written, about), about)
    }

    /// What is said of a question that was not sent yet.
    pub(crate) fn about_to(&self, written: &prompt::Asked) -> Asked {
        Asked {
            model: text::display_line(self.provider.model()).into_owned(),
            host: self.host(),
            tokens: written.tokens,
            ..Asked::default()
        }
    }

    /// Says what would be asked, and what that costs.
    pub(crate) fn unasked(&self, written: &prompt::Asked) -> (String, Asked) {
        let mut asked = self.about_to(written);
        asked.cost = self.price.cost(asked.tokens as u64, u64::from(self.max_tokens));
        let cost = match asked.cost {
            Some(cost) => format!("at most {} with the answer", money(cost)),
            None if self.provider.is_local() => "on this machine, no cost".to_owned(),
            None => "its price is not known here: set price_in and price_out of its provider".to_owned(),
        };
        let tokens = text::thousands(asked.tokens);
        (format!("Would be asked of {} at {}: about {tokens} tokens ({cost}).", asked.model, asked.host), asked)
    }

    pub(crate) fn written(&self, question: &Question<'_>, redactor: &mut Redactor) -> Result<prompt::Asked, String> {
        prompt::ask(question, redactor).map_err(|TooLong { needs }| {
            format!(
                "The question needs about {} tokens, and judge.tokens is {}. Say it in clauses, narrower ones with `inside A`, or raise it.",
                text::thousands(needs),
                text::thousands(self.budget()),
            )
        })
    }

    /// Writes a request; gives its nonce too.
    fn request(&self, written: &prompt::Asked, opinion: usize, again: Option<&str>) -> (Request, String) {
        let (user, nonce) = written.question(opinion, again);
        let prompt = Prompt {
            system: written.rules.clone(),
            shared: vec![written.functions.clone(), written.journey.clone()],
            user,
            version: written.version,
        };
        let form = Form::Json(Arc::new(match written.wanted {
            Wanted::Verdict => answer::schema(&written.ids),
            Wanted::Clauses => proposed::schema(),
        }));
        (Request { prompt, max_tokens: self.max_tokens, temperature: 0.0, form }, nonce)
    }

    /// What a verdict belongs to: all that was asked, of whom, how, and what the test did.
    pub(crate) fn key(&self, written: &prompt::Asked, about: &About<'_>) -> String {
        let params = format!("{} {OPINIONS}", self.max_tokens);
        let form = match written.wanted {
            Wanted::Verdict => answer::SCHEMA,
            Wanted::Clauses => proposed::SCHEMA,
        };
        let parts = [
            form,
            env!("CARGO_PKG_VERSION"),
            REDACTION,
            self.provider.host(),
            self.provider.model(),
            &params,
            &written.standing(),
            about.journey,
        ];
        seal::sha256(&parts.map(str::as_bytes))
    }

    fn last_key(&self, about: &About<'_>) -> String {
        seal::sha256(&[b"last", about.root.as_os_str().as_encoded_bytes(), about.test.as_bytes()])
    }

    /// What a model said of this test the last time, whatever it did then.
    fn last(&self, about: &About<'_>) -> Option<Word> {
        self.kept.as_ref()?.get::<Word>(&self.last_key(about)).map(|(_, word)| word)
    }

    fn kept(&self, key: &str, about: &About<'_>) -> Option<Reply> {
        if about.refresh {
            return None;
        }
        let (at, opinion) = self.kept.as_ref()?.get::<Opinion>(key)?;
        let age = clock::now().0.saturating_sub(at.0);
        if opinion.word != Word::Pass && age >= i64::from(self.limits.fail_ttl) * HOUR {
            return None;
        }
        let sentences = opinion.sentences.into_iter().map(|sentence| Judged {
            outcome: sentence.outcome,
            why: sentence.why.line(),
            evidence: sentence.evidence.into_iter().map(LineId).collect(),
        });
        let asked = Asked { kept: true, times: 0, cost: None, ..opinion.asked };
        Some(Reply::Decided { sentences: sentences.collect(), suspicion: opinion.suspicion, summary: opinion.summary, asked })
    }

    /// Keeps a verdict; where that is not possible, it is asked for anew the next time.
    fn keep(&self, key: &str, written: &prompt::Asked, about: &About<'_>, reply: &Reply) {
        let (Some(kept), Reply::Decided { sentences, suspicion, summary, asked }) = (&self.kept, reply) else { return };
        let word = answer::fold_with(sentences.iter().map(|sentence| sentence.outcome), &written.must_not);
        let opinion = Opinion {
            evaluator: self.evaluator(),
            question: written.hash(),
            journey: about.journey.to_owned(),
            word,
            sentences: sentences
                .iter()
                .map(|sentence| KeptSentence {
                    outcome: sentence.outcome,
                    why: sentence.why.clone(),
                    evidence: sentence.evidence.iter().map(|line| line.0).collect(),
                })
                .collect(),
            suspicion: suspicion.clone(),
            summary: summary.clone(),
            asked: asked.clone(),
        };
        for result in [kept.put(key, &opinion), kept.put(&self.last_key(about), &word)] {
            if let Err(error) = result {
                tracing::debug!(%error, "a verdict was not kept");
            }
        }
    }

    /// Takes a question out of what the run may ask.
    fn take(&self, tokens: usize) -> Result<(), String> {
        match &self.session.lock().broken {
            Some(reason) => Err(reason.clone()),
            None => self.purse.take(tokens),
        }
    }

    fn failed(&self, error: &ModelError) -> (Ruling, String) {
        let reason = text::display_line(&error.trouble().to_string()).into_owned();
        if matches!(error, ModelError::NotRecorded { .. }) {
            return (Ruling::Unclear, reason);
        }
        let mut session = self.session.lock();
        session.failures += 1;
        if session.failures >= FAILURES {
            session.broken = Some(format!("{reason} It is not asked any more in this run."));
        }
        (Ruling::Error, reason)
    }
}

/// Says why nobody is asked but recorded answers, if that is so.
fn replays(settings: &Settings) -> Option<String> {
    if choose::answers(settings, |name| std::env::var(name).ok()) != Answers::Replay {
        return None;
    }
    let folder = text::display_line(&settings.model.answers_folder);
    Some(match settings.model.answers {
        Some(_) => format!("what rules leave open is answered from {folder}, and no model is asked (model.answers: replay)"),
        None => format!(
            "what rules leave open is answered from {folder}, and no model is asked, since CI is set: PYTEAD_MODEL_ANSWERS=off asks it"
        ),
    })
}

impl Reply {
    fn of(believed: Believed, split: Option<String>, asked: Asked) -> Self {
        match split {
            Some(reason) => Self::Not { ruling: Ruling::Unclear, reason: reason.into(), asked: Some(asked) },
            None => {
                Self::Decided { sentences: believed.sentences, suspicion: believed.suspicion, summary: believed.summary, asked }
            }
        }
    }
}

/// One test's questions to a model.
pub(crate) struct Turn<'a, 'q> {
    pub(crate) asking: &'a Asking,
    pub(crate) question: &'a Question<'q>,
    pub(crate) written: &'a prompt::Asked,
    pub(crate) asked: Asked,
    pub(crate) tell: &'a mut (dyn FnMut(&Asked) + Send),
}

impl Turn<'_, '_> {
    /// Hears one opinion, and more where it is in doubt. Gives the first, and what is said where they do not agree.
    async fn opinions(&mut self, last: Option<Word>) -> Result<(Believed, Option<String>), (Ruling, String)> {
        let (first, repaired) = self.opinion(0).await?;
        let word = answer::fold_with(outcomes(&first), &self.written.must_not);
        let doubtful = repaired || first.confidence == Confidence::Low || last.is_some_and(|last| last != word);
        if doubtful {
            for number in 1..OPINIONS {
                let other = self.opinion(number).await?.0;
                if outcomes(&other) != outcomes(&first) {
                    let reason = format!(
                        "Asked again, the model did not agree with itself: “{}”, and “{}”.",
                        first.summary, other.summary
                    );
                    return Ok((first, Some(reason)));
                }
            }
        }
        Ok((first, None))
    }

    /// Asks once, and once more where the answer is none. Tells whether that was needed.
    async fn opinion(&mut self, number: usize) -> Result<(Believed, bool), (Ruling, String)> {
        let fault = match self.question(number, None).await? {
            Ok(believed) => return Ok((believed, false)),
            Err(fault) => fault,
        };
        match self.question(number, Some(&fault.to_string())).await? {
            Ok(believed) => Ok((believed, true)),
            Err(again) => Err((Ruling::Error, format!("The model's answer was not usable, twice. {again}."))),
        }
    }

    async fn question(&mut self, number: usize, again: Option<&str>) -> Result<Result<Believed, Fault>, (Ruling, String)> {
        let (text, nonce) = self.said(number, again).await?;
        let held = validate::Asked {
            nonce: &nonce,
            ids: &self.written.ids,
            must_not: &self.written.must_not,
            sent: &self.written.sent,
            events: self.question.events,
            names: self.question.names,
            incomplete: self.question.incomplete.is_some(),
            suspicious: self.written.suspicious,
        };
        Ok(validate::validate(&text, &held))
    }

    /// Sends the question once; gives the answer and the nonce it has to have.
    pub(crate) async fn said(&mut self, number: usize, again: Option<&str>) -> Result<(String, String), (Ruling, String)> {
        let asking = self.asking;
        let (request, nonce) = asking.request(self.written, number, again);
        if !asking.provider.is_allowed() {
            return Err(asking.failed(&ModelError::NotAllowed { host: asking.provider.host().to_owned() }));
        }
        asking.take(self.written.tokens).map_err(|reason| (Ruling::Error, reason))?;
        (self.tell)(&self.asked);
        self.asked.times += 1;
        let answer = match whole(asking.provider.as_ref(), request, CancellationToken::new()).await {
            Ok(answer) => answer,
            Err(error) => return Err(asking.failed(&error)),
        };
        asking.session.lock().failures = 0;
        self.count(&answer.usage);
        Ok((answer.text, nonce))
    }

    fn count(&mut self, usage: &Usage) {
        let add = |sum: &mut Option<u64>, more: Option<u64>| {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or(0) + more);
            }
        };
        add(&mut self.asked.sent, usage.prompt);
        add(&mut self.asked.cached, usage.cached);
        add(&mut self.asked.written, usage.written);
        self.asked.replayed |= usage.replayed;
        let asking = self.asking;
        if !usage.replayed {
            let sent = usage.prompt.unwrap_or(self.written.tokens as u64);
            add(&mut self.asked.cost, asking.price.cost(sent, usage.written.unwrap_or(0)));
        }
        // What was written counts too, where that is told.
        asking.purse.add(usage.written.unwrap_or(0));
    }
}

fn outcomes(believed: &Believed) -> Vec<Outcome> {
    believed.sentences.iter().map(|sentence| sentence.outcome).collect()
}
