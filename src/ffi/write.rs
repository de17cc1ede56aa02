//! Writes result cells into DuckDB's vectors.

use libduckdb_sys as sys;

use colstats_core::column::column_type::ColumnType;
use colstats_core::column::vectors::ListEntry;
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;

/// Writes `cell` at `row`.
///
/// # Safety
/// * `vector` is a writable vector of `column_type` with room for `row`.
pub unsafe fn write_cell(
    vector: sys::duckdb_vector,
    column_type: &ColumnType,
    row: u64,
    cell: &Cell,
) -> Result<()> {
    // SAFETY (all of these): the arm says the type, so the data pointer is to values of that type.
    match (column_type, cell) {
        (_, Cell::Null) => {
            // SAFETY: by the contract.
            unsafe { write_null(vector, column_type, row) };
        }
        (ColumnType::Boolean, Cell::Boolean(value)) => {
            // SAFETY: BOOLEAN is one byte.
            unsafe { store(vector, row, u8::from(*value)) };
        }
        (ColumnType::BigInt, Cell::BigInt(value)) => {
            // SAFETY: BIGINT is an i64.
            unsafe { store(vector, row, *value) };
        }
        (ColumnType::Double, Cell::Double(value)) => {
            // SAFETY: DOUBLE is an f64.
            unsafe { store(vector, row, *value) };
        }
        (ColumnType::Varchar, Cell::Varchar(text)) => {
            // SAFETY: by the contract; the bytes are copied.
            unsafe { store_bytes(vector, row, text.as_bytes()) };
        }
        (ColumnType::Blob, Cell::Blob(bytes)) => {
            // SAFETY: by the contract; the bytes are copied.
            unsafe { store_bytes(vector, row, bytes) };
        }
        (ColumnType::Struct(fields), Cell::Struct(cells)) if fields.len() == cells.len() => {
            for ((index, field), cell) in (0..).zip(fields.iter()).zip(cells) {
                // SAFETY: a STRUCT vector has a child per field, as long as itself.
                unsafe {
                    let child = sys::duckdb_struct_vector_get_child(vector, index);
                    write_cell(child, &field.column_type, row, cell)?;
                }
            }
        }
        (ColumnType::List(element), Cell::List(cells)) => {
            // SAFETY: by the contract.
            unsafe { write_list(vector, element, row, cells)? };
        }
        _ => {
            return Err(Error::new(format!("a cell does not fit its type {}", column_type.name())));
        }
    }
    Ok(())
}

/// # Safety
/// * As for [`write_cell`].
unsafe fn write_null(vector: sys::duckdb_vector, column_type: &ColumnType, row: u64) {
    // SAFETY: the mask exists once it was made writable.
    unsafe {
        sys::duckdb_vector_ensure_validity_writable(vector);
        sys::duckdb_validity_set_row_invalid(sys::duckdb_vector_get_validity(vector), row);
    }
    match column_type {
        // A NULL struct's fields are NULL too: readers look at them.
        ColumnType::Struct(fields) => {
            for (index, field) in (0..).zip(fields.iter()) {
                // SAFETY: a STRUCT vector has a child per field, as long as itself.
                unsafe {
                    let child = sys::duckdb_struct_vector_get_child(vector, index);
                    write_null(child, &field.column_type, row);
                }
            }
        }
        ColumnType::List(_) => {
            // SAFETY: a LIST vector's data are entries; a NULL one is made an empty one.
            unsafe { store(vector, row, ListEntry { offset: 0, length: 0 }) };
        }
        _ => {}
    }
}

/// Appends the elements to the list's child.
///
/// # Safety
/// * `vector` is a writable LIST vector of `element` with room for `row`.
unsafe fn write_list(
    vector: sys::duckdb_vector,
    element: &ColumnType,
    row: u64,
    cells: &[Cell],
) -> Result<()> {
    let length = cells.len() as u64;
    // SAFETY: by the contract. The child is asked for after the reservation, which may move it.
    let (offset, child) = unsafe {
        let offset = sys::duckdb_list_vector_get_size(vector);
        if sys::duckdb_list_vector_reserve(vector, offset + length) != sys::DuckDBSuccess
            || sys::duckdb_list_vector_set_size(vector, offset + length) != sys::DuckDBSuccess
        {
            return Err(Error::new("no memory for a result list"));
        }
        store(vector, row, ListEntry { offset, length });
        (offset, sys::duckdb_list_vector_get_child(vector))
    };
    for (position, cell) in (offset..).zip(cells) {
        // SAFETY: the child has room for `offset + length` rows.
        unsafe { write_cell(child, element, position, cell)? };
    }
    Ok(())
}

/// # Safety
/// * `vector`'s data are values laid out as `T`, with room for `row`.
unsafe fn store<T>(vector: sys::duckdb_vector, row: u64, value: T) {
    // SAFETY: by the contract.
    unsafe {
        let data = sys::duckdb_vector_get_data(vector).cast::<T>();
        data.add(crate::ffi::vector::length(row)).write(value);
    }
}

/// # Safety
/// * `vector` is a writable VARCHAR or BLOB vector with room for `row`.
unsafe fn store_bytes(vector: sys::duckdb_vector, row: u64, bytes: &[u8]) {
    // SAFETY: the bytes are copied, by length, so NUL bytes are fine.
    unsafe {
        sys::duckdb_vector_assign_string_element_len(
            vector,
            row,
            bytes.as_ptr().cast(),
            bytes.len() as u64,
        );
    }
}
