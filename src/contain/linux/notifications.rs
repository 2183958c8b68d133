//! The system calls by which one process decides, call by call, what another may do: seccomp's notifications. Each in one safe
//! function; what is decided is `referee.rs`.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use seccompiler::sock_filter;

/// A call that waits for a decision.
pub(super) struct Call {
    id: u64,
    /// The thread that makes it, as seen from here.
    pub(super) thread: u32,
    pub(super) number: i64,
    pub(super) arguments: [u64; 6],
}

fn checked(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Installs a filter for this process and all it starts, and gives the descriptor that its notifications arrive at.
pub(super) fn install(filter: &[sock_filter]) -> io::Result<OwnedFd> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
        filter: filter.as_ptr().cast_mut().cast(),
    };
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // SAFETY: both types of an instruction have the kernel's layout; the program lives across the call, which copies it. The
    // descriptor is ours alone.
    unsafe {
        let fd = checked(libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program))?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// Takes the next call that waits; an error if it is gone meanwhile.
pub(super) fn take(listener: &OwnedFd) -> io::Result<Call> {
    // SAFETY: the structure is plain data, for which zero is a value and which the kernel wants to be zero.
    let mut call: libc::seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is the one that the request is about, and lives across the call.
    checked(unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call) }.into())?;
    Ok(Call { id: call.id, thread: call.pid, number: call.data.nr.into(), arguments: call.data.args })
}

/// Lets a call go on, or has it fail as not permitted. A caller that is gone needs no answer.
pub(super) fn answer(listener: &OwnedFd, call: &Call, may: bool) {
    let (error, flags) = if may { (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32) } else { (-libc::EPERM, 0) };
    let answer = libc::seccomp_notif_resp { id: call.id, val: 0, error, flags };
    // SAFETY: the structure is the one that the request is about, and lives across the call.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const answer) };
}

/// Room for the head of a message and one descriptor, aligned as the kernel wants it.
type Control = [u64; 4];

/// Hands a descriptor to the process at the other end of a pair of sockets.
pub(super) fn hand_over(pair: &UnixStream, descriptor: &OwnedFd) -> io::Result<()> {
    let mut byte = 0_u8;
    let mut part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    let mut control: Control = [0; 4];
    // SAFETY: the message and all it points to live across the call. The macros stay in `control`, which has room for one
    // descriptor.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut control).cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<RawFd>() as u32) as _;
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        (*head).cmsg_level = libc::SOL_SOCKET;
        (*head).cmsg_type = libc::SCM_RIGHTS;
        (*head).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
        libc::CMSG_DATA(head).cast::<RawFd>().write_unaligned(descriptor.as_raw_fd());
        checked(libc::sendmsg(pair.as_raw_fd(), &raw const message, 0) as libc::c_long).map(drop)
    }
}

/// Takes a descriptor from the other end; nothing if that was closed without one.
pub(super) fn receive(pair: &UnixStream) -> io::Result<Option<OwnedFd>> {
    let mut byte = 0_u8;
    let mut part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    let mut control: Control = [0; 4];
    // SAFETY: as in `hand_over`; a descriptor that came is ours alone.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut control).cast();
        message.msg_controllen = size_of::<Control>() as _;
        checked(libc::recvmsg(pair.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) as libc::c_long)?;
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        if head.is_null() || (*head).cmsg_type != libc::SCM_RIGHTS {
            return Ok(None);
        }
        Ok(Some(OwnedFd::from_raw_fd(libc::CMSG_DATA(head).cast::<RawFd>().read_unaligned())))
    }
}
