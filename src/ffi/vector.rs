//! Lends the vectors of a chunk as [`Column`]s.
//!
//! All vectors that reach an extension are flat, nested children too (hosts from 1.3.0, checked at
//! LOAD). What lies in a NULL row is undefined; for text it may be a wild pointer, so
//! [`StringVector`] never touches it.

use std::mem::offset_of;
use std::ops::Range;

use libduckdb_sys as sys;

use super::handle::LogicalType;
use super::types::resolve;
use colstats_core::column::column_type::{ColumnType, Field};
use colstats_core::column::vectors::{
    ByteString, Column, ListEntry, SignedWords, Strings, UnsignedWords, Validity, Values,
};

/// A column of a live chunk.
pub type DuckColumn<'chunk> = Column<'chunk, StringVector<'chunk>>;

/// A chunk that DuckDB lends for one call.
pub struct Chunk<'chunk> {
    raw: sys::duckdb_data_chunk,
    row_count: usize,
    lifetime: std::marker::PhantomData<&'chunk ()>,
}

impl<'chunk> Chunk<'chunk> {
    /// # Safety
    /// * `raw` is a live chunk of flat vectors for `'chunk`, and nobody writes to it meanwhile.
    pub unsafe fn new(raw: sys::duckdb_data_chunk) -> Self {
        // SAFETY: by the contract.
        let row_count = unsafe { sys::duckdb_data_chunk_get_size(raw) };
        Chunk { raw, row_count: length(row_count), lifetime: std::marker::PhantomData }
    }

    /// How many rows it has.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// How many columns it has.
    pub fn column_count(&self) -> usize {
        // SAFETY: the chunk is alive.
        length(unsafe { sys::duckdb_data_chunk_get_column_count(self.raw) })
    }

    /// The type of a column.
    pub fn column_type(&self, index: usize) -> ColumnType {
        // SAFETY: the chunk is alive, and callers stay below the column count; the type is owned.
        let logical_type = unsafe {
            let vector = sys::duckdb_data_chunk_get_vector(self.raw, index as u64);
            LogicalType::from_raw(sys::duckdb_vector_get_column_type(vector))
        };
        resolve(&logical_type)
    }

    /// A column, which must be of the type given (what [`Chunk::column_type`] said).
    ///
    /// # Safety
    /// * `index` is below the column count and `column_type` is the column's.
    pub unsafe fn column(&self, index: usize, column_type: &ColumnType) -> DuckColumn<'chunk> {
        // SAFETY: the chunk is alive for 'chunk.
        unsafe {
            let vector = sys::duckdb_data_chunk_get_vector(self.raw, index as u64);
            column(vector, column_type, self.row_count)
        }
    }
}

/// A row count or size of the host as an index. No vector is larger than the address space.
pub fn length(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// # Safety
/// * `vector` is a flat vector of `column_type` with at least `row_count` rows, alive for `'chunk`.
unsafe fn column<'chunk>(
    vector: sys::duckdb_vector,
    column_type: &ColumnType,
    row_count: usize,
) -> DuckColumn<'chunk> {
    // SAFETY: by the contract.
    let validity = unsafe { validity(vector, row_count) };
    // SAFETY: by the contract; the layout of each type is that of DuckDB's vectors.
    let values = unsafe { values(vector, column_type, row_count, validity) };
    Column { validity, values }
}

/// # Safety
/// * As for [`column`].
unsafe fn validity<'chunk>(vector: sys::duckdb_vector, row_count: usize) -> Validity<'chunk> {
    // SAFETY: the vector is alive.
    let words = unsafe { sys::duckdb_vector_get_validity(vector) };
    if words.is_null() || row_count == 0 {
        return Validity::new(None);
    }
    // SAFETY: a mask has one bit per row, in whole words.
    Validity::new(Some(unsafe { std::slice::from_raw_parts(words, row_count.div_ceil(64)) }))
}

/// # Safety
/// * As for [`column`].
unsafe fn values<'chunk>(
    vector: sys::duckdb_vector,
    column_type: &ColumnType,
    row_count: usize,
    validity: Validity<'chunk>,
) -> Values<'chunk, StringVector<'chunk>> {
    use ColumnType as T;
    // SAFETY: in every arm, the slice type is the physical type that DuckDB gives to the logical one.
    unsafe {
        match column_type.base() {
            T::Boolean => Values::Boolean(slice(vector, row_count)),
            T::TinyInt => Values::Int8(slice(vector, row_count)),
            T::SmallInt => Values::Int16(slice(vector, row_count)),
            T::Integer | T::Date => Values::Int32(slice(vector, row_count)),
            T::BigInt
            | T::Time
            | T::TimeNs
            | T::TimestampS
            | T::TimestampMs
            | T::Timestamp
            | T::TimestampNs
            | T::TimestampTz
            | T::TimestampTzNs => Values::Int64(slice(vector, row_count)),
            T::UTinyInt => Values::UInt8(slice(vector, row_count)),
            T::USmallInt => Values::UInt16(slice(vector, row_count)),
            T::UInteger => Values::UInt32(slice(vector, row_count)),
            T::UBigInt => Values::UInt64(slice(vector, row_count)),
            T::HugeInt | T::Uuid => Values::Int128(slice::<SignedWords>(vector, row_count)),
            T::UHugeInt => Values::UInt128(slice::<UnsignedWords>(vector, row_count)),
            T::Float => Values::Float(slice(vector, row_count)),
            T::Double => Values::Double(slice(vector, row_count)),
            T::Decimal { width: ..=4, .. } => Values::Int16(slice(vector, row_count)),
            T::Decimal { width: ..=9, .. } => Values::Int32(slice(vector, row_count)),
            T::Decimal { width: ..=18, .. } => Values::Int64(slice(vector, row_count)),
            T::Decimal { .. } => Values::Int128(slice::<SignedWords>(vector, row_count)),
            T::Enum(members) if members.len() <= 0xFF => Values::UInt8(slice(vector, row_count)),
            T::Enum(members) if members.len() <= 0xFFFF => Values::UInt16(slice(vector, row_count)),
            T::Enum(_) => Values::UInt32(slice(vector, row_count)),
            T::Varchar | T::Json | T::Blob | T::Bit | T::BigNum | T::Geometry => {
                Values::Bytes(StringVector { cells: slice(vector, row_count), validity })
            }
            T::Struct(fields) => Values::Struct(struct_children(vector, fields, 0, row_count)),
            T::Union(members) => Values::Union {
                // The tag is the first child of the struct that a union is.
                tags: slice(sys::duckdb_struct_vector_get_child(vector, 0), row_count),
                members: struct_children(vector, members, 1, row_count),
            },
            T::List(element) => list(vector, element, row_count),
            T::Map(entry) => list(vector, &map_entry_type(entry), row_count),
            T::Array(element, size) => {
                let size = length(*size);
                let child = sys::duckdb_array_vector_get_child(vector);
                Values::Array { size, child: Box::new(column(child, element, row_count * size)) }
            }
            T::Null | T::TimeTz | T::Interval | T::Variant | T::Opaque(_) | T::Alias(..) => {
                Values::Opaque
            }
        }
    }
}

/// # Safety
/// * As for [`column`], for a LIST or MAP vector whose child is of type `element`.
unsafe fn list<'chunk>(
    vector: sys::duckdb_vector,
    element: &ColumnType,
    row_count: usize,
) -> Values<'chunk, StringVector<'chunk>> {
    // SAFETY: by the contract; the child holds as many rows as the list vector says.
    unsafe {
        let child_size = length(sys::duckdb_list_vector_get_size(vector));
        let child = sys::duckdb_list_vector_get_child(vector);
        Values::List {
            entries: slice::<ListEntry>(vector, row_count),
            child: Box::new(column(child, element, child_size)),
        }
    }
}

/// A map is a list of the struct of its key and value.
fn map_entry_type(entry: &(ColumnType, ColumnType)) -> ColumnType {
    let field = |name: &str, column_type: &ColumnType| Field {
        name: name.to_owned(),
        column_type: column_type.clone(),
    };
    ColumnType::Struct([field("key", &entry.0), field("value", &entry.1)].into())
}

/// # Safety
/// * As for [`column`], for a STRUCT or UNION vector whose fields start at child `first`.
unsafe fn struct_children<'chunk>(
    vector: sys::duckdb_vector,
    fields: &[Field],
    first: u64,
    row_count: usize,
) -> Vec<DuckColumn<'chunk>> {
    (first..)
        .zip(fields)
        .map(|(index, field)| {
            // SAFETY: the vector has a child per field, with as many rows as the parent.
            unsafe {
                let child = sys::duckdb_struct_vector_get_child(vector, index);
                column(child, &field.column_type, row_count)
            }
        })
        .collect()
}

/// # Safety
/// * `vector` is flat, alive for `'chunk`, and its data are at least `row_count` values that are valid
///   for every bit pattern and aligned as `T` (which never asks for more than 8 bytes).
unsafe fn slice<'chunk, T>(vector: sys::duckdb_vector, row_count: usize) -> &'chunk [T] {
    const { assert!(align_of::<T>() <= 8, "vectors are aligned to 8 bytes, not more") };
    // SAFETY: the vector is alive.
    let data = unsafe { sys::duckdb_vector_get_data(vector) };
    if data.is_null() || row_count == 0 {
        return &[];
    }
    // SAFETY: by the contract.
    unsafe { std::slice::from_raw_parts(data.cast::<T>(), row_count) }
}

/// DuckDB's `string_t`: up to 12 bytes lie in the cell itself, longer values behind the pointer.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct StringCell {
    length: u32,
    prefix: [u8; 4],
    pointer: *const u8,
}

const INLINE_BYTES: usize = 12;

/// A column of text or bytes.
#[derive(Debug, Clone, Copy)]
pub struct StringVector<'chunk> {
    cells: &'chunk [StringCell],
    validity: Validity<'chunk>,
}

impl<'chunk> StringVector<'chunk> {
    /// The value of a row; `None` for NULL and beyond the end.
    pub fn get(&self, row: usize) -> Option<StringItem<'chunk>> {
        self.cells.get(row).filter(|_| self.validity.is_valid(row)).map(StringItem)
    }
}

/// One valid text or byte string.
#[derive(Debug, Clone, Copy)]
pub struct StringItem<'chunk>(&'chunk StringCell);

impl<'chunk> ByteString<'chunk> for StringItem<'chunk> {
    #[inline]
    fn size_bytes(self) -> usize {
        self.0.length as usize
    }

    #[inline(always)]
    fn prefix(self) -> u32 {
        u32::from_be_bytes(self.0.prefix)
    }

    #[inline]
    fn first_twelve(self) -> u128 {
        match self.bytes().first_chunk::<INLINE_BYTES>() {
            Some(bytes) => {
                let mut padded = [0; 16];
                padded.iter_mut().skip(4).zip(bytes).for_each(|(to, from)| *to = *from);
                u128::from_be_bytes(padded)
            }
            // A shorter string lies in the cell, the bytes behind it being zero.
            None => u128::from_be_bytes(self.identity().to_ne_bytes()) & (u128::MAX >> 32),
        }
    }

    #[inline]
    fn bytes(self) -> &'chunk [u8] {
        let size = self.size_bytes();
        let start = if size <= INLINE_BYTES {
            // From the cell, not from the field: the inline bytes go on over the pointer's place.
            std::ptr::from_ref(self.0).cast::<u8>().wrapping_add(offset_of!(StringCell, prefix))
        } else {
            self.0.pointer
        };
        // SAFETY: an item is made for valid rows of a live chunk only; short values lie in the cell,
        // long ones behind its pointer.
        unsafe { std::slice::from_raw_parts(start, size) }
    }

    #[inline(always)]
    fn identity(self) -> u128 {
        // SAFETY: the cell is 16 bytes of plain data. Equal cells are equal strings: the bytes of a short
        // one are all there, of a long one length and address are.
        unsafe { std::ptr::from_ref(self.0).cast::<u128>().read_unaligned() }
    }

    #[inline(always)]
    fn other_of_prefix(self, other: Self) -> u32 {
        let [mine, theirs] = [self.0, other.0].map(|cell| {
            // SAFETY: the cell is 16 bytes of plain data, aligned to eight.
            unsafe { std::ptr::from_ref(cell).cast::<[u32; 4]>().read() }
        });
        // The words are length, prefix, and the rest of a short string or the address of a long one.
        let differences = (mine[0] ^ theirs[0]) | (mine[2] ^ theirs[2]) | (mine[3] ^ theirs[3]);
        if mine[1] == theirs[1] { differences } else { 0 }
    }
}

impl<'chunk> Strings<'chunk> for StringVector<'chunk> {
    type Item = StringItem<'chunk>;

    // Always inlined: the kernel around it is compiled for several sets of instructions.
    #[inline(always)]
    fn for_each_valid(&self, rows: Range<usize>, mut visit: impl FnMut(StringItem<'chunk>)) {
        let validity = self.validity.within(&rows);
        if validity.words().is_none() {
            self.cells
                .get(rows)
                .unwrap_or_default()
                .iter()
                .for_each(|cell| visit(StringItem(cell)));
            return;
        }
        validity.for_each_valid(rows, |row| {
            if let Some(cell) = self.cells.get(row) {
                visit(StringItem(cell));
            }
        });
    }

    fn find_valid(
        &self,
        rows: Range<usize>,
        mut is_wanted: impl FnMut(StringItem<'chunk>) -> bool,
    ) -> Option<StringItem<'chunk>> {
        rows.filter_map(|row| self.get(row)).find(|item| is_wanted(*item))
    }
}
