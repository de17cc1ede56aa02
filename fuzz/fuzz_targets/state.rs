//! Any bytes as a state of `column_stats_state`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| colstats_core::fuzzing::use_state(bytes));
