//! The result of a statement, row by row or in chunks. It is held by DuckDB's buffers and outlives its session.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;

use libduckdb_sys as sys;

use super::handle::LogicalType;
use super::types::resolve;
use super::vector::{Chunk, DuckColumn, StringVector};
use colstats_core::column::column_type::ColumnType;
use colstats_core::column::vectors::{ByteString, Values};
use colstats_core::error::{Error, Result};
use colstats_core::query::NamedValues;

/// The result of a statement.
pub struct Rows {
    result: sys::duckdb_result,
}

// SAFETY: a materialised result is plain memory, used by one thread at a time.
unsafe impl Send for Rows {}

impl Rows {
    /// A result that nothing has been written to yet.
    pub(super) fn empty() -> Rows {
        // SAFETY: a result is plain data, for which zero is valid.
        Rows { result: unsafe { std::mem::zeroed() } }
    }

    pub(super) fn as_raw(&mut self) -> &mut sys::duckdb_result {
        &mut self.result
    }

    /// Names and types of the columns.
    pub fn columns(&mut self) -> Vec<(String, ColumnType)> {
        // SAFETY: the result is alive; indexes stay below the count; names belong to the result and are
        // copied, types are owned by us.
        unsafe {
            (0..sys::duckdb_column_count(&mut self.result))
                .map(|index| {
                    let name = sys::duckdb_column_name(&mut self.result, index);
                    let name = if name.is_null() {
                        String::new()
                    } else {
                        CStr::from_ptr(name).to_string_lossy().into_owned()
                    };
                    let logical_type = LogicalType::from_raw(sys::duckdb_column_logical_type(
                        &mut self.result,
                        index,
                    ));
                    (name, resolve(&logical_type))
                })
                .collect()
        }
    }

    /// The next chunk of rows, `None` at the end.
    pub fn next_chunk(&mut self) -> Option<RowChunk> {
        // SAFETY: the result is alive; the chunk is owned by us.
        let raw = unsafe { sys::duckdb_fetch_chunk(self.result) };
        if raw.is_null() { None } else { Some(RowChunk { raw }) }
    }

    /// Makes something of each row.
    pub fn collect<T>(mut self, read: impl Fn(&dyn NamedValues) -> T) -> Result<Vec<T>> {
        let names = self.columns().into_iter().map(|(name, _)| name);
        let result = ResultColumns {
            places: names.enumerate().map(|(place, name)| (name, place)).collect(),
            missed: RefCell::new(None),
        };
        let mut collected = Vec::new();
        while let Some(chunk) = self.next_chunk() {
            let columns = chunk.columns();
            collected.extend(
                (0..chunk.row_count())
                    .map(|index| read(&Row { result: &result, columns: &columns, index })),
            );
        }
        result.missed.into_inner().map_or(Ok(collected), Err)
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        // SAFETY: owned and not used again.
        unsafe { sys::duckdb_destroy_result(&mut self.result) };
    }
}

/// Some rows of a result.
pub struct RowChunk {
    raw: sys::duckdb_data_chunk,
}

impl RowChunk {
    fn chunk(&self) -> Chunk<'_> {
        // SAFETY: owned, and nobody writes to it. Chunks of a materialised result are flat.
        unsafe { Chunk::new(self.raw) }
    }

    /// How many rows it has.
    pub fn row_count(&self) -> usize {
        self.chunk().row_count()
    }

    /// The columns with their values.
    pub fn columns(&self) -> Vec<DuckColumn<'_>> {
        let chunk = self.chunk();
        (0..chunk.column_count())
            // SAFETY: the index is below the count and the type is the column's own.
            .map(|index| unsafe { chunk.column(index, &chunk.column_type(index)) })
            .collect()
    }
}

impl Drop for RowChunk {
    fn drop(&mut self) {
        // SAFETY: owned and not used again.
        unsafe { sys::duckdb_destroy_data_chunk(&mut self.raw) };
    }
}

/// One row of a result.
struct Row<'rows> {
    result: &'rows ResultColumns,
    columns: &'rows [DuckColumn<'rows>],
    index: usize,
}

/// The places of the columns, and the first one that was asked for in vain.
struct ResultColumns {
    places: HashMap<String, usize>,
    missed: RefCell<Option<Error>>,
}

impl ResultColumns {
    fn miss(&self, column: &str, expected: &str) {
        let mut missed = self.missed.borrow_mut();
        missed.get_or_insert_with(|| {
            Error::new(format!("the composed statement has no column {column} of type {expected}"))
        });
    }
}

impl<'rows> Row<'rows> {
    fn column(&self, name: &str, expected: &str) -> Option<&'rows DuckColumn<'rows>> {
        let column = self.result.places.get(name).and_then(|place| self.columns.get(*place));
        if column.is_none() {
            self.result.miss(name, expected);
        }
        column
    }
}

impl NamedValues for Row<'_> {
    fn text(&self, column: &str) -> Option<&str> {
        std::str::from_utf8(self.bytes(column)?).ok()
    }

    fn bytes(&self, column: &str) -> Option<&[u8]> {
        match &self.column(column, "VARCHAR")?.values {
            Values::Bytes(strings) => StringVector::get(strings, self.index).map(ByteString::bytes),
            _ => {
                self.result.miss(column, "VARCHAR");
                None
            }
        }
    }

    fn integer(&self, column: &str) -> Option<i64> {
        let found = self.column(column, "BIGINT")?;
        let Values::Int64(values) = &found.values else {
            self.result.miss(column, "BIGINT");
            return None;
        };
        values.get(self.index).copied().filter(|_| found.validity.is_valid(self.index))
    }

    fn flag(&self, column: &str) -> Option<bool> {
        let found = self.column(column, "BOOLEAN")?;
        let Values::Boolean(values) = &found.values else {
            self.result.miss(column, "BOOLEAN");
            return None;
        };
        values
            .get(self.index)
            .map(|value| *value != 0)
            .filter(|_| found.validity.is_valid(self.index))
    }
}
