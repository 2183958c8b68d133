//! The form of a payment card's number: its length, its first digit, its groups and its check digit.

/// Lengths of card numbers.
const LENGTHS: std::ops::RangeInclusive<usize> = 13..=19;
/// Digits of the first group, where a number is written in groups.
const FIRST_GROUP: usize = 4;
/// Digits of each other group.
const GROUPS: std::ops::RangeInclusive<usize> = 3..=7;

/// Tells whether a whole text is a card's number: 13 to 19 digits, in one run or in groups of at least three that one sign
/// parts. A decimal point makes it a number of another kind.
#[must_use]
pub fn is_card(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
    LENGTHS.contains(&digits.len())
        && matches!(digits.first(), Some(3..=6))
        && digits.iter().any(|digit| *digit != digits[0])
        && is_grouped(text)
        && luhn(&digits)
}

fn is_grouped(text: &str) -> bool {
    let Some(sign) = text.bytes().find(|byte| !byte.is_ascii_digit()) else { return true };
    let mut groups = text.split(char::from(sign)).map(|group| (group.len(), group.bytes().all(|byte| byte.is_ascii_digit())));
    matches!(sign, b' ' | b'-')
        && groups.next() == Some((FIRST_GROUP, true))
        && groups.all(|(len, digits)| digits && GROUPS.contains(&len))
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_of_the_right_form_are_cards() {
        for card in ["4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "3782 822463 10005", "5500005555555559"] {
            assert!(is_card(card), "{card}");
        }
        for other in [
            "4111111111111112",
            "4444444444444444",
            "1111111111111117",
            "4.111111111111111",
            "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
            "4111 1111-1111 1111",
            "4111  1111 1111 1111",
            "",
        ] {
            assert!(!is_card(other), "{other}");
        }
    }
}
