//! States as bytes that are kept and merged: how they are written, read and checked (docs/state-format.md).

mod check;
#[cfg(test)]
mod forgery_tests;
pub mod format;
#[cfg(test)]
mod format_tests;
mod reader;
mod type_format;
