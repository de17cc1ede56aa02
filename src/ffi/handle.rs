//! Owned handles of the C API: each frees what it holds when it is dropped.

use std::ffi::{CStr, CString, c_char};

use libduckdb_sys as sys;

use colstats_core::error::{Error, Result};

/// A C string of SQL or of a name; a NUL byte in it is an error for the user.
pub fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::new("a name or a statement must not hold a NUL byte"))
}

/// A logical type.
pub struct LogicalType(sys::duckdb_logical_type);

impl LogicalType {
    /// Takes over a handle that the C API gave away.
    ///
    /// # Safety
    /// * `handle` is null or owned by the caller and not used elsewhere.
    pub unsafe fn from_raw(handle: sys::duckdb_logical_type) -> Self {
        LogicalType(handle)
    }

    /// The type with this C API number, without parameters.
    pub fn simple(type_id: sys::duckdb_type) -> Self {
        // SAFETY: takes any number; an unknown one yields the INVALID type.
        LogicalType(unsafe { sys::duckdb_create_logical_type(type_id) })
    }

    /// `element[]`.
    pub fn list(element: &LogicalType) -> Self {
        // SAFETY: the element is alive and copied.
        LogicalType(unsafe { sys::duckdb_create_list_type(element.0) })
    }

    /// `STRUCT(name type, ...)`.
    pub fn structure(fields: &[(String, LogicalType)]) -> Result<Self> {
        let names = fields.iter().map(|field| c_string(&field.0)).collect::<Result<Vec<_>>>()?;
        let mut name_pointers: Vec<*const c_char> = names.iter().map(|n| n.as_ptr()).collect();
        let mut types: Vec<sys::duckdb_logical_type> = fields.iter().map(|f| f.1.0).collect();
        // SAFETY: both arrays have as many members as said; names and types are copied.
        Ok(LogicalType(unsafe {
            sys::duckdb_create_struct_type(
                types.as_mut_ptr(),
                name_pointers.as_mut_ptr(),
                fields.len() as u64,
            )
        }))
    }

    /// The handle, lent.
    pub fn as_raw(&self) -> sys::duckdb_logical_type {
        self.0
    }
}

impl Drop for LogicalType {
    fn drop(&mut self) {
        // SAFETY: owned; the call accepts null.
        unsafe { sys::duckdb_destroy_logical_type(&mut self.0) };
    }
}

/// A value.
pub struct Value(sys::duckdb_value);

impl Value {
    /// Takes over a handle that the C API gave away.
    ///
    /// # Safety
    /// * `handle` is null or owned by the caller and not used elsewhere.
    pub unsafe fn from_raw(handle: sys::duckdb_value) -> Self {
        Value(handle)
    }

    /// The handle, lent.
    pub fn as_raw(&self) -> sys::duckdb_value {
        self.0
    }

    /// Whether there is no value at all, not even NULL: an argument that was not given.
    pub fn is_absent(&self) -> bool {
        self.0.is_null()
    }

    /// DuckDB's cast to VARCHAR.
    pub fn text(&self) -> Option<String> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: the value is alive; the returned string is owned by us.
        unsafe { owned_text(sys::duckdb_get_varchar(self.0)) }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: owned and not null.
            unsafe { sys::duckdb_destroy_value(&mut self.0) };
        }
    }
}

/// Copies a string that the C API allocated for us, and frees it.
///
/// # Safety
/// * `text` is null or a C string allocated by DuckDB and owned by the caller.
pub unsafe fn owned_text(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, and a C string by the contract.
    let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: allocated by DuckDB, not used again.
    unsafe { sys::duckdb_free(text.cast()) };
    Some(copy)
}
