"""Copying and pickling run the project's hooks, and recording none of them."""

import copy
import pickle


class Record:
    def __init__(self, x):
        self.x = x

    def __reduce__(self):
        print("reduce")
        return Record, (self.x,)

    def __deepcopy__(self, memo):
        print("deepcopy")
        return Record(self.x)


class State:
    def __getstate__(self):
        print("getstate")
        return {"s": 1}

    def __setstate__(self, state):
        print("setstate")
        self.__dict__.update(state)


def take(x):
    return x


def main():
    record = Record(1)
    take(pickle.loads(pickle.dumps(record)))
    take(copy.deepcopy(record))
    take(pickle.loads(pickle.dumps(State())))


main()
