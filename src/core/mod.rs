//! The statistics themselves: types, accumulators (update, merge, finish) and sketches.
//!
//! Pure Rust. Nothing here knows DuckDB, SQL or an output shape, so everything here is tested
//! without a host. The way in is [`column::Column`], a borrowed view of some rows; the way out is
//! [`summary::Summary`], one per leaf column.

pub mod accumulator;
pub mod bytes;
pub mod column;
pub mod column_type;
pub mod details;
pub mod float;
pub mod geometry;
pub mod integer;
pub mod leaf;
mod leb128;
pub mod lengths;
pub mod members;
pub mod parquet_footer;
pub mod repetition;
pub mod sketch;
mod state_check;
pub mod state_format;
pub mod summary;
mod thrift_compact;
pub mod type_format;
mod wkb_check;

#[cfg(test)]
mod properties;
#[cfg(test)]
pub mod test_columns;
