//! Compares a lake's catalogue with its data, in one pass over the files.

use std::collections::{HashMap, HashSet};

use super::catalogue::{DataFile, Lake};
use super::isolation::apart;
use super::options::LakeOptions;
use super::scan::{Extent, lake_statement};
use crate::ffi::rows::Row;
use crate::ffi::session::Session;
use crate::function::parquet::footers::{file_sizes, read_footers};
use crate::output::ducklake::findings::{BoundOrder, Comparison};
use crate::output::ducklake::geometry::merge;
use crate::output::ducklake::lake_type::{LakeType, Place};
use crate::output::ducklake::statistics::Statistics;
use crate::sql::lake::statement::LakeStatement;
use colstats_core::error::{Error, Result};

/// The rows of a catalogue that differ from the truth, and what could not be judged.
pub struct Audit {
    pub lake: Lake,
    pub comparisons: Vec<Comparison>,
    pub unreadable: Vec<Unreadable>,
}

/// A data file that cannot be read; or a table, of which then no row of its own is judged.
pub struct Unreadable {
    pub table_id: i64,
    pub data_file_id: Option<i64>,
    pub file_name: Option<String>,
    pub error: Error,
}

/// Reads the lake. One sick file or table does not hide the others: what cannot be read is found, and left out.
pub fn audit(options: &LakeOptions, session: &Session) -> Result<Audit> {
    let lake = Lake::read(options, true, session)?;
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
        let mut comparisons = Vec::new();
        self.session.query(&statement.comparisons(&self.lake.metadata))?.for_each(|row| {
            comparisons.push(comparison(row));
            Ok(())
        })?;
        add_sizes(&mut comparisons, &mut statement, self.session);
        Ok(comparisons)
    }
}

/// Sizes are asked only of the footers of files of which the catalogue lacks one, or a row as a whole.
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
    for table in ["ducklake_file_column_stats", "ducklake_table_column_stats"] {
        let statement = format!(
            "SELECT CAST(max(greatest(octet_length(encode(CAST(min_value AS VARCHAR))), \
             octet_length(encode(CAST(max_value AS VARCHAR))))) AS BIGINT) FROM {}.{table}",
            lake.metadata
        );
        session.query(&statement)?.for_each(|row| {
            longest = longest.max(row.integer(0).unwrap_or(0));
            Ok(())
        })?;
    }
    // Eight bytes hold any character and one more.
    Ok(longest.max(MIN_BOUND_BYTES).saturating_add(8).min(i64::from(i32::MAX)))
}

fn comparison(row: &Row<'_>) -> Comparison {
    let owned = |column: usize| row.text(column).map(str::to_owned);
    let flag = |column: usize| row.integer(column).map(|value| value != 0);
    let statistics = |first: usize| Statistics {
        column_size_bytes: row.integer(first),
        value_count: row.integer(first + 1),
        null_count: row.integer(first + 2),
        contains_null: flag(first + 3),
        min_value: owned(first + 4),
        max_value: owned(first + 5),
        contains_nan: flag(first + 6),
        extra_stats: owned(first + 7),
    };
    let order = |column: usize| match row.integer(column) {
        Some(..=-1) => BoundOrder::Less,
        Some(0) => BoundOrder::Equal,
        Some(1) => BoundOrder::Greater,
        Some(_) => BoundOrder::Unreadable,
        None => BoundOrder::Unknown,
    };
    let data_file_id = row.integer(0);
    let mut truth = statistics(19);
    if data_file_id.is_none() {
        truth.extra_stats = truth.extra_stats.and_then(|boxes| merge(boxes.lines()));
    }
    Comparison {
        data_file_id,
        table_id: row.integer(1).unwrap_or_default(),
        column_id: row.integer(2).unwrap_or_default(),
        schema_name: owned(3).unwrap_or_default(),
        table_name: owned(4).unwrap_or_default(),
        column_name: owned(5).unwrap_or_default(),
        lake_type: LakeType::new(row.text(6).unwrap_or_default()),
        place: match row.integer(7) {
            Some(1) => Place::TopLevel,
            Some(2) => Place::StructPart,
            _ => Place::Repeated,
        },
        has_all_rows: row.integer(8) == Some(1),
        file_name: owned(9),
        stored_rows: row.integer(10).unwrap_or_default(),
        stored: statistics(11),
        truth,
        min_order: order(27),
        max_order: order(28),
    }
}
