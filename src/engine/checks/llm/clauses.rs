//! An intent put to a language model, to be said in clauses: what was proposed before first, else asked once, and once more
//! where the answer is none. Who may be asked, and what that may cost, is `opinions.rs`; what becomes of the clauses a
//! person's word.

use serde::{Deserialize, Serialize};

use crate::base::redact::Redactor;
use crate::domain::verdict::Asked;
use crate::engine::checks::llm::opinions::{About, Asking, Turn};
use crate::judge::prompt::Question;
use crate::judge::proposed::{self, Heard};
use crate::judge::validate;

/// What a model proposed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answered {
    /// Clauses, and what was left out.
    pub heard: Heard,
    /// The intent as it was told.
    pub intent: String,
    /// Something that was sent reads like an instruction to a model.
    pub suspicious: bool,
    /// What it took.
    pub asked: Asked,
}

/// Why nothing was proposed, and what was or would be asked.
pub type Unanswered = (String, Option<Asked>);

impl Asking {
    /// Asks for clauses. `tell` hears of each question before it is sent.
    ///
    /// # Errors
    /// When nobody was asked, or no answer could be used.
    pub async fn propose(
        &self,
        question: &Question<'_>,
        about: &About<'_>,
        redactor: &mut Redactor,
        tell: &mut (dyn FnMut(&Asked) + Send),
    ) -> Result<Answered, Unanswered> {
        let written = self.written(question, redactor).map_err(|reason| (reason, None))?;
        let key = self.key(&written, about);
        let kept = self.kept.as_ref().filter(|_| !about.refresh).and_then(|kept| kept.get::<Answered>(&key));
        if let Some((_, answered)) = kept {
            let asked = Asked { kept: true, times: 0, cost: None, ..answered.asked };
            return Ok(Answered { asked, ..answered });
        }
        if about.dry {
            let (reason, asked) = self.unasked(&written);
            return Err((reason, Some(asked)));
        }
        let mut turn = Turn { asking: self, question, written: &written, asked: self.about_to(&written), tell };
        let mut fault: Option<String> = None;
        for _ in 0..2 {
            let (text, nonce) = match turn.said(0, fault.as_deref()).await {
                Ok(said) => said,
                Err((_, reason)) => return Err((reason, Some(turn.asked))),
            };
            match proposed::read(&text, &nonce, &written.intent, question.names) {
                Ok(heard) => {
                    let suspicious = written.suspicious
                        || written.sent.lines().iter().any(|line| validate::instruction(line.data()).is_some());
                    let answered = Answered { heard, intent: written.intent.clone(), suspicious, asked: turn.asked };
                    if let Some(Err(error)) = self.kept.as_ref().map(|kept| kept.put(&key, &answered)) {
                        tracing::debug!(%error, "proposed clauses were not kept");
                    }
                    return Ok(answered);
                }
                Err(wrong) => fault = Some(wrong.to_string()),
            }
        }
        let fault = fault.unwrap_or_default();
        Err((format!("The model's answer was not usable, twice. {}.", fault.trim_end_matches('.')), Some(turn.asked)))
    }
}
