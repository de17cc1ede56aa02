//! What the footers of Parquet files say: schemas, sizes, shredded VARIANTs. No function of its own.

pub mod footers;
pub mod schema;
mod variant_fields;
pub mod variant_stats;
