//! The aggregate `hive_stats(x [, precision [, top_k, histogram, nested]])`: what a Hive metastore keeps
//! of a column, one element per leaf; and the scalar `hive_stats_rows`, which makes rows of its results.

use std::ops::Range;

use super::bit_vector::{HIVE_PRECISION, integer_argument, precision};
use super::rows::{
    Identity, element_cell, element_columns, hive_columns, read_row, row_cell, struct_type,
};
use crate::ffi::aggregate::{Aggregate, Arguments};
use crate::ffi::registry::Parameter;
use crate::ffi::scalar::ScalarFunction;
use crate::ffi::session::Host;
use crate::ffi::spelling::DuckdbSpeller;
use crate::function::stats::named_results::{LeafResult, NamedResults, cells_at, named_results};
use crate::output::hive;
use colstats_core::accumulator::ColumnStatistics;
use colstats_core::column::column_type::{ColumnType, join_path};
use colstats_core::column::vectors::Values;
use colstats_core::details::DetailSettings;
use colstats_core::error::{Error, Result};
use colstats_core::settings::Settings;
use colstats_core::value::Cell;

/// The most frequent values that can be asked for.
pub const LARGEST_TOP_K: u16 = 1000;

/// `hive_stats(x ANY [, precision BIGINT [, top_k BIGINT, histogram BOOLEAN, nested BOOLEAN]])` returns
/// LIST of STRUCT: `path`, `type` and the values of a row of `hive_column_stats`, and `sum_col_len`.
///
/// `precision` (4 to 16, default 10) is that of the bit vector, which no blob can hold at 16 (then it is NULL);
/// `top_k` (0 to 1000, default 0) asks for frequent values, `histogram` for a KLL sketch; with `nested` false,
/// columns of nested types are passed over. They must be the same in all rows. A group without rows has an empty list.
pub struct HiveStats;

/// The statistics; `None` for a column that is passed over.
type State = Option<ColumnStatistics>;

impl Aggregate for HiveStats {
    type State = State;

    const NAME: &'static str = "hive_stats";

    fn overloads() -> Vec<Vec<Parameter>> {
        let number = || Parameter::Of(ColumnType::BigInt);
        let flag = || Parameter::Of(ColumnType::Boolean);
        vec![
            vec![Parameter::Any],
            vec![Parameter::Any, number()],
            vec![Parameter::Any, number(), number(), flag(), flag()],
        ]
    }

    fn result_type() -> ColumnType {
        element_list_type()
    }

    fn start(arguments: &Arguments<'_>, first: usize) -> Result<State> {
        let column_type = arguments.first_type()?;
        let has_options = arguments.columns.len() > 2;
        if has_options && !flag_argument(arguments, 4, first)? && !is_flat(column_type) {
            return Ok(None);
        }
        let precision = match arguments.columns.len() {
            1 => HIVE_PRECISION,
            _ => precision(integer_argument(arguments, 1, first))?,
        };
        let mut details = DetailSettings { top_k: 0, has_histogram: false };
        if has_options {
            details.top_k = top_k(integer_argument(arguments, 2, first), 0)?;
            details.has_histogram = flag_argument(arguments, 3, first)?;
        }
        let settings = Settings {
            sketch_precision: Some(precision),
            details: Some(details),
            ..Settings::default()
        };
        ColumnStatistics::new(column_type, settings).map(Some)
    }

    fn update(state: &mut State, arguments: &Arguments<'_>, rows: Range<usize>) -> Result<()> {
        if let Some(statistics) = state {
            statistics.update(arguments.first_column()?, rows);
        }
        Ok(())
    }

    fn merge(state: &mut State, other: &State) -> Result<()> {
        match (state, other) {
            (Some(statistics), Some(other)) => statistics.merge(other),
            _ => Ok(()),
        }
    }

    fn finish(state: Option<(&State, &[ColumnType])>) -> Result<Cell> {
        let Some((Some(statistics), [column_type, ..])) = state else {
            return Ok(Cell::List(Vec::new()));
        };
        let element = |summary: &colstats_core::summary::Summary| {
            let path = join_path(summary.path.iter().map(String::as_str));
            element_cell(path, summary.column_type.name(), &hive::values(summary, &DuckdbSpeller))
        };
        Ok(Cell::List(statistics.finish(column_type).iter().map(element).collect()))
    }
}

fn element_list_type() -> ColumnType {
    ColumnType::List(struct_type(element_columns()).into())
}

/// Whether the column is its own and only leaf.
fn is_flat(column_type: &ColumnType) -> bool {
    matches!(column_type.leaves().as_slice(), [leaf] if leaf.path.is_empty())
}

/// How many frequent values are asked for: `least` to 1000.
pub fn top_k(value: Option<i64>, least: u16) -> Result<u16> {
    match value.map(u16::try_from) {
        Some(Ok(top_k)) if (least..=LARGEST_TOP_K).contains(&top_k) => Ok(top_k),
        _ => Err(Error::new(format!(
            "the number of frequent values must lie between {least} and {LARGEST_TOP_K}"
        ))),
    }
}

fn flag_argument(arguments: &Arguments<'_>, index: usize, row: usize) -> Result<bool> {
    let column = arguments.columns.get(index).filter(|column| column.validity.is_valid(row));
    match column.map(|column| &column.values) {
        Some(Values::Boolean(values)) => Ok(values.get(row).is_some_and(|value| *value != 0)),
        _ => Err(Error::new("histogram and nested must be true or false, not NULL")),
    }
}

/// `hive_stats_rows(names VARCHAR[], typed, selected VARCHAR[], stats, identity STRUCT)` returns a list of
/// rows of `hive_column_stats`: one per leaf of each selected column. It is what the composed statements
/// end in; there is little use for it alone.
///
/// The lists are those of [`named_results`]. `identity` holds `cat_name`, `db_name`,
/// `table_name`, `partition_name`, `engine`, `file_name`, `last_analyzed`, `null_length`, `nested` and `asked`
/// (the columns were asked for by name, so one that has no rows for being nested is an error).
pub struct HiveStatsRows;

impl ScalarFunction for HiveStatsRows {
    const NAME: &'static str = "hive_stats_rows";

    fn overloads() -> Vec<Vec<Parameter>> {
        let names = || Parameter::Of(ColumnType::List(ColumnType::Varchar.into()));
        let stats = || Parameter::Of(ColumnType::List(element_list_type().into()));
        vec![vec![names(), stats(), names(), stats(), Parameter::Any]]
    }

    fn result_type() -> ColumnType {
        ColumnType::List(struct_type(hive_columns()).into())
    }

    fn call(_host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let arity = || Error::new("takes four lists and a STRUCT");
        let mut lists = cells_at(arguments, row);
        let given = lists.pop().ok_or_else(arity)?;
        let (identity, shown) = identity(arguments.types.get(4), given)?;
        let columns = named_results(lists.try_into().map_err(|_| arity())?, "hive_stats")?;
        let mut rows = Vec::new();
        for column in columns.into_iter().filter(|column| column.is_selected) {
            add_column(&mut rows, column, &identity, shown)?;
        }
        Ok(Cell::List(rows))
    }
}

/// What the caller of the composed statement asked for.
#[derive(Debug, Clone, Copy)]
struct Shown {
    /// NULL does not count in average lengths.
    is_impala: bool,
    /// The leaves of nested columns have rows.
    has_nested: bool,
    /// The columns were asked for by name.
    is_asked: bool,
}

/// Appends the rows of one column.
fn add_column(
    rows: &mut Vec<Cell>,
    NamedResults { name, has_rows, leaves, .. }: NamedResults,
    identity: &Identity,
    shown: Shown,
) -> Result<()> {
    for LeafResult { path, cells } in leaves {
        if !shown.has_nested && !path.is_empty() {
            if shown.is_asked {
                return Err(nested_column(&name));
            }
            continue;
        }
        let names = element_columns();
        let (_, mut values) = read_row(names.iter().map(|(name, _)| *name).zip(cells))?;
        if !has_rows {
            values = values.without_rows();
        }
        if shown.is_impala {
            values.avg_col_len = values.average_of_values();
        }
        let parts = [name.as_str()].into_iter().chain(path.iter().map(String::as_str));
        let column_name = if path.is_empty() { name.clone() } else { join_path(parts) };
        let identity = Identity { column_name: Some(column_name), ..identity.clone() };
        rows.push(row_cell(&identity, &values));
    }
    Ok(())
}

fn nested_column(name: &str) -> Error {
    Error::new(format!(
        "column '{name}' is nested, and Hive keeps no statistics of nested columns; nested := true gives \
         those of its leaves (in hive_column_stats, hive_table_column_stats, hive_query_column_stats)"
    ))
}

/// The last argument: what is the same for all rows.
fn identity(column_type: Option<&ColumnType>, cell: Cell) -> Result<(Identity, Shown)> {
    let (Some(ColumnType::Struct(fields)), Cell::Struct(cells)) = (column_type, cell) else {
        return Err(Error::new("the last argument must be a STRUCT"));
    };
    let is_set = |name: &str, wanted: &Cell| {
        fields.iter().zip(&cells).any(|(field, cell)| field.name == name && cell == wanted)
    };
    let shown = Shown {
        is_impala: is_set("null_length", &Cell::Varchar("impala".to_owned())),
        has_nested: is_set("nested", &Cell::Boolean(true)),
        is_asked: is_set("asked", &Cell::Boolean(true)),
    };
    let names = fields.iter().map(|field| field.name.as_str());
    Ok((read_row(names.zip(cells))?.0, shown))
}
