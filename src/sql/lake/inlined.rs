//! Statements over the rows of a lake that lie in its catalogue, and over the traces of deleted rows.

use super::catalogue::{at, required, table};
use super::files::MappedName;
use crate::output::ducklake::lake_type::LakeType;
use crate::sql::quote::identifier;
use colstats_core::error::Result;
use colstats_core::query::Query;

/// A column, or a part of one, of a table of inlined rows.
pub struct InlinedColumn {
    pub table_id: i64,
    /// The catalogue's name of the table that holds the rows.
    pub inlined_table: String,
    /// `None` where the version of the columns is not known.
    pub name: Option<MappedName>,
}

/// The tables of inlined rows with the columns that they had when they were made. Before DuckLake 1.1 not all versions
/// are in `ducklake_schema_versions`; the snapshots tell them too, as long as they are kept.
pub fn inlined_columns(metadata: &str, has_versions: bool) -> Query<Result<InlinedColumn>> {
    let versions = |table: &str, snapshot: &str| {
        format!("SELECT schema_version, {snapshot} AS first_snapshot FROM {metadata}.{table}")
    };
    let snapshots = versions("ducklake_snapshot", "snapshot_id");
    let known = if has_versions {
        let own = versions("ducklake_schema_versions", "begin_snapshot");
        format!("{own} UNION ALL {snapshots}")
    } else {
        snapshots
    };
    let statement = format!(
        "SELECT CAST(i.table_id AS BIGINT) AS table_id, CAST(i.table_name AS VARCHAR) AS inlined_table, \
         CAST(c.column_id AS BIGINT) AS column_id, CAST(c.parent_column AS BIGINT) AS parent_column, \
         CAST(c.column_name AS VARCHAR) AS column_name, CAST(c.column_type AS VARCHAR) AS column_type \
         FROM {metadata}.ducklake_inlined_data_tables i \
         LEFT JOIN (SELECT schema_version, min(first_snapshot) AS first_snapshot \
         FROM ({known}) GROUP BY ALL) v ON v.schema_version = i.schema_version \
         LEFT JOIN {metadata}.ducklake_column c ON c.table_id = i.table_id AND {} ORDER BY 1, 2, 3",
        at("c", "v.first_snapshot"),
    );
    Query::new(statement, |row| {
        let name = |column_id| MappedName {
            number: column_id,
            parent: row.integer("parent_column"),
            source_name: row.owned_text("column_name").unwrap_or_default(),
            column_id,
            is_partition: false,
            lake_type: row.text("column_type").map(LakeType::new),
        };
        Ok(InlinedColumn {
            table_id: required(row, "ducklake_inlined_data_tables", "table_id")?,
            inlined_table: row.owned_text("inlined_table").unwrap_or_default(),
            name: row.integer("column_id").map(name),
        })
    })
}

/// A copy that lasts as long as the session, and the statement that makes it.
pub fn copy(number: usize, of: &str) -> (String, String) {
    let copy = format!("temp.inlined_rows_{number}");
    let statement = format!("CREATE OR REPLACE TEMPORARY TABLE {copy} AS FROM {of}");
    (copy, statement)
}

/// Inlined rows with each column in its type, as far as that is known.
pub fn typed_rows(reference: &str, columns: &[(&str, Option<String>)]) -> String {
    let columns: Vec<String> = columns
        .iter()
        .map(|(name, type_text)| {
            let column = identifier(name);
            match type_text {
                Some(type_text) => format!("CAST({column} AS {type_text}) AS {column}"),
                None => column,
            }
        })
        .collect();
    format!("(SELECT {} FROM {reference})", columns.join(", "))
}

pub fn inlined_row_count(reference: &str) -> Query<Option<i64>> {
    let statement = format!("SELECT CAST(count(*) AS BIGINT) AS row_count FROM {reference}");
    Query::new(statement, |row| row.integer("row_count"))
}

/// The table in which the catalogue keeps deletes of rows of files.
pub fn inlined_deletes(table_id: i64) -> String {
    format!("ducklake_inlined_delete_{table_id}")
}

/// The tables that lost a file.
pub fn tables_with_dropped_files(metadata: &str) -> Query<Option<i64>> {
    table_ids(&format!("{metadata}.ducklake_data_file WHERE end_snapshot IS NOT NULL"))
}

/// The tables that have a file of deletes.
pub fn tables_with_delete_files(metadata: &str) -> Query<Option<i64>> {
    table_ids(&format!("{metadata}.ducklake_delete_file"))
}

fn table_ids(source: &str) -> Query<Option<i64>> {
    let statement = format!("SELECT DISTINCT CAST(table_id AS BIGINT) AS table_id FROM {source}");
    Query::new(statement, |row| row.integer("table_id"))
}

/// A row if some inlined row was deleted.
pub fn deleted_inlined_row(reference: &str, end_snapshot: &str) -> Query<()> {
    any_row(&format!("{reference} WHERE {end_snapshot} IS NOT NULL"))
}

/// A row if the catalogue keeps a delete of a row of some file of the table.
pub fn inlined_delete(metadata: &str, table_id: i64) -> Query<()> {
    any_row(&table(metadata, &inlined_deletes(table_id)))
}

fn any_row(source: &str) -> Query<()> {
    Query::new(format!("SELECT 1 FROM {source} LIMIT 1"), |_| ())
}
