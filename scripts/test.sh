#!/usr/bin/env bash
# Runs all tests: Rust, then Python under every interpreter that is here. Ends with `N passed, N failed`.
# With CI=true fewer than three interpreters are a failure. CHECK_COUNTS names a file that gets `passed failed` lines.

source "$(dirname "$0")/setup.sh"
need_cargo
need_python
need_llama
need_mcp_client
need_arrays
need_django
need_clocks
need_web
need_plugins
log=$(mktemp)
summary=$(mktemp)
trap 'rm -f "$log" "$summary"' EXIT
# The workspace builds pytead-llm, so none of its tests is skipped.
export PYTEAD_TESTS_WITH_LLM=1
export PYTHONDONTWRITEBYTECODE=1 CARGO_TERM_COLOR=never PY_COLORS=0

# Notes how a run ended and how long it took; one that failed without naming a failed test counts as one failure, and
# so does one that ran no test at all.
#   note NAME STATUS PASSED FAILED
began=$SECONDS
note() {
    local failed=$4
    if { [ "$2" -ne 0 ] || [ "$3" -eq 0 ]; } && [ "$failed" -eq 0 ]; then failed=1; fi
    printf '%s\t%d\t%d\t%d\n' "$1" "$3" "$failed" "$((SECONDS - began))" >>"$summary"
    began=$SECONDS
}

# Adds up the numbers that stand before a word in the lines that match: `total LINES WORDS`.
total() { { grep -E "$1" "$log" || true; } | { grep -oE "[0-9]+ ($2)" || true; } | awk '{ n += $1 } END { print n + 0 }'; }

status=0
if command -v cargo-nextest >/dev/null; then
    cargo nextest run --locked --workspace 2>&1 | tee "$log" || status=$?
    note Rust "$status" "$(total '^ *Summary' passed)" "$(total '^ *Summary' 'failed|timed out')"
else
    cargo test --locked --workspace --no-fail-fast 2>&1 | tee "$log" || status=$?
    note Rust "$status" "$(total '^test result' passed)" "$(total '^test result' failed)"
fi

# How pytest's last line begins: `85 passed, 1 failed in 0.21s`.
ended='^=* ?[0-9]+ [a-z]+.* in [0-9.]+s'

# Runs a folder of tests and notes how that ended.
#   python_suite FOLDER VERSION PYTHON OPTION…
python_suite() {
    status=0
    say "» $1 under Python $2"
    (cd "$1" && "$3" -m pytest -q -p no:cacheprovider "${@:4}") 2>&1 | tee "$log" || status=$?
    note "Python $2 $1" "$status" "$(total "$ended" passed)" "$(total "$ended" 'failed|error')"
}

# Where numpy and pandas are; the other environments leave this folder out.
python_suite tests/python/arrays "$(.venv/bin/python -c "$probe")" "$PWD/.venv/bin/python"

used=""
while read -r version python <&3; do
    used="$used $version"
    place=$cache/venvs/$version
    environment "$place" "$version" "$python" requirements-dev.txt requirements-{plugins,django,classes}.txt
    began=$SECONDS
    for suite in tests/python examples/shop examples/tests; do
        # The examples are so quick that starting two processes for them would take longer.
        case $suite in
        tests/python) python_suite "$suite" "$version" "$place/bin/python" -n 2 ;;
        *) python_suite "$suite" "$version" "$place/bin/python" ;;
        esac
    done
done 3< <(interpreters)

printf '\nInterpreters:%s\n' "$used"
if [ "${CI:-}" = true ] && [ "$(wc -w <<<"$used")" -lt 3 ]; then
    say "At least three interpreters from 3.10 on are needed here."
    note "three interpreters" 1 0 1
fi
closing=$(awk -F '\t' '{ passed += $2; failed += $3 } END { print passed + 0 " passed, " failed + 0 " failed" }' "$summary")
awk -F '\t' '{ printf "%-32s %5d passed, %d failed %5d s\n", $1, $2, $3, $4 }' "$summary"
echo "$closing"
[ -z "${CHECK_COUNTS:-}" ] || echo "$closing" >>"$CHECK_COUNTS"
[ "${closing#*, }" = "0 failed" ]
