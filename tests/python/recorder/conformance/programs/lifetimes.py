"""Objects live as long as they would unrecorded; a callee may drop an argument (Python 3.11)."""

import gc
import weakref


class Thing:
    def __init__(self, name):
        self.name = name


def told(ref):
    print("died")


class Gone:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone", self.name)


def uses(gone):
    name = gone.name
    del gone
    print(name, "used")


def makes():
    Gone("local")
    return 1


def consumes(thing):
    ref = weakref.ref(thing, told)
    del thing
    return ref() is None


def holds(thing):
    yield 1
    del thing
    yield 2


def fails(thing):
    raise LookupError("fails")


def cycle():
    one = Thing("cycle")
    one.me = one
    return weakref.ref(one)


def main():
    uses(Gone("given"))
    makes()
    print(consumes(Thing("given")))
    print(list(holds(Thing("held"))))
    ref = cycle()
    gc.collect()
    print(ref() is None)
    thing = Thing("failing")
    ref = weakref.ref(thing)
    try:
        fails(thing)
    except LookupError:
        pass
    del thing
    print(ref() is None)


main()
