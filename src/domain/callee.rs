//! What a call of a journey calls.

use std::borrow::Cow;

use crate::domain::function::FunctionId;
use crate::domain::text_form::{text_form, text_order};

/// The module that tools seem to belong to, for whoever reads or names them.
const TOOLS: &str = "tools";

/// What a call of a journey calls. Shown as one text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A function of the project.
    Function(FunctionId),
    /// A tool of a plugin, in the journey of a YAML test: `api_put`. Such a journey is not stored.
    Tool(String),
}

impl Callee {
    /// Reads the text of a function; no text is that of a tool.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self::Function(FunctionId(text.to_owned()))
    }

    /// Returns the text: `shop.cart:Cart.total`, `tools:api_put`.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Function(id) => Cow::Borrowed(&id.0),
            Self::Tool(name) => Cow::Owned(format!("{TOOLS}:{name}")),
        }
    }

    /// Returns the name without the module.
    #[must_use]
    pub fn qualname(&self) -> &str {
        match self {
            Self::Function(id) => id.qualname(),
            Self::Tool(name) => name,
        }
    }

    /// Returns the function that it is.
    #[must_use]
    pub fn function(&self) -> Option<&FunctionId> {
        match self {
            Self::Function(id) => Some(id),
            Self::Tool(_) => None,
        }
    }
}

impl From<FunctionId> for Callee {
    fn from(id: FunctionId) -> Self {
        Self::Function(id)
    }
}

text_form!(Callee);
text_order!(Callee);
