//! The gate on the real binary: what it lets through of a small program that has one function for each of its rules.

use crate::harness::Place;

const CORE: &str = r#"
import datetime, os, random, time

_lang = "en"
_cache = {}
_seen = []


def mode(default):
    return os.environ.get("LIB_MODE", default).upper()


def set_lang(code):
    global _lang
    _lang = code
    return "lang is " + code


def greet(name):
    return {"en": "Hello", "fr": "Bonjour"}[_lang] + " " + name


def square(n):
    if n not in _cache:
        _cache[n] = n * n
    return _cache[n]


def shuffled_sum(items):
    items = list(items)
    random.shuffle(items)
    return sum(items)


def line(text):
    return f"{text} ({'late' if datetime.datetime.now().year > 1999 else 'early'})"


def age(year):
    return time.localtime().tm_year - year


def count(x):
    _seen.append(x)
    return len(_seen)


def zone_hour(stamp):
    return datetime.datetime.fromtimestamp(stamp).hour


def modules(folder):
    return sum(name.endswith(".py") for _, _, names in os.walk(folder) for name in names)
"#;

const MAIN: &str = r#"
from lib import core

core.greet("ada"), core.mode("live"), core.square(4), core.shuffled_sum([1, 2, 3]), core.line("x"), core.age(1990)
core.count("a"), core.zone_hour(0), core.set_lang("fr"), core.modules(".")
"#;

/// What is refused says in which circumstances it fails or what it leaves behind; what can be helped is helped.
#[test]
fn every_rule_of_the_gate_is_met_by_a_function_of_its_own() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    place.save("lib/core.py", CORE);
    place.save("main.py", MAIN);
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = place.run(&["--trust", "gen"]);
    assert_eq!(code, 0, "{out}{err}");
    let of = |name: &str| -> &str {
        let begin = out.find(&format!("lib.core:{name}  ")).unwrap_or_else(|| panic!("{name}: {out}{err}"));
        let rest = &out[begin..];
        rest.find("\n#").map_or(rest, |end| &rest[..end])
    };
    for (name, said) in [
        ("greet", "can fail"),
        ("mode", "monkeypatch.delenv(\"LIB_MODE\", raising=False)"),
        ("set_lang", "monkeypatch.setattr(\"lib.core._lang\", \"en\")"),
        ("square", "changes lib.core._cache; no other test minds"),
        ("shuffled_sum", "other random numbers"),
        ("line", "400 days later"),
        ("zone_hour", "@pytest.mark.usefixtures(\"local_zone\")"),
    ] {
        let draft = of(name);
        assert!(draft.starts_with(&format!("lib.core:{name}  ready")) && draft.contains(said), "{draft}");
        assert!(draft.contains("fresh process  shuffled"), "{draft}");
    }
    for (name, said) in [
        ("age", "test_age, 400 days later"),
        ("count", "fails the second time in a process: it changes lib.core._seen"),
        // It goes through all below the folder that it runs in, which is not the root of the machine.
        ("modules", "test_modules, in another folder"),
    ] {
        let draft = of(name);
        assert!(draft.starts_with(&format!("lib.core:{name}  refused")) && draft.contains(said), "{draft}");
    }
}

/// G4: a command that names itself by how the program was started has another name under `python -m pytest` or tox, and other
/// options. Of that no test is made, and it is in no one's way.
#[test]
fn what_only_the_name_or_the_options_of_the_running_program_make_pass_is_refused() {
    let place = Place::empty();
    let tool = "import argparse\nimport sys\n\n\ndef has_options():\n    return len(sys.argv) > 1\n\n\nclass Tool:\n    def __init__(self, text, number):\n        \
                self.parser = argparse.ArgumentParser(description=text)\n        self.number = number\n\n    \
                def head(self):\n        return f\"{self.number}: {self.parser.description}\"\n\n    \
                def usage(self):\n        return self.parser.format_usage()\n";
    place.save("tool.py", tool);
    let test = "import tool\n\n\ndef test_tool():\n    made = tool.Tool('a', 1)\n    assert made.head() == '1: a'\n    made.usage()\n    tool.has_options()\n";
    place.save("tests/test_tool.py", test);
    place.save("pytest.ini", "[pytest]\npythonpath = .\n");
    for command in [&["pytest", "-q"][..], &["python3", "-m", "pytest", "-q"]] {
        let (code, _, err) = place.run(&[&["--trust", "run", "--"][..], command].concat());
        assert_eq!(code, 0, "{err}");
        let (_, out, err) = place.run(&["--trust", "gen"]);
        assert!(out.contains("tool:Tool.head  ready"), "{command:?}: {out}{err}");
        for own in ["Tool.usage", "Tool.__init__", "has_options"] {
            assert!(!out.contains(&format!("tool:{own}  ready")), "{command:?}: {out}{err}");
        }
        std::fs::remove_dir_all(place.root().join(".pytead")).unwrap();
    }
}

/// R22: a private function's own test would show what the tests of its callers show; by its name it is had all the same.
#[test]
fn private_functions_are_left_to_the_tests_of_their_callers() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    let core = "def _weigh(n):\n    return n * 3 + 1\n\n\ndef is_heavy(n):\n    return _weigh(n) > 10\n\n\ndef _half(n):\n    return n // 2\n\n\ndef _third(n):\n    return n // 3\n\n\ndef quarter(n):\n    return _half(_half(n))\n";
    place.save("lib/core.py", core);
    place.save("main.py", "from lib import core\n\ncore.quarter(12), core._third(9), core.is_heavy(20)\n");
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen"]);
    assert!(out.contains("lib.core:quarter  ready") && out.contains("lib.core:_third  ready"), "{out}{err}");
    let said = "  covered-by-callers  1 function, 2 calls\n      covered by its callers' tests\n";
    assert!(!out.contains("lib.core:_half  ready") && out.contains(said) && out.contains("      lib.core:_half\n"), "{out}{err}");
    // Whether 20 is heavy says little of how much it weighs.
    assert!(out.contains("lib.core:is_heavy  ready") && out.contains("lib.core:_weigh  ready"), "{out}{err}");
    let (_, out, err) = place.run(&["--trust", "gen", "lib.core:_half"]);
    assert!(out.contains("lib.core:_half  ready"), "{out}{err}");
}

/// R23: the project's formatter has the last word on a draft, and drafting again gives the same.
#[test]
fn drafts_are_formatted_as_the_project_is() {
    let place = Place::empty();
    place.save("ruff.toml", "[format]\nquote-style = \"single\"\n");
    place.save("lib/__init__.py", "");
    place.save("lib/core.py", "def greet(name):\n    return 'Hello ' + name\n");
    place.save("main.py", "from lib import core\n\ncore.greet('ada')\n");
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert!(out.contains("assert greet('ada') == 'Hello ada'"), "{out}{err}");
    let (code, out, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "{out}{err}");
}

/// R23: what a package offers is imported from the package, where those outside of it do so.
#[test]
fn names_are_imported_from_where_callers_import_them() {
    let place = Place::empty();
    place.save("shop/__init__.py", "from shop._cart import *\nfrom ._errors import Empty\n");
    place.save("shop/_errors.py", "class Empty(Exception):\n    pass\n");
    let cart = "from shop._errors import Empty\n\n__all__ = [\"Cart\", \"total\"]\n\n\nclass Cart:\n    def __init__(self, prices):\n        self.prices = prices\n\n\ndef total(cart):\n    if not cart.prices:\n        raise Empty(\"nothing in it\")\n    return largest(cart) + sum(cart.prices)\n\n\ndef largest(cart):\n    return max(cart.prices)\n";
    place.save("shop/_cart.py", cart);
    let main = "import shop\n\nshop.total(shop.Cart([1, 2]))\nfor prices in ([3, 4, 5], []):\n    try:\n        shop.total(shop.Cart(prices))\n    except shop.Empty:\n        pass\n";
    place.save("main.py", main);
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let text = place.read("tests/pytead/test_pytead_shop___cart.py");
    assert!(text.contains("from shop import Cart, Empty, total\n"), "{text}");
    assert!(text.contains("from shop._cart import largest\n"), "{text}");
    let (code, out, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "{out}{err}");
}

/// R7: a coroutine function's test is one itself where the project's files name the plugin that runs it and the plugin does
/// run it there; where it does not, `asyncio.run` does.
#[test]
fn coroutines_are_tested_in_the_projects_style() {
    let draft = |files: &[(&str, &str)]| {
        let place = Place::empty().with_packages(&["plugins"]);
        place.save("lib/__init__.py", "");
        place.save("lib/core.py", "import asyncio\n\n\nasync def double(n):\n    await asyncio.sleep(0)\n    return n * 2\n");
        place.save("main.py", "import asyncio\n\nfrom lib import core\n\nasyncio.run(core.double(4))\n");
        for (path, text) in files {
            place.save(path, text);
        }
        let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
        assert_eq!(code, 0, "{err}");
        let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
        assert!(code == 0 && out.contains("lib.core:double  ready") && out.contains("fresh process"), "{out}{err}");
        let (code, checked, err) = place.run(&["--trust", "gen", "--check"]);
        assert_eq!(code, 0, "{checked}{err}");
        out
    };
    let needs = ("requirements.txt", "pytest-asyncio\n");
    let strict = draft(&[needs]);
    assert!(strict.contains("+@pytest.mark.asyncio\n+async def test_double():"), "{strict}");
    assert!(strict.contains("+    assert await double(4) == 8\n"), "{strict}");
    let auto = draft(&[("pyproject.toml", "[tool.pytest.ini_options]\nasyncio_mode = \"auto\"\n")]);
    assert!(auto.contains("async def test_double():") && !auto.contains("mark.asyncio"), "{auto}");
    let broken = "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n        if item.get_closest_marker(\"asyncio\"):\n            item.add_marker(pytest.mark.skip)\n";
    for files in [&[][..], &[needs, ("conftest.py", broken)]] {
        let plain = draft(files);
        assert!(plain.contains("assert asyncio.run(double(4)) == 8") && !plain.contains("async def"), "{plain}");
    }
}

/// A project whose warnings are errors, and that imports what brings a plugin of pytest, is proved in warm processes.
#[test]
fn a_plugin_that_was_imported_before_pytest_is_no_error() {
    let place = Place::empty().with_packages(&["web", "plugins"]);
    let config = "[tool.pytest.ini_options]\nfilterwarnings = [\"error\"]\nasyncio_default_fixture_loop_scope = \"function\"\n";
    place.save("pyproject.toml", config);
    place.save("lib/__init__.py", "");
    place.save("lib/core.py", "import anyio\n\n\ndef double(n):\n    return n * 2\n");
    place.save("main.py", "from lib import core\n\ncore.double(4)\n");
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = place.run(&["--trust", "gen"]);
    assert!(code == 0 && out.contains("lib.core:double  ready") && out.contains("✓ can fail"), "{out}{err}");
}

/// A `conftest.py` that imports the project is what plain pytest stops at where the project is not installed: its folders go on
/// the path then, and the proof is the warm one.
#[test]
fn a_conftest_that_imports_the_project_finds_it() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    place.save("lib/core.py", "def double(n):\n    return n * 2\n");
    place.save("tests/__init__.py", "");
    place.save(
        "tests/conftest.py",
        "import pytest\n\nfrom lib.core import double\n\n\n@pytest.fixture\ndef four():\n    return double(2)\n",
    );
    place.save("main.py", "from lib import core\n\ncore.double(4)\n");
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = place.run(&["--trust", "gen"]);
    assert!(code == 0 && out.contains("lib.core:double  ready") && out.contains("✓ can fail"), "{out}{err}");
    place.save("tests/conftest.py", "raise RuntimeError('no fixtures today')\n");
    place.save("lib/core.py", "def double(n):\n    return n + n\n");
    let (_, out, err) = place.run(&["--trust", "gen"]);
    assert!(out.contains("refused") && out.contains("RuntimeError: no fixtures today"), "{out}{err}");
}

/// R19: a test that makes others fail is refused also where these are proved in another batch, or were drafted later.
#[test]
fn a_test_that_spoils_those_of_another_batch_is_refused() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    let fillers = (0..3).map(|n| format!("\n\ndef b{n}(x):\n    return x + {n}\n")).collect::<String>();
    place.save(
        "lib/core.py",
        &format!(
            "WORDS = {{\"select\", \"from\"}}\n\n\ndef a_forget(word):\n    WORDS.discard(word)\n    return word.upper()\n\
             {fillers}\n\ndef is_known(word):\n    return word in WORDS\n\n\ndef kinds(words):\n    \
             return [word in WORDS for word in words]\n"
        ),
    );
    let calls = "core.b0(1), core.b1(1), core.b2(1), core.a_forget(\"select\")\n";
    place.save("main.py", &format!("from lib import core\n\n{calls}"));
    for words in [&["--trust", "run", "--", "python3", "main.py"][..], &["--trust", "gen"]] {
        let (code, out, err) = place.run(words);
        assert!(code == 0 && !out.contains("refused:"), "nothing minds yet\n{out}{err}");
    }
    place.save("main.py", "from lib import core\n\ncore.is_known(\"select\"), core.kinds([\"select\", \"from\", \"x\"])\n");
    place.run(&["--trust", "run", "--", "python3", "main.py"]);
    let (_, out, err) = place.run(&["--trust", "gen"]);
    for name in ["is_known", "kinds"] {
        assert!(out.contains(&format!("lib.core:{name}  ready")), "{out}{err}");
    }
    let (_, list, _) = place.run(&["review", "--list"]);
    assert!(!list.contains("a_forget"), "{list}");
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert!(code == 0 && out.contains("Accepted is_known"), "{out}{err}");
    assert!(!place.read("tests/pytead/test_pytead_lib__core.py").contains("forget"));
    let (_, out, err) = place.run(&["--trust", "gen"]);
    assert!(out.contains("test_is_known fails after it"), "accepted tests are not spoiled either\n{out}{err}");
}

/// What lies in a folder of tests and is none helps them: it is drafted for when somebody names it.
#[test]
fn helpers_of_tests_are_drafted_for_by_name_only() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    place.save("lib/core.py", "def double(n):\n    return n * 2\n");
    place.save("tests/__init__.py", "");
    place.save("tests/helping.py", "def four():\n    return 4\n");
    place.save("main.py", "from lib import core\nfrom tests import helping\n\ncore.double(helping.four())\n");
    place.run(&["--trust", "run", "--", "python3", "main.py"]);
    let (code, out, err) = place.run(&["--trust", "gen"]);
    assert!(code == 0 && out.contains("1 draft proved, 0 refused, 1 function without a test"), "{out}{err}");
    assert!(
        out.contains("  test-helper  1 function, 1 call\n      is a test helper") && out.contains("      tests.helping:four\n"),
        "{out}"
    );
    let (code, out, err) = place.run(&["--trust", "gen", "tests.helping:four"]);
    assert!(code == 0 && out.contains("tests.helping:four  ready"), "{out}{err}");
}

/// R31: a script that begins its work when it is imported is imported by no test, and the reason is said.
#[test]
fn what_only_a_running_script_has_is_not_imported() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    place.save("lib/core.py", "def kind(cls):\n    return cls.__name__.lower()\n");
    place.save("main.py", "from lib import core\n\n\nclass Lamp:\n    pass\n\n\ncore.kind(Lamp), core.kind(int)\n");
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen"]);
    assert!(out.contains("assert kind(int) == \"int\"") && !out.contains("from main import"), "{out}{err}");
    assert!(out.contains("Lamp is defined in a script that runs when imported"), "{out}{err}");
}

const WILD: &str = r#"
import os, subprocess, threading, time


def worker_name(prefix):
    return f"{prefix}-{os.getpid()}"


def label(thing):
    return f"{thing}@{id(object())}"


def bucket(word):
    return hash(word)


def first_word(words):
    return next(iter(set(words)))


def ticks():
    return time.perf_counter_ns()


def host(word):
    return subprocess.run(["printf", word], capture_output=True, text=True).stdout


def double(n):
    return n * 2
"#;

/// R6, R18: what follows something that no test can hold still has no draft, and the reason is said; its neighbour has one.
#[test]
fn what_nothing_can_hold_still_is_refused_with_its_reason() {
    let place = Place::empty();
    place.save("wild.py", WILD);
    place.save(
        "main.py",
        "import wild\nwild.worker_name('w'), wild.label('t'), wild.bucket('pear'), wild.ticks(), wild.host('me'), wild.double(4)\n\
         wild.first_word(['pear', 'fig', 'plum', 'apple', 'kiwi', 'lime'])\n",
    );
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let written = place.read("tests/pytead/test_pytead_wild.py");
    assert_eq!(written.matches("def test_").count(), 1, "{written}");
    assert!(written.contains("def test_double"), "{written}");
    for name in ["worker_name", "label", "bucket", "first_word", "ticks", "host"] {
        // By chance it may have come out again once, and then the proof says so.
        let is_said = |line: &str| {
            line.contains(&format!("wild:{name}  refused"))
                || line.strip_prefix("      ").is_some_and(|named| named.split(", ").any(|one| one == format!("wild:{name}")))
        };
        assert!(out.lines().any(is_said), "{name}: {out}");
    }
}

const MADE: &str = r#"
import functools
import operator


def comparer(sign):
    def compare(self, other):
        return sign(self.n, other.n)

    return compare


class Version:
    def __init__(self, n):
        self.n = n

    __lt__ = comparer(operator.lt)
    __ge__ = comparer(operator.ge)


def times(by):
    def scaled(n):
        return n * by

    return scaled


double = times(2)
triple = times(3)


def noted(function):
    @functools.wraps(function)
    def note(*args):
        return function(*args)

    return note


def shouted(function):
    def shout(*args):
        return function(*args).upper()

    return shout


@noted
def plus(a, b):
    return a + b


@shouted
@noted
def hello(name):
    return "hello " + name
"#;

/// R12: what another function made is called by the name it is kept under, by its operator where it has one. What a
/// decorator changes is tested by that name, too, and what it leaves as it is once only.
#[test]
fn what_another_function_made_is_tested_by_the_name_it_is_called_by() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    place.save("lib/made.py", MADE);
    place.save(
        "main.py",
        "from lib.made import Version, double, hello, plus, triple\n\nold, new = Version(1), Version(2)\nold < new, old >= new\n\
         double(4), triple(5), plus(1, 2), hello(\"ann\")\n",
    );
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen", "--accept"]);
    let tests = place.read("tests/pytead/test_pytead_lib__made.py");
    for line in [
        "def test_version_lt():",
        "    assert (version < Version(n=2)) is True",
        "    assert (version >= Version(n=2)) is False",
        "def test_double():",
        "    assert double(4) == 8",
        "    assert triple(5) == 15",
        "def test_plus():",
        "    assert plus(1, 2) == 3",
        "def test_hello():",
        "    assert hello(\"ann\") == \"HELLO ANN\"",
    ] {
        assert_eq!(tests.matches(line).count(), 1, "{line}\n{tests}{out}{err}");
    }
    assert!(out.contains("5 drafts proved, 0 refused"), "{out}");
    for (function, reason) in [
        ("lib.made:hello", "its decorator changes the result"),
        ("lib.made:noted.<locals>.note", "decorator wrapper with the same result"),
    ] {
        let (_, out, err) = place.run(&["--trust", "gen", "--why", function]);
        assert!(out.contains(reason), "{reason}\n{out}{err}");
    }
    let (code, out, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "{out}{err}");

    place.save("lib/made.py", &MADE.replace("sign(self.n, other.n)", "sign(other.n, self.n)").replace("n * by", "n + by"));
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 1, "{err}");
    for change in [
        "compare(Version#6(n=2)) as Version.__lt__\n    old  → True\n    new  → False",
        "scaled(4) as double\n    old  → 8\n    new  → 6",
        "scaled(5) as triple\n    old  → 15\n    new  → 8",
    ] {
        assert!(out.contains(change), "{change}\n{out}");
    }
}

const WORDED: &str = r#"
import subprocess, sys

_count = 0


def count(step):
    global _count
    _count += step
    return _count


def started(text):
    return subprocess.run([sys.executable, "-c", "pass"]).returncode + len(text)


def saved(text):
    with open("saved.txt", "w") as file:
        return file.write(text)


def both(text):
    return text + text
"#;

/// Gives what `gen` says of each function, by codes: what it has no test for, and what it drafted.
fn by_code(place: &Place) -> Vec<String> {
    let (code, out, err) = place.run(&["--trust", "gen", "--format", "json"]);
    assert_eq!(code, 0, "{out}{err}");
    let mut found = Vec::new();
    for line in out.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        match line["result"].as_str() {
            Some("proposal") => {
                let proposal = &line["value"]["proposal"];
                found.push(format!("{} {}", proposal["function"], proposal["state"]));
            }
            Some("left_out") => {
                let all = line["value"].as_array().unwrap().iter();
                found.extend(all.map(|pair| format!("{} {} {}", pair[0], pair[1]["calls"], pair[1]["why"]["code"])));
            }
            _ => {}
        }
    }
    found
}

/// What is done with a call follows the code of its reason: not the sentence that is stored beside it, nor one that an earlier
/// version stored without a code.
#[test]
fn nothing_follows_the_words_of_a_reason() {
    let place = Place::empty();
    place.save("lib.py", WORDED);
    place.save("main.py", "import lib\n\nlib.count(2), lib.count(3), lib.started(\"a\"), lib.saved(\"b\"), lib.both(\"c\")\n");
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    by_code(&place);
    let [reworded, former] = [place.twin(), place.twin()];
    let stored = |place: &Place, changes: &str| {
        let store = rusqlite::Connection::open(place.root().join(".pytead/pytead.db")).unwrap();
        store.execute_batch(changes).unwrap();
    };
    stored(
        &reworded,
        "UPDATE calls SET not_replayable = json_set(not_replayable, '$.reason', 'WORDED ANEW') WHERE not_replayable IS NOT NULL;
         UPDATE untestable SET reason = json_set(reason, '$.reason', 'WORDED ANEW');",
    );
    stored(
        &former,
        "UPDATE calls SET not_replayable = CASE not_replayable ->> '$.why.code'
             WHEN 'not-reproducible' THEN 'run alone it ends differently: it depends on something that was not recorded'
             WHEN 'subprocess' THEN 'it starts a process: subprocess.Popen' ELSE 'it writes files: open saved.txt' END
         WHERE not_replayable IS NOT NULL;
         UPDATE untestable SET reason = 'it writes files: open saved.txt';",
    );
    let said = by_code(&place);
    for line in ["\"lib:count\" 1 \"not-reproducible\"", "\"lib:started\" 1 \"subprocess\"", "\"lib:saved\" 1 \"writes-files\""] {
        assert!(said.iter().any(|one| one == line), "{line}\n{said:#?}");
    }
    assert_eq!(by_code(&reworded), said);
    let without_codes = |said: Vec<String>| -> Vec<String> {
        said.into_iter().map(|line| line.replace("\"subprocess\"", "null").replace("\"writes-files\"", "null")).collect()
    };
    assert_eq!(without_codes(by_code(&former)), without_codes(said));
}
