//! Plain functions whose results are awaited or iterated: what that gives is what they do (R7).

use crate::harness::Place;

const LIB: &str = "import asyncio
import functools


async def fetch(n, factor=2):
    await asyncio.sleep(0)
    if n < 0:
        raise ValueError(f\"negative: {n}\")
    return n * factor


async def count(n):
    for i in range(n):
        yield i * 10


def later(n):
    return fetch(n, 3)


def counting(n):
    return count(n + 1)


async def shift(n, by):
    return n + by


shifted = functools.partial(shift, by=3)


def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@logged
async def wrapped(n):
    await asyncio.sleep(0)
    return n + 100


def filled(items):
    async def fill():
        items.append(len(items))
        return len(items)

    return fill()


class Client:
    def __init__(self, base):
        self.base = base

    def get(self, n):
        return fetch(self.base + n)

    def all(self, n):
        return count(n)
";

const MAIN: &str = "import asyncio

from lib import Client, counting, filled, later, shifted, wrapped


async def main():
    client = Client(4)
    print(await later(7), [n async for n in counting(1)], await shifted(5), await wrapped(2), await filled([5, 6]))
    print(await client.get(1), [n async for n in client.all(3)])
    try:
        await later(-1)
    except ValueError:
        pass


asyncio.run(main())
";

#[test]
fn what_plain_functions_give_is_awaited_and_iterated() {
    let place = Place::empty().with_packages(&["plugins"]);
    place.save("lib.py", LIB);
    place.save("main.py", MAIN);
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    for line in [
        "+    assert asyncio.run(later(7)) == 21",
        "+    with pytest.raises(ValueError, match=r\"^negative: -1$\"):",
        "+        asyncio.run(later(-1))",
        "+        return [item async for item in counting(1)]",
        "+    assert asyncio.run(shift(5, 3)) == 8",
        "+    assert asyncio.run(wrapped(2)) == 102",
        "+    assert asyncio.run(filled(items)) == 3",
        "+    assert items == [5, 6, 2]",
        "+    assert asyncio.run(client.get(1)) == 10",
        "+        return [item async for item in client.all(3)]",
    ] {
        assert!(out.contains(&format!("{line}\n")), "{line}\n{out}");
    }
    let tests = place.read("tests/pytead/test_pytead_lib.py");
    assert!(tests.contains("    assert result == [0, 10]\n") && tests.contains("    assert result == [0, 10, 20]\n"), "{tests}");
    let (code, said, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "{said}{err}");
    // A replay awaits, too.
    place.save("lib.py", &LIB.replace("return fetch(n, 3)", "return fetch(n, 4)"));
    let (code, said, err) = place.run(&["--trust", "replay"]);
    assert!(code == 1 && said.contains("lib:later"), "{said}{err}");
}

/// What a project's plugin awaits in its own tests, it awaits here.
#[test]
fn what_they_give_is_awaited_in_the_projects_style() {
    let place = Place::empty().with_packages(&["plugins"]);
    place.save("lib.py", LIB);
    place.save("main.py", "import asyncio\n\nfrom lib import Client\n\nasyncio.run(Client(4).get(2))\n");
    place.save("pyproject.toml", "[tool.pytest.ini_options]\nasyncio_mode = \"auto\"\n");
    place.save("requirements.txt", "pytest-asyncio\n");
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen", "lib:Client.get"]);
    assert!(
        out.contains("+async def test_client_get():") && out.contains("+    assert await client.get(2) == 12\n"),
        "{out}{err}"
    );
}

const SERVICE: &str = "class Service:
    def __init__(self, loop):
        self._loop = loop
        self.visits = []

    async def visit(self, path):
        self.visits.append(path)
        return len(self.visits)

    def label(self, prefix):
        return prefix + ' ' + str(len(self.visits))
";

const CONFTEST: &str = "import asyncio

import pytest_asyncio

from service import Service


@pytest_asyncio.fixture
async def service():
    yield Service(asyncio.get_running_loop())
";

const VISITS: &str = "import pytest


@pytest.mark.asyncio
async def test_visits(service):
    assert await service.visit('/a') == 1
    assert service.label('visits:') == 'visits: 1'
    assert await service.visit('/b') == 2
";

/// A step that is awaited, or a fixture that a loop made, stands in a coroutine function, whatever the tested function is.
#[test]
fn a_test_of_a_coroutine_function_s_call_is_one_too() {
    let place = Place::empty().with_packages(&["plugins"]);
    place.save("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n");
    place.save("service.py", SERVICE);
    place.save("tests/conftest.py", CONFTEST);
    place.save("tests/test_visits.py", VISITS);
    let (code, out, err) = place.run(&["--trust", "run", "--", "python3", "-m", "pytest", "-q"]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let tests = place.read("tests/pytead/test_pytead_service.py");
    for lines in [
        "@pytest.mark.asyncio\nasync def test_service_label(service):",
        "    await service.visit(\"/a\")\n    assert service.label(\"visits:\") == \"visits: 1\"",
        "    assert await service.visit(",
    ] {
        assert!(tests.contains(lines), "{lines}\n{tests}\n{out}{err}");
    }
    assert!(!tests.contains("asyncio.run"), "{tests}");
}
