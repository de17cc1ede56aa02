//! Types as bytes, for states that are kept (`docs/state-format.md`): one tag per type, then its
//! parameters. Tags are never reused.

use std::sync::Arc;

use super::reader::StateReader;
use crate::column::column_type::{ColumnType, Field};
use crate::error::{Error, Result};
pub use crate::leb128::write as write_number;

/// Nesting beyond this is refused: no real type comes near it, and it bounds the recursion.
const MAX_DEPTH: usize = 100;

/// What the paths of all leaves together may take. A few names above many fields make paths that are far
/// longer than the state itself; no real type comes near this either.
const MAX_PATHS_BYTES: usize = 16 << 20;
/// What a part of a path takes besides its text.
const PATH_PART_BYTES: usize = 48;

/// Appends a length and the bytes.
pub fn write_sized(bytes: &mut Vec<u8>, value: &[u8]) {
    write_number(bytes, value.len() as u64);
    bytes.extend_from_slice(value);
}

/// The types without parameters, by tag.
const SIMPLE_TYPES: &[(u8, ColumnType)] = &[
    (1, ColumnType::Null),
    (2, ColumnType::Boolean),
    (3, ColumnType::TinyInt),
    (4, ColumnType::SmallInt),
    (5, ColumnType::Integer),
    (6, ColumnType::BigInt),
    (7, ColumnType::HugeInt),
    (8, ColumnType::UTinyInt),
    (9, ColumnType::USmallInt),
    (10, ColumnType::UInteger),
    (11, ColumnType::UBigInt),
    (12, ColumnType::UHugeInt),
    (13, ColumnType::BigNum),
    (14, ColumnType::Float),
    (15, ColumnType::Double),
    (16, ColumnType::Varchar),
    (17, ColumnType::Json),
    (18, ColumnType::Blob),
    (19, ColumnType::Bit),
    (20, ColumnType::Uuid),
    (21, ColumnType::Date),
    (22, ColumnType::Time),
    (23, ColumnType::TimeNs),
    (24, ColumnType::TimeTz),
    (25, ColumnType::TimestampS),
    (26, ColumnType::TimestampMs),
    (27, ColumnType::Timestamp),
    (28, ColumnType::TimestampNs),
    (29, ColumnType::TimestampTz),
    (30, ColumnType::TimestampTzNs),
    (31, ColumnType::Interval),
    (32, ColumnType::Geometry),
    (33, ColumnType::Variant),
];

const DECIMAL: u8 = 64;
const ENUM: u8 = 65;
const OPAQUE: u8 = 66;
const STRUCT: u8 = 67;
const LIST: u8 = 68;
const ARRAY: u8 = 69;
const MAP: u8 = 70;
const UNION: u8 = 71;
const ALIAS: u8 = 72;

/// Appends a type.
pub fn write_type(bytes: &mut Vec<u8>, column_type: &ColumnType) {
    match column_type {
        ColumnType::Decimal { width, scale } => bytes.extend([DECIMAL, *width, *scale]),
        ColumnType::Enum(members) => {
            bytes.push(ENUM);
            write_number(bytes, members.len() as u64);
            members.iter().for_each(|member| write_sized(bytes, member.as_bytes()));
        }
        ColumnType::Opaque(name) => {
            bytes.push(OPAQUE);
            write_sized(bytes, name.as_bytes());
        }
        ColumnType::Struct(fields) => write_fields(bytes, STRUCT, fields),
        ColumnType::Union(fields) => write_fields(bytes, UNION, fields),
        ColumnType::List(element) => {
            bytes.push(LIST);
            write_type(bytes, element);
        }
        ColumnType::Array(element, size) => {
            bytes.push(ARRAY);
            write_number(bytes, *size);
            write_type(bytes, element);
        }
        ColumnType::Map(entry) => {
            bytes.push(MAP);
            write_type(bytes, &entry.0);
            write_type(bytes, &entry.1);
        }
        ColumnType::Alias(name, base) => {
            bytes.push(ALIAS);
            write_sized(bytes, name.as_bytes());
            write_type(bytes, base);
        }
        simple => {
            let tag =
                SIMPLE_TYPES.iter().find(|(_, known)| known == simple).map_or(0, |(tag, _)| *tag);
            bytes.push(tag);
        }
    }
}

fn write_fields(bytes: &mut Vec<u8>, tag: u8, fields: &[Field]) {
    bytes.push(tag);
    write_number(bytes, fields.len() as u64);
    for field in fields {
        write_sized(bytes, field.name.as_bytes());
        write_type(bytes, &field.column_type);
    }
}

/// Fails for a type whose state could not be read again: one of extreme depth or length.
pub fn check_type(column_type: &ColumnType) -> Result<()> {
    check_nested_type(column_type, 0, 0, &mut 0)
}

fn check_nested_type(
    column_type: &ColumnType,
    depth: usize,
    path_bytes: usize,
    paths_bytes: &mut usize,
) -> Result<()> {
    check_depth(depth)?;
    let mut check = |part: &str, nested: &ColumnType| {
        let path_bytes = path_bytes.saturating_add(part.len() + PATH_PART_BYTES);
        check_nested_type(nested, depth + 1, path_bytes, paths_bytes)
    };
    match column_type {
        ColumnType::Alias(_, base) => check_nested_type(base, depth + 1, path_bytes, paths_bytes),
        ColumnType::Struct(fields) | ColumnType::Union(fields) => {
            fields.iter().try_for_each(|field| check(&field.name, &field.column_type))
        }
        ColumnType::List(element) | ColumnType::Array(element, _) => check("element", element),
        ColumnType::Map(entry) => {
            check("key", &entry.0)?;
            check("value", &entry.1)
        }
        _ => {
            *paths_bytes = paths_bytes.saturating_add(path_bytes);
            if *paths_bytes > MAX_PATHS_BYTES {
                return Err(Error::new("a type with so many and so long names has no state"));
            }
            Ok(())
        }
    }
}

fn check_depth(depth: usize) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(Error::new(format!(
            "a type that is nested more than {MAX_DEPTH} levels deep has no state"
        )));
    }
    Ok(())
}

/// Reads a type.
pub fn read_type(reader: &mut StateReader<'_>) -> Result<ColumnType> {
    let column_type = read_nested_type(reader, 0)?;
    check_type(&column_type)?;
    Ok(column_type)
}

fn read_nested_type(reader: &mut StateReader<'_>, depth: usize) -> Result<ColumnType> {
    check_depth(depth)?;
    let nested = |reader: &mut StateReader<'_>| read_nested_type(reader, depth + 1);
    let tag = reader.byte()?;
    if let Some((_, simple)) = SIMPLE_TYPES.iter().find(|(known, _)| *known == tag) {
        return Ok(simple.clone());
    }
    Ok(match tag {
        DECIMAL => {
            let [width, scale] = reader.array()?;
            if width == 0 || width > 38 || scale > width {
                return Err(Error::new("the state holds a DECIMAL that does not exist"));
            }
            ColumnType::Decimal { width, scale }
        }
        ENUM => {
            let count = reader.count()?;
            ColumnType::enumeration((0..count).map(|_| reader.text()).collect::<Result<Vec<_>>>()?)
        }
        OPAQUE => ColumnType::Opaque(reader.text()?.into()),
        STRUCT | UNION => {
            let count = reader.count()?;
            let fields: Arc<[Field]> = (0..count)
                .map(|_| Ok(Field { name: reader.text()?, column_type: nested(reader)? }))
                .collect::<Result<_>>()?;
            if tag == STRUCT { ColumnType::Struct(fields) } else { ColumnType::Union(fields) }
        }
        LIST => ColumnType::List(Arc::new(nested(reader)?)),
        ARRAY => {
            let size = reader.number()?;
            ColumnType::Array(Arc::new(nested(reader)?), size)
        }
        MAP => ColumnType::Map(Arc::new((nested(reader)?, nested(reader)?))),
        ALIAS => {
            let name = reader.text()?;
            ColumnType::Alias(name.into(), Arc::new(nested(reader)?))
        }
        other => return Err(Error::new(format!("the state holds an unknown type (tag {other})"))),
    })
}
