//! One line before the act: as it stands in a test, and as an expression for an evaluation that has no statements.

use crate::generate::layout::{self, Expr};
use crate::generate::scope::is_identifier;

/// One line before the act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What stands before the expression: `cart = `, `cart["a"] = `, or nothing.
    pub prefix: String,
    /// The expression.
    pub value: Expr,
    /// The same as an expression, for an evaluation that has no statements.
    pub(super) fold: String,
}

impl Statement {
    /// Makes `name = value`.
    #[must_use]
    pub fn bind(name: &str, value: Expr) -> Self {
        let fold = format!("({name} := {})", value.flat());
        Self { prefix: format!("{name} = "), value, fold }
    }

    /// Makes a line that only does something.
    #[must_use]
    pub fn run(value: Expr) -> Self {
        Self { prefix: String::new(), fold: value.flat(), value }
    }

    /// Makes an assignment to an item or an attribute, with the call that does the same.
    #[must_use]
    pub fn assign(target: &str, value: Expr, same_as: String) -> Self {
        Self::assign_by(&format!("{target} = "), value, same_as)
    }

    /// Makes an assignment with a sign of its own: `total += `.
    #[must_use]
    pub fn assign_by(prefix: &str, value: Expr, same_as: String) -> Self {
        Self { prefix: prefix.to_owned(), value, fold: same_as }
    }

    /// Makes a `del` line, with the call that does the same.
    #[must_use]
    pub fn delete(target: Expr, same_as: String) -> Self {
        Self { prefix: "del ".into(), value: target, fold: same_as }
    }

    /// Writes the statement as lines; a lambda that gets a name is a function.
    #[must_use]
    pub fn lines(&self, indent: usize) -> Vec<String> {
        if let (Some(name), Expr::Atom(text)) = (self.prefix.strip_suffix(" = "), &self.value)
            && is_identifier(name)
            && let Some((parameters, body)) = layout::lambda(text)
        {
            let margin = " ".repeat(indent);
            let head = format!("{margin}def {name}({parameters}):");
            return vec![String::new(), head, format!("{margin}    return {body}"), String::new()];
        }
        self.value.lines(indent, &self.prefix, "")
    }
}
