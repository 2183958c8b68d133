"""The ways in which generators end."""


def numbers(name):
    yield 1
    yield 2


def careful(name):
    try:
        yield 1
    finally:
        note(name)


def stubborn():
    try:
        yield 1
    except GeneratorExit:
        note("closing")
        raise


def recovers():
    while True:
        try:
            yield "ready"
        except ValueError:
            yield "recovered"
            return


def fails():
    yield 1
    raise LookupError("in a generator")


def stops():
    yield 1
    raise StopIteration("not allowed")


def note(name):
    return name


def main():
    dropped = numbers("dropped")
    next(dropped)
    del dropped
    closed = numbers("closed")
    next(closed)
    closed.close(); del closed  # noqa: E702 # fmt: skip
    thrown = numbers("thrown")
    next(thrown)
    try:
        thrown.throw(KeyError("k"))
    except KeyError:
        pass
    made = careful("careful")
    next(made)
    made.close()
    made = stubborn()
    next(made)
    made.close()
    made = recovers()
    next(made)
    made.throw(ValueError("v"))
    list(made)
    try:
        list(fails())
    except LookupError:
        pass
    try:
        list(stops())
    except RuntimeError as error:
        print(error, repr(error.__cause__))
    unstarted = numbers("never started")
    unstarted.close()
    early = numbers("thrown before it started")
    try:
        early.throw(KeyError("early"))
    except KeyError:
        pass


main()
