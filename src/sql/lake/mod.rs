//! Statements over DuckLake catalogues and the files of their lakes.

pub mod audit;
pub mod order;
pub mod repair;
pub mod statement;
