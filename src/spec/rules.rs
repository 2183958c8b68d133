//! Takes `rules` of a step apart: what each is about and what it needs, or what is wrong with it. What they mean is `judge/data/rules.rs`.

use serde_json::{Number, Value};

use crate::base::paths::nearest;
use crate::base::yaml::{Located, Plain};
use crate::domain::spec::{Need, Rule};
use crate::judge::data;
use crate::spec::schema;
use crate::spec::validate::{Reader, Values, length, texts, value_shown, wording};

/// What a format can be. A test compares it with the table.
pub(super) const FORMAT_HINT: &str =
    " There are: email, uuid, url, iso-datetime, iso-date, ipv4; and a pattern between slashes: /^[A-Z]/.";

impl Reader {
    pub(super) fn rules(&mut self, list: &Located) -> Vec<Rule> {
        let Plain::List(items) = &list.value else { return Vec::new() };
        items.iter().filter_map(|item| self.rule(item)).collect()
    }

    fn rule(&mut self, tree: &Located) -> Option<Rule> {
        let values = self.fields(tree, schema::RULE, "a rule")?;
        let of = values.get("of").and_then(|value| wording(value))?;
        if data::root(&of.text).is_none() {
            let what = format!(
                "`of` is a place in the data, `result.users[*].email`, and this is {}.",
                value_shown(&Plain::Text(of.text))
            );
            self.wrong(of.at, length(values["of"]), what);
            return None;
        }
        let has_more = matches!(&tree.value, Plain::Map(entries) if entries.len() > 1);
        let needs = self.needs(&values);
        if needs.is_empty() && !has_more {
            let all: Vec<String> = schema::RULE.iter().skip(1).map(|field| format!("`{}`", field.name)).collect();
            self.wrong(tree.at, 1, format!("A rule needs one of {}.", all.join(", ")));
        }
        Some(Rule { at: tree.at, of: of.text, needs })
    }

    fn needs(&mut self, values: &Values<'_>) -> Vec<Need> {
        let text = |name: &str| values.get(name).and_then(|value| wording(value)).map(|found| found.text);
        let mut needs = Vec::new();
        needs.extend(values.get("count").and_then(|value| self.count(value)));
        needs.extend(values.get("unique").map(|_| Need::Unique));
        needs.extend(text("format").map(Need::Format));
        needs.extend(values.get("range").and_then(|value| self.range(value)));
        let fields: Vec<String> =
            values.get("required").map(|value| texts(value).into_iter().map(|field| field.text).collect()).unwrap_or_default();
        needs.extend((!fields.is_empty()).then_some(Need::Required(fields)));
        needs.extend(text("order").map(|order| Need::Order { descending: order == "descending" }));
        needs
    }

    fn count(&mut self, value: &Located) -> Option<Need> {
        if let Plain::Int(_) = value.value {
            let number = self.number(value)?;
            return Some(Need::Count { least: Some(number), most: Some(number) });
        }
        let [least, most] =
            self.ends("count", ["at_least", "at_most"], value, "a whole number, or {at_least: 1, at_most: 20}")?;
        let (least, most) = (self.number_of(least)?, self.number_of(most)?);
        if least.zip(most).is_some_and(|(least, most)| least > most) {
            self.wrong(value.at, 1, "`at_least` is more than `at_most`: no count is both.".into());
            return None;
        }
        Some(Need::Count { least, most })
    }

    /// `Some(None)` where there is none; `None` where it is wrong.
    fn number_of(&mut self, value: Option<&Located>) -> Option<Option<u64>> {
        match value {
            None => Some(None),
            Some(value) => self.number(value).map(Some),
        }
    }

    fn number(&mut self, value: &Located) -> Option<u64> {
        if let Plain::Int(number) = value.value
            && let Ok(number) = u64::try_from(number)
        {
            return Some(number);
        }
        let what = format!("A count is a whole number, 0 or more, and this is {}.", value_shown(&value.value));
        self.wrong(value.at, length(value), what);
        None
    }

    fn range(&mut self, value: &Located) -> Option<Need> {
        let [from, to] = self.ends("range", ["from", "to"], value, "a mapping: {from: 0, to: 150}")?;
        let (from, to) = (self.end(from)?, self.end(to)?);
        if from.as_ref().zip(to.as_ref()).is_some_and(|(from, to)| data::is_above(from, to) != Some(false)) {
            self.wrong(value.at, 1, "`from` is more than `to`, or cannot be compared with it: nothing lies between them.".into());
            return None;
        }
        Some(Need::Range { from, to })
    }

    fn end(&mut self, value: Option<&Located>) -> Option<Option<Value>> {
        let Some(value) = value else { return Some(None) };
        let end = match &value.value {
            Plain::Int(number) => Some((*number).into()),
            Plain::Whole(digits) => serde_json::from_str(digits).ok().map(Value::Number),
            Plain::Float(number) => Number::from_f64(*number).map(Value::Number),
            Plain::Text(text) if !text.contains("${") => Some(Value::String(text.clone())),
            _ => None,
        };
        if end.is_none() {
            let what = format!(
                "An end of a range is a number or a text like 2024-01-31, and this is {}. What was saved is compared under `expect`: \
                 `result.total is at least ${{user.id}}`.",
                value_shown(&value.value)
            );
            self.wrong(value.at, length(value), what);
        }
        end.map(Some)
    }

    /// Gives the two ends of a mapping that has one of them, or both.
    fn ends<'a>(&mut self, what: &str, names: [&str; 2], value: &'a Located, form: &str) -> Option<[Option<&'a Located>; 2]> {
        let Plain::Map(entries) = &value.value else {
            self.wrong(value.at, length(value), format!("`{what}` is {form}, and this is {}.", value_shown(&value.value)));
            return None;
        };
        let mut ends = [None, None];
        let mut good = !entries.is_empty();
        for (key, at, end) in entries {
            match names.iter().position(|name| name == key) {
                Some(place) if ends[place].is_none() => ends[place] = Some(end),
                Some(_) => {
                    self.wrong(*at, key.chars().count(), format!("`{key}` stands here twice."));
                    good = false;
                }
                None => {
                    let near = nearest(key, names).first().map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
                    let said = format!("`{what}` has `{}` and `{}`, and this is {}.{near}", names[0], names[1], kind_of_key(key));
                    self.wrong(*at, key.chars().count(), said);
                    good = false;
                }
            }
        }
        if entries.is_empty() {
            self.wrong(value.at, 1, format!("`{what}` is {form}, and this is empty."));
        }
        good.then_some(ends)
    }
}

fn kind_of_key(key: &str) -> String {
    value_shown(&Plain::Text(key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::yaml::Place;
    use crate::spec::validate::spec;

    fn with(rules: &str) -> String {
        format!(
            "test: {{name: t}}\nsteps:\n  - tool: t\n    save_as: user\n    rules:\n{rules}verdict: {{pass_if: all steps pass, fail_if: any step fails}}\n"
        )
    }

    fn said(rules: &str) -> Vec<String> {
        spec(&with(rules)).map_or_else(
            |wrong| wrong.all.into_iter().map(|one| format!("{}: {}", one.at.line, one.what)).collect(),
            |_| Vec::new(),
        )
    }

    #[test]
    fn every_kind_of_rule_is_read() {
        let text = with(
            "      - {of: result.users, count: 3}\n      - {of: 'result.users[*].id', unique: true, range: {from: 1}, order: descending}\n      \
             - {of: user, count: {at_most: 9}, required: [id, name], format: /x/}\n",
        );
        let rules = spec(&text).unwrap().steps[0].rules.clone();
        assert_eq!(
            rules[0],
            Rule {
                at: Place { line: 6, column: 9 },
                of: "result.users".into(),
                needs: vec![Need::Count { least: Some(3), most: Some(3) }]
            }
        );
        assert_eq!(
            rules[1].needs,
            [Need::Unique, Need::Range { from: Some(1.into()), to: None }, Need::Order { descending: true }]
        );
        let fields = vec!["id".to_owned(), "name".to_owned()];
        let needs = [Need::Count { least: None, most: Some(9) }, Need::Format("/x/".into()), Need::Required(fields)];
        assert_eq!(rules[2].needs, needs);
    }

    #[test]
    fn every_mistake_of_rules_is_named_with_its_line_in_one_round() {
        let all = "      - {of: result.users, cuont: 3}\n      - {of: result.users, count: -1}\n      - {of: result, unique: false}\n      \
                   - {of: 'result..x', unique: true}\n      - {of: usr.id, unique: true}\n      - {of: result}\n      \
                   - {of: result, format: e-mail}\n      - {of: result, format: /(/}\n      - {of: result, range: {form: 1}}\n      \
                   - {of: result, range: {from: 5, to: 1}}\n      - {of: result, range: {from: 1, to: x}}\n      - {of: result, range: 5}\n      \
                   - {of: result, order: up}\n      - {of: result, required: []}\n      - {unique: true}\n      - result.users are unique\n      \
                   - {of: result, count: {at_least: 3, at_most: 2}}\n      - {of: result, range: {from: '${user.id}'}}\n      - {of: result, count: {}}\n";
        let said = said(all);
        let lines: Vec<&str> = said.iter().filter_map(|one| one.split(':').next()).collect();
        let expected: Vec<String> = (6..=24).map(|line| line.to_string()).collect();
        assert_eq!(lines, expected, "{said:#?}");
        for (line, part) in [
            (6, "Did you mean `count`?"),
            (7, "0 or more, and this is -1"),
            (8, "Leave it out"),
            (10, "user"),
            (12, "There are: email"),
            (14, "Did you mean `from`?"),
            (21, "mapping"),
            (23, "under `expect`"),
        ] {
            assert!(said[line - 6].contains(part), "{}", said[line - 6]);
        }
    }

    #[test]
    fn the_hint_names_every_format() {
        let names: Vec<&str> = data::FORMATS.iter().map(|(name, _)| *name).collect();
        assert!(FORMAT_HINT.contains(&format!("There are: {};", names.join(", "))), "{names:?}");
    }
}
