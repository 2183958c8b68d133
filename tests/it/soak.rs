//! A long time in short: what `watch` holds in memory after many saves is what it held after a few. The long one is
//! `make bench NAME=soak`.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines};
use std::process::{ChildStdout, Stdio};

use crate::harness::Place;

const ROUNDS: usize = 45;
/// Rounds until every thread has its heap, and buffers and caches have the size that they keep.
const WARM: usize = 25;
/// What allocators may hold back; a leak of a snapshot for each save is many times this.
const GROWTH_MAX: u64 = 8 << 20;

/// Reads on until these files were announced as saved.
fn wait_for(lines: &mut Lines<BufReader<ChildStdout>>, mut paths: BTreeSet<String>) {
    while !paths.is_empty() {
        let line: serde_json::Value = serde_json::from_str(&lines.next().expect("watch ended").unwrap()).unwrap();
        if line["event"] == "saved" {
            line["paths"].as_array().unwrap().iter().for_each(|path| {
                paths.remove(path.as_str().unwrap());
            });
        }
    }
}

/// Gives the bytes that a process has allocated and touched. Pages of its executable, which come in as code is first run, do not
/// count.
fn held(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

#[test]
fn many_saves_later_no_more_memory_is_held() {
    let place = Place::recorded_shop();
    let mut watch = place.command(&["--trust", "watch", "--format", "json"]);
    let mut watch = watch.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    while !lines.next().expect("watch ended").unwrap().contains("\"indexed\"") {}
    let files = ["shop/pricing.py", "shop/orders.py"].map(|path| (path, place.read(path)));
    let mut warm = 0;
    for round in 0..ROUNDS {
        if round == WARM {
            warm = held(watch.id());
        }
        for (path, text) in &files {
            place.save(path, &text.replacen("\n    return ", &format!("\n    seen_{round} = {round}\n    return "), 1));
        }
        wait_for(&mut lines, files.iter().map(|(path, _)| (*path).to_owned()).collect());
    }
    let last = held(watch.id());
    watch.kill().unwrap();
    watch.wait().unwrap();
    assert!(last < warm + GROWTH_MAX, "after {WARM} rounds {warm} bytes, after {ROUNDS} {last}");
}
