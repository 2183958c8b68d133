"""What a program can see of itself is as it was."""

import inspect
import sys


def sees(a, b=1):
    c = 2
    seen = sorted(locals()), sorted(vars()), dir()
    frame = sys._getframe()
    return seen, frame.f_code.co_varnames, frame.f_lineno, frame.f_back.f_code.co_name, c


def stack():
    return [(f.function, f.lineno) for f in inspect.stack()[:2]]


def source():
    return inspect.getsource(sees).count("\n"), str(inspect.signature(sees)), inspect.getdoc(documented)


def documented():
    """Says what it does."""


class Own:
    def method(self):
        return __class__, self.__class__.__name__


def calls_eval():
    inner = 3  # noqa: F841
    return eval("inner"), eval("[k for k in sorted(locals())]")


def main():
    print(sees(1), stack(), source())
    print(sees.__code__.co_firstlineno, sees.__defaults__, sees.__code__.co_argcount, Own().method()[1], calls_eval())
    print(sys.gettrace(), sys.getprofile(), documented.__doc__, sees.__code__.co_name, sees.__code__.co_freevars)


main()
