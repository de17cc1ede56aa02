//! Parquet footers: what is wrong with their statistics.

pub mod findings;
