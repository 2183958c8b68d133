//! Words for values and results, and names of functions. What names whole drafts have is in `generate/tests/naming.rs`.

use std::collections::BTreeSet;

use super::candidates::result_word;
use super::values::value_words;
use super::*;
use crate::domain::value::{TypeName, Value};
use crate::source::index::Index;

#[test]
fn functions_whose_names_read_alike_have_tests_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let source = "class Stats:\n    @property\n    def owner(self): pass\n    @owner.setter\n    def owner(self, value): pass\n    def quantile(self): pass\n    def _quantile(self): pass\n\ndef stats_quantile(): pass\n\ndef _load(): pass\n\ndef load(): pass\n";
    std::fs::write(folder.path().join("m.py"), source).unwrap();
    let index = Index::build(folder.path(), &[], &|_, _| {});
    let module = index.modules().next().unwrap();
    let stems: BTreeSet<String> = module.functions.iter().map(|function| stem(function, Some(module))).collect();
    let expected = [
        "test_load",
        "test_private_load",
        "test_stats__private_quantile",
        "test_stats__quantile",
        "test_stats_owner",
        "test_stats_quantile",
        "test_stats_set_owner",
    ];
    assert_eq!(stems.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn a_result_is_said_in_a_word_or_not_at_all() {
    assert_eq!(result_word(&Value::Int(-3)).as_deref(), Some("returns_minus_3"));
    assert_eq!(result_word(&Value::Str("None".into())), None, "it would read like another value");
}

#[test]
fn words_say_what_is_special_about_a_value() {
    let text = |text: &str| Value::Str(text.into());
    let ints = |numbers: &[i64]| Value::List(numbers.iter().map(|n| Value::Int(*n)).collect());
    let made = |class: &str, numbers: &[i64]| Value::New {
        ty: TypeName::new("datetime", class),
        args: numbers.iter().map(|n| Value::Int(*n)).collect(),
        kwargs: vec![],
    };
    let named = |name: &str| Value::Name(TypeName::new("builtins", name));
    let typed = |how: &str, args: Vec<Value>| Value::New { ty: TypeName::new("operator", how), args, kwargs: vec![] };
    let dict = typed("getitem", vec![named("dict"), Value::Tuple(vec![named("str"), named("int")])]);
    for (value, words) in [
        (typed("getitem", vec![named("list"), dict]), &["list_dict_str_int"][..]),
        (typed("getitem", vec![named("Union"), Value::Tuple(vec![named("int"), Value::None])]), &["optional_int"]),
        (typed("or_", vec![named("int"), named("str")]), &["int_or_str"]),
        (typed("getitem", vec![named("tuple"), Value::Tuple(vec![named("int"); 9])]), &["tuple"]),
        (ints(&[1, -2]), &["negative_in_x", "x_1_and_minus_2", "two_in_x"]),
        (ints(&[1, 2, 3, 4, 5]), &["five_in_x"]),
        (Value::List(vec![Value::Float(0.5), Value::Float(2.0), Value::None]), &["none_in_x", "three_in_x"]),
        (Value::Dict(vec![(text("a b"), Value::None), (text("c"), Value::None)]), &["x_a_b_and_c", "two_in_x"]),
        (text("the quick brown fox jumps over"), &["long_x", "x_the_quick_brown_fox"]),
        (text("?!"), &["exclamation_mark_in_x", "question_mark_in_x", "exclamation_mark_and_question_mark_in_x"]),
        (text("_"), &["x_of_signs"]),
        (text("2 + 1 * 5"), &["plus_in_x", "star_in_x", "plus_and_star_in_x", "x_2_1_and_more"]),
        (text("ten percent"), &["ten_percent", "x_ten_percent"]),
        (text("-4"), &["x_minus_4", "dash_in_x"]),
        (text("10.0.0.1"), &["x_10_0_and_more", "dot_in_x"]),
        (Value::Float(std::f64::consts::PI), &["x_about_3_14"]),
        (Value::Float(1e-9), &["x_1e_09"]),
        (Value::Float(-2.5), &["negative_x", "x_minus_2_5"]),
        (Value::Int(10_000_000_000), &["large_x"]),
        (ints(&[17, 3, 71, 3]), &["repeated_x", "four_in_x"]),
        (ints(&[0; 20]), &["equal_x", "repeated_x", "many_in_x", "x_of_20"]),
        (Value::List(vec![text("h"), text("he")]), &["x_h_and_he", "two_in_x"]),
        (Value::List(vec![text("tea"), text("milk")]), &["tea_and_milk", "two_in_x"]),
        (text("a\nb"), &["lines_of_x", "x_a_b"]),
        (text(" a "), &["padded_x", "x_a"]),
        (ints(&[3, 3]), &["equal_x", "repeated_x", "x_3_and_3", "two_in_x"]),
        (Value::List(vec![text("a"), Value::None]), &["none_in_x", "x_a_and_none", "two_in_x"]),
        (made("timedelta", &[0, 1, 0]), &["x_1_second"]),
        (made("timedelta", &[-1, 82_800, 0]), &["x_minus_1_hour", "negative_x"]),
        (made("timedelta", &[1, 3_661, 0]), &["x_1_day_and_more", "x_1_day_1_hour_1_minute_1_second"]),
        (made("timedelta", &[0, 0, 0]), &["zero_x"]),
        (made("date", &[2024, 2, 9]), &["x_9_feb_2024", "date"]),
        (made("datetime", &[2024, 2, 9, 7, 5, 0, 0]), &["x_9_feb_2024", "x_9_feb_2024_at_07_05"]),
        (made("datetime", &[2024, 2, 9, 7, 5, 3, 0]), &["x_9_feb_2024", "x_9_feb_2024_at_07_05_and_3_seconds"]),
    ] {
        assert_eq!(value_words("x", &value), words, "{value:?}");
    }
}
