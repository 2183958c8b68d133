//! Columns of numbers.

/// Hashes and counts are unsigned; SQLite's integers are signed. The bits are kept.
pub(super) fn signed(number: u64) -> i64 {
    number.cast_signed()
}

pub(super) fn unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}
