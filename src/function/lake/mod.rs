//! DuckLake catalogues: statistics of a whole lake, their audit and repair.

mod audit;
mod catalogue;
mod column_stats;
mod columns;
mod defaults;
mod encrypted;
mod inlined_rows;
mod isolation;
mod located;
mod options;
mod scan;
mod stats_audit;
mod variants;

use crate::ffi::registry::Registry;
use crate::ffi::table;
use colstats_core::error::Result;

pub fn register(registry: &Registry) -> Result<()> {
    table::register::<column_stats::DucklakeColumnStats>(registry)?;
    table::register::<column_stats::DucklakeTableColumnStats>(registry)?;
    table::register::<column_stats::DucklakeFileVariantStats>(registry)?;
    table::register::<stats_audit::DucklakeStatsAudit>(registry)?;
    table::register::<stats_audit::DucklakeStatsRepair>(registry)
}
