//! Drafts of calls that rest on other calls: what an object lived through, what raised an exception, what was asked next.

use super::*;

fn tank(ordinal: u64, level: i64) -> Value {
    object(ordinal, "Tank", ObjectKind::Plain, &[("level", Value::Int(level))])
}

fn birth() -> Calls {
    let new = ("self", object(5, "Tank", ObjectKind::Plain, &[]));
    Calls::of("Tank.__init__").returns(&[new, ("litres", Value::Int(2))], Value::None).changes("self", tank(5, 2000))
}

/// A call at a time, with an id of its own.
fn at(time: i64, calls: Calls) -> Calls {
    calls.last(|call| {
        call.start_ns = time;
        call.id = CallId(time);
    })
}

fn filled(time: i64, ordinal: u64, litres: i64, before: i64, after: i64) -> Calls {
    let fill = Calls::of("Tank.fill").returns(&[("self", tank(ordinal, before)), ("litres", Value::Int(litres))], Value::None);
    at(time, fill.changes("self", tank(ordinal, after)))
}

fn peeked(time: i64, ordinal: u64, level: i64) -> Calls {
    at(time, Calls::of("Tank.peek").returns(&[("self", tank(ordinal, level))], Value::Int(level)))
}

fn sources(calls: &Calls, life: &[Calls]) -> Vec<String> {
    with_plan(calls, life, |plan, _| plan.check_items().into_iter().map(|item| item.source).collect())
}

fn written(calls: &Calls, life: &[Calls]) -> String {
    with_plan(calls, life, |plan, draft| draft.map_or_else(|| format!("{:?}", plan.left_out()), |draft| draft.text))
}

/// R11: what calls took back is no part of an object's life.
#[test]
fn what_was_taken_back_is_not_lived_again() {
    let life = [birth(), filled(2_000, 5, 1, 2000, 3000), filled(3_000, 5, -1, 3000, 2000), filled(4_000, 5, 3, 2000, 5000)];
    let source = sources(&peeked(5_000, 5, 5000), &life);
    assert_eq!(source[0], "((tank := Tank(2)), tank.fill(3), (tank,))[-1]");
}

/// R11: an object whose making was counted as one of equal ones is made like them, and lives its own life from there.
#[test]
fn an_object_is_made_like_another_and_lives_its_own_life() {
    let source = sources(&peeked(5_000, 6, 3000), &[birth(), filled(2_000, 6, 1, 2000, 3000)]);
    assert_eq!(source[0], "((tank := Tank(2)), tank.fill(1), (tank,))[-1]");
    let other = sources(&peeked(5_000, 6, 3000), &[birth(), filled(2_000, 6, 1, 2500, 3000)]);
    assert!(other.iter().all(|source| !source.contains("fill")), "none was seen to begin like it: {other:?}");
}

/// R11: an exception that holds more than its arguments is caught again from the call that raised it.
#[test]
fn an_exception_is_caught_from_the_call_that_raised_it() {
    let error = |fields: &[(&str, Value)]| Value::Exception {
        ordinal: 90,
        ty: TypeName::new("shop.cart", "OutOfStock"),
        args: vec![string("tea")],
        fields: self::fields(fields),
    };
    let noted = error(&[("__notes__", Value::List(vec![string("on Monday")]))]);
    let raised = |caller: &str, name: &str| {
        let mro = vec!["shop.cart:OutOfStock".to_owned(), "builtins:Exception".to_owned()];
        let outcome = Outcome::Raised { exception: noted.clone(), mro };
        Calls::of("find").call(&[("items", Value::List(vec![])), ("name", string(name))], outcome).last(|call| {
            call.caller = Some(FunctionId::new("shop.cart", caller));
        })
    };
    let log = at(2_000, Calls::of("log").returns(&[("text", noted.clone())], Value::Int(4)));
    let text = written(&log, &[raised("log", "inner"), raised("Cart.total", "outer")]);
    let wanted =
        "    with pytest.raises(OutOfStock) as raised:\n        find([], \"outer\")\n    assert log(raised.value) == 4\n";
    assert!(text.contains(wanted), "what the same caller called is what a person would call: {text}");
    assert_eq!(
        sources(&log, &[raised("Cart.total", "x")])[0],
        "((raised := pytest.raises(OutOfStock, lambda: find([], \"x\"))), (raised.value,))[-1]"
    );
    let reason = ReasonCode::ExtraAttributes.of("OutOfStock").at(Place::Argument("text".into()));
    assert_eq!(reasons(&log), [reason], "nobody knows where it came from");
    let plain = at(2_000, Calls::of("log").returns(&[("text", error(&[]))], Value::Int(4)));
    assert!(written(&plain, &[raised("log", "x")]).contains("assert log(OutOfStock(\"tea\")) == 4"));
}

/// R10: what a constructor made that cannot be compared is asked by the operators that its caller used next.
#[test]
fn what_a_constructor_makes_is_asked_by_operators() {
    let source = Value::Opaque { ordinal: 6, ty: TypeName::new("builtins", "list_iterator") };
    let drip = |held: &[(&str, Value)]| ("self", object(5, "Drip", ObjectKind::Plain, held));
    let made = Calls::of("Drip.__init__")
        .returns(&[drip(&[]), ("drops", Value::List(vec![Value::Int(7), Value::Int(8)]))], Value::None)
        .changes("self", object(5, "Drip", ObjectKind::Plain, &[("source", source.clone())]));
    let next = at(2_000, Calls::of("Drip.__next__").returns(&[drip(&[("source", source)])], Value::Int(7)));
    let text = written(&made, &[next]);
    assert!(text.contains("    drip = Drip([7, 8])\n    assert next(drip) == 7\n"), "{text}");
    assert_eq!(reasons(&made), [ReasonCode::NotComparable.into()]);
}

/// R10: a function that a call gave is asserted by what it gave when it was called.
#[test]
fn a_function_that_was_given_is_called_as_it_was_next() {
    let function = Value::Opaque { ordinal: 6, ty: TypeName::new("builtins", "function") };
    let made = Calls::of("make").returns(&[("count", Value::Int(2))], function);
    let called = |time, number, answer| {
        at(time, Calls::of("make.<locals>.add").returns(&[("number", Value::Int(number))], Value::Int(answer)))
    };
    let text = written(&made, &[called(2_000, 3, 5), called(3_000, 4, 5), called(4_000, 5, 7)]);
    let wanted = "    result = make(2)\n    assert result(3) == 5\n    assert result(5) == 7\n";
    assert!(text.contains(wanted), "the second says nothing new: {text}");
    assert_eq!(reasons(&made), [ReasonCode::NotComparable.of("function").at(Place::Result)]);
}

/// R11: what another function did to an object that was not seen whole is done again, too.
#[test]
fn what_something_else_did_to_an_object_is_done_again() {
    let cut = || Value::Cut {
        ty: "Pipe".into(),
        length: None,
        head: Box::new(Value::None),
        tail: Box::new(Value::None),
        hash: String::new(),
    };
    let seen = |level| object(5, "Tank", ObjectKind::Plain, &[("level", Value::Int(level)), ("pipe", cut())]);
    let joined = Calls::of("find").returns(&[("items", seen(2000)), ("name", string("pump"))], Value::Int(3));
    let joined = at(2_000, joined.changes("items", seen(2500)));
    let peek = at(3_000, Calls::of("Tank.peek").returns(&[("self", seen(2500))], Value::Int(2500)));
    let text = written(&peek, &[birth(), joined]);
    let wanted = "    tank = Tank(2)\n    find(tank, \"pump\")\n    assert tank.peek() == 2500\n";
    assert!(text.contains(wanted), "{text}");
}

/// R10: that a call gave None says little where its object cannot be compared: what is asked next says more.
#[test]
fn a_none_is_not_all_that_is_asserted_of_what_cannot_be_compared() {
    let held = Value::Opaque { ordinal: 6, ty: TypeName::new("_thread", "lock") };
    let tank = || ("self", object(5, "Tank", ObjectKind::Plain, &[("level", held.clone())]));
    let fill =
        |time, litres, outcome| at(time, Calls::of("Tank.fill").returns(&[tank(), ("litres", Value::Int(litres))], outcome));
    let mut fills = fill(2_000, 1, Value::None);
    fills.calls.extend(fill(4_000, 9, Value::Int(8)).calls);
    let peek = at(3_000, Calls::of("Tank.peek").returns(&[tank()], Value::Int(3000)));
    let text = written(&fills, &[birth(), peek]);
    assert!(text.contains("    assert tank.fill(1) is None\n    assert tank.peek() == 3000\n"), "{text}");
}

/// R21: a case that nobody could look at is taken for something new when it begins otherwise.
#[test]
fn what_nobody_could_look_at_is_told_by_how_it_begins() {
    let mut calls = Calls::of("Tank.fill");
    for litres in 1..=4 {
        calls = calls.returns(&[("self", tank(6, 2000)), ("litres", Value::Int(litres))], Value::Int(litres + 4)).reaches(&[1]);
    }
    let unseen = calls.returns(&[("self", tank(5, 3000)), ("litres", Value::Int(5))], Value::Int(9));
    let life = [birth(), filled(1_500, 5, 1, 2000, 3000)];
    let shown = with_plan(&unseen, &life, |_, draft| draft.unwrap().calls);
    assert!(shown.contains(&CallId(5)) && shown.len() == 3, "{shown:?}");
}

/// R24: the one definition of a function with overloads has no number in the names of its tests.
#[test]
fn a_function_with_overloads_has_one_name() {
    let text = written(&Calls::of("pick#3").returns(&[("kind", string("a"))], string("b")), &[]);
    assert!(text.contains("def test_pick():") && text.contains("assert pick(\"a\") == \"b\""), "{text}");
}

/// R3: fields are written in the order of their class, in whatever order they were read.
#[test]
fn fields_are_written_as_their_class_declares_them() {
    let held = [("price", decimal("2")), ("name", string("tea"))];
    let text = written(&Calls::of("log").returns(&[("text", object(1, "Item", ObjectKind::Dataclass, &held))], string("x")), &[]);
    assert!(text.contains("log(Item(name=\"tea\", price=Decimal(\"2\")))"), "{text}");
}

/// R3, R8: a request is made by a factory, and one that a call gives is asserted by what it asks for.
#[test]
fn a_request_is_made_by_a_factory_and_asserted_by_what_it_asks() {
    let new = |name: &str, args: Vec<Value>, kwargs: Vec<(String, Value)>| Value::New {
        ty: TypeName::new("django.test", name),
        args,
        kwargs,
    };
    let request = |ordinal, verb: &str, told: Vec<Value>, kwargs: &[(&str, &str)], user: Option<&str>| Value::Sub {
        ordinal,
        ty: TypeName::new("django.core.handlers.wsgi", "WSGIRequest"),
        base: Box::new(new(
            &format!("RequestFactory.{verb}"),
            [new("RequestFactory", vec![], vec![])].into_iter().chain(told).collect(),
            kwargs.iter().map(|(name, value)| ((*name).to_owned(), string(value))).collect(),
        )),
        fields: user.map(|user| ("user".to_owned(), string(user))).into_iter().collect(),
    };
    let given = request(1, "get", vec![string("/?page=2")], &[], Some("bo"));
    let sent = request(2, "post", vec![string("/x"), string("[]")], &[("content_type", "application/json")], None);
    let text = written(&Calls::of("find").returns(&[("items", given), ("name", string("a"))], sent), &[]);
    let wanted = "    wsgi_request = RequestFactory().get(\"/?page=2\")\n    wsgi_request.user = \"bo\"\n    result = find(wsgi_request, \"a\")\n    \
        assert result.method == \"POST\"\n    assert result.get_full_path() == \"/x\"\n    assert result.body == b\"[]\"\n    \
        assert result.META[\"CONTENT_TYPE\"] == \"application/json\"\n";
    assert!(text.contains(wanted), "{text}");
}
