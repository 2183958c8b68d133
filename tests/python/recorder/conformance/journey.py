"""Turns a recording into text that two recordings of one program share, whatever recorded them.

Left out is what differs from run to run: times, process ids and addresses. Calls, objects, tasks and
secrets are numbered in the order in which the text names them. Effects have tests of their own.
"""

KINDS = ["pos-only", "", "*", "kw-only", "**"]
FLAGS = {1: "generator", 2: "coroutine", 4: "async generator", 8: "nested", 16: "receiver"}
# They have no weak references, so another one may be taken for them at their address.
PASSING = ("traceback", "frame", "_iterator", "ReferenceType")
NUMBERED = {"obj", "sub", "ref", "mut", "exc", "opaque"}


class Numbers(dict):
    """Numbers what it is asked for in that order."""

    def __missing__(self, key: object) -> int:
        self[key] = len(self) + 1
        return self[key]


def text(spool: object, lines: bool) -> str:
    """Gives the text of a recording; with `lines`, of the lines that calls reached, too."""
    processes = spool.by_process()
    own = [Process(spool, pid, lines).text() for pid in processes]
    parents = {pid: str(records[0][4]) for pid, records in processes.items()}
    first = [t for pid, t in zip(processes, own) if parents[pid] not in processes]
    rest = sorted(t for pid, t in zip(processes, own) if parents[pid] in processes)
    return "\n".join(f"process {i}\n{t}" for i, t in enumerate(first + rest, 1))


class Process:
    """The text of one process."""

    def __init__(self, spool: object, pid: str, lines: bool) -> None:
        self.files = [records for name, records in spool.files.items() if name.split("-")[0] == pid]
        self.lines = lines
        self.objects, self.secrets, self.tasks = Numbers(), Numbers(), Numbers()
        everything = [r for records in self.files for r in records]
        self.modules = {r[1]: r for r in everything if r[0] == "M"}
        self.functions = {r[1]: r for r in everything if r[0] == "F"}
        self.calls = {r.cid: r for r in everything if r[0] == "C"}
        self.counts = {r[1]: r for r in sorted((r for r in everything if r[0] == "N"), key=lambda r: r[2])}
        # How much time copying took depends on the machine.
        self.gaps = [r for r in everything if r[0] == "G" and not r[1].startswith("budget of ")]
        self.numbers = Numbers()
        # A program may be run as a script, or imported: its own module has no name here.
        names = [m[2] for m in self.modules.values()]
        self.own = "__main__" if "__main__" in names else names[0] if names else ""

    def text(self) -> str:
        out = [self.function(f) for f in sorted(self.functions.values(), key=lambda f: (self.modules[f[2]][2], f[4], f[3]))]
        for i, records in enumerate(self.files):
            events = [line for r in records for line in self.event(r)]
            if events:
                out += [f"  thread {i}", *events]
        out += [f"  gap {g[1]}: {g[2]}" for g in self.gaps]
        return "".join(line + "\n" for line in out)

    def home(self, module: str) -> str:
        return "" if module == self.own else module + ":"

    def name(self, fid: int) -> str:
        function = self.functions[fid]
        return self.home(self.modules[function[2]][2]) + function[3]

    def function(self, record: tuple) -> str:
        parameters = ", ".join(f"{KINDS[kind]} {name}".strip() for name, kind in record[6])
        flags = "".join(f", {word}" for bit, word in FLAGS.items() if record[5] & bit)
        count = self.counts.get(record[1])
        times = f"{count[2]} calls, {count[3]} raised" if count else "never counted"
        return f"  def {self.name(record[1])}({parameters}) line {record[4]}{flags}: {times}"

    def depth(self, cid: int) -> int:
        parent = self.calls[cid].parent
        return 0 if parent is None else 1 + self.depth(parent)

    def event(self, r: tuple) -> list:
        kind = r[0]
        if kind not in "CRXYSTL" or kind == "L" and not self.lines:
            return []
        number = self.numbers[r[1]]
        margin = "    " + "  " * self.depth(r[1]) + f"[{number}] "
        return [margin + getattr(self, "say_" + kind)(r)]

    def say_C(self, r: tuple) -> str:
        names = [name for name, _ in self.functions[r.fid][6]]
        arguments = ", ".join(f"{n}={self.value(v)}" for n, v in zip(names, r.args))
        where = "outside" if r.direct else "no function" if r.caller is None else self.name(r.caller)
        said = f"{self.name(r.fid)}({arguments}) from {where}"
        if r.line is not None and r.caller is not None:
            said += f" line {r.line}"
        if r.parent is not None:
            said += f", in {self.numbers[r.parent]}"
        if r.receiver is not None:
            said += f", on #{self.objects[r.receiver]}"
        if r.task:
            said += f", task {self.tasks[r.task]}"
        return said

    def say_R(self, r: tuple) -> str:
        return f"returned {self.value(r.value)}{self.changed(r.changed)}"

    def say_X(self, r: tuple) -> str:
        said = f"raised {self.value(r.error)} at line {r.line}"
        bases = [n.removeprefix("builtins:") for n in r.mro[1:]]
        said += f" ({', '.join(bases)})" if bases[:1] != ["Exception"] else ""
        if r.cause is not None:
            said += f" because of #{self.objects[r.cause]}"
        return said + self.changed(r.changed)

    def say_Y(self, r: tuple) -> str:
        return f"yielded {self.value(r[3])}"

    def say_S(self, r: tuple) -> str:
        return "resumed"

    def say_T(self, r: tuple) -> str:
        return "closed" if r[3] == "closed" else "thrown into"

    def say_L(self, r: tuple) -> str:
        return "lines " + " ".join(map(str, r[2]))

    def changed(self, changed: dict) -> str:
        if not changed:
            return ""
        return ", changed " + ", ".join(f"{n}={self.value(v)}" for n, v in changed.items())

    def value(self, v: object) -> str:
        if type(v) is tuple and v and v[0] is StopIteration:
            return self.tagged(*v[1:])
        if type(v) in (set, frozenset):
            inner = ", ".join(sorted(map(self.value, v)))
            return f"frozenset({{{inner}}})" if type(v) is frozenset else f"{{{inner}}}" if v else "set()"
        if type(v) is dict:
            # What a class body holds of its own differs from version to version.
            v = {k: x for k, x in v.items() if type(k) is not str or not k.startswith("__")}
            return "{" + ", ".join(f"{self.value(k)}: {self.value(x)}" for k, x in v.items()) + "}"
        if type(v) is list:
            return "[" + ", ".join(map(self.value, v)) + "]"
        if type(v) is tuple:
            return "(" + ", ".join(map(self.value, v)) + ("," if len(v) == 1 else "") + ")"
        return repr(v)

    def tagged(self, tag: str, *rest: object) -> str:
        if tag == "secret":
            return f"<secret {rest[0]} {self.secrets[rest[1]]}>"
        passing = tag == "opaque" and rest[2].endswith(PASSING)
        if tag in NUMBERED and not passing:
            number = f"#{self.objects[rest[0]]}"
        if tag in NUMBERED:
            rest = rest[1:]
        if tag == "ref":
            return number
        if tag == "mut":
            return f"{number}={self.value(rest[0])}"
        if tag in ("name", "enum", "gen", "new", "nt", "obj", "sub", "exc", "opaque"):
            home = self.home(rest[0]) if rest[0] != "builtins" else ""
        if tag == "name":
            return f"<{home}{rest[1]}>"
        if tag == "enum":
            return f"<{home}{rest[1]}.{rest[2]}>"
        if tag == "opaque":
            return f"<{rest[1]}>" if passing else f"<{home}{rest[1]} {number}>"
        if tag == "obj":
            kind = "" if rest[2] == "plain" else rest[2] + " "
            return f"{kind}{home}{rest[1]}{number}{self.value(rest[3])}"
        if tag == "sub":
            return f"{home}{rest[1]}{number}({self.value(rest[2])}){self.value(rest[3])}"
        if tag == "exc":
            # The end of the call says what it was raised from.
            told = {name: held for name, held in rest[3].items() if name != "__cause__"}
            return f"{home}{rest[1]}{number}{self.value(rest[2])}{self.value(told) if told else ''}"
        if tag == "nt":
            return f"{home}{rest[1]}(" + ", ".join(f"{n}={self.value(v)}" for n, v in zip(rest[2], rest[3])) + ")"
        if tag == "gen":
            return f"<generator {home}{rest[1]} {self.value(rest[2])}>"
        if tag == "new" and rest[:2] == ("types", "FunctionType"):
            module, name, held, defaults = rest[2]
            return f"<function {self.home(module)}{name} of {self.value(held)} {self.value(defaults)}>"
        if tag == "new":
            given = [self.value(v) for v in rest[2]] + [f"{n}={self.value(v)}" for n, v in rest[3].items()]
            return f"{home}{rest[1]}({', '.join(given)})"
        return f"<{tag} {' '.join(map(self.value, rest))}>"
