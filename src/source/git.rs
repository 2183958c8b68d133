//! The project as of a commit: which commit a name means, and its files in a folder.
//!
//! Files come out of the object store as they are: no filter, hook or other program of the repository's configuration
//! runs, and nothing is written into the repository.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::source::stalled;

/// Characters of a name or an address.
const PERSON_MAX: usize = 100;
/// Larger files stay away: no Python is, and recorded calls do not read them.
const SIZE_MAX: u64 = 64 << 20;
/// How long git may wait at a time while its files are written out: for its own disk, or for us.
const UNREAD: Duration = Duration::from_secs(60);

/// A commit, as far as the project's folder is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The hash of the commit, shortened.
    pub commit: String,
    /// The hash of the project's folder in it: equal hashes, equal files.
    pub tree: String,
}

/// Finds the commit that a name means, and the project's folder in it.
///
/// # Errors
/// Fails outside a repository, and when there is no such commit or the folder is not in it.
pub fn resolve(root: &Path, name: &str) -> Result<Revision, Trouble> {
    let nothing = || {
        Trouble::usage(format!("There is no commit {}.", text::display_line(name)))
            .so("Name a commit, a branch or a tag: pytead-tui diff main.")
    };
    let Some(prefix) = ask(root, &["rev-parse", "--show-prefix"])? else {
        return Err(Trouble::usage("There is nothing to compare with.")
            .because("This folder is in no git repository.")
            .so("pytead-tui replay compares with what was recorded."));
    };
    let verified = format!("{name}^{{commit}}");
    let found = ask(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &verified])?.ok_or_else(nothing)?;
    let tree = if prefix.is_empty() { format!("{found}^{{tree}}") } else { format!("{found}:{}", prefix.trim_end_matches('/')) };
    let tree = ask(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &tree])?.ok_or_else(|| {
        Trouble::usage(format!("{} does not have this folder.", text::display_line(name))).so("Name a later commit.")
    })?;
    Ok(Revision { commit: found.chars().take(12).collect(), tree })
}

/// Writes the files of a revision into an existing, empty folder.
///
/// # Errors
/// Fails when git cannot be run, or a file cannot be written.
pub fn check_out(root: &Path, revision: &Revision, folder: &Path) -> Result<(), Trouble> {
    let listed = output(root, &["ls-tree", "-r", "-z", "-l", "--full-tree", &revision.tree])?;
    let mut files: Vec<File> = listed.split(|byte| *byte == 0).filter_map(File::read).collect();
    // Links come last: a tree that holds one name twice would lead files through them, out of the folder.
    files.sort_by_key(|file| file.is_link);
    let failed = |error: std::io::Error| Trouble::environment("The commit's files cannot be written out.").because(error);
    let mut child = git(root)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let (Some(mut asked), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Trouble::internal("git was started without pipes."));
    };
    let wanted: String = files.iter().map(|file| format!("{}\n", file.object)).collect();
    // Asked from another thread: git stops reading while nobody takes its answers.
    let asking = std::thread::spawn(move || asked.write_all(wanted.as_bytes()));
    let mut answers = BufReader::new(answers);
    let watch = stalled::Watch::over(&child, UNREAD);
    let written = files.iter().try_for_each(|file| file.write(folder, &blob(&mut answers)?));
    watch.end();
    drop(answers);
    let _ = asking.join();
    let _ = child.wait();
    written.map_err(failed)
}

/// Lists what git ignores in the project: files, and folders that hold nothing else.
///
/// # Errors
/// Fails when git cannot be run.
pub fn ignored(root: &Path) -> Result<Vec<RelPath>, Trouble> {
    listed(root, &["--others", "--ignored", "--exclude-standard", "--directory"])
}

/// Lists the files of the project that no commit holds and git does not ignore.
///
/// # Errors
/// Fails when git cannot be run.
pub fn untracked(root: &Path) -> Result<Vec<RelPath>, Trouble> {
    listed(root, &["--others", "--exclude-standard"])
}

fn listed(root: &Path, which: &[&str]) -> Result<Vec<RelPath>, Trouble> {
    let listed = output(root, &[&["ls-files", "-z"], which].concat())?;
    Ok(listed.split(|byte| *byte == 0).filter_map(|path| RelPath::new(std::str::from_utf8(path).ok()?)).collect())
}

/// A file of a revision.
struct File {
    object: String,
    path: RelPath,
    is_link: bool,
    is_program: bool,
}

impl File {
    /// Reads a line of `git ls-tree -l`: `100644 blob HASH    SIZE<tab>PATH`.
    fn read(line: &[u8]) -> Option<Self> {
        let (what, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
        let mut words = what.split_whitespace();
        let (mode, kind, object, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let fits = kind == "blob" && size.parse::<u64>().is_ok_and(|size| size <= SIZE_MAX);
        fits.then_some(Self {
            object: object.to_owned(),
            path: RelPath::new(path)?,
            is_link: mode == "120000",
            is_program: mode == "100755",
        })
    }

    fn write(&self, folder: &Path, content: &[u8]) -> std::io::Result<()> {
        let path = self.path.under(folder);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        if self.is_link {
            use std::os::unix::ffi::OsStrExt;
            return symlink(OsStr::from_bytes(content), path);
        }
        let mode = if self.is_program { 0o700 } else { 0o600 };
        fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?.write_all(content)
    }
}

/// Reads one answer of `git cat-file --batch`: `HASH blob SIZE`, the content, a newline.
fn blob(answers: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut head = String::new();
    answers.read_line(&mut head)?;
    let size: u64 = head
        .split_whitespace()
        .nth(2)
        .and_then(|size| size.parse().ok())
        .ok_or_else(|| std::io::Error::other(format!("git lacks a file of the commit: {}", head.trim())))?;
    let mut content = Vec::new();
    answers.take(size + 1).read_to_end(&mut content)?;
    content.truncate(usize::try_from(size).unwrap_or(usize::MAX));
    Ok(content)
}

fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "--no-optional-locks", "--no-replace-objects"])
        .current_dir(root)
        .env("GIT_TERMINAL_PROMPT", "0")
        // A commit of a partial clone is not fetched behind the person's back.
        .env("GIT_NO_LAZY_FETCH", "1")
        .stdin(Stdio::null());
    command
}

/// Gives the commit that is checked out, shortened; nothing outside a repository and before the first commit.
#[must_use]
pub fn head(root: &Path) -> Option<String> {
    ask(root, &["rev-parse", "--short=12", "HEAD"]).ok().flatten()
}

/// Gives who would sign a commit here, name and address as far as git's settings know them; nothing where they do not.
#[must_use]
pub fn person(root: &Path) -> Option<String> {
    match (name(root), setting(root, "user.email")) {
        (Some(name), Some(email)) => Some(format!("{name} <{email}>")),
        (name, email) => name.or(email),
    }
}

/// Gives the name alone.
#[must_use]
pub fn name(root: &Path) -> Option<String> {
    setting(root, "user.name")
}

fn setting(root: &Path, name: &str) -> Option<String> {
    let value = ask(root, &["config", "--get", name]).ok().flatten()?;
    let value: String = value.chars().take(PERSON_MAX).collect();
    (!value.is_empty()).then_some(value)
}

/// Asks for one line; `None` where git says no.
fn ask(root: &Path, args: &[&str]) -> Result<Option<String>, Trouble> {
    let output = answered(root, args)?;
    Ok(output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned()))
}

/// Runs git to its end, unless something in the repository holds it up.
fn answered(root: &Path, args: &[&str]) -> Result<Output, Trouble> {
    stalled::answered(git(root).args(args), root).map_err(|failure| match failure {
        stalled::Failure::Start(error) => without_git(error),
        stalled::Failure::Held(trouble) => trouble,
    })
}

fn output(root: &Path, args: &[&str]) -> Result<Vec<u8>, Trouble> {
    let output = answered(root, args)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let why = String::from_utf8_lossy(&output.stderr);
    Err(Trouble::environment("git cannot read this repository.").because(text::display_line(why.trim())))
}

fn without_git(error: std::io::Error) -> Trouble {
    Trouble::environment("git cannot be run.").because(error).so("Install git.")
}

/// Makes a second tree of the same files: links, not copies. Both trees are only read.
///
/// # Errors
/// Fails when a folder or a link cannot be made.
pub fn twin(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target: PathBuf = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            twin(&entry.path(), &target)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, target)?;
        } else {
            fs::hard_link(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(root: &Path, args: &[&str]) {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let status = git(root).args(identity).args(args).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "git {args:?}");
    }

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        run(root, &["init", "-q", "-b", "main"]);
        fs::create_dir_all(root.join("app/inner")).unwrap();
        fs::write(root.join("app/cart.py"), "old\r\n").unwrap();
        fs::write(root.join("app/inner/naïve name.py"), "x\n").unwrap();
        fs::write(root.join(".gitignore"), "*.log\nbuild/\n").unwrap();
        symlink("cart.py", root.join("app/link.py")).unwrap();
        run(root, &["add", "-A"]);
        run(root, &["commit", "-q", "-m", "one"]);
        folder
    }

    #[test]
    fn the_files_of_a_commit_come_out_as_they_were() {
        let folder = repository();
        fs::write(folder.path().join("app/cart.py"), "new\n").unwrap();
        let revision = resolve(folder.path(), "HEAD").unwrap();
        let out = tempfile::tempdir().unwrap();
        check_out(folder.path(), &revision, out.path()).unwrap();
        assert_eq!(fs::read_to_string(out.path().join("app/cart.py")).unwrap(), "old\r\n");
        assert_eq!(fs::read_to_string(out.path().join("app/inner/naïve name.py")).unwrap(), "x\n");
        assert_eq!(fs::read_link(out.path().join("app/link.py")).unwrap(), Path::new("cart.py"));
        let second = tempfile::tempdir().unwrap();
        twin(out.path(), &second.path().join("t")).unwrap();
        assert_eq!(fs::read_to_string(second.path().join("t/app/cart.py")).unwrap(), "old\r\n");
    }

    #[test]
    fn a_project_below_the_top_of_its_repository_is_itself() {
        let folder = repository();
        let app = folder.path().join("app");
        let out = tempfile::tempdir().unwrap();
        check_out(&app, &resolve(&app, "main").unwrap(), out.path()).unwrap();
        assert!(out.path().join("cart.py").is_file() && !out.path().join("app").exists());
        fs::create_dir(folder.path().join("later")).unwrap();
        let trouble = resolve(&folder.path().join("later"), "HEAD").unwrap_err();
        assert_eq!(trouble.what, "HEAD does not have this folder.");
    }

    #[test]
    fn a_name_is_never_an_option_and_a_wrong_one_says_so() {
        let folder = repository();
        for name in ["nowhere", "--output=x", "HEAD; rm", ""] {
            let trouble = resolve(folder.path(), name).unwrap_err();
            assert!(trouble.what.starts_with("There is no commit"), "{name}: {trouble}");
        }
        let outside = tempfile::tempdir().unwrap();
        assert!(resolve(outside.path(), "HEAD").unwrap_err().to_string().contains("no git repository"));
    }

    #[test]
    fn no_program_of_the_repository_runs() {
        let folder = repository();
        let root = folder.path();
        let sentinel = root.join("ran");
        let program = format!("touch {}; cat", sentinel.display());
        fs::write(root.join(".gitattributes"), "*.py filter=evil diff=evil\n").unwrap();
        run(root, &["add", ".gitattributes"]);
        run(root, &["commit", "-q", "-m", "two"]);
        for key in ["filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "core.fsmonitor", "core.sshCommand"] {
            run(root, &["config", key, &program]);
        }
        let out = tempfile::tempdir().unwrap();
        check_out(root, &resolve(root, "HEAD").unwrap(), out.path()).unwrap();
        ignored(root).unwrap();
        assert!(out.path().join("app/cart.py").exists());
        assert!(!sentinel.exists());
    }

    #[test]
    fn what_is_ignored_is_listed_folders_as_one() {
        let folder = repository();
        let root = folder.path();
        fs::create_dir_all(root.join("build/deep")).unwrap();
        fs::write(root.join("build/deep/a.py"), "").unwrap();
        fs::write(root.join("app/x.log"), "").unwrap();
        fs::write(root.join("app/new.py"), "").unwrap();
        let listed: Vec<String> = ignored(root).unwrap().into_iter().map(|path| path.to_string()).collect();
        assert_eq!(listed, ["app/x.log", "build"]);
    }
}
