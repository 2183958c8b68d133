"""Slots: inherited, unset, private, and beside a __dict__."""


class Bare:
    __slots__ = ("x", "_y", "__z")

    def set(self, x):
        self.x = x
        self.__z = x + 1
        return self


class More(Bare):
    __slots__ = ("w",)


class Both(Bare):
    def free(self):
        self.anything = "goes"


class Weak:
    __slots__ = ("a", "__weakref__")

    def use(self):
        return None


def main():
    bare = Bare()
    bare.set(1)
    bare.set(2)
    more = More()
    more.w = 5
    more.set(3)
    both = Both()
    both.set(4)
    both.free()
    weak = Weak()
    weak.use()
    weak.a = more
    weak.use()


main()
