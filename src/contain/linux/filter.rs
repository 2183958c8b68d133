//! seccomp: system calls that contained code never needs fail as not permitted.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
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
];

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
    libc::SYS_shmget,
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

/// The same by their older numbers.
#[cfg(target_arch = "x86_64")]
const DENIED_BY_OLDER_NUMBERS: &[libc::c_long] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_BY_OLDER_NUMBERS: &[libc::c_long] = &[];

/// Installs the filter for this process and all it starts.
pub(super) fn apply(level: Level, profile: Profile) -> Result<(), Failure> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = DENIED.iter().map(|number| (*number, Vec::new())).collect();
    if level != Level::Namespaces {
        let more = DENIED_WITHOUT_NAMESPACES.iter().chain(DENIED_BY_OLDER_NUMBERS);
        rules.extend(more.map(|number| (*number, Vec::new())));
        // Another process's limits.
        rules.insert(libc::SYS_prlimit64, vec![rule(vec![condition(0, Op::Ne, 0)?])?]);
    }
    rules.insert(libc::SYS_socket, sockets(profile)?);
    rules.insert(libc::SYS_ioctl, terminal_input()?);
    rules.insert(libc::SYS_clone, new_namespaces()?);
    rules.insert(libc::SYS_prctl, vec![rule(vec![condition(0, Op::Eq, libc::PR_SET_PDEATHSIG as u64)?])?]);
    #[cfg(target_arch = "x86_64")]
    also_by_x32(&mut rules);
    install(rules, libc::EPERM as u32)?;
    // Its flags lie in memory, where a filter cannot look. As if unknown, the C library falls back to `clone`.
    install(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS as u32)
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

/// Putting characters into a terminal's input.
fn terminal_input() -> Result<Vec<SeccompRule>, Failure> {
    const TIOCSTI: u64 = 0x5412;
    const TIOCLINUX: u64 = 0x541C;
    [TIOCSTI, TIOCLINUX].into_iter().map(|request| rule(vec![condition(1, Op::Eq, request)?])).collect()
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

/// The same calls by the numbers of the x32 interface, which shares the architecture of the ordinary one.
#[cfg(target_arch = "x86_64")]
fn also_by_x32(rules: &mut BTreeMap<i64, Vec<SeccompRule>>) {
    const X32: i64 = 0x4000_0000;
    const OWN_NUMBERS: &[(libc::c_long, i64)] = &[
        (libc::SYS_ioctl, 514),
        (libc::SYS_ptrace, 521),
        (libc::SYS_kexec_load, 528),
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
    let arch = TargetArch::try_from(std::env::consts::ARCH).step("seccomp")?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno), arch).step("seccomp")?;
    let program: BpfProgram = filter.try_into().step("seccomp")?;
    apply_filter(&program).step("seccomp")
}
