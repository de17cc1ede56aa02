//! The data files of a lake, and the name mappings by which added ones are read.

use std::collections::{BTreeMap, HashMap};

use super::catalogue::{DataFile, LakeTable, MappedName, Reader, at, owned, required, resolve};
use colstats_core::error::Result;

impl Reader<'_> {
    pub(super) fn files(
        &self,
        tables: &BTreeMap<i64, LakeTable>,
        snapshot: i64,
    ) -> Result<Vec<DataFile>> {
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
            files.push(DataFile {
                data_file_id: required(row, 0, "ducklake_data_file.data_file_id")?,
                table_id,
                path,
                record_count: row.integer(4).unwrap_or(0),
                mapping_id: row.integer(5),
                encryption_key: row.text(6).filter(|key| !key.is_empty()).map(str::to_owned),
                begin_snapshot: row.integer(7).unwrap_or(0),
                is_current: row.integer(8) == Some(1),
                is_parquet: row.text(9).is_none_or(|format| format.eq_ignore_ascii_case("parquet")),
            });
            Ok(())
        })?;
        Ok(files)
    }

    pub(super) fn mappings(&self) -> Result<HashMap<i64, Vec<MappedName>>> {
        let mut mappings: HashMap<i64, Vec<MappedName>> = HashMap::new();
        let Some(columns) = self.columns("ducklake_name_mapping")? else { return Ok(mappings) };
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
