//! The tables of a catalogue, with their columns.

use std::collections::{BTreeMap, HashSet};

use super::reader::Reader;
use super::{LakeTable, Node};
use crate::function::lake::options::LakeOptions;
use crate::sql::lake::catalogue::{
    columns, former_columns, resolved_data_path, stored_data_path, tables as table_rows,
};
use colstats_core::error::{Error, Result};

/// The folder of the lake's files, with a slash at its end.
fn data_path(reader: &Reader<'_>, lake: &str) -> Result<String> {
    let resolved = reader.session.collect(&resolved_data_path(lake));
    let found =
        resolved.or_else(|_| reader.session.collect(&stored_data_path(&reader.metadata)))?;
    let path = found.last().map_or("", String::as_str);
    Ok(format!("{}/", path.trim_end_matches('/')))
}

/// The tables that the options name, without their columns.
pub fn tables(
    reader: &Reader<'_>,
    options: &LakeOptions,
    snapshot: i64,
) -> Result<BTreeMap<i64, LakeTable>> {
    let data_path = data_path(reader, &options.lake)?;
    let is_asked = |name: &str, asked: &Option<String>| {
        asked.as_ref().is_none_or(|asked| asked.eq_ignore_ascii_case(name))
    };
    let mut tables = BTreeMap::new();
    for row in reader.rows(&table_rows(&reader.metadata, snapshot))? {
        if is_asked(&row.table_name, &options.table_name)
            && is_asked(&row.schema_name, &options.schema_name)
        {
            let table = LakeTable {
                path: row.table_path.below(&row.schema_path.below(&data_path)),
                schema_name: row.schema_name,
                table_name: row.table_name,
                nodes: BTreeMap::new(),
                former_columns: Vec::new(),
                has_all_rows: true,
            };
            tables.insert(row.table_id, table);
        }
    }
    if tables.is_empty() {
        check_none_is_asked(options, snapshot)?;
    }
    Ok(tables)
}

/// An error where a table or schema is named that is not there. A lake may have no table at all.
fn check_none_is_asked(options: &LakeOptions, snapshot: i64) -> Result<()> {
    let what = match (&options.schema_name, &options.table_name) {
        (None, None) => return Ok(()),
        (Some(schema), None) => format!("schema '{schema}' with tables"),
        (Some(schema), Some(table)) => format!("table '{table}' in schema '{schema}'"),
        (None, Some(table)) => format!("table '{table}'"),
    };
    Err(Error::new(format!(
        "lake '{}' has no {what} at snapshot {snapshot}; a table is named by \
         schema_name := '...', table_name := '...'",
        options.lake
    )))
}

/// Adds the columns of the snapshot to their tables.
pub fn add_columns(
    reader: &Reader<'_>,
    tables: &mut BTreeMap<i64, LakeTable>,
    snapshot: i64,
) -> Result<()> {
    for row in reader.rows(&columns(&reader.metadata, snapshot))? {
        let Some(table) = tables.get_mut(&row.table_id) else { continue };
        let node = Node {
            name: row.name,
            lake_type: row.lake_type,
            parent: row.parent,
            is_leaf: true,
            initial_default: row.initial_default,
            first_snapshot: row.first_snapshot,
        };
        table.nodes.insert(row.column_id, node);
    }
    for table in tables.values_mut() {
        let parents: HashSet<i64> = table.nodes.values().filter_map(|node| node.parent).collect();
        for (column_id, node) in &mut table.nodes {
            node.is_leaf = !parents.contains(column_id);
        }
    }
    Ok(())
}

/// Adds what the columns of the tables were at any snapshot.
pub fn add_former_columns(
    reader: &Reader<'_>,
    tables: &mut BTreeMap<i64, LakeTable>,
) -> Result<()> {
    for former in reader.rows(&former_columns(&reader.metadata))? {
        if let Some(table) = tables.get_mut(&former.table_id) {
            table.former_columns.push(former);
        }
    }
    Ok(())
}
