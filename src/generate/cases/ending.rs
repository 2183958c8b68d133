//! How a case ends: what it returns, raises, yields, prints, warns and changes, as assertions (R7, R9, R14, R15).

use std::collections::BTreeMap;

use crate::domain::call::{Call, GeneratorEnd, Outcome};
use crate::domain::function::Function;
use crate::domain::observation::{OpenLeaf, Stream, Warned};
use crate::domain::reason::{Place, ReasonCode};
use crate::domain::value::Value;
use crate::generate::act::Target;
use crate::generate::build::{Builder, Stop, no};
use crate::generate::case::{Case, Ending, Wrap};
use crate::generate::cases::later;
use crate::generate::choose::class;
use crate::generate::closer::{self, Awaited};
use crate::generate::expect::changed;
use crate::generate::expect::{Assertion, RESULT, Relation, identity};
use crate::generate::layout::Expr;
use crate::generate::learned;
use crate::generate::raises::{Message, Raises, is_stable_text};
use crate::generate::scope::{Import, snake};
use crate::generate::surroundings;

/// Generators are recorded up to this many items.
const ITEMS_MAX: usize = 50;

/// R15: more lines of output are no assertion that anybody reads.
const PRINTED_MAX: usize = 10;

/// Fills in how the case ends.
pub(super) fn expect<'a>(
    builder: &mut Builder<'a, '_>,
    call: &'a Call,
    function: &Function,
    none_is_an_answer: bool,
    locals: &BTreeMap<&str, String>,
    case: &mut Case,
) -> Result<(), Stop> {
    let subject = RESULT.to_string();
    let writes = call.observed.folder.is_some();
    let manager = function.decorators.iter().any(|decorator| decorator.ends_with("contextmanager"));
    match &call.effect.outcome {
        outcome
            if !function.is_async
                && let Some(found) = closer::awaited(outcome) =>
        {
            awaited(builder, function, found, case)?
        }
        Outcome::Returned(value) if !function.is_async && is_coroutine(value) => return no(ReasonCode::NotComparable),
        Outcome::Returned(value) => {
            if function.is_async {
                case.wrap = Wrap::Await(builder.project.awaits);
                builder.work.imports.insert(Import::module("asyncio"));
            }
            match result(builder, call, value, none_is_an_answer, locals) {
                Ok(found) => {
                    if identity(call, value).is_none() && call.observed.open.is_empty() {
                        case.seen.push((subject.clone(), builder.project.without_caches(value)));
                    }
                    case.assertions.extend(found);
                    case.assertions.extend(open_leaves(call));
                }
                Err(Stop::Again(ordinal)) => return Err(Stop::Again(ordinal)),
                // What it gave when it was used, or what the call changed, may be worth a test all the same.
                Err(Stop::No(reason)) => {
                    case.assertions = later::of_result(builder, call, value, &case.result);
                    let shows =
                        !case.assertions.is_empty() || !call.effect.changed.is_empty() || !case.printed.is_empty() || writes;
                    if !shows {
                        return no(reason.at(Place::Result));
                    }
                }
            }
        }
        Outcome::Raised { exception, mro } => {
            if function.is_async {
                case.wrap = Wrap::Await(builder.project.awaits);
                builder.work.imports.insert(Import::module("asyncio"));
            }
            let raised = builder.raised(exception, mro, function)?;
            builder.work.imports.extend(raised.import.clone());
            builder.work.imports.insert(Import::module("pytest"));
            case.seen.push((subject.clone(), builder.without_what_is_said(exception)));
            case.ending = Ending::Raises(raised);
        }
        Outcome::Yielded { items, end } if manager => {
            let ([item], GeneratorEnd::Returned(_)) = (items.as_slice(), end) else {
                return no(ReasonCode::UnfinishedContext);
            };
            case.wrap = if function.is_async { Wrap::WithAsync(builder.project.awaits) } else { Wrap::With };
            if function.is_async {
                builder.work.imports.insert(Import::module("asyncio"));
            }
            case.seen.push((subject.clone(), builder.project.without_caches(item)));
            case.assertions.extend(builder.assertions(&subject, item)?);
        }
        Outcome::Yielded { items, end } => yielded(builder, function, items, end, case)?,
        Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => return no(ReasonCode::NoResult),
    }
    for (name, after) in &call.effect.changed {
        let Some(before) = call.args.iter().find(|arg| arg.name == *name) else { continue };
        if builder.project.is_the_same(&before.value, after) {
            continue;
        }
        let changed = builder.project.without_caches(&changed::part(&before.value, after));
        let found = match (&case.target, locals.get(name.as_str())) {
            // Where a constructor raises, nobody has the object that it began.
            (Target::Class(_), None) if matches!(case.ending, Ending::Raises(_)) => continue,
            (Target::Class(class), None) if call.args.first().is_some_and(|arg| arg.name == *name) => {
                case.result = name_of_made(builder, class);
                case.seen.push((subject.clone(), changed));
                builder.after(&subject, &before.value, after)?
            }
            (_, Some(local)) => {
                case.seen.push((local.clone(), changed));
                builder.after(local, &before.value, after)?
            }
            (_, None) => continue,
        };
        case.assertions.extend(found);
    }
    let mut seen = Vec::new();
    case.assertions.retain(|assertion| {
        let new = !seen.contains(assertion);
        seen.push(assertion.clone());
        new
    });
    if matches!(case.ending, Ending::Returns) && !case.wrap.is_statement() {
        case.warns = warns(builder, call);
    }
    let silent = case.printed.is_empty() && case.warns.is_none() && !writes;
    let mute = matches!(case.ending, Ending::Returns) && case.assertions.is_empty() && silent;
    // That it gives nothing says little of what it did.
    let bare = matches!(case.ending, Ending::Returns) && silent && case.assertions.iter().all(is_of_nothing);
    if bare && matches!(case.wrap, Wrap::Plain | Wrap::Await(_)) {
        let made = match &case.target {
            Target::Class(class) if case.result == "result" => Some(name_of_made(builder, class)),
            Target::Class(_) => Some(case.result.clone()),
            _ => None,
        };
        let found = later::answers(builder, call, locals, made.as_deref());
        case.assertions.extend(found);
        case.result = made.unwrap_or_else(|| case.result.clone());
    }
    if mute && case.assertions.is_empty() {
        // R9
        return no(match &call.effect.outcome {
            Outcome::Returned(Value::None) if call.effect.changed.is_empty() => ReasonCode::NoEffect,
            _ => ReasonCode::NotComparable,
        });
    }
    if case.assertions.iter().any(|assertion| assertion.relation == Relation::Nan) {
        builder.work.imports.insert(Import::module("math"));
    }
    Ok(())
}

fn is_of_nothing(assertion: &Assertion) -> bool {
    assertion.relation == Relation::Is && assertion.subject.chars().eq([RESULT]) && assertion.expected.flat() == "None"
}

/// Names what a constructor makes.
fn name_of_made(builder: &mut Builder<'_, '_>, class: &str) -> String {
    builder.scope.local(&snake(class.rsplit('.').next().unwrap_or(class)), &mut builder.work.taken)
}

fn result<'a>(
    builder: &mut Builder<'a, '_>,
    call: &'a Call,
    value: &'a Value,
    none_is_an_answer: bool,
    locals: &BTreeMap<&str, String>,
) -> Result<Vec<Assertion>, Stop> {
    if *value == Value::None && (!none_is_an_answer || call.function.qualname().ends_with(".__init__")) {
        return Ok(Vec::new());
    }
    if let Value::Name(ty) = value
        && ty.module == "builtins"
        && ty.qualname == "NotImplemented"
    {
        return no(ReasonCode::NotImplemented);
    }
    if call.function.qualname().ends_with(".__hash__") && learned::is_large(value) {
        return no(ReasonCode::HashValue);
    }
    if let Some(name) = identity(call, value).and_then(|arg| locals.get(arg.name.as_str())) {
        let subject = RESULT.to_string();
        return Ok(vec![Assertion {
            subject,
            relation: Relation::Is,
            expected: Expr::atom(name.clone()),
            asked: None,
            look: None,
        }]);
    }
    match builder.assertions(&RESULT.to_string(), value) {
        Err(Stop::No(reason)) => builder.said(call).ok_or(Stop::No(reason)),
        other => other,
    }
}

/// R18: of leaves that differ from run to run, the type is asserted.
fn open_leaves(call: &Call) -> impl Iterator<Item = Assertion> {
    call.observed.open.iter().map(|OpenLeaf { way, ty }| {
        let subject = format!("type({RESULT}{way})");
        Assertion { subject, relation: Relation::Is, expected: Expr::atom(ty), asked: None, look: None }
    })
}

/// Lists what the call was seen to print, when that is short and means the same elsewhere.
pub(super) fn printed(call: &Call, root: &str) -> Vec<(&'static str, Expr)> {
    let short =
        |text: &str| text.lines().count() <= PRINTED_MAX && !surroundings::is_private_path(text, root) && !text.contains("0x");
    let name = |stream: Stream| match stream {
        Stream::Output => "out",
        Stream::Error => "err",
    };
    let printed = call.observed.printed.iter().filter(|printed| short(&printed.text));
    printed.map(|printed| (name(printed.stream), Expr::Text(printed.text.clone()))).collect()
}

/// Gives what `pytest.warns` is given: the first warning whose category can be imported.
fn warns(builder: &mut Builder<'_, '_>, call: &Call) -> Option<Raises> {
    for Warned { category, message } in &call.observed.warned {
        let Ok(class) = builder.spell(category) else { continue };
        builder.work.imports.insert(Import::module("pytest"));
        let message = is_stable_text(message).then(|| Message::Part(message.to_owned()));
        return Some(Raises { class, import: None, message, carried: Vec::new(), is_own: false });
    }
    None
}

/// R7: a plain function that gives a coroutine or an asynchronous generator: what these give is what it does.
fn awaited(builder: &mut Builder<'_, '_>, function: &Function, found: Awaited<'_>, case: &mut Case) -> Result<(), Stop> {
    builder.work.imports.insert(Import::module("asyncio"));
    let awaits = builder.project.awaits;
    let subject = RESULT.to_string();
    let outcome = match found {
        Awaited::Raises(exception) => {
            let raised = builder.raised(exception, &[], function)?;
            builder.work.imports.extend(raised.import.clone());
            builder.work.imports.insert(Import::module("pytest"));
            case.wrap = Wrap::Await(awaits);
            case.seen.push((subject, exception.clone()));
            case.ending = Ending::Raises(raised);
            Outcome::Raised { exception: exception.clone(), mro: Vec::new() }
        }
        Awaited::Gives(value) => {
            case.wrap = Wrap::Await(awaits);
            case.seen.push((subject.clone(), builder.project.without_caches(value)));
            case.assertions.extend(builder.assertions(&subject, value)?);
            Outcome::Returned(value.clone())
        }
        Awaited::Yields(items) => {
            case.wrap = if items.len() < ITEMS_MAX { Wrap::CollectAsync(awaits) } else { Wrap::FirstAsync(awaits, items.len()) };
            let items = Value::List(items.to_vec());
            case.seen.push((subject.clone(), builder.project.without_caches(&items)));
            case.assertions.extend(builder.assertions(&subject, &items)?);
            Outcome::Returned(items)
        }
    };
    case.class = case.class.replace(&class(&case.outcome), &class(&outcome));
    case.outcome = outcome;
    Ok(())
}

fn is_coroutine(value: &Value) -> bool {
    value.type_name() == "coroutine"
}

/// R7: lazy results are consumed under a cap.
fn yielded(
    builder: &mut Builder<'_, '_>,
    function: &Function,
    items: &[Value],
    end: &GeneratorEnd,
    case: &mut Case,
) -> Result<(), Stop> {
    let read: Option<Vec<Value>> = items.iter().map(|item| closer::read(item).cloned()).collect();
    if let (Some(read), false, GeneratorEnd::Returned(_)) = (read, items.is_empty(), end) {
        case.wrap = Wrap::Each;
        case.seen.push((RESULT.to_string(), Value::List(read.clone())));
        case.assertions.extend(builder.assertions(&RESULT.to_string(), &Value::List(read))?);
        return Ok(());
    }
    if let (Some((subject, read)), GeneratorEnd::Returned(_), false) = (closer::read_within(items), end, function.is_async) {
        let subject = subject.replace("{}", &RESULT.to_string());
        case.assertions.extend(builder.assertions(&subject, &Value::List(read))?);
        return Ok(());
    }
    let whole = Value::List(items.to_vec());
    match end {
        GeneratorEnd::Returned(_) if function.is_async => {
            case.wrap = Wrap::CollectAsync(builder.project.awaits);
            builder.work.imports.insert(Import::module("asyncio"));
        }
        GeneratorEnd::Open if function.is_async && !items.is_empty() => {
            case.wrap = Wrap::FirstAsync(builder.project.awaits, items.len());
            builder.work.imports.insert(Import::module("asyncio"));
        }
        _ if function.is_async => return no(ReasonCode::UnconsumedIterator),
        GeneratorEnd::Returned(_) if items.len() < ITEMS_MAX => case.wrap = Wrap::Collect,
        GeneratorEnd::Returned(_) | GeneratorEnd::Open if items.is_empty() => return no(ReasonCode::UnconsumedIterator),
        GeneratorEnd::Returned(_) | GeneratorEnd::Open => {
            case.wrap = Wrap::First(items.len());
            builder.work.imports.insert(Import::module("itertools"));
        }
        GeneratorEnd::Raised(exception) => {
            let raised = builder.raised(exception, &[], function)?;
            builder.work.imports.extend(raised.import.clone());
            builder.work.imports.insert(Import::module("pytest"));
            if !items.is_empty() {
                builder.work.imports.insert(Import::module("itertools"));
            }
            case.ending = Ending::RaisesAfter(builder.expected(&whole)?, items.len(), raised);
            return Ok(());
        }
    }
    case.seen.push((RESULT.to_string(), builder.project.without_caches(&whole)));
    case.assertions.extend(builder.assertions(&RESULT.to_string(), &whole)?);
    Ok(())
}
