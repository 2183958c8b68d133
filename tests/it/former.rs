//! The predecessor's command line, settings and traces on the real binary: what people typed still works.

use crate::harness::Place;

/// Two functions, a method, and a module that is found only with `lib` on the path.
fn project() -> Place {
    let place = Place::empty();
    place.save("pyproject.toml", "");
    place.save(
        "mymodule.py",
        "def multiply(a, b):\n    return a * b\n\n\ndef other(a):\n    return -a\n\n\nclass Cart:\n    def __init__(self, rate):\n        self.rate = rate\n\n    def total(self, n):\n        return self.rate * n\n",
    );
    place.save("lib/extra.py", "def twice(text):\n    return text * 2\n");
    place.save(
        "main.py",
        "import mymodule\nfor n in range(20):\n    mymodule.multiply(n, 3)\nmymodule.other(1)\nmymodule.Cart(2).total(3)\n",
    );
    place
}

fn exported(place: &Place, recording: &str) -> String {
    place.run(&["export", recording]).1
}

#[test]
fn functions_named_before_the_dashes_are_recorded_and_no_others() {
    let place = project();
    let (code, _, err) =
        place.run(&["--trust", "run", "mymodule.multiply", "mymodule.Cart.total", "--limit", "2", "--", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let calls = exported(&place, "1");
    assert!(calls.contains("multiply(0, 3) → 0") && calls.contains("Cart.total"), "{calls}");
    assert!(!calls.contains("other"), "{calls}");
    assert_eq!(calls.matches("multiply").count(), 2, "two calls, whatever their shapes: {calls}");
    let (code, _, err) = place.run(&["--trust", "run", "mymodule.missing", "--", "main.py"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("No function mymodule.missing"), "{err}");
}

#[test]
fn trace2test_and_gentests_are_still_there() {
    let place = project();
    let (code, _, err) = place.run(&[
        "trace2test",
        "--trust",
        "--limit",
        "10",
        "--storage-dir",
        "call_logs",
        "mymodule.multiply",
        "--",
        "python3",
        "main.py",
    ]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("wrote 10 traces to call_logs."), "{err}");
    assert!(exported(&place, "1").contains("multiply") && !exported(&place, "1").contains("other"));
    let (code, out, err) = place.run(&["gentests", "--trust", "--calls-dir", "call_logs"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("10 traces of recordings that are here."), "{out}");
    let tests = place.read("tests/test_pytead_generated.py");
    assert!(tests.contains("multiply(") && !tests.contains("pytead"), "{tests}");
    // Under its own name, from a folder of programs.
    let link = place.home().join("gentests");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pytead-tui"), &link).unwrap();
    let output = std::process::Command::new(&link)
        .args(["--trust", "--output", "again.py"])
        .current_dir(place.root())
        .env_clear()
        .envs(place.environment())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(place.read("again.py"), tests);
}

#[test]
fn a_file_of_tests_from_another_checkout_gets_what_it_lacks_and_keeps_the_rest() {
    let place = project();
    place.save(
        "tests/test_all.py",
        "from mymodule import other\n\n\n# by hand\ndef test_other_by_hand():\n    assert other(3) == -3\n",
    );
    place.save("main.py", "import mymodule\nmymodule.multiply(2, 3)\n");
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    let write = |place: &Place| place.run(&["--trust", "gen", "-o", "tests/test_all.py"]);
    let (code, out, err) = write(&place);
    assert_eq!(code, 0, "{out}{err}");
    let first = place.read("tests/test_all.py");
    assert!(first.contains("# by hand\ndef test_other_by_hand():") && first.contains("multiply(2, 3) == 6"), "{first}");

    // The colleague has the file and no recording of it, and one function more.
    let other = project();
    other.save("tests/test_all.py", &first);
    other.save("main.py", "import mymodule\nmymodule.multiply(2, 3)\nmymodule.Cart(2).total(3)\n");
    assert_eq!(other.run(&["--trust", "run", "main.py"]).0, 0);
    let (code, out, err) = write(&other);
    assert_eq!(code, 0, "{out}{err}");
    let second = other.read("tests/test_all.py");
    assert!(second.contains("# by hand") && second.contains("total(3) == 6"), "{second}");
    assert_eq!(second.matches("multiply(2, 3)").count(), 1, "{second}");
    assert_eq!(write(&other).0, 0);
    assert_eq!(other.read("tests/test_all.py"), second, "and not twice");

    // What the file has otherwise stays, and is named.
    let edited = second.replace("multiply(2, 3) == 6", "multiply(2, 3) == 2 * 3");
    other.save("tests/test_all.py", &edited);
    let (code, out, err) = write(&other);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("tests/test_all.py has these tests with another text, and they stay: test_multiply"), "{out}");
    assert_eq!(other.read("tests/test_all.py"), edited);

    let before = other.read("mymodule.py");
    let (code, _, err) = other.run(&["--trust", "gen", "-o", "mymodule.py"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("holds no tests"), "{err}");
    assert_eq!(other.read("mymodule.py"), before);
}

#[test]
fn folders_of_the_old_flag_are_imported_from_by_the_program_and_its_tests() {
    let place = project();
    place.save("main.py", "import extra\nprint(extra.twice('ab'))\n");
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 1, "it is not found without");
    let (code, out, err) = place.run(&["--trust", "run", "--additional-sys-path", "lib", "--", "main.py"]);
    assert_eq!((code, out.as_str()), (0, "abab\n"), "{err}");
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(place.read("tests/pytead/test_pytead_extra.py").contains("twice(\"ab\")"), "{out}");
}

#[test]
fn tead_drafts_the_targets_alone_into_the_folder_that_was_named() {
    let place = project();
    let (code, _, err) = place.run(&["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = place.run(&[
        "--trust",
        "tead",
        "--only-targets",
        "--gen-formats",
        "pickle",
        "graph-json",
        "--output-dir",
        "tests/generated",
        "mymodule.multiply",
        "--format",
        "graph-json",
        "--",
        "main.py",
    ]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("--format names no storage any more.") && err.contains("--gen-formats is not used."), "{err}");
    let tests = place.read("tests/generated/test_pytead_mymodule.py");
    assert!(tests.contains("multiply(") && !tests.contains("other("), "{tests}");
}

#[test]
fn tests_in_a_folder_of_ones_own_can_be_called_by_the_file_alone() {
    let place = project();
    place.save("a/cart.py", "def one(x):\n    return x + 1\n");
    place.save("b/cart.py", "def two(x):\n    return x + 2\n");
    place.save("c/__init__.py", "def three(x):\n    return x + 3\n");
    place.save(
        "main.py",
        "import a.cart, b.cart, c, mymodule\na.cart.one(1)\nb.cart.two(1)\nc.three(1)\nmymodule.multiply(2, 3)\n",
    );
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    let (code, out, err) = place.run_with(&["--trust", "gen", "-d", "made"], &[("PYTEAD_OUTPUT_NAMING", "stem")]);
    assert_eq!(code, 0, "{out}{err}");
    let mut names: Vec<String> = std::fs::read_dir(place.root().join("made"))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("test_"))
        .collect();
    names.sort();
    let expected = ["test_c.py", "test_mymodule.py", "test_pytead_a__cart.py", "test_pytead_b__cart.py"];
    assert_eq!(names, expected, "two files of one name are told apart: {out}");
}

#[test]
fn the_folder_whose_classes_are_known_does_not_move_the_project() {
    let place = project();
    place.save("shop/db.py", "class Db:\n    def put(self, row):\n        return row\n");
    place.save(
        "shop/users.py",
        "from shop.db import Db\n\n\ndef add(db: Db, name):\n    \"\"\"Adds.\"\"\"\n    return db.put(name)\n",
    );
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    let settings = "model:\n  provider: here\nproviders:\n  here:\n    kind: openai\n    base_url: http://127.0.0.1:9/v1\n    model: m\nprompt:\n  template: trained\n";
    std::fs::write(folder.join("config.yaml"), settings).unwrap();
    let draft = |more: &[&str]| {
        let (code, out, err) = place.run(&[&["--trust", "draft", "shop.users:add", "--show-outgoing"], more].concat());
        (code, out + &err)
    };
    let (code, usual) = draft(&[]);
    assert!(code == 0 && usual.contains("from shop.users import add") && usual.contains("db.put(row)"), "{usual}");
    for folder in ["shop", ".", "lib"] {
        assert_eq!(draft(&["--scan-root", folder]), (0, usual.clone()), "{folder}");
    }
    let (code, said) = draft(&["--scan-root", ".."]);
    assert!(code == 2 && said.contains("is not in the project") && said.contains("--root"), "{said}");
    let (code, said) = draft(&["--scan-root", "nowhere"]);
    assert!(code == 2 && said.contains("There is no folder nowhere."), "{said}");
}

#[test]
fn old_traces_are_taken_in_once_and_again_when_they_are_newer() {
    let place = project();
    let trace = |args: &str, result: &str| {
        format!(
            "{{\"trace_schema\": \"pytead/v2-graph\", \"timestamp\": \"2026-11-20T16:09:44.293074+00:00\", \"func\": \"mymodule.multiply\", \"args_graph\": {args}, \"kwargs_graph\": {{}}, \"result_graph\": {result}}}"
        )
    };
    place.save("call_logs/mymodule_multiply__1.gjson", &trace("[2, 3]", "6"));
    let (code, out, err) = place.run(&["--trust", "gen", "-s", "call_logs", "-t", "mymodule.multiply", "--output", "one.py"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(place.read("one.py").contains("multiply(2, 3) == 6"), "{}", place.read("one.py"));
    let (_, out, _) = place.run(&["--trust", "gen", "-s", "call_logs"]);
    assert!(out.contains("taken in before"), "{out}");
    place.save("call_logs/mymodule_multiply__2.gjson", &trace("[4, 5]", "20"));
    let (code, out, err) = place.run(&["--trust", "types", "--calls-dir", "call_logs", "--out-dir", "typings"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("Recording 2: 2 calls of 1 function imported."), "{out}");
    assert!(place.read("typings/mymodule.pyi").contains("def multiply(a: int, b: int) -> int: ..."), "{out}");
}

#[test]
fn old_files_of_settings_are_read_below_ours() {
    let place = project();
    let config = place.home().join("config");
    let shown = |place: &Place| {
        let (code, out, err) = place.run(&["config", "show", "--origin"]);
        assert_eq!(code, 0, "{err}");
        (out, err)
    };
    std::fs::create_dir_all(config.join("pytead")).unwrap();
    std::fs::write(config.join("pytead/config.toml"), "[defaults]\nlimit = 7\nstorage_dir = \"logs\"\n").unwrap();
    let (out, err) = shown(&place);
    assert!(out.contains("record.calls = 7  # ~/config/pytead/config.toml:2"), "{out}");
    assert!(err.contains("pytead/config.toml:3: not used: defaults.storage_dir."), "{err}");
    // A project's sections win over the user's, the section of a verb over the defaults, wherever it stands.
    place.save(
        ".pytead/config.toml",
        "[run]\nlimit = 2\ntargets = \"mymodule.multiply\"\nadditional_sys_path = [\"lib\", \"../away\"]\n[defaults]\nlimit = 50\n[gen]\noutput_dir = \"tests/generated\"\n",
    );
    let (out, err) = shown(&place);
    assert!(out.contains("record.calls = 2  #") && out.contains(".pytead/config.toml:2\n"), "{out}");
    assert!(
        out.contains("record.targets = [\"mymodule.multiply\"]") && out.contains("output.tests = \"tests/generated\""),
        "{out}"
    );
    assert!(err.contains("run.additional_sys_path"), "a folder out of the project is not used, and that is said: {err}");
    // Ours in the same file wins.
    let text = place.read(".pytead/config.toml");
    place.save(".pytead/config.toml", &format!("{text}[record]\ncalls = 9\n"));
    assert!(shown(&place).0.contains("record.calls = 9"), "{}", shown(&place).0);
    std::fs::create_dir_all(config.join("pytead-tui")).unwrap();
    std::fs::remove_file(place.root().join(".pytead/config.toml")).unwrap();
    std::fs::write(config.join("pytead-tui/config.yaml"), "record:\n  calls: 3\n").unwrap();
    assert!(shown(&place).0.contains("record.calls = 3"), "{}", shown(&place).0);
    // What was typed wrong in ours is still a mistake.
    place.save(".pytead/config.toml", "[run]\nlimit = 2\n[recrod]\nlimit = 2\n");
    let (code, _, err) = place.run(&["config", "show"]);
    assert_eq!(code, 2);
    assert!(err.contains("there is no setting recrod. Did you mean record?"), "{err}");
}

#[test]
fn doctor_says_which_predecessors_are_there_who_wins_and_how_they_go() {
    let place = project();
    let python = crate::harness::python_with_pytest();
    let mut make = std::process::Command::new(&python);
    make.args(["-m", "venv", "--without-pip", ".venv"]).current_dir(place.root());
    assert!(make.status().unwrap().success());
    let packages = std::process::Command::new(place.root().join(".venv/bin/python"))
        .args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
        .output()
        .unwrap();
    let packages = std::path::PathBuf::from(String::from_utf8(packages.stdout).unwrap().trim());
    for installed in ["pytest_semantic_llm-0.1.11", "pytead-1.2", "llm_pytest-0.3.0", "pytead_tui-0.0.1"] {
        std::fs::create_dir(packages.join(format!("{installed}.dist-info"))).unwrap();
    }
    std::fs::create_dir(place.root().join("call_logs")).unwrap();
    place.save(".pytest_semantic_cache.db", "");
    let (code, out, err) = place.run(&["--trust", "--python", ".venv/bin/python", "doctor"]);
    assert_eq!(code, 0, "{out}{err}");
    for line in [
        "pytead 1.2: `import pytead` and the command `pytead` are its own",
        "pytest-semantic-llm 0.1.11: tests that import `semantic_test` from pytest_semantic are judged by its model",
        "llm-pytest 0.3.0: its pytest plugin has the YAML tests",
        "-m pip uninstall pytead",
        "call_logs: old traces: `pytead-tui import call_logs` takes them in",
        ".pytest_semantic_cache.db: what pytest-semantic's model said",
        "0.0.1, and this program is",
    ] {
        assert!(out.contains(line), "{line}\n{out}");
    }
    let (_, out, _) = Place::example("shop").run(&["--trust", "doctor"]);
    assert!(!out.contains("predecessor"), "{out}");
}

/// Pickles that the predecessor wrote: methods with the state of their object, and objects of the project among arguments and results.
/// Nothing of them is ever unpickled.
#[test]
fn pickles_of_methods_and_of_objects_become_calls_that_have_tests() {
    let place = Place::empty();
    place.save("pyproject.toml", "");
    place.save("shop.py", SHOP);
    place.save("write.py", WRITE);
    let python = crate::harness::python_with_pytest();
    let made = std::process::Command::new(python).args(["-B", "write.py"]).current_dir(place.root()).status().unwrap();
    assert!(made.success());
    std::fs::remove_file(place.root().join("write.py")).unwrap();
    let (code, out, err) = place.run(&["--trust", "import", "call_logs"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("5 calls of 5 functions imported"), "{out}");
    assert!(out.contains("Not taken: call_logs/evil.pkl. It holds \"posix.system\", something of a program"), "{out}");
    assert!(!place.root().join("ran").exists());
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let tests = place.read("tests/pytead/test_pytead_shop.py");
    for part in ["price_of(Item(", ".describe(", ".add(", "make(", "Cart.of("] {
        assert!(tests.contains(part), "{part}: {tests}{out}");
    }
    place.edit("shop.py", "price * n\n        return", "price + n\n        return");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 1 && out.contains("Cart.add"), "{out}{err}");
}

const SHOP: &str = r#"from dataclasses import dataclass


@dataclass
class Item:
    name: str
    price: float


class Cart:
    def __init__(self, owner):
        self.owner = owner
        self._lines = []
        self.total = 0

    def add(self, name, price, n=1):
        self._lines.append((name, price, n))
        self.total += price * n
        return len(self._lines)

    def describe(self, sep=": "):
        return self.owner + sep + ",".join(name for name, _, _ in self._lines)

    @classmethod
    def of(cls, owner):
        return "cart of " + owner


def price_of(item, n=2):
    return item.price * n


def make(name):
    return Item(name, 3)
"#;

/// Writes what pytead wrote of such calls.
const WRITE: &str = r#"import os
import pickle

import shop

os.mkdir("call_logs")


def entry(name, func, args, kwargs, result, **more):
    whole = {"trace_schema": "pytead/v1", "func": "shop." + func, "args": args, "kwargs": kwargs, "result": result,
             "timestamp": "2026-11-27T20:28:16.298705Z", **more}
    with open("call_logs/%s.pkl" % name, "wb") as file:
        pickle.dump(whole, file, protocol=pickle.HIGHEST_PROTOCOL)


def state(cart):
    return {"owner": cart.owner, "_lines": [tuple(line) for line in cart._lines], "total": cart.total}


def on(cart, call):
    before = state(cart)
    result = call()
    after = state(cart)
    public = lambda all: {name: held for name, held in all.items() if name[0] != "_"}
    told = {"type": "shop.Cart", "before": public(before), "after": public(after), "state_before": before,
            "state_after": after, "_all_before": before, "_all_after": after}
    return result, told


cart = shop.Cart("ada")
result, told = on(cart, lambda: cart.add("pot", 20, n=2))
entry("add", "Cart.add", ("pot", 20), {"n": 2}, result, self=told)
cart = shop.Cart("bob")
result, told = on(cart, lambda: cart.describe())
entry("describe", "Cart.describe", (), {}, result, self=told)
entry("of", "Cart.of", (shop.Cart, "eve"), {}, shop.Cart.of("eve"))
item = shop.Item("tea", 3.5)
spec = {"type": "shop.Item", "state": {"name": "tea", "price": 3.5}}
entry("price_of", "price_of", (item,), {}, shop.price_of(item), obj_args={"pos": {0: spec}, "kw": {}})
entry("make", "make", ("cup",), {}, shop.make("cup"), result_obj=spec)


class Evil:
    def __reduce__(self):
        return os.system, ("touch ran",)


entry("evil", "make", (Evil(),), {}, None)
"#;
