use super::findings::*;
use super::lake_type::{LakeType, Place};
use super::statistics::{Statistic, Statistics};

/// A row of a DOUBLE column of a file that agrees with the truth.
fn agreeing() -> Comparison {
    let statistics = Statistics {
        column_size_bytes: Some(10),
        value_count: Some(3),
        null_count: Some(1),
        min_value: Some("1.0".into()),
        max_value: Some("2.0".into()),
        contains_nan: Some(false),
        ..Statistics::default()
    };
    Comparison {
        data_file_id: Some(1),
        table_id: 1,
        column_id: 1,
        schema_name: "main".into(),
        table_name: "t".into(),
        file_name: Some("f.parquet".into()),
        column_name: "d".into(),
        lake_type: LakeType::new("float64"),
        place: Place::TopLevel,
        has_all_rows: true,
        stored_rows: 1,
        stored: statistics.clone(),
        truth: statistics,
        min_order: BoundOrder::Equal,
        max_order: BoundOrder::Equal,
    }
}

fn table_row() -> Comparison {
    Comparison { data_file_id: None, file_name: None, ..agreeing() }
}

fn found(comparison: &Comparison) -> Vec<(Severity, Statistic)> {
    comparison.findings().iter().map(|finding| (finding.severity, finding.statistic)).collect()
}

#[test]
fn a_row_that_agrees_has_no_finding() {
    assert_eq!(found(&agreeing()), []);
    assert_eq!(found(&table_row()), []);
}

#[test]
fn bounds_inside_the_data_lose_rows() {
    let narrow =
        Comparison { min_order: BoundOrder::Greater, max_order: BoundOrder::Less, ..agreeing() };
    let wrong = [(Severity::Wrong, Statistic::MinValue), (Severity::Wrong, Statistic::MaxValue)];
    assert_eq!(found(&narrow), wrong);
    let unreadable = Comparison { max_order: BoundOrder::Unreadable, ..agreeing() };
    assert_eq!(found(&unreadable), [(Severity::Wrong, Statistic::MaxValue)]);
    // Of nested parts of a file nobody reads them.
    let nested = Comparison { place: Place::ListPart, ..narrow };
    assert!(nested.findings().iter().all(|finding| finding.severity == Severity::Harmless));
}

#[test]
fn wide_bounds_are_wrong_only_where_min_and_max_are_answered_by_them() {
    let wide = |comparison: Comparison| Comparison { min_order: BoundOrder::Less, ..comparison };
    assert_eq!(found(&wide(agreeing())), [(Severity::Loose, Statistic::MinValue)]);
    assert_eq!(found(&wide(table_row())), [(Severity::Wrong, Statistic::MinValue)]);
    let deleted = Comparison { has_all_rows: false, ..table_row() };
    assert_eq!(found(&wide(deleted)), [(Severity::Loose, Statistic::MinValue)]);
    let text = Comparison { lake_type: LakeType::new("varchar"), ..table_row() };
    assert_eq!(found(&wide(text)), [(Severity::Loose, Statistic::MinValue)]);
}

#[test]
fn nan_that_is_denied_loses_rows() {
    let with = |stored: Option<bool>, truth: bool| {
        let mut comparison = agreeing();
        comparison.stored.contains_nan = stored;
        comparison.truth.contains_nan = Some(truth);
        comparison
    };
    let finding = |severity| [(severity, Statistic::ContainsNan)];
    assert_eq!(found(&with(Some(false), true)), finding(Severity::Wrong));
    assert_eq!(found(&with(None, true)), finding(Severity::Missing));
    assert_eq!(found(&with(Some(true), false)), finding(Severity::Loose));
    // DuckLake writes no flag for a table with inlined rows.
    let table = Comparison { data_file_id: None, ..with(None, false) };
    assert_eq!(found(&table), []);
}

#[test]
fn one_bound_alone_is_not_missing() {
    let mut comparison = agreeing();
    comparison.stored.min_value = None;
    comparison.min_order = BoundOrder::Unknown;
    assert_eq!(found(&comparison), [(Severity::Missing, Statistic::MinValue)]);
    comparison.stored.max_value = None;
    comparison.truth.max_value = None;
    comparison.max_order = BoundOrder::Unknown;
    assert_eq!(found(&comparison), []);
}

#[test]
fn a_bound_where_none_can_be_written_is_wrong() {
    let mut comparison = agreeing();
    comparison.truth.max_value = None;
    comparison.max_order = BoundOrder::Unknown;
    assert_eq!(found(&comparison), [(Severity::Wrong, Statistic::MaxValue)]);
}

#[test]
fn absent_and_repeated_rows_are_one_finding() {
    let absent = Comparison { stored_rows: 0, stored: Statistics::default(), ..agreeing() };
    assert_eq!(found(&absent), [(Severity::Missing, Statistic::Row)]);
    let nested = Comparison { place: Place::ListPart, ..absent.clone() };
    assert_eq!(found(&nested), []);
    let interval = Comparison { lake_type: LakeType::new("interval"), ..absent };
    assert_eq!(found(&interval), [(Severity::Harmless, Statistic::Row)]);
    let repeated = Comparison { stored_rows: 2, ..agreeing() };
    assert_eq!(found(&repeated), [(Severity::Wrong, Statistic::Row)]);
}

#[test]
fn counts_matter_where_zero_is_read() {
    let mut comparison = agreeing();
    comparison.stored.value_count = Some(0);
    assert_eq!(found(&comparison), [(Severity::Wrong, Statistic::ValueCount)]);
    comparison.stored.value_count = Some(2);
    assert_eq!(found(&comparison), [(Severity::Harmless, Statistic::ValueCount)]);
    comparison.stored.value_count = Some(3);
    comparison.stored.null_count = Some(0);
    assert_eq!(found(&comparison), [(Severity::Wrong, Statistic::NullCount)]);
}

#[test]
fn severities_have_names_and_an_order() {
    assert_eq!(Severity::named("WRONG"), Ok(Severity::Wrong));
    assert!(Severity::named("bad").unwrap_err().to_string().contains("'bad'"));
    assert!(Severity::Wrong < Severity::Missing && Severity::Loose < Severity::Harmless);
}
