//! The way in for `fuzz/`, as the crate's modules are private. Not part of the extension.

use crate::core::accumulator::ColumnStatistics;
use crate::core::bytes::{lower_text_bound, upper_byte_bound, upper_text_bound};
use crate::core::column_type::ColumnType;
use crate::core::state_format::{decode, encode, seal};
use crate::core::summary::Ends;

/// A state of any body, with the checksum that gets it past the first check.
pub fn sealed_state(body: &[u8]) -> Vec<u8> {
    seal(body)
}

/// Reads a state; tells whether it is one.
pub fn read_state(bytes: &[u8]) -> bool {
    decode(bytes).is_ok()
}

/// Reads a state and does with it all that is done with states. Panics if one that was read breaks a rule.
pub fn use_state(bytes: &[u8]) {
    let Ok(Some((column_type, statistics))) = decode(bytes) else { return };
    check_bounds(&column_type, &statistics);
    let written = encode(Some((&column_type, &statistics)));
    let read_again = written.and_then(|written| decode(&written));
    assert_eq!(read_again, Ok(Some((column_type.clone(), statistics.clone()))));
    let mut merged = statistics.clone();
    if merged.merge(&statistics).is_ok() {
        check_bounds(&column_type, &merged);
    }
}

/// Bounds must bound: no smallest above its largest, no NaN, no text bound the wrong way round.
fn check_bounds(column_type: &ColumnType, statistics: &ColumnStatistics) {
    for summary in statistics.finish(column_type) {
        match &summary.ends {
            None => {}
            Some(Ends::Boolean(min, max)) => assert!(min <= max),
            Some(Ends::Signed(min, max)) => assert!(min <= max),
            Some(Ends::Unsigned(min, max)) => assert!(min <= max),
            Some(Ends::Float(min, max)) => assert!(min <= max),
            Some(Ends::Double(min, max)) => assert!(min <= max),
            Some(Ends::Bytes { min, max, limit_bytes }) => {
                let (lower, _) = lower_text_bound(min);
                let upper = upper_text_bound(max, *limit_bytes);
                assert!(upper.is_none_or(|(upper, _)| lower <= upper));
                assert!(upper_byte_bound(max).is_none_or(|upper| *min.bytes <= *upper));
            }
        }
    }
}
