//! What columns hold in files that are older than they are: the default that they were added with.

use std::collections::HashSet;

use super::catalogue::{LakeTable, Node};
use super::scan::Builder;
use crate::function::file::columns::SourceColumn;
use crate::sql::file::statement::LeafRow;
use crate::sql::lake::expressions::{default_value, part_default, struct_at};
use crate::sql::lake::files::MappedName;
use crate::sql::lake::statement::{ConstantOf, LakeConstant};

/// The columns of a table that some files hold.
#[derive(Default)]
pub(super) struct Met {
    pub ids: Vec<i64>,
    pub columns: Vec<MetColumn>,
    /// Top-level columns that the files do not hold at all.
    pub absent_roots: HashSet<i64>,
}

impl Met {
    /// Notes which columns files with these names do not hold.
    pub fn note_unnamed(&mut self, table: &LakeTable, names: &[MappedName]) {
        let is_named = |id: &i64| names.iter().any(|name| name.column_id == *id);
        let roots = table.nodes.iter().filter(|(_, node)| node.parent.is_none()).map(|(id, _)| *id);
        self.absent_roots = roots.filter(|id| !is_named(id)).collect();
    }

    /// Notes which columns are younger than files of up to this snapshot.
    pub fn note_younger(&mut self, table: &LakeTable, last_snapshot: i64) {
        let is_younger = |node: &Node| node.parent.is_none() && node.first_snapshot > last_snapshot;
        let roots = table.nodes.iter().filter(|(_, node)| is_younger(node)).map(|(id, _)| *id);
        self.absent_roots = roots.collect();
    }
}

/// A column of the files, with the ids and paths of its leaves that the table has.
pub(super) struct MetColumn {
    pub column: SourceColumn,
    pub leaves: Vec<(i64, Vec<String>)>,
}

impl Builder<'_> {
    /// What the columns that a group lacks hold there. A part of structs has its default only where there is a struct:
    /// the column that holds it is looked at. Every other one holds its default in all rows.
    pub(super) fn add_defaults(
        &mut self,
        group: usize,
        table: &LakeTable,
        met: &Met,
        expressions: &mut Vec<String>,
    ) {
        if !self.extent.is_table_wide {
            return;
        }
        let absent = table.nodes.iter().filter(|(id, n)| n.is_leaf && !met.ids.contains(id));
        for (column_id, node) in absent {
            // A nested column has no default of its own: where it is absent, so are its parts.
            let is_part_of_nothing = node.parent.is_some()
                && way_to(table, *column_id)
                    .first()
                    .is_some_and(|root| met.absent_roots.contains(root));
            let value = node.initial_default.as_deref().filter(|_| !is_part_of_nothing);
            match value.and_then(|_| parent_expression(table, met, *column_id)) {
                Some(parent) => self.add_part(group, *column_id, node, &parent, expressions),
                None => self.statement.constants.push(LakeConstant {
                    of: ConstantOf::Default { group },
                    column_id: *column_id,
                    value: default_value(value),
                    lake_type: node.lake_type.clone(),
                }),
            }
        }
    }

    fn add_part(
        &mut self,
        group: usize,
        column_id: i64,
        node: &Node,
        parent: &str,
        expressions: &mut Vec<String>,
    ) {
        let own = node.lake_type.constant_type();
        let scanned = node.lake_type.scan_type(false).unwrap_or_else(|| own.clone());
        let default = node.initial_default.as_deref();
        expressions.push(part_default(parent, default, &own, &scanned));
        self.statement.filled_in.insert((group, column_id));
        self.statement.leaves.push(LeafRow {
            schema: group,
            column_position: expressions.len(),
            leaf_position: 1,
            column_id: Some(column_id),
            column_name: String::new(),
            column_type: scanned,
            is_floating: false,
            empty_extra_stats: None,
            chunks: None,
        });
    }
}

/// The nearest struct above a leaf that the files hold, as an expression. `None` where there is none, or where a list
/// or a map lies between.
fn parent_expression(table: &LakeTable, met: &Met, column_id: i64) -> Option<String> {
    let way = way_to(table, column_id);
    let (_, above) = way.split_last()?;
    let is_struct = |id: &i64| table.nodes.get(id).is_some_and(|n| n.lake_type.name() == "struct");
    if !above.iter().all(is_struct) {
        return None;
    }
    (1..=above.len()).rev().find_map(|depth| {
        let ancestors = above.get(..depth)?;
        met.columns.iter().find_map(|met| {
            let holds = |(id, _): &&(i64, Vec<String>)| {
                way_to(table, *id).get(..depth).is_some_and(|way| way == ancestors)
            };
            let (_, path) = met.leaves.iter().find(holds)?;
            struct_at(&met.column.name, &met.column.column_type, path.get(..depth - 1)?)
        })
    })
}

/// The ids from the top-level column down to a node.
fn way_to(table: &LakeTable, column_id: i64) -> Vec<i64> {
    let parent = |id: &i64| table.nodes.get(id)?.parent;
    // A damaged catalogue may go round in a circle.
    let mut way: Vec<i64> = std::iter::successors(Some(column_id), parent).take(1_000).collect();
    way.reverse();
    way
}
