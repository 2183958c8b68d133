//! Which statements calls ran, of lines that were asked for.

use std::collections::{BTreeMap, BTreeSet};

/// Statements, each as file and line.
pub type Statements = BTreeSet<(String, u32)>;

/// Statements, and whether any of the calls ran each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinesRun(BTreeMap<(String, u32), bool>);

impl LinesRun {
    /// Takes what Python says: path, line, and whether it ran.
    #[must_use]
    pub fn from_wire(lines: Vec<(String, u32, bool)>) -> Self {
        Self(lines.into_iter().map(|(path, line, ran)| ((path, line), ran)).collect())
    }

    /// Adds what other calls ran.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        for (statement, ran) in other.0 {
            *self.0.entry(statement).or_default() |= ran;
        }
        self
    }

    /// Adds what other calls ran, where either is known.
    #[must_use]
    pub fn joined(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => Some(one.with(other)),
            (one, other) => one.or(other),
        }
    }

    /// Leaves only the statements of one file between two lines.
    #[must_use]
    pub fn within(&self, path: &str, lines: std::ops::RangeInclusive<u32>) -> Self {
        let own = self.0.iter().filter(|((file, line), _)| file == path && lines.contains(line));
        Self(own.map(|(statement, ran)| (statement.clone(), *ran)).collect())
    }

    /// Lists the statements that no call ran.
    #[must_use]
    pub fn left(&self) -> Statements {
        self.0.iter().filter(|(_, ran)| !**ran).map(|(statement, _)| statement.clone()).collect()
    }

    /// Tells whether there are statements, and no call ran any of them.
    #[must_use]
    pub fn none_ran(&self) -> bool {
        !self.0.is_empty() && self.0.values().all(|ran| !ran)
    }

    /// Tells whether each statement ran.
    #[must_use]
    pub fn all_ran(&self) -> bool {
        self.0.values().all(|ran| *ran)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_any_call_ran_is_not_left() {
        let call = |first, second| LinesRun::from_wire(vec![("m.py".into(), 2, first), ("m.py".into(), 3, second)]);
        assert!(call(false, false).none_ran() && !call(true, false).none_ran());
        assert!(!LinesRun::default().none_ran(), "what is no statement cannot run");
        let both = call(true, false).with(call(false, false));
        assert_eq!(both.left(), BTreeSet::from([("m.py".to_owned(), 3)]));
        assert!(call(true, false).with(call(false, true)).all_ran());
        assert_eq!(both.within("m.py", 2..=2), LinesRun::from_wire(vec![("m.py".into(), 2, true)]));
        assert_eq!(LinesRun::joined(None, Some(both.clone())), Some(both));
    }
}
