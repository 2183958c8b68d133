"""Runs one workload some times under one tool and prints what it cost, as JSON. Started by recording.py.

    traced.py WORKLOAD SIZE PASSES TOOL FOLDER

The recorder needs no code here: it is started by the environment, as in real use.
"""

import importlib
import json
import os
import sys
import time


def empty(folder: str) -> object:
    """Calls an empty function at each start and end: the floor of whatever looks at every call in Python."""
    if sys.version_info < (3, 12):

        def event(frame, what, arg):
            return None

        sys.setprofile(event)
        return lambda: sys.setprofile(None)
    monitoring = sys.monitoring
    events = monitoring.events
    monitoring.use_tool_id(3, "empty")

    def started(code, offset):
        return None

    def returned(code, offset, value):
        return None

    monitoring.register_callback(3, events.PY_START, started)
    monitoring.register_callback(3, events.PY_RETURN, returned)
    monitoring.set_events(3, events.PY_START | events.PY_RETURN)
    return lambda: monitoring.free_tool_id(3)


def coverage(folder: str) -> object:
    from coverage import Coverage

    tool = Coverage(data_file=os.path.join(folder, "coverage"), source=[os.environ["BENCH_ROOT"]], config_file=False)
    tool.start()

    def stop():
        tool.stop()
        tool.save()

    return stop


def monkeytype(folder: str) -> object:
    from monkeytype.config import DefaultConfig
    from monkeytype.db.sqlite import SQLiteStore
    from monkeytype.tracing import trace_calls

    class Config(DefaultConfig):
        def trace_store(self):
            return SQLiteStore.make_store(os.path.join(folder, "monkeytype.sqlite3"))

    config = Config()
    tracing = trace_calls(config.trace_logger(), config.max_typed_dict_size(), config.code_filter())
    tracing.__enter__()
    return lambda: tracing.__exit__(None, None, None)


def viztracer(folder: str) -> object:
    from viztracer import VizTracer

    tool = VizTracer(
        output_file=os.path.join(folder, "viztracer.json"), log_func_args=True, log_func_retval=True,
        ignore_c_function=True, verbose=0,
    )  # fmt: skip
    tool.start()

    def stop():
        tool.stop()
        tool.save()

    return stop


def semantic(folder: str) -> object:
    # By its path: the package's own __init__ loads a model's client, which is none of the tracer's cost.
    from importlib.util import find_spec, module_from_spec, spec_from_file_location

    home = find_spec("pytest_semantic").submodule_search_locations[0]
    spec = spec_from_file_location("pytest_semantic_tracer", os.path.join(home, "tracer.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    tool = module.ExecutionTracer(os.environ["BENCH_ROOT"])
    tool.start()

    def stop():
        tool.stop()
        with open(os.path.join(folder, "journey.txt"), "w", encoding="utf-8", errors="replace") as file:
            file.write(tool.get_log_string())

    return stop


def pytead(folder: str) -> object:
    # It records what is named, so it is given every name of the project that is a function of a module or of its classes.
    import inspect
    from pathlib import Path

    from pytead.storage import get_storage
    from pytead.targets import instrument_targets

    names = set()
    for module in [one for one in sys.modules.values() if inside(getattr(one, "__file__", None))]:
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", None) != module.__name__:
                continue
            if inspect.isfunction(value) and name != "main":  # the driver's own
                names.add("%s.%s" % (module.__name__, name))
            elif inspect.isclass(value):
                methods = (one for one, what in vars(value).items() if inspect.isfunction(what))
                names.update("%s.%s.%s" % (module.__name__, name, one) for one in methods if not one.startswith("__"))
    instrument_targets(sorted(names), limit=10, storage_dir=Path(folder), storage=get_storage("pickle"))
    return lambda: None


def inside(path: "str | None") -> bool:
    """Tells whether a module is one of the project's."""
    return path is not None and path.startswith(os.environ["BENCH_ROOT"] + os.sep)


def nothing(folder: str) -> object:
    return lambda: None


TOOLS = {f.__name__: f for f in (nothing, empty, coverage, monkeytype, viztracer, semantic, pytead)}


def peak() -> int:
    """Gives the most memory this process had, in KB; of the parent before `exec`, nothing."""
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    except OSError:
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most // 1024 if sys.platform == "darwin" else most


def main() -> None:
    name, size, passes, tool, folder = sys.argv[1:]
    workload = importlib.import_module(name)
    marks = [time.process_time()]
    stop = TOOLS[tool](folder)
    marks[0] = time.process_time() if tool != "coverage" else marks[0]
    for _ in range(int(passes)):
        workload.main(size)
        marks.append(time.process_time())
    memory = peak()
    stop()
    print(json.dumps({"marks": marks, "peak": memory}))


main()
