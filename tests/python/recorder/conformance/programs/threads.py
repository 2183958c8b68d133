"""Threads one after the other: each has a tree of its own."""

import concurrent.futures
import threading


class Worker(threading.Thread):
    def run(self):
        outer(self.name)


def outer(name):
    return inner([name])


def inner(names):
    names.append("seen")
    return names


def fails():
    raise LookupError("in a thread")


def drain(generator):
    return list(generator)


def numbers():
    yield 1
    yield 2
    yield 3


def main():
    for name in ("a", "b"):
        thread = Worker(name=name)
        thread.start()
        thread.join()
    thread = threading.Thread(target=outer, args=("c",))
    thread.start()
    thread.join()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        print(pool.submit(outer, "d").result(), list(pool.map(inner, [["e"]])))
        print(repr(pool.submit(fails).exception()))
        # A generator that goes on in another thread.
        generator = numbers()
        next(generator)
        print(pool.submit(drain, generator).result())


main()
