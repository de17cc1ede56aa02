//! The twins of the table functions: scalars that return the statement a table function would run, so
//! that it can run in the caller's own session and transaction:
//! `FROM query(table_column_stats_sql('my_temporary_table'))`. Here are what all of them share and those
//! over files.

use crate::ffi::aggregate::Arguments;
use crate::ffi::registry::Parameter;
use crate::ffi::scalar::ScalarFunction;
use crate::ffi::session::Host;
use crate::ffi::value::literal_at;
use crate::function::file::discovery::plan;
use crate::function::file::options::FileOptions;
use crate::function::hive::files::HiveFiles;
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;
use colstats_core::value::Literal;

/// `file_column_stats_sql(files, options STRUCT)`: which files and columns there are is looked up when the
/// text is made, on a borrowed connection.
pub struct FileColumnStatsSql;

/// `hive_column_stats_sql(files, options STRUCT)`, likewise.
pub struct HiveColumnStatsSql;

/// The first argument, and the named options of the second, in small letters: the names of DuckDB's own named
/// arguments do not depend on their case either.
pub(super) fn arguments_at(
    arguments: &Arguments<'_>,
    row: usize,
) -> Result<(Literal, Vec<(String, Literal)>)> {
    let mut literals = arguments
        .columns
        .iter()
        .zip(arguments.types.iter())
        .map(|(column, column_type)| literal_at(column, column_type, row));
    let subject = literals.next().unwrap_or(Literal::Null);
    let options = match literals.next() {
        None | Some(Literal::Null) => Vec::new(),
        Some(Literal::Struct(fields)) => {
            fields.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect()
        }
        Some(_) => {
            return Err(Error::new("the options must be a STRUCT such as {'columns': ['a']}"));
        }
    };
    Ok((subject, options))
}

pub(super) fn text_overloads(subject: Parameter) -> Vec<Vec<Parameter>> {
    vec![vec![subject.clone()], vec![subject, Parameter::Any]]
}

pub(super) fn named(options: &[(String, Literal)]) -> Vec<(&str, Literal)> {
    options.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
}

impl ScalarFunction for FileColumnStatsSql {
    const NAME: &'static str = "file_column_stats_sql";

    fn overloads() -> Vec<Vec<Parameter>> {
        text_overloads(Parameter::Any)
    }

    fn result_type() -> ColumnType {
        ColumnType::Varchar
    }

    fn call(host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let (files, options) = arguments_at(arguments, row)?;
        let options = FileOptions::new(&files, &named(&options))?;
        Ok(Cell::Varchar(plan(&options, &host.connect()?)?.compose()))
    }
}

impl ScalarFunction for HiveColumnStatsSql {
    const NAME: &'static str = "hive_column_stats_sql";

    fn overloads() -> Vec<Vec<Parameter>> {
        text_overloads(Parameter::Any)
    }

    fn result_type() -> ColumnType {
        ColumnType::Varchar
    }

    fn call(host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let (files, options) = arguments_at(arguments, row)?;
        let files = HiveFiles::new(&files, &named(&options))?;
        Ok(Cell::Varchar(files.statement(&host.connect()?)?))
    }
}
