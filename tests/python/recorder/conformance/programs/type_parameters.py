"""Type parameters and type aliases (Python 3.12)."""

type Pair[T] = tuple[T, T]


def first[T](pair: Pair[T]) -> T:
    return pair[0]


class Stack[T]:
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, item: T) -> None:
        self.items.append(item)

    def mapped[U](self, function) -> "list[U]":
        return [function(x) for x in self.items]


def main():
    first((1, 2))
    stack = Stack[int]()
    stack.push(1)
    stack.mapped(str)
    print(first.__type_params__, Stack.__type_params__, Pair.__value__)


main()
