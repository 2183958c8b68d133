//! R11: objects that something else made: a factory, a class method, a call whose result holds them.
//!
//! Three ways, the surest first: the recorded call that gave this very object; a recorded call that gave an equal one, or
//! one that would, were it given what the object holds; an object that holds this one and was made in one of these ways.
//! Whether the guess is right is found out by evaluating it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use crate::domain::call::{Argument, Call, Outcome};
use crate::domain::function::FunctionKind;
use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value};
use crate::generate::act::{self, Act};
use crate::generate::build::{Builder, Known, Seen, Stop, no};
use crate::generate::layout::{self, Expr};
use crate::generate::scope::{Import, is_identifier, snake};
use crate::generate::statement::Statement;

/// Objects are looked for this many steps away from what a test has a name for.
const STEPS_MAX: usize = 6;
/// A factory may need an object that another one made, and so on.
const DEPTH_MAX: usize = 3;
/// Calls that are tried for one object.
const TRIES_MAX: usize = 6;
/// Calls of which one may have given an object like the wanted one.
const MAKERS_MAX: usize = 40;
/// Calls that are tried for all objects of one test.
const EFFORTS_MAX: usize = 40;
/// Objects that get a way of their own when the one that holds them is made.
const HELD_MAX: usize = 200;

impl<'a> Builder<'a, '_> {
    /// Makes an object by what gave it; `None` when nothing that was recorded explains it.
    pub(super) fn made_elsewhere(&mut self, ordinal: u64, ty: &TypeName) -> Result<Option<Expr>, Stop> {
        if self.expecting.is_some() || self.depth >= DEPTH_MAX {
            return Ok(None);
        }
        self.depth += 1;
        let made = self.explain(ordinal, ty);
        self.depth -= 1;
        made
    }

    /// Catches an exception again from the recorded call that raised it; `None` when no such call can be written.
    pub(super) fn raised_before(&mut self, ordinal: u64, ty: &TypeName) -> Result<Option<Expr>, Stop> {
        if self.expecting.is_some() || self.depth >= DEPTH_MAX {
            return Ok(None);
        }
        let mut raisers = (self.project.makers)(self.call, ordinal);
        raisers.retain(|call| matches!(call.effect.outcome, Outcome::Raised { .. }));
        // What the same caller called, else the outermost of those that it went through.
        raisers.sort_by_key(|call| (call.caller != self.call.caller, call.start_ns, call.id));
        self.depth += 1;
        let mut caught = Ok(None);
        for raiser in raisers.into_iter().take(TRIES_MAX) {
            caught = self.attempt(|builder| builder.caught_from(ty, raiser));
            if !matches!(caught, Ok(None)) {
                break;
            }
        }
        self.depth -= 1;
        caught
    }

    fn caught_from(&mut self, ty: &TypeName, raiser: &'a Call) -> Result<Expr, Stop> {
        let call = self.made_by(raiser, &raiser.args)?;
        let class = self.spell(ty)?;
        self.work.imports.insert(Import::module("pytest"));
        let name = self.scope.local("raised", &mut self.work.taken);
        self.work.setup.push(Statement::raise(&name, &class, call));
        Ok(Expr::Atom(format!("{name}.value")))
    }

    fn explain(&mut self, ordinal: u64, ty: &TypeName) -> Result<Option<Expr>, Stop> {
        let known = self.known();
        if let Some(expr) = self.root(ordinal, ty, &known, false)? {
            return Ok(Some(expr));
        }
        // Something around it may be easier to come by.
        let likely = |(holder, ty): &(u64, TypeName)| {
            (self.project.makers)(self.call, *holder).into_iter().any(is_plain)
                || (self.project.makers_of)(ty).into_iter().take(MAKERS_MAX).any(is_plain)
        };
        let holders: Vec<(u64, TypeName)> = holders(ordinal, &known).into_iter().filter(likely).take(TRIES_MAX).collect();
        for (holder, holder_ty) in holders {
            if self.work.made(holder) && self.work.name_of(holder).is_none() {
                continue;
            }
            if self.root(holder, &holder_ty, &known, true)?.is_some()
                && let Some(name) = self.work.name_of(ordinal)
            {
                return Ok(Some(Expr::atom(name)));
            }
        }
        Ok(None)
    }

    /// Makes an object by a call that gave it, or that gives one like it; by calls on no other objects if `plain`.
    fn root(&mut self, ordinal: u64, ty: &TypeName, known: &Known<'a>, plain: bool) -> Result<Option<Expr>, Stop> {
        let mut makers = (self.project.makers)(self.call, ordinal);
        makers.retain(|call| !plain || is_plain(call));
        makers.sort_by_key(|call| (!call.is_from_outside(), call.start_ns, call.id));
        for maker in makers.into_iter().take(TRIES_MAX) {
            let Some(way) = given(maker).and_then(|value| way_to(value, &|part| part.ordinal() == Some(ordinal))) else {
                continue;
            };
            let made = self.try_maker(ordinal, ty, maker, &maker.args, &way, known)?;
            if made.is_some() {
                return Ok(made);
            }
        }
        let Some(wanted) = known.get(&ordinal).copied() else { return Ok(None) };
        let mut tried: Vec<(&Call, Vec<Argument>)> = Vec::new();
        let is_one = |part: &Value| matches!(part, Value::Object { ty: other, .. } if other == ty);
        for maker in (self.project.makers_of)(ty).into_iter().take(MAKERS_MAX).filter(|call| is_plain(call)) {
            let Some(value) = given(maker) else { continue };
            let Some(way) = way_to(value, &is_one) else { continue };
            let Some(found) = follow(value, &way) else { continue };
            let Some(args) = arguments_for(maker, found, wanted) else { continue };
            if tried.iter().any(|(other, known)| other.function == maker.function && *known == args) {
                continue;
            }
            if tried.len() == TRIES_MAX {
                break;
            }
            let made = self.try_maker(ordinal, ty, maker, &args, &way, known)?;
            if made.is_some() {
                return Ok(made);
            }
            tried.push((maker, args));
        }
        Ok(None)
    }

    /// Tries one call; so many are tried for one test and no more.
    fn try_maker(
        &mut self,
        ordinal: u64,
        ty: &TypeName,
        maker: &'a Call,
        args: &[Argument],
        way: &[Link],
        known: &Known<'a>,
    ) -> Result<Option<Expr>, Stop> {
        if self.efforts == EFFORTS_MAX {
            return Ok(None);
        }
        self.efforts += 1;
        self.attempt(|builder| builder.taken_from(ordinal, ty, maker, args, way, known))
    }

    /// Writes the call, the way to the object in what it gives, and what was done with the object afterwards.
    fn taken_from(
        &mut self,
        ordinal: u64,
        ty: &TypeName,
        maker: &'a Call,
        args: &[Argument],
        way: &[Link],
        known: &Known<'a>,
    ) -> Result<Expr, Stop> {
        let call = self.made_by(maker, args)?;
        let made = if way.is_empty() { call } else { call.then(Expr::Atom(spelled(way))) };
        let after = maker.start_ns.saturating_add(maker.duration_ns);
        let history: Vec<&'a Call> =
            (self.project.history)(self.call, ordinal).into_iter().filter(|call| call.start_ns >= after).collect();
        let name = self.life_of(ordinal, ty, made, &history)?;
        self.name_what_it_holds(ordinal, &name, known);
        Ok(Expr::Atom(name))
    }

    /// Writes a recorded call as an expression, with these arguments.
    pub(super) fn made_by(&mut self, maker: &Call, args: &[Argument]) -> Result<Expr, Stop> {
        let qualname = maker.function.qualname().split('#').next().unwrap_or_default();
        let own = TypeName::new(maker.function.module(), qualname);
        let Some(function) = self.project.function(&own) else { return no(ReasonCode::UnusableFactory.of(qualname)) };
        if function.is_async || function.is_generator || function.name().starts_with("__") {
            return no(ReasonCode::UnusableFactory.of(qualname));
        }
        let receiver = match function.kind {
            FunctionKind::Method | FunctionKind::Property => {
                let Some(first) = args.first() else { return no(ReasonCode::UnusableFactory.of(qualname)) };
                let hint = qualname.rsplit('.').nth(1).map(snake).unwrap_or_default();
                let built = self.value(&first.value, &hint)?;
                Some(match built {
                    Expr::Atom(text) if text.split('.').all(is_identifier) => text,
                    built => self.bind_new(&hint, built),
                })
            }
            _ => None,
        };
        let takes_class = function.kind == FunctionKind::ClassMethod && !args.is_empty();
        let rest = args.get(usize::from(receiver.is_some() || takes_class)..).unwrap_or_default();
        let mut items = Vec::new();
        for arg in rest {
            items.push((arg.kind, arg.given, self.argument(arg)?));
        }
        let items = act::assemble(&function.params, rest.iter().map(|arg| arg.name.as_str()), items);
        if let Some(receiver) = receiver {
            return match act::method(function, &receiver, items)? {
                Act::Value(expr) => Ok(expr),
                Act::Statement(_) | Act::Construct(_) => no(ReasonCode::UnusableFactory.of(qualname)),
            };
        }
        let callee = match (args.first().map(|arg| &arg.value), takes_class) {
            (Some(Value::Name(class)), true) => format!("{}.{}", self.spell(class)?, function.name()),
            _ => self.spell(&own)?,
        };
        Ok(Expr::call_with(&callee, items))
    }

    /// Lets the objects that hang on a made one be spelled by the way to them.
    fn name_what_it_holds(&mut self, ordinal: u64, name: &str, known: &Known<'a>) {
        let Some(root) = known.get(&ordinal).copied() else { return };
        let mut seen = BTreeSet::from([ordinal]);
        let mut pending = VecDeque::from([(root, name.to_owned(), 0)]);
        while let Some((value, path, steps)) = pending.pop_front() {
            for (link, part) in links(value) {
                let part = match part {
                    Value::Ref(held) => known.get(held).copied().unwrap_or(part),
                    part => part,
                };
                if let Some(held) = part.ordinal()
                    && !seen.insert(held)
                {
                    continue;
                }
                let path = format!("{path}{link}");
                if let Some(held) = part.ordinal()
                    && !matches!(self.work.seen.get(&held), Some(Seen::Bound(_) | Seen::Inline))
                {
                    self.work.seen.insert(held, Seen::Bound(path.clone()));
                }
                if steps < STEPS_MAX && seen.len() < HELD_MAX {
                    pending.push_back((part, path, steps + 1));
                }
            }
        }
    }

    /// Finds what the ordinals in the arguments of the call stand for.
    fn known(&mut self) -> Rc<Known<'a>> {
        if let Some(known) = &self.known {
            return Rc::clone(known);
        }
        let mut known = BTreeMap::new();
        for arg in &self.call.args {
            arg.value.walk(&mut |part| {
                if let Some(ordinal) = part.ordinal() {
                    known.entry(ordinal).or_insert(part);
                }
                true
            });
        }
        Rc::clone(self.known.insert(Rc::new(known)))
    }
}

/// Tells whether a call takes nothing that would have to be made first.
fn is_plain(call: &Call) -> bool {
    call.args.iter().all(|arg| {
        arg.value.walk(&mut |part| part.ordinal().is_none() && !matches!(part, Value::Cut { .. } | Value::Secret { .. }))
    })
}

/// Gives what a call returned, when it returned.
fn given(call: &Call) -> Option<&Value> {
    match &call.effect.outcome {
        Outcome::Returned(value) => Some(value),
        _ => None,
    }
}

/// One step of Python code from a value to a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Link {
    Item(usize),
    Key(String),
    Attribute(String),
}

impl std::fmt::Display for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Item(at) => write!(f, "[{at}]"),
            Self::Key(key) => write!(f, "[{}]", layout::string(key)),
            Self::Attribute(name) => write!(f, ".{name}"),
        }
    }
}

fn spelled(way: &[Link]) -> String {
    way.iter().map(ToString::to_string).collect()
}

/// Lists the parts of a value that code can reach, public attributes first.
fn links(value: &Value) -> Vec<(Link, &Value)> {
    let attributes = |fields: &'_ [(String, Value)]| -> Vec<usize> {
        let mut order: Vec<usize> = (0..fields.len()).filter(|at| is_identifier(&fields[*at].0)).collect();
        order.sort_by_key(|at| (fields[*at].0.starts_with('_'), *at));
        order.into_iter().filter(|at| !fields[*at].0.starts_with("__")).collect()
    };
    match value {
        Value::List(items) | Value::Tuple(items) => items.iter().enumerate().map(|(at, item)| (Link::Item(at), item)).collect(),
        Value::Dict(pairs) => pairs
            .iter()
            .filter_map(|(key, value)| match key {
                Value::Str(key) => Some((Link::Key(key.clone()), value)),
                _ => None,
            })
            .collect(),
        Value::Object { fields, .. } | Value::NamedTuple { fields, .. } => {
            attributes(fields).into_iter().map(|at| (Link::Attribute(fields[at].0.clone()), &fields[at].1)).collect()
        }
        Value::Sub { base, fields, .. } => {
            let mut all = links(base);
            all.extend(attributes(fields).into_iter().map(|at| (Link::Attribute(fields[at].0.clone()), &fields[at].1)));
            all
        }
        Value::Shared(_, value) => links(value),
        _ => Vec::new(),
    }
}

/// Finds the shortest way to a part.
fn way_to(value: &Value, is_it: &dyn Fn(&Value) -> bool) -> Option<Vec<Link>> {
    let mut pending = VecDeque::from([(value, Vec::new())]);
    let mut looked = 0;
    while let Some((value, way)) = pending.pop_front() {
        if is_it(value) {
            return Some(way);
        }
        looked += 1;
        if looked > 2_000 || way.len() >= STEPS_MAX {
            continue;
        }
        for (link, part) in links(value) {
            let mut further = way.clone();
            further.push(link);
            pending.push_back((part, further));
        }
    }
    None
}

fn follow<'v>(value: &'v Value, way: &[Link]) -> Option<&'v Value> {
    way.iter().try_fold(value, |value, wanted| links(value).into_iter().find(|(link, _)| link == wanted).map(|(_, part)| part))
}

/// Lists the objects that hold another one, the nearest first.
fn holders(ordinal: u64, known: &Known<'_>) -> Vec<(u64, TypeName)> {
    let mut held_by: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (holder, value) in known {
        for held in directly_held(value) {
            held_by.entry(held).or_default().push(*holder);
        }
    }
    let mut seen = BTreeSet::from([ordinal]);
    let mut found = Vec::new();
    let mut pending = VecDeque::from([(ordinal, 0)]);
    while let Some((at, steps)) = pending.pop_front() {
        if at != ordinal
            && let Some(Value::Object { ty, .. }) = known.get(&at)
        {
            found.push((at, ty.clone()));
        }
        if steps < STEPS_MAX {
            let next = held_by.get(&at).into_iter().flatten().copied();
            pending.extend(next.filter(|holder| seen.insert(*holder)).map(|holder| (holder, steps + 1)));
        }
    }
    found
}

fn directly_held(value: &Value) -> BTreeSet<u64> {
    let mut held = BTreeSet::new();
    let mut pending: Vec<&Value> = links(value).into_iter().map(|(_, part)| part).collect();
    while let Some(part) = pending.pop() {
        match (part.ordinal(), part) {
            (Some(inner), _) => {
                held.insert(inner);
            }
            (None, Value::Ref(inner)) => {
                held.insert(*inner);
            }
            (None, part) => pending.extend(links(part).into_iter().map(|(_, part)| part)),
        }
    }
    held
}

/// Gives the arguments with which a recorded call would give an object like the wanted one: its own, when what it gave is
/// the same; else with what the object holds where the one it gave held the argument itself.
fn arguments_for(maker: &Call, found: &Value, wanted: &Value) -> Option<Vec<Argument>> {
    if found.same_as(wanted) {
        return Some(maker.args.clone());
    }
    let (Value::Object { fields: had, .. }, Value::Object { fields: has, .. }) = (found, wanted) else { return None };
    let mut args = maker.args.clone();
    let mut replaced = false;
    for arg in &mut args {
        let is_telling = match &arg.value {
            Value::Str(text) => !text.is_empty(),
            Value::Int(number) => *number > 1,
            Value::Float(_) | Value::Bytes(_) | Value::New { .. } => true,
            _ => false,
        };
        if !is_telling {
            continue;
        }
        let kept = had.iter().find(|(_, value)| *value == arg.value).map(|(name, _)| name);
        let Some((_, value)) = kept.and_then(|kept| has.iter().find(|(name, _)| name == kept)) else { continue };
        if std::mem::discriminant(value) == std::mem::discriminant(&arg.value) {
            arg.value = value.clone();
            replaced = true;
        }
    }
    replaced.then_some(args)
}
