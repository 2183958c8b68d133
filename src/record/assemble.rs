//! One recorded process: its records put together to calls.
//!
//! Ids mean something inside one process only; its files, one a thread, share them. What leaves is in the words of
//! `domain/batch.rs`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::paths::RelPath;
use crate::base::redact::Redactor;
use crate::domain::batch::{Batch, CallEnd, CallTimes, CallTouch, Edge, NewCall, SpoolCall};
use crate::domain::call::{Argument, DECORATORS_MAX, Effect, GeneratorEnd, Outcome, YIELDS_KEPT, not_callable, touched, unended};
use crate::domain::function::{FunctionId, ParamKind};
use crate::domain::parts::type_of;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::recorded_test::{Program, RecordedTest, Runner, Started, TestSession};
use crate::domain::touch::Touch;
use crate::domain::value::{TypeName, Value};
use crate::domain::way::{Given, Led, Way};
use crate::python::marshal::{DecodeError, Tree};
use crate::python::value::{Parts, encode_arguments, encode_outcome, from_tree};
use crate::record::inputs::{clean, clean_effect, digest, variant_of};
use crate::record::placed;

/// A module as a process loaded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedModule {
    /// The name it was imported by; `__main__` stays so.
    pub name: String,
    /// Its file below the root.
    pub path: RelPath,
    /// SHA-256 of the source in hexadecimal; empty where it is not known.
    pub sha256: String,
}

/// What the head of a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// The format's version.
    pub(super) version: u64,
    /// The process.
    pub(super) pid: i64,
    /// The file's number in its process.
    pub(super) thread: u32,
    /// When it began, in nanoseconds since 1970 and on the clock of all other times.
    pub(super) wall_ns: i64,
    pub(super) clock_ns: i64,
    /// `3.12.1`
    pub(super) python: String,
    /// Every event is wanted, in its order, and not calls alone.
    pub(super) journey: bool,
}

/// Reads the head of a file.
pub(super) fn head(parts: &mut Parts) -> Result<Head, DecodeError> {
    let version = parts.natural()?;
    parts.text()?;
    let pid = parts.int()?;
    parts.tree()?;
    let thread = u32::try_from(parts.natural()?).unwrap_or(u32::MAX);
    let (wall_ns, clock_ns, python) = (parts.int()?, parts.int()?, parts.text()?);
    Ok(Head { version, pid, thread, wall_ns, clock_ns, python, journey: parts.text()? == "journey" })
}

/// A function as a process knows it.
#[derive(Debug, Clone)]
struct Known {
    id: FunctionId,
    path: RelPath,
    yields: bool,
    is_coroutine: bool,
    params: Vec<(String, ParamKind)>,
}

/// Calls of a process that are remembered while no session of tests is known.
const BEFORE_MAX: usize = 20_000;

/// How often a function was called.
#[derive(Debug, Clone, Default)]
pub(super) struct Counted {
    /// Calls and those that raised, as the recorder counted them.
    pub(super) calls: u64,
    pub(super) raised: u64,
    /// The same among the calls kept: what is known before the recorder says more.
    pub(super) kept: u64,
    pub(super) kept_raised: u64,
    /// By caller's number and line.
    pub(super) callers: Vec<(Option<u64>, Option<u32>, u64)>,
    /// Lines that only calls ran which were not kept.
    pub(super) missed: Vec<u32>,
}

/// A call that has not ended, and what its end has to know of its start.
struct Open {
    function: u64,
    start_ns: i64,
    /// Why nobody else can make the call, whatever it touches.
    obstacle: Option<Reason>,
    touches: Vec<Touch>,
    parent: Option<i64>,
    /// The name that leads to the function, where another one made it.
    bound: Option<FunctionId>,
    /// How the function ended that is defined under that name, and that a decorator put this one around.
    inner: Option<Vec<u8>>,
    yields: bool,
    yielded: Vec<Value>,
    capped: bool,
}

/// What all processes of a recording share while records are read.
pub(super) struct Scene<'a> {
    pub(super) resolve: &'a dyn Fn(&str, &str, u32) -> Option<FunctionId>,
    pub(super) is_class: &'a dyn Fn(&TypeName) -> bool,
    pub(super) redactor: &'a mut Redactor,
    pub(super) batch: &'a mut Batch,
    /// From the clock of this file's process to nanoseconds since the recording's start.
    pub(super) shift_ns: i64,
    pub(super) thread: u32,
    /// The test that the calls which follow in this file belong to.
    pub(super) test: &'a mut Option<Arc<RecordedTest>>,
}

/// One process.
#[derive(Default)]
pub(super) struct Process {
    pid: i64,
    modules: HashMap<u64, LoadedModule>,
    functions: HashMap<u64, Known>,
    counted: HashMap<u64, Counted>,
    changed: BTreeSet<u64>,
    open: HashMap<i64, Open>,
    main: Option<String>,
    sessions: HashMap<u64, Arc<TestSession>>,
    /// The calls before the first session of tests is known: they belong to its start.
    before: Vec<SpoolCall>,
}

impl Process {
    pub(super) fn new(pid: i64) -> Self {
        Self { pid, ..Self::default() }
    }

    /// Gives the modules, in no order.
    pub(super) fn modules(&self) -> impl Iterator<Item = &LoadedModule> {
        self.modules.values()
    }

    /// Gives the numbers of the functions whose counts changed since this was last asked.
    pub(super) fn take_changed(&mut self) -> BTreeSet<u64> {
        std::mem::take(&mut self.changed)
    }

    /// Gives how often a function was called.
    pub(super) fn counted(&self, number: u64) -> Option<&Counted> {
        self.counted.get(&number)
    }

    fn counting(&mut self, number: u64) -> &mut Counted {
        self.changed.insert(number);
        self.counted.entry(number).or_default()
    }

    /// Names a function by its number.
    pub(super) fn function(&self, number: u64) -> Option<&FunctionId> {
        self.functions.get(&number).map(|known| &known.id)
    }

    /// Takes in one record of a known kind; others are passed over.
    pub(super) fn record(&mut self, kind: &str, mut parts: Parts, scene: &mut Scene<'_>) -> Result<(), DecodeError> {
        let parts = &mut parts;
        match kind {
            "M" => self.module(parts),
            "F" => self.define(parts, scene).map(|_| ()),
            "C" => self.begin(parts, scene),
            "R" => {
                let (number, ns) = (parts.int()?, parts.int()?);
                let (value, changed) = (parts.value()?, parts.fields()?);
                self.end(number, ns, Outcome::Returned(value), changed, scene);
                Ok(())
            }
            "X" => {
                let (number, ns) = (parts.int()?, parts.int()?);
                let (exception, mro) = (parts.value()?, parts.texts()?);
                parts.tree()?;
                parts.tree()?;
                let changed = parts.fields()?;
                self.end(number, ns, Outcome::Raised { exception, mro }, changed, scene);
                Ok(())
            }
            "Y" => {
                let number = parts.int()?;
                parts.int()?;
                let value = parts.value()?;
                if let Some(open) = self.open.get_mut(&number) {
                    if open.yielded.len() < YIELDS_KEPT { open.yielded.push(value) } else { open.capped = true }
                }
                Ok(())
            }
            "T" => {
                let (number, ns) = (parts.int()?, parts.int()?);
                if parts.text()? == "closed" && self.open.get(&number).is_some_and(|open| open.yields) {
                    self.end(number, ns, Outcome::Unfinished, Vec::new(), scene);
                }
                Ok(())
            }
            "D" => {
                let (caller, callee) = (parts.natural()?, parts.natural()?);
                if let (Some(caller), Some(callee)) = (self.function(caller), self.function(callee)) {
                    scene.batch.edges.push(Edge { caller: caller.clone(), callee: callee.clone().into() });
                }
                Ok(())
            }
            "E" => self.touch(parts, scene),
            "N" => self.count(parts, scene),
            "K" => self.session(parts, scene),
            "B" => self.test_begins(parts, scene),
            _ => Ok(()),
        }
    }

    /// Takes in how a session of tests was started. Where there are secrets on its command line, its tests cannot be run again.
    fn session(&mut self, parts: &mut Parts, scene: &mut Scene<'_>) -> Result<(), DecodeError> {
        let number = parts.natural()?;
        let (root, config) = (parts.text()?, parts.text_or_none()?);
        let (words, cwd, path) = (parts.texts()?, parts.text()?, parts.texts()?);
        let program = if parts.is_empty() { None } else { Some(Parts::of(parts.tree()?, "a program")?) };
        let runner = match program {
            None => Runner::Pytest { config, options: words },
            Some(mut parts) => {
                let (runner, how, what, settings) = (parts.text()?, parts.text()?, parts.text()?, parts.text_or_none()?);
                let how = match how.as_str() {
                    "module" => Started::Module,
                    "script" => Started::Script,
                    "code" => Started::Code,
                    _ => return Err(DecodeError::form("a program is started in a known way")),
                };
                let program = Program { how, what, arguments: words, settings };
                if runner == "django" { Runner::Django(program) } else { Runner::Unittest(program) }
            }
        };
        if runner.typed().all(|word| scene.redactor.redact(word).is_none()) {
            let session = Arc::new(TestSession { root, cwd, path, runner });
            let start = Arc::new(RecordedTest::start_of(session.clone()));
            scene.batch.in_tests.extend(self.before.drain(..).map(|call| (call, start.clone())));
            self.sessions.insert(number, session);
        }
        Ok(())
    }

    fn test_begins(&self, parts: &mut Parts, scene: &mut Scene<'_>) -> Result<(), DecodeError> {
        let (name, session) = (parts.text_or_none()?, parts.natural_or_none()?);
        let session = session.and_then(|number| self.sessions.get(&number)).cloned();
        let test = name.zip(session).filter(|(name, _)| scene.redactor.redact(name).is_none());
        *scene.test = test.map(|(name, session)| Arc::new(RecordedTest { name, session }));
        Ok(())
    }

    fn module(&mut self, parts: &mut Parts) -> Result<(), DecodeError> {
        let (number, name, path, sha256) = (parts.natural()?, parts.text()?, parts.text()?, parts.text()?);
        let path = RelPath::new(&path).ok_or_else(|| DecodeError::form("a module's path lies below the root"))?;
        if name == "__main__" && self.main.is_none() {
            self.main = Some(dotted(&path));
        }
        self.modules.insert(number, LoadedModule { name, path, sha256 });
        Ok(())
    }

    /// Takes in the definition of a function and gives its id.
    pub(super) fn define(&mut self, parts: &mut Parts, scene: &Scene<'_>) -> Result<FunctionId, DecodeError> {
        let (number, module, qualname) = (parts.natural()?, parts.natural()?, parts.text()?);
        let (line, flags) = (u32::try_from(parts.natural()?).unwrap_or(0), parts.natural()?);
        let params = parts.sequence()?.into_iter().map(param).collect::<Result<_, _>>()?;
        let module = self.modules.get(&module).ok_or_else(|| DecodeError::form("a function's module is known before it"))?;
        let path = module.path.clone();
        let is_main = module.name == "__main__";
        let found = (scene.resolve)(path.as_str(), &qualname, line);
        if let Some(found) = found.as_ref().filter(|_| is_main) {
            self.main = Some(found.module().to_owned());
        }
        let name = if is_main { self.main.as_deref().unwrap_or("__main__") } else { &module.name };
        let id = found.unwrap_or_else(|| FunctionId::new(name, &qualname));
        // A coroutine's suspensions are no values.
        let (yields, is_coroutine) = (flags & 0b101 != 0, flags & 0b10 != 0);
        self.functions.insert(number, Known { id: id.clone(), path, yields, is_coroutine, params });
        Ok(id)
    }

    fn begin(&mut self, parts: &mut Parts, scene: &mut Scene<'_>) -> Result<(), DecodeError> {
        let (number, function, parent) = (parts.int()?, parts.natural()?, parts.natural_or_none()?);
        let (ns, direct, task) = (parts.int()?, parts.bool()?, parts.natural()?);
        let (receiver, values) = (parts.natural_or_none()?, parts.sequence()?);
        let (caller, line) = (parts.natural_or_none()?, parts.natural_or_none()?);
        // Before a name that leads to the function stands whether a journey tells the call in brief.
        let bound = if parts.is_empty() { None } else { parts.bool().and_then(|_| parts.text_or_none())? };
        let how = if parts.is_empty() { None } else { Some(parts.text()?) };
        let variant = if parts.is_empty() { 0 } else { parts.natural()? };
        let known = self.functions.get(&function).ok_or_else(|| DecodeError::form("a function is known before its calls"))?;
        let mut args = Vec::with_capacity(values.len());
        for ((name, kind), tree) in known.params.iter().zip(values) {
            let mut value = from_tree(tree)?;
            clean(&mut value, scene.redactor, self.main.as_deref());
            value.walk(&mut |part| {
                if let Some(ty) = type_of(part).filter(|ty| (scene.is_class)(ty)) {
                    let class = FunctionId::new(&ty.module, &ty.qualname);
                    scene.batch.edges.push(Edge { caller: known.id.clone(), callee: class.into() });
                }
                true
            });
            args.push(Argument::new(name, *kind, value));
        }
        placed::take_out_of_all(&mut args, scene.redactor);
        let mut letters = how.iter().flat_map(|how| how.chars());
        let way = Way { led: letters.next().map(Led::from_letter).unwrap_or_default(), is_coroutine: known.is_coroutine };
        args.iter_mut().zip(letters).for_each(|(arg, letter)| arg.given = Given::from_letter(letter));
        let bound = bound.map(|name| match (self.main.as_deref(), name.strip_prefix("__main__:")) {
            (Some(main), Some(qualname)) => FunctionId::new(main, qualname),
            _ => FunctionId(name),
        });
        let spool = SpoolCall { process: self.pid, number };
        let open = Open {
            function,
            start_ns: ns.saturating_add(scene.shift_ns),
            obstacle: not_callable(&known.id, bound.is_some(), &args),
            touches: Vec::new(),
            parent: parent.and_then(|parent| i64::try_from(parent).ok()),
            bound: bound.clone(),
            inner: None,
            yields: known.yields,
            yielded: Vec::new(),
            capped: false,
        };
        if let Some(test) = &scene.test {
            scene.batch.in_tests.push((spool, test.clone()));
        } else if self.sessions.is_empty() && self.before.len() < BEFORE_MAX {
            self.before.push(spool);
        }
        if let Some(name) = &bound {
            scene.batch.touches.push(CallTouch { spool, touch: Touch::Bound(name.clone()) });
        }
        scene.batch.calls.push(NewCall {
            spool,
            function: known.id.clone(),
            path: known.path.as_str().to_owned(),
            parent: open.parent,
            caller: caller.and_then(|caller| self.function(caller)).cloned(),
            caller_line: line.and_then(|line| u32::try_from(line).ok()),
            direct,
            thread: scene.thread,
            task: u32::try_from(task).unwrap_or(u32::MAX),
            receiver,
            start_ns: open.start_ns,
            args: encode_arguments(&args, way),
            input: variant_of(digest(bound.as_ref().unwrap_or(&known.id), args), variant),
        });
        self.counting(function).kept += 1;
        self.open.insert(number, open);
        Ok(())
    }

    fn end(&mut self, number: i64, ns: i64, outcome: Outcome, changed: Vec<(String, Value)>, scene: &mut Scene<'_>) {
        // A closed generator may still be resumed by its own `finally`; what comes after the first end is not an end.
        let Some(open) = self.open.remove(&number) else { return };
        let Open { function, start_ns, mut obstacle, touches, parent, bound, inner, yields, yielded, capped } = open;
        let mut outcome = outcome;
        if yields {
            let end = match outcome {
                _ if capped => GeneratorEnd::Open,
                Outcome::Returned(value) => GeneratorEnd::Returned(value),
                Outcome::Raised { exception, .. } => GeneratorEnd::Raised(exception),
                _ => GeneratorEnd::Open,
            };
            outcome = Outcome::Yielded { items: yielded, end };
        }
        let main = self.main.as_deref();
        let mut effect = Effect { outcome, changed };
        clean_effect(&mut effect, scene.redactor, main);
        if let Some(around) = self.decorator(function, parent) {
            around.inner = Some(ending(&effect));
        }
        if bound.is_some() && inner.is_some_and(|inner| inner == ending(&effect)) {
            obstacle = Some(ReasonCode::WrapperDuplicate.into());
        }
        let failed = effect.outcome.is_failure();
        if failed {
            self.counting(function).kept_raised += 1;
        }
        scene.batch.ends.push(CallEnd {
            spool: SpoolCall { process: self.pid, number },
            outcome: encode_outcome(&effect),
            failed,
            duration_ns: ns.saturating_add(scene.shift_ns).saturating_sub(start_ns),
            not_replayable: unended(&effect.outcome).or_else(|| touched(&touches)).or(obstacle),
        });
    }

    /// Finds the call that a decorator put around this one: the same name leads to it.
    fn decorator(&mut self, function: u64, mut parent: Option<i64>) -> Option<&mut Open> {
        let id = &self.functions.get(&function)?.id;
        for _ in 0..DECORATORS_MAX {
            let around = self.open.get(&parent?)?;
            if around.bound.as_ref() == Some(id) {
                return self.open.get_mut(&parent?);
            }
            // There may be others in between, which no name leads to.
            let made = &self.functions.get(&around.function)?.id;
            if around.bound.is_some() || !made.qualname().contains("<locals>") {
                return None;
            }
            parent = around.parent;
        }
        None
    }

    fn touch(&mut self, parts: &mut Parts, scene: &mut Scene<'_>) -> Result<(), DecodeError> {
        let (number, kind, detail) = (parts.tree()?, parts.text()?, parts.text()?);
        let Tree::Int(number) = number else {
            // Of what happened outside any kept call only this is needed: some modules cannot be imported without the one, and
            // clients are answered without any call of the project.
            let detail = scene.redactor.redact(&detail).unwrap_or(detail);
            match Touch::from_stored(&kind, detail) {
                Touch::Variable { name, value } => scene.batch.import_variables.push((name, value)),
                Touch::Answer(json) => scene.batch.answers.push((self.pid, json)),
                _ => {}
            }
            return Ok(());
        };
        let touch = match (scene.redactor.redact(&detail), Touch::from_stored(&kind, detail)) {
            // With a secret taken out a file is another file, and a command another command.
            (Some(_), Touch::Content { .. } | Touch::Variable { .. } | Touch::CommandLine(_)) => return Ok(()),
            // Also one that only its words together tell.
            (None, Touch::CommandLine(words)) if scene.redactor.redact(&words.join(" ")).is_some() => return Ok(()),
            (Some(redacted), _) => Touch::from_stored(&kind, redacted),
            (None, touch) => touch,
        };
        if let Some(open) = self.open.get_mut(&number) {
            open.touches.push(touch.clone());
        }
        scene.batch.touches.push(CallTouch { spool: SpoolCall { process: self.pid, number }, touch });
        Ok(())
    }

    fn count(&mut self, parts: &mut Parts, scene: &mut Scene<'_>) -> Result<(), DecodeError> {
        let (function, calls, raised) = (parts.natural()?, parts.natural()?, parts.natural()?);
        if self.counted.get(&function).is_some_and(|known| known.calls > calls) {
            // Any thread's file may hold counts, and files are read one after another: this one is the older.
            return Ok(());
        }
        for item in parts.sequence()? {
            let mut pair = Parts::of(item, "a repetition")?;
            let (number, times) = (pair.int()?, pair.natural()?);
            scene.batch.times.push(CallTimes { spool: SpoolCall { process: self.pid, number }, times: times.saturating_add(1) });
        }
        let mut callers = Vec::new();
        for item in parts.sequence()? {
            let mut place = Parts::of(item, "a caller")?;
            let (caller, line) = (place.natural_or_none()?, place.natural_or_none()?);
            callers.push((caller, line.and_then(|line| u32::try_from(line).ok()), place.natural()?));
        }
        // Absent in spools of earlier recorders.
        let mut missed = Vec::new();
        for line in if parts.is_empty() { Vec::new() } else { parts.sequence()? } {
            let Tree::Int(line) = line else { return Err(DecodeError::form("a line is a number")) };
            missed.extend(u32::try_from(line));
        }
        let counted = self.counting(function);
        (counted.calls, counted.raised, counted.callers, counted.missed) = (calls, raised, callers, missed);
        Ok(())
    }
}

pub(super) fn param(tree: Tree) -> Result<(String, ParamKind), DecodeError> {
    let mut pair = Parts::of(tree, "a parameter")?;
    let name = pair.text()?;
    let kind = ParamKind::from_number(pair.int()?).ok_or_else(|| DecodeError::form("a parameter has a known kind"))?;
    Ok((name, kind))
}

/// Guesses the name a file is imported by, for files that are in no index.
pub(super) fn dotted(path: &RelPath) -> String {
    let path = path.as_str().strip_prefix("src/").unwrap_or(path.as_str());
    let path = path.strip_suffix(".py").unwrap_or(path);
    path.strip_suffix("/__init__").unwrap_or(path).replace('/', ".")
}

/// Writes how a call ended, whatever it changed.
fn ending(effect: &Effect) -> Vec<u8> {
    encode_outcome(&Effect { outcome: effect.outcome.clone(), changed: Vec::new() })
}
