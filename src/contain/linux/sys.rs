//! The system calls of the sandbox, each in one safe function. All `unsafe` of Linux is here and in `notifications.rs`.

#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use super::processes::children;

const OPEN_TREE_CLONE: libc::c_long = 1;
const AT_RECURSIVE: libc::c_long = 0x8000;
const MOVE_MOUNT_F_EMPTY_PATH: libc::c_long = 4;

/// Mount attributes of `mount_setattr(2)`.
pub(super) mod attr {
    pub(in super::super) const READ_ONLY: u64 = 1;
    pub(in super::super) const NO_SUID: u64 = 2;
    pub(in super::super) const NO_DEVICES: u64 = 4;
    pub(in super::super) const NO_EXEC: u64 = 8;
}

/// Which side of a fork this is.
pub(super) enum Fork {
    Parent(i32),
    Child,
}

fn checked(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// Forks. This process has one thread, so the child may do what it likes.
pub(super) fn fork() -> io::Result<Fork> {
    // SAFETY: no other thread exists that could hold a lock of the child.
    match unsafe { libc::fork() } {
        0 => Ok(Fork::Child),
        pid if pid > 0 => Ok(Fork::Parent(pid)),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Makes every descriptor above stderr close when the command starts; kernels without the call lack the levels too.
pub(super) fn close_inherited_on_exec() {
    // SAFETY: no memory is involved; descriptors are only marked.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

/// Moves to new user, mount, network, process, IPC and name namespaces.
pub(super) fn leave_namespaces() -> io::Result<()> {
    let all = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWCGROUP;
    // SAFETY: no memory is involved.
    checked(unsafe { libc::unshare(all) }.into()).map(drop)
}

/// Mounts a file system, or changes how mounts spread when there is no type.
pub(super) fn mount(kind: Option<&str>, target: &Path, flags: libc::c_ulong, options: &str) -> io::Result<()> {
    let (target, options) = (c_path(target)?, CString::new(options)?);
    let kind = kind.map(CString::new).transpose()?;
    let name = kind.as_ref().map_or(std::ptr::null(), |kind| kind.as_ptr());
    // SAFETY: all pointers are null or NUL-terminated strings that live across the call.
    checked(unsafe { libc::mount(name, target.as_ptr(), name, flags, options.as_ptr().cast()) }.into()).map(drop)
}

/// Takes a detached copy of the mounts at a path.
pub(super) fn copy_tree(path: &Path) -> io::Result<OwnedFd> {
    let path = c_path(path)?;
    let flags = OPEN_TREE_CLONE | AT_RECURSIVE | libc::c_long::from(libc::O_CLOEXEC);
    // SAFETY: the path lives across the call; the descriptor it gives is ours alone.
    let fd = checked(unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) })?;
    // SAFETY: see above.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Adds attributes to a mount and all below it.
pub(super) fn restrict_tree(tree: &OwnedFd, attributes: u64) -> io::Result<()> {
    let value = MountAttributes { set: attributes, clear: 0, propagation: 0, user_namespace: 0 };
    let flags = libc::c_long::from(libc::AT_EMPTY_PATH) | AT_RECURSIVE;
    // SAFETY: the structure and the empty path live across the call; the size is the structure's.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const value,
            size_of::<MountAttributes>(),
        )
    };
    checked(result).map(drop)
}

/// Adds attributes to the one mount at a path.
pub(super) fn restrict_mount(path: &Path, attributes: u64) -> io::Result<()> {
    let path = c_path(path)?;
    let value = MountAttributes { set: attributes, clear: 0, propagation: 0, user_namespace: 0 };
    // SAFETY: as in `restrict_tree`.
    let result = unsafe {
        libc::syscall(libc::SYS_mount_setattr, libc::AT_FDCWD, path.as_ptr(), 0, &raw const value, size_of::<MountAttributes>())
    };
    checked(result).map(drop)
}

/// Puts a detached copy of mounts at a path.
pub(super) fn attach_tree(tree: &OwnedFd, target: &Path) -> io::Result<()> {
    let target = c_path(target)?;
    // SAFETY: both paths live across the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            target.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    };
    checked(result).map(drop)
}

/// Takes the mounts at a path away; what still uses them keeps them.
pub(super) fn detach(path: &Path) -> io::Result<()> {
    let path = c_path(path)?;
    // SAFETY: the path lives across the call.
    checked(unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) }.into()).map(drop)
}

/// Makes a mount the root of the file system; nothing of the old one stays.
pub(super) fn change_root(new: &Path) -> io::Result<()> {
    std::env::set_current_dir(new)?;
    // SAFETY: both paths are constants. The old root lands above the new one and is taken away next.
    checked(unsafe { libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()) })?;
    // SAFETY: the path is a constant.
    checked(unsafe { libc::umount2(c".".as_ptr(), libc::MNT_DETACH) }.into())?;
    std::env::set_current_dir("/")
}

fn socket(family: libc::c_int, kind: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: no memory is involved; the descriptor is ours alone.
    let fd = checked(unsafe { libc::socket(family, kind | libc::SOCK_CLOEXEC, 0) }.into())?;
    // SAFETY: see above.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Tells whether a socket of a family can be made.
pub(super) fn makes_socket(family: libc::c_int) -> bool {
    socket(family, libc::SOCK_DGRAM).is_ok()
}

/// Brings up the loopback of a network of our own.
pub(super) fn raise_loopback() -> io::Result<()> {
    let any = socket(libc::AF_INET, libc::SOCK_DGRAM)?;
    // SAFETY: the structure is plain data, for which zero is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the structure lives across the call, which only reads it.
    checked(unsafe { libc::ioctl(any.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request) }.into()).map(drop)
}

fn prctl(option: libc::c_int, value: libc::c_ulong) -> io::Result<()> {
    // SAFETY: only options that take numbers are used here.
    checked(unsafe { libc::prctl(option, value, 0, 0, 0) }.into()).map(drop)
}

/// Has this process killed when its parent ends.
pub(super) fn die_with_parent() -> io::Result<()> {
    prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)
}

/// Has descendants that lose their parent become children of this process.
pub(super) fn adopt_orphans() -> io::Result<()> {
    prctl(libc::PR_SET_CHILD_SUBREAPER, 1)
}

/// Forbids this process and all it starts to gain privileges.
pub(super) fn no_new_privileges() -> io::Result<()> {
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1)
}

/// Leaves the terminal.
pub(super) fn new_session() -> io::Result<()> {
    // SAFETY: no memory is involved.
    checked(unsafe { libc::setsid() }.into()).map(drop)
}

/// Gives up all capabilities for good, also those that user 0 would get by starting a program.
pub(super) fn drop_capabilities() -> io::Result<()> {
    for capability in 0..64 {
        if prctl(libc::PR_CAPBSET_DROP, capability).is_err() {
            break; // the kernel knows no higher one
        }
    }
    const LOCKED_NO_ROOT: libc::c_ulong = 0b10_1111;
    match prctl(libc::PR_SET_SECUREBITS, LOCKED_NO_ROOT) {
        // Who may not set them has no capability to lose here, and gains none later: see `no_new_privileges`.
        Err(error) if error.kind() != io::ErrorKind::PermissionDenied => return Err(error),
        _ => {}
    }
    prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL as libc::c_ulong)?;
    const VERSION_3: u32 = 0x2008_0522;
    let header: [u32; 2] = [VERSION_3, 0];
    let none: [u32; 6] = [0; 6];
    // SAFETY: header and data have the sizes that version 3 prescribes and live across the call.
    checked(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) }).map(drop)
}

/// Sets a resource limit, or keeps a lower one.
pub(super) fn set_limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure lives across both calls.
    checked(unsafe { libc::getrlimit(resource, &mut limit) }.into())?;
    limit.rlim_max = limit.rlim_max.min(most);
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: see above.
    checked(unsafe { libc::setrlimit(resource, &limit) }.into()).map(drop)
}

/// Gives the bytes of a page of memory.
pub(super) fn page_size() -> u64 {
    // SAFETY: no memory is involved.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Counts the processes and threads of this user.
pub(super) fn tasks_of_user() -> u64 {
    use std::os::unix::fs::MetadataExt;

    let user = rustix::process::getuid().as_raw();
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    processes
        .flatten()
        .filter(|entry| entry.file_name().as_bytes().iter().all(u8::is_ascii_digit))
        .filter(|entry| entry.metadata().is_ok_and(|meta| meta.uid() == user))
        .map(|entry| std::fs::read_dir(entry.path().join("task")).map_or(1, |tasks| tasks.count() as u64))
        .sum()
}

/// Gives the version of the kernel's Landlock interface.
pub(super) fn landlock_abi() -> Option<u32> {
    const VERSION: libc::c_long = 1;
    // SAFETY: with this flag the call takes no memory.
    let abi = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, VERSION) };
    u32::try_from(abi).ok().filter(|abi| *abi > 0)
}

fn signals(numbers: &[libc::c_int]) -> libc::sigset_t {
    // SAFETY: the set is initialised by `sigemptyset` before it is used.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        for number in numbers {
            libc::sigaddset(&mut set, *number);
        }
        set
    }
}

/// Signals that are read from a descriptor in place of being delivered.
pub(super) struct Signals(OwnedFd);

/// Blocks the signals that matter to a supervisor and gives the descriptor they arrive at.
pub(super) fn catch_signals() -> io::Result<Signals> {
    let set = signals(&[libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGCHLD]);
    // SAFETY: the set is initialised; the descriptor is ours alone.
    unsafe {
        checked(libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()).into())?;
        let fd = checked(libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK).into())?;
        Ok(Signals(OwnedFd::from_raw_fd(fd as RawFd)))
    }
}

/// Delivers all signals again and gives SIGPIPE its ordinary meaning back.
pub(super) fn release_signals() -> io::Result<()> {
    let none = signals(&[]);
    // SAFETY: the set is initialised; the default action involves no code of ours.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        checked(libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut()).into()).map(drop)
    }
}

impl Signals {
    /// As [`Signals::wait`], for a signal alone and some milliseconds at most.
    pub(super) fn wait_at_most(&self, milliseconds: libc::c_int) -> bool {
        let mut fd = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: the structure lives across the call and is the one there is.
        unsafe { libc::poll(&raw mut fd, 1, milliseconds) };
        self.take()
    }

    /// Sleeps until a signal comes in, the process ends, a call waits at the listener, or the time is up. Tells whether a signal
    /// other than the end of a child came in.
    ///
    /// What came in is taken here and nowhere else, so children have to be looked at after it: the word of a child that
    /// ends between a look and the taking would be taken unseen, and the next wait would never end.
    pub(super) fn wait(&self, process: &Process, listener: Option<&OwnedFd>, most: Duration) -> Woken {
        let watched = process.0.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        let listener = listener.map_or(-1, AsRawFd::as_raw_fd);
        let mut fds = [self.0.as_raw_fd(), watched, listener].map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
        // One more, so that it does not end just before its time.
        let milliseconds = libc::c_int::try_from(most.as_millis() + 1).unwrap_or(libc::c_int::MAX);
        // SAFETY: the array lives across the call and its length is right.
        unsafe { libc::poll(fds.as_mut_ptr(), 3, milliseconds) };
        Woken { asked: self.take(), call: fds[2].revents & libc::POLLIN != 0 }
    }

    /// Takes what came in, and tells whether one other than the end of a child did.
    fn take(&self) -> bool {
        let mut asked = false;
        loop {
            // SAFETY: the structure is plain data and as large as the read says.
            let (got, info) = unsafe {
                let mut info: libc::signalfd_siginfo = std::mem::zeroed();
                let size = size_of::<libc::signalfd_siginfo>();
                (libc::read(self.0.as_raw_fd(), (&raw mut info).cast(), size) == size as isize, info)
            };
            if !got {
                return asked;
            }
            asked |= info.ssi_signo != libc::SIGCHLD as u32;
        }
    }
}

/// Why a supervisor woke up.
pub(super) struct Woken {
    /// A signal asks for the end.
    pub(super) asked: bool,
    /// A call waits for a decision.
    pub(super) call: bool,
}

/// A process whose end can be waited for.
pub(super) struct Process(Option<OwnedFd>);

impl Process {
    /// Opens a process by its id; what cannot be opened is never seen to end.
    pub(super) fn open(pid: u32) -> Self {
        // SAFETY: no memory is involved; the descriptor is ours alone.
        unsafe {
            let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
            Self((fd >= 0).then(|| OwnedFd::from_raw_fd(fd as RawFd)))
        }
    }
}

/// Tells whether the parent is still the process that started this one.
pub(super) fn parent_is(pid: u32) -> bool {
    rustix::process::getppid().is_some_and(|parent| parent.as_raw_nonzero().get() as u32 == pid)
}

fn exit_code(status: libc::c_int) -> u8 {
    if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) as u8 } else { (128 + libc::WTERMSIG(status)) as u8 }
}

fn wait_any(flags: libc::c_int) -> Option<(i32, u8)> {
    let mut status = 0;
    // SAFETY: the status lives across the call.
    let pid = unsafe { libc::waitpid(-1, &mut status, flags) };
    (pid > 0).then(|| (pid, exit_code(status)))
}

/// Collects ended children; gives the code of `child` when it is among them. A signal's code is 128 and its number.
pub(super) fn reap(child: i32) -> Option<u8> {
    let mut code = None;
    while let Some((pid, ended)) = wait_any(libc::WNOHANG) {
        code = code.or((pid == child).then_some(ended));
    }
    code
}

/// Waits for one child; gives its code when it is `child`, or when there is no child left to wait for.
pub(super) fn reap_waiting(child: i32) -> Option<u8> {
    match wait_any(0) {
        Some((pid, code)) => (pid == child).then_some(code),
        None if io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) => None,
        None => Some(crate::contain::command::REFUSED),
    }
}

/// Kills one child.
pub(super) fn kill(child: i32) {
    // SAFETY: no memory is involved; an unreaped child's id is not used again.
    unsafe { libc::kill(child, libc::SIGKILL) };
}

/// Asks one child to end.
pub(super) fn ask_to_end(child: i32) {
    // SAFETY: as in `kill`.
    unsafe { libc::kill(child, libc::SIGTERM) };
}

/// Kills all descendants: each round's orphans become children of this process and are killed in the next.
pub(super) fn end_descendants() {
    loop {
        children().into_iter().for_each(kill);
        if wait_any(0).is_none() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::watched;
    use super::*;

    const CODE: u8 = 7;

    /// Ends this process without what the test's own would do at its end.
    fn end(code: u8) -> ! {
        // SAFETY: nothing of this process is used any more.
        unsafe { libc::_exit(code.into()) }
    }

    /// Watches over children that end at once, from a little later on each; tells of the first whose end was not seen.
    fn watch_many(starter: u32) -> io::Result<()> {
        let signals = catch_signals()?;
        for round in 0..3000 {
            let Fork::Parent(child) = fork()? else { end(CODE) };
            let until = Instant::now() + Duration::from_micros(round % 600);
            while Instant::now() < until {}
            if watched::wait(child, starter, &signals) != CODE {
                return Err(io::Error::other("another end"));
            }
        }
        Ok(())
    }

    #[test]
    fn the_end_of_a_program_is_seen_at_whichever_moment_it_comes() {
        let starter = std::process::id();
        let Fork::Parent(watcher) = fork().unwrap() else {
            // SAFETY: no memory is involved. A watcher that sleeps for good is ended by this alone.
            unsafe { libc::alarm(60) };
            end(u8::from(watch_many(starter).is_err()));
        };
        let mut status = 0;
        // SAFETY: the status lives across the call.
        assert_eq!(unsafe { libc::waitpid(watcher, &raw mut status, 0) }, watcher);
        assert_eq!(exit_code(status), 0, "128 and a number: ended by that signal");
    }
}
