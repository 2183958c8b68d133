//! Several places that serve one model: each request goes to the least busy one that answers, and on to the next where a
//! place fails, also in the middle of its answer: that one is begun anew, and whoever reads it is told.
//!
//! A place that failed rests for a while, so that not every request finds out anew. How many requests a place takes at
//! once is its own matter.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::llm::program::run;
use crate::llm::provider::{ModelError, Piece, Provider, Request, Usage};
use crate::llm::retry::{TRIES, wait_after};

/// How long a place that failed is asked last.
const REST: Duration = Duration::from_secs(30);

/// Places that serve one model.
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    places: Vec<Place>,
}

struct Place {
    provider: Arc<dyn Provider>,
    state: Mutex<State>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    busy: u32,
    rests_until: Option<Instant>,
}

impl Pool {
    /// Makes one provider of several, the preferred ones first; each should try a request once only.
    #[must_use]
    pub fn new(providers: Vec<Arc<dyn Provider>>) -> Self {
        let places = providers.into_iter().map(|provider| Place { provider, state: Mutex::default() }).collect();
        Self { shared: Arc::new(Shared { places }) }
    }

    /// Gives the place people hear of: the first that nobody allowed yet, or else the first.
    fn shown(&self) -> Option<&dyn Provider> {
        let mut providers = self.shared.places.iter().map(|place| place.provider.as_ref());
        providers.clone().find(|provider| !provider.is_allowed()).or_else(|| providers.next())
    }
}

impl Provider for Pool {
    fn model(&self) -> &str {
        self.shown().map_or("", Provider::model)
    }

    fn host(&self) -> &str {
        self.shown().map_or("", Provider::host)
    }

    fn is_local(&self) -> bool {
        self.shared.places.iter().all(|place| place.provider.is_local())
    }

    fn is_allowed(&self) -> bool {
        self.shared.places.iter().all(|place| place.provider.is_allowed())
    }

    fn outgoing(&self, request: &Request) -> String {
        self.shown().map_or_else(String::new, |provider| provider.outgoing(request))
    }

    fn unsent(&self) -> Vec<&'static str> {
        let mut all: Vec<&str> = self.shared.places.iter().flat_map(|place| place.provider.unsent()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> mpsc::Receiver<Result<Piece, ModelError>> {
        let shared = Arc::clone(&self.shared);
        let inner = cancel.child_token();
        run(cancel, |pieces| async move { shared.answer(request, &pieces, &inner).await })
    }
}

impl Shared {
    /// Asks every place until one answers, several times round where that may help.
    async fn answer(
        &self,
        request: Request,
        pieces: &mpsc::Sender<Result<Piece, ModelError>>,
        cancel: &CancellationToken,
    ) -> Result<Usage, ModelError> {
        let mut tries = 1;
        loop {
            let mut last = ModelError::Setup("no place is configured".into());
            let mut asked = Vec::new();
            while let Some(at) = self.next(&asked) {
                asked.push(at);
                let place = &self.places[at];
                let _busy = Busy::new(place);
                match place.ask(request.clone(), pieces, cancel).await {
                    Ok(usage) => {
                        place.state.lock().rests_until = None;
                        return Ok(usage);
                    }
                    Err(error) if fails_over(&error) => {
                        place.state.lock().rests_until = Some(Instant::now() + REST);
                        tracing::debug!(host = place.provider.host(), %error, "asking the next place");
                        if self.next(&asked).is_some() {
                            // A receiver that is gone ends the whole task.
                            let _ = pieces.send(Ok(Piece::Elsewhere(error.to_string()))).await;
                        }
                        last = error;
                    }
                    Err(error) => return Err(error),
                }
            }
            let Some(wait) = wait_after(&last, tries, TRIES) else { return Err(last) };
            tokio::time::sleep(wait).await;
            tries += 1;
        }
    }

    /// Gives the place to ask next: one that does not rest, then the least busy, then the first.
    fn next(&self, asked: &[usize]) -> Option<usize> {
        let now = Instant::now();
        (0..self.places.len()).filter(|at| !asked.contains(at)).min_by_key(|&at| {
            let state = *self.places[at].state.lock();
            (state.rests_until.is_some_and(|until| until > now), state.busy, at)
        })
    }
}

impl Place {
    async fn ask(
        &self,
        request: Request,
        pieces: &mpsc::Sender<Result<Piece, ModelError>>,
        cancel: &CancellationToken,
    ) -> Result<Usage, ModelError> {
        let mut stream = self.provider.stream(request, cancel.clone());
        while let Some(piece) = stream.recv().await {
            match piece? {
                Piece::End(usage) => return Ok(usage),
                piece => {
                    // A receiver that is gone ends the whole task.
                    let _ = pieces.send(Ok(piece)).await;
                }
            }
        }
        Err(ModelError::CutOff { host: self.provider.host().to_owned(), why: "it ended without saying so".into() })
    }
}

/// Counts a request while it lasts.
struct Busy<'a>(&'a Place);

impl<'a> Busy<'a> {
    fn new(place: &'a Place) -> Self {
        place.state.lock().busy += 1;
        Self(place)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.state.lock().busy -= 1;
    }
}

/// Tells whether another place may do better: not where the request itself is what is wrong.
fn fails_over(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::Unreachable { .. }
            | ModelError::NoAnswer { .. }
            | ModelError::CutOff { .. }
            | ModelError::Busy { .. }
            | ModelError::GaveUp { .. }
            | ModelError::Status { status: 404 | 408 | 409 | 425 | 500..=599, .. }
    )
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::llm::answer::{Answer, whole};
    use crate::llm::prompt::Prompt;
    use crate::llm::provider::Form;

    /// Answers with its name, or fails with what it is told to.
    struct Scripted {
        name: &'static str,
        asked: AtomicUsize,
        fails: Mutex<Option<ModelError>>,
        /// Says a word before it fails.
        begins: bool,
        allowed: bool,
    }

    impl Scripted {
        fn new(name: &'static str, fails: Option<ModelError>) -> Arc<Self> {
            Arc::new(Self { name, asked: AtomicUsize::new(0), fails: Mutex::new(fails), begins: false, allowed: true })
        }
    }

    impl Provider for Scripted {
        fn model(&self) -> &str {
            "m"
        }

        fn host(&self) -> &str {
            self.name
        }

        fn is_local(&self) -> bool {
            true
        }

        fn is_allowed(&self) -> bool {
            self.allowed
        }

        fn outgoing(&self, _: &Request) -> String {
            self.name.into()
        }

        fn stream(&self, _: Request, _: CancellationToken) -> mpsc::Receiver<Result<Piece, ModelError>> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            let (sender, receiver) = mpsc::channel(4);
            let fails = self.fails.lock().clone();
            if fails.is_none() || self.begins {
                sender.try_send(Ok(Piece::Text(self.name.into()))).unwrap();
            }
            sender.try_send(fails.map_or(Ok(Piece::End(Usage::default())), Err)).unwrap();
            receiver
        }
    }

    fn pool(places: &[&Arc<Scripted>]) -> Pool {
        Pool::new(places.iter().map(|place| Arc::clone(place) as Arc<dyn Provider>).collect())
    }

    async fn ask(pool: &Pool) -> Result<Answer, ModelError> {
        let request = Request { prompt: Prompt::default(), max_tokens: 1, temperature: 0.0, form: Form::Text };
        whole(pool, request, CancellationToken::new()).await
    }

    fn dead() -> ModelError {
        ModelError::Unreachable { host: "a".into(), why: "refused".into() }
    }

    #[tokio::test]
    async fn a_place_that_fails_is_passed_over_and_rests() {
        let (a, b) = (Scripted::new("a", Some(dead())), Scripted::new("b", None));
        let pool = pool(&[&a, &b]);
        for _ in 0..3 {
            assert_eq!(ask(&pool).await.unwrap().text, "b");
        }
        assert_eq!((a.asked.load(Ordering::SeqCst), b.asked.load(Ordering::SeqCst)), (1, 3), "the first one rests");
        // When the other one fails too, the one that rests is asked after all.
        *a.fails.lock() = None;
        *b.fails.lock() = Some(dead());
        assert_eq!(ask(&pool).await.unwrap().text, "a");
    }

    #[tokio::test]
    async fn an_answer_that_breaks_off_is_begun_anew_elsewhere_and_never_put_together_of_two() {
        let mut first = Arc::into_inner(Scripted::new("a", Some(dead()))).unwrap();
        first.begins = true;
        let (a, b) = (Arc::new(first), Scripted::new("b", None));
        let pool = pool(&[&a, &b]);
        let request = Request { prompt: Prompt::default(), max_tokens: 1, temperature: 0.0, form: Form::Text };
        let mut pieces = pool.stream(request, CancellationToken::new());
        let told = "a cannot be reached: refused.";
        for piece in
            [Piece::Text("a".into()), Piece::Elsewhere(told.into()), Piece::Text("b".into()), Piece::End(Usage::default())]
        {
            assert_eq!(pieces.recv().await, Some(Ok(piece)));
        }
        assert_eq!(ask(&pool).await.unwrap().text, "b");
        // Where nobody is left, what was begun is no answer.
        *b.fails.lock() = Some(ModelError::CutOff { host: "b".into(), why: "gone".into() });
        assert!(ask(&pool).await.is_err());
    }

    #[tokio::test]
    async fn a_request_that_is_wrong_is_wrong_everywhere() {
        let key = ModelError::Key { host: "a".into(), variable: None, said: String::new() };
        let (a, b) = (Scripted::new("a", Some(key.clone())), Scripted::new("b", None));
        assert_eq!(ask(&pool(&[&a, &b])).await, Err(key));
        assert_eq!(b.asked.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn when_all_fail_the_round_is_made_again_and_then_the_last_reason_is_given() {
        let (a, b) = (Scripted::new("a", Some(dead())), Scripted::new("b", Some(dead())));
        assert_eq!(ask(&pool(&[&a, &b])).await, Err(dead()));
        assert_eq!(a.asked.load(Ordering::SeqCst), TRIES as usize);
    }

    #[tokio::test]
    async fn people_hear_of_the_place_that_nobody_allowed_yet() {
        let mut second = Arc::into_inner(Scripted::new("b", None)).unwrap();
        second.allowed = false;
        let pool = pool(&[&Scripted::new("a", None), &Arc::new(second)]);
        assert_eq!((pool.host(), pool.is_allowed()), ("b", false));
    }
}
