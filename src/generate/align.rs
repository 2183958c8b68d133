//! Two runs of a test side by side: which call of the one is which call of the other.

/// More calls are not aligned, but paired from both ends.
const CALLS_MAX: usize = 2_000;

/// Gives for each call of the first run the index of the same call in the second one. `former` and `later` are digests of the calls'
/// arguments. Members of their longest common sequence are the same calls. Between two members, calls with other arguments are paired
/// in their order if both runs have equally many.
#[must_use]
pub fn pairs<T: PartialEq>(former: &[T], later: &[T]) -> Vec<Option<usize>> {
    let mut found = vec![None; former.len()];
    let mut gap = (0, 0);
    let common = common(former, later);
    for (a, b) in common.into_iter().chain([(former.len(), later.len())]) {
        if a - gap.0 == b - gap.1 {
            (gap.0..a).zip(gap.1..b).for_each(|(a, b)| found[a] = Some(b));
        }
        if a < former.len() {
            found[a] = Some(b);
        }
        gap = (a + 1, b + 1);
    }
    found
}

/// Gives the members of a longest common sequence.
fn common<T: PartialEq>(a: &[T], b: &[T]) -> Vec<(usize, usize)> {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (mid_a, mid_b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    let mut found: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    if mid_a.len() <= CALLS_MAX && mid_b.len() <= CALLS_MAX {
        // longest[i][j]: of mid_a[i..] and mid_b[j..].
        let width = mid_b.len() + 1;
        let mut longest = vec![0_u16; (mid_a.len() + 1) * width];
        for i in (0..mid_a.len()).rev() {
            for j in (0..mid_b.len()).rev() {
                longest[i * width + j] = if mid_a[i] == mid_b[j] {
                    longest[(i + 1) * width + j + 1] + 1
                } else {
                    longest[(i + 1) * width + j].max(longest[i * width + j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < mid_a.len() && j < mid_b.len() {
            if mid_a[i] == mid_b[j] {
                found.push((head + i, head + j));
                (i, j) = (i + 1, j + 1);
            } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    found.extend((0..tail).rev().map(|back| (a.len() - 1 - back, b.len() - 1 - back)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(former: &str, later: &str) -> String {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        let found = pairs(&letters(former), &letters(later));
        found.into_iter().map(|at| at.map_or('-', |at| char::from_digit(at as u32, 36).unwrap_or('?'))).collect()
    }

    #[test]
    fn one_call_more_or_less_shifts_none_of_the_others() {
        assert_eq!(of("abc", "abc"), "012");
        assert_eq!(of("abc", "axbc"), "023");
        assert_eq!(of("abcd", "abd"), "01-2");
        assert_eq!(of("aaaa", "aaa"), "012-");
        assert_eq!(of("", "abc"), "");
        assert_eq!(of("abc", ""), "---");
    }

    #[test]
    fn a_call_with_other_arguments_is_the_one_between_its_neighbours() {
        assert_eq!(of("abc", "aXc"), "012");
        assert_eq!(of("abc", "aXYc"), "0-3", "nobody knows which of them it is");
        assert_eq!(of("a", "X"), "0");
    }

    proptest::proptest! {
        #[test]
        fn pairs_keep_their_order(a in "[a-c]{0,9}", b in "[a-c]{0,9}") {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            let found: Vec<usize> = pairs(&letters(&a), &letters(&b)).into_iter().flatten().collect();
            proptest::prop_assert!(found.is_sorted() && found.windows(2).all(|two| two[0] < two[1]));
        }
    }
}
