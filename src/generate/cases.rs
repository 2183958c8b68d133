//! One recorded call → one case of a test, or the reason why not. How a case ends is `cases/ending.rs`; which cases a draft
//! takes is `choose.rs`.

mod ending;
mod later;
mod unread;

use std::collections::{BTreeMap, BTreeSet};

pub use self::unread::{is_spared, unread};

use crate::domain::call::{Argument, Call, Outcome, touched};
use crate::domain::function::{Function, FunctionKind, ParamKind};
use crate::domain::reason::{Place, Reason, ReasonCode};
use crate::domain::touch::Touch;
use crate::domain::value::{TypeName, Value};
use crate::domain::way::Given;
use crate::generate::act::Target;
use crate::generate::alike::is_ambiguous;
use crate::generate::around::{self, Around};
use crate::generate::build::{self, Builder, Expecting, Stop, Way, no};
use crate::generate::case::{Case, CaseArgument, Ending, Wrap};
use crate::generate::choose::class;
use crate::generate::expect::identity;
use crate::generate::layout::Expr;
use crate::generate::project::{Lookup, Project};
use crate::generate::render::constants;
use crate::generate::scope::{Scope, snake};
use crate::generate::stand_ins;
use crate::generate::surroundings::Laid;

/// Lines before the act that anybody reads.
const SETUP_MAX: usize = 12;
/// Longer arguments are no test that anybody reads; a long result stands apart from it (R4).
const SOURCE_MAX: usize = 2_000;

/// A function that uses these gives a dict whose order matters.
const ORDERING: &[&str] = &["sorted", "reversed", "most_common", "move_to_end"];

/// What all calls of a function say about each of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// It returns something else than None, at times.
    pub none_is_an_answer: bool,
    /// Every number it returned equals a value of another type.
    pub strict: bool,
}

impl Known {
    /// Looks at a function and its calls.
    #[must_use]
    pub fn of(function: &Function, calls: &[&Call]) -> Self {
        let returned = || {
            calls.iter().filter_map(|call| match &call.effect.outcome {
                Outcome::Returned(value) => Some(value),
                _ => None,
            })
        };
        let annotated = function.returns.as_deref().is_some_and(|returns| returns != "None" && returns.contains("None"));
        let numbers = || returned().filter(|value| matches!(value, Value::Int(_) | Value::Float(_)));
        Self {
            none_is_an_answer: annotated || returned().any(|value| *value != Value::None),
            strict: numbers().all(is_ambiguous) && !function.name().starts_with("__"),
        }
    }
}

/// Turns a call into a case.
///
/// # Errors
/// Fails with the reason, for people, when no test can be made of it.
pub fn case<'a>(
    call: &'a Call,
    function: &Function,
    known: Known,
    project: Project<'a>,
    scope: &mut Scope,
    way: Way,
) -> Result<Case, Reason> {
    let bound = call.bound().map(|name| function.bound_to(name));
    let function = bound.as_ref().unwrap_or(function);
    refuse(call, function)?;
    let laid = match way {
        Way::Unread => Laid::of(&unread::without(call, &unread(function, project)), project, scope)?,
        _ => Laid::of(call, project, scope)?,
    };
    finish(call, function, known, project, scope, (way, &[]), laid)
}

/// Turns a call that a test makes itself into a case with what its fixtures gave. Nothing is evaluated for it: only pytest has
/// the fixtures, so that the proof alone decides.
///
/// # Errors
/// Fails with the reason, for people, when no test can be made of it.
pub fn case_within<'a>(
    call: &'a Call,
    function: &Function,
    known: Known,
    project: Project<'a>,
    scope: &mut Scope,
    around: &Around,
) -> Result<Case, Reason> {
    if function.kind == FunctionKind::Nested || function.id.qualname().contains("<locals>") {
        return Err(ReasonCode::NestedFunction.into());
    }
    if matches!(call.effect.outcome, Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_)) {
        return Err(ReasonCode::NoResult.into());
    }
    let mut laid = Laid::of(call, project, scope)?;
    if let Some(folder) = &around.folder {
        around::lay(folder, &mut laid)?;
    }
    if !around.fixtures.is_empty() {
        around::after_fixtures(&mut laid);
    }
    let own = std::mem::take(&mut laid.imports);
    let laid = Laid {
        params: around.fixtures.clone(),
        decorators: around.marks.clone(),
        is_async: around.is_async,
        steps: around.lines.clone(),
        of_classes: around.of_classes,
        beside: around.beside.clone(),
        within: around.within.clone(),
        inside: around.inside.clone(),
        imports: own.into_iter().chain(around.imports.iter().cloned()).collect(),
        ..laid
    };
    let ordinal = |param: &str| call.args.iter().find(|arg| arg.name == param)?.value.ordinal();
    let given: Vec<(u64, String)> =
        around.given.iter().filter_map(|(param, name)| Some((ordinal(param)?, name.clone()))).collect();
    let mut case = finish(call, function, known, project, scope, (Way::State, &given), laid)?;
    case.check = (String::new(), Value::Tuple(Vec::new()));
    if around.is_async {
        case.wrap = case.wrap.in_coroutine();
    }
    // What a fixture gave is no word for the name of a test.
    for arg in &mut case.args {
        if around.given.iter().any(|(param, _)| *param == arg.recorded.name) {
            arg.recorded.value = Value::None;
        }
    }
    for assertion in &mut case.assertions {
        around.by_rows(assertion);
    }
    let around = case.laid.steps.len() + case.laid.inside.len() - case.laid.of_classes;
    let lines = around + case.setup.iter().map(|statement| statement.lines(4).len()).sum::<usize>();
    if lines > SETUP_MAX {
        return Err(ReasonCode::SetupTooLong.with(lines));
    }
    Ok(case)
}

fn finish<'a>(
    call: &'a Call,
    function: &Function,
    known: Known,
    project: Project<'a>,
    scope: &mut Scope,
    (way, given): (Way, &[(u64, String)]),
    mut laid: Laid,
) -> Result<Case, Reason> {
    let assembled = build::together(call, project, scope, way, given, |builder| assemble(builder, call, function, known));
    let (mut case, work) = assembled?;
    laid.fixtures.extend(work.fixtures);
    case.imports.extend(work.imports);
    case.locals = work.taken;
    case.by_hand = work.by_hand;
    let values = case.args.iter().flat_map(|arg| &arg.items).map(|item| match &item.value {
        // What cannot be a keyword stands in a dict of its own.
        Expr::Bracket { items, .. } if item.prefix == "**" && items.len() == 1 => items[0].value.clone(),
        value => value.clone(),
    });
    let receiver = match &case.target {
        Target::Object(name) | Target::Unbound { receiver: name, .. } => Some(Expr::atom(name.clone())),
        Target::Free(_) | Target::Class(_) => None,
    };
    case.check.0 =
        laid.as_recorded(build::fold(&work.setup, &Expr::tuple(receiver.into_iter().chain(values).collect())), project.root);
    laid.stand_in(std::mem::take(&mut case.laid));
    case.imports.extend(laid.imports.iter().cloned());
    case.laid = laid;
    case.check.1 = project.without_caches(&case.check.1);
    case.setup = work.setup;
    let short = constants::without_long_texts(&case);
    let lines: usize = short.setup.iter().map(|statement| statement.lines(4).len()).sum();
    if lines > SETUP_MAX {
        return Err(ReasonCode::SetupTooLong.with(lines));
    }
    if case.weight_of_setup() > SOURCE_MAX || !constants::has_room(&case) {
        return Err(ReasonCode::TooLong.with(case.weight()));
    }
    Ok(case)
}

/// Calls that no test is made of, whatever their values are (R16). What a call was seen to repeat under another clock,
/// other chance and another environment is not among its touches any more.
fn refuse(call: &Call, function: &Function) -> Result<(), Reason> {
    if let Some(why) = touched(&call.touches) {
        return Err(why);
    }
    let unsteady = call.touches.iter().find_map(|touch| match touch {
        Touch::Clock(by) => Some(ReasonCode::DependsOnClock.with(by)),
        Touch::Random(by) => Some(ReasonCode::DependsOnRandom.with(by)),
        Touch::Environment(by) => Some(ReasonCode::DependsOnEnvironment.with(by)),
        _ => None,
    });
    if let Some(why) = unsteady {
        return Err(why);
    }
    if function.kind == FunctionKind::Nested || function.id.qualname().contains("<locals>") {
        return Err(ReasonCode::NestedFunction.into());
    }
    match call.effect.outcome {
        Outcome::Unfinished => Err(ReasonCode::Unfinished.into()),
        Outcome::TimedOut(_) | Outcome::Died(_) => Err(ReasonCode::NoResult.into()),
        _ => Ok(()),
    }
}

fn assemble<'a>(builder: &mut Builder<'a, '_>, call: &'a Call, function: &Function, known: Known) -> Result<Case, Stop> {
    builder.strict = known.strict;
    builder.ordered = ORDERING.iter().any(|name| function.uses.contains(*name));
    let project = builder.project;
    let is_other = |name: &str, after: &Value| {
        let before = call.args.iter().find(|arg| arg.name == name);
        before.is_none_or(|before| !project.is_the_same(&before.value, after))
    };
    let changed = call.effect.changed.iter().filter(|(name, after)| is_other(name, after));
    let changed: Vec<&str> = changed.map(|(name, _)| name.as_str()).collect();
    let returned = match &call.effect.outcome {
        Outcome::Returned(value) => identity(call, value).map(|arg| arg.name.as_str()),
        _ => None,
    };
    let (target, receiver) = target(builder, call, function)?;
    let mut checked = Vec::new();
    let mut locals: BTreeMap<&str, String> = BTreeMap::new();
    if let Some(receiver) = receiver {
        checked.push(receiver.value.clone());
        if let Target::Object(name) | Target::Unbound { receiver: name, .. } = &target {
            locals.insert(&receiver.name, name.clone());
        }
    }
    let skipped = usize::from(takes_receiver(function, call) || made_by_new(project, function, call).is_some());
    let unread = if builder.way == Way::Unread { unread(function, project) } else { BTreeSet::new() };
    let mut args = Vec::new();
    for arg in call.args.iter().skip(skipped) {
        if is_spared(call, arg, &unread) {
            checked.push(Value::None);
            let recorded = Argument { value: Value::None, ..arg.clone() };
            args.push(CaseArgument { recorded, items: vec![Expr::atom("None").into()] });
            continue;
        }
        let mut items = builder.argument(arg).map_err(|stop| stop.at(Place::Argument(arg.name.clone())))?;
        let watched = changed.contains(&arg.name.as_str()) || returned == Some(arg.name.as_str());
        if watched && let [item] = items.as_mut_slice() {
            let name = bound(builder, &arg.value, &item.value, &arg.name);
            item.value = Expr::atom(name.clone());
            locals.insert(&arg.name, name);
        } else if !arg.kind.is_variadic()
            && build::is_unnamed_callable(&arg.value)
            && is_kept(call, &arg.value)
            && let [item] = items.as_mut_slice()
        {
            item.value = builder.named_callable(&arg.value, item.value.clone(), &arg.name);
        }
        match (arg.kind, &arg.value) {
            _ if arg.given == Given::LeftOut => {}
            (ParamKind::VarPositional, Value::Tuple(values)) => checked.extend(values.iter().cloned()),
            (ParamKind::VarKeyword, Value::Dict(pairs)) => checked.extend(pairs.iter().map(|(_, value)| value.clone())),
            (_, value) => checked.push(value.clone()),
        }
        let recorded = Argument { value: project.without_caches(&arg.value), ..arg.clone() };
        args.push(CaseArgument { recorded, items });
    }
    let laid = stand_ins::write(builder, (builder.project.stand_ins)(call.id))?;
    // What the arguments are made of must not depend on what is asserted.
    let effect = &call.effect;
    let values = outcome_values(&effect.outcome).into_iter().chain(effect.changed.iter().map(|(_, value)| value));
    builder.expecting = Some(Expecting::new(values));
    let mut case = Case {
        call: call.id,
        times: call.times.max(1),
        settled: false,
        direct: call.is_from_outside(),
        caller: call.caller.clone().zip(call.caller_line),
        input: call.input,
        bound: call.bound(),
        laid,
        setup: Vec::new(),
        target,
        args,
        wrap: Wrap::Plain,
        ending: Ending::Returns,
        assertions: Vec::new(),
        printed: ending::printed(call, builder.project.root),
        warns: None,
        result: "result".into(),
        imports: BTreeSet::new(),
        locals: BTreeSet::new(),
        by_hand: 0,
        reached: (builder.project.reached)(call.id).cloned().unwrap_or_default(),
        shows: BTreeSet::new(),
        class: match call.bound() {
            // What one function makes may have little in common.
            Some(name) => format!("{} {}", name.qualname(), class(&effect.outcome)),
            None => class(&effect.outcome),
        },
        outcome: effect.outcome.clone(),
        seen: Vec::new(),
        ordered: builder.ordered,
        check: (String::new(), Value::Tuple(checked)),
    };
    ending::expect(builder, call, function, known.none_is_an_answer, &locals, &mut case)?;
    Ok(case)
}

/// Tells whether what a call gave or changed holds a value that it was given.
fn is_kept(call: &Call, given: &Value) -> bool {
    let changed = call.effect.changed.iter().map(|(_, after)| after);
    changed.chain(outcome_values(&call.effect.outcome)).any(|held| {
        let mut found = false;
        held.walk(&mut |part| {
            found |= part == given;
            !found
        });
        found
    })
}

/// Gives an argument a name, if it has none yet.
fn bound(builder: &mut Builder<'_, '_>, value: &Value, expr: &Expr, hint: &str) -> String {
    if let Expr::Atom(name) = expr
        && builder.work.taken.contains(name)
    {
        return name.clone();
    }
    let ordinal = if let Value::Shared(ordinal, _) = value { Some(*ordinal) } else { value.ordinal() };
    match ordinal {
        Some(ordinal) => builder.bind_object(ordinal, hint, expr.clone()),
        None => builder.bind_new(hint, expr.clone()),
    }
}

fn takes_receiver(function: &Function, call: &Call) -> bool {
    !call.args.is_empty() && matches!(function.kind, FunctionKind::Method | FunctionKind::ClassMethod | FunctionKind::Property)
}

/// Gives the class that a call of `__new__` makes an instance of, where to call the class does nothing else.
fn made_by_new<'c>(project: Project<'_>, function: &Function, call: &'c Call) -> Option<&'c TypeName> {
    let Value::Name(ty) = &call.args.first().filter(|_| function.name() == "__new__")?.value else { return None };
    (!matches!(project.method(ty, "__init__"), Lookup::Found(_))).then_some(ty)
}

/// Finds what the function is called on, and the recorded receiver where it has to be built.
fn target<'a>(
    builder: &mut Builder<'a, '_>,
    call: &'a Call,
    function: &Function,
) -> Result<(Target, Option<&'a Argument>), Stop> {
    let (module, qualname) = (function.id.module(), function.written());
    let own = TypeName::new(module, qualname);
    let class = qualname.rsplit_once('.').map(|(class, _)| TypeName::new(module, class));
    if let Some(ty) = made_by_new(builder.project, function, call) {
        return Ok((Target::Free(builder.spell(ty)?), None));
    }
    let (Some(receiver), Some(class)) = (call.args.first().filter(|_| takes_receiver(function, call)), class) else {
        return Ok((Target::Free(builder.spell(&own)?), None));
    };
    if function.kind == FunctionKind::ClassMethod {
        let of = match &receiver.value {
            Value::Name(ty) if overrides(builder, ty, function).is_none() => ty.clone(),
            _ => class,
        };
        let class = builder.spell(&of)?;
        return Ok((Target::Free(format!("{class}.{}", function.name())), None));
    }
    let ty = type_of(&receiver.value);
    let overridden = ty.and_then(|ty| overrides(builder, ty, function));
    if function.name() == "__init__" {
        let ty = ty.cloned().unwrap_or(class);
        if overridden.is_some() {
            return no(ReasonCode::Overridden.of(ty.short()));
        }
        return Ok((Target::Class(builder.spell(&ty)?), None));
    }
    let built = builder
        .value(&receiver.value, &snake(class.short()))
        .map_err(|stop| stop.at(Place::Receiver(class.short().to_owned())))?;
    let name = match (&receiver.value, &built) {
        (Value::Enum { .. } | Value::Name(_), Expr::Atom(text)) if !text.contains(' ') => text.clone(),
        _ => bound(builder, &receiver.value, &built, &snake(class.short())),
    };
    if overridden.is_some() {
        if function.kind == FunctionKind::Property {
            return no(ReasonCode::Overridden.of(ty.map_or("its class", |ty| ty.short())));
        }
        let class = builder.spell(&class)?;
        return Ok((Target::Unbound { method: format!("{class}.{}", function.name()), receiver: name }, Some(receiver)));
    }
    Ok((Target::Object(name), Some(receiver)))
}

/// Finds the method that an instance of this class runs in place of the function, if it does.
fn overrides<'a>(builder: &Builder<'a, '_>, ty: &TypeName, function: &Function) -> Option<&'a Function> {
    match builder.project.method(ty, function.name()) {
        Lookup::Found(found) if found.id != function.id && found.kind != FunctionKind::Property => Some(found),
        _ => None,
    }
}

fn type_of(value: &Value) -> Option<&TypeName> {
    match value {
        Value::Object { ty, .. }
        | Value::Sub { ty, .. }
        | Value::Enum { ty, .. }
        | Value::NamedTuple { ty, .. }
        | Value::Exception { ty, .. }
        | Value::Opaque { ty, .. } => Some(ty),
        _ => None,
    }
}

fn outcome_values(outcome: &Outcome) -> Vec<&Value> {
    match outcome {
        Outcome::Returned(value) => vec![value],
        Outcome::Raised { exception, .. } => vec![exception],
        Outcome::Yielded { items, .. } => items.iter().collect(),
        Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => Vec::new(),
    }
}
