//! The records of a journey: passed on in blocks as they were written, and read back as events.
//!
//! A journey has a hundred times the events that calls have, and is looked at seldom: so its records are neither taken apart
//! nor made rows when they come in, only checked and freed of secrets.

use std::collections::HashMap;

use crate::base::clock::Moment;
use crate::base::paths::RelPath;
use crate::base::redact::Redactor;
use crate::domain::batch::{Batch, JourneyBlock};
use crate::domain::call::Argument;
use crate::domain::function::{FunctionId, ParamKind};
use crate::domain::journey::{JourneyEvent, LineId, Phase, What};
use crate::domain::touch::{ProcessStart, Touch};
use crate::domain::value::Value;
use crate::python::marshal::{DecodeError, Tree, decode};
use crate::python::skim::skim;
use crate::python::value::{Parts, encode, from_tree};
use crate::record::assemble::{dotted, head, param};
use crate::record::inputs::clean;
use crate::record::placed;

/// Events of a block.
const EVENTS: u32 = 1_000;
/// Bytes of a block: large values must not fill the memory.
const BYTES: usize = 1 << 20;

/// Gives the kind of a record without reading the rest: `(`, four bytes of length, `u`, four bytes of length, the kind.
fn kind_of(record: &[u8]) -> Option<u8> {
    match record {
        [b'(', _, _, _, _, b'u', 1, 0, 0, 0, kind, ..] => Some(*kind),
        _ => None,
    }
}

/// The events of one file, until they fill a block.
#[derive(Debug)]
pub(super) struct Collector {
    block: JourneyBlock,
}

impl Collector {
    /// Begins with the file's first record.
    pub(super) fn new(process: i64, thread: u32, head: &[u8]) -> Self {
        let mut made = Self { block: JourneyBlock { process, thread, number: 0, events: 0, records: Vec::new() } };
        made.keep(head);
        made
    }

    /// Takes a record that is a part of the journey; `false` for the other ones.
    ///
    /// # Errors
    /// When it is no marshal data.
    pub(super) fn take(&mut self, record: &[u8], redactor: &mut Redactor, batch: &mut Batch) -> Result<bool, DecodeError> {
        let event = match kind_of(record) {
            Some(b'C' | b'R' | b'X' | b'Y' | b'S' | b'T' | b'E') => 1,
            Some(b'L' | b'P') => 0,
            _ => return Ok(false),
        };
        if redactor.may_hold(record) {
            let mut value = from_tree(decode(record)?)?;
            clean(&mut value, redactor, None);
            self.keep(&encode(&value));
        } else {
            skim(record)?;
            self.keep(record);
        }
        self.block.events += event;
        if self.block.events >= EVENTS || self.block.records.len() >= BYTES {
            self.flush(batch);
        }
        Ok(true)
    }

    /// Takes the definition of a function and adds which one it is.
    pub(super) fn define(&mut self, record: &[u8], id: &FunctionId) -> Result<(), DecodeError> {
        let Value::Tuple(mut items) = from_tree(decode(record)?)? else { return Err(DecodeError::form("a record is a tuple")) };
        items.push(Value::Str(id.0.clone()));
        self.keep(&encode(&Value::Tuple(items)));
        Ok(())
    }

    /// Adds a record as it is.
    pub(super) fn keep(&mut self, record: &[u8]) {
        self.block.records.extend(u32::try_from(record.len()).unwrap_or(0).to_le_bytes());
        self.block.records.extend(record);
    }

    /// Hands over what there is.
    pub(super) fn flush(&mut self, batch: &mut Batch) {
        if self.block.records.is_empty() {
            return;
        }
        let next = JourneyBlock { number: self.block.number + 1, events: 0, records: Vec::new(), ..self.block };
        batch.journey.push(std::mem::replace(&mut self.block, next));
    }
}

/// Reads the blocks of a recording that began at `started` as one journey: the events of all threads in the order of their
/// times. Records that cannot be read are left out.
#[must_use]
pub fn events(mut blocks: Vec<JourneyBlock>, started: Moment) -> Vec<JourneyEvent> {
    blocks.sort_by_key(|block| (block.process, block.thread, block.number));
    let mut all: Vec<Raw> = Vec::new();
    let mut phases: Vec<(i64, Phase)> = Vec::new();
    // A process has one clock: threads that each told the time of day anew could change places.
    let mut shifts: HashMap<i64, i64> = HashMap::new();
    for file in blocks.chunk_by(|one, other| (one.process, one.thread) == (other.process, other.thread)) {
        let (process, thread) = file.first().map_or((0, 0), |block| (block.process, block.thread));
        let shift = shifts.get(&process).copied();
        let mut reader = Reader { started_ns: started.0.saturating_mul(1_000_000), shift, ..Reader::default() };
        for record in file.iter().flat_map(|block| Records(&block.records)) {
            if let Err(error) = reader.record(record) {
                tracing::debug!(%error, "a record of a journey was passed over");
            }
        }
        shifts.extend(reader.shift.map(|shift| (process, shift)));
        phases.append(&mut reader.phases);
        all.extend(reader.events.into_iter().map(|event| Raw { process, thread, ..event }));
    }
    // Within a file the order of writing stays, also at equal times.
    all.sort_by_key(|event| event.at_ns);
    phases.sort_by_key(|(at_ns, _)| *at_ns);
    number(all, &phases)
}

/// Lists what processes of a recording started.
#[must_use]
pub fn started(blocks: &[JourneyBlock]) -> Vec<ProcessStart> {
    let told = |record: &[u8]| {
        let mut parts = Parts::of(decode(record).ok()?, "a record").ok()?;
        let (_, _, kind, detail) = (parts.tree().ok()?, parts.tree().ok()?, parts.text().ok()?, parts.text().ok()?);
        match Touch::from_stored(&kind, detail) {
            Touch::Process(start) => Some(start),
            _ => None,
        }
    };
    let records = blocks.iter().flat_map(|block| Records(&block.records));
    records.filter(|record| kind_of(record) == Some(b'E')).filter_map(told).collect()
}

fn number(all: Vec<Raw>, phases: &[(i64, Phase)]) -> Vec<JourneyEvent> {
    let mut calls: HashMap<(i64, u64), (LineId, u32)> = HashMap::new();
    let mut numbered = Vec::with_capacity(all.len());
    for Raw { process, thread, call, parent: above, at_ns, mut what } in all {
        let line = LineId(u32::try_from(numbered.len() + 1).unwrap_or(u32::MAX));
        if let What::Call { parent, .. } = &mut what {
            let around = above.and_then(|above| calls.get(&(process, above)));
            *parent = around.map(|(line, _)| *line);
            let depth = around.map_or(0, |(_, depth)| depth + 1);
            calls.insert((process, call), (line, depth));
        }
        // The beginning of a call may have been lost.
        let Some((call, depth)) = calls.get(&(process, call)).copied() else { continue };
        let begun = phases.partition_point(|(from, _)| *from <= at_ns);
        let phase = begun.checked_sub(1).map_or(Phase::Call, |last| phases[last].1);
        numbered.push(JourneyEvent { line, call, process, thread, depth, phase, at_ns, what });
    }
    numbered
}

/// An event before all events have their numbers.
struct Raw {
    process: i64,
    thread: u32,
    call: u64,
    parent: Option<u64>,
    at_ns: i64,
    what: What,
}

struct Known {
    id: FunctionId,
    params: Vec<(String, ParamKind)>,
}

/// Reads the records of one file.
#[derive(Default)]
struct Reader {
    started_ns: i64,
    /// From the process's clock to the time since the recording's start.
    shift: Option<i64>,
    /// When each part of a test began.
    phases: Vec<(i64, Phase)>,
    main: Option<String>,
    functions: HashMap<u64, Known>,
    /// The modules by number: whether it is the program's own.
    modules: HashMap<u64, bool>,
    /// Where in `events` each call begins.
    begun: HashMap<u64, usize>,
    events: Vec<Raw>,
    /// Knows no secrets: they were taken out when the records came in.
    redactor: Redactor,
}

impl Reader {
    fn record(&mut self, record: &[u8]) -> Result<(), DecodeError> {
        let mut parts = Parts::of(decode(record)?, "a record")?;
        let kind = parts.text()?;
        match kind.as_str() {
            "H" => {
                let head = head(&mut parts)?;
                self.shift.get_or_insert(head.wall_ns.saturating_sub(self.started_ns).saturating_sub(head.clock_ns));
            }
            "M" => {
                let (number, name, path) = (parts.natural()?, parts.text()?, parts.text()?);
                self.modules.insert(number, name == "__main__");
                if name == "__main__" && self.main.is_none() {
                    self.main = RelPath::new(&path).map(|path| dotted(&path));
                }
            }
            "F" => self.define(&mut parts)?,
            "L" => {
                let (call, lines) = (parts.natural()?, parts.sequence()?);
                let begun = self.begun.get(&call).and_then(|at| self.events.get_mut(*at));
                if let Some(Raw { what: What::Call { reached, .. }, .. }) = begun {
                    reached.extend(lines.iter().filter_map(line));
                }
            }
            "P" => {
                let (name, at_ns) = (parts.text()?, parts.int()?);
                let at_ns = self.time(at_ns);
                self.phases.extend(Phase::named(&name).map(|phase| (at_ns, phase)));
            }
            "E" => {
                let (call, kind, detail) = (parts.natural_or_none()?, parts.text()?, parts.text()?);
                let at_ns = self.events.last().map_or(0, |event| event.at_ns);
                if let Some(call) = call {
                    self.add(call, None, at_ns, What::Touch { touch: Touch::from_stored(&kind, detail) });
                }
            }
            _ => self.event(&kind, &mut parts)?,
        }
        Ok(())
    }

    fn define(&mut self, parts: &mut Parts) -> Result<(), DecodeError> {
        let (number, module) = (parts.natural()?, parts.natural()?);
        for _ in 0..3 {
            parts.tree()?;
        }
        let params = parts.sequence()?.into_iter().map(param).collect::<Result<_, _>>()?;
        parts.tree()?;
        let id = FunctionId(parts.text()?);
        if self.modules.get(&module) == Some(&true) {
            // The index may know the program by a better name than its path gives.
            self.main = Some(id.module().to_owned());
        }
        self.functions.insert(number, Known { id, params });
        Ok(())
    }

    fn event(&mut self, kind: &str, parts: &mut Parts) -> Result<(), DecodeError> {
        let call = parts.natural()?;
        if kind == "C" {
            return self.begin(call, parts);
        }
        let at_ns = parts.int()?;
        let at_ns = self.time(at_ns);
        let what = match kind {
            "R" => What::Return { value: self.value(parts)?, changed: self.changed(parts)? },
            "X" => {
                let (exception, mro, raised_at) = (self.value(parts)?, parts.texts()?, parts.natural_or_none()?);
                parts.tree()?;
                let raised_at = raised_at.and_then(|line| u32::try_from(line).ok());
                What::Raise { exception, mro, raised_at, changed: self.changed(parts)? }
            }
            "Y" => What::Yield { value: self.value(parts)? },
            "S" => What::Resume,
            "T" => What::Throw { closed: parts.text()? == "closed" },
            _ => return Ok(()),
        };
        self.add(call, None, at_ns, what);
        Ok(())
    }

    fn begin(&mut self, call: u64, parts: &mut Parts) -> Result<(), DecodeError> {
        let (function, above) = (parts.natural()?, parts.natural_or_none()?);
        let at_ns = parts.int()?;
        let at_ns = self.time(at_ns);
        let (direct, task, receiver, values) = (parts.bool()?, parts.natural()?, parts.natural_or_none()?, parts.values()?);
        parts.tree()?;
        let caller_line = parts.natural_or_none()?.and_then(|line| u32::try_from(line).ok());
        let brief = !parts.is_empty() && parts.bool()?;
        let known = self.functions.get(&function).ok_or_else(|| DecodeError::form("a function is known before its calls"))?;
        let argument = |((name, kind), mut value): (&(String, ParamKind), Value)| {
            clean(&mut value, &mut self.redactor, self.main.as_deref());
            Argument::new(name, *kind, value)
        };
        let mut args: Vec<Argument> = known.params.iter().zip(values).map(argument).collect();
        placed::take_out_of_all(&mut args, &mut self.redactor);
        let (function, task) = (known.id.clone().into(), u32::try_from(task).unwrap_or(u32::MAX));
        self.begun.insert(call, self.events.len());
        let reached = Vec::new();
        self.add(
            call,
            above,
            at_ns,
            What::Call { function, args, receiver, parent: None, caller_line, direct, task, reached, brief },
        );
        Ok(())
    }

    fn time(&self, clock_ns: i64) -> i64 {
        clock_ns.saturating_add(self.shift.unwrap_or(0))
    }

    fn add(&mut self, call: u64, parent: Option<u64>, at_ns: i64, what: What) {
        self.events.push(Raw { process: 0, thread: 0, call, parent, at_ns, what });
    }

    fn value(&mut self, parts: &mut Parts) -> Result<Value, DecodeError> {
        let mut value = parts.value()?;
        clean(&mut value, &mut self.redactor, self.main.as_deref());
        Ok(value)
    }

    fn changed(&mut self, parts: &mut Parts) -> Result<Vec<(String, Value)>, DecodeError> {
        let mut changed = parts.fields_or_none()?;
        changed.iter_mut().for_each(|(_, value)| clean(value, &mut self.redactor, self.main.as_deref()));
        Ok(changed)
    }
}

fn line(tree: &Tree) -> Option<u32> {
    match tree {
        Tree::Int(number) => u32::try_from(*number).ok(),
        _ => None,
    }
}

/// The records of a block, one after another.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_first_chunk()?;
        let (record, rest) = rest.split_at_checked(u32::from_le_bytes(*head) as usize)?;
        self.0 = rest;
        Some(record)
    }
}
