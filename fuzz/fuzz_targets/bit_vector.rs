//! Any bytes as a bit vector of Hive.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| colstats_core::fuzzing::use_bit_vector(bytes));
