//! The boundary to DuckDB: the only unsafe code, and the only user of `libduckdb-sys`.
//!
//! Rules of the boundary:
//! * Only C functions of the stable API v1.2.0 are called ([`api`] guards it, a test holds the list).
//! * A panic never leaves a callback ([`callback`]).
//! * Every handle is owned by a type that frees it ([`handle`]).
//! * No connection and no database is kept ([`session`]), not even by a thread ([`helping_thread`]).
//! * Nothing here knows a statistic: the functions above implement the traits [`aggregate::Aggregate`],
//!   [`scalar::ScalarFunction`] and [`table::TableFunction`] in safe Rust.

pub mod aggregate;
pub mod api;
pub mod callback;
pub mod handle;
pub mod helping_thread;
pub mod host_quirks;
pub mod registry;
pub mod rows;
pub mod scalar;
pub mod session;
pub mod spelling;
pub mod state;
pub mod table;
pub mod types;
pub mod value;
pub mod vector;
pub mod write;
