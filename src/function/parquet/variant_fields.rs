//! The fields that the VARIANTs of a Parquet file are shredded to, and the column chunks they lie in.
//!
//! A VARIANT is a group of `metadata`, `value` and, when shredded, `typed_value`: a leaf, a group with
//! one group of `value` and `typed_value` per field, or a LIST of such groups.

use std::collections::HashMap;

use super::shredded_type::ShreddedType;
use crate::ffi::session::Session;
use crate::sql::file::statement::path_list;
use crate::sql::quote::identifier;
use colstats_core::error::Result;

/// How a path names the elements of a list. Names of fields are quoted.
const ELEMENT: &str = "element";

/// A node of a file's schema with all below it.
#[derive(Debug, Default)]
pub struct Node {
    name: String,
    is_repeated: bool,
    duckdb_type: String,
    /// The number of its column chunk, for a leaf.
    chunk: Option<usize>,
    children: Vec<Node>,
}

/// A row of `parquet_schema`.
#[derive(Debug, Default)]
struct SchemaRow {
    name: String,
    child_count: usize,
    is_repeated: bool,
    duckdb_type: String,
}

/// A typed leaf of a shredded VARIANT.
#[derive(Debug, PartialEq)]
pub struct Field {
    /// `root`, or quoted names and `element`, joined by dots.
    pub name: String,
    pub shredded_type: ShreddedType,
    pub typed_chunk: usize,
    /// The `value` chunks from the VARIANT itself down to the field, its own last. `None` where a group
    /// has no `value`: then there is nothing but `typed_value`.
    pub value_chunks: Vec<Option<usize>>,
    /// How many objects lie between the field and the list above it; none without a list.
    pub objects_in_element: usize,
}

/// The schemas of files as trees.
pub fn read_schemas(files: &[&str], session: &Session) -> Result<HashMap<String, Node>> {
    let statement = format!(
        "SELECT file_name, name, coalesce(num_children, 0), \
         CAST(repetition_type = 'REPEATED' AS BIGINT), duckdb_type \
         FROM parquet_schema({}) ORDER BY file_name, column_id",
        path_list(files)
    );
    let mut rows: HashMap<String, Vec<SchemaRow>> = HashMap::new();
    session.query(&statement)?.for_each(|row| {
        rows.entry(row.text(0).unwrap_or_default().to_owned()).or_default().push(SchemaRow {
            name: row.text(1).unwrap_or_default().to_owned(),
            child_count: row.integer(2).and_then(|n| usize::try_from(n).ok()).unwrap_or(0),
            is_repeated: row.integer(3) == Some(1),
            duckdb_type: row.text(4).unwrap_or_default().to_owned(),
        });
        Ok(())
    })?;
    Ok(rows
        .into_iter()
        .filter_map(|(file, rows)| Some((file, Node::new(&mut rows.into_iter(), &mut 0)?)))
        .collect())
}

impl Node {
    /// The fields of the VARIANT whose first column chunk this is, in the order of the file.
    pub fn variant_fields(&self, first_chunk: usize) -> Vec<Field> {
        let mut fields = Vec::new();
        if let Some(variant) = self.parent_of_chunk(first_chunk) {
            add_fields(variant, &mut Vec::new(), &mut Vec::new(), &mut fields);
        }
        fields
    }

    /// The tree of rows in pre-order; `next_chunk` counts its leaves.
    fn new(rows: &mut impl Iterator<Item = SchemaRow>, next_chunk: &mut usize) -> Option<Node> {
        let row = rows.next()?;
        let mut node = Node {
            name: row.name,
            is_repeated: row.is_repeated,
            duckdb_type: row.duckdb_type,
            ..Node::default()
        };
        if row.child_count == 0 {
            node.chunk = Some(*next_chunk);
            *next_chunk += 1;
        }
        for _ in 0..row.child_count {
            node.children.push(Node::new(rows, next_chunk)?);
        }
        Some(node)
    }

    fn parent_of_chunk(&self, chunk: usize) -> Option<&Node> {
        if self.children.iter().any(|child| child.chunk == Some(chunk)) {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.parent_of_chunk(chunk))
    }

    fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The group of an element, if this node is a LIST of three levels.
    fn list_element(&self) -> Option<&Node> {
        let [list] = self.children.as_slice() else { return None };
        match list.children.as_slice() {
            [element] if list.is_repeated => Some(element),
            _ => None,
        }
    }
}

/// Adds the typed leaves of a group of `value` and `typed_value`.
fn add_fields(
    group: &Node,
    path: &mut Vec<String>,
    value_chunks: &mut Vec<Option<usize>>,
    fields: &mut Vec<Field>,
) {
    let Some(typed) = group.child("typed_value") else { return };
    value_chunks.push(group.child("value").and_then(|value| value.chunk));
    if let Some(typed_chunk) = typed.chunk {
        fields.extend(ShreddedType::new(&typed.duckdb_type).map(|shredded_type| Field {
            name: if path.is_empty() { "root".into() } else { path.join(".") },
            shredded_type,
            typed_chunk,
            value_chunks: value_chunks.clone(),
            objects_in_element: objects_in_element(path),
        }));
    }
    let children: Vec<(String, &Node)> = match typed.list_element() {
        Some(element) => vec![(ELEMENT.into(), element)],
        None => typed.children.iter().map(|child| (identifier(&child.name), child)).collect(),
    };
    for (part, child) in children {
        path.push(part);
        add_fields(child, path, value_chunks, fields);
        path.pop();
    }
    value_chunks.pop();
}

fn objects_in_element(path: &[String]) -> usize {
    path.iter().rev().position(|part| part == ELEMENT).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, child_count: usize) -> SchemaRow {
        SchemaRow { name: name.into(), child_count, ..SchemaRow::default() }
    }

    fn typed(duckdb_type: &str) -> SchemaRow {
        SchemaRow { duckdb_type: duckdb_type.into(), ..row("typed_value", 0) }
    }

    fn repeated(name: &str) -> SchemaRow {
        SchemaRow { is_repeated: true, ..row(name, 1) }
    }

    fn fields(
        rows: Vec<SchemaRow>,
        first_chunk: usize,
    ) -> Vec<(String, usize, Vec<Option<usize>>)> {
        let root = Node::new(&mut rows.into_iter(), &mut 0).unwrap();
        let fields = root.variant_fields(first_chunk);
        fields.into_iter().map(|f| (f.name, f.typed_chunk, f.value_chunks)).collect()
    }

    #[test]
    fn a_variant_of_one_type_is_root() {
        let rows = vec![
            row("schema", 2),
            row("i", 0),
            row("v", 3),
            row("metadata", 0),
            row("value", 0),
            typed("INTEGER"),
        ];
        assert_eq!(fields(rows, 1), [("root".into(), 3, vec![Some(2)])]);
    }

    #[test]
    fn paths_quote_names_and_pass_through_lists() {
        let rows = vec![
            row("schema", 1),
            row("v", 3),
            row("metadata", 0),
            row("value", 0),
            row("typed_value", 3),
            row("say \"a.b\"", 2),
            row("value", 0),
            typed("VARCHAR"),
            // An object's field of the name that a LIST's repeated group has.
            row("list", 2),
            row("value", 0),
            row("typed_value", 1),
            row("element", 2),
            row("value", 0),
            typed("DATE"),
            row("l", 2),
            row("value", 0),
            row("typed_value", 1),
            repeated("list"),
            row("element", 1),
            row("typed_value", 1),
            row("x", 2),
            row("value", 0),
            typed("BIGINT"),
        ];
        let found = fields(rows, 0);
        let expected = [
            ("\"say \"\"a.b\"\"\"", 3, vec![Some(1), Some(2)]),
            ("\"list\".\"element\"", 6, vec![Some(1), Some(4), Some(5)]),
            ("\"l\".element.\"x\"", 9, vec![Some(1), Some(7), None, Some(8)]),
        ];
        assert_eq!(found, expected.map(|(name, chunk, values)| (name.to_owned(), chunk, values)));
    }

    #[test]
    fn objects_are_counted_up_to_the_list_above() {
        let count = |parts: &[&str]| {
            objects_in_element(&parts.iter().map(|&part| part.into()).collect::<Vec<String>>())
        };
        assert_eq!(count(&["\"a\"", "\"element\""]), 0);
        assert_eq!(count(&["\"a\"", "element"]), 0);
        assert_eq!(count(&["element", "\"a\"", "element", "\"b\"", "\"c\""]), 2);
    }

    #[test]
    fn what_is_not_shredded_or_has_no_name_in_ducklake_is_left_out() {
        let group = |typed_type| {
            vec![
                row("schema", 1),
                row("v", 3),
                row("metadata", 0),
                row("value", 0),
                row("typed_value", 2),
                row("a", 1),
                row("value", 0),
                row("b", 2),
                row("value", 0),
                typed(typed_type),
            ]
        };
        assert_eq!(fields(group("TIMESTAMP_NS WITH TIME ZONE"), 0), []);
        assert_eq!(fields(group("UUID"), 0), [("\"b\"".into(), 4, vec![Some(1), Some(3)])]);
        assert_eq!(fields(group("UUID"), 9), []);
        // Rows that end too early make no tree.
        assert!(Node::new(&mut vec![row("schema", 1)].into_iter(), &mut 0).is_none());
    }
}
