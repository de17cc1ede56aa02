//! Hive's bit vectors: the aggregates `hive_bit_vector(x [, precision])` and
//! `hive_bit_vector_merge(bit_vector)`, and the scalar `hive_bit_vector_estimate(bit_vector)`.
//!
//! A bit vector is the HyperLogLog blob of a metastore's `BIT_VECTOR` column, byte for byte as Hive 3
//! writes it (sparse entries ascending; Hive 4 writes them in hash-map order and reads any).

use std::ops::Range;

use crate::ffi::aggregate::{Aggregate, Arguments};
use crate::ffi::registry::Parameter;
use crate::ffi::scalar::ScalarFunction;
use crate::ffi::session::Host;
use colstats_core::column::column_type::ColumnType;
use colstats_core::column::vectors::{ByteString, Values};
use colstats_core::error::{Error, Result};
use colstats_core::kernels::repetition::StringBatch;
use colstats_core::sketch::distinct::DistinctSketch;
use colstats_core::sketch::hive_hll::{HiveHll, MAX_BLOB_PRECISION, MAX_PRECISION, MIN_PRECISION};
use colstats_core::value::Cell;

/// What every factory in Hive 3 and 4 builds; a larger one does not merge into a stored one.
pub const HIVE_PRECISION: u8 = 10;

/// The precision (4 to 16) from an argument.
pub fn precision(value: Option<i64>) -> Result<u8> {
    precision_up_to(MAX_PRECISION, value)
}

/// The precision of a bit vector: the header of a blob cannot name 16.
fn blob_precision(value: Option<i64>) -> Result<u8> {
    precision_up_to(MAX_BLOB_PRECISION, value)
}

fn precision_up_to(largest: u8, value: Option<i64>) -> Result<u8> {
    match value.map(u8::try_from) {
        Some(Ok(precision)) if (MIN_PRECISION..=largest).contains(&precision) => Ok(precision),
        _ => Err(Error::new(format!(
            "the precision must lie between {MIN_PRECISION} and {largest} (Hive uses 10)"
        ))),
    }
}

/// A `bigint` argument of a row; `None` where it is NULL.
pub(super) fn integer_argument(arguments: &Arguments<'_>, index: usize, row: usize) -> Option<i64> {
    let column = arguments.columns.get(index)?;
    match &column.values {
        Values::Int64(values) if column.validity.is_valid(row) => values.get(row).copied(),
        _ => None,
    }
}

/// `hive_bit_vector(x ANY [, precision BIGINT])` returns BLOB. NULL values do not count; a group without
/// rows has NULL, one of NULLs only an empty sketch, as in Hive. Nested types are an error; for types
/// without a bit vector in Hive (BOOLEAN, BLOB) it is made all the same.
pub struct HiveBitVector;

impl Aggregate for HiveBitVector {
    type State = DistinctSketch;

    const NAME: &'static str = "hive_bit_vector";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Any], vec![Parameter::Any, Parameter::Of(ColumnType::BigInt)]]
    }

    fn result_type() -> ColumnType {
        ColumnType::Blob
    }

    fn start(arguments: &Arguments<'_>, first: usize) -> Result<DistinctSketch> {
        let precision = match arguments.columns.len() {
            1 => HIVE_PRECISION,
            _ => blob_precision(integer_argument(arguments, 1, first))?,
        };
        let column_type = arguments.first_type()?;
        DistinctSketch::new(column_type, precision)?.ok_or_else(|| {
            Error::new(format!("a value of type {} has no bit vector", column_type.name()))
        })
    }

    fn update(
        state: &mut DistinctSketch,
        arguments: &Arguments<'_>,
        rows: Range<usize>,
    ) -> Result<()> {
        let column = arguments.first_column()?;
        state.update(&column.values, column.validity.within(&rows), rows.clone());
        if let Values::Bytes(strings) = &column.values {
            state.update_strings(StringBatch::new(strings, rows).items());
        }
        Ok(())
    }

    fn merge(state: &mut DistinctSketch, other: &DistinctSketch) -> Result<()> {
        state.merge(other)
    }

    fn finish(state: Option<(&DistinctSketch, &[ColumnType])>) -> Result<Cell> {
        Ok(state.map_or(Cell::Null, |(sketch, _)| Cell::Blob(sketch.registers().to_bytes())))
    }
}

/// `hive_bit_vector_merge(bit_vector BLOB [, precision BIGINT])` returns BLOB: one bit vector for all, at
/// the smallest precision among them; a `precision` below that squashes the result to it. NULL and empty
/// blobs are skipped; one blob alone comes back with its entries ascending. FM sketches, garbage and
/// truncated blobs are errors.
pub struct HiveBitVectorMerge;

/// What has been merged, and the precision asked for.
#[derive(Debug, Clone)]
pub struct MergedBitVector {
    sketch: Option<HiveHll>,
    precision: Option<u8>,
}

impl Aggregate for HiveBitVectorMerge {
    type State = MergedBitVector;

    const NAME: &'static str = "hive_bit_vector_merge";

    fn overloads() -> Vec<Vec<Parameter>> {
        let blob = Parameter::Of(ColumnType::Blob);
        vec![vec![blob.clone()], vec![blob, Parameter::Of(ColumnType::BigInt)]]
    }

    fn result_type() -> ColumnType {
        ColumnType::Blob
    }

    fn start(arguments: &Arguments<'_>, first: usize) -> Result<MergedBitVector> {
        let precision = match arguments.columns.len() {
            1 => None,
            _ => Some(blob_precision(integer_argument(arguments, 1, first))?),
        };
        Ok(MergedBitVector { sketch: None, precision })
    }

    fn update(
        state: &mut MergedBitVector,
        arguments: &Arguments<'_>,
        rows: Range<usize>,
    ) -> Result<()> {
        let Values::Bytes(strings) = &arguments.first_column()?.values else { return Ok(()) };
        for item in rows.filter_map(|row| strings.get(row)) {
            if !item.bytes().is_empty() {
                unite(&mut state.sketch, HiveHll::from_bytes(item.bytes())?)?;
            }
        }
        Ok(())
    }

    fn merge(state: &mut MergedBitVector, other: &MergedBitVector) -> Result<()> {
        other.sketch.as_ref().map_or(Ok(()), |other| unite(&mut state.sketch, other.clone()))
    }

    fn finish(state: Option<(&MergedBitVector, &[ColumnType])>) -> Result<Cell> {
        let Some((MergedBitVector { sketch: Some(sketch), precision }, _)) = state else {
            return Ok(Cell::Null);
        };
        let blob = match precision {
            Some(precision) if *precision < sketch.precision() => {
                sketch.squash(*precision)?.to_bytes()
            }
            _ => sketch.to_bytes(),
        };
        Ok(Cell::Blob(blob))
    }
}

fn unite(state: &mut Option<HiveHll>, other: HiveHll) -> Result<()> {
    match state {
        None => {
            *state = Some(other);
            Ok(())
        }
        Some(known) => known.unite(&other),
    }
}

/// `hive_bit_vector_estimate(bit_vector BLOB)` returns BIGINT: the number of distinct values as Hive
/// computes it from the registers. NULL and an empty blob give NULL, an empty sketch gives 1, as in Hive;
/// what is not a bit vector is an error.
pub struct HiveBitVectorEstimate;

impl ScalarFunction for HiveBitVectorEstimate {
    const NAME: &'static str = "hive_bit_vector_estimate";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Of(ColumnType::Blob)]]
    }

    fn result_type() -> ColumnType {
        ColumnType::BigInt
    }

    fn call(_host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let Values::Bytes(strings) = &arguments.first_column()?.values else {
            return Ok(Cell::Null);
        };
        match strings.get(row).map(ByteString::bytes) {
            None | Some([]) => Ok(Cell::Null),
            Some(bytes) => Ok(HiveHll::from_bytes(bytes)?.header_estimate().into()),
        }
    }
}
