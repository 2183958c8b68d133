use std::path::PathBuf;
use std::process::Command;

use proptest::prelude::*;

use super::*;
use crate::domain::secret::{Look, SecretLength, SecretType};
use crate::domain::value::{ObjectKind, TypeName};
use crate::python::testing::{interpreter, interpreters};

/// Prints, for each expression, the marshal bytes in hexadecimal.
const DUMP: &str = r"
import marshal, sys
for line in sys.stdin.read().splitlines():
    print(marshal.dumps(eval(line, {'S': StopIteration}), 2).hex())
";

fn dumped(python: &PathBuf, expressions: &[&str]) -> Vec<Vec<u8>> {
    use std::io::Write;
    let mut child = Command::new(python)
        .args(["-c", DUMP])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(expressions.join("\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    text.lines().map(|line| line.as_bytes().chunks(2).map(byte).collect()).collect()
}

#[test]
fn what_python_writes_is_read_and_written_again_byte_for_byte() {
    let s = |text: &str| Value::Str(text.into());
    let ty = TypeName::new;
    let cases: Vec<(&str, Value)> = vec![
        ("None", Value::None),
        ("...", Value::Ellipsis),
        ("True", Value::Bool(true)),
        ("False", Value::Bool(false)),
        ("0", Value::Int(0)),
        ("-1", Value::Int(-1)),
        ("2**31 - 1", Value::Int(i64::from(i32::MAX))),
        ("2**31", Value::Int(1 << 31)),
        ("-2**31", Value::Int(i64::from(i32::MIN))),
        ("-2**31 - 1", Value::Int(-(1 << 31) - 1)),
        ("2**63 - 1", Value::Int(i64::MAX)),
        ("-2**63", Value::Int(i64::MIN)),
        ("2**63", Value::BigInt("9223372036854775808".into())),
        ("-2**63 - 1", Value::BigInt("-9223372036854775809".into())),
        ("10**40", Value::BigInt(format!("1{}", "0".repeat(40)))),
        ("-10**2000", Value::BigInt(format!("-1{}", "0".repeat(2000)))),
        ("1.5", Value::Float(1.5)),
        ("-0.0", Value::Float(-0.0)),
        ("float('inf')", Value::Float(f64::INFINITY)),
        ("1-2j", Value::Complex(1.0, -2.0)),
        ("''", s("")),
        ("'abc'", s("abc")),
        ("'Grüße 漢字 \\U0001f600'", s("Grüße 漢字 \u{1f600}")),
        ("'a\\ud800b'", Value::RawStr(b"a\xed\xa0\x80b".to_vec())),
        ("'\\0'", s("\0")),
        ("b'\\x00\\xff'", Value::Bytes(vec![0, 255])),
        ("()", Value::Tuple(vec![])),
        ("(1, 'a')", Value::Tuple(vec![Value::Int(1), s("a")])),
        ("[[], [None]]", Value::List(vec![Value::List(vec![]), Value::List(vec![Value::None])])),
        ("{}", Value::Dict(vec![])),
        ("{'b': 1, 'a': {2: ()}}", {
            let inner = Value::Dict(vec![(Value::Int(2), Value::Tuple(vec![]))]);
            Value::Dict(vec![(s("b"), Value::Int(1)), (s("a"), inner)])
        }),
        ("set()", Value::Set(vec![])),
        ("{7}", Value::Set(vec![Value::Int(7)])),
        ("frozenset({b'x'})", Value::FrozenSet(vec![Value::Bytes(b"x".to_vec())])),
        (
            "(S, 'obj', 3, 'shop.cart', 'Cart', 'dataclass', {'items': [], 'n': (S, 'ref', 3)})",
            Value::Object {
                ordinal: 3,
                ty: ty("shop.cart", "Cart"),
                kind: ObjectKind::Dataclass,
                fields: vec![("items".into(), Value::List(vec![])), ("n".into(), Value::Ref(3))],
            },
        ),
        (
            "(S, 'sub', 4, 'm', 'MyInt', 7, {'unit': 'kg'})",
            Value::Sub {
                ordinal: 4,
                ty: ty("m", "MyInt"),
                base: Box::new(Value::Int(7)),
                fields: vec![("unit".into(), s("kg"))],
            },
        ),
        ("(S, 'mut', 2**40, [1])", Value::Shared(1 << 40, Box::new(Value::List(vec![Value::Int(1)])))),
        ("(S, 'name', 'os', '')", Value::Name(ty("os", ""))),
        (
            "(S, 'enum', 'm', 'Colour', 'RED', 1)",
            Value::Enum { ty: ty("m", "Colour"), name: Some("RED".into()), value: Box::new(Value::Int(1)) },
        ),
        ("(S, 'enum', 'm', 'Flag', None, 8)", Value::Enum { ty: ty("m", "Flag"), name: None, value: Box::new(Value::Int(8)) }),
        (
            "(S, 'nt', 'm', 'Point', ('x', 'y'), (1, 2))",
            Value::NamedTuple { ty: ty("m", "Point"), fields: vec![("x".into(), Value::Int(1)), ("y".into(), Value::Int(2))] },
        ),
        (
            "(S, 'new', 'decimal', 'Decimal', ('1.10',), {})",
            Value::New { ty: ty("decimal", "Decimal"), args: vec![s("1.10")], kwargs: vec![] },
        ),
        (
            "(S, 'exc', 9, 'builtins', 'ValueError', ('no',), {'code': 3})",
            Value::Exception {
                ordinal: 9,
                ty: ty("builtins", "ValueError"),
                args: vec![s("no")],
                fields: vec![("code".into(), Value::Int(3))],
            },
        ),
        ("(S, 'gen', 'm', 'rows', {'n': 3})", Value::Generator { ty: ty("m", "rows"), args: vec![("n".into(), Value::Int(3))] }),
        (
            "(S, 'partial', (S, 'name', 'm', 'f'), (1,), {'k': 2})",
            Value::Partial {
                function: Box::new(Value::Name(ty("m", "f"))),
                args: vec![Value::Int(1)],
                kwargs: vec![("k".into(), Value::Int(2))],
            },
        ),
        ("(S, 'method', [], 'append')", Value::Method { receiver: Box::new(Value::List(vec![])), name: "append".into() }),
        (
            "(S, 'file', 'StringIO', 'text', 2)",
            Value::File { class: "StringIO".into(), content: Box::new(s("text")), position: 2 },
        ),
        (
            "(S, 'ndarray', 'float64', (1, 2), [1.0, 2.0])",
            Value::Array { dtype: "float64".into(), shape: vec![1, 2], items: vec![Value::Float(1.0), Value::Float(2.0)] },
        ),
        ("(S, 'secret', 'password', 1)", Value::Secret { kind: "password".into(), ordinal: 1, look: None }),
        (
            "(S, 'secret', 'password', 1, 'bytes', 3)",
            Value::Secret {
                kind: "password".into(),
                ordinal: 1,
                look: Some(Look { ty: SecretType::Bytes, length: SecretLength::Long }),
            },
        ),
        (
            "(S, 'cut', 'str', 9999, 'he', 'ad', 'ff')",
            Value::Cut {
                ty: "str".into(),
                length: Some(9999),
                head: Box::new(s("he")),
                tail: Box::new(s("ad")),
                hash: "ff".into(),
            },
        ),
        (
            "(S, 'cut', 'Thing', None, None, None, '')",
            Value::Cut {
                ty: "Thing".into(),
                length: None,
                head: Box::new(Value::None),
                tail: Box::new(Value::None),
                hash: String::new(),
            },
        ),
        ("(S, 'opaque', 5, '_thread', 'lock')", Value::Opaque { ordinal: 5, ty: ty("_thread", "lock") }),
    ];
    let expressions: Vec<&str> = cases.iter().map(|(expression, _)| *expression).collect();
    for python in interpreters() {
        let bytes = dumped(python, &expressions);
        assert_eq!(bytes.len(), cases.len());
        for (bytes, (expression, expected)) in bytes.iter().zip(&cases) {
            let read = value(bytes).unwrap_or_else(|error| panic!("{expression}: {error}"));
            assert_eq!(&read, expected, "{expression} by {}", python.display());
            assert_eq!(&encode(&read), bytes, "{expression} by {}", python.display());
        }
    }
}

#[test]
fn malformed_tagged_tuples_are_refused() {
    let python = interpreter();
    let bad = [
        "S",
        "[S]",
        "(1, S)",
        "(S,)",
        "(S, 1)",
        "(S, 'what')",
        "(S, 'ref')",
        "(S, 'ref', -1)",
        "(S, 'ref', 1, 2)",
        "(S, 'obj', 1, 'm', 'C', 'odd', {})",
        "(S, 'obj', 1, 'm', 'C', 'plain', {1: 2})",
        "(S, 'nt', 'm', 'P', ('x',), ())",
        "(S, 'new', 'm', 'C', (S, 'ref', 1), {})",
        "(S, 'enum', 'm', 'E', 1, 1)",
    ];
    for (expression, bytes) in bad.iter().zip(dumped(python, &bad)) {
        assert!(matches!(value(&bytes), Err(DecodeError::Form(_))), "{expression}");
    }
}

#[test]
fn outcomes_of_the_worker_are_read_and_written() {
    let error = Value::Exception { ordinal: 1, ty: TypeName::new("m", "Bad"), args: vec![], fields: vec![] };
    let changed = vec![("self".to_owned(), Value::Int(2))];
    let yielded = |end| Effect { outcome: Outcome::Yielded { items: vec![Value::Int(1)], end }, changed: vec![] };
    let cases = [
        ("('R', 1, {'self': 2})", Effect { outcome: Outcome::Returned(Value::Int(1)), changed: changed.clone() }),
        (
            "('X', (S, 'exc', 1, 'm', 'Bad', (), {}), {})",
            Effect { outcome: Outcome::Raised { exception: error.clone(), mro: vec!["m:Bad".into()] }, changed: vec![] },
        ),
        (
            "('X', (S, 'exc', 1, 'm', 'Bad', (), {}), {}, ('m:Bad', 'builtins:Exception'))",
            Effect {
                outcome: Outcome::Raised { exception: error.clone(), mro: vec!["m:Bad".into(), "builtins:Exception".into()] },
                changed: vec![],
            },
        ),
        ("('Y', [1], 'returned', None, {})", yielded(GeneratorEnd::Returned(Value::None))),
        ("('Y', [1], 'raised', (S, 'exc', 1, 'm', 'Bad', (), {}), {})", yielded(GeneratorEnd::Raised(error))),
        ("('Y', [1], 'capped', None, {})", yielded(GeneratorEnd::Open)),
        ("('T', 2.0)", Effect { outcome: Outcome::TimedOut(2.0), changed: vec![] }),
        ("('D', 'signal 9')", Effect { outcome: Outcome::Died("signal 9".into()), changed: vec![] }),
    ];
    let expressions: Vec<&str> = cases.iter().map(|(expression, _)| *expression).collect();
    let bytes = dumped(interpreter(), &expressions);
    for (bytes, (expression, expected)) in bytes.iter().zip(&cases) {
        assert_eq!(outcome(bytes).as_ref(), Ok(expected), "{expression}");
        assert_eq!(&encode_outcome(expected), bytes, "{expression}");
    }
    for bad in dumped(interpreter(), &["('R', 1)", "('Q', 1, {})", "1", "('Y', [], 'maybe', None, {})", "('R', 1, [])"]) {
        assert!(outcome(&bad).is_err());
    }
}

#[test]
fn arguments_are_read_and_written() {
    let bytes = dumped(interpreter(), &["(('self', 1, (S, 'ref', 1)), ('rest', 2, (1, 2)))", "(('a', 9, 1),)"]);
    let (args, way) = arguments(&bytes[0]).unwrap();
    assert_eq!(args[1], Argument::new("rest", ParamKind::VarPositional, Value::Tuple(vec![Value::Int(1), Value::Int(2)])));
    assert_eq!(encode_arguments(&args, way), bytes[0]);
    assert!(arguments(&bytes[1]).is_err(), "there is no parameter kind 9");
}

fn any_value() -> impl Strategy<Value = Value> {
    let name = "[a-z]{0,6}";
    let ty = (name, name).prop_map(|(module, qualname)| TypeName { module, qualname });
    let big = "-?[1-9][0-9]{19,60}";
    let leaf = prop_oneof![
        Just(Value::None),
        Just(Value::Ellipsis),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        big.prop_map(Value::BigInt),
        any::<f64>().prop_filter("NaN has no equal", |number| !number.is_nan()).prop_map(Value::Float),
        any::<String>().prop_map(Value::Str),
        any::<Vec<u8>>().prop_map(Value::Bytes),
        any::<u64>().prop_map(Value::Ref),
        (name, any::<u64>()).prop_map(|(kind, ordinal)| Value::Secret { kind, ordinal, look: None }),
        ty.clone().prop_map(Value::Name),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        let items = proptest::collection::vec(inner.clone(), 0..5);
        let fields = proptest::collection::vec((name, inner.clone()), 0..4);
        prop_oneof![
            items.clone().prop_map(Value::List),
            items.clone().prop_map(Value::Tuple),
            items.clone().prop_map(Value::Set),
            items.clone().prop_map(Value::FrozenSet),
            proptest::collection::vec((inner.clone(), inner.clone()), 0..4).prop_map(Value::Dict),
            (any::<u64>(), ty.clone(), fields.clone()).prop_map(|(ordinal, ty, fields)| Value::Object {
                ordinal,
                ty,
                kind: ObjectKind::Attrs,
                fields
            }),
            (any::<u64>(), ty.clone(), inner.clone(), fields.clone()).prop_map(|(ordinal, ty, base, fields)| Value::Sub {
                ordinal,
                ty,
                base: Box::new(base),
                fields
            }),
            (ty.clone(), items.clone(), fields.clone()).prop_map(|(ty, args, kwargs)| Value::New { ty, args, kwargs }),
            (ty.clone(), fields).prop_map(|(ty, fields)| Value::NamedTuple { ty, fields }),
            (any::<u64>(), inner).prop_map(|(ordinal, value)| Value::Shared(ordinal, Box::new(value))),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_survives_the_wire(original in any_value()) {
        prop_assert_eq!(value(&encode(&original)), Ok(original));
    }

    #[test]
    fn a_value_cut_anywhere_is_an_error(original in any_value(), at in any::<prop::sample::Index>()) {
        let bytes = encode(&original);
        prop_assert!(value(&bytes[..at.index(bytes.len())]).is_err());
    }

    #[test]
    fn a_damaged_value_never_panics(original in any_value(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = encode(&original);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = (value(&bytes), outcome(&bytes), arguments(&bytes));
    }
}
