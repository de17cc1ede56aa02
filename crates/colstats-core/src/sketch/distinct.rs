//! The sketch that estimates how many distinct values (NDV) a leaf has: Hive's HyperLogLog, fed as Hive
//! feeds it, so that the registers can go into a metastore.
//!
//! What Hive hashes depends on the column's type there: every integer as a long, FLOAT and DECIMAL as a
//! double, DATE as days, TIMESTAMP as whole seconds, text as its bytes. Types that Hive lacks are hashed
//! as the type they would be stored as: unsigned BIGINT and 128-bit integers as DECIMAL, UUID and ENUM
//! as their text, TIME as a long. Values that DuckDB calls equal (0.0 and -0.0) stay two, as in Hive.

use std::fmt;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use multiversion::multiversion;

use super::hive_hll::{HiveHll, hash_double, hash_long, hash64};
use crate::column::column_type::{ColumnType, Members};
use crate::column::vectors::{ByteString, SignedWords, Strings, UnsignedWords, Validity, Values};
use crate::error::Result;
use crate::kernels::integer::Ordered;
use crate::kernels::repetition::{BATCH_VALUES, Bits, for_each_batch};

/// How a stored value becomes a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Hashing {
    Long,
    /// A timestamp with so many units per second.
    Seconds(i64),
    Decimal(Decimal),
    /// Unsigned and 128-bit integers: the nearest double, as Hive's DECIMAL(38,0).
    Double,
    /// The text of the member.
    Enum(Arc<Members>),
    Uuid,
    Bytes,
    Boolean,
}

/// How a decimal becomes a double.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Decimal {
    scale: u8,
    /// All values of the type are exact doubles before they are divided.
    is_exact: bool,
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

/// Numbers of so many digits are exact doubles, and so are the powers of ten they are divided by.
const WIDEST_EXACT_DECIMAL: u8 = 15;

impl DistinctSketch {
    /// An empty sketch for a leaf of this type; `None` for types whose values are not looked at.
    pub fn new(column_type: &ColumnType, precision: u8) -> Result<Option<Self>> {
        let Some(hashing) = Hashing::of(column_type) else { return Ok(None) };
        let registers = HiveHll::new(precision)?;
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

    /// Takes in the valid rows of `rows`, which are no strings. The type decides once per call how values
    /// are hashed.
    pub fn update<'a, S: Strings<'a>>(
        &mut self,
        values: &Values<'a, S>,
        validity: Validity<'a>,
        rows: Range<usize>,
    ) {
        let DistinctSketch { hashing, registers } = self;
        let mut add = Adder { registers, validity, rows };
        match (values, &*hashing) {
            (Values::Boolean(values), _) => {
                add.each(values, |v| u64::from(v != 0), |truth| hash64(&[truth as u8]));
            }
            (Values::Int16(values), Hashing::Decimal(decimal)) => add.decimals(values, *decimal),
            (Values::Int32(values), Hashing::Decimal(decimal)) => add.decimals(values, *decimal),
            (Values::Int64(values), Hashing::Decimal(decimal)) => add.decimals(values, *decimal),
            (Values::Int8(values), _) => add.longs(values),
            (Values::Int16(values), _) => add.longs(values),
            (Values::Int32(values), _) => add.longs(values),
            (Values::Int64(values), Hashing::Seconds(units)) => add.seconds(values, *units),
            (Values::Int64(values), _) => add.longs(values),
            (Values::UInt8(values), Hashing::Enum(members)) => add.members(values, members),
            (Values::UInt16(values), Hashing::Enum(members)) => add.members(values, members),
            (Values::UInt32(values), Hashing::Enum(members)) => add.members(values, members),
            (Values::UInt8(values), _) => add.longs(values),
            (Values::UInt16(values), _) => add.longs(values),
            (Values::UInt32(values), _) => add.longs(values),
            (Values::UInt64(values), _) => add.each(values, |v| v, |v| hash_double(v as f64)),
            (Values::Int128(values), hashing) => {
                add.each(values, |v| v.0, |words| hashing.hash_wide(SignedWords(words)));
            }
            (Values::UInt128(values), _) => add.each(
                values,
                |v| v.0,
                |words| hash_double(UnsignedWords(words).key().to_u128() as f64),
            ),
            (Values::Float(values), _) => {
                add.each(
                    values,
                    |v| f64::from(v).to_bits(),
                    |bits| hash_double(f64::from_bits(bits)),
                );
            }
            (Values::Double(values), _) => {
                add.each(values, f64::to_bits, |bits| hash_double(f64::from_bits(bits)));
            }
            _ => {}
        }
    }

    /// Takes in strings.
    pub fn update_strings<'a, T: ByteString<'a>>(&mut self, strings: &[T]) {
        let mut hashes = [0; BATCH_VALUES];
        for batch in strings.chunks(BATCH_VALUES) {
            hashes.iter_mut().zip(batch).for_each(|(slot, item)| *slot = hash64(item.bytes()));
            self.registers.add_hashes(hashes.get(..batch.len()).unwrap_or_default());
        }
    }

    /// Takes in what another sketch saw.
    pub fn merge(&mut self, other: &DistinctSketch) -> Result<()> {
        self.registers.merge(&other.registers)
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
            T::Decimal { width, scale } => Hashing::Decimal(Decimal {
                scale: *scale,
                is_exact: *width <= WIDEST_EXACT_DECIMAL,
            }),
            T::Varchar | T::Json | T::Blob | T::Bit | T::BigNum => Hashing::Bytes,
            T::Uuid => Hashing::Uuid,
            T::Enum(members) => Hashing::Enum(members.clone()),
            _ => return None,
        })
    }

    fn hash_wide(&self, words: SignedWords) -> u64 {
        let value = words.key().to_i128();
        match self {
            Hashing::Uuid => hash64(&uuid_text(value)),
            Hashing::Decimal(decimal) => hash_double(decimal_to_double(value, decimal.scale)),
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
    /// Adds the hashes of values, which `bits` tells apart.
    fn each<T: Copy, B: Bits>(
        &mut self,
        values: &[T],
        bits: impl Fn(T) -> B,
        hash: impl Fn(B) -> u64,
    ) {
        let mut hashes = [0; BATCH_VALUES];
        for_each_batch(values, self.validity, self.rows.clone(), bits, |batch| {
            hash_all(&mut hashes, batch, &hash);
            self.registers.add_hashes(hashes.get(..batch.len()).unwrap_or_default());
        });
    }

    fn longs<T: Copy + Into<i64>>(&mut self, values: &[T]) {
        self.each(
            values,
            |value| value.into().cast_unsigned(),
            |bits: u64| hash_long(bits.cast_signed()),
        );
    }

    /// Seconds written out per unit: a division by a constant is a multiplication.
    fn seconds(&mut self, values: &[i64], units_per_second: i64) {
        let floor = |value: i64| match units_per_second {
            1_000 => value.div_euclid(1_000),
            1_000_000 => value.div_euclid(1_000_000),
            1_000_000_000 => value.div_euclid(1_000_000_000),
            _ => value,
        };
        self.each(
            values,
            |value| floor(value).cast_unsigned(),
            |bits: u64| hash_long(bits.cast_signed()),
        );
    }

    fn decimals<T: Copy + Into<i64>>(&mut self, values: &[T], decimal: Decimal) {
        let divisor = 10_f64.powi(i32::from(decimal.scale));
        self.each(
            values,
            |value| value.into().cast_unsigned(),
            |bits: u64| {
                let unscaled = bits.cast_signed();
                hash_double(if decimal.is_exact {
                    unscaled as f64 / divisor
                } else {
                    decimal_to_double(unscaled.into(), decimal.scale)
                })
            },
        );
    }

    fn members<T: Copy + Into<u32>>(&mut self, values: &[T], members: &[String]) {
        self.each(
            values,
            |value| u64::from(value.into()),
            |index| members.get(index as usize).map_or(0, |member| hash64(member.as_bytes())),
        );
    }
}

/// The hash of each of `batch`.
#[multiversion(targets = "simd")]
fn hash_all<B: Copy>(hashes: &mut [u64], batch: &[B], hash: &impl Fn(B) -> u64) {
    hashes.iter_mut().zip(batch).for_each(|(slot, bits)| *slot = hash(*bits));
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
    let mut text = Text::<48>::default();
    // 39 digits, a sign and an exponent have room.
    match write!(text, "{unscaled}e-{scale}") {
        Ok(()) => text.as_str().parse().unwrap_or(f64::NAN),
        Err(_) => f64::NAN,
    }
}

/// Lower-case text with dashes of a UUID as DuckDB stores it (top bit flipped).
fn uuid_text(stored: i128) -> [u8; 36] {
    const DASHES: [usize; 4] = [8, 13, 18, 23];
    let bits = stored.cast_unsigned() ^ (1 << 127);
    let mut text = [b'-'; 36];
    let places = (0..text.len()).filter(|place| !DASHES.contains(place));
    for (digit, place) in (0..32_u32).zip(places) {
        let value = (bits >> (124 - 4 * digit) & 0xF) as u8;
        if let Some(character) = text.get_mut(place) {
            *character = if value < 10 { b'0' + value } else { b'a' + value - 10 };
        }
    }
    text
}

/// A short text that is not on the heap.
struct Text<const CAPACITY: usize> {
    bytes: [u8; CAPACITY],
    length: usize,
}

impl<const CAPACITY: usize> Default for Text<CAPACITY> {
    fn default() -> Self {
        Text { bytes: [0; CAPACITY], length: 0 }
    }
}

impl<const CAPACITY: usize> Text<CAPACITY> {
    fn as_str(&self) -> &str {
        let written = self.bytes.get(..self.length).unwrap_or_default();
        std::str::from_utf8(written).unwrap_or_default()
    }
}

impl<const CAPACITY: usize> Write for Text<CAPACITY> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
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
        assert_eq!(decimal_to_double(i128::MIN, 0), -(2_f64.powi(127)));
    }

    #[test]
    fn uuids_are_hashed_as_text() {
        let stored = 0x8000_0000_0000_0000_0000_0000_0000_0001_u128.cast_signed();
        assert_eq!(&uuid_text(stored), b"00000000-0000-0000-0000-000000000001");
        let stored = 0x9234_5678_9ABC_DEF0_1234_5678_9ABC_DEF0_u128.cast_signed();
        assert_eq!(&uuid_text(stored), b"12345678-9abc-def0-1234-56789abcdef0");
    }
}
