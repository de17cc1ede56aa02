//! The data files of a lake, and the name mappings by which added ones are read.

use std::collections::{BTreeMap, HashMap};

use super::reader::Reader;
use super::{DataFile, LakeTable};
use crate::sql::lake::files::{DataFileRow, MappedName, data_files as file_rows, name_mappings};
use colstats_core::error::Result;

/// The files of these tables.
pub fn data_files(
    reader: &Reader<'_>,
    tables: &BTreeMap<i64, LakeTable>,
    snapshot: i64,
) -> Result<Vec<DataFile>> {
    let columns = reader.required_columns("ducklake_data_file")?;
    let rows = reader.rows(&file_rows(&reader.metadata, snapshot, &columns))?;
    let file = |row: DataFileRow| {
        let table = tables.get(&row.table_id)?;
        Some(DataFile {
            data_file_id: row.data_file_id,
            table_id: row.table_id,
            path: row.path.below(&table.path),
            record_count: row.record_count,
            mapping_id: row.mapping_id,
            encryption_key: row.encryption_key,
            begin_snapshot: row.begin_snapshot,
            is_parquet: row.is_parquet,
            is_current: row.is_current,
        })
    };
    Ok(rows.into_iter().filter_map(file).collect())
}

/// All name mappings, by id.
pub fn mappings(reader: &Reader<'_>) -> Result<HashMap<i64, Vec<MappedName>>> {
    let mut mappings: HashMap<i64, Vec<MappedName>> = HashMap::new();
    let Some(columns) = reader.columns("ducklake_name_mapping")? else { return Ok(mappings) };
    for (mapping_id, name) in reader.rows(&name_mappings(&reader.metadata, &columns))? {
        mappings.entry(mapping_id).or_default().push(name);
    }
    Ok(mappings)
}
