//! Questions to a person: opened by work that waits for the answer, shared by all work that needs the same one, answered
//! once, and remembered with the trust of the folder.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::base::error::Trouble;
use crate::config::places::Places;
use crate::config::trust::TrustList;
use crate::domain::event::{Event, Level};
use crate::domain::question::{About, Question, QuestionId};
use crate::engine::state::core::Core;

/// The questions that are open.
#[derive(Default)]
pub struct Questions {
    next: AtomicU64,
    open: Mutex<BTreeMap<QuestionId, Open>>,
}

struct Open {
    about: About,
    /// What would be sent, where that is the question.
    outgoing: Option<Arc<str>>,
    answer: watch::Sender<Option<bool>>,
}

impl Questions {
    /// Lists them, the oldest first.
    pub fn rows(&self) -> Vec<Question> {
        self.open.lock().iter().map(|(id, open)| Question { id: *id, about: open.about.clone() }).collect()
    }

    /// Gives what would be sent, byte for byte.
    pub fn outgoing(&self, id: QuestionId) -> Option<Arc<str>> {
        self.open.lock().get(&id)?.outgoing.clone()
    }
}

/// Gives a person's answer: one that was given before, or the one to the question that is opened now.
///
/// # Errors
/// Fails where nobody can be asked, with the command that says yes ahead of the question.
pub async fn ask(core: &Arc<Core>, about: About, outgoing: Option<Arc<str>>) -> Result<bool, Trouble> {
    if let Some(yes) = core.state.lock().consent.answer(&about) {
        return Ok(yes);
    }
    if !core.attended {
        return Err(about.unanswered());
    }
    let mut waiting = Waiting::join(core, about, outgoing);
    let answer = tokio::select! {
        answer = waiting.answer.wait_for(Option::is_some) => answer.ok().and_then(|answer| *answer),
        () = core.jobs.stopped() => None,
    };
    // A question that went without an answer was not said yes to.
    Ok(answer.unwrap_or(false))
}

/// Takes a person's answer, for now and for later sessions.
pub fn answer(core: &Arc<Core>, id: QuestionId, yes: bool) {
    let Some(open) = core.questions.open.lock().remove(&id) else { return };
    core.state.lock().consent.keep(&open.about, yes);
    if !matches!(open.about, About::LargeDownload { .. })
        && let Err(trouble) = remember(core, &open.about, yes)
    {
        core.complain("trust", &trouble);
    }
    core.announce(Event::Answered { question: id, yes: Some(yes) });
    // Whoever asked may be gone.
    let _ = open.answer.send(Some(yes));
}

/// Keeps the answer with the trust; in a folder that is trusted for this call alone it holds for this call alone.
fn remember(core: &Core, about: &About, yes: bool) -> Result<(), Trouble> {
    TrustList::in_folder(&Places::find()?.state).allow(&core.root, |consent| consent.keep(about, yes))
}

/// Work that waits for an answer; when none waits any more, the question goes.
struct Waiting<'a> {
    core: &'a Core,
    id: QuestionId,
    answer: watch::Receiver<Option<bool>>,
}

impl<'a> Waiting<'a> {
    fn join(core: &'a Core, about: About, outgoing: Option<Arc<str>>) -> Self {
        let mut open = core.questions.open.lock();
        if let Some((id, same)) = open.iter().find(|(_, other)| is_same(&other.about, &about)) {
            return Self { core, id: *id, answer: same.answer.subscribe() };
        }
        let id = QuestionId(core.questions.next.fetch_add(1, Ordering::Relaxed) + 1);
        let (sender, answer) = watch::channel(None);
        let (line, command) = (about.line(), about.command());
        open.insert(id, Open { about, outgoing, answer: sender });
        drop(open);
        core.log.add(Level::Warning, "asks", &line, None);
        core.announce(Event::Asked { question: id, line: line.into(), command });
        Self { core, id, answer }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut open = self.core.questions.open.lock();
        // This one still counts.
        if open.get(&self.id).is_some_and(|open| open.answer.receiver_count() <= 1) {
            open.remove(&self.id);
            drop(open);
            self.core.announce(Event::Answered { question: self.id, yes: None });
        }
    }
}

/// Tells whether one answer answers both.
fn is_same(one: &About, other: &About) -> bool {
    match (one, other) {
        (About::WeakContainment { .. }, About::WeakContainment { .. }) => true,
        (About::FirstSend { host, .. }, About::FirstSend { host: other, .. }) => host == other,
        (About::LargeDownload { model, .. }, About::LargeDownload { model: other, .. }) => model == other,
        _ => false,
    }
}
