//! `ducklake_column_stats('lake', ...)`, `ducklake_table_column_stats('lake', ...)` and
//! `ducklake_file_variant_stats('lake', ...)`: the statistics of a DuckLake, computed from its data and
//! shaped like the tables of its catalogue.

use std::collections::{HashMap, HashSet};

use super::catalogue::{DataFile, Lake, read_lake};
use super::options::{LakeOptions, named_parameters};
use super::scan::{Extent, lake_statement};
use super::variants::variant_rows;
use crate::ffi::registry::Parameter;
use crate::ffi::session::Session;
use crate::ffi::table::{Answer, TableFunction};
use crate::function::own_session::isolate;
use crate::sql::lake::rows::TableStatistics;
use crate::sql::lake::stored::measured_columns;
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;
use colstats_core::value::Literal;

/// `ducklake_column_stats(lake VARCHAR, table_name :=, schema_name :=, snapshot :=, only_missing :=,
/// max_bound_bytes :=)`: a row per data file of the snapshot and leaf column of its table. All rows of a file
/// count, deleted ones too, as files never change.
pub struct DucklakeColumnStats;

/// `ducklake_table_column_stats(lake VARCHAR, ...)`: a row per leaf column of a table, over the inlined rows
/// and over all data files that the catalogue still has, since time travel reads the same row.
pub struct DucklakeTableColumnStats;

/// `ducklake_file_variant_stats(lake VARCHAR, ...)`: a row per data file and fully shredded field of a
/// VARIANT.
pub struct DucklakeFileVariantStats;

/// DuckDB's messages do not all name the file: the audit does.
fn point_to_audit(options: &LakeOptions, session: &Session, error: Error) -> Error {
    let message = error.to_string();
    // Where the catalogue itself, or nothing at all, can be read, the audit could not tell more.
    let Ok(lake) = read_lake(options, false, session) else { return error };
    if lake.files.iter().any(|file| message.contains(&file.path)) {
        return error;
    }
    Error::new(format!(
        "{message} (ducklake_stats_audit names the data file or table that cannot be read)"
    ))
}

fn file_statement(options: &LakeOptions, session: &Session) -> Result<String> {
    let lake = read_lake(options, false, session)?;
    let complete =
        if options.only_missing { complete_columns(&lake, session)? } else { HashMap::new() };
    let extent = Extent { table: None, is_table_wide: false, has_sizes: true };
    let is_read = |file: &DataFile| !options.only_missing || lacks(&lake, file, &complete);
    let statement = lake_statement(&lake, options, extent, &is_read, session)?;
    Ok(statement.file_rows(options.only_missing.then_some(&lake.metadata)))
}

/// By data file, the columns that the catalogue has in full.
fn complete_columns(lake: &Lake, session: &Session) -> Result<HashMap<i64, HashSet<i64>>> {
    let mut complete: HashMap<i64, HashSet<i64>> = HashMap::new();
    for measured in session.collect(&measured_columns(&lake.metadata))?.into_iter().flatten() {
        let table = lake.tables.get(&measured.table_id);
        let Some(node) = table.and_then(|table| table.nodes.get(&measured.column_id)) else {
            continue;
        };
        let lacks_bound = measured.lacks_bound && node.lake_type.has_read_bounds();
        let lacks_nan = measured.lacks_nan && node.lake_type.is_floating();
        if !lacks_bound && !lacks_nan {
            complete.entry(measured.data_file_id).or_default().insert(measured.column_id);
        }
    }
    Ok(complete)
}

/// Whether the catalogue lacks something about a file. A column younger than the file is not in it.
fn lacks(lake: &Lake, file: &DataFile, complete: &HashMap<i64, HashSet<i64>>) -> bool {
    let Some(table) = lake.tables.get(&file.table_id) else { return false };
    table.nodes.iter().any(|(column_id, node)| {
        let is_complete = complete.get(&file.data_file_id).is_some_and(|c| c.contains(column_id));
        node.is_leaf && node.first_snapshot <= file.begin_snapshot && !is_complete
    })
}

impl TableFunction for DucklakeColumnStats {
    type Bound = LakeOptions;

    const NAME: &'static str = "ducklake_column_stats";

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Of(ColumnType::Varchar)]
    }

    fn named_parameters() -> Vec<&'static str> {
        named_parameters(&["snapshot", "only_missing", "max_bound_bytes"])
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        vec![
            ("data_file_id", ColumnType::BigInt),
            ("table_id", ColumnType::BigInt),
            ("column_id", ColumnType::BigInt),
            ("column_size_bytes", ColumnType::BigInt),
            ("value_count", ColumnType::BigInt),
            ("null_count", ColumnType::BigInt),
            ("min_value", ColumnType::Varchar),
            ("max_value", ColumnType::Varchar),
            ("contains_nan", ColumnType::Boolean),
            ("extra_stats", ColumnType::Varchar),
            ("schema_name", ColumnType::Varchar),
            ("table_name", ColumnType::Varchar),
            ("file_name", ColumnType::Varchar),
            ("column_name", ColumnType::Varchar),
            ("column_type", ColumnType::Varchar),
        ]
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<LakeOptions> {
        LakeOptions::new(positional.first(), &named)
    }

    fn answer(bound: &LakeOptions, session: &Session) -> Result<Answer> {
        isolate(session)?;
        file_statement(bound, session)
            .and_then(|statement| Answer::of_statement(&statement, session))
            .map_err(|error| point_to_audit(bound, session, error))
    }
}

impl TableFunction for DucklakeTableColumnStats {
    type Bound = LakeOptions;

    const NAME: &'static str = "ducklake_table_column_stats";

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Of(ColumnType::Varchar)]
    }

    fn named_parameters() -> Vec<&'static str> {
        named_parameters(&["snapshot", "max_bound_bytes"])
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        vec![
            ("table_id", ColumnType::BigInt),
            ("column_id", ColumnType::BigInt),
            ("contains_null", ColumnType::Boolean),
            ("contains_nan", ColumnType::Boolean),
            ("min_value", ColumnType::Varchar),
            ("max_value", ColumnType::Varchar),
            ("extra_stats", ColumnType::Varchar),
            ("schema_name", ColumnType::Varchar),
            ("table_name", ColumnType::Varchar),
            ("column_name", ColumnType::Varchar),
            ("column_type", ColumnType::Varchar),
        ]
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<LakeOptions> {
        LakeOptions::new(positional.first(), &named)
    }

    fn answer(bound: &LakeOptions, session: &Session) -> Result<Answer> {
        isolate(session)?;
        table_rows(bound, session)
            .map(Answer::from)
            .map_err(|error| point_to_audit(bound, session, error))
    }
}

fn table_rows(options: &LakeOptions, session: &Session) -> Result<Vec<Vec<Cell>>> {
    let lake = read_lake(options, true, session)?;
    let extent = Extent { table: None, is_table_wide: true, has_sizes: false };
    let statement = lake_statement(&lake, options, extent, &|_| true, session)?;
    let found = session.collect(&statement.table_rows())?;
    Ok(found.into_iter().map(table_cells).collect())
}

fn table_cells(row: TableStatistics) -> Vec<Cell> {
    vec![
        row.table_id.into(),
        row.column_id.into(),
        row.statistics.contains_null.into(),
        row.statistics.contains_nan.into(),
        row.statistics.min_value.into(),
        row.statistics.max_value.into(),
        row.statistics.extra_stats.into(),
        row.schema_name.into(),
        row.table_name.into(),
        row.column_name.into(),
        row.column_type.into(),
    ]
}

impl TableFunction for DucklakeFileVariantStats {
    type Bound = LakeOptions;

    const NAME: &'static str = "ducklake_file_variant_stats";

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Of(ColumnType::Varchar)]
    }

    fn named_parameters() -> Vec<&'static str> {
        named_parameters(&["snapshot"])
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        vec![
            ("data_file_id", ColumnType::BigInt),
            ("table_id", ColumnType::BigInt),
            ("column_id", ColumnType::BigInt),
            ("variant_path", ColumnType::Varchar),
            ("shredded_type", ColumnType::Varchar),
            ("column_size_bytes", ColumnType::BigInt),
            ("value_count", ColumnType::BigInt),
            ("null_count", ColumnType::BigInt),
            ("min_value", ColumnType::Varchar),
            ("max_value", ColumnType::Varchar),
            ("contains_nan", ColumnType::Boolean),
            ("extra_stats", ColumnType::Varchar),
        ]
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<LakeOptions> {
        LakeOptions::new(positional.first(), &named)
    }

    fn answer(bound: &LakeOptions, session: &Session) -> Result<Answer> {
        isolate(session)?;
        variant_rows(bound, session)
            .map(Answer::from)
            .map_err(|error| point_to_audit(bound, session, error))
    }
}
