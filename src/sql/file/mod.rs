//! Statements over files.

pub mod listing;
pub mod statement;
