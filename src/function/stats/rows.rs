//! The scalar `column_stats_rows(names, typed, selected, stats)`: lists of `column_stats` results as rows
//! of `table_column_stats`. It is what the composed statement ends in; there is little use for it alone.

use std::collections::HashMap;

use super::column_stats::result_type;
use crate::ffi::aggregate::Arguments;
use crate::ffi::registry::Parameter;
use crate::ffi::scalar::ScalarFunction;
use crate::ffi::session::Host;
use crate::ffi::value::cell_at;
use crate::function::file::column_stats::columns;
use colstats_core::column::column_type::{ColumnType, Field, join_path, split_path};
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;

/// `column_stats_rows(names VARCHAR[], typed, selected VARCHAR[], stats)` returns a list of rows: one per
/// leaf of each selected column, numbered in pre-order over all columns.
///
/// `typed` holds a `column_stats` result for each of `names`, whatever rows it was made of: it tells the
/// leaves, and stands in with zero counts where a result of `stats` is empty (no rows, so no type was
/// seen). `stats` holds the result for each of `selected`.
pub struct ColumnStatsRows;

/// Where the fields of a `column_stats` element lie.
const PATH: usize = 0;
const VALUE_COUNT: usize = 2;
const NULL_COUNT: usize = 3;

impl ScalarFunction for ColumnStatsRows {
    const NAME: &'static str = "column_stats_rows";

    fn overloads() -> Vec<Vec<Parameter>> {
        let names = ColumnType::List(ColumnType::Varchar.into());
        let stats = ColumnType::List(result_type().into());
        let parameters = [names.clone(), stats.clone(), names, stats];
        vec![parameters.map(Parameter::Of).to_vec()]
    }

    fn result_type() -> ColumnType {
        let fields = columns()
            .into_iter()
            .map(|(name, column_type)| Field { name: name.to_owned(), column_type });
        ColumnType::List(ColumnType::Struct(fields.collect()).into())
    }

    fn call(_host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let mut lists = arguments
            .columns
            .iter()
            .zip(arguments.types.iter())
            .map(|(column, column_type)| list(cell_at(column, column_type, row)));
        let (Some(names), Some(typed), Some(selected), Some(stats)) =
            (lists.next(), lists.next(), lists.next(), lists.next())
        else {
            return Err(Error::new("takes four lists"));
        };
        if names.len() != typed.len() || selected.len() != stats.len() {
            return Err(Error::new("names and results must be lists of the same length"));
        }
        // DuckDB's names do not depend on the case of ASCII letters, but on that of others.
        let mut by_name: HashMap<String, Vec<Cell>> = HashMap::new();
        for (name, stats) in selected.into_iter().zip(stats) {
            by_name.insert(name_of(name)?.to_ascii_lowercase(), list(stats));
        }
        let mut rows = Vec::new();
        let mut node_number = 0;
        for (name, typed) in names.into_iter().zip(typed) {
            let name = name_of(name)?;
            let stats = by_name.remove(&name.to_ascii_lowercase());
            node_number = add_column(&mut rows, &name, list(typed), stats, node_number)?;
        }
        Ok(Cell::List(rows))
    }
}

fn name_of(cell: Cell) -> Result<String> {
    match cell {
        Cell::Varchar(name) => Ok(name),
        _ => Err(Error::new("a column name is NULL")),
    }
}

fn list(cell: Cell) -> Vec<Cell> {
    match cell {
        Cell::List(cells) => cells,
        _ => Vec::new(),
    }
}

/// Appends the rows of one column, if it is selected, whose own number follows `node_number`; returns the
/// last number of the column.
fn add_column(
    rows: &mut Vec<Cell>,
    name: &str,
    typed: Vec<Cell>,
    stats: Option<Vec<Cell>>,
    node_number: i64,
) -> Result<i64> {
    let is_selected = stats.is_some();
    let stats = stats.unwrap_or_default();
    let has_rows = !stats.is_empty();
    let mut number = node_number + 1;
    let mut previous: Vec<String> = Vec::new();
    for leaf in if has_rows { stats } else { typed } {
        let Cell::Struct(fields) = leaf else {
            return Err(Error::new("an element is not a result of column_stats"));
        };
        let Some(Cell::Varchar(path)) = fields.get(PATH) else {
            return Err(Error::new("a result of column_stats has no path"));
        };
        let path = split_path(path);
        // In pre-order, the parts that the leaf does not share with the one before are new nodes.
        let shared = path.iter().zip(&previous).take_while(|(part, before)| part == before).count();
        number += i64::try_from(path.len() - shared).unwrap_or(0);
        if is_selected {
            let parts = std::iter::once(name).chain(path.iter().map(String::as_str));
            rows.push(row(number, join_path(parts), fields, has_rows)?);
        }
        previous = path;
    }
    Ok(number)
}

fn row(column_id: i64, column_name: String, fields: Vec<Cell>, has_rows: bool) -> Result<Cell> {
    let count = |index: usize| {
        if has_rows { fields.get(index).cloned().unwrap_or(Cell::Null) } else { Cell::BigInt(0) }
    };
    let (value_count, null_count) = (count(VALUE_COUNT), count(NULL_COUNT));
    let parts: [Cell; 8] =
        fields.try_into().map_err(|_| Error::new("an element is not a result of column_stats"))?;
    let [_, type_name, _, _, min_value, max_value, contains_nan, extra_stats] = parts;
    Ok(Cell::Struct(vec![
        Cell::BigInt(0),
        Cell::Null,
        Cell::BigInt(column_id),
        Cell::Null,
        value_count,
        null_count,
        min_value,
        max_value,
        contains_nan,
        extra_stats,
        Cell::Null,
        Cell::Varchar(column_name),
        type_name,
    ]))
}
