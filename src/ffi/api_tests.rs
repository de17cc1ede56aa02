//! Which C functions may be called, and what the guard lets through.
//!
//! A function outside the stable prefix does not fail to link: on an older host its place in the table
//! holds another function or rubbish. So every name in use stands in the list below, the compiler finds
//! its place in the table, and a test compares the list with the source.

use std::collections::BTreeSet;

use super::super::handle::c_string;
use super::*;
use crate::boundary_tests::source_files;

/// How many functions the stable C API v1.2.0 has.
const STABLE_MEMBERS: usize = 357;

const POINTER_BYTES: usize = size_of::<*const ()>();

macro_rules! allowed_functions {
    ($($name:ident)*) => {
        /// The functions in use and their places in the host's table.
        const ALLOWED: &[(&str, usize)] = &[
            $((stringify!($name), offset_of!(sys::duckdb_ext_api_v1, $name) / POINTER_BYTES),)*
        ];
    };
}

macro_rules! known_types {
    ($($name:ident)*) => {
        /// What else of the C API has a lower-case name: types, of any size.
        const TYPES: &[(&str, usize)] =
            &[$((stringify!($name), size_of::<sys::$name>()),)*];
    };
}

allowed_functions! {
    duckdb_add_aggregate_function_to_set
    duckdb_add_scalar_function_to_set
    duckdb_aggregate_function_add_parameter
    duckdb_aggregate_function_set_destructor
    duckdb_aggregate_function_set_error
    duckdb_aggregate_function_set_functions
    duckdb_aggregate_function_set_name
    duckdb_aggregate_function_set_return_type
    duckdb_aggregate_function_set_special_handling
    duckdb_array_type_array_size
    duckdb_array_type_child_type
    duckdb_array_vector_get_child
    duckdb_bind_add_result_column
    duckdb_bind_get_named_parameter
    duckdb_bind_get_parameter
    duckdb_bind_set_bind_data
    duckdb_bind_set_error
    duckdb_column_count
    duckdb_column_logical_type
    duckdb_column_name
    duckdb_connect
    duckdb_create_aggregate_function
    duckdb_create_aggregate_function_set
    duckdb_create_bignum
    duckdb_create_bit
    duckdb_create_date
    duckdb_create_decimal
    duckdb_create_double
    duckdb_create_float
    duckdb_create_list_type
    duckdb_create_logical_type
    duckdb_create_scalar_function
    duckdb_create_scalar_function_set
    duckdb_create_struct_type
    duckdb_create_table_function
    duckdb_create_time
    duckdb_create_timestamp
    duckdb_create_timestamp_ms
    duckdb_create_timestamp_ns
    duckdb_create_timestamp_s
    duckdb_create_timestamp_tz
    duckdb_create_uuid
    duckdb_data_chunk_get_column_count
    duckdb_data_chunk_get_size
    duckdb_data_chunk_get_vector
    duckdb_data_chunk_set_size
    duckdb_decimal_scale
    duckdb_decimal_width
    duckdb_destroy_aggregate_function
    duckdb_destroy_aggregate_function_set
    duckdb_destroy_data_chunk
    duckdb_destroy_extracted
    duckdb_destroy_logical_type
    duckdb_destroy_prepare
    duckdb_destroy_result
    duckdb_destroy_scalar_function
    duckdb_destroy_scalar_function_set
    duckdb_destroy_table_function
    duckdb_destroy_value
    duckdb_disconnect
    duckdb_enum_dictionary_size
    duckdb_enum_dictionary_value
    duckdb_execute_prepared
    duckdb_execute_tasks
    duckdb_extract_statements
    duckdb_extract_statements_error
    duckdb_fetch_chunk
    duckdb_free
    duckdb_function_get_bind_data
    duckdb_function_get_extra_info
    duckdb_function_get_init_data
    duckdb_function_set_error
    duckdb_get_bool
    duckdb_get_int64
    duckdb_get_list_child
    duckdb_get_list_size
    duckdb_get_map_key
    duckdb_get_map_size
    duckdb_get_map_value
    duckdb_get_struct_child
    duckdb_get_type_id
    duckdb_get_value_type
    duckdb_get_varchar
    duckdb_init_get_bind_data
    duckdb_init_get_extra_info
    duckdb_init_set_error
    duckdb_init_set_init_data
    duckdb_init_set_max_threads
    duckdb_is_null_value
    duckdb_library_version
    duckdb_list_type_child_type
    duckdb_list_vector_get_child
    duckdb_list_vector_get_size
    duckdb_list_vector_reserve
    duckdb_list_vector_set_size
    duckdb_logical_type_get_alias
    duckdb_map_type_key_type
    duckdb_map_type_value_type
    duckdb_prepare_error
    duckdb_prepare_extracted_statement
    duckdb_prepared_statement_type
    duckdb_register_aggregate_function_set
    duckdb_register_scalar_function_set
    duckdb_register_table_function
    duckdb_result_error
    duckdb_scalar_function_add_parameter
    duckdb_scalar_function_get_extra_info
    duckdb_scalar_function_set_error
    duckdb_scalar_function_set_extra_info
    duckdb_scalar_function_set_function
    duckdb_scalar_function_set_name
    duckdb_scalar_function_set_return_type
    duckdb_scalar_function_set_special_handling
    duckdb_struct_type_child_count
    duckdb_struct_type_child_name
    duckdb_struct_type_child_type
    duckdb_struct_vector_get_child
    duckdb_table_function_add_named_parameter
    duckdb_table_function_add_parameter
    duckdb_table_function_set_bind
    duckdb_table_function_set_extra_info
    duckdb_table_function_set_function
    duckdb_table_function_set_init
    duckdb_table_function_set_name
    duckdb_union_type_member_count
    duckdb_union_type_member_name
    duckdb_union_type_member_type
    duckdb_validity_set_row_invalid
    duckdb_vector_assign_string_element_len
    duckdb_vector_ensure_validity_writable
    duckdb_vector_get_column_type
    duckdb_vector_get_data
    duckdb_vector_get_validity
    duckdb_vector_size
}

known_types! {
    duckdb_aggregate_state
    duckdb_bignum
    duckdb_bind_info
    duckdb_bit
    duckdb_connection
    duckdb_data_chunk
    duckdb_database
    duckdb_date
    duckdb_decimal
    duckdb_ext_api_v1
    duckdb_extension_access
    duckdb_extension_info
    duckdb_extracted_statements
    duckdb_function_info
    duckdb_hugeint
    duckdb_init_info
    duckdb_logical_type
    duckdb_prepared_statement
    duckdb_result
    duckdb_time
    duckdb_timestamp
    duckdb_timestamp_ms
    duckdb_timestamp_ns
    duckdb_timestamp_s
    duckdb_type
    duckdb_uhugeint
    duckdb_value
    duckdb_vector
}

/// The names of C functions and types in the source: `sys::duckdb_x`, and `.duckdb_x` of the table.
fn names_in_use() -> BTreeSet<String> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    // Constants of enumerations end in their name in capitals.
    let is_constant = |name: &&str| name.contains(|character: char| character.is_ascii_uppercase());
    let mut names = BTreeSet::new();
    for file in source_files().iter().filter(|file| file.path.starts_with("ffi/")) {
        for (_, code) in file.code() {
            let after = code.split("sys::").skip(1).chain(code.split('.').skip(1));
            names.extend(
                after
                    .filter(|after| after.starts_with("duckdb_"))
                    .filter_map(|after| after.split(|c| !is_name(c)).next())
                    .filter(|name| !is_constant(name))
                    .map(str::to_owned),
            );
        }
    }
    names
}

#[test]
fn the_functions_in_use_are_the_allowed_ones() {
    let in_use = names_in_use();
    let is_listed = |name: &&String| ALLOWED.iter().chain(TYPES).any(|(listed, _)| listed == name);
    let unlisted: Vec<&String> = in_use.iter().filter(|name| !is_listed(name)).collect();
    assert!(unlisted.is_empty(), "in use, but neither allowed function nor type: {unlisted:?}");
    let unused: Vec<&str> =
        ALLOWED.iter().map(|(name, _)| *name).filter(|name| !in_use.contains(*name)).collect();
    assert!(unused.is_empty(), "allowed, but not in use: {unused:?}");
    assert!(ALLOWED.is_sorted() && TYPES.is_sorted());
}

#[test]
fn the_allowed_functions_are_stable() {
    for (name, place) in ALLOWED {
        assert!(*place < STABLE_MEMBERS, "{name} is newer than the C API v1.2.0");
    }
}

#[test]
fn the_c_api_is_reached_by_one_name() {
    for file in source_files().iter().filter(|file| file.path.starts_with("ffi/")) {
        for (_, code) in file.code().filter(|(_, code)| !code.contains('"')) {
            if code.contains("libduckdb_sys") {
                assert_eq!(code, "use libduckdb_sys as sys;", "{}", file.path);
            }
            assert!(!code.contains("sys::{") && !code.contains("sys::*"), "{}: {code}", file.path);
            // What the crate `duckdb` offers for statements and results lies outside the prefix.
            let is_entry_point = file.path == "ffi/api.rs" && code == "use duckdb::Connection;";
            assert!(is_entry_point || !code.contains("duckdb::"), "{}: {code}", file.path);
        }
    }
}

#[test]
fn the_stable_prefix_has_357_members() {
    assert_eq!(STABLE_PREFIX_BYTES, STABLE_MEMBERS * POINTER_BYTES);
}

#[test]
fn the_guard_copies_the_prefix_and_leaves_zeros_after_it() {
    let member_count = size_of::<sys::duckdb_ext_api_v1>() / POINTER_BYTES;
    assert!(member_count > STABLE_MEMBERS);
    let host: Vec<usize> = (1..=member_count).collect();
    // SAFETY: the table is at least as long as the prefix, and none of its functions is called.
    let api = unsafe { stable_prefix(host.as_ptr().cast()) };
    // SAFETY: the table consists of pointers, all of them written.
    let members =
        unsafe { std::slice::from_raw_parts((&raw const *api).cast::<usize>(), member_count) };
    assert_eq!(members[..STABLE_MEMBERS], host[..STABLE_MEMBERS]);
    assert!(members[STABLE_MEMBERS..].iter().all(|member| *member == 0));
}

/// A table of a host that tells its version with this function.
fn host(
    library_version: Option<unsafe extern "C" fn() -> *const c_char>,
) -> sys::duckdb_ext_api_v1 {
    // SAFETY: all members are nullable function pointers, for which zero is `None`.
    let api: sys::duckdb_ext_api_v1 = unsafe { std::mem::zeroed() };
    sys::duckdb_ext_api_v1 { duckdb_library_version: library_version, ..api }
}

macro_rules! host_of_version {
    ($version:literal) => {{
        unsafe extern "C" fn version() -> *const c_char {
            $version.as_ptr()
        }
        check_host_version(&host(Some(version)))
    }};
}

#[test]
fn hosts_before_1_3_are_refused_with_the_remedy() {
    let message = host_of_version!(c"v1.2.2").unwrap_err().to_string();
    assert!(message.contains("needs DuckDB 1.3.0 or newer"), "{message}");
    assert!(message.contains("v1.2.2") && message.contains("upgrade"), "{message}");
    assert!(host_of_version!(c"v0.10.3").is_err());
    assert!(host_of_version!(c"v1.2.0-dev17").is_err());
    assert!(check_host_version(&host(None)).is_err());
}

#[test]
fn hosts_from_1_3_on_are_taken() {
    assert_eq!(host_of_version!(c"v1.3.0"), Ok(()));
    assert_eq!(host_of_version!(c"v1.10.0"), Ok(()));
    assert_eq!(host_of_version!(c"v2.0.1"), Ok(()));
    assert_eq!(host_of_version!(c"v2.1.0-dev1234"), Ok(()));
    // A development build may call itself by its commit.
    assert_eq!(host_of_version!(c"0123abcd"), Ok(()));
}

#[test]
fn a_nul_byte_in_a_statement_is_the_users_error() {
    assert_eq!(c_string("SELECT 1").unwrap().as_c_str(), c"SELECT 1");
    assert!(c_string("SELECT '\0'").unwrap_err().to_string().contains("NUL"));
}
