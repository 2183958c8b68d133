//! Recorded answers: a folder of files, one a request, so that tests and CI need no model.
//!
//! A provider around another one, or instead of one. A file is found by a hash of what is asked and of the form the
//! answer has to have; who is asked, and with which temperature, is no part of it: what was recorded with one model is
//! replayed where none is set up. Secrets are replaced before anything is hashed or written.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::base::hash;
use crate::base::paths::{RelPath, tilde};
use crate::base::redact::Redactor;
use crate::base::text::display_line;
use crate::domain::settings::Answers;
use crate::llm::program::run;
use crate::llm::provider::{Form, ModelError, Piece, Provider, Request, Usage};

/// Stands where the host would, for answers that come from nowhere else.
const HERE: &str = "recorded answers";
/// The version of the files.
const VERSION: u32 = 1;
/// Most bytes read of a file: an answer has at most 1 MiB, its request less.
const FILE_MAX: u64 = 4 << 20;
/// Most answers that are only kept; then the older half goes.
const KEPT_MAX: usize = 2_000;

/// Where recorded answers lie.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    below: RelPath,
}

/// One recorded answer, as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    version: u32,
    /// What was asked, for people who read the file; only its hash is looked at.
    request: Value,
    /// Who answered.
    model: String,
    answer: String,
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    written_tokens: Option<u64>,
}

/// A provider that keeps answers, or gives kept ones.
pub struct Cassette {
    shared: Arc<Shared>,
}

struct Shared {
    folder: Folder,
    /// Who is asked where nothing is recorded; nobody when only recorded answers are given.
    asked: Option<Arc<dyn Provider>>,
    /// Gives a recorded answer where there is one.
    replays: bool,
    /// For answers that are only kept: what they depend on besides the request. They stand for the model's own.
    kept_by: Option<String>,
    /// The model's name, for people.
    model: String,
    /// Only recorded answers are given because `CI` is set.
    in_ci: bool,
}

impl Folder {
    /// Names a folder below a project's root; it need not be there.
    #[must_use]
    pub fn new(root: &Path, below: RelPath) -> Self {
        Self { root: root.to_owned(), below }
    }

    /// Gives the path of a request's file: the same for the same request, whatever machine it is on.
    fn file(&self, asked: &Value) -> PathBuf {
        self.below.under(&self.root).join(format!("{}.json", hash::of(asked.to_string().as_bytes())))
    }

    /// Reads a request's answer; `None` where there is none.
    fn read(&self, asked: &Value) -> Result<Option<Recorded>, ModelError> {
        let path = self.file(asked);
        let wrong = |why: String| ModelError::BadRecording { file: self.shown(&path), why };
        match std::fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_file() && meta.len() <= FILE_MAX => {}
            Ok(_) => return Err(wrong("it is no file, or too large".into())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(wrong(error.to_string())),
        }
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
        let recorded: Recorded = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if recorded.version != VERSION {
            return Err(wrong(format!("its version is {}", recorded.version)));
        }
        Ok(Some(recorded))
    }

    /// Writes an answer, whole or not at all.
    fn write(&self, asked: &Value, recorded: &Recorded) -> Result<(), ModelError> {
        let path = self.file(asked);
        let not = |error: std::io::Error| ModelError::BadRecording { file: self.shown(&path), why: error.to_string() };
        let folder = self.below.under(&self.root);
        std::fs::create_dir_all(&folder).map_err(not)?;
        // A link could lead the files out of the project.
        let (root, real) = (self.root.canonicalize().map_err(not)?, folder.canonicalize().map_err(not)?);
        if real != self.below.under(&root) {
            return Err(ModelError::BadRecording { file: self.shown(&path), why: "a link leads out of the project".into() });
        }
        let mut text = serde_json::to_string_pretty(recorded).map_err(|error| not(error.into()))?;
        text.push('\n');
        let mut file = tempfile::NamedTempFile::new_in(&folder).map_err(not)?;
        file.write_all(text.as_bytes()).map_err(not)?;
        file.persist(&path).map_err(|error| not(error.error))?;
        Ok(())
    }

    /// Lets the oldest answers go when there are very many.
    fn prune(&self) {
        let Ok(entries) = std::fs::read_dir(self.below.under(&self.root)) else { return };
        let mut files: Vec<_> =
            entries.flatten().filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
        if files.len() > KEPT_MAX {
            files.sort();
            for (_, path) in files.iter().take(files.len() - KEPT_MAX / 2) {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Removes answers, or with an age only older ones; with `look` nothing is removed. Gives how many, and their bytes.
    #[must_use]
    pub fn clean(&self, older_than: Option<Duration>, look: bool) -> (u64, u64) {
        let folder = self.below.under(&self.root);
        // A link could lead to files of somebody else.
        let is_own =
            self.root.canonicalize().is_ok_and(|root| folder.canonicalize().is_ok_and(|real| real == self.below.under(&root)));
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten().filter(|_| is_own);
        let (mut count, mut bytes) = (0, 0);
        for entry in entries {
            let Ok(meta) = entry.metadata().map(|meta| (meta.is_file(), meta.len(), meta.modified().ok())) else { continue };
            let (is_file, size, modified) = meta;
            let is_old = older_than.is_none_or(|age| modified.and_then(|at| at.elapsed().ok()).is_some_and(|past| past >= age));
            let is_answer = is_file && entry.path().extension().is_some_and(|end| end == "json");
            if is_answer && is_old && (look || std::fs::remove_file(entry.path()).is_ok()) {
                (count, bytes) = (count + 1, bytes + size);
            }
        }
        (count, bytes)
    }

    fn shown(&self, path: &Path) -> String {
        let below = RelPath::below(&self.root, path).map(|path| path.as_str().to_owned());
        display_line(&below.unwrap_or_else(|| tilde(path))).into_owned()
    }
}

impl Cassette {
    /// Gives recorded answers and nothing else: no connection is opened. `model` is its name where the settings have one; `in_ci` tells that
    /// nobody chose this.
    #[must_use]
    pub fn alone(folder: Folder, model: Option<&str>, in_ci: bool) -> Self {
        let model = model.map_or_else(|| "recorded model".into(), |name| display_line(name).into_owned());
        Self { shared: Arc::new(Shared { folder, asked: None, replays: true, kept_by: None, model, in_ci }) }
    }

    /// Keeps the answers of another provider; recorded ones are given in place of asking where `mode` is
    /// [`Answers::Record`].
    #[must_use]
    pub fn around(asked: Arc<dyn Provider>, folder: Folder, mode: Answers) -> Self {
        let model = asked.model().to_owned();
        let replays = mode != Answers::Live;
        Self { shared: Arc::new(Shared { folder, asked: Some(asked), replays, kept_by: None, model, in_ci: false }) }
    }

    /// Keeps the answers of another provider so that it is asked once for each: by its model and host and by
    /// `parameters`, all that its answer depends on. Such an answer is as good as asked for, and not labelled.
    #[must_use]
    pub fn keeping(asked: Arc<dyn Provider>, folder: Folder, parameters: &str) -> Self {
        let model = asked.model().to_owned();
        let kept_by = Some(format!("{model} at {}, {parameters}", asked.host()));
        Self { shared: Arc::new(Shared { folder, asked: Some(asked), replays: true, kept_by, model, in_ci: false }) }
    }
}

impl Provider for Cassette {
    fn model(&self) -> &str {
        &self.shared.model
    }

    fn host(&self) -> &str {
        self.shared.asked.as_ref().map_or(HERE, |asked| asked.host())
    }

    fn is_local(&self) -> bool {
        self.shared.asked.as_ref().is_none_or(|asked| asked.is_local())
    }

    fn is_allowed(&self) -> bool {
        self.shared.asked.as_ref().is_none_or(|asked| asked.is_allowed())
    }

    fn outgoing(&self, request: &Request) -> String {
        self.shared.asked.as_ref().map_or_else(String::new, |asked| asked.outgoing(request))
    }

    fn unsent(&self) -> Vec<&'static str> {
        self.shared.asked.as_ref().map(|asked| asked.unsent()).unwrap_or_default()
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> mpsc::Receiver<Result<Piece, ModelError>> {
        let shared = Arc::clone(&self.shared);
        let inner = cancel.child_token();
        run(cancel, |pieces| async move { shared.answer(request, &pieces, &inner).await })
    }
}

impl Shared {
    /// Gives the recorded answer. One that was only kept and cannot be read is as good as none.
    fn recorded(&self, asked: &Value) -> Result<Option<Recorded>, ModelError> {
        self.folder.read(asked).or_else(|error| if self.kept_by.is_some() { Ok(None) } else { Err(error) })
    }

    async fn answer(
        &self,
        request: Request,
        pieces: &mpsc::Sender<Result<Piece, ModelError>>,
        cancel: &CancellationToken,
    ) -> Result<Usage, ModelError> {
        let mut redactor = Redactor::from_environment();
        let mut asked = plain(&request, &mut redactor);
        if let Some(kept_by) = &self.kept_by {
            asked["by"] = kept_by.as_str().into();
        }
        if self.replays
            && let Some(recorded) = self.recorded(&asked)?
        {
            // A receiver that is gone ends the whole task; see `stream`.
            let _ = pieces.send(Ok(Piece::Text(recorded.answer))).await;
            return Ok(Usage {
                prompt: recorded.prompt_tokens,
                cached: None,
                written: recorded.written_tokens,
                replayed: self.kept_by.is_none(),
            });
        }
        let Some(provider) = &self.asked else {
            return Err(ModelError::NotRecorded { file: self.folder.shown(&self.folder.file(&asked)), in_ci: self.in_ci });
        };
        let mut stream = provider.stream(request, cancel.clone());
        let mut text = String::new();
        while let Some(piece) = stream.recv().await {
            match piece? {
                Piece::End(usage) => {
                    let recorded = Recorded {
                        version: VERSION,
                        request: asked.clone(),
                        model: provider.model().to_owned(),
                        answer: redactor.redact(&text).unwrap_or(text),
                        prompt_tokens: usage.prompt,
                        written_tokens: usage.written,
                    };
                    match self.folder.write(&asked, &recorded) {
                        // Keeping is a convenience: an answer is not lost over it.
                        Err(error) if self.kept_by.is_some() => tracing::debug!(%error, "an answer is not kept"),
                        written => written?,
                    }
                    if self.kept_by.is_some() {
                        self.folder.prune();
                    }
                    return Ok(usage);
                }
                piece => {
                    match &piece {
                        Piece::Text(more) => text.push_str(more),
                        Piece::Elsewhere(_) => text.clear(),
                        _ => {}
                    }
                    let _ = pieces.send(Ok(piece)).await;
                }
            }
        }
        Err(ModelError::CutOff { host: provider.host().to_owned(), why: "it ended without saying so".into() })
    }
}

/// Writes what identifies a request, without secrets.
fn plain(request: &Request, redactor: &mut Redactor) -> Value {
    let mut clean = |text: &str| redactor.redact(text).unwrap_or_else(|| text.to_owned());
    let prompt = &request.prompt;
    let mut asked = serde_json::json!({
        "system": clean(&prompt.system),
        "shared": prompt.shared.iter().map(|part| clean(part)).collect::<Vec<_>>(),
        "user": clean(&prompt.user),
    });
    match &request.form {
        Form::Text => {}
        Form::Json(schema) => asked["schema"] = Value::clone(schema),
        Form::Grammar(grammar) => asked["grammar"] = grammar.as_str().into(),
    }
    asked
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::llm::answer::{Answer, whole};
    use crate::llm::prompt::Prompt;

    /// Answers with how often it was asked, and with a secret.
    struct Counting(AtomicUsize);

    impl Provider for Counting {
        fn model(&self) -> &str {
            "counter"
        }

        fn host(&self) -> &str {
            "counter.example.com"
        }

        fn is_local(&self) -> bool {
            false
        }

        fn is_allowed(&self) -> bool {
            true
        }

        fn outgoing(&self, _: &Request) -> String {
            "out".into()
        }

        fn stream(&self, _: Request, _: CancellationToken) -> mpsc::Receiver<Result<Piece, ModelError>> {
            let times = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            let (sender, receiver) = mpsc::channel(4);
            let usage = Usage { prompt: Some(3), cached: Some(1), written: Some(2), replayed: false };
            for piece in [Piece::Text(format!("answer {times} ")), Piece::Text(SECRET.into()), Piece::End(usage)] {
                sender.try_send(Ok(piece)).unwrap();
            }
            receiver
        }
    }

    const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    fn request(user: &str) -> Request {
        let prompt = Prompt { system: "rules".into(), shared: vec!["catalogue".into()], user: user.into(), version: 1 };
        Request { prompt, max_tokens: 9, temperature: 0.0, form: Form::Text }
    }

    fn folder(root: &Path) -> Folder {
        Folder::new(root, RelPath::new("tests/answers").unwrap())
    }

    async fn ask(cassette: &Cassette, request: Request) -> Result<Answer, ModelError> {
        whole(cassette, request, CancellationToken::new()).await
    }

    #[tokio::test]
    async fn what_was_recorded_is_replayed_without_asking() {
        let place = tempfile::tempdir().unwrap();
        let counting = Arc::new(Counting(AtomicUsize::new(0)));
        let recording = Cassette::around(counting.clone(), folder(place.path()), Answers::Record);
        let user = format!("is {SECRET} right?");
        let first = ask(&recording, request(&user)).await.unwrap();
        assert_eq!((first.text.as_str(), first.usage.replayed), (format!("answer 1 {SECRET}").as_str(), false));

        // With another temperature and limit it is the same request; with another question or form it is not.
        let again = ask(&recording, Request { max_tokens: 1, temperature: 1.0, ..request(&user) }).await.unwrap();
        assert!(again.usage.replayed && again.text.starts_with("answer 1 [REDACTED"), "{}", again.text);
        assert_eq!(again.usage.prompt, Some(3));
        let form = Form::Json(Arc::new(serde_json::json!({ "type": "object" })));
        assert!(!ask(&recording, Request { form, ..request(&user) }).await.unwrap().usage.replayed);
        assert_eq!(counting.0.load(Ordering::SeqCst), 2);

        let alone = Cassette::alone(folder(place.path()), None, false);
        assert!(alone.is_local() && alone.is_allowed());
        assert!(ask(&alone, request(&user)).await.unwrap().usage.replayed);

        let live = Cassette::around(counting.clone(), folder(place.path()), Answers::Live);
        assert!(ask(&live, request(&user)).await.unwrap().text.starts_with("answer 3"));
        assert!(ask(&alone, request(&user)).await.unwrap().text.starts_with("answer 3"), "live records anew");

        let files = std::fs::read_dir(place.path().join("tests/answers")).unwrap();
        for file in files {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            assert!(!text.contains(SECRET) && text.contains("\"model\": \"counter\""), "{text}");
        }
    }

    #[tokio::test]
    async fn an_answer_that_is_only_kept_belongs_to_its_model_and_parameters() {
        let place = tempfile::tempdir().unwrap();
        let counting = Arc::new(Counting(AtomicUsize::new(0)));
        let keeping = |parameters: &str| Cassette::keeping(counting.clone(), folder(place.path()), parameters);
        let first = ask(&keeping("max 9"), request("q")).await.unwrap();
        let again = ask(&keeping("max 9"), request("q")).await.unwrap();
        assert!(first.text.starts_with("answer 1") && again.text.starts_with("answer 1") && !again.usage.replayed);
        assert!(ask(&keeping("max 10"), request("q")).await.unwrap().text.starts_with("answer 2"));
        let alone = Cassette::alone(folder(place.path()), None, false);
        assert!(matches!(ask(&alone, request("q")).await, Err(ModelError::NotRecorded { .. })), "it is no recording");
        // Where nothing can be kept, the answer is given all the same.
        std::fs::write(place.path().join("file"), "").unwrap();
        let nowhere = Folder::new(&place.path().join("file"), RelPath::new("x").unwrap());
        let answer = ask(&Cassette::keeping(counting.clone(), nowhere, ""), request("q")).await.unwrap();
        assert!(answer.text.starts_with("answer 3"));
    }

    #[tokio::test]
    async fn a_missing_or_broken_answer_is_named() {
        let place = tempfile::tempdir().unwrap();
        let alone = Cassette::alone(folder(place.path()), Some("coder"), false);
        let Err(ModelError::NotRecorded { file, .. }) = ask(&alone, request("new")).await else { panic!("it was answered") };
        assert!(file.starts_with("tests/answers/") && file.ends_with(".json"), "{file}");
        let path = place.path().join(&file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        for text in ["{", "{\"version\":9,\"request\":{},\"model\":\"m\",\"answer\":\"a\"}", "[]"] {
            std::fs::write(&path, text).unwrap();
            let error = ask(&alone, request("new")).await.unwrap_err();
            assert!(matches!(&error, ModelError::BadRecording { file: of, .. } if *of == file), "{error}");
        }
    }

    #[tokio::test]
    async fn nothing_is_written_outside_the_project() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), place.path().join("tests")).unwrap();
        let counting = Arc::new(Counting(AtomicUsize::new(0)));
        let recording = Cassette::around(counting, folder(place.path()), Answers::Record);
        assert!(matches!(ask(&recording, request("x")).await, Err(ModelError::BadRecording { .. })));
        assert!(std::fs::read_dir(elsewhere.path().join("answers")).is_ok_and(|mut files| files.next().is_none()));
    }
}
