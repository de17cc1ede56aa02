//! Statements over DuckLake catalogues and the data that they describe.

pub mod catalogue;
pub mod comparison;
pub mod encrypted;
pub mod expressions;
pub mod files;
pub mod inlined;
pub mod repair;
pub mod rows;
pub mod statement;
pub mod stored;

#[cfg(test)]
mod repair_tests;
