//! Recorded calls are made again the way the program made them: an edit that changes what the program does is told, and a
//! refactoring is silent.

use crate::harness::Place;

const SHOP: &str = r#"import functools
import itertools

RATE = 2


def fee(x, times=3, *, plus=0):
    return x * RATE * times + plus


def named(x, note="a"):
    return f"{x}{note}"


class Acc:
    def __init__(self, n, step=1):
        self.n = n
        self.step = step

    def double(self, by=2):
        return self.n * by

    @property
    def size(self):
        return self.n


class Sub(Acc):
    pass


def first(items, n):
    return itertools.islice(items, n)


def views(held):
    return held.keys(), map(str, held.values())


@functools.singledispatch
def show(x):
    return f"obj {x}"


@show.register
def _(x: int):
    return f"int {x}"


@show.register(list)
def _(x):
    return f"list {len(x)}"
"#;

const MAIN: &str = "from shop import *\n\nfee(3), named('b', note='c'), Acc(2).double(), Sub(3).double(), Acc(4).size\n\
                    list(first([1, 2, 3], 2)), views({'a': 1}), show('x'), show(3), show([1])\n";

fn recorded() -> Place {
    let place = Place::empty();
    place.save("pyproject.toml", "");
    place.save("shop.py", SHOP);
    place.save("main.py", MAIN);
    place.commit();
    let (code, _, err) = place.run(&["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
    place
}

/// Says what a replay tells of an edit, and takes the edit back.
fn after(place: &Place, files: &[(&str, String)]) -> (i32, String) {
    for (path, text) in files {
        place.save(path, text);
    }
    let (code, out, err) = place.run(&["--trust", "replay"]);
    place.save("shop.py", SHOP);
    place.save("main.py", MAIN);
    (code, format!("{out}{err}"))
}

fn edited(old: &str, new: &str) -> Vec<(&'static str, String)> {
    assert!(SHOP.contains(old), "{old}");
    vec![("shop.py", SHOP.replace(old, new))]
}

#[test]
fn what_changes_the_program_is_told() {
    let place = recorded();
    let plus = "def plus(f):\n    return lambda *a, **k: f(*a, **k) + 1\n\n\n";
    let added = |text: &str| vec![("shop.py", format!("{SHOP}{text}"))];
    for (name, files) in [
        ("fee", edited("times=3", "times=4")),
        ("fee", edited("plus=0", "plus=1")),
        ("double", edited("by=2", "by=3")),
        ("__init__", edited("step=1", "step=2")),
        ("fee", edited("def fee", &format!("{plus}@plus\ndef fee"))),
        (
            "double",
            edited("class Acc:", &format!("{plus}class Acc:"))
                .into_iter()
                .map(|(path, text)| (path, text.replace("    def double", "    @plus\n    def double")))
                .collect(),
        ),
        ("fee", edited("def fee", "async def fee")),
        ("fee", added("\n\ndef fee(x):\n    return -x\n")),
        ("fee", edited("fee(x, ", "fee(*, x, ")),
        ("fee", edited("fee(x, ", "fee(x, y, ")),
        ("named", edited("note=\"a\"):\n    return f\"{x}{note}\"", "text=\"a\"):\n    return f\"{x}{text}\"")),
        ("double", edited("class Sub(Acc):\n    pass", "class Sub(Acc):\n    def double(self):\n        return -1")),
        ("size", edited("    @property\n", "")),
        ("first", edited("islice(items, n)", "islice(items, n + 1)")),
        ("views", edited("map(str", "map(float")),
        ("shop:_", edited("int {x}", "INT {x}")),
        ("shop:_", edited("list {len(x)}", "LIST {len(x)}")),
    ] {
        let (code, told) = after(&place, &files);
        assert!(code == 1 && told.contains(name), "{name} ends with {code}:\n{told}\n{}", files[0].1);
    }
}

#[test]
fn a_refactoring_is_silent() {
    let place = recorded();
    let fee = SHOP.split("def fee").nth(1).and_then(|rest| rest.split("\n\n\n").next()).unwrap();
    let fee = format!("def fee{fee}\n");
    let class = SHOP.find("class Acc").unwrap()..SHOP.find("def first").unwrap();
    for (what, files) in [
        ("nothing", vec![]),
        ("a comment", edited("def fee", "# hm\ndef fee")),
        (
            "a function moved",
            vec![
                ("fees.py", format!("RATE = 2\n\n\n{fee}")),
                ("shop.py", SHOP.replace(fee.as_str(), "").replace("RATE = 2", "from fees import RATE, fee")),
            ],
        ),
        (
            "classes moved",
            vec![
                ("acc.py", SHOP[class.clone()].to_owned()),
                ("shop.py", SHOP.replace(&SHOP[class], "").replace("RATE = 2", "RATE = 2\nfrom acc import Acc, Sub")),
            ],
        ),
        (
            "a method pulled up",
            vec![(
                "shop.py",
                SHOP.replace("class Acc:", "class Base:")
                    .replace("class Sub(Acc)", "class Acc(Base):\n    pass\n\n\nclass Sub(Acc)"),
            )],
        ),
        (
            "a parameter renamed",
            edited("def fee(x, times=3, *, plus=0):\n    return x *", "def fee(y, times=3, *, plus=0):\n    return y *"),
        ),
        (
            "a parameter renamed, and its caller",
            vec![
                ("shop.py", SHOP.replace("note=\"a\"):\n    return f\"{x}{note}\"", "text=\"a\"):\n    return f\"{x}{text}\"")),
                ("main.py", MAIN.replace("note=", "text=")),
            ],
        ),
        ("what nobody gives", edited("plus=0):", "plus=0, more=None):")),
    ] {
        let (code, told) = after(&place, &files);
        assert!(code == 0 && !told.contains("cannot be"), "{what} ends with {code}:\n{told}");
    }
}

#[test]
fn a_call_of_another_kind_is_no_difference_to_a_commit() {
    let place = Place::empty();
    place.save("pyproject.toml", "");
    let core = "class Token:\n    def __init__(self, text):\n        self.text = text\n\n\ndef quoted(text):\n    return text[0] + \
                text[-1]\n\n\ndef check(text):\n    return quoted(text)\n";
    place.save("core.py", core);
    place.save("main.py", "from core import *\nprint(check('ab'), check('b'))\n");
    place.commit();
    place.save(
        "core.py",
        &core
            .replace("(text):\n    return text[0] + text[-1]", "(token):\n    return token.text[0] + token.text[-1]")
            .replace("quoted(text)\n", "quoted(Token(text))\n"),
    );
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    let (code, out, err) = place.run(&["--trust", "diff"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!out.contains("TypeError") && !out.contains("no longer raises"), "{out}");
}

#[test]
fn tests_leave_out_what_the_program_left_out_and_call_the_dispatching_function() {
    let place = recorded();
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let tests = place.read("tests/pytead/test_pytead_shop.py");
    for call in ["fee(3)", "named(\"b\", ", "show(3)", "show([1])"] {
        assert!(tests.contains(call), "{call}:\n{tests}");
    }
    assert!(!tests.contains(" _("), "{tests}");
}
