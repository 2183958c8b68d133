//! YAML tests put to a model: what it said is kept, until somebody asks anew.

use serde_json::{Value, json};

use super::{only, pytest, python, with};
use crate::harness::Place;
use crate::harness::judge::{Judge, configure, nonce, text};

fn unclear(body: &Value) -> Value {
    json!({ "schema": "verdict/1", "nonce": nonce(body), "clauses": [{ "id": "c1", "span": "It looks good.", "analysis": "Nothing says what good is.",
        "evidence": [], "claims": [], "outcome": "unclear" }], "missing_info": ["what good means"], "suspected_injection": [],
        "confidence": "high", "verdict": "UNCLEAR", "summary": "Nobody can tell." })
}

#[test]
fn a_model_is_asked_anew_where_spec_or_pytest_is_told_so_and_not_else() {
    let place = Place::empty();
    assert_eq!(place.run(&["trust"]).0, 0);
    let judge = Judge::start(|_, body| text(&unclear(body)));
    configure(&place, &judge.config(""));
    let file = only(&place, &with("", "  - {tool: list_values, expect: It looks good.}\n"));
    let spec = |more: &[&str]| {
        let (_, out, err) = place.run(&[&["--python", python(), "spec", file], more].concat());
        assert!(out.contains("Nothing says what good is."), "{out}{err}");
        judge.asked()
    };
    let first = spec(&[]);
    assert!(first > 0);
    assert_eq!(spec(&[]), first, "what was said is kept");
    let second = spec(&["--refresh"]);
    assert!(second > first);
    let (_, said) = pytest(&place, &["--llm", file]);
    assert_eq!(judge.asked(), second, "{said}");
    let (_, said) = pytest(&place, &["--llm", "--semantic-refresh", file]);
    assert!(judge.asked() > second, "{said}");
}
