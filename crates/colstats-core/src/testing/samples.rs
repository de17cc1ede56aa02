//! The samples that the properties are tried on: a type, some rows, and a way to take them in; and
//! the naive model of which entries the leaves of these rows have.

use std::ops::Range;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};

use super::columns::{Layout, Memory, Value, element_type, list_of, map_of, struct_of, union_of};
use crate::accumulator::ColumnStatistics;
use crate::column::column_type::{ColumnType, Field};
use crate::settings::Settings;
use crate::summary::Summary;

/// Some rows of a column, and how they are taken in.
#[derive(Debug, Clone)]
pub struct Sample {
    pub column_type: ColumnType,
    pub rows: Vec<Value>,
    pub limit_bytes: u32,
    sketch_precision: Option<u8>,
    layout: Layout,
    /// Where the rows are cut into pieces, and whether a piece is a chunk of its own.
    cuts: Vec<(Index, bool)>,
    /// Which of the pieces are merged next.
    pub picks: Vec<Index>,
}

/// Tries `property` on samples of these types.
pub fn for_all(types: impl Strategy<Value = ColumnType>, property: impl Fn(&Sample)) {
    let config = Config { failure_persistence: None, ..Config::default() };
    let tried = TestRunner::new(config).run(&samples(types), |sample| {
        property(&sample);
        Ok(())
    });
    if let Err(failure) = tried {
        panic!("{failure}");
    }
}

impl Sample {
    fn empty(&self) -> ColumnStatistics {
        let mut settings = Settings::with_max_bound_bytes(self.limit_bytes.into()).unwrap();
        settings.sketch_precision = self.sketch_precision;
        ColumnStatistics::new(&self.column_type, settings).unwrap()
    }

    fn memory(&self, rows: Range<usize>) -> Memory {
        Memory::new(&self.column_type, &self.rows[rows], self.layout)
    }

    /// The statistics of all rows, taken in at once.
    pub fn in_one_pass(&self) -> ColumnStatistics {
        let mut statistics = self.empty();
        let memory = self.memory(0..self.rows.len());
        statistics.update(&memory.column(), 0..self.rows.len());
        statistics
    }

    /// The first and the second half of the rows, with a longer limit for the second.
    pub fn halves(&self) -> (Sample, Sample) {
        let (first, second) = self.rows.split_at(self.rows.len() / 2);
        (
            Sample { rows: first.to_vec(), ..self.clone() },
            Sample { rows: second.to_vec(), limit_bytes: self.limit_bytes + 3, ..self.clone() },
        )
    }

    /// The statistics of pieces of the rows, some of them runs of one chunk, some chunks of their own.
    pub fn pieces(&self) -> Vec<ColumnStatistics> {
        let row_count = self.rows.len();
        let cut = |(index, is_chunk): &(Index, bool)| (index.index(row_count + 1), *is_chunk);
        let mut cuts: Vec<(usize, bool)> = self.cuts.iter().map(cut).collect();
        cuts.extend([(0, false), (row_count, false)]);
        cuts.sort();
        let all_rows = self.memory(0..row_count);
        let piece = |pair: &[(usize, bool)]| {
            let ((start, _), (end, is_chunk)) = (pair[0], pair[1]);
            let mut statistics = self.empty();
            if is_chunk {
                let chunk = self.memory(start..end);
                statistics.update(&chunk.column(), 0..end - start);
            } else {
                // Two runs into one state, as when two files alternate within a chunk.
                let middle = start.midpoint(end);
                statistics.update(&all_rows.column(), middle..end);
                statistics.update(&all_rows.column(), start..middle);
            }
            statistics
        };
        cuts.windows(2).map(piece).collect()
    }

    /// Calls `visit` with every leaf's summary and the entries it has by the model.
    pub fn for_each_leaf(&self, visit: impl Fn(&Summary, &[&Value])) {
        let mut by_leaf = vec![Vec::new(); self.column_type.leaves().len()];
        for row in &self.rows {
            for (all, entries) in by_leaf.iter_mut().zip(entries(&self.column_type, row)) {
                all.extend(entries);
            }
        }
        let summaries = self.in_one_pass().finish(&self.column_type);
        assert_eq!(summaries.len(), by_leaf.len());
        summaries.iter().zip(&by_leaf).for_each(|(summary, entries)| visit(summary, entries));
    }
}

/// The entries of each leaf below `value`, as Parquet's levels have them: one per value or NULL, and
/// one NULL for each NULL or empty container.
fn entries<'v>(column_type: &ColumnType, value: &'v Value) -> Vec<Vec<&'v Value>> {
    match (column_type.base(), value) {
        (ColumnType::Struct(fields), Value::Struct(parts)) => {
            let field = |(field, part): (&Field, &'v Value)| entries(&field.column_type, part);
            fields.iter().zip(parts).flat_map(field).collect()
        }
        (ColumnType::Union(members), Value::Union(member, value)) => {
            let entries_of = |(index, field): (usize, &Field)| {
                entries(&field.column_type, if index == *member { value } else { &Value::Null })
            };
            members.iter().enumerate().flat_map(entries_of).collect()
        }
        (base, Value::List(items)) if !items.is_empty() => {
            let element = element_type(base).unwrap();
            let mut joined = vec![Vec::new(); element.leaves().len()];
            for item in items {
                let of_item = entries(&element, item);
                joined.iter_mut().zip(of_item).for_each(|(all, entries)| all.extend(entries));
            }
            joined
        }
        (base, Value::Null | Value::List(_)) => vec![vec![&Value::Null]; base.leaves().len()],
        (_, value) => vec![vec![value]],
    }
}

// --- Types ------------------------------------------------------------------------------------

pub fn decimal(width: u8, scale: u8) -> ColumnType {
    ColumnType::Decimal { width, scale }
}

pub fn enumeration(member_count: usize) -> ColumnType {
    let members: Vec<String> = (0..member_count).map(|member| format!("m{member}")).collect();
    ColumnType::enumeration(members)
}

pub fn named(name: &str, column_type: ColumnType) -> ColumnType {
    ColumnType::Alias(name.into(), column_type.into())
}

/// Containers of containers, up to four deep.
pub fn nested_types() -> impl Strategy<Value = ColumnType> {
    let leaf = select(vec![
        ColumnType::Integer,
        ColumnType::Double,
        ColumnType::Varchar,
        ColumnType::Boolean,
        ColumnType::HugeInt,
        ColumnType::Interval,
        ColumnType::Geometry,
    ]);
    let element = leaf.prop_recursive(3, 10, 3, |inner| container(inner).boxed());
    container(element.boxed())
}

fn container(inner: BoxedStrategy<ColumnType>) -> impl Strategy<Value = ColumnType> {
    let pair = (inner.clone(), inner.clone());
    prop_oneof![
        inner.clone().prop_map(list_of),
        (inner, 1..4_u64).prop_map(|(element, size)| ColumnType::Array(element.into(), size)),
        pair.clone().prop_map(|(a, b)| struct_of([("a", a), ("b", b)])),
        pair.clone().prop_map(|(key, value)| map_of(key, value)),
        pair.prop_map(|(a, b)| union_of([("a", a), ("b", b)])),
    ]
}

// --- Values -----------------------------------------------------------------------------------

fn samples(types: impl Strategy<Value = ColumnType>) -> impl Strategy<Value = Sample> {
    let shape = (types, select(vec![0.01, 0.5, 0.9, 0.999]), select(vec![3, 150_usize]));
    let rows = shape.prop_flat_map(|(column_type, present, most_rows)| {
        let rows = vec(values(&column_type, present), 0..most_rows);
        (Just(column_type), rows)
    });
    // Short limits, so that values share all that is kept of them; coarse sketches, so that they fill.
    let limit_bytes = prop_oneof![1..=6_u32, 1..=300_u32];
    let sketch_precision = select(vec![None, Some(4), Some(8)]);
    let layout = select(vec![Layout::Dense, Layout::Scattered]);
    let cuts = vec(any::<(Index, bool)>(), 0..6);
    let picks = vec(any::<Index>(), 1..8);
    (rows, limit_bytes, sketch_precision, layout, cuts, picks).prop_map(
        |((column_type, rows), limit_bytes, sketch_precision, layout, cuts, picks)| Sample {
            column_type,
            rows,
            limit_bytes,
            sketch_precision,
            layout,
            cuts,
            picks,
        },
    )
}

/// Values of the type, NULL with the probability `1 - present`, on every level.
pub fn values(column_type: &ColumnType, present: f64) -> BoxedStrategy<Value> {
    let value = match column_type.base() {
        ColumnType::Struct(fields) => {
            let parts: Vec<_> =
                fields.iter().map(|field| values(&field.column_type, present)).collect();
            parts.prop_map(Value::Struct).boxed()
        }
        ColumnType::Union(members) => {
            let members: Vec<_> =
                members.iter().map(|member| values(&member.column_type, present)).collect();
            let member = (0..members.len()).prop_flat_map(move |member| {
                members[member].clone().prop_map(move |v| Value::Union(member, Box::new(v)))
            });
            member.boxed()
        }
        ColumnType::Array(element, size) => {
            vec(values(element, present), *size as usize).prop_map(Value::List).boxed()
        }
        ColumnType::List(_) | ColumnType::Map(_) => {
            let element = element_type(column_type).unwrap();
            vec(values(&element, present), 0..4).prop_map(Value::List).boxed()
        }
        _ => leaf_values(column_type),
    };
    weighted(present, value).prop_map(|value| value.unwrap_or(Value::Null)).boxed()
}

fn leaf_values(column_type: &ColumnType) -> BoxedStrategy<Value> {
    use ColumnType as T;
    match column_type.base() {
        T::Null => Just(Value::Null).boxed(),
        T::TimeTz | T::Interval | T::Variant | T::Opaque(_) => Just(Value::Opaque).boxed(),
        T::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        T::Float => floats().prop_map(Value::Float).boxed(),
        T::Double => doubles().prop_map(Value::Double).boxed(),
        T::Varchar | T::Json | T::Blob => texts().prop_map(Value::Bytes).boxed(),
        T::Bit | T::BigNum => vec(any::<u8>(), 1..30).prop_map(Value::Bytes).boxed(),
        T::Geometry => geometries().prop_map(Value::Bytes).boxed(),
        T::UTinyInt => unsigned_up_to(u8::MAX.into()),
        T::USmallInt => unsigned_up_to(u16::MAX.into()),
        T::UInteger => unsigned_up_to(u32::MAX.into()),
        T::UBigInt => unsigned_up_to(u64::MAX.into()),
        T::UHugeInt => unsigned_up_to(u128::MAX),
        T::Enum(members) => unsigned_up_to(members.len() as u128 - 1),
        T::TinyInt => signed_within(i8::MIN.into(), i8::MAX.into()),
        T::SmallInt => signed_within(i16::MIN.into(), i16::MAX.into()),
        T::Integer | T::Date => signed_within(i32::MIN.into(), i32::MAX.into()),
        T::HugeInt | T::Uuid => signed_within(i128::MIN, i128::MAX),
        T::Decimal { width, .. } => {
            let nines = 10_i128.pow((*width).into()) - 1;
            signed_within(-nines, nines)
        }
        _ => signed_within(i64::MIN.into(), i64::MAX.into()),
    }
}

/// All numbers of the range, its ends and small ones more often.
fn signed_within(min: i128, max: i128) -> BoxedStrategy<Value> {
    let numbers = prop_oneof![min..=max, -2..=2_i128, select(vec![min, max])];
    numbers.prop_map(Value::Signed).boxed()
}

fn unsigned_up_to(max: u128) -> BoxedStrategy<Value> {
    prop_oneof![0..=max, 0..=2_u128, Just(max)].prop_map(Value::Unsigned).boxed()
}

/// All bit patterns: NaN of every kind, infinities, denormals, both zeros.
fn floats() -> impl Strategy<Value = f32> {
    let special = [f32::NAN, -0.0, 0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN];
    prop_oneof![any::<u32>().prop_map(f32::from_bits), select(special.to_vec()), -9.0..9.0_f32]
}

fn doubles() -> impl Strategy<Value = f64> {
    let special = [f64::NAN, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN];
    prop_oneof![any::<u64>().prop_map(f64::from_bits), select(special.to_vec()), -9.0..9.0_f64]
}

/// Texts around everything that makes a bound hard: ends of the UTF-8 lengths, surrogates, NUL, the last
/// character; bytes that are no text; and long ones with long beginnings in common.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let characters = select(vec![
        "\0",
        "\u{1}",
        "a",
        "b",
        "\u{7F}",
        "\u{80}",
        "é",
        "\u{7FF}",
        "\u{800}",
        "三",
        "\u{D7FF}",
        "\u{E000}",
        "\u{FFFF}",
        "\u{10000}",
        "🦆",
        "\u{10FFFF}",
    ]);
    let short = vec(select(vec!["a", "b"]), 0..6).prop_map(|characters| characters.concat());
    let hard = vec(characters.clone(), 0..12).prop_map(|characters| characters.concat());
    let long = (characters, 0..320_usize, hard.clone())
        .prop_map(|(character, count, end)| character.repeat(count) + &end);
    let bytes = vec(select(vec![0, 0x61, 0x7F, 0x80, 0xBF, 0xC3, 0xED, 0xF4, 0xFF]), 0..12_usize);
    prop_oneof![
        3 => any::<String>().prop_map(String::into_bytes),
        3 => short.prop_map(String::into_bytes),
        3 => hard.prop_map(String::into_bytes),
        3 => long.prop_map(String::into_bytes),
        1 => bytes,
    ]
}

/// Points and lines of all four dimension sets, in little-endian ISO WKB.
fn geometries() -> impl Strategy<Value = Vec<u8>> {
    let shape = (0..4_u32, any::<bool>(), 0..4_usize);
    shape.prop_flat_map(|(dimensions, is_point, point_count)| {
        let axis_count = [2, 3, 3, 4][dimensions as usize];
        let point_count = if is_point { 1 } else { point_count };
        // Without -0.0: which of the two zeros ends up in a box depends on the order.
        let ordinate = doubles().prop_map(|ordinate| ordinate + 0.0);
        vec(ordinate, axis_count * point_count).prop_map(move |ordinates| {
            let mut bytes = vec![1];
            bytes.extend((dimensions * 1000 + if is_point { 1 } else { 2 }).to_le_bytes());
            if !is_point {
                bytes.extend((point_count as u32).to_le_bytes());
            }
            ordinates.iter().for_each(|ordinate| bytes.extend(ordinate.to_le_bytes()));
            bytes
        })
    })
}
