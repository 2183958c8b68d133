"""The options of a recorded session without those that change which tests run, in which order, how often, and where.

What plugins are for otherwise stays: their fixtures, markers and settings may be in use. So these plugins are not disabled;
they lose their options, whether they are installed or not.
"""

# Without a value.
_FLAGS = frozenset(
    """
    -x --exitfirst -s -d -f --looponfail -h --help -V --version --pdb --trace --trace-config --fixtures --funcargs --markers
    --fixtures-per-test --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --sw-skip --stepwise-skip
    --sw-reset --stepwise-reset --cache-clear --collect-only --co --pyargs --continue-on-collection-errors --keep-duplicates
    --setup-only --setup-plan --setuponly --setupplan
    --loadscope-reorder --no-loadscope-reorder --forked --boxed
    --no-cov --no-cov-on-fail --cov-append --cov-branch --cov-reset
    --randomly-dont-reset-seed --randomly-dont-reorganize --random-order --reverse
    --fail-on-flaky --rerun-show-tracebacks --no-flaky-report --force-flaky --no-success-flaky-report
    --self-contained-html --report-log-exclude-logs-on-passed-tests --json-report --json-report-summary --clean-alluredir
    --testmon --testmon-noselect --testmon-nocollect --testmon-forceselect
    """.split()
)
# With a value.
_VALUES = frozenset(
    """
    -n --numprocesses --maxprocesses --max-worker-restart --dist --tx --px --rsyncdir --rsyncignore --testrunuid
    --maxschedchunk -k -m --deselect --ignore --ignore-glob --maxfail --pdbcls --durations --durations-min --basetemp
    --lfnf --last-failed-no-failures --pastebin --log-file --max-warnings -c --config-file --rootdir
    --cov-report --cov-config --cov-fail-under --cov-context --cov-precision
    --randomly-seed --randomly-seed-reset --random-order-bucket --random-order-seed --random-order-class-level
    --reruns --reruns-delay --reruns-delay-backoff-factor --only-rerun --rerun-except --rerun-exclude-path --reruns-mode
    --force-reruns --max-suite-reruns --max-runs --min-passes
    --junitxml --junit-xml --junitprefix --junit-prefix --html --css --report-log --resultlog --result-log --alluredir
    --json-report-file --json-report-indent --json-report-verbosity --session-timeout
    --splits --group --shard-id --num-shards --workers --tests-per-worker
    """.split()
)
# With a value or without one.
_EITHER = frozenset(["--cov", "--cache-show", "--debug"])
_MANY = frozenset(["--json-report-omit"])

# Plugins that `-p` loads early. `randomly` seeds and reorders by being there.
_PLUGINS = frozenset(
    """
    xdist xdist.plugin xdist.looponfail pytest_cov pytest_cov.plugin randomly pytest_randomly random_order
    random_order.plugin pytest_random_order reverse pytest_reverse rerunfailures pytest_rerunfailures flaky
    flaky.flaky_pytest_plugin pytest_forked html pytest_html pytest_jsonreport pytest_jsonreport.plugin reportlog
    pytest_reportlog pytest_reportlog.plugin testmon testmon.pytest_testmon pytest_split pytest_split.plugin
    pytest_parallel parallel no:cacheprovider
    """.split()
)
_SHORT_VALUES = "kmpcornW"
_SHORT_FLAGS = "xsdfhVvql"


def kept(options: "list[str]") -> "list[str]":
    """Gives the options that hold when tests run one by one."""
    found: list = []
    left = list(options)
    while left:
        option = left.pop(0)
        if option.startswith("--") and len(option) > 2:
            name, is_given, _ = option.partition("=")
            if name in _FLAGS:
                continue
            if name == "--capture":
                value = option.partition("=")[2] if is_given else "".join(left[:1])
                found += [] if value == "no" else ["--capture=" + value]
                del left[: 0 if is_given else 1]
                continue
            if name in _VALUES:
                if not is_given and left:
                    left.pop(0)
            elif name in _MANY:
                while left and not left[0].startswith("-"):
                    left.pop(0)
            elif name in _EITHER or name.startswith("--cov-"):
                if not is_given and left and not left[0].startswith("-"):
                    left.pop(0)
            else:
                found.append(option)
        elif option.startswith("-") and len(option) > 1 and option[1] in _SHORT_VALUES + _SHORT_FLAGS:
            found += _short(option[1:], left)
        else:
            found.append(option)
    return found


def _short(letters: str, left: "list[str]") -> "list[str]":
    """Takes a group like `-xvk`, whose last letter may have a value; the value may be the next option."""
    flags = ""
    for at, letter in enumerate(letters):
        if letter not in _SHORT_VALUES:
            flags += "" if "-" + letter in _FLAGS else letter
            continue
        value = letters[at + 1 :]
        given = ["-" + letter + value] if value else ["-" + letter, *left[:1]]
        if not value:
            del left[:1]
        is_dropped = "-" + letter in _VALUES or (letter == "p" and (value or given[-1]).strip() in _PLUGINS)
        return _flags(flags) + ([] if is_dropped else given)
    return _flags(flags)


def _flags(letters: str) -> "list[str]":
    return ["-" + letters] if letters else []
