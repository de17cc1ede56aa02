//! The schemas of Parquet files as `parquet_schema` lists them: which files share one, the field ids of
//! its columns, and which column chunks hold a leaf.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::footers::{Footers, read_remote_footer};
use crate::ffi::rows::Row;
use crate::ffi::session::Session;
use crate::sql::file::statement::path_list;
use crate::sql::quote::text;
use colstats_core::column::column_type::{ColumnType, Leaf};
use colstats_core::error::{Error, Result};
use colstats_core::parquet::footer::{GEOMETRY_KEY, SchemaNode, geometry_signature};
use colstats_core::parquet::listing::BoundKind;

/// The tree of a file's columns, in pre-order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParquetSchema {
    nodes: Vec<SchemaNode>,
    /// Where the top-level columns start in `nodes`.
    columns: Vec<usize>,
}

/// Where a leaf lies in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafPlace {
    pub field_id: Option<i64>,
    /// Numbers of its column chunks in a row group.
    pub chunks: Vec<usize>,
}

/// The nodes of one file as they are read, and a hash of all that tells how the file is read.
#[derive(Default)]
struct FileNodes {
    nodes: Vec<SchemaNode>,
    signature: DefaultHasher,
}

/// Files by what their footers say.
pub struct Schemas {
    /// The distinct schemas with their files, in the order of the files.
    pub groups: Vec<(ParquetSchema, Vec<String>)>,
    /// The files that DuckDB's `parquet_metadata` must not meet, each with the column that makes it so.
    pub unlisted: HashMap<String, String>,
}

/// The schemas of the files. `footers` are those already known.
pub fn group_by_schema(files: &[String], footers: &Footers, session: &Session) -> Result<Schemas> {
    let unknown: Vec<&str> =
        files.iter().map(String::as_str).filter(|file| !footers.contains_key(*file)).collect();
    let mut by_file = read_nodes(&unknown, session)?;
    let mut groups: Vec<(ParquetSchema, Vec<String>)> = Vec::new();
    let mut unlisted = HashMap::new();
    let mut group_of_signature: HashMap<u64, usize> = HashMap::new();
    for file in files {
        let (signature, nodes) = match (footers.get(file), by_file.get_mut(file)) {
            (Some(footer), _) => {
                let column = footer.unlisted_column();
                unlisted.extend(column.map(|column| (file.clone(), column.to_owned())));
                (footer.signature, footer.nodes.as_slice())
            }
            (None, Some(read)) => {
                let column = unlisted_column(file, read, session);
                unlisted.extend(column.map(|column| (file.clone(), column)));
                (read.signature.finish(), read.nodes.as_slice())
            }
            (None, None) => return Err(not_found(file)),
        };
        let group = *group_of_signature.entry(signature).or_insert(groups.len());
        if group == groups.len() {
            check_names(file, nodes)?;
            groups.push((ParquetSchema::new(nodes), Vec::new()));
        }
        if let Some((_, members)) = groups.get_mut(group) {
            members.push(file.clone());
        }
    }
    Ok(Schemas { groups, unlisted })
}

/// The column for which a file whose footer was not read is not listed. Where its type alone does not forbid it, a
/// remote file's bounds are looked at.
fn unlisted_column(file: &str, read: &FileNodes, session: &Session) -> Option<String> {
    let suspect = read.nodes.iter().find(|node| node.bound_kind != BoundKind::Any)?;
    match read_remote_footer(file, session) {
        Some(footer) => footer.unlisted_column().map(str::to_owned),
        None => Some(suspect.name.clone()),
    }
}

/// DuckDB 1.5 puts `./` before a bare name that holds characters of a pattern, and its rows are then not those
/// of the file that was asked for.
fn not_found(file: &str) -> Error {
    Error::new(format!(
        "file '{file}' has no Parquet schema under that name; name it with its directory, as in './{file}'"
    ))
}

/// What `parquet_schema` says of the files.
fn read_nodes(files: &[&str], session: &Session) -> Result<HashMap<String, FileNodes>> {
    let mut by_file: HashMap<String, FileNodes> = HashMap::new();
    if files.is_empty() {
        return Ok(by_file);
    }
    let statement = format!(
        "SELECT file_name, name, coalesce(num_children, 0), field_id, \
         CAST(hash(*COLUMNS(* EXCLUDE (file_name))) AS VARCHAR), CAST(type AS VARCHAR), \
         CAST(type = 'BYTE_ARRAY' AND converted_type IS NULL AND logical_type IS NULL AS BIGINT), \
         CAST(coalesce(converted_type IN ('INTERVAL', 'TIME_MILLIS', 'TIME_MICROS'), false) \
         OR coalesce(starts_with(logical_type, 'TimeType') OR logical_type IN ('NullType()', 'UNKNOWN'), false) \
         OR coalesce(type IN ('INT32', 'INT64') AND (converted_type = 'DECIMAL' \
         OR starts_with(logical_type, 'DecimalType')), false) AS BIGINT) \
         FROM parquet_schema({})",
        path_list(files)
    );
    let rows = session.query(&statement).map_err(|error| {
        error.context(
            "the Parquet footer could not be read (is every file Parquet, whole and not encrypted?)",
        )
    })?;
    rows.for_each(|row| {
        check_physical_type(row)?;
        let read = by_file.entry(row.text(0).unwrap_or_default().to_owned()).or_default();
        read.nodes.push(SchemaNode {
            name: row.text(1).unwrap_or_default().to_owned(),
            child_count: row.integer(2).and_then(|n| usize::try_from(n).ok()).unwrap_or(0),
            field_id: row.integer(3).filter(|id| *id >= 0),
            is_bare_bytes: row.integer(6) == Some(1),
            bound_kind: if row.integer(7) == Some(0) { BoundKind::Any } else { BoundKind::None },
        });
        row.text(4).hash(&mut read.signature);
        Ok(())
    })?;
    add_geometry_metadata(&mut by_file, session)?;
    Ok(by_file)
}

/// What the format has as types of leaves; groups have none.
const PHYSICAL_TYPES: [&str; 8] =
    ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"];

/// A damaged footer may hold a number that is no type. Some hosts give up the whole database over it, so
/// such a file is never opened for reading.
fn check_physical_type(row: &Row<'_>) -> Result<()> {
    match row.text(5) {
        Some(name) if !PHYSICAL_TYPES.contains(&name) => Err(Error::new(format!(
            "file '{}' is damaged: its column '{}' has the unknown Parquet type '{name}'",
            row.text(0).unwrap_or_default(),
            row.text(1).unwrap_or_default(),
        ))),
        _ => Ok(()),
    }
}

/// The C API hands names out as texts that end at the first NUL, so such a column could not be told from
/// another one.
fn check_names(file: &str, nodes: &[SchemaNode]) -> Result<()> {
    match nodes.iter().find_map(|node| node.name.split_once('\0')) {
        Some((start, _)) => Err(Error::new(format!(
            "file '{file}': the name of a column, '{start}' and more, holds a NUL byte, which no statement \
             can name; rename the column"
        ))),
        None => Ok(()),
    }
}

/// Bytes are read as a geometry where the GeoParquet metadata say so. DuckDB 2.0 tells that in the schema,
/// but not the reference system.
fn add_geometry_metadata(
    by_file: &mut HashMap<String, FileNodes>,
    session: &Session,
) -> Result<()> {
    let mut files: Vec<&str> = by_file
        .iter()
        .filter(|(_, read)| read.nodes.iter().any(|node| node.is_bare_bytes))
        .map(|(file, _)| file.as_str())
        .collect();
    if files.is_empty() {
        return Ok(());
    }
    files.sort_unstable();
    let statement = format!(
        "SELECT file_name, value FROM parquet_kv_metadata({}) WHERE key = CAST({} AS BLOB)",
        path_list(&files),
        text(GEOMETRY_KEY)
    );
    session.query(&statement)?.for_each(|row| {
        let read = row.text(0).and_then(|file| by_file.get_mut(file));
        if let (Some(read), Some(metadata)) = (read, row.bytes(1)) {
            geometry_signature(metadata).hash(&mut read.signature);
        }
        Ok(())
    })
}

impl ParquetSchema {
    /// A schema from its nodes in pre-order, the root first.
    fn new(nodes: &[SchemaNode]) -> Self {
        let Some((root, nodes)) = nodes.split_first() else { return ParquetSchema::default() };
        let mut schema = ParquetSchema { nodes: nodes.to_vec(), columns: Vec::new() };
        let mut start = 0;
        while schema.columns.len() < root.child_count && start < nodes.len() {
            schema.columns.push(start);
            start = schema.end_of(start);
        }
        schema
    }

    /// The names of the top-level columns.
    pub fn column_names(&self) -> Vec<&str> {
        self.columns
            .iter()
            .filter_map(|start| self.nodes.get(*start))
            .map(|n| n.name.as_str())
            .collect()
    }

    /// Whether the writer numbered the columns.
    pub fn has_field_ids(&self) -> bool {
        self.nodes.iter().any(|node| node.field_id.is_some())
    }

    /// The index after the subtree at `start`.
    fn end_of(&self, start: usize) -> usize {
        let mut expected: usize = 1;
        let below = self.nodes.iter().skip(start).take_while(|node| {
            let is_below = expected > 0;
            expected = (expected.saturating_sub(1)).saturating_add(node.child_count);
            is_below
        });
        start + below.count()
    }

    /// The places of the leaves of a top-level column. DuckDB's leaves and Parquet's come in the same
    /// order; only a VARIANT is one leaf there and a group of several here. Where the numbers still
    /// differ, the reader did not take the column as it is written, and nothing is claimed.
    pub fn leaf_places(&self, column: usize, name: &str, leaves: &[Leaf]) -> Vec<LeafPlace> {
        let Some(start) = self.columns.get(column).copied() else { return Vec::new() };
        if !self.nodes.get(start).is_some_and(|node| is_read_as(&node.name, name)) {
            return Vec::new();
        }
        let end = self.end_of(start);
        let mut chunk = self.chunks_in(0..start);
        let mut places = Vec::new();
        let mut index = start;
        while let Some(node) = self.nodes.get(index).filter(|_| index < end) {
            let next_leaf = leaves.get(places.len()).map(|leaf| leaf.column_type.base());
            let is_variant = next_leaf == Some(&ColumnType::Variant) && self.is_variant(index);
            let next = if is_variant { self.end_of(index) } else { index + 1 };
            if is_variant || node.child_count == 0 {
                let count = self.chunks_in(index..next);
                let chunks = (chunk..chunk + count).collect();
                places.push(LeafPlace { field_id: node.field_id, chunks });
                chunk += count;
            }
            index = next;
        }
        if places.len() == leaves.len() { places } else { Vec::new() }
    }

    /// Whether a node is the group that a VARIANT is written as (writers do not all annotate it).
    fn is_variant(&self, index: usize) -> bool {
        let is_leaf = |index: usize, name: &str| {
            self.nodes.get(index).is_some_and(|node| node.child_count == 0 && node.name == name)
        };
        let has_group = self.nodes.get(index).is_some_and(|node| node.child_count >= 2);
        has_group && is_leaf(index + 1, "metadata") && is_leaf(index + 2, "value")
    }

    /// How many column chunks the nodes of a range have: one per leaf.
    fn chunks_in(&self, range: std::ops::Range<usize>) -> usize {
        self.nodes.get(range).unwrap_or_default().iter().filter(|n| n.child_count == 0).count()
    }
}

/// Whether DuckDB may read a column of the file under this name: the same, but for case, or with a number
/// behind it where names repeat, or a made-up one where there is none. An option of the reader
/// (`schema`) may give columns another order, and then positions mean nothing.
fn is_read_as(in_file: &str, name: &str) -> bool {
    let Some((start, end)) = name.split_at_checked(in_file.len()) else { return false };
    let is_numbered = end.strip_prefix('_').is_some_and(|number| number.parse::<u32>().is_ok());
    in_file.is_empty() || (start.eq_ignore_ascii_case(in_file) && (end.is_empty() || is_numbered))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, child_count: usize, field_id: Option<i64>) -> SchemaNode {
        SchemaNode { name: name.into(), child_count, field_id, ..SchemaNode::default() }
    }

    fn leaf(column_type: ColumnType) -> Leaf {
        Leaf { path: Vec::new(), node_number: 1, column_type }
    }

    #[test]
    fn leaves_find_their_chunks_and_ids() {
        let schema = ParquetSchema::new(&[
            node("schema", 3, None),
            node("a", 0, Some(1)),
            node("l", 1, Some(2)),
            node("list", 1, None),
            node("element", 2, Some(3)),
            node("x", 0, Some(4)),
            node("v", 2, Some(5)),
            node("metadata", 0, None),
            node("value", 0, None),
            node("b", 0, Some(6)),
        ]);
        assert_eq!(schema.column_names(), ["a", "l", "b"]);
        let place =
            |id, chunks: &[usize]| LeafPlace { field_id: Some(id), chunks: chunks.to_vec() };
        let (number, variant) = (leaf(ColumnType::Integer), leaf(ColumnType::Variant));
        assert_eq!(schema.leaf_places(0, "A", std::slice::from_ref(&number)), [place(1, &[0])]);
        let mixed = [number.clone(), variant];
        assert_eq!(schema.leaf_places(1, "l", &mixed), [place(4, &[1]), place(5, &[2, 3])]);
        // The same group read as a struct is two leaves.
        let flat = [number.clone(), number.clone(), number.clone()];
        assert_eq!(schema.leaf_places(1, "l_1", &flat).len(), 3);
        assert_eq!(schema.leaf_places(2, "b", &flat), []);
        // A column of another name stands there: the reader has changed the order.
        assert_eq!(schema.leaf_places(0, "b", std::slice::from_ref(&number)), []);
        assert_eq!(schema.leaf_places(9, "z", &[number]), []);
    }
}
