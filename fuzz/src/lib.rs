//! The parts of colstats that are fuzzed, built from its own sources but without DuckDB and all that comes with
//! it: a build with sanitizers then takes a minute.
#![allow(dead_code)]

#[path = "../../src/core/mod.rs"]
mod core;
#[path = "../../src/error.rs"]
mod error;
#[path = "../../src/fuzzing.rs"]
pub mod fuzzing;
