//! The aggregate `hive_column_stats_merge(row [, options])`: rows of partitions into a row of the table.

use std::ops::Range;

use super::rows::{Identity, hive_columns, read_row, row_cell, struct_type};
use crate::ffi::aggregate::{Aggregate, Arguments};
use crate::ffi::registry::Parameter;
use crate::ffi::value::{cell_at, literal_at};
use crate::output::hive::merge::{AverageMerge, HiveMerge};
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;
use colstats_core::value::Literal;

/// `hive_column_stats_merge(row STRUCT [, options])` returns STRUCT: a row of `hive_column_stats` for all
/// rows of the group, which must be of one column.
///
/// The argument is a row of `hive_column_stats` or of a metastore: its fields are found by name, those
/// that are missing are not known. `options` is `'weighted'` (default), `'hive'`, or a STRUCT with
/// `avg_len_merge` and `null_length` (`'hive'` or `'impala'`: how the averages were made). Weighting needs
/// `value_count` in every row; without it the largest average is taken, as Hive does. NULL rows are
/// skipped; a group without rows has NULL. `partition_name` and `file_name` are NULL, names that are not
/// the same in all rows too, and `last_analyzed` is the latest. `column_type` is the type that holds the
/// values of all rows (`common_type`); it is an error where there is none.
pub struct HiveColumnStatsMerge;

/// What has been merged, and what the rows say of themselves; `None` before the first row.
#[derive(Debug, Clone)]
pub struct MergedRows {
    merge: HiveMerge,
    identity: Option<Identity>,
}

impl Aggregate for HiveColumnStatsMerge {
    type State = MergedRows;

    const NAME: &'static str = "hive_column_stats_merge";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Any], vec![Parameter::Any, Parameter::Any]]
    }

    fn result_type() -> ColumnType {
        struct_type(hive_columns())
    }

    fn start(arguments: &Arguments<'_>, first: usize) -> Result<MergedRows> {
        let is_row = match arguments.first_type()?.base() {
            ColumnType::Struct(fields) => {
                fields.iter().any(|field| field.name.eq_ignore_ascii_case("column_type"))
            }
            _ => false,
        };
        if !is_row {
            return Err(Error::new(
                "the argument must be a row: hive_column_stats_merge(s) FROM hive_column_stats(...) AS s",
            ));
        }
        let average_merge = match (arguments.columns.get(1), arguments.types.get(1)) {
            (Some(column), Some(column_type)) => {
                average_merge(&literal_at(column, column_type, first))?
            }
            _ => AverageMerge::WeightedByRows,
        };
        Ok(MergedRows { merge: HiveMerge::new(average_merge), identity: None })
    }

    fn update(state: &mut MergedRows, arguments: &Arguments<'_>, rows: Range<usize>) -> Result<()> {
        let (column, column_type) = (arguments.first_column()?, arguments.first_type()?);
        let ColumnType::Struct(fields) = column_type.base() else { return Ok(()) };
        for row in rows {
            let Cell::Struct(cells) = cell_at(column, column_type, row) else { continue };
            let names = fields.iter().map(|field| field.name.as_str());
            let (identity, values) = read_row(names.zip(cells))?;
            join_identity(&mut state.identity, &identity)?;
            state.merge.add(values)?;
        }
        Ok(())
    }

    fn merge(state: &mut MergedRows, other: &MergedRows) -> Result<()> {
        if let Some(identity) = &other.identity {
            join_identity(&mut state.identity, identity)?;
        }
        state.merge.merge(&other.merge)
    }

    fn finish(state: Option<(&MergedRows, &[ColumnType])>) -> Result<Cell> {
        let Some((MergedRows { merge, identity: Some(identity) }, _)) = state else {
            return Ok(Cell::Null);
        };
        Ok(merge.finish().map_or(Cell::Null, |values| row_cell(identity, &values)))
    }
}

fn average_merge(options: &Literal) -> Result<AverageMerge> {
    let (mut is_hive, mut is_impala) = (false, false);
    let mut set = |name: &str, value: &Literal| match (name, value.as_text(name)?) {
        ("avg_len_merge", "hive") => {
            is_hive = true;
            Ok(())
        }
        ("null_length", "impala") => {
            is_impala = true;
            Ok(())
        }
        ("avg_len_merge", "weighted") | ("null_length", "hive") => Ok(()),
        _ => Err(Error::new(
            "the options are avg_len_merge ('weighted' or 'hive') and null_length ('hive' or 'impala')",
        )),
    };
    match options {
        Literal::Struct(fields) => fields.iter().try_for_each(|(name, value)| set(name, value))?,
        value => set("avg_len_merge", value)?,
    }
    Ok(match (is_hive, is_impala) {
        (true, _) => AverageMerge::Largest,
        (false, false) => AverageMerge::WeightedByRows,
        (false, true) => AverageMerge::WeightedByValues,
    })
}

/// Keeps what all rows agree on. Rows of different columns are no parts of one.
fn join_identity(known: &mut Option<Identity>, other: &Identity) -> Result<()> {
    let Some(identity) = known else {
        *known = Some(Identity { partition_name: None, file_name: None, ..other.clone() });
        return Ok(());
    };
    if let (Some(mine), Some(theirs)) = (&identity.column_name, &other.column_name)
        && mine != theirs
    {
        return Err(Error::new(format!(
            "rows of the columns '{mine}' and '{theirs}' do not merge; GROUP BY column_name"
        )));
    }
    for (mine, theirs) in [
        (&mut identity.cat_name, &other.cat_name),
        (&mut identity.db_name, &other.db_name),
        (&mut identity.table_name, &other.table_name),
        (&mut identity.column_name, &other.column_name),
        (&mut identity.engine, &other.engine),
    ] {
        if mine != theirs {
            *mine = None;
        }
    }
    identity.last_analyzed = identity.last_analyzed.max(other.last_analyzed);
    Ok(())
}
