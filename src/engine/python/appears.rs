//! Notices an environment of the project that is made, or gets pytest, while the workbench is open.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use crate::domain::event::Level;
use crate::domain::snapshot::Trust;
use crate::engine::python::environment;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;

/// How often it is looked whether there is another one.
const EVERY: Duration = Duration::from_secs(1);
/// The folders that an environment of the project is looked for in.
const FOLDERS: [&str; 2] = [".venv", "venv"];

/// Looks for an environment in the project until the workbench ends. One that is new is used from then on, where nobody
/// chose a Python and the one in use is elsewhere, or cannot run tests.
pub async fn follow(core: Arc<Core>, stop: CancellationToken) {
    let look = async || {
        let root = core.root.clone();
        blocking(move || stamps(&root)).await.unwrap_or_default()
    };
    let mut taken = look().await;
    let mut before = taken.clone();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(EVERY) => {}
        }
        let now = look().await;
        // What is still being installed has another stamp the next time.
        if now != taken && now == before {
            taken.clone_from(&now);
            if !now.is_empty() && wanted(&core) {
                environment::close(&core).await;
                environment::prepare(&core).await;
                let label = core.state.lock().python.clone();
                if let Some(label) = label {
                    core.say(Level::Done, "python", format!("Python {label} is used from now on."));
                }
            }
        }
        before = now;
    }
}

/// Tells whether another Python would help.
fn wanted(core: &Core) -> bool {
    let state = core.state.lock();
    let own = |label: &String| FOLDERS.iter().any(|folder| label.ends_with(&format!(" {folder}")));
    let elsewhere = !state.python.as_ref().is_some_and(own);
    drop(state);
    let troubled = core.state.lock().python_trouble.is_some();
    core.trust() == Trust::Trusted && core.settings().python.is_none() && (troubled || elsewhere)
}

/// Gives a stamp of each environment: it changes when one is made, and when a package is installed in it.
fn stamps(root: &Path) -> Vec<(&'static str, Vec<SystemTime>)> {
    let changed = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
    let of = |folder: &'static str| {
        let home = root.join(folder);
        let mut all = vec![changed(&home.join("bin/python"))?];
        for python in std::fs::read_dir(home.join("lib")).into_iter().flatten().flatten() {
            all.extend(changed(&python.path().join("site-packages")));
        }
        Some((folder, all))
    };
    FOLDERS.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_that_appears_or_gets_a_package_has_another_stamp() {
        let root = tempfile::tempdir().unwrap();
        assert!(stamps(root.path()).is_empty());
        let packages = root.path().join(".venv/lib/python3.12/site-packages");
        std::fs::create_dir_all(&packages).unwrap();
        assert!(stamps(root.path()).is_empty(), "no Python in it yet");
        std::fs::create_dir_all(root.path().join(".venv/bin")).unwrap();
        std::fs::write(root.path().join(".venv/bin/python"), "").unwrap();
        let made = stamps(root.path());
        assert_eq!(made.len(), 1);
        std::fs::create_dir(packages.join("pytest")).unwrap();
        filetime(&packages);
        assert_ne!(stamps(root.path()), made);
    }

    /// Moves the stamp of a folder on, where the clock of the file system is coarse.
    fn filetime(path: &Path) {
        let later = SystemTime::now() + Duration::from_secs(5);
        std::fs::File::open(path).unwrap().set_modified(later).unwrap();
    }
}
