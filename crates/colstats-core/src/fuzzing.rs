//! What the targets of `fuzz/` call, and bounded runs of the same in the tests. Not part of the extension.

use crate::accumulator::ColumnStatistics;
use crate::column::column_type::ColumnType;
use crate::column::vectors::ByteString;
use crate::kernels::bytes::{lower_text_bound, upper_byte_bound, upper_text_bound};
use crate::kernels::geometry::GeometryExtremes;
use crate::parquet::footer::Footer;
use crate::sketch::hive_hll::{HiveHll, MAX_BLOB_PRECISION, MIN_PRECISION};
use crate::state::format::{decode, encode, seal};
use crate::summary::Ends;

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

/// Reads a bit vector and does with it all that is done with bit vectors. Panics if one that was read breaks a
/// rule.
pub fn use_bit_vector(bytes: &[u8]) {
    let Ok(sketch) = HiveHll::from_bytes(bytes) else { return };
    let written = sketch.to_bytes();
    let read_again = HiveHll::from_bytes(&written);
    assert_eq!(read_again.as_ref().map(HiveHll::to_bytes), Ok(written));
    assert_eq!(read_again.map(|again| again.estimate()), Ok(sketch.estimate()));
    for precision in MIN_PRECISION..=MAX_BLOB_PRECISION {
        let squashed = sketch.squash(precision);
        assert_eq!(squashed.is_ok(), precision <= sketch.precision());
        if let (Ok(mut united), Ok(empty)) = (squashed, HiveHll::new(precision)) {
            assert!(united.unite(&sketch).is_ok() && united.unite(&empty).is_ok());
            assert!(HiveHll::from_bytes(&united.to_bytes()).is_ok());
        }
    }
}

/// Reads bytes as the footer of a Parquet file. Panics if it has other sizes than leaves.
pub fn use_footer(bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
    let Some(footer) = Footer::decode(&[bytes, &length, b"PAR1"].concat()) else { return };
    let leaf_count = footer.nodes.iter().filter(|node| node.child_count == 0).count();
    assert_eq!(footer.chunk_bytes.len(), leaf_count);
}

/// Takes in bytes as a geometry. Panics if they make a box that no geometry has.
pub fn use_geometry(bytes: &[u8]) {
    let mut seen = GeometryExtremes::EMPTY;
    seen.update(&[Geometry(bytes)]);
    if seen.is_unreadable {
        assert_eq!((seen.type_bits, seen.axes), (0, [None; 4]));
    } else {
        assert_eq!(seen.type_bits.count_ones(), 1);
        assert!(seen.axes.iter().flatten().all(|(min, max)| min <= max));
    }
}

/// The bytes of one geometry.
#[derive(Debug, Clone, Copy)]
struct Geometry<'a>(&'a [u8]);

impl<'a> ByteString<'a> for Geometry<'a> {
    fn size_bytes(self) -> usize {
        self.0.len()
    }

    fn prefix(self) -> u32 {
        self.0.first_chunk::<4>().map_or(0, |first| u32::from_be_bytes(*first))
    }

    fn bytes(self) -> &'a [u8] {
        self.0
    }

    fn identity(self) -> u128 {
        self.0.as_ptr().addr() as u128
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
