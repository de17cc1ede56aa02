//! Sketches: bounded-size summaries of many values.

pub mod distinct;
pub mod hive_hll;
