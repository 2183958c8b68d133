//! Settings read again while the project is open: what changed, what waits for the next start, what is wrong.
//!
//! Which files there are and what stands in them is `config/`; what a front end does with its own part is its business.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::text::count;
use crate::config::layers::Loaded;
use crate::domain::event::{Event, Level};
use crate::domain::settings::Settings;
use crate::domain::snapshot::Trust;
use crate::engine::models::provider;
use crate::engine::specs;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;

/// How often it is looked whether a file changed.
const EVERY: Duration = Duration::from_millis(250);
/// Names of settings that are told; more are counted.
const TOLD: usize = 4;
/// What is used once, when the project is opened.
const AT_THE_START: [&str; 5] = ["python", "record.exclude", "watch.enabled", "watch.quiet_ms", "watch.poll_ms"];

/// Where settings come from.
#[derive(Clone)]
pub struct Source {
    /// The files that may hold some, and folders of such files; they need not be there.
    pub files: Vec<PathBuf>,
    /// Reads them, for a folder that is trusted or not.
    pub read: Arc<dyn Fn(Trust) -> Result<Loaded, Trouble> + Send + Sync>,
}

/// Where the settings of an open project come from, where they are read again.
#[derive(Default)]
struct Origin(Mutex<Option<Source>>);

/// Notes where the settings come from.
pub fn come_from(core: &Core, source: Option<Source>) {
    *core.part::<Origin>().0.lock() = source;
}

/// Reads the settings again whenever one of their files was written.
pub async fn follow(core: Arc<Core>, stop: CancellationToken) {
    let Some(source) = core.part::<Origin>().0.lock().clone() else { return };
    let look = async |files: &Vec<PathBuf>| {
        let files = files.clone();
        blocking(move || stamps(&files)).await.unwrap_or_default()
    };
    let mut taken = look(&source.files).await;
    let mut before = taken.clone();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        let now = look(&source.files).await;
        // A file that is still being written has another stamp the next time.
        if now != taken && now == before {
            taken = now.clone();
            read_again(&core, core.trust()).await;
        }
        before = now;
    }
}

/// Reads the settings that count where the folder is trusted so far, and takes them; where something is wrong, those before stay.
/// What is wrong now takes the place of what was told before.
pub async fn read_again(core: &Arc<Core>, trust: Trust) {
    let Some(source) = core.part::<Origin>().0.lock().clone() else { return };
    let read = blocking(move || (source.read)(trust)).await.and_then(|read| read);
    let wrong = match read {
        Err(trouble) => vec![trouble],
        Ok(loaded) if loaded.mistakes.is_empty() => {
            take(core, loaded.settings).await;
            Vec::new()
        }
        Ok(loaded) => loaded.mistakes.into_iter().map(before_stay).collect(),
    };
    wrong.iter().for_each(|trouble| core.log.trouble("settings", trouble));
    core.announce(Event::SettingsRead { wrong });
}

fn before_stay(mistake: Trouble) -> Trouble {
    let todo = mistake.todo.as_ref().map(|todo| format!("{todo} ")).unwrap_or_default();
    Trouble { todo: Some(format!("{todo}The settings before stay in force until then.").into()), ..mistake }
}

/// Takes settings that are in order.
async fn take(core: &Arc<Core>, read: Settings) {
    let old = core.settings();
    let (settings, change) = merge(&old, read);
    if change.now.is_empty() && change.later.is_empty() {
        return;
    }
    core.use_settings(settings);
    // A kept model would go on as it was set up; who asks it now still ends with it.
    provider::forget(core);
    let label = provider::label(core);
    core.state.lock().model = label;
    if change.now.iter().any(|name| name.starts_with("spec.")) {
        let worker = core.clone();
        if let Err(trouble) = blocking(move || specs::run::read(&worker)).await {
            core.complain("spec", &trouble);
        }
    }
    if !change.now.is_empty() {
        core.say(Level::Done, "settings", format!("Settings read again: {}.", told(&change.now)));
    }
    if !change.later.is_empty() {
        let said = format!("Changed, and used from the next start on: {}.", told(&change.later));
        core.say(Level::Warning, "settings", said);
    }
    core.touch();
}

/// The names of settings that are other than before.
#[derive(Debug, PartialEq, Eq, Default)]
struct Difference {
    /// In force from now on.
    now: Vec<String>,
    /// In force from the next start on.
    later: Vec<String>,
}

/// Gives the settings to use from now on, and what is other in those that were read.
fn merge(old: &Settings, read: Settings) -> (Settings, Difference) {
    let (before, after) = (flat(old), flat(&read));
    let names: Vec<&String> = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name))).collect();
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name)).cloned();
    let (later, now) = changed.partition(|name| AT_THE_START.contains(&name.as_str()));
    let mut settings = read;
    settings.python.clone_from(&old.python);
    settings.record.exclude.clone_from(&old.record.exclude);
    settings.watch.enabled = old.watch.enabled;
    settings.watch.quiet_ms = old.watch.quiet_ms;
    settings.watch.poll_ms = old.watch.poll_ms;
    (settings, Difference { now, later })
}

fn flat(settings: &Settings) -> BTreeMap<String, Value> {
    fn walk(name: String, value: Value, out: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    walk(if name.is_empty() { key } else { format!("{name}.{key}") }, value, out);
                }
            }
            value => {
                out.insert(name, value);
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(String::new(), serde_json::to_value(settings).unwrap_or_default(), &mut out);
    out
}

fn told(names: &[String]) -> String {
    let shown = names.iter().take(TOLD).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(TOLD) {
        0 => shown,
        more => format!("{shown} and {}", count(more, "other")),
    }
}

/// When files were written and how long they are; of a folder, its files.
type Stamps = Vec<(PathBuf, Option<SystemTime>, u64)>;

fn stamps(files: &[PathBuf]) -> Stamps {
    let stamp = |path: &Path| {
        let meta = std::fs::metadata(path).ok()?;
        Some((path.to_owned(), meta.modified().ok(), meta.len()))
    };
    let mut out = Stamps::new();
    for file in files {
        out.extend(stamp(file));
        let inside = std::fs::read_dir(file).into_iter().flatten().flatten();
        let mut inside: Vec<PathBuf> = inside.map(|entry| entry.path()).collect();
        inside.sort();
        out.extend(inside.iter().filter_map(|path| stamp(path)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_at_the_start_alone_waits_for_the_next_one() {
        let old = Settings::default();
        let mut read = Settings::default();
        read.record.limit = 3;
        read.watch.poll_ms = 500;
        read.watch.judge = crate::domain::settings::WatchJudge::Off;
        read.python = Some("/usr/bin/python3".into());
        let (used, change) = merge(&old, read);
        assert_eq!(change.now, ["record.limit", "watch.judge"]);
        assert_eq!(change.later, ["python", "watch.poll_ms"]);
        assert_eq!((used.record.limit, used.watch.poll_ms, used.python), (3, 0, None));
        assert_eq!(merge(&old, Settings::default()).1, Difference::default());
    }

    #[test]
    fn what_waits_are_settings_there_are() {
        let all = flat(&Settings::default());
        assert!(AT_THE_START.iter().all(|name| all.contains_key(*name)), "{all:?}");
    }

    #[test]
    fn many_names_are_counted() {
        let names: Vec<String> = ["a", "b", "c", "d", "e", "f"].map(str::to_owned).into();
        assert_eq!(told(&names), "a, b, c, d and 2 others");
        assert_eq!(told(&names[..1]), "a");
    }

    #[test]
    fn a_file_made_written_or_removed_has_another_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.toml");
        let files = [file.clone(), folder.path().join("themes")];
        let none = stamps(&files);
        std::fs::write(&file, "a").unwrap();
        let one = stamps(&files);
        std::fs::write(&file, "ab").unwrap();
        let other = stamps(&files);
        std::fs::create_dir(&files[1]).unwrap();
        std::fs::write(files[1].join("mine.toml"), "").unwrap();
        let themed = stamps(&files);
        assert!(none != one && one != other && other != themed && none.is_empty());
    }
}
