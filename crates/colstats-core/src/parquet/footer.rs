//! The footer of a Parquet file, read from the file's last bytes: the schema and how long column chunks are.
//! Field numbers are those of `parquet.thrift` (Apache Parquet format).

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::listing::{Annotations, BoundKind, logical_type};
use super::thrift_compact::{Kind, Reader};

/// A node of a schema. The nodes of a file stand in pre-order, the root first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchemaNode {
    pub name: String,
    pub child_count: usize,
    /// The number that the writer gave the column.
    pub field_id: Option<i64>,
    /// It stands for any number of entries.
    pub is_repeated: bool,
    /// Bytes without an annotation: only the file's metadata can tell that they are a geometry.
    pub is_bare_bytes: bool,
    /// Which of its bounds DuckDB can list.
    pub bound_kind: BoundKind,
}

/// What a footer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footer {
    pub nodes: Vec<SchemaNode>,
    /// Equal for files that are read alike.
    pub signature: u64,
    pub row_count: i64,
    /// Compressed bytes per leaf of the schema, summed over the row groups.
    pub chunk_bytes: Vec<i64>,
    /// The first leaf with a bound that DuckDB's `parquet_metadata` cannot list, by its place among the leaves.
    pub unlisted_leaf: Option<usize>,
}

/// The magic bytes at the end of a file, and the length of the footer before them.
const MAGIC: &[u8; 4] = b"PAR1";

/// The numbers of two physical types. FIXED_LEN_BYTE_ARRAY has the greatest.
const MAX_PHYSICAL_TYPE: i64 = 7;
const BYTE_ARRAY: i64 = 6;

/// The number of the repetition type REPEATED.
const REPEATED: i64 = 2;

impl Footer {
    /// The footer at the end of `file_end`, the last bytes of a file. `None` where they do not hold a whole
    /// one in order, and for encrypted files.
    pub fn decode(file_end: &[u8]) -> Option<Footer> {
        let (rest, magic) = file_end.split_last_chunk::<4>()?;
        let (rest, length) = rest.split_last_chunk::<4>()?;
        let start = rest.len().checked_sub(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
        if magic != MAGIC {
            return None;
        }
        let mut reader = Reader::new(rest.get(start..)?);
        let mut footer = Footer {
            nodes: Vec::new(),
            signature: 0,
            row_count: 0,
            chunk_bytes: Vec::new(),
            unlisted_leaf: None,
        };
        let mut leaves = Vec::new();
        let mut signature = DefaultHasher::new();
        reader.each_field(|reader, number, kind| match (number, kind) {
            (2, Kind::List) => {
                let schema = reader.rest();
                reader.each_element(|reader, _| {
                    footer.nodes.push(schema_node(reader)?);
                    Some(())
                })?;
                schema.get(..schema.len() - reader.rest().len())?.hash(&mut signature);
                leaves = footer.leaves().map(Leaf::new).collect();
                footer.is_tree().then_some(())
            }
            (3, Kind::Integer) => reader.integer().map(|count| footer.row_count = count),
            (4, Kind::List) => reader.each_element(|reader, _| add_row_group(reader, &mut leaves)),
            (5, Kind::List) => reader.each_element(|reader, _| {
                let (key, value) = key_value(reader)?;
                if key == GEOMETRY_KEY.as_bytes() {
                    geometry_signature(value).hash(&mut signature);
                }
                Some(())
            }),
            // The algorithm of an encrypted file whose footer is not.
            (8, _) => None,
            (_, kind) => reader.skip(kind),
        })?;
        footer.signature = signature.finish();
        footer.unlisted_leaf = leaves.iter().position(|leaf| leaf.is_unlisted);
        footer.chunk_bytes = leaves.into_iter().map(|leaf| leaf.chunk_bytes).collect();
        (!footer.nodes.is_empty()).then_some(footer)
    }

    fn leaves(&self) -> impl Iterator<Item = &SchemaNode> {
        self.nodes.iter().filter(|node| node.child_count == 0)
    }

    /// The name of the leaf with a bound that cannot be listed.
    pub fn unlisted_column(&self) -> Option<&str> {
        Some(self.leaves().nth(self.unlisted_leaf?)?.name.as_str())
    }

    /// Whether the counts of children make one tree of the nodes.
    fn is_tree(&self) -> bool {
        let mut expected: usize = 1;
        for node in &self.nodes {
            match expected.checked_sub(1).and_then(|rest| rest.checked_add(node.child_count)) {
                Some(count) => expected = count,
                None => return false,
            }
        }
        expected == 0
    }
}

/// What is gathered of a leaf over the row groups.
struct Leaf {
    bound_kind: BoundKind,
    chunk_bytes: i64,
    is_unlisted: bool,
}

impl Leaf {
    fn new(node: &SchemaNode) -> Leaf {
        Leaf { bound_kind: node.bound_kind, chunk_bytes: 0, is_unlisted: false }
    }
}

fn schema_node(reader: &mut Reader<'_>) -> Option<SchemaNode> {
    let mut node = SchemaNode::default();
    let mut annotations = Annotations::default();
    reader.each_field(|reader, number, kind| match (number, kind) {
        (1, Kind::Integer) => {
            annotations.physical_type = Some(reader.integer()?);
            Some(())
        }
        (3, Kind::Integer) => {
            node.is_repeated = reader.integer()? == REPEATED;
            Some(())
        }
        (4, Kind::Binary) => {
            node.name = std::str::from_utf8(reader.binary()?).ok()?.to_owned();
            Some(())
        }
        (5, Kind::Integer) => {
            node.child_count = usize::try_from(reader.integer()?).ok()?;
            Some(())
        }
        (9, Kind::Integer) => {
            node.field_id = Some(reader.integer()?).filter(|id| *id >= 0);
            Some(())
        }
        (6, Kind::Integer) => {
            annotations.converted_type = Some(reader.integer()?);
            Some(())
        }
        (8, Kind::Integer) => {
            annotations.precision = Some(reader.integer()?);
            Some(())
        }
        (10, Kind::Struct) => {
            annotations.logical = Some(logical_type(reader)?);
            Some(())
        }
        (_, kind) => reader.skip(kind),
    })?;
    let physical_type = annotations.physical_type;
    if physical_type.is_some_and(|known| !(0..=MAX_PHYSICAL_TYPE).contains(&known)) {
        return None;
    }
    let is_annotated = annotations.converted_type.is_some() || annotations.logical.is_some();
    node.is_bare_bytes = physical_type == Some(BYTE_ARRAY) && !is_annotated;
    node.bound_kind = BoundKind::of(&annotations);
    Some(node)
}

/// Adds the chunks of a row group, one per leaf in the order of the schema.
fn add_row_group(reader: &mut Reader<'_>, leaves: &mut [Leaf]) -> Option<()> {
    let mut leaves = leaves.iter_mut();
    reader.each_field(|reader, number, kind| match (number, kind) {
        (1, Kind::List) => reader.each_element(|reader, _| add_chunk(reader, leaves.next()?)),
        (_, kind) => reader.skip(kind),
    })?;
    leaves.next().is_none().then_some(())
}

/// Adds what the metadata of a column chunk say.
fn add_chunk(reader: &mut Reader<'_>, leaf: &mut Leaf) -> Option<()> {
    let mut size = None;
    reader.each_field(|reader, number, kind| match (number, kind) {
        (3, Kind::Struct) => reader.each_field(|reader, number, kind| match (number, kind) {
            (7, Kind::Integer) => {
                size = Some(reader.integer()?);
                Some(())
            }
            (12, Kind::Struct) => {
                leaf.is_unlisted |= !leaf.bound_kind.can_list_statistics(reader)?;
                Some(())
            }
            (_, kind) => reader.skip(kind),
        }),
        (_, kind) => reader.skip(kind),
    })?;
    leaf.chunk_bytes = leaf.chunk_bytes.checked_add(size?)?;
    Some(())
}

fn key_value<'a>(reader: &mut Reader<'a>) -> Option<(&'a [u8], &'a [u8])> {
    let (mut key, mut value) = (&[][..], &[][..]);
    reader.each_field(|reader, number, kind| match (number, kind) {
        (1, Kind::Binary) => reader.binary().map(|bytes| key = bytes),
        (2, Kind::Binary) => reader.binary().map(|bytes| value = bytes),
        (_, kind) => reader.skip(kind),
    })?;
    Some((key, value))
}

/// The key under which GeoParquet says which columns are geometries.
pub const GEOMETRY_KEY: &str = "geo";

/// The part of GeoParquet metadata that says how columns are read. What differs with the values of a file (boxes and
/// types) is left out.
pub fn geometry_signature(metadata: &[u8]) -> Vec<u8> {
    let Ok(mut parsed) = serde_json::from_slice::<Value>(metadata) else {
        return metadata.to_vec();
    };
    let columns = parsed.get_mut("columns").and_then(Value::as_object_mut);
    for column in columns.into_iter().flat_map(|columns| columns.values_mut()) {
        if let Some(column) = column.as_object_mut() {
            column.retain(|key, _| key != "bbox" && key != "geometry_types");
        }
    }
    parsed.to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzing::use_footer;

    /// A field of a struct: its head, when it follows the field before it by `step`, and its bytes.
    fn field(step: u8, code: u8, bytes: &[u8]) -> Vec<u8> {
        [&[step << 4 | code], bytes].concat()
    }

    fn text(value: &str) -> Vec<u8> {
        [&[u8::try_from(value.len()).unwrap()], value.as_bytes()].concat()
    }

    fn list(elements: &[Vec<u8>]) -> Vec<u8> {
        let head = u8::try_from(elements.len()).unwrap() << 4 | 12;
        [vec![head], elements.concat()].concat()
    }

    fn leaf(physical_type: u8, name: &str, field_id: u8) -> Vec<u8> {
        let (kind, id) = (field(1, 5, &[physical_type * 2]), field(5, 5, &[field_id * 2]));
        [kind, field(3, 8, &text(name)), id, vec![0]].concat()
    }

    fn group(name: &str, child_count: u8) -> Vec<u8> {
        [field(4, 8, &text(name)), field(1, 5, &[child_count * 2]), vec![0]].concat()
    }

    /// A column chunk of a few bytes.
    fn chunk(size: u8) -> Vec<u8> {
        let metadata = [field(5, 6, &[2]), field(2, 6, &[size * 2]), vec![0]].concat();
        [field(3, 12, &metadata), vec![0]].concat()
    }

    fn row_group(sizes: &[u8]) -> Vec<u8> {
        let chunks: Vec<Vec<u8>> = sizes.iter().map(|size| chunk(*size)).collect();
        [field(1, 9, &list(&chunks)), vec![0]].concat()
    }

    fn file_end(schema: &[Vec<u8>], groups: &[Vec<u8>], geo: &str) -> Vec<u8> {
        let pair = [field(1, 8, &text(GEOMETRY_KEY)), field(1, 8, &text(geo)), vec![0]].concat();
        let footer = [
            field(1, 5, &[2]),
            field(1, 9, &list(schema)),
            field(1, 6, &[14]),
            field(1, 9, &list(groups)),
            field(1, 9, &list(&[pair])),
            vec![0],
        ]
        .concat();
        let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
        [b"pages".as_slice(), &footer, &length, MAGIC].concat()
    }

    fn schema() -> Vec<Vec<u8>> {
        vec![group("root", 2), leaf(2, "a", 30), group("s", 1), leaf(6, "ü", 31)]
    }

    #[test]
    fn a_footer_tells_schema_and_sizes() {
        let end = file_end(&schema(), &[row_group(&[5, 6]), row_group(&[7, 8])], "{}");
        let footer = Footer::decode(&end).unwrap();
        let node = |name: &str, child_count, field_id, is_bare_bytes| SchemaNode {
            name: name.into(),
            child_count,
            field_id,
            is_bare_bytes,
            ..SchemaNode::default()
        };
        let expected = [
            node("root", 2, None, false),
            node("a", 0, Some(30), false),
            node("s", 1, None, false),
            node("ü", 0, Some(31), true),
        ];
        assert_eq!(footer.nodes, expected);
        assert_eq!((footer.row_count, footer.chunk_bytes), (7, vec![12, 14]));
    }

    #[test]
    fn what_is_not_whole_is_none() {
        let end = file_end(&schema(), &[row_group(&[5, 6])], "{}");
        for length in 0..end.len() {
            assert_eq!(Footer::decode(&end[..length]), None, "{length}");
            // The end is there, the start is not.
            if length > "pages".len() {
                assert_eq!(Footer::decode(&end[length..]), None, "{length}");
            }
        }
        let broken = |schema: &[Vec<u8>], sizes: &[u8]| {
            Footer::decode(&file_end(schema, &[row_group(sizes)], "{}"))
        };
        assert_eq!(broken(&schema(), &[5]), None);
        assert_eq!(broken(&schema(), &[5, 6, 7]), None);
        assert_eq!(broken(&[group("root", 3), leaf(2, "a", 1)], &[5]), None);
        assert_eq!(broken(&[group("root", 0), leaf(2, "a", 1)], &[5, 5]), None);
        assert_eq!(broken(&[group("root", 1), leaf(8, "a", 1)], &[5]), None);
        assert_eq!(broken(&[], &[]), None);
    }

    #[test]
    fn signatures_tell_schemas_and_geometry_metadata_apart() {
        let signature = |schema: &[Vec<u8>], sizes: &[u8], geo: &str| {
            Footer::decode(&file_end(schema, &[row_group(sizes)], geo)).unwrap().signature
        };
        let boxed = r#"{"columns":{"g":{"crs":1,"bbox":[1]}}}"#;
        let known = signature(&schema(), &[5, 6], boxed);
        let other_box = r#"{"columns":{"g":{"crs":1,"geometry_types":["Point"]}}}"#;
        assert_eq!(known, signature(&schema(), &[7, 8], other_box));
        let other_system = r#"{"columns":{"g":{"crs":2,"bbox":[1]}}}"#;
        assert_ne!(known, signature(&schema(), &[5, 6], other_system));
        assert_ne!(known, signature(&schema(), &[5, 6], "no JSON"));
        let mut renumbered = schema();
        renumbered[1] = leaf(2, "a", 32);
        assert_ne!(known, signature(&renumbered, &[5, 6], boxed));
    }
    #[test]
    fn changed_bytes_do_no_harm() {
        let end = file_end(&schema(), &[row_group(&[5, 6]), row_group(&[7, 8])], "{}");
        let footer = &end["pages".len()..end.len() - 8];
        for position in 0..footer.len() {
            for byte in 0..=u8::MAX {
                let mut changed = footer.to_vec();
                changed[position] = byte;
                use_footer(&changed);
                changed.remove(position);
                use_footer(&changed);
            }
        }
    }
}
