//! Rules of a YAML test about one place in the data, decided without a model: counts, unique items, formats, ranges, fields, order.

use crate::base::text;
use crate::domain::spec::{Need, Rule};
use crate::domain::verdict::{ClauseOutcome, Decided};

use super::path::Path;
use super::{Comparison, Form, Operand, Refuted, Scope, failed, forms, items, nothing_of, one, ordered, unique, violated};

/// Decides all that a rule needs, one by one.
#[must_use]
pub fn decide(rule: &Rule, scope: &Scope) -> Vec<Decided> {
    let decide = |need: &Need| {
        let (outcome, why) = match evaluate(rule, need, scope) {
            Ok(None) => (ClauseOutcome::Holds, String::new()),
            Ok(Some(nothing)) => (ClauseOutcome::Vacuous, nothing),
            Err(Refuted::Violated(why)) => (ClauseOutcome::Violated, why),
            Err(Refuted::Unclear(why)) => (ClauseOutcome::Unclear, why),
        };
        Decided {
            text: text::display_line(&format!("rule in line {}: {}", rule.at.line, told(&rule.of, need))).into_owned(),
            outcome,
            evidence: Vec::new(),
            why: text::display_line(&why).into(),
            shown: Vec::new(),
            needs_model: false,
        }
    };
    rule.needs.iter().map(decide).collect()
}

/// `Ok(Some)` says that nothing was there to look at.
fn evaluate(rule: &Rule, need: &Need, scope: &Scope) -> Result<Option<String>, Refuted> {
    let Some((subject, _)) = Path::take(&rule.of, &|_| true) else {
        return violated(format!("{} is no place in the data.", rule.of));
    };
    let found = match subject.find(scope) {
        Ok(found) => found,
        Err(why) => {
            let error = failed(scope).and_then(|error| error.lines().next());
            return violated(error.map_or_else(|| why.clone(), |error| format!("{why} The tool failed: {error}")));
        }
    };
    // How many there are is said of a list, all else of what is in it.
    let looked_at = if matches!(need, Need::Count { .. }) { found } else { items(&subject, &found) };
    let forms = match need {
        Need::Unique => return unique(&subject, &looked_at),
        Need::Order { descending } => return ordered(&subject, &looked_at, *descending),
        Need::Count { least, most } if least == most => {
            least.map(|count| Form::Count(Comparison::Exactly, count)).into_iter().collect()
        }
        Need::Count { least, most } => {
            let least = least.map(|count| Form::Count(Comparison::AtLeast, count));
            least.into_iter().chain(most.map(|count| Form::Count(Comparison::AtMost, count))).collect()
        }
        Need::Format(format) => forms::pattern(format).map(|pattern| Form::Matches(pattern, true)).into_iter().collect(),
        Need::Range { from, to } => {
            let end = |comparison, end: &serde_json::Value| Form::Compared(comparison, Operand::Literal(end.clone()));
            let from = from.iter().map(|from| end(Comparison::AtLeast, from));
            from.chain(to.iter().map(|to| end(Comparison::AtMost, to))).collect()
        }
        Need::Required(fields) => vec![Form::Fields(fields.clone())],
    };
    let forms: Vec<Form> = forms;
    for (name, value) in &looked_at {
        for form in &forms {
            one(form, name, value, scope)?;
        }
    }
    Ok(nothing_of(&subject, &looked_at))
}

/// Says a rule in a sentence.
fn told(of: &str, need: &Need) -> String {
    match need {
        Need::Count { least: Some(least), most: Some(most) } if least == most => format!("{of} has exactly {least} items"),
        Need::Count { least, most } => {
            let least = least.map(|least| format!("at least {least}"));
            let most = most.map(|most| format!("at most {most}"));
            format!("{of} has {} items", least.into_iter().chain(most).collect::<Vec<_>>().join(" and "))
        }
        Need::Unique => format!("{of} are unique"),
        Need::Format(format) => format!("every {of} matches {format}"),
        Need::Range { from: Some(from), to: Some(to) } => format!("every {of} is between {from} and {to}"),
        Need::Range { from, to } => {
            let from = from.as_ref().map(|from| format!("at least {from}"));
            let to = to.as_ref().map(|to| format!("at most {to}"));
            format!("every {of} is {}", from.or(to).unwrap_or_default())
        }
        Need::Required(fields) => format!("every {of} has {}", fields.join(", ")),
        Need::Order { descending } => format!("{of} are in {} order", if *descending { "descending" } else { "ascending" }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::base::yaml::Place;
    use crate::domain::verdict::ClauseOutcome as O;

    fn decided(of: &str, need: Need, result: Value) -> Decided {
        let scope = json!({ "result": result, "error": null }).as_object().cloned().unwrap();
        let rule = Rule { at: Place { line: 7, column: 1 }, of: of.into(), needs: vec![need] };
        decide(&rule, &scope).remove(0)
    }

    fn range(from: Option<Value>, to: Option<Value>) -> Need {
        Need::Range { from, to }
    }

    #[test]
    fn every_rule_holds_of_good_data_and_names_what_breaks_it() {
        let users = |ids: [i64; 3]| json!({ "users": ids.map(|id| json!({ "id": id, "mail": format!("u{id}@x.org") })) });
        let good = users([1, 2, 3]);
        let count = |least, most| Need::Count { least, most };
        let format = |name: &str| Need::Format(name.into());
        let fields = |names: &[&str]| Need::Required(names.iter().map(|name| (*name).to_owned()).collect());
        let order = |descending| Need::Order { descending };
        for (of, need, bad, why) in [
            ("result.users", count(Some(3), Some(3)), json!({ "users": [] }), "result.users has 0 items."),
            ("result.users", count(Some(1), Some(3)), json!({ "users": [1, 2, 3, 4] }), "result.users has 4 items."),
            ("result.users", count(None, Some(3)), json!({ "users": 5 }), "result.users is 5. It has no items."),
            ("result.users[*].id", Need::Unique, users([1, 2, 1]), "result.users[2].id and result.users[0].id are both 1."),
            ("result.users", Need::Unique, users([1, 1, 2]), "result.users[1] and result.users[0] are both {"),
            (
                "result.users[*].mail",
                format("email"),
                json!({ "users": [{ "mail": "nobody" }] }),
                "result.users[0].mail is \"nobody\".",
            ),
            ("result.users[*].id", range(Some(json!(1)), Some(json!(3))), users([1, 2, 4]), "result.users[2].id is 4."),
            ("result.users[*].id", range(Some(json!(1)), None), users([0, 2, 4]), "result.users[0].id is 0."),
            (
                "result.users",
                fields(&["id", "mail"]),
                json!({ "users": [{ "id": 1 }] }),
                "result.users[0] has no mail: it has id.",
            ),
            ("result.users[*]", fields(&["id"]), json!({ "users": [3] }), "result.users[0] is 3. It has no fields."),
            (
                "result.users[*].id",
                order(false),
                users([1, 3, 2]),
                "result.users[2].id is 2, and result.users[1].id before it is 3.",
            ),
            ("result.users[*].id", order(false), json!({ "users": [{ "id": 1 }, { "id": "2" }] }), "They cannot be compared."),
        ] {
            let (held, broken) = (decided(of, need.clone(), good.clone()), decided(of, need.clone(), bad));
            assert_eq!(held.outcome, O::Holds, "{held:?}");
            assert_eq!(broken.outcome, O::Violated, "{broken:?}");
            assert!(broken.why.to_string().contains(why), "{broken:?}");
            assert!(broken.text.starts_with("rule in line 7: "), "{broken:?}");
        }
        assert_eq!(decided("result.users[*].id", order(true), users([3, 3, 1])).outcome, O::Holds);
        assert_eq!(decided("result.users[*].id", order(true), users([3, 1, 2])).outcome, O::Violated);
    }

    #[test]
    fn formats_dates_and_long_numbers_are_decided_as_written() {
        let of = |format: &str, value: Value| decided("result", Need::Format(format.into()), value).outcome;
        for (format, good, bad) in [
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"),
            ("url", "https://x.org/a?b", "x.org"),
            ("iso-date", "2024-02-29", "2024-13-01"),
            ("iso-datetime", "2024-02-29T10:00:00Z", "2024-02-29"),
            ("ipv4", "192.168.0.1", "192.168.0.256"),
            ("/^[A-Z]{3}$/", "EUR", "eur"),
        ] {
            assert_eq!((of(format, json!(good)), of(format, json!(bad))), (O::Holds, O::Violated), "{format}");
        }
        let dates = json!(["2024-01-01", "2024-02-01", "2023-12-31"]);
        assert_eq!(decided("result", Need::Order { descending: false }, dates.clone()).outcome, O::Violated);
        assert_eq!(decided("result", range(Some(json!("2024-01-01")), None), dates).outcome, O::Violated);
        let large: Value =
            serde_json::from_str("[123456789012345678901234567890, 123456789012345678901234567891, 1.0, 1]").unwrap();
        let why = decided("result", Need::Unique, large.clone()).why.to_string();
        assert_eq!(why, "result[3] and result[2] are both 1.", "two long numbers that differ in the last digit are two");
        assert_eq!(decided("result", Need::Order { descending: true }, large).outcome, O::Violated);
    }

    #[test]
    fn nothing_to_look_at_is_no_proof_and_a_failed_tool_is_named() {
        assert_eq!(decided("result", Need::Unique, json!([])).outcome, O::Vacuous);
        assert_eq!(decided("result[*].id", Need::Format("email".into()), json!([])).outcome, O::Vacuous);
        assert_eq!(
            decided("result.users", Need::Count { least: Some(1), most: None }, json!({ "users": [] })).outcome,
            O::Violated
        );
        let scope = json!({ "result": null, "error": "ValueError: no" }).as_object().cloned().unwrap();
        let rule = Rule { at: Place { line: 7, column: 1 }, of: "result.users".into(), needs: vec![Need::Unique] };
        assert_eq!(decide(&rule, &scope)[0].why, "result is nothing. The tool failed: ValueError: no");
    }
}
