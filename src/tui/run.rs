//! The loop: input first, then signals, results, announcements and time; a frame when something changed.

use std::io::{IsTerminal, stdin, stdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::mpsc;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::domain::command::Command;
use crate::domain::event::Event;
use crate::domain::settings;
use crate::tui::app::{AppState, Effect, Msg};
use crate::tui::backend::Backend;
use crate::tui::effects::{self, World};
use crate::tui::event::Input;
use crate::tui::frame::FrameLimiter;
use crate::tui::terminal::Screen;
use crate::tui::update::{start, update};
use crate::tui::{session, words};

/// How often the text of a model is looked at.
const STREAM: Duration = Duration::from_millis(50);
/// How often counters move.
const COUNTERS: Duration = Duration::from_millis(250);
/// Messages taken before a frame is due again.
const BATCH: usize = 256;

/// Refuses to open where nobody could see or press anything.
///
/// # Errors
/// Fails when standard input or output is no terminal, with the verbs that need none.
pub fn require_terminal() -> Result<(), Trouble> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(Trouble::environment(words::NO_TERMINAL).so(words::NO_TERMINAL_TODO));
    }
    if std::env::var_os("TERM").is_some_and(|kind| kind == "dumb") {
        return Err(Trouble::environment(words::DUMB_TERMINAL).because(words::DUMB_TERMINAL_WHY).so(words::DUMB_TERMINAL_TODO));
    }
    Ok(())
}

/// Opens the workbench and stays until the person leaves.
///
/// # Errors
/// Fails when there is no terminal, or the terminal refuses.
pub async fn run(backend: Arc<dyn Backend>, settings: settings::Tui) -> Result<(), Trouble> {
    require_terminal()?;
    let no_terminal = |error: std::io::Error| Trouble::environment("The terminal cannot be used.").because(format!("{error}."));
    let mut events = backend.subscribe();
    let mut newer = backend.newer();
    let (theme, no_theme) = effects::theme(&settings.theme).map_or_else(|trouble| (None, Some(trouble)), |theme| (theme, None));
    let screen = Screen::enter(&settings, theme).map_err(no_terminal)?;
    let (results, mut arrived) = mpsc::unbounded_channel();
    let mut state = start(backend.snapshot(), &settings, screen.size(), clock::steady());
    state.glyphs = screen.glyphs;
    state.zone = effects::zone();
    state.log_file = effects::log_file();
    match effects::keymap() {
        Ok(keymap) => state.keymap = keymap,
        Err(trouble) => state.messages.fail(state.now, &trouble),
    }
    if let Some(trouble) = no_theme {
        state.messages.fail(state.now, &trouble);
    }
    let mut world =
        World { backend: Arc::clone(&backend), results, screen, input: Input::default(), following: None, wrong: Vec::new() };
    world.input.start();
    let mut signals = Signals::new().map_err(no_terminal)?;
    let mut frames = FrameLimiter::default();
    let mut todo = update(&mut state, Msg::Tick, clock::steady());
    let mut open = true;
    let mut ticked_at = Instant::now();
    'work: loop {
        for effect in std::mem::take(&mut todo) {
            if !world.run(&mut state, effect).await {
                break 'work;
            }
        }
        let now = Instant::now();
        if state.dirty && frames.wait(now).is_zero() {
            world.screen.draw(&state).map_err(no_terminal)?;
            state.dirty = false;
            frames.drawn(now);
        }
        let pause = pause(&state, &frames, ticked_at);
        let msg = tokio::select! {
            biased;
            msg = world.input.next() => msg.unwrap_or(Msg::Terminate),
            msg = signals.next() => msg,
            Some(msg) = arrived.recv() => msg,
            event = events.recv(), if open => {
                open = !matches!(event, Err(RecvError::Closed));
                Msg::Happened(Box::new(event.unwrap_or(Event::Resync)), backend.snapshot())
            }
            Ok(()) = newer.changed() => Msg::Snapshot(backend.snapshot()),
            () = sleep(pause) => Msg::Tick,
        };
        let ticked = matches!(msg, Msg::Tick);
        if ticked {
            ticked_at = Instant::now();
        }
        todo.extend(update(&mut state, msg, clock::steady()));
        if ticked
            && let Some(id) = state.streaming()
            && let Some(view) = backend.stream(id)
        {
            todo.extend(update(&mut state, Msg::Stream(id, view), clock::steady()));
        }
        // News that is there already shares the frame; keys come first again at the next turn.
        for _ in 0..BATCH {
            if ends_here(&todo) {
                break;
            }
            let next = arrived.try_recv().ok().or_else(|| match events.try_recv() {
                Ok(event) => Some(Msg::Happened(Box::new(event), backend.snapshot())),
                Err(TryRecvError::Lagged(_)) => Some(Msg::Happened(Box::new(Event::Resync), backend.snapshot())),
                Err(TryRecvError::Empty | TryRecvError::Closed) => None,
            });
            let Some(msg) = next else { break };
            todo.extend(update(&mut state, msg, clock::steady()));
        }
    }
    backend.send(Command::KeepSession { state: session::keep(&state) });
    Ok(())
}

/// Tells whether an effect waits that takes the terminal or ends: later keys are not ours to read.
fn ends_here(todo: &[Effect]) -> bool {
    todo.iter().any(|effect| {
        matches!(
            effect,
            Effect::Quit | Effect::Suspend | Effect::EditDraft { .. } | Effect::EditSource { .. } | Effect::EditSettings
        )
    })
}

/// Finds how long nothing has to be done unless something happens; without end when idle. Time that news took counts,
/// so that no stream of news can stop the clock.
fn pause(state: &AppState, frames: &FrameLimiter, ticked_at: Instant) -> Option<Duration> {
    let now = Instant::now();
    let since = now.saturating_duration_since(ticked_at);
    let frame = state.dirty.then(|| frames.wait(now).max(Duration::from_millis(1)));
    let stream = state.streaming().map(|_| STREAM.saturating_sub(since));
    let counters = state.needs_ticks().then(|| COUNTERS.saturating_sub(since));
    [frame, stream, counters].into_iter().flatten().min()
}

async fn sleep(pause: Option<Duration>) {
    match pause {
        Some(pause) => tokio::time::sleep(pause).await,
        None => std::future::pending().await,
    }
}

/// The signals that the workbench heeds: those that end it, and a new size of the terminal. crossterm tells sizes, too, but
/// loses one that comes together with a key.
struct Signals {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 3],
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let kinds = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::window_change()];
            let [terminate, hangup, size] = kinds.map(signal);
            Ok(Self { signals: [terminate?, hangup?, size?] })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    async fn next(&mut self) -> Msg {
        #[cfg(unix)]
        {
            let [terminate, hangup, size] = &mut self.signals;
            tokio::select! {
                _ = terminate.recv() => Msg::Terminate,
                _ = hangup.recv() => Msg::Terminate,
                _ = size.recv() => match crossterm::terminal::size() {
                    Ok((width, height)) => Msg::Resize(width, height),
                    Err(_) => Msg::Tick,
                },
            }
        }
        #[cfg(not(unix))]
        std::future::pending::<Msg>().await
    }
}
