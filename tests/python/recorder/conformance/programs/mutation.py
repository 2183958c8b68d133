"""Arguments as they were before the call, and what changed in it."""


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.log = []

    def pay(self, amount):
        self.balance -= amount
        self.log.append(amount)
        return self.balance

    def fail(self):
        self.log.clear()
        raise ValueError("failed after a change")


def append(items, x):
    items.append(x)
    return items


def rebind(items):
    items = items + [1]
    return items


def deep(tree):
    tree["a"]["b"].append(1)


def both(one, two):
    one.add(1)
    two[:] = [3]


def aliased(one, two):
    one.append(1)
    return one is two


def given(account):
    account.pay(1)


def emptied(**more):
    more.clear()


def main():
    account = Account(10)
    account.pay(3)
    try:
        account.fail()
    except ValueError:
        pass
    append([1], 2)
    rebind([1])
    deep({"a": {"b": []}})
    both(set(), bytearray(b"xy"))
    items = []
    aliased(items, items)
    given(account)
    emptied(k=1)


main()
