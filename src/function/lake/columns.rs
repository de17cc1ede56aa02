//! Which column of a lake's table a leaf of a file is, and in which type it is read.

use super::catalogue::LakeTable;
use crate::function::file::columns::SourceColumn;
use crate::function::parquet::schema::ParquetSchema;
use crate::sql::lake::expressions::with_leaves;
use crate::sql::lake::files::MappedName;
use colstats_core::column::column_type::{ColumnType, Leaf};

/// What tells the columns of a file.
pub enum Names<'a> {
    /// DuckLake's own files: the field ids are the column ids.
    FieldIds,
    /// Added and encrypted files.
    Mapping(&'a [MappedName]),
    /// Inlined rows: the names they had.
    Inlined(&'a [MappedName]),
}

/// A leaf of a file.
pub struct Match {
    /// `None` where the table has no such column (any more).
    pub column_id: Option<i64>,
    pub chunks: Option<Vec<usize>>,
}

/// The leaves of the column at `position`, each with the table's column that it is.
pub fn match_column(
    position: usize,
    column: &SourceColumn,
    leaves: &[Leaf],
    names: &Names<'_>,
    schema: Option<&ParquetSchema>,
    table: &LakeTable,
) -> Vec<Match> {
    let places = schema.map(|schema| schema.leaf_places(position, &column.name, leaves));
    let place = |index: usize| places.as_ref().and_then(|places| places.get(index));
    let is_leaf = |id: &i64| table.nodes.get(id).is_some_and(|node| node.is_leaf);
    leaves
        .iter()
        .enumerate()
        .map(|(index, leaf)| {
            let path = || {
                std::iter::once(column.name.as_str()).chain(leaf.path.iter().map(String::as_str))
            };
            let column_id = match names {
                Names::FieldIds => place(index).and_then(|place| place.field_id),
                Names::Mapping(mapping) | Names::Inlined(mapping) => mapped_column(mapping, path()),
            };
            Match {
                column_id: column_id.filter(is_leaf),
                chunks: place(index).map(|place| place.chunks.clone()),
            }
        })
        .collect()
}

/// Follows a path through a mapping. The one part of a list is called `list` there, `element` here.
pub fn mapped_column<'p>(
    mapping: &[MappedName],
    path: impl Iterator<Item = &'p str>,
) -> Option<i64> {
    let mut found: Option<&MappedName> = None;
    for part in path {
        let parent = found.map(|name| name.number);
        let mut children =
            mapping.iter().filter(|name| name.parent == parent && !name.is_partition);
        // As DuckDB compares names: the case of ASCII letters alone does not matter.
        let exact = children.clone().find(|name| name.source_name == part);
        let named = exact
            .or_else(|| children.clone().find(|name| name.source_name.eq_ignore_ascii_case(part)));
        found = named.or_else(|| {
            let only = children.next().filter(|_| part == "element" && parent.is_some());
            only.filter(|_| children.next().is_none())
        });
        found?;
    }
    found.map(|name| name.column_id)
}

/// The expression that is aggregated: the column, cast to the types that its leaves have in the table.
pub fn scan_expression(
    column: &SourceColumn,
    matches: &[Match],
    table: &LakeTable,
    is_inlined: bool,
) -> String {
    let leaves = column.column_type.leaf_types();
    let types: Vec<String> = leaves
        .iter()
        .zip(matches)
        .map(|(own, found)| {
            let node = found.column_id.and_then(|id| table.nodes.get(&id));
            let Some(lake_type) = node.map(|node| &node.lake_type) else { return own.name() };
            // A column that was promoted to JSON holds other values than texts, and is read as their JSON.
            if lake_type.is_json() && !is_text(own) {
                return ColumnType::Json.name();
            }
            // Whole numbers that were promoted to HUGEINT lie in the file as such, and not as DOUBLE.
            let is_whole = is_inlined || !own.is_floating();
            lake_type.scan_type(is_whole).unwrap_or_else(|| own.name())
        })
        .collect();
    with_leaves(&column.name, &column.column_type, types)
}

fn is_text(column_type: &ColumnType) -> bool {
    matches!(column_type.base(), ColumnType::Varchar | ColumnType::Json)
}
