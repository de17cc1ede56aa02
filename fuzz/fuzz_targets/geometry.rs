//! Any bytes as a geometry.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| colstats_core::fuzzing::use_geometry(bytes));
