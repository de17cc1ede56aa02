//! Smallest, largest and NULLs by the kernels of Apache Arrow (`arrow-arith`), which share no code with ours, over the
//! same random rows: taken in at once, and in pieces that are merged.
//!
//! The two differ in NaN alone. Arrow calls it a value, the largest one (and the smallest, if its sign bit is set); here
//! it is counted and never becomes an end. So NaN is NULL in the arrays whose ends are compared.

use arrow_arith::aggregate::{
    max, max_binary, max_boolean, max_fixed_size_binary, max_string, min, min_binary, min_boolean,
    min_fixed_size_binary, min_string,
};
use arrow_array::types::*;
use arrow_array::{
    Array, ArrowNumericType, BinaryArray, BooleanArray, FixedSizeBinaryArray, PrimitiveArray,
    StringArray,
};
use proptest::prelude::*;

use crate::column::column_type::ColumnType;
use crate::kernels::bytes::Prefix;
use crate::summary::{Ends, Summary};
use crate::testing::columns::{Value, double, float, signed, unsigned};
use crate::testing::samples::{Sample, decimal, for_all};

/// What is known of the rows of a sample, by each way to take them in.
fn summaries(sample: &Sample) -> [Summary; 2] {
    let merged = sample.pieces().into_iter().reduce(|mut merged, piece| {
        merged.merge(&piece).unwrap();
        merged
    });
    [sample.in_one_pass(), merged.unwrap()]
        .map(|statistics| statistics.finish(&sample.column_type).remove(0))
}

/// The rows in Arrow's form, what `cell` makes nothing of as NULL.
fn cells<'v, T>(
    sample: &'v Sample,
    cell: impl Fn(&'v Value) -> Option<T>,
) -> impl Iterator<Item = Option<T>> {
    sample.rows.iter().map(move |row| if *row == Value::Null { None } else { cell(row) })
}

#[track_caller]
fn assert_counts(summary: &Summary, array: &dyn Array) {
    let null_count = array.null_count();
    let expected = ((array.len() - null_count) as u64, null_count as u64);
    assert_eq!((summary.value_count, summary.null_count), expected);
}

/// Both zeros are equal, but not as texts.
#[track_caller]
fn assert_ends(summary: &Summary, expected: Option<Ends>) {
    assert_eq!(format!("{:?}", summary.ends), format!("{expected:?}"));
}

/// Compares a type whose values are numbers of `T`. `cell` makes such a number of a value, `ends` the ends of two.
fn compare_numbers<T: ArrowNumericType>(
    column_type: ColumnType,
    cell: impl Fn(&Value) -> T::Native,
    ends: impl Fn(T::Native, T::Native) -> Ends,
) {
    for_all(Just(column_type), |sample| {
        let array: PrimitiveArray<T> = cells(sample, |value| Some(cell(value))).collect();
        for summary in summaries(sample) {
            assert_counts(&summary, &array);
            assert_ends(&summary, min(&array).zip(max(&array)).map(|(min, max)| ends(min, max)));
        }
    });
}

fn compare_signed<T: ArrowNumericType<Native: TryFrom<i128> + Into<i128>>>(
    column_type: ColumnType,
) {
    let cell = |value: &Value| T::Native::try_from(signed(value)).ok().unwrap();
    compare_numbers::<T>(column_type, cell, |min, max| Ends::Signed(min.into(), max.into()));
}

fn compare_unsigned<T: ArrowNumericType<Native: TryFrom<u128> + Into<u128>>>(
    column_type: ColumnType,
) {
    let cell = |value: &Value| T::Native::try_from(unsigned(value)).ok().unwrap();
    compare_numbers::<T>(column_type, cell, |min, max| Ends::Unsigned(min.into(), max.into()));
}

#[test]
fn integers_have_the_ends_that_arrow_finds() {
    compare_signed::<Int8Type>(ColumnType::TinyInt);
    compare_signed::<Int16Type>(ColumnType::SmallInt);
    compare_signed::<Int32Type>(ColumnType::Integer);
    compare_signed::<Int64Type>(ColumnType::BigInt);
    compare_unsigned::<UInt8Type>(ColumnType::UTinyInt);
    compare_unsigned::<UInt16Type>(ColumnType::USmallInt);
    compare_unsigned::<UInt32Type>(ColumnType::UInteger);
    compare_unsigned::<UInt64Type>(ColumnType::UBigInt);
}

/// Arrow has no integers of 128 bits, but decimals that are stored as such.
#[test]
fn wide_integers_and_decimals_have_the_ends_that_arrow_finds() {
    compare_signed::<Decimal128Type>(ColumnType::HugeInt);
    for (width, scale) in [(4, 1), (9, 9), (18, 3), (38, 10)] {
        compare_signed::<Decimal128Type>(decimal(width, scale));
    }
}

#[test]
fn dates_and_times_have_the_ends_that_arrow_finds() {
    compare_signed::<Date32Type>(ColumnType::Date);
    compare_signed::<Time64MicrosecondType>(ColumnType::Time);
    compare_signed::<Time64NanosecondType>(ColumnType::TimeNs);
    compare_signed::<TimestampSecondType>(ColumnType::TimestampS);
    compare_signed::<TimestampMillisecondType>(ColumnType::TimestampMs);
    compare_signed::<TimestampMicrosecondType>(ColumnType::Timestamp);
    compare_signed::<TimestampMicrosecondType>(ColumnType::TimestampTz);
    compare_signed::<TimestampNanosecondType>(ColumnType::TimestampNs);
    compare_signed::<TimestampNanosecondType>(ColumnType::TimestampTzNs);
}

/// Compares a type of floating-point numbers; `is_nan` and `is_negative` as of the numbers.
fn compare_floats<T: ArrowNumericType>(
    column_type: ColumnType,
    cell: impl Fn(&Value) -> T::Native,
    is_nan: impl Fn(T::Native) -> bool,
    is_negative: impl Fn(T::Native) -> bool,
    ends: impl Fn(T::Native, T::Native) -> Ends,
) {
    for_all(Just(column_type), |sample| {
        let all: PrimitiveArray<T> = cells(sample, |value| Some(cell(value))).collect();
        let numbers = |value| Some(cell(value)).filter(|number| !is_nan(*number));
        let numbers: PrimitiveArray<T> = cells(sample, numbers).collect();
        let nan_count = numbers.null_count() - all.null_count();
        for summary in summaries(sample) {
            assert_counts(&summary, &all);
            assert_eq!(summary.nan_count, Some(nan_count as u64));
            let expected = min(&numbers).zip(max(&numbers));
            assert_ends(&summary, expected.map(|(min, max)| ends(min, max)));
        }
        let has_nan = |sign| {
            let mut values = all.iter().flatten();
            values.any(|value| is_nan(value) && is_negative(value) == sign)
        };
        assert_eq!(max(&all).is_some_and(|max| is_nan(max) && !is_negative(max)), has_nan(false));
        assert_eq!(min(&all).is_some_and(|min| is_nan(min) && is_negative(min)), has_nan(true));
    });
}

#[test]
fn floats_have_the_ends_that_arrow_finds_but_for_nan() {
    compare_floats::<Float32Type>(
        ColumnType::Float,
        float,
        f32::is_nan,
        f32::is_sign_negative,
        Ends::Float,
    );
    compare_floats::<Float64Type>(
        ColumnType::Double,
        double,
        f64::is_nan,
        f64::is_sign_negative,
        Ends::Double,
    );
}

#[test]
fn truth_values_have_the_ends_that_arrow_finds() {
    for_all(Just(ColumnType::Boolean), |sample| {
        let cell = |value: &Value| Some(*value == Value::Boolean(true));
        let array: BooleanArray = cells(sample, cell).collect();
        for summary in summaries(sample) {
            assert_counts(&summary, &array);
            let expected = min_boolean(&array).zip(max_boolean(&array));
            assert_ends(&summary, expected.map(|(min, max)| Ends::Boolean(min, max)));
            let truths = (array.true_count() as u64, array.false_count() as u64);
            assert_eq!(summary.truths, Some(truths));
        }
    });
}

fn bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// The ends of a sample whose smallest and largest values are these.
fn byte_ends(sample: &Sample, ends: Option<(&[u8], &[u8])>) -> Option<Ends> {
    let limit_bytes = sample.limit_bytes;
    let (min, max) = ends?;
    let (min, max) = (Prefix::new(min, limit_bytes), Prefix::new(max, limit_bytes));
    Some(Ends::Bytes { min, max, limit_bytes })
}

#[test]
fn byte_strings_have_the_ends_that_arrow_finds() {
    for_all(Just(ColumnType::Blob), |sample| {
        let array: BinaryArray = cells(sample, bytes).collect();
        for summary in summaries(sample) {
            assert_counts(&summary, &array);
            assert_ends(&summary, byte_ends(sample, min_binary(&array).zip(max_binary(&array))));
        }
    });
}

#[test]
fn texts_have_the_ends_that_arrow_finds() {
    for_all(Just(ColumnType::Varchar), |sample| {
        // Some of the samples are no text, which Arrow has no array for.
        let mut sample = sample.clone();
        for row in &mut sample.rows {
            if let Value::Bytes(bytes) = row {
                *bytes = String::from_utf8_lossy(bytes).into_owned().into_bytes();
            }
        }
        let text = |value| std::str::from_utf8(bytes(value)?).ok();
        let array: StringArray = cells(&sample, text).collect();
        let ends = min_string(&array).zip(max_string(&array));
        let ends = ends.map(|(min, max)| (min.as_bytes(), max.as_bytes()));
        for summary in summaries(&sample) {
            assert_counts(&summary, &array);
            assert_ends(&summary, byte_ends(&sample, ends));
        }
    });
}

/// DuckDB stores a UUID with its first bit flipped, so that it orders as its text does; Arrow holds its 16 bytes.
#[test]
fn uuids_have_the_ends_that_arrow_finds() {
    const FIRST_BIT: i128 = i128::MIN;
    for_all(Just(ColumnType::Uuid), |sample| {
        let cell = |value: &Value| Some((signed(value) ^ FIRST_BIT).to_be_bytes());
        let rows = cells(sample, cell);
        let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows, 16).unwrap();
        let stored = |bytes: &[u8]| i128::from_be_bytes(bytes.try_into().unwrap()) ^ FIRST_BIT;
        let ends = min_fixed_size_binary(&array).zip(max_fixed_size_binary(&array));
        for summary in summaries(sample) {
            assert_counts(&summary, &array);
            assert_ends(&summary, ends.map(|(min, max)| Ends::Signed(stored(min), stored(max))));
        }
    });
}
