use super::*;
use crate::sql::parquet::shredded_type::ShreddedType;

fn field(name: &str, duckdb_type: &str, typed_chunk: usize, values: &[usize]) -> Field {
    Field {
        name: name.into(),
        shredded_type: ShreddedType::new(duckdb_type).unwrap(),
        typed_chunk,
        value_chunks: values.iter().copied().map(Some).collect(),
        objects_in_element: 0,
    }
}

fn facts(num_values: i64, is_null: bool) -> ColumnFacts {
    ColumnFacts {
        num_values: Some(num_values),
        null_count: Some(0),
        size_bytes: Some(40),
        is_null,
        ..ColumnFacts::default()
    }
}

fn footers(chunks: Vec<(usize, ColumnFacts)>) -> Facts {
    chunks.into_iter().map(|(chunk, facts)| (("f".into(), chunk), facts)).collect()
}

#[test]
fn entries_have_ducklakes_keys_in_its_order() {
    let typed = ColumnFacts {
        null_count: Some(1),
        min: Some("-1.0".into()),
        max: Some("it's \"x\"".into()),
        ..facts(3, false)
    };
    let footers = footers(vec![(1, facts(3, true)), (2, typed)]);
    let json =
        |duckdb_type, by| extra_stats(&[field("root", duckdb_type, 2, &[1])], "f", by, &footers);
    assert_eq!(
        json("DOUBLE", true).unwrap(),
        r#"[{"field_name":"root","shredded_type":"float64","null_count":1,"min":"-1.0","#
            .to_owned()
            + r#""max":"it's \"x\"","num_values":3,"contains_nan":false,"column_size_bytes":40,"#
            + r#""any_valid":true}]"#
    );
    assert!(!json("DOUBLE", false).unwrap().contains("contains_nan"));
    assert!(!json("INTEGER", true).unwrap().contains("contains_nan"));
}

#[test]
fn unknown_facts_are_left_out() {
    let typed = ColumnFacts { num_values: Some(2), ..ColumnFacts::default() };
    let footers = footers(vec![(1, facts(2, true)), (2, typed)]);
    assert_eq!(
        extra_stats(&[field("\"a\"", "DATE", 2, &[1])], "f", true, &footers).unwrap(),
        r#"[{"field_name":"\"a\"","shredded_type":"date","num_values":2,"any_valid":true}]"#
    );
}

#[test]
fn a_field_is_fully_shredded_when_its_values_are_null() {
    let chunks = vec![(1, facts(2, false)), (2, facts(2, true)), (3, facts(2, false))];
    let footers = footers(chunks);
    let is_told = |values: &[usize], file, by_duckdb| {
        extra_stats(&[field("\"a\"", "DATE", 3, values)], file, by_duckdb, &footers).is_some()
    };
    // DuckDB keeps fields out of the value above them; others may not.
    assert!(is_told(&[1, 2], "f", true));
    assert!(!is_told(&[1, 2], "f", false));
    assert!(is_told(&[2, 2], "f", false));
    assert!(!is_told(&[2, 1], "f", true));
    // A chunk that the footer does not have, and a file without row groups.
    assert!(!is_told(&[9], "f", true));
    assert!(!is_told(&[2], "other", true));
    assert_eq!(extra_stats(&[], "f", true, &footers), None);
    let without_value = Field { value_chunks: vec![None], ..field("root", "DATE", 3, &[]) };
    assert!(extra_stats(&[without_value], "f", false, &footers).is_some());
}

#[test]
fn nulls_that_may_be_counted_twice_are_not_told() {
    let bounded = ColumnFacts { min: Some("1.0".into()), ..facts(9, false) };
    let some_chunk_has_none = ColumnFacts { lacks_bounds: true, ..bounded.clone() };
    let absent = ColumnFacts { is_absent: true, ..facts(9, true) };
    let footers =
        footers(vec![(1, facts(9, true)), (2, bounded), (3, some_chunk_has_none), (4, absent)]);
    let told = |typed_chunk, values: &[usize], objects_in_element, by_duckdb| {
        let field = Field { objects_in_element, ..field("\"a\"", "DOUBLE", typed_chunk, values) };
        let json = extra_stats(&[field], "f", by_duckdb, &footers).unwrap();
        ["null_count", "min", "contains_nan"].map(|key| json.contains(key))
    };
    assert_eq!(told(3, &[1, 1], 0, true), [true, true, true]);
    assert_eq!(told(3, &[1, 1], 1, true), [false, false, false]);
    assert_eq!(told(2, &[1, 1], 1, true), [false, true, true]);
    assert_eq!(told(3, &[1, 4], 2, true), [true, true, true]);
    assert_eq!(told(3, &[4, 1], 1, true), [true, true, true]);
    assert_eq!(told(3, &[4, 1], 2, true), [false, false, false]);
    assert_eq!(told(3, &[1, 1], 2, false), [true, true, false]);
}

#[test]
fn a_chunk_is_wanted_by_its_type() {
    let first = vec![field("\"a\"", "INTEGER", 3, &[1, 2]), field("\"b\"", "BLOB", 5, &[1, 4])];
    let variants = [VariantLeaf { leaf_number: 0, schema: 7, fields: first }];
    let wanted = wanted_chunks(&variants);
    let names = wanted.iter().map(|((schema, chunk), wanted_type)| {
        assert_eq!(*schema, 7);
        (*chunk, wanted_type.map(ShreddedType::name))
    });
    let expected = [(1, None), (2, None), (3, Some("int32")), (4, None), (5, Some("blob"))];
    assert_eq!(names.collect::<Vec<_>>(), expected);
}
