//! Intents in sentences that rules decide: such a sentence counts as it is written, whatever else decides its test.

use crate::harness::Place;
use crate::intents::{check, report};

const POST: &str = "class Db:
    def save(self, x):
        return True


class Mail:
    def send(self, to):
        return True


def register(to):
    Db().save(to)
    Mail().send(to)
    return 'ok'
";

/// What an intent says in sentences that rules decide counts, whatever of it nobody can decide, and whatever was accepted besides.
#[test]
fn a_sentence_that_is_a_clause_counts_as_it_is_written_and_accepted_ones_count_beside_it() {
    let place = Place::empty();
    place.save("pyproject.toml", "[project]\nname = 'post'\nversion = '0'\n");
    place.save("post.py", POST);
    let test = |name: &str, decorator: &str| {
        format!("@semantic_test({decorator})\ndef test_{name}():\n    assert register('a') == 'ok'\n\n\n")
    };
    let tests = [
        test("mixed", "'Db.save is called before Mail.send. The customer is happy.'"),
        test("rules", "'Db.save is called before Mail.send'"),
        test("checks", "'The customer is happy.', checks='Db.save is called before Mail.send'"),
        "@semantic_test('Db.save is called')\ndef test_skipped():\n    register('a')\n    pytest.skip('not today')\n".to_owned(),
    ];
    let head = "import pytest\nfrom pytead_tui import semantic_test\nfrom post import register\n\n\n";
    place.save("test_post.py", &(head.to_owned() + &tests.concat()));
    let accept = |test: &str, clause: &str| check(&place, &["--accept", &format!("test_post.py::test_{test}"), "-c", clause]);
    let verdicts = || {
        let (_, said) = check(&place, &["--", "--semantic-report=report.jsonl"]);
        let found = report(&place);
        let of = |name: &str| found[name]["verdict"].as_str().unwrap().to_owned();
        (["test_mixed", "test_rules", "test_checks"].map(of), said)
    };
    let swapped = POST.replace("    Db().save(to)\n    Mail().send(to)\n", "    Mail().send(to)\n    Db().save(to)\n");
    assert_eq!(verdicts().0, ["UNCLEAR", "PASS", "PASS"]);
    place.save("post.py", &swapped);
    assert_eq!(verdicts().0, ["FAIL", "FAIL", "FAIL"], "no model is needed for what a rule finds violated");
    place.save("post.py", POST);
    // An accepted clause covers no sentence that says itself what has to hold.
    let (code, said) = accept("mixed", "Mail.send is called exactly once");
    assert!(code == 0 && said.contains("No clause covers “The customer is happy.”"), "{said}");
    place.save("post.py", &swapped);
    assert_eq!(verdicts().0[0], "FAIL");
    place.save("post.py", POST);
    // What is accepted in place of something else says so.
    let (_, said) = accept("mixed", "Db.save is called exactly once");
    assert!(said.contains("No longer required: Mail.send is called exactly once"), "{said}");
    for test in ["rules", "checks"] {
        let (code, said) = accept(test, "Mail.send is called exactly 7 times");
        assert!(code == 1 && said.contains("the test is red until it does"), "{said}");
    }
    let (now, said) = verdicts();
    assert_eq!(now[1..], ["FAIL", "FAIL"], "{said}");
    let (code, said) = accept("skipped", "Db.save is called exactly once");
    assert!(code != 0 && said.contains("test_skipped was skipped: nothing of it is accepted."), "{said}");
}

/// Where two classes have one name, a call that is missing is missing whichever of them is meant.
#[test]
fn a_call_that_no_reading_of_a_clause_finds_is_missing() {
    let place = Place::empty();
    place.save("pyproject.toml", "[project]\nname = 'post'\nversion = '0'\n");
    for module in ["smtp", "sms"] {
        place.save(&format!("{module}.py"), "class Mail:\n    def send(self, to):\n        return True\n");
    }
    place.save("service.py", "import smtp\n\n\ndef register(to):\n    smtp.Mail().send(to)\n    return 'ok'\n");
    let test = "import service\nfrom pytead_tui import semantic_test\n\n\n@semantic_test('Mail.send is called exactly once')\n\
                def test_mail():\n    assert service.register('a') == 'ok'\n";
    place.save("test_service.py", test);
    let verdict = || {
        check(&place, &["--", "--semantic-report=report.jsonl"]);
        report(&place)["test_mail"]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict(), "PASS");
    place.save("service.py", "import smtp\n\n\ndef register(to):\n    smtp.Mail()\n    return 'ok'\n");
    assert_eq!(verdict(), "FAIL");
}

/// What was called instead is told with its module where the class has the name that the clause says.
#[test]
fn a_call_of_the_same_name_in_another_module_is_told_with_the_module() {
    let place = Place::empty();
    place.save("pyproject.toml", "[project]\nname = 'post'\nversion = '0'\n");
    place.save("smtp.py", "class Mail:\n    def send(self, to):\n        return True\n");
    place.save("sms.py", "class Mail:\n    def send(self, to):\n        return True\n");
    let test = "import sms\nfrom smtp import Mail\nfrom pytead_tui import semantic_test\n\n\n\
                @semantic_test('Mail.send is called exactly once')\ndef test_mail():\n    assert sms.Mail().send('a') and Mail\n";
    place.save("test_service.py", test);
    let (code, said) = check(&place, &[]);
    assert!(code == 1 && said.contains("Mail.send was not called; sms:Mail.send was (L1)."), "{said}");
}
