"""Starts the host: `python -m pytead_tui.plugin_host`."""

import os
import sys


def main() -> int:
    """Keeps the protocol away from what plugins print, then serves until the test is over."""
    # Two saves within a second may leave bytecode that looks as if it were of the second one: a test that is run again by a save
    # must not see the first.
    sys.dont_write_bytecode = True
    # Before 3.11 the working folder, which is our own package's, comes first; plugins get theirs when they are loaded.
    sys.path[:] = [path for path in sys.path if path]
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)

    from pytead_tui.plugin_host import checks

    checker = checks.Checker()  # while nothing but the library is imported and no thread runs

    from pytead_tui.compat import finder
    from pytead_tui.plugin_host.host import Host

    finder.install()
    return Host(incoming, outgoing, checker).serve()


if __name__ == "__main__":
    sys.exit(main())
