//! Finds the functions that a clause names among all that the project defines, called or not.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::paths::nearest;
use crate::domain::callee::Callee;
use crate::domain::clause::{Calls, Clause, Head, Scope};
use crate::domain::function::{Function, FunctionId, ParamKind};

/// A clause is read in so many ways at most.
const READINGS_MAX: usize = 16;

/// What a project defines.
#[derive(Debug, Clone, Default)]
pub struct Names {
    functions: BTreeMap<Callee, Parameters>,
    nearby: Nearby,
}

/// What a name means to the author of a clause, where several functions have it.
#[derive(Debug, Clone, Default)]
pub struct Nearby {
    /// What the names of the test's own module stand for, with dots: `Cart` → `shop.cart.Cart`.
    pub bound: BTreeMap<String, String>,
    /// The modules that it imports, or imports from.
    pub modules: BTreeSet<String>,
    /// What ran in the journey.
    pub ran: BTreeSet<Callee>,
    /// What packages of the project bring from other modules, with dots: `shop.Cart` → `shop.cart.Cart`.
    pub brought: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Default)]
struct Parameters {
    names: Vec<String>,
    /// Takes any others, too.
    open: bool,
}

/// A clause whose names are functions.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The clause.
    pub clause: Clause,
    functions: BTreeMap<String, Callee>,
}

impl Bound {
    /// Lists the names of the clause with the functions that they mean.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &Callee)> {
        self.functions.iter().map(|(written, id)| (written.as_str(), id))
    }

    /// Gives the function that a name of the clause means.
    pub(super) fn function(&self, written: &str) -> Option<&Callee> {
        self.functions.get(written)
    }
}

/// The ways to read a clause.
#[derive(Debug, Clone)]
pub struct Readings {
    /// One of them.
    pub first: Bound,
    /// The others.
    pub others: Vec<Bound>,
    /// Where there are others: the first name that means several functions.
    pub ambiguity: Option<Unresolved>,
}

/// Why a name means nothing here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Unresolved {
    /// No function of the project is called so.
    #[error("No function of the project is called {name}.{}", did_you_mean(nearest))]
    Unknown { name: String, nearest: Vec<String> },
    /// Several are.
    #[error("{name} may be {}. Say which one.", candidates.join(", "))]
    Ambiguous { name: String, candidates: Vec<String> },
    /// The function has no such parameter.
    #[error("{function} has no parameter {name}.{}", did_you_mean(nearest))]
    Parameter { function: Callee, name: String, nearest: Vec<String> },
}

fn did_you_mean(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" Did you mean {}?", names.join(" or ")) }
}

impl Names {
    /// Takes the functions of a project.
    pub fn new<'a>(functions: impl IntoIterator<Item = &'a Function>) -> Self {
        let functions = functions.into_iter().map(|function| {
            let open = function.params.iter().any(|param| param.kind == ParamKind::VarKeyword);
            let names = function.params.iter().map(|param| param.name.clone()).collect();
            // Twins of one name (`#2`) are one function for whoever speaks of it.
            let id = FunctionId(function.id.0.split('#').next().unwrap_or(&function.id.0).to_owned());
            (Callee::Function(id), Parameters { names, open })
        });
        Self { functions: functions.collect(), nearby: Nearby::default() }
    }

    /// Lets what is near decide between functions of one name.
    #[must_use]
    pub fn near(self, nearby: Nearby) -> Self {
        Self { nearby, ..self }
    }

    /// Takes functions and tools of which only the names are known: they may have any parameters.
    pub fn of(functions: impl IntoIterator<Item = Callee>) -> Self {
        let any = || Parameters { names: Vec::new(), open: true };
        Self { functions: functions.into_iter().map(|id| (id, any())).collect(), nearby: Nearby::default() }
    }

    /// Finds the function that a name means: as the test's own module reads it, else by its whole name, else by the end of it, else by
    /// the package that brings it. Of several, those count whose class or function the module imports, or which ran.
    ///
    /// # Errors
    ///
    /// When there is none, or several.
    pub fn resolve(&self, written: &str) -> Result<&Callee, Unresolved> {
        match self.candidates(written)?.as_slice() {
            [one] => Ok(one),
            several => Err(ambiguous(written, several)),
        }
    }

    /// Finds the functions that a name may mean: one, or several that nothing decides between.
    fn candidates(&self, written: &str) -> Result<Vec<&Callee>, Unresolved> {
        let written = written.replace(':', ".");
        let by = |fits: &dyn Fn(&Callee) -> bool| self.functions.keys().filter(|id| fits(id)).collect::<Vec<_>>();
        let whole = by(&|id| id.qualname() == written || dotted(id) == written);
        let found = if let Some(read) = self.nearby.read(&written)
            && let [own] = by(&|id| dotted(id) == read).as_slice()
        {
            vec![*own]
        } else if whole.is_empty() {
            by(&|id| dotted(id).strip_suffix(written.as_str()).is_some_and(|rest| rest.ends_with('.')))
        } else {
            whole
        };
        let found = if found.is_empty() {
            let brought = self.nearby.read(&written).and_then(|read| self.nearby.brought(&read));
            let brought = brought.or_else(|| self.nearby.brought(&written));
            brought.map(|whole| by(&|id| dotted(id) == whole)).unwrap_or_default()
        } else {
            self.nearby.fitting(found)
        };
        if found.is_empty() {
            let known: Vec<&str> = self.functions.keys().map(Callee::qualname).collect();
            let nearest = nearest(&written, known).into_iter().map(str::to_owned).collect();
            return Err(Unresolved::Unknown { name: written, nearest });
        }
        Ok(found)
    }

    /// Gives the shortest name that means this function; none where it has none.
    #[must_use]
    pub fn shortest(&self, function: &Callee) -> Option<String> {
        let qualname = function.qualname();
        let whole = dotted(function);
        let names = [qualname.rsplit('.').next().unwrap_or(qualname), qualname, whole.as_str()];
        // A method says its class.
        let names = &names[usize::from(qualname.contains('.'))..];
        names.iter().find(|name| self.resolve(name) == Ok(function)).map(|name| (*name).to_owned())
    }

    /// Names a function for whoever reads about it: as short as it is told from the others, or whole.
    #[must_use]
    pub fn called(&self, function: &Callee) -> String {
        self.shortest(function).unwrap_or_else(|| function.text().into_owned())
    }

    /// Finds all functions of a clause, and checks that their parameters are there.
    ///
    /// # Errors
    ///
    /// For the first name that means nothing, or several things.
    pub fn bind(&self, clause: Clause) -> Result<Bound, Unresolved> {
        let Readings { first, ambiguity, .. } = self.readings(clause)?;
        ambiguity.map_or(Ok(first), Err)
    }

    /// Reads a clause in every way that its names allow.
    ///
    /// # Errors
    ///
    /// For the first name that means nothing, and where there are too many readings.
    pub fn readings(&self, mut clause: Clause) -> Result<Readings, Unresolved> {
        // "returned by Roll.add.id": what follows the function's name is a field of its result.
        if let Head::Receives { from, field: field @ None, .. } = &mut clause.head
            && self.resolve(from).is_err()
            && let Some((function, rest)) = from.rsplit_once('.')
            && self.resolve(function).is_ok()
        {
            (*field, *from) = (Some(rest.to_owned()), function.to_owned());
        }
        let mut readings: Vec<BTreeMap<String, Callee>> = vec![BTreeMap::new()];
        let mut several = None;
        for (written, parameters) in mentioned(&clause) {
            let found = self.candidates(written)?;
            for id in &found {
                self.takes(id, &parameters)?;
            }
            if found.len() > 1 {
                let what = ambiguous(written, &found);
                if readings.len() * found.len() > READINGS_MAX {
                    return Err(what);
                }
                several.get_or_insert(what);
            }
            let with = |reading: &BTreeMap<String, Callee>, id: &Callee| {
                let mut reading = reading.clone();
                // A name that stands twice means the same both times.
                reading.entry(written.to_owned()).or_insert_with(|| id.clone());
                reading
            };
            readings = readings.iter().flat_map(|reading| found.iter().map(move |id| with(reading, id))).collect();
            readings.dedup();
        }
        let bound = |functions| Bound { clause: clause.clone(), functions };
        let first = bound(readings.remove(0)); // no name has no candidates
        Ok(Readings { first, others: readings.into_iter().map(bound).collect(), ambiguity: several })
    }

    fn takes(&self, id: &Callee, parameters: &[&str]) -> Result<(), Unresolved> {
        let known = &self.functions[id];
        match parameters.iter().find(|name| !known.open && !known.names.iter().any(|own| own == *name)) {
            None => Ok(()),
            Some(name) => {
                let nearest = nearest(name, known.names.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
                Err(Unresolved::Parameter { function: id.clone(), name: (*name).to_owned(), nearest })
            }
        }
    }
}

fn ambiguous(written: &str, several: &[&Callee]) -> Unresolved {
    let mut candidates: Vec<String> = several.iter().map(|id| id.qualname().to_owned()).collect();
    let plain = candidates.len();
    candidates.dedup();
    if candidates.len() < plain {
        candidates = several.iter().map(|id| dotted(id)).collect();
    }
    Unresolved::Ambiguous { name: written.replace(':', "."), candidates }
}

impl Nearby {
    /// Reads a name as the test's module does; gives it whole.
    fn read(&self, written: &str) -> Option<String> {
        let (first, rest) = written.split_once('.').map_or((written, None), |(first, rest)| (first, Some(rest)));
        let target = self.bound.get(first)?;
        Some(rest.map_or_else(|| target.clone(), |rest| format!("{target}.{rest}")))
    }

    /// Gives a name by the module that defines what a package brings.
    fn brought(&self, written: &str) -> Option<String> {
        let ends = written.match_indices('.').map(|(at, _)| at).chain([written.len()]);
        let mut found = ends.filter_map(|end| Some(format!("{}{}", self.brought.get(&written[..end])?, &written[end..])));
        found.next()
    }

    /// Leaves of several functions those that fit: what the test's module has a name for, else what ran, unless that is in none of the
    /// modules that it imports and another one is.
    fn fitting<'a>(&self, found: Vec<&'a Callee>) -> Vec<&'a Callee> {
        if found.len() < 2 {
            return found;
        }
        let of =
            |all: &[&'a Callee], fits: &dyn Fn(&Callee) -> bool| all.iter().copied().filter(|id| fits(id)).collect::<Vec<_>>();
        let ran = |id: &Callee| self.ran.contains(id);
        let named = of(&found, &|id| {
            let (module, head) = (module(id), id.qualname().split('.').next().unwrap_or_default().to_owned());
            self.bound
                .values()
                .any(|target| target.strip_prefix(module.as_str()).and_then(|rest| rest.strip_prefix('.')) == Some(head.as_str()))
        });
        if !named.is_empty() {
            let both = of(&named, &ran);
            return if both.is_empty() { named } else { both };
        }
        let imported = of(&found, &|id| self.modules.contains(&module(id)));
        let happened = of(&found, &ran);
        let both = of(&imported, &ran);
        match (both.is_empty(), imported.is_empty(), happened.is_empty()) {
            (false, ..) => both,
            (true, false, true) => imported,
            (true, true, false) => happened,
            // One was imported and another one ran: which is meant is not for us to say.
            (true, false, false) => imported.into_iter().chain(happened).collect(),
            (true, true, true) => found,
        }
    }
}

fn module(id: &Callee) -> String {
    id.text().split(':').next().unwrap_or_default().to_owned()
}

fn dotted(id: &Callee) -> String {
    id.text().replace(':', ".")
}

/// Lists the functions that a clause names, with the parameters of theirs that it names.
fn mentioned(clause: &Clause) -> Vec<(&str, Vec<&str>)> {
    let mut out: Vec<(&str, Vec<&str>)> = Vec::new();
    fn of(calls: &Calls) -> (&str, Vec<&str>) {
        (&calls.function, calls.with.iter().map(|(name, _)| name.as_str()).collect())
    }
    fn with<'a>(calls: &'a Calls, parameter: &'a str) -> (&'a str, Vec<&'a str>) {
        let (function, mut parameters) = of(calls);
        parameters.push(parameter);
        (function, parameters)
    }
    match &clause.head {
        Head::Count { calls, .. } => {
            let mut one = of(calls);
            if let Scope::Per(parameters) = &clause.scope {
                one.1.extend(parameters.iter().map(String::as_str));
            }
            out.push(one);
        }
        Head::Sequence(steps) => out.extend(steps.iter().map(of)),
        Head::OnlyAfter { calls, first } | Head::ImmediatelyAfter { calls, first } => out.extend([of(calls), of(first)]),
        Head::Followed { calls, by } => {
            out.push(of(calls));
            out.extend(by.iter().map(of));
        }
        Head::Paired { calls, with } => out.extend([of(calls), of(with)]),
        Head::If { condition, then, .. } => out.extend([of(condition), of(then)]),
        Head::Returns { function, .. }
        | Head::Raises { function, .. }
        | Head::NeverRaises { function }
        | Head::Overlap { function, .. } => {
            out.push((function, Vec::new()));
        }
        Head::ReturnsResultOf { function, of } => out.extend([(function.as_str(), Vec::new()), (of.as_str(), Vec::new())]),
        Head::RaisedInside { function, by, .. } => {
            out.push((function, Vec::new()));
            out.extend(by.iter().map(|by| (by.as_str(), Vec::new())));
        }
        Head::Receives { calls, parameter, from, .. } => out.extend([with(calls, parameter), (from.as_str(), Vec::new())]),
        Head::SameResult { one, other, .. } => out.extend([(one.1.as_str(), Vec::new()), (other.1.as_str(), Vec::new())]),
        Head::SameArgument { one, other, parameter } => {
            out.extend([(one.as_str(), vec![parameter.as_str()]), (other.as_str(), vec![parameter.as_str()])]);
        }
        Head::EveryHas { calls, parameter, .. } | Head::Successively { calls, parameter, .. } => out.push(with(calls, parameter)),
        Head::Within { function, calls } | Head::OnlyInside { calls, function } => {
            out.extend([(function.as_str(), Vec::new()), of(calls)]);
        }
        Head::NeverBetween { first, last, calls } | Head::OnlyBetween { calls, first, last } => {
            out.extend([of(first), of(last), of(calls)]);
        }
        Head::KeepsArgument { function, parameter } => out.push((function, vec![parameter])),
    }
    match &clause.scope {
        Scope::Whole | Scope::During(_) | Scope::Per(_) => {}
        Scope::Inside(function) | Scope::InEach(function) => out.push((function, Vec::new())),
        Scope::Between(first, last) => out.extend([of(first), of(last)]),
        Scope::After(calls) | Scope::Before(calls) => out.push(of(calls)),
    }
    out
}
