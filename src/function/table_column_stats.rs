//! `table_column_stats('table', ...)` and `query_column_stats('SELECT ...', ...)`: the rows of
//! `file_column_stats` for anything DuckDB can select from.

use super::file_column_stats::columns;
use crate::core::accumulator::Settings;
use crate::core::column_type::ColumnType;
use crate::error::{Error, Result};
use crate::ffi::registry::Parameter;
use crate::ffi::session::Session;
use crate::ffi::table::TableFunction;
use crate::sql::literal::Literal;
use crate::sql::source_statement::{SourceOptions, compose, query_source, table_source};

/// `table_column_stats(table VARCHAR, columns := [...], max_bound_bytes := ...)`. The table may be a view
/// and may lie in any attached database. It runs on a connection of its own: temporary tables and rows
/// that are not committed need `table_column_stats_sql`.
pub struct TableColumnStats;

/// `query_column_stats(query VARCHAR, columns := [...], max_bound_bytes := ...)`, for one SELECT.
pub struct QueryColumnStats;

/// The text of `table_column_stats`.
pub fn table_statement(table: &Literal, named: &[(&str, Literal)]) -> Result<String> {
    Ok(compose(&table_source(table.as_text("table")?)?, &options(named)?))
}

/// The text of `query_column_stats`.
pub fn query_statement(query: &Literal, named: &[(&str, Literal)]) -> Result<String> {
    Ok(compose(&query_source(query.as_text("query")?)?, &options(named)?))
}

fn options(named: &[(&str, Literal)]) -> Result<SourceOptions> {
    let mut options = SourceOptions::default();
    for (name, value) in named {
        match *name {
            "columns" => options.columns = Some(value.as_texts(name)?),
            "max_bound_bytes" => {
                let bytes = value.as_integer(name)?;
                Settings::with_max_bound_bytes(bytes)?;
                options.max_bound_bytes = Some(bytes);
            }
            other => {
                return Err(Error::new(format!(
                    "option '{other}' is not known; the options are columns, max_bound_bytes"
                )));
            }
        }
    }
    if options.columns.as_ref().is_some_and(Vec::is_empty) {
        return Err(Error::new("columns is an empty list; name a column or leave it out"));
    }
    Ok(options)
}

fn named_parameters() -> Vec<&'static str> {
    vec!["columns", "max_bound_bytes"]
}

impl TableFunction for TableColumnStats {
    type Bound = String;

    const NAME: &'static str = "table_column_stats";

    const RUNS_USER_SQL: bool = true;

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Of(ColumnType::Varchar)]
    }

    fn named_parameters() -> Vec<&'static str> {
        named_parameters()
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        columns()
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<String> {
        table_statement(positional.first().unwrap_or(&Literal::Null), &named)
    }

    fn statement(bound: &String, _session: &Session) -> Result<String> {
        Ok(bound.clone())
    }
}

impl TableFunction for QueryColumnStats {
    /// The query by itself, and the statement around it.
    type Bound = (String, String);

    const NAME: &'static str = "query_column_stats";

    const RUNS_USER_SQL: bool = true;

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Of(ColumnType::Varchar)]
    }

    fn named_parameters() -> Vec<&'static str> {
        named_parameters()
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        columns()
    }

    fn bind(
        positional: Vec<Literal>,
        named: Vec<(&'static str, Literal)>,
    ) -> Result<(String, String)> {
        let query = positional.first().unwrap_or(&Literal::Null);
        let statement = query_statement(query, &named)?;
        Ok((query.as_text("query")?.to_owned(), statement))
    }

    fn statement((query, statement): &(String, String), session: &Session) -> Result<String> {
        session.check_is_one_statement(query)?;
        Ok(statement.clone())
    }
}
