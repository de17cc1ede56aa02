//! The aggregate `column_stats(x ANY [, max_bound_bytes BIGINT])`: the statistics of a column, one
//! element per leaf.

use std::ops::Range;

use crate::ffi::aggregate::{Aggregate, Arguments};
use crate::ffi::registry::Parameter;
use crate::ffi::spelling::DuckdbSpeller;
use crate::output::ducklake;
use colstats_core::accumulator::ColumnStatistics;
use colstats_core::column::column_type::{ColumnType, Field, join_path};
use colstats_core::column::vectors::Values;
use colstats_core::error::{Error, Result};
use colstats_core::settings::Settings;
use colstats_core::summary::Summary;
use colstats_core::value::Cell;

/// `column_stats(x)` returns LIST of STRUCT: `path`, `type`, `value_count`, `null_count`, `min_value`,
/// `max_value`, `contains_nan`, `extra_stats`, in DuckLake's spelling.
///
/// NULL rows are counted. A group without rows has an empty list: its type was never seen.
/// `max_bound_bytes` (1 to 2^31 - 1, default 256) is read from the first row of a group; it should be a
/// constant. Where the rows of a group differ in it, the smallest that was read counts.
pub struct ColumnStats;

/// The type of the result, which `column_stats_read` shares.
pub fn result_type() -> ColumnType {
    let fields = [
        ("path", ColumnType::Varchar),
        ("type", ColumnType::Varchar),
        ("value_count", ColumnType::BigInt),
        ("null_count", ColumnType::BigInt),
        ("min_value", ColumnType::Varchar),
        ("max_value", ColumnType::Varchar),
        ("contains_nan", ColumnType::Boolean),
        ("extra_stats", ColumnType::Varchar),
    ]
    .map(|(name, column_type)| Field { name: name.to_owned(), column_type });
    ColumnType::List(ColumnType::Struct(fields.into()).into())
}

/// The list of a column's summaries.
pub fn result_cell(summaries: &[Summary]) -> Cell {
    Cell::List(summaries.iter().map(leaf_cell).collect())
}

/// The summaries of a group; none of one without rows, whose type was never seen.
pub fn summaries(state: Option<(&ColumnStatistics, &[ColumnType])>) -> Vec<Summary> {
    let typed = state.and_then(|(statistics, types)| Some((statistics, types.first()?)));
    typed.map_or(Vec::new(), |(statistics, column_type)| statistics.finish(column_type))
}

fn leaf_cell(summary: &Summary) -> Cell {
    let bounds = ducklake::bounds(summary, &DuckdbSpeller);
    Cell::Struct(vec![
        Cell::Varchar(join_path(summary.path.iter().map(String::as_str))),
        Cell::Varchar(summary.column_type.name()),
        summary.value_count.into(),
        summary.null_count.into(),
        bounds.min_value.into(),
        bounds.max_value.into(),
        ducklake::contains_nan(summary).into(),
        ducklake::extra_stats(summary).into(),
    ])
}

impl Aggregate for ColumnStats {
    type State = ColumnStatistics;

    const NAME: &'static str = "column_stats";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Any], vec![Parameter::Any, Parameter::Of(ColumnType::BigInt)]]
    }

    fn result_type() -> ColumnType {
        result_type()
    }

    fn start(arguments: &Arguments<'_>, first: usize) -> Result<ColumnStatistics> {
        ColumnStatistics::new(arguments.first_type()?, argument_settings(arguments, first)?)
    }

    fn update(
        state: &mut ColumnStatistics,
        arguments: &Arguments<'_>,
        rows: Range<usize>,
    ) -> Result<()> {
        state.update(arguments.first_column()?, rows);
        Ok(())
    }

    fn merge(state: &mut ColumnStatistics, other: &ColumnStatistics) -> Result<()> {
        state.merge(other)
    }

    fn finish(state: Option<(&ColumnStatistics, &[ColumnType])>) -> Result<Cell> {
        Ok(result_cell(&summaries(state)))
    }
}

/// The settings that the optional second argument asks for.
pub fn argument_settings(arguments: &Arguments<'_>, row: usize) -> Result<Settings> {
    let Some(column) = arguments.columns.get(1) else { return Ok(Settings::default()) };
    let bytes = match &column.values {
        Values::Int64(values) if column.validity.is_valid(row) => values.get(row).copied(),
        _ => None,
    };
    let bytes = bytes.ok_or_else(|| Error::new("max_bound_bytes must not be NULL"))?;
    Settings::with_max_bound_bytes(bytes)
}
