//! What a contained command may see, write and use up. How that is enforced is `linux/` and `macos.rs`.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::levels::Level;
use crate::base::error::Trouble;

/// Variables of the user that a contained command keeps: how text and time are written, nothing else.
const KEPT: &[&str] = &["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_NUMERIC", "LC_TIME", "LC_MONETARY", "TZ"];

/// Folders of programs and libraries of the system, and the few files of `/etc` that starting a program needs.
#[cfg(target_os = "linux")]
pub(super) const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/timezone",
];

/// What kind of code a confinement is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Recorded calls, drafts, a model: the project is read-only, and no socket can be made.
    #[default]
    Calls,
    /// Recorded tests, which write files, open sockets and start processes: they see a private layer over the project,
    /// which nothing outside ever sees, and a private network with a loopback. Only [`Level::Namespaces`] can do that.
    ///
    /// The layer, `/tmp` and `/dev/shm` each hold [`Limits::tmp`] bytes. Sockets and pipes among the files of the project
    /// and of `read_only` lead nowhere; those in `scratch` and `writable`, which are shared with the caller, do.
    RecordedTest,
}

/// What a contained command may see and do. All paths but those of `gone` are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// What kind of code it is for.
    #[serde(default)]
    pub profile: Profile,
    /// The project's root: readable at its own path. Nothing that is written there reaches the disk.
    pub root: PathBuf,
    /// A folder whose files are seen at the root in place of the project's own; only [`Level::Namespaces`] can do that.
    /// It has to hold a place for everything of `read_only` that lies below the root.
    pub stand_in: Option<PathBuf>,
    /// An existing folder whose files replace the project's by their relative paths; for [`Profile::RecordedTest`]. Links
    /// are put there as links.
    #[serde(default)]
    pub put: Option<PathBuf>,
    /// Files and folders, relative to the root, that are not to be seen; for [`Profile::RecordedTest`]. They go before
    /// the files of `put` come.
    #[serde(default)]
    pub gone: Vec<PathBuf>,
    /// More paths to read: interpreter prefixes, our Python package.
    pub read_only: Vec<PathBuf>,
    /// An existing private folder that may be written; the caller makes and removes it.
    pub scratch: PathBuf,
    /// More existing folders that may be written.
    pub writable: Vec<PathBuf>,
    /// The working folder.
    pub cwd: PathBuf,
    /// What may be used up.
    pub limits: Limits,
    /// Variables for the command, besides the few it keeps. They never stand on a command line.
    #[serde(skip)]
    pub env: BTreeMap<String, String>,
}

/// What a contained process may use up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of address space of a process.
    pub address_space: u64,
    /// Seconds of processor time of a process.
    pub cpu_seconds: u64,
    /// Bytes of a file it writes.
    pub file_size: u64,
    /// Processes and threads at once.
    pub processes: u64,
    /// Open files of a process.
    pub open_files: u64,
    /// Bytes of the private `/tmp`.
    pub tmp: u64,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: u64 = 1 << 20;
        Self { address_space: 8192 * MIB, cpu_seconds: 300, file_size: 64 * MIB, processes: 128, open_files: 512, tmp: 256 * MIB }
    }
}

impl Confinement {
    /// Confines to a project that is read and one private folder that is written.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>, scratch: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            profile: Profile::default(),
            cwd: root.clone(),
            root,
            stand_in: None,
            put: None,
            gone: Vec::new(),
            read_only: Vec::new(),
            scratch: scratch.into(),
            writable: Vec::new(),
            limits: Limits::default(),
            env: BTreeMap::new(),
        }
    }

    /// Refuses what would give the user's own files away.
    pub(super) fn check(&self, level: Level) -> Result<(), Trouble> {
        if self.stand_in.is_some() && level != Level::Namespaces {
            return Err(Trouble::internal(format!("The level {} cannot put a folder in another's place.", level.word())));
        }
        self.check_layer(level)?;
        let given = [&self.root, &self.scratch, &self.cwd].into_iter().chain(&self.stand_in).chain(&self.put);
        for path in given.chain(&self.read_only).chain(&self.writable) {
            if !path.is_absolute() {
                return Err(Trouble::internal(format!("{} is not an absolute path.", path.display())));
            }
        }
        let opened = [&self.root, &self.scratch].into_iter().chain(&self.stand_in).chain(&self.put);
        for path in opened.chain(&self.read_only).chain(&self.writable) {
            if exposes_home(path) {
                return Err(Trouble::environment(format!("Nothing is run contained in {}.", path.display()))
                    .because("It holds your home folder, and with it your keys.")
                    .so("Open a folder below it."));
            }
        }
        Ok(())
    }

    /// Refuses a layer where there is none, and names that lead out of it.
    fn check_layer(&self, level: Level) -> Result<(), Trouble> {
        if self.profile == Profile::Calls {
            return match (&self.put, self.gone.as_slice()) {
                (None, []) => Ok(()),
                _ => Err(Trouble::internal("Files are replaced for recorded tests alone.")),
            };
        }
        if level != Level::Namespaces {
            return Err(Trouble::environment("Recorded tests cannot run here.").because(format!(
                "They write files and open sockets, which the sandbox {} cannot keep private; {} can.",
                level.word(),
                Level::Namespaces.word()
            )));
        }
        let plain = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        match self.gone.iter().find(|path| path.as_os_str().is_empty() || !plain(path)) {
            None => Ok(()),
            Some(path) => Err(Trouble::internal(format!("{} is not a path below the project's root.", path.display()))),
        }
    }

    /// Gives the private folder for temporary files at [`Level::Namespaces`].
    pub(super) fn temporary(&self) -> &'static str {
        if Path::new("/tmp").starts_with(&self.root) { "/var/tmp" } else { "/tmp" }
    }

    /// Tells whether the project itself, and no layer over it, lies in the folder for temporary files.
    pub(super) fn is_below_temporary(&self) -> bool {
        self.profile == Profile::Calls && self.root.starts_with(self.temporary())
    }

    /// Gives the whole environment of the command.
    pub(super) fn environment(&self, level: Level) -> BTreeMap<String, String> {
        let own = level == Level::Namespaces;
        let tmp = if own { self.temporary().to_owned() } else { self.scratch.to_string_lossy().into_owned() };
        let mut env: BTreeMap<String, String> =
            KEPT.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?))).collect();
        env.insert("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into());
        for name in ["HOME", "TMPDIR"] {
            env.insert(name.into(), tmp.clone());
        }
        env.extend(self.env.clone());
        env
    }
}

/// Tells whether a folder is the file system's root, the home folder or a parent of it.
#[must_use]
pub fn exposes_home(path: &Path) -> bool {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if real.parent().is_none() {
        return true;
    }
    let home = std::env::var_os("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok());
    home.is_some_and(|home| home.parent().is_some() && home.starts_with(&real))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_folder_and_its_parents_are_never_opened() {
        let home = std::env::var("HOME").unwrap();
        for path in [home.as_str(), "/"] {
            let trouble = Confinement::new(path, "/tmp/x").check(Level::Namespaces).unwrap_err();
            assert!(trouble.to_string().contains("your home folder"), "{trouble}");
        }
        assert!(Confinement::new(Path::new(&home).join("a-project"), "/tmp/x").check(Level::Namespaces).is_ok());
        let mut confinement = Confinement::new("/srv/project", "/tmp/x");
        confinement.read_only.push(home.into());
        assert!(confinement.check(Level::Namespaces).is_err(), "an interpreter prefix counts too");
        confinement.read_only.clear();
        confinement.stand_in = Some("/srv/earlier".into());
        assert!(confinement.check(Level::Namespaces).is_ok());
        assert!(confinement.check(Level::Landlock).is_err(), "it would run today's files");
    }

    #[test]
    fn recorded_tests_need_namespaces_and_only_they_replace_files() {
        let mut confinement = Confinement::new("/srv/project", "/srv/scratch");
        confinement.put = Some("/srv/put".into());
        assert!(confinement.check(Level::Namespaces).is_err(), "recorded calls have no layer");
        confinement.profile = Profile::RecordedTest;
        assert!(confinement.check(Level::Namespaces).is_ok());
        for level in [Level::Landlock, Level::Seatbelt, Level::Weak] {
            let said = confinement.check(level).unwrap_err().to_string();
            assert!(said.starts_with("Recorded tests cannot run here.") && said.contains(level.word()), "{said}");
        }
        for (path, fine) in [("a/b.py", true), ("../b.py", false), ("/etc/passwd", false), ("a/../../b", false), ("", false)] {
            confinement.gone = vec![path.into()];
            assert_eq!(confinement.check(Level::Namespaces).is_ok(), fine, "{path}");
        }
        let plain = serde_json::to_value(Confinement::new("/srv/project", "/srv/scratch")).unwrap();
        assert_eq!(plain["profile"], "calls");
    }

    #[test]
    fn the_environment_is_an_allow_list() {
        let mut confinement = Confinement::new("/srv/project", "/srv/scratch");
        confinement.env.insert("PYTHONHASHSEED".into(), "0".into());
        let env = confinement.environment(Level::Namespaces);
        assert!(
            env.keys().all(
                |name| KEPT.contains(&name.as_str()) || ["PATH", "HOME", "TMPDIR", "PYTHONHASHSEED"].contains(&name.as_str())
            )
        );
        assert_eq!(env["HOME"], "/tmp");
        assert!(!confinement.is_below_temporary());
        confinement.root = "/tmp/project".into();
        assert_eq!(confinement.environment(Level::Namespaces)["HOME"], "/tmp");
        assert!(confinement.is_below_temporary());
        confinement.profile = Profile::RecordedTest;
        assert!(!confinement.is_below_temporary(), "its project is a layer of its own");
        confinement.root = "/tmp".into();
        assert_eq!(confinement.environment(Level::Namespaces)["HOME"], "/var/tmp");
        assert_eq!(confinement.environment(Level::Landlock)["TMPDIR"], "/srv/scratch");
    }
}
