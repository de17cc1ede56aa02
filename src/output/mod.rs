//! Shapes: how a summary is spelled for one catalogue. A room per shape.
//!
//! A shape is a pure function. How a value is written as text is DuckDB's own business, so a shape asks a
//! [`colstats_core::value::Speller`] for it.

mod blob_text;
pub mod ducklake;
pub mod exact;
pub mod hive;
pub mod parquet;
