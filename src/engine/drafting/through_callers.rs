//! Functions whose own calls give no test get tests of recorded calls that run them: calls of the functions that call them (R33).
//!
//! Which calls those are, and which notice faults in the function; how they are written is `generate/`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId};
use crate::domain::function::{Function, FunctionId};
use crate::domain::proposal::LeftOut;
use crate::domain::reason::ReasonCode;
use crate::engine::calls::read::CALLS_MAX;
use crate::engine::drafting::evidence::{Gathered, names};
use crate::engine::drafting::plans::Plans;
use crate::engine::drafting::written::Made;
use crate::engine::python::environment::{Environment, Noticed};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::generate::case::Case;
use crate::generate::check;
use crate::generate::choose::{choose, is_bare, merge};
use crate::generate::render;
use crate::generate::scope::Scope;
use crate::source::index::Index;

/// Callers between a function and the call of the test at most: of one that is further away nobody sees what it has to do with it.
const LEVELS: usize = 6;
/// Calls of one function's callers that are tried.
const TRIED: usize = 8;
/// Calls that are tried for all functions together.
const TRIED_OF_ALL: usize = 1_000;
/// Tests of one function.
const TESTS: usize = 3;
/// Tests of one function where no fault could be tried.
const UNTRIED: usize = 1;
/// Characters of values that a reader looks through to find what another function made of them.
const LONGEST: usize = 400;

/// A call of a caller that can be written as a test.
struct Candidate {
    /// The caller.
    caller: FunctionId,
    call: Call,
    case: Case,
    /// The names of its function's tests.
    scope: Scope,
    /// A test of the caller makes it.
    is_shown: bool,
    /// It was seen to run the function. Others of its caller may: of calls that cannot be told apart one is kept.
    is_seen: bool,
}

/// A function without a test, and the calls that run it.
struct Wanting {
    /// Its place among what was made.
    at: usize,
    function: Function,
    candidates: Vec<Candidate>,
}

/// What of a function without a test is known: its place among what was made, and the calls above its own.
struct Open {
    at: usize,
    function: FunctionId,
    /// From each of its calls outwards.
    ways: Vec<Vec<CallId>>,
}

/// Functions that tests of their callers may test.
pub struct Wanted {
    open: Vec<Open>,
    /// The functions that call them, unless all functions were gathered anyway.
    callers: Option<BTreeSet<FunctionId>>,
}

impl Wanted {
    /// Finds the functions whose own calls give no test, and what calls them.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub async fn of(core: &Arc<Core>, gathered: &Gathered, made: &[Made]) -> Result<Self, Trouble> {
        let (core, is_all) = (core.clone(), gathered.is_all);
        let places = open(made);
        let wanted: Vec<(usize, FunctionId)> = places.into_iter().map(|at| (at, made[at].function.clone())).collect();
        let parents = if wanted.is_empty() { HashMap::new() } else { gathered.parents.clone() };
        blocking(move || {
            let mut callers = BTreeSet::new();
            let mut open = Vec::new();
            for (at, function) in wanted {
                let ways = ways(&core, &function, &parents)?;
                if !is_all {
                    let ids: BTreeSet<CallId> = ways.iter().flatten().copied().collect();
                    let calls = core.store().calls(&ids.into_iter().collect::<Vec<_>>())?;
                    callers.extend(calls.into_iter().map(|call| call.function).filter(|caller| *caller != function));
                }
                if !ways.is_empty() {
                    open.push(Open { at, function, ways });
                }
            }
            Ok(Self { open, callers: (!is_all).then_some(callers) })
        })
        .await?
    }

    /// Tells whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty() || self.callers.as_ref().is_some_and(BTreeSet::is_empty)
    }

    /// Lists the functions whose calls have to be gathered for it, where not all were.
    #[must_use]
    pub fn callers(&self) -> Option<Vec<FunctionId>> {
        self.callers.as_ref().map(|callers| callers.iter().cloned().collect())
    }
}

/// Lists the functions that tests of others may test: their own calls give no test, and not because none is wanted.
fn open(made: &[Made]) -> Vec<usize> {
    use ReasonCode as R;
    let is_unwanted = |code: R| {
        matches!(code, R::TestHelper | R::WrapperDuplicate | R::ChangedByDecorator | R::CoveredByCallers | R::MarkedAsBug)
    };
    let is_open = |one: &Made| one.draft.is_none() && !one.left_out.iter().any(|left| is_unwanted(left.reason.code));
    made.iter().enumerate().filter(|(_, one)| is_open(one)).map(|(at, _)| at).collect()
}

/// Gives the calls above each call of a function.
fn ways(core: &Core, function: &FunctionId, parents: &HashMap<CallId, CallId>) -> Result<Vec<Vec<CallId>>, Trouble> {
    let mut ways = BTreeSet::new();
    for call in core.store().calls_of(function, CALLS_MAX)? {
        let above = std::iter::successors(parents.get(&call.id).copied(), |at| parents.get(at).copied());
        ways.insert(above.take(LEVELS).collect::<Vec<_>>());
    }
    Ok(ways.into_iter().filter(|way| !way.is_empty()).collect())
}

/// Adds drafts of these functions by calls of what was gathered.
///
/// # Errors
/// Fails when the sandbox does.
pub async fn add(
    core: &Arc<Core>,
    environment: &Environment,
    wanted: Wanted,
    (gathered, plans): (Gathered, Plans),
    mut made: Vec<Made>,
) -> Result<Vec<Made>, Trouble> {
    let callers = Callers { gathered, plans };
    let index = core.index();
    let most = core.settings().generation.tests_per_function as usize;
    let (callers, wanting) = blocking(move || {
        let wanting = callers.wanting(&index, &wanted.open, most);
        (callers, wanting)
    })
    .await?;
    let mut asked: BTreeMap<CallId, (Call, Vec<FunctionId>)> = BTreeMap::new();
    for one in &wanting {
        for candidate in &one.candidates {
            if asked.len() < TRIED_OF_ALL || asked.contains_key(&candidate.call.id) {
                let entry = asked.entry(candidate.call.id).or_insert_with(|| (candidate.call.clone(), Vec::new()));
                entry.1.push(one.function.id.clone());
            }
        }
    }
    let asked: Vec<(Call, Vec<FunctionId>)> = asked.into_values().collect();
    let noticed = if asked.is_empty() { HashMap::new() } else { environment.notice(core, &asked).await? };
    let (index, folder) = (core.index(), core.settings().output.tests.clone());
    blocking(move || {
        for one in wanting {
            callers.write(&index, one, &noticed, &folder, &mut made);
        }
        made
    })
    .await
}

/// The calls of callers, and how they are written.
struct Callers {
    gathered: Gathered,
    plans: Plans,
}

impl Callers {
    /// Finds the calls that run each function and can be written as tests.
    fn wanting(&self, index: &Index, open: &[Open], most: usize) -> Vec<Wanting> {
        let needed: BTreeSet<CallId> = open.iter().flat_map(|one| one.ways.iter().flatten().copied()).collect();
        let none = BTreeSet::new();
        let functions = &self.gathered.functions;
        // By the call: its function's place, how it is written, and whether a test of its function makes it.
        let mut cases: HashMap<CallId, (usize, Case, bool)> = HashMap::new();
        let mut scopes: HashMap<usize, Scope> = HashMap::new();
        for (at, ((function, calls, _), plan)) in functions.iter().zip(&self.plans).enumerate() {
            if !calls.iter().any(|call| needed.contains(&call.id)) {
                continue;
            }
            scopes.insert(at, plan.scope().clone());
            let all = plan.clone().cases();
            let accepted = self.gathered.accepted.get(&function.id).unwrap_or(&none);
            let shown: BTreeSet<CallId> = choose(all.clone(), most, accepted).0.into_iter().map(|case| case.call).collect();
            let read = all.into_iter().filter(|case| case.by_hand == 0 && case.weight() <= LONGEST);
            cases.extend(read.map(|case| (case.call, (at, case.clone(), shown.contains(&case.call)))));
        }
        let mut wanting = Vec::new();
        for Open { at, function: own, ways } in open {
            let Some(function) = index.function(own) else { continue };
            // The nearest of each way, public ones first.
            let mut seen: BTreeSet<CallId> = BTreeSet::new();
            let mut callers: BTreeSet<usize> = BTreeSet::new();
            for way in ways {
                let on_way = || {
                    // What was called below a stand-in is not called by the test.
                    let reached = way.iter().take_while(|call| !self.gathered.stand_ins.contains_key(call));
                    reached.filter_map(|call| cases.get(call)).filter(|(at, ..)| functions[*at].0.id != *own)
                };
                let public = on_way().find(|(at, ..)| !functions[*at].0.is_private());
                let Some((place, case, _)) = public.or_else(|| on_way().next()) else { continue };
                seen.insert(case.call);
                callers.insert(*place);
            }
            let settled = self.gathered.accepted.get(own).unwrap_or(&none);
            // An outcome that holds nothing does not show what the function gave.
            let is_telling = |case: &Case, is_shown| is_shown || !is_bare(&case.class);
            let of_callers =
                cases.values().filter(|(place, case, is_shown)| callers.contains(place) && is_telling(case, *is_shown));
            let mut chosen: Vec<&(usize, Case, bool)> = of_callers.collect();
            chosen.sort_by_key(|(_, case, is_shown)| {
                let is_wanted = (!settled.contains(&case.input), *is_shown, !seen.contains(&case.call));
                (is_wanted, !case.direct, case.weight(), case.call)
            });
            let candidate = |(place, case, is_shown): &(usize, Case, bool)| {
                let (caller, calls, _) = &functions[*place];
                Some(Candidate {
                    caller: caller.id.clone(),
                    call: calls.iter().find(|call| call.id == case.call)?.clone(),
                    case: case.clone(),
                    scope: scopes.get(place).cloned().unwrap_or_default(),
                    is_shown: *is_shown,
                    is_seen: seen.contains(&case.call),
                })
            };
            let candidates: Vec<Candidate> = chosen.into_iter().filter_map(candidate).take(TRIED).collect();
            if !candidates.is_empty() {
                wanting.push(Wanting { at: *at, function: function.clone(), candidates });
            }
        }
        wanting
    }

    /// Writes the draft of a function by the calls of one caller: those that notice most faults in it.
    fn write(&self, index: &Index, wanting: Wanting, noticed: &HashMap<CallId, Noticed>, folder: &str, made: &mut [Made]) {
        let Wanting { at, function, candidates } = wanting;
        let one = &mut made[at];
        let faults = |candidate: &Candidate| noticed.get(&candidate.call.id).and_then(|seen| seen.faults.get(&function.id));
        let none = BTreeSet::new();
        let settled = self.gathered.accepted.get(&function.id).unwrap_or(&none);
        let of = |shown: bool| -> BTreeSet<u32> {
            let those = candidates.iter().filter(|one| one.is_shown == shown && !settled.contains(&one.case.input));
            those.filter_map(|one| faults(one)?.as_ref()).flatten().copied().collect()
        };
        let (shown, own) = (of(true), of(false));
        let is_left = if function.is_private() { own.is_subset(&shown) } else { own.is_empty() };
        if !shown.is_empty() && is_left && !candidates.iter().any(|one| settled.contains(&one.case.input)) {
            // Why its calls cannot be made alone does not matter then.
            let calls = one.left_out.iter().map(|left| left.calls).sum::<u64>().max(1);
            one.left_out = vec![LeftOut { calls, reason: ReasonCode::CoveredByCallers.into() }];
            return;
        }
        let mut by_caller: BTreeMap<&FunctionId, Vec<Case>> = BTreeMap::new();
        for candidate in candidates.iter().filter(|one| !one.is_shown || settled.contains(&one.case.input)) {
            let reached = match faults(candidate) {
                Some(Some(marks)) if marks.is_empty() => continue,
                Some(Some(marks)) => marks.clone(),
                Some(None) | None if !candidate.is_seen => continue,
                Some(None) | None => BTreeSet::new(),
            };
            by_caller.entry(&candidate.caller).or_default().push(Case { reached, ..candidate.case.clone() });
        }
        let count = |cases: &[Case]| cases.iter().flat_map(|case| &case.reached).collect::<BTreeSet<_>>().len();
        let Some((caller, mut cases)) = by_caller.into_iter().max_by_key(|(_, cases)| count(cases)) else { return };
        let is_tried = cases.iter().any(|case| !case.reached.is_empty());
        cases.retain(|case| !is_tried || !case.reached.is_empty());
        let (chosen, _) = choose(cases, if is_tried { TESTS } else { UNTRIED }, settled);
        let (Some(caller), Some(target)) = (index.function(caller), render::target(folder, function.id.module())) else { return };
        if chosen.is_empty() {
            return;
        }
        let scope = candidates.iter().find(|one| one.caller == caller.id).map(|one| one.scope.clone()).unwrap_or_default();
        let modules = names(index);
        merge(&mut one.left_out);
        let left_out = one.left_out.clone();
        one.draft = self.gathered.with_project(index, &modules, |project, _| {
            Some(render::draft_through(&function, caller, &chosen, (project, &scope), &target, left_out))
        });
        let shown: Vec<CallId> = chosen.iter().map(|case| case.call).collect();
        one.checks = check::all(chosen.iter(), &shown);
    }
}
