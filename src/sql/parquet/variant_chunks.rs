//! What the footers of Parquet files say of the column chunks that a shredded VARIANT lies in.

use std::collections::BTreeMap;

use super::shredded_type::ShreddedType;
use crate::sql::file::statement::path_list;
use crate::sql::quote::{as_bytes, text};
use crate::sql::rows::values;
use colstats_core::query::{NamedValues, Query};

/// What all chunks of one column of a file say together. Absent is what one of them does not say.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct ColumnFacts {
    pub num_values: Option<i64>,
    pub null_count: Option<i64>,
    pub size_bytes: Option<i64>,
    /// There is no value at all, and so no bounds.
    pub is_absent: bool,
    /// There is no value but a VARIANT's own null.
    pub is_null: bool,
    /// A chunk has no bounds; one that has values by its count of NULLs.
    pub lacks_bounds: bool,
    pub lacks_bounds_of_values: bool,
    pub min: Option<String>,
    pub max: Option<String>,
}

/// A column of a file.
pub struct FileColumn {
    pub file_name: String,
    pub chunk: usize,
    pub facts: ColumnFacts,
}

/// The column chunks that are asked for, by the number of their files' schema and their own; a `value` has no type.
pub type WantedChunks<'a> = BTreeMap<(usize, usize), Option<&'a ShreddedType>>;

/// The chunks of all row groups together. Sums and bounds are there only if every row group says them;
/// for bounds, every one that may hold values. Only `min_value` and `max_value` are trusted: the fields
/// before them had no defined order. A VARIANT's own null is the one byte zero. `files` have the number of
/// their schema; there is at least one wanted chunk.
pub fn column_facts(files: &[(&str, usize)], wanted: &WantedChunks<'_>) -> Query<FileColumn> {
    let types = distinct_types(wanted);
    let bounds = [("arg_min", "stats_min_value"), ("arg_max", "stats_max_value")]
        .map(|(aggregate, bound)| bound_case(aggregate, bound, &types));
    let [min, max] = bounds;
    let statement = format!(
        "SELECT file_name, column_id, {num_values} AS num_values, {null_count} AS null_count, \
         {size_bytes} AS size_bytes, bool_and(is_absent) AS is_absent, \
         bool_and(is_absent OR coalesce(stats_min_value = '\\x00' \
         AND stats_max_value = '\\x00', false)) AS is_null, \
         bool_or(min_is_exact IS NULL) AS lacks_bounds, \
         bool_or(has_values AND min_is_exact IS NULL) AS lacks_bounds_of_values, \
         {min} AS min, {max} AS max \
         FROM (SELECT *, num_values > coalesce(stats_null_count, 0) AS has_values, \
         num_values = coalesce(stats_null_count, 0) AND stats_min_value IS NULL \
         AND stats_max_value IS NULL AS is_absent \
         FROM (SELECT * REPLACE ({file} AS file_name) FROM parquet_metadata({paths})) \
         JOIN ({files}) AS files(file_name, schema_number) USING (file_name) \
         JOIN ({chunks}) AS chunks(schema_number, column_id, type_number) \
         USING (schema_number, column_id)) \
         GROUP BY file_name, column_id, type_number",
        num_values = complete_sum("num_values"),
        null_count = complete_sum("stats_null_count"),
        size_bytes = complete_sum("total_compressed_size"),
        file = as_bytes("file_name"),
        paths = path_list(&files.iter().map(|(file, _)| *file).collect::<Vec<_>>()),
        files = values(files.iter().map(|(file, schema)| format!("({}, {schema})", text(file)))),
        chunks = chunk_values(wanted, &types),
    );
    Query::new(statement, file_column)
}

fn file_column(row: &dyn NamedValues) -> FileColumn {
    FileColumn {
        file_name: row.owned_text("file_name").unwrap_or_default(),
        chunk: row.integer("column_id").and_then(|n| n.try_into().ok()).unwrap_or(usize::MAX),
        facts: ColumnFacts {
            num_values: row.integer("num_values"),
            null_count: row.integer("null_count"),
            size_bytes: row.integer("size_bytes"),
            is_absent: row.flag("is_absent") == Some(true),
            is_null: row.flag("is_null") == Some(true),
            lacks_bounds: row.flag("lacks_bounds") != Some(false),
            lacks_bounds_of_values: row.flag("lacks_bounds_of_values") != Some(false),
            min: row.owned_text("min"),
            max: row.owned_text("max"),
        },
    }
}

fn distinct_types<'a>(wanted: &WantedChunks<'a>) -> Vec<&'a ShreddedType> {
    let mut types: Vec<&ShreddedType> = Vec::new();
    for wanted_type in wanted.values().flatten() {
        if !types.contains(wanted_type) {
            types.push(wanted_type);
        }
    }
    types
}

/// Schema, number and type of each chunk.
fn chunk_values(wanted: &WantedChunks<'_>, types: &[&ShreddedType]) -> String {
    values(wanted.iter().map(|((schema, chunk), wanted_type)| {
        let number = wanted_type.and_then(|wanted| types.iter().position(|known| *known == wanted));
        let number = number.map_or("NULL".into(), |number| number.to_string());
        format!("({schema}, {chunk}, {number})")
    }))
}

fn complete_sum(column: &str) -> String {
    format!("CASE WHEN count({column}) = count(*) THEN TRY_CAST(sum({column}) AS BIGINT) END")
}

/// The least or greatest bound of a chunk, compared as its type compares.
fn bound_case(aggregate: &str, bound: &str, types: &[&ShreddedType]) -> String {
    let cases: String = types
        .iter()
        .enumerate()
        .filter_map(|(number, shredded_type)| {
            let key = shredded_type.key(bound)?;
            let spelled = shredded_type.spelling(bound);
            Some(format!(
                "WHEN type_number = {number} AND bool_and(NOT has_values OR {key} IS NOT NULL) \
                 THEN {aggregate}({spelled}, {key}) ",
            ))
        })
        .collect();
    if cases.is_empty() { "CAST(NULL AS VARCHAR)".into() } else { format!("CASE {cases}END") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chunk_is_asked_for_once_and_by_its_type() {
        let [integer, blob, time] = ["INTEGER", "BLOB", "TIME WITH TIME ZONE"]
            .map(|duckdb_type| ShreddedType::new(duckdb_type).unwrap());
        let wanted = WantedChunks::from([
            ((0, 1), None),
            ((0, 3), Some(&integer)),
            ((0, 5), Some(&blob)),
            ((1, 1), None),
            ((1, 2), Some(&integer)),
        ]);
        let statement = column_facts(&[("it's.parquet", 0), ("b", 1)], &wanted).statement;
        for part in [
            "parquet_metadata(['it''s.parquet', 'b'])",
            "(VALUES ('it''s.parquet', 0), ('b', 1))",
            "(VALUES (0, 1, NULL), (0, 3, 0), (0, 5, 1), (1, 1, NULL), (1, 2, 0))",
            "WHEN type_number = 0 AND bool_and(NOT has_values OR TRY_CAST(stats_min_value AS INTEGER) IS",
            "THEN arg_max(hex(TRY_CAST(stats_max_value AS BLOB)), TRY_CAST(stats_max_value AS BLOB))",
        ] {
            assert!(statement.contains(part), "{part} is not in {statement}");
        }
        let unbounded = WantedChunks::from([((0, 2), Some(&time))]);
        let statement = column_facts(&[("b", 0)], &unbounded).statement;
        assert!(statement.contains("CAST(NULL AS VARCHAR) AS min, CAST(NULL AS VARCHAR) AS max"));
    }
}
