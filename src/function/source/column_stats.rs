//! `table_column_stats('table', ...)` and `query_column_stats('SELECT ...', ...)`: the rows of
//! `file_column_stats` for anything DuckDB can select from; and their twins.

use super::functions::{Query, SourceStats, StatsOf, Table, TextOf};
use crate::function::file::column_stats::columns;
use crate::sql::literal::Literal;
use crate::sql::source_statement::{Source, SourceOptions, compose};
use colstats_core::accumulator::Settings;
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};

/// The statistics in the shape of DuckLake.
pub struct ColumnStatsOfSource;

/// `table_column_stats(table VARCHAR, columns := [...], max_bound_bytes := ...)`.
pub type TableColumnStats = StatsOf<ColumnStatsOfSource, Table>;

/// `query_column_stats(query VARCHAR, columns := [...], max_bound_bytes := ...)`.
pub type QueryColumnStats = StatsOf<ColumnStatsOfSource, Query>;

/// `table_column_stats_sql(table VARCHAR, options STRUCT)`.
pub type TableColumnStatsSql = TextOf<ColumnStatsOfSource, Table>;

/// `query_column_stats_sql(query VARCHAR, options STRUCT)`.
pub type QueryColumnStatsSql = TextOf<ColumnStatsOfSource, Query>;

impl SourceStats for ColumnStatsOfSource {
    const OF_TABLE: &'static str = "table_column_stats";
    const OF_QUERY: &'static str = "query_column_stats";
    const TABLE_TEXT: &'static str = "table_column_stats_sql";
    const QUERY_TEXT: &'static str = "query_column_stats_sql";

    fn named_parameters() -> Vec<&'static str> {
        vec!["columns", "max_bound_bytes"]
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        columns()
    }

    fn compose(source: &Source, named: &[(&str, Literal)]) -> Result<String> {
        Ok(compose(source, &options(named)?))
    }
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
