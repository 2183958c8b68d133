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
_REPORT = "`pytead-tui spec --format json` gives what came of each step and of the test"
_JOURNEY = "`pytead-tui check --journey` prints what a test did"
_MCP = "`pytead-tui mcp` is the server for agents"
_GEN = "`pytead-tui gen` writes tests of recorded calls"
_TYPES = "`pytead-tui types` writes type stubs"
NAMES = {
    "llm_pytest": {
        "TestSpec": _CHECK,
        "TestMeta": _CHECK,
        "Step": _CHECK,
        "VerdictSpec": _CHECK,
        "validate_test_yaml": _CHECK,
        "validate_and_raise": _CHECK,
        "YAMLValidationError": _CHECK,
        "StepResult": _REPORT,
        "Verdict": _REPORT,
        "run_llm_test": _RUN,
        "LLMTestFailed": _RUN,
        "register_provider": _PROVIDER,
        "get_provider": _PROVIDER,
        "list_providers": _PROVIDER,
    },
    "pytest_semantic": {
        "evaluate": _JUDGE,
        "evaluate_semantic_assertion": _JUDGE,
        "SemanticEvaluation": _JUDGE,
        "build_prompt": "`pytead-tui check --show-outgoing` prints what a model would be sent",
        "estimate_tokens": "`pytead-tui check --dry-run` says how many tokens a model would be sent",
        "ExecutionTracer": _JOURNEY,
    },
    "pytead": {
        "gen": _GEN,
        "gen_types": _TYPES,
    },
}
MODULES = {
    "llm_pytest.runner": _RUN,
    "llm_pytest.plugin": _RUN,
    "llm_pytest.models": _CHECK,
    "llm_pytest.schema": _CHECK,
    "llm_pytest.formatter": _REPORT,
    "llm_pytest.llm": _PROVIDER,
    "llm_pytest.mcp": _MCP,
    "llm_pytest.mcp_server": _MCP,
    "pytest_semantic.cache": "verdicts are cached for each user, and `--semantic-refresh` asks anew",
    "pytest_semantic.plugin": _JUDGE,
    "pytest_semantic.server": _MCP,
    "pytest_semantic.tracer": _JOURNEY,
    "pytead.cli": "`pytead-tui --help` lists the commands",
    "pytead.gen_tests": _GEN,
    "pytead.gen_types": _TYPES,
    "pytead.storage": "`pytead-tui import call_logs` takes old traces in",
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
    module = next((module for module in MODULES if (name + ".").startswith(module + ".")), None)
    advice = MODULES[module] if module else "write instead: " + WRITE[package]
    said = "No module named %r: pytead-tui has no such part of %s; %s" % (name, package, advice)
    return ModuleNotFoundError(said, name=name)
