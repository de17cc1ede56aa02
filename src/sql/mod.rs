//! SQL as text: quoting and the composition of statements. Knows no DuckDB handles.

pub mod audit_statement;
pub mod file_statement;
pub mod footer_order;
pub mod hive_statement;
pub mod lake_audit_statement;
pub mod lake_order;
pub mod lake_repair;
pub mod lake_statement;
pub mod literal;
pub mod offending_statement;
pub mod quote;
pub mod rows;
pub mod source_statement;
