//! `parquet_stats_audit`: footers held against their values.

mod stats_audit;

use crate::ffi::registry::Registry;
use crate::ffi::table;
use colstats_core::error::Result;

pub fn register(registry: &Registry) -> Result<()> {
    table::register::<stats_audit::ParquetStatsAudit>(registry)
}
