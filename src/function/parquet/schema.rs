//! The schemas of Parquet files: which files share one, the field ids of its columns, and which column chunks hold
//! a leaf. They are those of the footers that were read here, else what `parquet_schema` lists.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::footers::{Footers, read_remote_footer};
use crate::ffi::session::Session;
use crate::sql::parquet::schema::{ListedNode, geometry_metadata, schema_nodes};
use colstats_core::column::column_type::{ColumnType, Leaf};
use colstats_core::error::{Error, Result};
use colstats_core::parquet::footer::{SchemaNode, geometry_signature};
use colstats_core::parquet::listing::BoundKind;

/// The tree of a file's columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParquetSchema {
    /// In pre-order, the root first.
    nodes: Vec<PlacedNode>,
}

/// A node with what lies below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedNode {
    pub node: SchemaNode,
    /// The numbers of its column chunks in a row group: one per leaf.
    pub chunks: Range<usize>,
    /// Its own place and that behind its subtree.
    subtree: Range<usize>,
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
    let listed = session.collect(&schema_nodes(files)).map_err(|error| {
        error.context(
            "the Parquet footer could not be read (is every file Parquet, whole and not encrypted?)",
        )
    })?;
    for listed in listed {
        check_physical_type(&listed)?;
        let read = by_file.entry(listed.file_name).or_default();
        read.nodes.push(listed.node);
        listed.fingerprint.hash(&mut read.signature);
    }
    add_geometry_metadata(&mut by_file, session)?;
    Ok(by_file)
}

/// What the format has as types of leaves; groups have none.
const PHYSICAL_TYPES: [&str; 8] =
    ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"];

/// A damaged footer may hold a number that is no type. Some hosts give up the whole database over it, so
/// such a file is never opened for reading.
fn check_physical_type(listed: &ListedNode) -> Result<()> {
    match listed.physical_type.as_deref() {
        Some(name) if !PHYSICAL_TYPES.contains(&name) => Err(Error::new(format!(
            "file '{}' is damaged: its column '{}' has the unknown Parquet type '{name}'",
            listed.file_name, listed.node.name,
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
    for known in session.collect(&geometry_metadata(&files))? {
        if let Some(read) = by_file.get_mut(&known.file_name) {
            geometry_signature(&known.metadata).hash(&mut read.signature);
        }
    }
    Ok(())
}

impl ParquetSchema {
    /// A schema from its nodes in pre-order, the root first.
    pub fn new(nodes: &[SchemaNode]) -> Self {
        // From the last node to the first: the subtrees of a node's children are known when it comes.
        let mut ends: Vec<usize> = vec![0; nodes.len()];
        for (index, node) in nodes.iter().enumerate().rev() {
            let mut end = index + 1;
            for _ in 0..node.child_count {
                let Some(behind_child) = ends.get(end) else { break };
                end = *behind_child;
            }
            if let Some(known) = ends.get_mut(index) {
                *known = end;
            }
        }
        let mut chunk_count = 0;
        let mut chunks_before = vec![0];
        for (index, node) in nodes.iter().enumerate() {
            // A root without columns is no leaf.
            chunk_count += usize::from(index > 0 && node.child_count == 0);
            chunks_before.push(chunk_count);
        }
        let before = |index: usize| chunks_before.get(index).copied().unwrap_or(chunk_count);
        let place = |(start, (node, end)): (usize, (&SchemaNode, usize))| PlacedNode {
            node: node.clone(),
            chunks: before(start)..before(end),
            subtree: start..end,
        };
        ParquetSchema { nodes: nodes.iter().zip(ends).enumerate().map(place).collect() }
    }

    /// The top-level columns.
    pub fn columns(&self) -> impl Iterator<Item = &PlacedNode> {
        self.nodes.first().into_iter().flat_map(|root| self.children(root))
    }

    /// The children of a node.
    pub fn children(&self, node: &PlacedNode) -> impl Iterator<Item = &PlacedNode> {
        let end = node.subtree.end;
        let first = self.nodes.get(node.subtree.start + 1);
        let next = move |child: &&PlacedNode| self.nodes.get(child.subtree.end);
        std::iter::successors(first, next).take_while(move |child| child.subtree.start < end)
    }

    /// The group that holds the leaf of this chunk.
    pub fn parent_of_chunk(&self, chunk: usize) -> Option<&PlacedNode> {
        let holds = |node: &&PlacedNode| node.node.child_count > 0 && node.chunks.contains(&chunk);
        // In pre-order, the innermost group comes last.
        self.nodes.iter().rfind(holds)
    }

    /// Whether the writer numbered the columns.
    pub fn has_field_ids(&self) -> bool {
        self.nodes.iter().skip(1).any(|placed| placed.node.field_id.is_some())
    }

    /// The places of the leaves of a top-level column. DuckDB's leaves and Parquet's come in the same
    /// order; only a VARIANT is one leaf there and a group of several here. Where the numbers still
    /// differ, the reader did not take the column as it is written, and nothing is claimed.
    pub fn leaf_places(&self, column: usize, name: &str, leaves: &[Leaf]) -> Vec<LeafPlace> {
        let column = self.columns().nth(column);
        let Some(column) = column.filter(|column| is_read_as(&column.node.name, name)) else {
            return Vec::new();
        };
        let mut places = Vec::new();
        let mut index = column.subtree.start;
        while let Some(placed) = self.nodes.get(index).filter(|_| index < column.subtree.end) {
            let next_leaf = leaves.get(places.len()).map(|leaf| leaf.column_type.base());
            let is_variant = next_leaf == Some(&ColumnType::Variant) && self.is_variant(placed);
            if is_variant || placed.node.child_count == 0 {
                let chunks = placed.chunks.clone().collect();
                places.push(LeafPlace { field_id: placed.node.field_id, chunks });
            }
            index = if is_variant { placed.subtree.end } else { index + 1 };
        }
        if places.len() == leaves.len() { places } else { Vec::new() }
    }

    /// Whether a node is the group that a VARIANT is written as (writers do not all annotate it).
    fn is_variant(&self, placed: &PlacedNode) -> bool {
        let mut children = self.children(placed).map(|child| &child.node);
        let mut is_leaf = |name: &str| {
            children.next().is_some_and(|node| node.child_count == 0 && node.name == name)
        };
        is_leaf("metadata") && is_leaf("value")
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
        let names: Vec<&str> = schema.columns().map(|column| column.node.name.as_str()).collect();
        assert_eq!(names, ["a", "l", "b"]);
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
