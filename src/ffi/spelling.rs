//! Spells values with DuckDB's own cast to VARCHAR.
//!
//! A `duckdb_value` is built and asked for its text. It knows no session, so times with a zone come out
//! in UTC. Types that the stable API has no constructor for go through a type that has one.

use libduckdb_sys as sys;

use super::handle::Value;
use super::host_quirks::{first_microsecond, first_nanosecond};
use colstats_core::column::column_type::ColumnType;
use colstats_core::value::{Scalar, Speller};

/// The spelling of the host this extension is loaded in.
#[derive(Debug, Clone, Copy)]
pub struct DuckdbSpeller;

const MICROS_PER_DAY: i64 = 86_400_000_000;
const NANOS_PER_DAY: i64 = 86_400_000_000_000;
impl Speller for DuckdbSpeller {
    fn spell(&self, column_type: &ColumnType, value: Scalar<'_>) -> Option<String> {
        match value {
            Scalar::Signed(value) if !has_text(column_type.base(), value) => None,
            Scalar::Signed(value) => spell_signed(column_type.base(), value),
            Scalar::Unsigned(value) => match column_type.base() {
                ColumnType::Enum(members) => members.get(usize::try_from(value).ok()?).cloned(),
                _ => Some(value.to_string()),
            },
            // SAFETY: plain constructors; the values are owned by us.
            Scalar::Float(value) => unsafe { text(sys::duckdb_create_float(value)) },
            // SAFETY: as above.
            Scalar::Double(value) => unsafe { text(sys::duckdb_create_double(value)) },
            Scalar::Bytes(bytes) => spell_bytes(column_type.base(), bytes),
        }
    }
}

/// Whether DuckDB has a text for a stored number. Arrow and pandas tables (with the smallest of all times,
/// say), damaged files and forged states bring others in; the cast of one throws through the C API, which
/// ends the process.
fn has_text(column_type: &ColumnType, value: i128) -> bool {
    use ColumnType as T;
    let is_timestamp = |per_unit: i128, first: i128| {
        let in_range = (first..=i64::MAX.into()).contains(&value.saturating_mul(per_unit));
        in_range || value.unsigned_abs() == i64::MAX.unsigned_abs().into()
    };
    match column_type {
        T::Decimal { width, .. } => value.unsigned_abs() < 10_u128.pow((*width).min(38).into()),
        T::Date => value > i32::MIN.into(),
        T::Time => (0..=MICROS_PER_DAY.into()).contains(&value),
        T::TimeNs => (0..=NANOS_PER_DAY.into()).contains(&value),
        T::TimestampS => is_timestamp(1_000_000, first_microsecond()),
        T::TimestampMs => is_timestamp(1_000, first_microsecond()),
        T::Timestamp | T::TimestampTz => is_timestamp(1, first_microsecond()),
        T::TimestampNs | T::TimestampTzNs => is_timestamp(1, first_nanosecond()),
        _ => true,
    }
}

fn spell_signed(column_type: &ColumnType, value: i128) -> Option<String> {
    use ColumnType as T;
    if let T::Decimal { width, scale } = column_type {
        let value = sys::duckdb_decimal { width: *width, scale: *scale, value: hugeint(value) };
        // SAFETY: a plain constructor; the value is owned by us.
        return unsafe { text(sys::duckdb_create_decimal(value)) };
    }
    if let T::Uuid = column_type {
        // DuckDB stores UUIDs with the top bit flipped, so that they sort as signed numbers.
        let stored = hugeint(value);
        let bits = sys::duckdb_uhugeint {
            lower: stored.lower,
            upper: stored.upper.cast_unsigned() ^ (1 << 63),
        };
        // SAFETY: a plain constructor; the value is owned by us.
        return unsafe { text(sys::duckdb_create_uuid(bits)) };
    }
    let Ok(stored) = i64::try_from(value) else { return Some(value.to_string()) };
    // SAFETY (all of these): plain constructors; the values are owned by us.
    match column_type {
        T::Date => {
            let days = i32::try_from(stored).ok()?;
            // SAFETY: as above.
            unsafe { text(sys::duckdb_create_date(sys::duckdb_date { days })) }
        }
        T::Time => {
            // SAFETY: as above.
            unsafe { text(sys::duckdb_create_time(sys::duckdb_time { micros: stored })) }
        }
        T::TimeNs => spell_time_ns(stored),
        T::TimestampS => {
            // SAFETY: as above.
            unsafe {
                text(sys::duckdb_create_timestamp_s(sys::duckdb_timestamp_s { seconds: stored }))
            }
        }
        T::TimestampMs => {
            // SAFETY: as above.
            unsafe {
                text(sys::duckdb_create_timestamp_ms(sys::duckdb_timestamp_ms { millis: stored }))
            }
        }
        T::Timestamp => {
            // SAFETY: as above.
            unsafe { text(sys::duckdb_create_timestamp(sys::duckdb_timestamp { micros: stored })) }
        }
        T::TimestampNs => spell_timestamp_ns(stored),
        T::TimestampTz => {
            // SAFETY: as above.
            unsafe {
                text(sys::duckdb_create_timestamp_tz(sys::duckdb_timestamp { micros: stored }))
            }
        }
        T::TimestampTzNs => spell_timestamp_ns(stored)
            .map(|text| if text.ends_with("infinity") { text } else { text + "+00" }),
        _ => Some(stored.to_string()),
    }
}

fn spell_timestamp_ns(nanos: i64) -> Option<String> {
    // SAFETY: a plain constructor; the value is owned by us.
    unsafe { text(sys::duckdb_create_timestamp_ns(sys::duckdb_timestamp_ns { nanos })) }
}

/// The stable API has no constructor for TIME_NS: the time of day of a TIMESTAMP_NS has its spelling.
fn spell_time_ns(nanos: i64) -> Option<String> {
    if nanos == NANOS_PER_DAY {
        return Some("24:00:00".into());
    }
    spell_timestamp_ns(nanos)?.split_once(' ').map(|(_, time)| time.to_owned())
}

fn spell_bytes(column_type: &ColumnType, bytes: &[u8]) -> Option<String> {
    match column_type {
        // A byte that says how many bits of the second one are padding, and the bits.
        ColumnType::Bit if bytes.len() > 1 && bytes.first().is_some_and(|padding| *padding < 8) => {
            let (data, size) = (bytes.as_ptr().cast_mut(), bytes.len() as u64);
            // SAFETY: the bytes are copied by the constructor; the value is owned by us.
            unsafe { text(sys::duckdb_create_bit(sys::duckdb_bit { data, size })) }
        }
        ColumnType::BigNum => {
            let (is_negative, mut magnitude) = bignum_magnitude(bytes)?;
            let size = magnitude.len() as u64;
            let data = magnitude.as_mut_ptr();
            // SAFETY: the bytes are copied by the constructor; the value is owned by us.
            unsafe {
                text(sys::duckdb_create_bignum(sys::duckdb_bignum { data, size, is_negative }))
            }
        }
        ColumnType::Bit => None,
        _ => std::str::from_utf8(bytes).ok().map(str::to_owned),
    }
}

/// DuckDB stores a BIGNUM as three header bytes (sign and byte count) and the magnitude, big-endian; of a
/// negative number every bit is inverted, so that the bytes sort as the numbers do.
fn bignum_magnitude(stored: &[u8]) -> Option<(bool, Vec<u8>)> {
    let is_negative = stored.first()? & 0x80 == 0;
    let flip = if is_negative { 0xFF } else { 0x00 };
    let magnitude: Vec<u8> = stored.get(3..)?.iter().map(|byte| byte ^ flip).collect();
    (!magnitude.is_empty()).then_some((is_negative, magnitude))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "splits into two words"
)]
fn hugeint(value: i128) -> sys::duckdb_hugeint {
    sys::duckdb_hugeint { lower: value as u64, upper: (value >> 64) as i64 }
}

/// # Safety
/// * `value` is owned by the caller and not used elsewhere.
unsafe fn text(value: sys::duckdb_value) -> Option<String> {
    // SAFETY: by the contract.
    unsafe { Value::from_raw(value) }.text()
}
