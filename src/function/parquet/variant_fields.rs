//! The fields that the VARIANTs of a Parquet file are shredded to, and the column chunks they lie in.
//!
//! A VARIANT is a group of `metadata`, `value` and, when shredded, `typed_value`: a leaf, a group with
//! one group of `value` and `typed_value` per field, or a LIST of such groups.

use super::schema::{ParquetSchema, PlacedNode};
use crate::sql::parquet::shredded_type::ShreddedType;
use crate::sql::quote::identifier;

/// How a path names the elements of a list. Names of fields are quoted.
const ELEMENT: &str = "element";

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

/// The fields of the VARIANT whose first column chunk this is, in the order of the file. `duckdb_types` are those
/// of the leaves, by their column chunks.
pub fn variant_fields(
    schema: &ParquetSchema,
    duckdb_types: &[String],
    first_chunk: usize,
) -> Vec<Field> {
    let mut search = Search { schema, duckdb_types, path: Vec::new(), value_chunks: Vec::new() };
    let mut fields = Vec::new();
    if let Some(variant) = schema.parent_of_chunk(first_chunk) {
        search.add_fields(variant, &mut fields);
    }
    fields
}

/// The way down to a group.
struct Search<'a> {
    schema: &'a ParquetSchema,
    duckdb_types: &'a [String],
    path: Vec<String>,
    value_chunks: Vec<Option<usize>>,
}

impl<'a> Search<'a> {
    /// Adds the typed leaves of a group of `value` and `typed_value`.
    fn add_fields(&mut self, group: &'a PlacedNode, fields: &mut Vec<Field>) {
        let Some(typed) = self.child(group, "typed_value") else { return };
        self.value_chunks.push(self.child(group, "value").and_then(chunk_of_leaf));
        if let Some(typed_chunk) = chunk_of_leaf(typed) {
            fields.extend(self.field(typed_chunk));
        }
        let children: Vec<(String, &PlacedNode)> = match self.list_element(typed) {
            Some(element) => vec![(ELEMENT.into(), element)],
            None => self
                .schema
                .children(typed)
                .map(|child| (identifier(&child.node.name), child))
                .collect(),
        };
        for (part, child) in children {
            self.path.push(part);
            self.add_fields(child, fields);
            self.path.pop();
        }
        self.value_chunks.pop();
    }

    /// The typed leaf that is reached. `None` for a type that has no name in DuckLake.
    fn field(&self, typed_chunk: usize) -> Option<Field> {
        let is_root = self.path.is_empty();
        Some(Field {
            name: if is_root { "root".into() } else { self.path.join(".") },
            shredded_type: ShreddedType::new(self.duckdb_types.get(typed_chunk)?)?,
            typed_chunk,
            value_chunks: self.value_chunks.clone(),
            objects_in_element: objects_in_element(&self.path),
        })
    }

    fn child(&self, group: &'a PlacedNode, name: &str) -> Option<&'a PlacedNode> {
        self.schema.children(group).find(|child| child.node.name == name)
    }

    /// The group of an element, if this node is a LIST of three levels.
    fn list_element(&self, node: &'a PlacedNode) -> Option<&'a PlacedNode> {
        let list = only(self.schema.children(node)).filter(|list| list.node.is_repeated)?;
        only(self.schema.children(list))
    }
}

fn only<'a>(mut nodes: impl Iterator<Item = &'a PlacedNode>) -> Option<&'a PlacedNode> {
    nodes.next().filter(|_| nodes.next().is_none())
}

fn chunk_of_leaf(placed: &PlacedNode) -> Option<usize> {
    (placed.node.child_count == 0).then_some(placed.chunks.start)
}

fn objects_in_element(path: &[String]) -> usize {
    path.iter().rev().position(|part| part == ELEMENT).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use colstats_core::parquet::footer::SchemaNode;

    /// A node, and the type of a leaf.
    type Row = (SchemaNode, String);

    fn row(name: &str, child_count: usize) -> Row {
        (SchemaNode { name: name.into(), child_count, ..SchemaNode::default() }, String::new())
    }

    fn typed(duckdb_type: &str) -> Row {
        (row("typed_value", 0).0, duckdb_type.into())
    }

    fn repeated(name: &str) -> Row {
        (SchemaNode { is_repeated: true, ..row(name, 1).0 }, String::new())
    }

    fn fields(rows: Vec<Row>, first_chunk: usize) -> Vec<(String, usize, Vec<Option<usize>>)> {
        let is_leaf = |(node, _): &&Row| node.child_count == 0;
        let types: Vec<String> =
            rows.iter().filter(is_leaf).map(|(_, name)| name.clone()).collect();
        let nodes: Vec<SchemaNode> = rows.into_iter().map(|(node, _)| node).collect();
        let fields = variant_fields(&ParquetSchema::new(&nodes), &types, first_chunk);
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
        // A schema that ends too early has no leaf.
        assert_eq!(fields(vec![row("schema", 1)], 0), []);
    }
}
