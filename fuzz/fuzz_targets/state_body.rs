//! Any bytes as the body of a state, with the checksum that gets them past the first check.
#![no_main]

use colstats_core::fuzzing::{sealed_state, use_state};

libfuzzer_sys::fuzz_target!(|body: &[u8]| use_state(&sealed_state(body)));
