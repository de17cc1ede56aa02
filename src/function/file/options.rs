//! The arguments of the file functions: `file_column_stats(files, ...)` and its twin.

use crate::function::options::{NamedOption, option, read};
use colstats_core::error::{Error, Result};
use colstats_core::value::Literal;

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

/// The options of the reader.
pub fn reader_options<Checked: AsMut<FileOptions>>() -> Vec<NamedOption<Checked>> {
    vec![
        option("format", |checked: &mut Checked, given| {
            checked.as_mut().format = Some(Format::named(given.text()?)?);
            Ok(())
        }),
        option("read_options", |checked: &mut Checked, given| {
            checked.as_mut().read_options = read_options(given.value)?;
            Ok(())
        }),
    ]
}

/// The options.
pub fn file_options() -> Vec<NamedOption<FileOptions>> {
    let columns = option("columns", |checked: &mut FileOptions, given| {
        checked.columns = Some(given.column_names()?);
        Ok(())
    });
    let more: [NamedOption<FileOptions>; 6] = [
        option("union_by_name", |checked, given| {
            checked.union_by_name = given.boolean()?;
            Ok(())
        }),
        option("hive_partitioning", |checked, given| {
            checked.hive_partitioning = Some(given.boolean()?);
            Ok(())
        }),
        option("max_bound_bytes", |checked, given| {
            checked.max_bound_bytes = Some(given.max_bound_bytes()?);
            Ok(())
        }),
        option("table_id", |checked, given| {
            checked.table_id = Some(given.integer()?);
            Ok(())
        }),
        option("first_data_file_id", |checked, given| {
            checked.first_data_file_id = given.integer()?;
            Ok(())
        }),
        option("mode", |_, given| match given.text()? {
            "scan" => Ok(()),
            other => Err(Error::new(format!("mode '{other}' is not known; use 'scan'"))),
        }),
    ];
    [columns].into_iter().chain(reader_options()).chain(more).collect()
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
        read(&file_options(), named, &mut options)?;
        Ok(options)
    }
}

impl AsMut<FileOptions> for FileOptions {
    fn as_mut(&mut self) -> &mut FileOptions {
        self
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
