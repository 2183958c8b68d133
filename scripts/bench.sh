#!/usr/bin/env bash
# Measures what the product costs and writes docs/benchmarks.md: `bench.sh [NAME] [ROUNDS]`; without a name, all parts.
# The interpreters' environments are in .venv-bench. BENCH_PYTHONS="3.13 3.12" measures with these alone.

source "$(dirname "$0")/setup.sh"

# Tells whether a virtual environment is there with all of a file of requirements; sets `marker`, which says so.
#   stands FOLDER VERSION PYTHON REQUIREMENTS
stands() {
    marker=$1/.complete-$({ cat "$4" && echo "$2 $3"; } | sha)
    [ -e "$marker" ] && "$1/bin/python" -c ''
}

# Makes one anew, without the marker; sets `pip`.
fill() {
    say "Installing $4 for Python $2 into $1"
    rm -rf "$1"
    "$3" -m venv "$1"
    pip=("$1/bin/python" -m pip install --quiet --disable-pip-version-check)
    "${pip[@]}" --requirement "$4"
}

given=()
while read -r version python <&3; do
    if [ -n "${BENCH_PYTHONS:-}" ] && [[ " $BENCH_PYTHONS " != *" ${version%.*} "* ]]; then continue; fi
    place=$root/.venv-bench/$version
    if ! stands "$place" "$version" "$python" benches/requirements.txt; then
        fill "$place" "$version" "$python" benches/requirements.txt
        # It asks for a newer Python than its tracer needs, and for packages that the tracer does not need.
        "${pip[@]}" --no-deps --ignore-requires-python pytest-semantic-llm==0.1.11
        # Its plugin needs those packages: every pytest there would stop at it.
        rm "$place"/lib/python*/site-packages/pytest_semantic_llm-*.dist-info/entry_points.txt
        touch "$marker"
    fi
    given+=(--python "$version=$place/bin/python")
    driver=$place/bin/python newest=$version interpreter=$python
done 3< <(interpreters)
[ -n "${driver:-}" ] || stop "No Python from 3.10 on with the venv module found. Install one, with pyenv or from python.org."

# The tools that write tests, too, want packages of their own, and these a newer Python; one of them records.
if [[ ${1:-drafts} =~ ^(drafts|recording)$ ]]; then
    peers=$root/.venv-bench/$newest-peers
    if [ "$(printf '%s\n' 3.13 "$newest" | sort -V | head -n 1)" != 3.13 ]; then
        say "Other tools that write tests are left out: their packages want Python 3.13."
    elif ! stands "$peers" "$newest" "$interpreter" benches/requirements-peers.txt; then
        fill "$peers" "$newest" "$interpreter" benches/requirements-peers.txt
        # It is not on PyPI; BENCH_PYTEAD names another place to install it from, such as a folder with its sources.
        pytead=${BENCH_PYTEAD:-git+https://github.com/nathanap2/pytead@159f5f819a9ba910a02084b0aebc1687b639f7ea}
        "${pip[@]}" --no-deps "$pytead" || say "pytead is left out: $pytead could not be installed. Remove $peers to try again."
        touch "$marker"
    fi
    [ -x "$peers/bin/python" ] && given+=(--peers "$peers/bin/python")
fi

# What a part measures of the binary is that of a release build.
binary=${CARGO_TARGET_DIR:-target}/release/pytead-tui
[ -x "$binary" ] && given+=(--binary "$binary")
exec "$driver" benches/bench.py ${1:+"$1"} --rounds "${2:-7}" "${given[@]}"
