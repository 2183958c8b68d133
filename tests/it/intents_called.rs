//! Functions with an intent that other tests call, on the real binary.

use crate::intents::{check, project};

/// What the predecessor judged wherever it was called is judged: in a test of another name, a parameter, a base class, below a decorator
/// that hides it, and twice.
#[test]
fn a_decorated_function_that_another_test_calls_is_judged_there() {
    let place = project();
    let head = "import asyncio, functools, pytest\nfrom pytead_tui import SemanticAssertionError, semantic_test\nfrom shop.registration import Database\n\n\n";
    let kinds = "def hides(test):\n    def inner(*given, **named):\n        return test(*given, **named)\n    return inner\n\n\n\
        @semantic_test(\"Database.save is called\")\ndef journey(saves=False):\n    Database().save(\"a\", \"A\") if saves else Database().exists(\"a\")\n\n\n\
        @semantic_test(\"Database.save is called\")\nasync def waits():\n    await asyncio.sleep(0)\n    Database().exists(\"a\")\n\n\n\
        def test_bad_helper():\n    journey()\n\n\n\
        def test_good_helper():\n    journey(saves=True)\n\n\n\
        @pytest.mark.parametrize(\"f\", [journey])\ndef test_bad_parameter(f):\n    f()\n\n\n\
        def test_bad_async():\n    asyncio.run(waits())\n\n\n\
        class Base:\n    @semantic_test(\"Database.save is called\")\n    def test_it(self):\n        Database().exists(\"a\")\n\n\n\
        class TestBadSuper(Base):\n    def test_it(self):\n        super().test_it()\n\n\n\
        @hides\n@semantic_test(\"Database.save is called\")\ndef test_bad_hidden():\n    Database().exists(\"a\")\n\n\n\
        @semantic_test(\"Database.exists is called\")\n@semantic_test(\"Database.save is called\")\ndef test_bad_twice():\n    Database().exists(\"a\")\n\n\n\
        @semantic_test(\"Database.exists is called\")\ndef test_good_both():\n    Database().exists(\"b\")\n    journey()\n\n\n\
        def test_good_expected():\n    with pytest.raises(SemanticAssertionError, match=\"save\"):\n        journey()\n\n\n\
        @semantic_test(\"Database.exists is called\")\ndef test_good_plain():\n    Database().exists(\"a\")\n";
    place.save("tests/test_called.py", &format!("{head}{kinds}"));
    let (code, said) = check(&place, &["tests/test_called.py", "--", "-rA"]);
    assert_eq!(code, 1, "{said}");
    let ended = |how: &str| {
        let mut names: Vec<&str> = said
            .lines()
            .filter_map(|line| line.strip_prefix(how)?.split_once("test_called.py::"))
            .map(|(_, name)| name.split([' ', '[']).next().unwrap())
            .collect();
        names.sort_unstable();
        names
    };
    assert_eq!(ended("PASSED"), ["test_good_both", "test_good_expected", "test_good_helper", "test_good_plain"], "{said}");
    assert!(said.contains("was not judged, since the test is recorded for its own: Database.save is called"), "{said}");
    let failed =
        ["TestBadSuper::test_it", "test_bad_async", "test_bad_helper", "test_bad_hidden", "test_bad_parameter", "test_bad_twice"];
    assert_eq!(ended("FAILED"), failed, "{said}");
    assert!(!said.contains("intents.py:"), "no line of ours stands in a traceback: {said}");
}

/// A file in which no test has an intent of its own, and tests that are shown.
#[test]
fn helpers_alone_are_judged_and_so_where_journeys_are_shown() {
    let place = project();
    place.save(
        "tests/test_helpers.py",
        "from pytead_tui import semantic_test\nfrom shop.registration import Database\n\n\n\
         @semantic_test(\"Database.save is called\")\ndef journey():\n    Database().exists(\"a\")\n\n\n\
         def test_bad():\n    journey()\n",
    );
    for args in [
        &["tests/test_helpers.py"][..],
        &["tests/test_helpers.py", "--", "--semantic-show=journey"],
        &["tests/test_helpers.py", "--journey"],
    ] {
        let (code, said) = check(&place, args);
        assert!(code == 1 && said.contains("Database.save was not called"), "{args:?}: {said}");
    }
}

/// What cannot be judged says so: what a fixture calls, what runs in another thread, and a generator.
#[test]
fn a_decorated_function_that_is_not_judged_is_named() {
    let place = project();
    place.save(
        "tests/test_left.py",
        "import threading, pytest\nfrom pytead_tui import semantic_test\nfrom shop.registration import Database\n\n\n\
         @semantic_test(\"Database.save is called\")\ndef journey():\n    Database().exists(\"a\")\n\n\n\
         @semantic_test(\"Database.save is called\")\ndef rows():\n    yield Database().exists(\"a\")\n\n\n\
         @pytest.fixture\ndef used():\n    journey()\n\n\n\
         @pytest.fixture\n@semantic_test(\"Database.save is called\")\ndef value():\n    yield 7\n\n\n\
         def test_fixture(used):\n    pass\n\n\n\
         def test_thread():\n    thread = threading.Thread(target=journey)\n    thread.start()\n    thread.join()\n\n\n\
         def test_generator(value):\n    assert list(rows()) == [False] and value == 7\n\n\n\
         class TestStatic:\n    @semantic_test(\"Database.save is called\")\n    @staticmethod\n    def test_bad_static():\n        Database().exists(\"a\")\n\n\n\
         @semantic_test(\"Database.exists is called\")\ndef again(n):\n    Database().exists(\"a\")\n    return n and again(n - 1)\n\n\n\
         def test_recursive():\n    again(3)\n",
    );
    let (code, said) = check(&place, &["tests/test_left.py", "--", "-rA"]);
    assert_eq!(code, 1, "{said}");
    for why in ["since a fixture calls it", "since it runs in another thread", "since it is a generator"] {
        assert!(said.contains(&format!("was not judged, {why}: Database.save is called")), "{why}: {said}");
    }
    assert!(
        said.contains("1 failed, 4 passed") && said.contains("FAILED tests/test_left.py::TestStatic::test_bad_static"),
        "{said}"
    );
    assert!(!said.contains("another one is judged at the same time"), "{said}");
}
