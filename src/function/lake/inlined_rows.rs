//! Adds the rows that lie in the catalogue instead of in files to a scan.

use super::catalogue::InlinedTable;
use super::columns::Names;
use super::scan::Builder;
use crate::function::file::columns::SourceColumn;
use crate::sql::lake::catalogue::columns_of;
use crate::sql::lake::expressions::type_of;
use crate::sql::lake::inlined::{inlined_row_count, typed_rows};
use crate::sql::lake::statement::{LakeFile, LakeScan};
use colstats_core::error::Result;

impl Builder<'_> {
    /// The catalogue may keep nested values as text, so each column is cast to the type it had when the rows were
    /// written.
    pub(super) fn add_inlined(&mut self, inlined: &InlinedTable) -> Result<()> {
        let lake = self.lake;
        let Some(table) = lake.tables.get(&inlined.table_id) else { return Ok(()) };
        let roots = inlined.names.iter().filter(|name| name.parent.is_none());
        let roots: Vec<(&str, Option<String>)> =
            roots.map(|name| (name.source_name.as_str(), type_of(&inlined.names, name))).collect();
        if roots.is_empty() {
            return Ok(());
        }
        let source = typed_rows(&inlined.reference, &roots);
        let mut rows = self.session.query(&columns_of(&source))?;
        let columns: Vec<SourceColumn> = rows
            .columns()
            .into_iter()
            .map(|(name, column_type)| SourceColumn { name, column_type, is_partition: false })
            .collect();
        let number = self.next_group();
        let mut expressions = Vec::new();
        let names = Names::Inlined(&inlined.names);
        let mut met = self.add_columns(number, table, &columns, &names, None, &mut expressions);
        let record_count = self.session.collect(&inlined_row_count(&inlined.reference))?;
        self.statement.files.push(LakeFile {
            group: number,
            table_id: inlined.table_id,
            data_file_id: None,
            name: String::new(),
            record_count: record_count.into_iter().flatten().next(),
            is_current: true,
        });
        met.note_unnamed(table, &inlined.names);
        self.add_defaults(number, table, &met, &mut expressions);
        self.statement.scans.push(LakeScan {
            group: number,
            source,
            file_column: None,
            columns: expressions,
        });
        Ok(())
    }
}
