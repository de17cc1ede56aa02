//! What is known about one leaf column: the result of an accumulator and the input of every shape.
//!
//! Absent is not zero and cut is not exact: what may be unknown is an `Option`, and a text end says
//! itself whether it was cut.

use crate::column::column_type::ColumnType;
use crate::details::DetailSummary;
use crate::kernels::bytes::Prefix;
use crate::kernels::geometry::GeometryExtremes;
use crate::sketch::distinct::DistinctSketch;

/// One leaf column.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The parts below the column itself.
    pub path: Vec<String>,
    pub column_type: ColumnType,
    /// Leaf entries that hold a value.
    pub value_count: u64,
    /// The other leaf entries; an empty or NULL list, map or struct above the leaf counts one.
    pub null_count: u64,
    /// How many values are NaN; `None` for types that have no NaN.
    pub nan_count: Option<u64>,
    pub ends: Option<Ends>,
    pub geometry: Option<GeometryExtremes>,
    /// How many values are true and how many false; `None` for all types but BOOLEAN.
    pub truths: Option<(u64, u64)>,
    /// The sketch of distinct values, where one was asked for and the type has one.
    pub distinct: Option<Box<DistinctSketch>>,
    /// What was asked for by the settings' details; `None` when nothing was.
    pub details: Option<Box<DetailSummary>>,
}

/// Smallest and largest value (NaN left out).
#[derive(Debug, Clone, PartialEq)]
pub enum Ends {
    Boolean(bool, bool),
    /// Whatever DuckDB stores as a signed integer: numbers, decimals, dates, times, UUIDs.
    Signed(i128, i128),
    Unsigned(u128, u128),
    Float(f32, f32),
    Double(f64, f64),
    /// Text and bytes, cut to the bound length asked for.
    Bytes {
        min: Prefix,
        max: Prefix,
        limit_bytes: u32,
    },
}
