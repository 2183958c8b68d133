//! Where things stand, for any size: pure arithmetic from size, focus and shares to rectangles.

use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};

/// The smallest size that shows the workbench.
pub const MIN: (u16, u16) = (40, 10);

/// The screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Screen {
    /// Drafts and changes.
    #[default]
    Review,
    /// Tests with intents: what they did and what came of it.
    Journeys,
    /// YAML tests.
    Specs,
    /// Recordings and jobs.
    Runs,
    /// What happened.
    Log,
    /// What a change of the code does.
    Diff,
}

/// The panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pane {
    /// The tree.
    Functions,
    /// A source file.
    Source,
    /// Recorded calls.
    Calls,
    /// What is decided on.
    Decision,
    /// What a test is for, and its clauses.
    Intent,
    /// What a test did.
    Journey,
    /// YAML tests, a line each.
    Specs,
    /// The steps of one of them.
    Steps,
    /// Recordings and jobs.
    Runs,
    /// The calls of a recording.
    Recorded,
    /// The log.
    Log,
    /// What a change of the code does.
    Diff,
}

impl Screen {
    /// Gives the panes of a screen in the order of Tab.
    #[must_use]
    pub fn panes(self) -> &'static [Pane] {
        match self {
            Self::Review => &[Pane::Functions, Pane::Source, Pane::Calls, Pane::Decision],
            Self::Journeys => &[Pane::Intent, Pane::Journey, Pane::Source],
            Self::Specs => &[Pane::Specs, Pane::Steps, Pane::Source],
            Self::Runs => &[Pane::Runs, Pane::Recorded],
            Self::Log => &[Pane::Log],
            Self::Diff => &[Pane::Source, Pane::Calls, Pane::Diff],
        }
    }

    /// Tells whether proposals are decided on here.
    #[must_use]
    pub fn decides(self) -> bool {
        matches!(self, Self::Review | Self::Journeys | Self::Diff)
    }
}

/// How a person set the widths, in percent of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shares {
    /// The tree, where three panes stand side by side.
    pub tree: u16,
    /// What is decided on, where three stand side by side.
    pub decision: u16,
    /// What is decided on, where two stand side by side.
    pub half: u16,
}

impl Default for Shares {
    fn default() -> Self {
        Self { tree: 20, decision: 42, half: 55 }
    }
}

/// A column of the screen: one pane in front, perhaps others behind it as tabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The pane in front.
    pub pane: Pane,
    /// All panes of the column, the front one too; one alone has no tabs.
    pub tabs: Vec<Pane>,
    /// The title line; empty where there is none.
    pub title: Rect,
    /// The text.
    pub body: Rect,
    /// The column of the scroll bar.
    pub bar: Rect,
}

/// Everything's place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Line 1 and line 2.
    pub head: [Rect; 2],
    /// The panes.
    pub slots: Vec<Slot>,
    /// The message line.
    pub message: Rect,
    /// The key line.
    pub keys: Rect,
    /// Between line 2 and the message line.
    pub middle: Rect,
}

/// What the layout depends on.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    /// Columns and rows.
    pub size: (u16, u16),
    /// The screen.
    pub screen: Screen,
    /// The focused pane.
    pub focus: Pane,
    /// The pane in front where Functions, Source and Calls share a column.
    pub left: Pane,
    /// The pane in front where Source and Calls share a column.
    pub centre: Pane,
    /// The focused pane alone.
    pub zoomed: bool,
    /// The widths.
    pub shares: Shares,
}

/// Tells whether a size is too small to show anything.
#[must_use]
pub fn too_small((width, height): (u16, u16)) -> bool {
    width < MIN.0 || height < MIN.1
}

/// Finds everything's place.
#[must_use]
pub fn arrange(wish: &Wish) -> Layout {
    let (width, height) = wish.size;
    if too_small(wish.size) {
        return Layout::default();
    }
    let line = |y: u16| Rect::new(0, y, width, 1);
    let middle = Rect::new(0, 2, width, height - 4);
    let titled = height >= 12;
    let mut slots = Vec::new();
    let mut column = |x: u16, wide: u16, y: u16, tall: u16, tabs: &[Pane], front: Pane| {
        let title = Rect::new(x, y, wide, u16::from(titled));
        let top = y + title.height;
        let rows = tall - title.height;
        slots.push(Slot {
            pane: front,
            tabs: tabs.to_vec(),
            title,
            body: Rect::new(x, top, wide - 1, rows),
            bar: Rect::new(x + wide - 1, top, 1, rows),
        });
    };
    let (y, tall) = (middle.y, middle.height);
    let all = wish.screen.panes();
    // What the screen is about stands right, where two are side by side.
    let (last, others): (Pane, &[Pane]) = match wish.screen {
        Screen::Journeys => (Pane::Journey, &[Pane::Intent, Pane::Source]),
        Screen::Specs => (Pane::Steps, &[Pane::Specs, Pane::Source]),
        _ => (all[all.len() - 1], &all[..all.len() - 1]),
    };
    if wish.zoomed || others.is_empty() {
        column(0, width, y, tall, &[wish.focus], wish.focus);
    } else if width < 90 || (wish.screen == Screen::Runs && width < 140) {
        column(0, width, y, tall, all, wish.focus);
    } else if wish.screen == Screen::Runs {
        let left = (width * (100 - wish.shares.half) / 100).clamp(70, width - 60);
        column(0, left, y, tall, others, others[0]);
        column(left, width - left, y, tall, &[last], last);
    } else if width < 140 {
        let left = (width * (100 - wish.shares.half) / 100).saturating_sub(1).clamp(20, width - 20);
        let wished = [wish.left, wish.centre].into_iter().find(|pane| others.contains(pane));
        let front = wished.unwrap_or(others[0]);
        column(0, left, y, tall, others, front);
        column(left, width - left, y, tall, &[last], last);
    } else if let [first, middle, third] = *all
        && matches!(wish.screen, Screen::Journeys | Screen::Specs)
    {
        let journey = (width * wish.shares.decision / 100).clamp(20, width - 60);
        let intent = (width - journey) / 2;
        for (x, wide, pane) in
            [(0, intent, first), (intent, journey, middle), (intent + journey, width - intent - journey, third)]
        {
            column(x, wide, y, tall, &[pane], pane);
        }
    } else {
        let with_tree = others.contains(&Pane::Functions);
        let tree = if with_tree { (width * wish.shares.tree / 100).clamp(20, width - 60) } else { 0 };
        let share = if with_tree { wish.shares.decision } else { wish.shares.half };
        let decision = (width * share / 100).clamp(20, width - tree - 20);
        let centre = width - tree - decision;
        if with_tree {
            column(0, tree, y, tall, &[Pane::Functions], Pane::Functions);
        }
        if height >= 30 {
            let calls = (tall * 9 / 41).max(5);
            column(tree, centre, y, tall - calls, &[Pane::Source], Pane::Source);
            column(tree, centre, y + tall - calls, calls, &[Pane::Calls], Pane::Calls);
        } else {
            column(tree, centre, y, tall, &[Pane::Source, Pane::Calls], wish.centre);
        }
        column(tree + centre, decision, y, tall, &[last], last);
    }
    Layout { head: [line(0), line(1)], slots, message: line(height - 2), keys: line(height - 1), middle }
}

impl Layout {
    /// Finds a pane that is in sight.
    #[must_use]
    pub fn slot(&self, pane: Pane) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.pane == pane)
    }

    /// Counts the rows of a pane; a pane behind a tab has those of its column.
    #[must_use]
    pub fn rows(&self, pane: Pane) -> usize {
        self.slots
            .iter()
            .find(|slot| slot.pane == pane)
            .or_else(|| self.slots.iter().find(|slot| slot.tabs.contains(&pane)))
            .map_or(0, |slot| usize::from(slot.body.height))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wish(size: (u16, u16)) -> Wish {
        Wish {
            size,
            screen: Screen::Review,
            focus: Pane::Decision,
            left: Pane::Source,
            centre: Pane::Source,
            zoomed: false,
            shares: Shares::default(),
        }
    }

    #[test]
    fn the_breakpoints_are_where_they_are_said_to_be() {
        let shape = |size| arrange(&wish(size)).slots.iter().map(|s| (s.pane, s.body.width)).collect::<Vec<_>>();
        use Pane::{Calls, Decision, Functions, Source};
        assert_eq!(shape((160, 45)), [(Functions, 31), (Source, 60), (Calls, 60), (Decision, 66)]);
        assert_eq!(shape((140, 20)).len(), 3);
        assert_eq!(shape((139, 45)).len(), 2);
        assert_eq!(shape((100, 30)), [(Source, 43), (Decision, 55)]);
        assert_eq!(shape((60, 20)), [(Decision, 59)]);
        assert_eq!(arrange(&wish((40, 10))).slots[0].title.height, 0);
        assert!(too_small((39, 40)) && too_small((40, 9)) && !too_small((40, 10)));
    }

    proptest! {
        #[test]
        fn nothing_overlaps_and_nothing_leaves_the_screen(
            width in 0u16..400, height in 0u16..120, zoomed: bool, which in 0usize..5, tree in 0u16..100, decision in 0u16..100, half in 0u16..100
        ) {
            let shares = Shares { tree, decision, half };
            let screen = [Screen::Review, Screen::Journeys, Screen::Specs, Screen::Diff, Screen::Runs][which];
            let layout = arrange(&Wish { zoomed, shares, screen, ..wish((width, height)) });
            let screen = Rect::new(0, 0, width, height);
            let mut all: Vec<Rect> = layout.slots.iter().flat_map(|s| [s.title, s.body, s.bar]).collect();
            all.extend([layout.head[0], layout.head[1], layout.message, layout.keys]);
            for (index, one) in all.iter().enumerate() {
                prop_assert_eq!(one.intersection(screen), *one);
                for other in &all[index + 1..] {
                    prop_assert!(one.intersection(*other).is_empty());
                }
            }
        }
    }
}
