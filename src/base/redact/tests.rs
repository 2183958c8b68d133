//! Tests of what is a secret, and what is none.

use super::super::forms::sample;
use super::*;

#[test]
fn token_shapes_and_known_values_are_replaced() {
    let mut redactor = Redactor::new(["hunter2hunter2".to_owned()]);
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!("use {token} or hunter2hunter2, again {token}");
    assert_eq!(
        redactor.redact(&text).as_deref(),
        Some("use [REDACTED:github-token#1] or [REDACTED:secret#2], again [REDACTED:github-token#1]")
    );
    assert_eq!(redactor.redact("task-force sk-short eyJust"), None);
}

#[test]
fn a_secret_right_behind_an_escape_is_found() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    for before in ["\\n", "\\t", "%3D", "%22", "\\u0022", "\\x22", "\x1b[31m", "\x1b[1;31m"] {
        let found = Redactor::default().redact(&format!("x{before}{token}"));
        assert!(found.is_some_and(|text| !text.contains(&token)), "{before:?}");
    }
    for text in [
        r"x\npassword=zQ8kd20fhWx",
        "a%26password%3DzQ8kd20fhWx&b",
        "PGPASSWORD=zQ8kd20fhWx psql",
        "SMTP_PASS=zQ8kd20fhWx",
        "password            = zQ8kd20fhWx",
        "{\"password\":\n  \"zQ8kd20fhWx\"}",
        "password=SecretStr('zQ8kd20fhWx')",
    ] {
        let found = Redactor::default().redact(text);
        assert!(found.is_some_and(|text| !text.contains("zQ8kd20fhWx")), "{text}");
    }
}

#[test]
fn a_private_key_is_found_whole_also_where_its_end_is_missing() {
    let body = "MIIEowIBAAKCAQEA7b".repeat(4);
    let (begin, end) = (["-----BEGIN RSA ", "PRIVATE KEY-----"].concat(), ["-----END RSA ", "PRIVATE KEY-----"].concat());
    for text in [format!("{begin}\n{body}"), format!("{begin}\n{body}\n{end}"), format!("{begin}\\n{body}")] {
        assert!(Redactor::default().redact(&text).is_some_and(|text| !text.contains(&body)), "{text}");
    }
    let both = Redactor::default().redact(&format!("{begin}\n{body}\n{end} and more")).unwrap();
    assert!(both.ends_with(" and more"), "{both}");
}

#[test]
fn a_known_value_is_found_in_the_forms_in_which_it_travels() {
    let value = "pa/ss w\"ord&1!zQ";
    for form in [
        "pa/ss%20w%22ord%261%21zQ",
        "pa%2fss%20w%22ord%261%21zQ",
        "pa%2Fss%20w%22ord%261%21zQ",
        "pa/ss w\\\"ord&1!zQ",
        "pa/ss w&quot;ord&amp;1!zQ",
    ] {
        let found = Redactor::new([value.to_owned()]).redact(&format!("a {form} b"));
        assert!(found.is_some_and(|text| !text.contains(form)), "{form}");
    }
}

#[test]
fn a_value_that_is_nothing_but_a_secret_is_told_as_one() {
    let mut redactor = Redactor::default();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    assert_eq!(redactor.redact_value(&token), Some(Safe::Whole { kind: "github-token", number: 1 }));
    assert_eq!(redactor.redact_value(&format!("{token}!")), Some(Safe::Part("[REDACTED:github-token#1]!".into())));
    assert_eq!(redactor.redact_value("nothing"), None);
    assert_eq!(redactor.redact_met(&format!("said {token}!")).as_deref(), Some("said [REDACTED:secret#1]!"));
    assert_eq!(redactor.alone(|alone| alone.redact_met(&token)), None);
}

#[test]
fn of_the_environment_only_what_is_no_word_is_looked_for_elsewhere() {
    let mut redactor =
        Redactor::with_env_file("DB_PASSWORD=postgres\nAPI_TOKEN=k3y-of-the-sh0p\nTOKEN_URL=https://a.test/tok3n9x\n");
    assert_eq!(redactor.redact("postgres at https://a.test/tok3n9x"), None);
    assert_eq!(redactor.redact("with k3y-of-the-sh0p").as_deref(), Some("with [REDACTED:secret#1]"));
}

#[test]
fn what_is_redacted_is_never_passed_over_beforehand() {
    let mut redactor = Redactor::new(["hunter2hunter2".to_owned(), "éclair-secret".to_owned()]);
    let shaped = FORMS.iter().map(|form| sample(*form));
    let known = ["hunter2hunter2", "éclair-secret", "-----BEGIN PRIVATE KEY-----"].map(str::to_owned);
    let found = ["password=hunter3", "Api_Key: k3y-k3y", "\"token\": \"abc\"", "4111 1111 1111 1111", "http://a:pw9@b/"];
    for secret in shaped.chain(known).chain(found.map(str::to_owned)) {
        for text in [secret.clone(), format!("x {secret} y")] {
            assert!(redactor.may_hold(text.as_bytes()), "{text}");
            assert!(redactor.redact(&text).is_some(), "{text}");
        }
    }
    assert!(!redactor.may_hold(b"a sentence of plain words, \x00\xff and numbers 12345"));
}

#[test]
fn values_lose_what_stands_under_a_secret_name_and_the_secrets_in_their_texts() {
    let mut redactor = Redactor::new(["hunter2hunter2".to_owned()]);
    let value = serde_json::json!({ "user": { "password": "x", "pin": [1], "note": "is hunter2hunter2" }, "tokens": 3 });
    assert_eq!(
        redactor.value(value),
        serde_json::json!({ "user": { "password": "[REDACTED]", "pin": [1], "note": "is [REDACTED:secret#1]" }, "tokens": 3 })
    );
}

#[test]
fn what_stood_under_a_secret_name_is_found_in_later_values_unless_it_is_a_word() {
    let mut redactor = Redactor::default();
    let args = serde_json::json!({ "name": "db_password", "value": "hunter2xyz", "user": { "password": "monkeys" }, "tokens": ["zQ8-kd2x09"] });
    let hidden = serde_json::json!({ "name": "db_password", "value": "[REDACTED]", "user": { "password": "[REDACTED]" }, "tokens": ["[REDACTED]"] });
    assert_eq!(redactor.value(args), hidden);
    let later = redactor.value(serde_json::json!({ "got": "hunter2xyz", "said": "it is hunter2xyz, of the monkeys" }));
    assert!(!redactor.value(serde_json::json!("uses zQ8-kd2x09")).to_string().contains("zQ8"));
    let safe = later["got"].as_str().unwrap().to_owned();
    assert!(safe.starts_with("[REDACTED:secret#"), "{later}");
    assert_eq!(later["said"], format!("it is {safe}, of the monkeys"));
}

#[test]
fn a_name_of_several_secrets_hides_what_is_in_it_at_every_depth() {
    let mut redactor = Redactor::default();
    let value = serde_json::json!({
        "passwords": ["a9", { "old": ["b"], "when": 1_700_000_000 }, 471_147, ""],
        "api_keys": { "ada": "k", "grace": 90_807_060, "most": 12 },
        "tokens": { "a": "zQ8-kd2x09", "b": ["the", "monkeys"], "n": 1500 },
        "keys": ["a", "b"], "max_tokens": 256, "passwords_tried": 4000,
    });
    let safe = "[REDACTED]";
    assert_eq!(
        redactor.value(value),
        serde_json::json!({
            "passwords": [safe, { "old": [safe], "when": 1_700_000_000 }, safe, ""],
            "api_keys": { "ada": safe, "grace": safe, "most": 12 },
            "tokens": { "a": safe, "b": ["the", "monkeys"], "n": 1500 },
            "keys": ["a", "b"], "max_tokens": 256, "passwords_tried": 4000,
        })
    );
}

fn redacted(text: &str) -> Option<String> {
    Redactor::new(["hunter2hunter2".to_owned(), "s3cret".to_owned()]).redact(text)
}

#[test]
fn a_known_value_is_found_in_every_form_it_travels_in() {
    for text in ["aHVudGVyMmh1bnRlcjI=", "Basic eDpodW50ZXIyaHVudGVyMg==", "x s3cret y", "\"hunter2hunter2\""] {
        let safe = redacted(text).unwrap_or_default();
        assert!(!safe.contains("aHVudGVy") && !safe.contains("ZXIyaHVudGVy") && !safe.contains("s3cret"), "{text}: {safe}");
    }
    let mut odd = Redactor::new(["p&ss wörd".to_owned()]);
    assert_eq!(odd.redact("q=p%26ss%20w%C3%B6rd&x=1").as_deref(), Some("q=[REDACTED:secret#1]&x=1"));
    assert_eq!(redacted("a s3cretary"), None, "short ones stand alone");
}

#[test]
fn what_is_assigned_to_a_secret_name_goes_and_prose_stays() {
    for (text, safe) in [
        ("password=hunter9", "password=[REDACTED:assigned#1]"),
        ("?user=ada&api_key=k-1&x=2", "?user=ada&api_key=[REDACTED:assigned#1]&x=2"),
        ("{\"accessToken\": \"ab c\", \"n\": 1}", "{\"accessToken\": \"[REDACTED:assigned#1]\", \"n\": 1}"),
        ("{'passwd': 'x y'}", "{'passwd': '[REDACTED:assigned#1]'}"),
        ("Authorization: Bearer abc.def-9", "Authorization: Bearer [REDACTED:assigned#1]"),
        ("DB_PASSWORD: tr0ub4dor", "DB_PASSWORD: [REDACTED:assigned#1]"),
        ("postgres://ada:pw@db/shop", "postgres://ada:[REDACTED:password#1]@db/shop"),
        ("card 4111-1111-1111-1111.", "card [REDACTED:card#1]."),
        ("AccountName=a;AccountKey=k9-x==;x", "AccountName=a;AccountKey=[REDACTED:assigned#1];x"),
        ("Bearer a1B2c3D4e5F6g7H8", "Bearer [REDACTED:credentials#1]"),
        ("password=$ecr3t_1", "password=[REDACTED:assigned#1]"),
        ("API key: k3y-k3y9", "API key: [REDACTED:assigned#1]"),
        ("theme=dark; csrftoken=k3y9", "theme=dark; csrftoken=[REDACTED:assigned#1]"),
        ("x=1&code_verifier=k3y-k3y9&y=2", "x=1&code_verifier=[REDACTED:assigned#1]&y=2"),
        ("?e=17&signature=zQ8kd20fhWx&x=1", "?e=17&signature=[REDACTED:assigned#1]&x=1"),
    ] {
        assert_eq!(redacted(text).as_deref(), Some(safe), "{text}");
    }
    for (text, safe) in [
        ("passwords=['a9', \"b c\"]", "passwords=['[REDACTED:assigned#1]', \"[REDACTED:assigned#2]\"]"),
        ("{\"tokens\": {\"ada\": \"zQ8-kd2x09\"}}", "{\"tokens\": {\"ada\": \"[REDACTED:assigned#1]\"}}"),
        ("api_keys=k-1", "api_keys=[REDACTED:assigned#1]"),
    ] {
        assert_eq!(redacted(text).as_deref(), Some(safe), "{text}");
    }
    for text in [
        "keys=['a', 'b'], max_tokens=256, api_keys=5000, token_count=12, tokens=['the', 'monkeys']",
        "the password: must be long",
        "Invalid token: unexpected end",
        "tokens_used=12345",
        "password=${DB_PASSWORD} token=$API_TOKEN",
        "password: ********",
        "primary key: a1-b2-c3",
        "sort key: k3y-k3y9",
        "author=Ada Lovelace",
        "http://example.com:8080/a@b",
        "4111 1111 1111 1112",
        "[2.8571428571428568, 4.516705679377284, 4111111111111111.5]",
        "[4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1]",
        "2026-11-22 08:36:17.123456",
        "password = [REDACTED:password#1]",
        "password=None",
        "password = getpass()",
        "token = self.token",
        "Basic authentication is needed",
        "signature=ok sig=SIGTERM signature: def f(a1, b2): ...",
        "signature = inspect.signature(total17)",
    ] {
        assert_eq!(redacted(text), None, "{text}");
    }
}

#[test]
fn in_source_only_literals_are_secrets() {
    let mut redactor = Redactor::default();
    let source = "API_KEY = 'k-123'\npassword: str = \"x y\"\nlogin(password=read(), token=\"abc\")\nif pwd != 'zz9':\n    d[\"secret\"] = b'q1w'\n\
                  token = parse(text)\npasswords = get('name')\n";
    let safe = redactor.redact_source(source).unwrap_or_default();
    for gone in ["k-123", "x y", "abc", "zz9", "q1w"] {
        assert!(!safe.contains(gone), "{gone}: {safe}");
    }
    let told = "log(\"password=abc9 and db_token: x9-y8z\")  # pwd=q9q\nx = token(1)\n";
    let safe = redactor.redact_source(told).unwrap_or_default();
    assert!(
        !safe.contains("abc9") && !safe.contains("x9-y8z") && !safe.contains("q9q") && safe.contains("x = token(1)"),
        "{safe}"
    );
    let safe = redactor.redact_source(source).unwrap_or_default();
    for stays in ["login(password=read(), token=\"[REDACTED", "token = parse(text)", "get('name')"] {
        assert!(safe.contains(stays), "{stays}: {safe}");
    }
    assert_eq!(safe.lines().count(), source.lines().count());
}

#[test]
fn only_what_leaves_is_searched_for_what_is_merely_random() {
    let mut redactor = Redactor::default();
    let text = "\"Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5MHF3ZXJ0eQ\" 'da39a3ee5e6b4b0d3255bfef95601890afd80709'";
    assert_eq!(redactor.redact(text), None);
    let safe = redactor.redact_outgoing(text).unwrap_or_default();
    assert_eq!(safe, "\"[REDACTED:random#1]\" '[REDACTED:random#2]'");
    for plain in
        ["RegistrationService.register_customer_by_email", "123e4567-e89b-12d3-a456-426614174000", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
    {
        assert_eq!(redactor.redact_outgoing(plain), None, "{plain}");
    }
}
