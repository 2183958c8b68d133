"""What a search for near inputs leaves as it is: values that mean something outside of the program, and what all recorded calls have
in common.
"""

import re
from collections.abc import Callable, Iterator

from pytead_tui.recorder import redact
from pytead_tui.recorder.values import TAG

FEW = 3  # other values, before what they have in common is more than chance
SOME = 4  # of them, before that none is empty is
MOST = 400  # values of one place that are looked at

# Names whose values lead to files, servers, programs and databases.
_OUTSIDE = frozenset(
    "path paths file files filename filenames filepath dir dirs directory folder folders url urls uri uris link href host hostname "
    "endpoint address dsn sql query statement cmd command commands argv shell script executable program".split()
)
_URL = re.compile(r"^(?:[a-z][a-z0-9+.\-]*://|mailto:|data:|file:|www\.)|://", re.IGNORECASE)
_SQL = re.compile(
    r"^\s*(?:select|insert|update|delete|create|drop|alter|replace|with|pragma|begin|commit|truncate|grant|merge)\b\s+\S", re.IGNORECASE
)
_SHELL = re.compile(r"\$\(|`|&&|\|\||^\s*(?:sudo|rm|cp|mv|bash|sh|curl|wget|git|python3?|pip)\s|\s--?[a-z]|^--?[a-zA-Z]")
_FOLDERS = re.compile(r"^(?:~|\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\])|^(?=\S*[A-Za-z])\S*[/\\]\S*$")
_FILE_NAME = re.compile(r"^\S*[A-Za-z_]\S*\.[A-Za-z][A-Za-z0-9]{0,4}$")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def is_outside(name: str, tree: object) -> bool:
    """Tells whether a value is never mutated: a path, a URL, SQL, words of a shell, a secret or what stands in for one; and
    whatever has a name that says so."""
    if redact.word_of_all(name) is not None or not _OUTSIDE.isdisjoint(word.lower() for word in _WORDS.findall(name)):
        return True
    kind = type(tree)
    if kind is bytes:
        tree, kind = tree.decode("latin-1"), str
    if kind is str:
        return _text_is_outside(tree)
    if kind in (list, tuple) and tree[:1] not in ((TAG,), [TAG]):
        # The words of a command.
        return any(type(item) is str and _SHELL.search(item) for item in tree)
    if kind is tuple and tree[:1] == (TAG,):
        if tree[1] == "secret":
            return True
        if tree[1] == "new":
            return tree[2] in ("pathlib", "ipaddress", "uuid", "re")
        if tree[1] == "sub":
            return is_outside("", tree[5])
    return False


def _text_is_outside(text: str) -> bool:
    if "[REDACTED" in text or redact.word_of(text) is not None:
        return True
    return any(form.search(text) for form in (_URL, _SQL, _SHELL, _FOLDERS, _FILE_NAME))


# What recorded calls have in common.


def bare(tree: object) -> object:
    """Gives a value without the mark of one that is met twice."""
    while type(tree) is tuple and tree[:2] == (TAG, "mut"):
        tree = tree[3]
    return tree


def parts(place: str, tree: object) -> "Iterator[tuple[str, object]]":
    """Gives the parts of a value, each with its place: `rows`, `rows[]`, `rows[].price`."""
    tree = bare(tree)
    yield place, tree
    kind = type(tree)
    if kind in (list, set, frozenset):
        for item in tree:
            yield from parts(place + "[]", item)
    elif kind is dict:
        for key, held in tree.items():
            yield from parts(f"{place}.{key}" if type(key) is str else place + "{}", held)
    elif kind is tuple and tree[:1] != (TAG,):
        for at, item in enumerate(tree):
            yield from parts(f"{place}[{at}]", item)
    elif kind is tuple and tree[1] == "obj":
        for name, held in tree[6].items():
            yield from parts(f"{place}.{name}", held)
    elif kind is tuple and tree[1] == "nt":
        for name, held in zip(tree[4], tree[5]):
            yield from parts(f"{place}.{name}", held)


def kind_of(tree: object) -> object:
    """Gives what tells values of one type from others: the type, of an object its class."""
    tree = bare(tree)
    if type(tree) is tuple and tree[:1] == (TAG,):
        at = {"obj": 3, "sub": 3, "exc": 3, "name": 2, "enum": 2, "nt": 2, "new": 2}.get(tree[1])
        return (tree[1],) if at is None else (tree[1], *tree[at : at + 2])
    return type(tree).__name__


def size(tree: object) -> int:
    """Counts the items, keys and characters of a value with all below it."""
    tree = bare(tree)
    kind = type(tree)
    if kind in (str, bytes):
        return len(tree)
    if kind is dict:
        return len(tree) + sum(map(size, tree.values()))
    if kind in (list, tuple, set, frozenset):
        return len(tree) + sum(map(size, tree))
    return 1


def _is_number(tree: object) -> bool:
    return type(tree) in (int, float)


def _is_sorted(items: object) -> bool:
    try:
        return all(one <= other for one, other in zip(items, items[1:]))
    except TypeError:
        return False


_TEXTS: "tuple[Callable[[str], bool], ...]" = (str.isdigit, str.isidentifier, str.isalnum)


class Common:
    """What all recorded calls of a function have in common, where that is no chance: types, keys, lengths that are equal, order, and
    that something is not empty or not negative."""

    def __init__(self, calls: "list[dict]") -> None:
        held: dict = {}
        for call in calls:
            for name, tree in call.items():
                for place, part in parts(name, tree):
                    held.setdefault(place, []).append(part)
        self.kinds = {place: set(map(kind_of, parts)) for place, parts in held.items()}
        self.ruled = {place: set(kinds) for place, kinds in self.kinds.items()}
        self.rules = {place: self._rules(parts[:MOST]) for place, parts in held.items()}
        self.largest = {name: max(map(size, held[name])) for name in {name for call in calls for name in call}}
        self.pairs = list(_pairs(calls))

    def allow(self, name: str, tree: object) -> None:
        """Takes a value for one that an argument may have, as the text of the function says."""
        self.kinds.setdefault(name, set()).add(kind_of(tree))

    def _rules(self, held: list) -> list:
        others = len(set(map(repr, held)))
        rules: list = []
        if all(type(part) in (str, bytes, list, tuple, dict, set, frozenset) for part in held):
            if others >= SOME and all(map(len, held)):
                rules.append(lambda part: len(part) > 0)
        if all(type(part) is tuple and part[:1] != (TAG,) for part in held) and len(set(map(len, held))) == 1:
            length = len(held[0])
            rules.append(lambda part: len(part) == length)
        if all(type(part) in (list, tuple) and part[:1] != (TAG,) for part in held):
            long = [part for part in held if len(part) > 1]
            if long and max(map(len, long)) > 2 and all(map(_is_sorted, long)):
                rules.append(_is_sorted)
        if all(type(part) is dict for part in held):
            keys = set.intersection(*map(set, held))
            rules.append(lambda part: keys <= set(part))
        if others >= FEW and all(map(_is_number, held)) and min(held) >= 0:
            rules.append(lambda part: part >= 0)
        if others >= FEW and all(type(part) is str for part in held):
            rules += [form for form in _TEXTS if all(form(part) for part in held)]
        return rules

    def hold(self, call: dict) -> bool:
        """Tells whether a call has all of that."""
        for name, tree in call.items():
            for place, part in parts(name, tree):
                kinds = self.kinds.get(place)
                if kinds is not None and kind_of(part) not in kinds:
                    return False
                # What is of another kind than recorded values is one that the text of the function names.
                rules = () if place not in self.ruled or kind_of(part) not in self.ruled[place] else self.rules[place]
                if not all(rule(part) for rule in rules):
                    return False
        return all(rule(call) for rule in self.pairs)

    def fits(self, name: str, tree: object) -> bool:
        """Tells whether a value is at most ten times as large as the largest recorded one."""
        return size(tree) <= 10 * max(1, self.largest.get(name, 1))


def _pairs(calls: "list[dict]") -> "Iterator[Callable[[dict], bool]]":
    """Gives what holds between two arguments in all calls: equal lengths, and which number is the larger one."""
    names = sorted(set.intersection(*map(set, calls))) if calls else []
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            held = [(bare(call[one]), bare(call[other])) for call in calls]
            if all(_is_sized(a) and _is_sized(b) and len(a) == len(b) for a, b in held):
                yield lambda call, one=one, other=other: len(bare(call[one])) == len(bare(call[other]))
            if len(set(map(repr, held))) < FEW or not all(_is_number(a) and _is_number(b) for a, b in held):
                continue
            if all(a <= b for a, b in held):
                yield lambda call, one=one, other=other: bare(call[one]) <= bare(call[other])
            elif all(a >= b for a, b in held):
                yield lambda call, one=one, other=other: bare(call[one]) >= bare(call[other])


def _is_sized(tree: object) -> bool:
    return type(tree) in (list, dict, set, frozenset) or type(tree) is tuple and tree[:1] != (TAG,)
