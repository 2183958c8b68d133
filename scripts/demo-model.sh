#!/usr/bin/env bash
# Shows a language model at work, the demo model that the program carries: what it is asked, its tokens as they come, a
# cancel, the same again with the prompt kept, and then a draft through the gate to the review. With a terminal the
# workbench follows. Needs llama.cpp built, which `make test` does too; the first time takes about five minutes.

source "$(dirname "$0")/setup.sh"
need_cargo
need_python
need_llama
cargo build --quiet --locked --workspace --bins
pytead=$CARGO_TARGET_DIR/debug/pytead-tui

shop=$cache/demo/model
rm -rf "$shop"
mkdir -p "$shop"
cp examples/calculator.py "$shop"
cd "$shop"
cat >use.py <<'PYTHON'
import calculator

for value in (5, -1, 2):
    calculator.clamp(value, 0, 3)
calculator.percent(1, 8)
PYTHON
# For this demonstration alone: what you chose stays chosen.
export PYTEAD_MODEL_PROVIDER=local PYTEAD_MODEL_NAME=demo

step() { printf '\n$ %s\n' "$*"; }

step pytead-tui index
"$pytead" index | tail -n 3
step pytead-tui run -- use.py
"$pytead" --trust run -- use.py
step pytead-tui draft clamp --show-outgoing
"$pytead" --trust draft clamp --show-outgoing | tee question.txt

step pytead-llm
"$root/.venv/bin/python" "$root/scripts/demo_model.py" "$CARGO_TARGET_DIR/debug/pytead-llm" "$root/assets/models/demo.gguf" <question.txt

step pytead-tui draft clamp
"$pytead" --trust draft clamp
step pytead-tui review --accept all
"$pytead" --trust review --accept all
cat tests/pytead/test_pytead_calculator.py
step pytest -q
python -m pytest -q -p no:cacheprovider

if [ -t 0 ] && [ -t 1 ]; then
    say "The workbench follows: g asks the demo model about the function of the cursor."
    exec "$pytead" --trust
fi
