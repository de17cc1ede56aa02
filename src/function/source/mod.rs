//! Statistics of tables and queries, and the twins that return a statement as text.

pub mod column_stats;
pub mod functions;
pub mod twins;

use crate::ffi::registry::Registry;
use crate::ffi::{scalar, table};
use colstats_core::error::Result;

pub fn register(registry: &Registry) -> Result<()> {
    scalar::register::<twins::FileColumnStatsSql>(registry)?;
    scalar::register::<column_stats::TableColumnStatsSql>(registry)?;
    scalar::register::<column_stats::QueryColumnStatsSql>(registry)?;
    table::register::<column_stats::TableColumnStats>(registry)?;
    table::register::<column_stats::QueryColumnStats>(registry)
}
