//! A journey as a model reads it: an event a line, its data JSON that no value can get out of, every line with its number.
//!
//! Made shorter step by step until it fits: equal siblings are folded, recursion and what the intent does not speak of are
//! told by their counts, values are cut. Counts stay exact whatever is left out, and nothing is ever cut in silence: what
//! does not fit is said not to.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value as Json, json};

use crate::base::hash::Hasher;
use crate::base::text::display;
use crate::domain::call::Argument;
use crate::domain::callee::Callee;
use crate::domain::journey::{JourneyEvent, LineId, Phase, What};
use crate::domain::value::Value;
use crate::judge::fitted;
use crate::judge::names::Names;
use crate::judge::prompt_journey::{Cut, Line, PromptJourney, TooLong, tokens};
use crate::judge::telling::{self, Teller};

/// Bytes of a value, step by step.
const VALUE: [usize; STEPS] = [300, 300, 300, 120, 60, 30];
/// The steps of making a journey shorter: as it is, siblings folded, recursion told by its counts, what the intent does
/// not speak of too, values cut, and at last all that lies deep.
const STEPS: usize = 6;
/// Calls deeper than this are told by their counts at any step.
const DEEPEST: usize = 120;
/// Calls deeper than this are, at the last step.
const DEEP: usize = 5;
/// Activations of a function inside of each other that are told.
const RECURSION: usize = 3;
/// The longest sequence of siblings whose repetition is seen.
const PERIOD: usize = 8;
/// Repetitions from which on they are folded: the first and the last are told in full.
const REPEATED: usize = 4;
/// Different values told of an argument of folded calls.
const DIFFERENT: usize = 5;
/// Tokens that a line takes at the least: of more lines than fit, none is written.
const LINE_TOKENS: usize = 8;

/// Tells a journey in at most so many tokens. `focus` are the functions that the intent speaks of; where it is empty, none
/// matters less than another.
///
/// # Errors
/// When it does not fit.
pub fn compact(events: &[JourneyEvent], names: &Names, focus: &HashSet<Callee>, most: usize) -> Result<PromptJourney, TooLong> {
    let tree = Tree::of(events);
    let mut needs = usize::MAX;
    for step in 0..STEPS {
        if (step == 0 && events.len() * LINE_TOKENS > most) || (step == 3 && focus.is_empty()) {
            continue;
        }
        let last = step + 1 == STEPS;
        let mut writer = Writer::new(&tree, names, focus, step, if last { usize::MAX } else { most });
        if writer.all() {
            let mut lines = writer.lines;
            lines.sort_by_key(|line| (line.first, line.last));
            let sent = PromptJourney { lines, steps: step, cut: Vec::new() };
            needs = tokens(&sent.text());
            if needs <= most {
                return Ok(sent);
            }
        }
    }
    Err(TooLong { needs })
}

/// Tells a journey with its values whole and as they are: for questions about the values. Of those that do not fit the largest are
/// cut, all to one length, and it is said which. `None` where it does not fit even so.
pub fn with_whole_values(events: &[JourneyEvent], names: &Names, focus: &HashSet<Callee>, most: usize) -> Option<PromptJourney> {
    let tree = Tree::of(events);
    let tell = |limit: usize| {
        let mut writer = Writer::new(&tree, names, focus, 0, most);
        writer.whole = Some(limit);
        if !writer.all() {
            return None;
        }
        let (mut lines, cut) = (writer.lines, writer.cut);
        lines.sort_by_key(|line| (line.first, line.last));
        let whole = |line: LineId| {
            let event = (line.0 as usize).checked_sub(1).and_then(|at| events.get(at));
            event.map_or(0, |event| values(&event.what).map(|value| value.summary(usize::MAX).len()).sum::<usize>())
        };
        let cut = cut.into_iter().map(|line| Cut { line, shown: limit, whole: whole(line) }).collect();
        let sent = PromptJourney { lines, steps: 0, cut };
        (tokens(&sent.text()) <= most).then_some(sent)
    };
    // No value that has more bytes fits.
    let (mut fits, mut over) = (VALUE[0], most.saturating_mul(16).max(VALUE[0]));
    if let Some(sent) = tell(over) {
        return Some(sent);
    }
    let mut best = tell(fits)?;
    while over - fits > VALUE[0] {
        let middle = fits + (over - fits) / 2;
        match tell(middle) {
            Some(sent) => (best, fits) = (sent, middle),
            None => over = middle,
        }
    }
    Some(best)
}

/// The values of an event.
fn values(what: &What) -> impl Iterator<Item = &Value> {
    let (args, value): (&[Argument], _) = match what {
        What::Call { args, .. } => (args, None),
        What::Return { value, .. } | What::Yield { value } | What::Raise { exception: value, .. } => (&[], Some(value)),
        What::Resume | What::Throw { .. } | What::Touch { .. } => (&[], None),
    };
    args.iter().map(|arg| &arg.value).chain(value)
}

/// A call with what happened in it.
struct Node {
    /// The event that began it, and the one that ended it, by their places.
    begin: usize,
    end: Option<usize>,
    items: Vec<Item>,
    /// Equal for calls that went the same way.
    shape: u64,
    /// The last event in it.
    last: LineId,
}

#[derive(Clone, Copy)]
enum Item {
    Call(usize),
    Event(usize),
}

struct Tree<'a> {
    events: &'a [JourneyEvent],
    nodes: Vec<Node>,
    roots: Vec<Item>,
    /// Threads, tasks and processes, numbered as they appear.
    strands: HashMap<(i64, u32, u32), usize>,
}

impl<'a> Tree<'a> {
    fn of(events: &'a [JourneyEvent]) -> Self {
        let mut tree = Self { events, nodes: Vec::new(), roots: Vec::new(), strands: HashMap::new() };
        let mut places: HashMap<LineId, usize> = HashMap::new();
        for (at, event) in events.iter().enumerate() {
            if let What::Call { parent, task, .. } = &event.what {
                let number = tree.strands.len();
                tree.strands.entry((event.process, event.thread, *task)).or_insert(number);
                let node = tree.nodes.len();
                tree.nodes.push(Node { begin: at, end: None, items: Vec::new(), shape: 0, last: event.line });
                places.insert(event.line, node);
                match parent.and_then(|parent| places.get(&parent)) {
                    Some(parent) => tree.nodes[*parent].items.push(Item::Call(node)),
                    None => tree.roots.push(Item::Call(node)),
                }
                continue;
            }
            match places.get(&event.call) {
                Some(node) if ends(&event.what) => {
                    tree.nodes[*node].end = Some(at);
                    tree.nodes[*node].last = event.line;
                }
                Some(node) => tree.nodes[*node].items.push(Item::Event(at)),
                None => tree.roots.push(Item::Event(at)),
            }
        }
        // What is inside comes later: from the back, it is known before what is around.
        for node in (0..tree.nodes.len()).rev() {
            let mut hasher = Hasher::default();
            let own = &tree.nodes[node];
            let begin = &events[own.begin];
            let (callee, task) = match &begin.what {
                What::Call { function, task, .. } => (function.text(), *task),
                _ => (Cow::Borrowed(""), 0),
            };
            let strand = tree.strands.get(&(begin.process, begin.thread, task)).copied().unwrap_or(0);
            hasher.part(callee.as_bytes()).part(&strand.to_le_bytes()).part(begin.phase.to_string().as_bytes());
            hasher.part(own.end.map_or(String::new(), |end| ending(&events[end].what)).as_bytes());
            own.items.iter().for_each(|item| {
                hasher.part(&tree.shape(*item).to_le_bytes());
            });
            let shape = hasher.digest().0;
            let last = own.items.iter().map(|item| tree.last(*item)).max().unwrap_or(LineId(0));
            let own = &mut tree.nodes[node];
            (own.shape, own.last) = (shape, own.last.max(last));
        }
        tree
    }

    fn shape(&self, item: Item) -> u64 {
        match item {
            Item::Call(node) => self.nodes[node].shape,
            Item::Event(at) => {
                let mut hasher = Hasher::default();
                hasher.part(b"event").part(kind(&self.events[at].what).as_bytes());
                hasher.digest().0
            }
        }
    }

    fn first(&self, item: Item) -> LineId {
        match item {
            Item::Call(node) => self.events[self.nodes[node].begin].line,
            Item::Event(at) => self.events[at].line,
        }
    }

    fn last(&self, item: Item) -> LineId {
        match item {
            Item::Call(node) => self.nodes[node].last,
            Item::Event(at) => self.events[at].line,
        }
    }

    fn function(&self, node: usize) -> Option<&'a Callee> {
        match &self.events[self.nodes[node].begin].what {
            What::Call { function, .. } => Some(function),
            _ => None,
        }
    }

    /// Visits the calls below some items, these included.
    fn each(&self, items: &[Item], visit: &mut dyn FnMut(usize)) {
        let mut open: Vec<Item> = items.to_vec();
        while let Some(item) = open.pop() {
            if let Item::Call(node) = item {
                visit(node);
                open.extend(&self.nodes[node].items);
            }
        }
    }
}

fn ends(what: &What) -> bool {
    matches!(what, What::Return { .. } | What::Raise { .. } | What::Throw { closed: true })
}

/// How a call ended, as far as calls that ended otherwise are not the same: what a condition may rest on is part of it.
fn ending(what: &What) -> String {
    match what {
        What::Return { value: value @ (Value::Bool(_) | Value::None), .. } => format!("returned {}", value.summary(8)),
        What::Raise { mro, .. } => format!("raised {}", mro.first().map_or("", String::as_str)),
        other => kind(other).to_owned(),
    }
}

fn kind(what: &What) -> &'static str {
    match what {
        What::Call { .. } => "call",
        What::Return { .. } => "return",
        What::Raise { .. } => "raise",
        What::Yield { .. } => "yield",
        What::Resume => "resume",
        What::Throw { closed: true } => "close",
        What::Throw { closed: false } => "throw",
        What::Touch { .. } => "touch",
    }
}

struct Writer<'t, 'a> {
    tree: &'t Tree<'a>,
    names: &'t Names,
    focus: &'t HashSet<Callee>,
    step: usize,
    /// Characters left before it does not fit.
    left: usize,
    teller: Teller,
    short: HashMap<&'a Callee, String>,
    lines: Vec<Line>,
    /// Values are told as they are, in so many bytes at most.
    whole: Option<usize>,
    /// A value of the line that is written was cut.
    is_cut: bool,
    /// The lines with values that were.
    cut: Vec<LineId>,
    /// How many activations of each function are around.
    around: HashMap<&'a Callee, usize>,
}

impl<'t, 'a> Writer<'t, 'a> {
    fn new(tree: &'t Tree<'a>, names: &'t Names, focus: &'t HashSet<Callee>, step: usize, most: usize) -> Self {
        let left = most.saturating_mul(36) / 10;
        Self {
            tree,
            names,
            focus,
            step,
            left,
            teller: Teller::default(),
            short: HashMap::new(),
            lines: Vec::new(),
            whole: None,
            is_cut: false,
            cut: Vec::new(),
            around: HashMap::new(),
        }
    }

    /// Writes all of it; `false` when there is no more room.
    fn all(&mut self) -> bool {
        let tree = self.tree;
        self.items(&tree.roots, None, 0)
    }

    fn items(&mut self, items: &[Item], inside: Option<LineId>, depth: usize) -> bool {
        let mut at = 0;
        while at < items.len() {
            if self.left == 0 {
                return false;
            }
            let (period, times) = if self.step == 0 { (1, 1) } else { self.repetition(&items[at..]) };
            if times < REPEATED {
                self.item(items[at], inside, depth);
                at += 1;
                continue;
            }
            let (first, last) = (at + period, at + period * (times - 1));
            items[at..first].iter().for_each(|item| self.item(*item, inside, depth));
            self.fold(&items[first..last], period, inside);
            items[last..last + period].iter().for_each(|item| self.item(*item, inside, depth));
            at = last + period;
        }
        self.left > 0
    }

    /// Finds the sequence that repeats itself from here on and covers most: its length, and how often it stands there.
    fn repetition(&self, items: &[Item]) -> (usize, usize) {
        let shape = |at: usize| self.tree.shape(items[at]);
        let mut best = (1, 1);
        for period in 1..=PERIOD.min(items.len() / REPEATED) {
            let mut same = 0;
            while period + same < items.len() && shape(same) == shape(period + same) {
                same += 1;
            }
            let times = 1 + same / period;
            if times >= REPEATED && times * period > best.0 * best.1 {
                best = (period, times);
            }
        }
        best
    }

    fn item(&mut self, item: Item, inside: Option<LineId>, depth: usize) {
        match item {
            Item::Call(node) => self.call(node, inside, depth),
            Item::Event(at) => self.event(&self.tree.events[at]),
        }
    }

    fn call(&mut self, node: usize, inside: Option<LineId>, depth: usize) {
        let Some(function) = self.tree.function(node) else { return };
        let own = &self.tree.nodes[node];
        let begin = &self.tree.events[own.begin];
        self.begins(begin, function, inside, own.end.is_none());
        let around = self.around.entry(function).or_default();
        *around += 1;
        let recursive = self.step >= 2 && *around >= RECURSION;
        let aside = self.step >= 3 && !self.focus.is_empty() && !self.in_focus(node);
        let deep = depth >= if self.step + 1 == STEPS { DEEP } else { DEEPEST };
        if recursive || aside || deep {
            self.counted(&own.items, "inside", begin.line);
        } else {
            self.items(&own.items, Some(begin.line), depth + 1);
        }
        if let Some(around) = self.around.get_mut(function) {
            *around -= 1;
        }
        if let Some(end) = own.end {
            self.event(&self.tree.events[end]);
        }
    }

    /// Tells whether a call, or one inside of it, is what the intent speaks of.
    fn in_focus(&self, node: usize) -> bool {
        let mut found = false;
        self.tree.each(&[Item::Call(node)], &mut |node| {
            found |= self.tree.function(node).is_some_and(|function| self.focus.contains(function));
        });
        found
    }

    fn begins(&mut self, event: &JourneyEvent, function: &'a Callee, inside: Option<LineId>, open: bool) {
        let What::Call { args, receiver, task, .. } = &event.what else { return };
        let mut bare = Map::new();
        bare.insert("f".into(), json!(self.name(function)));
        if receiver.is_some()
            && let Some(on) = args.first().and_then(|own| self.teller.named(&own.value))
        {
            bare.insert("on".into(), json!(clean(&on)));
        }
        if let Some(inside) = inside {
            bare.insert("in".into(), json!(inside.to_string()));
        } else if event.phase != Phase::Call {
            bare.insert("phase".into(), json!(event.phase.to_string()));
        }
        if let Some(strand @ 1..) = self.tree.strands.get(&(event.process, event.thread, *task)) {
            bare.insert("thread".into(), json!(strand + 1));
        }
        if open {
            bare.insert("ended".into(), json!(false));
        }
        let own: Vec<&Argument> = args.iter().skip(usize::from(receiver.is_some())).collect();
        let values: Map<String, Json> = own.iter().map(|arg| (clean(&arg.name), json!(self.value(&arg.value)))).collect();
        let data = if values.is_empty() { Map::new() } else { Map::from_iter([("args".to_owned(), Json::Object(values))]) };
        self.push(event.line, event.line, "call", bare, data, BTreeMap::new(), Some(function.clone()));
    }

    fn event(&mut self, event: &JourneyEvent) {
        let mut bare = Map::from_iter([("of".to_owned(), json!(event.call.to_string()))]);
        if let Some(function) = self.function_of(event.call) {
            bare.insert("f".into(), json!(self.name(function)));
        }
        let mut data = Map::new();
        match &event.what {
            What::Return { value, changed } => {
                data.insert("value".into(), json!(self.value(value)));
                if !changed.is_empty() {
                    let names: Vec<String> = changed.iter().map(|(name, _)| clean(name)).collect();
                    data.insert("changed".into(), json!(names));
                }
            }
            What::Raise { exception, .. } => {
                data.insert("exception".into(), json!(self.value(exception)));
            }
            What::Yield { value } => {
                data.insert("value".into(), json!(self.value(value)));
            }
            What::Touch { touch } => {
                data.insert("what".into(), json!(clean(&format!("{} {}", touch.kind(), touch.detail()))));
            }
            What::Resume | What::Throw { .. } | What::Call { .. } => {}
        }
        self.push(event.line, event.line, kind(&event.what), bare, data, BTreeMap::new(), None);
    }

    fn function_of(&self, call: LineId) -> Option<&'a Callee> {
        let event = self.tree.events.get((call.0 as usize).checked_sub(1)?)?;
        match &event.what {
            What::Call { function, .. } => Some(function),
            _ => None,
        }
    }

    /// Tells repetitions by their number; of single calls also what they were given.
    fn fold(&mut self, items: &[Item], period: usize, inside: Option<LineId>) {
        let data = if period == 1 { self.given(items) } else { Map::new() };
        let mut bare = Map::new();
        if let Some(inside) = inside {
            bare.insert("in".into(), json!(inside.to_string()));
        }
        bare.insert("repeats".into(), json!(items.len() / period));
        let each: Vec<String> = items[..period]
            .iter()
            .map(|item| match item {
                Item::Call(node) => self.tree.function(*node).map_or_else(String::new, |function| self.name(function)),
                Item::Event(at) => kind(&self.tree.events[*at].what).to_owned(),
            })
            .collect();
        bare.insert("each".into(), json!(each));
        self.told_by_counts(items, "fold", bare, data);
    }

    fn counted(&mut self, items: &[Item], kind: &'static str, inside: LineId) {
        if !items.is_empty() {
            let bare = Map::from_iter([("in".to_owned(), json!(inside.to_string()))]);
            self.told_by_counts(items, kind, bare, Map::new());
        }
    }

    /// Writes one line for all these items: how often each function was called, and what was raised.
    fn told_by_counts(&mut self, items: &[Item], kind: &'static str, mut bare: Map<String, Json>, data: Map<String, Json>) {
        let mut calls: BTreeMap<Callee, usize> = BTreeMap::new();
        let mut raised: BTreeMap<String, usize> = BTreeMap::new();
        let mut yields = 0;
        let tree = self.tree;
        let yielding = |items: &[Item]| {
            let yields = |item: &&Item| matches!(item, Item::Event(at) if matches!(tree.events[*at].what, What::Yield { .. }));
            items.iter().filter(yields).count()
        };
        yields += yielding(items);
        tree.each(items, &mut |node| {
            if let Some(function) = tree.function(node) {
                *calls.entry(function.clone()).or_default() += 1;
            }
            yields += yielding(&tree.nodes[node].items);
            if let Some(What::Raise { mro, .. }) = tree.nodes[node].end.map(|end| &tree.events[end].what) {
                *raised.entry(mro.first().cloned().unwrap_or_default()).or_default() += 1;
            }
        });
        let by_name: BTreeMap<String, usize> =
            calls.iter().map(|(function, count)| (self.names.called(function), *count)).collect();
        bare.insert("calls".into(), json!(by_name));
        if !raised.is_empty() {
            let named = raised.iter().map(|(name, count)| (clean(name.rsplit([':', '.']).next().unwrap_or(name)), json!(count)));
            bare.insert("raised".into(), Json::Object(named.collect()));
        }
        if yields > 0 {
            bare.insert("yields".into(), json!(yields));
        }
        let first = items.iter().map(|item| tree.first(*item)).min().unwrap_or(LineId(0));
        let last = items.iter().map(|item| tree.last(*item)).max().unwrap_or(first);
        self.push(first, last, kind, bare, data, calls, None);
    }

    /// What folded calls of one function were given, and what they returned: all of it where it is little.
    fn given(&mut self, items: &[Item]) -> Map<String, Json> {
        let tree = self.tree;
        let mut args: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        let mut results = Vec::new();
        for item in items {
            let Item::Call(node) = item else { continue };
            let node = &tree.nodes[*node];
            if let What::Call { args: own, receiver, .. } = &tree.events[node.begin].what {
                let own = own.iter().skip(usize::from(receiver.is_some()));
                own.for_each(|arg| args.entry(arg.name.as_str()).or_default().push(&arg.value));
            }
            if let Some(What::Return { value, .. }) = node.end.map(|end| &tree.events[end].what) {
                results.push(value);
            }
        }
        let mut out = Map::new();
        if !args.is_empty() {
            let several = args.into_iter().map(|(name, values)| (clean(name), json!(self.several(&values)))).collect();
            out.insert("args".into(), Json::Object(several));
        }
        if !results.is_empty() {
            out.insert("values".into(), json!(self.several(&results)));
        }
        out
    }

    fn several(&mut self, values: &[&Value]) -> String {
        let whole: Option<Vec<i64>> =
            values.iter().map(|value| if let Value::Int(number) = value { Some(*number) } else { None }).collect();
        let texts: Vec<String> = values.iter().map(|value| self.value(value)).collect();
        let different: BTreeSet<&String> = texts.iter().collect();
        if different.len() <= DIFFERENT {
            let mut seen: Vec<&String> = Vec::new();
            texts.iter().for_each(|text| {
                if !seen.contains(&text) {
                    seen.push(text);
                }
            });
            return seen.into_iter().cloned().collect::<Vec<_>>().join(" | ");
        }
        if let Some((least, most)) = whole.and_then(|all| Some((*all.iter().min()?, *all.iter().max()?))) {
            return format!("{least} .. {most}, {} different", different.len());
        }
        let ends = texts.first().zip(texts.last()).map(|(first, last)| format!("{first} .. {last}, ")).unwrap_or_default();
        format!("{ends}{} different", different.len())
    }

    fn value(&mut self, value: &Value) -> String {
        let Some(limit) = self.whole else { return clean(&self.teller.value(value, VALUE[self.step])) };
        let shorter = fitted::cut(value, limit);
        self.is_cut |= shorter.is_some();
        // What stands around its parts may take a little more.
        clean(&telling::as_it_is(shorter.as_ref().unwrap_or(value), limit + limit / 4))
    }

    fn name(&mut self, function: &'a Callee) -> String {
        let names = self.names;
        self.short.entry(function).or_insert_with(|| names.called(function)).clone()
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one line")]
    fn push(
        &mut self,
        first: LineId,
        last: LineId,
        kind: &'static str,
        bare: Map<String, Json>,
        data: Map<String, Json>,
        counted: BTreeMap<Callee, usize>,
        begins: Option<Callee>,
    ) {
        let number = if first == last { first.to_string() } else { format!("{first}-{last}") };
        let mut whole = bare.clone();
        whole.extend(data);
        let text = format!("{number} {kind} {}", Json::Object(whole));
        self.left = self.left.saturating_sub(text.chars().count() + 1);
        let bare = format!("{number} {kind} {}", Json::Object(bare));
        if std::mem::take(&mut self.is_cut) {
            self.cut.push(first);
        }
        self.lines.push(Line { first, last, text, bare, counted, begins });
    }
}

/// Makes a text fit to be sent: nothing hidden in it, and no control word of a chat template.
pub(super) fn clean(text: &str) -> String {
    display(text).replace("<|", "< |")
}
