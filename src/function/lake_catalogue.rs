//! What a DuckLake catalogue says: the tables of a snapshot with their columns, data files, name mappings
//! and inlined rows. Reads the catalogue's own tables and nothing else.
//!
//! Catalogues from 0.3 to 1.1 differ in what tables and columns they have. What is absent reads as NULL or
//! as empty; only what cannot be done without is asked for by name.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::lake_options::LakeOptions;
use crate::error::{Error, Result};
use crate::ffi::session::{Row, Session};
use crate::output::lake_type::LakeType;
use crate::sql::quote::{identifier, text};

/// The catalogue at one snapshot.
pub struct Lake {
    /// The quoted prefix of the catalogue's tables.
    pub metadata: String,
    pub snapshot: i64,
    pub tables: BTreeMap<i64, LakeTable>,
    pub files: Vec<DataFile>,
    pub mappings: HashMap<i64, Vec<MappedName>>,
    pub inlined: Vec<InlinedTable>,
}

/// A table, with its columns as they are at the snapshot.
pub struct LakeTable {
    pub schema_name: String,
    pub table_name: String,
    path: String,
    /// By column id.
    pub nodes: BTreeMap<i64, Node>,
    /// Nested columns whose parts cannot be told by name; asked for in encrypted lakes only.
    pub renamed_roots: HashSet<i64>,
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
    /// Quoted.
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
    /// Reads the catalogue of the lake that the options name.
    pub fn read(options: &LakeOptions, session: &Session) -> Result<Lake> {
        check_is_attached(&options.lake, session)?;
        let reader = Reader { session, metadata: metadata_prefix(options) };
        let snapshot = reader.snapshot(options.snapshot)?;
        let mut tables = reader.tables(options, snapshot)?;
        reader.add_nodes(&mut tables, snapshot)?;
        let files = reader.files(&tables, snapshot)?;
        if files.iter().any(|file| file.encryption_key.is_some()) {
            reader.add_renamed_roots(&mut tables)?;
        }
        let mappings = reader.mappings()?;
        let inlined = reader.inlined(&tables)?;
        for table_id in reader.tables_with_deletes(&tables, &inlined)? {
            if let Some(table) = tables.get_mut(&table_id) {
                table.has_all_rows = false;
            }
        }
        Ok(Lake { metadata: reader.metadata, snapshot, tables, files, mappings, inlined })
    }

    /// The top-level column that a column is, or is a part of.
    pub fn root(&self, table_id: i64, column_id: i64) -> i64 {
        let nodes = self.tables.get(&table_id).map(|table| &table.nodes);
        let parent = |id: i64| nodes?.get(&id)?.parent;
        std::iter::successors(Some(column_id), |id| parent(*id)).last().unwrap_or(column_id)
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

/// The names of attached databases are found without regard to case.
fn check_is_attached(lake: &str, session: &Session) -> Result<()> {
    let mut found = None;
    let statement = format!(
        "SELECT type FROM duckdb_databases() WHERE lower(database_name) = lower({})",
        text(lake)
    );
    session.query(&statement)?.for_each(|row| {
        found = Some(row.text(0).unwrap_or_default().to_owned());
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
fn resolve(parent: &str, row: &Row<'_>, path: usize, is_relative: usize) -> String {
    let path = row.text(path).unwrap_or_default();
    if row.integer(is_relative) == Some(1) { format!("{parent}{path}") } else { path.to_owned() }
}

impl Reader<'_> {
    pub(super) fn table(&self, name: &str) -> String {
        format!("{}.{name}", self.metadata)
    }

    /// The columns that a table of the catalogue has; `None` where there is no such table.
    pub(super) fn columns(&self, name: &str) -> Option<Vec<String>> {
        let statement = format!("SELECT * FROM {} LIMIT 0", self.table(name));
        let mut rows = self.session.query(&statement).ok()?;
        Some(rows.columns().into_iter().map(|(name, _)| name).collect())
    }

    /// The columns of a table that cannot be done without.
    pub(super) fn required_columns(&self, name: &str) -> Result<Vec<String>> {
        self.columns(name).ok_or_else(|| {
            Error::new(format!(
                "the catalogue has no readable table {} (is it a DuckLake catalogue of version 0.3 to \
                 1.1? metadata_catalog and metadata_schema say where else its tables are)",
                self.table(name)
            ))
        })
    }

    pub(super) fn each(
        &self,
        statement: &str,
        visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let rows = self.session.query(statement);
        rows.map_err(|error| error.context("the DuckLake catalogue could not be read"))?
            .for_each(visit)
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
        let matches = |column: &str, asked: &Option<String>| match asked {
            Some(name) => format!(" AND lower({column}) = lower({})", text(name)),
            None => String::new(),
        };
        let statement = format!(
            "SELECT CAST(t.table_id AS BIGINT), CAST(s.schema_name AS VARCHAR), \
             CAST(t.table_name AS VARCHAR), CAST(s.path AS VARCHAR), \
             CAST(CAST(s.path_is_relative AS BOOLEAN) AS BIGINT), CAST(t.path AS VARCHAR), \
             CAST(CAST(t.path_is_relative AS BOOLEAN) AS BIGINT) \
             FROM {} t JOIN {} s USING (schema_id) WHERE {} AND {}{}{} ORDER BY 1",
            self.table("ducklake_table"),
            self.table("ducklake_schema"),
            at("t", snapshot),
            at("s", snapshot),
            matches("t.table_name", &options.table_name),
            matches("s.schema_name", &options.schema_name),
        );
        let mut tables = BTreeMap::new();
        self.each(&statement, |row| {
            let schema_path = resolve(&data_path, row, 3, 4);
            let table = LakeTable {
                schema_name: owned(row, 1),
                table_name: owned(row, 2),
                path: resolve(&schema_path, row, 5, 6),
                nodes: BTreeMap::new(),
                renamed_roots: HashSet::new(),
                has_all_rows: true,
            };
            tables.insert(required(row, 0, "ducklake_table.table_id")?, table);
            Ok(())
        })?;
        let asked = [options.schema_name.as_deref(), options.table_name.as_deref()];
        if tables.is_empty() && asked.iter().any(Option::is_some) {
            let name: Vec<&str> = asked.into_iter().flatten().collect();
            return Err(Error::new(format!(
                "lake '{}' has no table '{}' at snapshot {snapshot}",
                options.lake,
                name.join(".")
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

    fn files(&self, tables: &BTreeMap<i64, LakeTable>, snapshot: i64) -> Result<Vec<DataFile>> {
        let columns = self.required_columns("ducklake_data_file")?;
        let optional = |name: &str, column_type: &str| {
            let is_there = columns.iter().any(|column| column.eq_ignore_ascii_case(name));
            let value = if is_there { format!("f.{name}") } else { "NULL".into() };
            format!("CAST({value} AS {column_type})")
        };
        let statement = format!(
            "SELECT CAST(data_file_id AS BIGINT), CAST(table_id AS BIGINT), CAST(path AS VARCHAR), \
             CAST(CAST(path_is_relative AS BOOLEAN) AS BIGINT), CAST(record_count AS BIGINT), {}, {}, \
             CAST(begin_snapshot AS BIGINT), CAST({} AS BIGINT), {} \
             FROM {} f WHERE begin_snapshot <= {snapshot} ORDER BY 1",
            optional("mapping_id", "BIGINT"),
            optional("encryption_key", "VARCHAR"),
            at("f", snapshot),
            optional("file_format", "VARCHAR"),
            self.table("ducklake_data_file"),
        );
        let mut files = Vec::new();
        self.each(&statement, |row| {
            let table_id = required(row, 1, "ducklake_data_file.table_id")?;
            let Some(table) = tables.get(&table_id) else { return Ok(()) };
            let path = resolve(&table.path, row, 2, 3);
            if row.text(9).is_some_and(|format| !format.eq_ignore_ascii_case("parquet")) {
                return Err(Error::new(format!("data file '{path}' is not Parquet")));
            }
            files.push(DataFile {
                data_file_id: required(row, 0, "ducklake_data_file.data_file_id")?,
                table_id,
                path,
                record_count: row.integer(4).unwrap_or(0),
                mapping_id: row.integer(5),
                encryption_key: row.text(6).filter(|key| !key.is_empty()).map(str::to_owned),
                begin_snapshot: row.integer(7).unwrap_or(0),
                is_current: row.integer(8) == Some(1),
            });
            Ok(())
        })?;
        Ok(files)
    }

    fn mappings(&self) -> Result<HashMap<i64, Vec<MappedName>>> {
        let mut mappings: HashMap<i64, Vec<MappedName>> = HashMap::new();
        let Some(columns) = self.columns("ducklake_name_mapping") else { return Ok(mappings) };
        let is_partition = if columns.iter().any(|column| column == "is_partition") {
            "CAST(CAST(is_partition AS BOOLEAN) AS BIGINT)"
        } else {
            "CAST(0 AS BIGINT)"
        };
        let statement = format!(
            "SELECT CAST(mapping_id AS BIGINT), CAST(column_id AS BIGINT), \
             CAST(parent_column AS BIGINT), CAST(source_name AS VARCHAR), \
             CAST(target_field_id AS BIGINT), {is_partition} FROM {} ORDER BY 1, 2",
            self.table("ducklake_name_mapping")
        );
        self.each(&statement, |row| {
            let name = MappedName {
                number: required(row, 1, "ducklake_name_mapping.column_id")?,
                parent: row.integer(2),
                source_name: owned(row, 3),
                column_id: required(row, 4, "ducklake_name_mapping.target_field_id")?,
                is_partition: row.integer(5) == Some(1),
                lake_type: None,
            };
            let mapping_id = required(row, 0, "ducklake_name_mapping.mapping_id")?;
            mappings.entry(mapping_id).or_default().push(name);
            Ok(())
        })?;
        Ok(mappings)
    }
}
