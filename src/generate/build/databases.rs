//! Databases of SQLite in memory are made by one script; `expect/databases.rs` asserts their rows.

use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value};
use crate::generate::build::{Builder, Stop, no};
use crate::generate::layout::{self, Expr, Item};
use crate::generate::scope::Import;
use crate::generate::statement::Statement;

/// The fields of a recorded database: what makes its tables, their rows, and what rests on the tables.
pub(in crate::generate) const TABLES: &str = "tables";
pub(in crate::generate) const ROWS: &str = "rows";
pub(in crate::generate) const REST: &str = "rest";

/// More rows than this are no set-up that anybody reads.
const ROWS_MAX: usize = 20;

/// Tells whether a class is that of connections to SQLite: a recorded one leads to a database in memory.
pub(in crate::generate) fn is_database(ty: &TypeName) -> bool {
    ty.module == "sqlite3" && ty.qualname == "Connection"
}

impl Builder<'_, '_> {
    /// Connects to a new database in memory, and fills it with a script.
    pub(super) fn database(&mut self, ordinal: u64, made: &Value, fields: &[(String, Value)]) -> Result<Expr, Stop> {
        if self.expecting.is_some() {
            return self.again(ordinal);
        }
        let Value::New { kwargs, .. } = made else { return no(ReasonCode::UnknownConstructor.of("Connection")) };
        self.work.imports.insert(Import::module("sqlite3"));
        let mut items = vec![Item::from(Expr::Text(":memory:".into()))];
        items.extend(self.named(kwargs)?);
        let made = Expr::call_with("sqlite3.connect", items);
        if fields.is_empty() {
            return Ok(made);
        }
        let name = self.bind_object(ordinal, "connection", made);
        let script = script(fields)?;
        if !script.is_empty() {
            let fill = Expr::call(&format!("{name}.executescript"), vec![Expr::Text(script)]);
            self.work.setup.push(Statement::run(fill));
        }
        for (field, value) in fields.iter().filter(|(field, _)| !is_content(field)) {
            self.set_field(&name, field, value)?;
        }
        Ok(Expr::Atom(name))
    }
}

/// Tells whether a field of a recorded database is a part of its content, and no attribute of the connection.
pub(in crate::generate) fn is_content(field: &str) -> bool {
    matches!(field, TABLES | ROWS | REST)
}

/// Finds a field.
pub(in crate::generate) fn field<'v>(fields: &'v [(String, Value)], name: &str) -> Option<&'v Value> {
    fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
}

/// Lists the entries of a dict by their names, such as the rows of each table.
pub(in crate::generate) fn by_name(value: Option<&Value>) -> Vec<(&str, &Value)> {
    let Some(Value::Dict(pairs)) = value else { return Vec::new() };
    pairs
        .iter()
        .filter_map(|(name, value)| if let Value::Str(name) = name { Some((name.as_str(), value)) } else { None })
        .collect()
}

/// Lists the rows of a table, each by its values in the order of the columns.
pub(in crate::generate) fn rows<'v>(table: &'v Value) -> Vec<Vec<&'v Value>> {
    let Value::List(rows) = table else { return Vec::new() };
    let values = |row: &'v Value| match row {
        Value::Dict(pairs) => pairs.iter().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    };
    rows.iter().map(values).collect()
}

/// Writes the name of a table or a column as SQL does.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Writes the query for the rows of a table.
pub(in crate::generate) fn rows_query(table: &str) -> String {
    format!("SELECT * FROM {}", quoted(table))
}

/// Writes the query for the statement that made a table, an index or a view.
pub(in crate::generate) fn statement_query(name: &str) -> String {
    format!("SELECT sql FROM sqlite_master WHERE name = '{}'", name.replace('\'', "''"))
}

/// Writes the script that makes a database with its rows.
pub(in crate::generate) fn script(fields: &[(String, Value)]) -> Result<String, Stop> {
    let mut statements = Vec::new();
    for (_, text) in by_name(field(fields, TABLES)) {
        statements.push(statement(text)?);
    }
    let mut count = 0;
    for (table, held) in by_name(field(fields, ROWS)) {
        let mut written = Vec::new();
        for row in rows(held) {
            let values = row.into_iter().map(literal).collect::<Result<Vec<_>, _>>()?;
            written.push(format!("({})", values.join(", ")));
        }
        count += written.len();
        if count > ROWS_MAX {
            return no(ReasonCode::TooLong);
        }
        let gap = if written.len() == 1 { " " } else { "\n" };
        statements.push(format!("INSERT INTO {} VALUES{gap}{};", quoted(table), written.join(",\n")));
    }
    for (_, text) in by_name(field(fields, REST)) {
        statements.push(statement(text)?);
    }
    Ok(statements.join("\n"))
}

fn statement(text: &Value) -> Result<String, Stop> {
    match text {
        Value::Str(text) => Ok(format!("{text};")),
        other => no(other.not_buildable().unwrap_or_else(|| ReasonCode::UnreadableArgument.of(other.type_name()))),
    }
}

/// Writes a value of a row as SQL does.
fn literal(value: &Value) -> Result<String, Stop> {
    Ok(match value {
        Value::None => "NULL".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) if number.is_finite() => layout::float(*number).unwrap_or_default(),
        Value::Float(number) => if *number > 0.0 { "9e999" } else { "-9e999" }.to_owned(),
        Value::Str(text) if !text.contains('\0') => format!("'{}'", text.replace('\'', "''")),
        Value::Bytes(bytes) => format!("X'{}'", bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>()),
        Value::Secret { kind, .. } => return no(ReasonCode::Redacted.of(kind)),
        other => return no(other.not_buildable().unwrap_or_else(|| ReasonCode::UnreadableArgument.of(other.type_name()))),
    })
}
