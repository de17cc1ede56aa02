//! States as bytes that are kept and merged: how they are written, read and checked (docs/state-format.md).

mod check;
pub mod format;
mod reader;
mod type_format;
