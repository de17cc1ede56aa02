//! `hive_column_stats(files, ...)`, `hive_table_column_stats('table', ...)` and
//! `hive_query_column_stats('SELECT ...', ...)`: rows for a Hive metastore, and their twins; and
//! `describe_column_stats('table', 'column')` and `describe_file_column_stats(files, column)`: one column
//! for people.

use super::files::{HiveFiles, hive_files_options};
use super::options::{hive_options, source_options};
use super::rows::hive_columns;
use crate::ffi::registry::Parameter;
use crate::ffi::session::Session;
use crate::ffi::table::{Answer, TableFunction};
use crate::function::file::columns::explain_null_bytes;
use crate::function::options::names;
use crate::function::source::functions::{Query, SourceStats, StatsOf, Table, TextOf};
use crate::sql::hive::statement::{HiveOptions, compose_description, compose_source};
use crate::sql::source_statement::{Source, table_source};
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::Result;
use colstats_core::value::Literal;

/// `hive_column_stats(files VARCHAR or VARCHAR[], ...)`: a row per column, or per partition and column. A
/// NULL argument, a pattern that matches nothing, and a file that cannot be read are errors.
pub struct HiveColumnStats;

/// The rows for anything that DuckDB can select from.
pub struct HiveStatsOfSource;

/// `hive_table_column_stats(table VARCHAR, ...)`.
pub type HiveTableColumnStats = StatsOf<HiveStatsOfSource, Table>;

/// `hive_query_column_stats(query VARCHAR, ...)`.
pub type HiveQueryColumnStats = StatsOf<HiveStatsOfSource, Query>;

/// `hive_table_column_stats_sql(table VARCHAR, options STRUCT)`.
pub type HiveTableColumnStatsSql = TextOf<HiveStatsOfSource, Table>;

/// `hive_query_column_stats_sql(query VARCHAR, options STRUCT)`.
pub type HiveQueryColumnStatsSql = TextOf<HiveStatsOfSource, Query>;

/// `describe_column_stats(table VARCHAR, column VARCHAR)`: the rows of `DESCRIBE FORMATTED table column`.
pub struct DescribeColumnStats;

/// `describe_file_column_stats(files VARCHAR or VARCHAR[], column VARCHAR)`: the same for files, as one
/// table.
pub struct DescribeFileColumnStats;

impl SourceStats for HiveStatsOfSource {
    const OF_TABLE: &'static str = "hive_table_column_stats";
    const OF_QUERY: &'static str = "hive_query_column_stats";
    const TABLE_TEXT: &'static str = "hive_table_column_stats_sql";
    const QUERY_TEXT: &'static str = "hive_query_column_stats_sql";

    fn named_parameters() -> Vec<&'static str> {
        names(&hive_options::<HiveOptions>())
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        hive_columns()
    }

    /// `table_name` is the table's own unless it is given.
    fn compose(source: &Source, named: &[(&str, Literal)]) -> Result<String> {
        let mut options = source_options(named)?;
        options.table_name = options.table_name.or_else(|| source.table_name.clone());
        Ok(compose_source(source, &options))
    }
}

impl TableFunction for HiveColumnStats {
    type Bound = HiveFiles;

    const NAME: &'static str = "hive_column_stats";

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Any]
    }

    fn named_parameters() -> Vec<&'static str> {
        names(&hive_files_options())
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        hive_columns()
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<HiveFiles> {
        HiveFiles::new(positional.first().unwrap_or(&Literal::Null), &named)
    }

    fn answer(bound: &HiveFiles, session: &Session) -> Result<Answer> {
        bound.isolate(session)?;
        Answer::of_statement(&bound.statement(session)?, session).map_err(explain_null_bytes)
    }
}

fn description_columns() -> Vec<(&'static str, ColumnType)> {
    vec![("column_property", ColumnType::Varchar), ("value", ColumnType::Varchar)]
}

/// The options for a description: the column asked for and what the caller named.
fn described<'name>(
    positional: &[Literal],
    named: &[(&'name str, Literal)],
) -> Result<(Vec<(&'name str, Literal)>, bool)> {
    let column = positional.get(1).unwrap_or(&Literal::Null).as_text("column")?.to_owned();
    let mut options = named.to_vec();
    options.push(("columns", Literal::Text(column)));
    let has_histogram =
        named.iter().any(|(name, value)| *name == "histogram" && *value == Literal::Boolean(true));
    Ok((options, has_histogram))
}

impl TableFunction for DescribeColumnStats {
    type Bound = String;

    const NAME: &'static str = "describe_column_stats";

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Of(ColumnType::Varchar), Parameter::Of(ColumnType::Varchar)]
    }

    fn named_parameters() -> Vec<&'static str> {
        vec!["histogram"]
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        description_columns()
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<String> {
        let (options, has_histogram) = described(&positional, &named)?;
        let table = positional.first().unwrap_or(&Literal::Null).as_text("table")?;
        let statement = HiveStatsOfSource::compose(&table_source(table)?, &options)?;
        Ok(compose_description(&statement, has_histogram))
    }

    /// A view is text of the user: its macros are the user's.
    fn answer(bound: &String, session: &Session) -> Result<Answer> {
        Answer::of_statement(bound, session)
    }
}

impl TableFunction for DescribeFileColumnStats {
    type Bound = (HiveFiles, bool);

    const NAME: &'static str = "describe_file_column_stats";

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Any, Parameter::Of(ColumnType::Varchar)]
    }

    fn named_parameters() -> Vec<&'static str> {
        vec!["format", "read_options", "histogram"]
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        description_columns()
    }

    fn bind(
        positional: Vec<Literal>,
        named: Vec<(&'static str, Literal)>,
    ) -> Result<(HiveFiles, bool)> {
        let (mut options, has_histogram) = described(&positional, &named)?;
        options.push(("partitions", Literal::Boolean(false)));
        let files = positional.first().unwrap_or(&Literal::Null);
        Ok((HiveFiles::new(files, &options)?, has_histogram))
    }

    fn answer((files, has_histogram): &(HiveFiles, bool), session: &Session) -> Result<Answer> {
        files.isolate(session)?;
        let statement = compose_description(&files.statement(session)?, *has_histogram);
        Answer::of_statement(&statement, session).map_err(explain_null_bytes)
    }
}
