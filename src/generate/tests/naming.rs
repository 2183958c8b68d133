//! R24: what tests and rows are called.

use proptest::prelude::*;

use super::*;

/// Lists the names of tests and the ids of rows of a draft, as they stand in it.
fn names(calls: &Calls) -> Vec<String> {
    let text = text(calls);
    let named = text.lines().filter_map(|line| {
        let test = line.strip_prefix("def ").and_then(|rest| rest.split_once('(')).map(|(name, _)| name.to_owned());
        test.or_else(|| line.split_once("id=\"").and_then(|(_, rest)| rest.split_once('"')).map(|(id, _)| format!("  {id}")))
    });
    named.collect()
}

/// Calls of `find`, each with these values for its two parameters and what it gives.
fn found(cases: &[(Value, Value, Value)]) -> Calls {
    cases.iter().fold(Calls::of("find"), |calls, (items, name, gives)| {
        calls.returns(&[("items", items.clone()), ("name", name.clone())], gives.clone())
    })
}

fn ints(numbers: &[i64]) -> Value {
    Value::List(numbers.iter().map(|number| Value::Int(*number)).collect())
}

fn texts(texts: &[&str]) -> Value {
    Value::List(texts.iter().map(|text| string(text)).collect())
}

#[test]
fn names_say_what_is_special_in_words() {
    let expressions = ["50", "2 + 1", "2 + 1 * 5 - 2 / 1", "(2 + 1) * 5", "", "10 % 3"];
    let cases = [
        found(&expressions.map(|text| (Value::Int(1), string(text), Value::Int(text.len() as i64)))),
        found(&[
            (ints(&[17, 3, 71, 3]), string("x"), ints(&[1])),
            (ints(&[17, 3, 71, 4]), string("x"), ints(&[2])),
            (ints(&[17, 3, 71, 5]), string("x"), ints(&[])),
            (ints(&[]), string("x"), ints(&[1, 2])),
        ]),
        found(&[
            (texts(&["h", "he"]), string("x"), Value::Int(1)),
            (texts(&["h", "he", "hel"]), string("x"), Value::Int(2)),
            (texts(&["tea", "milk"]), string("x"), Value::Int(3)),
        ]),
        found(&[
            (ints(&[1]), string("ten"), Value::Int(4)),
            (ints(&[1]), Value::None, Value::None),
            (ints(&[1]), string("a longer text than anybody would like to read"), Value::Int(5)),
        ]),
        found(&[
            (Value::Float(std::f64::consts::PI), Value::Int(1), Value::Bool(true)),
            (Value::Float(-0.5), Value::Int(1), Value::Bool(true)),
            (Value::Int(12_000_000_000), Value::Int(1), Value::Bool(false)),
            (Value::Int(0), Value::Int(1), Value::Bool(true)),
        ]),
        found(&[(Value::Int(1), Value::Int(2), Value::Int(3)), (Value::Int(1), Value::Int(3), Value::Int(4))])
            .call(&[("items", Value::Int(-1)), ("name", Value::Int(2))], exception("ValueError", "builtins", vec![string("no")])),
    ];
    let all: Vec<String> = cases.iter().map(|calls| names(calls).join("\n")).collect();
    insta::assert_snapshot!(all.join("\n\n"));
}

/// R27: an accepted test keeps its name, whatever is recorded later and would tell it apart in other words.
#[test]
fn a_case_that_is_added_renames_no_accepted_test() {
    let case = |n: i64, text: &str| (Value::Int(n), string(text), string(&"x".repeat(usize::try_from(n.abs()).unwrap())));
    let all = [case(-1, "ten"), case(2, "ten"), case(3, ""), case(-7, "half"), case(2, "")];
    for count in 1..all.len() {
        let before = found(&all[..count]);
        let mut after = found(&all[..=count]);
        after.accepted = with_plan(&before, &[], |plan, _| plan.clone().cases().into_iter().map(|case| case.input).collect());
        let (before, after) = (names(&before), names(&after));
        let gone: Vec<&String> = before.iter().filter(|name| !after.contains(name)).collect();
        let becomes_a_table = count == 2;
        assert!(gone.is_empty() || becomes_a_table, "{gone:?} of {before:?} are not in {after:?}");
        assert!(after.len() > before.len());
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        any::<i64>().prop_map(Value::Int),
        (-20i64..20).prop_map(Value::Int),
        any::<f64>().prop_map(Value::Float),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::None),
        "[ -~]{0,30}".prop_map(Value::Str),
        "[0-9.:/+* -]{0,12}".prop_map(Value::Str),
        "\\PC{0,6}".prop_map(Value::Str),
        "-?[0-9]{1,4}\\.[0-9]{0,9}".prop_map(|text| decimal(&text)),
        (1970i64..2100, 1i64..13, 1i64..29).prop_map(|(year, month, day)| Value::New {
            ty: TypeName::new("datetime", "date"),
            args: vec![Value::Int(year), Value::Int(month), Value::Int(day)],
            kwargs: vec![],
        }),
    ];
    scalar.prop_recursive(2, 12, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::List),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Tuple),
            prop::collection::vec(("[a-z]{1,8}".prop_map(Value::Str), inner), 0..3).prop_map(|mut pairs| {
                pairs.dedup_by(|one, other| one.0 == other.0);
                Value::Dict(pairs)
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Of any calls: names can be written, are different, are not too long, and hold no digits of many arguments.
    #[test]
    fn names_can_be_read(cases in prop::collection::vec((any_value(), any_value(), any_value()), 1..9)) {
        let all = names(&found(&cases));
        let (ids, tests): (Vec<&String>, Vec<&String>) = all.iter().partition(|name| name.starts_with(' '));
        for name in ids.iter().chain(&tests).map(|name| name.trim()) {
            prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
            prop_assert!(name.len() <= 55, "{name}");
            let runs = name.split('_').collect::<Vec<_>>();
            let is_number = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
            prop_assert!(!runs.windows(3).any(|three| three.iter().all(is_number)), "{name}");
        }
        let different: BTreeSet<&&String> = tests.iter().collect();
        prop_assert_eq!(different.len(), tests.len());
        for table in all.split(|name| !name.starts_with(' ')) {
            let different: BTreeSet<&String> = table.iter().collect();
            prop_assert_eq!(different.len(), table.len(), "{:?}", all);
        }
    }
}
