//! Differences beside the recorded calls in words.

use crate::base::text;
use crate::domain::near::{Near, NearDifference};
use crate::generate::replay::{both_outcomes, leaf};

/// Columns of each outcome.
const VALUE_MAX: usize = 60;

/// Says all that a search came to, in lines.
#[must_use]
pub fn lines(near: &Near) -> Vec<String> {
    let mut out: Vec<String> = near.differences.iter().map(line).collect();
    if out.is_empty() && !near.searched.is_empty() {
        out.push(format!("near: {}", nothing(near)));
    }
    out.extend(near.remarks());
    out
}

/// Says that nothing differs, at how many inputs.
#[must_use]
pub fn nothing(near: &Near) -> String {
    let tried = text::count_u64(near.searched.iter().map(|(_, tried)| tried).sum(), "input");
    format!("nothing differs at {tried} beside the recorded ones, in {}.", text::count(near.searched.len(), "edited function"))
}

/// Says what differs: `label(365): 'days' → 'years'`.
#[must_use]
pub fn short(one: &NearDifference) -> String {
    let (old, new) = both_outcomes(&one.old, &one.new, VALUE_MAX);
    let side = |text: &str| text.trim_start_matches("→ ").replacen("✗ ", "raises ", 1);
    let (old, new) = (side(&old), side(&new));
    let part =
        if old == new { format!(" at {}: {}", one.difference.path, leaf(&one.difference, VALUE_MAX)) } else { String::new() };
    format!("{}{}: {old} → {new}{part}", one.function.qualname(), one.arguments)
}

/// Says one in a line: `near: f(3): 1 → 2  (nobody recorded this; n is 1 away from a recorded call)`.
#[must_use]
pub fn line(one: &NearDifference) -> String {
    format!("near: {}  (nobody recorded this; {})", short(one), one.distance.phrase())
}
