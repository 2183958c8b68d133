//! Results as plain data, where a person chose them so: `assert graph(result) == {…}`.
//!
//! Owns the form of such data, in step with `assets/tests/_graph.py`, which draws it when the test runs and is written
//! beside the tests that use it. What stands for itself there is written by `build.rs`; when a graph is asserted, and
//! what is asserted where there is none, is `expect.rs`'s affair.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::paths::RelPath;
use crate::domain::proposal::Helper;
use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value};
use crate::generate::build::{Builder, Stop, no};
use crate::generate::expect::{Assertion, Relation};
use crate::generate::layout::{Expr, Item};
use crate::generate::project::CAUSE;
use crate::generate::scope::Import;

/// The module that draws values, as tests import it.
pub const MODULE: &str = "_graph";
/// Its text.
pub const TEXT: &str = include_str!("../../assets/tests/_graph.py");

/// Longer data is not read by anybody; the plain assertions say the most important of it.
const LONGEST: usize = 4_000;

/// Modules of the standard library whose values stand for themselves; the helper has the same list.
const VALUES: &[&str] = &["datetime", "decimal", "fractions", "ipaddress", "logging", "pathlib", "re", "uuid", "zoneinfo"];

/// Tells whether an import is of the module beside the tests.
#[must_use]
pub fn is_beside(import: &Import) -> bool {
    match import {
        Import::Module { module, .. } | Import::From { module, .. } => module == MODULE,
    }
}

/// Gives the helper of a test file that imports it.
#[must_use]
pub fn helper(imports: &BTreeSet<Import>, target: &RelPath) -> Option<Helper> {
    let folder = target.as_str().strip_suffix(target.file_name())?;
    let path = RelPath::new(format!("{folder}{MODULE}.py"))?;
    imports.iter().any(is_beside).then(|| Helper { path, text: TEXT.to_owned() })
}

/// What is met again in a value, and the numbers given so far.
struct Drawing<'a> {
    /// What the ordinals of the outcome stand for.
    defined: BTreeMap<u64, &'a Value>,
    met: BTreeSet<u64>,
    again: BTreeSet<u64>,
    numbers: BTreeMap<u64, usize>,
}

impl Drawing<'_> {
    /// Finds what is met again.
    fn look(&mut self, value: &Value) {
        match value {
            Value::Ref(ordinal) if self.met.contains(ordinal) => {
                self.again.insert(*ordinal);
            }
            Value::Ref(ordinal) => match self.defined.get(ordinal).copied() {
                Some(found @ (Value::Object { .. } | Value::Sub { .. } | Value::Exception { .. })) => self.look(found),
                Some(found) => {
                    self.met.insert(*ordinal);
                    self.look(found);
                }
                None => {}
            },
            Value::Object { ordinal, .. }
            | Value::Sub { ordinal, .. }
            | Value::Exception { ordinal, .. }
            | Value::Shared(ordinal, _)
                if !self.met.insert(*ordinal) =>
            {
                self.again.insert(*ordinal);
            }
            Value::Enum { .. } => {}
            other => other.children().into_iter().for_each(|(_, part)| self.look(part)),
        }
    }

    /// Gives a number to what is met again, the first time it is drawn.
    fn number(&mut self, ordinal: u64) -> Option<Expr> {
        self.again.contains(&ordinal).then(|| {
            let next = self.numbers.len() + 1;
            Expr::Atom(self.numbers.entry(ordinal).or_insert(next).to_string())
        })
    }
}

impl<'a> Builder<'a, '_> {
    /// Asserts a value as plain data, if that says more than comparing it would; `None` when it does not.
    ///
    /// # Errors
    /// Fails when construction has to begin again.
    pub(super) fn graphed(&mut self, subject: &str, value: &Value) -> Result<Option<Vec<Assertion>>, Stop> {
        let Some(expecting) = &self.expecting else { return Ok(None) };
        let defined = expecting.defined.clone();
        let mut drawing = Drawing { defined, met: BTreeSet::new(), again: BTreeSet::new(), numbers: BTreeMap::new() };
        drawing.look(value);
        // An object that the test has a name for would be compared with itself.
        let compares = self.compares_by_content(self.expecting.as_ref().map_or(value, |expecting| expecting.resolve(value)));
        if drawing.met.is_empty() || (compares && self.attempt(|builder| builder.expected(value))?.is_some()) {
            return Ok(None);
        }
        let Some(drawn) = self.attempt(|builder| builder.draw(value, &mut drawing))? else { return Ok(None) };
        if drawn.flat().len() > LONGEST {
            return Ok(None);
        }
        let (graph, import) = self.scope.spell(&TypeName::new(MODULE, "graph"))?;
        self.work.imports.extend(import);
        let subject = format!("{graph}({subject})");
        Ok(Some(vec![Assertion { subject, relation: Relation::Equal, expected: drawn, asked: None, look: None }]))
    }

    fn draw(&mut self, value: &Value, drawing: &mut Drawing<'a>) -> Result<Expr, Stop> {
        if self.stands_for_itself(value) {
            return self.itself(value);
        }
        match value {
            Value::Ref(ordinal) => match (drawing.numbers.get(ordinal), drawing.defined.get(ordinal).copied()) {
                (Some(number), _) => Ok(Expr::dict(vec![(text("$ref"), Expr::Atom(number.to_string()))])),
                (None, Some(found @ (Value::Object { .. } | Value::Sub { .. } | Value::Exception { .. }))) => {
                    self.draw(found, drawing)
                }
                (None, Some(found)) => self.container(found, Some(*ordinal), drawing),
                (None, None) => no(ReasonCode::MissingObject),
            },
            Value::Shared(ordinal, held) => self.container(held, Some(*ordinal), drawing),
            Value::Object { ordinal, ty, fields, .. } => {
                let kept: Vec<_> =
                    fields.iter().filter(|(name, value)| !self.project.is_cache(ty, name, value)).cloned().collect();
                self.instance(ty, Some(*ordinal), None, &kept, drawing)
            }
            Value::Sub { ordinal, ty, base, fields } => self.instance(ty, Some(*ordinal), Some(base), fields, drawing),
            Value::Exception { ordinal, ty, args, fields } => {
                let fields: Vec<_> = fields.iter().filter(|(name, _)| name != CAUSE).cloned().collect();
                self.instance(ty, Some(*ordinal), Some(&Value::Tuple(args.clone())), &fields, drawing)
            }
            Value::NamedTuple { ty, fields } => self.instance(ty, None, None, fields, drawing),
            Value::New { ty, args, .. } => match (ty.module.as_str(), ty.qualname.as_str(), args.as_slice()) {
                ("collections", "OrderedDict" | "Counter", [held]) | ("collections", "defaultdict", [_, held]) => {
                    self.instance(ty, None, Some(held), &[], drawing)
                }
                ("collections", "deque", [held, ..]) => self.instance(ty, None, Some(held), &[], drawing),
                ("threading", "Lock", []) => self.instance(&TypeName::new("_thread", "lock"), None, None, &[], drawing),
                ("threading", "RLock", []) => self.instance(&TypeName::new("_thread", "RLock"), None, None, &[], drawing),
                _ => no(ReasonCode::NotComparable.of(ty.short())),
            },
            other => self.container(other, None, drawing),
        }
    }

    /// Tells whether a value is shown as it is; `_graph.py` decides the same of the live one.
    fn stands_for_itself(&self, value: &Value) -> bool {
        match value {
            Value::None
            | Value::Ellipsis
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Complex(..)
            | Value::Str(_)
            | Value::RawStr(_)
            | Value::Bytes(_)
            | Value::Enum { .. } => true,
            // A module's constant has a name, too, and is shown by what it holds.
            Value::Name(ty) => match (self.project.module)(&ty.module) {
                Some(_) => ty.qualname.is_empty() || self.project.class(ty).is_some() || self.project.function(ty).is_some(),
                None => ty.module != "unittest.mock" && ty.qualname != "NotImplemented",
            },
            Value::New { ty, .. } => match ty.module.as_str() {
                "builtins" => matches!(ty.qualname.as_str(), "range" | "bytearray"),
                module => VALUES.contains(&module.split('.').next().unwrap_or(module)),
            },
            _ => false,
        }
    }

    fn itself(&mut self, value: &Value) -> Result<Expr, Stop> {
        match value {
            Value::Float(number) => Ok(self.float(*number)),
            other => self.expected(other),
        }
    }

    /// Draws a list, tuple, set or dict.
    fn container(&mut self, value: &Value, ordinal: Option<u64>, drawing: &mut Drawing<'a>) -> Result<Expr, Stop> {
        let number = ordinal.and_then(|ordinal| drawing.number(ordinal));
        let drawn = self.held(value, drawing)?;
        let Some(number) = number else { return Ok(drawn) };
        let mut pairs = vec![(text("$id"), number)];
        if let (Value::Dict(_), Expr::Bracket { mut items, close, one_tuple, .. }) = (value, drawn.clone()) {
            items.insert(0, Item { prefix: "\"$id\": ".into(), value: pairs.remove(0).1 });
            return Ok(Expr::Bracket { open: "{".into(), items, close, one_tuple });
        }
        pairs.push((text("$value"), drawn));
        Ok(Expr::dict(pairs))
    }

    fn held(&mut self, value: &Value, drawing: &mut Drawing<'a>) -> Result<Expr, Stop> {
        match value {
            Value::List(items) => Ok(Expr::list(self.all(items, drawing)?)),
            Value::Tuple(items) => Ok(Expr::tuple(self.all(items, drawing)?)),
            Value::Set(items) | Value::FrozenSet(items) if items.iter().all(|item| self.stands_for_itself(item)) => {
                self.expected(value)
            }
            Value::Dict(pairs) if pairs.iter().all(|(key, _)| self.stands_for_itself(key)) => {
                let mut drawn = Vec::new();
                for (key, held) in pairs {
                    let key = match key {
                        Value::Str(name) => text(&escaped(name)),
                        other => self.itself(other)?,
                    };
                    drawn.push((key, self.draw(held, drawing)?));
                }
                Ok(Expr::dict(drawn))
            }
            Value::Dict(pairs) => {
                let mut drawn = Vec::new();
                for (key, held) in pairs {
                    drawn.push(Expr::list(vec![self.draw(key, drawing)?, self.draw(held, drawing)?]));
                }
                Ok(Expr::dict(vec![(text("$map"), Expr::list(drawn))]))
            }
            other if self.stands_for_itself(other) => self.itself(other),
            other => no(ReasonCode::NotComparable.of(other.type_name())),
        }
    }

    fn all(&mut self, items: &[Value], drawing: &mut Drawing<'a>) -> Result<Vec<Expr>, Stop> {
        items.iter().map(|item| self.draw(item, drawing)).collect()
    }

    /// Draws an object: its class, what it holds as a builtin, its attributes.
    fn instance(
        &mut self,
        ty: &TypeName,
        ordinal: Option<u64>,
        held: Option<&Value>,
        fields: &[(String, Value)],
        drawing: &mut Drawing<'a>,
    ) -> Result<Expr, Stop> {
        if let Some(number) = ordinal.and_then(|ordinal| drawing.numbers.get(&ordinal)) {
            return Ok(Expr::dict(vec![(text("$ref"), Expr::Atom(number.to_string()))]));
        }
        let mut pairs = vec![(text("$type"), Expr::Text(format!("{}.{}", ty.module, ty.qualname)))];
        pairs.extend(ordinal.and_then(|ordinal| drawing.number(ordinal)).map(|number| (text("$id"), number)));
        if let Some(held) = held {
            pairs.push((text("$value"), self.held(held, drawing)?));
        }
        for (name, part) in fields {
            pairs.push((text(&escaped(name)), self.draw(part, drawing)?));
        }
        Ok(Expr::dict(pairs))
    }
}

/// A text that begins like the words of the form gets another sign.
fn escaped(key: &str) -> String {
    if key.starts_with('$') { format!("${key}") } else { key.to_owned() }
}

fn text(text: &str) -> Expr {
    Expr::Text(text.to_owned())
}
