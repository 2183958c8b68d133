#!/usr/bin/env bash
# Breaks what readers are given, at random, for a while each: `fuzz.sh [SECONDS]`. What broke one lies in fuzz/broken/.

source "$(dirname "$0")/setup.sh"
need_cargo
need_python
seconds=${1:-60}
export PYTEAD_FUZZ_SECONDS=$seconds PYTEAD_FUZZ_SEED=${PYTEAD_FUZZ_SEED:-$RANDOM$RANDOM} RUST_BACKTRACE=0
say "Seed $PYTEAD_FUZZ_SEED; PYTEAD_FUZZ_SEED=$PYTEAD_FUZZ_SEED begins in the same place."
cargo test --locked --test fuzz -- --nocapture --test-threads "$(nproc)"
# Keys at any size, and what else is made by chance: a thousand cases for each second.
PROPTEST_CASES=$((seconds * 1000)) cargo test --locked --lib -- tui::tests::safety
