"""Plugins of YAML tests: which tools they are, what goes wrong in them, and that they are always cleaned up after."""

import asyncio
import os
import signal
import sys
import textwrap
import time
from pathlib import Path

import pytest

from pytead_tui.plugins import LLMPlugin

API = textwrap.dedent('''
    import asyncio, os, time
    class Api(LLMPlugin):
        name = "api"
        async def get(self, id: int, extra: "list[str] | None" = None) -> dict:
            """Gets a user.

            Args:
                id: its number
            """
            print("getting", id)
            return {"id": id, "extra": extra}
        async def fail(self):
            raise ValueError("no such user")
        async def leave(self):
            raise SystemExit(3)
        async def sleep(self, seconds: float): await asyncio.sleep(seconds)
        async def block(self, seconds: float): time.sleep(seconds)
        async def spin(self):
            while True: pass
        async def stubborn(self):
            while True:
                try: await asyncio.sleep(60)
                except asyncio.CancelledError: pass
        async def child(self):
            process = await asyncio.create_subprocess_exec("sleep", "600")
            self.pid = process.pid
            await process.wait()
        async def kept(self): return getattr(self, "pid", None)
        async def die(self): os._exit(7)
        def sync(self): ...
        async def _hidden(self): ...
        async def cleanup(self):
            with open("cleaned", "a") as file: file.write("x")
''')


def cleaned(place: Path) -> int:
    path = place / "cleaned"
    return len(path.read_text()) if path.exists() else 0


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_public_async_methods_are_tools_with_their_schemas(start):
    host = start(api=API)
    [plugin] = host.loaded["plugins"]
    tools = {tool["name"]: tool for tool in plugin["tools"]}
    assert list(tools)[:3] == ["api_get", "api_fail", "api_leave"] and "api_cleanup" in tools
    assert not {"api_sync", "api__hidden"} & set(tools)
    assert tools["api_get"]["description"] == "Gets a user."
    assert tools["api_get"]["inputSchema"] == {
        "type": "object", "additionalProperties": False, "required": ["id"],
        "properties": {
            "id": {"type": "integer", "description": "its number"},
            "extra": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}], "default": None},
        },
    }  # fmt: skip
    assert host.call("api_get", id=3) == {"result": {"id": 3, "extra": None}}


def test_what_plugins_print_never_reaches_the_protocol(start, tmp_path):
    noisy = textwrap.dedent("""
        import os, subprocess, sys
        print("at import"); os.write(1, b"raw\\n"); sys.stderr.write("err\\n")
        class Noisy(LLMPlugin):
            name = "noisy"
            async def say(self):
                print("in a tool"); subprocess.run(["echo", "in a child"]); sys.stdin.read()
                sys.stdout.flush()
                return "done"
    """)
    host = start(noisy=noisy)
    assert host.call("noisy_say") == {"result": "done"}
    host.end()
    printed = host.printed()
    for text in ("at import", "raw", "err", "in a tool", "in a child"):
        assert text in printed


def test_a_tool_that_raises_exits_or_is_called_wrongly_says_so(start):
    host = start(api=API)
    failed = host.call("api_fail")
    assert failed["error"] == "ValueError: no such user" and "api.py" in failed["trace"][-1]
    assert host.call("api_leave")["error"] == "SystemExit: 3"
    assert host.call("api_get")["error"] == "TypeError: api_get needs id; it takes id, extra"
    assert host.call("api_get", id=1, x=2)["error"] == "TypeError: api_get takes no x; it takes id, extra"
    assert host.call("api_nothing")["error"] == "there is no tool api_nothing"
    assert host.call("api_get", id=1)["result"]["id"] == 1, "the host is still there"


@pytest.mark.parametrize("tool", ["api_sleep", "api_block"])
def test_a_call_has_its_time_whether_it_awaits_or_blocks(start, tool):
    host = start(api=API)
    began = time.monotonic()
    assert host.call(tool, 0.3, seconds=30.0) == {"late": True, "stubborn": False}
    assert time.monotonic() - began < 5
    assert host.call("api_get", id=1)["result"]["id"] == 1


def test_a_call_that_never_awaits_is_interrupted_and_one_that_will_not_end_is_named(start, tmp_path):
    host = start(api=API)
    assert host.call("api_spin", 0.2) == {"late": True, "stubborn": False}
    assert host.call("api_stubborn", 0.2) == {"late": True, "stubborn": True}
    host.end()
    assert cleaned(tmp_path) == 1


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_what_a_late_call_had_started_is_ended(start):
    host = start(api=API)
    assert host.call("api_child", 0.5)["late"]
    pid = host.call("api_kept")["result"]
    until = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert not is_running(pid)


def test_a_call_can_be_stopped_while_it_runs(start):
    host = start(api=API)
    number = host.send("call", tool="api_sleep", args={"seconds": 60}, seconds=100)
    host.send("cancel", id=number)
    assert host.answer(number)["late"]


def test_cleanup_is_run_at_the_end_and_twice_does_nothing_twice(start, tmp_path):
    host = start(api=API)
    assert host.call("api_cleanup") == {"result": {"cleaned": True}}
    assert host.call("api_cleanup") == {"result": {"cleaned": False}}
    assert host.end() == [] and cleaned(tmp_path) == 1
    host = start(api=API)
    host.call("api_cleanup")
    host.call("api_get", id=1)
    host.end()
    assert cleaned(tmp_path) == 3, "what was opened after it is cleaned up after, too"


@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "SIGTERM in a call"])
def test_cleanup_is_run_however_the_test_ends(start, tmp_path, how):
    host = start(api=API)
    if how == "SIGTERM in a call":
        host.send("call", tool="api_sleep", args={"seconds": 60}, seconds=100)
        time.sleep(0.3)
    if how == "end of input":
        host.process.stdin.close()
    else:
        host.process.send_signal(signal.SIGTERM)
    host.process.wait(10)
    assert cleaned(tmp_path) == 1


def test_a_cleanup_that_fails_or_hangs_is_named_and_the_others_are_run(start, tmp_path):
    bad = textwrap.dedent("""
        class Bad(LLMPlugin):
            name = "bad"
            async def cleanup(self): raise OSError("busy")
        class Plain(LLMPlugin):
            name = "plain"
            def cleanup(self): open("plain", "w")
    """)
    host = start(api=API, bad=bad)
    assert host.end() == [{"plugin": "bad", "error": "OSError: busy"}]
    assert cleaned(tmp_path) == 1 and (tmp_path / "plain").exists()


def test_broken_plugins_are_named_and_the_rest_is_loaded(start):
    host = start(
        api=API,
        exits="import sys; sys.exit(1)\n",
        raises="x = 1\nraise RuntimeError('not today')\n",
        syntax="def (:\n",
        init="class A(LLMPlugin):\n    name = 'a'\n    def __init__(self): raise KeyError('k')\n",
        twin="class B(LLMPlugin):\n    name = 'api'\n",
        named="class C(LLMPlugin):\n    name = 'a b'\n",
        json="class J(LLMPlugin):\n    name = 'j'\n    async def dump(self):\n        import json; return json.dumps([1])\n",
        helper="VALUE = 1\n",
        uses="import helper\nclass U(LLMPlugin):\n    name = 'u'\n    async def get(self): return helper.VALUE\n",
    )
    broken = {os.path.basename(one["file"]): one["why"] for one in host.loaded["broken"]}
    assert broken.keys() == {"exits.py", "raises.py", "syntax.py", "init.py", "twin.py", "named.py"}
    assert broken["exits.py"] == "importing it raises SystemExit: 1 (line 2)"
    assert broken["raises.py"] == "importing it raises RuntimeError: not today (line 3)"
    assert (
        "another plugin has" in broken["twin.py"] and "'a b'" in broken["named.py"] and "KeyError" in broken["init.py"]
    )
    assert sorted(plugin["name"] for plugin in host.loaded["plugins"]) == ["api", "j", "u"]
    assert host.call("j_dump")["result"] == "[1]" and host.call("u_get")["result"] == 1
    assert len(host.loading) == 10, "each is named before it is imported"


def test_results_of_every_kind_become_json(start):
    kinds = textwrap.dedent("""
        import dataclasses, datetime, decimal, enum, pathlib
        @dataclasses.dataclass
        class Point: x: int; y: tuple
        class Colour(enum.Enum): RED = "red"
        class Odd:
            def __repr__(self): raise RuntimeError
        class Kinds(LLMPlugin):
            name = "kinds"
            async def all(self):
                loop = []; loop.append(loop)
                return {"p": Point(1, (2, 3)), "c": Colour.RED, "d": datetime.date(2024, 2, 29), "n": decimal.Decimal("1.50"),
                        "s": {1}, "b": b"ab", 3: None, "f": float("nan"), "path": pathlib.Path("a"), "odd": Odd(), "big": 2**70,
                        "bad": "\\ud800", "loop": loop}
            async def huge(self): return "x" * (9 << 20)
    """)
    host = start(kinds=kinds)
    result = host.call("kinds_all")["result"]
    loop = result.pop("loop")
    assert isinstance(loop, list)
    assert result == {
        "p": {"x": 1, "y": [2, 3]}, "c": "red", "d": "2024-02-29", "n": "1.50", "s": [1], "b": {"base64": "YWI="}, "3": None,
        "f": "nan", "path": "a", "odd": "<Odd whose repr raises RuntimeError>", "big": 2**70, "bad": "\\ud800",
    }  # fmt: skip
    assert "may have" in host.call("kinds_huge")["error"]


def test_plugins_of_one_test_do_not_see_those_of_another(start):
    state = "class S(LLMPlugin):\n    name='s'\n    seen=[]\n    async def add(self): self.seen.append(1); return len(self.seen)\n"
    one, other = start(s=state), start(s=state)
    assert one.call("s_add")["result"] == 1 and one.call("s_add")["result"] == 2
    assert other.call("s_add")["result"] == 1


def test_checks_see_plain_values_and_nothing_else(start, tmp_path):
    host = start(api=API)
    names = {"result": {"id": 3, "users": [{"name": "Ada"}]}, "error": None, "steps": [], "stored": {"t": 1}}
    assert host.check("result['id'] == 3 and stored['t'] == 1", **names)["value"]
    assert host.check("result.users[0].name == 'Ada' and not error", **names)["value"]
    assert host.check("re.match('A', result.users[0].name)", **names)["value"]
    assert host.check("len(result['users']) == 10", **names)["shown"] == "len(result['users']) is 1"
    assert "no field 'idd'" in host.check("result.idd", **names)["error"]
    assert host.check("result['id'", **names)["error"].startswith("it is no Python expression")
    assert host.check("1/0", **names)["error"] == "ZeroDivisionError: division by zero"
    # What it changes is gone, and it cannot write.
    assert host.check("result.update(id=4) or result['id'] == 4", **names)["value"]
    assert host.check("result['id'] == 3", **names)["value"]
    host.check("open('made', 'w').write('x')", **names)
    assert not (tmp_path / "made").exists() or (tmp_path / "made").read_text() == ""


def test_checks_have_limits(start):
    host = start(api=API)
    began = time.monotonic()
    assert "more than" in host.check("sum(range(10**12))", 0.5)["error"]
    assert host.check("'x' * 10**10")["error"] == "it took too much memory"
    assert "ended the process" in host.check("__import__('os')._exit(3)")["error"]
    assert "more than" in host.check("__import__('time').sleep(60)", 0.3)["error"]
    assert host.check("1 == 1")["value"]
    assert time.monotonic() - began < 25


def test_tools_of_mcp_servers_are_called(start, tmp_path):
    server = tmp_path / "server.py"
    server.write_text(
        textwrap.dedent("""
        import json, sys
        for line in sys.stdin:
            message = json.loads(line)
            if "id" not in message: continue
            method, params = message["method"], message.get("params", {})
            result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
            if method == "tools/list":
                result = {"tools": [{"name": "add", "description": "Adds.", "inputSchema": {"type": "object"}}]}
            if method == "tools/call":
                print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
                a = params["arguments"]
                if "a" in a: result = {"content": [{"type": "text", "text": json.dumps({"sum": a["a"] + a["b"]})}]}
                else: result = {"isError": True, "content": [{"type": "text", "text": "a is missing"}]}
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
    """)
    )
    host = start(servers=[
        {"name": "calc", "command": [sys.executable, str(server)]},
        {"name": "gone", "command": ["/no/such/program"]},
        {"name": "odd", "command": ["echo", "hello"]},
    ], api=API)  # fmt: skip
    assert [plugin["name"] for plugin in host.loaded["plugins"]] == ["api", "calc"]
    broken = {one["file"]: one["why"] for one in host.loaded["broken"]}
    assert "cannot be started" in broken["mcp_servers.gone"]
    assert "does not speak MCP" in broken["mcp_servers.odd"] or "has ended" in broken["mcp_servers.odd"]
    assert host.call("calc_add", a=1, b=2) == {"result": {"sum": 3}}
    assert host.call("calc_add")["error"] == "a is missing"
    host.end()


def test_a_plugin_describes_and_calls_its_tools_by_itself():
    class Mine(LLMPlugin):
        name = "mine"

        def __init__(self) -> None:
            pass  # without super().__init__()

        async def double(self, number: int = 2, *more: int, **rest: str) -> int:
            return number * 2 + sum(more) + len(rest)

    class Derived(Mine):
        name = "derived"

        async def triple(self, number: int) -> int:
            return number * 3

    plugin = Derived()
    assert [tool["name"] for tool in plugin.get_tools()] == ["derived_double", "derived_triple"]
    schema = plugin.get_tools()[0]["inputSchema"]
    assert schema["additionalProperties"] is True and "required" not in schema
    assert schema["properties"]["more"] == {"type": "array", "items": {"type": "integer"}}
    assert asyncio.run(plugin.call_tool("double", {"number": 4, "x": "y"})) == 9
    assert asyncio.run(plugin.call_tool("derived_triple", {"number": 4})) == 12
    with pytest.raises(ValueError, match="has no tool"):
        asyncio.run(plugin.call_tool("nothing"))
    assert Mine()._state == {} and Mine()._state is not plugin._state


def test_what_of_the_project_was_used_is_told_in_the_end(start, tmp_path):
    (tmp_path / "used.py").write_text("def called():\n    return 1\n\n\ndef other():\n    return 2\n")
    (tmp_path / "unused.py").write_text("x = 1\n")
    plugin = (
        "import subprocess, sys\nfrom pytead_tui import LLMPlugin\nimport used\n\n"
        "class P(LLMPlugin):\n    name = 'p'\n    async def call(self) -> int:\n        return used.called()\n"
        "    async def spawn(self) -> int:\n        return subprocess.run([sys.executable, '-c', '']).returncode\n"
    )
    host = start(p=plugin)
    assert host.call("p_call")["result"] == 1
    told = host.ask("end")["used"]
    names = [Path(file).name for file in told["files"]]
    assert "used.py" in names and "unused.py" not in names and not told["spawned"]
    if sys.version_info >= (3, 12):
        entered = [name for _, name in told["entered"]]
        assert "called" in entered and "other" not in entered
    else:
        assert told["entered"] is None, "nobody slows down what is tested"
    host = start(p=plugin)
    assert host.call("p_spawn")["result"] == 0
    assert host.ask("end")["used"]["spawned"]
