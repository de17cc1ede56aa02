//! Hive: rows of the metastore's statistics, their merge, and their Thrift and JSON forms.

mod decimal;
pub mod merge;
pub mod rows;
pub mod thrift;
pub mod types;

pub use rows::{top_values, values};
