//! A journey as text: calls numbered and indented, what they returned or raised, values as Python writes them.
//!
//! Told so that two runs of one test read the same: objects are numbered by class as they appear, sets have an order, and
//! what differs from run to run (addresses, times, random names, folders) is numbered by its first appearance. Equal things
//! stay equal. What runs beside the test itself, in threads and tasks, is told after it, each by itself.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::base::text;
use crate::domain::call::Argument;
use crate::domain::callee::Callee;
use crate::domain::function::FunctionId;
use crate::domain::journey::{Heading, JourneyEvent, JourneyLine, LineKind, Phase, What};
use crate::domain::value::Value;

/// Characters of a value.
const VALUE: usize = 300;
/// Steps to the right at most.
const DEPTH_MAX: u32 = 40;

/// What differs from run to run, and what stands for it.
static VARIES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let patterns = [
        (r"\b0x[0-9a-fA-F]{6,}\b", "address"),
        (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "id"),
        (r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?", "time"),
        (r"/(?:tmp|var/folders)/[^\s'\x22,:;)\]}]+", "tmp"),
        (r"\b[0-9a-f]{16,}\b", "id"),
    ];
    patterns.into_iter().filter_map(|(pattern, kind)| Some((Regex::new(pattern).ok()?, kind))).collect()
});

/// Tells a journey, a line for each call that began or ended.
#[must_use]
pub fn tell(events: &[JourneyEvent]) -> Vec<String> {
    lines(events).iter().map(JourneyLine::text).collect()
}

/// Tells a journey, each line with the event it tells.
#[must_use]
pub fn lines(events: &[JourneyEvent]) -> Vec<JourneyLine> {
    let mut teller = Teller::default();
    let mut out = Vec::new();
    for phase in [Phase::Setup, Phase::Call, Phase::Teardown] {
        let of_phase: Vec<&JourneyEvent> = events.iter().filter(|event| event.phase == phase).collect();
        let heading = match phase {
            Phase::Setup => Some(Heading::Setup),
            Phase::Call => None,
            Phase::Teardown => Some(Heading::Teardown),
        };
        out.extend(heading.filter(|_| !of_phase.is_empty()).map(JourneyLine::heading));
        for (at, strand) in strands(&of_phase).into_iter().enumerate() {
            if at > 0 {
                out.push(JourneyLine::heading(Heading::Beside));
            }
            out.extend(strand.into_iter().filter_map(|event| teller.line(event)));
        }
        if phase == Phase::Setup && !out.is_empty() {
            out.push(JourneyLine::heading(Heading::Test));
        }
    }
    out
}

/// Lists the functions that are called, each once, in the order of their first calls.
#[must_use]
pub fn called(events: &[JourneyEvent]) -> Vec<&FunctionId> {
    let mut out: Vec<&FunctionId> = Vec::new();
    for event in events {
        if let What::Call { function, .. } = &event.what
            && let Some(function) = function.function()
            && !out.contains(&function)
        {
            out.push(function);
        }
    }
    out
}

/// Counts how many activations of a function reached each line; of activations told in brief, the first that did.
#[must_use]
pub fn reached(events: &[JourneyEvent], of: &FunctionId) -> BTreeMap<u32, usize> {
    let mut out = BTreeMap::new();
    for event in events {
        if let What::Call { function, reached, .. } = &event.what
            && function.function() == Some(of)
        {
            reached.iter().for_each(|line| *out.entry(*line).or_default() += 1);
        }
    }
    out
}

/// Cuts events into what runs in order within itself. The one that began first stays first; the others, which may begin in
/// any order, are sorted by what they tell.
fn strands<'a>(events: &[&'a JourneyEvent]) -> Vec<Vec<&'a JourneyEvent>> {
    let mut tasks = HashMap::new();
    let mut keys: Vec<(i64, u32, u32)> = Vec::new();
    let mut strands: Vec<Vec<&JourneyEvent>> = Vec::new();
    for event in events {
        if let What::Call { task, .. } = &event.what {
            tasks.insert(event.call, *task);
        }
        let key = (event.process, event.thread, tasks.get(&event.call).copied().unwrap_or(0));
        let at = keys.iter().position(|own| *own == key).unwrap_or_else(|| {
            keys.push(key);
            strands.push(Vec::new());
            strands.len() - 1
        });
        strands[at].push(event);
    }
    let mut strands = strands.into_iter();
    let first = strands.next();
    let mut others: Vec<_> = strands.collect();
    others.sort_by_cached_key(|strand| {
        let mut alone = Teller::default();
        strand.iter().filter_map(|event| alone.line(event)).map(|line| line.text()).collect::<Vec<_>>()
    });
    first.into_iter().chain(others).collect()
}

/// What was numbered so far.
#[derive(Default)]
pub(super) struct Teller {
    calls: usize,
    /// The objects by the recording's number: class, and the number among its own.
    objects: HashMap<u64, (String, usize)>,
    /// How many of a class or kind there are.
    counts: HashMap<String, usize>,
    /// Texts that differ from run to run, and what stands for them.
    varying: HashMap<String, String>,
    /// The functions of the calls told so far.
    names: HashMap<u32, String>,
}

impl Teller {
    fn line(&mut self, event: &JourneyEvent) -> Option<JourneyLine> {
        let (kind, name, detail) = match &event.what {
            What::Call { function, args, receiver, .. } => {
                self.calls += 1;
                let name = self.name(function, receiver.and(args.first()));
                self.names.insert(event.call.0, name.clone());
                let skip = usize::from(receiver.is_some());
                let args: Vec<(Value, Value)> =
                    args.iter().skip(skip).map(|arg| (Value::Str(arg.name.clone()), self.same(&arg.value))).collect();
                (LineKind::Called(self.calls), name, format!("({})", Value::Dict(args).summary(VALUE)))
            }
            What::Return { value, .. } => (LineKind::Returned, self.known(event), self.same(value).summary(VALUE)),
            What::Raise { exception, .. } => (LineKind::Raised, self.known(event), self.same(exception).summary(VALUE)),
            What::Yield { value } => (LineKind::Yielded, self.known(event), self.same(value).summary(VALUE)),
            What::Throw { closed: true } => (LineKind::Closed, self.known(event), String::new()),
            What::Resume | What::Throw { .. } | What::Touch { .. } => return None,
        };
        let (function, at, reached) = match &event.what {
            What::Call { function, caller_line, reached, .. } => (function.function().cloned(), *caller_line, reached.clone()),
            What::Raise { raised_at, .. } => (None, *raised_at, Vec::new()),
            _ => (None, None, Vec::new()),
        };
        let (name, detail) = (self.fit(&name), self.fit(&detail));
        let depth = event.depth.min(DEPTH_MAX);
        Some(JourneyLine { kind, line: Some(event.line), call: Some(event.call), depth, name, detail, function, at, reached })
    }

    /// Makes a text the same in every run, and fit to be shown.
    fn fit(&mut self, text: &str) -> String {
        text::display_line(&self.steady(&marked(text))).into_owned()
    }

    /// Writes a value so that two runs write the same, in about so many bytes; secrets are told by their kind and number.
    pub(super) fn value(&mut self, value: &Value, limit: usize) -> String {
        let text = marked(&self.same(value).summary(limit));
        self.steady(&text)
    }

    /// Names an object by its class and its number among those of the class: `Cart#2`.
    pub(super) fn named(&mut self, value: &Value) -> Option<String> {
        self.object(value).map(|(class, number)| format!("{class}#{number}"))
    }

    fn known(&self, event: &JourneyEvent) -> String {
        self.names.get(&event.call.0).cloned().unwrap_or_else(|| "?".to_owned())
    }

    /// A method of a class's second object says so.
    fn name(&mut self, function: &Callee, receiver: Option<&Argument>) -> String {
        let name = function.qualname().to_owned();
        let Some(number) = receiver.and_then(|receiver| self.object(&receiver.value)).map(|(_, number)| number) else {
            return name;
        };
        match name.rsplit_once('.') {
            Some((class, method)) if number > 1 => format!("{class}#{number}.{method}"),
            _ => name,
        }
    }

    /// Gives the class of an object and its number among those of the class.
    fn object(&mut self, value: &Value) -> Option<(String, usize)> {
        let (ordinal, class) = match value {
            Value::Object { ordinal, ty, .. }
            | Value::Sub { ordinal, ty, .. }
            | Value::Exception { ordinal, ty, .. }
            | Value::Opaque { ordinal, ty } => (*ordinal, ty.short().to_owned()),
            Value::Ref(ordinal) => return self.objects.get(ordinal).cloned(),
            _ => return None,
        };
        if let Some(known) = self.objects.get(&ordinal) {
            return Some(known.clone());
        }
        let count = self.counts.entry(class.clone()).or_default();
        *count += 1;
        let made = (class, *count);
        self.objects.insert(ordinal, made.clone());
        Some(made)
    }

    /// Gives a value in which objects have their numbers by class, and sets an order.
    fn same(&mut self, value: &Value) -> Value {
        let known = self.object(value);
        let mut each = |values: &[Value]| values.iter().map(|value| self.same(value)).collect::<Vec<_>>();
        match value {
            Value::List(items) => Value::List(each(items)),
            Value::Tuple(items) => Value::Tuple(each(items)),
            Value::Set(items) => Value::Set(ordered(each(items))),
            Value::FrozenSet(items) => Value::FrozenSet(ordered(each(items))),
            Value::Dict(pairs) => Value::Dict(pairs.iter().map(|(key, value)| (self.same(key), self.same(value))).collect()),
            Value::Object { ty, kind, fields, .. } => {
                let (_, ordinal) = known.unwrap_or_default();
                Value::Object { ordinal: ordinal as u64, ty: ty.clone(), kind: *kind, fields: self.fields(fields) }
            }
            Value::Sub { ty, base, .. } => {
                Value::Sub { ordinal: 0, ty: ty.clone(), base: Box::new(self.same(base)), fields: Vec::new() }
            }
            Value::Ref(_) => known.map_or(Value::Ellipsis, |(class, ordinal)| named(class, ordinal)),
            Value::Opaque { ty, .. } => named(ty.short().to_owned(), known.map_or(0, |(_, ordinal)| ordinal)),
            Value::Shared(_, inner) => self.same(inner),
            Value::NamedTuple { ty, fields } => Value::NamedTuple { ty: ty.clone(), fields: self.fields(fields) },
            Value::New { ty, args, kwargs } => {
                let args = each(args);
                Value::New { ty: ty.clone(), args, kwargs: self.fields(kwargs) }
            }
            Value::Exception { ordinal, ty, args, .. } => {
                Value::Exception { ordinal: *ordinal, ty: ty.clone(), args: each(args), fields: Vec::new() }
            }
            Value::Method { receiver, name } => Value::Method { receiver: Box::new(self.same(receiver)), name: name.clone() },
            other => other.clone(),
        }
    }

    fn fields(&mut self, fields: &[(String, Value)]) -> Vec<(String, Value)> {
        fields.iter().map(|(name, value)| (name.clone(), self.same(value))).collect()
    }

    /// Puts a number in the place of what differs from run to run.
    fn steady(&mut self, line: &str) -> String {
        let mut line = line.to_owned();
        for (pattern, kind) in VARIES.iter() {
            let (varying, counts) = (&mut self.varying, &mut self.counts);
            let replaced = pattern.replace_all(&line, |found: &Captures<'_>| {
                if found[0].bytes().all(|byte| byte.is_ascii_digit()) {
                    return found[0].to_owned(); // a number
                }
                let number = |counts: &mut HashMap<String, usize>| {
                    let count = counts.entry(format!("<{kind}>")).or_default();
                    *count += 1;
                    format!("<{kind}#{count}>")
                };
                varying.entry(found[0].to_owned()).or_insert_with(|| number(counts)).clone()
            });
            line = replaced.into_owned();
        }
        line
    }
}

/// Writes a value as it is, in about so many bytes; secrets are told by their kind and number.
pub(super) fn as_it_is(value: &Value, limit: usize) -> String {
    marked(&value.summary(limit))
}

/// Writes placeholders of secrets as everywhere: `[REDACTED:password#1]`.
fn marked(text: &str) -> String {
    text.replace("‹secret:", "[REDACTED:").replace('›', "]")
}

fn named(class: String, ordinal: usize) -> Value {
    Value::Opaque { ordinal: ordinal as u64, ty: crate::domain::value::TypeName::new("", class) }
}

fn ordered(mut items: Vec<Value>) -> Vec<Value> {
    items.sort_by_cached_key(|item| item.summary(VALUE));
    items
}
