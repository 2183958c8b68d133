"""Class bodies, metaclasses and descriptors at class creation."""


def now(x):
    return x


class Meta(type):
    def __new__(meta, name, bases, space, **more):
        return super().__new__(meta, name, bases, dict(space))

    def __init__(cls, name, bases, space, **more):
        super().__init__(name, bases, space)

    @classmethod
    def __prepare__(meta, name, bases, **more):
        return {"prepared": now(name)}

    def __call__(cls, *args):
        return super().__call__(*args)

    def method_of_class(cls):
        return cls.__name__


class Field:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        return self if instance is None else now(7)


class Thing(metaclass=Meta, option=1):
    value = now(1)
    field = Field()

    if now(True):

        def method(self):
            return self.field

    class Inner:
        inner = now(2)


def main():
    thing = Thing()
    thing.method()
    Thing.method_of_class()


main()
