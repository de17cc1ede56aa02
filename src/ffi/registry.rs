//! What registration needs: a connection for the time of the load, and the host to borrow from later.

use libduckdb_sys as sys;

use super::handle::LogicalType;
use super::session::Host;
use super::types;
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};

/// The type of a parameter.
#[derive(Debug, Clone)]
pub enum Parameter {
    /// Any type at all.
    Any,
    Of(ColumnType),
}

impl Parameter {
    /// The type as DuckDB takes it.
    pub fn logical_type(&self) -> Result<LogicalType> {
        match self {
            Parameter::Any => Ok(LogicalType::simple(sys::DUCKDB_TYPE_DUCKDB_TYPE_ANY)),
            Parameter::Of(column_type) => types::build(column_type),
        }
    }
}

/// The types of a parameter list. Built before anything that would have to be freed by hand.
pub fn logical_types(parameters: &[Parameter]) -> Result<Vec<LogicalType>> {
    parameters.iter().map(Parameter::logical_type).collect()
}

/// An open registration. Its connection is closed when it is dropped.
pub struct Registry {
    connection: sys::duckdb_connection,
    host: Host,
}

impl Registry {
    /// # Safety
    /// * `database` is alive until the registry is dropped, and `host` was noted from it.
    pub unsafe fn open(database: sys::duckdb_database, host: Host) -> Result<Self> {
        let mut connection = std::ptr::null_mut();
        // SAFETY: by the contract.
        if unsafe { sys::duckdb_connect(database, &mut connection) } != sys::DuckDBSuccess {
            return Err(Error::new("no connection for registering functions"));
        }
        Ok(Registry { connection, host })
    }

    /// The connection, lent.
    pub fn connection(&self) -> sys::duckdb_connection {
        self.connection
    }

    /// The host to borrow connections from.
    pub fn host(&self) -> Host {
        self.host
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // SAFETY: owned and not used again.
        unsafe { sys::duckdb_disconnect(&mut self.connection) };
    }
}
