#!/usr/bin/env bash
# Shows the program at work on a fresh copy of examples/shop: records its tests, drafts and proves new ones, then opens
# the workbench. Without a terminal it prints the same steps instead: two of the drafts with their proofs and what
# accepting them would write, then what an edit changes; and then a language model at work (demo-model.sh).

source "$(dirname "$0")/setup.sh"
need_cargo
need_python

[ -x "$CARGO_TARGET_DIR/release/pytead-tui" ] || say "Building; the first time takes minutes, later ones seconds."
cargo build --quiet --release --locked
pytead=$CARGO_TARGET_DIR/release/pytead-tui

# Outside the clone, so that neither its git ignores nor its settings reach the example.
shop=$cache/demo/shop
rm -rf "$shop"
mkdir -p "${shop%/*}"
cp -R examples/shop "$shop"
cd "$shop"

step() { printf '\n$ %s\n' "$*"; }

if [ -t 0 ] && [ -t 1 ]; then
    "$pytead" --trust run -- pytest -q
    say "Drafting tests from what was recorded, and proving them; seconds."
    "$pytead" --trust gen | tail -n 2
    "$pytead" --trust
    say "With a language model that the program carries (builds llama.cpp once, five minutes): make demo-model"
    exit
fi

step pytead-tui run -- pytest -q
"$pytead" --trust run -- pytest -q

step pytead-tui gen
drafts=$cache/demo/drafts.txt
"$pytead" --trust gen >"$drafts"
awk '/^#[0-9]+ draft/ { wanted = / shop\.pricing:(round_price|shipping_for) / } wanted' "$drafts"
tail -n 2 "$drafts"
echo "(Two of the drafts; all of them, and why some functions have none: $drafts)"

step "sed -i 's/total > FREE_FROM/total >= FREE_FROM/' shop/pricing.py"
sed 's/total > FREE_FROM/total >= FREE_FROM/' shop/pricing.py >pricing.new
mv pricing.new shop/pricing.py
diff "$root/examples/shop/shop/pricing.py" shop/pricing.py || true

step pytead-tui replay
status=0
"$pytead" --trust replay || status=$?
# `replay` ends with 1 when calls end differently now, and here they must.
[ "$status" -eq 1 ] || stop "replay ended with $status where the edit had to show as a change."
printf '\n'
say "Now a language model that the program carries; the first time llama.cpp is built for it, five minutes."
exec "$root/scripts/demo-model.sh"
