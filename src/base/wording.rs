//! All that is said to people in other letters, for the test that shows that no command follows the wording of anything.

/// Gives a text for people: in other letters where a test asked for that, which only a build for tests can do.
#[must_use]
pub fn said(text: String) -> String {
    #[cfg(debug_assertions)]
    if others::are_used() {
        return others::of(&text);
    }
    text
}

#[cfg(debug_assertions)]
pub use others::use_others;

#[cfg(debug_assertions)]
mod others {
    use std::sync::atomic::{AtomicBool, Ordering};

    static ARE_USED: AtomicBool = AtomicBool::new(false);

    /// Has all texts for people written in wide letters from here on.
    pub fn use_others() {
        ARE_USED.store(true, Ordering::Relaxed);
    }

    pub(super) fn are_used() -> bool {
        ARE_USED.load(Ordering::Relaxed)
    }

    /// Writes a text in wide letters; one that is so already stays.
    pub(super) fn of(text: &str) -> String {
        const WIDE: u32 = 'ａ' as u32 - 'a' as u32;
        let wide = |c: char| if c.is_ascii_alphabetic() { char::from_u32(c as u32 + WIDE).unwrap_or(c) } else { c };
        text.chars().map(wide).collect()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn other_letters_are_no_letters_of_the_first() {
        assert_eq!(super::others::of("No test 1."), "Ｎｏ ｔｅｓｔ 1.");
        assert_eq!(super::others::of(&super::others::of("No")), "Ｎｏ");
        assert_eq!(super::said("No".to_owned()), "No");
    }
}
