//! The lines of a journey, and how they belong together: calls, their ends, and where each happened.

use std::collections::{BTreeMap, HashSet};

use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::journey::{JourneyLine, LineId, LineKind};
use crate::domain::snapshot::JudgedView;
use crate::domain::verdict::Decided;

/// Characters of a value beside a source line.
const VALUE: usize = 60;

/// A journey, and how its lines belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownJourney {
    /// As stored.
    pub view: JudgedView,
    /// For each line the call around it, by its position.
    parents: Vec<Option<usize>>,
    /// For each line that begins a call or a part: the position after its last line.
    ends: Vec<usize>,
    /// How the call that begins at a line ended.
    outcomes: BTreeMap<usize, usize>,
}

impl ShownJourney {
    /// Finds out how the lines belong together.
    #[must_use]
    pub fn new(view: JudgedView) -> Self {
        let lines = &view.judged.journey;
        let mut parents = vec![None; lines.len()];
        let mut ends: Vec<usize> = (1..=lines.len()).collect();
        let mut outcomes = BTreeMap::new();
        // The calls that are open, and the heading before them.
        let mut open: Vec<usize> = Vec::new();
        let mut heading: Option<usize> = None;
        for (at, line) in lines.iter().enumerate() {
            if line.kind == LineKind::Heading {
                close(&mut open, 0, at, &mut ends);
                if let Some(before) = heading.replace(at) {
                    ends[before] = at;
                }
                continue;
            }
            let begins = matches!(line.kind, LineKind::Called(_));
            let own = (!begins).then(|| open.iter().rposition(|call| lines[*call].call == line.call)).flatten();
            if begins {
                let keep = open.iter().rposition(|call| lines[*call].depth < line.depth).map_or(0, |found| found + 1);
                close(&mut open, keep, at, &mut ends);
                parents[at] = open.last().copied();
                open.push(at);
            } else {
                let call = own.map(|found| open[found]);
                parents[at] = call;
                if let (Some(found), Some(call), LineKind::Returned | LineKind::Raised) = (own, call, line.kind) {
                    outcomes.insert(call, at);
                    close(&mut open, found, at + 1, &mut ends);
                }
            }
        }
        close(&mut open, 0, lines.len(), &mut ends);
        if let Some(last) = heading {
            ends[last] = lines.len();
        }
        Self { view, parents, ends, outcomes }
    }

    /// Gives a line.
    #[must_use]
    pub fn line(&self, at: usize) -> Option<&JourneyLine> {
        self.view.judged.journey.get(at)
    }

    /// Gives the position after the last line that belongs to a line.
    #[must_use]
    pub fn end(&self, at: usize) -> usize {
        self.ends.get(at).copied().unwrap_or(at + 1)
    }

    /// Tells whether there is something to fold: more than a call and its end.
    #[must_use]
    pub fn folds(&self, at: usize) -> bool {
        let inside = self.end(at).saturating_sub(at + 1);
        match self.line(at).map(|line| line.kind) {
            Some(LineKind::Heading) => inside > 0,
            Some(LineKind::Called(_)) => inside > usize::from(self.outcomes.contains_key(&at)),
            _ => false,
        }
    }

    /// Gives the call around a line, by its position.
    #[must_use]
    pub fn parent(&self, at: usize) -> Option<usize> {
        self.parents.get(at).copied().flatten()
    }

    /// Finds the line that tells an event.
    #[must_use]
    pub fn position(&self, id: LineId) -> Option<usize> {
        let lines = &self.view.judged.journey;
        // What runs beside the test is told after it, so the numbers have no order.
        lines.iter().position(|line| line.line == Some(id))
    }

    /// Lists the lines that show what came of a clause, by their positions, in the order of the telling.
    #[must_use]
    pub fn evidence(&self, clause: &Decided) -> Vec<usize> {
        let wanted: HashSet<LineId> = evidence_ids(clause).collect();
        let shows = |(at, line): (usize, &JourneyLine)| line.line.filter(|id| wanted.contains(id)).map(|_| at);
        self.view.judged.journey.iter().enumerate().filter_map(shows).collect()
    }

    /// Finds where a line happened: the file and line, and the call whose body that is.
    #[must_use]
    pub fn site(&self, at: usize) -> Option<Site> {
        let line = self.line(at)?;
        let call = match line.kind {
            LineKind::Heading => return None,
            LineKind::Called(_) => at,
            _ => self.parent(at)?,
        };
        let begun = self.line(call)?;
        if line.kind == LineKind::Raised {
            let place = self.place(call)?;
            return Some(Site { path: place.0.clone(), line: line.at.unwrap_or(place.1), activation: Some(call) });
        }
        let around = self.parent(call);
        let outer = match around {
            Some(around) => self.place(around),
            None => self.view.places.get(&self.view.function),
        };
        match (outer, begun.at) {
            (Some((path, _)), Some(made)) => Some(Site { path: path.clone(), line: made, activation: around }),
            _ => self.place(call).map(|(path, def)| Site { path: path.clone(), line: *def, activation: Some(call) }),
        }
    }

    /// Gives the file and the line of `def` of the function that a call is of.
    #[must_use]
    pub fn place(&self, call: usize) -> Option<&(RelPath, u32)> {
        self.view.places.get(self.line(call)?.function.as_ref()?)
    }

    /// Lists the calls made by an activation, or by the test itself.
    pub fn made_by(&self, activation: Option<usize>) -> impl Iterator<Item = usize> {
        let lines = self.view.judged.journey.iter().enumerate();
        let begins = lines.filter(|(_, line)| matches!(line.kind, LineKind::Called(_)));
        begins.map(|(at, _)| at).filter(move |at| self.parent(*at) == activation)
    }

    /// Writes how a call ended, short.
    #[must_use]
    pub fn outcome(&self, call: usize) -> Option<String> {
        let line = self.line(*self.outcomes.get(&call)?)?;
        Some(text::cut(&ending(line), VALUE).into_owned())
    }
}

fn close(open: &mut Vec<usize>, keep: usize, at: usize, ends: &mut [usize]) {
    for call in open.drain(keep..) {
        ends[call] = at;
    }
}

/// Where a line of a journey happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The file.
    pub path: RelPath,
    /// The line.
    pub line: u32,
    /// The call whose body that is, by its position; none for the test's own.
    pub activation: Option<usize>,
}

/// Gives the events that show what came of a clause.
pub fn evidence_ids(clause: &Decided) -> impl Iterator<Item = LineId> {
    clause.evidence.iter().filter_map(|id| id.strip_prefix('L')?.parse().ok().map(LineId))
}

/// Writes how a call ended.
#[must_use]
pub fn ending(line: &JourneyLine) -> String {
    match line.kind {
        LineKind::Raised => format!("✗ {}", line.detail),
        LineKind::Yielded => format!("yields {}", line.detail),
        LineKind::Closed => "is closed".into(),
        _ => format!("→ {}", line.detail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::judged::judged_view;

    #[test]
    fn lines_belong_to_their_calls() {
        let journey = ShownJourney::new(judged_view());
        let named = |at: usize| journey.line(at).unwrap().name.clone();
        let at = |id: u32| journey.position(LineId(id)).unwrap();
        assert_eq!(named(journey.parent(at(6)).unwrap()), "RegistrationService.register");
        assert_eq!(journey.parent(at(1)), None);
        assert_eq!(journey.end(at(1)), at(12) + 1, "all of it but the teardown");
        assert!(journey.folds(at(1)) && journey.folds(at(6)) && !journey.folds(at(2)), "a call and its end are no tree");
        assert_eq!(journey.outcome(at(2)).as_deref(), Some("→ False"));
        let site = journey.site(at(6)).unwrap();
        assert_eq!((site.path.as_str(), site.line, site.activation), ("shop/registration.py", 28, Some(at(1))));
        let of_the_test = journey.site(at(1)).unwrap();
        assert_eq!((of_the_test.path.as_str(), of_the_test.activation), ("tests/test_registration.py", None));
        assert_eq!(journey.made_by(Some(at(1))).count(), 4);
    }

    #[test]
    fn folding_hides_what_is_inside_and_nothing_else() {
        let mut pane =
            crate::tui::panes::JourneysPane { loaded: Some(Ok(ShownJourney::new(judged_view()))), ..Default::default() };
        pane.list_lines();
        let all = pane.lines.len();
        let (call, inside) = {
            let journey = pane.journey().unwrap();
            let at = journey.position(LineId(6)).unwrap();
            (at, journey.end(at) - at - 1)
        };
        pane.folded.insert(call);
        pane.list_lines();
        assert_eq!(pane.lines.len(), all - inside);
        assert!(pane.lines.contains(&call));
    }
}
