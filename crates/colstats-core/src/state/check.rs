//! What no column can have led to. A state that holds such a thing is damaged or forged; merged or shown
//! it would give bounds that do not bound, or numbers that do not exist.

use crate::column::column_type::ColumnType;
use crate::error::{Error, Result};
use crate::kernels::bytes::{ByteExtremes, Prefix};
use crate::kernels::float::{FloatExtremes, Floating};
use crate::kernels::geometry::{AxisRange, GeometryExtremes, TYPE_BIT_COUNT};
use crate::leaf::{Extremes, LeafStatistics};

/// A count is shown as BIGINT.
const LARGEST_COUNT: u64 = i64::MAX as u64;

/// Fails unless a column of this type can have led to these statistics.
pub fn check_leaf(leaf: &LeafStatistics, column_type: &ColumnType) -> Result<()> {
    let counts_fit = leaf.value_count <= LARGEST_COUNT && leaf.null_count <= LARGEST_COUNT;
    if counts_fit && are_possible(&leaf.extremes, leaf.value_count, column_type) {
        Ok(())
    } else {
        Err(Error::new(format!(
            "the state is damaged: no column of type {} has such statistics",
            column_type.name()
        )))
    }
}

fn are_possible(extremes: &Extremes, value_count: u64, column_type: &ColumnType) -> bool {
    let is_empty = value_count == 0;
    match extremes {
        Extremes::None => true,
        Extremes::Boolean { true_count, false_count } => {
            true_count.checked_add(*false_count) == Some(value_count)
        }
        Extremes::Signed { min, max } => {
            let (lowest, highest) = signed_range(column_type);
            is_range(*min, *max, is_empty) && (is_empty || (lowest <= *min && *max <= highest))
        }
        Extremes::Unsigned { min, max } => {
            is_range(*min, *max, is_empty) && (is_empty || *max <= largest_unsigned(column_type))
        }
        Extremes::Wide { min, max } => is_range(min.to_i128(), max.to_i128(), is_empty),
        Extremes::UnsignedWide { min, max } => is_range(min.to_u128(), max.to_u128(), is_empty),
        Extremes::Floating(seen) if *column_type.base() == ColumnType::Float => {
            is_float_range::<f32>(seen, value_count)
        }
        Extremes::Floating(seen) => is_float_range::<f64>(seen, value_count),
        Extremes::Bytes(seen) => are_byte_ends(seen, is_empty, column_type),
        Extremes::Geometry(seen) => is_geometry_box(seen, is_empty),
    }
}

/// Smallest and largest of a type.
trait Range: Ord + Sized {
    const SMALLEST: Self;
    const LARGEST: Self;
}

macro_rules! ranges {
    ($($integer:ty),*) => {$(
        impl Range for $integer {
            const SMALLEST: Self = <$integer>::MIN;
            const LARGEST: Self = <$integer>::MAX;
        }
    )*};
}
ranges!(i64, u64, i128, u128);

/// Without a value the ends are neutral, and only then is the smallest above the largest.
fn is_range<T: Range>(min: T, max: T, is_empty: bool) -> bool {
    if is_empty { min == T::LARGEST && max == T::SMALLEST } else { min <= max }
}

/// What DuckDB's stored integer can hold. Its meaning may be narrower (a TIME ends at midnight), but
/// DuckDB lets other numbers in.
fn signed_range(column_type: &ColumnType) -> (i64, i64) {
    use ColumnType as T;
    match column_type.base() {
        T::TinyInt => (i8::MIN.into(), i8::MAX.into()),
        T::SmallInt | T::Decimal { width: ..=4, .. } => (i16::MIN.into(), i16::MAX.into()),
        T::Integer | T::Date | T::Decimal { width: ..=9, .. } => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    }
}

fn largest_unsigned(column_type: &ColumnType) -> u64 {
    match column_type.base() {
        ColumnType::UTinyInt => u8::MAX.into(),
        ColumnType::USmallInt => u16::MAX.into(),
        ColumnType::UInteger => u32::MAX.into(),
        ColumnType::Enum(members) => (members.len() as u64).saturating_sub(1),
        _ => u64::MAX,
    }
}

fn is_float_range<T: Floating>(seen: &FloatExtremes, value_count: u64) -> bool {
    // Not so for the keys of NaN, nor for those beyond the width of the type.
    let is_key = |key: i64| T::from_key(key).key() == Some(key);
    match value_count.checked_sub(seen.nan_count) {
        None => false,
        Some(0) => is_range(seen.min_key, seen.max_key, true),
        Some(_) => seen.min_key <= seen.max_key && is_key(seen.min_key) && is_key(seen.max_key),
    }
}

fn are_byte_ends(seen: &ByteExtremes, is_empty: bool, column_type: &ColumnType) -> bool {
    let limit_bytes = seen.limit_bytes();
    let is_limit = match column_type.base() {
        ColumnType::Bit | ColumnType::BigNum => limit_bytes == u32::MAX,
        _ => (1..=i32::MAX.unsigned_abs()).contains(&limit_bytes),
    };
    let is_prefix = |prefix: &Prefix| {
        let (kept, limit) = (prefix.bytes.len() as u64, u64::from(limit_bytes));
        if prefix.is_cut { kept == limit } else { kept <= limit }
    };
    is_limit
        && match &seen.ends {
            None => is_empty,
            Some((min, max)) => {
                !is_empty
                    && is_prefix(min)
                    && is_prefix(max)
                    // Of two values with the same kept bytes the cut one is the larger.
                    && (&min.bytes, min.is_cut) <= (&max.bytes, max.is_cut)
            }
        }
}

fn is_geometry_box(seen: &GeometryExtremes, is_empty: bool) -> bool {
    // NaN is in no order.
    let is_axis = |axis: &AxisRange| axis.is_none_or(|(min, max)| min <= max);
    let has_types = seen.type_bits != 0;
    if is_empty {
        return *seen == GeometryExtremes::EMPTY;
    }
    seen.type_bits >> TYPE_BIT_COUNT == 0
        && seen.axes.iter().all(is_axis)
        && (has_types || (seen.is_unreadable && seen.axes == [None; 4]))
}
