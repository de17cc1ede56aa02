//! The catalogue's tables of inlined rows, and the traces of deleted rows.

use std::collections::{BTreeMap, HashSet};

use super::reader::Reader;
use super::{InlinedTable, LakeTable};
use crate::sql::lake::catalogue::table;
use crate::sql::lake::files::MappedName;
use crate::sql::lake::inlined::{
    copy, deleted_inlined_row, inlined_columns, inlined_delete, inlined_deletes,
    tables_with_delete_files, tables_with_dropped_files,
};
use colstats_core::error::{Error, Result};

type Inlined = (Vec<InlinedTable>, BTreeMap<i64, Error>);

/// The tables of inlined rows. There is one per version of a table's columns, and its columns are called
/// as they were then. Beside them, by id, the tables whose inlined rows cannot be read: bounds without these rows would
/// be wrong.
pub fn inlined_tables(reader: &Reader<'_>, tables: &BTreeMap<i64, LakeTable>) -> Result<Inlined> {
    let mut inlined: BTreeMap<(i64, String), Vec<MappedName>> = BTreeMap::new();
    let mut without = BTreeMap::new();
    if reader.columns("ducklake_inlined_data_tables")?.is_none() {
        return Ok(Inlined::default());
    }
    let has_versions = reader.columns("ducklake_schema_versions")?.is_some();
    for column in reader.rows(&inlined_columns(&reader.metadata, has_versions))? {
        if !tables.contains_key(&column.table_id) {
            continue;
        }
        match column.name {
            Some(name) => {
                let key = (column.table_id, column.inlined_table);
                inlined.entry(key).or_default().push(name);
            }
            None => {
                without.insert(column.table_id, unknown_version(&column.inlined_table));
            }
        }
    }
    let mut found = Vec::new();
    for ((table_id, name), names) in inlined {
        match inlined_table(reader, table_id, &name, names) {
            Ok(table) => found.push(table),
            Err(error) => {
                without.insert(table_id, error);
            }
        }
    }
    found.retain(|inlined| !without.contains_key(&inlined.table_id));
    Ok((found, without))
}

fn unknown_version(inlined_table: &str) -> Error {
    Error::new(format!(
        "the catalogue does not say which columns its table {inlined_table} of inlined rows has (its \
         schema version is unknown); CALL ducklake_flush_inlined_data first"
    ))
}

fn inlined_table(
    reader: &Reader<'_>,
    table_id: i64,
    name: &str,
    names: Vec<MappedName>,
) -> Result<InlinedTable> {
    let columns = reader.columns(name)?.ok_or_else(|| {
        Error::new(format!("the catalogue's table {name} of inlined rows is missing"))
    })?;
    let is_end =
        |column: &String| ["end_snapshot", "_ducklake_end_snapshot"].contains(&column.as_str());
    let end_snapshot = columns.into_iter().find(is_end).ok_or_else(|| {
        Error::new(format!("the catalogue's table {name} has no column end_snapshot"))
    })?;
    Ok(InlinedTable { table_id, reference: table(&reader.metadata, name), end_snapshot, names })
}

/// Puts a temporary table in place of each table of inlined rows.
pub fn copy_inlined_rows(reader: &Reader<'_>, inlined: &mut [InlinedTable]) -> Result<()> {
    for (number, inlined) in inlined.iter_mut().enumerate() {
        let (copy, statement) = copy(number, &inlined.reference);
        reader.session.change(&statement)?;
        inlined.reference = copy;
    }
    Ok(())
}

/// The tables that lost rows at some time: DuckDB then no longer answers MIN and MAX from the table's row.
pub fn tables_with_deletes(
    reader: &Reader<'_>,
    tables: &BTreeMap<i64, LakeTable>,
    inlined: &[InlinedTable],
) -> Result<HashSet<i64>> {
    let mut deleted: HashSet<i64> =
        reader.all(&tables_with_dropped_files(&reader.metadata))?.into_iter().flatten().collect();
    if reader.columns("ducklake_delete_file")?.is_some() {
        deleted.extend(reader.all(&tables_with_delete_files(&reader.metadata))?.iter().flatten());
    }
    for inlined in inlined {
        let deleted_row = deleted_inlined_row(&inlined.reference, &inlined.end_snapshot);
        if !reader.all(&deleted_row)?.is_empty() {
            deleted.insert(inlined.table_id);
        }
    }
    for table_id in tables.keys() {
        if reader.columns(&inlined_deletes(*table_id))?.is_some()
            && !reader.all(&inlined_delete(&reader.metadata, *table_id))?.is_empty()
        {
            deleted.insert(*table_id);
        }
    }
    Ok(deleted)
}
