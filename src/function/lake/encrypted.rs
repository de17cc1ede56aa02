//! How the files of an encrypted lake are read. Their footers cannot be listed, so only the reader itself can match
//! their columns, by field id; it does so for whole columns. The parts of a nested one go by their names: it is judged
//! only while no part of it ever changed and the ids of the table are complete; otherwise nothing is said.

use std::collections::{BTreeSet, HashSet};

use super::catalogue::LakeTable;
use super::columns::mapped_column;
use crate::ffi::session::Session;
use crate::function::file::columns::{SourceColumn, source_columns};
use crate::sql::file::statement::Scan;
use crate::sql::lake::encrypted::{AskedColumn, lacking_columns};
use crate::sql::lake::expressions::type_of;
use crate::sql::lake::files::MappedName;
use colstats_core::error::Result;

/// What is asked of the reader for an encrypted file that DuckLake wrote.
#[derive(Default)]
pub struct EncryptedColumns {
    /// Those that the reader is asked for, by field id. Each has a name in the scan that is made of its id.
    pub asked: Vec<AskedColumn>,
    /// What the columns are called in the scan.
    pub names: Vec<MappedName>,
    /// Columns whose parts cannot be told by name.
    pub unknown: Vec<i64>,
    /// Columns that the file does not hold: the reader fills them in.
    pub filled_in: Vec<i64>,
}

/// The columns of a table in the file of a scan.
pub fn encrypted_columns(
    table: &LakeTable,
    scan: &Scan,
    session: &Session,
) -> Result<EncryptedColumns> {
    let columns = source_columns(scan, usize::MAX, session)?;
    let roots = table.nodes.iter().filter(|(_, node)| node.parent.is_none());
    let ids: Vec<i64> = roots.clone().map(|(root, _)| *root).collect();
    let lacking: HashSet<i64> =
        session.collect(&lacking_columns(scan, &ids))?.into_iter().flatten().collect();
    let has_all_ids = has_all_ids(table);
    let mut found = EncryptedColumns::default();
    for (root, node) in roots {
        let mut names = names_of(table, *root);
        let is_lacking = lacking.contains(root);
        let type_text = if node.is_leaf || is_lacking {
            names.first().and_then(|name| type_of(&names, name))
        } else {
            let written = columns.iter().find(|column| has_these_names(column, &names));
            written.map(|column| column.column_type.name())
        };
        let is_told = node.is_leaf || has_all_ids && is_unchanged(table, &names);
        let Some(type_text) = type_text.filter(|_| is_told) else {
            found.unknown.push(*root);
            continue;
        };
        if is_lacking {
            found.filled_in.extend(names.iter().map(|name| name.column_id));
        }
        if let Some(name) = names.first_mut() {
            name.source_name = AskedColumn::name(*root);
        }
        found.asked.push(AskedColumn {
            field_id: *root,
            type_text,
            default: node.initial_default.clone(),
        });
        found.names.append(&mut names);
    }
    Ok(found)
}

/// Whether the catalogue knows the id of every column that the table ever had: they are numbered from 1 on. A
/// transaction that replaces a part before its end may leave a file with parts that no snapshot has; their ids are
/// missing then.
fn has_all_ids(table: &LakeTable) -> bool {
    let known: BTreeSet<i64> = table.former_columns.iter().map(|former| former.column_id).collect();
    known.into_iter().zip(1..).all(|(id, number)| id == number)
}

/// Whether a column and its parts are what they were when the column was added.
fn is_unchanged(table: &LakeTable, names: &[MappedName]) -> bool {
    let ids: HashSet<i64> = names.iter().map(|name| name.column_id).collect();
    let is_of_it = |id: i64| ids.contains(&id);
    let mut former = table
        .former_columns
        .iter()
        .filter(|former| is_of_it(former.column_id) || former.parent.is_some_and(is_of_it));
    let added: HashSet<i64> =
        ids.iter().filter_map(|id| Some(table.nodes.get(id)?.first_snapshot)).collect();
    added.len() == 1 && !former.any(|former| former.has_ended)
}

/// A column and its parts, each after what it is a part of.
fn names_of(table: &LakeTable, root: i64) -> Vec<MappedName> {
    let name = |id: i64| {
        let node = table.nodes.get(&id)?;
        Some(MappedName {
            number: id,
            parent: node.parent,
            source_name: node.name.clone(),
            column_id: id,
            is_partition: false,
            lake_type: Some(node.lake_type.clone()),
        })
    };
    let mut names: Vec<MappedName> = name(root).into_iter().collect();
    let mut position = 0;
    while let Some(parent) = names.get(position).map(|name| name.number) {
        let parts = table.nodes.iter().filter(|(_, node)| node.parent == Some(parent));
        let is_new = |id: &i64| !names.iter().any(|name| name.number == *id);
        let parts: Vec<i64> = parts.map(|(id, _)| *id).filter(is_new).collect();
        names.extend(parts.into_iter().filter_map(name));
        position += 1;
    }
    names
}

/// Whether the leaves of a file's column are called as these are, in their order, with none besides.
fn has_these_names(column: &SourceColumn, names: &[MappedName]) -> bool {
    let leaves = column.column_type.leaves();
    let found = leaves.iter().map(|leaf| {
        let path = std::iter::once(column.name.as_str());
        mapped_column(names, path.chain(leaf.path.iter().map(String::as_str)))
    });
    let is_leaf = |name: &&MappedName| !names.iter().any(|part| part.parent == Some(name.number));
    let mut own: Vec<i64> = names.iter().filter(is_leaf).map(|name| name.column_id).collect();
    own.sort_unstable();
    found.eq(own.into_iter().map(Some))
}
