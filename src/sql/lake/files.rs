//! Statements over a catalogue's data files and the name mappings of added ones; and whether files are there.

use super::catalogue::{CataloguePath, at, required};
use crate::output::ducklake::lake_type::LakeType;
use crate::sql::file::statement::path_list;
use colstats_core::error::Result;
use colstats_core::query::Query;

/// A data file.
pub struct DataFileRow {
    pub data_file_id: i64,
    pub table_id: i64,
    pub path: CataloguePath,
    pub record_count: i64,
    pub mapping_id: Option<i64>,
    pub encryption_key: Option<String>,
    pub begin_snapshot: i64,
    pub is_parquet: bool,
    /// The snapshot has it.
    pub is_current: bool,
}

/// The data files that a snapshot or one before it added. `columns` are those that the catalogue's table has.
pub fn data_files(metadata: &str, snapshot: i64, columns: &[String]) -> Query<Result<DataFileRow>> {
    let optional = |name: &str| {
        let is_there = columns.iter().any(|column| column.eq_ignore_ascii_case(name));
        if is_there { format!("f.{name}") } else { "NULL".into() }
    };
    let statement = format!(
        "SELECT CAST(data_file_id AS BIGINT) AS data_file_id, CAST(table_id AS BIGINT) AS table_id, \
         CAST(path AS VARCHAR) AS path, CAST(path_is_relative AS BOOLEAN) AS path_is_relative, \
         CAST(record_count AS BIGINT) AS record_count, CAST({} AS BIGINT) AS mapping_id, \
         CAST({} AS VARCHAR) AS encryption_key, CAST({} AS VARCHAR) AS file_format, \
         CAST(begin_snapshot AS BIGINT) AS begin_snapshot, {} AS is_current \
         FROM {metadata}.ducklake_data_file f WHERE begin_snapshot <= {snapshot} ORDER BY 1",
        optional("mapping_id"),
        optional("encryption_key"),
        optional("file_format"),
        at("f", snapshot),
    );
    Query::new(statement, |row| {
        let is_parquet = |format: &str| format.eq_ignore_ascii_case("parquet");
        Ok(DataFileRow {
            data_file_id: required(row, "ducklake_data_file", "data_file_id")?,
            table_id: required(row, "ducklake_data_file", "table_id")?,
            path: CataloguePath::read(row, "path", "path_is_relative"),
            record_count: row.integer("record_count").unwrap_or(0),
            mapping_id: row.integer("mapping_id"),
            encryption_key: row.owned_text("encryption_key").filter(|key| !key.is_empty()),
            begin_snapshot: row.integer("begin_snapshot").unwrap_or(0),
            is_parquet: row.text("file_format").is_none_or(is_parquet),
            is_current: row.flag("is_current") == Some(true),
        })
    })
}

/// One name of what a file is read by.
pub struct MappedName {
    pub number: i64,
    pub parent: Option<i64>,
    pub source_name: String,
    pub column_id: i64,
    pub is_partition: bool,
    /// What the column was then, where that is known.
    pub lake_type: Option<LakeType>,
}

/// The names of all mappings, each with the id of its own. `columns` are those that the catalogue's table has.
pub fn name_mappings(metadata: &str, columns: &[String]) -> Query<Result<(i64, MappedName)>> {
    let has_partitions = columns.iter().any(|column| column == "is_partition");
    let is_partition = if has_partitions { "is_partition" } else { "false" };
    let statement = format!(
        "SELECT CAST(mapping_id AS BIGINT) AS mapping_id, CAST(column_id AS BIGINT) AS column_id, \
         CAST(parent_column AS BIGINT) AS parent_column, CAST(source_name AS VARCHAR) AS source_name, \
         CAST(target_field_id AS BIGINT) AS target_field_id, \
         CAST({is_partition} AS BOOLEAN) AS is_partition \
         FROM {metadata}.ducklake_name_mapping ORDER BY 1, 2"
    );
    Query::new(statement, |row| {
        let name = MappedName {
            number: required(row, "ducklake_name_mapping", "column_id")?,
            parent: row.integer("parent_column"),
            source_name: row.owned_text("source_name").unwrap_or_default(),
            column_id: required(row, "ducklake_name_mapping", "target_field_id")?,
            is_partition: row.flag("is_partition") == Some(true),
            lake_type: None,
        };
        Ok((required(row, "ducklake_name_mapping", "mapping_id")?, name))
    })
}

/// The files that are there, as DuckDB's reader calls them.
pub fn files_that_exist(paths: &[&str]) -> Query<String> {
    Query::new(format!("SELECT file FROM glob({})", path_list(paths)), |row| {
        row.owned_text("file").unwrap_or_default()
    })
}
