//! Which modules have to do with which: each with all that it imports.

use super::Place;

/// Gives for each module the set of modules it imports, directly or not, itself included.
pub(super) fn relations(places: &[Place<'_>]) -> Vec<Vec<u64>> {
    let words = places.len().div_ceil(64);
    let mut sets = Vec::with_capacity(places.len());
    for start in 0..places.len() {
        let mut set = vec![0u64; words];
        set[start / 64] |= 1 << (start % 64);
        let mut stack = vec![start];
        while let Some(number) = stack.pop() {
            for other in &places[number].imports {
                let (word, bit) = (other / 64, 1u64 << (other % 64));
                if set[word] & bit == 0 {
                    set[word] |= bit;
                    stack.push(*other);
                }
            }
        }
        sets.push(set);
    }
    sets
}
