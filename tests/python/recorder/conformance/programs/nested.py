"""Nested functions, closures and names declared elsewhere."""


def counter(start):
    count = start

    def step(by=1):
        nonlocal count
        count += by
        return count

    def reset():
        nonlocal count
        count = start

    return step, reset


def outer(x):
    def middle(y):
        def inner(z):
            return x + y + z

        return inner

    return middle(2)(3)


def declares():
    global made_here

    def made_here():
        return "global"

    class Local:
        def method(self):
            return x

        def other(self):
            return self.method()

    x = 4
    return Local().other()


def late():
    return after()


def after():
    return "defined later"


def main():
    step, reset = counter(10)
    step()
    step(5)
    reset()
    step()
    other, _ = counter(0)
    other()
    outer(1)
    declares()
    made_here()
    late()


main()
