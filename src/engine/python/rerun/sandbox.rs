//! The sandbox of a run: its folder, its process, and how both are made.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use super::wanted::{Place, Wanted, failed, target};
use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::scratch::Scratch;
use crate::contain::{self, Confinement, Level, Profile};
use crate::domain::recorded_test::TestSession;
use crate::record::launch::{self, Mode};

/// Bytes of functions' names in a variable; with more, all functions are recorded.
const TARGETS_MAX: usize = 100 << 10;
/// Bytes that the tests may write in all.
const LAYER_MAX: u64 = 1 << 30;

/// A sandbox in which tests run, or wait to.
pub(super) struct Sandbox {
    pub(super) scratch: Scratch,
    pub(super) child: Child,
    /// When it was started.
    pub(super) began: Moment,
}

impl Sandbox {
    /// The file of the request.
    pub(super) fn request(scratch: &Scratch) -> PathBuf {
        scratch.path().join("request.json")
    }

    /// The file of the report.
    pub(super) fn report(scratch: &Scratch) -> PathBuf {
        scratch.path().join("report.jsonl")
    }

    /// The folder of the recorder's files.
    pub(super) fn spool(scratch: &Scratch) -> PathBuf {
        scratch.path().join("spool")
    }

    /// Has one that waits read its request.
    pub(super) fn go(&mut self) -> std::io::Result<()> {
        self.child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(b"\n"))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            contain::stop(self.child.id());
            let _ = self.child.wait();
        }
    }
}

impl Place<'_> {
    /// Starts the sandbox of a run, in a folder that holds its request. One that waits imports its modules, and reads a request that
    /// follows later.
    pub(super) fn start(
        &self,
        session: &TestSession,
        wanted: &Wanted<'_>,
        scratch: Scratch,
        waits: bool,
    ) -> Result<Sandbox, Trouble> {
        let confinement = self.confinement(session, wanted, scratch.path(), !waits).map_err(failed)?;
        std::fs::create_dir(Sandbox::spool(&scratch)).map_err(failed)?;
        let mut args = vec!["-m".into(), "pytead_tui.rerun".into(), Sandbox::request(&scratch).into_os_string()];
        if waits {
            let file = scratch.path().join("modules.json");
            let text = serde_json::to_string(&wanted.modules.get(session).cloned().unwrap_or_default())
                .map_err(|error| Trouble::internal("A list of modules cannot be written.").because(error))?;
            std::fs::write(&file, text).map_err(failed)?;
            args.push(file.into_os_string());
        }
        let began = clock::now();
        let child = contain::command(Level::Namespaces, &confinement, &self.environment.interpreter.path, args)?
            .stdin(if waits { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        Ok(Sandbox { scratch, child, began })
    }

    /// The working folder of a session.
    pub(super) fn cwd<'s>(&self, session: &'s TestSession) -> &'s str {
        if Path::new(&session.cwd).starts_with(self.root) { &session.cwd } else { &session.root }
    }

    /// Confines a run. Which functions are recorded is among its variables only where that is known by then.
    pub(super) fn confinement(
        &self,
        session: &TestSession,
        wanted: &Wanted<'_>,
        scratch: &Path,
        has_targets: bool,
    ) -> std::io::Result<Confinement> {
        let package = &self.environment.package;
        let interpreter = &self.environment.interpreter;
        let cwd = Path::new(self.cwd(session));
        let mut confinement = Confinement::new(self.root, scratch);
        confinement.profile = Profile::RecordedTest;
        confinement.cwd = cwd.to_owned();
        confinement.limits.tmp = LAYER_MAX;
        confinement.stand_in.clone_from(&self.files.stand_in);
        confinement.read_only.clone_from(&interpreter.prefixes);
        confinement.read_only.push(package.folder.clone());
        confinement.read_only.extend(self.files.read_only.iter().cloned());
        let elsewhere = session.path.iter().map(PathBuf::from);
        let elsewhere = elsewhere.filter(|path| path.is_dir() && !path.starts_with(self.root) && !contain::exposes_home(path));
        confinement.read_only.extend(elsewhere);
        if !self.files.texts.is_empty() {
            let put = scratch.join("put");
            for (path, text) in &self.files.texts {
                let place = path.under(&put);
                std::fs::create_dir_all(place.parent().unwrap_or(&put))?;
                std::fs::write(&place, text)?;
            }
            confinement.put = Some(put);
        }
        confinement.gone = self.files.gone.iter().map(|path| PathBuf::from(path.as_str())).collect();
        let mut record = self.record.clone();
        let targets: BTreeSet<String> =
            wanted.functions.values().flatten().filter(|_| has_targets).map(|function| target(function, &self.index)).collect();
        record.targets = if targets.iter().map(|name| name.len() + 1).sum::<usize>() > TARGETS_MAX {
            Vec::new()
        } else {
            targets.into_iter().collect()
        };
        let variables = launch::recorder_variables(&launch::Request {
            typed: &[],
            root: self.root,
            cwd,
            interpreter: Some(&interpreter.path),
            chosen: true,
            package,
            record: &record,
            redact: self.redact,
            mode: Mode::Every,
        });
        let variables = variables.map_err(|trouble| std::io::Error::other(trouble.to_string()))?;
        let given = variables.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into_string().ok()?)));
        confinement.env.extend(wanted.variables.clone());
        confinement.env.extend(given);
        let path = std::env::join_paths([&package.boot, &package.folder]).map_err(std::io::Error::other)?;
        let text = |path: &std::ffi::OsStr| path.to_string_lossy().into_owned();
        confinement.env.extend([
            ("PYTHONPATH".to_owned(), text(&path)),
            ("PYTEAD_RECORDING".to_owned(), "rerun".to_owned()),
            ("PYTHONHASHSEED".to_owned(), "0".to_owned()),
            ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
        ]);
        if !wanted.only_lines {
            confinement.env.insert("PYTEAD_SPOOL".to_owned(), text(scratch.join("spool").as_os_str()));
        }
        if let Some(base) = &interpreter.user_base {
            confinement.env.insert("PYTHONUSERBASE".to_owned(), base.display().to_string());
        }
        Ok(confinement)
    }
}
