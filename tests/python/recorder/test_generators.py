"""Generators, coroutines and tasks: their events, and whose call is whose."""

import asyncio


def events(spool, cid):
    return [(r[0], *r[3:4]) if r[0] in "YTR" else (r[0],) for r in spool.records if r[0] in "YSTRX" and r[1] == cid]


def test_generator(program):
    spool = program.main("""
        def numbers(n):
            got = yield "first"
            for i in range(n):
                yield i
            return got

        def main():
            made = numbers(1)
            next(made)
            made.send("sent")
            list(made)
    """)
    call, end = spool.one("numbers")
    assert spool.functions()["numbers"][5] == 1
    assert events(spool, call.cid) == [("Y", "first"), ("S",), ("Y", 0), ("S",), ("R", "sent")]
    assert spool.parent_of(call) == "main"


def test_delegation(program):
    spool = program.main("""
        def inner():
            try:
                got = yield 1
            except KeyError:
                got = yield "caught"
            return got

        def outer():
            result = yield from inner()
            yield from [8, 9]
            yield result

        def main():
            made = outer()
            values = [next(made), made.throw(KeyError()), made.send("x"), *made]
            assert values == [1, "caught", 8, 9, "x"], values
    """)
    call, _ = spool.one("outer")
    # What throw() gets out of a delegated generator does not pass through the outer one.
    assert [e for e in events(spool, call.cid) if e[0] == "Y"] == [
        ("Y", 1), ("Y", 8), ("Y", 9), ("Y", "x")
    ]  # fmt: skip
    inner, _ = spool.one("inner")
    assert events(spool, inner.cid) == [("Y", 1), ("T", "thrown"), ("Y", "caught"), ("S",), ("R", "x")]
    assert spool.parent_of(inner) == "outer"


def test_closed_and_thrown_into(program):
    spool = program.main("""
        def numbers(how):
            yield 1
            yield 2

        def careful():
            try:
                yield 1
            finally:
                note()

        def note():
            return "noted"

        def main():
            made = numbers("dropped")
            next(made)
            del made
            made = numbers("thrown")
            next(made)
            try:
                made.throw(KeyError("k"))
            except KeyError:
                pass
            made = careful()
            next(made)
            made.close()
            numbers("never started")
    """)
    (dropped, _), (thrown, end) = spool.calls("numbers")
    assert events(spool, dropped.cid) == [("Y", 1), ("T", "closed")]
    assert events(spool, thrown.cid) == [("Y", 1), ("T", "thrown"), ("X",)]
    careful, _ = spool.one("careful")
    assert events(spool, careful.cid) == [("Y", 1), ("T", "closed")]
    assert spool.parent_of(spool.one("note")[0]) == "careful"


def test_tasks(program):
    spool = program.main("""
        import asyncio

        async def leaf(x):
            await asyncio.sleep(0)
            return x

        async def branch(x):
            first = await leaf(x)
            second = await leaf(x + 1)
            return first + second

        async def stream(n):
            for i in range(n):
                await asyncio.sleep(0)
                yield i

        async def gathered():
            results = await asyncio.gather(branch(10), branch(20))
            return results, [i async for i in stream(2)]

        def main():
            assert asyncio.run(gathered()) == ([21, 41], [0, 1])
    """)
    flags = {name: f[5] for name, f in spool.functions().items()}
    assert flags == {"main": 0, "gathered": 2, "branch": 2, "leaf": 2, "stream": 4}
    root, end = spool.one("gathered")
    assert end.value == ([21, 41], [0, 1])
    branches = {c.cid: c for c, _ in spool.calls("branch")}
    tasks = {c.task for c in branches.values()} | {root.task}
    assert len(tasks) == 3 and 0 not in tasks
    assert spool.one("main")[0].task == 0
    for leaf, _ in spool.calls("leaf"):
        parent = branches[leaf.parent]
        assert leaf.args[0] - parent.args[0] in (0, 1)
        assert leaf.task == parent.task
    stream, _ = spool.one("stream")
    assert events(spool, stream.cid) == [("Y", 0), ("S",), ("Y", 1), ("S",), ("R", None)]
    assert not [r for r in spool.of("Y") if r[1] != stream.cid]


def test_tasks_of_a_loop_that_makes_them_unseen_belong_to_who_asked_for_them(program):
    spool = program.main("""
        import asyncio
        from functools import partial

        async def leaf(x):
            await asyncio.sleep(0)
            return x

        async def gathers():
            return await asyncio.gather(leaf(1), leaf(2))

        async def groups():
            async with asyncio.TaskGroup() as group:
                group.create_task(leaf(3))

        async def creates():
            return await asyncio.create_task(leaf(4))

        async def root():
            asyncio.get_running_loop().create_task = partial(asyncio.Task, loop=asyncio.get_running_loop())
            await gathers()
            if hasattr(asyncio, "TaskGroup"):
                await groups()
            await creates()

        def main():
            asyncio.run(root())
    """)
    makers = {call.cid: name for name in ("gathers", "groups", "creates") for call, _ in spool.calls(name)}
    found = sorted((leaf.args[0], makers.get(leaf.parent)) for leaf, _ in spool.calls("leaf"))
    grouped = [(3, "groups")] if hasattr(asyncio, "TaskGroup") else []
    assert found == [(1, "gathers"), (2, "gathers"), *grouped, (4, "creates")]


def test_interleaved_generators_have_their_own_parents(program):
    spool = program.main("""
        def leaf(x):
            return x

        def walker(name):
            for i in range(3):
                yield leaf(name + str(i))

        def main():
            for pair in zip(walker("a"), walker("b")):
                pass
    """)
    walkers = {c.cid: c.args[0] for c, _ in spool.calls("walker")}
    for call, _ in spool.calls("leaf"):
        assert walkers[call.parent] == call.args[0][0]


def test_an_endless_generator_does_not_fill_the_disk(program):
    spool = program.main("""
        def rows():
            for i in range(3000):
                yield [i] * 50

        def main():
            assert len(list(rows())) == 3000
    """)
    call, _ = spool.one("rows")
    yields = [record[-1] for record in spool.of("Y") if record[1] == call.cid]
    assert len(yields) == 3000 and yields[999] == [999] * 50
    assert all(tree[1:3] == ("cut", "list") for tree in yields[1000:])
