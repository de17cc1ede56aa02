//! `extra_stats` of VARIANT leaves: what the footers of Parquet files say about shredded fields, as
//! DuckLake writes it.
//!
//! A field whose `value` is NULL throughout lies in `typed_value` alone, so the statistics of that
//! column chunk are its own. Files without a shredded VARIANT cost no statement here.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

use super::shredded_type::ShreddedType;
use super::variant_fields::{Field, read_schemas};
use crate::ffi::session::Session;
use crate::sql::file::statement::{FooterStats, LeafRow, path_list};
use crate::sql::quote::{as_bytes, text};
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::Result;

/// The columns `metadata` and `value`, which are all that a VARIANT without shredding has.
const UNSHREDDED_CHUNKS: usize = 2;

/// What all chunks of one column of a file say together. Absent is what one of them does not say.
#[derive(Debug, Default, Clone, PartialEq)]
struct ColumnFacts {
    num_values: Option<i64>,
    null_count: Option<i64>,
    size_bytes: Option<i64>,
    /// There is no value at all, and so no bounds.
    is_absent: bool,
    /// There is no value but a VARIANT's own null.
    is_null: bool,
    /// A chunk has no bounds; one that has values by its count of NULLs.
    lacks_bounds: bool,
    lacks_bounds_of_values: bool,
    min: Option<String>,
    max: Option<String>,
}

/// What the footers of some files say: by file and column chunk.
type Footers = HashMap<(String, usize), ColumnFacts>;

/// The files of each schema.
type FilesOfSchema<'a> = BTreeMap<usize, Vec<&'a str>>;

/// A VARIANT leaf, with its number among the statement's leaves.
struct VariantLeaf {
    leaf_number: usize,
    schema: usize,
    fields: Vec<Field>,
}

/// `extra_stats` for every VARIANT leaf and file that has fully shredded fields.
pub fn footer_stats(
    leaves: &[LeafRow],
    schema_of_file: &HashMap<String, usize>,
    session: &Session,
) -> Result<Vec<FooterStats>> {
    let variants: Vec<(usize, &LeafRow)> =
        leaves.iter().enumerate().filter(|(_, leaf)| is_shredded(leaf)).collect();
    if variants.is_empty() {
        return Ok(Vec::new());
    }
    let files_of_schema = files_by_schema(&variants, schema_of_file);
    let variants = shredded_fields(&variants, &files_of_schema, session)?;
    let files: Vec<&str> = files_of_schema.values().flatten().copied().collect();
    let own = written_by_duckdb(&files, session)?;
    let footers = read_footers(&files_of_schema, &variants, session)?;
    let mut stats = Vec::new();
    for leaf in &variants {
        for file in files_of_schema.get(&leaf.schema).into_iter().flatten() {
            let extra_stats = extra_stats(&leaf.fields, file, own.contains(*file), &footers);
            stats.extend(extra_stats.map(|extra_stats| FooterStats {
                file_name: (*file).to_owned(),
                leaf_number: leaf.leaf_number,
                extra_stats,
            }));
        }
    }
    Ok(stats)
}

fn files_by_schema<'a>(
    variants: &[(usize, &LeafRow)],
    schema_of_file: &'a HashMap<String, usize>,
) -> FilesOfSchema<'a> {
    let wanted: HashSet<usize> = variants.iter().map(|(_, leaf)| leaf.schema).collect();
    let mut files_of_schema = FilesOfSchema::new();
    for (file, schema) in schema_of_file.iter().filter(|(_, schema)| wanted.contains(schema)) {
        files_of_schema.entry(*schema).or_default().push(file);
    }
    // The composed text must be the same for the same files.
    files_of_schema.values_mut().for_each(|files| files.sort_unstable());
    files_of_schema
}

fn is_shredded(leaf: &LeafRow) -> bool {
    leaf.column_type == ColumnType::Variant.name()
        && leaf.chunks.as_ref().is_some_and(|chunks| chunks.len() > UNSHREDDED_CHUNKS)
}

/// The typed leaves of the VARIANTs, as one file of each schema describes them.
fn shredded_fields(
    variants: &[(usize, &LeafRow)],
    files_of_schema: &FilesOfSchema<'_>,
    session: &Session,
) -> Result<Vec<VariantLeaf>> {
    let examples: HashMap<usize, &str> = files_of_schema
        .iter()
        .filter_map(|(schema, files)| Some((*schema, *files.first()?)))
        .collect();
    let schemas = read_schemas(&examples.values().copied().collect::<Vec<_>>(), session)?;
    let leaf = |(leaf_number, leaf): &(usize, &LeafRow)| {
        let root = schemas.get(*examples.get(&leaf.schema)?)?;
        let first_chunk = *leaf.chunks.as_ref()?.first()?;
        let fields = root.variant_fields(first_chunk);
        Some(VariantLeaf { leaf_number: *leaf_number, schema: leaf.schema, fields })
    };
    Ok(variants.iter().filter_map(leaf).collect())
}

/// The files that DuckDB wrote.
fn written_by_duckdb(files: &[&str], session: &Session) -> Result<HashSet<String>> {
    let statement = format!(
        "SELECT file_name FROM parquet_file_metadata({}) \
         WHERE starts_with(created_by, 'DuckDB version ')",
        path_list(files)
    );
    let mut own = HashSet::new();
    session.query(&statement)?.for_each(|row| {
        own.extend(row.text(0).map(str::to_owned));
        Ok(())
    })?;
    Ok(own)
}

fn read_footers(
    files_of_schema: &FilesOfSchema<'_>,
    variants: &[VariantLeaf],
    session: &Session,
) -> Result<Footers> {
    let mut footers = Footers::new();
    let Some(query) = footer_query(files_of_schema, variants) else { return Ok(footers) };
    session.query(&query)?.for_each(|row| {
        let chunk = row.integer(1).and_then(|number| usize::try_from(number).ok());
        if let (Some(file), Some(chunk)) = (row.text(0), chunk) {
            let facts = ColumnFacts {
                num_values: row.integer(2),
                null_count: row.integer(3),
                size_bytes: row.integer(4),
                is_absent: row.integer(5) == Some(1),
                is_null: row.integer(6) == Some(1),
                lacks_bounds: row.integer(7) != Some(0),
                lacks_bounds_of_values: row.integer(8) != Some(0),
                min: row.text(9).map(str::to_owned),
                max: row.text(10).map(str::to_owned),
            };
            footers.insert((file.to_owned(), chunk), facts);
        }
        Ok(())
    })?;
    Ok(footers)
}

/// The chunks of all row groups together. Sums and bounds are there only if every row group says them;
/// for bounds, every one that may hold values. Only `min_value` and `max_value` are trusted: the fields
/// before them had no defined order. A VARIANT's own null is the one byte zero. `None` without a field.
fn footer_query(files_of_schema: &FilesOfSchema<'_>, variants: &[VariantLeaf]) -> Option<String> {
    let types = distinct_types(variants);
    let chunks = chunk_rows(variants, &types);
    if chunks.is_empty() {
        return None;
    }
    let files: Vec<(&str, usize)> = files_of_schema
        .iter()
        .flat_map(|(schema, files)| files.iter().map(move |file| (*file, *schema)))
        .collect();
    let bounds = [("arg_min", "stats_min_value"), ("arg_max", "stats_max_value")]
        .map(|(aggregate, bound)| bound_case(aggregate, bound, &types));
    Some(format!(
        "SELECT file_name, column_id, {num_values}, {null_count}, {size_bytes}, \
         CAST(bool_and(is_absent) AS BIGINT), \
         CAST(bool_and(is_absent OR coalesce(stats_min_value = '\\x00' \
         AND stats_max_value = '\\x00', false)) AS BIGINT), \
         CAST(bool_or(min_is_exact IS NULL) AS BIGINT), \
         CAST(bool_or(has_values AND min_is_exact IS NULL) AS BIGINT), {bounds} \
         FROM (SELECT *, num_values > coalesce(stats_null_count, 0) AS has_values, \
         num_values = coalesce(stats_null_count, 0) AND stats_min_value IS NULL \
         AND stats_max_value IS NULL AS is_absent \
         FROM (SELECT * REPLACE ({file} AS file_name) FROM parquet_metadata({paths})) \
         JOIN (VALUES {files}) AS files(file_name, schema_number) USING (file_name) \
         JOIN (VALUES {chunks}) AS chunks(schema_number, column_id, type_number) \
         USING (schema_number, column_id)) \
         GROUP BY file_name, column_id, type_number",
        num_values = complete_sum("num_values"),
        null_count = complete_sum("stats_null_count"),
        size_bytes = complete_sum("total_compressed_size"),
        bounds = bounds.join(", "),
        file = as_bytes("file_name"),
        paths = path_list(&files.iter().map(|(file, _)| *file).collect::<Vec<_>>()),
        files = files
            .iter()
            .map(|(file, schema)| format!("({}, {schema})", text(file)))
            .collect::<Vec<_>>()
            .join(", "),
        chunks = chunks.join(", "),
    ))
}

fn distinct_types(variants: &[VariantLeaf]) -> Vec<&ShreddedType> {
    let mut types: Vec<&ShreddedType> = Vec::new();
    for field in variants.iter().flat_map(|leaf| &leaf.fields) {
        if !types.contains(&&field.shredded_type) {
            types.push(&field.shredded_type);
        }
    }
    types
}

/// Schema, number and type of each wanted column chunk; a `value` is of none of the types.
fn chunk_rows(variants: &[VariantLeaf], types: &[&ShreddedType]) -> Vec<String> {
    let mut type_of_chunk: BTreeMap<(usize, usize), Option<usize>> = BTreeMap::new();
    for leaf in variants {
        for field in &leaf.fields {
            for chunk in field.value_chunks.iter().flatten() {
                type_of_chunk.insert((leaf.schema, *chunk), None);
            }
            let type_number = types.iter().position(|known| **known == field.shredded_type);
            type_of_chunk.insert((leaf.schema, field.typed_chunk), type_number);
        }
    }
    type_of_chunk
        .into_iter()
        .map(|((schema, chunk), type_number)| {
            let type_number = type_number.map_or("NULL".into(), |number| number.to_string());
            format!("({schema}, {chunk}, {type_number})")
        })
        .collect()
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
    if cases.is_empty() { "NULL".into() } else { format!("CASE {cases}END") }
}

/// The JSON of one leaf of one file; `None` without a fully shredded field, as DuckLake has NULL then.
fn extra_stats(
    fields: &[Field],
    file: &str,
    is_by_duckdb: bool,
    footers: &Footers,
) -> Option<String> {
    let footer = Footer { file, is_by_duckdb, footers };
    let entries: Vec<Value> = fields
        .iter()
        .filter(|field| footer.is_fully_shredded(field))
        .filter_map(|field| footer.entry(field))
        .collect();
    (!entries.is_empty()).then(|| Value::Array(entries).to_string())
}

/// One file among the footers.
struct Footer<'a> {
    file: &'a str,
    is_by_duckdb: bool,
    footers: &'a Footers,
}

impl Footer<'_> {
    fn facts(&self, chunk: usize) -> Option<&ColumnFacts> {
        self.footers.get(&(self.file.to_owned(), chunk))
    }

    /// Whether this holds of a `value` chunk; of one that the file does not have, it does.
    fn value_is(&self, chunk: Option<usize>, holds: impl Fn(&ColumnFacts) -> bool) -> bool {
        chunk.is_none_or(|chunk| self.facts(chunk).is_some_and(holds))
    }

    /// By the format's rules, a `value` above the field never holds the field itself: an object lies in
    /// `typed_value` wherever its fields are shredded. DuckDB keeps them, and DuckLake relies on that; of
    /// other writers, nothing above the field may be left in `value`.
    fn is_fully_shredded(&self, field: &Field) -> bool {
        let above = if self.is_by_duckdb { 1 } else { field.value_chunks.len() };
        let mut chunks = field.value_chunks.iter().rev().take(above);
        chunks.all(|chunk| self.value_is(*chunk, |facts| facts.is_null))
    }

    /// DuckDB 1.5 counts the NULLs of objects in a list twice (W7 in DuckLake's rows). The two columns of
    /// a field have the same ones, so a right count of one, or no such NULL, tells that there are none.
    fn counts_nulls_once(&self, field: &Field) -> bool {
        let mut values = field.value_chunks.iter().rev();
        let (own, above) = (values.next().copied().flatten(), values.next().copied().flatten());
        let is_absent = |chunk| self.value_is(chunk, |facts| facts.is_absent);
        !self.is_by_duckdb
            || field.objects_in_element == 0
            || is_absent(own)
            || (field.objects_in_element == 1 && is_absent(above))
    }

    /// The field's object, with DuckLake's keys in DuckLake's order.
    fn entry(&self, field: &Field) -> Option<Value> {
        let facts = self.facts(field.typed_chunk)?;
        let is_counted = self.counts_nulls_once(field);
        // Which chunks have values, and so must have bounds, is known by the count.
        let is_bounded = is_counted || !facts.lacks_bounds;
        let mut entry = Map::new();
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                entry.insert(key.into(), value);
            }
        };
        set("field_name", Some(field.name.as_str().into()));
        set("shredded_type", Some(field.shredded_type.name().into()));
        set("null_count", facts.null_count.filter(|_| is_counted).map(Value::from));
        set("min", facts.min.as_deref().filter(|_| is_bounded).map(Value::from));
        set("max", facts.max.as_deref().filter(|_| is_bounded).map(Value::from));
        set("num_values", facts.num_values.map(Value::from));
        // A footer does not tell of NaN. But DuckDB writes no bounds for a chunk that holds one, and
        // always writes them for other numbers.
        let knows_nan = self.is_by_duckdb && field.shredded_type.is_floating() && is_bounded;
        set("contains_nan", knows_nan.then(|| facts.lacks_bounds_of_values.into()));
        set("column_size_bytes", facts.size_bytes.map(Value::from));
        // Not a statistic: DuckLake's mark for what has not been merged, true in every file.
        set("any_valid", Some(true.into()));
        Some(Value::Object(entry))
    }
}

#[cfg(test)]
#[path = "variant_stats_tests.rs"]
mod tests;
