"""Turns a live value into the tree of docs/spool.md without running any of the program's code.

Owns the walk and its budgets. How a type is written is plans.py's affair, and known.py's for the
standard library's. Types are looked up by identity: hashing a class may run its metaclass's code.
"""

from itertools import islice

from pytead_tui.recorder import kinds, redact
from pytead_tui.recorder.objects import Objects, dict_of, names_of, oid
from pytead_tui.recorder.own import __builtins__, sys

TAG = StopIteration
DEPTH = 40
STRING = 4096
HASHED = 1 << 20
INT_BITS = 1 << 14
HEAD, TAIL = 256, 64
SPARE = 20  # nodes of an argument that comes after all others were used up
TRIES = 100
SPACES = 500  # namespaces whose addresses are kept
LOOKS = 50  # for so many objects

try:
    from _blake2 import blake2b as _blake2b
except ImportError:  # a build without it
    _blake2b = None

# Around the number of a line in a frame of a traceback, also in a page of HTML: the end of a path before the first.
_LINE, _IN = b", line ", b", in "
_PATHS = (b'.py"', b".py&quot;", b".py&#34;")

_held: dict = {}  # by a namespace: looks that are left, the addresses of what it holds
_ATOMS = frozenset(oid(t) for t in (type(None), bool, int, float, complex, str, bytes, type(...)))
_NUMBERS = frozenset(oid(t) for t in (type(None), bool, float, complex, type(...)))
_TEXTS = frozenset((oid(str), oid(bytes)))
_INT = oid(int)
_WITH_INT = _NUMBERS | {_INT}


# Filled by plans.py: identity of a type → handler(walk, value, depth), and what makes one; the types whose objects are
# told by their state, and where that is not looked into by what they are.
handlers: dict = {}
by_state: set = set()
# Constants of modules, by identity: (the module's namespace, the name in it, the tree).
constants: dict = {}
make_plan: list = []
# Finds the trees inside those of plain data: set by plain_data.py.
plain_built: list = []
# What hashes all of a value that does not fit: set by who makes calls again. A recording has no time for that.
whole: list = []


def digest(data: object) -> str:
    """Hashes what is cut, unless it is so large that hashing would be felt."""
    if _blake2b is None or len(data) > HASHED and not whole:
        return ""
    raw = data.encode("utf-8", "surrogatepass") if type(data) is str else bytes(data)
    if _LINE in raw:
        raw = _without_lines(raw)
    return _blake2b(raw, digest_size=8).hexdigest()


def _without_lines(raw: bytes) -> bytes:
    """Gives a text without the numbers of lines in tracebacks: any line above such a line moves it."""
    parts: list = []
    for part in raw.split(_LINE):
        after = part.lstrip(b"0123456789")
        parts.append(after if after.startswith(_IN) and parts and parts[-1].endswith(_PATHS) else part)
    return _LINE.join(parts)


def rest(v: object) -> str:
    """Hashes all of a value that does not fit, where calls are made again."""
    return whole[0](v) if whole else ""


def cut_text(v: object) -> tuple:
    """Gives what is left of a text that is too long."""
    return (TAG, "cut", type(v).__name__, len(v), v[:HEAD], v[-TAIL:], digest(v))


def are_atoms(values: tuple, text: int = STRING) -> bool:
    """Whether all the values are small exact scalars, which are written as they are."""
    if not _ATOMS.issuperset(map(oid, map(type, values))):
        return False
    for v in values:
        t = type(v)
        if t is str or t is bytes:
            if len(v) > text or redact.texts and redact.word_of(v):
                return False
        elif t is int and (v.bit_length() > INT_BITS or redact.numbers and v in redact.numbers):
            return False
    return True


def _name_of(v: object, space: dict) -> "str | None":
    """Gives the name under which a namespace holds this very object."""
    return next((name for name, held in list(space.items()) if held is v and type(name) is str), None)


def _holds(space: dict, v: object, in_classes: bool) -> bool:
    """Whether a module's namespace, or one of its classes', holds this very object. Hundreds of names would be looked through for each
    object, so addresses are kept until there is another number of names, or until some objects were looked for: a name may get
    another value. Nothing of the namespace is kept alive.
    """
    key = oid(space), len(space), space.get("__name__"), in_classes
    kept = _held.get(key)
    if kept is None or not kept[0]:
        if len(_held) >= SPACES:
            _held.clear()
        spaces = [space, *(dict_of(cls) for cls in _classes(space))] if in_classes else [space]
        kept = _held[key] = [LOOKS, frozenset(oid(held) for one in spaces for held in list(one.values()))]
    kept[0] -= 1
    return oid(v) in kept[1]


def _classes(space: dict) -> list:
    """Lists a module's own classes."""
    return [cls for cls in list(space.values()) if type(cls) is type and names_of(cls)[0] == space["__name__"]]


def taken(iterate: object, v: object, most: "int | None" = None) -> list:
    """Takes a container's items before any is walked; again when another thread changed its size just then."""
    for left in reversed(range(TRIES)):
        try:
            return list(islice(iterate(v), most))
        except RuntimeError:
            if not left:
                raise
    return []


class Capture:
    """One record's walk: its budgets, and the objects it met."""

    __slots__ = ("objects", "nodes", "cheap", "room", "text", "deep", "memo", "built", "shared", "met", "marks",
                 "parts", "sizes", "mutable", "mutables", "unreadable", "masking", "scope", "width", "brief",
                 "names_only", "plain", "spaces")  # fmt: skip

    def __init__(self, objects: Objects, limits: "Limits", scope: "dict | None" = None) -> None:
        self.objects = objects
        self.nodes = limits.nodes
        self.cheap = 0  # of the nodes that are used up, those that cost next to nothing
        self.room = limits.room
        self.text = limits.text
        self.deep = limits.depth
        self.width = limits.width
        self.brief = limits.brief
        self.names_only = limits.names_only
        self.memo: dict = {}  # by identity: an object's ordinal, or for a mutable builtin where its marks begin
        self.built: dict = {}  # by identity: the trees of mutable builtins
        self.shared: "dict | None" = None  # by identity: the numbers of mutable builtins that are reached twice
        self.met: list = []
        self.marks: list = []  # (tag, ordinal) in the order of the tree that is built
        self.mutable = False  # whether what was walked last can change
        self.unreadable = 0  # objects met whose state cannot be read
        self.masking: "str | None" = None
        self.scope = scope
        self.plain: list = []  # containers of plain data with their trees (plain_data.py)
        self.spaces: dict = {}  # by a module's name, see `singleton`

    def value(self, v: object, depth: int = 0) -> object:
        """Gives a value's tree."""
        t = type(v)
        key = oid(t)
        self.nodes -= 1
        if key in _NUMBERS:
            self.room -= 9
            return v
        if (self.nodes < 0 or depth > self.deep) and (depth or key not in _ATOMS):
            if depth or self.brief:
                return (TAG, "cut", names_of(t)[1], None, "", "", rest(v))
            # An argument is not to suffer from a large one before it.
            self.cheap += self.nodes - SPARE
            self.nodes = SPARE
        handler = handlers.get(key)
        if handler is None:
            handler = make_plan[0](t)
        return handler(self, v, depth)

    def masked(self, word: str, v: object, depth: int, numbers: bool = False) -> object:
        """Gives the tree of a value with a secret name: texts become secrets, wherever they are in it."""
        t = type(v)
        if (t is int or t is float) and (numbers and word not in redact.MANY or redact.is_number(word, v)):
            return redact.placeholder(word, v)
        before, self.masking = self.masking, word
        try:
            return self.value(v, depth)
        finally:
            self.masking = before

    def entry(self, v: object, tag: str) -> "int | None":
        """Enters an object: its ordinal, or None when this record holds it already."""
        key = oid(v)
        if key in self.memo:
            return None
        entry = self.objects.of(v)
        ordinal = self.memo[key] = entry.ordinal
        self.met.append(entry)
        self.marks.append((tag, ordinal))
        return ordinal

    def place(self) -> tuple:
        """Gives how far the walk is, for `back`."""
        sizes = len(self.memo), len(self.built), len(self.shared or ()), len(self.met), len(self.marks)
        return (self.nodes, self.cheap, self.room, self.unreadable, self.mutable, *sizes)

    def back(self, place: tuple) -> None:
        """Goes back to where the walk was, for the tree that it built since is not used: nothing may refer to that."""
        self.nodes, self.cheap, self.room, self.unreadable, self.mutable, memo, built, shared, met, marks = place
        for known, size in ((self.memo, memo), (self.built, built), (self.shared or {}, shared)):
            while len(known) > size:
                known.popitem()
        del self.met[met:], self.marks[marks:]

    def again(self, v: object) -> tuple:
        """Refers to an object that this record holds already."""
        ordinal = self.memo[oid(v)]
        self.mutable = True
        self.marks.append(("ref", ordinal))
        return (TAG, "ref", ordinal)

    def opened(self, v: object) -> "tuple | None":
        """Enters a mutable builtin, whose tree is to be handed to `closed`; gives the reference to one met before."""
        self.mutable = True
        key = oid(v)
        if key not in self.memo:
            self.memo[key] = (self.marks, len(self.marks))
            return None
        if self.shared is None:
            self.shared = {}
        ordinal = self.shared.get(key)
        if ordinal is None:
            # It cannot be told from another of its kind at the same address later: a number for this record.
            ordinal = self.shared[key] = self.objects.fresh()
        self.marks.append(("ref", ordinal))
        return (TAG, "ref", ordinal)

    def closed(self, v: object, tree: object) -> object:
        """Keeps a mutable builtin's tree, for it may turn out to be reached again."""
        self.built[oid(v)] = tree
        return tree

    def ended(self, trees: list) -> list:
        """Gives the trees in which what was reached twice is told from what it looks like."""
        if not self.shared:
            return trees
        for v, tree in self.plain:
            plain_built[0](v, tree, self.built)
        wraps = {oid(self.built[key]): ordinal for key, ordinal in self.shared.items() if key in self.built}
        # From the back, so that places stay right; an outer one comes before an inner one at the same place.
        places = [(key, place) for key, place in self.memo.items() if key in self.shared and key in self.built]
        for key, (marks, at) in reversed(places):
            marks.insert(at, ("mut", self.shared[key]))
        return [_wrapped(tree, wraps) for tree in trees]

    def items(self, values: list, depth: int) -> list:
        """Gives the trees of a container's items; a run of plain scalars in one step."""
        many = self.masking
        if many is not None and many in redact.MANY and many not in redact.LOOSE:
            depth += 1
            return [redact.placeholder(many, v) if redact.is_number_of_many(many, v) else self.value(v, depth) for v in values]
        kinds = set(map(oid, map(type, values)))
        if kinds <= _NUMBERS or kinds <= _WITH_INT and not redact.numbers and _small(values, kinds):
            self.nodes -= len(values)
            self.cheap += len(values)
            self.room -= 9 * len(values)
            return values
        if len(values) == 2 and self.masking is None:
            word = redact.pair_word(values)
            if word is not None:
                return [self.value(values[0], depth + 1), self.masked(word, values[1], depth + 1)]
        value = self.value
        depth += 1
        return [value(v, depth) for v in values]

    def fits(self, length: int) -> bool:
        """Whether a container of this many items can still be written whole."""
        return length <= self.nodes and length <= self.width and self.room > 0

    def text_of(self, v: object) -> object:
        """Gives a text, or what is left of it."""
        word = self.masking
        length = len(v)
        if word is not None and redact.hides(word, v):
            return redact.placeholder(word, v)
        if (word is None or word in redact.LOOSE) and redact.texts and length <= STRING:
            word = redact.word_of(v)
            if word is not None and redact.hides(word, v):
                return redact.placeholder(word, v)
        if length > self.text or length > self.room:
            return cut_text(v)
        self.room -= length + 5
        return v

    def cut_items(self, v: object, length: int, iterate: object, depth: int) -> tuple:
        """Gives a container that does not fit: its first items."""
        head = [self.value(i, depth + 1) for i in taken(iterate, v, 3)] if self.nodes > 3 else []
        return (TAG, "cut", names_of(type(v))[1], length, head, [], rest(v))

    def opaque(self, v: object) -> tuple:
        """Gives an object that cannot be read, by name when it can be imported."""
        self.unreadable += 1
        t = type(v)
        known = self.objects.entries.get(oid(v)) if self.brief else None
        if known is not None and known.sketch is not None and oid(v) not in self.memo:
            if known.cls is t if known.ref is None else known.ref() is v:
                self.memo[oid(v)] = known.ordinal
                self.marks.append(("opaque", known.ordinal))
                return known.sketch
        module, qualname = names_of(t)
        named = None if self.names_only else self.singleton(v, module, t is object)
        if named is not None:
            return named
        ordinal = self.entry(v, "opaque")
        if ordinal is None:
            return self.again(v)
        return self.met[-1].sketched()

    def named(self, v: object) -> tuple:
        """Gives which object it is and of what type, without a look at its state."""
        ordinal = self.entry(v, "opaque")
        if ordinal is None:
            return self.again(v)
        return self.met[-1].sketched()

    def singleton(self, v: object, module: str, in_classes: bool = False) -> "tuple | None":
        """Gives the name under which a module holds this very object, or one of its classes. One that was looked for in vain
        is looked for again once the modules have got more names.
        """
        spaces, names = self.spaces.get(module) or self._spaces_of(module)
        known = self.objects.entries.get(oid(v))
        known = known if known is not None and known.ref is not None and known.ref() is v else None
        among = 2 * names + in_classes
        if known is not None and known.among == among:
            return None
        for space in spaces:
            if not _holds(space, v, in_classes):
                continue
            home = space["__name__"]
            name = _name_of(v, space)
            if name is not None:
                return (TAG, "name", home, name)
            for cls in _classes(space) if in_classes else ():
                name = _name_of(v, dict_of(cls))
                if name is not None:
                    return (TAG, "name", home, names_of(cls)[1] + "." + name)
        if known is not None:
            known.among = among
        return None

    def _spaces_of(self, module: str) -> tuple:
        """Gives the namespaces that may hold an object of a module's class under a name, and how many names they have."""
        held = [sys.modules.get(module), sys.modules.get(module.partition(".")[0])]
        scopes = self.scope if type(self.scope) is tuple else (self.scope,)
        spaces = [*(m.__dict__ for m in held if type(m) is kinds.Module), *scopes]
        spaces = [space for space in spaces if type(space) is dict and type(space.get("__name__")) is str]
        self.spaces[module] = found = spaces, sum(map(len, spaces))
        return found

    def fields(self, pairs: list, depth: int) -> dict:
        """Gives the trees of an object's own state, names to values."""
        out = {}
        before = self.masking
        if before in redact.OBJECTS:
            self.masking = None  # a parser's token is no secret: from here on the object's own names decide
        depth += 1
        value = self.value
        words = redact.known
        plain = self.masking is None and not redact.texts and depth <= self.deep
        for name, v in pairs:
            if self.nodes < 0:
                break
            word = words[name] if name in words else redact.word_or_beside(name)
            if word == redact.BESIDE:
                word = redact.beside(pairs, name, v)
            if word is not None:
                out[name] = self.masked(word, v, depth)
                continue
            if plain and self.nodes:  # what most fields hold, as `value` gives it
                t = type(v)
                if t is str:
                    length = len(v)
                    if length <= self.text and length <= self.room:
                        self.nodes -= 1
                        self.room -= length + 5
                        out[name] = v
                        continue
                elif v is None or v is True or v is False:
                    self.nodes -= 1
                    self.room -= 9
                    out[name] = v
                    continue
            out[name] = value(v, depth)
        self.masking = before
        return out


class Limits:
    """The budgets of one record."""

    __slots__ = ("nodes", "room", "text", "depth", "width", "brief", "names_only")

    def __init__(self, nodes: int, room: int, text: int, depth: int, width: int, brief: bool = False,
                 names_only: bool = False) -> None:  # fmt: skip
        self.nodes = nodes
        self.room = room
        self.text = text
        self.depth = depth
        self.width = width  # the most items of a container that is told whole
        self.brief = brief  # whether an object that was told before is only referred to
        self.names_only = names_only  # whether objects are not looked into


CALLS = Limits(2000, 16 << 10, STRING, DEPTH, 2000)
JOURNEY = Limits(60, 4 << 10, 512, 3, 16, brief=True)
BRIEF = Limits(24, 1 << 10, 512, 1, 8, brief=True, names_only=True)


def capture(objects: Objects, limits: Limits, values: tuple, words: tuple = (), scope: "dict | None" = None) -> tuple:
    """Captures values in one record: (trees, the `Capture`). `words` holds a secret word or None for each."""
    known = len(redact.texts)
    if whole:
        whole[0].begin()
    walk = Capture(objects, limits, scope)
    walk.parts = []  # the marks of each value
    walk.mutables = []  # whether each value can change
    walk.sizes = []  # the nodes of each value
    trees = []
    for v, word in zip(values, words):
        if word is not None and oid(type(v)) in _TEXTS and redact.hides(word, v):
            redact.ordinal(word, v)  # before any text that may hold it is written
    for i, v in enumerate(values):
        walk.marks = []
        walk.parts.append(walk.marks)
        walk.mutable = False
        left = walk.nodes
        word = words[i] if words else None
        trees.append(walk.value(v) if word is None else walk.masked(word, v, 0, numbers=True))
        walk.mutables.append(walk.mutable)
        walk.sizes.append(left - walk.nodes)
    trees = walk.ended(trees)
    if len(redact.texts) != known:
        trees = redact.without(trees)
    walk.mutable = True in walk.mutables
    walk.marks = walk.parts[0] if len(walk.parts) == 1 else [mark for part in walk.parts for mark in part]
    objects.walked += 1 + limits.nodes - walk.nodes - walk.cheap
    return trees, walk


def _wrapped(tree: object, wraps: dict) -> object:
    """Gives a tree with those parts that `wraps` numbers, by identity, told as reached twice."""
    t = type(tree)
    if t is tuple:
        made = tuple([_wrapped(x, wraps) if type(x) in _NESTED else x for x in tree])
    else:
        made = tree
        if t is list:
            for i, x in enumerate(tree):
                if type(x) in _NESTED:
                    tree[i] = _wrapped(x, wraps)
        elif t is dict:
            for name, x in tree.items():
                if type(x) in _NESTED:
                    tree[name] = _wrapped(x, wraps)
    ordinal = wraps.get(oid(tree))
    return made if ordinal is None else (TAG, "mut", ordinal, made)


def normal(blob: bytes, marks: list) -> bytes:
    """Renumbers the objects of a marshalled record in their order, so that equal states are equal bytes."""
    if not marks:
        return blob
    pieces = []
    local: dict = {}
    at = 0
    for tag, ordinal in marks:
        pattern = _MARKS[tag] + ordinal.to_bytes(4, "little")
        found = blob.find(pattern, at)  # in the order of the walk, but for keys and sets
        if found < 0:
            return _normal_anyhow(blob, marks)
        number = local.get(ordinal)
        if number is None:
            number = local[ordinal] = b"I" + len(local).to_bytes(4, "little")
        end = found + len(pattern)
        pieces.append(blob[at : end - 5])
        pieces.append(number)
        at = end
    pieces.append(blob[at:])
    return b"".join(pieces)


def _normal_anyhow(blob: bytes, marks: list) -> bytes:
    """Does so where the order in the record is not that of the walk: looks once for each kind of mark, not for each mark."""
    local: dict = {}
    numbers: dict = {}
    for tag, ordinal in marks:
        number = local.setdefault(ordinal, len(local))
        numbers[_MARKS[tag], ordinal.to_bytes(4, "little")] = b"I" + number.to_bytes(4, "little")
    out = bytearray(blob)
    for mark in {mark for mark, _ in numbers}:
        at = blob.find(mark)
        while at >= 0:
            at += len(mark)
            number = numbers.get((mark, blob[at : at + 4]))
            if number is not None:
                out[at - 1 : at + 4] = number
            at = blob.find(mark, at)
    return bytes(out)


_NESTED = frozenset((tuple, list, dict, set))
NUMBERED = frozenset(("obj", "sub", "exc", "opaque", "ref", "mut"))  # what has the number of an object behind it
_MARKS = {tag: tag.encode() + b"i" for tag in NUMBERED}


def _small(values: list, kinds: set) -> bool:
    if len(kinds) == 1:
        return max(map(int.bit_length, values)) <= INT_BITS
    return all(type(v) is not int or v.bit_length() <= INT_BITS for v in values)
