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
    /// The value is the text of a definition.
    is_definition: bool,
    /// The type that running it raises, where what it raises is what the line is for, and the name that holds it.
    raised: Option<(String, String)>,
}

impl Statement {
    /// Makes `name = value`.
    #[must_use]
    pub fn bind(name: &str, value: Expr) -> Self {
        let fold = format!("({name} := {})", value.flat());
        Self { prefix: format!("{name} = "), value, fold, is_definition: false, raised: None }
    }

    /// Makes the definition of a function by its text; `fold` is the call that defines the same.
    #[must_use]
    pub fn define(name: &str, text: &str, fold: String) -> Self {
        Self { prefix: format!("{name} = "), value: Expr::Atom(text.to_owned()), fold, is_definition: true, raised: None }
    }

    /// Makes a line that only does something.
    #[must_use]
    pub fn run(value: Expr) -> Self {
        Self { prefix: String::new(), fold: value.flat(), value, is_definition: false, raised: None }
    }

    /// Makes a line that raises what the rest of the test is about: `name.value` is the exception.
    #[must_use]
    pub fn raise(name: &str, class: &str, value: Expr) -> Self {
        let fold = format!("({name} := pytest.raises({class}, lambda: {}))", value.flat());
        Self { prefix: String::new(), value, fold, is_definition: false, raised: Some((class.to_owned(), name.to_owned())) }
    }

    /// Makes an assignment to an item or an attribute, with the call that does the same.
    #[must_use]
    pub fn assign(target: &str, value: Expr, same_as: String) -> Self {
        Self::assign_by(&format!("{target} = "), value, same_as)
    }

    /// Makes an assignment with a sign of its own: `total += `.
    #[must_use]
    pub fn assign_by(prefix: &str, value: Expr, same_as: String) -> Self {
        Self { prefix: prefix.to_owned(), value, fold: same_as, is_definition: false, raised: None }
    }

    /// Makes a `del` line, with the call that does the same.
    #[must_use]
    pub fn delete(target: Expr, same_as: String) -> Self {
        Self { prefix: "del ".into(), value: target, fold: same_as, is_definition: false, raised: None }
    }

    /// Gives what stands left of a `=`, or the name that holds what it raises.
    #[must_use]
    pub fn bound(&self) -> Option<&str> {
        let raised = self.raised.as_ref().map(|(_, name)| name.as_str());
        raised.or_else(|| self.prefix.strip_suffix(" = "))
    }

    /// Tells whether its value is the text of a definition.
    #[must_use]
    pub fn is_definition(&self) -> bool {
        self.is_definition
    }

    /// Tells whether it is there for what it raises.
    #[must_use]
    pub fn raises(&self) -> bool {
        self.raised.is_some()
    }

    /// Writes the statement as lines; a lambda that gets a name is a function.
    #[must_use]
    pub fn lines(&self, indent: usize) -> Vec<String> {
        if let (true, Expr::Atom(text)) = (self.is_definition, &self.value) {
            let margin = " ".repeat(indent);
            let line = |line: &str| if line.is_empty() { String::new() } else { format!("{margin}{line}") };
            return [String::new()].into_iter().chain(text.lines().map(line)).chain([String::new()]).collect();
        }
        if let (Some(name), Expr::Atom(text)) = (self.prefix.strip_suffix(" = "), &self.value)
            && is_identifier(name)
            && let Some((parameters, body)) = layout::lambda(text)
        {
            let margin = " ".repeat(indent);
            let head = format!("{margin}def {name}({parameters}):");
            return vec![String::new(), head, format!("{margin}    return {body}"), String::new()];
        }
        if let Some((class, name)) = &self.raised {
            let mut lines = vec![format!("{}with pytest.raises({class}) as {name}:", " ".repeat(indent))];
            lines.extend(self.value.lines(indent + 4, "", ""));
            return lines;
        }
        self.value.lines(indent, if self.prefix.is_empty() { unused(&self.value) } else { &self.prefix }, "")
    }
}

/// Writes statements as lines, with one empty line between two definitions.
#[must_use]
pub fn lines_of(setup: &[Statement], indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = setup.iter().flat_map(|statement| statement.lines(indent)).collect();
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    lines
}

/// Gives what stands before an expression that is only run: linters take an attribute, as a property is one, and a comparison
/// for a slip where nothing is done with them.
#[must_use]
pub fn unused(expr: &Expr) -> &'static str {
    let flat = expr.flat();
    let is_attribute = flat.contains('.') && flat.split('.').all(is_identifier);
    let is_comparison =
        matches!(expr, Expr::Atom(text) if COMPARISONS.contains(&text.split_whitespace().nth(1).unwrap_or_default()));
    if is_attribute || is_comparison { "_ = " } else { "" }
}

const COMPARISONS: [&str; 7] = ["==", "!=", "<", "<=", ">", ">=", "in"];
