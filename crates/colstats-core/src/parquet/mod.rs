//! The footers of Parquet files.

pub mod footer;
pub mod listing;
mod thrift_compact;
