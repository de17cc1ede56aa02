//! The rows of a lake that lie in its catalogue instead of in files, and the traces of deleted rows.

use std::collections::{BTreeMap, HashSet};

use super::catalogue::{InlinedTable, Lake, LakeTable, MappedName, Reader, at, owned, required};
use super::columns::{Names, lake_type_text};
use super::scan::Builder;
use crate::function::file::columns::SourceColumn;
use crate::output::ducklake::lake_type::LakeType;
use crate::sql::lake::statement::{LakeFile, LakeScan};
use crate::sql::quote::identifier;
use colstats_core::error::{Error, Result};

impl Lake {
    /// The error of a table of which inlined rows are wanted and cannot be read.
    pub(super) fn check_inlined(&self, table: Option<i64>) -> Result<()> {
        let is_asked = |id: &i64| table.is_none_or(|asked| asked == *id);
        let mut errors = self.without_inlined.iter().filter(|(id, _)| is_asked(id));
        errors.next().map_or(Ok(()), |(_, error)| Err(error.clone()))
    }
}

type Inlined = (Vec<InlinedTable>, BTreeMap<i64, Error>);

impl Reader<'_> {
    /// The tables of inlined rows. There is one per version of a table's columns, and its columns are called
    /// as they were then. Beside them, of which tables they cannot be read: bounds without these rows would be wrong.
    pub(super) fn inlined(&self, tables: &BTreeMap<i64, LakeTable>) -> Result<Inlined> {
        let mut inlined = BTreeMap::new();
        let mut without = BTreeMap::new();
        if self.columns("ducklake_inlined_data_tables")?.is_none() {
            return Ok(Inlined::default());
        }
        let versioned = at("c", "v.first_snapshot");
        let statement = format!(
            "SELECT CAST(i.table_id AS BIGINT), CAST(i.table_name AS VARCHAR), \
             CAST(c.column_id AS BIGINT), CAST(c.parent_column AS BIGINT), \
             CAST(c.column_name AS VARCHAR), CAST(c.column_type AS VARCHAR) FROM {} i \
             LEFT JOIN (SELECT schema_version, min(first_snapshot) AS first_snapshot \
             FROM ({versions}) GROUP BY ALL) v ON v.schema_version = i.schema_version \
             LEFT JOIN {} c ON c.table_id = i.table_id AND {versioned} ORDER BY 1, 2, 3",
            self.table("ducklake_inlined_data_tables"),
            self.table("ducklake_column"),
            versions = self.schema_versions()?,
        );
        self.each(&statement, |row| {
            let table_id = required(row, 0, "ducklake_inlined_data_tables.table_id")?;
            if tables.contains_key(&table_id) {
                if row.integer(2).is_none() {
                    let error = Error::new(format!(
                        "the catalogue does not say which columns its table {} of inlined rows has (its \
                         schema version is unknown); CALL ducklake_flush_inlined_data first",
                        owned(row, 1)
                    ));
                    without.insert(table_id, error);
                    return Ok(());
                }
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
        let mut found = Vec::new();
        for ((table_id, name), names) in inlined {
            match self.inlined_table(table_id, &name, names) {
                Ok(table) => found.push(table),
                Err(error) => {
                    without.insert(table_id, error);
                }
            }
        }
        found.retain(|inlined| !without.contains_key(&inlined.table_id));
        Ok((found, without))
    }

    fn inlined_table(
        &self,
        table_id: i64,
        name: &str,
        names: Vec<MappedName>,
    ) -> Result<InlinedTable> {
        let mut columns = self
            .columns(name)?
            .ok_or_else(|| {
                Error::new(format!("the catalogue's table {name} of inlined rows is missing"))
            })?
            .into_iter();
        let is_end =
            |column: &String| ["end_snapshot", "_ducklake_end_snapshot"].contains(&column.as_str());
        let end_snapshot = columns.find(is_end).ok_or_else(|| {
            Error::new(format!("the catalogue's table {name} has no column end_snapshot"))
        })?;
        Ok(InlinedTable { table_id, reference: self.table(&identifier(name)), end_snapshot, names })
    }

    /// Puts a temporary table in place of each table of inlined rows.
    pub(super) fn copy_inlined_rows(&self, inlined: &mut [InlinedTable]) -> Result<()> {
        for (number, inlined) in inlined.iter_mut().enumerate() {
            let copy = format!("temp.inlined_rows_{number}");
            let statement =
                format!("CREATE OR REPLACE TEMPORARY TABLE {copy} AS FROM {}", inlined.reference);
            self.session.change(&statement)?;
            inlined.reference = copy;
        }
        Ok(())
    }

    /// Where each version of the columns begins. DuckLake before 1.1 did not write all of them into the table
    /// made for it; the snapshots say it too, as long as they are kept.
    fn schema_versions(&self) -> Result<String> {
        let versions = |table: &str, snapshot: &str| {
            format!(
                "SELECT schema_version, {snapshot} AS first_snapshot FROM {}",
                self.table(table)
            )
        };
        let snapshots = versions("ducklake_snapshot", "snapshot_id");
        match self.columns("ducklake_schema_versions")? {
            Some(_) => {
                let own = versions("ducklake_schema_versions", "begin_snapshot");
                Ok(format!("{own} UNION ALL {snapshots}"))
            }
            None => Ok(snapshots),
        }
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
        if self.columns("ducklake_delete_file")?.is_some() {
            statements.push(table_id(self.table("ducklake_delete_file"), "true"));
        }
        let constant = |table_id: i64, source: &str, condition: &str| {
            format!("(SELECT CAST({table_id} AS BIGINT) FROM {source} WHERE {condition} LIMIT 1)")
        };
        statements.extend(inlined.iter().map(|inlined| {
            let ended = format!("{} IS NOT NULL", inlined.end_snapshot);
            constant(inlined.table_id, &inlined.reference, &ended)
        }));
        for table_id in tables.keys() {
            let name = format!("ducklake_inlined_delete_{table_id}");
            if self.columns(&name)?.is_some() {
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

impl Builder<'_> {
    /// The rows that lie in the catalogue. It may keep nested values as text, so each column is cast to the
    /// type it had when the rows were written.
    pub(super) fn add_inlined(&mut self, inlined: &InlinedTable) -> Result<()> {
        let lake = self.lake;
        let Some(table) = lake.tables.get(&inlined.table_id) else { return Ok(()) };
        let roots: Vec<String> = inlined
            .names
            .iter()
            .filter(|name| name.parent.is_none())
            .map(|name| {
                let column = identifier(&name.source_name);
                match lake_type_text(&inlined.names, name) {
                    Some(type_text) => format!("CAST({column} AS {type_text}) AS {column}"),
                    None => column,
                }
            })
            .collect();
        if roots.is_empty() {
            return Ok(());
        }
        let source = format!("(SELECT {} FROM {})", roots.join(", "), inlined.reference);
        let mut rows = self.session.query(&format!("SELECT * FROM {source} LIMIT 0"))?;
        let columns: Vec<SourceColumn> = rows
            .columns()
            .into_iter()
            .map(|(name, column_type)| SourceColumn { name, column_type, is_partition: false })
            .collect();
        let number = self.next_group();
        let mut expressions = Vec::new();
        let names = Names::Inlined(&inlined.names);
        let mut met = self.add_columns(number, table, &columns, &names, None, &mut expressions);
        let mut record_count = 0;
        self.session
            .query(&format!("SELECT CAST(count(*) AS BIGINT) FROM {}", inlined.reference))?
            .for_each(|row| {
                record_count = row.integer(0).unwrap_or(0);
                Ok(())
            })?;
        self.statement.files.push(LakeFile {
            group: number,
            table_id: inlined.table_id,
            data_file_id: None,
            name: String::new(),
            record_count: Some(record_count),
            is_current: true,
        });
        met.note_unnamed(table, &inlined.names);
        self.add_defaults(number, table, &met, &mut expressions);
        let (source, file_column) = (source, None);
        self.statement.scans.push(LakeScan {
            group: number,
            source,
            file_column,
            columns: expressions,
        });
        Ok(())
    }
}
