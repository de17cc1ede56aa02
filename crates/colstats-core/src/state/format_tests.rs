//! Round trips of every type, the law of merging, golden states, and what must be refused.
//!
//! What a forger can write is in `forgery_tests.rs`.

use proptest::prelude::*;

use super::format::{SKETCH_PRECISION, decode, encode};
use super::reader::StateReader;
use super::type_format::{read_type, write_type};
use crate::accumulator::ColumnStatistics;
use crate::column::column_type::ColumnType;
use crate::settings::Settings;
use crate::testing::columns::{Layout, Memory, Value, list_of, map_of, struct_of, union_of};
use crate::testing::samples::values;

/// What `column_stats_state(x, 8)` keeps.
fn settings() -> Settings {
    Settings { max_bound_bytes: 8, sketch_precision: Some(SKETCH_PRECISION), ..Settings::default() }
}

/// The statistics of some rows.
fn statistics(column_type: &ColumnType, rows: &[Value], settings: Settings) -> ColumnStatistics {
    let memory = Memory::new(column_type, rows, Layout::Dense);
    let mut statistics = ColumnStatistics::new(column_type, settings).unwrap();
    statistics.update(&memory.column(), 0..rows.len());
    statistics
}

/// The state of some rows.
pub(super) fn state(column_type: &ColumnType, rows: &[Value]) -> Vec<u8> {
    let statistics = statistics(column_type, rows, settings());
    encode(Some((column_type, &statistics))).unwrap()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text(value: &str) -> Value {
    Value::Bytes(value.as_bytes().to_vec())
}

fn enumeration(members: &[&str]) -> ColumnType {
    ColumnType::enumeration(members.iter().map(|member| (*member).to_owned()))
}

/// Little-endian WKB of a point.
fn point(x: f64, y: f64) -> Value {
    let mut bytes = vec![1, 1, 0, 0, 0];
    bytes.extend([x, y].map(f64::to_le_bytes).concat());
    Value::Bytes(bytes)
}

/// A column of each family of types, some with NULL, and the state it must always have.
pub(super) fn golden_columns() -> Vec<(ColumnType, Vec<Value>, &'static str)> {
    use ColumnType as T;
    let nested = struct_of([
        ("a", T::Boolean),
        ("l", list_of(T::UInteger)),
        ("m", map_of(T::Varchar, T::Double)),
        ("u", union_of([("n", T::Null), ("d", T::Date)])),
    ]);
    let nested_row = Value::Struct(vec![
        Value::Boolean(true),
        Value::List(vec![Value::Unsigned(7), Value::Null]),
        Value::List(vec![Value::Struct(vec![text("k"), Value::Double(f64::NAN)])]),
        Value::Union(1, Box::new(Value::Signed(20_000))),
    ]);
    let kind = ColumnType::Alias("mood".into(), enumeration(&["sad", "ok"]).into());
    vec![
        (T::BigInt, vec![Value::Signed(42), Value::Null, Value::Signed(-1)], GOLDEN_BIGINT),
        (T::HugeInt, vec![Value::Signed(-(1 << 70))], GOLDEN_HUGEINT),
        (T::UHugeInt, vec![Value::Unsigned(1 << 70)], GOLDEN_UHUGEINT),
        (T::Decimal { width: 5, scale: 2 }, vec![Value::Signed(-150)], GOLDEN_DECIMAL),
        (T::Float, vec![Value::Float(-1.5), Value::Float(f32::NAN)], GOLDEN_FLOAT),
        (T::Varchar, vec![text("duck"), text("éééééé")], GOLDEN_VARCHAR),
        (T::Bit, vec![Value::Bytes(vec![5, 0xFD])], GOLDEN_BIT),
        (T::Interval, vec![Value::Opaque, Value::Null], GOLDEN_INTERVAL),
        (T::Geometry, vec![point(1.0, 2.0), point(-1.0, f64::NAN)], GOLDEN_GEOMETRY),
        (kind, vec![Value::Unsigned(1)], GOLDEN_ENUM),
        (nested, vec![nested_row, Value::Null], GOLDEN_NESTED),
    ]
}

const GOLDEN_BIGINT: &str = "\
    4353545301d094523001060201ffffffffffffffff2a00000000000000010f484c4ce0020282ec80c501ff8ac667";
const GOLDEN_HUGEINT: &str = "\
    43535453011f5ed06b010701000000000000000000c0ffffffffffffff0000000000000000c0ffffffffffffff01\
    0b484c4ce00101c1ccffea04";
const GOLDEN_UHUGEINT: &str = "\
    4353545301c8571694010c0100000000000000000040000000000000000000000000000000400000000000000001\
    0b484c4ce001018383b28601";
const GOLDEN_DECIMAL: &str = "\
    435354530157f79e8e0140050201006affffffffffffff6affffffffffffff010b484c4ce00101c39fa38a04";
const GOLDEN_FLOAT: &str = "\
    4353545301214bc3fb010e0200ffff3fc0ffffffffffff3fc0ffffffff010110484c4ce00202c39fa38a04ffe1f6\
    e602";
const GOLDEN_VARCHAR: &str = "\
    4353545301df4e883101100200080100046475636b0108c3a9c3a9c3a9c3a90110484c4ce0020281c0f6940380da\
    83ac02";
const GOLDEN_BIT: &str = "\
    4353545301ac6ddc8901130100ffffffff0f01000205fd000205fd010b484c4ce00101c3abb9b606";
const GOLDEN_INTERVAL: &str = "435354530112c2e1eb011f010100";
const GOLDEN_GEOMETRY: &str = "\
    4353545301ca794e2501200200000100001001000000000000f0bf000000000000f03f0100000000000000400000\
    000000000040000000";
const GOLDEN_ENUM: &str = "\
    43535453014a72da070148046d6f6f64410203736164026f6b010001000000000000000100000000000000010b48\
    4c4ce00101c1c9d4e506";
const GOLDEN_NESTED: &str = "\
    4353545301a4342247014304016102016c440a016d46100f01754702016e0101641501010100010b484c4ce00101\
    83cd85d602010207000000000000000700000000000000010b484c4ce00101c1fde4f0060101080100016b00016b\
    010a484c4ce0010181efc73c0101ffffffffffffff7f000000000000008001010b484c4ce00101c2819af1060002\
    000101204e000000000000204e000000000000010b484c4ce001018283ad8101";

#[test]
fn golden_states_are_written_as_ever() {
    for (column_type, rows, golden) in golden_columns() {
        let bytes = state(&column_type, &rows);
        assert_eq!(hex(&bytes), golden, "{}", column_type.name());
        let expected = statistics(&column_type, &rows, settings());
        assert_eq!(decode(&bytes), Ok(Some((column_type, expected))));
    }
}

#[test]
fn the_example_of_the_documentation_is_this_state() {
    let documentation = include_str!("../../../../docs/state-format.md");
    let example = documentation.split("```hex").nth(1).and_then(|rest| rest.split("```").next());
    let bytes = example.unwrap().lines().flat_map(|line| line.split('|').next());
    let bytes: String = bytes.flat_map(str::split_whitespace).collect();
    assert_eq!(bytes, GOLDEN_BIGINT);
}

#[test]
fn every_type_has_a_tag_of_its_own() {
    for column_type in leaf_types().iter().chain(&nested_samples()) {
        let mut bytes = Vec::new();
        write_type(&mut bytes, column_type);
        let mut reader = StateReader::new(&bytes);
        assert_eq!(read_type(&mut reader).as_ref(), Ok(column_type));
        assert!(reader.rest().is_empty());
    }
}

#[test]
fn a_state_without_rows_has_no_type() {
    let bytes = encode(None).unwrap();
    assert_eq!(hex(&bytes), "43535453018def02d200");
    assert_eq!(decode(&bytes), Ok(None));
}

#[test]
fn types_that_could_not_be_read_again_are_not_written() {
    let nested =
        |levels: usize| (0..levels).fold(ColumnType::BigInt, |element, _| list_of(element));
    assert!(decode(&state(&nested(100), &[])).is_ok());
    let statistics = ColumnStatistics::new(&nested(101), settings()).unwrap();
    let error = encode(Some((&nested(101), &statistics))).unwrap_err().to_string();
    assert!(error.contains("100 levels"), "{error}");
}

/// All types without parts.
fn leaf_types() -> Vec<ColumnType> {
    use ColumnType as T;
    vec![
        T::Null,
        T::Boolean,
        T::TinyInt,
        T::SmallInt,
        T::Integer,
        T::BigInt,
        T::HugeInt,
        T::UTinyInt,
        T::USmallInt,
        T::UInteger,
        T::UBigInt,
        T::UHugeInt,
        T::BigNum,
        T::Float,
        T::Double,
        T::Varchar,
        T::Json,
        T::Blob,
        T::Bit,
        T::Uuid,
        T::Date,
        T::Time,
        T::TimeNs,
        T::TimeTz,
        T::TimestampS,
        T::TimestampMs,
        T::Timestamp,
        T::TimestampNs,
        T::TimestampTz,
        T::TimestampTzNs,
        T::Interval,
        T::Geometry,
        T::Variant,
        T::Decimal { width: 4, scale: 1 },
        T::Decimal { width: 9, scale: 9 },
        T::Decimal { width: 18, scale: 0 },
        T::Decimal { width: 38, scale: 10 },
        enumeration(&["a", "b", "ü"]),
        T::Opaque("UNKNOWN_TYPE_99".into()),
        T::Alias("celsius".into(), T::Double.into()),
    ]
}

fn nested_samples() -> Vec<ColumnType> {
    use ColumnType as T;
    vec![
        list_of(list_of(T::BigInt)),
        T::Array(T::Float.into(), 3),
        map_of(T::Varchar, list_of(T::Date)),
        struct_of([("", T::BigInt), ("a.b\"c", struct_of([("x", T::Null)]))]),
        union_of([("n", T::Integer), ("s", T::Varchar)]),
        T::Alias("pair".into(), struct_of([("l", T::Uuid), ("r", T::Json)]).into()),
    ]
}

fn column_types() -> impl Strategy<Value = ColumnType> {
    prop::sample::select(leaf_types()).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(list_of),
            (inner.clone(), 1..4_u64).prop_map(|(t, size)| ColumnType::Array(t.into(), size)),
            (inner.clone(), inner.clone()).prop_map(|(key, value)| map_of(key, value)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| struct_of([("a", a), ("b.c", b)])),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| union_of([("a", a), ("", b)])),
            inner.prop_map(|base| ColumnType::Alias("named".into(), base.into())),
        ]
    })
}

/// A type, some rows of it, the part that each row goes to, and how many bytes of a text are kept.
fn split_columns() -> impl Strategy<Value = (ColumnType, Vec<(Value, usize)>, u32)> {
    column_types().prop_flat_map(|column_type| {
        let rows = prop::collection::vec((values(&column_type, 0.9), 0..4_usize), 0..40);
        (Just(column_type), rows, prop_oneof![Just(256_u32), 1..5_u32])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// The law: states of the parts, merged in any order, are the state of the whole, byte by byte.
    #[test]
    fn merged_states_are_the_state_of_all_rows((column_type, rows, max_bound_bytes) in split_columns()) {
        let settings = Settings { max_bound_bytes, ..settings() };
        let all: Vec<Value> = rows.iter().map(|(value, _)| value.clone()).collect();
        let whole = statistics(&column_type, &all, settings);
        let mut merged = ColumnStatistics::new(&column_type, settings).unwrap();
        for part in (0..4).rev() {
            let of_part = rows.iter().filter(|(_, number)| *number == part);
            let values: Vec<Value> = of_part.map(|(value, _)| value.clone()).collect();
            let kept = statistics(&column_type, &values, settings);
            let bytes = encode(Some((&column_type, &kept))).unwrap();
            let (read_type, read) = decode(&bytes).unwrap().unwrap();
            prop_assert_eq!(&read_type, &column_type);
            prop_assert_eq!(&read, &kept);
            merged.merge(&read).unwrap();
        }
        prop_assert_eq!(merged.finish(&column_type), whole.finish(&column_type));
        let merged = encode(Some((&column_type, &merged))).unwrap();
        prop_assert_eq!(merged, encode(Some((&column_type, &whole))).unwrap());
    }
}

/// The same with as many distinct values as make the sketch change its form.
#[test]
fn sketches_merge_through_states_in_every_form() {
    let column_type = ColumnType::BigInt;
    let rows: Vec<Value> = (0..20_000).map(Value::Signed).collect();
    for sizes in [[10, 20], [10, 2_450], [2_000, 2_000], [10, 9_000], [9_000, 11_000]] {
        let total = sizes[0] + sizes[1];
        let (left, right) = rows[..total].split_at(sizes[0]);
        let parts =
            [left, right].map(|part| decode(&state(&column_type, part)).unwrap().unwrap().1);
        let [mut merged, other] = parts;
        merged.merge(&other).unwrap();
        let merged = encode(Some((&column_type, &merged))).unwrap();
        assert_eq!(merged, state(&column_type, &rows[..total]), "{sizes:?}");
    }
}
