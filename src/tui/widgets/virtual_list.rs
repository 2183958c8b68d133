//! Cursor and first visible line of a list of any length: only what is in sight is ever built.

use serde::{Deserialize, Serialize};

/// Where a list stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ListState {
    /// The line under the cursor.
    pub cursor: usize,
    /// The first line in sight.
    pub top: usize,
}

impl ListState {
    /// Moves the cursor by lines, and stops at the ends.
    pub fn step(&mut self, lines: isize, len: usize) {
        self.cursor = self.cursor.saturating_add_signed(lines).min(len.saturating_sub(1));
    }

    /// Scrolls without moving the cursor out of sight.
    pub fn scroll(&mut self, lines: isize, len: usize, height: usize) {
        self.top = self.top.saturating_add_signed(lines).min(len.saturating_sub(height));
        self.cursor = self.cursor.clamp(self.top, (self.top + height.max(1) - 1).max(self.top)).min(len.saturating_sub(1));
    }

    /// Puts the cursor back into the list and the cursor's line into sight, moving as little as possible.
    pub fn settle(&mut self, len: usize, height: usize) {
        self.cursor = self.cursor.min(len.saturating_sub(1));
        if self.cursor < self.top {
            self.top = self.cursor;
        } else if height > 0 && self.cursor >= self.top + height {
            self.top = self.cursor + 1 - height;
        }
        self.top = self.top.min(len.saturating_sub(height.max(1)));
    }

    /// Puts the cursor on a line and keeps the row of the screen it stands on, so that nothing moves under the eye.
    pub fn hold(&mut self, cursor: usize) {
        let row = self.cursor.saturating_sub(self.top);
        self.cursor = cursor;
        self.top = cursor.saturating_sub(row);
    }

    /// Puts a line into the upper third of the pane, for a jump.
    pub fn jump(&mut self, cursor: usize, height: usize) {
        self.cursor = cursor;
        if cursor < self.top || cursor >= self.top + height {
            self.top = cursor.saturating_sub(height / 3);
        }
    }

    /// Tells which rows of a scroll bar of `height` rows are the visible part; nothing when all is visible.
    #[must_use]
    pub fn bar(&self, len: usize, height: usize) -> Option<std::ops::Range<usize>> {
        if len <= height || height == 0 {
            return None;
        }
        let size = (height * height / len).clamp(1, height);
        let travel = height - size;
        let last_top = len - height;
        let from = (self.top.min(last_top) * travel).div_ceil(last_top).min(travel);
        Some(from..from + size)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_bar_touches_an_end_only_at_the_end() {
        let at = |top| ListState { cursor: top, top }.bar(100, 10).unwrap();
        assert_eq!(at(0), 0..1);
        assert_eq!(at(90), 9..10);
        assert!(at(1).start > 0 && at(80).end < 10);
        assert_eq!(ListState::default().bar(10, 10), None);
    }

    proptest! {
        #[test]
        fn the_cursor_is_always_in_the_list_and_in_sight(
            moves in prop::collection::vec((-50isize..50, 0usize..40, 0usize..20), 0..40)
        ) {
            let mut list = ListState::default();
            for (step, len, height) in moves {
                list.step(step, len);
                list.settle(len, height);
                prop_assert!(list.cursor < len.max(1));
                if height > 0 && len > 0 {
                    prop_assert!(list.top <= list.cursor && list.cursor < list.top + height);
                }
                list.scroll(step, len, height);
                prop_assert!(list.cursor < len.max(1));
                if let Some(bar) = list.bar(len, height) {
                    prop_assert!(bar.end <= height && !bar.is_empty());
                }
            }
        }
    }
}
