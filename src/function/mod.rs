//! What SQL users see, a room per family of functions. Glue between the kernels (`colstats_core`), the shapes
//! ([`crate::output`]), the statements ([`crate::sql`]) and DuckDB ([`crate::ffi`]); no loops over rows.

mod file;
mod footer_audit;
mod hive;
mod lake;
mod options;
mod own_session;
mod parquet;
mod source;
mod stats;

use crate::ffi::registry::Registry;
use colstats_core::error::Result;

/// Everything that LOAD registers.
pub fn register(registry: &Registry) -> Result<()> {
    stats::register(registry)?;
    file::register(registry)?;
    source::register(registry)?;
    footer_audit::register(registry)?;
    hive::register(registry)?;
    lake::register(registry)
}
