"""Warnings name the program's lines, once each."""

import warnings


def old():
    warnings.warn("old is deprecated", UserWarning, stacklevel=2)


def uses_old():
    old()
    old()


def main():
    old()
    uses_old()
    for _ in range(2):
        uses_old()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            old()
        except UserWarning as error:
            print(error)


main()
