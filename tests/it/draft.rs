//! `pytead-tui draft` on files and folders, its second turn, recorded answers, and whom it asks; against scripted servers.

use crate::harness::model::Model;
use crate::harness::{Place, Terminal};

const MODULE: &str = "def double(x):\n    '''Return x twice: 2 gives 4.'''\n    return x + x\n";
const GOOD: &str = "from doubles import double\n\n\ndef test_double():\n    assert double('a') == 'aa'\n";
const BAD: &str = "from doubles import double\n\n\ndef test_double():\n    assert double('a') == 'aaa'\n";

fn project(answers: &[&str]) -> (Place, Model) {
    let place = Place::empty();
    place.save("doubles.py", MODULE);
    place.run(&["trust"]);
    let model = Model::answers(answers);
    configure(&place, &model.config());
    (place, model)
}

fn configure(place: &Place, text: &str) {
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), text).unwrap();
}

fn asked(model: &Model) -> usize {
    model.requests.lock().unwrap().len()
}

#[test]
fn a_draft_that_fails_goes_back_once_with_what_was_seen() {
    let (place, model) = project(&[BAD, GOOD]);
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    let requests = model.requests.lock().unwrap().clone();
    assert_eq!(requests.len(), 2);
    assert!(!requests[0].contains("An earlier draft") && requests[1].contains("An earlier draft was not good"));
    assert!(requests[1].contains("'aaa'") && requests[1].contains("fails"), "{}", requests[1]);
}

#[test]
fn what_waits_or_was_rejected_is_not_offered_a_second_time() {
    let (place, model) =
        project(&[GOOD, GOOD, GOOD, "from doubles import double\n\n\ndef test_empty():\n    assert double('') == ''\n"]);
    let draft = |remark: &str| {
        let (code, out, err) = place.run(&["draft", "double", "-m", remark]);
        assert_eq!(code, 0, "{out}{err}");
        out
    };
    let waiting = || {
        let (_, out, _) = place.run(&["review", "--list"]);
        out
    };
    assert!(draft("").contains("#1"));
    // In other words, and the same answer: what waits is shown.
    let again = draft("once more");
    assert!(again.contains("#1") && !again.contains("#2"), "{again}");
    assert!(waiting().contains("1/1  #1"), "{}", waiting());
    assert_eq!(asked(&model), 2, "the person asked twice, nothing else did");

    place.run(&["review", "--reject", "1"]);
    let other = draft("another");
    assert!(other.contains("test_empty"), "{other}");
    let requests = model.requests.lock().unwrap().clone();
    assert!(requests.last().unwrap().contains("rejected before, word for word: #1"), "{requests:?}");
}

#[test]
fn a_models_draft_stands_beside_what_was_accepted() {
    let same_name = "from doubles import double\n\n\ndef test_double():\n    assert double(0) == 0\n\n\ndef test_double_of_text():\n    assert double('ab') == 'abab'\n";
    let (place, _model) = project(&[GOOD, same_name]);
    let file = "tests/pytead/test_pytead_doubles.py";
    place.save("main.py", "from doubles import double\ndouble(2)\ndouble(3.5)\n");
    place.run(&["run", "main.py"]);
    place.run(&["gen", "--accept"]);
    let recorded = place.read(file);
    let accept = || {
        let (code, out, err) = place.run(&["review", "--accept", "all"]);
        assert_eq!(code, 0, "{out}{err}");
        place.read(file)
    };
    let kept = |text: &str, tests: &str| {
        let bodies = tests.lines().filter(|line| line.trim_start().starts_with("assert"));
        for line in bodies {
            assert!(text.contains(line), "{line} is gone of:\n{text}");
        }
    };
    place.run(&["draft", "double"]);
    let first = accept();
    kept(&first, &recorded);
    assert!(first.contains("'aa'") || first.contains("\"aa\""), "{first}");
    place.run(&["draft", "double", "-m", "another"]);
    let second = accept();
    kept(&second, &first);
    assert!(second.contains("double(0) == 0"), "{second}");
    // Neither does what is recorded anew take the place of what a model wrote.
    place.save("main.py", "from doubles import double\ndouble(2)\ndouble([7])\n");
    place.run(&["run", "main.py"]);
    place.run(&["gen", "--accept"]);
    let third = place.read(file);
    assert!(third.contains("double(0) == 0") && third.contains("[7, 7]"), "{third}");
}

#[test]
fn what_the_docstring_promised_and_does_not_hold_may_be_a_bug() {
    let claim = "def test_two_gives_five():\n    assert double(2) == 5\n";
    let (place, _model) = project(&[&format!("{GOOD}\n\n{claim}")]);
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("possible bug") && out.contains("test_two_gives_five"), "{out}");
    let (_, out, _) = place.run(&["review", "--accept", "all"]);
    assert!(!place.read("tests/pytead/test_pytead_doubles.py").contains("five"), "{out}");
}

#[test]
fn what_the_workbench_was_killed_over_goes_on_with_the_next_start() {
    let answer = |function: &str| {
        format!("from words import {function}\n\n\ndef test_{function}():\n    assert {function}('a') == 'a{function}'\n")
    };
    // Which of the two is asked about first after the kill is nobody's promise: the same answer does for both.
    let both = answer("two") + &answer("three");
    let place = Place::empty();
    let functions = ["one", "two", "three"].map(|name| format!("def {name}(x):\n    return x + '{name}'\n"));
    place.save("words.py", &functions.join("\n\n"));
    place.run(&["trust"]);
    // The second answer hangs, and the third waits behind it.
    let model = Model::hanging(&[&answer("one"), "from words", &both], 1);
    configure(&place, &model.config());
    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("Nothing recorded");
    terminal.keys("fone\r");
    terminal.wait("Calls of one");
    terminal.keys("g");
    terminal.wait("Ready · proved");
    // A heavy line is around the pane that keys go to.
    let focused = |screen: &str| screen.split("━ ").nth(1).and_then(|title| title.split(' ').next()).map(str::to_owned);
    while focused(&terminal.screen()).as_deref() != Some("Functions") {
        let before = focused(&terminal.screen());
        terminal.keys("\t");
        terminal.wait_until("another pane", |screen| focused(screen) != before);
    }
    for (function, line) in [("two", 2), ("three", 3)] {
        // The file, and its functions below it.
        terminal.keys(&format!("F<{}", "j".repeat(line)));
        terminal.wait(&format!("Calls of {function}"));
        terminal.keys("g");
        terminal.wait("Streaming");
    }
    let killed = std::process::Command::new("kill").args(["-KILL", &terminal.pid().to_string()]).status().unwrap();
    assert!(killed.success());
    drop(terminal);

    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("Review 3");
    // The log says which drafts are proved now.
    terminal.keys("5");
    terminal.wait_until("both drafts proved", |screen| {
        ["two", "three"].iter().all(|name| screen.lines().any(|line| line.contains("proved") && line.contains(name)))
    });
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    let about = |function: &str| {
        let requests = model.requests.lock().unwrap();
        requests.iter().filter(|request| request.contains(&format!("Write tests for `{function}`"))).count()
    };
    assert_eq!((about("one"), about("two")), (1, 2), "what was answered is not asked again");
    assert!(model.requests.lock().unwrap().iter().all(|request| !request.contains("An earlier draft")), "it was never whole");
    let (_, out, _) = place.run(&["review", "--accept", "all"]);
    let text = place.read("tests/pytead/test_pytead_words.py");
    assert!(["test_one", "test_two", "test_three"].iter().all(|test| text.contains(test)), "{out}{text}");
}

#[test]
fn what_two_answers_call_alike_stands_in_one_file_under_two_names() {
    let answer = |function: &str, value: &str, result: &str| {
        format!(
            "import pytest\nfrom doubles import {function}\n\n\n@pytest.fixture\ndef word():\n    return {value}\n\n\n@pytest.fixture\ndef end():\n    return 1\n\n\ndef test_basic(word, end):\n    assert {function}(word) == {result}\n    assert end == 1\n"
        )
    };
    let (place, _model) = project(&[&answer("double", "'a'", "'aa'"), &answer("treble", "'b'", "'bbb'")]);
    place.save("doubles.py", &format!("{MODULE}\n\ndef treble(x):\n    return x + x + x\n"));
    let (code, out, err) = place.run(&["draft", "doubles.py", "-o", "out"]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = place.run(&["review", "--accept", "all"]);
    assert_eq!(code, 0, "{out}{err}");
    for file in ["out/test_pytead_doubles.py", "tests/pytead/test_pytead_doubles.py"] {
        let text = place.read(file);
        let defined = |name: &str| text.lines().filter(|line| line.starts_with(&format!("def {name}("))).count();
        let names = ["word", "word_for_treble", "end", "test_basic", "test_treble_basic"];
        assert_eq!(names.map(defined), [1; 5], "{file}: {text}");
        let python = crate::harness::python_with_pytest();
        let ran = std::process::Command::new(python)
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", file])
            .current_dir(place.root())
            .env("PYTHONPATH", place.root())
            .output()
            .unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    }
}

#[test]
fn a_test_that_contradicts_a_recorded_call_says_so_to_the_person_and_to_the_model() {
    let doubtful = "from doubles import double\nimport pytest\n\n\ndef test_word():\n    assert double('a') == 'aa'\n\n\n@pytest.mark.parametrize(\"x, expected\", [(2, 5), (\"b\", \"bb\")])\ndef test_rows(x, expected):\n    assert double(x) == expected\n\n\ndef test_claim():\n    assert double(3) == 7\n";
    let wrong = "from doubles import double\n\n\ndef test_two():\n    result = double(2)\n    assert result == 5\n";
    for (answers, state) in [([wrong, GOOD], "ready"), ([wrong, wrong], "refused"), ([doubtful, GOOD], "ready")] {
        let (place, model) = project(&answers);
        place.save("main.py", "from doubles import double\n\ndouble(2)\n");
        place.run(&["run", "main.py"]);
        let (_, out, err) = place.run(&["draft", "double"]);
        assert!(out.contains(state), "{out}{err}");
        let requests = model.requests.lock().unwrap().clone();
        let denied = "a recorded call: double(2) was 4, the test expects 5";
        if answers[0] == wrong {
            assert_eq!(requests.len(), 2);
            assert!(requests[1].contains(&format!("contradicts {denied}")), "the model is told: {}", requests[1]);
        } else {
            assert!(out.contains("contradicts") && out.contains(denied), "{out}");
            let bugs = out.split("possible bug").nth(1).unwrap_or_else(|| panic!("{out}"));
            assert!(bugs.contains("test_claim") && !bugs.contains("test_rows"), "only what no recorded call denies: {out}");
        }
        if state == "refused" {
            assert!(out.contains(denied) && !out.contains("possible bug"), "{out}");
        }
    }
}

#[test]
fn a_test_of_a_method_is_told_what_its_object_was_seen_to_give() {
    let place = Place::empty();
    place.save(
        "shop.py",
        "class Cart:\n    def __init__(self, owner):\n        self.owner = owner\n        self.prices = []\n\n    def add(self, price):\n        self.prices.append(price)\n\n    def total(self):\n        return sum(self.prices)\n\n    @property\n    def size(self):\n        return len(self.prices)\n\n    @classmethod\n    def rate(cls, kind):\n        return len(kind)\n",
    );
    place.save("main.py", "from shop import Cart\n\ncart = Cart('Ann')\ncart.add(2)\ncart.total()\ncart.size\nCart.rate('ab')\n");
    place.run(&["trust"]);
    place.run(&["run", "main.py"]);
    for (name, claim, denied) in [
        ("Cart.total", "cart.total() == 3", "Cart('Ann').total() after add(2) was 2, the test expects 3"),
        ("Cart.size", "cart.size == 2", "Cart('Ann').size after add(2) was 1, the test expects 2"),
        ("Cart.rate", "Cart.rate('ab') == 4", "Cart.rate('ab') was 2, the test expects 4"),
    ] {
        let wrong =
            format!("from shop import Cart\n\n\ndef test_it():\n    cart = Cart('Ann')\n    cart.add(2)\n    assert {claim}\n");
        let model = Model::answers(&[&wrong, &wrong]);
        configure(&place, &model.config());
        let (_, out, err) = place.run(&["draft", name]);
        assert!(out.contains(&format!("a recorded call: {denied}")), "{out}{err}");
        let requests = model.requests.lock().unwrap().clone();
        assert!(requests[1].contains(denied), "the model is told: {}", requests[1]);
    }
}

/// What the model of a module was told that the function needs.
fn told(place: &Place, model: &Model, function: &str) -> String {
    let (_, out, err) = place.run(&["draft", function]);
    let requests = model.requests.lock().unwrap().clone();
    let last = requests.last().unwrap_or_else(|| panic!("nothing was asked: {out}{err}"));
    let line = last.split("# Dependencies: ").nth(1).unwrap_or_else(|| panic!("{last}")).split("\\n").next().unwrap();
    line.to_owned()
}

fn trained(model: &Model) -> String {
    model.config() + "prompt:\n  template: trained\n"
}

#[test]
fn what_would_be_sent_is_shown_and_nobody_is_asked() {
    let (place, model) = project(&[GOOD]);
    let (code, out, err) = place.run(&["draft", "double", "--show-outgoing", "-m", "cover lists"]);
    assert_eq!((code, asked(&model)), (0, 0), "{out}{err}");
    assert!(out.contains("return x + x") && out.contains("cover lists") && out.contains("\"model\":\"tiny\""), "{out}");
    place.run(&["draft", "double", "-m", "cover lists"]);
    let sent = model.requests.lock().unwrap()[0].clone();
    assert_eq!(out.trim_end(), sent, "byte for byte");
}

/// Secrets by the places they stand at, none of which has the shape of one.
const VAULT: &str = r#"import os


class Vault:
    """Keeps things. password=d0cstring-pw"""

    api_token: str = "cla55-annotated"
    secret = "cla55-plain"

    def __init__(self, api_key: str = "1nit-annotated", passwd="1nit-plain"):
        self.password: str = "b0dy-annotated"
        self.token = "b0dy-plain"

    def open(self, name, password: str = "defau1t-annotated", *, otp: int = 918273, token="defau1t-plain"):
        """Opens it: the file says env-file-s3cret, the shell variable-s3cret."""
        login("l1teral-by-place", name)
        login(password="l1teral-by-name", name=name)
        kept = {"password": "l1teral-in-dict"}
        passphrase: "str | None" = "l0cal-annotated"
        return name + str(bool(kept and passphrase))


def login(password, name):
    return name


def use(vault: Vault, name):
    """Opens the vault."""
    return vault.open(name, "l1teral-for-needs")
"#;

#[test]
fn what_is_a_secret_by_its_place_is_in_no_request_for_a_draft() {
    let place = Place::empty();
    place.save("vault.py", VAULT);
    place.save("go.py", "from vault import Vault, use\nVault().open('a', 'rec0rded-pw')\nuse(Vault('rec0rded-key'), 'b')\n");
    place.save(".env", "SHOP_PASSWORD=env-file-s3cret\n");
    place.run(&["trust"]);
    let drafted = "from vault import Vault, login\n\n\ndef test_open():\n    login('l1teral-in-draft', 'x')\n    assert Vault().open('a') == 'no'\n";
    let model = Model::answers(&[drafted, drafted, drafted, drafted, drafted, drafted, drafted, drafted]);
    let (code, out, err) = place.run(&["run", "--", "python3", "go.py"]);
    assert_eq!(code, 0, "{out}{err}");
    for config in [model.config(), trained(&model)] {
        configure(&place, &config);
        for function in ["Vault.open", "use"] {
            let output = place.command(&["draft", function]).env("DEPLOY_TOKEN", "variable-s3cret").output().unwrap();
            assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    let sent = model.requests.lock().unwrap().clone();
    assert!(sent.len() > 4 && sent[0].contains("def open(self, name, password"), "{sent:?}");
    assert!(sent.iter().any(|one| one.contains("# Dependencies: ")) && sent.iter().any(|one| one.contains("An earlier draft")));
    assert!(sent.iter().any(|one| one.contains("Recorded calls")), "{sent:?}");
    for secret in [
        "d0cstring-pw",
        "cla55-annotated",
        "cla55-plain",
        "1nit-annotated",
        "1nit-plain",
        "b0dy-annotated",
        "b0dy-plain",
        "defau1t-annotated",
        "918273",
        "defau1t-plain",
        "env-file-s3cret",
        "variable-s3cret",
        "l1teral-by-place",
        "l1teral-by-name",
        "l1teral-in-dict",
        "l0cal-annotated",
        "l1teral-for-needs",
        "rec0rded-pw",
        "rec0rded-key",
        "l1teral-in-draft",
    ] {
        let leak = sent.iter().find(|one| one.contains(secret));
        assert!(leak.is_none(), "{secret} is in {}", leak.unwrap());
    }
}

#[test]
fn types_that_are_not_the_projects_are_read_in_the_installed_package() {
    let place = Place::empty();
    place.save(
        "plugins.py",
        "import sqlite3\nfrom pluggy import PluginManager\n\n\ndef load(manager: PluginManager, db: 'sqlite3.Connection'):\n    db.executescript('x')\n    return manager.register(db)\n",
    );
    place.run(&["trust"]);
    let model = Model::answers(&["no"]);
    configure(&place, &trained(&model));
    // The one is read in its source, behind what hands it on; the other is written in C, and says it of itself.
    assert_eq!(told(&place, &model, "load"), "db.executescript(sql_script), manager.register(plugin, name)");
}

#[test]
fn an_installed_package_is_read_and_never_run_to_learn_what_it_has() {
    let place = Place::empty();
    place.save(
        "letters.py",
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from planted import Client\n\n\ndef post(client: Client, text: str):\n    return client.send(text)\n",
    );
    let venv = place.root().join(".venv");
    let python = crate::harness::python_with_pytest();
    let made = std::process::Command::new(&python).args(["-m", "venv", "--without-pip"]).arg(&venv).status().unwrap();
    assert!(made.success());
    let question = "import site; print(site.getsitepackages()[0])";
    let site = |python: &std::path::Path| {
        let output = std::process::Command::new(python).args(["-c", question]).output().unwrap();
        std::path::PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
    };
    let here = site(&venv.join("bin/python"));
    std::fs::write(here.join("others.pth"), format!("{}\n", site(&python).display())).unwrap();
    std::fs::create_dir(here.join("planted")).unwrap();
    let text = "import os\nos._exit(3)\n\n\nclass Client:\n    def send(self, text, *, retries=2):\n        pass\n";
    std::fs::write(here.join("planted/__init__.py"), text).unwrap();
    let model = Model::answers(&["no"]);
    configure(&place, &trained(&model));

    let (code, out, err) = place.run(&["draft", "post"]);
    assert_eq!((code, asked(&model)), (3, 0), "in a folder nobody trusts nothing runs: {out}{err}");
    place.run(&["trust"]);
    assert_eq!(told(&place, &model, "post"), "client.send(text, retries)");
}

#[test]
fn recorded_answers_need_no_model_and_say_what_they_are() {
    let (place, model) = project(&[GOOD]);
    let (code, out, err) = place.run(&["draft", "double", "--answers", "record"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!out.contains("replayed"), "{out}");
    let files: Vec<_> = std::fs::read_dir(place.root().join("tests/answers")).unwrap().flatten().collect();
    assert_eq!((files.len(), asked(&model)), (1, 1));

    // Elsewhere: no settings, no database, a build server.
    std::fs::remove_dir_all(place.root().join(".pytead")).unwrap();
    configure(&place, "");
    let in_ci = |args: &[&str]| {
        let output = place.command(args).env("CI", "true").output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let (code, out, err) = in_ci(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("replayed"), "{out}");
    let (code, _, err) = in_ci(&["draft", "double", "-m", "something new"]);
    assert_eq!(code, 3, "{err}");
    assert!(
        err.contains("only recorded answers count, and this request has none: tests/answers/")
            && err.contains("PYTEAD_MODEL_ANSWERS=record"),
        "{err}"
    );
    assert_eq!(asked(&model), 1);
}

#[test]
fn a_folder_becomes_a_file_for_each_module_and_nothing_is_asked_twice() {
    let answer = "from a.util import one\nfrom b.util import two\n\n\ndef test_one():\n    assert one(1) == 2\n\n\ndef test_two():\n    assert two(1) == 3\n";
    let (place, model) = project(&[answer]);
    for (path, text) in [
        ("a/__init__.py", ""),
        ("b/__init__.py", ""),
        ("a/util.py", "def one(x):\n    return x + 1\n"),
        ("b/util.py", "def two(x):\n    return x + 2\n"),
        ("b/test_util.py", "def test_x():\n    pass\n"),
    ] {
        place.save(path, text);
    }
    let only = |function: &str, module: &str| {
        format!(
            "from {module}.util import {function}\n\n\ndef test_{function}():\n    assert {function}(1) == {}\n",
            if function == "one" { 2 } else { 3 }
        )
    };
    drop(model);
    let model = Model::answers(&[&only("one", "a"), &only("two", "b")]);
    configure(&place, &model.config());
    place.save("mine.yaml", "generation:\n  n_ctx: 4096\noutput:\n  default_dir: out\n");
    let (code, out, err) = place.run(&["draft", "a", "mine.yaml"]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = place.run(&["draft", "b", "-o", "out", "--no-stream", "--save-index", "index.json"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("s | ") && out.contains(" tok/s"), "{out}");
    for (file, test) in [("out/test_pytead_a__util.py", "test_one"), ("out/test_pytead_b__util.py", "test_two")] {
        assert!(place.read(file).contains(test), "{file}");
    }
    assert!(place.read("index.json").contains("\"classes\""));
    assert_eq!(asked(&model), 2, "the function of a test file is not asked about");
    // All of it again, as after a break: what was answered is not asked again.
    let (code, out, err) = place.run(&["draft", "a", "--load-index", "index.json"]);
    assert_eq!((code, asked(&model)), (0, 2), "{out}{err}");
    let (code, _, err) = place.run(&["draft", "/tmp"]);
    assert!(code == 2 && err.contains("not in the project"), "{code} {err}");
}

#[test]
fn another_model_is_asked_for_one_call_and_one_of_several_servers_may_be_dead() {
    let (place, model) = project(&[GOOD]);
    let second = Model::answers(&[GOOD]);
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let more = format!(
        "  pool:\n    base_url: http://{dead}/v1\n    endpoints: [http://127.0.0.1:{}/v1]\n    model: large\n",
        second.port
    );
    configure(&place, &(model.config() + &more));
    let (code, out, err) = place.run(&["draft", "double", "--provider", "pool", "--model", "larger"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!((asked(&model), asked(&second)), (0, 1));
    assert!(second.requests.lock().unwrap()[0].contains("\"model\":\"larger\""));
    let (code, _, err) = place.run(&["draft", "double", "--provider", "pol"]);
    assert!(code == 2 && err.contains("--provider") && err.contains("Did you mean pool?"), "{err}");
}

#[test]
fn the_predecessors_variables_count_only_where_the_folder_is_trusted() {
    let (place, model) = project(&[GOOD]);
    configure(&place, "");
    let address = format!("http://127.0.0.1:{}/v1", model.port);
    place.save(
        ".env",
        &format!("SEMANTIC_MODEL=tiny\nSEMANTIC_BASE_URL={address}\nOPENAI_API_KEY=sk-of-the-project-0123456789\n"),
    );
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(asked(&model), 1);
    place.run(&["trust", "--remove"]);
    let (_, out, _) = place.run(&["doctor"]);
    assert!(!out.contains("tiny"), "{out}");
    let (code, _, err) = place.run(&["draft", "double", "-m", "again"]);
    assert_eq!((code, asked(&model)), (3, 1), "{err}");
}

#[test]
fn a_trained_model_is_told_no_body() {
    let (place, model) = project(&[GOOD]);
    configure(&place, &(model.config().replace("model: tiny", "model: pytest-8b") + "prompt:\n  source: true\n"));
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    let request = model.requests.lock().unwrap().concat();
    assert!(request.contains("Return x twice") && !request.contains("return x + x"), "{request}");
    assert!(!request.contains("\"role\":\"system\""), "{request}");
}

#[test]
fn a_program_of_the_persons_is_asked_after_their_word() {
    let (place, _model) = project(&[GOOD]);
    let reports = [
        serde_json::json!({ "text": { "id": 1, "text": GOOD } }),
        serde_json::json!({ "end": { "id": 1, "prompt": 9, "reused": 0, "written": 9, "reason": "stop" } }),
    ];
    place.save("reports", &reports.map(|report| report.to_string()).join("\n"));
    let config = format!(
        "model:\n  provider: own\nproviders:\n  own:\n    kind: command\n    command: [cat, {}]\n",
        place.root().join("reports").display()
    );
    configure(&place, &config);
    let (code, _, err) = place.run(&["draft", "double"]);
    assert!(code == 3 && err.contains("trust --send-to cat"), "{code} {err}");
    let output = place.command(&["draft", "double"]).env("PYTEAD_SEND_TO", "cat").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

const OUTDATED: &str = "Signature or docstring changed since this draft";

/// Opens the workbench on a proved draft of a model, and saves the function with another docstring.
fn promise_differently(place: &Place) -> Terminal {
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    let terminal = Terminal::start(place, &[], 160, 45);
    terminal.wait("Ready · proved");
    place.save("doubles.py", &MODULE.replace("2 gives 4", "3 gives 6"));
    terminal
}

#[test]
fn a_models_draft_of_another_docstring_waits_until_somebody_asks_again() {
    let (place, model) = project(&[GOOD, GOOD]);
    let mut terminal = promise_differently(&place);
    terminal.wait(OUTDATED);
    terminal.keys("a");
    terminal.wait("t asks");
    assert_eq!(asked(&model), 1, "nobody asked again");
    terminal.keys("t");
    terminal.wait("Ready · proved");
    assert!(!terminal.screen().contains(OUTDATED), "{}", terminal.screen());
    let last = model.requests.lock().unwrap().last().cloned().unwrap();
    assert!(last.contains("3 gives 6"), "{last}");
    assert_eq!(asked(&model), 2);
}

#[test]
fn a_model_of_this_machine_is_asked_again_at_once_where_the_settings_say_so() {
    let (place, model) = project(&[GOOD, GOOD]);
    configure(&place, &(model.config() + "\nwatch:\n  draft: auto\n"));
    let terminal = promise_differently(&place);
    terminal.wait_until("asked again and proved", |screen| asked(&model) == 2 && screen.contains("Ready · proved"));
    let last = model.requests.lock().unwrap().last().cloned().unwrap();
    assert!(last.contains("3 gives 6"), "{last}");
}

#[test]
fn a_models_draft_whose_body_alone_changed_is_proved_and_not_asked_for_again() {
    let (place, model) = project(&[GOOD]);
    configure(&place, &(model.config() + "\nwatch:\n  draft: auto\n"));
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("Ready · proved");
    place.save("doubles.py", &MODULE.replace("x + x", "x + x + ''"));
    terminal.keys("5");
    // The log has the newest line first.
    terminal.wait_until("proved again", |screen| {
        let at = |what: &str| screen.find(what);
        matches!((at("proved"), at("double changed")), (Some(proved), Some(saved)) if proved < saved)
    });
    assert_eq!(asked(&model), 1);
}
