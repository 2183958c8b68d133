//! R8: items of a sequence that `==` does not compare by what they hold: all at once by their fields, or a few one by one.

use crate::domain::reason::ReasonCode;
use crate::domain::value::Value;
use crate::generate::build::{Builder, Stop, no};
use crate::generate::expect::{Assertion, PARTS_MAX, Relation};
use crate::generate::layout::Expr;
use crate::generate::scope::is_identifier;

/// Slots of items that are asked for by name; `vars` does not know them.
const NAMED_MAX: usize = 4;

/// Items that are asserted one by one, and the assertions about them.
const ITEMS_MAX: usize = 4;

impl Builder<'_, '_> {
    /// Compares a sequence of objects without `==` by what they hold.
    pub(super) fn rows(&mut self, subject: &str, value: &Value, items: &[Value]) -> Result<Vec<Assertion>, Stop> {
        let mut held = Vec::new();
        let mut types = Vec::new();
        let mut has_slots = false;
        for item in items {
            let item = self.expecting.as_ref().map_or(item, |expecting| expecting.resolve(item)).clone();
            let Value::Object { ty, fields, .. } = item else {
                return no(ReasonCode::NotComparable.of("list"));
            };
            // Of a class of another package nobody knows.
            has_slots |= self.project.has_slots(&ty) || self.project.class(&ty).is_none();
            types.push(self.expected(&Value::Name(ty))?);
            held.push(fields);
        }
        let names: Vec<String> = held.first().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let alike = held.iter().all(|fields| fields.iter().map(|(name, _)| name).eq(&names));
        let few = names.len() == 1 || has_slots && (1..=NAMED_MAX).contains(&names.len());
        let by_name = alike && few && names.iter().all(|name| is_identifier(name));
        let row = |fields: Vec<(String, Value)>| match by_name {
            true if fields.len() == 1 => fields.into_iter().map(|(_, value)| value).next().unwrap_or(Value::None),
            true => Value::Tuple(fields.into_iter().map(|(_, value)| value).collect()),
            false => Value::Dict(fields.into_iter().map(|(name, value)| (Value::Str(name), value)).collect()),
        };
        let rows = held.into_iter().map(|fields| self.expected(&row(fields))).collect::<Result<Vec<_>, _>>()?;
        let asked: Vec<String> = names.iter().map(|name| format!("item.{name}")).collect();
        let shown = match asked.as_slice() {
            _ if !by_name => "vars(item)".to_owned(),
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        let listed = Assertion::new(&format!("[{shown} for item in {subject}]"), Relation::Equal, Expr::list(rows));
        let ty = Expr::atom(if matches!(value, Value::List(_)) { "list" } else { "tuple" });
        let classes = Assertion::new(&format!("[type(item) for item in {subject}]"), Relation::Equal, Expr::list(types));
        Ok(vec![Assertion::new(&format!("type({subject})"), Relation::Is, ty), classes, listed])
    }

    /// R8: compares the few items of a sequence one by one, each as it can be compared.
    pub(super) fn one_by_one(&mut self, subject: &str, items: &[Value]) -> Result<Vec<Assertion>, Stop> {
        if items.is_empty() || items.len() > ITEMS_MAX {
            return no(ReasonCode::NotComparable.of("list"));
        }
        let mut all = vec![Assertion::new(&format!("len({subject})"), Relation::Equal, Expr::Atom(items.len().to_string()))];
        for (at, item) in items.iter().enumerate() {
            all.extend(self.assertions(&format!("{subject}[{at}]"), item)?);
        }
        if all.len() > PARTS_MAX {
            return no(ReasonCode::NotComparable.of("list"));
        }
        Ok(all)
    }
}
