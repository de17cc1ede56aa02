//! `table_column_stats('table', ...)` and `query_column_stats('SELECT ...', ...)`: the rows of
//! `file_column_stats` for anything DuckDB can select from; and their twins.

use super::functions::{Query, SourceStats, StatsOf, Table, TextOf};
use crate::function::file::column_stats::file_columns;
use crate::function::options::{NamedOption, names, option, read};
use crate::sql::source_statement::{Source, SourceOptions, compose};
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::Result;
use colstats_core::value::Literal;

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
        names(&options())
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        file_columns()
    }

    fn compose(source: &Source, named: &[(&str, Literal)]) -> Result<String> {
        let mut checked = SourceOptions::default();
        read(&options(), named, &mut checked)?;
        Ok(compose(source, &checked))
    }
}

fn options() -> [NamedOption<SourceOptions>; 2] {
    [
        option("columns", |checked: &mut SourceOptions, given| {
            checked.columns = Some(given.column_names()?);
            Ok(())
        }),
        option("max_bound_bytes", |checked: &mut SourceOptions, given| {
            checked.max_bound_bytes = Some(given.max_bound_bytes()?);
            Ok(())
        }),
    ]
}
