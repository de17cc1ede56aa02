use super::*;

fn merged(average_merge: AverageMerge, rows: &[HiveValues]) -> HiveValues {
    let mut forward = HiveMerge::new(average_merge);
    rows.iter().for_each(|row| forward.add(row).unwrap());
    // Two halves merged the other way round give the same.
    let mut left = HiveMerge::new(average_merge);
    let mut right = HiveMerge::new(average_merge);
    for (index, row) in rows.iter().enumerate() {
        if index % 2 == 0 { left.add(row).unwrap() } else { right.add(row).unwrap() }
    }
    right.merge(&left).unwrap();
    let (forward, backward) = (forward.finish().unwrap(), right.finish().unwrap());
    assert_eq!(forward, backward);
    forward.unwrap()
}

fn string_row(values: i64, nulls: i64, average: f64) -> HiveValues {
    HiveValues {
        column_type: "string".into(),
        num_nulls: Some(nulls),
        value_count: Some(values),
        avg_col_len: Some(average),
        max_col_len: Some(9),
        ..HiveValues::default()
    }
}

#[test]
fn averages_are_weighted_or_the_largest() {
    let rows = [string_row(3, 1, 4.0), string_row(12, 0, 8.0)];
    assert_eq!(merged(AverageMerge::Largest, &rows).avg_col_len, Some(8.0));
    assert_eq!(merged(AverageMerge::WeightedByRows, &rows).avg_col_len, Some(7.0));
    assert_eq!(merged(AverageMerge::WeightedByValues, &rows).avg_col_len, Some(7.2));
    let unknown = [rows[0].clone(), HiveValues { value_count: None, ..rows[1].clone() }];
    assert_eq!(merged(AverageMerge::WeightedByRows, &unknown).avg_col_len, Some(8.0));
}

#[test]
fn distinct_values_need_all_sketches() {
    let sketch = |values: std::ops::Range<i64>| {
        let mut sketch = HiveHll::new(10).unwrap();
        values.for_each(|value| sketch.add_long(value));
        Some(sketch.to_bytes())
    };
    let row = |bit_vector, num_distincts| HiveValues {
        column_type: "bigint".into(),
        bit_vector,
        num_distincts: Some(num_distincts),
        value_count: Some(60),
        ..HiveValues::default()
    };
    let with = merged(AverageMerge::Largest, &[row(sketch(0..60), 60), row(sketch(40..100), 60)]);
    assert_eq!((with.num_distincts, with.bit_vector), (Some(100), sketch(0..100)));
    let without = merged(AverageMerge::Largest, &[row(sketch(0..60), 60), row(Some(vec![]), 77)]);
    assert_eq!((without.num_distincts, without.bit_vector), (Some(77), None));
    // A partition without rows has no sketch and takes nothing away.
    let empty = HiveValues { value_count: Some(0), ..row(None, 0) };
    assert_eq!(
        merged(AverageMerge::Largest, &[empty, row(sketch(0..9), 9)]).num_distincts,
        Some(9)
    );
}

#[test]
fn decimals_compare_as_numbers() {
    for (left, right) in [("-10.5", "-9.99"), ("-0.1", "0.0"), ("9.99", "10"), ("1.2", "1.21")] {
        assert_eq!(compare_decimals(left, right), Ordering::Less, "{left} {right}");
        assert_eq!(compare_decimals(right, left), Ordering::Greater, "{left} {right}");
    }
    assert_eq!(compare_decimals("-0.00", "0"), Ordering::Equal);
    assert_eq!(compare_decimals("01.50", "1.5"), Ordering::Equal);
}

#[test]
fn unlisted_values_widen_the_error() {
    let row = |values: &[(&str, i64)], value_count| HiveValues {
        column_type: "string".into(),
        value_count: Some(value_count),
        top_k: Some(
            values
                .iter()
                .map(|(v, count)| TopValue { value: Some((*v).into()), count: *count, error: 0 })
                .collect(),
        ),
        ..HiveValues::default()
    };
    let found = merged(
        AverageMerge::Largest,
        &[row(&[("a", 50), ("b", 20)], 100), row(&[("a", 7), ("c", 3)], 10)],
    );
    let found: Vec<_> = found
        .top_k
        .unwrap()
        .into_iter()
        .map(|value| (value.value.unwrap(), value.count, value.error))
        .collect();
    assert_eq!(found, [("a".into(), 57, 0), ("c".into(), 23, 20)]);
}

#[test]
fn families_of_types_do_not_mix() {
    let row = |name: &str| HiveValues { column_type: name.into(), ..HiveValues::default() };
    assert_eq!(merged(AverageMerge::Largest, &[row("int"), row("bigint")]).column_type, "bigint");
    let mut merge = HiveMerge::new(AverageMerge::Largest);
    merge.add(&row("int")).unwrap();
    assert!(merge.add(&row("string")).is_err());
}
