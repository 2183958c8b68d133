//! What calls run through or read: functions, the code that runs on import, and files that are no code.

use std::borrow::Cow;

use crate::base::paths::RelPath;
use crate::domain::function::FunctionId;
use crate::domain::text_form::{text_form, text_order};

/// Something whose text decides how calls end. Stored and shown as one text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A function: `shop.cart:Cart.total`.
    Function(FunctionId),
    /// The statements of a module that run when it is imported, by the module's dotted name: `shop.cart:`.
    ImportCode(String),
    /// A file that is no code: `:data/prices.json`.
    File(RelPath),
}

impl Subject {
    /// Reads the text of one.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let file = || text.strip_prefix(':').and_then(RelPath::new).map(Self::File);
        let module = || text.split_once(':').filter(|(_, name)| name.is_empty()).map(|(module, _)| module);
        let known = file().or_else(|| Some(Self::ImportCode(module()?.to_owned())));
        known.filter(|known| known.text() == text).unwrap_or_else(|| Self::Function(FunctionId(text.to_owned())))
    }

    /// Gives the text of it, which no other has.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Function(id) => Cow::Borrowed(&id.0),
            Self::ImportCode(module) => Cow::Owned(format!("{module}:")),
            Self::File(path) => Cow::Owned(format!(":{path}")),
        }
    }

    /// Names it for people.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Function(id) => id.0.clone(),
            Self::ImportCode(module) => module.clone(),
            Self::File(path) => path.to_string(),
        }
    }

    /// Gives the function that it is.
    #[must_use]
    pub fn function(&self) -> Option<&FunctionId> {
        match self {
            Self::Function(id) => Some(id),
            Self::ImportCode(_) | Self::File(_) => None,
        }
    }

    /// Gives the dotted name of the module that it is, or is in.
    #[must_use]
    pub fn module(&self) -> Option<&str> {
        match self {
            Self::Function(id) => Some(id.module()),
            Self::ImportCode(module) => Some(module),
            Self::File(_) => None,
        }
    }

    /// Gives the file that it is.
    #[must_use]
    pub fn file(&self) -> Option<&RelPath> {
        match self {
            Self::File(path) => Some(path),
            Self::Function(_) | Self::ImportCode(_) => None,
        }
    }
}

impl From<FunctionId> for Subject {
    fn from(id: FunctionId) -> Self {
        Self::Function(id)
    }
}

text_form!(Subject);
text_order!(Subject);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_text_tells_what_it_is() {
        let path = RelPath::new("data/prices.json").unwrap();
        for (text, subject) in [
            ("shop.cart:Cart.total", Subject::Function(FunctionId::new("shop.cart", "Cart.total"))),
            ("shop.cart:", Subject::ImportCode("shop.cart".into())),
            (":data/prices.json", Subject::File(path)),
            ("main", Subject::Function(FunctionId("main".into()))),
            (":/etc/passwd", Subject::Function(FunctionId(":/etc/passwd".into()))),
        ] {
            assert_eq!(Subject::from_text(text), subject);
        }
    }

    proptest! {
        #[test]
        fn a_stored_text_is_stored_again(text in "[a-z./:]{0,6}:?[A-Za-z./<>#]{0,6}|.{0,8}") {
            let subject = Subject::from_text(&text);
            prop_assert_eq!(subject.to_string(), text.as_str());
            let json = serde_json::to_string(&subject).unwrap();
            prop_assert_eq!(serde_json::from_str::<Subject>(&json).unwrap(), subject);
        }
    }
}
