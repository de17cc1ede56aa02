//! Columns and samples for tests, those of the extension too. Not part of the library.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod columns;
pub mod samples;
