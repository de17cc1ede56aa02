//! What the DuckLake functions select from `computed`: the rows of files, the rows of tables, and both
//! beside those of the catalogue.

use super::order::OrderTypes;
use super::statement::LakeStatement;

/// The row of a table from those of its files: nothing is claimed of bounds when a part has values but no
/// bound. The boxes of geometries are listed, one a line.
fn merged(order_types: &OrderTypes) -> String {
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
         {min_value} AS min_value, {max_value} AS max_value, \
         CASE WHEN NOT bool_or(value_count > 0 AND extra_stats IS NULL) \
         THEN string_agg(extra_stats, chr(10)) END AS boxes \
         FROM computed JOIN lake_columns USING (table_id, column_id) \
         GROUP BY table_id, column_id, order_number, is_floating)",
        min_value = extreme("arg_min", "exact_min"),
        max_value = extreme("arg_max", "exact_max"),
    )
}

impl LakeStatement {
    /// The rows of `ducklake_column_stats`. `only_missing` leaves out those of which the catalogue
    /// (`metadata` is the prefix of its tables) has everything.
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
                     FROM {metadata}.ducklake_file_column_stats) AS s USING (data_file_id, column_id)"
                ),
                " AND (s.value_count IS NULL OR s.null_count IS NULL OR s.column_size_bytes IS NULL \
                 OR (c.order_number IS NOT NULL AND p.min_value IS NOT NULL AND s.min_value IS NULL) \
                 OR (c.order_number IS NOT NULL AND p.max_value IS NOT NULL AND s.max_value IS NULL) \
                 OR (p.contains_nan IS NOT NULL AND s.contains_nan IS NULL))",
            ),
        };
        format!(
            "{computed} SELECT p.data_file_id, p.table_id, p.column_id, p.size_bytes AS column_size_bytes, \
             p.value_count, p.null_count, \
             CASE WHEN c.order_number IS NOT NULL THEN p.min_value END AS min_value, \
             CASE WHEN c.order_number IS NOT NULL THEN p.max_value END AS max_value, p.contains_nan, p.extra_stats, \
             c.schema_name, c.table_name, p.file_name, c.column_name, c.column_type \
             FROM computed p JOIN lake_columns c USING (table_id, column_id){stored} \
             WHERE p.is_current AND NOT p.is_default{condition} ORDER BY p.data_file_id, p.column_id",
        )
    }

    /// The rows of `ducklake_table_column_stats`, with the boxes still to be merged.
    pub fn table_rows(&self) -> String {
        let (computed, order_types) = self.computed();
        format!(
            "{computed}, {merged} SELECT m.table_id, m.column_id, CAST(m.contains_null AS BIGINT), \
             CAST(m.contains_nan AS BIGINT), m.min_value, m.max_value, m.boxes, c.schema_name, c.table_name, \
             c.column_name, c.column_type, c.lake_type \
             FROM merged m JOIN lake_columns c USING (table_id, column_id) ORDER BY 1, 2",
            merged = merged(&order_types),
        )
    }

    /// The rows of files and tables that differ from the catalogue's, as the columns of a `Comparison`.
    pub fn comparisons(&self, metadata: &str) -> String {
        let (computed, order_types) = self.computed();
        let order = |stored: &str, truth: &str| {
            format!(
                "CASE WHEN {} THEN 2 ELSE {} END",
                order_types.is_unreadable("c.order_number", stored),
                order_types.compare("c.order_number", stored, truth)
            )
        };
        let orders = format!(
            "CAST({} AS BIGINT), CAST({} AS BIGINT)",
            order(&before_nul("s.min_value", ""), "p.min_value"),
            order(&before_nul("s.max_value", " || chr(1)"), "p.max_value")
        );
        let column = "c.schema_name, c.table_name, c.column_name, c.lake_type, \
                      CAST(c.place AS BIGINT), CAST(c.has_all_rows AS BIGINT)";
        let files = format!(
            "SELECT p.data_file_id, p.table_id, p.column_id, {column}, p.file_name, \
             CAST(coalesce(s.stored_rows, 0) AS BIGINT), \
             s.column_size_bytes, s.value_count, s.null_count, CAST(NULL AS BIGINT), s.min_value, \
             s.max_value, CAST(s.contains_nan AS BIGINT), s.extra_stats, \
             p.size_bytes, p.value_count, p.null_count, CAST(NULL AS BIGINT), \
             CASE WHEN c.order_number IS NOT NULL THEN p.min_value END, \
             CASE WHEN c.order_number IS NOT NULL THEN p.max_value END, \
             CAST(p.contains_nan AS BIGINT), p.extra_stats, {orders} \
             FROM computed p JOIN lake_columns c USING (table_id, column_id) \
             LEFT JOIN stored s USING (data_file_id, table_id, column_id) \
             WHERE p.data_file_id IS NOT NULL AND p.is_current AND NOT p.is_default AND \
             (s.stored_rows IS DISTINCT FROM 1 OR s.value_count IS DISTINCT FROM p.value_count \
             OR s.null_count IS DISTINCT FROM p.null_count OR s.min_value IS DISTINCT FROM p.min_value \
             OR s.max_value IS DISTINCT FROM p.max_value OR s.contains_nan IS DISTINCT FROM p.contains_nan \
             OR s.extra_stats IS DISTINCT FROM p.extra_stats)"
        );
        let tables = format!(
            "SELECT CAST(NULL AS BIGINT), p.table_id, p.column_id, {column}, CAST(NULL AS VARCHAR), \
             CAST(coalesce(s.stored_rows, 0) AS BIGINT), \
             CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), \
             CAST(s.contains_null AS BIGINT), s.min_value, s.max_value, CAST(s.contains_nan AS BIGINT), \
             s.extra_stats, CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), \
             CAST(p.contains_null AS BIGINT), p.min_value, p.max_value, CAST(p.contains_nan AS BIGINT), \
             p.boxes, {orders} \
             FROM merged p JOIN lake_columns c USING (table_id, column_id) \
             LEFT JOIN stored_tables s USING (table_id, column_id)"
        );
        format!(
            "{computed}, {merged}, {stored} SELECT * FROM (({files}) UNION ALL ({tables}))",
            merged = merged(&order_types),
            stored = stored(metadata),
        )
    }
}

/// A stored bound, cut as a true one is: no NUL stands in a bound, and what is cut off a maximum is made up for.
fn before_nul(bound: &str, raise: &str) -> String {
    format!(
        "CASE WHEN contains({bound}, chr(0)) THEN split_part({bound}, chr(0), 1){raise} ELSE {bound} END"
    )
}

/// The catalogue's own rows.
fn stored(metadata: &str) -> String {
    let common = "CAST(any_value(min_value) AS VARCHAR) AS min_value, \
                  CAST(any_value(max_value) AS VARCHAR) AS max_value, \
                  CAST(any_value(contains_nan) AS BOOLEAN) AS contains_nan, \
                  CAST(any_value(extra_stats) AS VARCHAR) AS extra_stats";
    format!(
        "stored AS (SELECT CAST(data_file_id AS BIGINT) AS data_file_id, \
         CAST(table_id AS BIGINT) AS table_id, CAST(column_id AS BIGINT) AS column_id, \
         count(*) AS stored_rows, CAST(any_value(column_size_bytes) AS BIGINT) AS column_size_bytes, \
         CAST(any_value(value_count) AS BIGINT) AS value_count, \
         CAST(any_value(null_count) AS BIGINT) AS null_count, {common} \
         FROM {metadata}.ducklake_file_column_stats GROUP BY ALL), \
         stored_tables AS (SELECT CAST(table_id AS BIGINT) AS table_id, \
         CAST(column_id AS BIGINT) AS column_id, count(*) AS stored_rows, \
         CAST(any_value(contains_null) AS BOOLEAN) AS contains_null, {common} \
         FROM {metadata}.ducklake_table_column_stats GROUP BY ALL)"
    )
}
