//! Any bytes as the footer of a Parquet file, under a right length and magic.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| colstats_core::fuzzing::use_footer(bytes));
