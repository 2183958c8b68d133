//! Graphs of objects on the real binary: chosen in the settings, proved with their helper, written with it, and taken back.

use crate::harness::Place;

const TESTS: &str = "tests/pytead/test_pytead_lib.py";
const HELPER: &str = "tests/pytead/_graph.py";
const LIBRARY: &str = r#"
class Node:
    def __init__(self, name):
        self.name = name
        self.next = self


def ring(name):
    return Node(name)


def pair(name):
    node = Node(name)
    return [node, node]


def double(n):
    return n * 2
"#;

fn recorded() -> Place {
    Place::prepared("graphs", || {
        let place = Place::empty();
        place.save("pyproject.toml", "[tool.pytead.generation]\nsnapshots = \"graph\"\n");
        place.save("lib.py", LIBRARY);
        place.save("main.py", "import lib\nlib.ring(\"a\"), lib.pair(\"b\"), lib.double(3)\n");
        let (code, _, err) = place.run(&["--trust", "run", "main.py"]);
        assert_eq!(code, 0, "{err}");
        place
    })
}

fn does(place: &Place, args: &[&str]) -> String {
    let (code, out, err) = place.run(&[&["--trust"], args].concat());
    assert_eq!(code, 0, "{out}{err}");
    out
}

fn passes(place: &Place) {
    let python = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv/bin/python");
    let python = if python.exists() { python } else { "python3".into() };
    let done = std::process::Command::new(python).args(["-m", "pytest", "-q"]).current_dir(place.root()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

fn has_helper(place: &Place) -> bool {
    place.root().join(HELPER).exists()
}

/// R8: the helper comes with the first test that needs it and goes with the last.
#[test]
fn the_helper_comes_with_the_first_graph_and_goes_with_the_last() {
    let place = recorded();
    does(&place, &["gen", "lib:double", "--accept"]);
    assert!(!has_helper(&place), "nothing needs it");
    let out = does(&place, &["gen", "lib:ring", "--accept"]);
    assert!(out.contains("+    assert graph(result) == {") && out.contains("can fail"), "{out}");
    does(&place, &["gen", "lib:pair", "--accept"]);
    let tests = place.read(TESTS);
    assert!(tests.contains("from _graph import graph\n") && tests.contains("{\"$ref\": 1}"), "{tests}");
    passes(&place);
    assert_eq!(place.run(&["--trust", "gen", "--check"]).0, 0, "nothing would change");
    does(&place, &["review", "--undo"]);
    assert!(has_helper(&place), "the other one needs it");
    does(&place, &["review", "--undo"]);
    assert!(!has_helper(&place) && place.read(TESTS).contains("def test_double("));
    // A change of the code in what a graph shows fails its test.
    does(&place, &["gen", "lib:ring", "--accept"]);
    place.edit("lib.py", "self.next = self", "self.next = None");
    let failed = place.run(&["--trust", "replay"]);
    assert_eq!(failed.0, 1, "{}", failed.1);
}

/// R27: a helper that a person changed is used as it is, and stays when its tests go.
#[test]
fn a_helper_that_a_person_changed_is_theirs() {
    let place = recorded();
    does(&place, &["gen", "lib:ring", "--accept"]);
    let mine = place.read(HELPER).replace("import math", "import math  # mine");
    place.save(HELPER, &mine);
    let out = does(&place, &["gen", "lib:pair", "--accept"]);
    assert!(out.contains("lib:pair  ready"), "{out}");
    assert_eq!(place.read(HELPER), mine);
    passes(&place);
    does(&place, &["review", "--undo"]);
    does(&place, &["review", "--undo"]);
    assert!(!place.root().join(TESTS).exists());
    assert_eq!(place.read(HELPER), mine);
}

/// R8: without the choice nothing is written as a graph; elsewhere than in the tests the helper goes along.
#[test]
fn a_graph_is_a_choice() {
    let place = recorded();
    does(&place, &["gen", "lib:ring", "-o", "out/test_ring.py"]);
    assert!(place.root().join("out/_graph.py").exists());
    place.save("pyproject.toml", "");
    let out = does(&place, &["gen", "lib:ring"]);
    assert!(out.contains("assert result.name == \"a\"") && !out.contains("graph"), "{out}");
}

/// Descriptors that keep what they compute: boltons' `cachedproperty`, Pyramid's `reify`, one that is a function.
const DESCRIPTORS: &str = r#"
class cachedproperty:
    def __init__(self, func):
        self.func = func

    def __get__(self, obj, objtype=None):
        if obj is None:
            return self
        value = obj.__dict__[self.func.__name__] = self.func(obj)
        return value


class reify:
    def __init__(self, wrapped):
        self.wrapped = wrapped

    def __get__(self, inst, objtype=None):
        if inst is None:
            return self
        value = self.wrapped(inst)
        setattr(inst, self.wrapped.__name__, value)
        return value


def lazy_property(fn):
    @property
    def get(self):
        return fn(self)

    return get


class Job:
    def __init__(self, parts):
        self.parts = parts

    @cachedproperty
    def weight(self):
        return sum(self.parts)

    @reify
    def first(self):
        return self.parts[0]

    @lazy_property
    def last(self):
        return self.parts[-1]

    def added(self, part):
        self.parts.append(part)
        return self.weight
"#;

#[test]
fn what_other_descriptors_give_is_read_and_not_called() {
    let place = Place::empty();
    place.save("lib.py", DESCRIPTORS);
    place.save("main.py", "from lib import Job\njob = Job([3, 2, 4])\njob.weight, job.first, job.last\nJob([5]).added(3)\n");
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    let out = does(&place, &["gen", "--accept"]);
    assert!(out.contains(" proved, 0 refused"), "{out}");
    let tests = place.read(TESTS);
    for line in ["assert job.weight == 9", "assert job.first == 3", "assert job.last == 4"] {
        assert!(tests.contains(line), "{line}\n in\n{out}\n{tests}");
    }
    passes(&place);
    place.edit("lib.py", "sum(self.parts)", "sum(self.parts) + 1");
    assert_eq!(place.run(&["--trust", "replay"]).0, 1, "replay finds the function behind its descriptor");
}
