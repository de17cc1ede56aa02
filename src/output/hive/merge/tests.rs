use super::*;

fn merged(average_merge: AverageMerge, rows: &[HiveValues]) -> HiveValues {
    let mut forward = HiveMerge::new(average_merge);
    rows.iter().for_each(|row| forward.add(row.clone()).unwrap());
    // Two halves merged the other way round give the same.
    let mut left = HiveMerge::new(average_merge);
    let mut right = HiveMerge::new(average_merge);
    for (index, row) in rows.iter().enumerate() {
        if index % 2 == 0 {
            left.add(row.clone()).unwrap()
        } else {
            right.add(row.clone()).unwrap()
        }
    }
    right.merge(&left).unwrap();
    let (forward, backward) = (forward.finish().unwrap(), right.finish().unwrap());
    assert_eq!(forward, backward);
    forward
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
    merge.add(row("int")).unwrap();
    assert!(merge.add(row("string")).is_err());
    let mut merge = HiveMerge::new(AverageMerge::Largest);
    merge.add(row("array<int>")).unwrap();
    merge.add(row("array<int>")).unwrap();
    assert!(merge.add(row("map<int,int>")).is_err());
}

#[test]
fn the_text_of_a_bound_follows_its_number() {
    let row = |low: i64, high: i64, texts: Option<(&str, &str)>| HiveValues {
        column_type: "bigint".into(),
        long_low: Some(low),
        long_high: Some(high),
        low_value: texts.map(|(low, _)| low.into()),
        high_value: texts.map(|(_, high)| high.into()),
        value_count: Some(2),
        ..HiveValues::default()
    };
    let texts = |rows: &[HiveValues]| {
        let found = merged(AverageMerge::Largest, rows);
        (found.low_value, found.high_value)
    };
    let (inner, outer) = (row(3, 5, Some(("3", "5"))), row(1, 9, None));
    assert_eq!(texts(&[inner.clone(), outer]), (None, None));
    assert_eq!(texts(&[inner.clone(), row(4, 4, None)]), (Some("3".into()), Some("5".into())));
    assert_eq!(texts(&[inner.clone(), row(3, 5, None)]), (Some("3".into()), Some("5".into())));
    let wider = row(-10, 10, Some(("-10", "10")));
    assert_eq!(texts(&[inner.clone(), wider]), (Some("-10".into()), Some("10".into())));
    // A row without values has no say.
    let empty = HiveValues { column_type: "bigint".into(), ..HiveValues::default() };
    assert_eq!(texts(&[empty, inner]), (Some("3".into()), Some("5".into())));
}

#[test]
fn the_merged_type_holds_both() {
    let row = |name: &str| HiveValues { column_type: name.into(), ..HiveValues::default() };
    for (left, right, both) in [
        ("tinyint", "int", "int"),
        ("BIGINT", "smallint", "BIGINT"),
        ("double", "float", "double"),
        ("decimal(9,2)", "decimal(10,0)", "decimal(12,2)"),
        ("decimal(18,2)", "decimal(9,2)", "decimal(18,2)"),
        ("decimal(38,0)", "decimal(20,10)", "decimal(38,0)"),
        ("decimal(38,38)", "decimal(10,0)", "decimal(38,28)"),
        ("decimal(38,10)", "decimal(38,2)", "decimal(38,2)"),
        ("decimal(38,18)", "decimal(30,0)", "decimal(38,8)"),
        ("decimal(38,38)", "decimal(38,0)", "decimal(38,0)"),
        ("decimal", "decimal(5,1)", "decimal(11,1)"),
        ("decimal(3)", "numeric(5, 1)", "decimal(5,1)"),
        ("varchar(20)", "string", "string"),
        ("varchar(20)", "varchar(3)", "varchar(20)"),
        ("char(20)", "varchar(3)", "varchar(20)"),
    ] {
        let found = merged(AverageMerge::Largest, &[row(left), row(right)]);
        assert_eq!(found.column_type, both, "{left} {right}");
        let found = merged(AverageMerge::Largest, &[row(right), row(left)]);
        assert_eq!(found.column_type, both, "{right} {left}");
    }
    let zoned = "timestamp with local time zone";
    assert_eq!(merged(AverageMerge::Largest, &[row(zoned), row(zoned)]).column_type, zoned);
    for other in ["bigint", "timestamp"] {
        let mut merge = HiveMerge::new(AverageMerge::Largest);
        merge.add(row(zoned)).unwrap();
        let error = merge.add(row(other)).unwrap_err().to_string();
        assert!(error.contains(zoned) && error.contains(other), "{error}");
    }
}

#[test]
fn zeros_merge_in_any_order() {
    let row = |value: f64, text: &str| HiveValues {
        column_type: "double".into(),
        double_low: Some(value),
        double_high: Some(value),
        low_value: Some(text.into()),
        high_value: Some(text.into()),
        ..HiveValues::default()
    };
    let (positive, negative) = (row(0.0, "0.0"), row(-0.0, "-0.0"));
    for rows in [[positive.clone(), negative.clone()], [negative, positive.clone()]] {
        let found = merged(AverageMerge::Largest, &rows);
        assert_eq!(found.double_low.map(f64::to_bits), Some((-0.0_f64).to_bits()));
        assert_eq!(found.double_high.map(f64::to_bits), Some(0.0_f64.to_bits()));
        assert_eq!(found.low_value.as_deref(), Some("-0.0"));
        assert_eq!(found.high_value.as_deref(), Some("0.0"));
    }
    // A metastore may hold NaN, which is no bound.
    let found = merged(AverageMerge::Largest, &[row(f64::NAN, "nan"), positive]);
    assert_eq!((found.double_high, found.high_value.as_deref()), (Some(0.0), Some("0.0")));
}

#[test]
fn frequent_values_of_any_size_merge() {
    let row = |values: &[(Option<&str>, i64)]| HiveValues {
        column_type: "string".into(),
        value_count: Some(i64::MAX),
        top_k: Some(
            values
                .iter()
                .map(|(v, count)| TopValue {
                    value: v.map(str::to_owned),
                    count: *count,
                    error: *count,
                })
                .collect(),
        ),
        ..HiveValues::default()
    };
    let exact = |values: &[(Option<&str>, i64)]| {
        let mut row = row(values);
        row.top_k.iter_mut().flatten().for_each(|value| value.error = 0);
        row
    };
    let large = [(Some("a"), i64::MAX), (Some("b"), i64::MAX)];
    for rows in [[row(&large), row(&large)], [exact(&large), exact(&large[..1])]] {
        let found = merged(AverageMerge::Largest, &rows).top_k.unwrap();
        assert_eq!(found.first().map(|value| value.count), Some(i64::MAX));
    }
    // Values without a text may be different ones.
    let unknown = [(Some("a"), 9), (None, 5)];
    let found = merged(AverageMerge::Largest, &[row(&unknown), row(&unknown)]).top_k.unwrap();
    assert_eq!(found, [TopValue { value: Some("a".into()), count: 18, error: 18 }]);
}

#[test]
fn notes_stay_whole() {
    let row = |notes: Option<&str>| HiveValues {
        column_type: "double".into(),
        notes: notes.map(str::to_owned),
        ..HiveValues::default()
    };
    let notes = |rows: &[HiveValues]| merged(AverageMerge::Largest, rows).notes;
    let (one, two) =
        ("leaves out 1 NaN; so Hive drops all", "leaves out 11 NaN; so Hive drops all");
    assert_eq!(notes(&[row(Some(two)), row(None), row(Some(one))]), Some(format!("{one}\n{two}")));
    // A note that is part of another is one of its own.
    assert_eq!(notes(&[row(Some("1 NaN")), row(Some("11 NaN"))]), Some("1 NaN\n11 NaN".into()));
    // What has been merged merges again.
    let both = format!("{one}\n{two}");
    assert_eq!(notes(&[row(Some(two)), row(Some(&both)), row(Some(two))]), Some(both));
    assert_eq!(notes(&[row(None), row(None)]), None);
}
