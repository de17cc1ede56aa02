//! Scalar functions in safe Rust: implement [`ScalarFunction`], register it.

use std::ffi::{CString, c_void};

use libduckdb_sys as sys;

use super::aggregate::Arguments;
use super::callback::{ErrorSink, contain, drop_boxed};
use super::registry::{Parameter, Registry, logical_types};
use super::session::Host;
use super::types;
use super::vector::Chunk;
use super::write::write_cell;
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;

/// A scalar function. It must give the same result for the same arguments, so that DuckDB may fold it.
pub trait ScalarFunction: 'static {
    /// The SQL name.
    const NAME: &'static str;

    /// The parameter lists it can be called with.
    fn overloads() -> Vec<Vec<Parameter>>;

    /// The type of its result.
    fn result_type() -> ColumnType;

    /// The result for one row. NULL arguments are passed on.
    fn call(host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell>;
}

/// Registers `F` with all its overloads.
pub fn register<F: ScalarFunction>(registry: &Registry) -> Result<()> {
    let name = super::handle::c_string(F::NAME)?;
    let result_type = types::build(&F::result_type())?;
    let overloads = F::overloads().iter().map(|o| logical_types(o)).collect::<Result<Vec<_>>>()?;
    // SAFETY: plain constructor; the set is destroyed below.
    let mut set = unsafe { sys::duckdb_create_scalar_function_set(name.as_ptr()) };
    let mut added = true;
    for parameters in overloads {
        // SAFETY: every handle is alive during its call and destroyed once.
        unsafe {
            let mut function = sys::duckdb_create_scalar_function();
            sys::duckdb_scalar_function_set_name(function, name.as_ptr());
            for logical_type in &parameters {
                sys::duckdb_scalar_function_add_parameter(function, logical_type.as_raw());
            }
            sys::duckdb_scalar_function_set_return_type(function, result_type.as_raw());
            sys::duckdb_scalar_function_set_special_handling(function);
            sys::duckdb_scalar_function_set_extra_info(
                function,
                Box::into_raw(Box::new(registry.host())).cast::<c_void>(),
                Some(drop_boxed::<Host>),
            );
            sys::duckdb_scalar_function_set_function(function, Some(call::<F>));
            added &= sys::duckdb_add_scalar_function_to_set(set, function) == sys::DuckDBSuccess;
            sys::duckdb_destroy_scalar_function(&mut function);
        }
    }
    // SAFETY: the connection and the set are alive.
    let registered = added
        && unsafe { sys::duckdb_register_scalar_function_set(registry.connection(), set) }
            == sys::DuckDBSuccess;
    // SAFETY: owned and not used again.
    unsafe { sys::duckdb_destroy_scalar_function_set(&mut set) };
    registered
        .then_some(())
        .ok_or_else(|| Error::new(format!("{} could not be registered", F::NAME)))
}

struct ScalarSink(sys::duckdb_function_info);

impl ErrorSink for ScalarSink {
    fn set_error(&self, message: &CString) {
        // SAFETY: the info is alive during the callback; the message is copied.
        unsafe { sys::duckdb_scalar_function_set_error(self.0, message.as_ptr()) };
    }
}

/// # Safety
/// * As DuckDB calls it: `output` is of the declared type and has room for the rows of `input`.
unsafe extern "C" fn call<F: ScalarFunction>(
    info: sys::duckdb_function_info,
    input: sys::duckdb_data_chunk,
    output: sys::duckdb_vector,
) {
    contain(&ScalarSink(info), || {
        // SAFETY: the extra info was set at registration; the chunk is DuckDB's for this call.
        let (host, chunk) = unsafe {
            let host = *sys::duckdb_scalar_function_get_extra_info(info).cast::<Host>();
            (host, Chunk::new(input))
        };
        let result_type = F::result_type();
        let types: Vec<ColumnType> =
            (0..chunk.column_count()).map(|index| chunk.column_type(index)).collect();
        let columns = types
            .iter()
            .enumerate()
            // SAFETY: the types are the columns' own.
            .map(|(index, column_type)| unsafe { chunk.column(index, column_type) })
            .collect();
        let arguments = Arguments { types: types.into(), columns };
        for row in 0..chunk.row_count() {
            let cell = F::call(host, &arguments, row).map_err(|error| error.context(F::NAME))?;
            // SAFETY: by the contract.
            unsafe { write_cell(output, &result_type, row as u64, &cell)? };
        }
        Ok(())
    });
}
