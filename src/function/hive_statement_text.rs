//! The twins of the table functions for Hive: scalars that return the statement, for
//! `FROM query(hive_table_column_stats_sql('my_temporary_table'))`.

use super::hive_column_stats::{query_statement, table_statement};
use super::hive_files::HiveFiles;
use super::statement_text::{arguments_at, named, text_overloads};
use crate::core::column_type::ColumnType;
use crate::error::Result;
use crate::ffi::aggregate::Arguments;
use crate::ffi::registry::Parameter;
use crate::ffi::scalar::ScalarFunction;
use crate::ffi::session::Host;
use crate::ffi::write::Cell;

/// `hive_column_stats_sql(files, options STRUCT)`: which files and columns there are is looked up when the
/// text is made, on a borrowed connection.
pub struct HiveColumnStatsSql;

/// `hive_table_column_stats_sql(table, options STRUCT)`.
pub struct HiveTableColumnStatsSql;

/// `hive_query_column_stats_sql(query, options STRUCT)`.
pub struct HiveQueryColumnStatsSql;

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

impl ScalarFunction for HiveTableColumnStatsSql {
    const NAME: &'static str = "hive_table_column_stats_sql";

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

impl ScalarFunction for HiveQueryColumnStatsSql {
    const NAME: &'static str = "hive_query_column_stats_sql";

    fn overloads() -> Vec<Vec<Parameter>> {
        text_overloads(Parameter::Of(ColumnType::Varchar))
    }

    fn result_type() -> ColumnType {
        ColumnType::Varchar
    }

    fn call(_host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let (query, options) = arguments_at(arguments, row)?;
        Ok(Cell::Varchar(query_statement(&query, &named(&options))?))
    }
}
