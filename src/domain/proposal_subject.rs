//! What a proposal is about.

use std::borrow::Cow;

use crate::base::paths::RelPath;
use crate::domain::function::FunctionId;
use crate::domain::text_form::{text_form, text_order};

/// The suffix of the files of YAML tests.
const YAML: &str = ".yaml";
/// The folder in the text of a YAML test in the root of the project.
const ROOT: &str = ".";

/// What a proposal is about. Stored and shown as one text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ProposalSubject {
    /// A function, `shop.cart:Cart.total`. A pytest test is one, too.
    Function(FunctionId),
    /// A YAML test, by its file. The text of `tests/llm/test_users.yaml` is `tests/llm:test_users`.
    YamlTest(RelPath),
}

impl ProposalSubject {
    /// Reads the text of a subject. The YAML test `specs:test_users` has the text of a function in `specs.py`, and is read as
    /// one. Where the kind of the proposal is known, [`ProposalSubject::yaml_test`] reads it.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        // A folder is no dotted module.
        let has_folder = text.split_once(':').is_some_and(|(folder, _)| folder == ROOT || folder.contains('/'));
        let known = has_folder.then(|| Self::yaml_test(text)).flatten().filter(|known| known.text() == text);
        known.unwrap_or_else(|| Self::Function(FunctionId(text.to_owned())))
    }

    /// Reads the text of a YAML test.
    #[must_use]
    pub fn yaml_test(text: &str) -> Option<Self> {
        let (folder, name) = text.split_once(':')?;
        RelPath::new(format!("{folder}/{name}{YAML}")).map(Self::YamlTest)
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Function(id) => Cow::Borrowed(&id.0),
            Self::YamlTest(path) => {
                let folder = path.parent();
                Cow::Owned(format!("{}:{}", folder.as_ref().map_or(ROOT, RelPath::as_str), stem(path)))
            }
        }
    }

    /// Names it without the module of a function or the folder of a YAML test.
    #[must_use]
    pub fn short(&self) -> &str {
        match self {
            Self::Function(id) => id.qualname(),
            Self::YamlTest(path) => stem(path),
        }
    }

    /// Returns the function that it is.
    #[must_use]
    pub fn function(&self) -> Option<&FunctionId> {
        match self {
            Self::Function(id) => Some(id),
            Self::YamlTest(_) => None,
        }
    }

    /// Tells whether it is this function.
    #[must_use]
    pub fn is(&self, function: &FunctionId) -> bool {
        self.function() == Some(function)
    }
}

fn stem(path: &RelPath) -> &str {
    path.file_name().strip_suffix(YAML).unwrap_or_else(|| path.file_name())
}

impl From<FunctionId> for ProposalSubject {
    fn from(id: FunctionId) -> Self {
        Self::Function(id)
    }
}

text_form!(ProposalSubject);
text_order!(ProposalSubject);

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::*;

    fn yaml(path: &str) -> ProposalSubject {
        ProposalSubject::YamlTest(RelPath::new(path).unwrap())
    }

    #[test]
    fn the_text_tells_what_it_is() {
        for (text, subject) in [
            ("shop.cart:Cart.total", FunctionId::new("shop.cart", "Cart.total").into()),
            ("tests/llm:test_users", yaml("tests/llm/test_users.yaml")),
            (".:test_users", yaml("test_users.yaml")),
            ("specs:test_users", FunctionId::new("specs", "test_users").into()),
            ("../specs:test_users", FunctionId::new("../specs", "test_users").into()),
        ] {
            assert_eq!(ProposalSubject::from_text(text), subject);
        }
    }

    #[test]
    fn a_yaml_test_is_no_function() {
        for text in ["tests/llm:test_users", "specs:test_users", ".:test_users"] {
            let (test, function) = (ProposalSubject::yaml_test(text).unwrap(), ProposalSubject::from(FunctionId(text.into())));
            assert_eq!((test.text().as_ref(), test.short(), test.function()), (text, "test_users", None));
            assert!(test != function && test.cmp(&function) == Ordering::Greater);
        }
        assert_eq!(ProposalSubject::yaml_test("../specs:test_users"), None);
    }

    proptest! {
        #[test]
        fn a_stored_text_is_stored_again(text in "[a-z./]{0,6}:?[A-Za-z./<>#]{0,6}|.{0,8}") {
            let subject = ProposalSubject::from_text(&text);
            prop_assert_eq!(subject.to_string(), text.as_str());
            let json = serde_json::to_string(&subject).unwrap();
            prop_assert_eq!(serde_json::from_str::<ProposalSubject>(&json).unwrap(), subject);
        }
    }
}
