//! Statements over a DuckLake catalogue: snapshots, tables and columns. `metadata` is the quoted prefix of its tables.

use crate::output::ducklake::lake_type::LakeType;
use crate::sql::quote::{identifier, text};
use colstats_core::error::{Error, Result};
use colstats_core::query::{NamedValues, Query};

/// What any session answers that can answer at all.
pub fn sign_of_life() -> Query<()> {
    Query::new("SELECT 1", |_| ())
}

/// An attached database.
pub struct Database {
    pub name: String,
    pub kind: String,
}

pub fn databases() -> Query<Database> {
    Query::new("SELECT database_name, type FROM duckdb_databases()", |row| Database {
        name: row.owned_text("database_name").unwrap_or_default(),
        kind: row.owned_text("type").unwrap_or_default(),
    })
}

/// The prefix of the tables of a lake's catalogue, in the database and schema given, or where DuckLake puts them.
pub fn metadata_prefix(lake: &str, catalog: Option<&str>, schema: Option<&str>) -> String {
    let usual = format!("__ducklake_metadata_{lake}");
    let catalog = identifier(catalog.unwrap_or(&usual));
    match schema {
        Some(schema) => format!("{catalog}.{}", identifier(schema)),
        None => catalog,
    }
}

/// A table of the catalogue by any name.
pub fn table(metadata: &str, name: &str) -> String {
    format!("{metadata}.{}", identifier(name))
}

/// The columns of a source; no row is read.
pub fn columns_of(source: &str) -> String {
    format!("SELECT * FROM {source} LIMIT 0")
}

/// All that is read of one catalogue belongs to one moment.
pub const BEGIN: &str = "BEGIN TRANSACTION";
pub const COMMIT: &str = "COMMIT";
pub const ROLLBACK: &str = "ROLLBACK";

/// The oldest and the newest snapshot.
pub fn snapshot_range(metadata: &str) -> Query<Option<(i64, i64)>> {
    let statement = format!(
        "SELECT CAST(min(snapshot_id) AS BIGINT) AS first, CAST(max(snapshot_id) AS BIGINT) AS last \
         FROM {metadata}.ducklake_snapshot"
    );
    Query::new(statement, |row| row.integer("first").zip(row.integer("last")))
}

/// The folder of a lake's files as DuckLake resolves it.
pub fn resolved_data_path(lake: &str) -> Query<String> {
    let statement = format!(
        "SELECT CAST(data_path AS VARCHAR) AS data_path FROM ducklake_settings({})",
        text(lake)
    );
    Query::new(statement, |row| row.owned_text("data_path").unwrap_or_default())
}

/// The folder of a lake's files as the catalogue has it.
pub fn stored_data_path(metadata: &str) -> Query<String> {
    let statement = format!(
        "SELECT CAST(value AS VARCHAR) AS data_path FROM {metadata}.ducklake_metadata \
         WHERE key = 'data_path' AND scope IS NULL"
    );
    Query::new(statement, |row| row.owned_text("data_path").unwrap_or_default())
}

/// A path as the catalogue has it.
pub struct CataloguePath {
    text: String,
    is_relative: bool,
}

impl CataloguePath {
    pub(super) fn read(row: &dyn NamedValues, path: &str, is_relative: &str) -> CataloguePath {
        CataloguePath {
            text: row.owned_text(path).unwrap_or_default(),
            is_relative: row.flag(is_relative) == Some(true),
        }
    }

    /// The path below its parent's, or as it stands.
    pub fn below(&self, parent: &str) -> String {
        if self.is_relative { format!("{parent}{}", self.text) } else { self.text.clone() }
    }
}

/// An id that cannot be done without.
pub(super) fn required(row: &dyn NamedValues, table: &str, column: &str) -> Result<i64> {
    row.integer(column)
        .ok_or_else(|| Error::new(format!("the catalogue has a NULL in {table}.{column}")))
}

/// Whether a versioned row is valid at a snapshot.
pub(super) fn at(alias: &str, snapshot: impl std::fmt::Display) -> String {
    format!(
        "({snapshot} >= {alias}.begin_snapshot AND \
         ({alias}.end_snapshot IS NULL OR {snapshot} < {alias}.end_snapshot))"
    )
}

/// A table of a lake.
pub struct TableRow {
    pub table_id: i64,
    pub schema_name: String,
    pub table_name: String,
    pub schema_path: CataloguePath,
    pub table_path: CataloguePath,
}

/// The tables of a snapshot.
pub fn tables(metadata: &str, snapshot: i64) -> Query<Result<TableRow>> {
    let statement = format!(
        "SELECT CAST(t.table_id AS BIGINT) AS table_id, CAST(s.schema_name AS VARCHAR) AS schema_name, \
         CAST(t.table_name AS VARCHAR) AS table_name, CAST(s.path AS VARCHAR) AS schema_path, \
         CAST(s.path_is_relative AS BOOLEAN) AS schema_path_is_relative, \
         CAST(t.path AS VARCHAR) AS table_path, \
         CAST(t.path_is_relative AS BOOLEAN) AS table_path_is_relative \
         FROM {metadata}.ducklake_table t JOIN {metadata}.ducklake_schema s USING (schema_id) \
         WHERE {} AND {} ORDER BY 1",
        at("t", snapshot),
        at("s", snapshot),
    );
    Query::new(statement, |row| {
        Ok(TableRow {
            table_id: required(row, "ducklake_table", "table_id")?,
            schema_name: row.owned_text("schema_name").unwrap_or_default(),
            table_name: row.owned_text("table_name").unwrap_or_default(),
            schema_path: CataloguePath::read(row, "schema_path", "schema_path_is_relative"),
            table_path: CataloguePath::read(row, "table_path", "table_path_is_relative"),
        })
    })
}

/// A column of a table, or a part of a nested one.
pub struct ColumnRow {
    pub table_id: i64,
    pub column_id: i64,
    pub parent: Option<i64>,
    pub name: String,
    pub lake_type: LakeType,
    pub initial_default: Option<String>,
    /// The snapshot that added it.
    pub first_snapshot: i64,
}

/// The columns of a snapshot.
pub fn columns(metadata: &str, snapshot: i64) -> Query<Result<ColumnRow>> {
    let statement = format!(
        "SELECT CAST(table_id AS BIGINT) AS table_id, CAST(column_id AS BIGINT) AS column_id, \
         CAST(parent_column AS BIGINT) AS parent_column, CAST(column_name AS VARCHAR) AS column_name, \
         CAST(column_type AS VARCHAR) AS column_type, \
         CAST(initial_default AS VARCHAR) AS initial_default, \
         CAST(f.first_snapshot AS BIGINT) AS first_snapshot FROM {metadata}.ducklake_column c \
         JOIN (SELECT table_id, column_id, min(begin_snapshot) AS first_snapshot \
         FROM {metadata}.ducklake_column GROUP BY ALL) f USING (table_id, column_id) \
         WHERE {} ORDER BY 1, 2",
        at("c", snapshot)
    );
    Query::new(statement, |row| {
        Ok(ColumnRow {
            table_id: required(row, "ducklake_column", "table_id")?,
            column_id: required(row, "ducklake_column", "column_id")?,
            parent: row.integer("parent_column"),
            name: row.owned_text("column_name").unwrap_or_default(),
            lake_type: LakeType::new(row.text("column_type").unwrap_or_default()),
            initial_default: row.owned_text("initial_default"),
            first_snapshot: row.integer("first_snapshot").unwrap_or(0),
        })
    })
}

/// What a column, or a part of a nested one, was from one snapshot to another.
pub struct FormerColumn {
    pub table_id: i64,
    pub column_id: i64,
    pub parent: Option<i64>,
    /// It was dropped, or became what a later row says.
    pub has_ended: bool,
}

/// The columns of all snapshots.
pub fn former_columns(metadata: &str) -> Query<Result<FormerColumn>> {
    let statement = format!(
        "SELECT CAST(table_id AS BIGINT) AS table_id, CAST(column_id AS BIGINT) AS column_id, \
         CAST(parent_column AS BIGINT) AS parent_column, end_snapshot IS NOT NULL AS has_ended \
         FROM {metadata}.ducklake_column"
    );
    Query::new(statement, |row| {
        Ok(FormerColumn {
            table_id: required(row, "ducklake_column", "table_id")?,
            column_id: required(row, "ducklake_column", "column_id")?,
            parent: row.integer("parent_column"),
            has_ended: row.flag("has_ended") == Some(true),
        })
    })
}
