//! The text of a draft as it would be written.

use crate::base::error::Trouble;
use crate::domain::proposal::Proposal;
use crate::generate::from_model;
use crate::generate::trim::test_names;
use crate::source::parse::syntax_error;
use crate::write::apart::Parts;

/// Gives the text of a proposal as it would be written: the person's, or else the draft's.
pub fn parts(proposal: &Proposal) -> Result<Parts, Trouble> {
    let Some(draft) = proposal.draft() else { return Err(Trouble::internal("A change has no text.")) };
    match &proposal.edited {
        Some(text) => parse(text),
        None => Ok(Parts { imports: draft.imports.clone(), text: draft.text.clone(), tests: draft.tests.clone() }),
    }
}

/// Takes a person's text apart.
///
/// # Errors
/// Fails when it does not parse or holds no test.
pub fn parse(text: &str) -> Result<Parts, Trouble> {
    let no_test = |why: String| Trouble::usage("This text is no test.").because(why).so("e opens it again.");
    if let Some(error) = syntax_error(text) {
        return Err(no_test(format!("It does not parse: line {}, column {}.", error.line, error.column)));
    }
    let (imports, body) = from_model::split(text);
    let tests = test_names(&body);
    if tests.is_empty() {
        return Err(no_test("No function in it has a name that begins with test.".into()));
    }
    Ok(Parts { imports, text: body, tests })
}
