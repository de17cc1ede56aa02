//! The statements behind the functions of Hive's column statistics. What is scanned stands in the text as
//! one grouped SELECT; its results become rows in the scalar `hive_stats_rows`.

use crate::sql::file::statement::Scan;
use crate::sql::quote::{as_bytes, identifier, text, text_list};
use crate::sql::source_statement::{Source, StatsOfSource};
use colstats_core::value::Literal;

/// How NULL counts in the average length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullLength {
    /// As length 0 (Hive).
    Hive,
    /// Not at all (Impala).
    Impala,
}

/// What the caller may choose, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiveOptions {
    pub cat_name: String,
    pub db_name: String,
    pub table_name: Option<String>,
    pub engine: String,
    /// The columns to report; all when not given.
    pub columns: Option<Vec<String>>,
    /// 4 to 16.
    pub bit_vector_precision: u8,
    pub null_length: NullLength,
    /// Whether the leaves of nested columns have rows.
    pub has_nested: bool,
    pub has_histogram: bool,
    /// How many frequent values to report; 0 for none.
    pub top_k: u16,
    /// Seconds since 1970. DuckDB's own `epoch(now())` needs the extension ICU, which not every host has inside.
    pub last_analyzed: i64,
}

impl AsMut<HiveOptions> for HiveOptions {
    fn as_mut(&mut self) -> &mut HiveOptions {
        self
    }
}

impl Default for HiveOptions {
    fn default() -> Self {
        HiveOptions {
            cat_name: "hive".into(),
            db_name: "default".into(),
            table_name: None,
            engine: "hive".into(),
            columns: None,
            bit_vector_precision: 10,
            null_length: NullLength::Hive,
            has_nested: false,
            has_histogram: false,
            top_k: 0,
            last_analyzed: 0,
        }
    }
}

impl HiveOptions {
    /// The aggregate over one expression. DuckDB spreads every constant argument over all rows, so they
    /// are left out where they are the defaults; rows of nested columns are then left out at the end.
    fn stats(&self, expression: &str) -> String {
        if self.bit_vector_precision == 10 && self.top_k == 0 && !self.has_histogram {
            return format!("hive_stats({expression})");
        }
        format!(
            "hive_stats({expression}, {}, {}, {}, {})",
            self.bit_vector_precision, self.top_k, self.has_histogram, self.has_nested
        )
    }

    /// The last argument of `hive_stats_rows`; the two expressions may be columns.
    fn identity(&self, partition_name: &str, file_name: &str) -> String {
        let null_length = match self.null_length {
            NullLength::Hive => "hive",
            NullLength::Impala => "impala",
        };
        format!(
            "{{'cat_name': {}, 'db_name': {}, 'table_name': {}, 'partition_name': {partition_name}, \
             'engine': {}, 'file_name': {file_name}, 'null_length': '{null_length}', \
             'nested': {}, 'asked': {}, \
             'last_analyzed': CAST({} AS BIGINT)}}",
            text(&self.cat_name),
            text(&self.db_name),
            self.table_name.as_deref().map_or("CAST(NULL AS VARCHAR)".into(), text),
            text(&self.engine),
            self.has_nested,
            self.columns.is_some(),
            self.last_analyzed,
        )
    }
}

/// The statement that reports the columns of `source`.
pub fn compose_source(source: &Source, options: &HiveOptions) -> String {
    let columns = options.columns.as_deref();
    let StatsOfSource { arguments, from } =
        StatsOfSource::new(source, columns, &|column| options.stats(column));
    let identity = options.identity("CAST(NULL AS VARCHAR)", "CAST(NULL AS VARCHAR)");
    unlisted(&format!(
        "SELECT 0 AS part_number, hive_stats_rows({arguments}, {identity}) AS listed_rows FROM {from}"
    ))
}

/// One row of lists of rows per part, as rows in order.
fn unlisted(rows: &str) -> String {
    format!(
        "SELECT stat.* FROM (SELECT part_number, unnest(listed_rows) AS stat, \
         generate_subscripts(listed_rows, 1) AS row_position FROM ({rows})) \
         ORDER BY part_number, row_position"
    )
}

/// A partition, or the whole of all files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The directories `key=value`, joined by `/`; `None` for files outside of any.
    pub partition_name: Option<String>,
    /// The file, when there is just one.
    pub file_name: Option<String>,
}

/// All that the statement over files is composed of.
#[derive(Debug, Clone, PartialEq)]
pub struct HiveFileStatement {
    /// One per format; their columns are united by name.
    pub scans: Vec<Scan>,
    /// The columns to report.
    pub columns: Vec<String>,
    pub parts: Vec<Part>,
    /// Whether the rows are grouped by partition.
    pub is_partitioned: bool,
    /// Whether the paths are separated by backslashes.
    pub has_backslashes: bool,
}

impl HiveFileStatement {
    /// The text.
    pub fn compose(&self, options: &HiveOptions) -> String {
        let stats: Vec<String> =
            self.columns.iter().map(|column| options.stats(&identifier(column))).collect();
        let stats = format!("[{}]", stats.join(", "));
        let names = text_list(self.columns.iter().map(String::as_str));
        let scanned = if self.is_partitioned {
            format!(
                "LEFT JOIN (SELECT {partition} AS partition_name, {stats} AS stats FROM {source} \
                 GROUP BY 1) AS scanned USING (partition_name)",
                partition = self.partition_expression(),
                source = self.source(true),
            )
        } else {
            format!("CROSS JOIN (SELECT {stats} AS stats FROM {}) AS scanned", self.source(false))
        };
        // Qualified: the one row that the source is joined to has a column too, named 1.
        let typed: Vec<String> = self
            .columns
            .iter()
            .map(|column| options.stats(&format!("\"source\".{}", identifier(column))))
            .collect();
        let rows = format!(
            "SELECT part_number, \
             hive_stats_rows({names}, typed.stats, {names}, scanned.stats, {identity}) AS listed_rows \
             FROM (VALUES {parts}) AS parts(part_number, partition_name, file_name) {scanned} \
             CROSS JOIN (SELECT [{typed}] AS stats FROM (SELECT 1) \
             LEFT JOIN (SELECT * FROM {source} LIMIT 0) AS \"source\" ON true) AS typed",
            typed = typed.join(", "),
            identity = options.identity("nullif(partition_name, '')", "parts.file_name"),
            parts = self.part_values(),
            source = self.source(false),
        );
        unlisted(&rows)
    }

    /// The readers, with or without the column that names the file.
    pub fn source(&self, has_file_column: bool) -> String {
        let calls: Vec<String> = self
            .scans
            .iter()
            .map(|scan| {
                let file_column =
                    (String::from("filename"), Literal::Text(scan.file_column.clone()));
                scan.source(if has_file_column { std::slice::from_ref(&file_column) } else { &[] })
            })
            .collect();
        match calls.as_slice() {
            [call] => call.clone(),
            calls => {
                let selects: Vec<String> =
                    calls.iter().map(|call| format!("SELECT * FROM {call}")).collect();
                format!("({})", selects.join(" UNION ALL BY NAME "))
            }
        }
    }

    /// The partition of a row's file. The reader gives the file's name as a constant per batch, so this
    /// costs next to nothing. It must say the same as [`partition_of`].
    fn partition_expression(&self) -> String {
        let file = identifier(self.scans.first().map_or("", |scan| &scan.file_column));
        let path = if self.has_backslashes { format!("replace({file}, '\\', '/')") } else { file };
        as_bytes(&format!(
            "regexp_extract({path}, '(?:^|/)((?:[^/=]+=[^/]*/)*[^/=]+=[^/]*)/(?:[^/=]*/)*[^/]*$', 1)"
        ))
    }

    fn part_values(&self) -> String {
        let optional = |value: &Option<String>| match value {
            Some(value) => text(value),
            None => "CAST(NULL AS VARCHAR)".into(),
        };
        let parts: Vec<String> = self
            .parts
            .iter()
            .enumerate()
            .map(|(number, part)| {
                let partition_name = text(part.partition_name.as_deref().unwrap_or_default());
                format!("({number}, {partition_name}, {})", optional(&part.file_name))
            })
            .collect();
        parts.join(", ")
    }
}

/// The innermost run of directories `key=value` in a path, joined by `/`, as Hive names a partition;
/// plain directories below it (of a union, of a transaction) belong to the partition.
pub fn partition_of(path: &str, has_backslashes: bool) -> Option<String> {
    let path = if has_backslashes { path.replace('\\', "/") } else { path.to_owned() };
    let (directory, _) = path.rsplit_once('/')?;
    let mut parts: Vec<&str> = directory
        .split('/')
        .rev()
        .skip_while(|part| !part.contains('='))
        .take_while(|part| part.contains('=') && !part.starts_with('='))
        .collect();
    parts.reverse();
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// `DESCRIBE FORMATTED table column` of Hive 4 over a statement of one column: the properties in Hive's
/// order, what is missing as an empty text.
pub fn compose_description(statement: &str, has_histogram: bool) -> String {
    let bound = |end: &str| {
        format!(
            "CASE column_type WHEN 'date' THEN {end}_value \
             WHEN 'timestamp' THEN split_part({end}_value, '.', 1) \
             ELSE coalesce(CAST(long_{end}_value AS VARCHAR), CAST(double_{end}_value AS VARCHAR), \
             big_decimal_{end}_value) END"
        )
    };
    let plain = |name: &str| format!("CAST({name} AS VARCHAR)");
    let mut properties = vec![
        ("col_name", "column_name".to_owned()),
        ("data_type", "column_type".to_owned()),
        ("min", bound("low")),
        ("max", bound("high")),
        ("num_nulls", plain("num_nulls")),
        ("distinct_count", plain("num_distincts")),
        ("avg_col_len", plain("avg_col_len")),
        ("max_col_len", plain("max_col_len")),
        ("num_trues", plain("num_trues")),
        ("num_falses", plain("num_falses")),
        ("bit_vector", "CASE WHEN bit_vector IS NOT NULL THEN 'HL' END".to_owned()),
    ];
    if has_histogram {
        let quartiles = [quartile("Q1", "0.25"), quartile("Q2", "0.5"), quartile("Q3", "0.75")];
        properties.push(("histogram", quartiles.join(" || ', ' || ")));
    }
    properties.push(("comment", "''".to_owned()));
    let accurate =
        r#"'{\"BASIC_STATS\":\"true\",\"COLUMN_STATS\":{\"' || column_name || '\":\"true\"}}'"#;
    properties.push(("COLUMN_STATS_ACCURATE", accurate.to_owned()));
    let values: Vec<String> =
        properties.iter().map(|(_, value)| format!("coalesce({value}, '')")).collect();
    format!(
        "SELECT unnest({}) AS column_property, unnest([{}]) AS value FROM ({statement})",
        text_list(properties.iter().map(|(name, _)| *name)),
        values.join(", "),
    )
}

/// A quartile as Hive spells it: dates and timestamps as such, integers without a fraction, all others as
/// the floats they are kept as.
fn quartile(name: &str, rank: &str) -> String {
    let value = format!("hive_histogram_quantile(histogram, {rank})");
    let moment = format!("make_timestamp(CAST({value} AS BIGINT) * 1000000)");
    format!(
        "'{name}: ' || CASE \
         WHEN column_type IN ('date', 'timestamp') AND {value} NOT BETWEEN -62135596800 AND 253402300799 \
         THEN CAST({value} AS VARCHAR) \
         WHEN column_type = 'date' THEN CAST(CAST({moment} AS DATE) AS VARCHAR) \
         WHEN column_type = 'timestamp' THEN CAST({moment} AS VARCHAR) \
         WHEN long_low_value IS NOT NULL THEN CAST(CAST({value} AS HUGEINT) AS VARCHAR) \
         ELSE CAST(CAST({value} AS FLOAT) AS VARCHAR) END"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_the_innermost_run_of_keys() {
        let partition = |path: &str| partition_of(path, false);
        assert_eq!(partition("/d/p=1/q=a%2Fb/f.parquet"), Some("p=1/q=a%2Fb".into()));
        assert_eq!(partition("p=1/f.parquet"), Some("p=1".into()));
        assert_eq!(partition("/x=5/table/p=/delta_1/f=2.parquet"), Some("p=".into()));
        assert_eq!(partition("/d/=1/f.parquet"), None);
        assert_eq!(partition("f=1.parquet"), None);
        assert_eq!(partition_of("C:\\d\\p=1\\f.csv", true), Some("p=1".into()));
    }

    #[test]
    fn columns_of_the_null_row_are_those_of_the_source() {
        let statement = HiveFileStatement {
            scans: Vec::new(),
            columns: vec!["1".into()],
            parts: Vec::new(),
            is_partitioned: false,
            has_backslashes: false,
        };
        let text = statement.compose(&HiveOptions::default());
        assert!(text.contains(r#"[hive_stats("source"."1")] AS stats FROM (SELECT 1)"#), "{text}");
        assert!(text.contains("LIMIT 0) AS \"source\" ON true"), "{text}");
    }
}
