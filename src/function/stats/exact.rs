//! The aggregate `exact_column_stats(x ANY)`: what `parquet_stats_audit` compares footers with.

use std::ops::Range;

use super::column_stats::summaries;
use crate::ffi::aggregate::{Aggregate, Arguments};
use crate::ffi::registry::Parameter;
use crate::ffi::spelling::DuckdbSpeller;
use crate::output::exact;
use colstats_core::accumulator::ColumnStatistics;
use colstats_core::column::column_type::{ColumnType, Field, join_path};
use colstats_core::error::Result;
use colstats_core::settings::Settings;
use colstats_core::summary::Summary;
use colstats_core::value::Cell;

/// `exact_column_stats(x)` returns LIST of STRUCT, one per leaf: `path`, `type`, `value_count`,
/// `null_count`, `nan_count`, `min_value`, `max_value`, `box` (DOUBLE[8], x y z m) and `geometry_types`.
///
/// As `column_stats`, for comparing and not for a catalogue: no bound is cut or widened, and texts are
/// those of DuckDB's cast to VARCHAR. NULL rows are counted; a group without rows has an empty list.
pub struct ExactColumnStats;

/// Texts of any length are kept whole.
const MAX_BOUND_BYTES: i64 = i32::MAX as i64;

fn leaf_cell(summary: &Summary) -> Cell {
    let (min_value, max_value) = exact::ends(summary, &DuckdbSpeller);
    let (ordinates, types) = exact::geometry(summary).unzip();
    let list = |cells: Vec<Cell>| Cell::List(cells);
    Cell::Struct(vec![
        Cell::Varchar(join_path(summary.path.iter().map(String::as_str))),
        Cell::Varchar(summary.column_type.name()),
        summary.value_count.into(),
        summary.null_count.into(),
        summary.nan_count.into(),
        min_value.into(),
        max_value.into(),
        ordinates.map(|ordinates| list(ordinates.map(Into::into).to_vec())).into(),
        types.map(|types| list(types.into_iter().map(Cell::Varchar).collect())).into(),
    ])
}

impl Aggregate for ExactColumnStats {
    type State = ColumnStatistics;

    const NAME: &'static str = "exact_column_stats";

    fn overloads() -> Vec<Vec<Parameter>> {
        vec![vec![Parameter::Any]]
    }

    fn result_type() -> ColumnType {
        let fields = [
            ("path", ColumnType::Varchar),
            ("type", ColumnType::Varchar),
            ("value_count", ColumnType::BigInt),
            ("null_count", ColumnType::BigInt),
            ("nan_count", ColumnType::BigInt),
            ("min_value", ColumnType::Varchar),
            ("max_value", ColumnType::Varchar),
            ("box", ColumnType::List(ColumnType::Double.into())),
            ("geometry_types", ColumnType::List(ColumnType::Varchar.into())),
        ]
        .map(|(name, column_type)| Field { name: name.to_owned(), column_type });
        ColumnType::List(ColumnType::Struct(fields.into()).into())
    }

    fn start(arguments: &Arguments<'_>, _first: usize) -> Result<ColumnStatistics> {
        let settings = Settings::with_max_bound_bytes(MAX_BOUND_BYTES)?;
        ColumnStatistics::new(arguments.first_type()?, settings)
    }

    fn update(
        state: &mut ColumnStatistics,
        arguments: &Arguments<'_>,
        rows: Range<usize>,
    ) -> Result<()> {
        state.update(arguments.first_column()?, rows);
        Ok(())
    }

    fn merge(state: &mut ColumnStatistics, other: &ColumnStatistics) -> Result<()> {
        state.merge(other)
    }

    fn finish(state: Option<(&ColumnStatistics, &[ColumnType])>) -> Result<Cell> {
        Ok(Cell::List(summaries(state).iter().map(leaf_cell).collect()))
    }
}
