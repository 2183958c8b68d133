//! Reasons in columns of text: as JSON with their code, and as a sentence where an earlier version wrote the row.

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};

use crate::domain::reason::Reason;

impl ToSql for Reason {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text = serde_json::to_string(self).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        Ok(text.into())
    }
}

impl FromSql for Reason {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        Ok(serde_json::from_str(text).unwrap_or_else(|_| Self::legacy(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reason::{Place, ReasonCode};

    fn read(stored: &dyn ToSql) -> Reason {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.query_row("SELECT ?1", [stored], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_row_gives_back_the_reason_that_was_written() {
        let reason = ReasonCode::ArgumentNotStored.of("Cart").with("items").at(Place::Argument("cart".into()));
        assert_eq!(read(&reason), reason);
    }

    #[test]
    fn a_row_of_an_earlier_version_is_a_sentence() {
        assert_eq!(read(&"it writes files: open a.txt").message(), "it writes files: open a.txt");
        assert_eq!(read(&"{\"no\": \"reason\"}").code, ReasonCode::Legacy);
        let decided = "run alone it ends differently: it depends on something that was not recorded";
        assert_eq!(read(&decided).code, ReasonCode::NotReproducible);
    }
}
