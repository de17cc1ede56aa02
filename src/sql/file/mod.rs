//! Statements over files.

pub mod statement;
