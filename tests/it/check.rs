//! `pytead-tui check` on the real binary: sentences decided on the journey of a real program.

use crate::harness::Place;

const HOLDS: &str = "\
# What registering and paying have to do.
Database.exists is called before Database.save
if Database.exists returns False then Database.save is called
Database.save is called before Smtp.deliver
- Smtp.deliver is called exactly once in each RegistrationService.register
Order.place calls Stock.reserve
OutOfStock is raised inside Order.place
if Stock.reserve raises OutOfStock then Stock.fill is called
Stock.fill is called inside Order.place
Gateway.charge is called with card=\"visa\"
every call of Gateway.charge has amount > 0
Gateway.refund is called at most once per receipt
Database.save is called with email returned by normalise
";

fn results(out: &str, kind: &str) -> Vec<serde_json::Value> {
    let lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines.filter(|line| line["result"] == kind).map(|line| line["value"].clone()).collect()
}

#[test]
fn a_program_is_recorded_and_what_it_does_is_decided() {
    let place = Place::example("shop");
    place.save("checks.txt", HOLDS);
    let (code, out, err) = place.run(&["--trust", "check", "--from", "checks.txt", "--", "main.py"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("paid"), "the program's own output stays its own: {out}");
    assert!(err.contains("12 clauses hold"), "{err}");
    assert!(!err.contains('✗'), "{err}");
}

#[test]
fn a_planted_fault_is_found_with_the_lines_that_show_it() {
    let place = Place::example("shop");
    place.save("checks.txt", HOLDS);
    // The welcome goes out before the customer is kept.
    place.edit("shop/registration.py", "        self.database.save(address, name)\n", "");
    place.edit("shop/registration.py", "{\"name\": name}))\n", "{\"name\": name}))\n        self.database.save(address, name)\n");
    let (code, out, err) = place.run(&["--trust", "check", "--from", "checks.txt", "--", "main.py"]);
    assert_eq!(code, 1, "{out}{err}");
    let found = err.lines().skip_while(|line| !line.starts_with('✗')).take(4).collect::<Vec<_>>().join("\n");
    assert!(found.starts_with("✗ Database.save is called before Smtp.deliver"), "{err}");
    assert!(found.contains("shop.mailer:Smtp.deliver(") && found.contains("shop.registration:Database.save("), "{found}");
    assert_eq!(err.matches('✗').count(), 1, "{err}");
}

#[test]
fn the_last_journey_is_decided_on_and_what_is_unclear_says_why() {
    let place = Place::example("shop");
    let (code, _, err) = place.run(&["--trust", "run", "--journey", "--", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let clauses = ["-c", "Db.save is called", "-c", "The email should be friendly", "-c", "reserve is called"];
    let ask = |more: &[&str]| place.run(&[&["--format", "json", "check"], &clauses[..], more].concat());
    let (code, out, err) = ask(&[]);
    assert_eq!(code, 2, "a name that is not there is a mistake, as is what is no sentence of the grammar: {out}{err}");
    let found = results(&out, "clause");
    assert_eq!(found.len(), 3);
    assert!(found[0]["unclear"].as_str().unwrap().starts_with("No function of the project is called Db.save."), "{}", found[0]);
    assert!(found[1]["instead"].as_array().is_some_and(|forms| forms.len() == 3), "{}", found[1]);
    assert_eq!((&found[2]["clause"], &found[2]["outcome"]), (&"reserve is called".into(), &"holds".into()));
    let one = |sentence: &str| place.run(&["check", "-c", sentence]).0;
    assert_eq!((one("reserve is called"), one("resreve is called"), one("reserve is never called")), (0, 2, 1));
}

#[test]
fn without_a_journey_or_a_sentence_it_says_what_to_do() {
    let place = Place::example("shop");
    let (code, _, err) = place.run(&["check", "-c", "reserve is called"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("There is no journey to decide on.") && err.contains("--journey"), "{err}");
    place.save("empty.txt", "# Nothing.\n");
    let (code, _, err) = place.run(&["check", "--from", "empty.txt"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("There is nothing to decide."), "{err}");
    let (code, _, err) = place.run(&["--trust", "check", "-c", "reserve is never called", "--", "python", "-c", "pass"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("nothing of the project was called"), "{err}");
}

#[test]
fn a_program_that_fails_stays_failed() {
    let place = Place::example("shop");
    let program = ["python", "-c", "from shop.registration import normalise; normalise('a@b.c'); raise SystemExit(7)"];
    let (code, _, err) = place.run(&[&["--trust", "check", "-c", "normalise is called", "--"], &program[..]].concat());
    assert_eq!(code, 7, "{err}");
    assert!(err.contains("1 clause holds"), "{err}");
}

#[test]
fn a_program_that_was_not_recorded_leaves_open_what_it_may_have_done() {
    let place = Place::example("shop");
    let clause = ["-c", "normalise is never called"];
    let outcome = |program: &str| {
        let words = ["--format", "json", "--trust", "check", clause[0], clause[1], "--", "python", "-c", program];
        let events = place.root().join("events.jsonl");
        let words = [&words[..6], &["--events", events.to_str().unwrap()], &words[6..]].concat();
        let (_, _, err) = place.run(&words);
        let said = std::fs::read_to_string(&events).unwrap() + &err;
        let line = said.lines().find(|line| line.contains("\"clause\"")).unwrap_or_else(|| panic!("{said}"));
        serde_json::from_str::<serde_json::Value>(line).unwrap()["value"]["outcome"].as_str().unwrap().to_owned()
    };
    let calls = "from shop.registration import Database; Database().exists('a')";
    assert_eq!(outcome(calls), "holds");
    let alone = format!("{calls}; import subprocess, sys; subprocess.run([sys.executable, '-I', '-c', 'pass'], check=True)");
    assert_eq!(outcome(&alone), "unknown", "a Python without our recorder");
    let seen = format!("{calls}; import subprocess, sys; subprocess.run([sys.executable, '-c', \"{calls}\"], check=True)");
    assert_eq!(outcome(&seen), "holds", "it wrote down what it did");
}
