#!/usr/bin/env bash
# Builds what is published, into dist/: the source archive, the wheel `pytead-tui`, and with LOCAL=1 `pytead-tui-local`, which
# holds llama.cpp. Then installs them where nothing else is, runs the main job from there, and takes them out again.
# Nothing is uploaded.

source "$(dirname "$0")/setup.sh"
need_cargo
need_python
marker=.venv/.dist-$(sha <requirements-dist.txt)
if [ ! -e "$marker" ]; then
    say "Installing $(grep -c '==' requirements-dist.txt) packages of requirements-dist.txt into .venv"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements-dist.txt
    touch "$marker"
fi

rm -rf dist
say "Building the wheel; the first time takes minutes."
# Said here, not in pyproject.toml: the archive's Cargo.lock also names what only `pytead-llm` needs, which the archive leaves out,
# so pip, which builds from it, has to be free to drop that.
build=(maturin build --quiet --locked --compression-level 9)
core=("${build[@]}" --profile dist --out dist)
# Wheels for Linux run with the glibc of 2014 on; elsewhere the system's own compiler does.
[ "$(uname -s)" != Linux ] || core+=(--zig --compatibility manylinux2014)
"${core[@]}"
maturin sdist --out dist
if [ "${LOCAL:-}" = 1 ]; then
    need_llama
    # llama.cpp is the same in every profile, and what is around it neither large nor waited for.
    (cd packaging/local && "${build[@]}" --profile release --out ../../dist)
fi

python scripts/try_wheel.py dist
