//! States that no writer wrote: damaged ones, and forged ones whose checksum is right. None of them may
//! panic, and what is read all the same must be something a column can have.

use proptest::prelude::*;

use super::format::{decode, seal};
use super::format_tests::{golden_columns, hex, state};
use super::type_format::{write_number, write_sized};
use crate::column::column_type::ColumnType;
use crate::fuzzing::use_state;
use crate::sketch::hive_hll::HiveHll;
use crate::testing::columns::Value;

/// Magic, version and checksum.
const HEADER_BYTES: usize = 9;

fn damage(bytes: &[u8]) -> String {
    decode(bytes).map(|_| ()).unwrap_err().to_string()
}

fn golden_states() -> Vec<Vec<u8>> {
    golden_columns().iter().map(|(column_type, rows, _)| state(column_type, rows)).collect()
}

#[test]
fn every_flipped_bit_is_noticed() {
    for bytes in golden_states() {
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&flipped).is_err(), "bit {bit} of {}", hex(&bytes));
        }
    }
}

#[test]
fn every_truncation_and_every_extension_is_noticed() {
    for bytes in golden_states() {
        for size in 0..bytes.len() {
            assert!(decode(&bytes[..size]).is_err(), "{size} bytes of {}", hex(&bytes));
        }
        assert!(decode(&[&bytes[..], &[0]].concat()).is_err());
        assert_eq!(
            damage(&seal(&[&bytes[HEADER_BYTES..], &[0]].concat())),
            "the state is damaged: bytes are left over"
        );
    }
}

#[test]
fn the_message_says_what_is_wrong() {
    let good = state(&ColumnType::BigInt, &[Value::Signed(1)]);
    let mut future = good.clone();
    future[4] = 2;
    assert!(damage(&future).contains("format version 2; this colstats reads version 1"));
    assert!(damage(b"").contains("not a state of column_stats_state"));
    assert!(damage(b"HLL\x10").contains("not a state of column_stats_state"));
    assert!(damage(&good[..20]).contains("checksum"));
    assert!(damage(&seal(&[2])).contains("damaged"));
    assert!(damage(&seal(&[1, 250])).contains("unknown type (tag 250)"));
}

/// Behind the checksum: every bit, every truncation, and every byte with every value in reach of the
/// parser's decisions.
#[test]
fn sealed_mutations_never_panic() {
    for bytes in golden_states() {
        let body = &bytes[HEADER_BYTES..];
        for size in 0..body.len() {
            use_state(&seal(&body[..size]));
            use_state(&seal(&[&body[..size], &body[size + 1..]].concat()));
        }
        for position in 0..body.len() {
            for value in 0..=u8::MAX {
                let mut mutated = body.to_vec();
                mutated[position] = value;
                use_state(&seal(&mutated));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn sealed_garbage_never_panics(body in prop::collection::vec(any::<u8>(), 0..300)) {
        use_state(&seal(&body));
        use_state(&body);
        use_state(&seal(&[&[1], &body[..]].concat()));
    }

    /// Several bytes of a good state replaced by bytes of their neighbours' kind.
    #[test]
    fn sealed_splices_never_panic(
        first in prop::sample::select(golden_states()),
        second in prop::sample::select(golden_states()),
        cut in any::<prop::sample::Index>(),
        join in any::<prop::sample::Index>(),
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let (first, second) = (&first[HEADER_BYTES..], &second[HEADER_BYTES..]);
        let mut body =
            [&first[..cut.index(first.len())], &second[join.index(second.len())..]].concat();
        for (position, byte) in noise {
            let position = position.index(body.len());
            body[position] = byte;
        }
        use_state(&seal(&body));
    }
}

/// A body of one leaf without a sketch: tag and parameters of its type, counts, ends.
fn leaf_body(column_type: &[u8], value_count: u64, ends: &[u8]) -> Vec<u8> {
    let mut body = [&[1], column_type].concat();
    write_number(&mut body, value_count);
    body.push(0);
    body.extend(ends);
    body.push(0);
    body
}

fn integers(min: i64, max: i64) -> Vec<u8> {
    [min.to_le_bytes(), max.to_le_bytes()].concat()
}

fn floats(min_key: i64, max_key: i64, nan_count: u8) -> Vec<u8> {
    [integers(min_key, max_key), vec![nan_count]].concat()
}

/// Both ends of a byte string column that keeps `limit` bytes; each end is its cut flag and its bytes.
fn byte_ends(limit: u64, min: (u8, &[u8]), max: (u8, &[u8])) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_number(&mut bytes, limit);
    bytes.push(1);
    for (is_cut, prefix) in [min, max] {
        bytes.push(is_cut);
        write_sized(&mut bytes, prefix);
    }
    bytes
}

fn geometry(type_bits: u32, x_axis: Option<(f64, f64)>) -> Vec<u8> {
    let mut bytes = vec![0];
    bytes.extend(type_bits.to_le_bytes());
    bytes.push(u8::from(x_axis.is_some()));
    bytes.extend(
        x_axis.iter().flat_map(|(min, max)| [min.to_le_bytes(), max.to_le_bytes()].concat()),
    );
    bytes.extend([0, 0, 0]);
    bytes
}

/// Statistics of one leaf: how many values, and their ends.
type Ends = (u64, Vec<u8>);

/// What is wrong, the leaf's type, well-formed statistics that no column can have, and their nearest that
/// one can.
type Impossible = (&'static str, &'static [u8], Ends, Ends);

const NEUTRAL: (i64, i64) = (i64::MAX, i64::MIN);

fn impossible_numbers() -> Vec<Impossible> {
    let nan = i64::from(f32::NAN.to_bits());
    let neutral = || integers(NEUTRAL.0, NEUTRAL.1);
    let all_nan = || floats(NEUTRAL.0, NEUTRAL.1, 1);
    vec![
        ("smallest above largest", &[6], (1, integers(2, 1)), (1, integers(1, 1))),
        ("ends without values", &[6], (0, integers(1, 2)), (0, neutral())),
        ("values without ends", &[6], (1, neutral()), (1, integers(-1, 1))),
        ("beyond TINYINT", &[3], (1, integers(0, 128)), (1, integers(-128, 127))),
        ("beyond DATE", &[21], (1, integers(0, 1 << 31)), (1, integers(0, (1 << 31) - 1))),
        ("beyond UTINYINT", &[8], (1, integers(0, 256)), (1, integers(0, 255))),
        ("beyond 16 bits", &[64, 4, 0], (1, integers(0, 40_000)), (1, integers(0, 9_999))),
        ("no such member", &[65, 1, 1, b'a'], (1, integers(0, 1)), (1, integers(0, 0))),
        ("too many", &[6], (1 << 63, integers(0, 1)), ((1 << 63) - 1, integers(0, 1))),
        ("true and false", &[2], (3, vec![1, 1]), (3, vec![1, 2])),
        ("a bound that is NaN", &[14], (1, floats(nan, nan, 0)), (1, floats(0, 0, 0))),
        ("beyond FLOAT", &[14], (1, floats(0, 1 << 40, 0)), (1, floats(0, 1 << 20, 0))),
        ("more NaN than values", &[15], (1, floats(0, 0, 2)), (2, floats(0, 0, 1))),
        ("ends of NaN", &[15], (1, floats(0, 0, 1)), (1, all_nan())),
    ]
}

fn impossible_bytes() -> Vec<Impossible> {
    let kept = |min, max| byte_ends(4, min, max);
    let bits = |limit: u32| byte_ends(limit.into(), (0, b"\0a"), (0, b"\0a"));
    let long = kept((0, b"ab"), (0, b"abcde"));
    let early = kept((0, b"ab"), (1, b"abc"));
    let (first, second) = (kept((1, b"aaaa"), (0, b"aaaa")), kept((0, b"aaaa"), (1, b"aaaa")));
    let empty = || kept((0, b""), (0, b""));
    let infinite = geometry(1, Some((0.0, f64::INFINITY)));
    vec![
        ("longer than kept", &[18], (1, long), (1, kept((0, b"ab"), (0, b"abcd")))),
        ("cut too early", &[18], (1, early), (1, kept((0, b"ab"), (1, b"abcd")))),
        ("in disorder", &[16], (1, kept((0, b"b"), (0, b"a"))), (1, kept((0, b"a"), (0, b"b")))),
        ("cut in disorder", &[16], (1, first), (1, second)),
        ("text without values", &[16], (0, empty()), (0, vec![4, 0])),
        ("values without text", &[16], (1, vec![4, 0]), (1, empty())),
        ("nothing kept", &[16], (0, vec![0, 0]), (0, vec![1, 0])),
        ("a BIT that is cut", &[19], (1, bits(4)), (1, bits(u32::MAX))),
        ("a box of NaN", &[32], (1, geometry(1, Some((f64::NAN, 1.0)))), (1, geometry(1, None))),
        ("a box in disorder", &[32], (1, geometry(1, Some((2.0, 1.0)))), (1, infinite)),
        ("no such geometry", &[32], (1, geometry(1 << 29, None)), (1, geometry(1 << 27, None))),
        ("no geometry", &[32], (1, geometry(0, None)), (0, geometry(0, None))),
        (
            "nothing unbounded",
            &[32],
            (1, geometry(1 << 28, None)),
            (1, geometry(1 << 28 | 1, None)),
        ),
    ]
}

#[test]
fn impossible_statistics_are_refused() {
    for (what, column_type, forged, possible) in [impossible_numbers(), impossible_bytes()].concat()
    {
        let body = leaf_body(column_type, forged.0, &forged.1);
        let error = damage(&seal(&body));
        assert!(error.contains("has such statistics"), "{what}: {error}");
        let body = leaf_body(column_type, possible.0, &possible.1);
        assert!(decode(&seal(&body)).is_ok(), "{what}: {}", damage(&seal(&body)));
    }
}

#[test]
fn forged_types_are_refused() {
    let mut deep = vec![1];
    deep.extend([68; 10_000]);
    let claimed = |tag: u8, count: u64| {
        let mut body = vec![1, tag];
        write_number(&mut body, count);
        body.extend([0; 64]);
        seal(&body)
    };
    assert!(damage(&seal(&deep)).contains("100 levels"));
    for count in [65, 1 << 32, 1 << 62, u64::MAX] {
        for tag in [65, 66, 67, 71, 72] {
            assert!(damage(&claimed(tag, count)).contains("ends too early"), "{tag} {count}");
        }
    }
    for [width, scale] in [[0, 0], [39, 0], [5, 6]] {
        assert!(damage(&seal(&[1, 64, width, scale])).contains("DECIMAL"));
    }
    assert!(damage(&seal(&[1, 66, 1, 0xFF])).contains("UTF-8"));
    assert!(damage(&seal(&[1, 6, 0xFF, 0xFF, 0xFF])).contains("ends too early"));
    assert!(damage(&seal(&[&[1, 6][..], &[0xFF; 10]].concat())).contains("too large"));
}

/// A name of 40 kB above 2,000 fields: 46 kB whose paths would take 80 MB.
#[test]
fn paths_far_longer_than_the_state_are_refused() {
    let mut body = vec![1, 67, 1];
    write_sized(&mut body, &[b'a'; 40_000]);
    body.push(67);
    write_number(&mut body, 2_000);
    body.extend([0, 1].repeat(2_000));
    body.extend([0, 0, 0].repeat(2_000));
    assert!(damage(&seal(&body)).contains("long names"));
}

#[test]
fn sketches_must_fit_their_state() {
    let with_sketch = |column_type: &[u8], sketch: &[u8], ends: &[u8]| {
        let mut body = leaf_body(column_type, 1, ends);
        body.pop();
        body.push(1);
        write_sized(&mut body, sketch);
        seal(&body)
    };
    let of_precision = |precision: u8| {
        let mut registers = HiveHll::new(precision).unwrap();
        registers.add_long(1);
        registers.to_bytes()
    };
    let ends = integers(1, 1);
    assert!(decode(&with_sketch(&[6], &of_precision(14), &ends)).is_ok());
    assert!(damage(&with_sketch(&[6], &of_precision(10), &ends)).contains("precision"));
    assert!(damage(&with_sketch(&[6], b"HLL", &ends)).contains("not a valid Hive"));
    assert!(damage(&with_sketch(&[31], &of_precision(14), &[])).contains("no distinct values"));
}

#[test]
fn counts_that_add_up_to_too_much_do_not_merge() {
    let body = leaf_body(&[6], i64::MAX as u64, &integers(0, 1));
    let (_, mut statistics) = decode(&seal(&body)).unwrap().unwrap();
    let error = statistics.merge(&statistics.clone()).unwrap_err().to_string();
    assert!(error.contains("more than a BIGINT"), "{error}");
}
