//! Which words of an intent are said by clauses, and which are not: by the words that each clause renders.

use crate::judge::grammar;

/// Words that ask for nothing by themselves: what is left of a sentence is not listed for their sake.
const FILLERS: [&str; 40] = [
    "a",
    "after",
    "also",
    "always",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "but",
    "by",
    "else",
    "finally",
    "for",
    "from",
    "if",
    "in",
    "is",
    "it",
    "its",
    "of",
    "on",
    "or",
    "otherwise",
    "so",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "these",
    "they",
    "this",
    "to",
    "when",
    "whenever",
    "where",
    "with",
];

/// Puts one space where there are any.
#[must_use]
pub fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lists what of an intent none of these spans holds: sentences as they are written where nothing of them is held, else the
/// words between.
#[must_use]
pub fn left_over<'a>(intent: &str, spans: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let whole = collapsed(intent);
    let spans = spans.into_iter().map(collapsed).filter(|span| !span.is_empty());
    let held: Vec<(usize, usize)> =
        spans.flat_map(|span| whole.match_indices(&span).map(|(at, own)| (at, at + own.len())).collect::<Vec<_>>()).collect();
    let is_held = |at: usize| held.iter().any(|(from, to)| (*from..*to).contains(&at));
    let mut out = Vec::new();
    let mut from = 0;
    for written in grammar::sentences(intent) {
        let sentence = collapsed(written);
        let Some(at) = whole.get(from..).and_then(|rest| rest.find(&sentence)).map(|at| from + at) else { continue };
        from = at + sentence.len();
        if !(at..from).any(is_held) {
            out.push(written.to_owned());
            continue;
        }
        let mut open = String::new();
        // A blank behind the end closes the last one.
        for (place, c) in sentence.char_indices().chain([(usize::MAX, ' ')]) {
            if place < sentence.len() && !is_held(at + place) {
                open.push(c);
            } else if !open.is_empty() {
                out.extend(telling(&std::mem::take(&mut open)));
            }
        }
    }
    out
}

/// Leaves out what stands around the words that ask for something; nothing where there are none.
fn telling(words: &str) -> Option<String> {
    let asks = |word: &str| {
        let bare: String = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        !bare.is_empty() && !FILLERS.contains(&bare.as_str())
    };
    let all: Vec<&str> = words.split(' ').collect();
    let (first, last) = (all.iter().position(|word| asks(word))?, all.iter().rposition(|word| asks(word))?);
    Some(all[first..=last].join(" ").trim_matches(|c: char| matches!(c, '.' | ',' | ';' | ':' | '!')).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_span_holds_is_listed_and_words_between_are_not() {
        let intent = "Check the user,\n then save and welcome them. Be polite.";
        assert_eq!(left_over(intent, []), ["Check the user,", "then save and welcome them", "Be polite."]);
        assert_eq!(left_over(intent, ["Check the user, then save", "welcome  them"]), ["Be polite."]);
        assert_eq!(left_over(intent, ["save", "Be polite"]), ["Check the user,", "welcome"]);
        assert_eq!(left_over("If the user is new, save them.", ["save them"]), ["user is new"]);
        assert_eq!(left_over("Größe prüfen und speichern", ["prüfen"]), ["Größe", "und speichern"]);
        assert!(left_over("Save", ["Save"]).is_empty());
    }
}
