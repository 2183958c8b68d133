use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn every() -> impl Iterator<Item = ReasonCode> {
    ReasonCode::ALL.iter().copied()
}

fn full(code: ReasonCode) -> Reason {
    code.of("NAME").with("DETAIL")
}

#[test]
fn every_code_is_read_back() {
    for code in every() {
        assert_eq!(code.code().parse(), Ok(code));
    }
    assert_eq!("no-such-code".parse::<ReasonCode>(), Err(UnknownCode));
}

#[test]
fn codes_are_their_names_in_kebab_case() {
    for code in every() {
        let mut kebab = String::new();
        for letter in format!("{code:?}").chars() {
            if letter.is_uppercase() && !kebab.is_empty() {
                kebab.push('-');
            }
            kebab.extend(letter.to_lowercase());
        }
        assert_eq!(code.code(), kebab);
    }
}

#[test]
fn every_code_has_a_message_of_its_own_and_a_fix() {
    let mut seen = BTreeSet::new();
    for code in every() {
        let message = full(code).message();
        assert!(seen.insert(message.clone()), "{code}: {message}");
        let words = message.split_whitespace().count();
        assert!((1..=16).contains(&words) && !message.ends_with('.'), "{code}: {message}");
        let fix = full(code).fix();
        assert!(fix.ends_with('.') && fix.starts_with(|first: char| first.is_uppercase() || first == '`'), "{code}: {fix}");
    }
}

#[test]
fn texts_have_places_for_known_arguments_alone() {
    for code in every() {
        for text in [code.message(), code.fix()] {
            let filled = full(code).fill(text);
            assert!(!filled.contains(['{', '}', '[', ']']), "{code}: {filled}");
            assert_eq!(text.matches('[').count(), text.matches(']').count(), "{code}");
            let bare = text.replace("{name}", "").replace("{a name}", "").replace("{detail}", "");
            assert!(!bare.contains(['{', '}']), "{code}: {text}");
        }
    }
}

#[test]
fn what_is_missing_is_left_out() {
    assert_eq!(
        ReasonCode::ValueTooLarge.of("list").with(9).message(),
        "the call's values exceed the recording limit, at a list with 9 items"
    );
    assert_eq!(ReasonCode::ValueTooLarge.of("int").message(), "the call's values exceed the recording limit, at an int");
    assert_eq!(Reason::from(ReasonCode::Network).message(), "uses the network: …");
    assert_eq!(ReasonCode::Redundant.with(6).message(), "adds no coverage to the other tests (limit: 6 per function)");
    assert_eq!(Reason::from(ReasonCode::Redundant).message(), "adds no coverage to the other tests");
}

#[test]
fn a_place_stands_before_the_message_and_the_nearest_one_counts() {
    let reason = ReasonCode::UnreadableArgument.of("Random");
    let at = |place: Place| reason.clone().at(place).message();
    assert_eq!(at(Place::Argument("rng".into())), "argument rng: a Random cannot be written as Python code");
    assert_eq!(at(Place::Receiver("Dice".into())), "Dice: a Random cannot be written as Python code");
    assert_eq!(at(Place::Result), "result: a Random cannot be written as Python code");
    let near = reason.at(Place::Response("net:fetch".into())).at(Place::Result);
    assert_eq!(near.message(), "recorded result of net:fetch: a Random cannot be written as Python code");
    assert_eq!(ReasonCode::Fails.with("assert 2 == 3").at(Place::Test("test_b".into())).message(), "test_b fails: assert 2 == 3");
}

#[test]
fn arguments_are_shown_and_never_obeyed() {
    let reason = ReasonCode::NameConflict.of("{detail}").with("a[0]{name}\u{1b}[2J\n");
    let message = reason.message();
    assert!(message.starts_with("two imports use the name {detail}: one is `a[0]{name}"), "{message}");
    assert!(!message.contains(['\u{1b}', '\n']), "{message}");
}

#[test]
fn sentences_of_earlier_versions_are_read() {
    let read = |json: &str| serde_json::from_str::<Reason>(json).unwrap();
    let old = read(r#"{"reason":"it uses the network: api:443"}"#);
    assert_eq!((old.code, old.message().as_str()), (ReasonCode::Legacy, "it uses the network: api:443"));
    assert_eq!(serde_json::to_string(&old).unwrap(), r#"{"reason":"it uses the network: api:443"}"#);
    let decided = read(r#"{"reason":"run alone it ends differently: it depends on something that was not recorded"}"#);
    assert_eq!(decided, ReasonCode::NotReproducible.into());
}

#[test]
fn what_is_read_back_does_not_depend_on_the_wording_it_was_stored_with() {
    for code in every().filter(|code| *code != ReasonCode::Legacy) {
        let reason = full(code);
        let stored = wording::reworded(|| serde_json::to_string(&reason).unwrap());
        assert_ne!(stored, serde_json::to_string(&reason).unwrap());
        assert_eq!(serde_json::from_str::<Reason>(&stored).unwrap(), reason);
    }
}

#[test]
fn the_way_out_of_the_process_is_read_as_a_type() {
    let reason = |access| ReasonCode::ExternalCall.of("net:fetch").through(access);
    for access in [ExternalAccess::Network, ExternalAccess::Process] {
        let json = serde_json::to_string(&reason(access)).unwrap();
        assert_eq!(serde_json::from_str::<Reason>(&json).unwrap(), reason(access), "{json}");
    }
    assert_eq!(reason(ExternalAccess::Process).message(), "calls net:fetch, which uses other programs and cannot be mocked");
    let former = r#"{"reason":"x","why":{"code":"external-call","name":"net:fetch","detail":"the network"}}"#;
    assert_eq!(serde_json::from_str::<Reason>(former).unwrap(), reason(ExternalAccess::Network));
    assert_eq!(ReasonCode::Fails.with("the network").detail, Some(Detail::Text("the network".into())));
}

#[test]
fn a_code_of_a_later_version_is_read_as_its_sentence() {
    let later = r#"{"reason":"drinks tea","why":{"code":"tea","name":"cup"}}"#;
    let read: Reason = serde_json::from_str(later).unwrap();
    assert_eq!((read.code, read.message().as_str()), (ReasonCode::Legacy, "drinks tea"));
}

#[test]
fn the_code_counts_and_not_the_sentence_beside_it() {
    let reworded = r#"{"reason":"WORDED ANEW","why":{"code":"network","detail":"api:443"}}"#;
    assert_eq!(serde_json::from_str::<Reason>(reworded).unwrap(), ReasonCode::Network.with("api:443"));
}

fn place() -> impl Strategy<Value = Option<Place>> {
    let name = ".{0,9}";
    prop_oneof![
        Just(None),
        Just(Some(Place::Result)),
        name.prop_map(|name| Some(Place::Argument(name))),
        name.prop_map(|name| Some(Place::Receiver(name))),
        name.prop_map(|name| Some(Place::Response(name))),
        name.prop_map(|name| Some(Place::Test(name))),
    ]
}

proptest! {
    #[test]
    fn reasons_are_read_back(
        at in 0..ReasonCode::ALL.len(),
        place in place(),
        name in prop::option::of(".{0,20}"),
        detail in prop::option::of(".{0,20}"),
    ) {
        let reason = Reason { code: ReasonCode::ALL[at], place, name, detail: detail.map(Detail::Text) };
        prop_assume!(reason.code != ReasonCode::Legacy);
        let json = serde_json::to_string(&reason).unwrap();
        prop_assert_eq!(serde_json::from_str::<Reason>(&json).unwrap(), reason.clone());
        prop_assert!(!reason.message().is_empty() && !reason.message().contains('\n'));
    }

    #[test]
    fn sentences_without_a_code_are_read_back(sentence in ".{0,60}") {
        let read = Reason::legacy(&sentence);
        let json = serde_json::to_string(&read).unwrap();
        prop_assert_eq!(serde_json::from_str::<Reason>(&json).unwrap(), read);
    }
}
