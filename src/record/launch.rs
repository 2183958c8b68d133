//! How a program is started so that it is recorded: which program, with which environment.
//!
//! Injection is by environment only: the command runs as typed, with the project's environment active; a bare script, a
//! folder with a `__main__.py` and `-m` get the project's interpreter.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::base::error::Trouble;
use crate::base::paths::{find_program, nearest};
use crate::base::text::display_line;
use crate::domain::settings::{Record, Redact};
use crate::python::package::Package;
use crate::record::activation::{self, Activation};

/// Folders below the root that are never the project's own code.
const NOT_PROJECT: &[&str] = &["node_modules", "build", "dist", ".tox", ".nox", ".eggs", ".git", ".pytead", "site-packages"];

/// The program that is asked for most, and missed.
const PYTEST: &str = "pytest";

/// What a program is started with.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The command as typed.
    pub typed: &'a [String],
    /// The project's root.
    pub root: &'a Path,
    /// Where the command was typed.
    pub cwd: &'a Path,
    /// The project's interpreter, where one was found.
    pub interpreter: Option<&'a Path>,
    /// A person named the interpreter: it was not found by looking for one.
    pub chosen: bool,
    /// Our Python package on disk.
    pub package: &'a Package,
    /// What to record.
    pub record: &'a Record,
    /// What never to record.
    pub redact: &'a Redact,
    /// What is kept of the calls.
    pub mode: Mode,
}

/// What the recorder keeps of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A few inputs of each shape.
    Calls,
    /// Every event in its order.
    Journey,
    /// Every call with its values: two runs are compared.
    Every,
}

impl Mode {
    fn word(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Journey => "journey",
            Self::Every => "every",
        }
    }
}

/// A program that can be started under the recorder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The program, absolute.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// The command as typed.
    pub typed: Vec<String>,
    /// Variables set, or taken away, besides those of [`Plan::spool_env`]; of several of one name the last counts.
    pub env: Vec<(String, Option<OsString>)>,
}

impl Plan {
    /// Finds out how to start a command.
    ///
    /// # Errors
    /// When there is no command, no such program or script, or no interpreter for a script.
    pub fn new(request: &Request<'_>) -> Result<Self, Trouble> {
        let (given, typed) = activation::assignments(request.typed);
        let given_path = given.iter().rev().find(|(name, _)| *name == "PATH").map(|(_, value)| OsString::from(value));
        let search = given_path.or_else(|| std::env::var_os("PATH"));
        let active = Activation::new(request.interpreter, request.chosen, search.as_deref());
        let (program, args) = command(&Request { typed, ..request.clone() }, &active)?;
        let args = args.iter().map(OsString::from).collect();
        let cwd = request.cwd.to_owned();
        let mut env: Vec<(String, Option<OsString>)> =
            given.iter().map(|(name, value)| ((*name).to_owned(), Some(value.into()))).collect();
        let ours = environment(request, &active, &env)?;
        env.extend(ours);
        Ok(Self { program, args, cwd, typed: request.typed.to_vec(), env })
    }

    /// Gives the interpreter that the program is, or in whose environment it lies (`venv/bin/pytest`), where a name tells it.
    #[must_use]
    pub fn python(&self) -> Option<PathBuf> {
        let name = self.program.file_name()?.to_str()?;
        let version = name.strip_prefix("python").unwrap_or("no");
        if version.chars().all(|c| c.is_ascii_digit() || c == '.') {
            return Some(self.program.clone());
        }
        let bin = self.program.parent()?;
        let python = bin.join("python");
        (bin.parent()?.join("pyvenv.cfg").is_file() && python.is_file()).then_some(python)
    }

    /// Gives the variables that say where this recording goes.
    #[must_use]
    pub fn spool_env(folder: &Path, recording: &str) -> [(&'static str, OsString); 2] {
        [("PYTEAD_SPOOL", folder.into()), ("PYTEAD_RECORDING", recording.into())]
    }
}

fn command<'a>(request: &Request<'a>, active: &Activation) -> Result<(PathBuf, &'a [String]), Trouble> {
    let Some(first) = request.typed.first() else {
        return Err(Trouble::usage("No program was given.").so("Type it after `run`: pytead-tui run main.py."));
    };
    if first == "-m" || first == "-c" {
        if request.typed.len() < 2 {
            return Err(Trouble::usage(format!("{first} needs a name after it.")).so("As in: pytead-tui run -m package."));
        }
        return Ok((interpreter(request)?, request.typed));
    }
    let path = request.cwd.join(first);
    if is_script(first, &path) {
        return Ok((interpreter(request)?, request.typed));
    }
    // The folder of a chosen Python may hold another one under these names.
    if request.chosen && (first == "python" || first == "python3") {
        return Ok((interpreter(request)?, &request.typed[1..]));
    }
    let found = |word: &str| find_program(word, Some(active.path.clone()), request.cwd);
    let is_file = first.ends_with(".py");
    if let Some(program) = found(first).filter(|_| !is_file) {
        return Ok((program, &request.typed[1..]));
    }
    // Many systems have a `python3` alone.
    if first == "python" && request.interpreter.is_some() {
        return Ok((interpreter(request)?, &request.typed[1..]));
    }
    let is_known = |word: &str| found(word).is_some() || request.cwd.join(word).is_file();
    Err(activation::one_word(request.typed, is_known).unwrap_or_else(|| match is_file {
        true => no_script(first, &path),
        false => no_program(first, request),
    }))
}

fn is_script(typed: &str, path: &Path) -> bool {
    typed.ends_with(".py") && path.is_file() || path.join("__main__.py").is_file()
}

fn interpreter(request: &Request<'_>) -> Result<PathBuf, Trouble> {
    request.interpreter.map(Path::to_owned).ok_or_else(|| {
        Trouble::environment("There is no Python to run this with.")
            .because("The project has no virtual environment, and no python3 is on the PATH.")
            .so("Name one: pytead-tui config set python /path/to/python3, or type it before the script.")
    })
}

fn no_script(typed: &str, path: &Path) -> Trouble {
    let names: Vec<String> = path
        .parent()
        .and_then(|folder| folder.read_dir().ok())
        .map(|entries| entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
        .unwrap_or_default();
    let wanted = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let scripts = names.iter().map(String::as_str).filter(|name| name.ends_with(".py"));
    let near = nearest(wanted.trim_end_matches(".py"), scripts.map(|name| name.trim_end_matches(".py")));
    let trouble = Trouble::usage(format!("There is no file {}.", display_line(typed)));
    match near.first() {
        Some(name) => trouble.so(format!("Did you mean {}?", display_line(&typed.replace(&wanted, &format!("{name}.py"))))),
        None => trouble.so("Paths are taken from the folder you are in."),
    }
}

fn no_program(typed: &str, request: &Request<'_>) -> Trouble {
    let shown = display_line(typed);
    let trouble = Trouble::usage(format!("There is no program {shown}."));
    if typed.contains('/') {
        return trouble.because("No such file can be run.").so("Paths are taken from the folder you are in.");
    }
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c == '_' || c.is_alphanumeric());
    if typed.contains(['.', ':']) && typed.split(['.', ':']).all(is_name) {
        return trouble.so("To record a function alone, write -- before the program: pytead-tui run FUNCTION -- main.py.");
    }
    if typed == PYTEST
        && let Some(python) = request.interpreter
    {
        let python = display_line(&python.to_string_lossy()).into_owned();
        return trouble
            .because(format!("It is not on the PATH, nor beside {python}."))
            .so(format!("Install it: {python} -m pip install {PYTEST}. Where it is there already: -m {PYTEST}."));
    }
    let names: Vec<String> = std::env::var_os("PATH")
        .iter()
        .flat_map(std::env::split_paths)
        .filter_map(|folder| folder.read_dir().ok())
        .flat_map(|entries| entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()))
        .collect();
    let trouble = trouble.because("It is not on the PATH.");
    match nearest(typed, names.iter().map(String::as_str)).first() {
        Some(name) => trouble.so(format!("Did you mean {}?", display_line(name))),
        None => trouble.so("A module is run with -m, a script by its path."),
    }
}

/// Gives the variables of a program; `typed` holds those that were typed before it.
fn environment(
    request: &Request<'_>,
    active: &Activation,
    typed: &[(String, Option<OsString>)],
) -> Result<Vec<(String, Option<OsString>)>, Trouble> {
    let mut env = recorder_variables(request)?;
    let boot = &request.package.boot;
    // An empty variable means nothing; an empty entry would mean the current folder.
    let given = typed.iter().rev().find(|(name, _)| name == "PYTHONPATH").and_then(|(_, value)| value.clone());
    let given = given.or_else(|| std::env::var_os("PYTHONPATH")).filter(|paths| !paths.is_empty());
    let given = given.iter().flat_map(std::env::split_paths).filter(|path| path != boot);
    let root = canonical(request.root)?;
    let besides = request.record.python_path.iter().map(|folder| root.join(folder).components().collect());
    let search = std::iter::once(boot.clone()).chain(besides).chain(given).collect();
    env.extend([("PYTHONPATH", Some(join(search)?)), ("PATH", Some(active.path.clone()))]);
    env.extend(active.virtual_env.iter().map(|folder| ("VIRTUAL_ENV", folder.clone())));
    env.extend(active.home_goes.then_some(("PYTHONHOME", None)));
    Ok(env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Gives the variables that say what is recorded of a project.
///
/// # Errors
/// When the root cannot be read, or a path cannot stand in a list of paths.
pub fn recorder_variables(request: &Request<'_>) -> Result<Vec<(&'static str, Option<OsString>)>, Trouble> {
    let root = canonical(request.root)?;
    let lines = |items: &[String]| (!items.is_empty()).then(|| items.join("\n").into());
    let exclude = join(excluded(request, &root))?;
    Ok(vec![
        ("PYTEAD_ROOT", Some(root.into())),
        ("PYTEAD_EXCLUDE", Some(exclude)),
        ("PYTEAD_LIMIT", Some(request.record.limit.max(request.record.calls).to_string().into())),
        ("PYTEAD_CALLS", (request.record.calls > 0).then(|| request.record.calls.to_string().into())),
        ("PYTEAD_TARGETS", lines(&request.record.targets)),
        ("PYTEAD_MODE", Some(request.mode.word().into())),
        ("PYTEAD_REDACT", lines(&request.redact.names)),
    ])
}

fn canonical(root: &Path) -> Result<PathBuf, Trouble> {
    root.canonicalize().map_err(|error| {
        Trouble::environment(format!("The folder {} cannot be read.", root.display())).because(format!("{error}."))
    })
}

fn join(paths: Vec<PathBuf>) -> Result<OsString, Trouble> {
    std::env::join_paths(paths).map_err(|error| {
        Trouble::environment("The program cannot be started with this folder.")
            .because(format!("A path in a list of paths: {error}."))
            .so("Move the project to a path without this character.")
    })
}

/// Lists the folders below the root that are not the project's code: those set, well-known ones, environments.
fn excluded(request: &Request<'_>, root: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = request.record.exclude.iter().map(|folder| root.join(folder)).collect();
    folders.extend(NOT_PROJECT.iter().map(|name| root.join(name)).filter(|path| path.is_dir()));
    let entries = root.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    folders.extend(entries.filter(|path| path.join("pyvenv.cfg").is_file()));
    let environment = request.interpreter.and_then(Path::parent).and_then(Path::parent);
    folders.extend(environment.filter(|path| path.starts_with(root) && *path != root).map(Path::to_owned));
    folders.push(request.package.folder.clone());
    folders.retain(|path| path.starts_with(root));
    folders.sort();
    folders.dedup();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Project {
        folder: tempfile::TempDir,
        record: Record,
        redact: Redact,
    }

    impl Project {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let at = |path: &str| folder.path().join(path);
            for path in ["pkg", ".venv/bin", "build"] {
                std::fs::create_dir_all(at(path)).unwrap();
            }
            for path in ["main.py", "pkg/__main__.py", ".venv/pyvenv.cfg", ".venv/bin/python", ".venv/bin/frobnicate"] {
                std::fs::write(at(path), "").unwrap();
            }
            Self { folder, record: Record::default(), redact: Redact::default() }
        }

        fn plan(&self, typed: &[&str]) -> Result<Plan, Trouble> {
            let typed: Vec<String> = typed.iter().map(|word| (*word).to_owned()).collect();
            Plan::new(&Request {
                typed: &typed,
                root: self.folder.path(),
                cwd: self.folder.path(),
                interpreter: Some(&self.folder.path().join(".venv/bin/python")),
                chosen: false,
                package: &Package { folder: "/opt/ours".into(), boot: "/opt/ours/pytead_tui/boot".into() },
                record: &self.record,
                redact: &self.redact,
                mode: Mode::Calls,
            })
        }
    }

    fn variable(plan: &Plan, name: &str) -> Option<String> {
        let (_, value) = plan.env.iter().rfind(|(known, _)| *known == name).unwrap();
        value.as_ref().map(|value| value.to_string_lossy().into_owned())
    }

    #[test]
    fn scripts_and_modules_get_the_projects_interpreter() {
        let project = Project::new();
        for typed in [&["main.py", "a", "b"][..], &["./main.py"], &["-m", "pkg", "x"], &["-c", "1"], &["pkg"]] {
            let plan = project.plan(typed).unwrap();
            assert_eq!(plan.program, project.folder.path().join(".venv/bin/python"));
            assert_eq!(plan.args, typed);
        }
    }

    #[test]
    fn everything_else_runs_as_typed() {
        let project = Project::new();
        let plan = project.plan(&["sh", "-c", "exit 3"]).unwrap();
        assert!(plan.program.is_absolute() && plan.program.ends_with("sh"));
        assert_eq!(plan.args, ["-c", "exit 3"]);
    }

    #[test]
    fn the_environment_is_active_and_variables_may_stand_before_the_program() {
        use std::os::unix::fs::PermissionsExt as _;

        let project = Project::new();
        let bin = project.folder.path().join(".venv/bin");
        std::fs::set_permissions(bin.join("frobnicate"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let plan = project.plan(&["A=1", "PYTHONPATH=src", "PYTEAD_MODE=x", "frobnicate", "B=2"]).unwrap();
        assert_eq!((plan.program, plan.args), (bin.join("frobnicate"), vec![OsString::from("B=2")]));
        let project_plan = project.plan(&["A=1", "PYTHONPATH=src", "PYTEAD_MODE=x", "main.py"]).unwrap();
        assert_eq!(variable(&project_plan, "A").as_deref(), Some("1"));
        assert_eq!(variable(&project_plan, "PYTEAD_MODE").as_deref(), Some("calls"), "ours count");
        assert_eq!(variable(&project_plan, "PYTHONPATH").as_deref(), Some("/opt/ours/pytead_tui/boot:src"));
        assert!(variable(&project_plan, "PATH").unwrap().starts_with(&format!("{}:", bin.display())));
        assert_eq!(variable(&project_plan, "VIRTUAL_ENV"), Some(bin.parent().unwrap().display().to_string()));
    }

    #[test]
    fn python_is_the_interpreter_where_no_program_has_that_name() {
        let project = Project::new();
        let plan = project.plan(&["PATH=/nowhere", "python", "-m", "pytest", "-q"]).unwrap();
        assert_eq!(plan.program, project.folder.path().join(".venv/bin/python"));
        assert_eq!(plan.args, ["-m", "pytest", "-q"]);
        assert!(project.plan(&["PATH=/nowhere", "python2"]).is_err());
    }

    #[test]
    fn what_is_not_there_gets_a_way_out() {
        let project = Project::new();
        let trouble = |typed: &[&str]| project.plan(typed).unwrap_err().to_string();
        assert_eq!(trouble(&["mian.py"]), "There is no file mian.py. Did you mean main.py?");
        assert!(
            trouble(&["frobnicate"]).starts_with("There is no program frobnicate. It is not on the PATH."),
            "it cannot be run"
        );
        assert!(trouble(&["cta"]).contains("Did you mean cat"), "{}", trouble(&["cta"]));
        assert!(trouble(&["m.multiply", "main.py"]).contains("-- before the program"));
        assert!(trouble(&["./nothing"]).contains("No such file can be run."));
        assert!(trouble(&[]).starts_with("No program was given."));
        assert!(trouble(&["-m"]).starts_with("-m needs a name"));
        assert_eq!(project.plan(&["mian.py"]).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn the_interpreter_of_a_program_is_told_by_its_name_or_its_environment() {
        let project = Project::new();
        let plan = |typed: &[&str]| project.plan(typed).unwrap().python();
        let own = project.folder.path().join(".venv/bin/python");
        assert_eq!(plan(&["main.py"]), Some(own.clone()));
        assert_eq!(plan(&["-m", "pkg"]), Some(own.clone()));
        let at =
            |program: &str| Plan { program: project.folder.path().join(program), ..project.plan(&["main.py"]).unwrap() }.python();
        assert_eq!(at(".venv/bin/frobnicate"), Some(own));
        assert_eq!(at("other/bin/python3.12"), Some(project.folder.path().join("other/bin/python3.12")));
        assert_eq!(at("other/bin/python-config"), None);
        assert_eq!(at("other/bin/make"), None);
    }

    #[test]
    fn the_environment_is_that_of_the_spool_format() {
        let mut project = Project::new();
        let plan = project.plan(&["main.py"]).unwrap();
        let root = project.folder.path().canonicalize().unwrap();
        assert_eq!(variable(&plan, "PYTEAD_ROOT"), Some(root.display().to_string()));
        assert_eq!(variable(&plan, "PYTEAD_LIMIT").as_deref(), Some("10"));
        assert_eq!(variable(&plan, "PYTEAD_MODE").as_deref(), Some("calls"));
        assert_eq!(variable(&plan, "PYTEAD_TARGETS"), None, "absent: everything");
        assert_eq!(variable(&plan, "PYTEAD_REDACT"), None);
        let path = variable(&plan, "PYTHONPATH").unwrap();
        assert!(path == "/opt/ours/pytead_tui/boot" || path.starts_with("/opt/ours/pytead_tui/boot:"), "{path}");
        let exclude = variable(&plan, "PYTEAD_EXCLUDE").unwrap();
        assert_eq!(exclude, format!("{0}/.venv:{0}/build", root.display()));
        project.record.python_path = vec!["lib".into(), ".".into()];
        let path = variable(&project.plan(&["main.py"]).unwrap(), "PYTHONPATH").unwrap();
        assert!(path.starts_with(&format!("/opt/ours/pytead_tui/boot:{0}/lib:{0}", root.display())), "{path}");
        project.record.targets = vec!["shop.cart".into(), "shop.pricing:*".into()];
        project.redact.names = vec!["pin".into()];
        let plan = project.plan(&["main.py"]).unwrap();
        assert_eq!(variable(&plan, "PYTEAD_TARGETS").as_deref(), Some("shop.cart\nshop.pricing:*"));
        assert_eq!(variable(&plan, "PYTEAD_REDACT").as_deref(), Some("pin"));
    }
}
