//! Columns and spellings made of plain Rust values, for tests.
//!
//! [`Memory`] lays rows out as DuckDB lays out its vectors, and puts something misleading wherever a
//! kernel must not look: behind NULL, between lists, in the mask beyond the last row.

use std::ops::Range;

use crate::column::column_type::{ColumnType, Field};
use crate::column::vectors::{
    ByteString, Column, ListEntry, SignedWords, Strings, UnsignedWords, Validity, Values,
};
use crate::value::{Scalar, Speller};

/// A column of byte strings without a host.
#[derive(Debug, Clone)]
pub struct ByteColumn<'a> {
    values: Vec<Option<&'a [u8]>>,
}

impl<'a> ByteColumn<'a> {
    /// A column without NULL.
    pub fn new(values: &[&'a [u8]]) -> Self {
        ByteColumn { values: values.iter().map(|value| Some(*value)).collect() }
    }

    /// A column with NULLs.
    pub fn nullable(values: Vec<Option<&'a [u8]>>) -> Self {
        ByteColumn { values }
    }
}

impl<'a> ByteString<'a> for &'a [u8] {
    fn size_bytes(self) -> usize {
        self.len()
    }

    fn prefix(self) -> u32 {
        let mut bytes = [0; 4];
        bytes.iter_mut().zip(self).for_each(|(to, from)| *to = *from);
        u32::from_be_bytes(bytes)
    }

    fn bytes(self) -> &'a [u8] {
        self
    }

    fn identity(self) -> u128 {
        (self.as_ptr() as u128) << 64 | self.len() as u128
    }
}

impl<'a> Strings<'a> for ByteColumn<'a> {
    type Item = &'a [u8];

    fn for_each_valid(&self, rows: Range<usize>, visit: impl FnMut(&'a [u8])) {
        self.values[rows].iter().copied().flatten().for_each(visit);
    }
}

/// One value of any type. A map is a list of structs of key and value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Boolean(bool),
    Signed(i128),
    Unsigned(u128),
    Float(f32),
    Double(f64),
    Bytes(Vec<u8>),
    /// A value of a type that is only counted.
    Opaque,
    Struct(Vec<Value>),
    List(Vec<Value>),
    /// The index of the member and its value.
    Union(usize, Box<Value>),
}

pub fn struct_of<const N: usize>(fields: [(&str, ColumnType); N]) -> ColumnType {
    ColumnType::Struct(fields.map(field).into())
}

pub fn union_of<const N: usize>(members: [(&str, ColumnType); N]) -> ColumnType {
    ColumnType::Union(members.map(field).into())
}

pub fn list_of(element: ColumnType) -> ColumnType {
    ColumnType::List(element.into())
}

pub fn map_of(key: ColumnType, value: ColumnType) -> ColumnType {
    ColumnType::Map((key, value).into())
}

fn field((name, column_type): (&str, ColumnType)) -> Field {
    Field { name: name.into(), column_type }
}

/// What a list, an array or a map holds; `None` for all other types.
pub fn element_type(column_type: &ColumnType) -> Option<ColumnType> {
    match column_type.base() {
        ColumnType::List(element) | ColumnType::Array(element, _) => Some((**element).clone()),
        ColumnType::Map(entry) => {
            Some(struct_of([("key", entry.0.clone()), ("value", entry.1.clone())]))
        }
        _ => None,
    }
}

/// How lists lie in their child column, and when a mask is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One list after the other; a mask only where a row is NULL. A scan looks like this.
    Dense,
    /// Lists in backward order with other elements between them, equal neighbours sharing their
    /// elements; always a mask. Filters and constants look like this.
    Scattered,
}

/// Some rows of a column in memory of our own.
#[derive(Debug)]
pub struct Memory {
    validity: Option<Vec<u64>>,
    values: Buffer,
}

#[derive(Debug)]
enum Buffer {
    Opaque,
    Boolean(Vec<u8>),
    Int8(Vec<i8>),
    Int16(Vec<i16>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    UInt8(Vec<u8>),
    UInt16(Vec<u16>),
    UInt32(Vec<u32>),
    UInt64(Vec<u64>),
    Int128(Vec<SignedWords>),
    UInt128(Vec<UnsignedWords>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<Option<Vec<u8>>>),
    Struct(Vec<Memory>),
    List { entries: Vec<ListEntry>, child: Box<Memory> },
    Array { size: usize, child: Box<Memory> },
    Union { tags: Vec<u8>, members: Vec<Memory> },
}

impl Memory {
    /// Lays `rows` out as a column of this type.
    pub fn new(column_type: &ColumnType, rows: &[Value], layout: Layout) -> Memory {
        let values = match column_type.base() {
            ColumnType::Struct(fields) => Buffer::Struct(struct_children(fields, rows, layout)),
            ColumnType::Union(members) => union_buffer(members, rows, layout),
            ColumnType::Array(element, size) => array_buffer(element, *size, rows, layout),
            ColumnType::List(_) | ColumnType::Map(_) => list_buffer(column_type, rows, layout),
            _ => leaf_buffer(column_type, rows),
        };
        Memory { validity: mask(rows, layout), values }
    }

    /// The view of a kernel.
    pub fn column(&self) -> Column<'_, ByteColumn<'_>> {
        let values = match &self.values {
            Buffer::Opaque => Values::Opaque,
            Buffer::Boolean(values) => Values::Boolean(values),
            Buffer::Int8(values) => Values::Int8(values),
            Buffer::Int16(values) => Values::Int16(values),
            Buffer::Int32(values) => Values::Int32(values),
            Buffer::Int64(values) => Values::Int64(values),
            Buffer::UInt8(values) => Values::UInt8(values),
            Buffer::UInt16(values) => Values::UInt16(values),
            Buffer::UInt32(values) => Values::UInt32(values),
            Buffer::UInt64(values) => Values::UInt64(values),
            Buffer::Int128(values) => Values::Int128(values),
            Buffer::UInt128(values) => Values::UInt128(values),
            Buffer::Float(values) => Values::Float(values),
            Buffer::Double(values) => Values::Double(values),
            Buffer::Bytes(values) => Values::Bytes(ByteColumn::nullable(
                values.iter().map(|value| value.as_deref()).collect(),
            )),
            Buffer::Struct(children) => Values::Struct(columns_of(children)),
            Buffer::List { entries, child } => {
                Values::List { entries, child: Box::new(child.column()) }
            }
            Buffer::Array { size, child } => {
                Values::Array { size: *size, child: Box::new(child.column()) }
            }
            Buffer::Union { tags, members } => Values::Union { tags, members: columns_of(members) },
        };
        Column { validity: Validity::new(self.validity.as_deref()), values }
    }
}

fn columns_of(children: &[Memory]) -> Vec<Column<'_, ByteColumn<'_>>> {
    children.iter().map(Memory::column).collect()
}

/// One bit per row. The bits beyond the last row are set, as nobody promises anything about them.
fn mask(rows: &[Value], layout: Layout) -> Option<Vec<u64>> {
    if layout == Layout::Dense && !rows.contains(&Value::Null) {
        return None;
    }
    let mut words = vec![u64::MAX; rows.len().div_ceil(64)];
    for (row, _) in rows.iter().enumerate().filter(|(_, value)| **value == Value::Null) {
        words[row / 64] &= !(1 << (row % 64));
    }
    Some(words)
}

/// A valid value that spoils counts or bounds when somebody takes it for one of the column's.
fn misleading(column_type: &ColumnType) -> Value {
    use ColumnType as T;
    match column_type.base() {
        T::Boolean => Value::Boolean(true),
        T::Float => Value::Float(f32::NAN),
        T::Double => Value::Double(f64::NAN),
        T::Varchar | T::Json | T::Blob | T::Bit | T::BigNum | T::Geometry => {
            Value::Bytes(vec![0xFF; 5])
        }
        T::Struct(fields) => {
            Value::Struct(fields.iter().map(|field| misleading(&field.column_type)).collect())
        }
        T::Union(members) => Value::Union(0, Box::new(misleading(&members[0].column_type))),
        T::Array(element, size) => Value::List(vec![misleading(element); *size as usize]),
        T::UTinyInt | T::USmallInt | T::UInteger | T::UBigInt | T::UHugeInt | T::Enum(_) => {
            Value::Unsigned(u128::MAX)
        }
        _ => match element_type(column_type) {
            Some(element) => Value::List(vec![misleading(&element)]),
            None => Value::Signed(i128::from_ne_bytes([0x80; 16])),
        },
    }
}

fn struct_children(fields: &[Field], rows: &[Value], layout: Layout) -> Vec<Memory> {
    let part = |row: &Value, index: usize, column_type: &ColumnType| match row {
        Value::Struct(parts) => parts[index].clone(),
        // The child's own mask says that this is a value.
        _ => misleading(column_type),
    };
    let child = |(index, field): (usize, &Field)| {
        let parts: Vec<Value> =
            rows.iter().map(|row| part(row, index, &field.column_type)).collect();
        Memory::new(&field.column_type, &parts, layout)
    };
    fields.iter().enumerate().map(child).collect()
}

fn union_buffer(members: &[Field], rows: &[Value], layout: Layout) -> Buffer {
    let tag = |row: &Value| if let Value::Union(index, _) = row { *index as u8 } else { 0 };
    let part = |row: &Value, member: usize, column_type: &ColumnType| match row {
        Value::Union(index, value) if *index == member => (**value).clone(),
        _ => misleading(column_type),
    };
    let child = |(index, member): (usize, &Field)| {
        let parts: Vec<Value> =
            rows.iter().map(|row| part(row, index, &member.column_type)).collect();
        Memory::new(&member.column_type, &parts, layout)
    };
    Buffer::Union {
        tags: rows.iter().map(tag).collect(),
        members: members.iter().enumerate().map(child).collect(),
    }
}

fn array_buffer(element: &ColumnType, size: u64, rows: &[Value], layout: Layout) -> Buffer {
    let size = size as usize;
    let mut elements = Vec::new();
    for row in rows {
        match row {
            Value::List(items) => elements.extend_from_slice(items),
            _ => elements.extend(vec![misleading(element); size]),
        }
    }
    Buffer::Array { size, child: Box::new(Memory::new(element, &elements, layout)) }
}

fn list_buffer(column_type: &ColumnType, rows: &[Value], layout: Layout) -> Buffer {
    let element = element_type(column_type).unwrap();
    // What stands in the entry of a NULL list is as undefined as any other value.
    let mut entries = vec![ListEntry { offset: 7, length: u64::MAX }; rows.len()];
    let mut elements = Vec::new();
    let mut previous: Option<(&[Value], ListEntry)> = None;
    for position in 0..rows.len() {
        let row = if layout == Layout::Dense { position } else { rows.len() - 1 - position };
        let Value::List(items) = &rows[row] else { continue };
        if layout == Layout::Scattered {
            if let Some((shared, entry)) = previous.filter(|(shared, _)| shared == items) {
                entries[row] = entry;
                previous = Some((shared, entry));
                continue;
            }
            elements.push(misleading(&element));
        }
        entries[row] = ListEntry { offset: elements.len() as u64, length: items.len() as u64 };
        previous = Some((items, entries[row]));
        elements.extend_from_slice(items);
    }
    Buffer::List { entries, child: Box::new(Memory::new(&element, &elements, layout)) }
}

fn leaf_buffer(column_type: &ColumnType, rows: &[Value]) -> Buffer {
    use ColumnType as T;
    match column_type.base() {
        T::Boolean => Buffer::Boolean(cells(column_type, rows, |value| match value {
            // DuckDB promises zero and not zero, no more.
            Value::Boolean(true) => 2,
            _ => 0,
        })),
        T::Float => Buffer::Float(cells(column_type, rows, float)),
        T::Double => Buffer::Double(cells(column_type, rows, double)),
        T::Varchar | T::Json | T::Blob | T::Bit | T::BigNum | T::Geometry => {
            // What a NULL text points at may be no memory at all: no view reaches it.
            Buffer::Bytes(rows.iter().map(bytes).collect())
        }
        T::TinyInt => Buffer::Int8(cells(column_type, rows, |v| signed(v) as i8)),
        T::SmallInt | T::Decimal { width: ..=4, .. } => {
            Buffer::Int16(cells(column_type, rows, |v| signed(v) as i16))
        }
        T::Integer | T::Date | T::Decimal { width: ..=9, .. } => {
            Buffer::Int32(cells(column_type, rows, |v| signed(v) as i32))
        }
        T::HugeInt | T::Uuid | T::Decimal { width: 19.., .. } => {
            Buffer::Int128(cells(column_type, rows, |v| SignedWords(words(signed(v) as u128))))
        }
        T::UHugeInt => {
            Buffer::UInt128(cells(column_type, rows, |v| UnsignedWords(words(unsigned(v)))))
        }
        T::UTinyInt => Buffer::UInt8(cells(column_type, rows, |v| unsigned(v) as u8)),
        T::USmallInt => Buffer::UInt16(cells(column_type, rows, |v| unsigned(v) as u16)),
        T::UInteger => Buffer::UInt32(cells(column_type, rows, |v| unsigned(v) as u32)),
        T::UBigInt => Buffer::UInt64(cells(column_type, rows, |v| unsigned(v) as u64)),
        T::Enum(members) => match members.len() {
            ..=0xFF => Buffer::UInt8(cells(column_type, rows, |v| unsigned(v) as u8)),
            0x100..=0xFFFF => Buffer::UInt16(cells(column_type, rows, |v| unsigned(v) as u16)),
            _ => Buffer::UInt32(cells(column_type, rows, |v| unsigned(v) as u32)),
        },
        T::Null | T::TimeTz | T::Interval | T::Variant | T::Opaque(_) => Buffer::Opaque,
        _ => Buffer::Int64(cells(column_type, rows, |v| signed(v) as i64)),
    }
}

/// A cell per row, with something misleading in place of NULL.
fn cells<T>(column_type: &ColumnType, rows: &[Value], cell: impl Fn(&Value) -> T) -> Vec<T> {
    let cell_or_misleading = |row: &Value| match row {
        Value::Null => cell(&misleading(column_type)),
        other => cell(other),
    };
    rows.iter().map(cell_or_misleading).collect()
}

fn words(number: u128) -> [u64; 2] {
    [number as u64, (number >> 64) as u64]
}

macro_rules! readers {
    ($($name:ident: $variant:ident -> $type:ty;)*) => {$(
        /// The number in a value of this kind.
        pub fn $name(value: &Value) -> $type {
            match value {
                Value::$variant(number) => *number,
                other => panic!("{other:?} does not belong into this column"),
            }
        }
    )*};
}
readers! {
    signed: Signed -> i128;
    unsigned: Unsigned -> u128;
    float: Float -> f32;
    double: Double -> f64;
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::Bytes(bytes) => Some(bytes.clone()),
        _ => None,
    }
}

/// Spells as DuckDB does, as far as shapes can tell: shortest floats, with an exponent below 1e-4 and
/// from 1e16 on. Types whose text is DuckDB's business appear as their stored number or in hex.
#[derive(Debug, Clone, Copy)]
pub struct PlainSpeller;

impl Speller for PlainSpeller {
    fn spell(&self, _column_type: &ColumnType, value: Scalar<'_>) -> Option<String> {
        Some(match value {
            Scalar::Signed(value) => value.to_string(),
            Scalar::Unsigned(value) => value.to_string(),
            Scalar::Float(value) => spell_float(format!("{value:e}"), format!("{value:?}")),
            Scalar::Double(value) => spell_float(format!("{value:e}"), format!("{value:?}")),
            Scalar::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }
}

fn spell_float(scientific: String, plain: String) -> String {
    match scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()) {
        Some(..-4) => scientific,
        Some(16..) => scientific.replace('e', "e+"),
        // Infinity has none.
        Some(-4..16) | None => plain,
    }
}
