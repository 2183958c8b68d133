"""Exceptions: raised, handled, chained, and on their way through."""


class Refused(ValueError):
    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


def check(x):
    if x < 0:
        raise Refused("negative", 7)
    return x


def passes_on(x):
    return check(x)


def handles(x):
    try:
        return check(x)
    except Refused as error:
        return error.code


def chains(x):
    try:
        check(x)
    except Refused as error:
        raise KeyError("chained") from error


def within(x):
    try:
        check(x)
    except Refused:
        raise KeyError("context")  # noqa: B904


def hides(x):
    try:
        check(x)
    except Refused:
        raise KeyError("hidden") from None


def finally_runs(log):
    try:
        check(-1)
    finally:
        log.append("finally")
        check(1)


def again():
    try:
        check(-2)
    except Refused:
        check(2)
        raise


def swallows():
    try:
        check(-3)
    finally:
        return "swallowed"  # noqa: B012


def by_else():
    try:
        check(3)
    except Refused:
        return "no"
    else:
        return check(4)


def fails_itself():
    return {}["missing"]


def asserts(x):
    assert x, "not true"


def main():
    for call in (passes_on, chains, within, hides):
        try:
            call(-1)
        except Exception as error:
            print(type(error).__name__, error)
    handles(-1)
    log = []
    for call in (lambda: finally_runs(log), again, fails_itself, lambda: asserts(0)):
        try:
            call()
        except (Refused, LookupError, AssertionError):
            pass
    print(log, swallows(), by_else())


main()
