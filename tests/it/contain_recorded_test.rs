//! The sandbox of recorded tests: what such tests need works in it, nothing gets out, and nothing of it stays.

#![cfg(target_os = "linux")]

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use pytead_tui::contain::{self, Confinement, Layer, Level, Profile};

use crate::contain::{Place, levels, python};

/// A name that would end an option of a mount, or be read as an escape.
const NAME: &str = "pro,j:e\\ ct";
const TMP: u64 = 16 << 20;

/// A project with a folder to read in it, and what its tests see of it.
struct Project {
    place: Place,
    confinement: Confinement,
}

/// Tells whether the profile is here; where namespaces are, it has to be.
fn is_here() -> bool {
    let has_namespaces = levels().contains(&Level::Namespaces);
    match contain::available_for_tests() {
        Ok(_) => has_namespaces,
        Err(why) if has_namespaces => panic!("{why}"),
        Err(_) => false,
    }
}

impl Project {
    fn new() -> Self {
        let place = Place::new(&std::env::temp_dir());
        let root = place.path(NAME);
        std::fs::rename(place.path("project"), &root).unwrap();
        let files = ["package/old.py", "package/inner.py", "again/file", "gone.py", "put.py", "foreign", "held/file", "sub/file"];
        for file in files {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "project").unwrap();
        }
        let mut confinement = place.confinement();
        confinement.profile = Profile::RecordedTest;
        confinement.root.clone_from(&root);
        confinement.cwd = root.join("sub");
        confinement.read_only = vec![root.join("held")];
        confinement.limits.tmp = TMP;
        Self { place, confinement }
    }

    fn root(&self) -> &Path {
        &self.confinement.root
    }

    fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = contain::command(Level::Namespaces, &self.confinement, program, args).unwrap();
        command.stdin(Stdio::null());
        command
    }

    /// Gives what a shell line prints; it has to succeed.
    fn shell(&self, line: &str) -> String {
        said(self.command(Path::new("/bin/sh"), &["-c", line]).output().unwrap())
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.place.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// All that lies below the root, with its text.
    fn files(&self) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        let mut pending = vec![self.root().to_owned()];
        while let Some(folder) = pending.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    pending.push(entry.path());
                }
                let text = if kind.is_file() { std::fs::read_to_string(entry.path()).unwrap() } else { String::new() };
                found.push((entry.path(), text));
            }
        }
        found.sort();
        found
    }
}

fn said(output: Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {out} {err}", output.status);
    out.into_owned()
}

/// Has a command run where a file system is mounted in a folder of its project: the kernel refuses an overlay of that.
fn with_a_mount_in(folder: &Path, command: &Command) -> Command {
    let mut around = Command::new("unshare");
    around.args([
        "-rm",
        "sh",
        "-c",
        "mount -t tmpfs none \"$0\" && echo mounted >\"$0/file\" && mkfifo \"$0/pipe\" && exec \"$@\"",
    ]);
    around.arg(folder).arg(command.get_program()).args(command.get_args()).env_clear().stdin(Stdio::null());
    around.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    around
}

#[test]
fn nothing_gets_out_of_a_recorded_test() {
    if !is_here() {
        return;
    }
    let mut layers = Vec::new();
    for mounted in [None, Some("sub"), Some("held/sub")] {
        let mut project = Project::new();
        if let Some(folder) = mounted {
            std::fs::create_dir_all(project.root().join(folder)).unwrap();
        }
        layers.push(attack(&mut project, mounted));
    }
    assert_eq!(layers[1..], [Layer::Copy, Layer::Copy], "both ways to make a project writable are tried");
}

/// Runs the attacks; gives how the project was made writable.
fn attack(project: &mut Project, mounted: Option<&str>) -> Layer {
    let python = python();
    let root = project.root().to_owned();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    tcp.set_nonblocking(true).unwrap();
    // Bound by short names, as the whole path may be too long for a socket.
    let sockets = ["socket", "held/socket"].map(|name| {
        let short = tempfile::tempdir().unwrap();
        let socket = UnixListener::bind(short.path().join("s")).unwrap();
        std::fs::rename(short.path().join("s"), root.join(name)).unwrap();
        socket.set_nonblocking(true).unwrap();
        socket
    });
    // Open for both ends, as by a server that waits for words.
    let pipes = ["pipe", "held/pipe"].map(|name| {
        let path = root.join(name);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        rustix::fs::open(&path, rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NONBLOCK, rustix::fs::Mode::empty()).unwrap()
    });
    let name = format!("pytead-recorded-test-{}", std::process::id());
    let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    hidden.set_nonblocking(true).unwrap();
    // Only the machine's user 0 may give a file away; for others the file stays their own.
    let _ = std::os::unix::fs::chown(root.join("foreign"), Some(1234), Some(1234));
    project.write("put/put.py", "put");
    project.write("put/package/old.py", "put");
    symlink(project.place.path("outside/secret"), project.place.path("put/put-link")).unwrap();
    symlink(project.place.path("outside"), root.join("linked")).unwrap();
    project.write("put/linked/new", "put");

    let confinement = &mut project.confinement;
    confinement.put = Some(project.place.path("put"));
    confinement.gone = vec!["gone.py".into(), "sub/nothing".into()];
    confinement.read_only.extend(python.prefixes.clone());
    confinement.read_only.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"));
    let home = std::env::var("HOME").unwrap();
    let files = crate::contain::files_in(&home);
    let before = project.files();
    let targets = serde_json::json!({
        "root": root, "scratch": project.place.path("scratch"), "read_only": root.join("held"),
        "secret": project.place.path("outside/secret"), "home": home, "files": files, "abstract": name,
        "tcp": tcp.local_addr().unwrap().port(), "udp": udp.local_addr().unwrap().port(),
        "ipv6": UdpSocket::bind("[::1]:0").is_ok(), "tmp": TMP, "processes": 500,
        "read": ["put.py", "foreign", "linked/new"], "gone": ["gone.py"],
    });
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/escape_layer.py");
    let mut command = project.command(&python.path, &[script, &targets.to_string()]);
    if let Some(folder) = mounted {
        command = with_a_mount_in(&root.join(folder), &command);
    }
    let report: serde_json::Value = serde_json::from_str(&said(command.output().unwrap())).unwrap();

    let how = |what: &str| -> Vec<(String, String)> {
        let found = report[what].as_object().unwrap();
        found.iter().map(|(name, how)| (name.clone(), how.as_str().unwrap().to_owned())).collect()
    };
    for (name, how) in how("worked") {
        assert_eq!(how, "done", "{mounted:?} {name}");
    }
    // As in a container: then no /proc of our own can be mounted, by which the kernel bounds the processes of its user 0.
    let hides_processes = std::fs::read_to_string("/proc/self/mountinfo").unwrap().contains(" /proc/");
    let unbounded = rustix::process::geteuid().is_root() && hides_processes;
    for (name, how) in how("tried") {
        let is_refused = how.starts_with('E') && how != "Exception";
        assert!(is_refused || (name == "many_processes" && unbounded), "{mounted:?} {name}: {how}");
        if name.starts_with("socket_") || name.starts_with("call_") {
            assert_eq!(how, "EPERM", "{mounted:?} {name}");
        }
    }
    assert_eq!(report["seen"], serde_json::json!({"put.py": "put", "foreign": "project", "linked/new": "put"}));
    assert_eq!(report["missing"], serde_json::json!(["gone.py"]));
    assert_eq!(report["working_folder"], root.join("sub").to_str().unwrap());
    let mounts = report["mounts"].as_str().unwrap();
    for outside in ["upper", "outside"] {
        assert!(!mounts.lines().any(|line| line.split(' ').nth(4).is_some_and(|at| at.contains(outside))), "{mounts}");
    }

    assert_eq!(project.files(), before, "nothing reaches the disk");
    assert_eq!(std::fs::read_dir(project.place.path("outside")).unwrap().count(), 1);
    assert_eq!(std::fs::read_to_string(project.place.path("scratch/file")).unwrap(), "kept", "the private folder is to read");
    assert!(udp.recv(&mut [0; 8]).is_err() && tcp.accept().is_err() && hidden.accept().is_err());
    assert!(sockets.iter().all(|socket| socket.accept().is_err()));
    assert!(pipes.iter().all(|pipe| rustix::io::read(pipe, &mut [0; 8]).is_err()), "something came through a pipe");
    if mounts.contains("upperdir") { Layer::Overlay } else { Layer::Copy }
}

#[test]
fn each_start_of_a_recorded_test_sees_the_project_as_it_is_then() {
    if !is_here() {
        return;
    }
    let project = Project::new();
    let line = "cat ../module.py; ls ..; cat ../written 2>/dev/null; echo text >../written; rm -r ../package; cat ../written";
    let first = project.shell(line);
    assert!(first.starts_with("x = 1\n") && first.ends_with("text\n"), "{first}");
    // As an editor saves.
    std::fs::write(project.root().join(".module.py.tmp"), "x = 2\n").unwrap();
    std::fs::rename(project.root().join(".module.py.tmp"), project.root().join("module.py")).unwrap();
    assert_eq!(project.shell(line), first.replace("x = 1", "x = 2"), "what the first start wrote and removed is as it was");
}

#[test]
fn files_of_an_earlier_version_stand_in_for_the_projects_and_no_link_of_theirs_leads_out() {
    if !is_here() {
        return;
    }
    let mut project = Project::new();
    // In that version a folder is a link that leads out, and so is the place of the folder to read.
    project.write("earlier/module.py", "x = 0\n");
    for name in ["earlier/held", "earlier/sub"] {
        symlink(project.place.path("outside"), project.place.path(name)).unwrap();
    }
    std::fs::create_dir(project.root().join("sub/held")).unwrap();
    symlink("../package", project.root().join("sub/env")).unwrap();
    let root = project.root().to_owned();
    project.confinement.stand_in = Some(project.place.path("earlier"));
    project.confinement.cwd.clone_from(&root);
    project.confinement.read_only = vec![root.join("held"), root.join("sub/held"), root.join("sub/env")];
    let seen = project.shell("cat module.py held/file package/inner.py; ls -d held sub/held; echo x >held/y; echo x >new");
    assert_eq!(seen, "x = 0\nprojectprojectheld\nsub/held\n");
    // Recorded calls have no layer in which a link could give way: then nothing runs.
    project.confinement.profile = Profile::Calls;
    let output = project.command(Path::new("/bin/sh"), &["-c", "echo ran"]).output().unwrap();
    assert!(output.status.code() == Some(3) && output.stdout.is_empty(), "{output:?}");
    let outside: Vec<_> = std::fs::read_dir(project.place.path("outside")).unwrap().flatten().collect();
    assert_eq!(outside.len(), 1, "{outside:?}");
    assert!(!root.join("new").exists() && !root.join("held/y").exists() && !project.place.path("earlier/new").exists());
}

#[test]
fn a_project_of_another_owner_is_written_all_the_same() {
    if !is_here() {
        return;
    }
    let project = Project::new();
    let file = project.root().join("sub/file");
    // Only the machine's user 0 may give a folder away.
    if [project.root(), &project.root().join("sub"), &file]
        .iter()
        .any(|path| std::os::unix::fs::chown(path, Some(1234), None).is_err())
    {
        return;
    }
    assert_eq!(
        project.shell("echo new >file && echo new >../more && mv ../again ../moved && cat file ../more ../moved/file"),
        "new\nnew\nproject"
    );
    assert_eq!(std::fs::read_to_string(file).unwrap(), "project");
    assert!(!project.root().join("more").exists() && project.root().join("again").exists());
    // Too large for a copy: it is read at least.
    std::fs::File::create(project.root().join("large")).unwrap().set_len(65 << 20).unwrap();
    assert_eq!(project.shell("cat file; echo new >../again/more; cat ../again/more"), "projectnew\n");
}

#[test]
fn a_project_that_can_be_neither_laid_over_nor_copied_runs_nothing() {
    if !is_here() {
        return;
    }
    let mut project = Project::new();
    std::fs::create_dir(project.root().join("mounted")).unwrap();
    let command = |project: &Project| {
        let command = project.command(Path::new("/bin/sh"), &["-c", "echo ran"]);
        with_a_mount_in(&project.root().join("mounted"), &command).output().unwrap()
    };
    assert_eq!(said(command(&project)), "ran\n");
    // Only its length counts.
    std::fs::File::create(project.root().join("large")).unwrap().set_len(65 << 20).unwrap();
    project.confinement.limits.tmp = 256 << 20;
    let output = command(&project);
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(3) && output.stdout.is_empty(), "{why}");
    assert!(why.contains("the kernel refuses an overlay of it") && why.contains("more than 64 MiB or 20000 files"), "{why}");
    assert_eq!(project.shell("echo ran"), "ran\n", "an overlay has no such bound");
}

#[test]
fn recorded_tests_run_at_no_other_level() {
    let project = Project::new();
    for level in [Level::Landlock, Level::Seatbelt, Level::Weak] {
        let refused = contain::command(level, &project.confinement, Path::new("/bin/true"), [""; 0]).unwrap_err().to_string();
        assert!(refused.starts_with("Recorded tests cannot run here."), "{refused}");
        // Nor if a command line asks for it.
        let command = contain::command(Level::Namespaces, &project.confinement, Path::new("/bin/true"), [""; 0]).unwrap();
        let mut command: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        command[1] = level.word().into();
        let output = Command::new(env!("CARGO_BIN_EXE_pytead-tui")).args(command).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{level:?}");
    }
}

#[test]
fn doctor_names_what_recorded_tests_need() {
    let home = tempfile::tempdir().unwrap();
    let line = |sandbox: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_pytead-tui"))
            .arg("doctor")
            .current_dir(home.path())
            .env("HOME", home.path())
            .env("PYTEAD_SANDBOX", sandbox)
            .output()
            .unwrap();
        said(output).lines().find(|line| line.contains("recorded tests")).unwrap().to_owned()
    };
    assert_eq!(line("namespaces").contains("run again in the sandbox, on a"), is_here());
    assert!(line("landlock").contains("cannot run again in the sandbox: PYTEAD_SANDBOX is landlock."));
}
