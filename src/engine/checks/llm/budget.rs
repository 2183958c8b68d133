//! What a run may ask of a model, and what that costs: questions and tokens are counted for all processes of the run
//! together, so that its limits hold however many workers there are.
//!
//! Workers of one run share a small file in the user's state folder, changed only under its lock.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::base::seal;
use crate::base::text;
use crate::domain::settings::{self, Settings};

/// The folder in the user's state.
const FOLDER: &str = "judging";
/// No run lasts so long: what it counted goes.
const OVER: Duration = Duration::from_secs(48 * 3_600);
/// Larger files are not ours.
const SIZE_MAX: u64 = 4 << 10;

/// What was asked so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sums {
    questions: u64,
    tokens: u64,
}

/// What a run may ask, less what it has asked.
pub struct Purse {
    questions: u64,
    tokens: u64,
    spent: Spent,
}

enum Spent {
    /// This process is all of the run.
    Own(Mutex<Sums>),
    /// Several processes are.
    Shared(Mutex<File>),
}

/// The run that a process judges for.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Processes that judge its tests.
    pub processes: u32,
    /// What all of them know it by; none where it has one process.
    pub session: Option<String>,
}

impl Purse {
    /// Opens the purse of a run. Where what its processes ask cannot be counted together, each has its share.
    #[must_use]
    pub fn open(limits: &settings::Judge, run: &Run, state: Option<&Path>) -> Self {
        let (questions, tokens) = (u64::from(limits.session_questions), u64::from(limits.session_tokens));
        let shared = || Some(shared(&state?.join(FOLDER), run.session.as_deref()?));
        match shared() {
            Some(Ok(file)) => return Self { questions, tokens, spent: Spent::Shared(Mutex::new(file)) },
            Some(Err(error)) => tracing::debug!(%error, "what the processes of a run ask is not counted together"),
            None => {}
        }
        let processes = u64::from(run.processes.max(1));
        Self { questions: questions / processes, tokens: tokens / processes, spent: Spent::Own(Mutex::default()) }
    }

    /// Takes a question of so many tokens.
    ///
    /// # Errors
    /// When it is more than is left, with the sentence that says so.
    pub fn take(&self, tokens: usize) -> Result<(), String> {
        let tokens = tokens as u64;
        self.change(|sums| {
            let spent = |spent: u64, most: u64, what: &str, setting: &str| {
                let (spent, most) = (text::thousands(spent as usize), text::thousands(most as usize));
                Err(format!("Nothing more is asked: {spent} of {most} {what} of this run are spent. Raise judge.{setting}."))
            };
            if sums.questions >= self.questions {
                return spent(sums.questions, self.questions, "questions", "session_questions");
            }
            if sums.tokens.saturating_add(tokens) > self.tokens {
                return spent(sums.tokens, self.tokens, "tokens", "session_tokens");
            }
            sums.questions += 1;
            sums.tokens += tokens;
            Ok(())
        })
    }

    /// Counts tokens that were written.
    pub fn add(&self, tokens: u64) {
        let added = self.change(|sums| {
            sums.tokens = sums.tokens.saturating_add(tokens);
            Ok(())
        });
        if let Err(why) = added {
            tracing::debug!(why, "an answer was not counted");
        }
    }

    fn change(&self, change: impl FnOnce(&mut Sums) -> Result<(), String>) -> Result<(), String> {
        match &self.spent {
            Spent::Own(sums) => change(&mut sums.lock()),
            Spent::Shared(file) => {
                let mut file = file.lock();
                let uncounted = |error: io::Error| format!("Nothing more is asked: what this run spent is not known ({error}).");
                file.lock().map_err(uncounted)?;
                let changed = read(&mut file).map_err(uncounted).and_then(|mut sums| {
                    change(&mut sums)?;
                    write(&mut file, sums).map_err(uncounted)
                });
                file.unlock().map_err(uncounted)?;
                changed
            }
        }
    }
}

/// Opens the file that the processes of a session share, and removes those of runs that are over.
fn shared(folder: &Path, session: &str) -> io::Result<File> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    for entry in fs::read_dir(folder)?.flatten() {
        let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > OVER) {
            let _ = fs::remove_file(entry.path());
        }
    }
    let path = folder.join(seal::sha256(&[session.as_bytes()]));
    fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

fn read(file: &mut File) -> io::Result<Sums> {
    let mut text = String::new();
    file.rewind()?;
    (&*file).take(SIZE_MAX).read_to_string(&mut text)?;
    if text.is_empty() { Ok(Sums::default()) } else { Ok(serde_json::from_str(&text)?) }
}

fn write(file: &mut File, sums: Sums) -> io::Result<()> {
    let text = serde_json::to_string(&sums)?;
    file.rewind()?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

/// What a million tokens cost, in whatever money the person counts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Price {
    sent: Option<f64>,
    written: Option<f64>,
}

impl Price {
    /// Finds the prices of the provider that judges; none are known where nobody set them.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let chosen = settings.model.provider.as_ref().and_then(|name| settings.providers.get(name));
        chosen.map_or_else(Self::default, |chosen| Self { sent: chosen.price_in, written: chosen.price_out })
    }

    /// Gives what so many tokens cost, in millionths; none where no price is known.
    #[must_use]
    pub fn cost(self, sent: u64, written: u64) -> Option<u64> {
        if self == Self::default() {
            return None;
        }
        #[allow(clippy::cast_precision_loss, clippy::cast_sign_loss, clippy::cast_possible_truncation)]
        let of = |tokens: u64, price: Option<f64>| (tokens as f64 * price.unwrap_or(0.0)).ceil() as u64;
        Some(of(sent, self.sent).saturating_add(of(written, self.written)))
    }
}

/// Writes millionths as people write money: `0.0123`.
#[must_use]
pub fn money(millionths: u64) -> String {
    let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    let end = text.trim_end_matches('0').len().max(text.len() - 4);
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(questions: u32, tokens: u32) -> settings::Judge {
        settings::Judge { session_questions: questions, session_tokens: tokens, ..settings::Judge::default() }
    }

    #[test]
    fn however_many_workers_a_run_has_its_limits_are_of_all_of_them() {
        let state = tempfile::tempdir().unwrap();
        let run = Run { processes: 4, session: Some("one/../run".into()) };
        let purses: Vec<Purse> = (0..4).map(|_| Purse::open(&limits(10, 1_000), &run, Some(state.path()))).collect();
        let taken: usize = std::thread::scope(|scope| {
            let each = purses.iter().map(|purse| scope.spawn(|| (0..10).filter(|_| purse.take(10).is_ok()).count()));
            each.collect::<Vec<_>>().into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(taken, 10);
        assert!(purses[0].take(10).unwrap_err().contains("10 of 10 questions of this run are spent"));
        let other = Run { session: Some("another run".into()), ..run };
        let purse = Purse::open(&limits(10, 1_000), &other, Some(state.path()));
        purse.take(600).unwrap();
        Purse::open(&limits(10, 1_000), &other, Some(state.path())).add(300);
        assert!(purse.take(200).unwrap_err().contains("900 of 1 000 tokens of this run are spent"));
        purse.take(100).unwrap();
    }

    #[test]
    fn what_cannot_be_counted_together_is_shared_evenly_and_what_is_damaged_is_not_guessed() {
        let run = Run { processes: 4, session: Some("run".into()) };
        let alone = Purse::open(&limits(8, 1_000), &run, None);
        assert_eq!((0..8).filter(|_| alone.take(1).is_ok()).count(), 2);
        let state = tempfile::tempdir().unwrap();
        let purse = Purse::open(&limits(8, 1_000), &run, Some(state.path()));
        let file = fs::read_dir(state.path().join(FOLDER)).unwrap().next().unwrap().unwrap().path();
        fs::write(file, "{").unwrap();
        assert!(purse.take(1).unwrap_err().contains("what this run spent is not known"));
    }

    #[test]
    fn tokens_cost_what_was_said_and_nothing_is_free_by_default() {
        assert_eq!(Price::default().cost(1_000, 1_000), None);
        let price = Price { sent: Some(3.0), written: Some(15.0) };
        assert_eq!(price.cost(1_000, 100), Some(4_500));
        assert_eq!(Price { sent: Some(0.0), written: None }.cost(9, 9), Some(0));
        for (millionths, text) in [(4_500, "0.0045"), (12, "0.000012"), (0, "0.00"), (2_500_000, "2.50"), (1_000_001, "1.000001")]
        {
            assert_eq!(money(millionths), text);
        }
    }
}
