//! Whole characters out of tokens, which are bytes and may end in the middle of one.

/// Text whose last character may still be coming.
#[derive(Debug, Default)]
pub(crate) struct Characters {
    waiting: Vec<u8>,
}

impl Characters {
    /// Gives a place to write more bytes to.
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.waiting
    }

    /// Takes out what is whole; bytes that can begin no character become U+FFFD.
    pub(crate) fn take(&mut self) -> String {
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.waiting) {
                Ok(rest) => {
                    text.push_str(rest);
                    self.waiting.clear();
                    return text;
                }
                Err(error) => {
                    let whole = error.valid_up_to();
                    text.push_str(&String::from_utf8_lossy(&self.waiting[..whole]));
                    let Some(wrong) = error.error_len() else {
                        self.waiting.drain(..whole);
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.waiting.drain(..whole + wrong);
                }
            }
        }
    }

    /// Takes out all that is left; a character that never became whole is U+FFFD.
    pub(crate) fn finish(mut self) -> String {
        let mut text = self.take();
        if !self.waiting.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_cut_anywhere_come_out_whole() {
        let text = "héllo 🎉 日本";
        for cut in 0..=text.len() {
            let mut characters = Characters::default();
            characters.bytes().extend(&text.as_bytes()[..cut]);
            let first = characters.take();
            assert!(text.starts_with(&first) && !first.contains('\u{fffd}'), "{cut}: {first}");
            characters.bytes().extend(&text.as_bytes()[cut..]);
            assert_eq!(first + &characters.finish(), text);
        }
    }

    #[test]
    fn what_is_no_character_is_marked_and_does_not_stop_the_rest() {
        let mut characters = Characters::default();
        characters.bytes().extend(b"a\xff\xf0\x9fb\xe6\x97");
        assert_eq!(characters.take(), "a\u{fffd}\u{fffd}b");
        assert_eq!(characters.finish(), "\u{fffd}");
    }
}
