//! Counts work, so that tests can promise how much of it a key takes without looking at a clock.

use std::cell::Cell;

thread_local! {
    static ROWS: Cell<usize> = const { Cell::new(0) };
    static TREES: Cell<usize> = const { Cell::new(0) };
}

/// A line of a list was made.
pub fn a_row_was_made() {
    ROWS.set(ROWS.get() + 1);
}

/// The whole tree was laid out.
pub fn the_tree_was_made() {
    TREES.set(TREES.get() + 1);
}

/// Counts what a piece of work made: lines and trees.
pub fn of(work: impl FnOnce()) -> (usize, usize) {
    let before = (ROWS.get(), TREES.get());
    work();
    (ROWS.get() - before.0, TREES.get() - before.1)
}
