//! A connection to the database that a function runs in, borrowed for one call.
//!
//! The stable C API gives a function no connection. One opened at LOAD and kept would make a reference
//! cycle: after `close()` the file would stay locked. The database handle of LOAD dies with LOAD. What
//! remains is the address of the `DatabaseInstance`, which is alive whenever one of its functions runs:
//! it is noted at LOAD without owning it, and each call lends `duckdb_connect` a stand-in for the two
//! wrappers around it.
//!
//! That rests on DuckDB's private layout, the same in every release from 1.2 to 2.0:
//! `duckdb_database -> { DuckDB *, .. } -> { DatabaseInstance *, .. }`, both being `shared_ptr`s, and
//! `duckdb_connection -> { ClientContext *, .. } -> { weak self (2 words), DatabaseInstance *, .. }`.
//! [`Host::note`] reads the instance both ways; where they differ, nothing is ever lent and the callers
//! say what to do instead. This file is the only place that knows.

use std::ffi::CStr;

use libduckdb_sys as sys;

use super::handle::c_string;
use super::rows::Rows;
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};
use colstats_core::query::Query;

/// The database instance, noted and not owned.
#[derive(Debug, Clone, Copy)]
pub struct Host {
    /// Null where the layout is not the known one.
    instance: *const (),
}

// SAFETY: an address that is only passed back to DuckDB, whose instance may be used from any thread.
unsafe impl Send for Host {}
// SAFETY: as above; it is never written.
unsafe impl Sync for Host {}

/// `shared_ptr` in memory: the object and its control block. With a null control block, copies of it
/// count nothing, so they own nothing.
#[repr(C)]
struct SharedPointer {
    object: *const (),
    control: *const (),
}

impl Host {
    /// Notes the instance behind `database`.
    ///
    /// # Safety
    /// * `database` is alive and the C API is set up.
    pub unsafe fn note(database: sys::duckdb_database) -> Host {
        // SAFETY: by the contract; the words are those of the layout above, or the two ways differ.
        let (noted, reached) = unsafe { (word(word(database.cast(), 0), 0), reached(database)) };
        let instance = if noted == reached { noted } else { std::ptr::null() };
        Host { instance }
    }

    /// Opens a connection, which is closed when the session is dropped.
    pub fn connect(&self) -> Result<Session> {
        if self.instance.is_null() {
            return Err(Error::new(
                "this DuckDB lends colstats no connection; use the statement instead: \
                 FROM query(table_column_stats_sql('my_table')) or \
                 FROM query(query_column_stats_sql('FROM ''my_file.parquet'''))",
            ));
        }
        let mut connection = std::ptr::null_mut();
        // SAFETY: the stand-in is only read during the call; the instance is alive, as one of its functions is
        // running.
        let state = self.lend(|stand_in| unsafe { sys::duckdb_connect(stand_in, &mut connection) });
        if state != sys::DuckDBSuccess {
            return Err(Error::new("no connection to the database could be opened"));
        }
        Ok(Session { connection })
    }

    /// Calls `use_database` with a stand-in for the handle of the database, which has the layout that
    /// [`Host::note`] verified and lives as long as the call.
    pub(super) fn lend<T>(&self, use_database: impl FnOnce(sys::duckdb_database) -> T) -> T {
        let database = SharedPointer { object: self.instance, control: std::ptr::null() };
        let wrapper =
            SharedPointer { object: (&raw const database).cast(), control: std::ptr::null() };
        use_database((&raw const wrapper).cast_mut().cast())
    }
}

/// The instance as a real connection knows it; null when there is no connection to be had.
///
/// # Safety
/// * As for [`Host::note`].
unsafe fn reached(database: sys::duckdb_database) -> *const () {
    let mut connection = std::ptr::null_mut();
    // SAFETY: by the contract.
    unsafe {
        if sys::duckdb_connect(database, &mut connection) != sys::DuckDBSuccess {
            return std::ptr::null();
        }
        let instance = word(word(connection.cast(), 0), 2);
        sys::duckdb_disconnect(&mut connection);
        instance
    }
}

/// The word at `index` behind `pointer`; null behind null.
///
/// # Safety
/// * `pointer` is null or points at `index + 1` readable words.
unsafe fn word(pointer: *const (), index: usize) -> *const () {
    if pointer.is_null() {
        return pointer;
    }
    // SAFETY: by the contract.
    unsafe { *pointer.cast::<*const ()>().add(index) }
}

/// DuckDB makes several statements of a PIVOT that has to look its columns up first.
const PIVOT_HINT: &str =
    "a PIVOT is one only with its values listed, as in PIVOT t ON c IN (1, 2) USING sum(x)";

/// An open connection.
pub struct Session {
    connection: sys::duckdb_connection,
}

// SAFETY: a connection may be used from any thread, by one at a time.
unsafe impl Send for Session {}

impl Session {
    /// Whether a text is one complete statement by itself: put into brackets, half a statement could
    /// complete another one. Nothing is looked up or run.
    pub fn check_is_one_statement(&self, text: &str) -> Result<()> {
        self.extract(text).map(drop)
    }

    fn extract(&self, text: &str) -> Result<Extracted> {
        let text = c_string(text)?;
        let mut extracted = Extracted(std::ptr::null_mut());
        // SAFETY: the connection is open; the handle is freed when it is dropped.
        let count = unsafe {
            sys::duckdb_extract_statements(self.connection, text.as_ptr(), &mut extracted.0)
        };
        match count {
            0 => {
                // SAFETY: the handle is alive.
                let message = unsafe { sys::duckdb_extract_statements_error(extracted.0) };
                if message.is_null() {
                    return Err(Error::new("the query is empty; give a SELECT statement"));
                }
                // SAFETY: the text belongs to the handle, which is alive.
                Err(unsafe { error_text(message) })
            }
            1 => Ok(extracted),
            _ => Err(Error::new(format!("give one SELECT statement, not several; {PIVOT_HINT}"))),
        }
    }

    /// Runs one SELECT to its end. The result is held by DuckDB's buffers and outlives the session.
    ///
    /// The text may hold a query of the caller: it is prepared first, so that nothing but one SELECT is
    /// ever run, whatever brackets and semicolons it holds.
    pub fn query(&self, statement: &str) -> Result<Rows> {
        let prepared = self.prepare(statement)?;
        prepared.check_is_select()?;
        prepared.execute()
    }

    /// Runs a query to its end, and makes of each row what it says.
    pub fn collect<T>(&self, query: &Query<T>) -> Result<Vec<T>> {
        self.query(&query.statement)?.collect(query.read)
    }

    /// Names and types of the columns of a SELECT, which is best one without rows: it is run.
    pub fn columns(&self, statement: &str) -> Result<Vec<(String, ColumnType)>> {
        Ok(self.query(statement)?.columns())
    }

    /// An error for a statement that is no SELECT. Of one that cannot be prepared nothing is said.
    pub fn check_is_select(&self, statement: &str) -> Result<()> {
        self.prepare(statement).map_or(Ok(()), |prepared| prepared.check_is_select())
    }

    /// Runs a statement of colstats' own that changes nothing but this session: a setting, the bounds of a
    /// transaction, a temporary table.
    pub fn change(&self, statement: &str) -> Result<()> {
        self.prepare(statement)?.execute().map(drop)
    }

    fn prepare(&self, statement: &str) -> Result<Prepared> {
        let extracted = self.extract(statement)?;
        let mut prepared = Prepared(std::ptr::null_mut());
        // SAFETY: the connection is open; both handles are freed when they are dropped.
        unsafe {
            let state = sys::duckdb_prepare_extracted_statement(
                self.connection,
                extracted.0,
                0,
                &mut prepared.0,
            );
            if state != sys::DuckDBSuccess {
                return Err(error_text(sys::duckdb_prepare_error(prepared.0)));
            }
        }
        Ok(prepared)
    }
}

struct Extracted(sys::duckdb_extracted_statements);

impl Drop for Extracted {
    fn drop(&mut self) {
        // SAFETY: owned and not used again.
        unsafe { sys::duckdb_destroy_extracted(&mut self.0) };
    }
}

struct Prepared(sys::duckdb_prepared_statement);

impl Prepared {
    fn check_is_select(&self) -> Result<()> {
        // SAFETY: the statement is prepared.
        let kind = unsafe { sys::duckdb_prepared_statement_type(self.0) };
        if kind == sys::duckdb_statement_type_DUCKDB_STATEMENT_TYPE_SELECT {
            Ok(())
        } else {
            Err(Error::new(format!("give a SELECT statement; {PIVOT_HINT}")))
        }
    }

    fn execute(&self) -> Result<Rows> {
        let mut rows = Rows::empty();
        // SAFETY: the statement is prepared; the result is freed when it is dropped.
        let state = unsafe { sys::duckdb_execute_prepared(self.0, rows.as_raw()) };
        if state == sys::DuckDBSuccess {
            Ok(rows)
        } else {
            // SAFETY: the text belongs to the result, which is alive.
            Err(unsafe { error_text(sys::duckdb_result_error(rows.as_raw())) })
        }
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: owned and not used again.
        unsafe { sys::duckdb_destroy_prepare(&mut self.0) };
    }
}

/// DuckDB's message as an error.
///
/// # Safety
/// * `text` is null or a C string that is alive.
unsafe fn error_text(text: *const std::ffi::c_char) -> Error {
    if text.is_null() {
        return Error::new("the statement failed without a message");
    }
    // SAFETY: by the contract.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    // What follows shows a line of the composed statement, which the user did not write.
    let message = text.split("\n\nLINE ").next().unwrap_or_default();
    Error::new(message.trim_end())
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: owned and not used again.
        unsafe { sys::duckdb_disconnect(&mut self.connection) };
    }
}
