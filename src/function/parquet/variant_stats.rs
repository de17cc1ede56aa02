//! `extra_stats` of VARIANT leaves: what the footers of Parquet files say about shredded fields, as
//! DuckLake writes it.
//!
//! A field whose `value` is NULL throughout lies in `typed_value` alone, so the statistics of that
//! column chunk are its own. Files without a shredded VARIANT cost no statement here.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

use super::footers::read_footers;
use super::schema::group_by_schema;
use super::variant_fields::{Field, variant_fields};
use crate::ffi::session::Session;
use crate::sql::file::statement::{FooterStats, LeafRow};
use crate::sql::parquet::footers::writers;
use crate::sql::parquet::schema::leaf_types;
use crate::sql::parquet::variant_chunks::{ColumnFacts, WantedChunks, column_facts};
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::Result;

/// The columns `metadata` and `value`, which are all that a VARIANT without shredding has.
const UNSHREDDED_CHUNKS: usize = 2;

/// What the footers of some files say: by file and column chunk.
type Facts = HashMap<(String, usize), ColumnFacts>;

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
    let facts = read_facts(&files_of_schema, &variants, session)?;
    let mut stats = Vec::new();
    for leaf in &variants {
        for file in files_of_schema.get(&leaf.schema).into_iter().flatten() {
            let extra_stats = extra_stats(&leaf.fields, file, own.contains(*file), &facts);
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
    let examples: HashMap<usize, String> = files_of_schema
        .iter()
        .filter_map(|(schema, files)| Some((*schema, (*files.first()?).to_owned())))
        .collect();
    let files: Vec<String> = examples.values().cloned().collect();
    let schemas = group_by_schema(&files, &read_footers(&files, session), session)?.groups;
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let mut types_of_file: HashMap<String, Vec<String>> = HashMap::new();
    for leaf in session.collect(&leaf_types(&files))? {
        types_of_file.entry(leaf.file_name).or_default().push(leaf.duckdb_type);
    }
    let leaf = |(leaf_number, leaf): &(usize, &LeafRow)| {
        let file = examples.get(&leaf.schema)?;
        let (schema, _) = schemas.iter().find(|(_, files)| files.contains(file))?;
        let first_chunk = *leaf.chunks.as_ref()?.first()?;
        let fields = variant_fields(schema, types_of_file.get(file)?, first_chunk);
        Some(VariantLeaf { leaf_number: *leaf_number, schema: leaf.schema, fields })
    };
    Ok(variants.iter().filter_map(leaf).collect())
}

/// The files that DuckDB wrote.
fn written_by_duckdb(files: &[&str], session: &Session) -> Result<HashSet<String>> {
    let is_own = |writer: &str| writer.starts_with("DuckDB version ");
    let writers = session.collect(&writers(files))?.into_iter();
    let own = writers.filter(|writer| writer.created_by.as_deref().is_some_and(is_own));
    Ok(own.map(|writer| writer.file_name).collect())
}

fn read_facts(
    files_of_schema: &FilesOfSchema<'_>,
    variants: &[VariantLeaf],
    session: &Session,
) -> Result<Facts> {
    let wanted = wanted_chunks(variants);
    if wanted.is_empty() {
        return Ok(Facts::new());
    }
    let files: Vec<(&str, usize)> = files_of_schema
        .iter()
        .flat_map(|(schema, files)| files.iter().map(move |file| (*file, *schema)))
        .collect();
    let columns = session.collect(&column_facts(&files, &wanted))?.into_iter();
    Ok(columns.map(|column| ((column.file_name, column.chunk), column.facts)).collect())
}

fn wanted_chunks(variants: &[VariantLeaf]) -> WantedChunks<'_> {
    let mut wanted = WantedChunks::new();
    for leaf in variants {
        for field in &leaf.fields {
            for chunk in field.value_chunks.iter().flatten() {
                wanted.insert((leaf.schema, *chunk), None);
            }
            wanted.insert((leaf.schema, field.typed_chunk), Some(&field.shredded_type));
        }
    }
    wanted
}

/// The JSON of one leaf of one file; `None` without a fully shredded field, as DuckLake has NULL then.
fn extra_stats(fields: &[Field], file: &str, is_by_duckdb: bool, facts: &Facts) -> Option<String> {
    let footer = FileFacts { file, is_by_duckdb, facts };
    let entries: Vec<Value> = fields
        .iter()
        .filter(|field| footer.is_fully_shredded(field))
        .filter_map(|field| footer.entry(field))
        .collect();
    (!entries.is_empty()).then(|| Value::Array(entries).to_string())
}

/// What the footer of one file says.
struct FileFacts<'a> {
    file: &'a str,
    is_by_duckdb: bool,
    facts: &'a Facts,
}

impl FileFacts<'_> {
    fn facts(&self, chunk: usize) -> Option<&ColumnFacts> {
        self.facts.get(&(self.file.to_owned(), chunk))
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
mod tests;
