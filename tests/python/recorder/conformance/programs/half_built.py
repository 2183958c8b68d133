"""Objects before they are whole."""


class Slow:
    def __init__(self, n):
        self.report("before")
        self.first = n
        self.report("between")
        self.second = n
        self.report("after")

    def report(self, when):
        return when

    def __repr__(self):
        return f"{self.first} {self.second}"


class Fails:
    def __init__(self):
        self.early = 1
        raise LookupError(self)


class Raw:
    def __init__(self):
        self.never = 1

    def use(self):
        return None


def main():
    Slow(1)
    try:
        Fails()
    except LookupError:
        pass
    raw = object.__new__(Raw)
    raw.use()


main()
