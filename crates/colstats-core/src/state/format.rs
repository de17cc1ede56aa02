//! Statistics as bytes that can be kept and merged later: the format of `docs/state-format.md`.
//!
//! Everything is little-endian or LEB128 and nothing depends on the host, so a state written anywhere
//! reads everywhere. A checksum tells a damaged state from a good one before any of it is believed;
//! even so every length is checked against the bytes that are there, since a checksum can be forged.

use super::check::check_leaf;
use super::reader::StateReader;
use super::type_format::{check_type, read_type, write_number, write_sized, write_type};
use crate::accumulator::ColumnStatistics;
use crate::column::column_type::ColumnType;
use crate::error::{Error, Result};
use crate::kernels::bytes::{ByteExtremes, Prefix};
use crate::kernels::float::FloatExtremes;
use crate::kernels::geometry::{GeometryExtremes, TYPE_BIT_COUNT};
use crate::kernels::integer::{UnsignedWide, Wide};
use crate::leaf::{Extremes, LeafStatistics};
use crate::settings::Settings;
use crate::sketch::distinct::DistinctSketch;
use crate::sketch::hive_hll::HiveHll;

const MAGIC: [u8; 4] = *b"CSTS";
const VERSION: u8 = 1;
/// The precision of the sketches. It is the same in all states, so that they merge, and it is Hive's default. A sketch
/// that is read out is squashed to what a metastore wants.
pub const SKETCH_PRECISION: u8 = 14;

/// A column's statistics with its type; `None` for a state that never saw a row.
pub type ColumnState = Option<(ColumnType, ColumnStatistics)>;

/// Writes a state.
pub fn encode(state: Option<(&ColumnType, &ColumnStatistics)>) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    match state {
        None => body.push(0),
        Some((column_type, statistics)) => {
            check_type(column_type)?;
            body.push(1);
            write_type(&mut body, column_type);
            statistics.leaves().iter().for_each(|leaf| write_leaf(&mut body, leaf));
        }
    }
    Ok(seal(&body))
}

/// Puts the header in front of a body.
pub fn seal(body: &[u8]) -> Vec<u8> {
    [&MAGIC[..], &[VERSION], &crc32fast::hash(body).to_le_bytes(), body].concat()
}

/// Reads a state; whatever is not one, or is damaged, is an error.
pub fn decode(bytes: &[u8]) -> Result<ColumnState> {
    let mut reader = StateReader::new(bytes);
    if reader.array::<4>().ok() != Some(MAGIC) {
        return Err(Error::new("this BLOB is not a state of column_stats_state"));
    }
    let version = reader.byte()?;
    if version != VERSION {
        return Err(Error::new(format!(
            "the state has format version {version}; this colstats reads version {VERSION}, \
             please upgrade it"
        )));
    }
    let checksum = u32::from_le_bytes(reader.array()?);
    if crc32fast::hash(reader.rest()) != checksum {
        return Err(Error::new("the state is damaged: its checksum does not match"));
    }
    let state = match reader.byte()? {
        0 => None,
        1 => {
            let column_type = read_type(&mut reader)?;
            let mut statistics = ColumnStatistics::new(&column_type, Settings::default())?;
            let leaf_types = column_type.leaf_types();
            for (slot, leaf_type) in statistics.leaves_mut().into_iter().zip(leaf_types) {
                *slot = read_leaf(&mut reader, leaf_type)?;
                check_leaf(slot, leaf_type)?;
            }
            Some((column_type, statistics))
        }
        _ => return Err(Error::new("the state is damaged")),
    };
    if reader.is_at_end() {
        Ok(state)
    } else {
        Err(Error::new("the state is damaged: bytes are left over"))
    }
}

fn write_leaf(bytes: &mut Vec<u8>, leaf: &LeafStatistics) {
    write_number(bytes, leaf.value_count);
    write_number(bytes, leaf.null_count);
    match &leaf.extremes {
        Extremes::None => {}
        Extremes::Boolean { true_count, false_count } => {
            write_number(bytes, *true_count);
            write_number(bytes, *false_count);
        }
        Extremes::Signed { min, max } => {
            bytes.extend(min.to_le_bytes());
            bytes.extend(max.to_le_bytes());
        }
        Extremes::Unsigned { min, max } => {
            bytes.extend(min.to_le_bytes());
            bytes.extend(max.to_le_bytes());
        }
        Extremes::Wide { min, max } => {
            bytes.extend(min.to_i128().to_le_bytes());
            bytes.extend(max.to_i128().to_le_bytes());
        }
        Extremes::UnsignedWide { min, max } => {
            bytes.extend(min.to_u128().to_le_bytes());
            bytes.extend(max.to_u128().to_le_bytes());
        }
        Extremes::Floating(seen) => {
            bytes.extend(seen.min_key.to_le_bytes());
            bytes.extend(seen.max_key.to_le_bytes());
            write_number(bytes, seen.nan_count);
        }
        Extremes::Bytes(seen) => write_byte_extremes(bytes, seen),
        Extremes::Geometry(seen) => write_geometry(bytes, seen),
    }
    match &leaf.distinct {
        None => bytes.push(0),
        Some(sketch) => {
            bytes.push(1);
            write_sized(bytes, &sketch.registers().to_bytes());
        }
    }
}

fn write_byte_extremes(bytes: &mut Vec<u8>, seen: &ByteExtremes) {
    write_number(bytes, seen.limit_bytes().into());
    bytes.push(u8::from(seen.ends.is_some()));
    if let Some((min, max)) = &seen.ends {
        for prefix in [min, max] {
            bytes.push(u8::from(prefix.is_cut));
            write_sized(bytes, &prefix.bytes);
        }
    }
}

/// Stands after the bits of the types.
const UNBOUNDED_BIT: u32 = 1 << TYPE_BIT_COUNT;

fn write_geometry(bytes: &mut Vec<u8>, seen: &GeometryExtremes) {
    bytes.push(u8::from(seen.is_unreadable));
    let unbounded = if seen.is_unbounded { UNBOUNDED_BIT } else { 0 };
    bytes.extend((seen.type_bits | unbounded).to_le_bytes());
    for range in seen.axes {
        bytes.push(u8::from(range.is_some()));
        if let Some((min, max)) = range {
            bytes.extend(min.to_le_bytes());
            bytes.extend(max.to_le_bytes());
        }
    }
}

fn read_leaf(reader: &mut StateReader<'_>, column_type: &ColumnType) -> Result<LeafStatistics> {
    let (value_count, null_count) = (reader.number()?, reader.number()?);
    let mut extremes = Extremes::new(column_type, Settings::default().max_bound_bytes);
    match &mut extremes {
        Extremes::None => {}
        Extremes::Boolean { true_count, false_count } => {
            (*true_count, *false_count) = (reader.number()?, reader.number()?);
        }
        Extremes::Signed { min, max } => {
            (*min, *max) =
                (i64::from_le_bytes(reader.array()?), i64::from_le_bytes(reader.array()?));
        }
        Extremes::Unsigned { min, max } => {
            (*min, *max) =
                (u64::from_le_bytes(reader.array()?), u64::from_le_bytes(reader.array()?));
        }
        Extremes::Wide { min, max } => {
            let wide = |bytes| Wide::from(i128::from_le_bytes(bytes));
            (*min, *max) = (wide(reader.array()?), wide(reader.array()?));
        }
        Extremes::UnsignedWide { min, max } => {
            let wide = |bytes| UnsignedWide::from(u128::from_le_bytes(bytes));
            (*min, *max) = (wide(reader.array()?), wide(reader.array()?));
        }
        Extremes::Floating(seen) => {
            *seen = FloatExtremes {
                min_key: i64::from_le_bytes(reader.array()?),
                max_key: i64::from_le_bytes(reader.array()?),
                nan_count: reader.number()?,
            };
        }
        Extremes::Bytes(seen) => *seen = read_byte_extremes(reader)?,
        Extremes::Geometry(seen) => **seen = read_geometry(reader)?,
    }
    let distinct = read_sketch(reader, column_type)?.map(Box::new);
    // Details are not part of a kept state.
    Ok(LeafStatistics { value_count, null_count, extremes, distinct, details: None })
}

fn read_sketch(
    reader: &mut StateReader<'_>,
    column_type: &ColumnType,
) -> Result<Option<DistinctSketch>> {
    if !reader.flag()? {
        return Ok(None);
    }
    let registers = HiveHll::from_bytes(reader.sized()?)?;
    if registers.precision() != SKETCH_PRECISION {
        return Err(Error::new("the state is damaged: its distinct values have another precision"));
    }
    DistinctSketch::with_registers(column_type, registers)
        .ok_or_else(|| Error::new("the state is damaged: its type has no distinct values"))
        .map(Some)
}

fn read_byte_extremes(reader: &mut StateReader<'_>) -> Result<ByteExtremes> {
    let limit = u32::try_from(reader.number()?).map_err(|_| Error::new("the state is damaged"))?;
    let mut seen = ByteExtremes::new(limit);
    if reader.flag()? {
        let mut prefix = || -> Result<Prefix> {
            let is_cut = reader.flag()?;
            Ok(Prefix { bytes: reader.sized()?.into(), is_cut })
        };
        seen.ends = Some((prefix()?, prefix()?));
    }
    Ok(seen)
}

fn read_geometry(reader: &mut StateReader<'_>) -> Result<GeometryExtremes> {
    let is_unreadable = reader.flag()?;
    let bits = u32::from_le_bytes(reader.array()?);
    let mut seen = GeometryExtremes {
        is_unreadable,
        type_bits: bits & !UNBOUNDED_BIT,
        is_unbounded: bits & UNBOUNDED_BIT != 0,
        ..GeometryExtremes::EMPTY
    };
    for range in &mut seen.axes {
        if reader.flag()? {
            *range =
                Some((f64::from_le_bytes(reader.array()?), f64::from_le_bytes(reader.array()?)));
        }
    }
    Ok(seen)
}
