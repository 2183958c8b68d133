//! R16, R17 on the real binary: what a call found around it (files, variables, chance, time) stands in its test.

use std::process::Command;

use crate::harness::Place;

const SHOP: &str = r#"
import datetime, json, os, random, secrets, time, uuid
from pathlib import Path


def prices(path):
    with open(path) as file:
        return dict(line.strip().split(",") for line in file)


def settings(path):
    return json.loads(Path(path).read_text())["colour"]


def names(folder):
    return sorted(path.read_text().strip() for path in Path(folder).iterdir())


def greeting(name):
    return os.environ.get("SHOP_GREETING", "Hello") + " " + name


def discount(percents):
    return random.choice(percents) + random.randint(1, 6)


def order_number(prefix):
    return f"{prefix}-{uuid.uuid4()}"


def age(year):
    return datetime.date.today().year - year


def stamped(text):
    return {"text": text, "at": time.time()}


def ticket(text):
    return {"text": text, "code": secrets.token_hex(4)}
"#;

const USE: &str = r#"
import tempfile
from pathlib import Path

from lib import shop

with open("prices.csv", "w") as file:
    file.write("lamp,3\nbook,12\n")
shop.prices("prices.csv")
folder = Path(tempfile.mkdtemp())
(folder / "settings.json").write_text('{"colour": "grün"}')
shop.settings(folder / "settings.json")
(folder / "names").mkdir()
(folder / "names" / "one.txt").write_text("Ada\n")
(folder / "names" / "two.txt").write_text("Grace\n")
shop.names(str(folder / "names"))
shop.greeting("Ada")
shop.discount([10, 20, 30, 40]), shop.order_number("A"), shop.age(1990), shop.stamped("x"), shop.ticket("x")
"#;

/// R16, R17: the files a call read are laid out, its variables set.
#[test]
fn what_a_call_found_around_it_is_put_around_its_test() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    place.save("lib/shop.py", SHOP);
    place.save("main.py", USE);
    let mut program = place.command(&["--trust", "run", "--", "python3", "main.py"]);
    let recorded = program.env("SHOP_GREETING", "Good evening").output().unwrap();
    assert!(recorded.status.success(), "{}", String::from_utf8_lossy(&recorded.stderr));
    std::fs::remove_file(place.root().join("prices.csv")).unwrap();
    let (_, out, err) = place.run(&["--trust", "gen"]);
    let shown = |text: &str| assert!(out.contains(text), "{text}\n{out}{err}");
    shown("lib.shop:prices  ready");
    shown("(tmp_path / \"prices.csv\").write_text(\"lamp,3\\nbook,12\\n\")");
    shown("monkeypatch.chdir(tmp_path)");
    shown("assert prices(\"prices.csv\") == {\"lamp\": \"3\", \"book\": \"12\"}");
    shown("lib.shop:settings  ready");
    shown("assert settings(tmp_path / \"settings.json\") == \"grün\"");
    shown("lib.shop:names  ready");
    shown("lib.shop:greeting  ready");
    shown("monkeypatch.setenv(\"SHOP_GREETING\", \"Good evening\")");
}

/// R17, R18: what follows chance or the clock is held still; what differs all the same is left open, for a person to see.
#[test]
fn what_follows_chance_or_the_clock_is_held_still_or_left_open() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    place.save("lib/shop.py", SHOP);
    place.save("main.py", USE);
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen"]);
    let of = |name: &str| -> &str {
        let begin = out.find(&format!("lib.shop:{name}  ")).unwrap_or_else(|| panic!("{name}: {out}{err}"));
        let rest = &out[begin..];
        rest.find("\n#").map_or(rest, |end| &rest[..end])
    };
    for (name, said) in [
        ("discount", "random.seed(0)"),
        ("order_number", "monkeypatch.setattr(\"os.urandom\", bytes)"),
        ("order_number", "assert order_number(\"A\") == \"A-00000000-0000-4000-8000-000000000000\""),
        ("age", "400 days later"),
        ("stamped", "400 days later"),
        ("ticket", "== {\"text\": \"x\", \"code\": ANY}"),
        ("ticket", "[\"code\"]) is str"),
        ("ticket", "left open"),
    ] {
        let draft = of(name);
        assert!(draft.starts_with(&format!("lib.shop:{name}  ready")) && draft.contains(said), "{draft}");
    }
}

/// A project, and the Python of an environment of its own that has, beside pytest, one of the folders below `.venv/clocks`.
fn with_clock(clock: &str) -> (Place, String) {
    let place = Place::empty();
    let python = crate::harness::environment_with(&[&format!("clocks/{clock}")]);
    place.save("lib/__init__.py", "");
    let day = "def day(text):\n    return text + str(datetime.date.today())\n";
    let core = format!("import datetime\n\n\ndef age(year):\n    return datetime.date.today().year - year\n\n\n{day}");
    place.save("lib/core.py", &core);
    place.save("main.py", "from lib import core\n\ncore.age(1990)\ncore.day('on ')\n");
    (place, python)
}

/// R17: the clock is held by what the project has for it, and the tests pass by plain pytest in every time zone.
#[test]
fn the_clock_is_held_by_what_the_project_has() {
    for (clock, lines) in [
        ("time-machine", &["def test_age(time_machine):", "    time_machine.move_to(datetime.datetime("][..]),
        ("freezegun", &["import freezegun\n", "@freezegun.freeze_time(\""]),
    ] {
        let (place, python) = with_clock(clock);
        if clock == "freezegun" {
            place.save("tests/test_core.py", "import freezegun\n\n\ndef test_it():\n    assert freezegun\n");
        }
        let (code, _, err) = place.run(&["--trust", "--python", &python, "run", "--", "main.py"]);
        assert_eq!(code, 0, "{err}");
        let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
        assert!(code == 0 && out.contains("lib.core:age  ready") && out.contains("✓ can fail"), "{clock}: {out}{err}");
        let text = place.read("tests/pytead/test_pytead_lib__core.py");
        for line in lines {
            assert!(text.contains(line), "{clock}: {line}: {text}");
        }
        for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"] {
            let mut pytest = Command::new(&python);
            pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/pytead"]).current_dir(place.root());
            let done = pytest.env("PYTHONPATH", place.root()).env("TZ", zone).output().unwrap();
            assert!(done.status.success(), "{clock}, {zone}: {}", String::from_utf8_lossy(&done.stdout));
        }
    }
}

const REMOTE: &str = r#"
import asyncio
import json
import subprocess
import sys

# Leaves a trace of each time that it runs.
ASK = [sys.executable, "-c", "import sys; open('asked.log', 'a').write('x'); print(sys.argv[1])"]


class Down(Exception):
    pass


def version(tool, *, short=False, tries=1):
    return subprocess.check_output([*ASK, "3"], text=True).strip()


def answer_of(word):
    text = subprocess.check_output([*ASK, word.upper()], text=True).strip()
    if word == "nothing":
        raise Down(word)
    return text


def retried(function):
    def wrapper(*args):
        return function(*args)

    return wrapper


@retried
def again(word):
    return subprocess.check_output([*ASK, word], text=True).strip()


class Service:
    def __init__(self, home):
        self.home = home

    def ask(self, key):
        return json.loads(subprocess.check_output([*ASK, json.dumps({key: "ada"})], text=True))

    def name(self):
        return self.ask("name")["name"].title()

    def short(self):
        return answer_of("a")

    async def later(self, number):
        process = await asyncio.create_subprocess_exec(*ASK, str(number), stdout=subprocess.PIPE)
        return int((await process.communicate())[0])


class Link:
    def __init__(self):
        self.up = subprocess.run([*ASK, "up"], capture_output=True).returncode == 0
"#;

const LOGIC: &str = r#"
import random
from concurrent.futures import ThreadPoolExecutor

from lib import version
from lib.api import version as known_version
from lib.remote import Down, Link, Service, again, answer_of as answer


def label(name):
    return f"{name} {version('py', short=True)}"


def both():
    # The same function by two names.
    return Service("here").short() + answer("b")


def shout(words):
    return [answer(word) for word in words]


def safely(word):
    try:
        return answer(word)
    except Down:
        return "down"


def greet(service):
    return "Hello " + service.name()


async def total(service):
    return await service.later(1) + await service.later(2)


def known():
    return known_version("py") + late()


def late():
    from lib.remote import answer_of

    return answer_of("late")


def tried(word):
    return again(word)


def spread(words):
    with ThreadPoolExecutor(1) as pool:
        return list(pool.map(answer, words))


def guess():
    return answer("x") + str(random.randrange(10**6))


def link():
    return Link().up
"#;

const ASK: &str = r#"
import asyncio

from lib import logic
from lib.remote import Service

logic.label("x"), logic.shout(["a", "b"]), logic.safely("nothing"), logic.greet(Service("here"))
asyncio.run(logic.total(Service("there")))
logic.guess(), logic.link(), logic.both(), logic.known(), logic.late(), logic.spread(["a"]), logic.tried("t")
"#;

/// R17: what left the process gives what it gave, once more, and the functions above it are tested; nothing is asked again, not
/// even by a test that would pass without the answer.
#[test]
fn what_left_the_process_has_a_stand_in() {
    let place = Place::empty();
    place.save("lib/__init__.py", "from lib.remote import version as version\n");
    place.save("lib/api.py", "from .remote import *\n");
    place.save("lib/remote.py", REMOTE);
    place.save("lib/logic.py", LOGIC);
    place.save("main.py", ASK);
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, err) = place.run(&["--trust", "gen", "--accept"]);
    let logic = place.read("tests/pytead/test_pytead_lib__logic.py");
    for line in [
        // By a name that a package exports, by an alias, by a method; awaited; several times.
        "monkeypatch.setattr(\"lib.logic.version\", version)",
        "assert label(\"x\") == \"x 3\"",
        "version.assert_called_once_with(\"py\", short=True)",
        "answer = Mock(side_effect=[\"A\", \"B\"])",
        "monkeypatch.setattr(\"lib.logic.answer\", answer)",
        "assert answer.call_args_list == [call(\"a\"), call(\"b\")]",
        "ask = Mock(return_value={\"name\": \"ada\"})",
        "monkeypatch.setattr(\"lib.remote.Service.ask\", ask)",
        "ask.assert_called_once_with(\"name\")",
        "later = AsyncMock(side_effect=[1, 2])",
        "assert later.await_args_list == [call(1), call(2)]",
        "side_effect=Down(\"nothing\")",
        // Beside what else is held still.
        "random.seed(0)",
        "assert guess() == \"X885440\"",
        "monkeypatch.setattr(\"lib.remote.answer_of\", answer_of)",
        "assert both() == \"AB\"",
        // By way of others, inside of a function, and as a decorator made it.
        "monkeypatch.setattr(\"lib.logic.known_version\", known_version)",
        "assert known() == \"3LATE\"",
        "monkeypatch.setattr(\"lib.logic.again\", again)",
        "assert tried(\"t\") == \"t\"",
        "assert safely(\"nothing\") == \"down\"",
    ] {
        assert!(logic.contains(line), "{line}\n{logic}\n{out}{err}");
    }
    assert!(out.contains("stand-in  lib.logic.version gives what was recorded"), "{out}");
    for (function, why) in [
        ("lib.remote:version", "starts a process"),
        ("lib.logic:spread", "tried to use subprocess.Popen, which replays block"),
        ("lib.logic:link", "calls lib.remote:Link.__init__, which uses other programs"),
    ] {
        let (_, out, err) = place.run(&["--trust", "gen", "--why", function]);
        assert!(out.contains(why), "{function}: {why}\n{out}{err}");
    }
    std::fs::remove_file(place.root().join("asked.log")).unwrap();
    let mut pytest = Command::new(crate::harness::python_with_pytest());
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/pytead"]).current_dir(place.root());
    let done = pytest.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    assert!(!place.root().join("asked.log").exists(), "a test asked again");
    // What an edit changes is found with the same answers.
    place.edit("lib/logic.py", "{name} {version", "{name}: {version");
    let (_, shown, err) = place.run(&["--trust", "replay"]);
    assert!(shown.contains("old  → 'x 3'\n") && shown.contains("new  → 'x: 3'\n"), "{shown}{err}");
    assert!(!place.root().join("asked.log").exists(), "the replay asked again");
    // Nor does it pass unseen that more is asked than was recorded.
    place.edit("lib/logic.py", "{name}: {version", "{version('py')}{name} {version");
    let (_, shown, err) = place.run(&["--trust", "replay"]);
    assert!(shown.contains("LookupError('version is asked more often than when it was recorded')"), "{shown}{err}");
}

const MEMORY: &str = r#"
from lib.remote import answer_of


def remembering(function):
    seen = {}

    def remembered(word):
        if word not in seen:
            seen[word] = function(word)
        return seen[word]

    return remembered


@remembering
def known(word):
    return answer_of(word)


def once(word):
    return known(word) + "!"
"#;

/// R19: what one test has the code remember is not asked in another one, where nobody sees what it remembers: drafts that say what
/// was asked are tried with all others in both orders, whenever they were proved.
#[test]
fn drafts_that_say_what_was_asked_pass_in_each_order() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    place.save("lib/remote.py", REMOTE);
    place.save("lib/memory.py", MEMORY);
    place.save("main.py", "from lib import memory\n\nmemory.once('ada')\n");
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    for function in ["lib.memory:once", "lib.memory:known"] {
        let (code, out, err) = place.run(&["--trust", "gen", "--accept", function]);
        assert!(code == 0 || function.ends_with("known"), "{out}{err}");
    }
    let file = "tests/pytead/test_pytead_lib__memory.py";
    let text = place.read(file);
    let tests: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("def ")?.split_once('('))
        .map(|(name, _)| format!("{file}::{name}"))
        .collect();
    assert!(!tests.is_empty(), "{text}");
    for order in [tests.clone(), tests.into_iter().rev().collect()] {
        let mut pytest = Command::new(crate::harness::python_with_pytest());
        pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).args(&order).current_dir(place.root());
        let done = pytest.output().unwrap();
        assert!(done.status.success(), "{order:?}: {}", String::from_utf8_lossy(&done.stdout));
    }
}

/// Calls that differ in the temporary folder alone are one test: `tmp_path` stands for each of their folders.
#[test]
fn calls_in_other_temporary_folders_are_one_test() {
    let place = Place::empty();
    place.save("lib/__init__.py", "");
    place.save(
        "lib/paths.py",
        "import os\n\n\ndef expand(path, home=None):\n    if not path:\n        return None\n    return os.path.join(home or '', path)\n",
    );
    place.save(
        "main.py",
        "import tempfile\nfrom lib import paths\n\nfor name in ('a', 'much-longer-than-the-first', 'b-c'):\n    \
         folder = tempfile.mkdtemp(prefix=name)\n    paths.expand(folder + '/cache.db')\n    paths.expand(folder + '/*')\n",
    );
    let (code, _, err) = place.run(&["--trust", "run", "--", "python3", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = place.run(&["--trust", "gen", "lib.paths:expand"]);
    assert_eq!(code, 0, "{out}{err}");
    let shown = |part: &str| out.lines().filter(|line| line.starts_with('+') && line.contains(part)).count();
    assert!(shown("tmp_path / \"*\"") > 0 && shown("tmp_path / \"cache.db\"") > 0, "{out}");
    assert_eq!(shown("expand(str(tmp_path / \"*\"))"), 1, "{out}");
    assert_eq!(shown("expand(str(tmp_path / \"cache.db\"))"), 1, "{out}");
}
