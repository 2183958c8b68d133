"""A child by fork has calls of its own."""

import os


class Box:
    def __init__(self, x):
        self.x = x


def work(box):
    return box.x


def parts():
    yield 1
    yield 2


def main():
    box = Box(1)
    work(box)
    generator = parts()
    next(generator)
    if os.fork() == 0:
        box.x = 2
        work(box)
        list(generator)
        os._exit(3)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
    box.x = 3
    work(box)
    list(generator)


main()
