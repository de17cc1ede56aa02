//! colstats: column statistics for DuckDB that are true, fast, and spelled the way each lakehouse
//! catalogue needs them.
//!
//! `colstats_core` computes, `output` spells, `sql` composes statements, `ffi` speaks with DuckDB, and
//! `function` ties them into what an SQL user calls.

#[cfg(test)]
mod boundary_circles_tests;
#[cfg(test)]
mod boundary_tests;
mod ffi;
mod function;
mod output;
mod sql;

pub use ffi::api::colstats_init_c_api;
