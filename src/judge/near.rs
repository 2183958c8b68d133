//! What comes before, after and below what: looked up, where searching for it once for each call would take a long journey
//! too long.

use crate::domain::journey::LineId;
use crate::judge::call_tree::CallTree;
use crate::judge::values::Answer;

/// Calls that are, or may be, meant.
pub(super) type Hits = [(usize, Answer)];

/// A line that is sure, and one that would be if all that may be meant were.
#[derive(Debug, Clone, Copy, Default)]
struct Bound {
    sure: Option<LineId>,
    open: Option<LineId>,
}

impl Bound {
    fn note(&mut self, line: LineId, fits: Answer, better: impl Fn(LineId, LineId) -> LineId) {
        let place = if fits == Answer::Yes { &mut self.sure } else { &mut self.open };
        *place = Some(place.map_or(line, |own| better(own, line)));
    }

    fn answer(self, is_so: impl Fn(LineId) -> bool) -> Answer {
        match (self.sure.is_some_and(&is_so), self.open.is_some_and(&is_so)) {
            (true, _) => Answer::Yes,
            (false, true) => Answer::Unknown,
            (false, false) => Answer::No,
        }
    }
}

/// The earliest end of certain calls.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ends(Bound);

impl Ends {
    pub(super) fn of(tree: &CallTree<'_>, hits: &Hits) -> Self {
        let mut ends = Bound::default();
        for (act, fits) in hits {
            if let Some(end) = tree.acts[*act].end {
                ends.note(end, *fits, LineId::min);
            }
        }
        Self(ends)
    }

    /// Tells whether one of them had ended when a line came.
    pub(super) fn before(self, line: LineId) -> Answer {
        self.0.answer(|end| end < line)
    }
}

/// The latest beginning of certain calls.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Begins(Bound);

impl Begins {
    pub(super) fn of(tree: &CallTree<'_>, hits: &Hits) -> Self {
        let mut begins = Bound::default();
        for (act, fits) in hits {
            begins.note(tree.acts[*act].start, *fits, LineId::max);
        }
        Self(begins)
    }

    /// Tells whether one of them began after a call had ended.
    pub(super) fn after(self, end: Option<LineId>) -> Answer {
        end.map_or(Answer::No, |end| self.0.answer(|begin| begin > end))
    }
}

/// Certain calls, by the calls around them.
pub(super) struct Below<'s, 'a> {
    tree: &'s CallTree<'a>,
    /// With their places in the tree, sorted by these.
    hits: Vec<(usize, (usize, Answer))>,
}

impl<'s, 'a> Below<'s, 'a> {
    pub(super) fn new(tree: &'s CallTree<'a>, hits: &Hits) -> Self {
        let mut hits: Vec<_> = hits.iter().map(|hit| (tree.place(hit.0).start, *hit)).collect();
        hits.sort_by_key(|(place, _)| *place);
        Self { tree, hits }
    }

    /// Lists those below a call; without one, all of them.
    pub(super) fn of(&self, above: Option<usize>) -> impl Iterator<Item = (usize, Answer)> + use<'_, 's, 'a> {
        let range = above.map_or(0..self.hits.len(), |above| {
            let place = self.tree.place(above);
            let from = self.hits.partition_point(|(at, _)| *at <= place.start);
            from..self.hits.partition_point(|(at, _)| *at < place.end)
        });
        self.hits[range].iter().map(|(_, hit)| *hit)
    }
}
