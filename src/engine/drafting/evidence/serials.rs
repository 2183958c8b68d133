//! Takes numbers out of what drafts rest on that only count the objects of a program. Which these are is `generate/serial.rs`.

use std::collections::{HashMap, HashSet};

use crate::domain::call::{CallId, Effect, Outcome};
use crate::engine::drafting::evidence::{Gathered, names};
use crate::generate::project::Project;
use crate::source::index::Index;

impl Gathered {
    /// Takes the fields out of all calls that number objects: nothing that is compared follows them then.
    pub(super) fn forget_serials(&mut self, index: &Index) {
        if !self.learned.has_serials() {
            return;
        }
        let names = names(index);
        let mut functions = std::mem::take(&mut self.functions);
        let mut related = std::mem::take(&mut self.related);
        let mut unsteady = std::mem::take(&mut self.unsteady);
        self.with_project(index, &names, |project, _| {
            let all = functions.iter_mut().flat_map(|(_, calls, _)| calls).chain(related.calls_mut());
            for call in all.chain(unsteady.iter_mut().map(|(_, one)| &mut one.call)) {
                call.args.iter_mut().for_each(|arg| _ = project.forget_serials(&mut arg.value));
                forget(project, &mut call.effect);
            }
        });
        (self.functions, self.related, self.unsteady) = (functions, related, unsteady);
    }

    /// Takes the fields out of what calls came to that number objects; gives the calls that had some.
    pub fn without_serials(&self, index: &Index, runs: &mut HashMap<CallId, Vec<Effect>>) -> HashSet<CallId> {
        let names = names(index);
        self.with_project(index, &names, |project, _| {
            let numbered = |(call, effects): (&CallId, &mut Vec<Effect>)| {
                let found = effects.iter_mut().map(|effect| forget(project, effect)).collect::<Vec<_>>();
                found.contains(&true).then_some(*call)
            };
            runs.iter_mut().filter_map(numbered).collect()
        })
    }
}

/// Takes the fields out of an outcome that number objects; tells whether there were any.
pub(super) fn forget(project: Project<'_>, effect: &mut Effect) -> bool {
    let mut found = effect.changed.iter_mut().fold(false, |found, (_, value)| project.forget_serials(value) | found);
    match &mut effect.outcome {
        Outcome::Returned(value) | Outcome::Raised { exception: value, .. } => found |= project.forget_serials(value),
        Outcome::Yielded { items, .. } => items.iter_mut().for_each(|item| found |= project.forget_serials(item)),
        Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => {}
    }
    found
}
