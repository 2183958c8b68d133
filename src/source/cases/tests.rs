use super::*;

fn rest(text: &str, names: &[&str]) -> Rest {
    without(text, &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
}

fn table(argnames: &str, rows: &str) -> String {
    format!("@pytest.mark.parametrize({argnames}, {rows})\ndef test_a(a, b):\n    assert a == b\n")
}

#[test]
fn a_row_of_any_form_goes_alone() {
    for (argnames, rows, gone, left) in [
        ("\"a,b\"", "[(1, 2), (-1, 0), (10, 7)]", "-1-0", "[(1, 2), (10, 7)]"),
        ("\"a, b\"", "[(1, 2), (10, 7)]", "10-7", "[(1, 2)]"),
        ("(\"a\", \"b\")", "([1.50, 1e3], [2.0, None])", "2.0-None", "([1.50, 1e3], )"),
        ("[\"a\", \"b\"]", "[('x y', True), ('é\\n', False)]", "\\xe9\\n-False", "[('x y', True)]"),
        ("\"a,b\"", "[([1], {}), ([2], {})]", "a1-b1", "[([1], {})]"),
        ("\"a,b\"", "[(int, 1), (Decimal('2'), 2)]", "int-1", "[(Decimal('2'), 2)]"),
        ("\"a\"", "[b'x', b'y']", "y", "[b'x']"),
        ("\"a\"", "[pytest.param(1, id='one'), pytest.param(2, marks=m)]", "2", "[pytest.param(1, id='one')]"),
        ("\"a\"", "[1, 2, 3], ids=['x', 'y', 'z']", "y", "[1, 3], ids=['x', 'z']"),
        ("\"a\"", "[1, 2, 3, 4], ids=['x', 'y', 'z', 'w']", "x", "[2, 3, 4], ids=['y', 'z', 'w']"),
        ("argnames=\"a\", argvalues=", "[1, 2]", "1", "[2]"),
        ("\"a,b\"", "[(1, 1), (1, 1)]", "1-11", "[(1, 1)]"),
    ] {
        let text = table(argnames, rows).replace("argvalues=, ", "argvalues=");
        let after = rest(&text, &[&format!("test_a[{gone}]")]);
        let expected = table(argnames, left).replace("argvalues=, ", "argvalues=");
        assert_eq!(after, Rest { text: expected, empty: BTreeSet::new(), missing: BTreeSet::new() }, "{rows}");
    }
}

#[test]
fn a_row_with_a_line_of_its_own_takes_the_line() {
    let text = table("\"a, b\"", "[\n    (1, 2),  # low\n    # high\n    (3, 4),\n]");
    assert_eq!(rest(&text, &["test_a[1-2]"]).text, table("\"a, b\"", "[\n    # high\n    (3, 4),\n]"));
}

#[test]
fn what_is_not_found_is_said() {
    let two = format!("@pytest.mark.parametrize('c', [1, 2])\n{}", table("\"a,b\"", "[(1, 2), (3, 4)]"));
    for text in [two, table("\"a,b\"", "ROWS"), table("\"a,b\"", "[(1, 2)], ids=str")] {
        let after = rest(&text, &["test_a[1-2-1]", "test_a[1-2]"]);
        assert_eq!((after.text, after.missing.len()), (text, 2));
    }
}

#[test]
fn tests_without_a_row_and_methods_go() {
    let text = table("\"a,b\"", "[(1, 2), (3, 4)]");
    let after = rest(&text, &["test_a[1-2]", "test_a[3-4]"]);
    assert_eq!((after.text, after.empty), (text, BTreeSet::from(["test_a".to_owned()])));

    let class = "class TestA:\n    def test_one(self):\n        assert 1\n\n    @pytest.mark.parametrize('a', [1, 2])\n    def test_two(self, a):\n        assert a\n";
    let after = rest(class, &["TestA::test_one", "TestA::test_two[2]"]);
    assert_eq!(
        after.text,
        "class TestA:\n    @pytest.mark.parametrize('a', [1])\n    def test_two(self, a):\n        assert a\n"
    );
    let after = rest(class, &["TestA::test_one", "TestA::test_two"]);
    assert_eq!(after.empty, BTreeSet::from(["TestA".to_owned()]));
}
