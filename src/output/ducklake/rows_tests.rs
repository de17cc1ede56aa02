//! The spelling rules of DuckLake's rows.

use super::rows::*;
use colstats_core::accumulator::ColumnStatistics;
use colstats_core::column::column_type::ColumnType;
use colstats_core::kernels::bytes::Prefix;
use colstats_core::kernels::geometry::GeometryExtremes;
use colstats_core::settings::Settings;
use colstats_core::summary::{Ends, Summary};
use colstats_core::testing::columns::PlainSpeller;
use colstats_core::value::{Scalar, Speller};

/// The summary of a column that holds values between these ends.
fn summary(column_type: ColumnType, ends: Ends) -> Summary {
    let statistics = ColumnStatistics::new(&column_type, Settings::default()).unwrap();
    Summary { ends: Some(ends), ..statistics.finish(&column_type).remove(0) }
}

fn spelled(column_type: ColumnType, ends: Ends) -> (Option<String>, Option<String>) {
    let bounds = bounds(&summary(column_type, ends), &PlainSpeller);
    (bounds.min_value, bounds.max_value)
}

fn both(min: &str, max: &str) -> (Option<String>, Option<String>) {
    (Some(min.into()), Some(max.into()))
}

fn whole(bytes: &[u8]) -> Prefix {
    Prefix { bytes: bytes.into(), is_cut: false }
}

fn cut(bytes: &[u8]) -> Prefix {
    Prefix { bytes: bytes.into(), is_cut: true }
}

/// The bounds of byte strings that were kept to as many bytes as the longer one has.
fn spelled_bytes(
    column_type: ColumnType,
    min: Prefix,
    max: Prefix,
) -> (Option<String>, Option<String>) {
    let limit_bytes = min.bytes.len().max(max.bytes.len()) as u32;
    spelled(column_type, Ends::Bytes { min, max, limit_bytes })
}

#[test]
fn no_ends_no_bounds() {
    let without = Summary { ends: None, ..summary(ColumnType::Integer, Ends::Signed(1, 2)) };
    assert_eq!(bounds(&without, &PlainSpeller), Bounds::default());
}

#[test]
fn booleans_are_digits() {
    let spelled = |min, max| spelled(ColumnType::Boolean, Ends::Boolean(min, max));
    assert_eq!(spelled(false, true), both("0", "1"));
    assert_eq!(spelled(false, false), both("0", "0"));
    assert_eq!(spelled(true, true), both("1", "1"));
}

#[test]
fn integers_are_spelled_by_the_host() {
    let (least, most) = (i128::MIN.to_string(), u128::MAX.to_string());
    assert_eq!(spelled(ColumnType::HugeInt, Ends::Signed(i128::MIN, 7)), both(&least, "7"));
    assert_eq!(spelled(ColumnType::UHugeInt, Ends::Unsigned(0, u128::MAX)), both("0", &most));
}

#[test]
fn a_bound_that_cannot_be_spelled_leaves_the_other_one() {
    struct OnlyPositive;
    impl Speller for OnlyPositive {
        fn spell(&self, column_type: &ColumnType, value: Scalar<'_>) -> Option<String> {
            let is_negative = matches!(value, Scalar::Signed(..0));
            (!is_negative).then(|| PlainSpeller.spell(column_type, value)).flatten()
        }
    }
    let bounds = bounds(&summary(ColumnType::Date, Ends::Signed(-1, 1)), &OnlyPositive);
    assert_eq!((bounds.min_value, bounds.max_value), (None, Some("1".into())));
}

#[test]
fn blobs_are_upper_case_hex() {
    let spelled = |min, max| spelled_bytes(ColumnType::Blob, min, max);
    assert_eq!(spelled(whole(b""), whole(b"\x00\xab\xFF")), both("", "00ABFF"));
    assert_eq!(spelled(cut(b"\xAA\xFF"), cut(b"\xAA\xFF")), both("AAFF", "AB"));
    assert_eq!(spelled(cut(b"\xFF\xFF"), cut(b"\xFF\xFF")), (Some("FFFF".into()), None));
}

#[test]
fn bits_and_bignums_are_spelled_whole() {
    for column_type in [ColumnType::Bit, ColumnType::BigNum] {
        assert_eq!(spelled_bytes(column_type, whole(&[0, 1]), whole(&[0xAB])), both("0001", "ab"));
    }
}

#[test]
fn texts_are_written_as_they_are() {
    for column_type in [ColumnType::Varchar, ColumnType::Json] {
        let ends = spelled_bytes(column_type, whole(b""), whole("it's \"三\"".as_bytes()));
        assert_eq!(ends, both("", "it's \"三\""));
    }
}

/// DuckLake takes `min = max` for a file of one value and drops it under `x <> value`.
#[test]
fn equal_text_bounds_are_those_of_one_value() {
    let spelled = |min, max| spelled_bytes(ColumnType::Varchar, min, max);
    assert_eq!(spelled(whole(b"abc"), whole(b"abc")), both("abc", "abc"));
    assert_eq!(spelled(cut(b"abc"), cut(b"abc")), both("abc", "abd"));
    assert_eq!(spelled(cut(b"abc"), whole(b"abc")), (Some("abc".into()), None));
    let last = "\u{10FFFF}";
    assert_eq!(spelled(cut(last.as_bytes()), cut(last.as_bytes())), (Some(last.into()), None));
}

#[test]
fn nul_and_broken_characters_end_a_text_bound() {
    let spelled = |min, max| spelled_bytes(ColumnType::Varchar, min, max);
    assert_eq!(spelled(whole(b"a\0b"), whole(b"a\0b")), both("a", "a\u{1}"));
    assert_eq!(spelled(cut("aé".as_bytes()), cut(b"a\xC3")), both("aé", "b"));
    assert_eq!(spelled(whole(b"\xFF"), whole(b"\xFF")), (Some(String::new()), None));
}

/// DuckLake compares a FLOAT bound with an exponent in another precision than the constant (W6).
#[test]
fn floats_with_an_exponent_move_out_by_one_step() {
    let cases = [
        (1e-30, "9.999999e-31", "1.0000001e-30"),
        (-1e-30, "-1.0000001e-30", "-9.999999e-31"),
        (1e16, "9999999000000000.0", "1.0000001e+16"),
        (f32::MAX, "3.4028233e+38", "inf"),
        (f32::MIN, "-inf", "-3.4028233e+38"),
        // The smallest numbers there are move to zero.
        (f32::from_bits(1), "0.0", "3e-45"),
        (-f32::from_bits(1), "-3e-45", "-0.0"),
        (f32::MIN_POSITIVE, "1.1754942e-38", "1.1754945e-38"),
    ];
    for (value, min, max) in cases {
        assert_eq!(spelled(ColumnType::Float, Ends::Float(value, value)), both(min, max));
    }
}

#[test]
fn floats_without_an_exponent_stay() {
    for (value, text) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (0.0001, "0.0001"),
        (9e15, "9000000000000000.0"),
        (f32::INFINITY, "inf"),
        (f32::NEG_INFINITY, "-inf"),
    ] {
        assert_eq!(spelled(ColumnType::Float, Ends::Float(value, value)), both(text, text));
    }
}

#[test]
fn doubles_stay() {
    for (value, text) in [
        (1e300, "1e+300"),
        (-5e-324, "-5e-324"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
        (-0.0, "-0.0"),
    ] {
        assert_eq!(spelled(ColumnType::Double, Ends::Double(value, value)), both(text, text));
    }
}

#[test]
fn contains_nan_is_for_types_that_have_nan() {
    let with_nans =
        |nan_count| Summary { nan_count, ..summary(ColumnType::Float, Ends::Float(1.0, 1.0)) };
    assert_eq!(contains_nan(&with_nans(Some(0))), Some(false));
    assert_eq!(contains_nan(&with_nans(Some(1))), Some(true));
    assert_eq!(contains_nan(&with_nans(None)), None);
}

fn geometry_stats(geometry: GeometryExtremes) -> Option<String> {
    let without_ends = Summary { ends: None, ..summary(ColumnType::Geometry, Ends::Signed(0, 0)) };
    extra_stats(&Summary { geometry: Some(geometry), ..without_ends })
}

fn with_x(min: f64, max: f64) -> GeometryExtremes {
    let axes = [Some((min, max)), Some((0.0, 1.0)), None, None];
    GeometryExtremes { axes, ..GeometryExtremes::EMPTY }
}

#[test]
fn geometry_stats_have_eight_ordinates_and_sorted_types() {
    let geometry = GeometryExtremes {
        axes: [Some((-1.5, 10.0)), Some((0.1, 0.1)), None, Some((-0.0, 1.0))],
        // POLYGON, POINT ZM, POINT, LINESTRING M
        type_bits: 1 << 8 | 1 << 3 | 1 << 0 | 1 << 6,
        ..GeometryExtremes::EMPTY
    };
    let expected = concat!(
        r#"{"bbox":{"xmin":-1.5,"xmax":10.0,"ymin":0.1,"ymax":0.1,"#,
        r#""zmin":null,"zmax":null,"mmin":-0.0,"mmax":1.0},"#,
        r#""types":["linestring_m","point","point_zm","polygon"]}"#
    );
    assert_eq!(geometry_stats(geometry).as_deref(), Some(expected));
}

#[test]
fn geometry_stats_of_nothing_are_complete() {
    let expected = concat!(
        r#"{"bbox":{"xmin":null,"xmax":null,"ymin":null,"ymax":null,"#,
        r#""zmin":null,"zmax":null,"mmin":null,"mmax":null},"types":[]}"#
    );
    assert_eq!(geometry_stats(GeometryExtremes::EMPTY).as_deref(), Some(expected));
    assert_eq!(empty_geometry_stats(), expected);
}

/// DuckLake reads `10` as 0.0, and a box that was rounded inward loses rows (W2).
#[test]
fn ordinates_are_json_reals_that_read_back_as_they_were() {
    let values = [10.0, -0.0, 1e15, 1e16, 1e21, 1e300, 5e-324, f64::MAX, 0.1 + 0.2, 0.123_456_74];
    for value in values {
        let text = geometry_stats(with_x(value, value)).unwrap();
        let ordinate = text.split([':', ',']).nth(2).unwrap();
        assert!(ordinate.contains(['.', 'e']), "{ordinate} is read as an integer");
        assert_eq!(ordinate.parse::<f64>().unwrap().to_bits(), value.to_bits());
    }
}

#[test]
fn where_no_box_holds_all_there_is_none() {
    let nowhere = [None; 4];
    let without_y =
        GeometryExtremes { axes: [Some((0.0, 1.0)), None, None, None], ..with_x(0.0, 1.0) };
    for geometry in [
        with_x(f64::NEG_INFINITY, 0.0),
        with_x(0.0, f64::INFINITY),
        without_y,
        GeometryExtremes { is_unbounded: true, ..with_x(0.0, 1.0) },
        GeometryExtremes { is_unbounded: true, axes: nowhere, ..GeometryExtremes::EMPTY },
    ] {
        assert_eq!(geometry_stats(geometry).as_deref(), Some(r#"{"bbox":null,"types":[]}"#));
    }
    let unreadable = GeometryExtremes { is_unreadable: true, ..with_x(0.0, 1.0) };
    assert_eq!(geometry_stats(unreadable), None);
}

#[test]
fn an_infinite_height_leaves_the_box_of_the_plane() {
    let [x, y, _, m] = with_x(0.0, 1.0).axes;
    let high = GeometryExtremes { axes: [x, y, Some((0.0, f64::INFINITY)), m], ..with_x(0.0, 1.0) };
    assert_eq!(geometry_stats(high), geometry_stats(with_x(0.0, 1.0)));
}

#[test]
fn other_types_have_no_extra_stats() {
    assert_eq!(extra_stats(&summary(ColumnType::Integer, Ends::Signed(1, 2))), None);
}
