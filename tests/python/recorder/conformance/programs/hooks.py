"""Attribute hooks and descriptors print when they run: recording runs none."""


class Loud:
    def __init__(self):
        print("init")
        self.plain = 1

    def __getattr__(self, name):
        print("getattr", name)
        if name.startswith("_"):
            raise AttributeError(name)
        return name

    def __setattr__(self, name, value):
        print("setattr", name)
        super().__setattr__(name, value)


class Louder:
    def __getattribute__(self, name):
        print("getattribute", name)
        return super().__getattribute__(name)

    @property
    def lazy(self):
        print("property")
        return 1

    def method(self):
        return "method"

    @property
    def __dict__(self):
        print("dict")
        return {}

    @property
    def __class__(self):
        print("class")
        return int


class Hidden:
    __slots__ = ("__dict__", "kept")

    def __dir__(self):
        print("dir")
        return []

    def __reduce_ex__(self, version):
        print("reduce")
        raise TypeError


def take(x):
    return x


def main():
    loud = Loud()
    take(loud).other
    louder = Louder()
    take(louder).method()
    hidden = Hidden()
    hidden.late = 1
    take(hidden)
    take([loud, louder, {"k": hidden}])


main()
