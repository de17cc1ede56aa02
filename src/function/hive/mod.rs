//! What a Hive metastore holds: rows, bit vectors, merges, DESCRIBE, frequent items and quantiles.

mod bit_vector;
mod column_stats;
pub mod files;
mod frequent_items;
mod merge;
pub mod options;
pub mod rows;
mod stats;

use super::source::twins;
use crate::ffi::registry::Registry;
use crate::ffi::{aggregate, scalar, table};
use colstats_core::error::Result;

pub fn register(registry: &Registry) -> Result<()> {
    aggregate::register::<bit_vector::HiveBitVector>(registry)?;
    aggregate::register::<bit_vector::HiveBitVectorMerge>(registry)?;
    aggregate::register::<stats::HiveStats>(registry)?;
    aggregate::register::<merge::HiveColumnStatsMerge>(registry)?;
    aggregate::register::<frequent_items::FrequentItems>(registry)?;
    scalar::register::<bit_vector::HiveBitVectorEstimate>(registry)?;
    scalar::register::<frequent_items::HiveHistogramQuantile>(registry)?;
    scalar::register::<stats::HiveStatsRows>(registry)?;
    scalar::register::<twins::HiveColumnStatsSql>(registry)?;
    scalar::register::<column_stats::HiveTableColumnStatsSql>(registry)?;
    scalar::register::<column_stats::HiveQueryColumnStatsSql>(registry)?;
    table::register::<column_stats::HiveColumnStats>(registry)?;
    table::register::<column_stats::HiveTableColumnStats>(registry)?;
    table::register::<column_stats::HiveQueryColumnStats>(registry)?;
    table::register::<column_stats::DescribeColumnStats>(registry)?;
    table::register::<column_stats::DescribeFileColumnStats>(registry)
}
