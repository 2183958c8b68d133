//! Sentences about data: what each form says of good and of bad data, and what is left alone.

use serde_json::json;

use super::*;
use crate::domain::verdict::ClauseOutcome as O;

fn scope() -> Scope {
    let value = json!({
        "result": {
            "status": 200, "ok": true, "name": "Ada", "total": 6.5, "none": null, "empty": [], "a b": 1, "at": "2024-02-29T10:00:00Z",
            "users": [
                { "id": 1, "email": "a@b.c", "name": "Ada" },
                { "id": 2, "email": "x@y.org", "name": "Bob" },
                { "id": 2, "email": "nobody", "name": "Cyd", "extra": [] },
            ],
            "items": [{ "price": 1.5 }, { "price": 5 }],
            "page": "https://example.org/x?y=1", "key": "123e4567-e89b-12d3-a456-426614174000",
        },
        "error": null,
        "stored": { "token": "t" },
        "created": { "name": "Ada", "id": 1 },
        "steps": [{ "name": "Create", "status": "passed", "result": { "id": 7 } }],
    });
    value.as_object().cloned().unwrap()
}

fn outcome(sentence: &str) -> Option<O> {
    decide(sentence, &scope()).map(|decided| decided.outcome)
}

#[test]
fn every_form_holds_of_good_data_and_not_of_bad() {
    for (good, bad) in [
        ("result.status is 200", "result.status is 404"),
        ("result.status equals 200.0", "result.status equals \"200\""),
        ("result.status == 200", "result.status != 200"),
        ("result.status is not 404", "result.status is not 200"),
        ("result.ok is true", "result.ok is 1"),
        ("result.ok is True", "result.ok is False"),
        ("result.none is null", "result.ok is None"),
        ("result.name is \"Ada\"", "result.name is 'Bob'"),
        ("result.users has exactly 3 items", "result.users has exactly 10 items"),
        ("result.users has at least 3 items", "result.users has more than 3 items"),
        ("result.users has 3 entries.", "result.users has no items"),
        ("every result.users[*] has id, email, name", "every result.users[*] has id and extra"),
        ("result has status", "result has missing"),
        ("result.users[*].email are unique", "result.users[*].id are unique"),
        ("every result.users[*].name matches /^[A-Z]/", "every result.users[*].email matches email"),
        ("result.users[0].email matches email", "result.users[2].email matches email"),
        ("result.users[*].name are in ascending order", "result.users[*].email are in descending order"),
        ("result.items[*].price are sorted ascending", "result.items[*].price are sorted descending"),
        ("result.key matches uuid", "result.name matches uuid"),
        ("result.page matches url", "result.name matches url"),
        ("result.at matches iso-datetime", "result.name matches iso-datetime"),
        ("result.name does not match /x/", "result.name does not match /Ad/"),
        ("result.name equals ${created.name}", "result.status equals ${created.id}"),
        ("result.name equals created.name", "result.name is the same as created.id"),
        ("result.users[0].id is unchanged from ${created.id}", "result.users[1].id is unchanged from ${created.id}"),
        ("result.total is the sum of result.items[*].price", "result.status is the sum of result.items[*].price"),
        ("no error", "error exists"),
        ("result.total > 6", "result.total > 6.5"),
        ("result.total is at most 6.5", "result.total is less than 6.5"),
        ("result.total is between 6 and 7", "result.total is between 7 and 8"),
        ("result.status is one of [200, 201]", "result.status is one of [404]"),
        ("result.empty is empty", "result.users is empty"),
        ("result.users is not empty", "result.empty is not empty"),
        ("result.status exists", "result.gone exists"),
        ("result.gone is missing", "result.name is absent"),
        ("result.name contains \"d\"", "result.name contains \"x\""),
        ("result.name does not contain \"x\"", "result.name does not contain \"A\""),
        ("result.name starts with \"A\"", "result.name ends with \"A\""),
        ("result.status is a number", "result.status is a text"),
        ("result[\"a b\"] is 1", "result['a b'] is 2"),
        ("steps[0].status is \"passed\"", "steps[0].status is \"failed\""),
        ("steps[\"Create\"].result.id is 7", "steps[\"Create\"].result.id is 8"),
        ("stored.token is \"t\"", "stored.token is \"u\""),
    ] {
        assert_eq!(outcome(good), Some(O::Holds), "{good}: {:?}", decide(good, &scope()).map(|one| one.why));
        assert_eq!(outcome(bad), Some(O::Violated), "{bad}");
    }
}

#[test]
fn free_english_is_never_guessed_at() {
    for sentence in [
        "Response should contain exactly 10 users with valid data",
        "User should be created with valid ID and timestamp",
        "result is good",
        "result.users is sorted by name",
        "result looks right",
        "result.users has valid data",
        "Result.status is 200",
        "results.status is 200",
        "unknown.status is 200",
        "result.name matches something",
        "result.name matches /(/",
        "result.status is around 200",
        "The result.status is 200",
        "every user has an email",
        "",
    ] {
        assert_eq!(outcome(sentence), None, "{sentence}");
    }
}

#[test]
fn what_is_wrong_is_said_with_the_value() {
    let why = |sentence: &str| decide(sentence, &scope()).unwrap().why;
    assert_eq!(why("result.users has exactly 10 items"), "result.users has 3 items.");
    assert_eq!(why("every result.users[*].email matches email"), "result.users[2].email is \"nobody\".");
    assert_eq!(why("result.users[*].id are unique"), "result.users[2].id and result.users[1].id are both 2.");
    assert_eq!(
        why("result.statuss is 200"),
        "result has no statuss: it has status, ok, name, total, none, empty, a b, at, users, items, …."
    );
    assert_eq!(why("result.status equals created.id"), "result.status is 200. created.id is 1.");
    assert_eq!(why("result.users[7].id is 1"), "result.users has 3 items.");
    let mut failed = scope();
    failed.insert("result".into(), Value::Null);
    failed.insert("error".into(), json!("ValueError: no"));
    assert_eq!(decide("result.status is 200", &failed).unwrap().why, "result is nothing. The tool failed: ValueError: no");
    assert_eq!(decide("no error", &failed).unwrap().outcome, O::Violated);
    assert_eq!(decide("error contains \"ValueError\"", &failed).unwrap().outcome, O::Holds);
}

#[test]
fn nothing_to_look_at_is_no_proof_and_many_values_need_a_word() {
    assert_eq!(outcome("every result.empty[*] has id"), Some(O::Vacuous));
    assert_eq!(outcome("result.users[*].name is \"Ada\""), Some(O::Unclear));
    assert_eq!(outcome("result.empty[*].id are unique"), Some(O::Vacuous));
}

#[test]
fn an_expected_error_is_known_by_its_sentence() {
    assert!(is_about_error("error contains \"taken\"") && is_about_error("the tool fails"));
    assert!(!is_about_error("no error") && !is_about_error("result.error is 1"));
    assert!(is_about_error("It should fail.") && is_about_error("It should be rejected because the id is taken"));
    assert!(!is_about_error("It should not fail") && !is_about_error("It should fail over to the second server"));
}

proptest::proptest! {
    #[test]
    fn no_sentence_breaks_the_reader(sentence in "(every )?(result|error|x)[ .a-z\\[\\]*\"'${}0-9/=<>]{0,40}") {
        let _ = decide(&sentence, &scope());
    }
}
