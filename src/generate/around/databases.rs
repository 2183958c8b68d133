//! Files that are databases of SQLite, which a test makes by a script and asserts by their rows.

use serde_json::Value as Json;

use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::scene::{Tables, Written};
use crate::domain::value::Value;
use crate::generate::build::databases::{REST, ROWS, TABLES, rows_query, script, statement_query};
use crate::generate::build::{Stop, scalar};
use crate::generate::layout::{self, Expr, string};

/// Tables that are asserted.
const ASSERTED_MAX: usize = 3;
/// What a test calls its connection.
const CONNECTION: &str = "connection";

/// Writes the lines that make a database at a path.
pub(super) fn made(place: &str, tables: &Tables) -> Result<Vec<Expr>, Reason> {
    let script = script(&fields(tables)?).map_err(|stop| match stop {
        Stop::No(reason) => reason,
        Stop::Again(_) => ReasonCode::TooLong.into(),
    })?;
    let fill = Expr::call(&format!("{CONNECTION}.executescript"), vec![Expr::Text(script)]);
    Ok(vec![opened(place), fill, closed()])
}

/// Writes the lines that assert the tables which a command changed.
pub(super) fn asserted(place: &str, before: Option<&Written>, after: &Tables) -> Result<Vec<Expr>, Reason> {
    let old = match before {
        Some(Written::Database(tables)) => Some(tables),
        _ => None,
    };
    let mut lines = vec![opened(place)];
    let rows_of = |tables: &Tables, name: &str| tables.1.iter().find(|(table, _)| table == name).map(|(_, rows)| rows.clone());
    let is_new = |name: &str, text: &str| {
        old.is_none_or(|old| !old.0.iter().chain(&old.2).any(|(known, before)| known == name && before == text))
    };
    for (name, text) in after.0.iter().chain(&after.2) {
        let rows = rows_of(after, name);
        let is_changed = is_new(name, text) || rows != old.and_then(|old| rows_of(old, name));
        if !is_changed || lines.len() > ASSERTED_MAX {
            continue;
        }
        let (query, expected) = match rows {
            Some(rows) => {
                let mut tuples = Vec::new();
                for row in &rows {
                    let values = row.iter().map(|(_, value)| plain(&self::value(value)?)).collect::<Result<_, _>>()?;
                    tuples.push(Expr::tuple(values));
                }
                (rows_query(name), tuples)
            }
            None => (statement_query(name), vec![Expr::tuple(vec![Expr::Text(text.clone())])]),
        };
        let read = Expr::Atom(format!("assert {CONNECTION}.execute({}).fetchall() == ", string(&query)));
        lines.push(Expr::Chain(Box::new(read), Box::new(Expr::list(expected))));
    }
    if lines.len() == 1 {
        return Ok(Vec::new()); // pages were written, and nothing that anybody reads
    }
    lines.push(closed());
    Ok(lines)
}

fn opened(place: &str) -> Expr {
    let place = place.strip_prefix('(').and_then(|place| place.strip_suffix(')')).unwrap_or(place);
    Expr::Atom(format!("{CONNECTION} = sqlite3.connect({place})"))
}

fn closed() -> Expr {
    Expr::Atom(format!("{CONNECTION}.close()"))
}

/// Gives the content of a database as it is recorded of one in memory.
fn fields((tables, rows, rest): &Tables) -> Result<Vec<(String, Value)>, Reason> {
    let named = |pairs: &[(String, String)]| {
        Value::Dict(pairs.iter().map(|(name, text)| (Value::Str(name.clone()), Value::Str(text.clone()))).collect())
    };
    let mut of_tables = Vec::new();
    for (table, rows) in rows {
        let mut held = Vec::new();
        for row in rows {
            let row = row.iter().map(|(column, cell)| Ok((Value::Str(column.clone()), value(cell)?)));
            held.push(Value::Dict(row.collect::<Result<_, Reason>>()?));
        }
        of_tables.push((Value::Str(table.clone()), Value::List(held)));
    }
    Ok(vec![(TABLES.into(), named(tables)), (ROWS.into(), Value::Dict(of_tables)), (REST.into(), named(rest))])
}

/// Reads a value of a column.
fn value(told: &Json) -> Result<Value, Reason> {
    Ok(match told {
        Json::Null => Value::None,
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Value::Int(number),
            (None, number) => Value::Float(number.unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::Str(text.clone()),
        Json::Object(told) => match (told.get("bytes").and_then(Json::as_str), told.get("made_up").and_then(Json::as_str)) {
            (Some(bytes), _) => Value::Bytes(bytes.chars().map(|c| u8::try_from(c as u32).unwrap_or(b'?')).collect()),
            (None, Some(word)) => Value::Str(format!("made-up-{word}")),
            (None, None) => return Err(ReasonCode::UnwritableStep.of("row")),
        },
        Json::Bool(_) | Json::Array(_) => return Err(ReasonCode::UnwritableStep.of("row")),
    })
}

/// Writes a value of a column.
fn plain(value: &Value) -> Result<Expr, Reason> {
    let written = match value {
        Value::Float(number) => layout::float(*number).map(Expr::Atom),
        other => scalar(other),
    };
    written.ok_or_else(|| ReasonCode::NotComparable.into())
}
