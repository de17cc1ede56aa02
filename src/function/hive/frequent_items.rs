//! The aggregate `frequent_items(x, k)`: the most frequent values with bounds on their counts; and the
//! scalar `hive_histogram_quantile(histogram, rank)`, which reads the other sketch.

use std::ops::Range;

use super::bit_vector::integer_argument;
use super::rows::{top_values_cell, top_values_type};
use super::stats::top_k;
use crate::ffi::aggregate::{Aggregate, Arguments};
use crate::ffi::registry::Parameter;
use crate::ffi::scalar::ScalarFunction;
use crate::ffi::session::Host;
use crate::ffi::spelling::DuckdbSpeller;
use crate::output::hive;
use colstats_core::column::column_type::ColumnType;
use colstats_core::column::vectors::{ByteString, Values};
use colstats_core::error::{Error, Result};
use colstats_core::sketch::frequent::FrequentValues;
use colstats_core::sketch::quantiles::quantiles_of;
use colstats_core::value::Cell;

/// `frequent_items(x ANY, k BIGINT)` returns LIST(STRUCT(value VARCHAR, count BIGINT, error BIGINT)): the
/// `k` (1 to 1000) most frequent values, the most frequent first.
///
/// The true number of a value lies between `count - error` and `count`. NULL does not count; NaN is one
/// value, and so is zero. A group without rows has NULL; nested types are an error.
pub struct FrequentItems;

impl Aggregate for FrequentItems {
    type State = FrequentValues;

    const NAME: &'static str = "frequent_items";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Any, Parameter::Of(ColumnType::BigInt)]]
    }

    fn result_type() -> ColumnType {
        top_values_type()
    }

    fn start(arguments: &Arguments<'_>, first: usize) -> Result<FrequentValues> {
        let column_type = arguments.first_type()?;
        let top_k = top_k(integer_argument(arguments, 1, first), 1)?;
        FrequentValues::new(column_type, top_k)?.ok_or_else(|| {
            Error::new(format!("values of type {} are not counted", column_type.name()))
        })
    }

    fn update(
        state: &mut FrequentValues,
        arguments: &Arguments<'_>,
        rows: Range<usize>,
    ) -> Result<()> {
        let column = arguments.first_column()?;
        state.update(&column.values, column.validity.within(&rows), rows);
        Ok(())
    }

    fn merge(state: &mut FrequentValues, other: &FrequentValues) -> Result<()> {
        state.merge(other)
    }

    fn finish(state: Option<(&FrequentValues, &[ColumnType])>) -> Result<Cell> {
        let Some((frequent, [column_type, ..])) = state else { return Ok(Cell::Null) };
        Ok(top_values_cell(&hive::top_values(&frequent.finish(), column_type, &DuckdbSpeller)))
    }
}

/// `hive_histogram_quantile(histogram BLOB, rank DOUBLE)` returns DOUBLE: the value at `rank` (0 to 1) of a
/// KLL sketch of floats as a metastore keeps it. NULL gives NULL; a blob that is not such a sketch, and a
/// rank outside of 0 to 1, are errors.
pub struct HiveHistogramQuantile;

impl ScalarFunction for HiveHistogramQuantile {
    const NAME: &'static str = "hive_histogram_quantile";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Of(ColumnType::Blob), Parameter::Of(ColumnType::Double)]]
    }

    fn result_type() -> ColumnType {
        ColumnType::Double
    }

    fn call(_host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let Values::Bytes(strings) = &arguments.first_column()?.values else {
            return Ok(Cell::Null);
        };
        let rank = arguments.columns.get(1).filter(|column| column.validity.is_valid(row));
        let rank = match rank.map(|column| &column.values) {
            Some(Values::Double(values)) => values.get(row).copied(),
            _ => None,
        };
        let (Some(item), Some(rank)) = (strings.get(row), rank) else { return Ok(Cell::Null) };
        let found = quantiles_of(item.bytes(), &[rank])?;
        Ok(found.and_then(|values| values.first().copied()).map(f64::from).into())
    }
}
