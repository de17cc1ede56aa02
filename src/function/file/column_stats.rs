//! The table function `file_column_stats(files, ...)`: per file and leaf column, rows shaped like
//! DuckLake's `ducklake_file_column_stats`, and its twin `file_column_stats_sql`.

use super::columns::explain_null_bytes;
use super::discovery::{discover, plan_of_file};
use super::list::expand;
use super::options::{FileOptions, file_options};
use crate::ffi::registry::Parameter;
use crate::ffi::session::Session;
use crate::ffi::table::{Answer, TableFunction};
use crate::function::options::names;
use crate::function::own_session::isolate;
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};
use colstats_core::value::Literal;

/// `file_column_stats(files VARCHAR or VARCHAR[], ...)`. A NULL argument, a pattern that matches nothing,
/// and a file that cannot be read are errors.
pub struct FileColumnStats;

/// Names and types of the columns, which all functions of this shape share.
pub fn file_columns() -> Vec<(&'static str, ColumnType)> {
    vec![
        ("data_file_id", ColumnType::BigInt),
        ("table_id", ColumnType::BigInt),
        ("column_id", ColumnType::BigInt),
        ("column_size_bytes", ColumnType::BigInt),
        ("value_count", ColumnType::BigInt),
        ("null_count", ColumnType::BigInt),
        ("min_value", ColumnType::Varchar),
        ("max_value", ColumnType::Varchar),
        ("contains_nan", ColumnType::Boolean),
        ("extra_stats", ColumnType::Varchar),
        ("file_name", ColumnType::Varchar),
        ("column_name", ColumnType::Varchar),
        ("column_type", ColumnType::Varchar),
    ]
}

impl TableFunction for FileColumnStats {
    type Bound = FileOptions;

    const NAME: &'static str = "file_column_stats";

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Any]
    }

    fn named_parameters() -> Vec<&'static str> {
        names(&file_options())
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        file_columns()
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<FileOptions> {
        let files = positional.first().ok_or_else(|| Error::new("files is missing"))?;
        FileOptions::new(files, &named)
    }

    fn answer(bound: &FileOptions, session: &Session) -> Result<Answer> {
        // Options of the reader may name types of the user.
        if bound.read_options.is_empty() {
            isolate(session)?;
        }
        discover(bound, session)
            .and_then(|statements| Answer::of_statements(&statements, session))
            .map_err(|error| explained(bound, session, error))
    }
}

/// A failure, with the file it is about.
fn explained(options: &FileOptions, session: &Session, error: Error) -> Error {
    explain_null_bytes(name_the_file(options, session, &error).unwrap_or(error))
}

/// How many files are read again to find the one that a failure is about.
const MAX_FILES_TRIED: usize = 100;

/// DuckDB's messages do not all say which file they are about. Where this one does not, the files are read
/// one by one until one fails: slow, but only after a failure. `None` when nothing can be added.
pub fn name_the_file(options: &FileOptions, session: &Session, error: &Error) -> Option<Error> {
    let files = expand(&options.files, session).ok()?;
    let message = error.to_string();
    if files.iter().any(|file| message.contains(file.as_str())) {
        return None;
    }
    let about = |file: &str, error: Error| error.context(format!("file '{file}'"));
    if let [file] = files.as_slice() {
        return Some(about(file, error.clone()));
    }
    // That DuckDB cannot list a footer is no failure.
    let options = FileOptions { has_sizes: false, ..options.clone() };
    files.iter().take(MAX_FILES_TRIED).find_map(|file| {
        let statement = plan_of_file(file, &options, session);
        let failure = statement.and_then(|plan| session.query(&plan.compose())).err()?;
        Some(if failure.to_string().contains(file.as_str()) {
            failure
        } else {
            about(file, failure)
        })
    })
}
