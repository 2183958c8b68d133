//! Pickles of every protocol and interpreter, and hostile ones.

use std::process::Command;

use proptest::prelude::*;

use super::*;
use crate::python::testing::{interpreter, interpreters};
use crate::python::value::encode;

fn plain(bytes: &[u8]) -> Result<Value, Refused> {
    load(bytes, &|_| false)
}

/// Pickles an expression's value with every protocol of every interpreter; gives the pickles, and marshal of the value.
fn pickled(python: &std::path::Path, expression: &str) -> Vec<Vec<u8>> {
    let script = "import base64, marshal, pickle, sys\nvalue = eval(sys.argv[1])\n\
        print(base64.b64encode(marshal.dumps(value, 2)).decode())\n\
        for p in range(pickle.HIGHEST_PROTOCOL + 1): print(base64.b64encode(pickle.dumps(value, p)).decode())";
    let output = Command::new(python).args(["-c", script, expression]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let decode = |line: &str| base64::Engine::decode(&base64::engine::general_purpose::STANDARD, line).unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(decode).collect()
}

#[test]
fn plain_values_of_every_protocol_and_interpreter_are_read_exactly() {
    for python in interpreters() {
        let values = "(None, True, False, 0, -1, 255, 65536, -2**31, 2**31, 2**63, -2**100, 1.5, float('inf'), 'é\\n', '', \
            [1, [2, ()]], {'a': [1], 2: {}}, (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), list(range(2000)))";
        let mut lines = pickled(python, values);
        let wanted = lines.remove(0);
        for (protocol, bytes) in lines.iter().enumerate() {
            let value = plain(bytes).unwrap_or_else(|error| panic!("protocol {protocol} of {}: {error}", python.display()));
            assert_eq!(encode(&value), wanted, "protocol {protocol} of {}", python.display());
        }
    }
    let python = interpreter();
    for bytes in &pickled(python, "(b'ab', {1}, frozenset([2]))")[5..] {
        let parts = [Value::Bytes(b"ab".into()), Value::Set(vec![Value::Int(1)]), Value::FrozenSet(vec![Value::Int(2)])];
        assert_eq!(plain(bytes), Ok(Value::Tuple(parts.into())));
    }
}

#[test]
fn dates_times_and_decimals_of_every_protocol_and_interpreter_are_read() {
    for python in interpreters() {
        let expression = "__import__('datetime')";
        let values = format!(
            "({0}.datetime(2024, 2, 29, 13, 5, 7, 123456), {0}.datetime(1999, 12, 31, tzinfo={0}.timezone.utc), {0}.date(2024, 2, 29), \
             {0}.time(1, 2, 3, 4), {0}.timedelta(1, 2, 3), __import__('decimal').Decimal('1.10'), b'\\xffab', \
             {0}.datetime(2024, 10, 27, 2, fold=1))",
            expression
        );
        let new = |module: &str, name: &str, args: Vec<Value>, kwargs: &[(&str, i64)]| Value::New {
            ty: TypeName::new(module, name),
            args,
            kwargs: kwargs.iter().map(|(name, value)| ((*name).to_owned(), Value::Int(*value))).collect(),
        };
        let ints = |numbers: &[i64]| numbers.iter().map(|number| Value::Int(*number)).collect::<Vec<_>>();
        let utc = new("datetime", "timezone", vec![new("datetime", "timedelta", ints(&[0, 0, 0]), &[])], &[]);
        let mut zoned = ints(&[1999, 12, 31, 0, 0, 0, 0]);
        zoned.push(utc);
        let wanted = Value::Tuple(vec![
            new("datetime", "datetime", ints(&[2024, 2, 29, 13, 5, 7, 123_456]), &[]),
            new("datetime", "datetime", zoned, &[]),
            new("datetime", "date", ints(&[2024, 2, 29]), &[]),
            new("datetime", "time", ints(&[1, 2, 3, 4]), &[]),
            new("datetime", "timedelta", ints(&[1, 2, 3]), &[]),
            new("decimal", "Decimal", vec![Value::Str("1.10".into())], &[]),
            Value::Bytes(b"\xffab".into()),
            new("datetime", "datetime", ints(&[2024, 10, 27, 2, 0, 0, 0]), &[("fold", 1)]),
        ]);
        let script = "import base64, pickle, sys\nvalue = eval(sys.argv[1])\nfor p in range(pickle.HIGHEST_PROTOCOL + 1): print(base64.b64encode(pickle.dumps(value, p)).decode())";
        let output = Command::new(python).args(["-c", script, &values]).output().unwrap();
        for (protocol, line) in String::from_utf8(output.stdout).unwrap().lines().enumerate() {
            // Before protocol 4 a fold is not written.
            let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, line).unwrap();
            let Value::Tuple(mut read) = plain(&bytes).unwrap() else { unreachable!("it is one") };
            let Value::Tuple(mut wanted) = wanted.clone() else { unreachable!("it is one") };
            if protocol < 4 {
                (_, _) = (read.pop(), wanted.pop());
            }
            assert_eq!(read, wanted, "protocol {protocol} of {}", python.display());
        }
    }
    for odd in [
        &b"\x80\x03cdatetime\ndate\nC\x02ab\x85R."[..],
        b"\x80\x03cdatetime\ndate\n.",
        b"cdecimal\nDecimal\n(tR.",
        b"cdatetime\ntimezone\nN\x85R.",
    ] {
        assert!(plain(odd).is_err(), "{odd:?}");
    }
}

#[test]
fn one_list_in_two_places_stays_one_and_may_hold_itself() {
    let python = interpreter();
    for bytes in &pickled(python, "(lambda x: (x, x))([1])")[1..] {
        let first = Value::Shared(1, Box::new(Value::List(vec![Value::Int(1)])));
        assert_eq!(plain(bytes), Ok(Value::Tuple(vec![first, Value::Ref(1)])));
    }
    let cycle = b"\x80\x02]q\x00h\x00a.";
    assert_eq!(plain(cycle), Ok(Value::Shared(1, Box::new(Value::List(vec![Value::Ref(1)])))));
}

#[test]
fn a_hostile_pickle_is_refused_and_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("ran");
    let python = interpreter();
    let evil =
        format!("type('E', (), {{'__reduce__': lambda self: (__import__('os').system, ('touch {}',))}})()", mark.display());
    let script =
        format!("import base64, pickle, sys\nfor p in range(6): print(base64.b64encode(pickle.dumps({evil}, p)).decode())");
    let output = Command::new(python).args(["-c", &script]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 6, "{}", String::from_utf8_lossy(&output.stderr));
    for line in text.lines() {
        let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, line).unwrap();
        let refused = plain(&bytes).unwrap_err().to_string();
        assert!(refused.contains("system") && refused.contains("nothing of a trace is ever run"), "{refused}");
    }
    assert!(!mark.exists());
    for code in *b"RboQP\x81\x82\x83\x84\x92\x97\x98" {
        assert!(plain(&[b'N', b'N', code, b'.']).is_err(), "{code:#x}");
    }
    let named = plain(b"(ios\nsystem\n.").unwrap_err().to_string();
    assert!(named.contains("os.system"), "{named}");
}

#[test]
fn a_few_bytes_that_stand_for_millions_of_values_are_refused() {
    // Each tuple holds the one before twice.
    let mut laughs = b"\x80\x02N".to_vec();
    laughs.extend(b"2\x86".repeat(40));
    laughs.push(b'.');
    assert_eq!(plain(&laughs), Err(Refused::TooLarge));
    let mut deep = b"\x80\x02".to_vec();
    deep.extend(b"]".repeat(50_000));
    deep.extend(b"a".repeat(49_999));
    deep.push(b'.');
    assert_eq!(plain(&deep), Err(Refused::TooLarge));
    assert!(plain(b"\x80\x02X\xff\xff\xff\xff").is_err());
}

proptest! {
    #[test]
    fn random_instructions_never_panic(bytes in proptest::collection::vec(
        proptest::sample::select(b"(.012NKJMGFILXCB]})ldtaesupqrghjci\n0\x80\x85\x86\x88\x8a\x8f\x90\x91\x94\x01".to_vec()), 0..120)) {
        let _ = plain(&bytes);
    }
}

#[test]
fn objects_of_the_project_are_read_by_their_state_and_of_nothing_else() {
    let python = interpreter();
    let class = "type('Cart', (), {'__module__': 'shop'})";
    let script = format!(
        "(lambda Cart: (setattr(__import__('sys'), 'x', Cart), __import__('sys').modules.__setitem__('shop', type('M', (), {{'Cart': Cart}})), \
         (lambda one, two: (one.__dict__.update(n=1, me=one, other=two), two.__dict__.update(n=2), [one, two, one])[2])(Cart(), Cart()))[2])({class})"
    );
    let dumps = format!("__import__('pickle').dumps({script}, 5)");
    let code = format!("import base64\nprint(base64.b64encode({dumps}).decode())");
    let output = Command::new(python).args(["-c", &code]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, text.trim()).unwrap();
    let ty = TypeName::new("shop", "Cart");
    let object = |ordinal, fields: Vec<(&str, Value)>| Value::Object {
        ordinal,
        ty: ty.clone(),
        kind: ObjectKind::Plain,
        fields: fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    };
    let two = object(2, vec![("n", Value::Int(2))]);
    let one = object(1, vec![("n", Value::Int(1)), ("me", Value::Ref(1)), ("other", two)]);
    assert_eq!(load(&bytes, &|found| *found == ty), Ok(Value::List(vec![one, Value::Ref(2), Value::Ref(1)])));
    assert_eq!(plain(&bytes), Err(Refused::NotPlain("\"shop.Cart\", something of a program".into())));
}
