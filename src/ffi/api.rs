//! The entry point, and the guard between the host's table of C functions and `libduckdb-sys`.
//!
//! `libduckdb-sys` 1.20000 copies 548 function pointers out of the host's table, but hosts from 1.3 on
//! hold fewer: it would read past the end. So the table it gets to see is our own copy: the first 357
//! members, which are the stable C API v1.2.0 and have the same order in every host, and zeros after
//! them. A call outside that prefix then fails loudly instead of landing in a wrong function.
//!
//! The entry macro of `duckdb-loadable-macros` is used for its inner function; the symbol that DuckDB
//! calls is [`colstats_init_c_api`] below, which hands that function a guarded access structure.

use std::ffi::{CStr, c_char, c_void};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};

use duckdb::Connection;
use duckdb_loadable_macros::duckdb_entrypoint_c_api;
use libduckdb_sys as sys;

use super::callback;
use super::registry::Registry;
use super::session::Host;
use colstats_core::error::{Error, Result};

/// The C API version asked of the host, and written into the file's footer.
const API_VERSION: &CStr = c"v1.2.0";

/// How much of the host's table is the stable API: all before the first member that is not part of it.
const STABLE_PREFIX_BYTES: usize = offset_of!(sys::duckdb_ext_api_v1, duckdb_row_count);

/// The oldest host whose nested vectors reach an aggregate in a readable state.
const OLDEST_HOST: (u32, u32) = (1, 3);

/// What stands between the host's access structure and `libduckdb-sys` while the extension loads. Its
/// address is passed as the opaque `info`, so no global is needed.
struct Guard {
    info: sys::duckdb_extension_info,
    host: *const sys::duckdb_extension_access,
    api: Box<sys::duckdb_ext_api_v1>,
    database: *mut sys::duckdb_database,
}

/// The function DuckDB calls at LOAD.
///
/// # Safety
/// * `info` and `access` are those DuckDB passes to an extension's entry point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn colstats_init_c_api(
    info: sys::duckdb_extension_info,
    access: *const sys::duckdb_extension_access,
) -> bool {
    let loaded = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: passed on as received.
        unsafe { load(info, access) }
    }))
    .unwrap_or_else(|_| Err(Error::new("colstats met a fault of its own while loading")));
    match loaded {
        Ok(()) => true,
        Err(error) => {
            // SAFETY: `access` is valid for the duration of the entry point.
            if let Some(set_error) = unsafe { (*access).set_error } {
                let text = callback::message(&error);
                // SAFETY: the host copies the message.
                unsafe { set_error(info, text.as_ptr()) };
            }
            false
        }
    }
}

/// # Safety
/// As for [`colstats_init_c_api`].
unsafe fn load(
    info: sys::duckdb_extension_info,
    access: *const sys::duckdb_extension_access,
) -> Result<()> {
    // SAFETY: `access` is valid for the duration of the entry point.
    let (get_api, get_database) = unsafe { ((*access).get_api, (*access).get_database) };
    let (Some(get_api), Some(get_database)) = (get_api, get_database) else {
        return Err(Error::new("this DuckDB offers no C extension API"));
    };
    // SAFETY: the host's own function with its own handle and a C string.
    let table = unsafe { get_api(info, API_VERSION.as_ptr()) };
    if table.is_null() {
        return Err(Error::new("this DuckDB does not offer the C API v1.2.0 that colstats needs"));
    }
    // SAFETY: every host that grants v1.2.0 has at least the stable prefix.
    let api = unsafe { stable_prefix(table) };
    check_host_version(&api)?;
    // SAFETY: the host's own function with its own handle.
    let database = unsafe { get_database(info) };
    if database.is_null() {
        return Err(Error::new("DuckDB handed the extension no database"));
    }
    let guard = Guard { info, host: access, api, database };
    let guarded_access = sys::duckdb_extension_access {
        set_error: Some(guarded_set_error),
        get_database: Some(guarded_get_database),
        get_api: Some(guarded_get_api),
    };
    let guarded_info: sys::duckdb_extension_info = (&raw const guard).cast_mut().cast();
    // SAFETY: the guarded functions take exactly this `info`, and `guard` outlives the call.
    let entered = unsafe { colstats_inner_init_c_api_internal(guarded_info, &guarded_access) };
    match entered {
        Ok(true) => {}
        Ok(false) => return Err(Error::new("the C API could not be set up")),
        Err(error) => return Err(Error::new(error.to_string())),
    }
    // SAFETY: the API is set up, and `database` holds the handle that lives as long as this load.
    unsafe { register_all(*guard.database) }
}

/// A zeroed table with the host's stable prefix in front.
///
/// # Safety
/// * `table` points at the table a host returned for C API v1.2.0.
unsafe fn stable_prefix(table: *const c_void) -> Box<sys::duckdb_ext_api_v1> {
    // SAFETY: all members are nullable function pointers, for which zero is `None`.
    let mut api: Box<sys::duckdb_ext_api_v1> = Box::new(unsafe { std::mem::zeroed() });
    // SAFETY: both sides hold the prefix; it consists of plain pointers.
    unsafe {
        std::ptr::copy_nonoverlapping(
            table.cast::<u8>(),
            (&raw mut *api).cast::<u8>(),
            STABLE_PREFIX_BYTES,
        );
    }
    api
}

fn check_host_version(api: &sys::duckdb_ext_api_v1) -> Result<()> {
    let Some(library_version) = api.duckdb_library_version else {
        return Err(Error::new("this DuckDB does not tell its version"));
    };
    // SAFETY: returns a static C string.
    let version = unsafe { CStr::from_ptr(library_version()) }.to_string_lossy();
    let mut numbers = version.trim_start_matches('v').split(['.', '-']).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(0)), Some(Ok(0))) => Ok(()),
        (Some(Ok(major)), Some(Ok(minor))) if (major, minor) < OLDEST_HOST => {
            Err(Error::new(format!(
                "colstats needs DuckDB 1.3.0 or newer (this is {version}): older versions cannot hand \
                 nested columns to an aggregate function. Please upgrade DuckDB."
            )))
        }
        // What does not parse, and v0.0.x above, is a development build, newer than any release.
        _ => Ok(()),
    }
}

/// What the entry macro generates an inner function around: by now `libduckdb-sys` is initialised. The
/// connection it hands over is not needed: registration opens its own, and both are closed again.
#[duckdb_entrypoint_c_api(ext_name = "colstats_inner", min_duckdb_version = "v1.2.0")]
fn initialised(_connection: Connection) -> std::result::Result<(), Box<dyn std::error::Error>> {
    Ok(())
}

/// # Safety
/// * `database` is alive, and the C API is set up.
unsafe fn register_all(database: sys::duckdb_database) -> Result<()> {
    // SAFETY: passed on.
    let host = unsafe { Host::note(database) };
    // SAFETY: passed on.
    let registry = unsafe { Registry::open(database, host) }?;
    crate::function::register(&registry)
}

/// # Safety
/// * `info` is the address of a live [`Guard`].
unsafe extern "C" fn guarded_get_api(
    info: sys::duckdb_extension_info,
    _version: *const c_char,
) -> *const c_void {
    // SAFETY: by the contract.
    unsafe { (&raw const *(*info.cast::<Guard>()).api).cast() }
}

/// # Safety
/// * `info` is the address of a live [`Guard`].
unsafe extern "C" fn guarded_get_database(
    info: sys::duckdb_extension_info,
) -> *mut sys::duckdb_database {
    // SAFETY: by the contract.
    unsafe { (*info.cast::<Guard>()).database }
}

/// # Safety
/// * `info` is the address of a live [`Guard`]; `error` is a C string.
unsafe extern "C" fn guarded_set_error(info: sys::duckdb_extension_info, error: *const c_char) {
    // SAFETY: by the contract.
    let guard = unsafe { &*info.cast::<Guard>() };
    // SAFETY: the host's access structure outlives the load.
    if let Some(set_error) = unsafe { (*guard.host).set_error } {
        // SAFETY: the host's own function and handle; the host copies the message.
        unsafe { set_error(guard.info, error) };
    }
}

#[cfg(test)]
#[path = "api_tests.rs"]
mod tests;
