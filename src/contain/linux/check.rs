//! Whether the sandbox works on this machine: it is entered for nothing, and looked at from inside.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::failure::{Failure, Step};
use super::sys;
use crate::base::scratch::Scratch;
use crate::contain::command::command;
use crate::contain::confinement::{Confinement, Profile};
use crate::contain::levels::Level;
use crate::contain::order::Order;
use crate::contain::probe::Layer;

/// In place of a program: check the sandbox from inside and end with one of the codes below.
const CHECK: &str = "__check";
const CHECKED: u8 = 47;
const CHECKED_OVERLAY: u8 = 48;
const CHECKED_COPY: u8 = 49;

/// The name of a file that is written inside.
const WRITTEN: &str = "written";

/// Enters a level for nothing, in a process of its own, and checks from inside that it holds.
pub(in super::super) fn works(level: Level) -> Result<(), String> {
    match enter(level, &Confinement::new("/usr", "/usr"))? {
        CHECKED => Ok(()),
        code => Err(format!("The sandbox ended with {code}.")),
    }
}

/// The same with what recorded tests need; tells what their files are kept apart by.
pub(in super::super) fn works_for_tests() -> Result<Layer, String> {
    let folder = Scratch::new().map_err(|trouble| trouble.to_string())?;
    let made = || -> io::Result<PathBuf> {
        let folder = folder.path().canonicalize()?;
        for name in ["project", "scratch", "outside"] {
            std::fs::create_dir(folder.join(name))?;
        }
        Ok(folder)
    };
    let folder = made().map_err(|error| error.to_string())?;
    let mut spec = Confinement::new(folder.join("project"), folder.join("scratch"));
    spec.profile = Profile::RecordedTest;
    let code = enter(Level::Namespaces, &spec)?;
    match code {
        _ if folder.join("project").join(WRITTEN).exists() => Err("A file that was written inside reached the disk.".into()),
        CHECKED_OVERLAY => Ok(Layer::Overlay),
        CHECKED_COPY => Ok(Layer::Copy),
        _ => Err(format!("The sandbox ended with {code}.")),
    }
}

/// Gives the code with which a check ended, or what it said.
fn enter(level: Level, spec: &Confinement) -> Result<u8, String> {
    let mut command =
        command(level, spec, Path::new(CHECK), std::iter::empty::<&str>()).map_err(|trouble| trouble.to_string())?;
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    match output.status.code().map(u8::try_from) {
        Some(Ok(code @ (CHECKED | CHECKED_OVERLAY | CHECKED_COPY))) => Ok(code),
        _ => {
            let said = String::from_utf8_lossy(&output.stderr);
            let first = said.lines().next().unwrap_or("The sandbox ended without a word.");
            Err(first.trim_start_matches("pytead-tui: ").to_owned())
        }
    }
}

/// Tells whether the sandbox was started to be checked.
pub(super) fn is_asked_by(order: &Order) -> bool {
    order.command.first().is_some_and(|program| program == CHECK)
}

/// Looks from inside whether the sandbox holds; gives the code that says so.
pub(super) fn look(order: &Order) -> Result<u8, Failure> {
    match order.confinement.profile {
        Profile::Calls => look_at_calls(order.level).map(|()| CHECKED),
        Profile::RecordedTest => look_at_tests(&order.confinement),
    }
}

fn look_at_calls(level: Level) -> Result<(), Failure> {
    if level.is_kernel() {
        if UdpSocket::bind("127.0.0.1:0").is_ok() {
            return Err("a socket could be made").step("check the network");
        }
        if std::fs::read_dir("/root").is_ok() || std::fs::read_dir("/var").is_ok() {
            return Err("a folder that was not given can be read").step("check the file system");
        }
    }
    Ok(())
}

fn look_at_tests(confinement: &Confinement) -> Result<u8, Failure> {
    const OVERLAY: u64 = 0x794c_7630;
    let root = &confinement.root;
    if root.parent().is_some_and(|parent| parent.join("outside").exists()) {
        return Err("a folder that was not given can be read").step("check the file system");
    }
    std::fs::write(root.join(WRITTEN), WRITTEN).step("write into the project's layer")?;
    if sys::makes_socket(libc::AF_NETLINK) || sys::makes_socket(libc::AF_VSOCK) {
        return Err("a socket that leads out could be made").step("check the network");
    }
    speak_to_itself().step("use the loopback")?;
    let kind = rustix::fs::statfs(root).step("look at the project's layer")?.f_type;
    Ok(if kind as u64 == OVERLAY { CHECKED_OVERLAY } else { CHECKED_COPY })
}

fn speak_to_itself() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    TcpStream::connect(listener.local_addr()?)?.write_all(b"x")?;
    listener.accept()?.0.read_exact(&mut [0])
}
