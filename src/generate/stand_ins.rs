//! R17: calls that left their process are never made again. What they gave is given once more by a stand-in, a `Mock` of the
//! standard library, and the function above them is tested with it.
//!
//! Only functions of the project are replaced, each as a whole: what a library would have asked for, nobody knows. Whether the
//! test holds without the network is found out by running it where there is none.

use std::collections::BTreeSet;

use crate::domain::call::{Argument, Call, Outcome};
use crate::domain::function::{FunctionId, ParamKind};
use crate::domain::reason::{Place, ReasonCode};
use crate::domain::value::{TypeName, Value};
use crate::generate::build::{Builder, Stop, no};
use crate::generate::layout::{Expr, Item};
use crate::generate::project::StandIn;
use crate::generate::scope::snake;
use crate::generate::surroundings::Laid;
use crate::source::called::Form;

/// Longer answers are no test that anybody reads.
const ANSWERS_MAX: usize = 800;

/// Writes what stands in: the lines before the act, and what is asserted after it.
///
/// # Errors
/// Stops where an answer has no form.
pub(super) fn write(builder: &mut Builder<'_, '_>, stand_ins: &[StandIn]) -> Result<Laid, Stop> {
    let mut laid = Laid::default();
    for stand_in in stand_ins {
        let class = builder.spell(&mocking(if stand_in.is_async { "AsyncMock" } else { "Mock" }))?;
        let mut answers = Vec::new();
        for call in &stand_in.calls {
            answers.push(answer(builder, call, &stand_in.function)?);
        }
        let raised = |call: &Call| matches!(call.effect.outcome, Outcome::Raised { .. });
        let same = answers.windows(2).all(|pair| pair[0] == pair[1]);
        let given = match answers.first() {
            Some(first) if same && stand_in.calls.iter().any(raised) => Item::keyword("side_effect", first.clone()),
            Some(first) if same => Item::keyword("return_value", first.clone()),
            _ => Item::keyword("side_effect", Expr::list(answers)),
        };
        if given.value.flat().len() > ANSWERS_MAX {
            return no(ReasonCode::MockTooLong.of(&stand_in.function).with(given.value.flat().len()));
        }
        let name = builder.scope.local(&snake(stand_in.target.short()), &mut builder.work.taken);
        laid.stand_ins.push(Expr::call_with(&format!("{name} = {class}"), vec![given]));
        let patched = vec![Expr::Text(stand_in.target.dotted()), Expr::atom(name.clone())];
        laid.stand_ins.push(Expr::call("monkeypatch.setattr", patched));
        laid.after.push(asserted(builder, stand_in, &name)?);
        laid.fixtures.insert("monkeypatch");
    }
    Ok(laid)
}

/// What stand-ins take from the standard library.
pub(super) const NAMES: [&str; 3] = ["Mock", "AsyncMock", "call"];

/// Names one of [`NAMES`].
pub(super) fn mocking(name: &str) -> TypeName {
    TypeName::new("unittest.mock", name)
}

/// Writes what one call gave.
fn answer(builder: &mut Builder<'_, '_>, call: &Call, function: &FunctionId) -> Result<Expr, Stop> {
    let (Outcome::Returned(value) | Outcome::Raised { exception: value, .. }) = &call.effect.outcome else {
        return no(ReasonCode::StreamingMock.of(function));
    };
    builder.value(value, "answer").map_err(|stop| stop.at(Place::Response(function.to_string())))
}

/// Writes something that needs no lines of its own; gives nothing, and leaves nothing behind, where it does.
fn plainly<T>(
    builder: &mut Builder<'_, '_>,
    write: impl FnOnce(&mut Builder<'_, '_>) -> Result<T, Stop>,
) -> Result<Option<T>, Stop> {
    let before = builder.work.clone();
    match write(builder) {
        Ok(written) if builder.work.setup.len() == before.setup.len() => Ok(Some(written)),
        Err(Stop::Again(ordinal)) => Err(Stop::Again(ordinal)),
        Ok(_) | Err(Stop::No(_)) => {
            builder.work = before;
            Ok(None)
        }
    }
}

/// Writes how often it was asked, and with what where that can be said.
fn asserted(builder: &mut Builder<'_, '_>, stand_in: &StandIn, name: &str) -> Result<Expr, Stop> {
    let verb = if stand_in.is_async { "await" } else { "call" };
    let mut given = Vec::new();
    for call in &stand_in.calls {
        given.extend(arguments(builder, stand_in, call)?);
    }
    let count = stand_in.calls.len();
    Ok(match <[_; 1]>::try_from(given) {
        Ok([items]) if count == 1 => Expr::call_with(&format!("{name}.assert_{verb}ed_once_with"), items),
        Ok(_) => Expr::Atom(format!("assert {name}.{verb}_count == {count}")),
        Err(given) if given.len() == count => {
            let class = builder.spell(&mocking("call"))?;
            let items = given.into_iter().map(|items| Item::from(Expr::call_with(&class, items))).collect();
            Expr::Bracket { open: format!("assert {name}.{verb}_args_list == ["), items, close: ']', one_tuple: false }
        }
        Err(_) if count == 1 => Expr::Atom(format!("{name}.assert_{verb}ed_once()")),
        Err(_) => Expr::Atom(format!("assert {name}.{verb}_count == {count}")),
    })
}

/// Writes the arguments as the caller writes them.
fn arguments(builder: &mut Builder<'_, '_>, stand_in: &StandIn, call: &Call) -> Result<Option<Vec<Item>>, Stop> {
    let Some(form) = &stand_in.form else { return Ok(None) };
    let args = call.args.get(usize::from(stand_in.has_receiver)..).unwrap_or_default();
    let Some((by_place, by_name)) = as_written(form, args) else { return Ok(None) };
    let mut items = Vec::new();
    for (name, value) in by_place.into_iter().map(|value| (None, value)).chain(by_name.into_iter().map(|(n, v)| (Some(n), v))) {
        let Some(written) = plainly(builder, |builder| builder.value(value, "value"))? else { return Ok(None) };
        items.push(name.map_or_else(|| Item::from(written.clone()), |name| Item::keyword(name, written.clone())));
    }
    Ok(Some(items))
}

/// What a call is given by place, and by name.
type Given<'c> = (Vec<&'c Value>, Vec<(&'c str, &'c Value)>);

/// Puts arguments in the order in which a call is written; `None` where that is not known, or where one of them is an object,
/// which says nothing by itself.
fn as_written<'c>(form: &Form, args: &'c [Argument]) -> Option<Given<'c>> {
    let (mut places, mut names, mut rest) = (Vec::new(), Vec::new(), 0);
    for arg in args {
        match (arg.kind, &arg.value) {
            (ParamKind::PositionalOnly, value) => places.push(value),
            (ParamKind::PositionalOrKeyword, value) => {
                places.push(value);
                names.push((arg.name.as_str(), value));
            }
            (ParamKind::KeywordOnly, value) => names.push((arg.name.as_str(), value)),
            (ParamKind::VarPositional, Value::Tuple(items)) => {
                places.extend(items);
                rest = items.len();
            }
            (ParamKind::VarKeyword, Value::Dict(pairs)) => {
                names.extend(pairs.iter().filter_map(|(name, value)| match name {
                    Value::Str(name) => Some((name.as_str(), value)),
                    _ => None,
                }));
            }
            _ => return None,
        }
    }
    // Those beyond the parameters were all given.
    if rest > 0 && form.by_place != places.len() {
        return None;
    }
    let by_place = places.get(..form.by_place)?.to_vec();
    let by_name = form.by_name.iter().map(|name| names.iter().find(|(known, _)| known == name).copied());
    let by_name = by_name.collect::<Option<Vec<_>>>()?;
    let is_data = |value: &Value| {
        value.walk(&mut |part| part.ordinal().is_none() && !matches!(part, Value::Shared(..) | Value::Secret { .. }))
    };
    let all = by_place.iter().copied().chain(by_name.iter().map(|(_, value)| *value));
    all.into_iter().all(is_data).then_some((by_place, by_name))
}

/// Lists the functions that have a stand-in in a text of tests, as they are named there.
#[must_use]
pub fn named(text: &str) -> Vec<&str> {
    let is_mock = |name: &str| {
        let begins = |line: &str| {
            let made = line.trim_start().strip_prefix(name).and_then(|rest| rest.strip_prefix(" = "));
            let class = made.map(|made| made.trim_start_matches("unittest.mock."));
            class.is_some_and(|class| class.starts_with("Mock(") || class.starts_with("AsyncMock("))
        };
        text.lines().any(begins)
    };
    // A formatter may have broken the line.
    let replaced = text.split("monkeypatch.setattr(").skip(1).filter_map(|rest| {
        let (target, rest) = rest.trim_start().strip_prefix('"')?.split_once("\",")?;
        let name = rest.split([')', ',']).next()?.trim();
        is_mock(name).then_some(target)
    });
    let mut seen = BTreeSet::new();
    replaced.filter(|target| seen.insert(*target)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arg(name: &str, kind: ParamKind, value: Value) -> Argument {
        Argument::new(name, kind, value)
    }

    fn said(args: &[Argument], by_place: usize, by_name: &[&str]) -> Option<String> {
        let form = Form { by_place, by_name: by_name.iter().map(|name| (*name).to_owned()).collect() };
        let (places, names) = as_written(&form, args)?;
        let places = places.iter().map(|value| value.summary(20));
        let names = names.iter().map(|(name, value)| format!("{name}={}", value.summary(20)));
        Some(places.chain(names).collect::<Vec<_>>().join(", "))
    }

    /// R17: a stand-in is asked as its callers write it, and what they left to defaults is no argument.
    #[test]
    fn arguments_stand_as_they_are_written() {
        use ParamKind::{KeywordOnly, PositionalOrKeyword, VarKeyword, VarPositional};
        let args = [
            arg("path", PositionalOrKeyword, Value::Str("/users".into())),
            arg("timeout", PositionalOrKeyword, Value::Int(5)),
            arg("retries", KeywordOnly, Value::Int(2)),
        ];
        assert_eq!(said(&args, 1, &[]).as_deref(), Some("'/users'"));
        assert_eq!(said(&args, 1, &["retries"]).as_deref(), Some("'/users', retries=2"));
        assert_eq!(said(&args, 0, &[]).as_deref(), Some(""));
        assert_eq!(said(&args, 3, &[]), None, "there are not so many");
        assert_eq!(said(&args, 1, &["other"]), None);
        let many = [
            arg("command", VarPositional, Value::Tuple(vec![Value::Str("git".into()), Value::Str("diff".into())])),
            arg("options", VarKeyword, Value::Dict(vec![(Value::Str("cwd".into()), Value::None)])),
        ];
        assert_eq!(said(&many, 2, &["cwd"]).as_deref(), Some("'git', 'diff', cwd=None"));
        assert_eq!(said(&many, 1, &[]), None, "more were given than are written");
        let object =
            [arg("session", PositionalOrKeyword, Value::Opaque { ordinal: 1, ty: TypeName::new("requests", "Session") })];
        assert_eq!(said(&object, 1, &[]), None);
    }

    #[test]
    fn what_stands_in_is_found_in_the_text_of_a_test() {
        let text = "def test_convert(monkeypatch):\n    fetch = Mock(return_value=1)\n    monkeypatch.setattr(\"rates.fetch\", fetch)\n\
                    ask = AsyncMock(\n    )\n    monkeypatch.setattr(\n        \"rates.ask\", ask\n    )\n\
                    \n    monkeypatch.setattr(\"time.time\", lambda: 3.0)\n";
        assert_eq!(named(text), ["rates.fetch", "rates.ask"]);
    }
}
