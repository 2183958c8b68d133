#!/usr/bin/env bash
# Checks form: rustfmt, clippy, ruff. Each counts as one check in the closing line and in CHECK_COUNTS.

source "$(dirname "$0")/setup.sh"
need_cargo
need_python
need_llama
passed=0 failed=0

check() {
    say "» $*"
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

for component in rustfmt clippy; do
    command -v "cargo-${component#rust}" >/dev/null && continue
    say "Installing $component"
    rustup component add "$component"
done
check cargo fmt --all --check
check cargo clippy --locked --workspace --all-targets -- -D warnings
check ruff check --no-cache .
# Where somebody installed them; they take minutes to build. Advisories need the network: `cargo deny --workspace check advisories`.
where_installed() {
    local program=$1
    shift
    if command -v "cargo-$program" >/dev/null; then check "$@"; else say "» Left out: $*; cargo install --locked cargo-$program adds it."; fi
}
where_installed machete cargo machete --with-metadata
where_installed deny cargo deny --locked --workspace check bans licenses sources
echo "$passed passed, $failed failed"
[ -z "${CHECK_COUNTS:-}" ] || echo "$passed passed, $failed failed" >>"$CHECK_COUNTS"
[ "$failed" -eq 0 ]
