//! Statements that hold the footers of Parquet files against their values.

pub mod audit;
pub mod footers;
pub mod offending;
