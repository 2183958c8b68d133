//! Spools with one of every record and every kind of value, written by hand: marshal, version 2.

/// Data as it is written.
#[derive(Clone)]
enum Data {
    None,
    True,
    Int(i32),
    Text(&'static str),
    Bytes(&'static [u8]),
    Tuple(Vec<Data>),
    List(Vec<Data>),
    Dict(Vec<(Data, Data)>),
}

use Data::{Bytes, Dict, Int, List, None as Nothing, Text, True, Tuple};

fn write(data: &Data, out: &mut Vec<u8>) {
    let length = |out: &mut Vec<u8>, length: usize| out.extend(u32::try_from(length).unwrap().to_le_bytes());
    match data {
        Nothing => out.push(b'N'),
        True => out.push(b'T'),
        Int(number) => {
            out.push(b'i');
            out.extend(number.to_le_bytes());
        }
        Text(text) => {
            out.push(b'u');
            length(out, text.len());
            out.extend(text.as_bytes());
        }
        Bytes(bytes) => {
            out.push(b's');
            length(out, bytes.len());
            out.extend(*bytes);
        }
        Tuple(items) | List(items) => {
            out.push(if matches!(data, Tuple(_)) { b'(' } else { b'[' });
            length(out, items.len());
            items.iter().for_each(|item| write(item, out));
        }
        Dict(pairs) => {
            out.push(b'{');
            pairs.iter().for_each(|(key, value)| {
                write(key, out);
                write(value, out);
            });
            out.push(b'0');
        }
    }
}

/// A value of a kind of its own: `StopIteration`, its name, its parts.
fn tagged(name: &'static str, parts: Vec<Data>) -> Tagged {
    Tagged { name, parts }
}

struct Tagged {
    name: &'static str,
    parts: Vec<Data>,
}

impl Tagged {
    fn bytes(&self) -> Vec<u8> {
        let mut out = vec![b'('];
        out.extend(u32::try_from(self.parts.len() + 2).unwrap().to_le_bytes());
        out.push(b'S');
        write(&Text(self.name), &mut out);
        self.parts.iter().for_each(|part| write(part, &mut out));
        out
    }
}

/// Gives one value of each kind, marshalled.
pub fn values() -> Vec<Vec<u8>> {
    let empty = || Dict(Vec::new());
    let cut = |ty| vec![Text(ty), Int(9_000), Text("head"), Text("tail"), Text("0123456789abcdef")];
    [
        tagged("obj", vec![Int(1), Text("m"), Text("A"), Text("plain"), Dict(vec![(Text("a"), Int(1))])]),
        tagged("sub", vec![Int(1), Text("m"), Text("Names"), List(vec![Text("x")]), empty()]),
        tagged("ref", vec![Int(1)]),
        tagged("mut", vec![Int(2), List(vec![Int(1)])]),
        tagged("name", vec![Text("m"), Text("f")]),
        tagged("enum", vec![Text("m"), Text("Colour"), Text("RED|BLUE"), Int(3)]),
        tagged("nt", vec![Text("m"), Text("Point"), Tuple(vec![Text("x")]), Tuple(vec![Int(1)])]),
        tagged("new", vec![Text("decimal"), Text("Decimal"), Tuple(vec![Text("1.10")]), empty()]),
        tagged(
            "new",
            vec![
                Text("types"),
                Text("FunctionType"),
                Tuple(vec![Text("m"), Text("f.<locals>.g"), empty(), Tuple(vec![])]),
                empty(),
            ],
        ),
        tagged("exc", vec![Int(1), Text("builtins"), Text("KeyError"), Tuple(vec![Text("k")]), empty()]),
        tagged("gen", vec![Text("m"), Text("ticks"), Dict(vec![(Text("n"), Int(3))])]),
        tagged("partial", vec![Int(1), Tuple(vec![Int(2)]), empty()]),
        tagged("method", vec![Int(1), Text("upper")]),
        tagged("file", vec![Text("BytesIO"), Bytes(b"abc"), Int(2)]),
        tagged("ndarray", vec![Text("<i8"), Tuple(vec![Int(1), Int(2)]), List(vec![Int(1), Int(2)])]),
        tagged("secret", vec![Text("password"), Int(1)]),
        tagged("secret", vec![Text("password"), Int(1), Text("bytes"), Int(3)]),
        tagged("cut", cut("str")),
        tagged("cut", vec![Text("list"), Nothing, Text("has no form"), Text(""), Text("")]),
        tagged("opaque", vec![Int(1), Text("m"), Text("Socket")]),
    ]
    .iter()
    .map(Tagged::bytes)
    .collect()
}

/// Gives a spool of every record, with a call for each kind of value.
pub fn spool() -> Vec<u8> {
    let mut out = Vec::new();
    let mut record = |parts: &[&[u8]]| {
        let mut body = vec![b'('];
        body.extend(u32::try_from(parts.len()).unwrap().to_le_bytes());
        parts.iter().for_each(|part| body.extend(*part));
        out.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
        out.extend(body);
    };
    let one = |data: &Data| {
        let mut bytes = Vec::new();
        write(data, &mut bytes);
        bytes
    };
    let mut plain = |parts: &[Data]| {
        let parts: Vec<Vec<u8>> = parts.iter().map(one).collect();
        record(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>());
    };
    plain(&[Text("H"), Int(1), Text("r"), Int(7), Int(6), Int(0), Int(0), Int(0), Text("3.13.0"), Text("calls"), Text("/p")]);
    plain(&[Text("M"), Int(1), Text("m"), Text("m.py"), Text(""), Nothing]);
    plain(&[Text("F"), Int(1), Int(1), Text("f"), Int(1), Int(0), Tuple(vec![Tuple(vec![Text("x"), Int(1)])]), Int(0)]);
    plain(&[Text("O"), Int(1), Text("m"), Text("A"), Nothing]);
    let options = Tuple(vec![Text("-q")]);
    plain(&[Text("K"), Int(1), Text("/p"), Text("pyproject.toml"), options, Text("/p"), Tuple(vec![Text("/p")])]);
    let how = Tuple(vec![Text("django"), Text("script"), Text("manage.py"), Nothing]);
    plain(&[Text("K"), Int(2), Text("/p"), Nothing, Tuple(vec![]), Text("/p"), Tuple(vec![]), how]);
    plain(&[Text("B"), Text("test_m.py::test_f"), Nothing, Int(1)]);
    plain(&[Text("P"), Text("call"), Int(5)]);
    for (at, value) in values().iter().enumerate() {
        let id = Int(i32::try_from(at).unwrap() + 1);
        let mut arguments = vec![b'(', 1, 0, 0, 0];
        arguments.extend(value);
        let head: Vec<Vec<u8>> =
            [Text("C"), id.clone(), Int(1), Nothing, Int(10), True, Int(0), Nothing].iter().map(one).collect();
        let tail: Vec<Vec<u8>> = [Nothing, Nothing].iter().map(one).collect();
        let parts = head.iter().chain([&arguments]).chain(&tail).map(Vec::as_slice).collect::<Vec<_>>();
        let mut body = vec![b'('];
        body.extend(u32::try_from(parts.len()).unwrap().to_le_bytes());
        parts.iter().for_each(|part| body.extend(*part));
        out.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
        out.extend(body);
        let mut end = vec![b'(', 5, 0, 0, 0];
        [Text("R"), id, Int(11)].iter().for_each(|part| end.extend(one(part)));
        end.extend(value);
        end.extend(one(&Dict(Vec::new())));
        out.extend(u32::try_from(end.len()).unwrap().to_le_bytes());
        out.extend(end);
    }
    out
}
