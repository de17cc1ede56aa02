//! What the footers of Parquet files say: schemas, sizes, row groups, shredded VARIANTs. No function of its own.

pub mod footers;
pub mod row_groups;
pub mod schema;
mod shredded_type;
mod variant_fields;
pub mod variant_stats;
