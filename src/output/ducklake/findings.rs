//! What is wrong with the statistics of a DuckLake catalogue: a row of it beside the truth, and the findings.
//!
//! How DuckLake reads them decides how bad a difference is. A file is left out of a scan by `value_count`,
//! `min_value`, `max_value` and `contains_nan` of a top-level column; the row of a table reaches DuckDB's
//! optimizer, which decides filters with it and answers MIN and MAX. Nothing reads the rest.

use super::geometry::{GeometryDifference, compare};
use super::lake_type::{LakeType, Place};
use super::statistics::{Statistic, Statistics};
use colstats_core::error::{Error, Result};

/// How bad a finding is, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A query can lose or miscount rows.
    Wrong,
    /// Nothing is left out of a scan.
    Missing,
    /// Less is left out than could be.
    Loose,
    /// Nobody reads it.
    Harmless,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Wrong => "wrong",
            Severity::Missing => "missing",
            Severity::Loose => "loose",
            Severity::Harmless => "harmless",
        }
    }

    pub fn named(name: &str) -> Result<Severity> {
        let all = [Severity::Wrong, Severity::Missing, Severity::Loose, Severity::Harmless];
        all.into_iter().find(|severity| severity.name().eq_ignore_ascii_case(name)).ok_or_else(
            || {
                Error::new(format!(
                    "severity '{name}' is not known; use 'wrong', 'missing', 'loose' or 'harmless'"
                ))
            },
        )
    }
}

/// How a bound of the catalogue lies to the true one, both compared in the column's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundOrder {
    /// One of them is NULL, or the type has no order.
    Unknown,
    Less,
    Equal,
    Greater,
    /// The catalogue's text is no value of the type.
    Unreadable,
}

/// A row of the catalogue beside the truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// `None` for the row of a table.
    pub data_file_id: Option<i64>,
    pub table_id: i64,
    pub column_id: i64,
    pub schema_name: String,
    pub table_name: String,
    pub file_name: Option<String>,
    pub column_name: String,
    pub lake_type: LakeType,
    pub place: Place,
    /// No row of the table was ever deleted: DuckDB answers MIN and MAX from the table's row.
    pub has_all_rows: bool,
    /// How many rows the catalogue has for it.
    pub stored_rows: i64,
    pub stored: Statistics,
    pub truth: Statistics,
    pub min_order: BoundOrder,
    pub max_order: BoundOrder,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    pub statistic: Statistic,
    pub effect: &'static str,
    pub is_repairable: bool,
}

/// Text bounds up to this length are written whole by everybody; longer ones are cut in different ways.
const WHOLE_TEXT_BYTES: usize = 200;

impl Comparison {
    fn is_table(&self) -> bool {
        self.data_file_id.is_none()
    }

    fn is_top_level(&self) -> bool {
        self.place == Place::TopLevel
    }

    /// Whether anything reads the bounds: of files those of top-level columns; of tables all but those of HUGEINT,
    /// UHUGEINT and parts of maps (test/e2e/lake/test_flags_that_are_read.py).
    fn is_read(&self) -> bool {
        if self.is_table() {
            !self.lake_type.is_huge() && self.place != Place::MapPart
        } else {
            self.is_top_level()
        }
    }

    /// The findings, in the order of the catalogue's columns.
    pub fn findings(&self) -> Vec<Finding> {
        // DuckLake counts VARIANT in its own way and reads nothing of it.
        if self.lake_type.is_variant() {
            return Vec::new();
        }
        if self.stored_rows == 0 {
            return self.absent_row();
        }
        let mut findings = Findings(Vec::new());
        if self.stored_rows > 1 {
            let effect = "a query with ORDER BY and LIMIT returns rows of this file more than once";
            findings.add(Severity::Wrong, Statistic::Row, effect, !self.is_table());
            return findings.0;
        }
        if self.is_table() {
            self.judge_contains_null(&mut findings);
        } else {
            self.judge_counts(&mut findings);
        }
        self.judge_bound(&mut findings, Statistic::MinValue);
        self.judge_bound(&mut findings, Statistic::MaxValue);
        self.judge_contains_nan(&mut findings);
        self.judge_extra_stats(&mut findings);
        findings.0
    }

    /// A file without a row is never left out. A table's row is absent for columns added later; DuckLake
    /// writes it with the first value, and until then nothing is decided by it.
    fn absent_row(&self) -> Vec<Finding> {
        if self.is_table() || !self.is_top_level() {
            return Vec::new();
        }
        let (severity, effect) = if self.lake_type.has_read_bounds() {
            (Severity::Missing, "no filter on this column leaves the file out")
        } else {
            (Severity::Harmless, "the column's size and counts are not known")
        };
        vec![Finding { severity, statistic: Statistic::Row, effect, is_repairable: true }]
    }

    fn judge_counts(&self, findings: &mut Findings) {
        let has_order = self.lake_type.has_read_bounds();
        let (stored, truth) = (&self.stored, &self.truth);
        if stored.value_count != truth.value_count {
            let (severity, effect) = match (stored.value_count, truth.value_count) {
                (Some(0), Some(1..)) if self.is_read() && has_order => (
                    Severity::Wrong,
                    "any filter on this column leaves the file out, with its rows",
                ),
                (Some(1..), Some(0)) if self.is_read() && has_order => {
                    (Severity::Loose, "the file is read although the column holds NULL alone")
                }
                _ => (Severity::Harmless, "the count is shown wrong"),
            };
            findings.add(severity, Statistic::ValueCount, effect, true);
        }
        if stored.null_count != truth.null_count {
            let (severity, effect) = match (stored.null_count, truth.null_count) {
                (Some(0), Some(1..)) if self.is_read() && has_order => (
                    Severity::Wrong,
                    "a DuckLake that uses it for IS NULL leaves the file out, with its NULLs",
                ),
                _ => (Severity::Harmless, "the count is shown wrong"),
            };
            findings.add(severity, Statistic::NullCount, effect, true);
        }
        // Where DuckLake counted nothing it has measured nothing either.
        let is_unmeasured = matches!(stored.column_size_bytes, None | Some(0));
        if is_unmeasured && truth.column_size_bytes.is_some_and(|bytes| bytes > 0) {
            findings.add(
                Severity::Harmless,
                Statistic::ColumnSize,
                "the size is shown wrong",
                true,
            );
        }
    }

    fn judge_contains_null(&self, findings: &mut Findings) {
        let statistic = Statistic::ContainsNull;
        // Below a list or a map nobody reads it.
        let is_repeated = matches!(self.place, Place::ListPart | Place::MapPart);
        if is_repeated || !self.lake_type.has_read_null_flag() {
            return;
        }
        match (self.stored.contains_null, self.truth.contains_null) {
            (Some(false), Some(true)) => {
                let effect = "IS NULL finds no rows, and IS NOT NULL counts NULLs as values";
                findings.add(Severity::Wrong, statistic, effect, true);
            }
            (Some(true), Some(false)) => {
                findings.add(
                    Severity::Loose,
                    statistic,
                    "IS NULL reads files that hold no NULL",
                    true,
                );
            }
            _ => {}
        }
    }

    fn judge_bound(&self, findings: &mut Findings, statistic: Statistic) {
        if !self.lake_type.has_read_bounds() {
            return;
        }
        let is_min = statistic == Statistic::MinValue;
        let (order, inside) = if is_min {
            (self.min_order, BoundOrder::Greater)
        } else {
            (self.max_order, BoundOrder::Less)
        };
        let (stored, truth) = (self.stored.text(statistic), self.truth.text(statistic));
        let (Some(stored), Some(truth)) = (&stored, &truth) else {
            // One bound alone is not used, so where only one can be had nothing is missing.
            let has_both = self.truth.min_value.is_some() && self.truth.max_value.is_some();
            if stored.is_none() && has_both && self.is_read() {
                findings.add(Severity::Missing, statistic, self.effect_of_missing_bound(), true);
            }
            // Where the other side has a bound there are values, and none of them can be written as one on
            // this side: texts of U+10FFFF longer than a bound, say.
            let has_values = self.truth.min_value.is_some() || self.truth.max_value.is_some();
            if stored.is_some() && truth.is_none() && has_values {
                let (severity, effect) = self.where_read(
                    "values lie outside any bound that can be \
                    written: a filter that asks for them finds no rows",
                );
                findings.add(severity, statistic, effect, true);
            }
            return;
        };
        if order == BoundOrder::Unreadable {
            let (severity, effect) = self.where_read(
                "the text is no value of the type: filters on the \
                column leave the file out, or fail",
            );
            findings.add(severity, statistic, effect, true);
        } else if order == inside {
            let (severity, effect) = self.where_read(
                "values lie outside the bound: a filter that asks for \
                them finds no rows",
            );
            findings.add(severity, statistic, effect, true);
        } else if order != BoundOrder::Equal && order != BoundOrder::Unknown && self.is_read() {
            self.judge_wide_bound(findings, statistic, stored, truth);
        }
    }

    fn effect_of_missing_bound(&self) -> &'static str {
        if self.is_table() {
            "the next insert's bounds become those of the whole table, and filters then lose older rows"
        } else {
            "no filter on this column leaves the file out"
        }
    }

    fn where_read(&self, effect: &'static str) -> (Severity, &'static str) {
        if self.is_read() {
            (Severity::Wrong, effect)
        } else {
            (Severity::Harmless, "nobody reads this bound")
        }
    }

    fn judge_wide_bound(
        &self,
        findings: &mut Findings,
        statistic: Statistic,
        stored: &str,
        truth: &str,
    ) {
        // NaN is DuckLake's own upper bound of inlined rows that hold one; nothing is lost by it.
        if stored.eq_ignore_ascii_case("nan") {
            return;
        }
        if self.lake_type.is_text() && truth.len().max(stored.len()) > WHOLE_TEXT_BYTES {
            return;
        }
        if self.is_table() && self.has_all_rows && self.lake_type.answers_min_and_max() {
            let effect = "MIN or MAX over the table gives this value, which no row has";
            findings.add(Severity::Wrong, statistic, effect, true);
        } else {
            let effect = "files are read that hold no row the filter asks for";
            findings.add(Severity::Loose, statistic, effect, true);
        }
    }

    fn judge_contains_nan(&self, findings: &mut Findings) {
        let statistic = Statistic::ContainsNan;
        if !self.lake_type.is_floating() || !self.is_read() {
            return;
        }
        match (self.stored.contains_nan, self.truth.contains_nan) {
            (Some(false), Some(true)) => {
                let effect = "filters with > and >= lose the rows with NaN, and MAX is not NaN";
                findings.add(Severity::Wrong, statistic, effect, true);
            }
            // A table's row without the flag is what DuckLake writes after inlined rows; it decides less,
            // but files are left out all the same.
            (None, Some(_)) if !self.is_table() => {
                let effect = "filters with > and >= leave nothing out";
                findings.add(Severity::Missing, statistic, effect, true);
            }
            (Some(true), Some(false)) => {
                let effect = "filters with > and >= read this although it holds no NaN";
                findings.add(Severity::Loose, statistic, effect, true);
            }
            _ => {}
        }
    }

    fn judge_extra_stats(&self, findings: &mut Findings) {
        if !self.lake_type.is_geometry() {
            return;
        }
        let (stored, truth) = (&self.stored.extra_stats, &self.truth.extra_stats);
        let difference = compare(stored.as_deref(), truth.as_deref());
        let (severity, effect) = match difference {
            GeometryDifference::None => return,
            GeometryDifference::Wider if !self.is_table() => return,
            _ if !self.is_table() => (Severity::Harmless, "nobody reads the box of a file"),
            GeometryDifference::Unreadable => (
                Severity::Wrong,
                "the text is no JSON object that names each part once: && with a box fails, or finds too little",
            ),
            GeometryDifference::Incomplete => {
                (Severity::Wrong, "the box lacks a corner: && with a box finds no rows")
            }
            GeometryDifference::Inside => (
                Severity::Wrong,
                "geometries lie outside the box or types: && with a box finds no rows",
            ),
            GeometryDifference::Absent => (
                Severity::Missing,
                "&& with a box decides nothing, and after later inserts it loses older geometries",
            ),
            GeometryDifference::Wider => {
                (Severity::Loose, "&& with a box decides less than it could")
            }
        };
        findings.add(severity, Statistic::ExtraStats, effect, true);
    }
}

struct Findings(Vec<Finding>);

impl Findings {
    fn add(
        &mut self,
        severity: Severity,
        statistic: Statistic,
        effect: &'static str,
        is_repairable: bool,
    ) {
        self.0.push(Finding { severity, statistic, effect, is_repairable });
    }
}
