//! Parses the literals of a text, in Python, JSON or what `repr` gives: which texts and numbers are in which lists, mappings and calls.
//! Nothing is judged here; other text is skipped.

use super::laid::Part;

/// Nested brackets, and items of one bracket.
const DEPTH: usize = 40;
const MOST: usize = 20_000;
/// Digits of a number.
const DIGITS: usize = 18;

/// What is in the brackets that are open.
#[derive(Default)]
struct Open<'t> {
    items: Vec<(Option<&'t str>, Part<'t>)>,
    /// The key of the item that is read, and its value.
    key: Option<&'t str>,
    held: Option<Part<'t>>,
    close: Option<u8>,
}

impl<'t> Open<'t> {
    fn hold(&mut self, part: Part<'t>) {
        // Of several without a comma between them (`"a" "b"`, `f("a")`) the last one counts.
        self.held = Some(part);
    }

    fn end_item(&mut self) {
        if let Some(part) = self.held.take().filter(|_| self.items.len() < MOST) {
            self.items.push((self.key, part));
        }
        self.key = None;
    }
}

/// Parses a text: all that is in no bracket is one group.
pub(super) fn read(text: &str) -> Vec<(Option<&str>, Part<'_>)> {
    let bytes = text.as_bytes();
    let mut open = vec![Open::default()];
    let mut at = 0;
    while at < bytes.len() {
        let depth = open.len();
        let Some(inner) = open.last_mut() else { break };
        match bytes[at] {
            b'"' | b'\'' => {
                let (start, end, behind) = inside(text, at);
                inner.hold(Part::Text(start, text[start..end].into()));
                at = behind;
                if is_key(&bytes[behind..], b':') && depth > 1 {
                    inner.held = None;
                    inner.key = Some(&text[start..end]);
                }
                continue;
            }
            b'(' | b'[' | b'{' if depth < DEPTH => {
                let close = match bytes[at] {
                    b'(' => b')',
                    b'[' => b']',
                    _ => b'}',
                };
                open.push(Open { close: Some(close), ..Open::default() });
            }
            close @ (b')' | b']' | b'}') => {
                // A bracket that nothing opened is none; one that was not closed ends with the one around it.
                if let Some(place) = open.iter().rposition(|one| one.close == Some(close)) {
                    while open.len() > place {
                        let Some(mut done) = open.pop() else { break };
                        done.end_item();
                        if let Some(around) = open.last_mut() {
                            around.hold(Part::Group(done.items));
                        }
                    }
                }
            }
            b',' | b';' => inner.end_item(),
            b'\n' if depth == 1 => inner.end_item(),
            first if first.is_ascii_alphanumeric() || matches!(first, b'_' | b'-') || first >= 0x80 => {
                let of_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || *byte >= 0x80;
                let end = at + bytes[at..].iter().position(|byte| !of_word(byte)).unwrap_or(bytes.len() - at);
                let word = &text[at..end];
                if is_key(&bytes[end..], b'=') || is_key(&bytes[end..], b':') {
                    inner.key = Some(word);
                } else if word.len() <= DIGITS && word.bytes().all(|byte| byte.is_ascii_digit()) {
                    inner.hold(Part::Number(at, word.parse().unwrap_or(0)));
                } else if inner.held.is_none() && !matches!(bytes.get(end), Some(b'"' | b'\'')) {
                    inner.hold(Part::Other);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    while let Some(mut done) = open.pop() {
        done.end_item();
        match open.last_mut() {
            Some(around) => around.hold(Part::Group(done.items)),
            None => return done.items,
        }
    }
    Vec::new()
}

/// Tells whether what has just ended is a key, by the sign behind it.
fn is_key(behind: &[u8], sign: u8) -> bool {
    let mut rest = behind.iter().skip_while(|byte| matches!(byte, b' ' | b'\\'));
    rest.next() == Some(&sign) && rest.next() != Some(&sign)
}

/// Gives the start and the end of the literal whose opening quote is at a position, and where the text after it begins.
fn inside(text: &str, open: usize) -> (usize, usize, usize) {
    let bytes = text.as_bytes();
    let quote = bytes[open];
    if bytes[open..].starts_with(&[quote; 3]) {
        let start = open + 3;
        let end = text[start..].find(&text[open..start]).map_or(text.len(), |at| start + at);
        return (start, end, (end + 3).min(text.len()));
    }
    // Inside another literal, the quotes of a literal are escaped.
    let is_escaped = open > 0 && bytes[open - 1] == b'\\';
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if is_escaped && bytes.get(at + 1) == Some(&quote) => return (open + 1, at, at + 2),
            b'\\' => at += 1,
            b'\n' => return (open + 1, at, at),
            byte if byte == quote => return (open + 1, at, at + 1),
            _ => {}
        }
        at += 1;
    }
    (open + 1, text.len(), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(items: &[(Option<&str>, Part<'_>)]) -> String {
        let one = |(key, part): &(Option<&str>, Part<'_>)| {
            let value = match part {
                Part::Text(_, text) => format!("'{text}'"),
                Part::Number(_, number) => number.to_string(),
                Part::Group(items) => format!("[{}]", shown(items)),
                Part::Other => "·".into(),
            };
            key.map_or(value.clone(), |key| format!("{key}={value}"))
        };
        items.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lists_mappings_and_calls_are_read() {
        for (text, told) in [
            ("['a', \"b\", 3, x]", "['a' 'b' 3 ·]"),
            ("{'a': 1, 'b': ['c']}", "[a=1 b=['c']]"),
            ("{\"a\": {\"b\": \"c\"}}", "[a=[b='c']]"),
            ("f(\"UPDATE ?\", ('x', 1), n=['y'])", "['UPDATE ?' ['x' 1] n=['y']]"),
            ("names = ['a']\nvalues = ['b']\n", "names=['a'] values=['b']"),
            ("{\\\"a\\\": \\\"b\\\"}", "[a='b']"),
            ("it's [", "'s ['"),
            ("a) ] {'b'", "['b']"),
            ("[(b'x', r'y')]", "[['x' 'y']]"),
            ("'''a\nb''' \"c", "'c'"),
        ] {
            assert_eq!(shown(&read(text)), told, "{text}");
        }
    }

    #[test]
    fn any_text_is_read() {
        for text in ["é\"é", "'é\\", "((((((", "{é: 'é'}", "]]]", "\\\"é\\\"", &"[".repeat(5000), &"'a',".repeat(30_000)] {
            let _ = read(text);
        }
    }
}
