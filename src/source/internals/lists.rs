//! What texts of tests may use, where that is short, and what they must not touch elsewhere.

/// Modules that give access to the interpreter, to pytest's inside or to this package.
pub(super) const MODULES: [&str; 36] = [
    "_pytest",
    "pluggy",
    "pytead_tui",
    "gc",
    "ctypes",
    "_ctypes",
    "cffi",
    "importlib",
    "pkgutil",
    "runpy",
    "imp",
    "zipimport",
    "code",
    "codeop",
    "bdb",
    "pdb",
    "trace",
    "dis",
    "marshal",
    "atexit",
    "faulthandler",
    "builtins",
    "_thread",
    "signal",
    "resource",
    "site",
    "timeit",
    "doctest",
    "profile",
    "cProfile",
    "copyreg",
    "shelve",
    "annotationlib",
    "posix",
    "pydoc",
    "rlcompleter",
];

/// What a test may use of `sys`.
pub(super) const OF_SYS: [&str; 26] = [
    "argv",
    "byteorder",
    "exc_info",
    "executable",
    "exit",
    "float_info",
    "getdefaultencoding",
    "getfilesystemencoding",
    "getrecursionlimit",
    "getrefcount",
    "getsizeof",
    "hash_info",
    "implementation",
    "int_info",
    "intern",
    "maxsize",
    "maxunicode",
    "path",
    "platform",
    "prefix",
    "setrecursionlimit",
    "stderr",
    "stdin",
    "stdout",
    "version",
    "version_info",
];

/// What a test may use of `pytest`.
pub(super) const OF_PYTEST: [&str; 22] = [
    "CaptureFixture",
    "ExceptionInfo",
    "FixtureRequest",
    "LogCaptureFixture",
    "MonkeyPatch",
    "RaisesExc",
    "RaisesGroup",
    "TempPathFactory",
    "WarningsRecorder",
    "__version__",
    "approx",
    "deprecated_call",
    "fail",
    "fixture",
    "importorskip",
    "mark",
    "param",
    "raises",
    "skip",
    "version_tuple",
    "warns",
    "xfail",
];

/// What a test must not use of some modules that it may import.
pub(super) const NOT_OF: [(&str, &[&str]); 14] = [
    (
        "os",
        &[
            "_exit",
            "abort",
            "dup",
            "dup2",
            "execl",
            "execle",
            "execlp",
            "execv",
            "execve",
            "execvp",
            "execvpe",
            "fdopen",
            "fork",
            "forkpty",
            "kill",
            "killpg",
            "posix_spawn",
            "posix_spawnp",
            "register_at_fork",
            "write",
            "writev",
        ],
    ),
    (
        "inspect",
        &[
            "currentframe",
            "get_annotations",
            "getattr_static",
            "getclosurevars",
            "getframeinfo",
            "getinnerframes",
            "getmembers",
            "getmembers_static",
            "getouterframes",
            "stack",
            "trace",
        ],
    ),
    // What runs a text, or finds attributes by names in one.
    ("concurrent", &["interpreters"]),
    ("functools", &["singledispatch", "singledispatchmethod"]),
    ("logging", &["config"]),
    ("multiprocessing", &["reduction"]),
    ("unittest", &["TestLoader", "TestProgram", "defaultTestLoader", "loader", "main"]),
    ("pickle", &["Unpickler", "load", "loads"]),
    ("string", &["Formatter"]),
    ("typing", &["ForwardRef", "evaluate_forward_ref", "get_type_hints"]),
    ("traceback", &["StackSummary", "extract_stack", "extract_tb", "walk_stack", "walk_tb"]),
    ("types", &["CodeType", "FrameType", "FunctionType", "get_original_bases"]),
    ("operator", &["call"]),
    ("threading", &["settrace", "setprofile", "settrace_all_threads", "setprofile_all_threads"]),
];

/// Attributes that lead from any object to the interpreter or to pytest's inside, whatever they are asked of.
pub(super) const ATTRIBUTES: [&str; 52] = [
    "_current_frames",
    "_exit",
    "_getframe",
    "_pyfuncitem",
    "__builtins__",
    "__closure__",
    "__code__",
    "__defaults__",
    "__get__",
    "__getattribute__",
    "__globals__",
    "__import__",
    "__kwdefaults__",
    "__loader__",
    "__reduce__",
    "__reduce_ex__",
    "__self__",
    "__spec__",
    "__subclasses__",
    "addaudithook",
    "ag_frame",
    "cr_frame",
    "f_back",
    "f_builtins",
    "f_globals",
    "f_locals",
    "from_item_and_call",
    "gi_frame",
    "hookimpl",
    "hookspec",
    "meta_path",
    "path_hooks",
    "path_importer_cache",
    "pluginmanager",
    "setprofile",
    "settrace",
    "tb_frame",
    "tb_next",
    "ag_code",
    "cr_code",
    "gi_code",
    "f_code",
    "_importer",
    "_pytestfixturefunction",
    "BaseConfigurator",
    "DictConfigurator",
    "from_callable",
    "get_original",
    "ihook",
    "temp_original",
    "traceback",
    "unsafe_load",
];

/// Modules that others have as attributes: `shutil.os` is `os`.
pub(super) const HIDDEN: [&str; 7] = ["builtins", "gc", "importlib", "inspect", "os", "signal", "sys"];

/// Such names, with `_` before them or not, that nothing else has: they are named whatever they are asked of.
pub(super) const LEADING: [&str; 8] = ["bltns", "builtins", "ctypes", "gc", "importlib", "pkgutil", "pydoc", "sys"];

/// Modules whose parts are looked at by name.
pub(super) const GUARDED: [&str; 10] =
    ["inspect", "operator", "os", "pickle", "pytest", "string", "sys", "traceback", "types", "typing"];

/// What gives or changes attributes by name: only a call shows which.
pub(super) const LOOKUPS: [&str; 5] = ["attrgetter", "delattr", "getattr", "methodcaller", "setattr"];

/// Calls whose first argument names what they change or import.
pub(super) const BY_NAME: [&str; 8] = ["delattr", "dict", "importorskip", "multiple", "object", "patch", "setattr", "setitem"];

/// Arguments by which a library runs texts or stored code.
pub(super) const RUNNING: [&str; 2] = ["allow_pickle", "eval_str"];

/// Fixtures that hold pytest's inside, and what they name it besides `_…`.
pub(super) const INNER: [&str; 8] =
    ["caplog", "capfd", "capfdbinary", "capsys", "capsysbinary", "monkeypatch", "recwarn", "tmp_path_factory"];

/// Fixtures of pytest-mock.
pub(super) const MOCKERS: [&str; 5] = ["class_mocker", "mocker", "module_mocker", "package_mocker", "session_mocker"];

/// Builtins that run text or give names that are not in it.
pub(super) const BUILTINS: [&str; 11] = [
    "__builtins__",
    "__import__",
    "__loader__",
    "__spec__",
    "breakpoint",
    "compile",
    "eval",
    "exec",
    "globals",
    "locals",
    "vars",
];

/// Fixtures that are pytest's inside.
pub(super) const FIXTURES: [&str; 3] = ["pytestconfig", "pytester", "testdir"];

/// What a test may ask of the fixture `request`.
pub(super) const OF_REQUEST: [&str; 5] = ["addfinalizer", "applymarker", "fixturename", "getfixturevalue", "param"];
