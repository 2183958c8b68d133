//! Calls that need a database, a context or a server of their own are compared inside the recorded tests that made them.

use std::path::PathBuf;

use crate::harness::Place;
use crate::harness::watch::Watch;

/// A small web application without a framework: a request and a user in context variables, posts in a database.
const APP: &str = r#"import sqlite3
import time
import uuid
from contextvars import ContextVar

request = ContextVar("request")
connection = ContextVar("connection")


class Forbidden(Exception):
    def __init__(self, code):
        self.code = code


class Response:
    def __init__(self, status, headers, body=""):
        self.status = status
        self.headers = headers
        self.body = body


def connect(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE post (id INTEGER PRIMARY KEY, author TEXT, title TEXT)")
    return db


def get_post(number):
    found = connection.get().execute("SELECT author, title FROM post WHERE id = ?", (number,)).fetchone()
    if found is None:
        raise KeyError(number)
    if found[0] != request.get()["user"]:
        raise Forbidden(403)
    return found


def login():
    if request.get()["method"] == "POST":
        return Response(302, {"Location": "/"})
    return Response(200, {}, "<form>")


def create():
    now = request.get()
    row = connection.get().execute("INSERT INTO post (author, title) VALUES (?, ?)", (now["user"], now["title"]))
    return {"id": row.lastrowid, "token": uuid.uuid4().hex, "at": time.time(), "title": now["title"]}


def become(user):
    request.get()["user"] = user


def ticket(kind):
    connection.get().execute("SELECT * FROM post")
    if kind == "timed":
        value = str(time.perf_counter_ns())
        return value
    return kind


def export(path):
    with open(path, "w") as stream:
        stream.write("%d" % len(connection.get().execute("SELECT * FROM post").fetchall()))
    return True
"#;

const CONFTEST: &str = r#"import pytest

from web import app


@pytest.fixture
def visit(tmp_path):
    db = app.connect(str(tmp_path / "posts.db"))
    db.execute("INSERT INTO post (author, title) VALUES ('ada', 'one')")
    app.connection.set(db)

    def visit(view, *args, **about):
        app.request.set({"method": "GET", "user": "ada", **about})
        return view(*args)

    yield visit
    db.close()
"#;

const TESTS: &str = r#"import pytest

from web import app


def test_login(visit):
    assert visit(app.login).status == 200
    assert visit(app.login, method="POST").status == 302


def test_post(visit):
    assert visit(app.get_post, 1)[1] == "one"
    with pytest.raises(KeyError):
        visit(app.get_post, 2)


def test_of_others(visit):
    with pytest.raises(app.Forbidden):
        visit(app.get_post, 1, user="eve")


def test_create(visit):
    assert visit(app.create, title="two")["title"] == "two"


def test_become(visit):
    visit(app.become, "eve")
    with pytest.raises(app.Forbidden):
        app.get_post(1)


def test_ticket(visit):
    assert visit(app.ticket, "fixed") == "fixed"


def test_timed_ticket(visit):
    assert visit(app.ticket, "timed")


def test_export(visit):
    assert visit(app.export, "exported.txt")
"#;

/// The application in a repository, recorded by its tests.
fn recorded() -> Place {
    let place = Place::empty();
    for (path, text) in [("web/__init__.py", ""), ("web/app.py", APP), ("conftest.py", CONFTEST), ("tests/test_app.py", TESTS)] {
        place.save(path, text);
    }
    place.save(".gitignore", "exported.txt\n__pycache__\n");
    place.commit();
    let (code, out, err) = place.run(&["--trust", "run", "--", "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    assert_eq!(code, 0, "{out}{err}");
    std::fs::remove_file(place.root().join("exported.txt")).unwrap();
    place
}

/// Runs `replay` and `diff`, and has both end with a code and say these.
fn ends(place: &Place, code: i32, said: &[&str]) {
    for verb in ["replay", "diff"] {
        let (ended, out, err) = place.run(&["--trust", verb]);
        assert_eq!(ended, code, "{verb}: {out}{err}");
        for part in said {
            assert!(out.contains(part), "{verb}: {part} in {out}{err}");
        }
    }
}

/// Edits the application, has both verbs end with a code and say these, and takes the edit back.
fn edited(place: &Place, old: &str, new: &str, code: i32, said: &[&str]) {
    place.edit("web/app.py", old, new);
    ends(place, code, said);
    place.save("web/app.py", APP);
}

#[test]
fn what_a_view_does_with_its_request_and_its_database_is_compared_in_its_tests() {
    let place = recorded();
    ends(&place, 0, &[]);
    edited(&place, "    found = conn", "    _ = None\n    found = conn", 0, &["1 edited: 1 compared, 0 not compared."]);
    edited(
        &place,
        "found[0] != request.get()[\"user\"]",
        "found[0] == request.get()[\"user\"]",
        1,
        &["web.app:get_post", "Forbidden", "tests/test_app.py::test_"],
    );
    edited(
        &place,
        "Forbidden(403)",
        "Forbidden(404)",
        1,
        &["web.app:get_post", "403 → 404", "tests/test_app.py::test_of_others"],
    );
    edited(&place, "WHERE id = ?", "WHERE id >= 0 OR id = ?", 1, &["web.app:get_post"]);
    assert!(!place.root().join("exported.txt").exists(), "what tests write goes into a private copy");
}

#[test]
fn calls_with_equal_arguments_that_end_in_different_ways_are_all_compared() {
    let place = recorded();
    edited(&place, "{\"Location\": \"/\"}", "{\"Location\": \"/auth\"}", 1, &["web.app:login", "'/' → '/auth'"]);
    edited(&place, "\"<form>\"", "\"<form >\"", 1, &["web.app:login", "<form >"]);
    edited(&place, "Response(302,", "Response(303,", 1, &["web.app:login", "302 → 303"]);
}

#[test]
fn what_moved_to_another_module_is_compared_inside_its_tests() {
    let place = recorded();
    let begin = APP.find("def get_post").unwrap();
    let end = APP.find("def login").unwrap();
    let moved = APP[begin..end].trim_end().replace("connection.", "app.connection.").replace("request.", "app.request.");
    let moved = format!("from . import app\n\n\n{}\n", moved.replace("Forbidden(", "app.Forbidden("));
    place.save("web/app.py", &format!("{}{}\n\nfrom .posts import get_post\n", &APP[..begin], &APP[end..]));
    place.save("web/posts.py", &moved);
    ends(&place, 0, &[]);
    assert!(!place.run(&["--trust", "replay"]).1.contains("New, not recorded"), "it is the recorded one");
    place.save("web/posts.py", &moved.replace("    if found is None", "    assert True\n    if found is None"));
    ends(&place, 0, &["2 edited: 2 compared, 0 not compared."]);
    place.save("web/posts.py", &moved.replace("403", "404"));
    ends(&place, 1, &["web.app:get_post", "403 → 404", "web/posts.py"]);
}

#[test]
fn a_test_that_fails_now_is_named_beside_the_call_that_explains_it() {
    let place = recorded();
    place.edit("web/app.py", "Response(302,", "Response(303,");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("302 → 303") && out.contains("tests/test_app.py::test_login fails now: "), "{out}{err}");
}

#[test]
fn what_differs_from_run_to_run_is_left_out_and_what_stands_beside_it_is_not() {
    let place = recorded();
    edited(&place, "    now = request.get()", "    now = request.get()\n    pass", 0, &[]);
    edited(&place, "\"id\": row.lastrowid", "\"id\": row.lastrowid + 1", 1, &["web.app:create", "2 → 3"]);
}

#[test]
fn a_path_that_only_a_call_took_which_cannot_be_compared_is_not_as_before() {
    let place = recorded();
    let path = ["web.app:ticket was edited and not compared", "no compared call runs edited line"];
    edited(&place, "value = str(time.perf_counter_ns())", "value = str(time.perf_counter_ns())[1:]", 4, &path);
    edited(&place, "    return kind\n", "    pass\n    return kind\n", 0, &["1 edited: 1 compared, 0 not compared."]);
}

#[test]
fn a_function_that_writes_a_file_is_compared_and_leaves_none() {
    let place = recorded();
    edited(&place, "    return True", "    return 1", 1, &["web.app:export", "old  → True", "new  → 1"]);
    edited(&place, "    return True", "    done = True\n    return done", 0, &[]);
    assert!(!place.root().join("exported.txt").exists());
}

#[test]
fn a_test_that_fails_although_no_call_differs_is_told() {
    let place = recorded();
    place.edit("web/app.py", "request = ContextVar(\"request\")", "request = ContextVar(\"request\")\nLIMIT = 3");
    place.edit("tests/test_app.py", "[\"title\"] == \"two\"", "[\"title\"] == \"three\"");
    place.edit("web/app.py", "    now = request.get()", "    now = request.get()\n    pass");
    // It is the test that was edited.
    ends(&place, 4, &["web.app:create was edited and not compared", "its test tests/test_app.py::test_create fails now"]);
    place.save("tests/test_app.py", TESTS);
    place.save("web/app.py", APP);
    edited(&place, "[\"user\"] = user", "[\"user\"] = \"ada\"", 1, &["✗ web.app:become", "test_become fails now"]);
}

#[test]
fn a_test_that_cannot_start_is_told_with_the_line_that_keeps_it() {
    let place = recorded();
    place.edit("conftest.py", "import pytest\n", "import pytest\nimport absent_module\n");
    place.edit("web/app.py", "Forbidden(403)", "Forbidden(404)");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 4 && out.contains("conftest.py:2: ") && out.contains("No module named 'absent_module'"), "{code} {out}{err}");
}

#[test]
fn tests_of_a_recording_are_run_on_the_code_that_it_ran_even_if_that_was_edited_since() {
    let place = recorded();
    // Nothing was replayed yet: what the recording ran is known by its texts alone.
    edited(&place, "Forbidden(403)", "Forbidden(404)", 1, &["403 → 404"]);
    ends(&place, 0, &[]);
}

/// As after an upgrade of a package: the edit of one function changes nothing, and that of the other one does.
#[test]
fn what_ends_otherwise_on_the_recorded_code_too_was_changed_by_no_edit() {
    let shop = "from contextvars import ContextVar\n\nimport rates\n\nuser = ContextVar(\"user\")\n\n\n\
                def price(kind):\n    return [kind, user.get(), rates.VALUE]\n\n\n\
                def name(kind):\n    return [kind, user.get()]\n";
    let test = "import shop\n\n\ndef test_pen():\n    shop.user.set(\"ada\")\n    assert shop.price(\"pen\")[0] == \"pen\"\n    \
                assert shop.name(\"pen\")[0] == \"pen\"\n";
    let (place, package) = (Place::empty(), tempfile::tempdir().unwrap());
    place.save("shop.py", shop);
    place.save("tests/test_shop.py", test);
    let run = |arguments: &[&str]| {
        let out = place.command(arguments).env("PYTHONPATH", package.path()).output().unwrap();
        (out.status.code().unwrap(), format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr)))
    };
    std::fs::write(package.path().join("rates.py"), "VALUE = 1\n").unwrap();
    let (code, said) = run(&["--trust", "run", "--", "python", "-m", "pytest", "-q"]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = run(&["--trust", "replay"]);
    assert!(code == 0 && said.contains("2 calls compared: 2 as before"), "{code} {said}");
    std::fs::write(package.path().join("rates.py"), "VALUE = 2\n").unwrap();
    place.edit("shop.py", "return [kind, user.get(), ", "return [str(kind), user.get(), ");
    let (code, said) = run(&["--trust", "replay"]);
    assert!(code == 4 && said.contains("ends otherwise on the recorded code, too"), "{code} {said}");
    place.edit("shop.py", "return [kind, user.get()]", "return [kind, user.get(), 5]");
    let (code, said) = run(&["--trust", "replay"]);
    assert!(code == 1 && said.contains("nothing → 5") && !said.contains("shop:price  ready"), "{code} {said}");
}

/// The control run starts from the recorded code, and the baseline is what a person took by then.
#[test]
fn a_change_after_an_accepted_one_is_shown() {
    let place = recorded();
    ends(&place, 0, &[]);
    place.edit("web/app.py", "Forbidden(403)", "Forbidden(404)");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 1 && out.contains("#1 change"), "{out}{err}");
    let (code, out, err) = place.run(&["--trust", "review", "--accept", "1"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(place.run(&["--trust", "replay"]).0, 0);
    place.edit("web/app.py", "Forbidden(404)", "Forbidden(405)");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 1 && out.contains("404 → 405"), "{code} {out}{err}");
    place.save("web/app.py", APP);
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 1 && out.contains("404 → 403"), "{code} {out}{err}");
}

/// The control run reads today's files, so an edit of one that calls read is told without it.
#[test]
fn an_edit_of_a_file_that_calls_in_tests_read_is_shown() {
    let shop = "import json\nfrom contextvars import ContextVar\n\nuser = ContextVar(\"user\")\n\n\n\
                def price(kind):\n    with open(\"prices.json\") as stream:\n        \
                return [user.get(), json.load(stream)[kind]]\n";
    let test = "import shop\n\n\ndef test_pen():\n    shop.user.set(\"ada\")\n    assert shop.price(\"pen\")\n";
    let place = Place::empty();
    for (path, text) in [("shop.py", shop), ("tests/test_shop.py", test), ("prices.json", "{\"pen\": 3}\n")] {
        place.save(path, text);
    }
    let (code, out, err) = place.run(&["--trust", "run", "--", "python", "-m", "pytest", "-q"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(place.run(&["--trust", "replay"]).0, 0);
    place.save("prices.json", "{\"pen\": 4}\n");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 1 && out.contains("3 → 4"), "{code} {out}{err}");
}

#[test]
fn where_the_sandbox_gives_no_private_copy_nothing_is_run_and_nothing_is_claimed() {
    let place = recorded();
    place.edit("web/app.py", "Forbidden(403)", "Forbidden(404)");
    let out = place.command(&["--trust", "replay"]).env("PYTEAD_SANDBOX", "landlock").output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(4), "{said}");
    assert!(said.contains("web.app:get_post was edited and not compared"), "{said}");
    ends(&place, 1, &["403 → 404"]);
}

const SHOP: &str = r#"import sqlite3

PLUGINS = []


class Plugin:
    def __init__(self, view, rank):
        self.view = view
        self.rank = rank


def plugin(view):
    PLUGINS.append(view)
    return Plugin(view, 3)


@plugin
def hello():
    return "hello"


def prepare(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE item (name TEXT)")
    db.execute("INSERT INTO item VALUES ('tea')")
    return db.execute("SELECT count(*) FROM item").fetchone()[0]


def total(count):
    return count * 2
"#;

const SHOP_CONFTEST: &str = r#"import pytest

import shop


@pytest.fixture(scope="session")
def count(tmp_path_factory):
    return shop.prepare(str(tmp_path_factory.mktemp("db") / "items.db"))
"#;

#[test]
fn what_runs_before_the_first_test_or_once_for_all_tests_is_compared_there() {
    let place = Place::empty();
    let tests = "import shop\n\n\ndef test_total(count):\n    assert shop.total(count) == 2\n\n\n\
                 def test_again(count):\n    assert shop.total(count + 1) == 4\n";
    for (path, text) in [("shop.py", SHOP), ("conftest.py", SHOP_CONFTEST), ("tests/test_shop.py", tests)] {
        place.save(path, text);
    }
    place.commit();
    let (code, out, err) = place.run(&["--trust", "run", "--", "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    assert_eq!(code, 0, "{out}{err}");
    let edited = |old: &str, new: &str, code: i32, said: &[&str]| {
        place.edit("shop.py", old, new);
        ends(&place, code, said);
        place.save("shop.py", SHOP);
    };
    edited("    PLUGINS.append", "    _ = None\n    PLUGINS.append", 0, &["1 edited: 1 compared, 0 not compared."]);
    edited("Plugin(view, 3)", "Plugin(view, 4)", 1, &["shop:plugin", "3 → 4", "(before the first test)"]);
    edited("    db.execute(\"CREATE", "    pass\n    db.execute(\"CREATE", 0, &["1 edited: 1 compared, 0 not compared."]);
    edited("SELECT count(*)", "SELECT 5 + count(*)", 1, &["shop:prepare", "tests/test_shop.py::test_total"]);
}

/// A greeting by a user in a context variable, recorded by these tests.
fn greeting(tests: &str) -> Place {
    let place = Place::empty();
    let app = "from contextvars import ContextVar\n\nuser = ContextVar(\"user\")\n\n\ndef greet():\n    return \"hello \" + user.get()\n";
    place.save("web/__init__.py", "");
    place.save("web/app.py", app);
    place.save("tests/test_app.py", &format!("import time\n\nfrom web import app\n\n\n{tests}"));
    place.commit();
    let (code, out, err) = place.run(&["--trust", "run", "--check", "--", "python", "-m", "pytest", "-q"]);
    assert_eq!(code, 0, "{out}{err}");
    place
}

#[test]
fn what_a_fast_test_shows_is_told_while_a_slow_one_still_runs() {
    // The second one does not end once the greeting is another one.
    let place = greeting(
        "def test_ada():\n    app.user.set(\"ada\")\n    assert app.greet()\n\n\n\
         def test_eve():\n    app.user.set(\"eve\")\n    time.sleep(0.3)\n    while app.greet() != \"hello eve\":\n        time.sleep(0.01)\n",
    );
    let watch = Watch::start(&place);
    place.edit("web/app.py", "hello ", "hi ");
    let told = watch.until("behaviour_changed");
    let change = told.last().unwrap();
    assert!(change["line"].as_str().unwrap().contains("'hello ada' → 'hi ada'"), "{change}");
    assert_eq!(change["calls"], 1, "those of the slow test are added when it ended: {change}");
}

/// Waits until sandboxes wait for the next run in a project, and gives their processes.
fn waiting(place: &Place) -> Vec<PathBuf> {
    let is_one = |process: &PathBuf| {
        let command = std::fs::read(process.join("cmdline")).unwrap_or_default();
        let is_here = std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == place.root());
        is_here && String::from_utf8_lossy(&command).contains("modules.json") && !command.starts_with(b"/proc")
    };
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        let found: Vec<PathBuf> = processes.filter(is_one).collect();
        if found.len() >= 2 {
            return found;
        }
        assert!(std::time::Instant::now() < until, "{found:?}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn tests_run_in_sandboxes_that_waited_on_the_files_as_they_are_now() {
    let place = greeting("def test_ada():\n    app.user.set(\"ada\")\n    assert app.greet()\n");
    let watch = Watch::start(&place);
    let before = waiting(&place);
    place.save("web/words.py", "WORD = \"hi \"\n");
    place.edit("web/app.py", "    return \"hello \"", "    from web.words import WORD\n\n    return WORD");
    let told = watch.until("behaviour_changed");
    assert!(told.last().unwrap()["line"].as_str().unwrap().contains("'hello ada' → 'hi ada'"), "{told:?}");
    watch.until("replayed");
    assert!(before.iter().any(|process| !process.exists()), "each serves once");
    waiting(&place);
    drop(watch);
}
