//! Conversions between SQL text and the enums of the domain. Reading an unknown value is an error.

use std::error::Error;
use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Type, ValueRef};

use crate::model::{
    EdgeType, Language, MemoryStatus, MemoryType, PinEvent, PinScope, Priority, Scope,
};

macro_rules! stored_as_text {
    ($($name:ty),+) => {$(
        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.to_string().into())
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                value.as_str()?.parse().map_err(|error: String| FromSqlError::Other(error.into()))
            }
        }
    )+};
}

stored_as_text!(EdgeType, Language, MemoryStatus, MemoryType, PinEvent, PinScope, Priority, Scope);

/// Parses a column with an optional timestamp.
pub(super) fn optional_time<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    let text: Option<String> = row.get(column)?;
    text.map(|text| text.parse()).transpose().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

/// Largest id of a term. Term ids are dense and tables are indexed by them, so a damaged one must
/// not be used.
const MAX_TERM_ID: u32 = 1 << 26;

/// Reads a column with the id of a term.
pub(super) fn term_id(row: &Row<'_>, column: usize) -> rusqlite::Result<u32> {
    let id: u32 = row.get(column)?;
    if id <= MAX_TERM_ID {
        Ok(id)
    } else {
        Err(rusqlite::Error::IntegralValueOutOfRange(column, id.into()))
    }
}

/// Splits a column with one value per line.
pub(super) fn lines(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<String>> {
    Ok(row.get_ref(column)?.as_str()?.lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn values_round_trip_and_unknown_ones_are_errors() {
        let connection = Connection::open_in_memory().expect("a store");
        let read = |text: &str| connection.query_row("SELECT ?1", [text], |row| row.get(0));
        assert_eq!(read("rust"), Ok(Language::Rust));
        assert!(read("cobol").is_err());
        let scope = Scope::Language("go".to_owned());
        let stored = connection.query_row("SELECT ?1", [&scope], |row| row.get(0));
        assert_eq!(stored, Ok(scope));
    }
}
