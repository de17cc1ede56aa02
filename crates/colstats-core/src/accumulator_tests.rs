//! What nesting does to the counts, case by case. The rule behind all of them: a leaf has one entry per
//! value or NULL, and one for every NULL or empty container above it (Parquet's levels).

use std::ops::Range;

use crate::accumulator::ColumnStatistics;
use crate::column::column_type::{ColumnType, join_path};
use crate::column::vectors::{Column, ListEntry, Validity, Values};
use crate::kernels::bytes::Prefix;
use crate::settings::Settings;
use crate::summary::Ends;
use crate::testing::columns::{
    ByteColumn, Layout, Memory, Value, list_of, map_of, struct_of, union_of,
};

const INTEGER: ColumnType = ColumnType::Integer;
const TEXT: ColumnType = ColumnType::Varchar;
const NULL: Value = Value::Null;

fn int(number: i128) -> Value {
    Value::Signed(number)
}

fn text(text: &str) -> Value {
    Value::Bytes(text.into())
}

/// A LIST or an ARRAY.
fn list<const N: usize>(items: [Value; N]) -> Value {
    Value::List(items.into())
}

/// A STRUCT, or an entry of a MAP.
fn row<const N: usize>(parts: [Value; N]) -> Value {
    Value::Struct(parts.into())
}

fn member(index: usize, value: Value) -> Value {
    Value::Union(index, Box::new(value))
}

fn array_of(element: ColumnType, size: u64) -> ColumnType {
    ColumnType::Array(element.into(), size)
}

fn empty(column_type: &ColumnType) -> ColumnStatistics {
    ColumnStatistics::new(column_type, Settings::default()).unwrap()
}

/// Checks path, value_count and null_count of every leaf.
#[track_caller]
fn counts<const N: usize, const L: usize>(
    column_type: ColumnType,
    rows: [Value; N],
    expected: [(&str, u64, u64); L],
) {
    for layout in [Layout::Dense, Layout::Scattered] {
        let mut statistics = empty(&column_type);
        let memory = Memory::new(&column_type, &rows, layout);
        statistics.update(&memory.column(), 0..N);
        let found: Vec<(String, u64, u64)> = statistics
            .finish(&column_type)
            .iter()
            .map(|leaf| {
                let path = join_path(leaf.path.iter().map(String::as_str));
                (path, leaf.value_count, leaf.null_count)
            })
            .collect();
        let expected = expected.map(|(path, values, nulls)| (path.to_string(), values, nulls));
        assert_eq!(found, expected, "{layout:?}");
    }
}

#[test]
fn a_plain_column_counts_its_rows() {
    counts(INTEGER, [int(1), NULL, int(3)], [("", 2, 1)]);
    counts(INTEGER, [], [("", 0, 0)]);
    counts(ColumnType::Null, [NULL, NULL], [("", 0, 2)]);
}

#[test]
fn a_null_struct_is_one_null_of_each_field() {
    let pair = struct_of([("a", INTEGER), ("b", TEXT)]);
    counts(
        pair.clone(),
        [row([int(1), text("x")]), row([NULL, text("y")]), NULL],
        [("a", 1, 2), ("b", 2, 1)],
    );
    counts(struct_of([("s", pair)]), [row([NULL]), NULL], [("s.a", 0, 2), ("s.b", 0, 2)]);
}

#[test]
fn a_null_or_empty_list_is_one_null() {
    counts(
        list_of(INTEGER),
        [list([int(1), int(2)]), list([]), NULL, list([NULL])],
        [("element", 2, 3)],
    );
    counts(
        list_of(list_of(INTEGER)),
        [list([list([int(1), int(2)]), list([]), NULL]), list([list([])]), list([]), NULL],
        [("element.element", 2, 5)],
    );
}

/// Where DuckLake counts one NULL too many (W7).
#[test]
fn a_null_struct_in_a_list_is_one_null() {
    let item = struct_of([("a", INTEGER), ("l", list_of(TEXT))]);
    counts(
        list_of(item),
        [
            list([row([int(1), list([text("x"), text("y")])]), NULL, row([NULL, list([])])]),
            list([NULL]),
        ],
        [("element.a", 1, 3), ("element.l.element", 2, 3)],
    );
}

#[test]
fn a_null_or_empty_map_is_one_null_of_key_and_value() {
    counts(
        map_of(TEXT, INTEGER),
        [
            list([row([text("a"), int(1)]), row([text("b"), NULL])]),
            list([]),
            NULL,
            list([row([text("c"), int(2)])]),
        ],
        [("key", 3, 2), ("value", 2, 3)],
    );
}

#[test]
fn a_null_array_is_one_null_whatever_its_size() {
    counts(
        array_of(INTEGER, 3),
        [list([int(1), int(2), NULL]), NULL, list([NULL, NULL, int(3)])],
        [("element", 3, 4)],
    );
    let points = array_of(struct_of([("x", INTEGER)]), 2);
    counts(points, [list([row([int(1)]), NULL]), NULL], [("element.x", 1, 2)]);
}

#[test]
fn a_union_is_null_in_the_members_it_does_not_hold() {
    let either = union_of([("number", INTEGER), ("words", list_of(TEXT))]);
    counts(
        either,
        [
            member(0, int(1)),
            member(0, NULL),
            member(1, list([text("x"), text("y")])),
            member(1, list([])),
            NULL,
        ],
        [("number", 1, 4), ("words.element", 2, 4)],
    );
}

/// `rows` of a column of integers below one container, as counts and ends.
fn integers_below(
    column_type: &ColumnType,
    column: &Column<'_, ByteColumn<'_>>,
    rows: Range<usize>,
) -> (u64, u64, Option<Ends>) {
    let mut statistics = empty(column_type);
    statistics.update(column, rows);
    let leaf = statistics.finish(column_type).remove(0);
    (leaf.value_count, leaf.null_count, leaf.ends)
}

fn integers<'a>(values: &'a [i32], mask: Option<&'a [u64]>) -> Column<'a, ByteColumn<'a>> {
    Column { validity: Validity::new(mask), values: Values::Int32(values) }
}

fn lists<'a>(
    entries: &'a [ListEntry],
    mask: Option<&'a [u64]>,
    child: Column<'a, ByteColumn<'a>>,
) -> Column<'a, ByteColumn<'a>> {
    let values = Values::List { entries, child: Box::new(child) };
    Column { validity: Validity::new(mask), values }
}

fn entry(offset: u64, length: u64) -> ListEntry {
    ListEntry { offset, length }
}

#[test]
fn what_a_field_holds_below_a_null_struct_does_not_count() {
    let fields = vec![integers(&[1, i32::MIN, 3], None)];
    let column = Column { validity: Validity::new(Some(&[0b101])), values: Values::Struct(fields) };
    let found = integers_below(&struct_of([("a", INTEGER)]), &column, 0..3);
    assert_eq!(found, (2, 1, Some(Ends::Signed(1, 3))));
}

#[test]
fn list_entries_may_overlap_repeat_and_go_backwards() {
    let entries = [entry(3, 2), entry(1, 3), entry(3, 2), entry(3, 2), entry(1, 1)];
    let column = lists(&entries, None, integers(&[-9, 10, 20, 30, 40, 99], None));
    let found = integers_below(&list_of(INTEGER), &column, 0..5);
    assert_eq!(found, (10, 0, Some(Ends::Signed(10, 40))));
}

#[test]
fn elements_that_no_row_refers_to_do_not_count() {
    // Row 1 is NULL and row 3 empty, both with entries that lead astray.
    let entries = [entry(1, 1), entry(0, 5), entry(3, 1), entry(400, 0)];
    let column = lists(&entries, Some(&[0b1101]), integers(&[-9, 1, -9, 3, -9], None));
    let found = integers_below(&list_of(INTEGER), &column, 0..4);
    assert_eq!(found, (2, 2, Some(Ends::Signed(1, 3))));
}

#[test]
fn rows_in_the_middle_of_a_chunk_reach_their_own_elements_only() {
    let entries = [entry(0, 2), entry(2, 2), entry(4, 1), entry(5, 2)];
    // Element 3 is NULL.
    let child = integers(&[-9, -9, 1, -9, 2, 99, 99], Some(&[0b111_0111]));
    let column = lists(&entries, None, child);
    assert_eq!(integers_below(&list_of(INTEGER), &column, 1..3), (2, 1, Some(Ends::Signed(1, 2))));
    assert_eq!(integers_below(&list_of(INTEGER), &column, 2..2), (0, 0, None));

    let elements = Box::new(integers(&[-9, -9, 1, 2, 3, 4, 99, 99], None));
    let values = Values::Array { size: 2, child: elements };
    let column = Column { validity: Validity::new(None), values };
    let found = integers_below(&array_of(INTEGER, 2), &column, 1..3);
    assert_eq!(found, (4, 0, Some(Ends::Signed(1, 4))));
}

#[test]
fn a_column_without_rows_has_no_ends() {
    let column_type = struct_of([("d", ColumnType::Double), ("t", TEXT), ("g", INTEGER)]);
    for leaf in empty(&column_type).finish(&column_type) {
        assert_eq!((leaf.value_count, leaf.null_count, leaf.ends), (0, 0, None));
        assert_eq!(leaf.nan_count, leaf.column_type.is_floating().then_some(0));
    }
}

#[test]
fn statistics_of_different_types_do_not_merge() {
    let types = [INTEGER, ColumnType::Double, TEXT, list_of(INTEGER), struct_of([("a", TEXT)])];
    for left in &types {
        for right in &types {
            let merged = empty(left).merge(&empty(right));
            assert_eq!(merged.is_ok(), left == right, "{} and {}", left.name(), right.name());
        }
    }
}

#[test]
fn a_long_text_is_kept_to_the_length_of_its_bound() {
    let mut statistics = empty(&TEXT);
    for character in [b"m", b"a", b"z"] {
        let value = character.repeat(100_000);
        let values = Values::Bytes(ByteColumn::new(&[&value]));
        statistics.update(&Column { validity: Validity::new(None), values }, 0..1);
    }
    let kept = |character: &[u8]| Prefix { bytes: character.repeat(256).into(), is_cut: true };
    let expected = Ends::Bytes { min: kept(b"a"), max: kept(b"z"), limit_bytes: 256 };
    assert_eq!(statistics.finish(&TEXT)[0].ends, Some(expected));
}

/// Texts that share all that is kept of them differ in whether they go on, which decides the bounds.
#[test]
fn two_texts_in_two_states_are_two_texts_in_one() {
    let texts = ["", "b", "bb", "bbb", "bbbb", "b\0", "b\0\0", "é", "éé"];
    for (left, right) in texts.iter().flat_map(|left| texts.map(|right| (*left, right))) {
        for limit in 1..=5 {
            let state_of = |values: &[&[u8]]| {
                let settings = Settings::with_max_bound_bytes(limit).unwrap();
                let mut statistics = ColumnStatistics::new(&TEXT, settings).unwrap();
                let column = Values::Bytes(ByteColumn::new(values));
                let column = Column { validity: Validity::new(None), values: column };
                statistics.update(&column, 0..values.len());
                statistics
            };
            let mut merged = state_of(&[left.as_bytes()]);
            merged.merge(&state_of(&[right.as_bytes()])).unwrap();
            let in_one = state_of(&[left.as_bytes(), right.as_bytes()]);
            assert_eq!(merged, in_one, "{left:?} and {right:?}, kept to {limit}");
        }
    }
}
