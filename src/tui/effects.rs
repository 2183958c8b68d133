//! What `update` wants done outside: asking the engine, reading, the editor, the clipboard, the shell.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;

use crate::base::error::Trouble;
use crate::base::paths::tilde;
use crate::base::text;
use crate::config::places::{LOG, Places};
use crate::domain::call::CallId;
use crate::tui::app::{AppState, Effect, Msg};
use crate::tui::backend::Backend;
use crate::tui::clipboard::{self, Route};
use crate::tui::diff::PlannedFile;
use crate::tui::doc::Loaded;
use crate::tui::event::Input;
use crate::tui::keymap::Keymap;
use crate::tui::local_time::Zone;
use crate::tui::terminal::Screen;
use crate::tui::theme::{Theme, ThemeName};
use crate::tui::{editor, highlight, words};

/// How long a call stays selected before it is run again.
const REST: Duration = Duration::from_millis(150);

/// What effects work on.
pub struct World {
    /// The engine.
    pub backend: Arc<dyn Backend>,
    /// Where results go.
    pub results: UnboundedSender<Msg>,
    /// The terminal.
    pub screen: Screen,
    /// The keys.
    pub input: Input,
    /// A call that is run again for what its lines give.
    pub following: Option<AbortHandle>,
    /// What is wrong in the files of keys and themes, and was told.
    pub wrong: Vec<Trouble>,
}

impl World {
    /// Does one thing; tells whether the workbench goes on.
    pub async fn run(&mut self, state: &mut AppState, effect: Effect) -> bool {
        match effect {
            Effect::Send(command) => self.backend.send(command),
            Effect::ReadSource(path) => self.read(move |backend| {
                let lines = backend.source(&path).map(|text| highlight::lines(path.file_name(), &text));
                Msg::Source(path, lines)
            }),
            Effect::ReadCalls(function) => self.read(move |backend| {
                let kinds = backend.call_kinds(&function);
                Msg::Calls(function, kinds)
            }),
            Effect::ReadCallRows(function, kinds) => self.read(move |backend| {
                let rows = backend.call_rows(&kinds);
                Msg::CallRows(function, rows)
            }),
            Effect::ReadTestsThrough(function) => self.read(move |backend| {
                let tests = backend.tests_through(&function);
                Msg::TestsThrough(function, tests)
            }),
            Effect::FollowCall(call) => self.follow(call),
            Effect::ReadRecorded(id) => self.read(move |backend| Msg::Recorded(id, backend.recorded(id))),
            Effect::ReadProposal(id) => {
                self.read(move |backend| Msg::Proposal(id, Box::new(backend.proposal(id).map(Loaded::new))))
            }
            Effect::ReadJudged(test) => self.read(move |backend| {
                let view = backend.judged(&test);
                Msg::Judged(test, Box::new(view))
            }),
            Effect::ReadSpec(file) => self.read(move |backend| {
                let view = backend.spec(&file);
                Msg::Spec(file, Box::new(view))
            }),
            Effect::ReadDiff => self.tell(Msg::Diff(self.backend.diffed())),
            Effect::ReadPlan(ids) => self.read(move |backend| {
                let plan = backend.plan(&ids).map(|edits| edits.iter().map(PlannedFile::new).collect());
                Msg::Plan(ids, plan)
            }),
            Effect::ReadOther(id) => self.read(move |backend| Msg::Other(id, Box::new(backend.proposal(id).map(Loaded::new)))),
            Effect::ReadOutgoing(question) => self.tell(Msg::Outgoing(self.backend.outgoing(question))),
            Effect::TakeSettings(wrong) => self.take_settings(state, wrong),
            Effect::AskBackground => self.ask_background(),
            Effect::TakeBackground(dark) => state.dirty |= self.screen.take_background(dark),
            Effect::EditDraft { proposal, text, line } => {
                let edited = self.outside(state, editor::edit_text(&text, line)).await;
                self.tell(match edited {
                    Ok(after) => Msg::Edited(Some((proposal, text, after))),
                    Err(trouble) => Msg::Trouble(trouble),
                });
            }
            Effect::EditSource { path, line } => {
                let file = path.under(&state.snapshot.root);
                let opened = self.outside(state, editor::open(&file, line)).await;
                self.tell(match opened {
                    Ok(()) => Msg::Edited(None),
                    Err(trouble) => Msg::Trouble(trouble),
                });
            }
            Effect::EditSettings => {
                let opened = match own_settings() {
                    Ok(file) => self.outside(state, editor::open(&file, 1)).await,
                    Err(trouble) => Err(trouble),
                };
                self.tell(match opened {
                    Ok(()) => Msg::Edited(None),
                    Err(trouble) => Msg::Trouble(trouble),
                });
            }
            Effect::Copy(text) => self.copy(text).await,
            Effect::Redraw => self.redraw(state),
            Effect::Suspend => {
                self.outside(state, stop_here()).await;
            }
            Effect::Quit => return false,
        }
        true
    }

    fn ask_background(&mut self) {
        if self.screen.ask_background() {
            self.input.expect_background();
        }
    }

    /// Takes keys, theme and the rest as they are written now; what is wrong, here or with the other settings, takes the place
    /// of what was wrong before.
    fn take_settings(&mut self, state: &mut AppState, mut wrong: Vec<Trouble>) {
        let now = state.now;
        let of_the_engine = wrong.len();
        match keymap() {
            Ok(keymap) if keymap == state.keymap => {}
            Ok(keymap) => {
                state.keymap = keymap;
                state.messages.done(now, words::KEYS_READ);
            }
            Err(trouble) => wrong.push(Trouble { todo: Some(words::KEYS_STAY.into()), ..trouble }),
        }
        let settings = self.backend.settings();
        state.animations = settings.animations;
        let taken = theme(&settings.theme).and_then(|own| {
            self.screen
                .take_settings(&settings, own)
                .map_err(|error| Trouble::environment("The terminal did not take the settings.").because(error))
        });
        match taken {
            Ok(()) => self.ask_background(),
            Err(trouble) => wrong.push(trouble),
        }
        // What was wrong before is not told again because another file was saved.
        let news: Vec<&Trouble> = wrong.iter().filter(|trouble| !self.wrong.contains(trouble)).collect();
        state.messages.of_settings(now, &wrong, &news);
        wrong[of_the_engine..].iter().filter(|own| !self.wrong.contains(own)).for_each(|own| self.backend.note_settings(own));
        self.wrong = wrong;
        state.glyphs = self.screen.glyphs;
        state.dirty = true;
    }

    fn tell(&self, msg: Msg) {
        // The receiver lives as long as the loop; without it there is nobody to tell.
        let _ = self.results.send(msg);
    }

    fn read(&self, work: impl FnOnce(&dyn Backend) -> Msg + Send + 'static) {
        let (backend, results) = (Arc::clone(&self.backend), self.results.clone());
        tokio::task::spawn_blocking(move || {
            let _ = results.send(work(&*backend));
        });
    }

    /// Runs a call again for what its lines give, unless another one is selected within a moment; ends what was run before.
    fn follow(&mut self, call: Option<CallId>) {
        if let Some(before) = self.following.take() {
            before.abort();
        }
        let Some(call) = call else { return };
        let (backend, results) = (Arc::clone(&self.backend), self.results.clone());
        let work = tokio::spawn(async move {
            tokio::time::sleep(REST).await;
            let _ = results.send(Msg::LineValues(call, backend.line_values(call).await));
        });
        self.following = Some(work.abort_handle());
    }

    /// Lets something else have the terminal: the keys are let go before, everything is drawn again after.
    async fn outside<T>(&mut self, state: &mut AppState, work: impl Future<Output = T>) -> T {
        self.input.stop();
        self.screen.pause();
        let done = work.await;
        if let Err(error) = self.screen.resume() {
            self.tell(Msg::Trouble(Trouble::environment("The terminal could not be taken back.").because(error)));
        }
        self.input.start();
        state.size = self.screen.size();
        state.dirty = true;
        done
    }

    fn redraw(&mut self, state: &mut AppState) {
        if let Err(error) = self.screen.forget() {
            self.tell(Msg::Trouble(Trouble::environment("The terminal cannot be written to.").because(error)));
        }
        state.size = self.screen.size();
        state.dirty = true;
    }

    async fn copy(&mut self, text: String) {
        let lines = text.lines().count();
        let route = tokio::task::spawn_blocking(move || clipboard::copy(&text)).await.unwrap_or(Route::Nowhere);
        let route = match route {
            Route::Taken(name) => Some(name),
            Route::Terminal(sequence) => self.screen.send(&sequence).is_ok().then(|| "the terminal (OSC 52)".to_owned()),
            Route::Nowhere => None,
        };
        self.tell(Msg::Copied(lines, route));
    }
}

/// Stops this process as the shell's Ctrl-z does, and comes back when it goes on.
///
/// The signal may take a moment to stop every thread, so this waits for the one that continues; where nothing stops
/// (no shell to go to), it comes back by itself.
#[cfg(unix)]
async fn stop_here() {
    use tokio::signal::unix::{SignalKind, signal};

    const STOPS_WITHIN: std::time::Duration = std::time::Duration::from_millis(300);
    let Ok(mut goes_on) = signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw())) else { return };
    if rustix::process::kill_current_process_group(rustix::process::Signal::TSTP).is_ok() {
        let _ = tokio::time::timeout(STOPS_WITHIN, goes_on.recv()).await;
    }
}

#[cfg(not(unix))]
async fn stop_here() {}

/// Asks the system for the distance from UTC; the standard library does not know it.
#[must_use]
pub fn zone() -> Zone {
    let output = std::process::Command::new("date").arg("+%z").stderr(std::process::Stdio::null()).output();
    output.ok().and_then(|output| Zone::parse(&String::from_utf8_lossy(&output.stdout))).unwrap_or_default()
}

/// Names the file of the log, for people, where there is one.
#[must_use]
pub fn log_file() -> Option<String> {
    let file = Places::find().ok()?.state.join(LOG);
    file.is_file().then(|| tilde(&file))
}

/// Reads the person's changes of the keys; without a file the built-in ones.
///
/// # Errors
/// Fails when the file is there and cannot be read or is wrong.
pub fn keymap() -> Result<Keymap, Trouble> {
    own_file("keys.toml")?.map_or_else(|| Ok(Keymap::built_in()), |source| Keymap::with_changes(&source))
}

/// Reads the theme that a person made under this name; none where it is the name of a built-in one, or `auto`.
///
/// # Errors
/// Fails when there is no such theme, or it cannot be read or is wrong.
pub fn theme(name: &str) -> Result<Option<Theme>, Trouble> {
    if name == "auto" || ThemeName::parse(name).is_some() {
        return Ok(None);
    }
    let missing = || {
        Trouble::usage(format!("There is no theme {}.", text::display_line(name)))
            .so("Name one of auto, dark, light, ansi and mono, or put NAME.toml into themes/ beside your config.yaml.")
    };
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
        return Err(missing());
    }
    let source = own_file(&format!("themes/{name}.toml"))?.ok_or_else(missing)?;
    Theme::own(name, &source).map(Some)
}

/// Gives the file of the person's own settings, in a folder that is there.
fn own_settings() -> Result<std::path::PathBuf, Trouble> {
    let folder = Places::find()?.config;
    std::fs::create_dir_all(&folder)
        .map_err(|error| Trouble::environment(format!("Cannot make {}.", tilde(&folder))).because(format!("{error}.")))?;
    Ok(folder.join("config.yaml"))
}

/// Reads a file of the person's own settings, where there is one.
fn own_file(name: &str) -> Result<Option<String>, Trouble> {
    let file = Places::find()?.config.join(name);
    match std::fs::read_to_string(&file) {
        Ok(source) => Ok(Some(source)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Trouble::environment(format!("{} cannot be read.", tilde(&file))).because(error)),
    }
}
