//! The rows of `ducklake_file_variant_stats`: what the footers of a lake's files say of shredded VARIANTs.

use serde_json::Value;

use super::catalogue::read_lake;
use super::options::LakeOptions;
use super::scan::{Extent, lake_statement};
use crate::ffi::session::Session;
use colstats_core::error::Result;
use colstats_core::value::Cell;

/// A row per data file of the snapshot and fully shredded field. No data is read.
pub fn variant_rows(options: &LakeOptions, session: &Session) -> Result<Vec<Vec<Cell>>> {
    let lake = read_lake(options, false, session)?;
    let extent = Extent { table: None, is_table_wide: false, has_sizes: false };
    let statement = lake_statement(&lake, options, extent, &|_| true, session)?;
    let mut rows = Vec::new();
    for file in &statement.files {
        for stats in statement.footer_stats.iter().filter(|stats| stats.file_name == file.name) {
            let Some(leaf) = statement.leaves.get(stats.leaf_number) else { continue };
            if leaf.schema != file.group {
                continue;
            }
            let fields = serde_json::from_str::<Vec<Value>>(&stats.extra_stats).unwrap_or_default();
            for field in &fields {
                let mut row = vec![
                    file.data_file_id.into(),
                    Some(file.table_id).into(),
                    leaf.column_id.into(),
                ];
                row.extend(field_cells(field));
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// The statistics of one field, in the order of the catalogue's columns.
fn field_cells(field: &Value) -> Vec<Cell> {
    let text = |name: &str| Cell::from(field.get(name).and_then(Value::as_str).map(str::to_owned));
    let number = |name: &str| field.get(name).and_then(Value::as_i64);
    let values = number("num_values").zip(number("null_count")).map(|(all, nulls)| all - nulls);
    vec![
        text("field_name"),
        text("shredded_type"),
        number("column_size_bytes").into(),
        values.into(),
        number("null_count").into(),
        text("min"),
        text("max"),
        field.get("contains_nan").and_then(Value::as_bool).into(),
        text("extra_stats"),
    ]
}
