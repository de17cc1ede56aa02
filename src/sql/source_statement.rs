//! The statement behind `table_column_stats` and `query_column_stats`. It is plain text about a source
//! that it knows nothing of, so it can run in any session that knows the source.

use super::quote::{identifier, text_list};
use colstats_core::error::{Error, Result};

/// What the caller may choose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceOptions {
    /// The columns to report; all when not given.
    pub columns: Option<Vec<String>>,
    pub max_bound_bytes: Option<i64>,
}

/// Something to select from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// A SELECT.
    pub select: String,
    /// The name of a table, without those of its schema and catalogue.
    pub table_name: Option<String>,
}

/// A table by its name: `catalog.schema.table` in one to three parts, each quoted or not.
pub fn table_source(name: &str) -> Result<Source> {
    let parts = name_parts(name).filter(|parts| parts.len() <= 3).ok_or_else(|| {
        Error::new(format!(
            "'{name}' is not a table name; write table, schema.table or catalog.schema.table, with double \
             quotes around a part that holds a dot or a double quote, which is doubled inside of them"
        ))
    })?;
    let names: Vec<String> = parts.iter().map(|part| identifier(part)).collect();
    let select = format!("SELECT * FROM {}", names.join("."));
    Ok(Source { select, table_name: parts.into_iter().next_back() })
}

/// The parts of a name between dots, around which there may be space. As in SQL, a quoted part starts and
/// ends with its quote. `None` where the text is no such name.
fn name_parts(name: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = name.trim();
    loop {
        let (part, behind) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_part(quoted)?,
            None => {
                let (part, behind) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
                (part.trim_end().to_owned(), behind)
            }
        };
        // Only a quote at the start opens a quoted part.
        if part.is_empty() || (!rest.starts_with('"') && part.contains('"')) {
            return None;
        }
        parts.push(part);
        match behind.trim_start() {
            "" => return Some(parts),
            behind => rest = behind.strip_prefix('.')?.trim_start(),
        }
    }
}

/// A part up to its closing quote, and what is behind it; two quotes stand for one.
fn quoted_part(quoted: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = quoted;
    loop {
        let (before, behind) = rest.split_once('"')?;
        part.push_str(before);
        match behind.strip_prefix('"') {
            Some(behind) => {
                part.push('"');
                rest = behind;
            }
            None => return Some((part, behind)),
        }
    }
}

/// A query of the caller, without a closing semicolon.
pub fn query_source(query: &str) -> Result<Source> {
    if let Some(word) = other_statement(query) {
        return Err(Error::new(format!("{word} is no query; give a SELECT statement")));
    }
    let query = query.trim_end_matches(|end: char| end == ';' || end.is_whitespace()).trim_start();
    if query.is_empty() {
        return Err(Error::new("the query is empty; give a SELECT statement"));
    }
    // The line break ends a comment at the end of the query.
    Ok(Source { select: format!("{query}\n"), table_name: None })
}

/// What a scalar that makes rows of results takes from a source: names and results of an aggregate.
pub struct StatsOfSource {
    /// The four lists `names`, `typed`, `selected` and `stats`.
    pub arguments: String,
    /// What they are selected from.
    pub from: String,
}

impl StatsOfSource {
    /// The results of `stats` over `columns`, or all of them.
    ///
    /// The names and the types of the columns come from one row of NULLs: the source cut to no rows, joined
    /// to nothing. So a source without rows has complete rows too, and is not read twice.
    pub fn new(
        source: &Source,
        columns: Option<&[String]>,
        stats: &dyn Fn(&str) -> String,
    ) -> StatsOfSource {
        let source = &source.select;
        let (selected, scanned) = match columns {
            None => ("described.names".into(), stats("COLUMNS(*)")),
            Some(columns) => {
                let scanned: Vec<String> =
                    columns.iter().map(|column| stats(&identifier(column))).collect();
                (text_list(columns.iter().map(String::as_str)), scanned.join(", "))
            }
        };
        let null_row =
            format!("(SELECT 1) LEFT JOIN (SELECT * FROM ({source}) LIMIT 0) AS source ON true");
        let from = format!(
            "(SELECT [*COLUMNS(*)] AS stats FROM (SELECT {scanned} FROM ({source}))) AS scanned, \
             (SELECT [*COLUMNS(*)] AS stats FROM (SELECT {typed} FROM {null_row})) AS typed, \
             (SELECT [*COLUMNS(*)] AS names FROM \
             (SELECT alias(COLUMNS(source.*)) FROM {null_row})) AS described",
            typed = stats("COLUMNS(source.*)"),
        );
        let arguments = format!("described.names, typed.stats, {selected}, scanned.stats");
        StatsOfSource { arguments, from }
    }
}

/// The statement that reports the columns of `source`.
pub fn compose(source: &Source, options: &SourceOptions) -> String {
    let limit = options.max_bound_bytes.map_or(String::new(), |bytes| format!(", {bytes}"));
    let stats = |column: &str| format!("column_stats({column}{limit})");
    let StatsOfSource { arguments, from } =
        StatsOfSource::new(source, options.columns.as_deref(), &stats);
    format!(
        "SELECT one_row.* FROM (SELECT unnest(column_stats_rows({arguments})) AS one_row FROM {from})"
    )
}

/// What begins a statement that is no query. In brackets it would be but a syntax error.
#[rustfmt::skip]
const OTHER_STATEMENTS: [&str; 33] = [
    "ALTER", "ANALYZE", "ATTACH", "BEGIN", "CALL", "CHECKPOINT", "COMMENT", "COMMIT", "COPY", "CREATE", "DEALLOCATE", "DELETE",
    "DETACH", "DROP", "EXECUTE", "EXPLAIN", "EXPORT", "GRANT", "IMPORT", "INSERT", "INSTALL", "LOAD", "MERGE", "PRAGMA",
    "PREPARE", "RESET", "ROLLBACK", "SET", "START", "TRUNCATE", "UPDATE", "USE", "VACUUM",
];

fn other_statement(query: &str) -> Option<&'static str> {
    let start = query.trim_start();
    let end = start.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(start.len());
    let first = start.get(..end)?;
    OTHER_STATEMENTS.into_iter().find(|word| word.eq_ignore_ascii_case(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_names_are_taken_apart_and_quoted() {
        let select = |name: &str| table_source(name).map(|source| source.select);
        let table = |name: &str| table_source(name).ok().and_then(|source| source.table_name);
        assert_eq!(select("t"), Ok("SELECT * FROM \"t\"".into()));
        assert_eq!(select(" s.t "), Ok("SELECT * FROM \"s\".\"t\"".into()));
        assert_eq!(select(r#" "s" . "a.b""#), Ok(r#"SELECT * FROM "s"."a.b""#.into()));
        assert_eq!(table(r#" "s" . "a.b" "#), Some("a.b".into()));
        let name = r#"c."my.s""x".t"#;
        assert_eq!(select(name), Ok(r#"SELECT * FROM "c"."my.s""x"."t""#.into()));
        assert_eq!(table(name), Some("t".into()));
        let malformed = ["", "a.", ".a", "a.b.c.d", "\"a", "\"\"", "a. .b"];
        let quotes_in_the_middle = [r#"t"x"y"#, r#"t"x""#, r#""t"x"#, r#""t" "x""#, r#""t""x"#];
        for name in malformed.into_iter().chain(quotes_in_the_middle) {
            assert!(table_source(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_query_may_end_in_a_semicolon_or_a_comment() {
        let select = |query: &str| query_source(query).map(|source| source.select);
        assert_eq!(select("FROM t ; ;\n"), Ok("FROM t\n".into()));
        assert_eq!(select("FROM t -- all"), Ok("FROM t -- all\n".into()));
        assert!(query_source(" ; ").is_err());
    }

    #[test]
    fn what_is_no_query_is_told() {
        for query in [
            "DELETE FROM t",
            " insert into t VALUES (1)",
            "drop TABLE t",
            "EXPLAIN SELECT 1",
            "PRAGMA version",
        ] {
            assert!(
                query_source(query).unwrap_err().to_string().contains("is no query"),
                "{query}"
            );
        }
        for query in [
            "FROM t",
            "(SELECT 1)",
            "with x AS (SELECT 1) FROM x",
            "DESCRIBE SELECT 1",
            "loader",
            "VALUES (1)",
        ] {
            assert!(query_source(query).is_ok(), "{query}");
        }
    }
}
