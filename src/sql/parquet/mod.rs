//! Statements about the footers of Parquet files, and those that hold them against the values.

pub mod audit;
pub mod footers;
pub mod leaf_values;
pub mod offending;
pub mod row_groups;
pub mod schema;
pub mod shredded_type;
pub mod variant_chunks;
