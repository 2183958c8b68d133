"""An exception that nobody handles: the traceback and the exit code are the program's."""


class Own(Exception):
    pass


def inner(x):
    if x:
        raise Own(
            "inner",
            x,
        )


def middle(x):
    try:
        inner(x)
    finally:
        print("finally")


def outer(x):
    try:
        middle(x)
    except Own as error:
        raise ValueError("outer") from error


def generated():
    yield 1
    outer(1)


def main():
    for _ in (x for x in generated()):
        pass


main()
