//! The sketch that estimates how many distinct values (NDV) a leaf has: Hive's HyperLogLog, fed as Hive
//! feeds it, so that the registers can go into a metastore.
//!
//! What Hive hashes depends on the column's type there: every integer as a long, FLOAT and DECIMAL as a
//! double, DATE as days, TIMESTAMP as whole seconds, text as its bytes. Types that Hive lacks are hashed
//! as the type they would be stored as: unsigned BIGINT and 128-bit integers as DECIMAL, UUID and ENUM
//! as their text, TIME as a long. Values that DuckDB calls equal (0.0 and -0.0) stay two, as in Hive.

use std::ops::Range;
use std::sync::Arc;

use super::hive_hll::{HiveHll, hash_double, hash_long, hash64};
use crate::core::column::{ByteString, Column, Strings, Values};
use crate::core::column_type::ColumnType;
use crate::core::integer::{Ordered, SignedWords};
use crate::error::{Error, Result};

/// How a stored value becomes a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Hashing {
    Long,
    /// A timestamp in units of which this many make a second.
    Seconds(i64),
    Decimal(u8),
    /// Unsigned and 128-bit integers: the nearest double, as Hive's DECIMAL(38,0).
    Double,
    /// The hash of each member's text.
    Enum(Arc<[u64]>),
    Uuid,
    Bytes,
    Boolean,
}

/// A sketch of the distinct values of one leaf.
#[derive(Debug, Clone)]
pub struct DistinctSketch {
    hashing: Hashing,
    registers: HiveHll,
}

impl PartialEq for DistinctSketch {
    fn eq(&self, other: &Self) -> bool {
        self.hashing == other.hashing && self.registers.to_bytes() == other.registers.to_bytes()
    }
}

/// Hashes wait in a buffer, so that the registers are updated in a tight loop.
struct Buffer<'sketch> {
    registers: &'sketch mut HiveHll,
    hashes: [u64; 128],
    used: usize,
}

impl Buffer<'_> {
    #[inline]
    fn add(&mut self, hash: u64) {
        if self.used == self.hashes.len() {
            self.flush();
        }
        if let Some(slot) = self.hashes.get_mut(self.used) {
            *slot = hash;
            self.used += 1;
        }
    }

    fn flush(&mut self) {
        self.registers.add_hashes(self.hashes.get(..self.used).unwrap_or_default());
        self.used = 0;
    }
}

impl DistinctSketch {
    /// An empty sketch for a leaf of this type; `None` for types whose values are not looked at.
    pub fn new(column_type: &ColumnType, precision: u8) -> Result<Option<Self>> {
        let Some(hashing) = Hashing::of(column_type) else { return Ok(None) };
        let registers = HiveHll::new(precision).map_err(|error| Error::new(error.to_string()))?;
        Ok(Some(DistinctSketch { hashing, registers }))
    }

    /// A sketch with these registers.
    pub fn with_registers(column_type: &ColumnType, registers: HiveHll) -> Option<Self> {
        Some(DistinctSketch { hashing: Hashing::of(column_type)?, registers })
    }

    /// The registers.
    pub fn registers(&self) -> &HiveHll {
        &self.registers
    }

    /// Takes in the valid rows of `rows`.
    pub fn update<'a, S: Strings<'a>>(&mut self, column: &Column<'a, S>, rows: Range<usize>) {
        let hashing = &self.hashing;
        let mut buffer = Buffer { registers: &mut self.registers, hashes: [0; 128], used: 0 };
        match (&column.values, hashing) {
            (Values::Bytes(strings), _) => {
                strings.for_each_valid(rows, |item| buffer.add(hash64(item.bytes())));
            }
            (values, hashing) => {
                let mut add = |row| {
                    if let Some(hash) = hashing.hash_at(values, row) {
                        buffer.add(hash);
                    }
                };
                column.validity.for_each_valid(rows, &mut add);
            }
        }
        buffer.flush();
    }

    /// Takes in what another sketch saw.
    pub fn merge(&mut self, other: &DistinctSketch) -> Result<()> {
        self.registers.merge(&other.registers).map_err(|error| Error::new(error.to_string()))
    }
}

impl Hashing {
    fn of(column_type: &ColumnType) -> Option<Hashing> {
        use ColumnType as T;
        Some(match column_type.base() {
            T::Boolean => Hashing::Boolean,
            T::TinyInt
            | T::SmallInt
            | T::Integer
            | T::BigInt
            | T::UTinyInt
            | T::USmallInt
            | T::UInteger
            | T::Date
            | T::Time
            | T::TimeNs => Hashing::Long,
            T::TimestampS => Hashing::Seconds(1),
            T::TimestampMs => Hashing::Seconds(1_000),
            T::Timestamp | T::TimestampTz => Hashing::Seconds(1_000_000),
            T::TimestampNs | T::TimestampTzNs => Hashing::Seconds(1_000_000_000),
            T::UBigInt | T::HugeInt | T::UHugeInt | T::Float | T::Double => Hashing::Double,
            T::Decimal { scale, .. } => Hashing::Decimal(*scale),
            T::Varchar | T::Json | T::Blob | T::Bit | T::BigNum => Hashing::Bytes,
            T::Uuid => Hashing::Uuid,
            T::Enum(members) => {
                Hashing::Enum(members.iter().map(|member| hash64(member.as_bytes())).collect())
            }
            _ => return None,
        })
    }

    #[inline]
    fn hash_at<S>(&self, values: &Values<'_, S>, row: usize) -> Option<u64> {
        Some(match values {
            Values::Boolean(values) => hash64(&[u8::from(*values.get(row)? != 0)]),
            Values::Int8(values) => self.hash_signed((*values.get(row)?).into()),
            Values::Int16(values) => self.hash_signed((*values.get(row)?).into()),
            Values::Int32(values) => self.hash_signed((*values.get(row)?).into()),
            Values::Int64(values) => self.hash_signed(*values.get(row)?),
            Values::UInt8(values) => self.hash_unsigned((*values.get(row)?).into())?,
            Values::UInt16(values) => self.hash_unsigned((*values.get(row)?).into())?,
            Values::UInt32(values) => self.hash_unsigned((*values.get(row)?).into())?,
            Values::UInt64(values) => hash_double(*values.get(row)? as f64),
            Values::Int128(values) => self.hash_wide(*values.get(row)?),
            Values::UInt128(values) => hash_double(values.get(row)?.key().to_u128() as f64),
            Values::Float(values) => hash_double((*values.get(row)?).into()),
            Values::Double(values) => hash_double(*values.get(row)?),
            _ => return None,
        })
    }

    #[inline]
    fn hash_signed(&self, value: i64) -> u64 {
        match self {
            Hashing::Seconds(per_second) => hash_long(value.div_euclid(*per_second)),
            Hashing::Decimal(scale) => hash_double(decimal_to_double(value.into(), *scale)),
            _ => hash_long(value),
        }
    }

    #[inline]
    fn hash_unsigned(&self, value: u32) -> Option<u64> {
        match self {
            Hashing::Enum(hashes) => hashes.get(value as usize).copied(),
            _ => Some(hash_long(value.into())),
        }
    }

    fn hash_wide(&self, words: SignedWords) -> u64 {
        let value = words.key().to_i128();
        match self {
            Hashing::Uuid => hash64(uuid_text(value).as_bytes()),
            Hashing::Decimal(scale) => hash_double(decimal_to_double(value, *scale)),
            _ => hash_double(value as f64),
        }
    }
}

/// The double nearest to `unscaled / 10^scale`, as Java's `BigDecimal.doubleValue`.
fn decimal_to_double(unscaled: i128, scale: u8) -> f64 {
    // Both operands exact: the quotient is rounded once, which is what nearest means.
    const EXACT_LIMIT: u128 = 1 << 53;
    if unscaled.unsigned_abs() <= EXACT_LIMIT && scale <= 22 {
        return unscaled as f64 / 10_f64.powi(i32::from(scale));
    }
    format!("{unscaled}e-{scale}").parse().unwrap_or(f64::NAN)
}

/// Lower-case text with dashes of a UUID as DuckDB stores it (top bit flipped).
fn uuid_text(stored: i128) -> String {
    let bits = stored.cast_unsigned() ^ (1 << 127);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        bits >> 96,
        bits >> 80 & 0xFFFF,
        bits >> 64 & 0xFFFF,
        bits >> 48 & 0xFFFF,
        bits & 0xFFFF_FFFF_FFFF
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_round_to_the_nearest_double() {
        assert_eq!(decimal_to_double(-150, 2), -1.5);
        assert_eq!(decimal_to_double(1, 1), 0.1);
        assert_eq!(decimal_to_double(12_345_678_901_234_567_890, 10), 1_234_567_890.123_456_8);
        assert_eq!(decimal_to_double(i128::MAX, 38), 1.701_411_834_604_692_3);
    }

    #[test]
    fn uuids_are_hashed_as_text() {
        let stored = 0x8000_0000_0000_0000_0000_0000_0000_0001_u128.cast_signed();
        assert_eq!(uuid_text(stored), "00000000-0000-0000-0000-000000000001");
    }
}
