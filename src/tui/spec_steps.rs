//! The steps of a YAML test as they are shown: as its file has them, and what each did.

use crate::domain::spec::{End, Phase, Status, StepReport};
use crate::domain::spec_board::{PlannedStep, SpecView};

/// A step as it is shown: as the file has it, and what it did.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The part of the test.
    pub phase: Phase,
    /// Its number among the steps of the test itself.
    pub number: Option<usize>,
    /// Its name.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// How deep it lies in groups.
    pub depth: u32,
    /// Which of the steps of this line it is: rounds have one line.
    pub nth: usize,
    /// What it did, where it is over.
    pub did: Option<StepReport>,
    /// It runs: which try it is, and how many there may be.
    pub runs: Option<(u32, u32)>,
    /// The name its result is kept under.
    pub save_as: Option<String>,
}

impl Shown {
    /// Tells whether there is more to say of it than its line.
    #[must_use]
    pub fn folds(&self) -> bool {
        self.did.as_ref().is_some_and(|did| !matches!(did.end, End::NotRun { .. }))
    }

    /// Tells whether that is said without being asked for.
    #[must_use]
    pub fn opens(&self) -> bool {
        self.did.as_ref().is_some_and(|did| matches!(did.status, Status::Failed | Status::Unclear))
    }

    /// Names it, to remember that it was folded.
    #[must_use]
    pub fn key(&self) -> (u32, usize) {
        (self.line, self.nth)
    }
}

/// Lists the steps of a test: those of the run that is shown, and those that did not come yet.
#[must_use]
pub fn shown(view: &SpecView) -> Vec<Shown> {
    let running = view.row.running.as_ref();
    let numbers: Vec<u32> =
        view.plan.iter().filter(|step| step.phase == Phase::Steps && step.depth == 0).map(|step| step.line).collect();
    let number = |phase: Phase, depth: u32, line: u32| {
        let own = phase == Phase::Steps && depth == 0;
        numbers.iter().position(|one| own && *one == line).map(|at| at + 1)
    };
    let saved = |line: u32| view.plan.iter().find(|step| step.line == line).and_then(|step| step.save_as.clone());
    let mut out: Vec<Shown> = Vec::new();
    if running.is_none() && !view.steps.is_empty() {
        for did in &view.steps {
            let nth = out.iter().filter(|other| other.line == did.line).count();
            let round = did.round.map(|(round, of)| format!(" {round}/{of}")).unwrap_or_default();
            out.push(Shown {
                phase: did.phase,
                number: number(did.phase, did.depth, did.line),
                name: format!("{}{round}", did.name),
                line: did.line,
                depth: did.depth,
                nth,
                save_as: saved(did.line),
                did: Some(did.clone()),
                runs: None,
            });
        }
        return out;
    }
    for PlannedStep { phase, name, line, depth, repeat, save_as, .. } in &view.plan {
        // While a test runs, each step has one line: of its rounds the last one that is over.
        let over: Vec<&StepReport> = view.steps.iter().filter(|did| did.line == *line).collect();
        let runs = running.and_then(|running| running.step.as_ref()).filter(|(_, at, ..)| at == line);
        let rounds = if *repeat > 1 { format!(" {}/{repeat}", over.len()) } else { String::new() };
        out.push(Shown {
            phase: *phase,
            number: number(*phase, *depth, *line),
            name: format!("{name}{rounds}"),
            line: *line,
            depth: *depth,
            nth: 0,
            did: over.last().filter(|_| running.is_some()).map(|did| (*did).clone()),
            runs: runs.map(|(_, _, tries, of)| (*tries, *of)),
            save_as: save_as.clone(),
        });
    }
    out
}
