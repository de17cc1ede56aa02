//! The second look of `parquet_stats_audit`: the first value of a row group that shows a statistic wrong.

use std::collections::BTreeSet;

use super::audit::{AuditScan, BOX_TYPE, is_outside};
use crate::sql::bound_order::{footer_sign, value_key};
use crate::sql::quote::{as_bytes, identifier, text};
use crate::sql::rows::values;
use colstats_core::query::Query;

/// What to look for in one row group of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted<'a> {
    /// The caller's number for it, and for the leaf.
    pub number: usize,
    pub leaf_number: usize,
    pub file_name: &'a str,
    pub row_group_id: i64,
    /// `below`, `above`, `null`, `value`, `nan`, `box` or `type`.
    pub offence: &'static str,
    /// What the footer says.
    pub footer_value: &'a str,
}

/// The first value that shows a statistic wrong, and its row in the file.
pub struct FirstOffence {
    /// The number of what was wanted.
    pub number: Option<usize>,
    /// Nothing where no value shows it.
    pub row: Option<i64>,
    pub value: Option<String>,
}

/// The values of some leaves of one type, with all that is wanted of them.
#[derive(Debug, Clone, PartialEq)]
pub struct OffendingStatement<'a> {
    pub scan: &'a AuditScan,
    /// By number, a list of the leaf's values in a row.
    pub leaves: Vec<(usize, String)>,
    /// What they are ordered as; `None` where they have no order.
    pub order_type: Option<&'a str>,
    pub is_floating: bool,
    pub is_geometry: bool,
    pub wanted: Vec<Wanted<'a>>,
}

impl OffendingStatement<'_> {
    /// The first values. DuckDB must not decide conditions by the footers under audit. The values are unnested
    /// from a list, so that nothing is known of them, and the conditions stand in aggregates, not in WHERE.
    pub fn first_offences(&self) -> Query<FirstOffence> {
        Query::new(self.compose(), |row| FirstOffence {
            number: row.integer("wanted_number").and_then(|number| number.try_into().ok()),
            row: row.integer("first_row"),
            value: row.owned_text("first_value"),
        })
    }

    fn compose(&self) -> String {
        let condition = self.condition();
        format!(
            "SELECT CAST(wanted_number AS BIGINT) AS wanted_number, first_row, {value_text} AS first_value FROM (\
             SELECT wanted_number, min(row_number) FILTER ({condition}) AS first_row, \
             arg_min(leaf_value, row_number) FILTER ({condition}) AS value_found \
             FROM ({leaf_values}) JOIN ({wanted}) \
             AS wanted(wanted_number, wanted_leaf, wanted_file, wanted_row_group, offence, footer_value) \
             ON leaf_number = wanted_leaf AND file_name = wanted_file \
             AND row_group_id = wanted_row_group GROUP BY wanted_number) \
             GROUP BY wanted_number, first_row",
            value_text = if self.is_geometry {
                "CAST(any_value(value_found) AS VARCHAR)"
            } else {
                "exact_column_stats(value_found)[1].min_value"
            },
            leaf_values = self.leaf_values(),
            wanted = self.wanted_values(),
        )
    }

    /// One row per value of each leaf.
    fn leaf_values(&self) -> String {
        let numbered: Vec<String> = self
            .leaves
            .iter()
            .map(|(number, values)| {
                format!(
                    "list_transform({values}, lambda part: {{'number': {number}, 'part': part}})"
                )
            })
            .collect();
        let unnested = format!(
            "SELECT file_name, row_group_id, row_number, entry.number AS leaf_number, \
             entry.part AS leaf_value, entry_index FROM (\
             SELECT file_name, row_group_id, row_number, unnest(entries) AS entry, \
             generate_subscripts(entries, 1) AS entry_index FROM (\
             SELECT {file} AS file_name, CAST({row_group} AS BIGINT) AS row_group_id, \
             CAST({row_number} AS BIGINT) AS row_number, flatten([{numbered}]) AS entries FROM {source}))",
            file = as_bytes(&identifier(&self.scan.scan.file_column)),
            row_group = self.scan.row_group,
            row_number = self.scan.row_number(),
            numbered = numbered.join(", "),
            source = self.scan.source(self.files()),
        );
        if !self.is_geometry {
            return unnested;
        }
        format!(
            "SELECT file_name, row_group_id, row_number, leaf_number, any_value(leaf_value) AS leaf_value, \
             exact_column_stats(leaf_value)[1] AS geometry FROM ({unnested}) \
             GROUP BY file_name, row_group_id, row_number, leaf_number, entry_index"
        )
    }

    /// The files that have what is wanted.
    fn files(&self) -> Vec<String> {
        let names: BTreeSet<&str> = self.wanted.iter().map(|wanted| wanted.file_name).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn condition(&self) -> String {
        let mut branches = String::from(
            " WHEN 'null' THEN leaf_value IS NULL WHEN 'value' THEN leaf_value IS NOT NULL",
        );
        if let Some(order_type) = self.order_type {
            let sign =
                footer_sign(order_type, "footer_value", &value_key(order_type, "leaf_value"));
            // NaN is greater than all values to DuckDB, and none of the values to a bound.
            let is_number = if self.is_floating { " AND NOT isnan(leaf_value)" } else { "" };
            branches.push_str(&format!(
                " WHEN 'below' THEN ({sign}) > 0{is_number} WHEN 'above' THEN ({sign}) < 0{is_number}"
            ));
        }
        if self.is_floating {
            branches.push_str(" WHEN 'nan' THEN isnan(leaf_value)");
        }
        if self.is_geometry {
            let footer_box = format!("CAST(footer_value AS {BOX_TYPE})");
            branches.push_str(&format!(
                " WHEN 'box' THEN {} OR {} WHEN 'type' THEN \
                 NOT list_has_all(CAST(footer_value AS VARCHAR[]), geometry.geometry_types)",
                is_outside(&footer_box, "geometry.box"),
                has_vertex_in_gap(&footer_box, "leaf_value"),
            ));
        }
        format!("WHERE coalesce(CASE offence{branches} END, false)")
    }

    fn wanted_values(&self) -> String {
        values(self.wanted.iter().map(|wanted| {
            format!(
                "({}, {}, {}, {}, '{}', {})",
                wanted.number,
                wanted.leaf_number,
                text(wanted.file_name),
                wanted.row_group_id,
                wanted.offence,
                text(wanted.footer_value),
            )
        }))
    }
}

/// Whether a vertex of a geometry lies in the gap of a box that goes around the antimeridian. Its own box does not tell
/// it: that of MULTIPOINT(175 0, 0 0, -175 0) ends on both sides of the gap. Its text does: after each bracket or comma
/// comes an x, which reads back as the same DOUBLE, or the name of a part.
fn has_vertex_in_gap(footer: &str, geometry: &str) -> String {
    format!(
        "({footer}.xmin > {footer}.xmax AND NOT isnan({footer}.xmin) AND list_bool_or(list_transform(\
         regexp_extract_all(CAST({geometry} AS VARCHAR), '[(,] *([^ (),]+) ', 1), \
         lambda x: TRY_CAST(x AS DOUBLE) > {footer}.xmax AND TRY_CAST(x AS DOUBLE) < {footer}.xmin)))"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::file::statement::Scan;

    #[test]
    fn conditions_are_those_of_the_type() {
        let rows = Scan {
            reader: "read_parquet",
            files: vec![],
            options: vec![],
            file_column: "f".into(),
            columns: vec![],
        };
        let scan = AuditScan { schema: 0, scan: rows, counter: None, row_group: "0".into() };
        let statement = |order_type, is_floating, is_geometry| OffendingStatement {
            scan: &scan,
            leaves: vec![],
            order_type,
            is_floating,
            is_geometry,
            wanted: vec![],
        };
        assert!(!statement(None, false, false).condition().contains("'below'"));
        assert!(
            statement(Some("DOUBLE"), true, false).condition().contains("NOT isnan(leaf_value)")
        );
        assert!(statement(None, false, true).condition().contains("geometry.box[1]"));
    }
}
