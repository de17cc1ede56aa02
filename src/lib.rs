//! colstats: column statistics for DuckDB that are true, fast, and spelled the way each lakehouse
//! catalogue needs them.
//!
//! `core` computes, `output` spells, `sql` composes statements, `ffi` speaks with DuckDB, and
//! `function` ties them into what an SQL user calls.

#[cfg(test)]
mod boundary_tests;
mod core;
mod error;
mod ffi;
mod function;
#[doc(hidden)]
pub mod fuzzing;
mod output;
mod sql;

pub use ffi::api::colstats_init_c_api;

use error::Result;
use ffi::registry::Registry;
use ffi::{aggregate, scalar, table};
use function::column_stats::ColumnStats;
use function::column_stats_rows::ColumnStatsRows;
use function::column_stats_state::{
    ColumnStatsDistincts, ColumnStatsMerge, ColumnStatsRead, ColumnStatsState,
};
use function::ducklake_column_stats::{
    DucklakeColumnStats, DucklakeFileVariantStats, DucklakeTableColumnStats,
};
use function::ducklake_stats_audit::{DucklakeStatsAudit, DucklakeStatsRepair};
use function::exact_column_stats::ExactColumnStats;
use function::file_column_stats::FileColumnStats;
use function::frequent_items::{FrequentItems, HiveHistogramQuantile};
use function::hive_bit_vector::{HiveBitVector, HiveBitVectorEstimate, HiveBitVectorMerge};
use function::hive_column_stats::{
    DescribeColumnStats, DescribeFileColumnStats, HiveColumnStats, HiveQueryColumnStats,
    HiveQueryColumnStatsSql, HiveTableColumnStats, HiveTableColumnStatsSql,
};
use function::hive_column_stats_merge::HiveColumnStatsMerge;
use function::hive_stats::{HiveStats, HiveStatsRows};
use function::parquet_stats_audit::ParquetStatsAudit;
use function::statement_text::{FileColumnStatsSql, HiveColumnStatsSql};
use function::table_column_stats::{
    QueryColumnStats, QueryColumnStatsSql, TableColumnStats, TableColumnStatsSql,
};

/// Everything that LOAD registers.
fn register(registry: &Registry) -> Result<()> {
    aggregate::register::<ColumnStats>(registry)?;
    aggregate::register::<ColumnStatsState>(registry)?;
    aggregate::register::<ColumnStatsMerge>(registry)?;
    aggregate::register::<HiveBitVector>(registry)?;
    aggregate::register::<HiveBitVectorMerge>(registry)?;
    aggregate::register::<HiveStats>(registry)?;
    aggregate::register::<HiveColumnStatsMerge>(registry)?;
    aggregate::register::<FrequentItems>(registry)?;
    scalar::register::<HiveBitVectorEstimate>(registry)?;
    scalar::register::<HiveHistogramQuantile>(registry)?;
    scalar::register::<HiveStatsRows>(registry)?;
    scalar::register::<HiveColumnStatsSql>(registry)?;
    scalar::register::<HiveTableColumnStatsSql>(registry)?;
    scalar::register::<HiveQueryColumnStatsSql>(registry)?;
    table::register::<HiveColumnStats>(registry)?;
    table::register::<HiveTableColumnStats>(registry)?;
    table::register::<HiveQueryColumnStats>(registry)?;
    table::register::<DescribeColumnStats>(registry)?;
    table::register::<DescribeFileColumnStats>(registry)?;
    scalar::register::<ColumnStatsRead>(registry)?;
    scalar::register::<ColumnStatsDistincts>(registry)?;
    scalar::register::<ColumnStatsRows>(registry)?;
    scalar::register::<FileColumnStatsSql>(registry)?;
    scalar::register::<TableColumnStatsSql>(registry)?;
    scalar::register::<QueryColumnStatsSql>(registry)?;
    aggregate::register::<ExactColumnStats>(registry)?;
    table::register::<ParquetStatsAudit>(registry)?;
    table::register::<FileColumnStats>(registry)?;
    table::register::<TableColumnStats>(registry)?;
    table::register::<QueryColumnStats>(registry)?;
    table::register::<DucklakeColumnStats>(registry)?;
    table::register::<DucklakeTableColumnStats>(registry)?;
    table::register::<DucklakeFileVariantStats>(registry)?;
    table::register::<DucklakeStatsAudit>(registry)?;
    table::register::<DucklakeStatsRepair>(registry)
}
