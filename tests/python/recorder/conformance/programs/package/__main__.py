"""A package that is run with -m: relative, late, circular and repeated imports."""

from . import shout
from .tools import again


def main(text):
    return shout(text), again()


print(main("a"), __name__)
