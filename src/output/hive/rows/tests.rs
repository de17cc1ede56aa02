use super::*;
use colstats_core::accumulator::ColumnStatistics;
use colstats_core::column::vectors::{Column, Validity, Values};
use colstats_core::details::DetailSettings;
use colstats_core::settings::Settings;
use colstats_core::testing::columns::{ByteColumn, PlainSpeller};

/// The values of a column without NULL, after `null_count` NULL rows.
fn hive_values(
    column_type: &ColumnType,
    values: Values<'_, ByteColumn<'_>>,
    rows: usize,
) -> HiveValues {
    let settings = Settings {
        sketch_precision: Some(10),
        details: Some(DetailSettings { top_k: 3, has_histogram: false }),
        ..Settings::default()
    };
    let mut statistics = ColumnStatistics::new(column_type, settings).unwrap();
    statistics.update(&Column { validity: Validity::new(None), values }, 0..rows);
    crate::output::hive::rows::values(&statistics.finish(column_type)[0], &PlainSpeller)
}

#[test]
fn timestamps_are_whole_seconds_rounded_down() {
    let row = hive_values(&ColumnType::Timestamp, Values::Int64(&[-1, 1_999_999]), 2);
    assert_eq!((row.long_low, row.long_high), (Some(-1), Some(1)));
    assert_eq!(row.column_type, "timestamp");
    assert_eq!(row.num_distincts, Some(2));
}

#[test]
fn nan_and_infinity_are_no_bounds_but_a_note() {
    let values = [f64::NAN, 1.5, f64::INFINITY];
    let row = hive_values(&ColumnType::Double, Values::Double(&values), 3);
    assert_eq!((row.double_low, row.double_high), (Some(1.5), Some(1.5)));
    assert_eq!(row.num_distincts, Some(3));
    assert!(row.notes.unwrap().contains("1 NaN and infinite values"));
    let row = hive_values(&ColumnType::Double, Values::Double(&[f64::NAN]), 1);
    assert_eq!((row.double_low, row.double_high), (None, None));
}

#[test]
fn a_column_without_rows_has_zeros_and_no_sketch() {
    let row = hive_values(&ColumnType::Varchar, Values::Bytes(ByteColumn::new(&[b"abc"])), 1);
    assert_eq!((row.avg_col_len, row.max_col_len, row.sum_col_len), (Some(3.0), Some(3), Some(3)));
    let empty = row.without_rows();
    assert_eq!((empty.num_distincts, empty.bit_vector), (Some(0), None));
    assert_eq!(
        (empty.avg_col_len, empty.max_col_len, empty.num_nulls),
        (Some(0.0), Some(0), Some(0))
    );
    assert_eq!(empty.low_value, None);
}

#[test]
fn booleans_and_binaries_have_no_distinct_values() {
    let row = hive_values(&ColumnType::Boolean, Values::Boolean(&[1, 0, 1]), 3);
    assert_eq!((row.num_trues, row.num_falses), (Some(2), Some(1)));
    assert_eq!((row.num_distincts, row.bit_vector, row.low_value), (None, None, None));
    let row = hive_values(&ColumnType::Blob, Values::Bytes(ByteColumn::new(&[b"\xC3\xA9"])), 1);
    assert_eq!((row.max_col_len, row.num_distincts, row.low_value), (Some(2), None, None));
}

#[test]
fn decimals_have_no_zeros_at_the_end() {
    for (padded, plain) in [("-10.20", "-10.2"), ("100", "100"), ("0.00", "0"), ("100.00", "100")] {
        assert_eq!(hive_decimal(padded), plain);
    }
}
