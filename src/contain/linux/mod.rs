//! Linux: the order in which a process confines itself and becomes the command.
//!
//! ```text
//! P   started by us; new namespaces; waits for the command and for its own parent, looks at what is taken in sum and, on older
//! │   kernels, at signals; ends everything below it
//! └ A   first process of its process namespace: builds the file system, reaps      (Namespaces only)
//!   └ B   limits, no privileges, Landlock, seccomp, then it becomes the command
//! ```
//! P stays outside of Landlock and seccomp, so that it can end what is inside; it runs none of the command's code.

mod check;
mod failure;
mod filter;
mod layer;
mod mounts;
mod names;
mod notifications;
mod processes;
mod referee;
mod rules;
mod sys;
mod totals;
mod tree;
mod watched;

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::confinement::{Limits, Profile};
use super::levels::Level;
use super::order::Order;
use crate::base::error::Trouble;
pub(super) use check::{works, works_for_tests};
use failure::{Failure, Step};
use referee::{Referee, Way};
use sys::Fork;
use totals::Totals;
use watched::ENDED;
pub(super) use watched::watch;

/// The levels that this system may have, strongest first.
pub(super) const LEVELS: &[Level] = &[Level::Namespaces, Level::Landlock, Level::Weak];

/// Gives the version of the kernel's Landlock interface.
pub(super) fn landlock_abi() -> Option<u32> {
    sys::landlock_abi()
}

/// Confines this process and becomes the command; gives the command's exit code.
pub(super) fn enter(order: &Order) -> Result<u8, Trouble> {
    let refuse = |failure: Failure| {
        Trouble::environment(format!("Nothing was run: the {} sandbox could not be set up.", order.level.word())).because(failure)
    };
    if order.confinement.profile == Profile::RecordedTest && order.level != Level::Namespaces {
        return Err(Trouble::environment("Nothing was run: recorded tests need namespaces."));
    }
    sys::close_inherited_on_exec();
    let signals = sys::catch_signals().step("catch signals").map_err(refuse)?;
    sys::adopt_orphans().step("adopt orphans").map_err(refuse)?;
    if order.level == Level::Namespaces {
        isolate().map_err(refuse)?;
    }
    let way = || Way::new().step("look at signals");
    let way = (order.level == Level::Landlock && referee::is_needed()).then(way).transpose().map_err(refuse)?;
    match sys::fork().step("fork").map_err(refuse)? {
        Fork::Parent(child) => {
            let referee = way.and_then(Way::referee);
            Ok(supervise(child, order, &signals, referee.as_ref()))
        }
        Fork::Child => {
            let inner = if order.level == Level::Namespaces { first_process(order) } else { become_command(order, way) };
            inner.map_err(refuse)
        }
    }
}

/// Leaves the machine's namespaces and keeps the own user and group there.
fn isolate() -> Result<(), Failure> {
    let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    sys::leave_namespaces().step("new namespaces")?;
    std::fs::write("/proc/self/setgroups", "deny").step("forbid setgroups")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1")).step("map the user")?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1")).step("map the group")
}

/// Waits until the command ends, its starter is gone, a signal asks for the end or it took too much; then nothing of it is left.
fn supervise(child: i32, order: &Order, signals: &sys::Signals, referee: Option<&Referee>) -> u8 {
    let starter = sys::Process::open(order.parent);
    // The check runs no program, and its folder is the system's own, with tens of thousands of files to look through.
    let mut totals = (!check::is_asked_by(order)).then(|| Totals::new(&order.confinement, order.level));
    let mut asked = false;
    loop {
        let ended = sys::reap(child);
        if ended.is_some() || asked || !sys::parent_is(order.parent) {
            if ended.is_none() {
                sys::kill(child);
            }
            // With its first process a process namespace is empty; and the /proc seen here is then that namespace's.
            if order.level != Level::Namespaces {
                sys::end_descendants();
            }
            return ended.unwrap_or(ENDED);
        }
        let wait = totals.as_ref().map_or(totals::IDLE, Totals::wait);
        let woken = signals.wait(&starter, referee.map(Referee::listener), wait);
        if woken.call {
            referee.iter().for_each(|referee| referee.decide());
        }
        let too_much = totals.as_mut().and_then(Totals::look);
        if let Some(what) = &too_much {
            let _ = writeln!(io::stderr(), "pytead-tui: {what}");
        }
        asked = woken.asked || too_much.is_some();
    }
}

/// The first process of the new process namespace: builds the file system, starts the command, reaps.
fn first_process(order: &Order) -> Result<u8, Failure> {
    sys::die_with_parent().step("tie to the parent")?;
    if order.confinement.profile == Profile::RecordedTest {
        sys::raise_loopback().step("bring up the loopback")?;
    }
    mounts::build(&order.confinement)?;
    match sys::fork().step("fork")? {
        Fork::Child => become_command(order, None),
        Fork::Parent(child) => loop {
            if let Some(code) = sys::reap_waiting(child) {
                return Ok(code);
            }
        },
    }
}

/// Gives up every privilege and becomes the command.
fn become_command(order: &Order, way: Option<Way>) -> Result<u8, Failure> {
    let confinement = &order.confinement;
    sys::die_with_parent().step("tie to the parent")?;
    sys::new_session().step("new session")?;
    sys::release_signals().step("release signals")?;
    limit(&confinement.limits, order.level).step("limits")?;
    if order.level.is_kernel() {
        sys::drop_capabilities().step("drop capabilities")?;
    }
    sys::no_new_privileges().step("no new privileges")?;
    let has_referee = way.is_some();
    way.map(Way::submit).transpose()?;
    if order.level.is_kernel() {
        rules::apply(confinement, order.level)?;
        filter::apply(order.level, confinement.profile, has_referee)?;
    }
    std::env::set_current_dir(&confinement.cwd).step("enter the working folder")?;
    let Some((program, args)) = order.command.split_first() else {
        return Err("no command").step("start the command");
    };
    if check::is_asked_by(order) {
        return check::look(order);
    }
    Err(Command::new(program).args(args).exec()).step("start the command")
}

fn limit(limits: &Limits, level: Level) -> io::Result<()> {
    // Only a user namespace of our own counts its own processes; elsewhere those the user has already count too.
    let running = if level == Level::Namespaces { 0 } else { sys::tasks_of_user() };
    sys::set_limit(libc::RLIMIT_AS, limits.address_space)?;
    sys::set_limit(libc::RLIMIT_CPU, limits.cpu_seconds)?;
    sys::set_limit(libc::RLIMIT_FSIZE, limits.file_size)?;
    sys::set_limit(libc::RLIMIT_NPROC, running + limits.processes)?;
    sys::set_limit(libc::RLIMIT_NOFILE, limits.open_files)?;
    sys::set_limit(libc::RLIMIT_CORE, 0)
}
