//! DuckLake: rows of `ducklake_file_column_stats`, and what is wrong with those of a catalogue.

pub mod findings;
pub mod geometry;
pub mod lake_type;
pub mod rows;
pub mod statistics;

pub use rows::{bounds, contains_nan, empty_geometry_stats, extra_stats, text_bounds};

#[cfg(test)]
mod findings_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod rows_tests;
