"""Says what to write in place of a predecessor's name that means nothing here."""

import sys

WRITE = {
    "pytead": "from pytead_tui import trace",
    "pytest_semantic": "from pytead_tui import semantic_test, SemanticAssertionError",
    "llm_pytest": "from pytead_tui import LLMPlugin",
}
_RUN = "run YAML tests by `pytest tests/llm --llm` or `pytead-tui spec tests/llm`"
_CHECK = "`pytead-tui spec --check` says what is wrong with a YAML test, and `pytead-tui spec --schema` what it may hold"
_JUDGE = "the judge is asked by pytest itself, of tests with @semantic_test; an agent asks it by `pytead-tui mcp` (check_intent)"
_PROVIDER = "which model is asked is a setting: model.provider and providers, see `pytead-tui model`"
NAMES = {
    "llm_pytest": {
        "TestSpec": _CHECK,
        "TestStep": _CHECK,
        "TestVerdict": _CHECK,
        "validate_test_yaml": _CHECK,
        "validate_and_raise": _CHECK,
        "YAMLValidationError": _CHECK,
        "run_llm_test": _RUN,
        "LLMTestFailed": _RUN,
        "LLMClient": _PROVIDER,
        "LLMConfig": _PROVIDER,
        "register_provider": _PROVIDER,
        "get_provider": _PROVIDER,
        "list_providers": _PROVIDER,
    },
    "pytest_semantic": {
        "evaluate": _JUDGE,
        "evaluate_semantic_assertion": _JUDGE,
        "SemanticEvaluation": _JUDGE,
        "SemanticTracer": "`pytead-tui check --journey` prints what a test did",
    },
    "pytead": {
        "gen": "`pytead-tui gen` writes tests of recorded calls",
        "gen_types": "`pytead-tui types` writes type stubs",
    },
}


def missing(package: str, name: str) -> Exception:
    """Gives the error for a name that a module of ours has not."""
    advice = NAMES[package].get(name)
    if advice is None:
        return AttributeError("module %r has no attribute %r" % (package, name))
    return ImportError("%s.%s has no counterpart in pytead-tui: %s." % (package, name, advice), name=package)


def no_module(name: str) -> "ModuleNotFoundError | None":
    """Gives the error for a module below one of ours; `None` where the package is not ours."""
    package = name.partition(".")[0]
    known = getattr(sys.modules.get(package), "__spec__", None)
    if package not in WRITE or getattr(known, "loader_state", None) != "pytead-tui":
        return None
    said = "No module named %r: pytead-tui has no such part of %s. Write instead: %s" % (name, package, WRITE[package])
    return ModuleNotFoundError(said, name=name)
