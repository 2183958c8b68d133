//! One test for each reader of what others wrote.

use std::path::Path;

use pytead_tui::base::clock::Moment;
use pytead_tui::base::paths::RelPath;
use pytead_tui::base::redact::{Holds, Redactor};
use pytead_tui::base::{text, yaml};
use pytead_tui::compat::{graph, pickle};
use pytead_tui::generate::from_model;
use pytead_tui::judge::lock::Lock;
use pytead_tui::judge::{audit, grammar};
use pytead_tui::llm::answer::Answer;
use pytead_tui::llm::gguf::Gguf;
use pytead_tui::llm::provider::Usage;
use pytead_tui::python::{marshal, skim, value};
use pytead_tui::record::ingest::Ingest;
use pytead_tui::source::assertions::negated;
use pytead_tui::source::given::given;
use pytead_tui::source::internals::internals;
use pytead_tui::source::parse;
use pytead_tui::spec::interpolate::{self, Table};
use pytead_tui::spec::validate;
use pytead_tui::write::manifest::Manifest;

use crate::{fuzz, records};

fn texts(seeds: &[&str]) -> Vec<Vec<u8>> {
    seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}

/// Gives the files of a folder of the repository, by how their names end.
fn files(folder: &str, end: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.to_string_lossy().ends_with(end));
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Reads bytes as the text that a file would give.
fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn spool() {
    let folder = tempfile::tempdir().unwrap();
    let seeds = [files("tests/fixtures/spools", ".spool"), vec![records::spool()]].concat();
    fuzz("spool", &seeds, |bytes| {
        std::fs::write(folder.path().join("1-0.spool"), bytes).unwrap();
        let resolve = |_: &str, _: &str, _: u32| None;
        let mut ingest = Ingest::new(folder.path().to_owned(), Moment(0), Redactor::new([]), Box::new(resolve));
        ingest.finish(&mut |_, _| {});
    });
}

#[test]
fn recorded_value() {
    // The records of a real spool, without the lengths before them.
    let mut seeds = records::values();
    for value in &seeds {
        assert!(value::value(value).is_ok(), "one of each kind: {}", String::from_utf8_lossy(value));
    }
    for spool in files("tests/fixtures/spools", ".spool") {
        let mut rest = spool.as_slice();
        while let Some((head, more)) = rest.split_first_chunk() {
            let length = u32::from_le_bytes(*head) as usize;
            if length == 0 || length > more.len() {
                break;
            }
            seeds.push(more[..length].to_vec());
            rest = &more[length..];
        }
    }
    fuzz("recorded_value", &seeds, |bytes| {
        let _ = marshal::decode(bytes);
        let skimmed = skim::skim(bytes).is_ok();
        for read in [value::value(bytes).is_ok(), value::outcome(bytes).is_ok(), value::arguments(bytes).is_ok()] {
            assert!(skimmed || !read, "what can be read can be skimmed");
        }
    });
}

#[test]
fn clause() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/clauses.md")).unwrap();
    let sentences: Vec<&str> = page.split('`').skip(1).step_by(2).collect();
    fuzz("clause", &texts(&sentences), |bytes| {
        let text = lossy(bytes);
        for sentence in grammar::sentences(&text) {
            if let Ok(clause) = grammar::parse(sentence) {
                let said = clause.to_string();
                let again = grammar::parse(&said).unwrap_or_else(|unclear| panic!("{sentence:?} is told as {said:?}: {unclear}"));
                assert_eq!(again.to_string(), said, "{sentence:?}");
            }
        }
    });
}

#[test]
fn yaml_test() {
    fuzz("yaml_test", &files("tests/fixtures/specs/tests/llm", ".yaml"), |bytes| {
        let text = lossy(bytes);
        let _ = yaml::tree(&text);
        let _ = validate::spec(&text);
    });
}

#[test]
fn interpolation() {
    let known = serde_json::json!({
        "u": {"id": 42, "ok": true, "none": null, "list": [1, {"a": "b"}], "name": "it's"}, "stored": {"x": 1.5}
    });
    let known = known.as_object().unwrap();
    let seeds = texts(&["a: ${u.id}", "a: ${u.list[1].a}", "a: x${u.name}y$${z}", "a: ${no:-d}", "a: [${stored.x}, '${u}']"]);
    fuzz("interpolation", &seeds, |bytes| {
        if let Ok(args) = yaml::tree(&lossy(bytes)) {
            let _ = interpolate::fill(&args, known, Table::Typed);
            assert!(interpolate::fill(&args, known, Table::Former).is_ok(), "the former table never refuses");
        }
        let _ = interpolate::told(&lossy(bytes), known, Table::Typed);
    });
}

#[test]
fn model_answer() {
    let seeds = texts(&[
        "<think>first</think>\n```python\nimport pytest\n\ndef test_a():\n    assert f(1) == 2\n```\nDone.",
        "{\"verdict\": \"PASS\", \"sentences\": [{\"id\": \"s1\", \"outcome\": \"HOLDS\"}]}",
        "Here it is:\n\n```json\n{\"a\": [1, 2, {\"b\": null}]}\n```",
        "class TestA:\n    @pytest.mark.parametrize('a', [1])\n    def test_b(self, a):\n        assert a\n",
    ]);
    fuzz("model_answer", &seeds, |bytes| {
        let text = lossy(bytes);
        if let Some(code) = from_model::code(&text) {
            let _ = from_model::split(&code);
        }
        let _ = Answer { text, usage: Usage::default() }.json();
    });
}

#[test]
fn gguf() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    // The head; what follows are weights.
    let mut head = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/demo.gguf")).unwrap();
    head.truncate(super::INPUT_MAX);
    fuzz("gguf", &[head], |bytes| {
        std::fs::write(&path, bytes).unwrap();
        let _ = Gguf::read(&path);
    });
}

#[test]
fn old_trace() {
    let seeds = vec![
        b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x04args\x94K\x01K\x02\x86\x94\x8c\x06kwargs\x94}\x94u.".to_vec(),
        b"(dp0\nVname\np1\nI42\nsV\xc3\xa9\np2\nF1.5\ns.".to_vec(),
        br#"{"func": "m.f", "args_graph": [1, {"$ref": 1}], "kwargs_graph": {}, "result_graph": {"$map": [["a", 1]]}}"#.to_vec(),
    ];
    fuzz("old_trace", &seeds, |bytes| {
        let _ = pickle::load(bytes, &|ty| ty.module == "m");
        let _ = graph::call(bytes);
    });
}

/// Secrets that code separates from their names, and assertions of all kinds.
const SECRETS: &str = "user, password = 'ada', 'k3yZq81x'\nif (token := read() or 'k3yZq81x') == 'k3yZq81x': pass\nfor user, key in [('a', 'k3y')]: pass\n\
                       match password:\n    case 'k3yZq81x' | None:\n        pass\n@pytest.mark.parametrize('n, password', [(1, 'k3y')])\n\
                       def test_a(n, password):\n    assert f(n) == 3, 'why'\n    with pytest.raises(ValueError, match='x'):\n        f(None)\n\n\
                       class TestB:\n    def test_b(self):\n        self.assertEqual(f(1),\n                         2)\n        return\n";

#[test]
fn python_source() {
    let path = RelPath::new("m.py").unwrap();
    let seeds = [files("examples/shop/shop", ".py"), files("examples/shop/tests", ".py"), texts(&[SECRETS])].concat();
    fuzz("python_source", &seeds, |bytes| {
        let _ = parse::parse_file(&path, bytes, "m", "");
        let text = lossy(bytes);
        let _ = parse::syntax_error(&text);
        let _ = internals(&text, &std::collections::BTreeSet::from(["collections".to_owned()]));
        let _ = negated(&text);
        for secret in given(&text, &|_, _| Some(Holds::One)) {
            assert!(text.get(secret).is_some(), "a secret is a part of the text");
        }
    });
}

#[test]
fn committed_file() {
    let seeds = texts(&[
        "\"tests/pytead/test_a.py::test_b\":\n  function: m:f\n  inputs:\n  - 0123456789abcdef\n  body: 0123456789abcdef\n  case: 0123456789abcdef\n  state: accepted\n",
        "\"tests/test_a.py::test_b\":\n  intent: 0123456789abcdef\n  clauses:\n  - A is called before B\n  by: Ada\n",
        "{\"test\": \"a\", \"reason\": \"long enough to be one\", \"at\": 1, \"hash\": \"0123456789abcdef\"}\n",
    ]);
    fuzz("committed_file", &seeds, |bytes| {
        let text = lossy(bytes);
        let _ = Manifest::read(Some(&text));
        let _ = Lock::read(Some(&text));
        let _ = audit::read(&text);
    });
}

#[test]
fn shown_text() {
    fuzz(
        "shown_text",
        &texts(&["plain", "\u{1b}]0;title\u{7}", "a\u{301}\u{202e}b", "日本語 wide", "tab\tand\nline"]),
        |bytes| {
            let text = lossy(bytes);
            let shown = text::display_line(&text);
            assert!(!shown.chars().any(|c| c.is_control()), "{shown:?}");
            for columns in [0, 1, 7, 40] {
                assert!(text::width(&text::cut(&shown, columns)) <= columns);
                assert!(text::wrap(&shown, columns.max(2)).iter().all(|line| text::width(line) <= columns.max(2)));
            }
        },
    );
}
