//! `ducklake_stats_audit('lake', ...)` and `ducklake_stats_repair('lake', ...)`: where the statistics of a
//! DuckLake's catalogue differ from its data, and the statements that put them right.

use super::audit::{Audit, Unreadable, audit};
use super::options::{LakeOptions, named_parameters};
use crate::ffi::registry::Parameter;
use crate::ffi::session::Session;
use crate::ffi::table::{Answer, TableFunction};
use crate::function::own_session::isolate;
use crate::output::ducklake::findings::{Comparison, Finding};
use crate::output::ducklake::statistics::Statistic;
use crate::sql::lake::repair::{Repair, left_alone, steps};
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::Result;
use colstats_core::value::Cell;
use colstats_core::value::Literal;

/// `ducklake_stats_audit(lake VARCHAR, table_name :=, schema_name :=)`: a row per finding, worst first. A
/// healthy lake has none. Nothing is written.
pub struct DucklakeStatsAudit;

/// `ducklake_stats_repair(lake VARCHAR, include := ['wrong', 'missing'], ...)`: statements to run in order.
/// Nothing is written by the function itself.
pub struct DucklakeStatsRepair;

impl TableFunction for DucklakeStatsAudit {
    type Bound = LakeOptions;

    const NAME: &'static str = "ducklake_stats_audit";

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Of(ColumnType::Varchar)]
    }

    fn named_parameters() -> Vec<&'static str> {
        named_parameters(&[])
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        vec![
            ("severity", ColumnType::Varchar),
            ("schema_name", ColumnType::Varchar),
            ("table_name", ColumnType::Varchar),
            ("file_name", ColumnType::Varchar),
            ("data_file_id", ColumnType::BigInt),
            ("column_name", ColumnType::Varchar),
            ("statistic", ColumnType::Varchar),
            ("catalog_value", ColumnType::Varchar),
            ("true_value", ColumnType::Varchar),
            ("effect", ColumnType::Varchar),
            ("repairable", ColumnType::Boolean),
        ]
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<LakeOptions> {
        LakeOptions::new(positional.first(), &named)
    }

    fn answer(bound: &LakeOptions, session: &Session) -> Result<Answer> {
        isolate(session)?;
        Ok(findings(&audit(bound, session)?).into())
    }
}

/// What cannot be read comes first: nothing is known of it, and nothing of it is repaired.
fn findings(audit: &Audit) -> Vec<Vec<Cell>> {
    let mut found: Vec<(Finding, &Comparison)> = audit
        .comparisons
        .iter()
        .flat_map(|comparison| comparison.findings().into_iter().map(move |f| (f, comparison)))
        .collect();
    found.sort_by_key(|(finding, comparison)| {
        (finding.severity, comparison.table_id, comparison.data_file_id, comparison.column_id)
    });
    let unreadable = audit.unreadable.iter().map(|part| unreadable_cells(part, audit));
    let found = found.iter().map(|(finding, comparison)| finding_cells(finding, comparison));
    unreadable.chain(found).collect()
}

impl Unreadable {
    /// In words, with the reason.
    fn description(&self, audit: &Audit) -> String {
        let table = audit.lake.tables.get(&self.table_id);
        let table = table.map_or("", |table| table.table_name.as_str());
        let part = match (&self.file_name, self.data_file_id) {
            (Some(name), Some(id)) => format!("data file {id} of table '{table}' ('{name}')"),
            _ => {
                return format!(
                    "table '{table}' cannot be read as a whole, and its own statistics are not judged: {}",
                    self.error
                );
            }
        };
        format!("{part} cannot be read, and nothing of it is known: {}", self.error)
    }
}

fn unreadable_cells(part: &Unreadable, audit: &Audit) -> Vec<Cell> {
    let table = audit.lake.tables.get(&part.table_id);
    vec![
        Cell::Varchar(UNREADABLE.into()),
        table.map(|table| table.schema_name.clone()).into(),
        table.map(|table| table.table_name.clone()).into(),
        part.file_name.clone().into(),
        part.data_file_id.into(),
        Cell::Null,
        Cell::Varchar(UNREADABLE.into()),
        Cell::Null,
        Cell::Null,
        Cell::Varchar(part.description(audit)),
        Some(false).into(),
    ]
}

/// Severity and statistic of what cannot be read.
const UNREADABLE: &str = "unreadable";

fn finding_cells(finding: &Finding, comparison: &Comparison) -> Vec<Cell> {
    let (catalog_value, true_value) = match finding.statistic {
        Statistic::Row => {
            (Some(format!("{} rows", comparison.stored_rows)), Some(String::from("1 row")))
        }
        statistic => (comparison.stored.text(statistic), comparison.truth.text(statistic)),
    };
    vec![
        Cell::Varchar(finding.severity.name().into()),
        Cell::Varchar(comparison.schema_name.clone()),
        Cell::Varchar(comparison.table_name.clone()),
        comparison.file_name.clone().into(),
        comparison.data_file_id.into(),
        Cell::Varchar(comparison.column_name.clone()),
        Cell::Varchar(finding.statistic.name().into()),
        catalog_value.into(),
        true_value.into(),
        Cell::Varchar(finding.effect.into()),
        Some(finding.is_repairable).into(),
    ]
}

impl TableFunction for DucklakeStatsRepair {
    type Bound = LakeOptions;

    const NAME: &'static str = "ducklake_stats_repair";

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Of(ColumnType::Varchar)]
    }

    fn named_parameters() -> Vec<&'static str> {
        named_parameters(&["include"])
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        vec![
            ("step", ColumnType::BigInt),
            ("statement", ColumnType::Varchar),
            ("purpose", ColumnType::Varchar),
        ]
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<LakeOptions> {
        LakeOptions::new(positional.first(), &named)
    }

    fn answer(bound: &LakeOptions, session: &Session) -> Result<Answer> {
        isolate(session)?;
        Ok(repair_rows(bound, &audit(bound, session)?).into())
    }
}

fn repair_rows(options: &LakeOptions, audit: &Audit) -> Vec<Vec<Cell>> {
    let repairs: Vec<Repair<'_>> = audit
        .comparisons
        .iter()
        .map(|comparison| {
            let is_asked = |finding: &Finding| {
                finding.is_repairable && options.include.contains(&finding.severity)
            };
            let found = comparison.findings().into_iter().filter(is_asked);
            Repair { comparison, statistics: found.map(|finding| finding.statistic).collect() }
        })
        .filter(|repair| !repair.statistics.is_empty())
        .collect();
    let left_alone = audit.unreadable.iter().map(|part| left_alone(&part.description(audit)));
    left_alone
        .chain(steps(&audit.lake.metadata, audit.lake.snapshot, &repairs))
        .zip(1_i64..)
        .map(|(step, number)| {
            vec![Some(number).into(), Cell::Varchar(step.statement), Cell::Varchar(step.purpose)]
        })
        .collect()
}
