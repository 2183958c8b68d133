//! seccomp: system calls that contained code never needs fail as not permitted.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter, sock_filter,
};

use super::failure::{Failure, Step};
use crate::contain::confinement::Profile;
use crate::contain::levels::Level;

/// Calls without a use inside: other processes' memory, keys, mounts, namespaces, the kernel itself.
const DENIED: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_process_madvise,
    // It stays when nobody has it open, and no limit counts it.
    libc::SYS_shmget,
    // Memory that nobody but its owner can look at, also not who counts it.
    libc::SYS_memfd_secret,
    libc::SYS_fanotify_init,
    libc::SYS_quotactl_fd,
    OPEN_TREE_ATTR,
];

/// Calls of Linux 6.13 and later, by the numbers that they have on every machine.
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const OPEN_TREE_ATTR: libc::c_long = 467;
const FILE_SETATTR: libc::c_long = 469;

/// The newest call that was looked at here. What a newer kernel has besides is as if it had it not: it may change files by their
/// path, as three of the last seven do.
const NEWEST: u32 = 469;

/// Calls that Landlock does not look at: they change files by path, or reach what other processes share.
/// Inside namespaces there is nothing to change or to reach.
const DENIED_WITHOUT_NAMESPACES: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
];

/// Calls that change how a process is scheduled: there, one by its id; a process may change itself.
const SCHEDULING: &[libc::c_long] =
    &[libc::SYS_sched_setscheduler, libc::SYS_sched_setparam, libc::SYS_sched_setattr, libc::SYS_sched_setaffinity];

/// Commands of `fcntl` and requests of `ioctl` by which a file sends signals to a process: Landlock looks at them from version 6 on.
const F_SETOWN_EX: libc::c_int = 15;
const SETS_OWNER: &[libc::c_int] = &[libc::F_SETOWN, F_SETOWN_EX];
const SETS_OWNER_BY_IOCTL: &[u64] = &[0x8901, 0x8902];

/// A command of `fcntl` by which whoever may read a file makes everybody wait who wants to write it.
const F_SETLEASE: libc::c_int = 1024;

/// Requests that change what a file is like, of which reading is all that a descriptor has to allow: its flags, by two widths and
/// two names, its version, its encryption, and that nobody ever writes it again.
const CHANGES_BY_IOCTL: &[u64] = &[
    0x4008_6602,
    0x4004_6602,
    0x401c_5820,
    0x4008_7602,
    0x4004_7602,
    0x800c_6613,
    0x4080_6685,
    // The version of ext4, the same in 32 bits, its layout; the attributes of FAT.
    0x4008_6604,
    0x4004_6604,
    0x6609,
    0x4004_7211,
    // Subvolumes and snapshots of btrfs, made and removed.
    0x5000_9401,
    0x5000_940e,
    0x5000_940f,
    0x5000_9417,
    0x5000_9418,
    0x5000_943f,
];

/// Options of `prctl`; the second one has no effect on who owns the user namespace.
const WITHDRAWING: &[libc::c_int] = &[libc::PR_SET_PDEATHSIG, libc::PR_SET_DUMPABLE];

/// The calls of files by their older numbers.
#[cfg(target_arch = "x86_64")]
const DENIED_BY_OLDER_NUMBERS: &[libc::c_long] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_BY_OLDER_NUMBERS: &[libc::c_long] = &[];

/// Installs the filter for this process and all it starts. With a referee, signals by a descriptor are refused; it decides on others.
pub(super) fn apply(level: Level, profile: Profile, has_referee: bool) -> Result<(), Failure> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = DENIED.iter().map(|number| (*number, Vec::new())).collect();
    if level != Level::Namespaces {
        let more = DENIED_WITHOUT_NAMESPACES.iter().chain(DENIED_BY_OLDER_NUMBERS);
        rules.extend(more.map(|number| (*number, Vec::new())));
        // Another process's limits.
        rules.insert(libc::SYS_prlimit64, vec![rule(vec![condition(0, Op::Ne, 0)?])?]);
        for number in SCHEDULING {
            rules.insert(*number, vec![rule(vec![condition(0, Op::Ne, 0)?])?]);
        }
        if has_referee {
            rules.insert(libc::SYS_pidfd_send_signal, Vec::new());
        }
    }
    let owners = if level == Level::Namespaces { &[] } else { SETS_OWNER };
    let commands = owners.iter().chain([&F_SETLEASE]).map(|command| rule(vec![condition(1, Op::Eq, *command as u64)?]));
    rules.insert(libc::SYS_fcntl, commands.collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_socket, sockets(profile)?);
    rules.insert(libc::SYS_socketpair, pairs(profile)?);
    rules.insert(libc::SYS_ioctl, requests(level)?);
    rules.insert(libc::SYS_clone, new_namespaces()?);
    // Who outlives the one above, or cannot be looked at by it, could take what it likes.
    let withdrawing = if level == Level::Namespaces { &WITHDRAWING[..1] } else { WITHDRAWING };
    let withdrawing = withdrawing.iter().map(|option| rule(vec![condition(0, Op::Eq, *option as u64)?]));
    rules.insert(libc::SYS_prctl, withdrawing.collect::<Result<_, _>>()?);
    #[cfg(target_arch = "x86_64")]
    also_by_x32(&mut rules);
    install(rules, libc::EPERM as u32)?;
    // Its flags lie in memory, where a filter cannot look. As if unknown, the C library falls back to `clone`.
    install(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS as u32)?;
    apply_filter(&without_newer()).step("seccomp")
}

/// Gives a filter in which calls above the newest one that is known here fail as unknown, by the numbers of x32 too.
fn without_newer() -> BpfProgram {
    let step = |code: u32, jt: u8, jf: u8, k: u32| sock_filter { code: code as u16, jt, jf, k };
    let (number, is_above) = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K);
    vec![
        step(number, 0, 0, 0),
        step(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0, 0, !(X32 as u32)),
        step(is_above, 0, 1, NEWEST),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

fn condition(argument: u8, operator: Op, value: u64) -> Result<SeccompCondition, Failure> {
    SeccompCondition::new(argument, Len::Dword, operator, value).step("seccomp")
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, Failure> {
    SeccompRule::new(conditions).step("seccomp")
}

/// Every kind of socket, those of the file system too; pairs of them stay. A recorded test may make those of programs that
/// speak to themselves: others lead out (netlink, vsock), or have the kernel load a protocol that few use.
fn sockets(profile: Profile) -> Result<Vec<SeccompRule>, Failure> {
    if profile == Profile::Calls {
        return Ok(Vec::new());
    }
    const KIND: u64 = 0xf;
    /// An older name for sockets of the family `AF_PACKET`.
    const SOCK_PACKET: libc::c_int = 10;
    let (unix, ipv4, ipv6) = (libc::AF_UNIX as u64, libc::AF_INET as u64, libc::AF_INET6 as u64);
    let (tcp, udp) = (libc::IPPROTO_TCP as u64, libc::IPPROTO_UDP as u64);
    let not_unix = || condition(0, Op::Ne, unix);
    let mut rules = vec![
        rule(vec![not_unix()?, condition(0, Op::Ne, ipv4)?, condition(0, Op::Ne, ipv6)?])?,
        rule(vec![not_unix()?, condition(2, Op::Ne, 0)?, condition(2, Op::Ne, tcp)?, condition(2, Op::Ne, udp)?])?,
    ];
    for kind in [libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, libc::SOCK_DCCP, SOCK_PACKET] {
        rules.push(rule(vec![not_unix()?, condition(1, Op::MaskedEq(KIND), kind as u64)?])?);
    }
    Ok(rules)
}

/// Pairs of sockets: each end of a datagram pair can send to any other socket by its path, those of a stream are connected for good.
fn pairs(profile: Profile) -> Result<Vec<SeccompRule>, Failure> {
    const KIND: u64 = 0xf;
    let mut rules = vec![rule(vec![condition(0, Op::Ne, libc::AF_UNIX as u64)?])?];
    if profile == Profile::Calls {
        for kind in (0..=KIND).filter(|kind| ![libc::SOCK_STREAM as u64, libc::SOCK_SEQPACKET as u64].contains(kind)) {
            rules.push(rule(vec![condition(1, Op::MaskedEq(KIND), kind)?])?);
        }
    }
    Ok(rules)
}

/// Requests that put characters into a terminal's input and, without namespaces, those that set who gets a file's signals and what
/// a file is like.
fn requests(level: Level) -> Result<Vec<SeccompRule>, Failure> {
    const TIOCSTI: u64 = 0x5412;
    const TIOCLINUX: u64 = 0x541C;
    let (owners, changes): (&[u64], &[u64]) =
        if level == Level::Namespaces { (&[], &[]) } else { (SETS_OWNER_BY_IOCTL, CHANGES_BY_IOCTL) };
    [TIOCSTI, TIOCLINUX].iter().chain(owners).chain(changes).map(|request| rule(vec![condition(1, Op::Eq, *request)?])).collect()
}

/// Starting a process in namespaces of its own.
fn new_namespaces() -> Result<Vec<SeccompRule>, Failure> {
    [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ]
    .iter()
    .map(|flag| {
        let flag = *flag as u64;
        rule(vec![condition(0, Op::MaskedEq(flag), flag)?])
    })
    .collect()
}

/// Stands in the numbers of the x32 interface.
pub(super) const X32: i64 = 0x4000_0000;

/// The same calls by the numbers of the x32 interface, which shares the architecture of the ordinary one.
#[cfg(target_arch = "x86_64")]
fn also_by_x32(rules: &mut BTreeMap<i64, Vec<SeccompRule>>) {
    const OWN_NUMBERS: &[(libc::c_long, i64)] = &[
        (libc::SYS_ioctl, 514),
        (libc::SYS_ptrace, 521),
        (libc::SYS_kexec_load, 528),
        (libc::SYS_rt_sigqueueinfo, 524),
        (libc::SYS_move_pages, 533),
        (libc::SYS_rt_tgsigqueueinfo, 536),
        (libc::SYS_process_vm_readv, 539),
        (libc::SYS_process_vm_writev, 540),
    ];
    let twins: Vec<_> = rules
        .iter()
        .map(|(number, conditions)| {
            let own = OWN_NUMBERS.iter().find(|(ordinary, _)| ordinary == number).map_or(*number, |(_, x32)| *x32);
            (own | X32, conditions.clone())
        })
        .collect();
    rules.extend(twins);
}

fn install(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: u32) -> Result<(), Failure> {
    apply_filter(&program(rules, SeccompAction::Errno(errno))?).step("seccomp")
}

/// Gives a filter that asks the process above about these calls.
pub(super) fn notifying(mut rules: BTreeMap<i64, Vec<SeccompRule>>) -> Result<BpfProgram, Failure> {
    #[cfg(target_arch = "x86_64")]
    also_by_x32(&mut rules);
    let mut program = program(rules, SeccompAction::Trace(0))?;
    // The library knows no notification; it is an action like the one for tracers, with another number.
    for instruction in program.iter_mut().filter(|instruction| instruction.k == libc::SECCOMP_RET_TRACE) {
        instruction.k = libc::SECCOMP_RET_USER_NOTIF;
    }
    Ok(program)
}

fn program(rules: BTreeMap<i64, Vec<SeccompRule>>, action: SeccompAction) -> Result<BpfProgram, Failure> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).step("seccomp")?;
    SeccompFilter::new(rules, SeccompAction::Allow, action, arch).step("seccomp")?.try_into().step("seccomp")
}
