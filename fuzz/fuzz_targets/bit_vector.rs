//! Any bytes as a bit vector of Hive.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| colstats_fuzz::fuzzing::use_bit_vector(bytes));
