//! What can be said in clauses: the one list behind `docs/clauses.md`, what a model is told, and what is offered where a
//! sentence is none. How sentences are read is `grammar.rs`.

/// Sentences of one meaning, and when they hold.
pub struct Form {
    /// Each parses as it stands.
    pub sentences: &'static [&'static str],
    /// When they hold, as the page has it.
    pub holds: &'static str,
}

const fn form(sentences: &'static [&'static str], holds: &'static str) -> Form {
    Form { sentences, holds }
}

/// What can be said.
pub const FORMS: &[Form] = &[
    form(
        &[
            "A is called",
            "A is never called",
            "A is called exactly once",
            "A is called at most twice",
            "A is called at least 3 times",
            "A is called at most 3 times per item",
        ],
        "it was called so often",
    ),
    form(&["A is called before B", "first A, then B, then C"], "all occur, and each B began after an A had ended"),
    form(&["A is called only after B"], "each A began after a B had ended"),
    form(&["A is called immediately after B"], "nothing of the same thread or task was called between them"),
    form(&["after A, B is called", "every A is followed by B or C"], "each A has one after it"),
    form(&["every A has a matching B"], "each A has a B of its own after it, on the same object"),
    form(
        &["if A returns True then B is called", "if A raises ValueError then B is called", "if A fails then B is not called"],
        "wherever the condition was met, in the innermost call around it whose function ever leads to B",
    ),
    form(&["A returns \"done\"", "A returns the result of B"], "every call of A does"),
    form(&["A raises ValueError", "no exception escapes A"], "a call of A ended by it; no call of A ended by any"),
    form(
        &["ValueError is raised inside A and handled", "ValueError is raised inside A and handled by B"],
        "it ended a call below A, and a recorded call around that went on",
    ),
    form(&["A is called with n=4", "every call of A has n > 4"], "a call has it; every call has it"),
    form(&["A is called with n=1, then with n=2"], "in this order, others may be between"),
    form(
        &["A is called with item returned by B", "A is called with item returned by B.id"],
        "the argument is what an earlier B returned, or a field of it",
    ),
    form(&["A and B get the same item"], "all calls of both"),
    form(
        &["the first result of A equals the last result of B", "the first result of A differs from the last result of A"],
        "the two values are equal, or are not",
    ),
    form(
        &["A calls B", "A is called only inside B", "A is called inside B"],
        "each A leads to a B; each A happens below a B; one does",
    ),
    form(
        &["between A and B, C is never called", "C is called only between A and B"],
        "from the end of each A to the beginning of the next B",
    ),
    form(
        &["calls of A overlap", "A is never called concurrently"],
        "two calls, none below the other, go on at the same time; none do",
    ),
    form(&["A does not change its argument items"], "its content is the same at each call's end"),
];

/// What stands before the list.
const NAMES: &str = "\
Name functions as in the source, with as much of the name as is needed (`Database.save`, `save`). The project must define
them: a misspelt name is an error. `A`, `B` and `C` are functions. Each can have `with n=4` (arguments), and `returning v`,
`raising X` or `failing` (the result).";

/// What stands behind it.
const REST: &str = "\
A clause can end with its scope: `inside A`, `in each A`, `between A and B`, `after A`, `before A`. `per item` and `per (x, y)`
apply it to each value of the arguments. With `(may not occur)`, a vacuous clause is good enough.

Values are literals of Python or JSON, `!= v`, `< 4` and similar, `one of [1, 2]`, `contains \"x\"`, `matches /^a/`, `close to 0.3`, `any`.
Numbers are compared by value, whatever their type, but `True` is not `1`. Objects are compared by identity.";

/// Lists the sentences, one after the other.
pub fn sentences() -> impl Iterator<Item = &'static str> {
    FORMS.iter().flat_map(|form| form.sentences).copied()
}

/// Writes all of it as the page has it.
#[must_use]
pub fn page() -> String {
    let row = |form: &Form| {
        let sentences: Vec<String> = form.sentences.iter().map(|sentence| format!("`{sentence}`")).collect();
        format!("| {} | {} |\n", sentences.join("; "), form.holds)
    };
    let rows: String = FORMS.iter().map(row).collect();
    format!("{NAMES}\n\n| sentence | holds when |\n|---|---|\n{rows}\n{REST}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::grammar::parse;

    #[test]
    fn whatever_is_offered_can_be_said() {
        for sentence in sentences() {
            let canonical = parse(sentence).unwrap_or_else(|unclear| panic!("{sentence}: {unclear}")).to_string();
            assert_eq!(parse(&canonical).unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn a_person_reads_what_a_model_is_told() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/clauses.md");
        let docs = std::fs::read_to_string(path).unwrap();
        let (before, rest) = docs.split_once("## What can be said\n\n").unwrap();
        let (own, after) = rest.split_once("\n## ").unwrap();
        if std::env::var_os("PYTEAD_WRITE").is_some() {
            return std::fs::write(path, format!("{before}## What can be said\n\n{}\n## {after}", page())).unwrap();
        }
        assert_eq!(own, page(), "PYTEAD_WRITE=1 writes the page");
    }
}
