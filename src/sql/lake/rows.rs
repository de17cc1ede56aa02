//! What the DuckLake functions select from `computed`: the rows of files, and the rows of tables.

use super::statement::LakeStatement;
use super::stored::FILE_TABLE;
use crate::output::ducklake::geometry::merge;
use crate::output::ducklake::statistics::Statistics;
use crate::sql::bound_order::OrderTypes;
use colstats_core::query::Query;

/// The common table `merged`, the rows of tables from those of their files. A file that has values and no bound leaves
/// its table without one. `extra_stats` lists the texts of the files, one a line: SQL merges no boxes.
pub(super) fn merged(order_types: &OrderTypes) -> String {
    let extreme = |function: &str, value: &str| {
        format!(
            "CASE WHEN bool_or(value_count > 0 AND {value} IS NULL AND NOT is_floating) THEN NULL \
             ELSE {} END",
            order_types.extreme(function, value)
        )
    };
    format!(
        "merged AS (SELECT table_id, column_id, order_number, bool_or(null_count > 0) AS contains_null, \
         CASE WHEN is_floating THEN bool_or(contains_nan) END AS contains_nan, \
         CAST({min_value} AS VARCHAR) AS min_value, CAST({max_value} AS VARCHAR) AS max_value, \
         CASE WHEN NOT bool_or(value_count > 0 AND extra_stats IS NULL) \
         THEN string_agg(extra_stats, chr(10)) END AS extra_stats \
         FROM computed JOIN lake_columns USING (table_id, column_id) \
         GROUP BY table_id, column_id, order_number, is_floating)",
        min_value = extreme("arg_min", "exact_min"),
        max_value = extreme("arg_max", "exact_max"),
    )
}

impl LakeStatement {
    /// The rows of `ducklake_column_stats`. `only_missing`, the prefix of the catalogue's tables, leaves out those that
    /// the catalogue has in full.
    pub fn file_rows(&self, only_missing: Option<&str>) -> String {
        let (computed, _) = self.computed();
        let (stored, condition) = match only_missing {
            None => (String::new(), ""),
            Some(metadata) => (
                format!(
                    " LEFT JOIN (SELECT data_file_id, column_id, CAST(value_count AS BIGINT) AS value_count, \
                     CAST(null_count AS BIGINT) AS null_count, \
                     CAST(column_size_bytes AS BIGINT) AS column_size_bytes, \
                     CAST(min_value AS VARCHAR) AS min_value, CAST(max_value AS VARCHAR) AS max_value, \
                     CAST(contains_nan AS BOOLEAN) AS contains_nan \
                     FROM {metadata}.{FILE_TABLE}) AS s USING (data_file_id, column_id)"
                ),
                " AND (s.value_count IS NULL OR s.null_count IS NULL OR s.column_size_bytes IS NULL \
                 OR (p.min_value IS NOT NULL AND s.min_value IS NULL) \
                 OR (p.max_value IS NOT NULL AND s.max_value IS NULL) \
                 OR (p.contains_nan IS NOT NULL AND s.contains_nan IS NULL))",
            ),
        };
        format!(
            "{computed} SELECT p.data_file_id, p.table_id, p.column_id, p.column_size_bytes, p.value_count, \
             p.null_count, p.min_value, p.max_value, p.contains_nan, p.extra_stats, \
             c.schema_name, c.table_name, p.file_name, c.column_name, c.column_type \
             FROM computed p JOIN lake_columns c USING (table_id, column_id){stored} \
             WHERE p.is_current AND NOT p.is_default{condition} ORDER BY p.data_file_id, p.column_id",
        )
    }

    /// The rows of `ducklake_table_column_stats`.
    pub fn table_rows(&self) -> Query<TableStatistics> {
        let (computed, order_types) = self.computed();
        let statement = format!(
            "{computed}, {merged} SELECT m.table_id, m.column_id, m.contains_null, m.contains_nan, \
             m.min_value, m.max_value, m.extra_stats, c.schema_name, c.table_name, c.column_name, \
             c.column_type FROM merged m JOIN lake_columns c USING (table_id, column_id) ORDER BY 1, 2",
            merged = merged(&order_types),
        );
        Query::new(statement, |row| TableStatistics {
            table_id: row.integer("table_id"),
            column_id: row.integer("column_id"),
            statistics: Statistics {
                contains_null: row.flag("contains_null"),
                contains_nan: row.flag("contains_nan"),
                min_value: row.owned_text("min_value"),
                max_value: row.owned_text("max_value"),
                extra_stats: row.owned_text("extra_stats").and_then(boxes),
                ..Statistics::default()
            },
            schema_name: row.owned_text("schema_name"),
            table_name: row.owned_text("table_name"),
            column_name: row.owned_text("column_name"),
            column_type: row.owned_text("column_type"),
        })
    }
}

/// The statistics of a column of a table.
pub struct TableStatistics {
    pub table_id: Option<i64>,
    pub column_id: Option<i64>,
    pub statistics: Statistics,
    pub schema_name: Option<String>,
    pub table_name: Option<String>,
    pub column_name: Option<String>,
    pub column_type: Option<String>,
}

/// The `extra_stats` of a table from those of its files, one a line: a box and types. Only geometries have them.
pub(super) fn boxes(extra_stats: String) -> Option<String> {
    merge(extra_stats.lines())
}
