use super::repair::*;
use crate::output::ducklake::findings::BoundOrder;
use crate::output::ducklake::findings::Comparison;
use crate::output::ducklake::lake_type::{LakeType, Place};
use crate::output::ducklake::statistics::{Statistic, Statistics};

fn comparison(data_file_id: Option<i64>, stored_rows: i64) -> Comparison {
    Comparison {
        data_file_id,
        table_id: 2,
        column_id: 3,
        schema_name: "main".into(),
        table_name: "t".into(),
        file_name: None,
        column_name: "c".into(),
        lake_type: LakeType::new("varchar"),
        place: Place::TopLevel,
        has_all_rows: true,
        stored_rows,
        stored: Statistics { min_value: Some("b'".into()), ..Statistics::default() },
        truth: Statistics {
            value_count: Some(5),
            min_value: Some("a".into()),
            ..Statistics::default()
        },
        min_order: BoundOrder::Greater,
        max_order: BoundOrder::Unknown,
    }
}

fn repair(comparison: &Comparison, statistic: Statistic) -> Repair<'_> {
    Repair { comparison, statistics: vec![statistic] }
}

#[test]
fn an_update_touches_what_is_wrong_and_only_if_it_still_is() {
    let wrong = comparison(Some(1), 1);
    let steps = steps("m", 9, &[repair(&wrong, Statistic::MinValue)]);
    let statements: Vec<&str> = steps.iter().map(|step| step.statement.as_str()).collect();
    assert_eq!(
        statements,
        [
            "UPDATE m.ducklake_file_column_stats AS s SET min_value = CAST(n.new_min_value AS VARCHAR) \
          FROM (VALUES (1, 2, 3, 'b''', 'a')) AS n(data_file_id, table_id, column_id, old_min_value, \
          new_min_value) WHERE s.data_file_id = n.data_file_id AND s.table_id = n.table_id AND \
          s.column_id = n.column_id AND s.min_value IS NOT DISTINCT FROM \
          CAST(n.old_min_value AS VARCHAR);"
        ]
    );
}

#[test]
fn tables_come_last_and_wait_for_no_snapshot() {
    let (table, file) = (comparison(None, 1), comparison(Some(1), 1));
    let steps =
        steps("m", 9, &[repair(&table, Statistic::MinValue), repair(&file, Statistic::MinValue)]);
    assert!(steps[0].statement.contains("ducklake_file_column_stats"));
    assert!(steps[1].statement.contains("ducklake_table_column_stats"));
    assert!(
        steps[1].statement.ends_with("(SELECT max(snapshot_id) FROM m.ducklake_snapshot) = 9;")
    );
    assert!(steps[1].purpose.contains("DETACH and ATTACH"));
}

#[test]
fn repeated_rows_are_replaced_in_one_transaction() {
    let repeated = comparison(Some(1), 2);
    let steps = steps("m", 9, &[repair(&repeated, Statistic::Row)]);
    let starts: Vec<&str> =
        steps.iter().map(|step| step.statement.get(..6).unwrap_or_default()).collect();
    assert_eq!(starts, ["BEGIN;", "DELETE", "INSERT", "COMMIT"]);
}

#[test]
fn rows_are_repaired_in_batches() {
    let wrong = comparison(Some(1), 0);
    let repairs: Vec<Repair<'_>> = (0..1_001).map(|_| repair(&wrong, Statistic::Row)).collect();
    let steps = steps("m", 9, &repairs);
    assert_eq!(steps.len(), 3);
    assert!(steps[2].purpose.contains("1 columns"), "{}", steps[2].purpose);
}
