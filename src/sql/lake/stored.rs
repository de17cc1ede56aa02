//! Statements over the statistics that a catalogue has.

use colstats_core::query::Query;

pub const FILE_TABLE: &str = "ducklake_file_column_stats";
pub const TABLE_TABLE: &str = "ducklake_table_column_stats";

/// The common tables `stored`, a row per data file and column, and `stored_tables`, a row per table and column.
pub fn stored(metadata: &str) -> String {
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
         FROM {metadata}.{FILE_TABLE} GROUP BY ALL), \
         stored_tables AS (SELECT CAST(table_id AS BIGINT) AS table_id, \
         CAST(column_id AS BIGINT) AS column_id, count(*) AS stored_rows, \
         CAST(any_value(contains_null) AS BOOLEAN) AS contains_null, {common} \
         FROM {metadata}.{TABLE_TABLE} GROUP BY ALL)"
    )
}

/// The bytes of the longest bound in one of the two tables.
pub fn longest_bound(metadata: &str, table: &str) -> Query<Option<i64>> {
    let statement = format!(
        "SELECT CAST(max(greatest(octet_length(encode(CAST(min_value AS VARCHAR))), \
         octet_length(encode(CAST(max_value AS VARCHAR))))) AS BIGINT) AS bytes FROM {metadata}.{table}"
    );
    Query::new(statement, |row| row.integer("bytes"))
}

/// A column of a data file whose counts and size the catalogue has.
pub struct MeasuredColumn {
    pub data_file_id: i64,
    pub table_id: i64,
    pub column_id: i64,
    pub lacks_bound: bool,
    pub lacks_nan: bool,
}

/// `None` for rows without an id.
pub fn measured_columns(metadata: &str) -> Query<Option<MeasuredColumn>> {
    let statement = format!(
        "SELECT CAST(data_file_id AS BIGINT) AS data_file_id, CAST(table_id AS BIGINT) AS table_id, \
         CAST(column_id AS BIGINT) AS column_id, \
         value_count > 0 AND (min_value IS NULL OR max_value IS NULL) AS lacks_bound, \
         contains_nan IS NULL AS lacks_nan FROM {metadata}.{FILE_TABLE} \
         WHERE value_count IS NOT NULL AND null_count IS NOT NULL AND column_size_bytes IS NOT NULL"
    );
    Query::new(statement, |row| {
        Some(MeasuredColumn {
            data_file_id: row.integer("data_file_id")?,
            table_id: row.integer("table_id")?,
            column_id: row.integer("column_id")?,
            lacks_bound: row.flag("lacks_bound") == Some(true),
            lacks_nan: row.flag("lacks_nan") == Some(true),
        })
    })
}
