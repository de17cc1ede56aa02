//! What the scalars that make rows of results have in common (`column_stats_rows`, `hive_stats_rows`): lists of
//! names and of results of an aggregate become columns with their leaves.

use std::collections::HashMap;

use crate::ffi::aggregate::Arguments;
use crate::ffi::value::cell_at;
use colstats_core::column::column_type::split_path;
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;

/// A column with the results of its leaves.
pub struct NamedResults {
    pub name: String,
    /// Its rows are asked for.
    pub is_selected: bool,
    /// Whether the results were made of rows. Those that were not still tell the leaves and their types.
    pub has_rows: bool,
    pub leaves: Vec<LeafResult>,
}

/// An element of a result of the aggregate.
pub struct LeafResult {
    /// Where the leaf lies in its column: the first of the cells.
    pub path: Vec<String>,
    pub cells: Vec<Cell>,
}

/// The arguments in a row.
pub fn cells_at(arguments: &Arguments<'_>, row: usize) -> Vec<Cell> {
    let columns = arguments.columns.iter().zip(arguments.types.iter());
    columns.map(|(column, column_type)| cell_at(column, column_type, row)).collect()
}

/// All columns. `typed` holds a result of the aggregate for each of `names`, whatever rows it was made of; `stats` one
/// for each of `selected`, which may be empty (no rows, so no type was seen), or is NULL where nothing was scanned.
pub fn named_results(
    [names, typed, selected, stats]: [Cell; 4],
    aggregate: &str,
) -> Result<Vec<NamedResults>> {
    let mut results_of_name = by_name(list(selected), stats)?;
    let (names, typed) = (list(names), list(typed));
    check_lengths(names.len(), typed.len())?;
    let column = |(name, typed): (Cell, Cell)| {
        let name = name_of(name)?;
        let seen = results_of_name.remove(&name.to_ascii_lowercase());
        let is_selected = seen.is_some();
        let seen = seen.filter(|seen| !seen.is_empty());
        let has_rows = seen.is_some();
        let elements = seen.unwrap_or_else(|| list(typed)).into_iter();
        let leaves = elements.map(|element| leaf(element, aggregate)).collect::<Result<_>>()?;
        Ok(NamedResults { name, is_selected, has_rows, leaves })
    };
    names.into_iter().zip(typed).map(column).collect()
}

/// The results by names in small letters. DuckDB's names do not depend on the case of ASCII letters, but on that of
/// others.
fn by_name(selected: Vec<Cell>, stats: Cell) -> Result<HashMap<String, Vec<Cell>>> {
    let stats = match stats {
        Cell::Null => vec![Cell::Null; selected.len()],
        stats => list(stats),
    };
    check_lengths(selected.len(), stats.len())?;
    let entry = |(name, stats)| Ok((name_of(name)?.to_ascii_lowercase(), list(stats)));
    selected.into_iter().zip(stats).map(entry).collect()
}

fn check_lengths(names: usize, results: usize) -> Result<()> {
    if names == results {
        return Ok(());
    }
    Err(Error::new("names and results must be lists of the same length"))
}

fn name_of(cell: Cell) -> Result<String> {
    match cell {
        Cell::Varchar(name) => Ok(name),
        _ => Err(Error::new("a column name is NULL")),
    }
}

fn leaf(element: Cell, aggregate: &str) -> Result<LeafResult> {
    let Cell::Struct(cells) = element else {
        return Err(Error::new(format!("an element is not a result of {aggregate}")));
    };
    match cells.first() {
        Some(Cell::Varchar(path)) => Ok(LeafResult { path: split_path(path), cells }),
        _ => Err(Error::new(format!("a result of {aggregate} has no path"))),
    }
}

fn list(cell: Cell) -> Vec<Cell> {
    match cell {
        Cell::List(cells) => cells,
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Cell {
        Cell::List(texts.iter().map(|text| Cell::Varchar((*text).into())).collect())
    }

    /// Results of one leaf each, at these paths.
    fn results(paths: &[&str]) -> Cell {
        let result =
            |path: &&str| Cell::List(vec![Cell::Struct(vec![Cell::Varchar((*path).into())])]);
        Cell::List(paths.iter().map(result).collect())
    }

    fn seen(selected: &[&str], stats: Cell) -> Result<Vec<(bool, bool, String)>> {
        let names = ["É", "é", "Name"];
        let typed = results(&["t0", "t1", "t2"]);
        let found = named_results([texts(&names), typed, texts(selected), stats], "x")?;
        let told = |column: NamedResults| {
            (column.is_selected, column.has_rows, column.leaves[0].path.join("."))
        };
        Ok(found.into_iter().map(told).collect())
    }

    #[test]
    fn results_are_found_by_names_in_any_ascii_case() {
        let found = seen(&["NAME", "É"], results(&["s0", "s1"])).unwrap();
        let told = [(true, true, "s1"), (false, false, "t1"), (true, true, "s0")];
        assert_eq!(found, told.map(|(asked, rows, path)| (asked, rows, path.to_owned())));
    }

    #[test]
    fn what_was_not_scanned_has_no_rows() {
        let told = [(false, false, "t0"), (true, false, "t1"), (false, false, "t2")];
        let told = told.map(|(asked, rows, path)| (asked, rows, path.to_owned()));
        assert_eq!(seen(&["é"], Cell::Null).unwrap(), told);
        assert_eq!(seen(&["é"], Cell::List(vec![Cell::List(Vec::new())])).unwrap(), told);
    }

    #[test]
    fn what_does_not_fit_together_is_told() {
        let error = |found: Result<Vec<(bool, bool, String)>>| found.unwrap_err().to_string();
        assert!(error(seen(&["é"], results(&[]))).contains("same length"));
        let number = Cell::List(vec![Cell::List(vec![Cell::BigInt(1)])]);
        assert_eq!(error(seen(&["é"], number)), "an element is not a result of x");
        let pathless = Cell::List(vec![Cell::List(vec![Cell::Struct(vec![Cell::Null])])]);
        assert_eq!(error(seen(&["é"], pathless)), "a result of x has no path");
    }
}
