//! The repair of a DuckLake catalogue's statistics, as statements.
//!
//! Each is one short transaction, and changes a row only if it still is as it was when it was found wrong.
//! Rows of files come first, since files never change; rows of tables come last, and only while no snapshot
//! was added. Rows are told by their ids, as these tables have no key.

use super::stored::{FILE_TABLE, TABLE_TABLE};
use crate::output::ducklake::findings::Comparison;
use crate::output::ducklake::statistics::{FILE_STATISTICS, Statistic, Statistics};
use crate::sql::quote::text;

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub statement: String,
    pub purpose: String,
}

/// A row to be repaired, and what of it.
pub struct Repair<'a> {
    pub comparison: &'a Comparison,
    pub statistics: Vec<Statistic>,
}

/// Rows in one statement.
const ROWS_PER_STATEMENT: usize = 500;

/// What a session that has the lake attached must do to see repaired rows of tables.
const ATTACH_NOTE: &str = "statistics of tables: afterwards DETACH and ATTACH the lake in every session, before the next insert";

/// The statements, in order. `snapshot` is the newest one of the catalogue when the findings were made.
pub fn steps(metadata: &str, snapshot: i64, repairs: &[Repair<'_>]) -> Vec<Step> {
    let (files, tables): (Vec<_>, Vec<_>) =
        repairs.iter().partition(|repair| repair.comparison.data_file_id.is_some());
    let has_row = |repair: &&&Repair<'_>| repair.statistics.contains(&Statistic::Row);
    let whole: Vec<&Repair<'_>> = files.iter().filter(has_row).copied().collect();
    let (absent, repeated): (Vec<&Repair<'_>>, Vec<&Repair<'_>>) =
        whole.into_iter().partition(|repair| repair.comparison.stored_rows == 0);
    let mut steps = Vec::new();
    for batch in repeated.chunks(ROWS_PER_STATEMENT) {
        let plain = |statement: &str, purpose: &str| Step {
            statement: statement.into(),
            purpose: purpose.into(),
        };
        steps.push(plain("BEGIN;", "repeated rows are replaced by one"));
        steps.push(delete(metadata, batch));
        steps.push(insert(metadata, batch));
        steps.push(plain("COMMIT;", "repeated rows are replaced by one"));
    }
    steps.extend(absent.chunks(ROWS_PER_STATEMENT).map(|batch| insert(metadata, batch)));
    for (statistics, group) in by_statistics(&files) {
        steps.extend(
            group
                .chunks(ROWS_PER_STATEMENT)
                .map(|batch| update(metadata, &statistics, batch, None)),
        );
    }
    for (statistics, group) in by_statistics(&tables) {
        steps.extend(
            group
                .chunks(ROWS_PER_STATEMENT)
                .map(|batch| update(metadata, &statistics, batch, Some(snapshot))),
        );
    }
    steps
}

/// A step that changes nothing and says so: what cannot be read is not repaired, and a repair must not look whole
/// without it.
pub fn left_alone(description: &str) -> Step {
    Step {
        statement: format!("SELECT {} AS left_alone;", text(description)),
        purpose: format!("nothing is repaired: {description}"),
    }
}

/// The repairs by the statistics that they set, so that nothing else is touched.
fn by_statistics<'a>(repairs: &[&'a Repair<'a>]) -> Vec<(Vec<Statistic>, Vec<&'a Repair<'a>>)> {
    let mut groups: Vec<(Vec<Statistic>, Vec<&Repair<'_>>)> = Vec::new();
    for repair in repairs {
        if repair.statistics.is_empty() || repair.statistics.contains(&Statistic::Row) {
            continue;
        }
        match groups.iter_mut().find(|(statistics, _)| *statistics == repair.statistics) {
            Some((_, group)) => group.push(repair),
            None => groups.push((repair.statistics.clone(), vec![repair])),
        }
    }
    groups
}

/// A statistic as a constant of the catalogue's type.
fn constant(statistics: &Statistics, statistic: Statistic) -> String {
    let value = statistics.text(statistic);
    match (value, statistic) {
        (None, _) => "NULL".into(),
        (Some(value), Statistic::MinValue | Statistic::MaxValue | Statistic::ExtraStats) => {
            text(&value)
        }
        (Some(value), _) => value,
    }
}

fn sql_type(statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::ColumnSize | Statistic::ValueCount | Statistic::NullCount => "BIGINT",
        Statistic::ContainsNull | Statistic::ContainsNan => "BOOLEAN",
        Statistic::Row | Statistic::MinValue | Statistic::MaxValue | Statistic::ExtraStats => {
            "VARCHAR"
        }
    }
}

/// The ids of a row: `file, table, column`, or `table, column`.
fn ids(comparison: &Comparison) -> String {
    let file = comparison.data_file_id.map_or(String::new(), |id| format!("{id}, "));
    format!("{file}{}, {}", comparison.table_id, comparison.column_id)
}

fn update(
    metadata: &str,
    statistics: &[Statistic],
    batch: &[&Repair<'_>],
    snapshot: Option<i64>,
) -> Step {
    let is_table = snapshot.is_some();
    let (table, keys) = if is_table {
        (TABLE_TABLE, vec!["table_id", "column_id"])
    } else {
        (FILE_TABLE, vec!["data_file_id", "table_id", "column_id"])
    };
    let rows: Vec<String> = batch
        .iter()
        .map(|repair| {
            let comparison = repair.comparison;
            let values = statistics.iter().map(|statistic| {
                let old = constant(&comparison.stored, *statistic);
                format!(", {old}, {}", constant(&comparison.truth, *statistic))
            });
            format!("({}{})", ids(comparison), values.collect::<String>())
        })
        .collect();
    let names = statistics.iter().map(|s| format!(", old_{0}, new_{0}", s.name()));
    let assignments: Vec<String> = statistics
        .iter()
        .map(|s| format!("{0} = CAST(n.new_{0} AS {1})", s.name(), sql_type(*s)))
        .collect();
    let mut conditions: Vec<String> = keys.iter().map(|key| format!("s.{key} = n.{key}")).collect();
    conditions.extend(statistics.iter().map(|s| {
        format!("s.{0} IS NOT DISTINCT FROM CAST(n.old_{0} AS {1})", s.name(), sql_type(*s))
    }));
    conditions.extend(snapshot.map(|snapshot| {
        format!("(SELECT max(snapshot_id) FROM {metadata}.ducklake_snapshot) = {snapshot}")
    }));
    let what: Vec<&str> = statistics.iter().map(|statistic| statistic.name()).collect();
    Step {
        statement: format!(
            "UPDATE {metadata}.{table} AS s SET {} FROM (VALUES {}) AS n({}{}) WHERE {};",
            assignments.join(", "),
            rows.join(", "),
            keys.join(", "),
            names.collect::<String>(),
            conditions.join(" AND "),
        ),
        purpose: format!(
            "{} of {} {}{}",
            what.join(", "),
            batch.len(),
            if is_table { "columns in the " } else { "columns in data files" },
            if is_table { ATTACH_NOTE } else { "" },
        ),
    }
}

/// Rows as they should be, for files that are still there and have none.
fn insert(metadata: &str, batch: &[&Repair<'_>]) -> Step {
    let names: Vec<&str> = FILE_STATISTICS.iter().map(|statistic| statistic.name()).collect();
    let rows: Vec<String> = batch
        .iter()
        .map(|repair| {
            let Comparison { truth, stored, .. } = repair.comparison;
            // What could not be measured again stays as it was.
            let size = truth.column_size_bytes.or(stored.column_size_bytes);
            let whole = Statistics { column_size_bytes: size, ..truth.clone() };
            let values = FILE_STATISTICS
                .iter()
                .map(|statistic| format!(", {}", constant(&whole, *statistic)));
            format!("({}{})", ids(repair.comparison), values.collect::<String>())
        })
        .collect();
    let selected: Vec<String> = FILE_STATISTICS
        .iter()
        .map(|s| format!("CAST(n.{} AS {})", s.name(), sql_type(*s)))
        .collect();
    Step {
        statement: format!(
            "INSERT INTO {metadata}.{FILE_TABLE} (data_file_id, table_id, column_id, {names}) \
             SELECT n.data_file_id, n.table_id, n.column_id, {selected} \
             FROM (VALUES {rows}) AS n(data_file_id, table_id, column_id, {names}) \
             WHERE EXISTS (SELECT 1 FROM {metadata}.ducklake_data_file f \
             WHERE f.data_file_id = n.data_file_id AND f.table_id = n.table_id) \
             AND NOT EXISTS (SELECT 1 FROM {metadata}.{FILE_TABLE} s \
             WHERE s.data_file_id = n.data_file_id AND s.table_id = n.table_id AND s.column_id = n.column_id);",
            names = names.join(", "),
            selected = selected.join(", "),
            rows = rows.join(", "),
        ),
        purpose: format!("the absent rows of {} columns in data files", batch.len()),
    }
}

/// Only where there are still several.
fn delete(metadata: &str, batch: &[&Repair<'_>]) -> Step {
    let rows: Vec<String> =
        batch.iter().map(|repair| format!("({})", ids(repair.comparison))).collect();
    Step {
        statement: format!(
            "DELETE FROM {table} WHERE ({keys}) IN (SELECT {keys} FROM {table} WHERE ({keys}) IN ({rows}) \
             GROUP BY ALL HAVING count(*) > 1);",
            table = format_args!("{metadata}.{FILE_TABLE}"),
            keys = "data_file_id, table_id, column_id",
            rows = rows.join(", ")
        ),
        purpose: format!("the repeated rows of {} columns in data files", batch.len()),
    }
}
