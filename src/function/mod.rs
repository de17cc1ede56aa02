//! What SQL users see: each file is one function, or one and its twins. Glue between the kernels
//! ([`crate::core`]), the shapes ([`crate::output`]), the statements ([`crate::sql`]) and DuckDB
//! ([`crate::ffi`]); no loops over rows.

mod asked_columns;
pub mod column_stats;
pub mod column_stats_rows;
pub mod column_stats_state;
pub mod ducklake_column_stats;
pub mod ducklake_stats_audit;
pub mod exact_column_stats;
pub mod file_column_stats;
mod file_columns;
mod file_discovery;
mod file_list;
mod file_options;
pub mod frequent_items;
pub mod hive_bit_vector;
pub mod hive_column_stats;
pub mod hive_column_stats_merge;
mod hive_files;
mod hive_options;
mod hive_rows;
pub mod hive_stats;
mod lake_audit;
mod lake_catalogue;
mod lake_columns;
mod lake_encrypted;
mod lake_files;
mod lake_inlined;
mod lake_options;
mod lake_scan;
mod lake_variants;
mod leaf_values;
mod parquet_footers;
mod parquet_row_groups;
mod parquet_schema;
pub mod parquet_stats_audit;
mod shredded_type;
pub mod source_functions;
pub mod statement_text;
pub mod table_column_stats;
mod variant_fields;
mod variant_stats;
