//! Text for human eyes: the one sanitiser (`display`), display width, cutting and wrapping.
//!
//! Owns every use of Unicode tables of widths and of normal forms. Does not know colours or the screen.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// More combining marks than this on one character are dropped: they smear over the lines above and below.
const COMBINING_MAX: usize = 8;

/// Gives an identifier as Python knows it: `ﬁnd` is `find` (NFKC).
#[must_use]
pub fn identifier(name: &str) -> Cow<'_, str> {
    if name.is_ascii() { Cow::Borrowed(name) } else { ComposingNormalizerBorrowed::new_nfkc().normalize(name) }
}

/// Makes text from a program, a file or a model safe for a terminal, a log or a file name.
///
/// Control characters (C0 but newline and tab, DEL, C1) become visible escapes such as `\x1b`; what reorders, hides
/// or joins text (bidirectional controls, zero-width characters, tag characters, line separators) becomes `‹U+202E›`.
#[must_use]
pub fn display(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| (0x20..0x7f).contains(&b) || b == b'\n' || b == b'\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for grapheme in text.graphemes(true) {
        let mut marks = 0;
        for c in grapheme.chars() {
            if UnicodeWidthStr::width(c.encode_utf8(&mut [0; 4]) as &str) == 0 && !is_unsafe(c) && !c.is_control() {
                marks += 1;
                if marks > COMBINING_MAX {
                    continue;
                }
            }
            push_safe(&mut out, c);
        }
    }
    Cow::Owned(out)
}

/// Makes text safe for one line: as [`display`], with newlines and tabs written as `\n` and `\t`.
#[must_use]
pub fn display_line(text: &str) -> Cow<'_, str> {
    let safe = display(text);
    if safe.contains(['\n', '\t']) {
        return Cow::Owned(safe.replace('\n', "\\n").replace('\t', "\\t"));
    }
    safe
}

/// Makes a line of JSON safe for a terminal and says the same: what [`display`] would show as an escape is one of JSON's own.
#[must_use]
pub fn escape_json(line: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !c.is_control() && !is_unsafe(c);
    if line.is_ascii() && !line.contains('\x7f') || line.chars().all(is_plain) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len() + 16);
    for c in line.chars() {
        if is_plain(c) {
            out.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    Cow::Owned(out)
}

fn push_safe(out: &mut String, c: char) {
    match c {
        '\n' | '\t' => out.push(c),
        '\r' => out.push_str("\\r"),
        c if c.is_control() => out.push_str(&format!("\\x{:02x}", c as u32)),
        c if is_unsafe(c) => out.push_str(&format!("‹U+{:04X}›", c as u32)),
        c => out.push(c),
    }
}

/// Tells whether a character is not seen, or changes how others are seen.
#[must_use]
pub fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // What is no character at all.
        | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}'
        // Of the variation selectors those two that tell signs from emoji are seen; the others may carry a text.
        | '\u{fe00}'..='\u{fe0d}' | '\u{e0000}'..='\u{e0fff}')
}

/// As [`count`], of a number as the store and the engine have it.
#[must_use]
pub fn count_u64(number: u64, noun: &str) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// Writes the first letter large: a reason as a sentence.
#[must_use]
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Tells how many terminal columns a text takes; tabs count as one.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { UnicodeWidthStr::width(text) }
}

/// Cuts a text to at most `columns`, ending in `…` when something was left out.
#[must_use]
pub fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut kept = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        let after = joined(&kept, grapheme, used);
        if after > columns - 1 {
            break;
        }
        used = after;
        kept.push_str(grapheme);
    }
    kept.push('…');
    Cow::Owned(kept)
}

/// Cuts two texts to at most `columns` each so that the place where they begin to differ stays in sight.
#[must_use]
pub fn around(old: &str, new: &str, columns: usize) -> (String, String) {
    if width(old) <= columns && width(new) <= columns {
        return (old.to_owned(), new.to_owned());
    }
    let alike: Vec<&str> =
        old.graphemes(true).zip(new.graphemes(true)).take_while(|(a, b)| a == b).map(|(grapheme, _)| grapheme).collect();
    // So much of what they share says where in the text this is.
    let skipped: usize = alike.iter().take(alike.len().saturating_sub(columns / 3)).map(|grapheme| grapheme.len()).sum();
    let from = |text: &str| {
        let head = if skipped > 0 { "…" } else { "" };
        cut(&format!("{head}{}", text.get(skipped..).unwrap_or(text)), columns).into_owned()
    };
    (from(old), from(new))
}

/// Cuts columns off the left: the part of a line that is visible after scrolling sideways.
#[must_use]
pub fn skip_columns(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (index, grapheme) in text.grapheme_indices(true) {
        if used >= columns {
            return &text[index..];
        }
        used += width(grapheme);
    }
    ""
}

/// Pads or cuts a text to exactly `columns`.
#[must_use]
pub fn fit(text: &str, columns: usize) -> String {
    let mut out = cut(text, columns).into_owned();
    let missing = columns.saturating_sub(width(&out));
    out.extend(std::iter::repeat_n(' ', missing));
    out
}

/// Breaks a text into lines of at most `columns`, at spaces where there are some.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut used = 0;
        for word in words(paragraph) {
            if joined(&line, word, used) > columns && used > 0 {
                lines.push(line.trim_end().to_owned());
                line = String::new();
                used = 0;
                if word.trim().is_empty() {
                    continue;
                }
            }
            let after = joined(&line, word, used);
            if after <= columns {
                line.push_str(word);
                used = after;
                continue;
            }
            for grapheme in word.graphemes(true) {
                // One sign with marks beside it can be wider than a very narrow column.
                let grapheme = if width(grapheme) > columns { "…" } else { grapheme };
                if joined(&line, grapheme, used) > columns && used > 0 {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                used = joined(&line, grapheme, used);
                line.push_str(grapheme);
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Takes a text apart where a line may end: at spaces, and where a script breaks without them; never before a full stop.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let sticks = |at: &usize| {
        let around = [text[..*at].chars().next_back(), text[*at..].chars().next()];
        around.iter().all(|sign| sign.is_some_and(|sign| sign.is_ascii_graphic()))
    };
    let ends = text.split_word_bound_indices().map(|(at, _)| at).skip(1).filter(move |at| !sticks(at)).chain([text.len()]);
    ends.scan(0, move |from, end| Some(&text[std::mem::replace(from, end)..end]))
}

/// Measures a line with more text at its end. Some signs are wider beside others than alone.
fn joined(line: &str, more: &str, used: usize) -> usize {
    if line.is_ascii() && more.is_ascii() { used + more.len() } else { width(&format!("{line}{more}")) }
}

/// Writes a command as a person would type it into a shell, with quotes where words need them.
#[must_use]
pub fn command_line(argv: &[String]) -> String {
    shlex::try_join(argv.iter().map(String::as_str)).unwrap_or_else(|_| argv.join(" "))
}

/// Tells whether a line asks for what only a shell does: a pipe, a redirection, another command after it. What stands in quotes
/// asks for nothing.
#[must_use]
pub fn is_for_a_shell(line: &str) -> bool {
    let mut quote = None;
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(open), sign) if open == sign => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                signs.next();
            }
            (None, '\'' | '"') => quote = Some(sign),
            (None, '|' | ';' | '&' | '<' | '>' | '`') => return true,
            (_, '$') if signs.as_str().starts_with('(') => return true,
            _ => {}
        }
    }
    false
}

/// Writes a count with its noun: `1 call`, `3 calls`.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", thousands(number)) }
}

/// Writes a size for people: `2.1 kB`.
#[must_use]
pub fn bytes(number: u64) -> String {
    match number {
        0..1_000 => format!("{number} B"),
        1_000..1_000_000 => format!("{}.{} kB", number / 1_000, number % 1_000 / 100),
        _ => format!("{}.{} MB", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}

/// Writes a number with thin groups of three: `12 480`.
#[must_use]
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn json_says_the_same_and_nothing_in_it_acts() {
        for text in ["plain", "é 漢 ❤\u{fe0f}"] {
            assert!(matches!(escape_json(text), Cow::Borrowed(_)), "{text}");
        }
        for text in [
            "a\u{7f}b",
            "\u{9b}31m",
            "\u{202e}x",
            "\u{e0041}",
            "e\u{301}\u{2028}",
            "\u{fe01}\u{e0101}\u{34f}",
            "\u{13430}\u{fff0}",
        ] {
            let line = serde_json::to_string(text).unwrap();
            let safe = escape_json(&line);
            assert!(!safe.chars().any(|c| c.is_control() || is_unsafe(c)), "{safe}");
            assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), text);
        }
    }

    #[test]
    fn two_long_texts_are_cut_around_what_differs() {
        let (old, new) = (format!("[{}1, 2]", "0, ".repeat(40)), format!("[{}7, 2]", "0, ".repeat(40)));
        assert_eq!(around(&old, &new, 16), ("…, 0, 1, 2]".into(), "…, 0, 7, 2]".into()));
        assert_eq!(around("1", "2", 16), ("1".into(), "2".into()));
        let (old, new) = around(&format!("a{}", "x".repeat(90)), &format!("b{}", "x".repeat(90)), 10);
        assert_eq!((old.as_str(), new.as_str()), ("axxxxxxxx…", "bxxxxxxxx…"));
    }

    #[test]
    fn a_command_is_written_so_that_a_shell_takes_it_back() {
        let argv = ["python", "-c", "print('a b')", ""].map(str::to_owned);
        assert_eq!(shlex::split(&command_line(&argv)), Some(argv.to_vec()));
        assert_eq!(command_line(&["pytest".to_owned(), "-q".to_owned()]), "pytest -q");
    }

    #[test]
    fn a_line_for_a_shell_is_known_by_what_stands_outside_of_quotes() {
        for line in ["a | b", "a && b", "a > f", "a; b", "a $(b)", "a \"$(b)\"", "a `b`"] {
            assert!(is_for_a_shell(line), "{line}");
        }
        for line in ["a b", "python -c 'a; b'", "grep \"a|b\"", "a \\| b", "a '$(b)'", "echo $HOME"] {
            assert!(!is_for_a_shell(line), "{line}");
        }
    }

    #[test]
    fn escape_sequences_become_visible() {
        assert_eq!(display("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
        assert_eq!(display("a\u{9b}2J"), "a\\x9b2J");
        assert_eq!(display("\u{202e}evil"), "‹U+202E›evil");
        assert_eq!(display("tag\u{e0041}"), "tag‹U+E0041›");
        assert_eq!(display("line\nnext\ttab"), "line\nnext\ttab");
        assert_eq!(display_line("line\nnext"), "line\\nnext");
        assert_eq!(display("Grüße 漢字"), "Grüße 漢字");
    }

    #[test]
    fn piled_up_combining_marks_are_capped() {
        let zalgo = format!("a{}", "\u{301}".repeat(40));
        assert_eq!(display(&zalgo).chars().count(), 1 + COMBINING_MAX);
    }

    #[test]
    fn cutting_counts_columns_not_bytes() {
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(fit("é", 3), "é  ");
        assert_eq!(skip_columns("漢字x", 2), "字x");
    }

    #[test]
    fn wrapping_keeps_words_whole_where_it_can() {
        assert_eq!(wrap("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(wrap("aaaaaaaaaaaa", 5), ["aaaaa", "aaaaa", "aa"]);
        assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
        assert_eq!(wrap("it runs nothing.", 15), ["it runs", "nothing."]);
        assert_eq!(wrap("漢字漢字", 4), ["漢字", "漢字"]);
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(thousands(12480), "12 480");
        assert_eq!(count(1, "call"), "1 call");
        assert_eq!(count(1000, "call"), "1 000 calls");
    }

    #[test]
    fn signs_that_are_wider_together_do_not_overflow_a_line() {
        assert!(wrap("🉐ೳ", 2).iter().all(|line| width(line) <= 2));
    }

    proptest! {
        #[test]
        fn nothing_that_controls_a_terminal_survives(text in any::<String>()) {
            let safe = display(&text);
            prop_assert!(safe.chars().all(|c| c == '\n' || c == '\t' || (!c.is_control() && !is_unsafe(c))));
        }

        #[test]
        fn cutting_and_wrapping_never_exceed_the_width(text in any::<String>(), columns in 2usize..80) {
            let safe = display_line(&text).into_owned();
            prop_assert!(width(&cut(&safe, columns)) <= columns);
            for line in wrap(&safe, columns) {
                prop_assert!(width(&line) <= columns, "{line:?}");
            }
        }
    }
}
