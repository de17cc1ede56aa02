//! The statistics themselves: columns, kernels, states, sketches and Parquet footers.
//!
//! Pure Rust. Nothing here knows DuckDB, SQL or an output shape, so everything here is tested
//! without a host. The way in is [`column::vectors::Column`], a borrowed view of some rows; the way out is
//! [`summary::Summary`], one per leaf column.

pub mod accumulator;
#[cfg(test)]
mod accumulator_tests;
#[cfg(test)]
mod arrow_witness_tests;
pub mod bytes_reader;
pub mod column;
pub mod details;
pub mod error;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
pub mod kernels;
pub mod leaf;
pub mod leb128;
pub mod parquet;
pub mod query;
pub mod settings;
pub mod sketch;
pub mod state;
pub mod summary;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod value;
