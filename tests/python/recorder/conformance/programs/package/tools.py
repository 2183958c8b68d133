import importlib


def shout(text):
    from . import lazy

    return lazy.later(text.upper())


def again():
    from package import lazy

    return importlib.reload(lazy).later("again")
