//! A value whose changes are counted, so that what is made of it can be kept until the count moves.

use std::ops::{Deref, DerefMut};

/// A value and how often somebody took hold of it to change it.
#[derive(Debug, Default)]
pub struct Counted<T> {
    value: T,
    changes: u64,
}

impl<T> Counted<T> {
    /// Tells how often it may have changed.
    pub fn changes(&self) -> u64 {
        self.changes
    }
}

impl<T> Deref for Counted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Counted<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.changes += 1;
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changing_counts_and_reading_does_not() {
        let mut list: Counted<Vec<u8>> = Counted::default();
        list.push(1);
        assert_eq!((list.len(), list.changes()), (1, 1));
        *list = vec![];
        assert_eq!((list.is_empty(), list.changes()), (true, 2));
    }
}
