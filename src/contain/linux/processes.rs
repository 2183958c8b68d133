//! Processes below this one, as `/proc` shows them.

use std::path::Path;

use super::sys;

/// What a process takes.
pub(super) struct Usage {
    /// Processor time, in ticks.
    pub(super) worked: u64,
    /// Bytes in memory, with what it shares.
    pub(super) resident: u64,
}

/// Lists the processes that `/proc` shows.
pub(super) fn all() -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Lists the children of this process.
pub(super) fn children() -> Vec<i32> {
    let own = std::process::id();
    all().into_iter().filter(|process| parent(*process) == Some(own)).collect()
}

/// Lists the processes below this one: by the kernel's own lists, else by looking at all there are.
pub(super) fn descendants() -> Vec<i32> {
    let mut found: Vec<i32> = Vec::new();
    let mut pending = vec![std::process::id().cast_signed()];
    while let Some(process) = pending.pop() {
        let Some(below) = listed_children(process) else { return all().into_iter().filter(|one| is_below(*one)).collect() };
        pending.extend(&below);
        found.extend(below);
    }
    found
}

/// Lists the children of each thread of a process; nothing where the kernel was built without these lists.
fn listed_children(process: i32) -> Option<Vec<i32>> {
    let folder = format!("/proc/{process}/task");
    let Ok(threads) = std::fs::read_dir(&folder) else { return Some(Vec::new()) };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match std::fs::read_to_string(thread.path().join("children")) {
            Ok(list) => found.extend(list.split_whitespace().filter_map(|id| id.parse::<i32>().ok())),
            Err(_) if !has_lists() => return None,
            // The thread has ended.
            Err(_) => {}
        }
    }
    Some(found)
}

fn has_lists() -> bool {
    let own = std::process::id();
    Path::new(&format!("/proc/{own}/task/{own}/children")).exists()
}

/// Tells whether a process is below this one.
pub(super) fn is_below(process: i32) -> bool {
    // Longer chains are none of ours.
    const DEEPEST: usize = 10_000;
    let own = std::process::id();
    let mut at = process.cast_unsigned();
    for _ in 0..DEEPEST {
        match parent(at.cast_signed()) {
            Some(above) if above == own => return true,
            Some(above) if above > 1 => at = above,
            _ => return false,
        }
    }
    false
}

/// Gives the process that a process or thread belongs to.
pub(super) fn of_thread(id: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

/// Gives the process group of a process.
pub(super) fn group(process: i32) -> Option<i32> {
    field(&stat(process)?, 2)
}

/// Gives what a process takes, without looking closely.
pub(super) fn usage(process: i32) -> Option<Usage> {
    let stat = stat(process)?;
    let worked = field::<u64>(&stat, 11)? + field::<u64>(&stat, 12)?;
    let pages: u64 = field(&stat, 21)?;
    Some(Usage { worked, resident: pages * sys::page_size() })
}

/// Gives the bytes of memory that go with a process: of what it shares with others its part, of files nothing.
pub(super) fn own_memory(process: i32) -> Option<u64> {
    let sum = |text: &str, names: &[&str]| {
        let kib = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
        let found: Vec<u64> =
            text.lines().filter(|line| names.iter().any(|name| line.starts_with(name))).filter_map(kib).collect();
        (!found.is_empty()).then(|| found.iter().sum::<u64>() << 10)
    };
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).ok();
    let exact = read("smaps_rollup").and_then(|text| sum(&text, &["Pss_Anon:", "Pss_Shmem:"]));
    exact.or_else(|| sum(&read("status")?, &["RssAnon:", "RssShmem:"]))
}

fn parent(process: i32) -> Option<u32> {
    field(&stat(process)?, 1)
}

/// Reads what the kernel says of a process after its name, which may hold anything: its state, its parent, and so on.
fn stat(process: i32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(stat.rsplit_once(')')?.1.to_owned())
}

fn field<T: std::str::FromStr>(stat: &str, number: usize) -> Option<T> {
    stat.split_whitespace().nth(number)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_below_are_told_from_others() {
        let mut shell = std::process::Command::new("/bin/sh").args(["-c", "sleep 60 & wait"]).spawn().unwrap();
        let own = std::process::id().cast_signed();
        let shell_id = shell.id().cast_signed();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        let sleeps = loop {
            let found = listed_children(shell_id).unwrap_or_default();
            if let Some(sleeps) = found.first() {
                break *sleeps;
            }
            assert!(std::time::Instant::now() < until);
        };
        assert!(is_below(shell_id) && is_below(sleeps) && !is_below(own) && !is_below(1));
        assert!(descendants().contains(&shell_id) && descendants().contains(&sleeps) && children().contains(&shell_id));
        assert_eq!(of_thread(shell_id), Some(shell_id));
        assert_eq!(group(shell_id), group(own));
        assert!(usage(own).unwrap().resident > 0 && own_memory(own).unwrap() > 0);
        for id in [sleeps, shell_id] {
            let id = rustix::process::Pid::from_raw(id).unwrap();
            rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
        }
        shell.wait().unwrap();
    }
}
