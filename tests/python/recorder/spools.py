"""A small reader of spool files for the tests; the product's own is in Rust."""

import marshal
from pathlib import Path

FIELDS = {
    "C": "cid fid parent ns direct task receiver args caller line brief bound how",
    "R": "cid ns value changed",
    "X": "cid ns error mro line cause changed",
}


class Record(tuple):
    """A record whose fields can be named."""

    def __getattr__(self, name: str) -> object:
        try:
            return self[1 + FIELDS[self[0]].split().index(name)]
        except (KeyError, ValueError):
            raise AttributeError(name) from None


class Spool:
    """All records of a recording."""

    def __init__(self) -> None:
        self.files: dict = {}
        self.process = None

    @property
    def records(self) -> list:
        return [record for records in self.files.values() for record in records]

    def of(self, kind: str) -> list:
        return [r for r in self.records if r[0] == kind]

    def functions(self) -> dict:
        """Gives qualname → F record; with several processes, of any."""
        return {f[3]: f for f in self.of("F")}

    def calls(self, qualname: str) -> list:
        """Gives a function's calls, each (C record, end record or None), in order, of all processes."""
        found = []
        for records in self.by_process().values():
            ids = {f[1] for f in records if f[0] == "F" and f[3] == qualname}
            ends = {r[1]: r for r in records if r[0] in "RX"}
            found += [(c, ends.get(c.cid)) for c in records if c[0] == "C" and c.fid in ids]
        return found

    def by_process(self) -> dict:
        out: dict = {}
        for name, records in self.files.items():
            out.setdefault(name.split("-")[0], []).extend(records)
        return out

    def one(self, qualname: str) -> tuple:
        (call,) = self.calls(qualname)
        return call

    def results(self, qualname: str) -> list:
        return [end.value for _, end in self.calls(qualname)]

    def name_of(self, fid: int) -> str:
        return next(f[3] for f in self.of("F") if f[1] == fid)

    def parent_of(self, call: Record) -> "str | None":
        if call.parent is None:
            return None
        fid = next(c.fid for c in self.of("C") if c.cid == call.parent)
        return self.name_of(fid)

    def counts(self, qualname: str) -> Record:
        fid = self.functions()[qualname][1]
        return max(reversed([n for n in self.of("N") if n[1] == fid]), key=lambda n: n[2])

    def check(self) -> None:
        """Asserts what every spool must hold: definitions come before their use in each file."""
        for records in self.files.values():
            assert records[0][0] == "H"
            modules, functions, calls = set(), set(), set()
            for r in records:
                if r[0] == "M":
                    modules.add(r[1])
                elif r[0] == "F":
                    assert r[2] in modules
                    functions.add(r[1])
                elif r[0] == "C":
                    assert r.fid in functions
                    assert r.cid not in calls
                    calls.add(r.cid)
                elif r[0] == "N":
                    assert r[1] in functions
                elif r[0] == "D":
                    assert {r[1], r[2]} <= functions


def read_file(path: Path) -> list:
    """Reads a file's whole records."""
    data = path.read_bytes()
    at = 0
    records = []
    while at + 4 <= len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        if not size or at + 4 + size > len(data):
            break
        records.append(Record(marshal.loads(data[at + 4 : at + 4 + size])))
        at += 4 + size
    assert not any(data[at:]), "something follows the last record of %s" % path.name
    return records


def read_folder(folder: Path, *others: str) -> Spool:
    """Reads and checks every file of a recording; nothing but these others lies beside them."""
    spool = Spool()
    files = [path for path in folder.iterdir() if path.name not in others]
    for path in sorted(files, key=lambda p: [int(x) for x in p.stem.split("-")]):
        assert path.stat().st_mode & 0o777 == 0o600
        spool.files[path.stem] = read_file(path)
    spool.check()
    return spool
