//! Questions that come by themselves: what the engine may do only after a yes, and a file that changed meanwhile.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::question::{About, Question as Asked, QuestionId};
use crate::tui::app::AppState;
use crate::tui::layer::{Act, Layer, Question, TextBox};
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::words;

/// Puts the oldest question of the engine before the person, where nothing else is being typed or asked, and takes one
/// away that was answered elsewhere.
pub fn offer(state: &mut AppState) {
    let snapshot = Arc::clone(&state.snapshot);
    let open = |id: &QuestionId| snapshot.questions.iter().any(|question| question.id == *id);
    state.layers.retain(|layer| asked_by(layer).is_none_or(|id| open(&id)));
    state.kept.put_off.retain(open);
    let busy = !state.layers.is_empty() || state.in_place.as_ref().is_some_and(|edit| edit.open) || state.asks_for_trust();
    if busy {
        return;
    }
    if let Some(question) = snapshot.questions.iter().find(|question| !state.kept.put_off.contains(&question.id)) {
        ask(state, question);
        if let Some(Layer::Question(layer)) = state.layers.last_mut() {
            layer.came = Some(state.now);
        }
    }
}

/// Asks a question that was left open again, and tells whether there was one.
pub fn again(state: &mut AppState) -> bool {
    let Some(question) = state.question_left_open().cloned() else { return false };
    state.kept.put_off.remove(&question.id);
    ask(state, &question);
    true
}

fn asked_by(layer: &Layer) -> Option<QuestionId> {
    let Layer::Question(question) = layer else { return None };
    question.answers.iter().find_map(|answer| match answer.act {
        Act::Reply(id, _) => Some(id),
        _ => None,
    })
}

fn ask(state: &mut AppState, question: &Asked) {
    let id = question.id;
    let mut body = vec![Row::plain(format!(" {}", question.about.line()))];
    let dim = |line: String| Row::new().add(Role::Dim, line);
    let (title, answers) = match &question.about {
        About::WeakContainment { why } => {
            body.extend(why.iter().map(|line| dim(format!("   {line}"))));
            body.push(dim(format!("   {}", words::WEAK_NEVER)));
            let answers = vec![
                ('y', words::WEAK_YES, Act::Reply(id, true)),
                ('n', words::WEAK_NO, Act::Reply(id, false)),
                ('l', words::LATER, Act::PutOff(id)),
            ];
            ("Recorded calls wait", answers)
        }
        About::FirstSend { function, model, bytes, tokens, .. } => {
            let size = text::bytes(*bytes);
            let what = match function {
                Some(function) => format!("{function}, with its recorded calls"),
                None => words::SPEC_REQUEST.into(),
            };
            body.push(dim(format!("   {what}, for {model}: {size}, about {tokens} tokens.")));
            let answers = vec![
                ('y', "send", Act::Reply(id, true)),
                ('v', "show the bytes", Act::ShowOutgoing(id)),
                ('n', "not now", Act::Reply(id, false)),
            ];
            ("A model waits", answers)
        }
        About::LargeDownload { .. } => {
            body.push(dim(format!("   {}", words::DOWNLOAD_GOES_ON)));
            let answers = vec![('y', "get it", Act::Reply(id, true)), ('n', "not now", Act::Reply(id, false))];
            ("A large download waits", answers)
        }
    };
    state.layers.push(Layer::Question(Question::new(title, body, answers)));
}

/// Shows what would be sent, byte for byte.
pub fn show_outgoing(state: &mut AppState, bytes: Option<&str>) {
    let Some(bytes) = bytes else {
        state.messages.answer(state.now, words::NOTHING_MORE);
        return;
    };
    let body = bytes.lines().map(|line| Row::plain(format!(" {line}"))).collect();
    let title = format!("What would be sent: {}", text::bytes(bytes.len() as u64));
    state.layers.push(Layer::Text(TextBox { title, body, top: 0 }));
}

/// What was accepted could not be written: says why, and what can be done.
pub fn not_written(state: &mut AppState, trouble: &Trouble) {
    let lines = trouble.why.iter().chain(&trouble.todo);
    let mut body: Vec<Row> = lines.map(|line| Row::plain(format!(" {line}"))).collect();
    body.push(Row::new().add(Role::Dim, format!(" {}", words::NOTHING_LOST)));
    let mut answers = vec![('t', "make the diff anew", Act::DiffAnew), ('l', words::LATER, Act::Close)];
    let file = state.loaded().and_then(|loaded| {
        let proposal = &loaded.view.proposal;
        let draft = proposal.draft().map(|draft| draft.target.clone());
        draft.or_else(|| proposal.spec().map(|spec| spec.test.path.clone()))
    });
    if let Some(path) = file {
        answers.insert(1, ('e', "open the file in the editor", Act::Open(path)));
    }
    state.layers.push(Layer::Question(Question::new(format!("! {}", trouble.what), body, answers)));
}
