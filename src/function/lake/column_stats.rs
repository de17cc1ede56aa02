//! `ducklake_column_stats('lake', ...)`, `ducklake_table_column_stats('lake', ...)` and
//! `ducklake_file_variant_stats('lake', ...)`: the statistics of a DuckLake, computed from its data and
//! shaped like the tables of its catalogue.

use std::collections::{HashMap, HashSet};

use super::catalogue::{DataFile, Lake};
use super::options::{LakeOptions, named_parameters};
use super::scan::{Extent, lake_statement};
use super::variants::variant_rows;
use crate::ffi::registry::Parameter;
use crate::ffi::session::Session;
use crate::ffi::table::{Answer, TableFunction};
use crate::function::own_session::isolate;
use crate::output::ducklake::geometry::merge;
use crate::output::ducklake::lake_type::LakeType;
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
    let Ok(lake) = Lake::read(options, false, session) else { return error };
    if lake.files.iter().any(|file| message.contains(&file.path)) {
        return error;
    }
    Error::new(format!(
        "{message} (ducklake_stats_audit names the data file or table that cannot be read)"
    ))
}

fn file_statement(options: &LakeOptions, session: &Session) -> Result<String> {
    let lake = Lake::read(options, false, session)?;
    let complete =
        if options.only_missing { complete_columns(&lake, session)? } else { HashMap::new() };
    let extent = Extent { table: None, is_table_wide: false, has_sizes: true };
    let is_read = |file: &DataFile| !options.only_missing || lacks(&lake, file, &complete);
    let statement = lake_statement(&lake, options, extent, &is_read, session)?;
    Ok(statement.file_rows(options.only_missing.then_some(&lake.metadata)))
}

/// By data file, the columns of which the catalogue has everything.
fn complete_columns(lake: &Lake, session: &Session) -> Result<HashMap<i64, HashSet<i64>>> {
    let statement = format!(
        "SELECT CAST(data_file_id AS BIGINT), CAST(column_id AS BIGINT), \
         CAST(value_count > 0 AND (min_value IS NULL OR max_value IS NULL) AS BIGINT), \
         CAST(contains_nan IS NULL AS BIGINT), CAST(table_id AS BIGINT) \
         FROM {}.ducklake_file_column_stats WHERE value_count IS NOT NULL AND null_count IS NOT NULL \
         AND column_size_bytes IS NOT NULL",
        lake.metadata
    );
    let mut complete: HashMap<i64, HashSet<i64>> = HashMap::new();
    session.query(&statement)?.for_each(|row| {
        let (Some(file), Some(column), Some(table)) =
            (row.integer(0), row.integer(1), row.integer(4))
        else {
            return Ok(());
        };
        let node = lake.tables.get(&table).and_then(|table| table.nodes.get(&column));
        let Some(lake_type) = node.map(|node| &node.lake_type) else { return Ok(()) };
        let lacks_bounds = row.integer(2) == Some(1) && lake_type.has_read_bounds();
        let lacks_nan = row.integer(3) == Some(1) && lake_type.is_floating();
        if !lacks_bounds && !lacks_nan {
            complete.entry(file).or_default().insert(column);
        }
        Ok(())
    })?;
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
    let lake = Lake::read(options, true, session)?;
    let extent = Extent { table: None, is_table_wide: true, has_sizes: false };
    let statement = lake_statement(&lake, options, extent, &|_| true, session)?;
    let mut rows = Vec::new();
    session.query(&statement.table_rows())?.for_each(|row| {
        let text = |column: usize| Cell::from(row.text(column).map(str::to_owned));
        let flag = |column: usize| Cell::from(row.integer(column).map(|value| value != 0));
        let is_geometry = LakeType::new(row.text(11).unwrap_or_default()).is_geometry();
        let boxes = row.text(6).filter(|_| is_geometry).and_then(|boxes| merge(boxes.lines()));
        rows.push(vec![
            row.integer(0).into(),
            row.integer(1).into(),
            flag(2),
            flag(3),
            text(4),
            text(5),
            boxes.into(),
            text(7),
            text(8),
            text(9),
            text(10),
        ]);
        Ok(())
    })?;
    Ok(rows)
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
