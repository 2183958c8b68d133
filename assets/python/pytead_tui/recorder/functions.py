"""What is known of each project function: its identity, its parameters and what was kept of it so far."""

from pytead_tui.recorder import redact
from pytead_tui.recorder.objects import dict_of, mro_of
from pytead_tui.recorder.own import __builtins__
from pytead_tui.recorder.plans import isinstance_type, lookup
from pytead_tui.recorder.project import File

RETURNED, RAISED, ROOM, IN_VAIN = range(4)  # what is counted of a shape: kept calls by ending, how many of each, copies in vain
GENERATOR, COROUTINE, ASYNC_GENERATOR, NESTED, RECEIVER = 1, 2, 4, 8, 16
MOST = 100  # calls kept of a function
PATIENCE = 100  # calls in a row that bring nothing, before its events go off
HURRY = 20  # so many when it has copied too much
EAGER = 8  # so many, before fewer and fewer of those that follow are copied where that costs:
MANY = 10  # where the last one had so many nodes,
OF_A_SHAPE = 4  # and so many of their shape were copied in vain
OUTCOMES = 64  # that are told apart
MISSED = 200  # times that calls which are not kept report lines, before they report each once more
CALLERS = 64


class Function:
    """One function of one module."""

    __slots__ = (
        "fid", "file", "module", "qualname", "line", "flags", "names", "kinds", "mask", "words", "pairs", "receiver",
        "on", "calls", "raised", "kept", "misses", "spent", "shapes", "inputs", "repeats", "callers", "places", "sites", "edges",
        "inflight", "dirty", "codes", "yields", "hooks", "generates", "wasted", "brief", "lines", "last", "sure",
        "copies", "outer", "over", "beyond", "dim", "reaches_out", "errors", "direct", "taken", "for_tests", "outcomes", "missed", "joined",
        "noise", "scenes", "searching", "searched", "variants", "again", "ends", "nodes", "asks", "reads_argv", "most",
    )  # fmt: skip

    def __init__(self, fid: int, file: File, module: str, qualname: str, line: int, flags: int, names: tuple,
                 kinds: tuple) -> None:  # fmt: skip
        self.fid = fid
        self.file = file
        self.module = module
        self.qualname = qualname
        self.line = line
        self.flags = flags
        self.names = names
        self.kinds = kinds
        words = tuple(redact.word_of_all(name) for name in names)
        self.mask = sum(1 << i for i, word in enumerate(words) if word)
        self.pairs = _pairs(names)
        self.words = words if self.mask or self.pairs else ()
        self.receiver = bool(flags & RECEIVER)
        self.generates = bool(flags & (GENERATOR | ASYNC_GENERATOR))
        self.on = True
        self.codes: list = []
        self.hooks: list = []
        self.yields: dict = {}
        self.inflight = 0
        self.asks = False  # it asked for the time or for chance: the calls around it need that when its own start no more
        self.reads_argv = False  # its code names the command line, which is no call: its start events stay on
        self.most: "int | None" = None  # of its calls that are kept, where its decorator says so
        self.dim = False  # lines that its only call repeats report no more, until the next call begins
        self.reset()

    def words_of(self, held: tuple) -> tuple:
        """Gives the words that make its arguments secret, or None for each: a parameter's own, or that of the name which
        another one holds, as in `set(name, value)`."""
        words = self.words
        if self.pairs:
            given = list(zip(self.names, held))
            found = list(words)
            for i in self.pairs:
                if i < len(held):
                    found[i] = redact.beside(given, self.names[i], held[i])
            words = tuple(found)
        return words

    def ids(self) -> frozenset:
        """Gives its possible names: by the module that it was imported as, and by its file."""
        return frozenset((self.module + ":" + self.qualname, self.file.dotted + ":" + self.qualname))

    def reset(self) -> None:
        """Forgets what was kept: of a new process, nothing was."""
        self.calls = self.raised = self.kept = self.misses = self.spent = self.wasted = self.copies = 0
        self.errors = 0  # of ours in its calls
        self.taken = 0  # of the calls that are kept at most
        self.direct = 0  # calls by tests that were looked at when its start events were off
        self.outer = 0  # copied calls from outside of its package
        self.for_tests = False  # its start events went off once: they are on for calls that a test makes itself
        self.over = False  # it copied too much: only such calls are kept from then on,
        self.beyond = 0  # so many until now
        self.shapes: dict = {}
        self.inputs: dict = {}
        self.ends: dict = {}  # by inputs: hashes of what calls with equal ones gave in tests
        self.variants: dict = {}  # by inputs: how many calls with equal ones were kept because they ended in another way
        self.again = 0  # calls with equal inputs whose end was waited for
        self.repeats: dict = {}
        self.callers: dict = {}
        self.places: dict = {}
        self.sites: dict = {}  # by code and offset: the code, and how it writes its call, see given.py
        self.edges: set = set()
        self.dirty = False
        self.reaches_out = False  # a call of it left the process: equal ones may end otherwise
        self.last: object = None  # the call of a journey that began last
        self.sure = True  # no call began unseen
        self.brief = False  # a journey does not look into what its calls are given any more
        self.lines: set = set()  # that kept calls reached
        self.missed: set = set()  # that only others reached; 0: it is not known which ones
        self.joined = 0  # calls that were kept for such a line while they were under way
        self.noise = 0  # how often these reported one
        self.outcomes: set = set()  # what kept calls ended with, by type and shape
        self.scenes: set = set()  # the ways in which tests came to its calls, as far as they are told
        self.searching = False  # it copied too much, and small calls are copied yet: they may take a new path
        self.searched = 0  # ns for which these copies are taken
        self.nodes = 0  # of the values of the last call that was copied

    def reach_out(self, times: int) -> None:
        """Keeps equal calls, and so many times as many of each shape, once one of them has left the process."""
        if not self.reaches_out:
            self.reaches_out = True
            for counts in list(self.shapes.values()):
                counts[ROOM] *= times

    def is_passed_over(self) -> bool:
        """Whether the next call that only a new path or outcome would keep is not even copied: many before it brought nothing,
        and copying their values costs. They are copied ever farther apart, until one reaches a new line, see `found`.
        """
        misses = self.misses
        return misses >= EAGER and self.nodes >= MANY and misses % (1 << (misses // EAGER).bit_length()) != 0

    def found(self, line: int) -> bool:
        """Notes a line that only a call reached which is not kept: the next calls may be kept for it. Tells whether it is new."""
        is_new = line not in self.missed
        if is_new:
            self.missed.add(line)
            self.misses = 0
        self.dirty = True
        self.noise += 1
        return is_new

    def record(self, module_id: int) -> tuple:
        """Gives its F record."""
        parameters = tuple(zip(self.names, self.kinds))
        return ("F", self.fid, module_id, self.qualname, self.line, self.flags, parameters, self.mask)

    def summary(self) -> tuple:
        """Gives its N record."""
        callers = tuple((fid, line, times) for (fid, line), (times,) in list(self.callers.items()))
        return ("N", self.fid, self.calls, self.raised, tuple(self.repeats.items()), callers, tuple(sorted(self.missed)))


def _pairs(names: tuple) -> tuple:
    """Gives the places of the parameters that hold a value whose name another one holds, or perhaps a secret."""
    beside = [i for i, name in enumerate(names) if redact.word_or_beside(name) == redact.BESIDE]
    if not beside:
        return ()  # as nearly always
    roles = [redact.role(name) for name in names]
    return tuple([i for i in beside if roles[i][1] == "perhaps" or (roles[i][0], "name") in roles])


def parameters(code: object) -> tuple:
    """Gives a code object's parameters, (names, kinds), in the order of the signature."""
    names = code.co_varnames
    positional, only, count = code.co_posonlyargcount, code.co_kwonlyargcount, code.co_argcount
    out = [(names[i], 0 if i < positional else 1) for i in range(count)]
    rest = count + only
    if code.co_flags & 4:
        out.append((names[rest], 2))
    out += [(names[i], 3) for i in range(count, count + only)]
    if code.co_flags & 8:
        out.append((names[rest + bool(code.co_flags & 4)], 4))
    return tuple(n for n, _ in out), tuple(k for _, k in out)


def flags_of(code: object, qualname: str) -> int:
    """Gives a code object's flags, but for the receiver's."""
    bits = code.co_flags
    flags = GENERATOR if bits & 0x20 else COROUTINE if bits & 0x80 else ASYNC_GENERATOR if bits & 0x200 else 0
    return flags | NESTED if "<locals>" in qualname else flags


def takes_receiver(code: object, qualname: str, module: str, first: object) -> bool:
    """Whether the first parameter is a receiver, told from the class and, failing that, from the value."""
    home, _, name = qualname.rpartition(".")
    if not home or home.endswith("<locals>") or not code.co_argcount:
        return False
    if name == "__new__":
        return False
    owner = lookup(module, home)
    if owner is not None and isinstance_type(owner):
        plain = name
        if name.startswith("__") and not name.endswith("__"):
            plain = "_" + home.rpartition(".")[2].lstrip("_") + name
        held = dict_of(owner).get(plain)
        return type(held) is not staticmethod
    if code.co_varnames[0] in ("self", "cls"):
        return True
    cls = first if isinstance_type(first) else type(first)
    simple = home.rpartition(".")[2]
    return any(base.__name__ == simple for base in mro_of(cls) if type(base) is type)
