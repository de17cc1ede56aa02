//! The arguments of the file functions: `file_column_stats(files, ...)` and its twin.

use crate::sql::literal::Literal;
use colstats_core::accumulator::Settings;
use colstats_core::error::{Error, Result};

/// A file format that DuckDB reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Parquet,
    Csv,
    Json,
}

impl Format {
    /// DuckDB's reader.
    pub fn reader(self) -> &'static str {
        match self {
            Format::Parquet => "read_parquet",
            Format::Csv => "read_csv",
            Format::Json => "read_json",
        }
    }

    fn named(name: &str) -> Result<Format> {
        match name.to_ascii_lowercase().as_str() {
            "parquet" => Ok(Format::Parquet),
            "csv" => Ok(Format::Csv),
            "json" => Ok(Format::Json),
            other => Err(Error::new(format!(
                "format '{other}' is not known; use 'parquet', 'csv' or 'json'"
            ))),
        }
    }

    /// The format a file's name says, looking through a compression suffix.
    pub fn of_file(name: &str) -> Result<Format> {
        let lower = name.to_ascii_lowercase();
        // A URL may have parameters after its path.
        let path = if lower.contains("://") {
            lower.split(['?', '#']).next().unwrap_or_default()
        } else {
            &lower
        };
        let plain = path.strip_suffix(".gz").or_else(|| path.strip_suffix(".zst")).unwrap_or(path);
        match plain.rsplit_once('.').map(|(_, extension)| extension) {
            Some("parquet" | "parq" | "pq" | "geoparquet") => Ok(Format::Parquet),
            Some("csv" | "tsv" | "txt") => Ok(Format::Csv),
            Some("json" | "jsonl" | "ndjson" | "geojson") => Ok(Format::Json),
            _ => Err(Error::new(format!(
                "the name of file '{name}' does not say its format; \
                 add format := 'parquet', 'csv' or 'json'"
            ))),
        }
    }
}

/// The checked arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct FileOptions {
    pub files: Vec<String>,
    pub columns: Option<Vec<String>>,
    pub format: Option<Format>,
    pub read_options: Vec<(String, Literal)>,
    pub union_by_name: bool,
    pub hive_partitioning: Option<bool>,
    pub max_bound_bytes: Option<i64>,
    pub table_id: Option<i64>,
    pub first_data_file_id: i64,
    /// Whether the sizes of column chunks are wanted. Not an option of the caller.
    pub has_sizes: bool,
}

/// The options.
pub fn named_parameters() -> Vec<&'static str> {
    vec![
        "columns",
        "format",
        "read_options",
        "union_by_name",
        "hive_partitioning",
        "max_bound_bytes",
        "table_id",
        "first_data_file_id",
        "mode",
    ]
}

/// Options of the reader that this function sets itself.
const OWN_READ_OPTIONS: [&str; 3] = ["filename", "union_by_name", "hive_partitioning"];

impl FileOptions {
    /// Checks the arguments. An option whose name is not known is an error.
    pub fn new(files: &Literal, named: &[(&str, Literal)]) -> Result<FileOptions> {
        let mut options = FileOptions {
            files: files.as_texts("files")?,
            columns: None,
            format: None,
            read_options: Vec::new(),
            union_by_name: false,
            hive_partitioning: None,
            max_bound_bytes: None,
            table_id: None,
            first_data_file_id: 0,
            has_sizes: true,
        };
        if options.files.is_empty() {
            return Err(Error::new("files is an empty list; name at least one file"));
        }
        for (name, value) in named {
            options.set(name, value)?;
        }
        if options.columns.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::new("columns is an empty list; name a column or leave it out"));
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &Literal) -> Result<()> {
        match name {
            "columns" => self.columns = Some(value.as_texts(name)?),
            "format" => self.format = Some(Format::named(value.as_text(name)?)?),
            "read_options" => self.read_options = read_options(value)?,
            "union_by_name" => self.union_by_name = value.as_boolean(name)?,
            "hive_partitioning" => self.hive_partitioning = Some(value.as_boolean(name)?),
            "max_bound_bytes" => {
                let bytes = value.as_integer(name)?;
                Settings::with_max_bound_bytes(bytes)?;
                self.max_bound_bytes = Some(bytes);
            }
            "table_id" => self.table_id = Some(value.as_integer(name)?),
            "first_data_file_id" => self.first_data_file_id = value.as_integer(name)?,
            "mode" => match value.as_text(name)? {
                "scan" => {}
                other => {
                    return Err(Error::new(format!("mode '{other}' is not known; use 'scan'")));
                }
            },
            other => {
                let known: Vec<&str> = named_parameters();
                return Err(Error::new(format!(
                    "option '{other}' is not known; the options are {}",
                    known.join(", ")
                )));
            }
        }
        Ok(())
    }
}

fn read_options(value: &Literal) -> Result<Vec<(String, Literal)>> {
    let entries = value.as_entries("read_options")?;
    for (name, _) in &entries {
        if OWN_READ_OPTIONS.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(Error::new(format!(
                "read_options must not hold '{name}': the function sets it itself \
                 (union_by_name and hive_partitioning are options of their own)"
            )));
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_follow_names() {
        assert_eq!(Format::of_file("a.PARQUET"), Ok(Format::Parquet));
        assert_eq!(Format::of_file("dir.x/a.csv.gz"), Ok(Format::Csv));
        assert_eq!(Format::of_file("a.ndjson.zst"), Ok(Format::Json));
        assert_eq!(Format::of_file("https://h/a.parquet?token=x.y"), Ok(Format::Parquet));
        assert!(Format::of_file("a.dat").unwrap_err().to_string().contains("format :="));
    }

    #[test]
    fn options_are_checked() {
        let files = Literal::Text("a".into());
        let error = |name: &'static str, value| {
            FileOptions::new(&files, &[(name, value)]).unwrap_err().to_string()
        };
        assert!(error("max_bound_bytes", Literal::Integer(0)).contains("between 1 and"));
        assert!(error("colums", Literal::Null).contains("the options are columns, format"));
        assert!(error("table_id", Literal::Null).contains("must not be NULL"));
        let own = Literal::Struct(vec![("FileName".into(), Literal::Boolean(true))]);
        assert!(error("read_options", own).contains("must not hold 'FileName'"));
    }
}
