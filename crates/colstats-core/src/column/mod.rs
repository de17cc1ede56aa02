//! Columns: their types, and borrowed views of their values.

pub mod column_type;
pub mod vectors;
