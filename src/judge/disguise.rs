//! Letters that stand for others: what a model reads as a word although the word is not written so. Takes the disguise off, for
//! the search for texts that speak to a model; nothing that is shown or sent passes here.

use std::borrow::Cow;

use crate::base::text;

/// Letters of other alphabets and signs that look like Latin ones.
const ALIKE: &[(&str, char)] = &[
    ("àáâãäåāăąǎаαɑᴀ@", 'a'),
    ("ßʙвᏏ", 'b'),
    ("çćĉċčсϲᴄ", 'c'),
    ("ďđԁᴅ", 'd'),
    ("èéêëēĕėęěеєεҽᴇ", 'e'),
    ("ƒꜰ", 'f'),
    ("ĝğġģɡԍɢ", 'g'),
    ("ĥħһнʜ", 'h'),
    ("ìíîïĩīĭįıіιɩɪ¡", 'i'),
    ("ĵјᴊ", 'j'),
    ("ķкκᴋ", 'k'),
    ("ĺļľŀłӏʟ", 'l'),
    ("мᴍ", 'm'),
    ("ñńņňոпηɴ", 'n'),
    ("òóôõöøōŏőоοσօᴏ", 'o'),
    ("рρᴘ", 'p'),
    ("ԛ", 'q'),
    ("ŕŗřгʀ", 'r'),
    ("śŝşšѕꜱ$", 's'),
    ("ţťŧтτᴛ", 't'),
    ("ùúûüũūŭůűųυսᴜ", 'u'),
    ("νѵᴠ", 'v'),
    ("ŵԝωᴡ", 'w'),
    ("хχ", 'x'),
    ("ýÿŷуγʏ", 'y'),
    ("źżžᴢ", 'z'),
];

/// Digits that are read as letters inside words.
const DIGITS: [(char, char); 7] = [('0', 'o'), ('1', 'i'), ('3', 'e'), ('4', 'a'), ('5', 's'), ('7', 't'), ('8', 'b')];

/// Letters beside each other, each alone, that are read as one word.
const SPACED_MIN: usize = 4;

/// Signs and spaces beside each other: more of them are filling, which nobody reads.
const FILLING: usize = 8;

/// Gives a text with its words closer together: line ends and filling between them are one space. Borrowed where there are none.
pub(super) fn packed(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut taken, mut at) = (0, 0);
    while at < text.len() {
        let (end, is_wide) = gap(text, at);
        if is_wide {
            out.push_str(&text[taken..at]);
            out.push(' ');
            taken = end;
        }
        at = if end > at { end } else { at + text[at..].chars().next().map_or(1, char::len_utf8) };
    }
    if taken == 0 { Cow::Borrowed(text) } else { Cow::Owned(out + &text[taken..]) }
}

/// Gives where signs and spaces end that begin at a place, and whether they part words more than a sign or two would.
fn gap(text: &str, from: usize) -> (usize, bool) {
    let (mut at, mut count, mut line_ends) = (from, 0, false);
    while let Some(c) = text[at..].chars().next() {
        // What is sent is JSON, and may have JSON in it: a line end is an escape, or several.
        let escapes = text[at..].len() - text[at..].trim_start_matches('\\').len();
        let after = text[at + escapes..].chars().next();
        if escapes > 0 && after.is_some_and(|after| "nrtvf".contains(after)) {
            line_ends = true;
            at += escapes + 1;
        } else if c.is_alphanumeric() {
            break;
        } else {
            at += c.len_utf8();
        }
        count += 1;
    }
    (at, line_ends || count > FILLING)
}

/// Gives the readings of a text that differ from how it is written.
pub(super) fn readings(text: &str) -> Vec<String> {
    let plain = plain(text);
    let mut all = Vec::new();
    // A name may say it: `ignore_all_previous_instructions`.
    let spaced = plain.contains('_').then(|| plain.replace('_', " "));
    for reading in [joined(&plain), lettered(&plain), spaced].into_iter().flatten() {
        all.push(reading);
    }
    if let Cow::Owned(plain) = plain {
        all.push(plain);
    }
    all
}

/// Takes out what nobody sees, and gives letters their plain form.
fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.contains("\\u") && !text.contains("\\x") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (c, length) = escaped(rest).unwrap_or((c, c.len_utf8()));
        rest = &rest[length..];
        out.extend(as_plain(c));
    }
    Cow::Owned(out)
}

/// Reads a character that is written as an escape: `‹U+200B›`, `\u200b`, `\u{200b}`, `\U0001d400`, `\x69`; with its length.
fn escaped(text: &str) -> Option<(char, usize)> {
    // As texts are shown and sent, see `base::text::display`.
    if let Some(named) = text.strip_prefix("‹U+") {
        let end = named.find('›').filter(|end| *end <= 6)?;
        let c = char::from_u32(u32::from_str_radix(&named[..end], 16).ok()?)?;
        return Some((c, text.len() - named.len() + end + '›'.len_utf8()));
    }
    let rest = text.strip_prefix('\\')?;
    let rest = rest.strip_prefix('\\').unwrap_or(rest);
    let (kind, digits) = (rest.chars().next()?, rest.get(1..)?);
    if let Some(braced) = digits.strip_prefix('{').filter(|_| kind == 'u') {
        let end = braced.find('}').filter(|end| *end <= 6)?;
        let c = char::from_u32(u32::from_str_radix(&braced[..end], 16).ok()?)?;
        return Some((c, text.len() - braced.len() + end + 1));
    }
    let count = match kind {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => return None,
    };
    let code = u32::from_str_radix(digits.get(..count)?, 16).ok()?;
    let end = text.len() - digits.len() + count;
    // Two halves of one character.
    if let Some(low) = (0xd800..0xdc00).contains(&code).then(|| digits.get(count..)?.strip_prefix("\\u")?.get(..4)).flatten() {
        let low = u32::from_str_radix(low, 16).ok().filter(|low| (0xdc00..0xe000).contains(low))?;
        return Some((char::from_u32(0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00))?, end + 6));
    }
    Some((char::from_u32(code)?, end))
}

/// Gives the plain form of a character; `None` for one that nobody sees.
fn as_plain(c: char) -> Option<char> {
    let letter = |index: u32| char::from_u32(u32::from(b'a') + index);
    match u32::from(c) {
        0x00ad | 0x034f | 0x061c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f => None,
        0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfe00..=0xfe0f | 0xfeff | 0xfff9..=0xfffb => None,
        0x0300..=0x036f | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0xfe20..=0xfe2f => None,
        0xe_0100..=0xe_01ef | 0xe_0000..=0xe_001f | 0xe_007f => None,
        code @ 0xe_0020..=0xe_007e => char::from_u32(code - 0xe_0000),
        code @ 0xff01..=0xff5e => char::from_u32(code - 0xff01 + 0x21),
        code @ 0x1_d400..=0x1_d6a3 => letter((code - 0x1_d400) % 26),
        code @ 0x1_d7ce..=0x1_d7ff => char::from_u32(u32::from(b'0') + (code - 0x1_d7ce) % 10),
        code @ 0x24b6..=0x24e9 => letter((code - 0x24b6) % 26),
        code @ (0x1_f130..=0x1_f149 | 0x1_f150..=0x1_f169 | 0x1_f170..=0x1_f189) => letter((code - 0x1_f130) % 32),
        code @ 0x1_f1e6..=0x1_f1ff => letter(code - 0x1_f1e6),
        0xa0 | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000 => Some(' '),
        0..0x80 => Some(c),
        _ if text::is_unsafe(c) => None,
        _ => {
            let low = c.to_lowercase().next().unwrap_or(c);
            Some(ALIKE.iter().find(|(alike, _)| alike.contains(low)).map_or(low, |(_, letter)| *letter))
        }
    }
}

/// Joins letters that stand alone, with one sign between any two of them: `i g n o r e`.
fn joined(text: &str) -> Option<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut found) = (0, false);
    while at < letters.len() {
        let starts = at == 0 || !letters[at - 1].is_alphanumeric();
        let mut end = at;
        let mut word = String::new();
        while starts
            && letters.get(end).is_some_and(|c| c.is_alphabetic())
            && !letters.get(end + 1).is_some_and(|c| c.is_alphanumeric())
        {
            word.push(letters[end]);
            end += 2;
            if !letters.get(end - 1).is_some_and(|sign| matches!(sign, ' ' | '.' | '-' | '_' | '*' | '·')) {
                break;
            }
        }
        if word.chars().count() >= SPACED_MIN {
            found = true;
            out.push_str(&word);
            out.push(' ');
            at = end;
        } else {
            out.push(letters[at]);
            at += 1;
        }
    }
    found.then_some(out)
}

/// Reads digits inside of words as letters: `1gn0re`.
fn lettered(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric();
    let read = |word: &str| -> String {
        let letter = |c: char| DIGITS.iter().find(|(digit, _)| *digit == c).map_or(c, |(_, letter)| *letter);
        let mixed = word.contains(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_alphabetic());
        if mixed { word.chars().map(letter).collect() } else { word.to_owned() }
    };
    let made: String = text
        .split_inclusive(|c| !is_part(c))
        .map(|piece| {
            let end = piece.find(|c| !is_part(c)).unwrap_or(piece.len());
            read(&piece[..end]) + &piece[end..]
        })
        .collect();
    (made != text).then_some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_whatever_its_letters_are_made_of() {
        for text in [
            "ig\u{200b}no\u{ad}re",
            "ｉｇｎｏｒｅ",
            "іgnоrе",
            "𝐢𝐠𝐧𝐨𝐫𝐞",
            "𝖎𝖌𝖓𝖔𝖗𝖊",
            "i\u{301}gno\u{308}re",
            "ⓘⓖⓝⓞⓡⓔ",
            "\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}",
            "ig\\u200bnore",
            "ig\\u{200b}nore",
            "\\x69gnore",
            "\\ud835\\udc22gnore",
            "i g n o r e",
            "i.g.n.o.r.e",
            "1gn0re",
            "ìgnörè",
            "ig‹U+200B›no‹U+00AD›re",
            "ig\u{3164}no\u{13430}re",
            "‹U+E0069›gnore",
        ] {
            assert!(readings(text).iter().any(|read| read.trim() == "ignore"), "{text}: {:?}", readings(text));
        }
        for text in ["ignore", "a b c", "\\n and \\t", "sha256 of x"] {
            assert!(readings(text).iter().all(|read| !read.contains("ignore") || text == "ignore"), "{text}");
        }
    }

    #[test]
    fn line_ends_and_filling_part_no_words() {
        let far = format!("ignore{}previous", " ".repeat(300));
        for text in [
            &far,
            "ignore\\nprevious",
            "ignore\\\\n\\\\tprevious",
            "ignore . . . . . . previous",
            "ignore\u{3000}-----------previous",
        ] {
            assert_eq!(packed(text), "ignore previous", "{text}");
        }
        for text in ["", "a", "\"a\", \"b\": [{", "x == y\\", "\\u0041bc"] {
            assert!(matches!(packed(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn half_an_escape_is_what_it_is() {
        for text in ["\\u12", "\\u{", "\\u{12345678}", "\\x", "\\ud800", "\\ud800\\u0041", "\\", "é\\u00"] {
            let _ = readings(text);
        }
    }
}
