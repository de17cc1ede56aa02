//! colstats: column statistics for DuckDB that are true, fast, and spelled the way each lakehouse
//! catalogue needs them.
//!
//! `core` computes, `output` spells, `sql` composes statements, `ffi` speaks with DuckDB, and
//! `function` ties them into what an SQL user calls.

mod core;
mod error;
mod ffi;
mod function;
mod output;
mod sql;

pub use ffi::api::colstats_init_c_api;

use error::Result;
use ffi::registry::Registry;
use ffi::{aggregate, table};

/// Everything that LOAD registers.
fn register(registry: &Registry) -> Result<()> {
    aggregate::register::<function::column_stats::ColumnStats>(registry)?;
    table::register::<function::file_column_stats::FileColumnStats>(registry)
}
