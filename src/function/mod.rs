//! What SQL users see: each file is one function, or one and its twins. Glue between the kernels
//! ([`crate::core`]), the shapes ([`crate::output`]), the statements ([`crate::sql`]) and DuckDB
//! ([`crate::ffi`]); no loops over rows.

pub mod column_stats;
pub mod column_stats_rows;
pub mod column_stats_state;
pub mod file_column_stats;
mod file_discovery;
mod file_options;
pub mod hive_bit_vector;
mod parquet_schema;
pub mod statement_text;
pub mod table_column_stats;
