//! Both tables, row by row, and what is said of references that nothing is known of.

use serde_json::json;

use super::*;

fn known() -> Known {
    let value = json!({
        "stored": { "t": "abc", "n": null, "z": 0, "f": false, "e": "", "l": [1, 2] },
        "u": { "id": 42, "items": [{ "id": 7 }], "a.b": 1, "name": "${stored.t}", "ok": true, "x": 0.1 },
    });
    value.as_object().cloned().unwrap()
}

fn at(text: &str) -> Located {
    Located { at: Place { line: 4, column: 10 }, value: Plain::Text(text.into()) }
}

fn typed(text: &str) -> Result<Value, String> {
    fill(&at(text), &known(), Table::Typed).map(|filled| filled.args).map_err(|all| all[0].what.clone())
}

#[test]
fn a_reference_alone_keeps_its_type_and_in_a_text_becomes_text() {
    for (text, value) in [
        ("${u.id}", json!(42)),
        ("${ u.id }", json!(42)),
        ("id=${u.id}", json!("id=42")),
        ("${u.id}${u.id}", json!("4242")),
        ("${u.items.0.id}", json!(7)),
        ("${u.items[0].id}", json!(7)),
        ("${u.items[-1].id}", json!(7)),
        ("${u[\"a.b\"]}", json!(1)),
        ("${u['a.b']}", json!(1)),
        ("${stored.l[1]}", json!(2)),
        ("${stored.n}", json!(null)),
        ("${stored.z}", json!(0)),
        ("${stored.f}", json!(false)),
        ("${stored.e}", json!("")),
        ("${u.items}", json!([{ "id": 7 }])),
        ("all: ${u.items}", json!("all: [{\"id\":7}]")),
        ("${u.ok} ${stored.n}", json!("true null")),
        ("${u.x}", json!(0.1)),
        ("${u.name}", json!("${stored.t}")),
        ("$${u.id}", json!("${u.id}")),
        ("a $${u.id} ${u.id}", json!("a ${u.id} 42")),
        ("\\${u.id}", json!("\\42")),
        ("$5 and $ {x}", json!("$5 and $ {x}")),
        ("", json!("")),
        ("${missing:-5}", json!(5)),
        ("${missing:-five}", json!("five")),
        ("${missing:-\"5\"}", json!("5")),
        ("${missing:-}", json!("")),
        ("${u.id:-5}", json!(42)),
        ("${stored.n:-x}", json!("x")),
        ("${stored.e:-x}", json!("")),
        ("v${missing:-5}", json!("v5")),
        ("${u.items[4].id:-none}", json!("none")),
        ("Grüße ${stored.t}", json!("Grüße abc")),
    ] {
        assert_eq!(typed(text), Ok(value), "{text}");
    }
}

#[test]
fn what_has_no_value_says_why() {
    for (text, why) in [
        ("${v.id}", "`${v.id}` has no value: nothing is saved as `v`"),
        ("${u.idd}", "`u` has no field `idd`: it has id, items, a.b, name, ok, x."),
        ("${u.id.x}", "`u.id` is a number."),
        ("${u.items[3]}", "`u.items` is a list of 1 item."),
        ("${u.items.id}", "`u.items` is a list."),
        ("${stored.q}", "`stored` has no field `q`"),
        ("${env.HOME}", "nothing is saved as `env`"),
        ("${}", "`${}` names nothing. To mean the text itself, write `$${`."),
        ("${u.id", "`${` is never closed"),
        ("${${stored.t}}", "is no reference"),
        ("${u..id}", "is no reference"),
        ("${9}", "is no reference"),
    ] {
        let said = typed(text).unwrap_err();
        assert!(said.contains(why), "{text}: {said}");
    }
    let mistakes = fill(&at("x ${v} y ${w}"), &known(), Table::Typed).unwrap_err();
    let places: Vec<(u32, u32, usize)> = mistakes.iter().map(|one| (one.at.line, one.at.column, one.length)).collect();
    assert_eq!(places, [(4, 12, 4), (4, 19, 4)], "all of them, each at its place");
}

#[test]
fn the_former_table_is_what_it_was() {
    for (text, value) in [
        ("${u.id}", "42"),
        ("id=${u.id}", "id=42"),
        ("${ u.id }", "${ u.id }"),
        ("${u.items.0.id}", "${u.items.0.id}"),
        ("${u.items[0].id}", "${u.items[0].id}"),
        ("${u.missing}", "${u.missing}"),
        ("${missing}", "${missing}"),
        ("$${u.id}", "$42"),
        ("\\${u.id}", "\\42"),
        ("${stored.n}", "${stored.n}"),
        ("${stored.z}", "0"),
        ("${stored.f}", "False"),
        ("${stored.e}", ""),
        ("${u.items}", "[{'id': 7}]"),
        ("${}", "${}"),
        ("${u.id", "${u.id"),
        ("${}${u.id}", "${}42"),
        ("${u.name}", "${stored.t}"),
        ("${u.a.b}", "${u.a.b}"),
        ("${${stored.t}}", "${${stored.t}}"),
        ("${u.id:-5}", "${u.id:-5}"),
        ("${env.HOME}", "${env.HOME}"),
        ("${u.id}-${stored.t}", "42-abc"),
    ] {
        let filled = fill(&at(text), &known(), Table::Former).unwrap();
        assert_eq!(filled.args, json!(value), "{text}");
    }
    let nested = Located {
        at: Place::line(1),
        value: Plain::Map(vec![
            ("${u.id}".into(), Place::line(1), at("${u.id}")),
            ("list".into(), Place::line(1), Located { at: Place::line(1), value: Plain::List(vec![at("${u.ok}")]) }),
        ]),
    };
    let filled = fill(&nested, &known(), Table::Former).unwrap();
    assert_eq!(filled.args, json!({ "${u.id}": "42", "list": ["True"] }), "keys stay");
    assert_eq!(filled.trace, [("${u.id}".to_owned(), "42".to_owned()), ("${u.ok}".to_owned(), "True".to_owned())]);
}

#[test]
fn python_writes_values_as_it_does() {
    let value = json!({ "a": ["it's", "say \"x\"", "both ' \"", "tab\t", "\u{1b}"], "n": null, "f": 1.5 });
    assert_eq!(python_str(&value), "{'a': [\"it's\", 'say \"x\"', 'both \\' \"', 'tab\\t', '\\x1b'], 'n': None, 'f': 1.5}");
}

proptest::proptest! {
    #[test]
    fn no_text_breaks_either_table(text in "[${}.a\\[\\]\"'0:u-]{0,24}") {
        let _ = typed(&text);
        let filled = fill(&at(&text), &known(), Table::Former);
        proptest::prop_assert!(filled.is_ok());
    }
}
