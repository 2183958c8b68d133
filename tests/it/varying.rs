//! What differs from run to run: chance is held in recorded tests that run again, and what still varies is named.

use crate::harness::Place;

const APP: &str = r#"import hashlib
import secrets
import time
import uuid


class Users:
    def salt(self):
        return secrets.token_hex(4)

    def register(self, name, password):
        salt = self.salt()
        digest = hashlib.sha256((salt + password).encode()).hexdigest()
        return {"id": uuid.uuid4(), "name": name, "hash": salt + "$" + digest}

    def visit(self, name):
        return {"name": name, "at": time.perf_counter_ns()}


def welcome(users, name):
    return "hello " + users.visit(name)["name"]
"#;

const TESTS: &str = r#"import app


def test_register():
    assert app.Users().register("ada", "secret!")["name"] == "ada"


def test_visit():
    assert app.welcome(app.Users(), "ada") == "hello ada"
"#;

fn recorded() -> Place {
    let place = Place::empty();
    place.save("app.py", APP);
    place.save("test_app.py", TESTS);
    let (code, _, errors) = place.run(&["--trust", "run", "--check", "--", "python", "-m", "pytest", "-q"]);
    assert_eq!(code, 0, "{errors}");
    place
}

#[test]
fn what_is_drawn_by_chance_is_the_same_in_each_run_of_a_test_so_that_an_edit_of_it_is_told() {
    let place = recorded();
    let edits = [
        ("(salt + password)", "(password + salt)", 1, "at ['hash']"),
        ("uuid.uuid4()", "uuid.uuid3(uuid.NAMESPACE_DNS, name)", 1, "at ['id']"),
        ("token_hex(4)", "token_hex(3)", 1, "new"),
        ("digest = ", "shown = digest = ", 0, "as before"),
        ("        salt = self.salt()\n", "        salt = getattr(self, \"salt\")()\n", 0, "as before"),
    ];
    for (old, new, expected, said) in edits {
        place.edit("app.py", old, new);
        let (code, out, errors) = place.run(&["--trust", "replay"]);
        assert_eq!(code, expected, "{old} → {new}: {out}{errors}");
        assert!(out.contains(said), "{old} → {new}: {out}");
        place.save("app.py", APP);
    }
}

#[test]
fn a_part_that_varies_is_named_where_the_edited_code_may_have_made_it() {
    let place = recorded();
    place.edit("app.py", "\"at\": time.perf_counter_ns()", "\"at\": time.time_ns() + 1");
    let (code, out, errors) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 0, "{out}{errors}");
    assert!(
        out.contains("app:Users.visit: these parts differ from run to run and were not compared: result['at'] (1 call)."),
        "{out}"
    );
    let (_, json, _) = place.run(&["--trust", "--format", "json", "replay"]);
    assert!(json.contains(r#""part":"result['at']""#), "{json}");
    place.save("app.py", APP);
    place.edit("app.py", "\"hello \"", "\"\" + \"hello \"");
    let (code, out, errors) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 0, "{out}{errors}");
    assert!(!out.contains("result['at']"), "the edit is of a caller: {out}");
}
