//! Groups of nodes that reach each other, and hashes of all that each group reaches, for all of them in one go.
//!
//! What a group reaches is a set of bits, joined from those of the groups it uses, for some columns at a time; bits become
//! sums by tables. Adding has no order, so equal sets have equal hashes however they were reached.

use crate::base::hash::{Digest, Hasher};

/// Groups that are looked at together, in words of 64: bounds the memory.
const WORDS: usize = 64;

/// The sum of hashes, in which no order is left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum(u128, u64);

impl Sum {
    /// Takes one hash.
    pub fn of(digest: Digest) -> Self {
        let wide = u128::from(digest.0) | 1;
        Self(wide.wrapping_mul(wide).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) ^ u128::from(digest.0), 1)
    }

    fn add(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
        self.1 += other.1;
    }

    /// Gives the hash of the sum.
    pub fn digest(self) -> Digest {
        let mut hasher = Hasher::default();
        hasher.part(&self.0.to_le_bytes()).part(&self.1.to_le_bytes());
        hasher.digest()
    }
}

impl std::iter::Sum for Sum {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        let mut sum = Self::default();
        all.for_each(|one| sum.add(one));
        sum
    }
}

/// Parts nodes into groups that reach each other (Tarjan's way, with a stack of its own); gives each node's group and
/// how many there are.
pub fn groups(uses: &[Vec<usize>]) -> (Vec<usize>, usize) {
    const UNSEEN: usize = usize::MAX;
    let (mut order, mut lowest) = (vec![UNSEEN; uses.len()], vec![0; uses.len()]);
    let (mut groups, mut count, mut next) = (vec![UNSEEN; uses.len()], 0, 0);
    let mut open: Vec<usize> = Vec::new();
    for root in 0..uses.len() {
        if order[root] != UNSEEN {
            continue;
        }
        // Nodes on the way, each with how many of its edges were followed.
        let mut way: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((node, followed)) = way.pop() {
            if followed == 0 {
                order[node] = next;
                lowest[node] = next;
                next += 1;
                open.push(node);
            } else {
                let child = uses[node][followed - 1];
                lowest[node] = lowest[node].min(lowest[child]);
            }
            let mut at = followed;
            let deeper = loop {
                let Some(target) = uses[node].get(at).copied() else { break None };
                at += 1;
                if order[target] == UNSEEN {
                    break Some(target);
                }
                if groups[target] == UNSEEN {
                    lowest[node] = lowest[node].min(order[target]);
                }
            };
            if let Some(target) = deeper {
                way.push((node, at));
                way.push((target, 0));
                continue;
            }
            if lowest[node] == order[node] {
                while let Some(member) = open.pop() {
                    groups[member] = count;
                    if member == node {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    (groups, count)
}

/// Hashes what each group reaches. A group uses itself and groups of lower numbers only.
pub fn keys(nodes: &[Sum], uses: &[Vec<usize>], groups: &[usize], count: usize) -> Vec<Digest> {
    let mut own = vec![Sum::default(); count];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (node, group) in groups.iter().enumerate() {
        own[*group].add(nodes[node]);
        below[*group].extend(uses[node].iter().map(|used| groups[*used]).filter(|used| used != group));
    }
    for used in &mut below {
        used.sort_unstable();
        used.dedup();
    }
    let mut sums = own.clone();
    for from in (0..count).step_by(WORDS * 64) {
        let columns = &own[from..(from + WORDS * 64).min(count)];
        let words = columns.len().div_ceil(64);
        let tables: Vec<[Sum; 256]> = columns.chunks(8).map(table).collect();
        // Groups before these columns reach none of them.
        let mut bits = vec![0u64; (count - from) * words];
        for group in from..count {
            let (known, rest) = bits.split_at_mut((group - from) * words);
            let mine = &mut rest[..words];
            for used in below[group].iter().filter(|used| **used >= from) {
                let at = (used - from) * words;
                mine.iter_mut().zip(&known[at..at + words]).for_each(|(bit, other)| *bit |= other);
                if *used - from < columns.len() {
                    mine[(used - from) / 64] |= 1 << ((used - from) % 64);
                }
            }
            for (word, bits) in mine.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                for (byte, value) in bits.to_le_bytes().into_iter().enumerate().filter(|(_, value)| *value != 0) {
                    sums[group].add(tables[word * 8 + byte][usize::from(value)]);
                }
            }
        }
    }
    sums.into_iter().map(Sum::digest).collect()
}

/// Gives the sum of each choice of up to eight parts.
fn table(parts: &[Sum]) -> [Sum; 256] {
    let mut sums = [Sum::default(); 256];
    for (bit, part) in parts.iter().enumerate() {
        for choice in 0..1 << bit {
            let mut sum = sums[choice];
            sum.add(*part);
            sums[choice | 1 << bit] = sum;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Nodes in groups of their own, each using some before it, over more columns than are looked at together.
        #[test]
        fn a_key_is_the_sum_of_what_is_reached(seed in any::<u64>(), count in 1usize..600) {
            let mut state = seed | 1;
            let mut next = |below: usize| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                usize::try_from(state % below as u64).unwrap()
            };
            let uses: Vec<Vec<usize>> = (0..count).map(|node| (0..next(4)).filter(|_| node > 0).map(|_| next(node)).collect()).collect();
            let nodes: Vec<Sum> = (0..count).map(|node| Sum::of(Digest(node as u64 * 7 + 1))).collect();
            let groups: Vec<usize> = (0..count).collect();
            let keys = keys(&nodes, &uses, &groups, count);
            for (node, key) in keys.iter().enumerate() {
                let mut seen = vec![false; count];
                let mut todo = vec![node];
                while let Some(at) = todo.pop() {
                    if !std::mem::replace(&mut seen[at], true) {
                        todo.extend(&uses[at]);
                    }
                }
                let reached: Sum = (0..count).filter(|at| seen[*at]).map(|at| nodes[at]).sum();
                prop_assert_eq!(*key, reached.digest());
            }
        }
    }

    #[test]
    fn groups_beyond_one_block_of_columns_are_reached() {
        let count = WORDS * 64 * 2 + 100;
        let uses: Vec<Vec<usize>> = (0..count).map(|node| if node == 0 { vec![] } else { vec![node - 1] }).collect();
        let nodes: Vec<Sum> = (0..count).map(|node| Sum::of(Digest(node as u64 + 1))).collect();
        let groups: Vec<usize> = (0..count).collect();
        let keys = keys(&nodes, &uses, &groups, count);
        for at in [0, 1, 4095, 4096, 4097, 8191, 8192, count - 1] {
            assert_eq!(keys[at], nodes[..=at].iter().copied().sum::<Sum>().digest(), "{at}");
        }
    }
}
