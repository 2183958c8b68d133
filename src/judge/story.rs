//! A journey as calls: each with its place in the tree, its beginning and end by lines, and how it ended.

use std::collections::HashMap;

use crate::domain::function::FunctionId;
use crate::domain::journey::{JourneyEvent, LineId, What};
use crate::domain::value::Value;

/// Exceptions by which Python itself ends a generator or a task; they count as raised only where they are named.
const ENDINGS: [&str; 4] = ["GeneratorExit", "StopIteration", "StopAsyncIteration", "CancelledError"];

/// One activation of a function.
#[derive(Debug, Clone)]
pub(super) struct Act<'a> {
    pub function: &'a FunctionId,
    /// The call around it, by its index.
    pub parent: Option<usize>,
    pub process: i64,
    /// What runs in order within itself: a thread, and a task in it.
    pub strand: (i64, u32, u32),
    pub receiver: Option<u64>,
    pub args: Vec<(&'a str, &'a Value)>,
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

/// All calls of a journey, in the order of their beginnings.
#[derive(Debug, Default)]
pub(super) struct Story<'a> {
    pub acts: Vec<Act<'a>>,
    /// What is known of each object's fields, by process and number; the last that was told.
    fields: HashMap<(i64, u64), HashMap<&'a str, &'a Value>>,
}

impl<'a> Story<'a> {
    /// Reads a journey.
    pub(super) fn new(events: &'a [JourneyEvent]) -> Self {
        let mut story = Self::default();
        let mut places: HashMap<LineId, usize> = HashMap::new();
        for event in events {
            if let What::Call { function, args, receiver, parent, task, brief, .. } = &event.what {
                places.insert(event.line, story.acts.len());
                story.acts.push(Act {
                    function,
                    parent: parent.and_then(|line| places.get(&line).copied()),
                    process: event.process,
                    strand: (event.process, event.thread, *task),
                    receiver: *receiver,
                    args: args.iter().map(|arg| (arg.name.as_str(), &arg.value)).collect(),
                    start: event.line,
                    end: None,
                    ended: Ended::Open,
                    changed: Vec::new(),
                    brief: *brief,
                });
                args.iter().for_each(|arg| story.learn(event.process, &arg.value));
                continue;
            }
            let Some(place) = places.get(&event.call).copied() else { continue };
            match &event.what {
                What::Return { value, changed } => {
                    story.learn(event.process, value);
                    story.finish(place, event, Ended::Returned(value), changed);
                }
                What::Raise { exception, mro, changed, .. } => {
                    story.finish(place, event, Ended::Raised { exception, mro }, changed);
                }
                What::Throw { closed: true } => story.finish(place, event, Ended::Closed, &[]),
                _ => {}
            }
        }
        story
    }

    fn finish(&mut self, place: usize, event: &'a JourneyEvent, ended: Ended<'a>, changed: &'a [(String, Value)]) {
        for (_, value) in changed {
            self.learn(event.process, value);
        }
        if let Some(act) = self.acts.get_mut(place) {
            act.end = Some(event.line);
            act.ended = ended;
            act.changed = changed.iter().map(|(name, _)| name.as_str()).collect();
        }
    }

    fn learn(&mut self, process: i64, value: &'a Value) {
        value.walk(&mut |part| {
            if let Value::Object { ordinal, fields, .. } = part {
                let known = self.fields.entry((process, *ordinal)).or_default();
                known.extend(fields.iter().map(|(name, value)| (name.as_str(), value)));
            }
            true
        });
    }

    /// Follows a dotted path of attributes and keys into a value; None where too little was recorded.
    pub(super) fn part<'v>(&self, process: i64, value: &'v Value, path: &str) -> Option<&'v Value>
    where
        'a: 'v,
    {
        path.split('.').try_fold(value, |value, step| match value {
            Value::Object { ordinal, fields, .. } => fields
                .iter()
                .find(|(name, _)| name == step)
                .map(|(_, value)| value)
                .or_else(|| self.fields.get(&(process, *ordinal))?.get(step).copied()),
            Value::Ref(ordinal) => self.fields.get(&(process, *ordinal))?.get(step).copied(),
            Value::NamedTuple { fields, .. } | Value::Sub { fields, .. } => {
                fields.iter().find(|(name, _)| name == step).map(|(_, value)| value)
            }
            Value::Dict(pairs) => {
                pairs.iter().find(|(key, _)| matches!(key, Value::Str(key) if key == step)).map(|(_, value)| value)
            }
            Value::Shared(_, inner) => self.part(process, inner, step),
            _ => None,
        })
    }

    /// Tells whether one call happened below another.
    pub(super) fn is_below(&self, act: usize, above: usize) -> bool {
        self.above(act).any(|around| around == above)
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
