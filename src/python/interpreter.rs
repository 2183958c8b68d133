//! Which Python runs the project's code, and what it needs to start inside a sandbox.
//!
//! Only for trusted folders: an interpreter inside the project is the project's code. It is asked contained; one
//! outside, which the user installed, is asked as the user, for it may be a script that looks up the real one.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::base::error::Trouble;
use crate::base::paths::{find_program, read_text, tilde};
use crate::base::scratch::Scratch;
use crate::base::text;
use crate::contain::{self, Confinement, Level};

/// The oldest Python whose code is recorded and replayed.
pub const OLDEST: (u8, u8) = (3, 10);

const PATIENCE: Duration = Duration::from_secs(30);
/// As much as is repeated of what an interpreter said that does not work.
const SAID_COLUMNS: usize = 120;

/// A Python that was found and asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    /// Its path as it is to be started; inside a virtual environment that is a link.
    pub path: PathBuf,
    /// `3.12.1`
    pub version: (u8, u8, u8),
    /// Folders it reads from: its own and those of installed packages.
    pub prefixes: Vec<PathBuf>,
    /// Where `pip install --user` puts packages, when there are any and they count.
    pub user_base: Option<PathBuf>,
    /// The version of pytest, when it is installed.
    pub pytest: Option<String>,
    /// The versions of all installed packages by their names, in small letters with underscores.
    pub packages: BTreeMap<String, String>,
    /// What the screen calls it: `3.12.1 .venv`.
    pub label: String,
}

impl Interpreter {
    /// Writes the version: `3.12.1`.
    #[must_use]
    pub fn version_text(&self) -> String {
        let (major, minor, micro) = self.version;
        format!("{major}.{minor}.{micro}")
    }

    /// Gives the trouble to show when a run needs pytest and there is none.
    #[must_use]
    pub fn without_pytest(&self) -> Trouble {
        let place = self.label.split_once(' ').map_or("this Python", |(_, place)| place);
        Trouble::environment(format!("{place} has no pytest: no test runs, and no draft is proved.")).so(format!(
            "Install it: {} -m pip install pytest. Or name the Python that has it: pytead-tui --python PATH.",
            self.path.display()
        ))
    }
}

/// Finds the project's interpreter: the one set, the active environment, `.venv`, `venv`, `python3`, `python`.
///
/// # Errors
/// When there is none, the one set does not work, or the one found is older than 3.10.
pub fn find(root: &Path, setting: Option<&str>) -> Result<Interpreter, Trouble> {
    let search = std::env::var_os("PATH");
    if let Some(name) = setting {
        let path = find_program(name, search, root).ok_or_else(|| Trouble::usage(nothing_at(root, name)).so(CHOOSE))?;
        return ask(root, &path, &tilde(&path));
    }
    let environments = [std::env::var_os("VIRTUAL_ENV").map(PathBuf::from), Some(root.join(".venv")), Some(root.join("venv"))];
    for folder in environments.into_iter().flatten() {
        let path = folder.join("bin/python");
        if path.is_file() {
            let name = folder.strip_prefix(root).map_or_else(|_| tilde(&folder), |inside| inside.display().to_string());
            return ask(root, &path, &name);
        }
    }
    let mut last = Trouble::environment("No Python found in .venv or as python3.").so(CHOOSE);
    for name in ["python3", "python"] {
        if let Some(path) = find_program(name, search.clone(), root) {
            match ask(root, &path, name) {
                Ok(found) => return Ok(found),
                Err(trouble) => last = trouble,
            }
        }
    }
    Err(last)
}

/// Says that no program is where a setting says; of a link, which is there, where it leads.
fn nothing_at(root: &Path, name: &str) -> String {
    match std::fs::read_link(root.join(name)) {
        Ok(target) => {
            let target = target.display().to_string();
            format!("{} is a link to {}, and nothing can be run there.", text::display(name), text::display(&target))
        }
        Err(_) => format!("There is no Python at {}.", text::display(name)),
    }
}

const CHOOSE: &str = "Choose one: pytead-tui --python PATH.";

/// What an interpreter says of itself.
#[derive(Deserialize)]
struct Answer {
    executable: PathBuf,
    version: (u8, u8, u8),
    prefixes: Vec<PathBuf>,
    user_base: Option<PathBuf>,
    user_site: Option<PathBuf>,
    pytest: Option<String>,
    #[serde(default)]
    packages: BTreeMap<String, String>,
}

/// Valid for any Python 3, so that an old one can say how old it is. Nothing of the project is imported.
const QUESTION: &str = r#"
import json, os, site, sys
prefixes = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
prefixes += [p for p in sys.path if os.path.isdir(p) and not any(p.startswith(q + os.sep) for q in prefixes)]
user_base = user_site = None
if sys.prefix == sys.base_prefix and os.path.isdir(site.getusersitepackages()):
    user_base, user_site = site.getuserbase(), site.getusersitepackages()
packages = {}
path = sys.path + ([user_site] if user_site else [])
for folder in path:
    for entry in os.listdir(folder) if os.path.isdir(folder) else ():
        if entry.endswith(".dist-info"):
            name, _, version = entry[:-10].partition("-")
            packages.setdefault(name.lower(), version)
pytest = packages.get("pytest")
if not pytest:
    # Installed in another way, if at all. The import takes longer than all the rest.
    try:
        from importlib.metadata import distributions
        pytest = next((d.version for d in distributions(name="pytest", path=path)), None)
    except Exception:
        pass
print(json.dumps({"executable": sys.executable, "version": sys.version_info[:3], "prefixes": prefixes,
                  "user_base": user_base, "user_site": user_site, "pytest": pytest, "packages": packages}))
"#;

fn ask(root: &Path, path: &Path, name: &str) -> Result<Interpreter, Trouble> {
    let failed = |why: String| {
        Trouble::environment(format!("The Python {} does not work.", text::display(name))).because(text::display(&why)).so(CHOOSE)
    };
    let too_old = |version: &str| {
        Trouble::environment(format!("Python {} ({}) is too old.", text::display(version), text::display(name)))
            .because(format!("pytead-tui needs {}.{} or newer.", OLDEST.0, OLDEST.1))
            .so(CHOOSE)
    };
    let inside = path.starts_with(root);
    let said = if inside { ask_contained(root, path)? } else { ask_as_user(root, path) };
    let said = said.map_err(|silence| match silence {
        Silence::Ancient(version) => too_old(&version),
        Silence::Failed(why) => failed(why),
    })?;
    let answer: Answer = serde_json::from_str(&said).map_err(|_| failed("It did not answer as a Python does.".into()))?;
    let (major, minor, micro) = answer.version;
    if (major, minor) < OLDEST {
        return Err(too_old(&format!("{major}.{minor}.{micro}")));
    }
    // Where a script stands for the real one, that one is started from now on.
    let path = if inside { path.to_owned() } else { answer.executable };
    let mut prefixes = installation(&path);
    prefixes.extend(answer.prefixes.into_iter().chain(answer.user_site));
    // An environment in the project may be a link to one elsewhere.
    let is_inside = |prefix: &Path| prefix.canonicalize().is_ok_and(|real| real.starts_with(root));
    prefixes.retain(|prefix| prefix.is_absolute() && !is_inside(prefix) && !contain::exposes_home(prefix));
    prefixes.sort();
    prefixes.dedup();
    let label = text::display(&format!("{major}.{minor}.{micro} {name}")).into_owned();
    let Answer { version, user_base, pytest, packages, .. } = answer;
    Ok(Interpreter { path, version, prefixes, user_base, pytest, packages, label })
}

/// Why a Python gives no answer.
enum Silence {
    /// It does not know `-I`; its version.
    Ancient(String),
    /// It does not start, or breaks.
    Failed(String),
}

fn ask_as_user(root: &Path, path: &Path) -> Result<String, Silence> {
    let ask = |args: &[&str]| {
        let mut command = Command::new(path);
        command.args(args).current_dir(root);
        answer(command)
    };
    ask(&["-I", "-c", QUESTION]).map_err(|why| {
        let version = ask(&["-E", "-s", "-c", "import sys; print('python %d.%d.%d' % sys.version_info[:3])"]).ok();
        match version.as_deref().and_then(|said| said.trim().strip_prefix("python ")) {
            Some(version) if version.starts_with("2.") => Silence::Ancient(version.to_owned()),
            _ => Silence::Failed(why),
        }
    })
}

fn ask_contained(root: &Path, path: &Path) -> Result<Result<String, Silence>, Trouble> {
    let level = contain::available();
    if level == Level::None {
        return Err(Trouble::environment("The project's Python is not started: there is no sandbox here."));
    }
    let scratch = Scratch::new()?;
    let mut confinement = Confinement::new(root, scratch.path());
    confinement.read_only = installation(path);
    confinement.env = BTreeMap::from([("PYTHONDONTWRITEBYTECODE".into(), "1".into())]);
    Ok(answer(contain::command(level, &confinement, path, ["-I", "-c", QUESTION])?).map_err(Silence::Failed))
}

/// Runs a command that says little and gives what it said.
fn answer(mut command: Command) -> Result<String, String> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| error.to_string())?;
    let start = Instant::now();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if start.elapsed() > PATIENCE {
            contain::stop(child.id());
            let _ = child.wait();
            return Err(format!("It gave no answer in {} s.", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return String::from_utf8(output.stdout).map_err(|error| error.to_string());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    // What is no Python may repeat the whole question.
    Err(text::cut(said.lines().last().unwrap_or("It ended without a word."), SAID_COLUMNS).into_owned())
}

/// Guesses from the files alone where an interpreter is installed: along its links, and what `pyvenv.cfg` names.
fn installation(path: &Path) -> Vec<PathBuf> {
    const MOST_LINKS: usize = 16;
    let mut found = Vec::new();
    let mut hop = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Some(bin) = hop.parent() else { break };
        found.extend(bin.parent().map(Path::to_owned));
        let Ok(target) = hop.read_link() else { break };
        hop = normal(&bin.join(target));
    }
    found.extend(hop.canonicalize().ok().and_then(|real| Some(real.parent()?.parent()?.to_owned())));
    if let Some(environment) = path.parent().and_then(Path::parent)
        && let Ok(config) = read_text(&environment.join("pyvenv.cfg"))
    {
        let home = config.lines().find_map(|line| Some(line.strip_prefix("home")?.trim_start().strip_prefix('=')?.trim()));
        found.extend(home.and_then(|bin| Path::new(bin).parent()).map(Path::to_owned));
    }
    found.retain(|folder| folder.is_absolute() && holds_python(folder) && !contain::exposes_home(folder));
    found
}

/// Resolves `..` in the text of a path, as links between interpreters are written.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        if part == std::path::Component::ParentDir {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out
}

fn holds_python(folder: &Path) -> bool {
    let is_library = |name: OsString| name.to_string_lossy().starts_with("python3");
    ["lib", "lib64"].iter().any(|lib| {
        std::fs::read_dir(folder.join(lib)).is_ok_and(|entries| entries.flatten().any(|entry| is_library(entry.file_name())))
    })
}
