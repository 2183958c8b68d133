//! Words for a text: what is odd about it, the words in it, or the signs.

use crate::generate::names::values::WORD_MAX;

/// Fewer letters are no word that tells something.
const LETTERS_MIN: usize = 3;

/// More numbers side by side are not read.
const NUMBERS_MAX: usize = 2;

/// What people call the signs that texts are written with.
const SIGNS: &[(char, &str)] = &[
    ('+', "plus"),
    ('*', "star"),
    ('/', "slash"),
    ('%', "percent"),
    ('^', "caret"),
    ('=', "equals"),
    ('<', "less_than"),
    ('>', "greater_than"),
    ('(', "parentheses"),
    ('[', "brackets"),
    ('{', "braces"),
    ('@', "at_sign"),
    ('#', "hash"),
    ('$', "dollar"),
    ('&', "ampersand"),
    ('|', "pipe"),
    ('\\', "backslash"),
    ('~', "tilde"),
    ('"', "quotes"),
    ('!', "exclamation_mark"),
    ('?', "question_mark"),
    (':', "colon"),
    (';', "semicolon"),
    (',', "comma"),
    ('-', "dash"),
    ('.', "dot"),
];

/// Signs that make a formula of numbers.
const FORMULA: [char; 11] = ['+', '*', '%', '^', '=', '<', '>', '(', '[', '&', '|'];

/// Signs of a text that are named together.
const SIGNS_MAX: usize = 2;

/// Lists words for a text.
pub(super) fn text_words(param: &str, text: &str) -> Vec<String> {
    if text.is_empty() {
        return vec![format!("empty_{param}")];
    }
    if text.trim().is_empty() {
        return vec![format!("blank_{param}")];
    }
    if !text.is_ascii() {
        return vec![format!("unicode_{param}")];
    }
    let mut words = Vec::from_iter((text.trim_end().contains('\n')).then(|| format!("lines_of_{param}")));
    words.extend((text.trim() != text).then(|| format!("padded_{param}")));
    // Of a formula the signs say more than the numbers.
    let is_formula = text.contains(FORMULA) && !text.contains(|c: char| c.is_ascii_alphabetic());
    let (plain, signs) = (plain_words(param, text), sign_words(param, text, is_formula));
    words.extend(if is_formula { [signs, plain] } else { [plain, signs] }.concat());
    words
}

fn plain_words(param: &str, text: &str) -> Vec<String> {
    let Some(word) = slug(text) else { return Vec::new() };
    let is_negative = text.trim_start().strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let word = if is_negative { format!("minus_{word}") } else { word };
    // Digits side by side are read up to the second; what is left of them says as much.
    let (shown, is_whole) = readable(&word);
    if !is_whole {
        return if shown.contains('_') { vec![format!("{param}_{shown}_and_more")] } else { Vec::new() };
    }
    if word.len() <= WORD_MAX {
        let of_param = format!("{param}_{word}");
        return if !is_negative && reads_as_words(&word) { vec![word, of_param] } else { vec![of_param] };
    }
    let mut words = vec![format!("long_{param}")];
    // Its beginning, up to where a word ends.
    let fits = word.match_indices('_').map(|(at, _)| at).rfind(|at| *at <= WORD_MAX);
    words.extend(fits.map(|at| format!("{param}_{}", &word[..at])));
    words
}

/// Gives a word up to where more than two numbers stand side by side, and whether that is all of it.
fn readable(word: &str) -> (&str, bool) {
    let (mut run, mut end) = (0, 0);
    for part in word.split('_') {
        run = if part.chars().all(|c| c.is_ascii_digit()) { run + 1 } else { 0 };
        if run > NUMBERS_MAX || end + part.len() > WORD_MAX && run > 0 {
            return (word[..end].trim_end_matches('_'), false);
        }
        end += part.len() + 1;
    }
    (word, true)
}

/// Names the signs of a text: `plus_and_star_in_x`.
fn sign_words(param: &str, text: &str, is_formula: bool) -> Vec<String> {
    let name = |(sign, name): &(char, &'static str)| if is_formula && *sign == '-' { "minus" } else { *name };
    let found: Vec<&str> = SIGNS.iter().filter(|(sign, _)| text.contains(*sign)).map(name).collect();
    if found.is_empty() {
        return if slug(text).is_none() { vec![format!("{param}_of_signs")] } else { Vec::new() };
    }
    let all = (found.len() == SIGNS_MAX).then(|| format!("{}_in_{param}", found.join("_and_")));
    let single = found.iter().map(|name| format!("{name}_in_{param}"));
    // A sign that no other text has says more than both of them.
    single.chain(all).collect()
}

/// Tells whether part of a name is made of words alone.
pub(super) fn reads_as_words(part: &str) -> bool {
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let letters = |word: &str| word.chars().filter(char::is_ascii_alphabetic).count();
    part.starts_with(|c: char| c.is_ascii_alphabetic())
        && part.split('_').any(|word| letters(word) >= LETTERS_MIN)
        && part.split('_').filter(|word| is_number(word)).count() <= 1
}

/// Writes a text as part of a name; `None` when nothing is left of it.
pub(super) fn slug(text: &str) -> Option<String> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    (!words.is_empty()).then(|| words.join("_"))
}
