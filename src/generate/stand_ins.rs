//! R17: calls that left their process are never made again. What they gave is given once more by a stand-in, a `Mock` of the
//! standard library, and the function above them is tested with it.
//!
//! Only functions of the project are replaced, each as a whole: what a library would have asked for, nobody knows. Whether the
//! test holds without the network is found out by running it where there is none.

use std::collections::BTreeSet;

use crate::domain::call::{Argument, Call, Outcome};
use crate::domain::function::FunctionId;
use crate::domain::value::{TypeName, Value};
use crate::generate::build::{Builder, Stop, no};
use crate::generate::layout::{Expr, Item};
use crate::generate::scope::snake;
use crate::generate::surroundings::Laid;
use crate::source::called::Form;

/// Longer answers are no test that anybody reads.
const ANSWERS_MAX: usize = 800;

/// A function that left its process while a call was made, and what it gave.
#[derive(Debug, Clone, PartialEq)]
pub struct StandIn {
    /// The function.
    pub function: FunctionId,
    /// It is awaited.
    pub is_async: bool,
    /// Where its callers read it.
    pub target: TypeName,
    /// What it was given and what it gave, in order.
    pub calls: Vec<Call>,
    /// How its arguments are written where it is called; `None` where that is not the same each time.
    pub form: Option<Form>,
}

/// Writes what stands in: the lines before the act, and what is asserted after it.
///
/// # Errors
/// Stops where an answer has no form.
pub(super) fn write(builder: &mut Builder<'_, '_>, stand_ins: &[StandIn]) -> Result<Laid, Stop> {
    let mut laid = Laid::default();
    for stand_in in stand_ins {
        let class = mock(builder, if stand_in.is_async { "AsyncMock" } else { "Mock" })?;
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
            return no(format!("what {} gives is {} characters of code", stand_in.function, given.value.flat().len()));
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

fn mock(builder: &mut Builder<'_, '_>, name: &str) -> Result<String, Stop> {
    builder.spell(&TypeName::new("unittest.mock", name))
}

/// Writes what one call gave.
fn answer(builder: &mut Builder<'_, '_>, call: &Call, function: &FunctionId) -> Result<Expr, Stop> {
    let (Outcome::Returned(value) | Outcome::Raised { exception: value, .. }) = &call.effect.outcome else {
        return no(format!("{function}, which it calls, gives its answer bit by bit"));
    };
    builder.value(value, "answer").map_err(|stop| match stop {
        Stop::No(reason) => Stop::No(format!("what {function} gives, which it calls: {reason}")),
        again @ Stop::Again(_) => again,
    })
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
            let class = mock(builder, "call")?;
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
    let Some(args) = as_written(form, &call.args[usize::from(call.receiver.is_some()).min(call.args.len())..]) else {
        return Ok(None);
    };
    let mut items = Vec::new();
    for (arg, is_named) in args {
        let Some(written) = plainly(builder, |builder| builder.value(&arg.value, &arg.name))? else { return Ok(None) };
        items.push(if is_named { Item::keyword(&arg.name, written) } else { Item::from(written) });
    }
    Ok(Some(items))
}

/// Puts arguments in the order in which a call is written, each with whether it is named; `None` where that is not known, or
/// where one of them is an object, which says nothing by itself.
fn as_written<'c>(form: &Form, args: &'c [Argument]) -> Option<Vec<(&'c Argument, bool)>> {
    let by_place = args.get(..form.by_place)?.iter().map(|arg| (arg, false));
    let named: Option<Vec<_>> =
        form.by_name.iter().map(|name| Some((args.iter().find(|arg| arg.name == *name)?, true))).collect();
    let all: Vec<_> = by_place.chain(named?).collect();
    let is_data = |value: &Value| {
        value.walk(&mut |part| part.ordinal().is_none() && !matches!(part, Value::Shared(..) | Value::Secret { .. }))
    };
    all.iter().all(|(arg, _)| !arg.kind.is_variadic() && is_data(&arg.value)).then_some(all)
}

/// Lists the functions that have a stand-in in a text of tests, as they are named there.
#[must_use]
pub fn named(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_mock = |name: &str| {
        let begins = |mock: &str| lines.iter().any(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(mock)));
        begins(" = Mock(") || begins(" = AsyncMock(")
    };
    let replaced = lines.iter().filter_map(|line| {
        let (target, name) = line.strip_prefix("monkeypatch.setattr(\"")?.strip_suffix(')')?.split_once("\", ")?;
        is_mock(name).then_some(target)
    });
    let mut seen = BTreeSet::new();
    replaced.filter(|target| seen.insert(*target)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::domain::function::ParamKind;

    fn arg(name: &str, value: Value) -> Argument {
        Argument { name: name.into(), kind: ParamKind::PositionalOrKeyword, value }
    }

    /// R17: a stand-in is asked as its callers write it, and what they left to defaults is no argument.
    #[test]
    fn arguments_stand_as_they_are_written() {
        let args = [arg("path", Value::Str("/users".into())), arg("timeout", Value::Int(5)), arg("retries", Value::Int(2))];
        let said = |by_place: usize, by_name: &[&str]| {
            let form = Form { by_place, by_name: by_name.iter().map(|name| (*name).to_owned()).collect() };
            as_written(&form, &args).map(|all| all.iter().map(|(arg, named)| (arg.name.as_str(), *named)).collect::<Vec<_>>())
        };
        assert_eq!(said(1, &[]), Some(vec![("path", false)]));
        assert_eq!(said(1, &["retries"]), Some(vec![("path", false), ("retries", true)]));
        assert_eq!(said(0, &[]), Some(vec![]));
        assert_eq!(said(4, &[]), None, "there are not so many");
        assert_eq!(said(1, &["other"]), None);
        let object = [arg("session", Value::Opaque { ordinal: 1, ty: TypeName::new("requests", "Session") })];
        assert_eq!(as_written(&Form { by_place: 1, by_name: vec![] }, &object), None);
    }

    #[test]
    fn what_stands_in_is_found_in_the_text_of_a_test() {
        let text = "def test_convert(monkeypatch):\n    fetch = Mock(return_value=1)\n    monkeypatch.setattr(\"rates.fetch\", fetch)\n\
                    \n    monkeypatch.setattr(\"time.time\", lambda: 3.0)\n";
        assert_eq!(named(text), ["rates.fetch"]);
    }
}
