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
use crate::core::column::{ByteString, Strings, Validity, Values};
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
    /// The text of the member.
    Enum(Arc<[String]>),
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

/// How many hashes are made before the registers are updated: two tight loops instead of one mixed.
const BATCH: usize = 128;

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

    /// Takes in the valid rows of `rows`. The type decides once per call how values are hashed.
    pub fn update<'a, S: Strings<'a>>(
        &mut self,
        values: &Values<'a, S>,
        validity: Validity<'a>,
        rows: Range<usize>,
    ) {
        let DistinctSketch { hashing, registers } = self;
        let mut add = Adder { registers, validity, rows };
        match (values, &*hashing) {
            (Values::Boolean(values), _) => add.each(values, |v| hash64(&[u8::from(v != 0)])),
            (Values::Int8(values), _) => add.each(values, |v| hash_long(v.into())),
            (Values::Int16(values), Hashing::Decimal(scale)) => add.decimals(values, *scale),
            (Values::Int32(values), Hashing::Decimal(scale)) => add.decimals(values, *scale),
            (Values::Int64(values), Hashing::Decimal(scale)) => add.decimals(values, *scale),
            (Values::Int16(values), _) => add.each(values, |v| hash_long(v.into())),
            (Values::Int32(values), _) => add.each(values, |v| hash_long(v.into())),
            // Written out per unit: a division by a constant is a multiplication.
            (Values::Int64(values), Hashing::Seconds(1_000)) => {
                add.each(values, |v| hash_long(v.div_euclid(1_000)));
            }
            (Values::Int64(values), Hashing::Seconds(1_000_000)) => {
                add.each(values, |v| hash_long(v.div_euclid(1_000_000)));
            }
            (Values::Int64(values), Hashing::Seconds(1_000_000_000)) => {
                add.each(values, |v| hash_long(v.div_euclid(1_000_000_000)));
            }
            (Values::Int64(values), _) => add.each(values, hash_long),
            (Values::UInt8(values), Hashing::Enum(members)) => add.members(values, members),
            (Values::UInt16(values), Hashing::Enum(members)) => add.members(values, members),
            (Values::UInt32(values), Hashing::Enum(members)) => add.members(values, members),
            (Values::UInt8(values), _) => add.each(values, |v| hash_long(v.into())),
            (Values::UInt16(values), _) => add.each(values, |v| hash_long(v.into())),
            (Values::UInt32(values), _) => add.each(values, |v| hash_long(v.into())),
            (Values::UInt64(values), _) => add.each(values, |v| hash_double(v as f64)),
            (Values::Int128(values), hashing) => add.each(values, |v| hashing.hash_wide(v)),
            (Values::UInt128(values), _) => {
                add.each(values, |v| hash_double(v.key().to_u128() as f64));
            }
            (Values::Float(values), _) => add.each(values, |v| hash_double(v.into())),
            (Values::Double(values), _) => add.each(values, hash_double),
            (Values::Bytes(strings), _) => add.strings(strings),
            _ => {}
        }
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
            T::Enum(members) => Hashing::Enum(members.clone()),
            _ => return None,
        })
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

/// The rows of one call, on their way into the registers.
struct Adder<'call> {
    registers: &'call mut HiveHll,
    validity: Validity<'call>,
    rows: Range<usize>,
}

impl Adder<'_> {
    fn each<T: Copy>(&mut self, values: &[T], hash: impl Fn(T) -> u64) {
        let mut hashes = [0; BATCH];
        if self.validity.words().is_none() {
            for batch in values.get(self.rows.clone()).unwrap_or_default().chunks(BATCH) {
                hashes.iter_mut().zip(batch).for_each(|(slot, value)| *slot = hash(*value));
                self.registers.add_hashes(hashes.get(..batch.len()).unwrap_or_default());
            }
            return;
        }
        self.validity.for_each_valid(self.rows.clone(), |row| {
            if let Some(value) = values.get(row) {
                self.registers.add_hash(hash(*value));
            }
        });
    }

    fn decimals<T: Copy + Into<i64>>(&mut self, values: &[T], scale: u8) {
        let divisor = 10_f64.powi(i32::from(scale));
        self.each(values, |value| {
            let unscaled: i64 = value.into();
            hash_double(if is_exact(unscaled.unsigned_abs().into(), scale) {
                unscaled as f64 / divisor
            } else {
                decimal_to_double(unscaled.into(), scale)
            })
        });
    }

    fn members<T: Copy + Into<u32>>(&mut self, values: &[T], members: &[String]) {
        self.each(values, |value| {
            members.get(value.into() as usize).map_or(0, |member| hash64(member.as_bytes()))
        });
    }

    /// Columns of few different strings repeat the very same cells: those seen a moment ago are not
    /// hashed again.
    fn strings<'a, S: Strings<'a>>(&mut self, strings: &S) {
        const RECENT: usize = 64;
        let mut recent = [None; RECENT];
        strings.for_each_valid(self.rows.clone(), |item| {
            let identity = item.identity();
            let mixed = (identity >> 64) as u64 ^ (identity as u64).rotate_left(32);
            let slot = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58;
            if let Some(known) = recent.get_mut(slot as usize) {
                if *known == Some(identity) {
                    return;
                }
                *known = Some(identity);
            }
            self.registers.add_hash(hash64(item.bytes()));
        });
    }
}

/// Whether both parts of a decimal are exact doubles, so that their quotient is rounded only once.
fn is_exact(unscaled: u128, scale: u8) -> bool {
    unscaled <= 1 << 53 && scale <= 22
}

/// The double nearest to `unscaled / 10^scale`, as Java's `BigDecimal.doubleValue`.
fn decimal_to_double(unscaled: i128, scale: u8) -> f64 {
    if is_exact(unscaled.unsigned_abs(), scale) {
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
