//! `pytead-tui draft`: tests by the chosen language model, written while you watch, then proved. For a function, a file or
//! a folder; each function is one request, and what was answered once is not asked again.

use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::cli::args::{Draft, Global};
use crate::cli::exit::{FINDINGS, INTERRUPTED, OK};
use crate::cli::output::{self, Output};
use crate::cli::start::{opened, options, root_of};
use crate::cli::{ask, former, r#gen, show};
use crate::domain::command::Command;
use crate::domain::event::{Event, Level};
use crate::domain::function::{FunctionId, FunctionKind};
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::domain::snapshot::Snapshot;
use crate::engine::{self, Done, Handle};

/// Functions in a row whose request failed, after which the rest is not tried.
const PATIENCE: usize = 3;

/// Asks the model for each function, streams what it writes, prints the proved drafts.
pub async fn draft(global: &Global, args: Draft) -> Result<u8, Trouble> {
    let mut global = args.models.with(global);
    global.given.clone_from(&args.config);
    global.flags.extend(args.flags());
    let mut out = Output::stdout(global.format);
    let root = root_of(&global, None)?;
    if let Some(folder) = &args.scan_root {
        scanned(folder, &root)?;
    }
    let options = options(&global, root, false)?;
    engine::require_trust(&options.root, options.trust)?;
    let folder = args.output.clone().or_else(|| options.settings.output.default_dir.clone().map(Into::into));
    let handle = opened(options, &mut out).await?;
    former::indexes(&handle, &mut out, args.save_index.as_deref(), args.load_index.as_deref()).await?;
    let snapshot = handle.refreshed().await;
    let functions = targets(&handle, &snapshot, &args.target)?;
    if args.show_outgoing {
        for function in &functions {
            let outgoing = handle.outgoing_draft(function, args.message.as_deref()).await?;
            out.result("outgoing", &serde_json::json!({ "function": function, "text": outgoing }));
            out.say(text::display(&outgoing));
        }
        handle.close().await;
        return Ok(OK);
    }
    let mut run = Run::new(&handle, !args.no_stream && !out.is_json());
    let (many, mut failed, mut in_a_row) = (functions.len() > 1, 0, 0);
    for (at, function) in functions.iter().enumerate() {
        if many {
            out.say(format!("\n[{}/{}] {function}", at + 1, functions.len()));
        }
        let command = Command::AskModel { function: function.clone(), remark: args.message.clone() };
        match run.one(&mut out, command).await {
            Ok(true) => in_a_row = 0,
            Ok(false) => (failed, in_a_row) = (failed + 1, 0),
            // One function alone fails as a whole.
            Err(trouble) if !many => {
                handle.close().await;
                return Err(trouble);
            }
            Err(trouble) => {
                out.trouble(&trouble);
                (failed, in_a_row) = (failed + 1, in_a_row + 1);
            }
        }
        if run.interrupted || in_a_row == PATIENCE {
            break;
        }
    }
    if many {
        let ready = text::count(run.ready.len(), "draft");
        out.say(format!("\n{ready} proved of {}; {}", text::count(functions.len(), "function"), run.pace()));
    }
    let place = folder.as_deref().map_or((None, None), |path| {
        if path.extension().is_some_and(|end| end == "py") { (Some(path), None) } else { (None, Some(path)) }
    });
    if place != (None, None) {
        r#gen::place(&handle, &mut out, &run.ready, false, place.0, place.1)?;
    }
    let code = match run.interrupted {
        true => INTERRUPTED,
        false if failed > 0 => FINDINGS,
        false => OK,
    };
    handle.close().await;
    Ok(code)
}

/// Checks the folder of `--scan-root`: the index of classes is that of the whole project, which it does not move.
fn scanned(folder: &Path, root: &Path) -> Result<(), Trouble> {
    let shown = text::display_line(&folder.display().to_string()).into_owned();
    let real = folder.canonicalize().ok().filter(|real| real.is_dir());
    let real = real.ok_or_else(|| Trouble::usage(format!("There is no folder {shown}.")))?;
    if real.starts_with(root) {
        return Ok(());
    }
    let project = text::display_line(&root.display().to_string()).into_owned();
    Err(Trouble::usage(format!("--scan-root {shown} is not in the project {project}."))
        .because("Classes are known of one project.")
        .so(format!("Name a project that holds both: --root {shown}.")))
}

/// Finds what a person named: one function, or all that can be tested of a file or a folder.
fn targets(handle: &Handle, snapshot: &Snapshot, target: &str) -> Result<Vec<FunctionId>, Trouble> {
    let path = Path::new(target).canonicalize().ok().filter(|path| path.is_dir() || path.is_file());
    let Some(path) = path else {
        return match handle.find(target)?.as_slice() {
            [one] => Ok(vec![one.clone()]),
            several => {
                let names: Vec<String> = several.iter().take(5).map(ToString::to_string).collect();
                Err(Trouble::usage(format!("{target} names {} functions.", several.len()))
                    .so(format!("Choose one: {}.", names.join(", "))))
            }
        };
    };
    let root = snapshot.root.canonicalize().unwrap_or_else(|_| snapshot.root.clone());
    let below = RelPath::below(&root, &path);
    if below.is_none() && path != root {
        return Err(
            Trouble::usage(format!("{} is not in the project.", text::display_line(target))).so("Name its project with --root.")
        );
    }
    let prefix = below.map(|below| below.as_str().to_owned()).unwrap_or_default();
    let is_in = |file: &RelPath| {
        let rest = file.as_str().strip_prefix(prefix.as_str());
        prefix.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_test = |file: &RelPath| {
        let name = file.file_name();
        name == "conftest.py" || name.starts_with("test_") || name.ends_with("_test.py")
    };
    let functions: Vec<FunctionId> = snapshot
        .functions
        .iter()
        .filter(|row| is_in(&row.path) && (path.is_file() || !is_test(&row.path)) && row.kind != FunctionKind::Nested)
        .map(|row| row.id.clone())
        // The object's own protocol is tested through what uses it; a twin has no name of its own.
        .filter(|id| !id.qualname().contains('#') && !id.qualname().rsplit('.').next().is_some_and(|name| name.starts_with("__")))
        .collect();
    if functions.is_empty() {
        return Err(Trouble::usage(format!("{} holds no function to test.", text::display_line(target))));
    }
    Ok(functions)
}

/// Work that a model writes for, and what came of it.
pub(super) struct Run<'a> {
    handle: &'a Handle,
    /// Tokens are printed as they come.
    live: bool,
    /// Somebody stopped it.
    pub interrupted: bool,
    ready: Vec<ProposalId>,
    seconds: f64,
    tokens: u64,
}

impl<'a> Run<'a> {
    /// Begins; tokens are printed as they come where that is wanted and a person reads.
    pub fn new(handle: &'a Handle, live: bool) -> Self {
        let live = live && std::io::stdout().is_terminal();
        Self { handle, live, interrupted: false, ready: Vec::new(), seconds: 0.0, tokens: 0 }
    }

    /// Has a model write one proposal and prints it; tells whether a person may decide on it.
    pub async fn one(&mut self, out: &mut Output, command: Command) -> Result<bool, Trouble> {
        let handle = self.handle;
        let mut events = handle.subscribe();
        let work = handle.perform(command);
        tokio::pin!(work);
        let mut tick = tokio::time::interval(Duration::from_millis(50));
        let mut writing: Option<Writing> = None;
        let done = loop {
            tokio::select! {
                done = &mut work => break done,
                _ = tokio::signal::ctrl_c() => {
                    // The first stops the model or the proof, and what was written is kept; the second does not wait for it.
                    if self.interrupted {
                        return Ok(false);
                    }
                    self.interrupted = true;
                    handle.send(Command::Cancel { job: None });
                }
                event = events.recv() => if let Ok(event) = event {
                    if let Event::ProposalMoved { proposal, state, .. } = &event {
                        match (state, &mut writing) {
                            (ProposalState::Streaming, None) => writing = Some(Writing::new(*proposal)),
                            // It goes back to the model once.
                            (ProposalState::Streaming, Some(writing)) => *writing = Writing::new(*proposal),
                            (_, Some(writing)) if writing.id == *proposal => self.pause(out, writing),
                            _ => {}
                        }
                    }
                    out.event(&event);
                    match event {
                        Event::Asked { question, .. } => ask::question(handle, question).await?,
                        // What a model was not asked with, among others.
                        Event::Said { level: Level::Warning, text } if !out.is_json() => output::note(&text.to_string()),
                        _ => {}
                    }
                },
                _ = tick.tick(), if self.live => if let Some(writing) = &mut writing { writing.show(handle) },
            }
        };
        if let Some(writing) = &mut writing {
            self.pause(out, writing);
        }
        let Done::Proposal(id) = done? else { return Err(Trouble::environment("No draft: nothing was sent.")) };
        let view = handle.proposal(id)?;
        out.result("proposal", &view);
        out.say(show::proposal(&view));
        let is_ready = view.proposal.state == ProposalState::Ready;
        self.ready.extend(is_ready.then_some(id));
        Ok(is_ready)
    }

    /// Says how fast an answer came, once.
    fn pause(&mut self, out: &mut Output, writing: &mut Writing) {
        let Some(stream) = self.handle.stream(writing.id).filter(|stream| stream.ended && !writing.told) else { return };
        if self.live {
            writing.show(self.handle);
            output::raw("\n");
        }
        let seconds = writing.since.elapsed().as_secs_f64();
        writing.told = true;
        out.say(pace(seconds, stream.tokens));
        self.seconds += seconds;
        self.tokens += stream.tokens;
    }

    fn pace(&self) -> String {
        pace(self.seconds, self.tokens)
    }
}

/// An answer that is being written.
struct Writing {
    id: ProposalId,
    /// Bytes of it that were printed.
    shown: usize,
    since: Instant,
    told: bool,
}

impl Writing {
    fn new(id: ProposalId) -> Self {
        Self { id, shown: 0, since: Instant::now(), told: false }
    }

    /// Prints what is new of it.
    fn show(&mut self, handle: &Handle) {
        let Some(stream) = handle.stream(self.id) else { return };
        if stream.text.len() < self.shown {
            // It begins anew at another place.
            output::raw("\n");
            self.shown = 0;
        }
        if let Some(fresh) = stream.text.get(self.shown..)
            && !fresh.is_empty()
        {
            output::raw(&text::display(fresh));
            self.shown = stream.text.len();
        }
    }
}

/// Says how long an answer took, and how fast it came.
fn pace(seconds: f64, tokens: u64) -> String {
    #[allow(clippy::cast_precision_loss)] // a rate for people; an answer that was kept has none
    let rate = if seconds >= 0.05 { tokens as f64 / seconds } else { 0.0 };
    format!("{seconds:.1}s | {tokens} tokens | {rate:.1} tok/s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_told_as_the_predecessor_did() {
        assert_eq!(pace(12.0, 340), "12.0s | 340 tokens | 28.3 tok/s");
        assert_eq!(pace(0.0, 0), "0.0s | 0 tokens | 0.0 tok/s");
    }
}
