#!/usr/bin/env bash
# Measures what the product costs and writes docs/benchmarks.md: `bench.sh [NAME] [ROUNDS]`; without a name, all parts.
# The interpreters' environments are in .venv-bench. BENCH_PYTHONS="3.13 3.12" measures with these alone.

source "$(dirname "$0")/setup.sh"
given=()
while read -r version python <&3; do
    if [ -n "${BENCH_PYTHONS:-}" ] && [[ " $BENCH_PYTHONS " != *" ${version%.*} "* ]]; then continue; fi
    place=$root/.venv-bench/$version
    marker=$place/.complete-$({ cat benches/requirements.txt && echo "$version $python"; } | sha)
    if [ ! -e "$marker" ] || ! "$place/bin/python" -c ''; then
        say "Installing benches/requirements.txt for Python $version into $place"
        rm -rf "$place"
        "$python" -m venv "$place"
        pip=("$place/bin/python" -m pip install --quiet --disable-pip-version-check)
        "${pip[@]}" --requirement benches/requirements.txt
        # It asks for a newer Python than its tracer needs, and for packages that the tracer does not need.
        "${pip[@]}" --no-deps --ignore-requires-python pytest-semantic-llm==0.1.11
        # Its plugin needs those packages: every pytest there would stop at it.
        rm "$place"/lib/python*/site-packages/pytest_semantic_llm-*.dist-info/entry_points.txt
        touch "$marker"
    fi
    given+=(--python "$version=$place/bin/python")
    driver=$place/bin/python
done 3< <(interpreters)
[ -n "${driver:-}" ] || stop "No Python from 3.10 on with the venv module found. Install one, with pyenv or from python.org."

# What a part measures of the binary is that of a release build.
binary=${CARGO_TARGET_DIR:-target}/release/pytead-tui
[ -x "$binary" ] && given+=(--binary "$binary")
exec "$driver" benches/bench.py ${1:+"$1"} --rounds "${2:-7}" "${given[@]}"
