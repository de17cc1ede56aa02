//! What a DuckLake catalogue says: the tables of a snapshot with their columns, data files, name mappings
//! and inlined rows. Reads the catalogue's own tables and nothing else.
//!
//! Catalogues from 0.3 to 1.1 differ in what tables and columns they have. What is absent reads as NULL or
//! as empty; only what cannot be done without is asked for by name.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::encrypted::FormerColumn;
use super::options::LakeOptions;
use crate::ffi::rows::Row;
use crate::ffi::session::Session;
use crate::output::ducklake::lake_type::{LakeType, Place};
use crate::sql::quote::{identifier, text};
use colstats_core::error::{Error, Result};

/// The catalogue at one snapshot.
pub struct Lake {
    /// The quoted prefix of the catalogue's tables.
    pub metadata: String,
    pub snapshot: i64,
    pub tables: BTreeMap<i64, LakeTable>,
    pub files: Vec<DataFile>,
    pub mappings: HashMap<i64, Vec<MappedName>>,
    pub inlined: Vec<InlinedTable>,
    /// The tables of which the inlined rows cannot be read, by id, and why.
    pub without_inlined: BTreeMap<i64, Error>,
}

/// A table, with its columns as they are at the snapshot.
pub struct LakeTable {
    pub schema_name: String,
    pub table_name: String,
    pub path: String,
    /// By column id.
    pub nodes: BTreeMap<i64, Node>,
    /// What the columns were at any snapshot, in their order; asked for in encrypted lakes only.
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

/// One name of the mapping that an added file is read by.
pub struct MappedName {
    pub number: i64,
    pub parent: Option<i64>,
    pub source_name: String,
    pub column_id: i64,
    pub is_partition: bool,
    /// What the column was then, where that is known.
    pub lake_type: Option<LakeType>,
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

/// Reads a catalogue.
pub(super) struct Reader<'call> {
    pub(super) session: &'call Session,
    pub(super) metadata: String,
}

impl Lake {
    /// Reads the catalogue of the lake that the options name, all of it as it is at one moment. Inlined rows
    /// may be moved into files the moment after: where they are needed, they are copied.
    pub fn read(
        options: &LakeOptions,
        needs_inlined_rows: bool,
        session: &Session,
    ) -> Result<Lake> {
        check_is_attached(&options.lake, session)?;
        let reader = Reader { session, metadata: metadata_prefix(options) };
        session.change("BEGIN TRANSACTION")?;
        let lake = reader.lake(options, needs_inlined_rows);
        session.change(if lake.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        lake
    }

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
            if above.lake_type.name() != "struct" {
                place = Place::Repeated;
            }
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
}

const UNREADABLE: &str = "the DuckLake catalogue could not be read";

/// Whether DuckDB says that the table itself is not there, or all that it would be in, and not something that
/// a view of that name needs.
fn is_absence_of(name: &str, error: &Error) -> bool {
    let message = error.to_string();
    message.contains(&format!("Table with name {name} does not exist"))
        || message.contains(&format!(".{name}\" does not exist because"))
}

/// The names of attached databases are found without regard to the case of ASCII letters, as DuckDB does.
fn check_is_attached(lake: &str, session: &Session) -> Result<()> {
    let mut found = None;
    session.query("SELECT database_name, type FROM duckdb_databases()")?.for_each(|row| {
        let name = row.text(0).unwrap_or_default();
        if name == lake || (found.is_none() && name.eq_ignore_ascii_case(lake)) {
            found = Some(owned(row, 1));
        }
        Ok(())
    })?;
    match found.as_deref() {
        Some("ducklake") => Ok(()),
        Some(other) => Err(Error::new(format!(
            "database '{lake}' is not a DuckLake but of type {other}; name a lake attached with \
             ATTACH 'ducklake:...' AS my_lake"
        ))),
        None => Err(Error::new(format!(
            "no database '{lake}' is attached; ATTACH 'ducklake:...' AS {} first",
            identifier(lake)
        ))),
    }
}

fn metadata_prefix(options: &LakeOptions) -> String {
    let usual = format!("__ducklake_metadata_{}", options.lake);
    let catalog = identifier(options.metadata_catalog.as_deref().unwrap_or(&usual));
    match &options.metadata_schema {
        Some(schema) => format!("{catalog}.{}", identifier(schema)),
        None => catalog,
    }
}

/// Whether a versioned row is valid at a snapshot.
pub(super) fn at(alias: &str, snapshot: impl std::fmt::Display) -> String {
    format!(
        "({snapshot} >= {alias}.begin_snapshot AND \
         ({alias}.end_snapshot IS NULL OR {snapshot} < {alias}.end_snapshot))"
    )
}

pub(super) fn required(row: &Row<'_>, column: usize, what: &str) -> Result<i64> {
    row.integer(column).ok_or_else(|| Error::new(format!("the catalogue has a NULL in {what}")))
}

pub(super) fn owned(row: &Row<'_>, column: usize) -> String {
    row.text(column).unwrap_or_default().to_owned()
}

/// A path of the catalogue below its parent's, or as it stands.
pub(super) fn resolve(parent: &str, row: &Row<'_>, path: usize, is_relative: usize) -> String {
    let path = row.text(path).unwrap_or_default();
    if row.integer(is_relative) == Some(1) { format!("{parent}{path}") } else { path.to_owned() }
}

impl Reader<'_> {
    fn lake(&self, options: &LakeOptions, needs_inlined_rows: bool) -> Result<Lake> {
        let snapshot = self.snapshot(options.snapshot)?;
        let mut tables = self.tables(options, snapshot)?;
        self.add_nodes(&mut tables, snapshot)?;
        let files = self.files(&tables, snapshot)?;
        if files.iter().any(|file| file.encryption_key.is_some()) {
            self.add_former_columns(&mut tables)?;
        }
        let mappings = self.mappings()?;
        let (mut inlined, without_inlined) = self.inlined(&tables)?;
        let deleted = self.tables_with_deletes(&tables, &inlined)?;
        for table_id in deleted.iter().chain(without_inlined.keys()) {
            if let Some(table) = tables.get_mut(table_id) {
                table.has_all_rows = false;
            }
        }
        if needs_inlined_rows {
            self.copy_inlined_rows(&mut inlined)?;
        }
        let metadata = self.metadata.clone();
        Ok(Lake { metadata, snapshot, tables, files, mappings, inlined, without_inlined })
    }

    pub(super) fn table(&self, name: &str) -> String {
        format!("{}.{name}", self.metadata)
    }

    /// The columns that a table of the catalogue has; `None` where there is no such table. One that is there
    /// and cannot be read is an error: what is in it must not be taken for absent.
    pub(super) fn columns(&self, name: &str) -> Result<Option<Vec<String>>> {
        match self
            .session
            .query(&format!("SELECT * FROM {} LIMIT 0", self.table(&identifier(name))))
        {
            Ok(mut rows) => Ok(Some(rows.columns().into_iter().map(|(name, _)| name).collect())),
            Err(error) if is_absence_of(name, &error) => Ok(None),
            Err(error) => Err(error.context(UNREADABLE)),
        }
    }

    /// The columns of a table that cannot be done without.
    pub(super) fn required_columns(&self, name: &str) -> Result<Vec<String>> {
        self.columns(name)?.ok_or_else(|| {
            Error::new(format!(
                "the catalogue has no table {} (is it a DuckLake catalogue of version 0.3 to 1.1? \
                 metadata_catalog and metadata_schema say where else its tables are)",
                self.table(&identifier(name))
            ))
        })
    }

    pub(super) fn each(
        &self,
        statement: &str,
        visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let rows = self.session.query(statement);
        rows.map_err(|error| error.context(UNREADABLE))?.for_each(visit)
    }

    fn snapshot(&self, asked: Option<i64>) -> Result<i64> {
        self.required_columns("ducklake_snapshot")?;
        let mut range = (None, None);
        let statement = format!(
            "SELECT CAST(min(snapshot_id) AS BIGINT), CAST(max(snapshot_id) AS BIGINT) FROM {}",
            self.table("ducklake_snapshot")
        );
        self.each(&statement, |row| {
            range = (row.integer(0), row.integer(1));
            Ok(())
        })?;
        let (Some(first), Some(last)) = range else {
            return Err(Error::new("the catalogue has no snapshot"));
        };
        match asked {
            Some(snapshot) if !(first..=last).contains(&snapshot) => Err(Error::new(format!(
                "snapshot {snapshot} is not in the catalogue, which has {first} to {last}"
            ))),
            asked => Ok(asked.unwrap_or(last)),
        }
    }

    /// The folder of the lake's files, as DuckLake resolves it, with a slash at its end.
    fn data_path(&self, lake: &str) -> Result<String> {
        let stored = format!(
            "SELECT CAST(value AS VARCHAR) FROM {} WHERE key = 'data_path' AND scope IS NULL",
            self.table("ducklake_metadata")
        );
        let resolved = format!("SELECT data_path FROM ducklake_settings({})", text(lake));
        let rows = self.session.query(&resolved).or_else(|_| self.session.query(&stored))?;
        let mut path = String::new();
        rows.for_each(|row| {
            path = owned(row, 0);
            Ok(())
        })?;
        Ok(format!("{}/", path.trim_end_matches('/')))
    }

    fn tables(&self, options: &LakeOptions, snapshot: i64) -> Result<BTreeMap<i64, LakeTable>> {
        let data_path = self.data_path(&options.lake)?;
        let is_asked = |name: &str, asked: &Option<String>| {
            asked.as_ref().is_none_or(|asked| asked.eq_ignore_ascii_case(name))
        };
        let statement = format!(
            "SELECT CAST(t.table_id AS BIGINT), CAST(s.schema_name AS VARCHAR), \
             CAST(t.table_name AS VARCHAR), CAST(s.path AS VARCHAR), \
             CAST(CAST(s.path_is_relative AS BOOLEAN) AS BIGINT), CAST(t.path AS VARCHAR), \
             CAST(CAST(t.path_is_relative AS BOOLEAN) AS BIGINT) \
             FROM {} t JOIN {} s USING (schema_id) WHERE {} AND {} ORDER BY 1",
            self.table("ducklake_table"),
            self.table("ducklake_schema"),
            at("t", snapshot),
            at("s", snapshot),
        );
        let mut tables = BTreeMap::new();
        self.each(&statement, |row| {
            let (schema_name, table_name) = (owned(row, 1), owned(row, 2));
            if !is_asked(&table_name, &options.table_name)
                || !is_asked(&schema_name, &options.schema_name)
            {
                return Ok(());
            }
            let schema_path = resolve(&data_path, row, 3, 4);
            let table = LakeTable {
                schema_name,
                table_name,
                path: resolve(&schema_path, row, 5, 6),
                nodes: BTreeMap::new(),
                former_columns: Vec::new(),
                has_all_rows: true,
            };
            tables.insert(required(row, 0, "ducklake_table.table_id")?, table);
            Ok(())
        })?;
        let asked = [options.schema_name.as_deref(), options.table_name.as_deref()];
        if tables.is_empty() && asked.iter().any(Option::is_some) {
            let what = match asked {
                [Some(schema), None] => format!("schema '{schema}' with tables"),
                [Some(schema), Some(table)] => format!("table '{table}' in schema '{schema}'"),
                [_, table] => format!("table '{}'", table.unwrap_or_default()),
            };
            return Err(Error::new(format!(
                "lake '{}' has no {what} at snapshot {snapshot}; a table is named by \
                 schema_name := '...', table_name := '...'",
                options.lake
            )));
        }
        Ok(tables)
    }

    fn add_nodes(&self, tables: &mut BTreeMap<i64, LakeTable>, snapshot: i64) -> Result<()> {
        let statement = format!(
            "SELECT CAST(table_id AS BIGINT), CAST(column_id AS BIGINT), CAST(column_name AS VARCHAR), \
             CAST(column_type AS VARCHAR), CAST(parent_column AS BIGINT), \
             CAST(initial_default AS VARCHAR), CAST(f.first_snapshot AS BIGINT) FROM {0} c \
             JOIN (SELECT table_id, column_id, min(begin_snapshot) AS first_snapshot FROM {0} \
             GROUP BY ALL) f USING (table_id, column_id) WHERE {1} ORDER BY 1, 2",
            self.table("ducklake_column"),
            at("c", snapshot)
        );
        self.each(&statement, |row| {
            let Some(table) = tables.get_mut(&required(row, 0, "ducklake_column.table_id")?) else {
                return Ok(());
            };
            let node = Node {
                name: owned(row, 2),
                lake_type: LakeType::new(row.text(3).unwrap_or_default()),
                parent: row.integer(4),
                is_leaf: true,
                initial_default: row.text(5).map(str::to_owned),
                first_snapshot: row.integer(6).unwrap_or(0),
            };
            table.nodes.insert(required(row, 1, "ducklake_column.column_id")?, node);
            Ok(())
        })?;
        for table in tables.values_mut() {
            let parents: HashSet<i64> =
                table.nodes.values().filter_map(|node| node.parent).collect();
            for (column_id, node) in &mut table.nodes {
                node.is_leaf = !parents.contains(column_id);
            }
        }
        Ok(())
    }
}
