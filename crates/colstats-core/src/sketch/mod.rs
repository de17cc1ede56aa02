//! Sketches: bounded-size summaries of many values.

pub mod distinct;
pub mod frequent;
pub mod hive_hll;
pub mod quantiles;
