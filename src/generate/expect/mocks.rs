//! R10: what a mock of `unittest.mock` was called with.

use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value};
use crate::generate::build::{Builder, Stop, no};
use crate::generate::expect::{Assertion, Relation};
use crate::generate::layout::{Expr, Item};
use crate::generate::scope::is_identifier;

/// What a mock was called with.
const CALLS: &str = "mock_calls";

impl Builder<'_, '_> {
    /// Asserts what a mock was called with: `assert client.mock_calls == [call.get("/")]`.
    pub(super) fn calls_of_mock(&mut self, subject: &str, fields: &[(String, Value)]) -> Result<Vec<Assertion>, Stop> {
        let Some((_, Value::List(calls))) = fields.iter().find(|(name, _)| name == CALLS) else { return Ok(Vec::new()) };
        let calls = calls.iter().map(|call| self.call_of_mock(call)).collect::<Result<Vec<_>, _>>()?;
        Ok(vec![Assertion::new(&format!("{subject}.{CALLS}"), Relation::Equal, Expr::list(calls))])
    }

    fn call_of_mock(&mut self, call: &Value) -> Result<Expr, Stop> {
        let Value::New { ty, args, kwargs } = call else { return no(ReasonCode::NotComparable.of("call")) };
        let way = ty.qualname.strip_prefix("call").unwrap_or_default();
        if !way.split('.').skip(1).all(|part| is_identifier(part.trim_end_matches("()"))) {
            return no(ReasonCode::InvalidName.of(way));
        }
        let call = self.spell(&TypeName::new("unittest.mock", "call"))?;
        let mut items = Vec::new();
        for arg in args {
            items.push(Item::from(self.expected(arg)?));
        }
        for (name, value) in kwargs {
            if !is_identifier(name) {
                return no(ReasonCode::InvalidName.of(name));
            }
            items.push(Item::keyword(name, self.expected(value)?));
        }
        Ok(Expr::call_with(&format!("{call}{way}"), items))
    }
}
