//! SQL as text: quoting and the composition of statements. Knows no DuckDB handles.

pub mod bound_order;
pub mod file;
pub mod hive;
pub mod lake;
pub mod literal;
pub mod own_session;
pub mod parquet;
pub mod partition;
pub mod per_leaf;
pub mod quote;
pub mod rows;
pub mod source_statement;
