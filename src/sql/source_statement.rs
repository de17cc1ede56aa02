//! The statement behind `table_column_stats` and `query_column_stats`. It is plain text about a source
//! that it knows nothing of, so it can run in any session that knows the source.

use super::quote::{identifier, text_list};
use crate::error::{Error, Result};

/// What the caller may choose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceOptions {
    /// The columns to report; all when not given.
    pub columns: Option<Vec<String>>,
    pub max_bound_bytes: Option<i64>,
}

/// `catalog.schema.table` in one to three parts, each quoted or not, as an SQL name.
pub fn table_source(name: &str) -> Result<String> {
    let malformed = || {
        Error::new(format!(
            "'{name}' is not a table name; write table, schema.table or catalog.schema.table, \
             with double quotes around a part that holds a dot"
        ))
    };
    let mut parts = vec![String::new()];
    let mut characters = name.trim().chars().peekable();
    let mut is_quoted = false;
    while let Some(character) = characters.next() {
        let Some(part) = parts.last_mut() else { return Err(malformed()) };
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                part.push('"');
            }
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted => parts.push(String::new()),
            other => part.push(other),
        }
    }
    if is_quoted || parts.len() > 3 || parts.iter().any(String::is_empty) {
        return Err(malformed());
    }
    let parts: Vec<String> = parts.iter().map(|part| identifier(part)).collect();
    Ok(format!("SELECT * FROM {}", parts.join(".")))
}

/// A query of the caller, without a closing semicolon.
pub fn query_source(query: &str) -> Result<String> {
    let query = query.trim_end_matches(|end: char| end == ';' || end.is_whitespace()).trim_start();
    if query.is_empty() {
        return Err(Error::new("the query is empty; give a SELECT statement"));
    }
    // The line break ends a comment at the end of the query.
    Ok(format!("{query}\n"))
}

/// The statement that reports the columns of `source`.
///
/// The names and the types of the columns come from one row of NULLs: the source cut to no rows, joined
/// to nothing. So a source without rows has complete rows too, and is not read twice.
pub fn compose(source: &str, options: &SourceOptions) -> String {
    let limit = options.max_bound_bytes.map_or(String::new(), |bytes| format!(", {bytes}"));
    let (selected, stats) = match &options.columns {
        None => ("described.names".into(), format!("column_stats(COLUMNS(*){limit})")),
        Some(columns) => {
            let stats: Vec<String> = columns
                .iter()
                .map(|column| format!("column_stats({}{limit})", identifier(column)))
                .collect();
            (text_list(columns.iter().map(String::as_str)), stats.join(", "))
        }
    };
    let null_row =
        format!("(SELECT 1) LEFT JOIN (SELECT * FROM ({source}) LIMIT 0) AS source ON true");
    format!(
        "SELECT one_row.* FROM (SELECT unnest(column_stats_rows(\
         described.names, typed.stats, {selected}, scanned.stats)) AS one_row \
         FROM (SELECT [*COLUMNS(*)] AS stats FROM (SELECT {stats} FROM ({source}))) AS scanned, \
         (SELECT [*COLUMNS(*)] AS stats FROM \
         (SELECT column_stats(COLUMNS(source.*)) FROM {null_row})) AS typed, \
         (SELECT [*COLUMNS(*)] AS names FROM \
         (SELECT alias(COLUMNS(source.*)) FROM {null_row})) AS described)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_names_are_taken_apart_and_quoted() {
        assert_eq!(table_source("t"), Ok("SELECT * FROM \"t\"".into()));
        assert_eq!(table_source(" s.t "), Ok("SELECT * FROM \"s\".\"t\"".into()));
        let quoted = table_source(r#"c."my.s""x".t"#).unwrap();
        assert_eq!(quoted, r#"SELECT * FROM "c"."my.s""x"."t""#);
        for malformed in ["", "a.", ".a", "a.b.c.d", "\"a"] {
            assert!(table_source(malformed).is_err(), "{malformed}");
        }
    }

    #[test]
    fn a_query_may_end_in_a_semicolon_or_a_comment() {
        assert_eq!(query_source("FROM t ; ;\n"), Ok("FROM t\n".into()));
        assert_eq!(query_source("FROM t -- all"), Ok("FROM t -- all\n".into()));
        assert!(query_source(" ; ").is_err());
    }
}
