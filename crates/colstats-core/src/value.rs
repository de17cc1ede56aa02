//! Values, and what writes them as text.
//!
//! How a value of some type is written as text is DuckDB's own business (dates before Christ, shortest
//! floats), so whoever needs the text asks a [`Speller`] for it.

use crate::column::column_type::ColumnType;

/// A value as DuckDB stores it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'a> {
    Signed(i128),
    Unsigned(u128),
    Float(f32),
    Double(f64),
    Bytes(&'a [u8]),
}

/// Writes values as DuckDB's own cast to VARCHAR does, times with a zone in UTC.
pub trait Speller {
    /// The text of `value`, which is of type `column_type`; `None` when DuckDB has no text for it.
    fn spell(&self, column_type: &ColumnType, value: Scalar<'_>) -> Option<String>;
}
