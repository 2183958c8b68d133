//! Landlock: which paths may be read and written, by rules the kernel checks at each opening.

use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
    path_beneath_rules,
};

use super::failure::{Failure, Step};
use super::sys;
use crate::contain::confinement::{Confinement, Profile, SYSTEM};
use crate::contain::levels::Level;

/// Below this the kernel lets any file be truncated.
const LEAST_ABI: u32 = 3;
/// Inside namespaces nothing outside can be truncated. Before this version no file could be moved to another folder.
const LEAST_ABI_INSIDE: u32 = 2;

/// What may be read although it is no folder of the system: devices and how the machine is built.
const READABLE: &[&str] = &[
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
];

const WRITABLE: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];

/// Restricts this process for good. Inside namespaces it is a second wall, and its absence is no failure.
pub(super) fn apply(confinement: &Confinement, level: Level) -> Result<(), Failure> {
    let abi = sys::landlock_abi().unwrap_or(0);
    let least = if level == Level::Namespaces { LEAST_ABI_INSIDE } else { LEAST_ABI };
    if abi < least {
        return match level {
            Level::Namespaces => Ok(()),
            _ => Err(format!("the kernel has version {abi} of it, and {LEAST_ABI} is needed")).step("Landlock"),
        };
    }
    let read = AccessFs::from_read(ABI::V3);
    let write = AccessFs::from_all(ABI::V5);
    let mut readable: Vec<PathBuf> = SYSTEM.iter().chain(READABLE).map(PathBuf::from).collect();
    readable.push(confinement.root.clone());
    readable.extend(confinement.read_only.iter().cloned());
    let mut writable: Vec<PathBuf> = WRITABLE.iter().map(PathBuf::from).collect();
    writable.push(confinement.scratch.clone());
    writable.extend(confinement.writable.iter().cloned());
    if level == Level::Namespaces {
        // There the whole file system is private: it holds nothing that was not given.
        readable.push("/".into());
        writable.push(confinement.temporary().into());
        if !confinement.root.starts_with("/dev/shm") {
            writable.push("/dev/shm".into());
        }
    }
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(if level == Level::Namespaces { ABI::V2 } else { ABI::V3 }))
        .step("Landlock")?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))
        .step("Landlock")?;
    let ruleset = match confinement.profile {
        Profile::Calls => ruleset.handle_access(AccessNet::from_all(ABI::V4)).step("Landlock")?,
        Profile::RecordedTest => {
            // Both are private: a layer over the project, and a network with nothing but itself.
            writable.push(confinement.root.clone());
            ruleset
        }
    };
    let status = ruleset
        .scope(Scope::from_all(ABI::V6))
        .step("Landlock")?
        .create()
        .step("Landlock")?
        .add_rules(path_beneath_rules(existing(readable), read))
        .step("Landlock")?
        .add_rules(path_beneath_rules(existing(writable), write))
        .step("Landlock")?
        .restrict_self()
        .step("Landlock")?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err("the kernel does not enforce it").step("Landlock");
    }
    Ok(())
}

fn existing(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.into_iter().filter(|path| path.exists()).collect()
}
