//! Work of two people that git merges, on the real binary: what both accepted is there, and nobody has to repair a file of ours.

use crate::harness::Place;

const MODULES: [&str; 3] = ["bread", "cheese", "wine"];

/// A recorded project in git, whose two branches accepted the tests of neighbours in the manifest.
fn branches(attributes: &str) -> Place {
    let place = Place::empty();
    for module in MODULES {
        place.save(&format!("{module}.py"), "def price(pounds):\n    return pounds * 2\n\n\ndef name():\n    return 'it'\n");
    }
    place.save("main.py", "import bread, cheese, wine\nfor module in bread, cheese, wine:\n    module.price(3), module.name()\n");
    place.save(".gitattributes", attributes);
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    accept(&place, "wine:price");
    place.commit();
    place.git(&["branch", "theirs"]);
    accept(&place, "bread:price");
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "bread"]);
    place.git(&["checkout", "-q", "theirs"]);
    accept(&place, "cheese:price");
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "cheese"]);
    place
}

fn accept(place: &Place, function: &str) {
    let (code, out, err) = place.run(&["--trust", "gen", function, "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
}

fn merge(place: &Place) -> bool {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "-m", "both", "-"])
        .current_dir(place.root())
        .envs(place.environment());
    git.status().unwrap().success()
}

/// Every accepted test is one of ours, and what comes next is written with all of them.
fn stands(place: &Place) {
    let (code, out, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "{out}{err}");
    accept(place, "bread:name");
    let manifest = place.read("tests/pytead/manifest.yaml");
    let named: Vec<&str> =
        manifest.lines().skip(1).filter_map(|line| line.split_once("test_pytead_")?.1.split('"').next()).collect();
    assert_eq!(named.len(), 4, "{manifest}");
    for test in ["bread.py::test_name", "bread.py::test_price", "cheese.py::test_price", "wine.py::test_price"] {
        assert!(named.iter().any(|name| name.starts_with(test)), "{test}: {manifest}");
    }
    let (code, out, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn manifests_merge_by_the_line_that_the_page_on_ci_names() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ci.md")).unwrap();
    let line = page.lines().map(str::trim).find(|line| line.ends_with("manifest.yaml merge=union")).unwrap();
    let place = branches(&format!("{line}\n"));
    assert!(merge(&place), "{}", place.read("tests/pytead/manifest.yaml"));
    stands(&place);
}

#[test]
fn a_manifest_with_the_marks_of_a_conflict_is_read_as_both_sides() {
    let place = branches("");
    assert!(!merge(&place), "neighbours are a conflict for git");
    assert!(place.read("tests/pytead/manifest.yaml").contains("<<<<<<<"));
    stands(&place);
}

/// Runs a program that has only the package, on a machine of its own; its calls are in the spool folder.
fn elsewhere(inputs: &str) -> Place {
    let place = Place::empty();
    place.save("pyproject.toml", "");
    place.save("app.py", "from pytead_tui import trace\n\n\n@trace\ndef double(x):\n    return x * 2\n");
    place.save("main.py", &format!("import app\nfor x in {inputs}:\n    app.double(x)\n"));
    let run = std::process::Command::new(crate::harness::python_with_pytest())
        .arg("main.py")
        .current_dir(place.root())
        .env_clear()
        .env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/assets/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .status();
    assert!(run.unwrap().success());
    place
}

#[test]
fn recordings_of_several_machines_become_one_body_of_calls() {
    let (one, two, place) = (elsewhere("(1, 2)"), elsewhere("(2, 30)"), elsewhere("()"));
    for (machine, folder) in [(&one, "one"), (&two, "two")] {
        std::fs::rename(machine.root().join(".pytead"), place.root().join(folder)).unwrap();
    }
    let (code, out, err) = place.run(&["--trust", "import", "one", "two/spool"]);
    assert_eq!(code, 0, "{out}{err}");
    let (_, list, _) = place.run(&["export"]);
    assert!(list.contains("calls"), "{list}");
    let (code, out, err) = place.run(&["--trust", "gen", "app:double", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let text = place.read("tests/pytead/test_pytead_app.py");
    for shown in ["2, 4", "1, 2", "30, 60", "from 4 calls"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert!(!list.contains(two.root().to_str().unwrap()), "where it lay on another machine is nobody's to know: {list}");
}

const INTENTS: &str = r#"from pytead_tui import semantic_test


@semantic_test("Be nice")
def test_nice():
    app.add(1)


@semantic_test("Be quick")
def test_quick():
    app.add(2)
"#;

/// What two persons accepted for the intents of neighbours counts on both sides, with the line of the page on CI and without.
#[test]
fn accepted_intents_of_two_branches_count_after_a_merge() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ci.md")).unwrap();
    let union = page.lines().map(str::trim).find(|line| line.ends_with("semantic.lock.yaml merge=union")).unwrap();
    for attributes in [union, ""] {
        let place = Place::empty();
        place.save("app.py", "def add(n):\n    return n + 1\n");
        place.save("tests/test_app.py", &format!("import app\n{INTENTS}"));
        place.save(".gitattributes", &format!("{attributes}\n"));
        place.commit();
        place.git(&["branch", "theirs"]);
        let accept = |test: &str| {
            let test = format!("tests/test_app.py::{test}");
            let (code, out, err) =
                place.run(&["--trust", "check", "--accept", &test, "--covers-all", "-c", "add is called exactly once"]);
            assert_eq!(code, 0, "{out}{err}");
            place.git(&["add", "-A", "tests"]);
            place.git(&["commit", "-qm", &test]);
        };
        accept("test_nice");
        place.git(&["checkout", "-q", "theirs"]);
        accept("test_quick");
        assert_eq!(merge(&place), !attributes.is_empty());
        let (code, out, err) = place.run(&["--trust", "check", "--strict"]);
        assert_eq!(code, 0, "{out}{err}{}", place.read("tests/semantic.lock.yaml"));
    }
}
