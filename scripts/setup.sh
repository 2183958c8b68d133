# shellcheck shell=bash
# What the other scripts stand on: the toolchain, the build folder, the interpreters and their virtual environments.
# To be sourced by bash. Installs what is missing, says what, and does nothing when nothing is missing.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/pytead-tui

say() { printf '%s\n' "$*" >&2; }
stop() {
    say "$@"
    exit 3
}

sha() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c1-16; }

# The compiler and the folder it builds in: outside the clone, so that a fresh clone with the same dependencies finds
# them built.
need_cargo() {
    command -v cargo >/dev/null || PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
    command -v cargo >/dev/null || stop "No cargo found. Install Rust from https://rustup.rs and run this again."
    command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null ||
        stop "No C compiler found. SQLite and the Python grammar are built from C: install gcc or clang."
    # Said for those who build reproducibly: under it llama.cpp leaves all fast instructions out.
    unset SOURCE_DATE_EPOCH
    if [ -z "${CARGO_TARGET_DIR:-}" ]; then
        CARGO_TARGET_DIR=${PYTEAD_TARGET:-$cache/target}/$({ cat Cargo.lock && rustc --version; } | sha)
    fi
    export CARGO_TARGET_DIR
}

probe='import ensurepip, ssl, sys, venv; print("%d.%d.%d" % sys.version_info[:3])'

# One line per interpreter from 3.10 on, oldest first: its version and its path; the newest patch release of each minor one.
interpreters() {
    local minor candidate version
    for minor in 10 11 12 13 14; do
        while read -r candidate; do
            # The clone's own environment leads PATH where one script calls another; it cannot be made anew from itself.
            [[ $candidate != "$root"/.venv/* ]] || continue
            version=$("$candidate" -c "$probe" </dev/null 2>/dev/null) || continue
            [ "${version%.*}" = "3.$minor" ] || continue
            printf '%s %s\n' "$version" "$candidate"
            break
        done < <(
            { find "${PYENV_ROOT:-$HOME/.pyenv}/versions" -maxdepth 1 -name "3.$minor.*" 2>/dev/null || true; } |
                sort -rV | sed 's|$|/bin/python3|'
            type -aP "python3.$minor" python3 || true
        )
    done
}

# Makes a virtual environment with the packages of these files, unless it is there and complete.
#   environment FOLDER VERSION PYTHON FILE…
environment() {
    local folder=$1 version=$2 python=$3 marker
    shift 3
    marker=$folder/.complete-$({ cat "$@" && echo "$version $python"; } | sha)
    if [ -e "$marker" ] && "$folder/bin/python" -c '' 2>/dev/null; then return; fi
    say "Installing $(cat "$@" | grep -c '==') packages of $* for Python $version into $folder"
    rm -rf "$folder"
    "$python" -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "${@/#/--requirement=}"
    touch "$marker"
}

# The environment of the clone itself, `.venv`, by the newest interpreter; it leads PATH from here on.
need_python() {
    local newest
    newest=$(interpreters | tail -n 1)
    [ -n "$newest" ] || stop "No Python from 3.10 on with the venv module found. Install one, with pyenv or from python.org."
    environment .venv "${newest%% *}" "${newest#* }" requirements-dev.txt
    PATH=$root/.venv/bin:$PATH
    export PATH VIRTUAL_ENV=$root/.venv
}

# Puts what only the tests need beside the rest in `.venv`, unless it is there.
#   need_packages NAME
need_packages() {
    local marker
    marker=.venv/.$1-$(sha <"requirements-$1.txt")
    if [ -e "$marker" ]; then return; fi
    say "Installing packages of requirements-$1.txt into .venv"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement "requirements-$1.txt"
    touch "$marker"
}

# numpy and pandas, whose values are recorded and drafted.
need_arrays() { need_packages arrays; }

# Django, whose tests run again.
need_django() { need_packages django; }

# What holds the clock still: apart from everything else, for a project that has one of them is tested otherwise.
need_clocks() {
    local clock marker
    marker=.venv/.clocks-$(sha <requirements-clocks.txt)
    if [ -e "$marker" ]; then return; fi
    for clock in time-machine freezegun; do
        say "Installing $clock of requirements-clocks.txt into .venv/clocks"
        .venv/bin/python -m pip install --quiet --disable-pip-version-check --upgrade --target ".venv/clocks/$clock" \
            --constraint requirements-clocks.txt "$clock"
    done
    touch "$marker"
}

# Packages of some tests, apart from everything else in `.venv/NAME`: a plugin for pytest shows in every project, and each start
# of pytest pays for it.
#   need_apart NAME
need_apart() {
    local marker
    marker=.venv/.$1-$(sha <"requirements-$1.txt")
    if [ -e "$marker" ]; then return; fi
    say "Installing packages of requirements-$1.txt into .venv/$1"
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --upgrade --target ".venv/$1" --no-deps \
        --requirement "requirements-$1.txt"
    touch "$marker"
}

# The official MCP client.
need_mcp_client() { need_apart mcp; }

# Tests that are coroutines, and those that run in several processes.
need_plugins() { need_apart plugins; }

# Flask, SQLAlchemy, Starlette, and the plugin for Django's tests.
need_web() { need_apart web; }

# Tells whether the system has the library where it is looked for. Programs of LLVM alone do not bring it.
has_libclang() {
    local folder
    for folder in "$(llvm-config --libdir 2>/dev/null || true)" /usr/lib/llvm*/lib /usr/lib{,64} /usr/lib/*-linux-gnu \
        /usr/local/lib /opt/homebrew/opt/llvm/lib /Library/Developer/CommandLineTools/usr/lib; do
        if [ -n "$folder" ] && { compgen -G "$folder/libclang.so*" || compgen -G "$folder/libclang.dylib" ||
            compgen -G "$folder/libclang-[0-9]*.so*"; } >/dev/null; then return; fi
    done
    return 1
}

# What llama.cpp is built with beside a C++ compiler: cmake, and the libclang that reads its headers. What the machine lacks
# comes from PyPI into the cache: no rights are needed. They lie beside the build folder and not in the clone, for a
# configured build names its cmake and outlives the clone.
need_llama() {
    local native=$cache/native marker packages=() clang
    command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null ||
        stop "No C++ compiler found. llama.cpp is built from C++: install g++ or clang++."
    PATH=$PATH:$native/bin
    export PATH
    [ -e "$native/bin/cmake" ] || command -v cmake >/dev/null || packages+=(cmake)
    [ -n "${LIBCLANG_PATH:-}" ] || has_libclang || packages+=(libclang)
    if [ "${#packages[@]}" -gt 0 ]; then
        marker=$native/.complete-$({ cat requirements-native.txt && echo "${packages[@]}"; } | sha)
        if [ ! -e "$marker" ]; then
            say "Installing ${packages[*]} of requirements-native.txt into $native"
            [ -e "$native/bin/python" ] || "$(interpreters | tail -n 1 | cut -d ' ' -f 2-)" -m venv --clear "$native"
            "$native/bin/python" -m pip install --quiet --disable-pip-version-check --constraint requirements-native.txt \
                "${packages[@]}"
            touch "$marker"
        fi
    fi
    clang=$(compgen -G "$native/lib/python3.*/site-packages/clang/native" | tail -n 1 || true)
    if [ -z "${LIBCLANG_PATH:-}" ] && [ -n "$clang" ]; then
        export LIBCLANG_PATH=$clang
        # The package is the library alone; the compiler's own headers do in place of those it lacks.
        if [ -z "${BINDGEN_EXTRA_CLANG_ARGS:-}" ]; then
            BINDGEN_EXTRA_CLANG_ARGS="-isystem $(cc -print-file-name=include)"
            export BINDGEN_EXTRA_CLANG_ARGS
        fi
    fi
    forget_builds_without_cmake
    compgen -G "$CARGO_TARGET_DIR/debug/build/llama-cpp-sys-2-*/output" >/dev/null ||
        say "Building llama.cpp: about five minutes on two cores, once for this Cargo.lock."
}

# Removes configured builds of llama.cpp whose cmake is gone: they would fail until someone deleted them by hand.
forget_builds_without_cmake() {
    local settings cmake
    for settings in "$CARGO_TARGET_DIR"/*/build/llama-cpp-sys-2-*/out/build/CMakeCache.txt; do
        [ -e "$settings" ] || continue
        cmake=$(sed -n 's/^CMAKE_COMMAND:INTERNAL=//p' "$settings")
        # All of it, or cargo would go on with what is gone.
        [ -x "$cmake" ] || rm -rf "${settings%/out/build/CMakeCache.txt}"
    done
}
