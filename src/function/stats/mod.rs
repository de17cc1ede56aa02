//! The aggregate `column_stats` and its states, which can be kept and merged.

mod column_stats;
mod exact;
pub mod named_results;
mod rows;
mod state;

use crate::ffi::registry::Registry;
use crate::ffi::{aggregate, scalar};
use colstats_core::error::Result;

pub fn register(registry: &Registry) -> Result<()> {
    aggregate::register::<column_stats::ColumnStats>(registry)?;
    aggregate::register::<state::ColumnStatsState>(registry)?;
    aggregate::register::<state::ColumnStatsMerge>(registry)?;
    aggregate::register::<exact::ExactColumnStats>(registry)?;
    scalar::register::<state::ColumnStatsRead>(registry)?;
    scalar::register::<state::ColumnStatsDistincts>(registry)?;
    scalar::register::<rows::ColumnStatsRows>(registry)
}
