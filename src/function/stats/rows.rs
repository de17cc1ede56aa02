//! The scalar `column_stats_rows(names, typed, selected, stats)`: lists of `column_stats` results as rows
//! of `table_column_stats`. It is what the composed statement ends in; there is little use for it alone.

use super::column_stats::result_type;
use super::named_results::{LeafResult, NamedResults, cells_at, named_results};
use crate::ffi::aggregate::Arguments;
use crate::ffi::registry::Parameter;
use crate::ffi::scalar::ScalarFunction;
use crate::ffi::session::Host;
use crate::function::file::column_stats::file_columns;
use colstats_core::column::column_type::{ColumnType, Field, join_path};
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;

/// `column_stats_rows(names VARCHAR[], typed, selected VARCHAR[], stats)` returns a list of rows: one per
/// leaf of each selected column, numbered in pre-order over all columns.
///
/// The lists are those of [`named_results`]; leaves that no row was seen of have zero counts.
pub struct ColumnStatsRows;

/// Where the fields of a `column_stats` element lie.
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
        let fields = file_columns()
            .into_iter()
            .map(|(name, column_type)| Field { name: name.to_owned(), column_type });
        ColumnType::List(ColumnType::Struct(fields.collect()).into())
    }

    fn call(_host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let lists = cells_at(arguments, row).try_into();
        let lists: [Cell; 4] = lists.map_err(|_| Error::new("takes four lists"))?;
        let mut rows = Vec::new();
        let mut node_number = 0;
        for column in named_results(lists, "column_stats")? {
            node_number = add_column(&mut rows, column, node_number)?;
        }
        Ok(Cell::List(rows))
    }
}

/// Appends the rows of one column, if it is selected, whose own number follows `node_number`; returns the
/// last number of the column.
fn add_column(rows: &mut Vec<Cell>, column: NamedResults, node_number: i64) -> Result<i64> {
    let mut number = node_number + 1;
    let mut previous: Vec<String> = Vec::new();
    for LeafResult { path, cells } in column.leaves {
        // In pre-order, the parts that the leaf does not share with the one before are new nodes.
        let shared = path.iter().zip(&previous).take_while(|(part, before)| part == before).count();
        number += i64::try_from(path.len() - shared).unwrap_or(0);
        if column.is_selected {
            let parts = [column.name.as_str()].into_iter().chain(path.iter().map(String::as_str));
            rows.push(row(number, join_path(parts), cells, column.has_rows)?);
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
