//! The rows of a lake that lie in its catalogue instead of in files, and the traces of deleted rows.

use std::collections::{BTreeMap, HashSet};

use super::lake_catalogue::{InlinedTable, LakeTable, MappedName, Reader, at, owned, required};
use crate::error::Result;
use crate::output::lake_type::LakeType;
use crate::sql::quote::identifier;

impl Reader<'_> {
    /// The tables of inlined rows. There is one per version of a table's columns, and its columns are called
    /// as they were then.
    pub(super) fn inlined(&self, tables: &BTreeMap<i64, LakeTable>) -> Result<Vec<InlinedTable>> {
        let mut inlined = BTreeMap::new();
        if self.columns("ducklake_inlined_data_tables").is_none() {
            return Ok(Vec::new());
        }
        let versioned = at("c", "v.first_snapshot");
        let statement = format!(
            "SELECT CAST(i.table_id AS BIGINT), CAST(i.table_name AS VARCHAR), \
             CAST(c.column_id AS BIGINT), CAST(c.parent_column AS BIGINT), \
             CAST(c.column_name AS VARCHAR), CAST(c.column_type AS VARCHAR) FROM {} i \
             JOIN (SELECT schema_version, min(begin_snapshot) AS first_snapshot FROM {} GROUP BY ALL) v \
             ON v.schema_version = i.schema_version \
             JOIN {} c ON c.table_id = i.table_id AND {versioned} ORDER BY 1, 2, 3",
            self.table("ducklake_inlined_data_tables"),
            self.table("ducklake_schema_versions"),
            self.table("ducklake_column"),
        );
        self.each(&statement, |row| {
            let table_id = required(row, 0, "ducklake_inlined_data_tables.table_id")?;
            if tables.contains_key(&table_id) {
                let column_id = required(row, 2, "ducklake_column.column_id")?;
                let name = MappedName {
                    number: column_id,
                    parent: row.integer(3),
                    source_name: owned(row, 4),
                    column_id,
                    is_partition: false,
                    lake_type: row.text(5).map(LakeType::new),
                };
                let names: &mut Vec<MappedName> =
                    inlined.entry((table_id, owned(row, 1))).or_default();
                names.push(name);
            }
            Ok(())
        })?;
        let is_there = |name: &str| self.columns(&identifier(name)).is_some();
        Ok(inlined
            .into_iter()
            .filter(|((_, name), _)| is_there(name))
            .map(|((table_id, name), names)| InlinedTable {
                table_id,
                reference: self.table(&identifier(&name)),
                names,
            })
            .collect())
    }

    /// The tables of which rows were deleted at some time: DuckDB then no longer answers MIN and MAX from
    /// the table's row.
    pub(super) fn tables_with_deletes(
        &self,
        tables: &BTreeMap<i64, LakeTable>,
        inlined: &[InlinedTable],
    ) -> Result<HashSet<i64>> {
        let table_id = |source: String, condition: &str| {
            format!("SELECT DISTINCT CAST(table_id AS BIGINT) FROM {source} WHERE {condition}")
        };
        let mut statements =
            vec![table_id(self.table("ducklake_data_file"), "end_snapshot IS NOT NULL")];
        if self.columns("ducklake_delete_file").is_some() {
            statements.push(table_id(self.table("ducklake_delete_file"), "true"));
        }
        let constant = |table_id: i64, source: &str, condition: &str| {
            format!("(SELECT CAST({table_id} AS BIGINT) FROM {source} WHERE {condition} LIMIT 1)")
        };
        statements.extend(inlined.iter().map(|inlined| {
            constant(inlined.table_id, &inlined.reference, "end_snapshot IS NOT NULL")
        }));
        for table_id in tables.keys() {
            let name = format!("ducklake_inlined_delete_{table_id}");
            if self.columns(&name).is_some() {
                statements.push(constant(*table_id, &self.table(&name), "true"));
            }
        }
        let mut deleted = HashSet::new();
        for statement in statements {
            self.each(&statement, |row| {
                deleted.extend(row.integer(0));
                Ok(())
            })?;
        }
        Ok(deleted)
    }
}
