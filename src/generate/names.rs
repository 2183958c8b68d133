//! R24: names of tests and ids of rows, made from what tells the cases of a function apart. The words that a case may have are
//! `names/candidates.rs`, those for a single value `names/values.rs`.

mod candidates;
#[cfg(test)]
mod tests;
mod texts;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::call::CallId;
use crate::domain::function::{Function, Module};
use crate::generate::case::Case;
use crate::generate::scope::snake;

pub(super) use self::candidates::ID_MAX;

/// Names the tests of a function: `test_total`, `test_cart_total`; distinct for all functions of a module.
#[must_use]
pub fn stem(function: &Function, module: Option<&Module>) -> String {
    let others = || {
        module.into_iter().flat_map(|module| &module.functions).filter(|other| other.id != function.id && !other.is_overload())
    };
    let only = !others().any(|other| other.written() == function.written());
    let qualname = if only { function.written() } else { function.id.qualname() };
    if let Some(accessor) = accessor(function, qualname).filter(|_| !only)
        && !others().any(|other| slug_of(other.id.qualname(), "_") == accessor)
    {
        return format!("test_{accessor}");
    }
    let own = slug_of(qualname, "_");
    let twin = others().any(|other| slug_of(other.id.qualname(), "_") == own);
    let joint = if twin && qualname.contains('.') { "__" } else { "_" };
    // A public function and its private helper of the same name.
    if twin && function.is_private() {
        let (owner, name) = qualname
            .rsplit_once('.')
            .map_or((String::new(), qualname), |(owner, name)| (format!("{}{joint}", slug_of(owner, joint)), name));
        return format!("test_{owner}private_{}", slug_of(name, joint));
    }
    format!("test_{}", slug_of(qualname, joint))
}

/// Names the tests of a function that call another one, which calls it: `test_check_octal_in_run`.
#[must_use]
pub fn stem_through(function: &Function, caller: &Function, module: Option<&Module>) -> String {
    format!("{}_in_{}", stem(function, module).replace("_<locals>", ""), slug_of(caller.name(), "_"))
}

/// Names what sets or deletes a property after what it does: `cart_set_owner`.
fn accessor(function: &Function, qualname: &str) -> Option<String> {
    let (owner, name) = qualname.split('#').next()?.rsplit_once('.')?;
    let has = |what: &str| function.decorators.iter().any(|decorator| decorator.ends_with(what));
    let verb = if has(".setter") {
        "set"
    } else if has(".deleter") {
        "delete"
    } else {
        return None;
    };
    Some(format!("{}_{verb}_{}", slug_of(owner, "_"), snake(name.trim_matches('_'))))
}

/// Joins the stem and what tells a test apart; two underscores where one would look like another function's test.
#[must_use]
pub fn name(stem: &str, what: &str, module: Option<&Module>) -> String {
    if what.is_empty() {
        return stem.to_owned();
    }
    let plain = format!("{stem}_{what}");
    let confused = module.is_some_and(|module| {
        let others = module.functions.iter().filter(|other| !other.is_overload());
        others.map(|other| format!("test_{}", slug_of(other.id.qualname(), "_"))).any(|other| {
            other.len() > stem.len() && other.starts_with(stem) && (plain == other || plain.starts_with(&format!("{other}_")))
        })
    });
    if confused { format!("{stem}__{what}") } else { plain }
}

fn slug_of(qualname: &str, joint: &str) -> String {
    let (qualname, twin) = qualname.split_once('#').map_or((qualname, None), |(name, number)| (name, Some(number)));
    let mut parts: Vec<String> = qualname.split('.').map(|part| snake(part.trim_matches('_'))).collect();
    if let Some(last) = parts.last_mut()
        && let Some(number) = twin
    {
        last.push_str(&format!("_{number}"));
    }
    parts.join(joint)
}

/// What words are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Names of tests: they say how a case ends.
    Tests,
    /// Ids of rows, which all end in one way.
    Rows,
}

/// Longer names are not read.
const NAME_MAX: usize = 50;

/// However long the name of a function is, a word says something.
const ROOM_MIN: usize = 16;

/// More numbers in a row are digits that nobody reads: `1_2_10`.
const NUMBERS_MAX: usize = 2;

/// Gives the length that is left for a word behind a stem.
#[must_use]
pub fn room(stem: &str) -> usize {
    NAME_MAX.saturating_sub(stem.len() + 1).max(ROOM_MIN)
}

/// Finds a word for each case, each different from the others, of at most so many characters where one is found.
///
/// Cases of accepted tests are named as if there were no others, so that they keep their names whatever is recorded later.
#[must_use]
pub fn words(cases: &[&Case], purpose: Use, room: usize) -> Vec<String> {
    let (settled, others): (Vec<&Case>, Vec<&Case>) = cases.iter().partition(|case| case.settled);
    let mut found: BTreeMap<CallId, String> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for (named, among) in [(settled.as_slice(), settled.as_slice()), (others.as_slice(), cases)] {
        let candidates: Vec<Vec<String>> = among.iter().map(|case| candidates::of(case, among, purpose)).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in candidates.iter().flat_map(|list| list.iter().collect::<BTreeSet<_>>()) {
            *counts.entry(word).or_default() += 1;
        }
        for (case, list) in among.iter().zip(&candidates).filter(|(case, _)| named.iter().any(|one| one.call == case.call)) {
            found.insert(case.call, word(list, &counts, &mut used, room));
        }
    }
    cases.iter().filter_map(|case| found.remove(&case.call)).collect()
}

/// Chooses the first word that no other case has; a number tells it from others only where there is none.
fn word(list: &[String], counts: &BTreeMap<&str, usize>, used: &mut BTreeSet<String>, room: usize) -> String {
    let readable: Vec<&String> = list.iter().filter(|word| numbers(word) <= NUMBERS_MAX).collect();
    let is_free = |word: &&&String| !used.contains(word.as_str());
    let own = |word: &&&String| is_free(word) && counts.get(word.as_str()) == Some(&1);
    let short = |word: &&&String| word.len() <= room;
    let fits =
        readable.iter().find(|word| own(word) && short(word)).or(readable.iter().find(|word| is_free(word) && short(word)));
    let chosen =
        fits.or(readable.iter().filter(own).min_by_key(|word| word.len())).or(readable.iter().min_by_key(|word| word.len()));
    let word = chosen.map_or_else(|| "case".to_owned(), |word| (*word).clone());
    let mut unique = word.clone();
    let mut number = 1;
    while !used.insert(unique.clone()) {
        number += 1;
        unique = if word.ends_with(|c: char| c.is_ascii_digit()) {
            format!("{word}_again_{number}")
        } else {
            format!("{word}_{number}")
        };
    }
    unique
}

/// Counts the most numbers that stand side by side in a word.
fn numbers(word: &str) -> usize {
    let (mut most, mut run) = (0, 0);
    for part in word.split('_') {
        run = if part.chars().all(|c| c.is_ascii_digit()) && !part.is_empty() { run + 1 } else { 0 };
        most = most.max(run);
    }
    most
}
