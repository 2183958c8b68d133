//! Edits that leave the result of each call alone, or that no function names: each is told, or said not to be compared. Nothing
//! is taken for unchanged because nobody looked.

use crate::harness::Place;

const STATE: &str = "import contextvars, os\n\nSEEN = {}\ncount = 0\ncurrent = contextvars.ContextVar('current', default=0)\n_memo = {}\n\n\n\
class Maker:\n    made = 0\n\n\ndef note(name, by):\n    global count\n    SEEN[name] = by\n    count += by\n    current.set(by)\n    Maker.made += by\n    \
os.environ['APP_MODE'] = name\n\n\ndef double(number):\n    if number not in _memo:\n        _memo[number] = number * 2\n    return _memo[number]\n";
const KINDS: &str = "import enum\n\n\nclass Kind(enum.Enum):\n    A = 'a'\n\n\nclass Rate:\n    BASE = 2\n\n\nclass Sub(Rate):\n    pass\n\n\n\
class Holder:\n    def __init__(self, rate):\n        self.rate = rate\n";
const USES: &str = "def label(kind):\n    return kind.value + '!'\n\n\ndef price(rate, number):\n    return rate.BASE * number\n\n\n\
def total(holder):\n    return holder.rate.BASE\n\n\ndef check(number):\n    if number < 0:\n        raise ValueError('negative')\n    return number\n";
const HOOKS: &str = "NAMES = []\n\n\nclass Base:\n    def __init_subclass__(cls):\n        NAMES.append(cls.__name__)\n\n\n\
class Meta(type):\n    def __init__(cls, name, bases, space):\n        super().__init__(name, bases, space)\n        NAMES.append(name + ' made')\n";
const DEFINES: &str = "import hooks\n\n\nclass One(hooks.Base):\n    pass\n\n\nclass Two(metaclass=hooks.Meta):\n    pass\n\n\n\
def names():\n    return list(hooks.NAMES)\n";
const LOADS: &str = "import importlib\nimport pkgutil\n\nimport plugs\n\n\n\
def load():\n    return [importlib.import_module('plugs.' + one.name).NAME for one in pkgutil.iter_modules(plugs.__path__)]\n";
const TEST: &str = "import defines, kinds, loads, state, uses\n\n\ndef test_state():\n    state.note('x', 2)\n    assert state.double(4) == 8\n\n\n\
def test_uses():\n    assert uses.label(kinds.Kind.A) == 'a!'\n    assert uses.price(kinds.Sub(), 3) == 6\n    \
assert uses.total(kinds.Holder(kinds.Rate())) == 2\n    assert uses.check(1) == 1\n\n\n\
def test_names():\n    assert len(defines.names()) == 2\n\n\ndef test_load():\n    assert loads.load()[0] == 'a'\n";

const REGISTRY: &str = "COMMANDS = {}\n\n\ndef command(function):\n    COMMANDS[function.__name__] = function\n    return function\n\n\n\
class Base:\n    pass\n\n\nclass One(Base):\n    pass\n\n\n\
@command\ndef build():\n    \"\"\"Build it.\"\"\"\n    return 1\n\n\ndef check_name():\n    return True\n";
const LOOKS: &str = "import functools, inspect\nimport registry\n\n\n\
def commands():\n    return sorted(registry.COMMANDS)\n\n\n\
def checks():\n    return [name for name in dir(registry) if name.startswith('check_')]\n\n\n\
def members():\n    return [name for name, _ in inspect.getmembers(registry, inspect.isfunction)]\n\n\n\
def kinds():\n    return sorted(kind.__name__ for kind in registry.Base.__subclasses__())\n\n\n\
def usage():\n    return registry.build.__doc__\n\n\n\
class Handler:\n    def other(self):\n        return 'other'\n\n    def run(self, name):\n        return getattr(self, 'on_' + name, self.other)()\n\n\n\
def handled(handler, name):\n    return hasattr(handler, 'on_' + name)\n\n\n\
@functools.singledispatch\ndef show(value):\n    return 'any'\n";
const LOOKS_TEST: &str = "import looks\n\n\ndef test_all():\n    assert looks.commands() and looks.checks() and looks.members() and looks.kinds() and looks.usage()\n    \
assert looks.Handler().run('a')\n    looks.handled(looks.Handler(), 'b')\n    assert looks.show('text')\n";

fn recorded() -> Place {
    let modules = [("state.py", STATE), ("kinds.py", KINDS), ("uses.py", USES), ("hooks.py", HOOKS), ("defines.py", DEFINES)];
    let plugs = [("plugs/__init__.py", ""), ("plugs/a.py", "NAME = 'a'\n"), ("loads.py", LOADS), ("test_all.py", TEST)];
    recorded_of(modules.into_iter().chain(plugs))
}

fn recorded_of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Place {
    let place = Place::empty();
    for (path, text) in files {
        place.save(path, text);
    }
    let (code, out, err) = place.run(&["--trust", "run", "--", "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    assert_eq!(code, 0, "{out}{err}");
    place
}

/// Edits a file, says what `replay` says then, and takes the edit back.
fn told(place: &Place, path: &str, old: &str, new: &str) -> (i32, String) {
    let before = place.read(path);
    place.edit(path, old, new);
    let (code, out, err) = place.run(&["--trust", "replay"]);
    place.save(path, &before);
    (code, out + &err)
}

#[test]
fn what_an_edit_does_elsewhere_than_in_results_is_told() {
    let place = recorded();
    for (path, old, new, says) in [
        ("state.py", "SEEN[name] = by", "SEEN[name] = by + 1", "state of state.SEEN"),
        ("state.py", "count += by", "count += by * 2", "state of state.count"),
        ("state.py", "current.set(by)", "current.set(-by)", "state of state.current"),
        ("state.py", "Maker.made += by", "Maker.made -= by", "state of state.Maker"),
        ("state.py", "= name", "= name + '!'", "environment"),
        ("state.py", "    SEEN[name] = by\n", "", "state of state.SEEN"),
        ("kinds.py", "A = 'a'", "A = 'b'", "uses:label"),
        ("kinds.py", "BASE = 2", "BASE = 3", "uses:price"),
        ("kinds.py", "BASE = 2", "BASE = 4", "uses:total"),
        ("kinds.py", "class Sub(Rate):\n    pass", "class Sub(Rate):\n    BASE = 5", "uses:price"),
        ("hooks.py", "NAMES.append(cls.__name__)", "NAMES.insert(0, cls.__name__ * 2)", "defines:names"),
        ("hooks.py", "name + ' made'", "name + ' is made'", "defines:names"),
        ("plugs/a.py", "NAME = 'a'", "NAME = 'b'", "loads:load"),
    ] {
        let (code, said) = told(&place, path, old, new);
        assert!(code == 1 && said.contains(says), "{path}: {old} to {new}, {says}: {code} {said}");
    }
    place.save("plugs/b.py", "NAME = 'b'\n");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 1 && out.contains("loads:load"), "a module more in a folder that a call listed: {code} {out}{err}");
}

#[test]
fn other_ways_to_the_same_end_are_no_change_and_lines_that_nobody_ran_are_not_compared() {
    let place = recorded();
    for (path, old, new) in [
        ("state.py", "count += by", "count = count + by"),
        ("state.py", "number * 2", "number + number"),
        ("hooks.py", "NAMES.append(cls.__name__)", "NAMES.append(str(cls.__name__))"),
        ("uses.py", "number < 0", "0 > number"),
    ] {
        let (code, said) = told(&place, path, old, new);
        assert_eq!(code, 0, "{path}: {old} to {new}: {said}");
    }
    let without_memo = "import functools\n\n\n@functools.cache\ndef double(number):\n    return number * 2\n";
    let (start, end) = (STATE.find("def double").unwrap(), STATE.len());
    let (code, said) = told(&place, "state.py", &STATE[start..end], without_memo);
    assert_eq!(code, 0, "a private cache that is gone is nobody's: {said}");
    let (code, said) = told(&place, "uses.py", "'negative'", "'below zero'");
    assert!(code == 4 && said.contains("? uses:check") && said.contains("no compared call runs edited line"), "{code} {said}");
}

#[test]
fn definitions_that_come_reach_the_calls_that_look_for_them() {
    let place = recorded_of([("registry.py", REGISTRY), ("looks.py", LOOKS), ("test_looks.py", LOOKS_TEST)]);
    for (path, old, new, says, because) in [
        (
            "registry.py",
            "def check_name",
            "@command\ndef clean():\n    return 2\n\n\ndef check_name",
            "looks:commands",
            "registry:clean",
        ),
        (
            "registry.py",
            "def check_name",
            "def check_size():\n    return 2\n\n\ndef check_name",
            "looks:checks",
            "registry:check_size",
        ),
        ("registry.py", "def check_name", "def other():\n    return 2\n\n\ndef check_name", "looks:members", "registry:other"),
        ("registry.py", "class One", "class Two(Base):\n    pass\n\n\nclass One", "looks:kinds", "registry"),
        ("registry.py", "Build it.", "Build all of it.", "looks:usage", "because registry:build in registry.py"),
        (
            "looks.py",
            "    def run",
            "    def on_a(self):\n        return 'a'\n\n    def run",
            "looks:Handler.run",
            "looks:Handler.on_a",
        ),
        (
            "looks.py",
            "    def run",
            "    def on_b(self):\n        return 'b'\n\n    def run",
            "looks:handled",
            "looks:Handler.on_b",
        ),
        (
            "looks.py",
            "    return 'any'\n",
            "    return 'any'\n\n\n@show.register\ndef _(value: str):\n    return 'str'\n",
            "looks:show",
            "looks:_",
        ),
    ] {
        let (code, said) = told(&place, path, old, new);
        assert!(
            code == 1 && said.contains(says) && said.contains(because),
            "{path}: {new}, {says} because {because}: {code} {said}"
        );
    }
    for (path, old, new) in [
        ("registry.py", "    return 1\n", "    return 1\n\n\nclass Lonely:\n    pass\n"),
        ("looks.py", "    def other", "    def unused(self):\n        return 1\n\n    def other"),
        ("registry.py", "    return True\n", "    \"\"\"Tell whether it is.\"\"\"\n    return True\n"),
    ] {
        let (code, said) = told(&place, path, old, new);
        assert!(code == 0, "{path}: {new}: {code} {said}");
    }
}

const LARGE: &str = "def fill(n):\n    made = list(range(n))\n    made[-1] = 5\n    return made\n\n\n\
def mark(items):\n    items[-1] = 5\n\n\ndef _half(x):\n    return x / 2\n\n\ndef mean(a, b):\n    return _half(a + b)\n\n\n\
class Cart:\n    def __init__(self):\n        self._n = 0\n\n    def add(self):\n        self._n += 1\n        return self._n\n\n\n\
def filled():\n    cart = Cart()\n    return cart.add() + cart.add()\n";
const RATES: &str = "RATES = {}\nLANGUAGE = ['en']\nGREETINGS = {'en': 'hello', 'fr': 'salut'}\n\n\n\
def register(name, rate):\n    RATES[name] = rate\n\n\ndef price(name, x):\n    return RATES[name] * x\n\n\n\
def greet():\n    return GREETINGS[LANGUAGE[0]]\n";
const PLUG: &str = "from rates import RATES, register\n\nregister('eu', 3)\nRATES['us'] = 2\n";
const LARGE_TEST: &str = "import large, plug, rates\n\n\n\
def test_large():\n    assert len(large.fill(3000)) == 3000\n    held = list(range(3000))\n    large.mark(held)\n    assert held[-1]\n    \
assert large.mean(1, 3) == 2\n    assert large.filled() == 3\n\n\n\
def test_prices():\n    assert rates.price('eu', 2) and rates.price('us', 2)\n\n\ndef test_english():\n    assert rates.greet() == 'hello'\n\n\n\
def test_french():\n    rates.LANGUAGE[0] = 'fr'\n    assert rates.greet()\n    rates.LANGUAGE[0] = 'en'\n";

#[test]
fn what_lies_beyond_the_limits_of_a_recording_is_compared_all_the_same() {
    let files = [("large.py", LARGE), ("rates.py", RATES), ("plug.py", PLUG), ("test_large.py", LARGE_TEST)];
    let place = recorded_of(files);
    for (path, old, new, says) in [
        ("large.py", "made[-1] = 5", "made[-1] = 6", "large:fill"),
        ("large.py", "    items[-1] = 5", "    items[-1] = 6", "large:mark"),
        ("plug.py", "register('eu', 3)", "register('eu', 4)", "rates:price"),
        ("plug.py", "RATES['us'] = 2", "RATES['us'] = 4", "rates:price"),
        ("rates.py", "'salut'", "'bonjour'", "rates:greet"),
    ] {
        let (code, said) = told(&place, path, old, new);
        assert!(code == 1 && said.contains(says), "{path}: {old} to {new}, {says}: {code} {said}");
    }
}

#[test]
fn a_helper_that_is_inlined_and_an_attribute_with_another_name_are_no_change() {
    let place = recorded_of([("large.py", LARGE), ("rates.py", RATES), ("plug.py", PLUG), ("test_large.py", LARGE_TEST)]);
    place.edit("large.py", "def _half(x):\n    return x / 2\n\n\n", "");
    let (code, said) = told(&place, "large.py", "_half(a + b)", "(a + b) / 2");
    assert!(code == 0 && said.contains("Gone, compared through callers: large:_half"), "{code} {said}");
    let (code, said) = told(&place, "large.py", "_half(a + b)", "(a + b) / 4");
    assert!(code == 1 && said.contains("large:mean"), "{code} {said}");

    place.save("large.py", LARGE);
    let (code, said) = told(&place, "large.py", LARGE, &LARGE.replace("self._n", "self._count"));
    assert!(code == 0 || code == 4, "{code} {said}");
    assert!(!said.contains("AttributeError"), "{said}");
}

const PRICES: &str = "import os\n\nRATE = 2\nTAX = 5\nUNIT = 'eur'\nALL = [RATE]\n\n\n\
def price(number):\n    return number * helper()\n\n\ndef helper():\n    return 10 + len(UNIT)\n\n\n\
def tax(number):\n    return number * TAX\n";

/// What was compared of a module says nothing of a value that no compared call reads.
#[test]
fn a_value_of_a_module_is_compared_by_those_that_read_it() {
    let test = "import prices\n\n\ndef test_price():\n    assert prices.price(2) == 26\n";
    let place = recorded_of([
        ("prices.py", PRICES),
        ("test_prices.py", test),
        ("other.py", "import prices\n\n\ndef unit():\n    return prices.UNIT\n"),
    ]);
    for (old, new, code, says) in [
        ("TAX = 5", "TAX = 6", 4, "import-time code of prices was edited and not compared"),
        ("UNIT = 'eur'", "UNIT = 'euro'", 1, "prices:price"),
        ("UNIT = 'eur'", "UNIT = 'usd'", 0, "0 not compared"),
        ("RATE = 2", "RATE = 3", 0, "0 not compared"),
        ("import os\n", "", 0, "0 not compared"),
    ] {
        let (ended, said) = told(&place, "prices.py", old, new);
        assert!(ended == code && said.contains(says), "{old} to {new}, {says}: {ended} {said}");
    }
}

const CLIENT: &str = "def notify(client, name):\n    client.send('hi ' + name, times=2)\n\n\n\
def order(gateway, amount):\n    if gateway.charge(amount) is not None:\n        gateway.log.info('charged %s', amount)\n    return True\n";
const CLIENT_TEST: &str = "from unittest import mock\n\nimport client\n\n\n\
def test_notify():\n    client.notify(mock.MagicMock(), 'ada')\n\n\ndef test_order():\n    assert client.order(mock.Mock(), 5)\n";

#[test]
fn what_mocks_are_called_with_is_compared_though_no_test_asserts_it() {
    let place = recorded_of([("client.py", CLIENT), ("test_client.py", CLIENT_TEST)]);
    for (old, new, code, says) in [
        ("'hi '", "'hello '", 1, "client.mock_calls[0]: call.send('hi ada', times=2) → call.send('hello ada', times=2)"),
        ("times=2", "times=3", 1, "call.send('hi ada', times=3)"),
        ("log.info", "log.debug", 1, "call.log.debug('charged %s', 5)"),
        ("charge(amount)", "charge(amount=amount)", 1, "call.charge(amount=5)"),
        ("'hi ' + name", "f'hi {name}'", 0, "0 not compared"),
    ] {
        let (ended, said) = told(&place, "client.py", old, new);
        assert!(ended == code && said.contains(says), "{old} to {new}, {says}: {ended} {said}");
    }
}
