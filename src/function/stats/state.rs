//! Statistics that are kept: `column_stats_state(x)` makes a state, `column_stats_merge(state)` adds
//! states up, and the scalar `column_stats_read(state)` shows one. The law they obey: for any split of
//! the rows, reading the merged states of the parts gives what `column_stats` gives for the whole. The scalar
//! `column_stats_distincts(state)` shows how many distinct values a state has seen.

use std::ops::Range;

use super::column_stats::{argument_settings, result_cell, result_type};
use crate::ffi::aggregate::{Aggregate, Arguments};
use crate::ffi::registry::Parameter;
use crate::ffi::scalar::ScalarFunction;
use crate::ffi::session::Host;
use crate::function::hive::rows::struct_type;
use colstats_core::accumulator::ColumnStatistics;
use colstats_core::column::column_type::{ColumnType, join_path};
use colstats_core::column::vectors::{ByteString, Values};
use colstats_core::error::{Error, Result};
use colstats_core::settings::Settings;
use colstats_core::sketch::distinct::DistinctSketch;
use colstats_core::state::format::{ColumnState, SKETCH_PRECISION, decode, encode};
use colstats_core::summary::Summary;
use colstats_core::value::Cell;

/// `column_stats_state(x ANY [, max_bound_bytes BIGINT])` returns BLOB: the statistics of `column_stats`
/// and a sketch of the distinct values, in the format of `docs/state-format.md`. A group without rows
/// has a state too; it reads as an empty list and changes nothing when it is merged.
pub struct ColumnStatsState;

impl Aggregate for ColumnStatsState {
    type State = ColumnStatistics;

    const NAME: &'static str = "column_stats_state";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Any], vec![Parameter::Any, Parameter::Of(ColumnType::BigInt)]]
    }

    fn result_type() -> ColumnType {
        ColumnType::Blob
    }

    fn start(arguments: &Arguments<'_>, first: usize) -> Result<ColumnStatistics> {
        let settings = Settings {
            sketch_precision: Some(SKETCH_PRECISION),
            ..argument_settings(arguments, first)?
        };
        ColumnStatistics::new(arguments.first_type()?, settings)
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
        let typed = state.and_then(|(statistics, types)| Some((types.first()?, statistics)));
        Ok(Cell::Blob(encode(typed)?))
    }
}

/// `column_stats_merge(state BLOB)` returns BLOB: one state for all. NULL is skipped; states of different
/// types, and what is not a state, are errors.
pub struct ColumnStatsMerge;

impl Aggregate for ColumnStatsMerge {
    type State = ColumnState;

    const NAME: &'static str = "column_stats_merge";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Of(ColumnType::Blob)]]
    }

    fn result_type() -> ColumnType {
        ColumnType::Blob
    }

    fn start(_arguments: &Arguments<'_>, _first: usize) -> Result<ColumnState> {
        Ok(None)
    }

    fn update(
        state: &mut ColumnState,
        arguments: &Arguments<'_>,
        rows: Range<usize>,
    ) -> Result<()> {
        let Values::Bytes(strings) = &arguments.first_column()?.values else { return Ok(()) };
        for item in rows.filter_map(|row| strings.get(row)) {
            add(state, decode(item.bytes())?)?;
        }
        Ok(())
    }

    fn merge(state: &mut ColumnState, other: &ColumnState) -> Result<()> {
        add(state, other.clone())
    }

    fn finish(state: Option<(&ColumnState, &[ColumnType])>) -> Result<Cell> {
        let merged = state.and_then(|(state, _)| state.as_ref());
        Ok(Cell::Blob(encode(merged.map(|(column_type, statistics)| (column_type, statistics)))?))
    }
}

fn add(state: &mut ColumnState, other: ColumnState) -> Result<()> {
    match (state, other) {
        (_, None) => Ok(()),
        (state @ None, other) => {
            *state = other;
            Ok(())
        }
        (Some((column_type, _)), Some((other_type, _))) if *column_type != other_type => {
            Err(Error::new(format!(
                "states of {} and of {} do not merge; merge the states of one column at a time, and cast a \
                 column whose type has changed to one type before column_stats_state",
                column_type.name(),
                other_type.name()
            )))
        }
        (Some((_, statistics)), Some((_, other))) => statistics.merge(&other),
    }
}

/// `column_stats_read(state BLOB)` returns the list of `column_stats`. NULL gives NULL; what is not a
/// state is an error.
pub struct ColumnStatsRead;

impl ScalarFunction for ColumnStatsRead {
    const NAME: &'static str = "column_stats_read";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Of(ColumnType::Blob)]]
    }

    fn result_type() -> ColumnType {
        result_type()
    }

    fn call(_host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        Ok(summaries_at(arguments, row)?.map_or(Cell::Null, |summaries| result_cell(&summaries)))
    }
}

/// The leaves of the state in a row, none of an empty state; `None` where the row has no state.
fn summaries_at(arguments: &Arguments<'_>, row: usize) -> Result<Option<Vec<Summary>>> {
    let Values::Bytes(strings) = &arguments.first_column()?.values else { return Ok(None) };
    let Some(item) = strings.get(row) else { return Ok(None) };
    let summaries = decode(item.bytes())?
        .map(|(column_type, statistics)| statistics.finish(&column_type))
        .unwrap_or_default();
    Ok(Some(summaries))
}

/// `column_stats_distincts(state BLOB)` returns LIST(STRUCT(path VARCHAR, num_distincts BIGINT, bit_vector
/// BLOB)): for each leaf the estimated number of distinct values (NULL left out; standard error 0.81 %) and
/// Hive's bit vector of precision 14 that it comes from, both NULL for types without one. NULL gives NULL;
/// what is not a state is an error.
pub struct ColumnStatsDistincts;

impl ScalarFunction for ColumnStatsDistincts {
    const NAME: &'static str = "column_stats_distincts";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Of(ColumnType::Blob)]]
    }

    fn result_type() -> ColumnType {
        let element = struct_type(vec![
            ("path", ColumnType::Varchar),
            ("num_distincts", ColumnType::BigInt),
            ("bit_vector", ColumnType::Blob),
        ]);
        ColumnType::List(element.into())
    }

    fn call(_host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        Ok(summaries_at(arguments, row)?
            .map_or(Cell::Null, |found| Cell::List(found.iter().map(distinct_cell).collect())))
    }
}

fn distinct_cell(summary: &Summary) -> Cell {
    let registers = summary.distinct.as_deref().map(DistinctSketch::registers);
    let count = registers.and_then(|registers| i64::try_from(registers.estimate()).ok());
    Cell::Struct(vec![
        Cell::Varchar(join_path(summary.path.iter().map(String::as_str))),
        count.into(),
        registers.map_or(Cell::Null, |registers| Cell::Blob(registers.to_bytes())),
    ])
}
