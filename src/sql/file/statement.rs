//! The statement behind `file_column_stats`.
//!
//! What is known before the scan (which files, their leaves, column ids, types) stands in the text; what
//! the scan finds is joined to it. So a leaf of a file without rows has its row too. All files that share
//! a schema are one scan, grouped by file; scans of other schemas are added by UNION ALL, nested as a
//! balanced tree, since a thousand in a chain would be too deep to plan.

use std::collections::HashMap;

use crate::sql::literal::constant;
use crate::sql::per_leaf::{file_rows, list_of, per_leaf};
use crate::sql::quote::{as_bytes, identifier, long_text_list, text};
use crate::sql::rows::{union_all, values};
use colstats_core::value::Literal;

/// One file to be reported.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    pub name: String,
    /// Which of the statement's schemas it has.
    pub schema: usize,
    /// What its footer says; of a Parquet file only, and only where it is known.
    pub footer: Option<FileSizes>,
}

/// What a footer says about sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSizes {
    /// Whether there are rows for the scan to find.
    pub has_rows: bool,
    /// Compressed bytes by the number of the column chunk, over all row groups; `None` where they are not
    /// known.
    pub chunk_bytes: Option<Vec<i64>>,
}

/// The bytes of a leaf that lies in these chunks.
pub fn leaf_bytes(chunk_bytes: &[i64], chunks: &[usize]) -> i64 {
    let sizes = chunks.iter().filter_map(|chunk| chunk_bytes.get(*chunk));
    sizes.fold(0, |sum, bytes| sum.saturating_add(*bytes))
}

/// One leaf to be reported for every file of a schema.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafRow {
    pub schema: usize,
    /// Which of the scan's columns holds it, and which of that column's leaves it is; from 1.
    pub column_position: usize,
    pub leaf_position: usize,
    pub column_id: Option<i64>,
    pub column_name: String,
    pub column_type: String,
    pub is_floating: bool,
    /// `extra_stats` of a file without any value.
    pub empty_extra_stats: Option<String>,
    /// The numbers of the file's column chunks that make up the leaf; `None` where the format has no
    /// chunks, and empty for a partition column, which takes no room in the file.
    pub chunks: Option<Vec<usize>>,
}

/// One pass over some files.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// `read_parquet`, `read_csv` or `read_json`.
    pub reader: &'static str,
    pub files: Vec<String>,
    /// Named arguments of the reader.
    pub options: Vec<(String, Literal)>,
    /// A column name for the file that none of the columns has.
    pub file_column: String,
    /// The expressions to aggregate, one per column.
    pub columns: Vec<String>,
}

/// `extra_stats` of one leaf of one file, where the file's footer tells them and the values do not.
#[derive(Debug, Clone, PartialEq)]
pub struct FooterStats {
    pub file_name: String,
    /// The leaf's place among the statement's leaves.
    pub leaf_number: usize,
    pub extra_stats: String,
}

/// All that the statement is composed of.
#[derive(Debug, Clone, PartialEq)]
pub struct FileStatement {
    pub files: Vec<File>,
    /// The number of the first of the files among all files of the call.
    pub first_file_number: usize,
    pub leaves: Vec<LeafRow>,
    pub scans: Vec<Scan>,
    /// The files that DuckDB's `parquet_metadata` must not meet, each with the column that makes it so.
    pub unlisted: HashMap<String, String>,
    pub footer_stats: Vec<FooterStats>,
    pub max_bound_bytes: Option<i64>,
    pub table_id: Option<i64>,
    pub first_data_file_id: i64,
}

impl Scan {
    /// The reader's call, with `extra` named arguments.
    pub fn source(&self, extra: &[(String, Literal)]) -> String {
        let paths: Vec<&str> = self.files.iter().map(String::as_str).collect();
        let mut call = format!("{}({}", self.reader, path_list(&paths));
        for (name, value) in self.options.iter().chain(extra) {
            call.push_str(&format!(", {} = {}", identifier(name), constant(value)));
        }
        call.push(')');
        call
    }

    /// Whether partition columns are left out.
    pub fn is_unpartitioned(&self) -> bool {
        self.options.contains(&without_partitions())
    }

    /// The scan without partition columns.
    #[must_use]
    pub fn unpartitioned(mut self) -> Scan {
        // DuckDB refuses options about partitions (`hive_types`, `hive_types_autocast`) when there are none.
        let is_about_partitions =
            |name: &str| name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("hive_"));
        self.options.retain(|(name, _)| !is_about_partitions(name));
        self.options.push(without_partitions());
        self
    }

    fn statement(&self, max_bound_bytes: Option<i64>) -> String {
        let limit = max_bound_bytes.map_or(String::new(), |bytes| format!(", {bytes}"));
        let stats: Vec<String> =
            self.columns.iter().map(|column| format!("column_stats({column}{limit})")).collect();
        let stats = stats.join(", ");
        // Groups cost DuckDB a state pointer per row and column, which a file alone can do without.
        if let [file] = self.files.as_slice()
            && !is_pattern(file)
        {
            let (file, source) = (text(file), self.source(&[]));
            return format!("SELECT {file} AS scanned_file, [{stats}] AS stats FROM {source}");
        }
        let file_column = (String::from("filename"), Literal::Text(self.file_column.clone()));
        format!(
            "SELECT {file} AS scanned_file, [{stats}] AS stats FROM {source} GROUP BY 1",
            file = as_bytes(&identifier(&self.file_column)),
            source = self.source(&[file_column]),
        )
    }
}

/// The reader's option that leaves partition columns out.
fn without_partitions() -> (String, Literal) {
    ("hive_partitioning".into(), Literal::Boolean(false))
}

/// A path that the reader takes for this file alone: in the name of a local file that exists, the
/// characters of a pattern are put into brackets.
pub fn exact_path(path: &str) -> String {
    // A pattern is answered with a tidied path (`./` gone), and a backslash in one escapes: such names
    // are left to the reader, which takes a name that exists for that file.
    let is_tidy = !path.starts_with("./") && !path.contains("/./") && !path.contains("//");
    if !is_tidy || path.contains('\\') || !is_pattern(path) {
        return path.to_owned();
    }
    path.chars().fold(String::new(), |mut escaped, character| {
        match character {
            '*' | '?' | '[' => escaped.extend(['[', character, ']']),
            other => escaped.push(other),
        }
        escaped
    })
}

/// Whether a reader may take the path for a pattern.
pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// The files as the list that a reader takes.
pub fn path_list(files: &[&str]) -> String {
    let paths: Vec<String> = files.iter().map(|file| exact_path(file)).collect();
    long_text_list(&paths)
}

impl FileStatement {
    /// The text.
    pub fn compose(&self) -> String {
        format!(
            "WITH files AS ({files}), \
             leaves(schema_number, leaf_number, leaf_rank, column_position, leaf_position, column_id, \
             is_sized, column_name, column_type, is_floating, empty_extra_stats) AS ({leaves}), \
             scanned AS ({scans}), {per_leaf}, \
             sizes AS ({KNOWN_SIZES}), \
             footers(file_name, leaf_number, extra_stats) AS ({footers}) \
             SELECT CAST({first} + files.file_number AS BIGINT) AS data_file_id, \
             CAST({table_id} AS BIGINT) AS table_id, \
             CAST(leaves.column_id AS BIGINT) AS column_id, \
             CASE WHEN leaves.is_sized THEN sizes.size_bytes END AS column_size_bytes, \
             CASE WHEN per_leaf.leaf IS NULL AND files.has_rows \
             THEN error('the scan has no rows for file ' || files.file_name || ', column ' || \
             leaves.column_name || ', although its footer has') \
             ELSE coalesce(per_leaf.leaf.value_count, 0) END AS value_count, \
             coalesce(per_leaf.leaf.null_count, 0) AS null_count, \
             per_leaf.leaf.min_value AS min_value, \
             per_leaf.leaf.max_value AS max_value, \
             CASE WHEN leaves.is_floating THEN coalesce(per_leaf.leaf.contains_nan, false) END AS contains_nan, \
             coalesce(footers.extra_stats, per_leaf.leaf.extra_stats, CASE WHEN per_leaf.leaf IS NULL \
             THEN CAST(leaves.empty_extra_stats AS VARCHAR) END) AS extra_stats, \
             files.file_name AS file_name, leaves.column_name AS column_name, \
             leaves.column_type AS column_type \
             FROM files JOIN leaves USING (schema_number) \
             LEFT JOIN per_leaf USING (file_number, column_position, leaf_position) \
             LEFT JOIN sizes USING (file_number, leaf_rank) \
             LEFT JOIN footers ON {footer_file} = files.file_name AND footers.leaf_number = leaves.leaf_number \
             ORDER BY files.file_number, leaves.column_id NULLS LAST, leaves.leaf_number",
            files = self.file_rows(),
            leaves = self.leaf_values(),
            scans = self.scan_union(),
            per_leaf = per_leaf(
                "file_number",
                "scanned JOIN files ON files.file_name = scanned.scanned_file"
            ),
            footers = self.footer_values(),
            footer_file = as_bytes("footers.file_name"),
            first = self.first_data_file_id,
            table_id = self.table_id.map_or("NULL".into(), |id| id.to_string()),
        )
    }

    /// The leaves with their number in the statement and their rank among those of their schema.
    fn ranked_leaves(&self) -> impl Iterator<Item = (usize, usize, &LeafRow)> {
        let mut ranks: HashMap<usize, usize> = HashMap::new();
        self.leaves.iter().enumerate().map(move |(number, leaf)| {
            let rank = ranks.entry(leaf.schema).or_default();
            *rank += 1;
            (number, *rank, leaf)
        })
    }

    /// The files. The sizes of a file's leaves, where they are known, are one text in the order of their
    /// ranks, and empty where they are not.
    fn file_rows(&self) -> String {
        let mut leaves_of_schema: HashMap<usize, Vec<&LeafRow>> = HashMap::new();
        for leaf in &self.leaves {
            leaves_of_schema.entry(leaf.schema).or_default().push(leaf);
        }
        let sizes = |file: &File| {
            let chunk_bytes = file.footer.as_ref()?.chunk_bytes.as_deref()?;
            let leaves = leaves_of_schema.get(&file.schema)?;
            let chunks = leaves.iter().map(|leaf| leaf.chunks.as_deref().unwrap_or(&[]));
            let bytes: Vec<String> =
                chunks.map(|c| leaf_bytes(chunk_bytes, c).to_string()).collect();
            Some(bytes.join(" "))
        };
        let has_rows = |file: &File| file.footer.as_ref().is_some_and(|footer| footer.has_rows);
        let has_rows = list_of(&self.files, |file| has_rows(file).to_string());
        let leaf_bytes = list_of(&self.files, |file| sizes(file).unwrap_or_default());
        let sizes =
            [("has_rows", format!("CAST({has_rows} AS BOOLEAN[])")), ("leaf_bytes", leaf_bytes)];
        file_rows(&self.files, self.first_file_number, &sizes)
    }

    fn footer_values(&self) -> String {
        if self.footer_stats.is_empty() {
            return "SELECT '', 0, '' WHERE false".into();
        }
        values(self.footer_stats.iter().map(|stats| {
            let (file, extra_stats) = (text(&stats.file_name), text(&stats.extra_stats));
            format!("({file}, {}, {extra_stats})", stats.leaf_number)
        }))
    }

    fn leaf_values(&self) -> String {
        let optional = |value: &Option<String>| value.as_deref().map_or("NULL".into(), text);
        let rows = values(self.ranked_leaves().map(|(number, rank, leaf)| {
            format!(
                "({}, {number}, {rank}, {}, {}, {}, {}, {}, {}, {}, {})",
                leaf.schema,
                leaf.column_position,
                leaf.leaf_position,
                leaf.column_id.map_or("NULL".into(), |id| id.to_string()),
                leaf.chunks.is_some(),
                text(&leaf.column_name),
                text(&leaf.column_type),
                leaf.is_floating,
                optional(&leaf.empty_extra_stats),
            )
        }));
        if self.leaves.is_empty() {
            return "SELECT 0, 0, 0, 0, 0, 0, false, '', '', false, '' WHERE false".into();
        }
        rows
    }

    fn scan_union(&self) -> String {
        let statements = self
            .scans
            .iter()
            .filter(|scan| !scan.columns.is_empty())
            .map(|scan| scan.statement(self.max_bound_bytes));
        union_all(statements.collect())
            .unwrap_or("SELECT '' AS scanned_file, [column_stats(0)] AS stats LIMIT 0".into())
    }
}

/// The sizes that came with the files.
const KNOWN_SIZES: &str = "SELECT file_number, \
    CAST(generate_subscripts(sizes, 1) AS INTEGER) AS leaf_rank, \
    CAST(unnest(sizes) AS BIGINT) AS size_bytes \
    FROM (SELECT file_number, string_split(leaf_bytes, ' ') AS sizes FROM files WHERE leaf_bytes <> '')";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_characters_of_local_files_are_escaped() {
        assert_eq!(exact_path("/d/a[1]*.parquet"), "/d/a[[]1][*].parquet");
        assert_eq!(exact_path("/d/a.parquet"), "/d/a.parquet");
        assert_eq!(exact_path("https://host/a?x=[1]"), "https://host/a?x=[1]");
    }
}
