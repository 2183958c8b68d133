"""Objects whose every method raises can be given to functions and come out of them."""


class Boom(BaseException):
    pass


def explode(*args, **kwargs):
    raise Boom("ran")


NAMES = """repr str bytes format eq ne lt le gt ge hash bool len iter next contains getitem setitem delitem index int
float complex getattr dir enter exit reversed missing copy deepcopy reduce reduce_ex getstate sizeof length_hint
instancecheck subclasscheck fspath buffer class_getitem"""


def hostile(name, *bases, **more):
    space = {f"__{n}__": explode for n in NAMES.split()}
    return type(name, bases, {**space, **more})


Plain = hostile("Plain")
List = hostile("List", list)
Dict = hostile("Dict", dict)
Text = hostile("Text", str)
Number = hostile("Number", int)
Error = hostile("Error", Exception)


class Meta(type):
    __repr__ = __eq__ = __hash__ = __getattribute__ = __instancecheck__ = explode


class Odd(metaclass=Meta):
    pass


def take(x):
    return x


def keep(*objects):
    return [objects, {"k": objects}]


def fails():
    raise Error("hostile")


def main():
    plain = Plain()
    take(plain)
    take(List([1]))
    take(Dict(a=1))
    take(Text("t"))
    take(Number(3))
    take(Odd())
    take(Odd)
    keep(plain, [plain], (plain,))
    try:
        fails()
    except Exception:
        print("caught")


main()
