//! The footers of Parquet files.

pub mod footer;
mod thrift_compact;
