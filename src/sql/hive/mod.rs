//! Statements that give rows of the Hive metastore.

pub mod statement;
