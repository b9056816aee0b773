//! Conversions between SQL text and the enums of the domain. Reading an unknown value is an error.

use std::error::Error;
use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::Type;
use serde::de::DeserializeOwned;

/// Reads a column with a value that is stored as its text.
pub(super) fn from_text<T: FromStr<Err = String>>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    text.parse().map_err(|error: String| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
    })
}

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

/// Reads a column with a packed value.
pub(super) fn unpacked<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    postcard::from_bytes(row.get_ref(column)?.as_blob()?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, error.into())
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
    Ok(row
        .get_ref(column)?
        .as_str()?
        .lines()
        .map(str::to_owned)
        .collect())
}

#[cfg(test)]
mod tests {
    use cerberus_model::{Language, Scope};
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn values_round_trip_and_unknown_ones_are_errors() {
        let connection = Connection::open_in_memory().expect("a store");
        let language = |text: &str| {
            connection.query_row("SELECT ?1", [text], |row| from_text::<Language>(row, 0))
        };
        assert_eq!(language("rust"), Ok(Language::Rust));
        assert!(language("cobol").is_err());
        let scope = Scope::Language("go".to_owned());
        let stored = connection.query_row("SELECT ?1", [scope.to_string()], |row| {
            from_text::<Scope>(row, 0)
        });
        assert_eq!(stored, Ok(scope));
    }
}
