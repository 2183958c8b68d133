//! Sentences that say that the tool is to fail, as people write them: "It should fail", "Expect an exception".

const SUBJECTS: [&str; 19] = [
    "this test",
    "the test",
    "the server",
    "the service",
    "the api",
    "the tool call",
    "the call",
    "the tool",
    "the step",
    "the request",
    "the operation",
    "the command",
    "this call",
    "this tool",
    "this step",
    "this request",
    "the function",
    "this",
    "it",
];
const MODALS: [&str; 8] = ["should", "must", "shall", "will", "has to", "needs to", "is expected to", "is supposed to"];
/// After one of those.
const FAIL: [&str; 13] = [
    "fail",
    "not succeed",
    "be rejected",
    "be refused",
    "be denied",
    "be declined",
    "error out",
    "end in an error",
    "error",
    "reject it",
    "reject the request",
    "refuse it",
    "refuse the request",
];
/// Without one.
const FAILS: [&str; 8] =
    ["fails", "does not succeed", "is rejected", "is refused", "is denied", "is declined", "errors out", "ends in an error"];
const GIVE: [&str; 6] = ["raise", "throw", "return", "give", "report", "produce"];
const ERRORS: [&str; 11] = [
    "an error message",
    "an error response",
    "an error",
    "an exception",
    "a failure",
    "a refusal",
    "error message",
    "error response",
    "error",
    "exception",
    "failure",
];
/// What follows tells more of the failure, and does not take it back as "if" and "or" do.
const MORE: [&str; 12] =
    ["because", "with", "as", "since", "saying", "that", "due", "and", "stating", "mentioning", "about", "for"];

/// What a sentence says of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The tool fails, and no more.
    Whole,
    /// The tool fails, and something about how.
    WithMore,
}

/// Reads a sentence; `None` where it does not say that the tool fails.
pub(super) fn parse(sentence: &str) -> Option<Failure> {
    let lower = sentence.to_lowercase();
    let text = lower.trim();
    if let Some(rest) = after(text, &["error"]) {
        let is_told = after(rest, &["mentions", "says", "tells", "states", "includes", "reads", "speaks of"]).is_some();
        return is_told.then_some(Failure::WithMore);
    }
    let rest = match after(text, &["expect", "we expect", "expects"]) {
        // "Expect the call to fail", "Expect an exception".
        Some(rest) => match after(rest, &SUBJECTS).and_then(|rest| after(rest, &["to"])) {
            Some(rest) => after(rest, &FAIL).or_else(|| after(after(rest, &GIVE)?, &ERRORS))?,
            None => match after(rest, &ERRORS) {
                Some(rest) => rest,
                None => return kind_of_error(rest).then_some(Failure::WithMore),
            },
        },
        None => {
            let rest = after(text, &SUBJECTS).unwrap_or(text);
            match after(rest, &MODALS) {
                Some(rest) if after(rest, &GIVE).is_some_and(kind_of_error) => return Some(Failure::WithMore),
                Some(rest) => after(rest, &FAIL).or_else(|| after(after(rest, &GIVE)?, &ERRORS))?,
                None => after(rest, &FAILS).or_else(|| {
                    let given = GIVE.iter().find_map(|verb| after(rest, &[format!("{verb}s").as_str()]))?;
                    after(given, &ERRORS)
                })?,
            }
        }
    };
    let rest = after(rest, &["with"]).and_then(|with| after(with, &ERRORS)).unwrap_or(rest);
    let rest = rest.trim();
    let goes_on = rest.starts_with([',', ';', ':', '-', '–']) || after(rest, &MORE).is_some();
    match rest {
        "" => Some(Failure::Whole),
        _ => goes_on.then_some(Failure::WithMore),
    }
}

/// Tells whether a text begins with the name of a kind of error, `RuntimeError` or `a ValueError`. Which one it is, is more than
/// that there is one.
fn kind_of_error(text: &str) -> bool {
    let text = after(text, &["a", "an", "the"]).unwrap_or(text);
    let name = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    ["error", "exception"].iter().any(|end| name.len() > end.len() && name.ends_with(end))
}

/// Gives the text behind one of the words that it begins with.
fn after<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    words.iter().find_map(|word| {
        let rest = text.strip_prefix(word)?;
        let is_whole = rest.chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '_' && next != '.');
        is_whole.then(|| rest.trim_start())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_of_a_failure_is_read() {
        for sentence in [
            "It should fail",
            "Should fail with an error",
            "Expect an exception",
            "Should be rejected",
            "The tool call must fail",
            "The call should raise an error",
            "Should not succeed",
            "the request is refused",
            "It raises an exception",
            "fails",
        ] {
            assert_eq!(parse(sentence), Some(Failure::Whole), "{sentence}");
        }
        for sentence in [
            "It should fail because the service is not ready",
            "Should return an error saying not ready",
            "error mentions not ready",
            "Must be denied, and the balance stays",
            "Should raise RuntimeError",
            "Expect a RuntimeError",
            "It should fail with a message about the id",
        ] {
            assert_eq!(parse(sentence), Some(Failure::WithMore), "{sentence}");
        }
    }

    #[test]
    fn what_says_something_else_or_only_may_be_is_not() {
        for sentence in [
            "It should not fail",
            "Should fail over to the backup",
            "It should fail if the id is unknown",
            "fail fast is on",
            "It should return errors.count of 0",
            "The call should succeed",
            "It fails or succeeds",
            "error is 3",
            "Expect a user",
            "It should return an error rate below 1 %",
            "no error",
            "Expect error handling to work",
        ] {
            assert_eq!(parse(sentence), None, "{sentence}");
        }
    }
}
