//! Compares a lake's catalogue with its data, in one pass over the files.

use std::collections::{HashMap, HashSet};

use super::catalogue::{self, DataFile, Lake};
use super::isolation::apart;
use super::options::LakeOptions;
use super::scan::{Extent, lake_statement};
use crate::ffi::session::Session;
use crate::function::parquet::footers::{file_sizes, read_footers};
use crate::output::ducklake::findings::Comparison;
use crate::sql::lake::statement::LakeStatement;
use crate::sql::lake::stored::{FILE_TABLE, TABLE_TABLE, longest_bound};
use colstats_core::error::{Error, Result};

/// The rows of a catalogue that differ from the truth, and what could not be judged.
pub struct Audit {
    pub lake: Lake,
    pub comparisons: Vec<Comparison>,
    pub unreadable: Vec<Unreadable>,
}

/// A data file that cannot be read; or a table, whose own rows are then not judged.
pub struct Unreadable {
    pub table_id: i64,
    pub data_file_id: Option<i64>,
    pub file_name: Option<String>,
    pub error: Error,
}

/// Reads the lake. One sick file or table does not hide the others: what cannot be read is found, and left out.
pub fn audit(options: &LakeOptions, session: &Session) -> Result<Audit> {
    let lake = catalogue::read_lake(options, true, session)?;
    let mut options = options.clone();
    options.max_bound_bytes = Some(longest_bound_bytes(&lake, session)?);
    let whole = Extent { table: None, is_table_wide: true, has_sizes: false };
    let comparing = Comparing { lake: &lake, options: &options, session };
    let (mut comparisons, unreadable) = match comparing.compare(whole, &|_| true) {
        Ok(comparisons) => (comparisons, Vec::new()),
        Err(error) => apart(&comparing, error)?,
    };
    comparisons.sort_by_key(|found| (found.table_id, found.data_file_id, found.column_id));
    Ok(Audit { lake, comparisons, unreadable })
}

/// What it takes to compare parts of a lake.
pub(super) struct Comparing<'call> {
    pub lake: &'call Lake,
    pub options: &'call LakeOptions,
    pub session: &'call Session,
}

impl Comparing<'_> {
    /// The rows of the catalogue that differ from the truth, of this part of the lake.
    pub fn compare(
        &self,
        extent: Extent,
        is_read: &dyn Fn(&DataFile) -> bool,
    ) -> Result<Vec<Comparison>> {
        let mut statement = lake_statement(self.lake, self.options, extent, is_read, self.session)?;
        let mut comparisons = self.session.collect(&statement.comparisons(&self.lake.metadata))?;
        add_sizes(&mut comparisons, &mut statement, self.session);
        Ok(comparisons)
    }
}

/// Only the footers of files are read for which the catalogue lacks a size, or a whole row.
fn add_sizes(comparisons: &mut [Comparison], statement: &mut LakeStatement, session: &Session) {
    let lacks_size = |found: &&mut Comparison| {
        let is_unmeasured = matches!(found.stored.column_size_bytes, None | Some(0));
        // A row that is replaced or inserted is written whole.
        found.data_file_id.is_some() && (is_unmeasured || found.stored_rows != 1)
    };
    let mut lacking: HashMap<i64, Vec<&mut Comparison>> = HashMap::new();
    for found in comparisons.iter_mut().filter(lacks_size) {
        lacking.entry(found.data_file_id.unwrap_or_default()).or_default().push(found);
    }
    if lacking.is_empty() {
        return;
    }
    statement.files.retain(|file| file.data_file_id.is_some_and(|id| lacking.contains_key(&id)));
    // An encrypted file has a footer that cannot be listed, and no chunks here.
    let sized = statement.leaves.iter().filter(|leaf| leaf.chunks.is_some());
    let sized: HashSet<usize> = sized.map(|leaf| leaf.schema).collect();
    let files = statement.files.iter().filter(|file| sized.contains(&file.group));
    let names: Vec<String> = files.map(|file| file.name.clone()).collect();
    let footers = read_footers(&names, session);
    statement.sizes = file_sizes(&names, &footers, &statement.unlisted, session);
    for (data_file_id, leaf_number, bytes) in statement.leaf_sizes() {
        let column_id = statement.leaves.get(leaf_number).and_then(|leaf| leaf.column_id);
        for found in lacking.entry(data_file_id).or_default() {
            if Some(found.column_id) == column_id {
                found.truth.column_size_bytes = Some(bytes);
            }
        }
    }
}

/// Bounds shorter than this are written whole.
const MIN_BOUND_BYTES: i64 = 256;

/// A bound of the catalogue can only be compared with one that is not cut before its end.
fn longest_bound_bytes(lake: &Lake, session: &Session) -> Result<i64> {
    let mut longest = 0;
    for table in [FILE_TABLE, TABLE_TABLE] {
        let found = session.collect(&longest_bound(&lake.metadata, table))?;
        longest = found.into_iter().flatten().fold(longest, i64::max);
    }
    // Eight bytes hold any character and one more.
    Ok(longest.max(MIN_BOUND_BYTES).saturating_add(8).min(i64::from(i32::MAX)))
}
