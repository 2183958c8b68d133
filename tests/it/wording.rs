//! Nothing follows the wording of what people read: with every sentence, reason and note in other letters, the commands come to the
//! same results, by their codes, states and exit codes.

use serde_json::Value;

use crate::harness::Place;

/// Has the binary write all that it says to people in wide letters.
const OTHER_LETTERS: &str = "PYTEAD_TEST_OTHER_LETTERS";

/// What a command came to: its exit code, and the lines that it printed for programs.
struct Said {
    command: String,
    code: i32,
    lines: Vec<Value>,
}

/// Goes through a project as people do: records, drafts, accepts, edits, compares, and makes mistakes.
fn all_said(variables: &[(&str, &str)]) -> Vec<Said> {
    let place = Place::example("shop");
    place.commit();
    let mut said = Vec::new();
    let mut run = |words: &[&str]| {
        let (code, out, _) = place.run_with(&[&["--trust", "--format", "json"], words].concat(), variables);
        // The program that is recorded prints, too.
        let lines = out.lines().filter(|line| line.starts_with('{'));
        let lines = lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
        // Events tell how a run went on, which differs from run to run.
        let lines = lines.filter(|line: &Value| line.get("result").is_some());
        said.push(Said { command: words.join(" "), code, lines: lines.collect() });
    };
    run(&["run", "--", "pytest", "-q", "tests/test_cart.py", "tests/test_pricing.py"]);
    place.save("tests/test_semantic.py", include_str!("../fixtures/shop_intents.py"));
    place.save("tests/llm/test_a.yaml", "test:\n  name: a\nsteps:\n  - tool: store_value\n    args: {name: a, value: 1}\n    expect: stored\n  - tool: store_vale\n");
    for words in [
        &["gen", "tax_for", "shipping_for"][..],
        &["gen", "--why", "shop.cart:Cart.total"],
        &["gen", "no_such_function"],
        &["review", "--list"],
        &["gen", "--accept"],
        &["gen", "--check"],
        &["review", "--undo"],
        &["index"],
        &["export"],
        &["export", "1"],
        &["export", "99"],
        &["types"],
        &["doc"],
        &["spec", "--check"],
        &["spec"],
        &["trust", "--list"],
        &["config", "show"],
        &["clean", "--all", "--dry-run"],
        &["model", "list"],
        &["doctor"],
        &["check", "-c", "Cart.total is called", "-c", "Cart.totl is called", "--recording", "1"],
        &["replay"],
    ] {
        run(words);
    }
    place.edit("shop/pricing.py", "total > FREE_FROM", "total >= FREE_FROM");
    run(&["replay"]);
    run(&["diff"]);
    place.edit("shop/pricing.py", "total >= FREE_FROM", "(total >= FREE_FROM");
    run(&["replay"]);
    run(&["index"]);
    said
}

fn has_other_letters(text: &str) -> bool {
    text.chars().any(|c| ('Ａ'..='Ｚ').contains(&c) || ('ａ'..='ｚ').contains(&c))
}

/// Tells whether a text is a word for programs: a code, a state, a kind.
fn is_code(text: &str) -> bool {
    text.len() > 1 && text.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '_')
}

/// Compares what two runs said but for sentences, numbers and what has another name each time. Counts the sentences.
fn compare(one: &Value, other: &Value, way: &str, sentences: &mut usize) {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = |map: &serde_json::Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(a), keys(b), "{way}");
            a.iter().for_each(|(key, held)| compare(held, &b[key], &format!("{way}.{key}"), sentences));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{way}: {one} {other}");
            a.iter().zip(b).enumerate().for_each(|(at, (a, b))| compare(a, b, &format!("{way}[{at}]"), sentences));
        }
        (Value::String(_), Value::String(b)) if has_other_letters(b) => *sentences += 1,
        (Value::String(a), Value::String(b)) if is_code(a) || is_code(b) => assert_eq!(a, b, "{way}"),
        (Value::String(_), Value::String(_)) | (Value::Number(_), Value::Number(_)) => {}
        (a, b) => assert_eq!(a, b, "{way}"),
    }
}

#[test]
fn every_sentence_in_other_letters_changes_no_result() {
    let (plain, other) = std::thread::scope(|scope| {
        let other = scope.spawn(|| all_said(&[(OTHER_LETTERS, "1")]));
        (all_said(&[]), other.join().unwrap())
    });
    assert_eq!(plain.len(), other.len());
    let mut sentences = 0;
    for (one, other) in plain.iter().zip(&other) {
        assert_eq!(one.code, other.code, "{}", one.command);
        assert_eq!(one.lines.len(), other.lines.len(), "{}: {:?} {:?}", one.command, one.lines, other.lines);
        for (a, b) in one.lines.iter().zip(&other.lines) {
            compare(a, b, &one.command, &mut sentences);
        }
    }
    assert!(sentences > 50, "only {sentences} sentences had other letters");
}
