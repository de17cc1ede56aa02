//! Properties of the statistics, over every family of types:
//! * one pass equals any split into chunks and runs, merged in any order;
//! * the counts are those of a naive walk over Parquet's level entries;
//! * what a shape writes as bounds does bound, whatever the values.

use std::collections::BTreeSet;
use std::fmt;

use proptest::prelude::*;
use proptest::sample::select;

use crate::output::ducklake;
use colstats_core::accumulator::ColumnStatistics;
use colstats_core::column::column_type::ColumnType;
use colstats_core::summary::Summary;
use colstats_core::testing::columns::{
    PlainSpeller, Value, double, float, list_of, signed, unsigned,
};
use colstats_core::testing::samples::{Sample, decimal, enumeration, for_all, named, nested_types};

macro_rules! families {
    ($($family:ident: $types:expr;)*) => {$(
        mod $family {
            use super::*;

            #[test]
            fn any_split_merged_in_any_order_equals_one_pass() {
                for_all($types, any_split_merged_in_any_order_equals_one_pass_of);
            }

            #[test]
            fn counts_are_those_of_parquet_levels() {
                for_all($types, counts_are_those_of_parquet_levels_of);
            }

            #[test]
            fn bounds_bound() {
                for_all($types, bounds_bound_of);
            }
        }
    )*};
}

families! {
    booleans: Just(ColumnType::Boolean);
    signed_integers: select(vec![
        ColumnType::TinyInt, ColumnType::SmallInt, ColumnType::Integer, ColumnType::BigInt,
    ]);
    unsigned_integers: select(vec![
        ColumnType::UTinyInt, ColumnType::USmallInt, ColumnType::UInteger, ColumnType::UBigInt,
    ]);
    wide_integers: select(vec![ColumnType::HugeInt, ColumnType::UHugeInt, ColumnType::Uuid]);
    decimals: select(vec![decimal(4, 1), decimal(9, 2), decimal(18, 0), decimal(38, 10)]);
    dates_and_times: select(vec![
        ColumnType::Date, ColumnType::Time, ColumnType::TimeNs, ColumnType::TimestampS,
        ColumnType::TimestampMs, ColumnType::Timestamp, ColumnType::TimestampNs,
        ColumnType::TimestampTz, ColumnType::TimestampTzNs,
    ]);
    enums: select(vec![enumeration(3), enumeration(300), enumeration(66_000)]);
    floats: Just(ColumnType::Float);
    doubles: Just(ColumnType::Double);
    texts: select(vec![ColumnType::Varchar, ColumnType::Json]);
    blobs: Just(ColumnType::Blob);
    bits_and_bignums: select(vec![ColumnType::Bit, ColumnType::BigNum]);
    geometries: Just(ColumnType::Geometry);
    types_that_are_only_counted: select(vec![
        ColumnType::Null, ColumnType::TimeTz, ColumnType::Interval, ColumnType::Variant,
        ColumnType::Opaque("QUANTITY".into()),
    ]);
    aliases: select(vec![
        named("money", decimal(18, 2)), named("tags", list_of(ColumnType::Varchar)),
    ]);
    nested_types: nested_types();
}

/// Kept states may come from calls with different settings.
#[test]
fn the_shorter_of_two_bound_limits_holds() {
    let types = select(vec![ColumnType::Varchar, ColumnType::Blob, list_of(ColumnType::Varchar)]);
    for_all(types, |sample| {
        let (shorter, longer) = sample.halves();
        let (mut merged, mut merged_backward) = (shorter.in_one_pass(), longer.in_one_pass());
        merged_backward.merge(&merged).unwrap();
        merged.merge(&longer.in_one_pass()).unwrap();
        assert_eq!(merged, merged_backward);
        assert_eq!(merged, sample.in_one_pass());
    });
}

// --- The properties ---------------------------------------------------------------------------

fn any_split_merged_in_any_order_equals_one_pass_of(sample: &Sample) {
    let mut parts = sample.pieces();
    let mut picks = sample.picks.iter().cycle();
    while parts.len() > 1 {
        let source = parts.swap_remove(picks.next().unwrap().index(parts.len()));
        let untouched = source.clone();
        let target = picks.next().unwrap().index(parts.len());
        parts[target].merge(&source).unwrap();
        assert_eq!(source, untouched, "merging changed its source");
    }
    let (merged, one_pass) = (parts.remove(0), sample.in_one_pass());
    assert_eq!(merged, one_pass);
    let leaves = |statistics: ColumnStatistics| statistics.finish(&sample.column_type);
    for (merged, one_pass) in leaves(merged).iter().zip(&leaves(one_pass)) {
        assert_eq!(merged, one_pass);
        // As text too, since equal numbers may be spelled in two ways: 0.0 and -0.0.
        let text = |leaf: &Summary| format!("{:?}, {:?}", leaf.ends, leaf.geometry);
        assert_eq!(text(merged), text(one_pass));
    }
}

fn counts_are_those_of_parquet_levels_of(sample: &Sample) {
    sample.for_each_leaf(|leaf, entries| {
        let values = present(entries);
        assert_eq!(leaf.value_count, values.len() as u64);
        assert_eq!(leaf.null_count, (entries.len() - values.len()) as u64);
        let is_nan = |value: &&&Value| match value {
            Value::Float(value) => value.is_nan(),
            Value::Double(value) => value.is_nan(),
            _ => false,
        };
        let nan_count = values.iter().filter(is_nan).count() as u64;
        assert_eq!(leaf.nan_count, leaf.column_type.is_floating().then_some(nan_count));
        assert_eq!(
            ducklake::contains_nan(leaf),
            leaf.column_type.is_floating().then_some(nan_count > 0)
        );
    });
}

fn bounds_bound_of(sample: &Sample) {
    use ColumnType as T;
    sample.for_each_leaf(|leaf, entries| {
        let values = present(entries);
        let bounds = Bounds::of(leaf);
        match leaf.column_type.base() {
            T::Float => bounds.hold_floats(&values),
            T::Double => bounds.hold_doubles(&values),
            T::Varchar | T::Json => bounds.hold_texts(&byte_strings(&values), sample.limit_bytes),
            T::Blob => bounds.hold_blobs(&byte_strings(&values), sample.limit_bytes),
            T::Geometry => {
                bounds.are_absent();
                box_holds(leaf, &byte_strings(&values));
            }
            T::Null | T::TimeTz | T::Interval | T::Variant | T::Opaque(_) => bounds.are_absent(),
            T::Boolean => bounds.are_exactly(&values, |v| u8::from(*v == Value::Boolean(true))),
            T::Bit | T::BigNum => bounds.are_exactly(&values, |v| Hex(byte_string(v).into())),
            T::UTinyInt | T::USmallInt | T::UInteger | T::UBigInt | T::UHugeInt | T::Enum(_) => {
                bounds.are_exactly(&values, unsigned);
            }
            _ => bounds.are_exactly(&values, signed),
        }
    });
}

// --- What a bound has to be -------------------------------------------------------------------

struct Bounds {
    min: Option<String>,
    max: Option<String>,
}

impl Bounds {
    fn of(leaf: &Summary) -> Bounds {
        let bounds = ducklake::bounds(leaf, &PlainSpeller);
        Bounds { min: bounds.min_value, max: bounds.max_value }
    }

    fn texts(&self) -> (Option<&str>, Option<&str>) {
        (self.min.as_deref(), self.max.as_deref())
    }

    fn are_absent(&self) {
        assert_eq!(self.texts(), (None, None));
    }

    /// Smallest and largest value themselves.
    fn are_exactly<K: Ord + ToString>(&self, values: &[&Value], key: impl Fn(&Value) -> K) {
        let min = values.iter().map(|value| key(value)).min().map(|key| key.to_string());
        let max = values.iter().map(|value| key(value)).max().map(|key| key.to_string());
        assert_eq!(self.texts(), (min.as_deref(), max.as_deref()));
    }

    /// The values themselves, -0.0 below 0.0, NaN left out.
    fn hold_doubles(&self, values: &[&Value]) {
        let mut numbers: Vec<f64> = values.iter().map(|value| double(value)).collect();
        numbers.retain(|number| !number.is_nan());
        numbers.sort_by(f64::total_cmp);
        let bits = |text: Option<&str>| text.map(|text| text.parse::<f64>().unwrap().to_bits());
        assert_eq!(bits(self.texts().0), numbers.first().map(|number| number.to_bits()));
        assert_eq!(bits(self.texts().1), numbers.last().map(|number| number.to_bits()));
    }

    /// The values themselves, or one step further out.
    fn hold_floats(&self, values: &[&Value]) {
        let mut numbers: Vec<f32> = values.iter().map(|value| float(value)).collect();
        numbers.retain(|number| !number.is_nan());
        numbers.sort_by(f32::total_cmp);
        let (Some(min), Some(max)) = (numbers.first(), numbers.last()) else {
            return self.are_absent();
        };
        let (lower, upper) = (self.texts().0.unwrap(), self.texts().1.unwrap());
        let (lower, upper): (f32, f32) = (lower.parse().unwrap(), upper.parse().unwrap());
        assert!([min.to_bits(), min.next_down().to_bits()].contains(&lower.to_bits()), "{lower:e}");
        assert!([max.to_bits(), max.next_up().to_bits()].contains(&upper.to_bits()), "{upper:e}");
    }

    /// Valid UTF-8 without NUL, at most `limit_bytes`, around all values bytewise; equal only where both
    /// are the value; the values themselves where these can be written.
    fn hold_texts(&self, values: &[&[u8]], limit_bytes: u32) {
        let limit_bytes = limit_bytes as usize;
        let Some(largest) = values.iter().max() else { return self.are_absent() };
        let min = self.min.as_deref().expect("every text has a prefix below it");
        assert!(values.iter().all(|value| min.as_bytes() <= *value), "{min:?} is no lower bound");
        assert!(min.len() <= limit_bytes && !min.contains('\0'), "{min:?} cannot be written");
        let Some(max) = self.max.as_deref() else {
            return assert_no_text_is_above(largest, limit_bytes);
        };
        assert!(values.iter().all(|value| *value <= max.as_bytes()), "{max:?} is no upper bound");
        assert!(max.len() <= limit_bytes && !max.contains('\0'), "{max:?} cannot be written");
        assert!(min != max || values.iter().all(|value| *value == min.as_bytes()));
        if values.iter().all(|value| value.len() <= limit_bytes && is_plain_text(value)) {
            self.are_the_ends(values, |value| String::from_utf8(value.to_vec()).unwrap());
        }
    }

    fn hold_blobs(&self, values: &[&[u8]], limit_bytes: u32) {
        let limit_bytes = limit_bytes as usize;
        let (Some(smallest), Some(largest)) = (values.iter().min(), values.iter().max()) else {
            return self.are_absent();
        };
        let min = from_hex(self.min.as_deref().expect("every value has a prefix below it"));
        assert!(min.as_slice() <= *smallest && min.len() <= limit_bytes, "{min:?}");
        let Some(max) = self.max.as_deref().map(from_hex) else {
            assert!(
                largest.len() > limit_bytes && largest[..limit_bytes].iter().all(|b| *b == 0xFF)
            );
            return;
        };
        assert!(*largest <= max.as_slice() && max.len() <= limit_bytes, "{max:?}");
        assert!(min != max || (smallest == largest && min == *smallest));
        if largest.len() <= limit_bytes && smallest.len() <= limit_bytes {
            self.are_the_ends(values, |value| Hex(value.into()).to_string().to_uppercase());
        }
    }

    fn are_the_ends(&self, values: &[&[u8]], spell: impl Fn(&[u8]) -> String) {
        let min = values.iter().min().map(|value| spell(value));
        let max = values.iter().max().map(|value| spell(value));
        assert_eq!(self.texts(), (min.as_deref(), max.as_deref()));
    }
}

/// A maximum may be missing only where nothing can be raised. (Bytes that are no text need no bound.)
fn assert_no_text_is_above(value: &[u8], limit_bytes: usize) {
    if std::str::from_utf8(value).is_err() {
        return;
    }
    let mut greatest_text = "\u{10FFFF}".repeat(limit_bytes / 4);
    greatest_text.push_str(["", "\u{7F}", "\u{7FF}", "\u{FFFF}"][limit_bytes % 4]);
    assert!(greatest_text.as_bytes() < value, "the upper bound of {value:?} is lost");
}

fn is_plain_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'))
}

/// Box and types are those of the geometries, which the samples made of points in little-endian WKB.
fn box_holds(leaf: &Summary, values: &[&[u8]]) {
    let geometry = leaf.geometry.as_ref().unwrap();
    let mut axes = [None; 4];
    let mut types = BTreeSet::new();
    for value in values {
        let code = u32::from_le_bytes(value[1..5].try_into().unwrap());
        let (counter_bytes, name) = if code % 1000 == 1 { (0, "point") } else { (4, "linestring") };
        let suffix = ["", "_z", "_m", "_zm"][(code / 1000) as usize];
        let places: &[usize] =
            [&[0, 1][..], &[0, 1, 2], &[0, 1, 3], &[0, 1, 2, 3]][(code / 1000) as usize];
        types.insert(format!("{name}{suffix}"));
        for (index, ordinate) in value[5 + counter_bytes..].chunks(8).enumerate() {
            let ordinate = f64::from_le_bytes(ordinate.try_into().unwrap());
            let axis = &mut axes[places[index % places.len()]];
            if !ordinate.is_nan() {
                let (min, max) = axis.unwrap_or((ordinate, ordinate));
                *axis = Some((ordinate.min(min), ordinate.max(max)));
            }
        }
    }
    assert_eq!(geometry.axes, axes);
    assert_eq!(geometry.type_names(), Vec::from_iter(types));
    assert!(!geometry.is_unreadable);
}

// --- Values -----------------------------------------------------------------------------------

fn present<'v>(entries: &[&'v Value]) -> Vec<&'v Value> {
    entries.iter().copied().filter(|value| **value != Value::Null).collect()
}

fn byte_string(value: &Value) -> &[u8] {
    match value {
        Value::Bytes(bytes) => bytes,
        other => panic!("{other:?} is no byte string"),
    }
}

fn byte_strings<'v>(values: &[&'v Value]) -> Vec<&'v [u8]> {
    values.iter().map(|value| byte_string(value)).collect()
}

/// Bytes that order as bytes and read as hex.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Hex(Vec<u8>);

impl fmt::Display for Hex {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

fn from_hex(text: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(byte).collect()
}
