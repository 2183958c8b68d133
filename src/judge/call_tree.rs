//! A journey as calls: each with its place in the tree, its beginning and end by lines, and how it ended.

use std::collections::HashMap;
use std::ops::Range;

use crate::domain::callee::Callee;
use crate::domain::journey::{JourneyEvent, LineId, Phase, What};
use crate::domain::value::Value;

/// Exceptions by which Python itself ends a generator or a task; they count as raised only where they are named.
const ENDINGS: [&str; 4] = ["GeneratorExit", "StopIteration", "StopAsyncIteration", "CancelledError"];

/// One activation of a function.
#[derive(Debug, Clone)]
pub(super) struct Act<'a> {
    pub function: &'a Callee,
    /// The call around it, by its index.
    pub parent: Option<usize>,
    pub process: i64,
    /// What runs in order within itself: a thread, and a task in it.
    pub strand: (i64, u32, u32),
    pub receiver: Option<u64>,
    pub args: Vec<(&'a str, &'a Value)>,
    pub phase: Phase,
    /// A thread, a task or a process begins with it, and nobody knows which call started that.
    pub adrift: bool,
    pub start: LineId,
    /// None while it goes on at the journey's end, or is suspended there.
    pub end: Option<LineId>,
    pub ended: Ended<'a>,
    /// Parameters whose content was another one at the end.
    pub changed: Vec<&'a str>,
    /// Nobody looked at what changed.
    pub brief: bool,
}

/// How an activation ended.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ended<'a> {
    Returned(&'a Value),
    Raised {
        exception: &'a Value,
        mro: &'a [String],
    },
    /// A generator that was closed.
    Closed,
    /// It did not.
    Open,
}

/// The fields of an object: each as it was at the lines where it was told.
type FieldValues<'a> = HashMap<&'a str, Vec<(LineId, &'a Value)>>;

/// All calls of a journey, in the order of their beginnings.
#[derive(Debug, Default)]
pub(super) struct CallTree<'a> {
    pub acts: Vec<Act<'a>>,
    /// The places of each call and all below it, in the order of the tree.
    places: Vec<Range<usize>>,
    /// The calls in that order.
    in_tree: Vec<usize>,
    /// What was told of each object's fields, by process and number, each time with the line.
    fields: HashMap<(i64, u64), FieldValues<'a>>,
}

impl<'a> CallTree<'a> {
    /// Reads a journey.
    pub(super) fn new(events: &'a [JourneyEvent]) -> Self {
        let mut tree = Self::default();
        let mut places: HashMap<LineId, usize> = HashMap::new();
        for event in events {
            if let What::Call { function, args, receiver, parent, caller_line, task, brief, .. } = &event.what {
                places.insert(event.line, tree.acts.len());
                let parent = parent.and_then(|line| places.get(&line).copied());
                let strand = (event.process, event.thread, *task);
                let of_main = tree.acts.first().is_none_or(|first| first.process == event.process);
                let beside = caller_line.is_none() && (*task, event.thread) != (0, 0);
                let adrift = parent.is_none() && (beside || !of_main);
                tree.acts.push(Act {
                    function,
                    parent,
                    process: event.process,
                    strand,
                    receiver: *receiver,
                    args: args.iter().map(|arg| (arg.name.as_str(), &arg.value)).collect(),
                    phase: event.phase,
                    adrift,
                    start: event.line,
                    end: None,
                    ended: Ended::Open,
                    changed: Vec::new(),
                    brief: *brief,
                });
                args.iter().for_each(|arg| tree.learn(event, &arg.value));
                continue;
            }
            let Some(place) = places.get(&event.call).copied() else { continue };
            match &event.what {
                What::Return { value, changed } => {
                    tree.learn(event, value);
                    tree.finish(place, event, Ended::Returned(value), changed);
                }
                What::Raise { exception, mro, changed, .. } => {
                    tree.finish(place, event, Ended::Raised { exception, mro }, changed);
                }
                What::Throw { closed: true } => tree.finish(place, event, Ended::Closed, &[]),
                _ => {}
            }
        }
        tree.arrange();
        tree
    }

    /// Finds each call's place in the tree: what is around a call began before it.
    fn arrange(&mut self) {
        let mut sizes = vec![1; self.acts.len()];
        for at in (0..self.acts.len()).rev() {
            if let Some(parent) = self.acts[at].parent {
                sizes[parent] += sizes[at];
            }
        }
        let (mut free, mut root) = (vec![0; self.acts.len()], 0);
        self.in_tree = vec![0; self.acts.len()];
        for (at, act) in self.acts.iter().enumerate() {
            let next = act.parent.map_or(&mut root, |parent| &mut free[parent]);
            let place = *next;
            *next += sizes[at];
            free[at] = place + 1;
            self.places.push(place..place + sizes[at]);
            self.in_tree[place] = at;
        }
    }

    fn finish(&mut self, place: usize, event: &'a JourneyEvent, ended: Ended<'a>, changed: &'a [(String, Value)]) {
        for (_, value) in changed {
            self.learn(event, value);
        }
        if let Some(act) = self.acts.get_mut(place) {
            act.end = Some(event.line);
            act.ended = ended;
            act.changed = changed.iter().map(|(name, _)| name.as_str()).collect();
        }
    }

    fn learn(&mut self, event: &JourneyEvent, value: &'a Value) {
        value.walk(&mut |part| {
            if let Value::Object { ordinal, fields, .. } = part {
                let known = self.fields.entry((event.process, *ordinal)).or_default();
                for (name, value) in fields {
                    known.entry(name.as_str()).or_default().push((event.line, value));
                }
            }
            true
        });
    }

    /// Gives a field of an object as it was last told up to a line.
    fn field(&self, process: i64, ordinal: u64, name: &str, at: LineId) -> Option<&'a Value> {
        let told = self.fields.get(&(process, ordinal))?.get(name)?;
        told.iter().rev().find(|(line, _)| *line <= at).map(|(_, value)| *value)
    }

    /// Follows a dotted path of attributes and keys into a value as it was at a line; None where too little was recorded.
    pub(super) fn part<'v>(&self, (process, at): (i64, LineId), value: &'v Value, path: &str) -> Option<&'v Value>
    where
        'a: 'v,
    {
        path.split('.').try_fold(value, |value, step| match value {
            Value::Object { ordinal, fields, .. } => {
                let own = fields.iter().find(|(name, _)| name == step).map(|(_, value)| value);
                own.or_else(|| self.field(process, *ordinal, step, at))
            }
            Value::Ref(ordinal) => self.field(process, *ordinal, step, at),
            Value::NamedTuple { fields, .. } | Value::Sub { fields, .. } => {
                fields.iter().find(|(name, _)| name == step).map(|(_, value)| value)
            }
            Value::Dict(pairs) => {
                pairs.iter().find(|(key, _)| matches!(key, Value::Str(key) if key == step)).map(|(_, value)| value)
            }
            Value::Shared(_, inner) => self.part((process, at), inner, step),
            _ => None,
        })
    }

    /// Tells whether one call happened below another.
    pub(super) fn is_below(&self, act: usize, above: usize) -> bool {
        act != above && self.places[above].contains(&self.places[act].start)
    }

    /// Gives the places of a call and all below it.
    pub(super) fn place(&self, act: usize) -> Range<usize> {
        self.places[act].clone()
    }

    /// Lists the calls below a call.
    pub(super) fn below(&self, above: usize) -> &[usize] {
        let Range { start, end } = self.place(above);
        &self.in_tree[start + 1..end]
    }

    /// Lists the calls around a call, the nearest first.
    pub(super) fn above(&self, act: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.acts[act].parent, |around| self.acts[*around].parent)
    }
}

impl Act<'_> {
    /// Gives an argument's value.
    pub(super) fn arg(&self, name: &str) -> Option<&Value> {
        self.args.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }

    /// Tells whether it ended before a line.
    pub(super) fn ended_before(&self, line: LineId) -> bool {
        self.end.is_some_and(|end| end < line)
    }

    /// Tells whether it ended by an exception; with a name, by this one or one derived from it.
    pub(super) fn raised(&self, name: Option<&str>) -> bool {
        let Ended::Raised { mro, .. } = self.ended else { return false };
        match name {
            None => !mro.first().is_some_and(|own| ENDINGS.iter().any(|ending| is_named(own, ending))),
            Some(name) => mro.iter().any(|own| is_named(own, name)),
        }
    }
}

/// Compares `module:Qual.Name` with how a person writes it: `Name`, `Qual.Name`, `module.Qual.Name`.
fn is_named(own: &str, written: &str) -> bool {
    let own = own.replace(':', ".");
    own == written || own.strip_suffix(written).is_some_and(|rest| rest.ends_with('.'))
}
