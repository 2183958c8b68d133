"""Stands in for parts of arguments that cannot be made again: a lock, a connection, a value over the recording budget.

A call may hold such a part and never use it. Whatever it does with one besides handing it on is noted, and then its
outcome says nothing.
"""

_SPECIAL = (
    "abs add aenter aexit aiter and anext await bool buffer bytes call ceil complex contains delattr delitem divmod enter eq"
    " exit float floor floordiv format fspath ge getattribute getitem gt hash iadd iand ifloordiv ilshift imatmul imod imul"
    " index int invert ior ipow irshift isub iter itruediv ixor le len length_hint lshift lt matmul missing mod mul ne neg next"
    " or pos pow radd rand rdivmod repr reversed rfloordiv rlshift rmatmul rmod rmul ror round rpow rrshift rshift rsub"
    " rtruediv rxor setattr setitem str sub truediv trunc xor"
)


class Used(BaseException):
    """A part that is not there was used."""


class Unavailable:
    """Makes the stand-ins of one call, and knows whether one was used."""

    def __init__(self) -> None:
        self.used: "str | None" = None

    def make(self, module: str, qualname: str) -> object:
        """Gives a stand-in for an object of this class."""

        def use(*given: object, **named: object) -> object:
            self.used = self.used or qualname
            raise Used(qualname)

        names = {"__%s__" % name: use for name in _SPECIAL.split()}
        names.update(__slots__=(), __module__=module, __qualname__=qualname)
        return object.__new__(type(qualname.rpartition(".")[2], (), names))
