//! A secret that was found in a text, and what stands for one.

/// A secret in a text: from, to, kind.
pub(super) type Found = (usize, usize, &'static str);

/// What stands first counts, of these the longest.
pub(super) fn rank(found: &Found) -> (usize, std::cmp::Reverse<usize>) {
    (found.0, std::cmp::Reverse(found.1))
}

/// Tells whether a text is what stands for a secret.
pub(super) fn is_placeholder(text: &str) -> bool {
    text.starts_with("[REDACTED") || text.starts_with("[R#") || text.starts_with('‹')
}

/// Gives the place, or the nearest one before it, at which a text can be cut.
pub(super) fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}
