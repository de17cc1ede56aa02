//! Statistics of files: `file_column_stats`, and what it takes to find out what has to be scanned.

pub mod asked_columns;
pub mod column_stats;
pub mod columns;
pub mod discovery;
pub mod list;
pub mod options;

use crate::ffi::registry::Registry;
use crate::ffi::table;
use colstats_core::error::Result;

pub fn register(registry: &Registry) -> Result<()> {
    table::register::<column_stats::FileColumnStats>(registry)
}
