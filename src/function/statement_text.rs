//! The twins of the table functions: scalars that return the statement a table function would run, so
//! that it can run in the caller's own session and transaction:
//! `FROM query(table_column_stats_sql('my_temporary_table'))`.

use super::file_discovery::plan;
use super::file_options::FileOptions;
use super::table_column_stats::{query_statement, table_statement};
use crate::core::column_type::ColumnType;
use crate::error::{Error, Result};
use crate::ffi::aggregate::Arguments;
use crate::ffi::registry::Parameter;
use crate::ffi::scalar::ScalarFunction;
use crate::ffi::session::Host;
use crate::ffi::value::literal_at;
use crate::ffi::write::Cell;
use crate::sql::literal::Literal;

/// `file_column_stats_sql(files, options STRUCT)`: which files and columns there are is looked up when the
/// text is made, on a borrowed connection.
pub struct FileColumnStatsSql;

/// `table_column_stats_sql(table, options STRUCT)`.
pub struct TableColumnStatsSql;

/// `query_column_stats_sql(query, options STRUCT)`.
pub struct QueryColumnStatsSql;

/// The first argument, and the named options of the second.
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
        Some(Literal::Struct(fields)) => fields,
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

impl ScalarFunction for TableColumnStatsSql {
    const NAME: &'static str = "table_column_stats_sql";

    fn overloads() -> Vec<Vec<Parameter>> {
        text_overloads(Parameter::Of(ColumnType::Varchar))
    }

    fn result_type() -> ColumnType {
        ColumnType::Varchar
    }

    fn call(_host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let (table, options) = arguments_at(arguments, row)?;
        Ok(Cell::Varchar(table_statement(&table, &named(&options))?))
    }
}

impl ScalarFunction for QueryColumnStatsSql {
    const NAME: &'static str = "query_column_stats_sql";

    fn overloads() -> Vec<Vec<Parameter>> {
        text_overloads(Parameter::Of(ColumnType::Varchar))
    }

    fn result_type() -> ColumnType {
        ColumnType::Varchar
    }

    fn call(host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let (query, options) = arguments_at(arguments, row)?;
        let statement = query_statement(&query, &named(&options))?;
        // Where no connection is to be had, DuckDB's own `query` is the only judge.
        if let Ok(session) = host.connect() {
            session.check_is_one_statement(query.as_text("query")?)?;
        }
        Ok(Cell::Varchar(statement))
    }
}
