//! Recordings that others made: the predecessor's traces, and spools of another machine. Each import becomes one
//! recording like any other; nothing of it is run here, and its calls are tried before any draft rests on them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::redact::Redactor;
use crate::base::text;
use crate::compat::trace::{self, OldCall};
use crate::domain::batch::{Batch, CallEnd, CallTimes, FunctionCount, NewCall, SpoolCall};
use crate::domain::call::{Argument, Call, CallId, Effect, Outcome, ProgramEnd, Recording, RecordingId};
use crate::domain::function::{Class, Function, FunctionId, FunctionKind, Module, Param, ParamKind};
use crate::domain::killer::Killer;
use crate::domain::observation::Observation;
use crate::domain::parts::each;
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::domain::way::{Given, Way};
use crate::engine::recording;
use crate::engine::recording::refusal::{NotTaken, Refusal};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::python::value::{encode_arguments, encode_outcome};
use crate::record::inputs::{clean, digest};
use crate::record::placed;
use crate::source::index::Index;

/// Folders are looked into this deep.
const DEPTH: usize = 6;
/// Files of one import.
const FILES_MAX: usize = 200_000;

/// What an import came to.
#[derive(Debug, Clone, Serialize)]
pub struct Imported {
    /// The recording that was made; none where nothing could be taken.
    pub recording: Option<Recording>,
    /// Files that were not taken, and why.
    pub refused: Vec<Refusal>,
    /// Files that recordings of this project were written to: their calls are here.
    #[serde(skip)]
    pub own: usize,
}

/// Takes in files and folders as one recording.
pub async fn import(core: &Arc<Core>, paths: Vec<PathBuf>) -> Result<Imported, Trouble> {
    let worker = core.clone();
    let imported = blocking(move || take(&worker, &paths)).await??;
    core.reload_recorded()?;
    Ok(imported)
}

/// Takes in a folder, unless an import of it is younger than all that lies there.
pub async fn import_news(core: &Arc<Core>, folder: PathBuf) -> Result<Option<Imported>, Trouble> {
    let worker = core.clone();
    let path = folder.clone();
    let known = blocking(move || {
        let mut found = Found::default();
        found.look(&path, 0);
        let made = |path: &PathBuf| path.metadata().and_then(|meta| meta.modified()).ok();
        let newest = found.traces.iter().chain(&found.spools).filter_map(made).max()?;
        let newest = i64::try_from(newest.duration_since(std::time::UNIX_EPOCH).ok()?.as_millis()).ok()?;
        let command = ["import".to_owned(), path.display().to_string()];
        let recordings = worker.store().recordings().ok()?;
        // One that was cut off took in a part only.
        let whole = |recording: &Recording| recording.end == ProgramEnd::Exited(0);
        recordings.into_iter().find(|known| known.command == command && known.started.0 > newest && whole(known))
    })
    .await?;
    if known.is_some() {
        return Ok(None);
    }
    import(core, vec![folder]).await.map(Some)
}

fn take(core: &Core, paths: &[PathBuf]) -> Result<Imported, Trouble> {
    let mut found = Found::default();
    for path in paths {
        if path.symlink_metadata().is_err() {
            return Err(Trouble::usage(format!("There is no {}.", text::display_line(&path.display().to_string()))));
        }
        found.look(path, 0);
    }
    if found.traces.is_empty() && found.spools.is_empty() {
        return Err(Trouble::usage("There is nothing to import.")
            .because("Taken are traces (.gjson, .pkl), and folders with spool files.")
            .so("Name the folder that holds them, as in: pytead-tui import call_logs."));
    }
    let command = std::iter::once("import".to_owned()).chain(paths.iter().map(|path| path.display().to_string())).collect();
    let mut recording = Recording { recorder_seen: true, ..Recording::begun(command, clock::now()) };
    let index = core.index();
    let here = core.store().recordings()?.iter().map(|recording| recording.started.0).collect();
    let (calls, refused, own) = read_traces(&index, found.traces, &here);
    if calls.is_empty() && found.spools.is_empty() {
        return Ok(Imported { recording: None, refused, own });
    }
    forget_cut_off(core, &recording.command)?;
    recording = recording::run::begin(core, recording)?;
    let mut totals = Totals::default();
    for (before, folder) in found.spools.iter().enumerate() {
        take_spools(core, folder, before, &mut totals, &mut recording)?;
    }
    let mut batch = batch_of(calls);
    recording.kept += batch.calls.len() as u64;
    recording.seen += batch.counts.iter().map(|count| count.calls).sum::<u64>();
    totals.add_to(&mut batch);
    recording.functions = totals.calls.len() as u64;
    core.store().ingest(recording.id, batch)?;
    recording.end = ProgramEnd::Exited(0);
    core.store().update_recording(&recording)?;
    core.edit_recording(recording.id, |row| *row = recording::run::row(recording.clone()));
    Ok(Imported { recording: Some(recording), refused, own })
}

/// What lies in the places that were named.
#[derive(Default)]
struct Found {
    traces: Vec<PathBuf>,
    spools: Vec<PathBuf>,
}

impl Found {
    fn look(&mut self, path: &Path, depth: usize) {
        let ends = |path: &Path, ending: &str| path.extension().is_some_and(|found| found == ending);
        if path.is_dir() && depth < DEPTH {
            let Ok(entries) = path.read_dir() else { return };
            let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            entries.sort();
            if entries.iter().any(|entry| ends(entry, "spool")) {
                self.spools.push(path.to_owned());
                return;
            }
            for entry in entries {
                let is_link = entry.symlink_metadata().map_or(true, |meta| meta.is_symlink());
                if !is_link && (entry.is_dir() || ends(&entry, "gjson") || ends(&entry, "pkl")) {
                    self.look(&entry, depth + 1);
                }
            }
        } else if path.is_file() && self.traces.len() < FILES_MAX {
            self.traces.push(path.to_owned());
        }
    }
}

/// Forgets what the same import took in before it was cut off: this one takes in all of it.
fn forget_cut_off(core: &Core, command: &[String]) -> Result<(), Trouble> {
    let cut_off = ProgramEnd::Killed(Killer::Unwatched);
    for known in core.store().recordings()? {
        if known.end == cut_off && known.command == command && core.store().forget_recording(known.id)? {
            core.state.lock().recordings.retain(|row| row.id != known.id);
        }
    }
    Ok(())
}

/// What several folders have seen together: each counts from 0, and what is stored last holds.
#[derive(Default)]
struct Totals {
    calls: HashMap<FunctionId, u64>,
    callers: HashMap<(FunctionId, Option<FunctionId>, Option<u32>), u64>,
}

impl Totals {
    /// Adds what the folders before this one have seen; gives how it stands with this one.
    fn add_to(&mut self, batch: &mut Batch) {
        let sum = self.with(batch);
        self.calls.extend(sum.calls);
        self.callers.extend(sum.callers);
    }

    /// As [`Totals::add_to`], for a folder of which there is more to come.
    fn with(&self, batch: &mut Batch) -> Self {
        let mut sum = Self::default();
        for count in &mut batch.counts {
            count.calls = count.calls.saturating_add(self.calls.get(&count.function).copied().unwrap_or(0));
            sum.calls.insert(count.function.clone(), count.calls);
        }
        for count in &mut batch.callers {
            let key = (count.function.clone(), count.caller.clone(), count.line);
            count.times = count.times.saturating_add(self.callers.get(&key).copied().unwrap_or(0));
            sum.callers.insert(key, count.times);
        }
        sum
    }
}

/// Takes in a folder; there were so many `before` it.
fn take_spools(core: &Core, folder: &Path, before: usize, totals: &mut Totals, recording: &mut Recording) -> Result<(), Trouble> {
    let mut ingest = recording::run::ingest(core, folder, recording.started).beside(before);
    let mut failed = None;
    let mut sum = Totals::default();
    ingest.finish(&mut |mut batch, _| {
        let now = totals.with(&mut batch);
        sum.calls.extend(now.calls);
        sum.callers.extend(now.callers);
        if failed.is_none() {
            failed = core.store().ingest(recording.id, batch).err();
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    totals.calls.extend(sum.calls);
    totals.callers.extend(sum.callers);
    let summary = ingest.summary();
    recording.python = recording.python.take().or_else(|| summary.python.clone());
    recording.seen += summary.seen;
    recording.kept += summary.kept;
    recording.raised += summary.raised;
    recording.threads += summary.threads;
    recording.gaps.extend(summary.gaps.iter().cloned());
    Ok(())
}

/// Reads traces; leaves out, and counts, those of recordings that are here.
fn read_traces(index: &Index, paths: Vec<PathBuf>, here: &HashSet<i64>) -> (Vec<(Call, String)>, Vec<Refusal>, usize) {
    let (mut calls, mut refused, mut own) = (Vec::new(), Vec::new(), 0);
    let mut redactor = Redactor::from_environment();
    let by_name: HashMap<String, &Function> =
        index.functions().map(|function| (format!("{}.{}", function.id.module(), function.id.qualname()), function)).collect();
    let classes = classes(index);
    for path in paths {
        let is_ours = |ty: &TypeName| classes.contains_key(&format!("{}.{}", ty.module, ty.qualname));
        let call = trace::read(&path, &is_ours).map_err(NotTaken::from);
        if call.as_ref().is_ok_and(|old| old.recorded.is_some_and(|began| here.contains(&began))) {
            own += 1;
            continue;
        }
        let call = call.and_then(|old| call_of(&by_name, &classes, old, &mut redactor));
        match call {
            Ok(call) => calls.push(call),
            Err(reason) => refused.push(Refusal { path, reason }),
        }
    }
    (calls, refused, own)
}

/// Gives the classes of the project by their dotted names, each with what its objects are.
fn classes(index: &Index) -> Classes {
    let of_module = |module: &Module| {
        let kind = |class: &Class| {
            let is_dataclass = |decorator: &String| decorator.split('(').next().is_some_and(|name| name.ends_with("dataclass"));
            if class.decorators.iter().any(is_dataclass) { ObjectKind::Dataclass } else { ObjectKind::Plain }
        };
        let named = |class: &Class| {
            let ty = TypeName::new(&module.name, &class.qualname);
            (format!("{}.{}", module.name, class.qualname), (ty, kind(class)))
        };
        module.classes.iter().map(named).collect::<Vec<_>>()
    };
    index.modules().flat_map(|module| of_module(module)).collect()
}

type Classes = HashMap<String, (TypeName, ObjectKind)>;

/// The number of the object of a method: no other object of a trace has it.
const RECEIVER: u64 = 1 << 32;

fn call_of(
    by_name: &HashMap<String, &Function>,
    classes: &Classes,
    mut old: OldCall,
    redactor: &mut Redactor,
) -> Result<(Call, String), NotTaken> {
    let name = text::display_line(&old.function).into_owned();
    let function = by_name.get(&old.function).ok_or_else(|| NotTaken::UnknownFunction(name.clone()))?;
    let mut params = function.params.as_slice();
    let mut args = Vec::new();
    let mut changed = Vec::new();
    let class = function.id.qualname().rsplit_once('.').map(|(class, _)| format!("{}.{class}", function.id.module()));
    match function.kind {
        FunctionKind::Function | FunctionKind::StaticMethod => {}
        FunctionKind::ClassMethod => {
            let (Some((first, rest)), Some((class, _))) = (params.split_first(), function.id.qualname().rsplit_once('.')) else {
                return Err(NotTaken::NoClass(name));
            };
            let value = Value::Name(TypeName::new(function.id.module(), class));
            args.push(Argument::new(&first.name, first.kind, value));
            params = rest;
            if matches!(old.args.first(), Some(first) if old.is_graph && old.args.len() > params.len() || matches!(first, Value::Name(_)))
            {
                old.args.remove(0);
            }
        }
        FunctionKind::Method => {
            let on_object = || trace::Refused::OnObject;
            let (first, rest) = params.split_first().ok_or_else(on_object)?;
            let (class, before, after) = match old.receiver.take() {
                Some(object) => (object.class, object.before, object.after),
                // A graph has its public fields, as they were after the call: whether they are enough, making it again tells.
                None if old.is_graph && !old.args.is_empty() => {
                    let fields = trace::fields(old.args.remove(0)).ok_or_else(on_object)?;
                    (class.ok_or_else(on_object)?, fields.clone(), fields)
                }
                None => return Err(on_object().into()),
            };
            let (ty, kind) = classes.get(&class).cloned().ok_or_else(on_object)?;
            let object = |fields| Value::Object { ordinal: RECEIVER, ty: ty.clone(), kind, fields };
            if before != after {
                changed.push((first.name.clone(), object(after)));
            }
            args.push(Argument::new(&first.name, first.kind, object(before)));
            params = rest;
        }
        FunctionKind::Property | FunctionKind::Nested => return Err(trace::Refused::OnObject.into()),
    }
    if function.is_generator || function.is_async {
        return Err(NotTaken::Lazy(name));
    }
    args.extend(bound(params, old.args, old.kwargs).map_err(|why| NotTaken::OtherArguments { function: name, why })?);
    let mut outcome = Outcome::Returned(old.result);
    let mut tell_kind = |value: &mut Value| {
        each(value, &mut |part| {
            if let Value::Object { ty, kind, .. } = part
                && let Some((_, known)) = classes.get(&format!("{}.{}", ty.module, ty.qualname))
            {
                *kind = *known;
            }
        });
        clean(value, redactor, None);
    };
    args.iter_mut().for_each(|arg| tell_kind(&mut arg.value));
    changed.iter_mut().for_each(|(_, value)| tell_kind(value));
    if let Outcome::Returned(value) = &mut outcome {
        tell_kind(value);
    }
    placed::take_out_of_all(&mut args, redactor);
    let call = Call {
        id: CallId(0),
        recording: RecordingId(0),
        input: digest(&function.id, args.clone()),
        function: function.id.clone(),
        parent: None,
        caller: None,
        caller_line: None,
        direct: true,
        thread: 0,
        task: 0,
        receiver: None,
        start_ns: 0,
        duration_ns: 0,
        args,
        way: Way::default(),
        effect: Effect { outcome, changed },
        touches: Vec::new(),
        observed: Observation::default(),
        times: 1,
    };
    Ok((call, function.path.as_str().to_owned()))
}

/// Gives each parameter its value, as a call with these arguments would.
fn bound(params: &[Param], args: Vec<Value>, kwargs: Vec<(String, Value)>) -> Result<Vec<Argument>, String> {
    let mut given = args.into_iter();
    let mut named = kwargs;
    let mut out = Vec::with_capacity(params.len());
    for param in params {
        let by_name = |named: &mut Vec<(String, Value)>| {
            let at = named.iter().position(|(name, _)| *name == param.name)?;
            Some(named.remove(at).1)
        };
        let value = match param.kind {
            ParamKind::VarPositional => Some(Value::Tuple(given.by_ref().collect())),
            ParamKind::VarKeyword => {
                let rest = std::mem::take(&mut named);
                Some(Value::Dict(rest.into_iter().map(|(name, value)| (Value::Str(name), value)).collect()))
            }
            ParamKind::PositionalOnly => given.next(),
            ParamKind::PositionalOrKeyword => given.next().or_else(|| by_name(&mut named)),
            ParamKind::KeywordOnly => by_name(&mut named),
        };
        out.push(match (value, param.default.as_deref()) {
            (Some(value), _) => Argument::new(&param.name, param.kind, value),
            (None, Some(default)) => match literal(default) {
                Some(value) => Argument::new(&param.name, param.kind, value),
                // The function makes it, whatever it is.
                None => Argument { given: Given::LeftOut, ..Argument::new(&param.name, param.kind, Value::Ellipsis) },
            },
            (None, None) => return Err(format!("{} is missing", param.name)),
        });
    }
    match (given.next(), named.first()) {
        (None, None) => Ok(out),
        (Some(_), _) => Err("there are more of them than parameters".into()),
        (None, Some((name, _))) => Err(format!("there is no parameter {}", text::display_line(name))),
    }
}

/// Reads a default as it is written, where it is as plain as they usually are.
fn literal(source: &str) -> Option<Value> {
    let source = source.trim();
    let quoted = |quote: char| {
        let inside = source.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inside.contains(['\\', quote])).then(|| Value::Str(inside.to_owned()))
    };
    match source {
        "None" => Some(Value::None),
        "True" => Some(Value::Bool(true)),
        "False" => Some(Value::Bool(false)),
        "()" => Some(Value::Tuple(Vec::new())),
        "[]" => Some(Value::List(Vec::new())),
        "{}" => Some(Value::Dict(Vec::new())),
        _ if source.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) => {
            let float = || source.contains('.').then(|| source.parse().ok().map(Value::Float)).flatten();
            source.parse().ok().map(Value::Int).or_else(float)
        }
        _ => quoted('"').or_else(|| quoted('\'')),
    }
}

/// Makes one batch of all calls; those with one input are one call, seen so often.
fn batch_of(calls: Vec<(Call, String)>) -> Batch {
    let mut batch = Batch::default();
    let mut numbers: HashMap<Digest, usize> = HashMap::new();
    let mut counts: HashMap<FunctionId, FunctionCount> = HashMap::new();
    for (call, path) in calls {
        let count = counts.entry(call.function.clone());
        let zero = || FunctionCount { function: call.function.clone(), calls: 0, missed: BTreeSet::new() };
        count.or_insert_with(zero).calls += 1;
        if let Some(at) = numbers.get(&call.input) {
            batch.times[*at].times += 1;
            continue;
        }
        numbers.insert(call.input, batch.calls.len());
        let number = i64::try_from(batch.calls.len() + 1).unwrap_or(i64::MAX);
        // Numbers of processes are above 0.
        let spool = SpoolCall { process: 0, number };
        batch.times.push(CallTimes { spool, times: 1 });
        batch.ends.push(CallEnd {
            spool,
            outcome: encode_outcome(&call.effect),
            failed: false,
            duration_ns: 0,
            not_replayable: call.not_replayable(),
        });
        batch.calls.push(NewCall {
            spool,
            args: encode_arguments(&call.args, call.way),
            path,
            parent: None,
            caller: None,
            caller_line: None,
            direct: true,
            thread: 0,
            task: 0,
            receiver: None,
            start_ns: number,
            input: call.input,
            function: call.function,
        });
    }
    batch.counts = counts.into_values().collect();
    batch.counts.sort_by(|one, other| one.function.cmp(&other.function));
    batch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(name: &str, kind: ParamKind, default: Option<&str>) -> Param {
        Param { name: name.into(), kind, annotation: None, default: default.map(str::to_owned) }
    }

    #[test]
    fn arguments_find_their_parameters_as_in_a_call() {
        use ParamKind::{KeywordOnly, PositionalOrKeyword, VarKeyword, VarPositional};
        let params = [
            param("a", PositionalOrKeyword, None),
            param("b", PositionalOrKeyword, Some("'x'")),
            param("rest", VarPositional, None),
            param("c", KeywordOnly, Some("-1.5")),
            param("more", VarKeyword, None),
        ];
        let values = |args: &[i64], kwargs: &[(&str, i64)]| {
            let kwargs = kwargs.iter().map(|(name, value)| ((*name).to_owned(), Value::Int(*value))).collect();
            let bound = bound(&params, args.iter().map(|value| Value::Int(*value)).collect(), kwargs)?;
            Ok::<_, String>(bound.into_iter().map(|arg| arg.value.summary(80)).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(values(&[1], &[]).unwrap(), "1 'x' () -1.5 {}");
        assert_eq!(values(&[1, 2, 3], &[("c", 4), ("d", 5)]).unwrap(), "1 2 (3,) 4 {'d': 5}");
        assert_eq!(values(&[], &[("b", 2), ("a", 1)]).unwrap(), "1 2 () -1.5 {}");
        assert_eq!(values(&[], &[]).unwrap_err(), "a is missing");
        let few = [param("a", PositionalOrKeyword, Some("make()"))];
        assert_eq!(bound(&few, vec![], vec![]).unwrap()[0].given, Given::LeftOut, "the function makes it");
        assert!(bound(&few, vec![Value::None, Value::None], vec![]).unwrap_err().contains("more of them"));
        assert!(bound(&few, vec![Value::None], vec![("z".into(), Value::None)]).unwrap_err().contains("no parameter z"));
    }
}
