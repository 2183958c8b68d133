"""The interpreter's own types, found without the `types` module, which a program may never load."""

from pytead_tui.recorder.own import __builtins__, sys


class _Holder:
    __slots__ = ("slot",)

    def method(self):  # type: ignore[no-untyped-def]
        yield


async def _coroutine():  # type: ignore[no-untyped-def]
    pass


async def _async_generator():  # type: ignore[no-untyped-def]
    yield


_made = _coroutine()
_made.close()

Function = type(_coroutine)
Method = type(_Holder().method)
GENERATOR_CODE = _Holder.method.__code__
BuiltinFunction = type(len)
MethodDescriptor = type(str.upper)
ClassMethodDescriptor = type(dict.__dict__["fromkeys"])
MethodWrapper = type(object().__str__)
WrapperDescriptor = type(object.__init__)
MemberDescriptor = type(_Holder.slot)
GetSetDescriptor = type(type.__dict__["__dict__"])
Generator = type(_Holder().method())
Coroutine = type(_made)
AsyncGenerator = type(_async_generator())
Module = type(sys)
Code = type(_coroutine.__code__)
MappingProxy = type(_Holder.__dict__)
SimpleNamespace = type(sys.implementation)
