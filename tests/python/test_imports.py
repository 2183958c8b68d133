"""The files of the package import each other in one direction: no file imports one that leads back to it."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "assets" / "python" / "pytead_tui"


def read(package):
    """Maps each module of a package to its source, by its full name."""
    sources = {}
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package.parent).with_suffix("").parts
        sources[".".join(parts)] = file.read_text(encoding="utf-8")
    return sources


def imports(sources):
    """Maps each module to the modules that it imports, in functions too. That `a.b` imports `a` does not count: every file
    below a package would lead to what the package imports."""
    packages = {name[: -len(".__init__")]: name for name in sources if name.endswith(".__init__")}
    graph = {}
    for name, source in sources.items():
        found = graph.setdefault(name, set())
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                named = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                # `a.b.c` minus one level is `a.b`; so it is of `a.b.__init__`.
                start = name.split(".")[: -node.level] if node.level else []
                base = ".".join([*start, *([node.module] if node.module else [])])
                named = [(base + "." + alias.name, base) for alias in node.names]
                named = [whole if whole in sources or whole in packages else base for whole, base in named]
            else:
                continue
            found.update(packages.get(one, one) for one in named if one in sources or one in packages)
        found.discard(name)
    return graph


def circles(graph):
    """Gives the groups of modules that lead to each other."""

    def led_to(start):
        reached, waiting = set(), [start]
        while waiting:
            for name in graph[waiting.pop()] - reached:
                reached.add(name)
                waiting.append(name)
        return reached

    reached = {name: led_to(name) for name in graph}
    groups = {frozenset(other for other in reached[name] if name in reached[other]) for name in graph}
    return sorted(sorted(group) for group in groups if group)


def test_no_file_of_the_package_leads_back_to_itself():
    sources = read(PACKAGE)
    assert len(sources) > 80, "is this the package?"
    graph = imports(sources)
    assert "pytead_tui.worker.call" in graph["pytead_tui.worker.request"]
    assert circles(graph) == []


def test_a_planted_circle_is_found():
    planted = {
        "p.__init__": "from p.a import f",
        "p.a": "from p import b",
        "p.b": "def f():\n    from p.c import g\n",
        "p.c": "import p.a, ast",
        "p.d": "from . import e",
        "p.e": "if True:\n    from .d import f\n",
        "p.f": "from p import a, nothing",
    }
    assert circles(imports(planted)) == [["p.a", "p.b", "p.c"], ["p.d", "p.e"]]
    mended = {**planted, "p.c": "import ast", "p.e": "from . import a"}
    assert circles(imports(mended)) == []
