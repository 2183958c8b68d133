//! Drafts of arrays and frames: how they are written, and how they are compared.

use super::*;

fn new(module: &str, name: &str, args: Vec<Value>, kwargs: &[(&str, Value)]) -> Value {
    Value::New { ty: TypeName::new(module, name), args, kwargs: fields(kwargs) }
}

fn array(dtype: &str, shape: &[u64], items: Vec<Value>) -> Value {
    Value::Array { dtype: dtype.into(), shape: shape.to_vec(), items }
}

fn rule(name: &str, args: Vec<Value>, dtype: &str) -> Value {
    new("numpy", name, args, &[("dtype", string(dtype))])
}

fn ints(numbers: &[i64]) -> Vec<Value> {
    numbers.iter().map(|number| Value::Int(*number)).collect()
}

fn floats(numbers: &[f64]) -> Vec<Value> {
    numbers.iter().map(|number| Value::Float(*number)).collect()
}

fn texts(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| string(text)).collect()
}

fn frame(columns: &[(&str, Value)], kwargs: &[(&str, Value)]) -> Value {
    let columns = columns.iter().map(|(name, column)| (string(name), column.clone())).collect();
    new("pandas", "DataFrame", vec![Value::Dict(columns)], kwargs)
}

fn typed(items: Vec<Value>, dtype: &str) -> Value {
    new("pandas", "array", vec![Value::List(items)], &[("dtype", string(dtype))])
}

/// R3: a dtype is written where numpy would take another one, and by the name that people use for it.
#[test]
fn zones_of_pytz_are_written_as_people_write_them() {
    let zone = || new("pytz", "timezone", texts(&["Europe/Rome"]), &[]);
    let day = || new("datetime", "datetime", ints(&[2024, 5, 1, 9, 0, 0, 0]), &[]);
    let localised = new("pytz.tzinfo", "DstTzInfo.localize", vec![zone(), day()], &[]);
    let expected = "timezone(\"Europe/Rome\").localize(datetime.datetime(2024, 5, 1, 9))";
    assert_eq!(written(&localised).as_deref(), Ok(expected));
    assert_eq!(written(&zone()).as_deref(), Ok("timezone(\"Europe/Rome\")"));
}

#[test]
fn arrays_are_written_as_people_write_them() {
    for (value, source) in [
        (array("<i8", &[2, 2], ints(&[1, 2, 3, 4])), "np.array([[1, 2], [3, 4]])"),
        (array("<f8", &[3], floats(&[0.5, f64::NAN, f64::NEG_INFINITY])), "np.array([0.5, np.nan, -np.inf])"),
        (array("<f4", &[1], floats(&[f64::from(0.1_f32)])), "np.array([0.1], dtype=np.float32)"),
        (array("|u1", &[1], ints(&[3])), "np.array([3], dtype=np.uint8)"),
        (array("|b1", &[1], vec![Value::Bool(true)]), "np.array([True])"),
        (array("|b1", &[0], vec![]), "np.array([], dtype=bool)"),
        (array(">i4", &[1], ints(&[3])), "np.array([3], dtype=\">i4\")"),
        (array("<U3", &[2], texts(&["a", "bcd"])), "np.array([\"a\", \"bcd\"])"),
        (array("<U9", &[1], texts(&["a"])), "np.array([\"a\"], dtype=\"<U9\")"),
        (array("<M8[D]", &[1], texts(&["2024-01-01"])), "np.array([\"2024-01-01\"], dtype=\"datetime64[D]\")"),
        (array("<m8[s]", &[1], ints(&[5])), "np.array([5], dtype=\"timedelta64[s]\")"),
        (array("<f8", &[], floats(&[1.5])), "np.array(1.5)"),
        (array("<i2", &[0, 3], vec![]), "np.zeros((0, 3), dtype=np.int16)"),
        (rule("arange", ints(&[0, 100, 1]), "<i8"), "np.arange(100)"),
        (rule("arange", ints(&[10, 0, -2]), "<i4"), "np.arange(10, 0, -2, dtype=np.int32)"),
        (rule("full", vec![Value::Int(80), Value::Float(0.5)], "<f8"), "np.full(80, 0.5)"),
        (rule("zeros", vec![Value::Tuple(ints(&[9, 9]))], "<f8"), "np.zeros((9, 9))"),
        (rule("linspace", vec![Value::Float(0.0), Value::Float(1.0), Value::Int(101)], "<f8"), "np.linspace(0.0, 1.0, 101)"),
        (
            new("numpy", "reshape", vec![rule("arange", ints(&[0, 100, 1]), "<i8"), Value::Tuple(ints(&[4, 25]))], &[]),
            "np.arange(100).reshape(4, 25)",
        ),
    ] {
        assert_eq!(written(&value).as_deref(), Ok(source), "{value:?}");
    }
}

/// R3: a dtype is written where pandas would take another one, an index where it is not the numbers of the rows.
#[test]
fn frames_are_written_as_people_write_them() {
    let list = |items: Vec<Value>| Value::List(items);
    let index = |items: Vec<Value>, kwargs: &[(&str, Value)]| new("pandas", "Index", vec![Value::List(items)], kwargs);
    let day = || new("pandas", "Timestamp", texts(&["2024-01-01"]), &[]);
    let days = |kwargs: &[(&str, Value)]| {
        new("pandas", "DatetimeIndex", vec![Value::List(texts(&["2024-01-01", "2024-01-02"]))], kwargs)
    };
    let chosen = |categories: &[&str]| {
        let categories = ("categories", Value::List(texts(categories)));
        new("pandas", "Categorical", vec![Value::List(texts(&["b", "a"]))], &[categories])
    };
    let missing = || vec![Value::Int(1), Value::None];
    for (value, source) in [
        (frame(&[("a", list(floats(&[1.5, f64::NAN])))], &[]), "pd.DataFrame({\"a\": [1.5, None]})"),
        (frame(&[("a", list(floats(&[f64::NAN])))], &[]), "pd.DataFrame({\"a\": [math.nan]})"),
        (
            frame(&[("a", list(ints(&[1]))), ("b", typed(missing(), "Int64"))], &[("index", index(texts(&["p"]), &[]))]),
            "pd.DataFrame({\"a\": [1], \"b\": [1, None]}, index=[\"p\"]).astype({\"b\": \"Int64\"})",
        ),
        (
            frame(&[("a", typed(ints(&[1]), "int8")), ("b", typed(ints(&[1]), "int8"))], &[]),
            "pd.DataFrame({\"a\": [1], \"b\": [1]}).astype(\"int8\")",
        ),
        (
            // Above 2**53 a float on the way would lose digits.
            frame(&[("a", typed(vec![Value::Int((1 << 60) + 1), Value::None], "Int64"))], &[]),
            "pd.DataFrame({\"a\": pd.array([1152921504606846977, None], dtype=\"Int64\")})",
        ),
        (frame(&[("a", typed(missing(), "object"))], &[]), "pd.DataFrame({\"a\": pd.array([1, None], dtype=object)})"),
        (frame(&[("a", chosen(&["a", "b"]))], &[]), "pd.DataFrame({\"a\": pd.Categorical([\"b\", \"a\"])})"),
        (chosen(&["b", "a"]), "pd.Categorical([\"b\", \"a\"], categories=[\"b\", \"a\"])"),
        (
            new("pandas", "Series", vec![list(ints(&[1]))], &[("name", string("object")), ("dtype", string("uint8"))]),
            "pd.Series([1], dtype=\"uint8\", name=\"object\")",
        ),
        (index(texts(&["p"]), &[("name", string("k"))]), "pd.Index([\"p\"], name=\"k\")"),
        (days(&[("freq", string("D"))]), "pd.date_range(\"2024-01-01\", periods=2, freq=\"D\")"),
        (days(&[]), "pd.DatetimeIndex([\"2024-01-01\", \"2024-01-02\"])"),
        (new("pandas", "RangeIndex", ints(&[0, 6, 2]), &[]), "pd.RangeIndex(0, 6, 2)"),
        (day(), "pd.Timestamp(\"2024-01-01\")"),
        (new("pandas", "Timestamp.as_unit", vec![day(), string("ns")], &[]), "pd.Timestamp(\"2024-01-01\").as_unit(\"ns\")"),
        (Value::Name(TypeName::new("pandas", "NaT")), "pd.NaT"),
    ] {
        assert_eq!(written(&value).as_deref(), Ok(source), "{value:?}");
    }
}

/// R2: each library compares as it does, and what its comparison does not look at is asserted beside it.
#[test]
fn arrays_and_frames_are_compared_by_their_libraries() {
    let scalar = |name: &str, held: Value| new("numpy", name, vec![held], &[]);
    for (result, parts) in [
        (
            array("<i8", &[2], ints(&[1, 1])),
            &["np.testing.assert_array_equal(result, [1, 1])", "assert result.dtype == np.int64", "assert result.shape == (2,)"]
                [..],
        ),
        (array("<f8", &[1], floats(&[0.5])), &["np.testing.assert_allclose(result, [0.5], rtol=1e-9)"]),
        (array("<f4", &[1], floats(&[0.5])), &["np.testing.assert_allclose(result, [0.5], rtol=1e-6)"]),
        (array("<M8[D]", &[1], texts(&["2024-01-01"])), &["expected = np.array([\"2024-01-01\"], dtype=\"datetime64[D]\")\n"]),
        (rule("arange", ints(&[5, 305, 3]), "<i8"), &["(result, np.arange(5, 305, 3))", "assert result.shape == (100,)"]),
        (
            Value::Dict(vec![(string("a"), array("<i8", &[1], ints(&[7]))), (string("b"), Value::Int(2))]),
            &["assert list(result) == [\"a\", \"b\"]", "assert_array_equal(result[\"a\"], [7])", "assert result[\"b\"] == 2"],
        ),
        (
            Value::Tuple(vec![array("<i8", &[1], ints(&[7])), Value::None]),
            &["assert len(result) == 2", "assert_array_equal(result[0], [7])", "assert result[1] is None"],
        ),
        (frame(&[("a", Value::List(ints(&[1])))], &[]), &["pd.testing.assert_frame_equal(result, pd.DataFrame({\"a\": [1]}))"]),
        (
            frame(&[("a", Value::List(floats(&[0.5])))], &[]),
            &["assert_frame_equal(result, pd.DataFrame({\"a\": [0.5]}), rtol=1e-9, atol=0)"],
        ),
        (
            new("pandas", "Series", vec![Value::List(ints(&[1]))], &[]),
            &["pd.testing.assert_series_equal(result, pd.Series([1]))"],
        ),
        (new("pandas", "RangeIndex", ints(&[1, 3, 1]), &[]), &["pd.testing.assert_index_equal(result, pd.RangeIndex(1, 3))"]),
        (scalar("int64", Value::Int(9)), &["assert result == 9", "assert type(result) is np.int64"]),
        (
            scalar("float64", Value::Float(1.0 / 3.0)),
            &["pytest.approx(0.3333333333333333, rel=1e-9, abs=0)", "assert type(result) is np.float64"],
        ),
        (scalar("bool_", Value::Bool(true)), &[" is np.True_"]),
        (
            new("pandas", "Timestamp", texts(&["2024-01-01"]), &[]),
            &["assert result == pd.Timestamp(\"2024-01-01\")", "assert type(result) is pd.Timestamp"],
        ),
    ] {
        let calls = Calls::of("find").returns(&[("items", Value::Int(1)), ("name", string("x"))], result);
        let text = text(&calls);
        for part in parts {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

/// R10: an array or a frame that was changed is asserted after the call.
#[test]
fn what_a_call_does_to_a_table_is_asserted() {
    for (before, after, line) in [
        (array("<i8", &[2], ints(&[1, 2])), array("<i8", &[2], ints(&[2, 4])), "np.testing.assert_array_equal(items, [2, 4])"),
        (
            frame(&[("a", Value::List(ints(&[1])))], &[]),
            frame(&[("a", Value::List(ints(&[1]))), ("b", Value::List(ints(&[2])))], &[]),
            "pd.testing.assert_frame_equal(items, pd.DataFrame({\"a\": [1], \"b\": [2]}))",
        ),
    ] {
        let calls = Calls::of("find").returns(&[("items", before), ("name", string("x"))], Value::None).changes("items", after);
        let text = text(&calls);
        assert!(text.contains("    items = ") && text.contains(line), "{text}");
    }
}

/// R4: many numbers share lines; a frame of many lines stands above its test.
#[test]
fn long_tables_stay_readable() {
    let find = |result| text(&Calls::of("find").returns(&[("items", Value::Int(1)), ("name", string("x"))], result));
    let numbers: Vec<i64> = (0..100).map(|number| number * number % 11).collect();
    let text = find(array("<i8", &[100], ints(&numbers)));
    assert!(
        text.contains("    expected = [\n        0, 1, 4, 9, ") && text.contains("assert_array_equal(result, expected)"),
        "{text}"
    );
    let column =
        |name: &str| frame(&[(name, Value::List(texts(&["a long text in a cell", "and another one in the next"])))], &[]);
    let Value::New { args, .. } = column("x") else { unreachable!() };
    let Value::Dict(pairs) = &args[0] else { unreachable!() };
    let many: Vec<(String, Value)> = (0..8).map(|number| (format!("column_{number}"), pairs[0].1.clone())).collect();
    let many: Vec<(&str, Value)> = many.iter().map(|(name, column)| (name.as_str(), column.clone())).collect();
    let text = find(frame(&many, &[]));
    assert!(text.contains("\nEXPECTED_FIND = pd.DataFrame(\n    {\n        \"column_0\": ["), "{text}");
    assert!(text.contains("    pd.testing.assert_frame_equal(result, EXPECTED_FIND)\n"), "{text}");
}

/// What cannot be asked with `==` inside of other values says why.
#[test]
fn a_table_without_a_form_says_why() {
    let cut = |head: &str, length| Value::Cut {
        ty: "ndarray".into(),
        length,
        head: Box::new(string(head)),
        tail: Box::new(string("")),
        hash: String::new(),
    };
    assert_eq!(
        cut("holds Python objects", None).not_buildable(),
        Some(ReasonCode::UnsupportedArray.of("ndarray").with("holds Python objects"))
    );
    let long = Some(ReasonCode::ValueTooLarge.of("ndarray").with(2000));
    assert_eq!(cut("<i8", Some(2000)).not_buildable(), long);
    let set = Value::FrozenSet(vec![new("numpy", "datetime64", texts(&["NaT", "D"]), &[])]);
    let calls = Calls::of("find").returns(&[("items", Value::Int(1)), ("name", string("x"))], set);
    assert!(reasons(&calls).iter().any(|reason| reason.code == ReasonCode::Nan), "{:?}", reasons(&calls));
}
