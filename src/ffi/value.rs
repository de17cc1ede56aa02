//! Reads arguments and cells out of DuckDB: values as [`Literal`]s, vector rows as [`Cell`]s.

use libduckdb_sys as sys;

use super::handle::{LogicalType, Value};
use super::spelling::DuckdbSpeller;
use super::types::resolve;
use super::vector::DuckColumn;
use colstats_core::column::column_type::ColumnType;
use colstats_core::column::vectors::{ByteString, Values};
use colstats_core::value::Cell;
use colstats_core::value::Literal;
use colstats_core::value::{Scalar, Speller};

/// A bound argument with all its parts.
pub fn literal(value: &Value) -> Literal {
    // SAFETY: the value is alive; NULL of any type is asked for before its parts are.
    if value.is_absent() || unsafe { sys::duckdb_is_null_value(value.as_raw()) } {
        return Literal::Null;
    }
    // The type belongs to the value, so the handle made around it must not free it.
    // SAFETY: the value is alive.
    let borrowed = std::mem::ManuallyDrop::new(unsafe {
        LogicalType::from_raw(sys::duckdb_get_value_type(value.as_raw()))
    });
    parts(value, &resolve(&borrowed))
}

fn parts(value: &Value, column_type: &ColumnType) -> Literal {
    let raw = value.as_raw();
    match column_type.base() {
        // SAFETY: the value is a list; indexes stay below the size; children are owned by us.
        ColumnType::List(_) => Literal::List(unsafe {
            (0..sys::duckdb_get_list_size(raw))
                .map(|index| literal(&Value::from_raw(sys::duckdb_get_list_child(raw, index))))
                .collect()
        }),
        ColumnType::Struct(fields) => Literal::Struct(
            (0..)
                .zip(fields.iter())
                .map(|(index, field)| {
                    // SAFETY: the value is a struct with these fields; the child is owned by us.
                    let child =
                        unsafe { Value::from_raw(sys::duckdb_get_struct_child(raw, index)) };
                    (field.name.clone(), literal(&child))
                })
                .collect(),
        ),
        // SAFETY: the value is a map; indexes stay below the size; both parts are owned by us.
        ColumnType::Map(_) => Literal::Map(unsafe {
            (0..sys::duckdb_get_map_size(raw))
                .map(|index| {
                    (
                        literal(&Value::from_raw(sys::duckdb_get_map_key(raw, index))),
                        literal(&Value::from_raw(sys::duckdb_get_map_value(raw, index))),
                    )
                })
                .collect()
        }),
        // SAFETY: the value is a BOOLEAN.
        ColumnType::Boolean => Literal::Boolean(unsafe { sys::duckdb_get_bool(raw) }),
        ColumnType::TinyInt | ColumnType::SmallInt | ColumnType::Integer | ColumnType::BigInt => {
            // SAFETY: the value is an integer that fits.
            Literal::Integer(unsafe { sys::duckdb_get_int64(raw) })
        }
        ColumnType::Varchar => Literal::Text(value.text().unwrap_or_default()),
        other => Literal::Typed {
            text: value.text().unwrap_or_default(),
            type_name: other.base().name(),
        },
    }
}

/// The cell of a row, for the types that results have; other types read as NULL.
pub fn cell_at(column: &DuckColumn<'_>, column_type: &ColumnType, row: usize) -> Cell {
    if !column.validity.is_valid(row) {
        return Cell::Null;
    }
    match (&column.values, column_type.base()) {
        (Values::Boolean(values), _) => values.get(row).map(|value| *value != 0).into(),
        (Values::Int64(values), ColumnType::BigInt) => values.get(row).copied().into(),
        (Values::Int32(values), ColumnType::Integer) => {
            values.get(row).copied().map(i64::from).into()
        }
        (Values::Double(values), _) => values.get(row).map_or(Cell::Null, |v| Cell::Double(*v)),
        (Values::Bytes(strings), ColumnType::Blob) => {
            strings.get(row).map_or(Cell::Null, |item| Cell::Blob(item.bytes().to_vec()))
        }
        (Values::Bytes(strings), _) => {
            strings.get(row).map(|item| String::from_utf8_lossy(item.bytes()).into_owned()).into()
        }
        (Values::Struct(children), ColumnType::Struct(fields)) => Cell::Struct(
            children
                .iter()
                .zip(fields.iter())
                .map(|(c, f)| cell_at(c, &f.column_type, row))
                .collect(),
        ),
        (Values::List { entries, child }, ColumnType::List(element)) => {
            let Some(entry) = entries.get(row) else { return Cell::Null };
            let rows = crate::ffi::vector::length(entry.offset)
                ..crate::ffi::vector::length(entry.offset.saturating_add(entry.length));
            Cell::List(rows.map(|row| cell_at(child, element, row)).collect())
        }
        _ => Cell::Null,
    }
}

/// The literal of a row: an argument of a scalar function.
pub fn literal_at(column: &DuckColumn<'_>, column_type: &ColumnType, row: usize) -> Literal {
    if !column.validity.is_valid(row) {
        return Literal::Null;
    }
    let scalar = match (&column.values, column_type.base()) {
        (Values::Boolean(values), _) => {
            return Literal::Boolean(values.get(row).is_some_and(|value| *value != 0));
        }
        (Values::Struct(children), ColumnType::Struct(fields)) => {
            return Literal::Struct(
                children
                    .iter()
                    .zip(fields.iter())
                    .map(|(c, f)| (f.name.clone(), literal_at(c, &f.column_type, row)))
                    .collect(),
            );
        }
        (Values::List { entries, child }, list_type) => {
            let Some(entry) = entries.get(row) else { return Literal::Null };
            let rows = crate::ffi::vector::length(entry.offset)
                ..crate::ffi::vector::length(entry.offset.saturating_add(entry.length));
            return list_literal(child, list_type, rows);
        }
        (Values::Bytes(strings), ColumnType::Varchar | ColumnType::Json) => {
            return strings.get(row).map_or(Literal::Null, |item| {
                Literal::Text(String::from_utf8_lossy(item.bytes()).into_owned())
            });
        }
        (Values::Bytes(strings), _) => match strings.get(row) {
            Some(item) => Scalar::Bytes(item.bytes()),
            None => return Literal::Null,
        },
        (Values::Int8(values), _) => signed(values, row),
        (Values::Int16(values), _) => signed(values, row),
        (Values::Int32(values), _) => signed(values, row),
        (Values::Int64(values), _) => signed(values, row),
        (Values::UInt8(values), _) => unsigned(values, row),
        (Values::UInt16(values), _) => unsigned(values, row),
        (Values::UInt32(values), _) => unsigned(values, row),
        (Values::UInt64(values), _) => unsigned(values, row),
        (Values::Float(values), _) => Scalar::Float(values.get(row).copied().unwrap_or_default()),
        (Values::Double(values), _) => Scalar::Double(values.get(row).copied().unwrap_or_default()),
        _ => return Literal::Null,
    };
    match (scalar, i64::try_from(integer_of(scalar))) {
        (Scalar::Signed(_), Ok(number)) if is_plain_integer(column_type) => {
            Literal::Integer(number)
        }
        _ => DuckdbSpeller
            .spell(column_type, scalar)
            .map_or(Literal::Null, |text| Literal::Typed { text, type_name: column_type.name() }),
    }
}

fn is_plain_integer(column_type: &ColumnType) -> bool {
    matches!(
        column_type.base(),
        ColumnType::TinyInt | ColumnType::SmallInt | ColumnType::Integer | ColumnType::BigInt
    )
}

fn integer_of(scalar: Scalar<'_>) -> i128 {
    match scalar {
        Scalar::Signed(value) => value,
        _ => i128::MAX,
    }
}

fn signed<T: Copy + Into<i128>>(values: &[T], row: usize) -> Scalar<'static> {
    Scalar::Signed(values.get(row).copied().map_or(0, Into::into))
}

fn unsigned<T: Copy + Into<u128>>(values: &[T], row: usize) -> Scalar<'static> {
    Scalar::Unsigned(values.get(row).copied().map_or(0, Into::into))
}

fn list_literal(
    child: &DuckColumn<'_>,
    list_type: &ColumnType,
    rows: std::ops::Range<usize>,
) -> Literal {
    match (list_type, &child.values) {
        (ColumnType::Map(entry), Values::Struct(parts)) => match parts.as_slice() {
            [keys, values] => Literal::Map(
                rows.map(|row| {
                    (literal_at(keys, &entry.0, row), literal_at(values, &entry.1, row))
                })
                .collect(),
            ),
            _ => Literal::Null,
        },
        (ColumnType::List(element), _) => {
            Literal::List(rows.map(|row| literal_at(child, element, row)).collect())
        }
        _ => Literal::Null,
    }
}
