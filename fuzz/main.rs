//! What comes from programs, files and models, broken at random: no bytes may make a reader panic.
//!
//! A target is a reader and inputs that it takes; these are cut, spliced, flipped and filled with what readers stumble over.
//! Each target runs for `PYTEAD_FUZZ_SECONDS` (1 without it, from the same seed each time; `make fuzz` runs longer and from
//! another seed each time). An input that broke a reader is written to `fuzz/broken/`; put it into `fuzz/kept/TARGET/` with the
//! mend, where every run tries it first.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod guards;
mod mutate;
mod records;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mutate::Mutator;

/// Bytes of an input at most.
const INPUT_MAX: usize = 64 << 10;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

fn variable(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Gives a reader what was kept, then its seeds, then what can be made of them until the time is over.
pub fn fuzz(target: &str, seeds: &[Vec<u8>], mut reader: impl FnMut(&[u8])) {
    assert!(!seeds.is_empty(), "{target} has no seeds");
    let mut tries = 0_u64;
    let mut slowest = Duration::ZERO;
    let mut attempt = |input: &[u8]| {
        tries += 1;
        let began = Instant::now();
        let ended = catch_unwind(AssertUnwindSafe(|| reader(input)));
        slowest = slowest.max(began.elapsed());
        if let Err(panic) = ended {
            let broken = folder().join("broken");
            std::fs::create_dir_all(&broken).unwrap();
            let file = broken.join(format!("{target}-{tries}"));
            std::fs::write(&file, input).unwrap();
            eprintln!("{target} broke on {}", file.display());
            std::panic::resume_unwind(panic);
        }
    };
    let kept = std::fs::read_dir(folder().join("kept").join(target)).into_iter().flatten().flatten();
    kept.for_each(|file| attempt(&std::fs::read(file.path()).unwrap()));
    seeds.iter().for_each(|seed| attempt(seed));
    let seed = variable("PYTEAD_FUZZ_SEED", 1);
    let mut mutator = Mutator::new(seed);
    let until = Instant::now() + Duration::from_secs(variable("PYTEAD_FUZZ_SECONDS", 1));
    let mut pool = seeds.to_vec();
    while Instant::now() < until {
        let mut input = mutator.mutate(&pool);
        input.truncate(INPUT_MAX);
        attempt(&input);
        // Mutants of mutants reach further; the seeds stay.
        if mutator.below(64) == 0 {
            let at = seeds.len() + mutator.below(256);
            if at < pool.len() { pool[at] = input } else { pool.push(input) }
        }
    }
    eprintln!("{target}: {tries} inputs from seed {seed}, the slowest took {slowest:.1?}");
}
