//! The accumulator of a whole column: a tree in the shape of its type, with a leaf accumulator at
//! every leaf. Containers hold no statistics; they hand their rows down.
//!
//! How many entries a leaf has follows Parquet's levels, as DuckLake counts them: one per value or
//! NULL, and one for every NULL or empty container above it.

use std::ops::Range;

use crate::column::column_type::{ColumnType, Field};
use crate::column::vectors::{Column, ListEntry, Strings, Validity, Values};
use crate::error::{Error, Result};
use crate::leaf::LeafStatistics;
use crate::settings::Settings;
use crate::summary::Summary;

/// The statistics of one column, nested or not. The type is kept by the caller.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnStatistics {
    root: Node,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Leaf(LeafStatistics),
    Struct(Box<[Node]>),
    /// A list, an array or a map; a map's child is the struct of its key and value.
    List(Box<Node>),
    Union(Box<[Node]>),
}

impl ColumnStatistics {
    /// Empty statistics of a column of this type.
    ///
    /// # Errors
    /// If two parts of the type cannot be told apart by their names.
    pub fn new(column_type: &ColumnType, settings: Settings) -> Result<Self> {
        if let Some(name) = column_type.repeated_name() {
            return Err(Error::new(format!(
                "two parts of a STRUCT are called '{name}', one of them with a NUL byte and more behind it, which \
                 no statement can name; rename the part"
            )));
        }
        Ok(ColumnStatistics { root: Node::new(column_type, settings)? })
    }

    /// Takes in `rows` of `column`, which is of the type given to [`ColumnStatistics::new`].
    pub fn update<'a, S: Strings<'a>>(&mut self, column: &Column<'a, S>, rows: Range<usize>) {
        self.root.update(column, rows);
    }

    /// Takes in what another accumulator of the same type saw; the other one is left as it is.
    pub fn merge(&mut self, other: &ColumnStatistics) -> Result<()> {
        self.root.merge(&other.root)
    }

    /// One summary per leaf of the type, in pre-order.
    pub fn finish(&self, column_type: &ColumnType) -> Vec<Summary> {
        column_type
            .leaves()
            .into_iter()
            .zip(self.leaves())
            .map(|(leaf, statistics)| statistics.finish(leaf.path, leaf.column_type))
            .collect()
    }

    /// The statistics of the leaves, in pre-order.
    pub fn leaves(&self) -> Vec<&LeafStatistics> {
        let mut leaves = Vec::new();
        self.root.collect_leaves(&mut leaves);
        leaves
    }

    /// The statistics of the leaves, to be replaced.
    pub fn leaves_mut(&mut self) -> Vec<&mut LeafStatistics> {
        let mut leaves = Vec::new();
        self.root.collect_leaves_mut(&mut leaves);
        leaves
    }
}

impl Node {
    fn new(column_type: &ColumnType, settings: Settings) -> Result<Node> {
        let fields = |fields: &[Field]| -> Result<Box<[Node]>> {
            fields.iter().map(|field| Node::new(&field.column_type, settings)).collect()
        };
        Ok(match column_type.base() {
            ColumnType::Struct(parts) => Node::Struct(fields(parts)?),
            ColumnType::Union(parts) => Node::Union(fields(parts)?),
            ColumnType::List(element) | ColumnType::Array(element, _) => {
                Node::List(Box::new(Node::new(element, settings)?))
            }
            ColumnType::Map(entry) => {
                let parts = [Node::new(&entry.0, settings)?, Node::new(&entry.1, settings)?];
                Node::List(Box::new(Node::Struct(Box::new(parts))))
            }
            _ => Node::Leaf(LeafStatistics::new(column_type, settings)?),
        })
    }

    fn update<'a, S: Strings<'a>>(&mut self, column: &Column<'a, S>, rows: Range<usize>) {
        match (self, &column.values) {
            (Node::Leaf(leaf), _) => leaf.update(column, rows),
            (Node::Struct(nodes), Values::Struct(children)) => {
                // A NULL struct says nothing of its fields: their own masks do not count there.
                column.validity.for_each_run(rows, |is_valid, run| {
                    for (node, child) in nodes.iter_mut().zip(children) {
                        if is_valid {
                            node.update(child, run.clone());
                        } else {
                            node.add_nulls(run.len() as u64);
                        }
                    }
                });
            }
            (Node::List(node), Values::List { entries, child }) => {
                node.update_list(entries, column.validity, child, rows);
            }
            (Node::List(node), Values::Array { size, child }) => {
                column.validity.for_each_run(rows, |is_valid, run| {
                    if is_valid {
                        node.update(child, run.start * size..run.end * size);
                    } else {
                        node.add_nulls(run.len() as u64);
                    }
                });
            }
            (Node::Union(nodes), Values::Union { tags, members }) => {
                update_union(nodes, tags, column.validity, members, rows);
            }
            // The column is built from the type this tree was built from: no other pair exists.
            (node, _) => node.add_nulls(rows.len() as u64),
        }
    }

    /// Hands down the elements of lists. Lists that follow each other in the child make one range, so
    /// that a chunk of short lists is still one kernel call.
    fn update_list<'a, S: Strings<'a>>(
        &mut self,
        entries: &[ListEntry],
        validity: Validity<'_>,
        child: &Column<'a, S>,
        rows: Range<usize>,
    ) {
        let mut pending = 0..0;
        let mut childless = 0;
        for row in rows {
            let entry = entries.get(row).filter(|entry| validity.is_valid(row) && entry.length > 0);
            let Some((start, length)) = entry.and_then(|entry| {
                Some((usize::try_from(entry.offset).ok()?, usize::try_from(entry.length).ok()?))
            }) else {
                childless += 1;
                continue;
            };
            if start == pending.end {
                pending.end += length;
            } else {
                if !pending.is_empty() {
                    self.update(child, pending);
                }
                pending = start..start + length;
            }
        }
        if !pending.is_empty() {
            self.update(child, pending);
        }
        self.add_nulls(childless);
    }

    /// Counts entries that a NULL or empty container above leaves empty.
    fn add_nulls(&mut self, count: u64) {
        match self {
            Node::Leaf(leaf) => leaf.null_count += count,
            Node::List(node) => node.add_nulls(count),
            Node::Struct(nodes) | Node::Union(nodes) => {
                nodes.iter_mut().for_each(|node| node.add_nulls(count));
            }
        }
    }

    fn merge(&mut self, other: &Node) -> Result<()> {
        match (self, other) {
            (Node::Leaf(leaf), Node::Leaf(other)) => leaf.merge(other),
            (Node::List(node), Node::List(other)) => node.merge(other),
            (Node::Struct(nodes), Node::Struct(others))
            | (Node::Union(nodes), Node::Union(others)) => {
                nodes.iter_mut().zip(others).try_for_each(|(node, other)| node.merge(other))
            }
            _ => Err(Error::new("statistics of different types do not merge")),
        }
    }

    fn collect_leaves<'a>(&'a self, leaves: &mut Vec<&'a LeafStatistics>) {
        match self {
            Node::Leaf(leaf) => leaves.push(leaf),
            Node::List(node) => node.collect_leaves(leaves),
            Node::Struct(nodes) | Node::Union(nodes) => {
                nodes.iter().for_each(|node| node.collect_leaves(leaves));
            }
        }
    }

    fn collect_leaves_mut<'a>(&'a mut self, leaves: &mut Vec<&'a mut LeafStatistics>) {
        match self {
            Node::Leaf(leaf) => leaves.push(leaf),
            Node::List(node) => node.collect_leaves_mut(leaves),
            Node::Struct(nodes) | Node::Union(nodes) => {
                nodes.iter_mut().for_each(|node| node.collect_leaves_mut(leaves));
            }
        }
    }
}

/// Each row of a union holds one member; for the others it counts as NULL.
fn update_union<'a, S: Strings<'a>>(
    nodes: &mut [Node],
    tags: &[u8],
    validity: Validity<'_>,
    members: &[Column<'a, S>],
    rows: Range<usize>,
) {
    let member_at = |row: usize| tags.get(row).filter(|_| validity.is_valid(row)).copied();
    let mut start = rows.start;
    while start < rows.end {
        let member = member_at(start);
        let mut end = start + 1;
        while end < rows.end && member_at(end) == member {
            end += 1;
        }
        for (index, (node, column)) in nodes.iter_mut().zip(members).enumerate() {
            if member.map(usize::from) == Some(index) {
                node.update(column, start..end);
            } else {
                node.add_nulls((end - start) as u64);
            }
        }
        start = end;
    }
}
