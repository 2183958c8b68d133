"""Calls with parameters of every kind."""


def every(a, b=2, /, c=3, *rest, d, e=5, **more):
    return a, b, c, rest, d, e, more


def nothing():
    pass


def grows(x, items=[]):  # noqa: B006
    items.append(x)
    return len(items)


def only(*, flag=False):
    return flag


def swallow(*args, **kwargs):
    return len(args) + len(kwargs)


def shadow(args, kwargs, self):
    return [args, kwargs, self]


def computed(x=nothing(), y=(1, 2)):  # noqa: B008
    return x, y


def main():
    every(1, d=4)
    every(1, 2, 3, 4, 5, d=6, e=7, f=8, g=9)
    every(*[1, 2], **{"d": 3, "key": "k"})
    nothing()
    grows(1)
    grows(2)
    only()
    only(flag=True)
    swallow()
    swallow(1, *"ab", x=None)
    shadow((), {}, "not a receiver")
    computed()
    computed(y=3)


main()
