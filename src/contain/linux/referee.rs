//! Signals before Linux 6.12: there Landlock lets contained processes send them to any process of the user, and a filter cannot tell
//! which ids are theirs. So the process above them looks at each: one to another contained process goes on.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use super::failure::{Failure, Step};
use super::{filter, notifications, processes, sys};

/// From this version of Landlock's interface on, signals stay inside.
const ABI_OF_SIGNALS: u32 = 6;

/// The calls that send a signal to a process or thread by its id. One by a descriptor is refused as a whole: another thread could
/// put another descriptor in its place while it is looked at.
const SENDS: &[libc::c_long] =
    &[libc::SYS_kill, libc::SYS_tkill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo];

/// Both ends of the way by which the listener gets from the contained process to the one above it.
pub(super) struct Way {
    above: UnixStream,
    inside: UnixStream,
}

/// Looks at signals where the kernel does not.
pub(super) struct Referee {
    listener: OwnedFd,
}

/// Tells whether signals have to be looked at.
pub(super) fn is_needed() -> bool {
    sys::landlock_abi().is_some_and(|abi| abi < ABI_OF_SIGNALS)
}

impl Way {
    pub(super) fn new() -> io::Result<Self> {
        let (above, inside) = UnixStream::pair()?;
        Ok(Self { above, inside })
    }

    /// In the contained process: has its signals looked at from here on.
    pub(super) fn submit(self) -> Result<(), Failure> {
        drop(self.above);
        let rules = SENDS.iter().map(|number| (*number, Vec::new())).collect::<BTreeMap<_, _>>();
        let listener = notifications::install(&filter::notifying(rules)?).step("look at signals")?;
        notifications::hand_over(&self.inside, &listener).step("look at signals")
    }

    /// In the process above: waits until the contained one has submitted; nothing if it ended before.
    pub(super) fn referee(self) -> Option<Referee> {
        drop(self.inside);
        notifications::receive(&self.above).ok().flatten().map(|listener| Referee { listener })
    }
}

impl Referee {
    /// The descriptor at which calls arrive.
    pub(super) fn listener(&self) -> &OwnedFd {
        &self.listener
    }

    /// Decides on a call that has arrived.
    pub(super) fn decide(&self) {
        // It may be gone again: a caller that was killed waits for nothing.
        if let Ok(call) = notifications::take(&self.listener) {
            notifications::answer(&self.listener, &call, may(&call));
        }
    }
}

/// Tells whether a signal stays inside. An id is looked at here and used a moment later; that it is another process's by then takes
/// a machine that goes through all its ids in that moment.
fn may(call: &notifications::Call) -> bool {
    // Ids are 32 bits wide, whatever stands above them.
    let target = call.arguments[0] as u32 as i32;
    match (call.number & !filter::X32, target) {
        // The sender's own group, in a session of our own.
        (libc::SYS_kill, 0) => true,
        // Each process of the user.
        (libc::SYS_kill, -1) => false,
        (libc::SYS_kill, ..0) => target.checked_neg().is_some_and(is_group_inside),
        (_, 1..) => is_inside(target, call.thread),
        _ => false,
    }
}

/// Tells whether a process or thread is contained here.
fn is_inside(target: i32, sender: u32) -> bool {
    let Some(process) = processes::of_thread(target) else { return false };
    i32::try_from(sender).ok().and_then(processes::of_thread) == Some(process) || processes::is_below(process)
}

/// Tells whether a process group has a contained process: then all of it is, as a group is in one session.
fn is_group_inside(group: i32) -> bool {
    processes::descendants().into_iter().any(|process| processes::group(process) == Some(group))
}
