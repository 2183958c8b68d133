"""A program that puts its own in the place of what Python gives it, or lets go of what was recorded, is left alone."""

import sys

import pytest


def test_a_program_whose_imports_fail_sees_no_import_of_ours(program):
    program.write("app.py", """
        class C:
            def __init__(self):
                self.x = 1

        def f(c):
            try:
                import yaml
            except ImportError:
                return "fallback"
    """)  # fmt: skip
    program.write("main.py", """
        from unittest import mock
        import app

        with mock.patch("builtins.__import__", side_effect=ImportError("none")) as imported:
            print(app.f(app.C()), app.f(lambda x: x), imported.call_count)
    """)  # fmt: skip
    assert program.same("main.py").stdout == "fallback fallback 2\n"


def test_a_replaced_open_is_called_by_the_program_alone(program):
    program.write("app.py", "def read(path):\n    with open(path) as file:\n        return file.read()\n")
    program.write("main.py", """
        from unittest import mock
        import app

        with mock.patch("builtins.open", mock.mock_open(read_data="hello")) as opened:
            print(app.read("x"), opened.call_count)
    """)  # fmt: skip
    assert program.same("main.py").stdout == "hello 1\n"


def test_a_folder_that_is_gone_ends_neither_the_program_nor_its_recording(program):
    program.write("app.py", "def f(x):\n    return x\n")
    program.write("main.py", """
        import os, sys, tempfile
        import app

        sys.path.insert(0, os.getcwd())
        gone = tempfile.mkdtemp()
        os.chdir(gone)
        os.rmdir(gone)
        import colorsys
        print(app.f(1), colorsys.rgb_to_hsv(1, 1, 1))
    """)  # fmt: skip
    program.same("main.py")
    spool = program.read()
    assert spool.of("Z") and not spool.of("G"), "it is recorded to its end"


def test_an_object_that_a_module_held_dies_when_the_module_lets_go_of_it(program):
    program.write("app.py", """
        import sys

        class Link:
            def __init__(self):
                self.file = sys.stdin

            def __del__(self):
                print("closed")

        link = Link()

        def use(link):
            return None
    """)  # fmt: skip
    program.write("main.py", "import app\n\napp.use(app.link)\napp.link = None\nprint('end')\n")
    assert program.same("main.py").stdout == "closed\nend\n"


def test_what_a_generator_was_given_dies_when_it_lets_go_of_it(program):
    program.write("app.py", """
        class Held:
            def __del__(self):
                print("gone")

        def turn(held):
            del held
            print("turning")
            yield 1

        def use(generator):
            return None

        def main():
            generator = turn(Held())
            use(generator)
            next(generator)
    """)  # fmt: skip
    program.write("main.py", "import app\n\napp.main()\n")
    assert program.same("main.py").stdout == "gone\nturning\n"


def test_a_module_that_loads_late_is_not_loaded_by_being_recorded(program):
    program.write("app.py", "def use(module):\n    return None\n")
    program.write("heavy.py", "print('loaded')\n")
    program.write("main.py", """
        import importlib.util, sys
        import app

        spec = importlib.util.find_spec("heavy")
        spec.loader = importlib.util.LazyLoader(spec.loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules["heavy"] = module
        spec.loader.exec_module(module)
        app.use(module)
        print("end")
    """)  # fmt: skip
    assert program.same("main.py").stdout == "end\n"


def test_an_exception_passes_through_yield_from_as_it_was_thrown(program):
    program.write("app.py", """
        import traceback

        def outer(items):
            try:
                yield from items
            except ValueError as error:
                print("caught", repr(error))
                raise

        def inner():
            while True:
                if (yield 1):
                    raise KeyError(5)

        def main():
            generator = outer([1, 2])
            next(generator)
            try:
                generator.throw(ValueError("boom"))
            except ValueError:
                traceback.print_exc()
            generator = outer(inner())
            next(generator)
            try:
                generator.send(5)
            except KeyError:
                traceback.print_exc()
    """)  # fmt: skip
    program.write("main.py", "import app\n\napp.main()\n")
    assert "caught ValueError('boom')" in program.same("main.py").stdout


def test_a_function_that_leaves_by_its_end_gives_none_whatever_was_returned_before(program):
    spool = program.main("""
        def bare():
            try:
                return 1
            finally:
                return

        def broken():
            for i in range(2):
                try:
                    return i
                finally:
                    break

        def boom():
            raise OSError

        def caught():
            try:
                try:
                    return "sent"
                finally:
                    boom()
            except OSError:
                pass

        def main():
            bare(), broken(), caught()
    """)  # fmt: skip
    for name in ("bare", "broken", "caught"):
        [(_, end)] = spool.calls(name)
        assert end[0] == "R" and end[3] is None, (name, end)


def test_bare_returns_of_async_generators_stay_bare(program):
    program.write("app.py", """
        async def numbers(n):
            for i in range(n):
                if i == 3:
                    return
                yield i

        async def main():
            print([i async for i in numbers(5)])
    """)  # fmt: skip
    program.write("main.py", "import asyncio\nimport app\n\nasyncio.run(app.main())\n")
    assert program.same("main.py").stdout == "[0, 1, 2]\n"
    assert not program.read().of("G")


def test_no_warning_is_given_again(program):
    program.write("app.py", "def f(x):\n    return x is 1\n\ndef apply(g):\n    return g('a')\n")
    program.write("main.py", """
        import sys, warnings

        sys.dont_write_bytecode = True  # else the second run would compile nothing
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            import app
            app.apply(lambda s: s.split("-"))
        print(len(given))
    """)  # fmt: skip
    assert program.same("main.py").stdout == "1\n"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="by sys.monitoring no frame is asked for inside the hook")
def test_a_program_that_audits_itself_does_not_hang(program):
    program.write("app.py", """
        import sys

        seen = []

        def hook(event, args):
            seen.append(event)

        def main():
            sys.addaudithook(hook)
            print("end")
    """)  # fmt: skip
    program.write("main.py", "import app\n\napp.main()\n")
    assert program.same("main.py").stdout == "end\n"


@pytest.mark.parametrize("secret", ["hunter2secret"])
def test_secrets_in_commands_urls_and_names_are_told_nowhere(program, secret):
    program.main("""
        import os
        import uuid

        def connect(url, password):
            return len(url)

        def held(private_key):
            return len(private_key)

        def known(token):
            return str(token)[:0]

        def main():
            os.system("PGPASSWORD=hunter2secret true")
            connect("db://me:hunter2secret@host/x", "hunter2secret")
            held(bytearray(b"hunter2secret" * 600))
            known(uuid.UUID("12345678-9abc-def0-1234-56789abcdef0"))
    """)  # fmt: skip
    raw = b"".join(path.read_bytes() for path in program.spool.iterdir())
    assert secret.encode() not in raw
    assert b"12345678-9abc" not in raw
