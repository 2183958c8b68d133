//! R10: the rows of a database of SQLite in memory after a call.

use crate::domain::value::Value;
use crate::generate::build::databases::{
    REST, ROWS, TABLES, by_name, field, is_content, is_database, rows, rows_query, statement_query,
};
use crate::generate::build::{Builder, Stop};
use crate::generate::expect::{Assertion, Relation};
use crate::generate::layout::{Expr, string};

/// R10: more tables than this are asserted by nobody.
const ASSERTED_MAX: usize = 3;

impl Builder<'_, '_> {
    /// Asserts the rows of tables, how a table without rows, an index or a view was created, and that there are no tables.
    pub(super) fn tables_of(&mut self, subject: &str, fields: &[(String, Value)]) -> Result<Vec<Assertion>, Stop> {
        if field(fields, TABLES).is_none() {
            let subject = format!("{subject}.execute(\"SELECT name FROM sqlite_master\").fetchall()");
            return Ok(vec![Assertion::new(&subject, Relation::Equal, Expr::list(Vec::new()))]);
        }
        let held = by_name(field(fields, ROWS));
        // Rows of another kind do not equal tuples.
        let listed = |rows: String| match field(fields, "row_factory") {
            Some(_) => format!("[tuple(row) for row in {rows}]"),
            None => rows,
        };
        let mut all = Vec::new();
        let made = by_name(field(fields, TABLES)).into_iter().chain(by_name(field(fields, REST)));
        for (table, text) in made.take(ASSERTED_MAX) {
            let query = |sql: &str| format!("{subject}.execute({}).fetchall()", string(sql));
            match held.iter().find(|(name, _)| *name == table) {
                Some((_, held)) => {
                    let mut tuples = Vec::new();
                    for row in rows(held) {
                        let values = row.into_iter().map(|value| self.expected(value)).collect::<Result<_, _>>()?;
                        tuples.push(Expr::tuple(values));
                    }
                    let subject = query(&rows_query(table));
                    all.push(Assertion::new(&listed(subject), Relation::Equal, Expr::list(tuples)));
                }
                None => {
                    let expected = Expr::list(vec![Expr::tuple(vec![self.expected(text)?])]);
                    all.push(Assertion::new(&listed(query(&statement_query(table))), Relation::Equal, expected));
                }
            }
        }
        Ok(all)
    }
}

/// A database that a call changed.
pub(super) struct Changed {
    /// The way to it: `kennel.conn`.
    pub way: String,
    /// What is asserted of its content.
    pub content: Vec<(String, Value)>,
    /// The attributes that were set.
    pub attributes: Vec<(String, Value)>,
}

/// Takes the databases that a call changed out of what it changed: gives the value with these as they were before.
pub(super) fn split(before: &Value, after: &Value, way: &str, found: &mut Vec<Changed>) -> Value {
    match (before, after) {
        (Value::Sub { fields: old, .. }, Value::Sub { ty, fields: new, .. }) if is_database(ty) => {
            let is_set = |(name, value): &&(String, Value)| !is_content(name) && field(old, name) != Some(value);
            let attributes = new.iter().filter(is_set).cloned().collect();
            found.push(Changed { way: way.to_owned(), content: only_changed(old, new), attributes });
            before.clone()
        }
        (Value::Object { fields: old, .. }, Value::Object { ordinal, ty, kind, fields: new }) => {
            let mut part = |(name, value): &(String, Value)| {
                let before = field(old, name);
                let way = format!("{way}.{name}");
                (name.clone(), before.map_or_else(|| value.clone(), |before| split(before, value, &way, found)))
            };
            let fields = new.iter().map(&mut part).collect();
            Value::Object { ordinal: *ordinal, ty: ty.clone(), kind: *kind, fields }
        }
        _ => after.clone(),
    }
}

/// Leaves of the databases in a value only the tables that are others in `before`.
pub(super) fn trimmed(before: &Value, after: &Value) -> Value {
    match (before, after) {
        (Value::Sub { fields: old, .. }, Value::Sub { ordinal, ty, base, fields: new }) if is_database(ty) => {
            Value::Sub { ordinal: *ordinal, ty: ty.clone(), base: base.clone(), fields: only_changed(old, new) }
        }
        (Value::Object { fields: old, .. }, Value::Object { ordinal, ty, kind, fields: new }) => {
            let part = |(name, value): &(String, Value)| {
                (name.clone(), field(old, name).map_or_else(|| value.clone(), |before| trimmed(before, value)))
            };
            Value::Object { ordinal: *ordinal, ty: ty.clone(), kind: *kind, fields: new.iter().map(part).collect() }
        }
        _ => after.clone(),
    }
}

/// Leaves of a database only the tables, indexes and views that are others in `old`.
fn only_changed(old: &[(String, Value)], new: &[(String, Value)]) -> Vec<(String, Value)> {
    let is_changed = |made: &str| {
        let of = |fields, name| by_name(field(fields, name)).into_iter().find(|(name, _)| *name == made).map(|(_, value)| value);
        [TABLES, ROWS, REST].into_iter().any(|name| of(old, name) != of(new, name))
    };
    let part = |value: &Value| match value {
        Value::Dict(pairs) => {
            let is_asserted = |(name, _): &&(Value, Value)| matches!(name, Value::Str(name) if is_changed(name));
            Value::Dict(pairs.iter().filter(is_asserted).cloned().collect())
        }
        other => other.clone(),
    };
    new.iter().map(|(name, value)| (name.clone(), part(value))).collect()
}
