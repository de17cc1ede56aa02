//! What a DuckLake catalogue says: the tables of a snapshot with their columns, data files, name mappings
//! and inlined rows.
//!
//! Catalogues from 0.3 to 1.1 differ in what tables and columns they have. What is absent reads as NULL or
//! as empty; only what cannot be done without is asked for by name.

mod files;
mod inlined;
mod read;
mod reader;
mod tables;

use std::collections::{BTreeMap, HashMap};

use crate::output::ducklake::lake_type::{LakeType, Place};
use crate::sql::lake::catalogue::FormerColumn;
use crate::sql::lake::files::MappedName;
use colstats_core::error::{Error, Result};

pub use read::read_lake;

/// The catalogue at one snapshot.
pub struct Lake {
    /// The quoted prefix of the catalogue's tables.
    pub metadata: String,
    pub snapshot: i64,
    pub tables: BTreeMap<i64, LakeTable>,
    pub files: Vec<DataFile>,
    pub mappings: HashMap<i64, Vec<MappedName>>,
    pub inlined: Vec<InlinedTable>,
    /// The tables whose inlined rows cannot be read, by id, and why.
    pub without_inlined: BTreeMap<i64, Error>,
}

/// A table, with its columns as they are at the snapshot.
pub struct LakeTable {
    pub schema_name: String,
    pub table_name: String,
    pub path: String,
    /// By column id.
    pub nodes: BTreeMap<i64, Node>,
    /// What the columns were at any snapshot; known in encrypted lakes only.
    pub former_columns: Vec<FormerColumn>,
    /// No row was ever deleted, as far as the catalogue knows.
    pub has_all_rows: bool,
}

/// A column, or a part of a nested one.
#[derive(Debug, Clone)]
pub struct Node {
    pub name: String,
    pub lake_type: LakeType,
    pub parent: Option<i64>,
    pub is_leaf: bool,
    /// What older files are taken to hold.
    pub initial_default: Option<String>,
    /// The snapshot that added it.
    pub first_snapshot: i64,
}

/// A data file, also one that a later snapshot no longer has.
pub struct DataFile {
    pub data_file_id: i64,
    pub table_id: i64,
    pub path: String,
    pub record_count: i64,
    pub mapping_id: Option<i64>,
    pub encryption_key: Option<String>,
    pub begin_snapshot: i64,
    pub is_parquet: bool,
    /// The snapshot has it.
    pub is_current: bool,
}

/// A table of the catalogue that holds rows of a lake's table.
pub struct InlinedTable {
    pub table_id: i64,
    /// Quoted. The copy of the table, once there is one.
    pub reference: String,
    /// The column that tells deleted rows; DuckLake 1.1 calls it otherwise than 1.0.
    pub end_snapshot: String,
    /// What its columns and their parts are called, and which columns they are.
    pub names: Vec<MappedName>,
}

impl Lake {
    /// The top-level column that a column is, or is a part of.
    pub fn root(&self, table_id: i64, column_id: i64) -> i64 {
        let nodes = self.tables.get(&table_id).map(|table| &table.nodes);
        let parent = |id: i64| nodes?.get(&id)?.parent;
        std::iter::successors(Some(column_id), |id| parent(*id)).last().unwrap_or(column_id)
    }

    /// Where a leaf lies.
    pub fn place(&self, table_id: i64, column_id: i64) -> Place {
        let nodes = self.tables.get(&table_id).map(|table| &table.nodes);
        let node = |id: i64| nodes.and_then(|nodes| nodes.get(&id));
        let mut parent = node(column_id).and_then(|node| node.parent);
        let mut place = if parent.is_none() { Place::TopLevel } else { Place::StructPart };
        while let Some(above) = parent.and_then(node) {
            place = match above.lake_type.name() {
                "struct" => place,
                "map" => return Place::MapPart,
                _ => Place::ListPart,
            };
            parent = above.parent;
        }
        place
    }

    /// The dotted path of a column.
    pub fn column_path(&self, table_id: i64, column_id: i64) -> Vec<&str> {
        let mut path = Vec::new();
        let mut next = Some(column_id);
        while let Some(node) = next.and_then(|id| self.tables.get(&table_id)?.nodes.get(&id)) {
            path.push(node.name.as_str());
            next = node.parent.filter(|_| path.len() < 1_000);
        }
        path.reverse();
        path
    }

    /// The error of a table whose inlined rows are wanted and cannot be read.
    pub fn check_inlined(&self, table: Option<i64>) -> Result<()> {
        let is_asked = |id: &i64| table.is_none_or(|asked| asked == *id);
        let mut errors = self.without_inlined.iter().filter(|(id, _)| is_asked(id));
        errors.next().map_or(Ok(()), |(_, error)| Err(error.clone()))
    }
}
