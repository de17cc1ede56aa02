//! Rows of Hive's column statistics between SQL and [`HiveValues`]: the columns that all functions of this
//! shape share, and how cells become values and back.

use crate::output::hive::rows::{HiveValues, TopValue};
use crate::output::hive::thrift::statistics_obj;
use colstats_core::column::column_type::{ColumnType, Field};
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;

/// What a row says of itself, beside its values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Identity {
    pub cat_name: Option<String>,
    pub db_name: Option<String>,
    pub table_name: Option<String>,
    pub partition_name: Option<String>,
    pub column_name: Option<String>,
    /// Seconds since 1970.
    pub last_analyzed: Option<i64>,
    pub engine: Option<String>,
    pub file_name: Option<String>,
}

/// The type of `top_k` and of `frequent_items`.
pub fn top_values_type() -> ColumnType {
    let fields = [
        ("value", ColumnType::Varchar),
        ("count", ColumnType::BigInt),
        ("error", ColumnType::BigInt),
    ];
    ColumnType::List(struct_type(fields.to_vec()).into())
}

/// A STRUCT of these fields.
pub fn struct_type(fields: Vec<(&'static str, ColumnType)>) -> ColumnType {
    let field = |(name, column_type): (&str, ColumnType)| Field { name: name.into(), column_type };
    ColumnType::Struct(fields.into_iter().map(field).collect())
}

/// The frequent values as a cell.
pub fn top_values_cell(values: &[TopValue]) -> Cell {
    let cell = |value: &TopValue| {
        Cell::Struct(vec![value.value.clone().into(), value.count.into(), value.error.into()])
    };
    Cell::List(values.iter().map(cell).collect())
}

fn number_columns() -> [(&'static str, ColumnType); 14] {
    [
        ("long_low_value", ColumnType::BigInt),
        ("long_high_value", ColumnType::BigInt),
        ("double_low_value", ColumnType::Double),
        ("double_high_value", ColumnType::Double),
        ("big_decimal_low_value", ColumnType::Varchar),
        ("big_decimal_high_value", ColumnType::Varchar),
        ("num_nulls", ColumnType::BigInt),
        ("num_distincts", ColumnType::BigInt),
        ("bit_vector", ColumnType::Blob),
        ("histogram", ColumnType::Blob),
        ("avg_col_len", ColumnType::Double),
        ("max_col_len", ColumnType::BigInt),
        ("num_trues", ColumnType::BigInt),
        ("num_falses", ColumnType::BigInt),
    ]
}

fn number_cells(row: &HiveValues) -> [Cell; 14] {
    [
        row.long_low.into(),
        row.long_high.into(),
        row.double_low.into(),
        row.double_high.into(),
        row.decimal_low.clone().into(),
        row.decimal_high.clone().into(),
        row.num_nulls.into(),
        row.num_distincts.into(),
        row.bit_vector.clone().into(),
        row.histogram.clone().into(),
        row.avg_col_len.into(),
        row.max_col_len.into(),
        row.num_trues.into(),
        row.num_falses.into(),
    ]
}

/// Names and types of the columns of `hive_column_stats` and its like.
pub fn hive_columns() -> Vec<(&'static str, ColumnType)> {
    let mut columns = vec![
        ("cat_name", ColumnType::Varchar),
        ("db_name", ColumnType::Varchar),
        ("table_name", ColumnType::Varchar),
        ("partition_name", ColumnType::Varchar),
        ("column_name", ColumnType::Varchar),
        ("column_type", ColumnType::Varchar),
    ];
    columns.extend(number_columns());
    columns.extend([
        ("last_analyzed", ColumnType::BigInt),
        ("engine", ColumnType::Varchar),
        ("low_value", ColumnType::Varchar),
        ("high_value", ColumnType::Varchar),
        ("top_k", top_values_type()),
        ("notes", ColumnType::Varchar),
        ("statistics_obj", ColumnType::Varchar),
        ("file_name", ColumnType::Varchar),
        ("value_count", ColumnType::BigInt),
    ]);
    columns
}

/// A row of `hive_column_stats`.
pub fn row_cell(identity: &Identity, row: &HiveValues) -> Cell {
    let column_name = identity.column_name.as_deref().unwrap_or_default();
    let mut cells: Vec<Cell> = vec![
        identity.cat_name.clone().into(),
        identity.db_name.clone().into(),
        identity.table_name.clone().into(),
        identity.partition_name.clone().into(),
        identity.column_name.clone().into(),
        Cell::Varchar(row.column_type.clone()),
    ];
    cells.extend(number_cells(row));
    cells.extend([
        identity.last_analyzed.into(),
        identity.engine.clone().into(),
        row.low_value.clone().into(),
        row.high_value.clone().into(),
        row.top_k.as_deref().map_or(Cell::Null, top_values_cell),
        row.notes.clone().into(),
        statistics_obj(column_name, row).into(),
        identity.file_name.clone().into(),
        row.value_count.into(),
    ]);
    Cell::Struct(cells)
}

/// Names and types of the fields of an element of `hive_stats`.
pub fn element_columns() -> Vec<(&'static str, ColumnType)> {
    let mut columns = vec![
        ("path", ColumnType::Varchar),
        ("type", ColumnType::Varchar),
        ("column_type", ColumnType::Varchar),
    ];
    columns.extend(number_columns());
    columns.extend([
        ("low_value", ColumnType::Varchar),
        ("high_value", ColumnType::Varchar),
        ("top_k", top_values_type()),
        ("notes", ColumnType::Varchar),
        ("value_count", ColumnType::BigInt),
        ("sum_col_len", ColumnType::BigInt),
    ]);
    columns
}

/// An element of `hive_stats`: the leaf at `path`, whose DuckDB type is `type_name`.
pub fn element_cell(path: String, type_name: String, row: &HiveValues) -> Cell {
    let mut cells = vec![path.into(), type_name.into(), Cell::Varchar(row.column_type.clone())];
    cells.extend(number_cells(row));
    cells.extend([
        row.low_value.clone().into(),
        row.high_value.clone().into(),
        row.top_k.as_deref().map_or(Cell::Null, top_values_cell),
        row.notes.clone().into(),
        row.value_count.into(),
        row.sum_col_len.into(),
    ]);
    Cell::Struct(cells)
}

/// Reads a row or an element by the names of its fields; other fields are left alone.
///
/// # Errors
/// If a cell is not of the type that its name asks for.
pub fn read_row<'name>(
    fields: impl IntoIterator<Item = (&'name str, Cell)>,
) -> Result<(Identity, HiveValues)> {
    let (mut identity, mut row) = (Identity::default(), HiveValues::default());
    for (name, cell) in fields {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "cat_name" => identity.cat_name = text(&name, cell)?,
            "db_name" => identity.db_name = text(&name, cell)?,
            "table_name" => identity.table_name = text(&name, cell)?,
            "partition_name" => identity.partition_name = text(&name, cell)?,
            "column_name" => identity.column_name = text(&name, cell)?,
            "last_analyzed" => identity.last_analyzed = integer(&name, cell)?,
            "engine" => identity.engine = text(&name, cell)?,
            "file_name" => identity.file_name = text(&name, cell)?,
            "column_type" => row.column_type = text(&name, cell)?.unwrap_or_default(),
            "long_low_value" => row.long_low = integer(&name, cell)?,
            "long_high_value" => row.long_high = integer(&name, cell)?,
            "double_low_value" => row.double_low = double(&name, cell)?,
            "double_high_value" => row.double_high = double(&name, cell)?,
            "big_decimal_low_value" => row.decimal_low = text(&name, cell)?,
            "big_decimal_high_value" => row.decimal_high = text(&name, cell)?,
            "num_nulls" => row.num_nulls = integer(&name, cell)?,
            "num_distincts" => row.num_distincts = integer(&name, cell)?,
            "bit_vector" => row.bit_vector = bytes(&name, cell)?,
            "histogram" => row.histogram = bytes(&name, cell)?,
            "avg_col_len" => row.avg_col_len = double(&name, cell)?,
            "max_col_len" => row.max_col_len = integer(&name, cell)?,
            "num_trues" => row.num_trues = integer(&name, cell)?,
            "num_falses" => row.num_falses = integer(&name, cell)?,
            "low_value" => row.low_value = text(&name, cell)?,
            "high_value" => row.high_value = text(&name, cell)?,
            "top_k" => row.top_k = top_values(&name, cell)?,
            "notes" => row.notes = text(&name, cell)?,
            "value_count" => row.value_count = integer(&name, cell)?,
            "sum_col_len" => row.sum_col_len = integer(&name, cell)?,
            _ => {}
        }
    }
    Ok((identity, row))
}

fn mismatch<T>(name: &str, expected: &str) -> Result<T> {
    Err(Error::new(format!("{name} must be {expected}; cast it")))
}

fn text(name: &str, cell: Cell) -> Result<Option<String>> {
    match cell {
        Cell::Null => Ok(None),
        Cell::Varchar(text) => Ok(Some(text)),
        _ => mismatch(name, "VARCHAR"),
    }
}

fn integer(name: &str, cell: Cell) -> Result<Option<i64>> {
    match cell {
        Cell::Null => Ok(None),
        Cell::BigInt(value) => Ok(Some(value)),
        _ => mismatch(name, "BIGINT"),
    }
}

fn double(name: &str, cell: Cell) -> Result<Option<f64>> {
    match cell {
        Cell::Null => Ok(None),
        Cell::Double(value) => Ok(Some(value)),
        _ => mismatch(name, "DOUBLE"),
    }
}

fn bytes(name: &str, cell: Cell) -> Result<Option<Vec<u8>>> {
    match cell {
        Cell::Null => Ok(None),
        Cell::Blob(bytes) => Ok(Some(bytes)),
        _ => mismatch(name, "BLOB"),
    }
}

fn top_values(name: &str, cell: Cell) -> Result<Option<Vec<TopValue>>> {
    let expected = "LIST(STRUCT(value VARCHAR, count BIGINT, error BIGINT))";
    let cells = match cell {
        Cell::Null => return Ok(None),
        Cell::List(cells) => cells,
        _ => return mismatch(name, expected),
    };
    let value = |cell: Cell| match cell {
        Cell::Struct(parts) => match <[Cell; 3]>::try_from(parts) {
            Ok([value, Cell::BigInt(count), Cell::BigInt(error)]) => {
                Ok(TopValue { value: text(name, value)?, count, error })
            }
            _ => mismatch(name, expected),
        },
        _ => mismatch(name, expected),
    };
    cells.into_iter().map(value).collect::<Result<Vec<_>>>().map(Some)
}
