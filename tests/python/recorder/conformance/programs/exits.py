"""sys.exit in a function, functions that run at exit, and the exit code."""

import atexit
import sys


@atexit.register
def at_end():
    print("at end", flush=True)


def leave(code):
    sys.exit(code)


def main():
    try:
        leave("refused")
    except SystemExit as error:
        print(error.code, flush=True)
    leave(3)


main()
