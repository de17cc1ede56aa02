//! Properties of the blobs: what is written is read again, damage is an error with a reason.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "test values are chosen to fit"
)]

use super::*;
use crate::sketch::hive_hll::tests::{Random, message, sparse_blob, with_longs};

#[test]
fn an_oversized_sparse_blob_stays_until_it_is_touched() {
    let entries: Vec<u32> = (0..5000u32).rev().map(|key| key << 6 | 16).collect();
    let decoded = HiveHll::from_bytes(&sparse_blob(10, &entries)).unwrap();
    assert!(decoded.is_sparse());
    assert_eq!(decoded.estimate(), 5000);
    assert_eq!(decoded.heap_size_bytes(), 20_000);
    let again = HiveHll::from_bytes(&decoded.to_bytes()).unwrap();
    assert_eq!(again.to_bytes(), decoded.to_bytes());

    let mut touched = decoded.clone();
    touched.add_hash(1 << 10);
    let mut merged = decoded.clone();
    merged.merge(&HiveHll::new(10).unwrap()).unwrap();
    let mut receiver = HiveHll::new(10).unwrap();
    receiver.merge(&decoded).unwrap();
    for dense in [&touched, &merged, &receiver] {
        assert!(!dense.is_sparse());
        let Store::Dense(registers) = &dense.store else { panic!("dense") };
        assert!(registers.iter().all(|rank| *rank == 16));
    }
    assert!(!decoded.squash(9).unwrap().is_sparse());
}

#[test]
fn whole_byte_registers_are_written_again_and_spread_by_merging() {
    let dense = with_longs(10, 0..2000);
    let Store::Dense(registers) = &dense.store else { panic!("dense") };
    let mut blob = vec![b'H', b'L', b'L', 0xa7, 1];
    blob.extend_from_slice(registers);
    let whole = HiveHll::from_bytes(&blob).unwrap();
    assert_eq!(whole.to_bytes()[3], 0xa7);
    assert_eq!(whole.estimate(), dense.estimate());
    let mut receiver = with_longs(10, 0..5);
    receiver.merge(&whole).unwrap();
    assert_eq!(receiver.to_bytes(), whole.to_bytes());
    assert_eq!(whole.squash(9).unwrap().to_bytes()[3] & 7, 4);
}

#[test]
fn every_register_width_is_read() {
    for place in [10, 12, 16, 24, 40, 53] {
        let mut sketch = with_longs(10, 0..1);
        sketch.densify();
        sketch.add_hash(3 | 1 << place);
        let blob = sketch.to_bytes();
        assert_eq!(blob[3], 0xa0 | ((place - 9u32).ilog2() as u8 + 1));
        assert_eq!(HiveHll::from_bytes(&blob).unwrap().to_bytes(), blob);
    }
}

#[test]
fn damage_is_named() {
    let read = |bytes: &[u8]| message(HiveHll::from_bytes(bytes));
    let valid = with_longs(10, 0..20).to_bytes();
    let dense = with_longs(10, 0..2000).to_bytes();
    let mut trailing = valid.clone();
    trailing.push(0);
    let mut spare = valid.clone();
    spare[3] |= 8;
    for (bytes, reason) in [
        (&b""[..], "no bytes"),
        (b"FM\x10\x00", "FM sketch"),
        (b"HL", "letters HLL"),
        (b"hello world", "letters HLL"),
        (b"HLL", "ends within the precision"),
        (b"HLL\x30\x01\x00", "its precision is 3"),
        (&spare, "header bit"),
        (b"HLL\xa0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "does not fit 64 bits"),
        (b"HLL\xa0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00", "does not fit 64 bits"),
        (b"HLL\xa0\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "18446744073709551615 entries"),
        (b"HLL\xa0\x01\x02\x41", "2 entries, but only 1"),
        (b"HLL\xa0\x01\x01\x40", "rank 0"),
        (b"HLL\xa0\x01\x01\x77", "rank 55"),
        (b"HLL\xa0\x01\x01\xc1\x80\x80\x80\x08", "beyond 25 bits"),
        (b"HLL\xa0\x01\x01\xff", "ends within the entries"),
        (&trailing, "followed by 1 more byte"),
        (&dense[..dense.len() - 1], "take 512 bytes, but only 511"),
    ] {
        let error = read(bytes);
        assert!(error.contains(reason), "{error:?} does not say {reason:?}");
        assert!(error.starts_with("not a valid Hive HyperLogLog bit vector: "), "{error}");
    }
    let mut whole = vec![b'H', b'L', b'L', 0xa7, 1];
    whole.resize(5 + 1024, 65);
    assert!(HiveHll::from_bytes(&whole).is_ok());
    whole[9] = 64;
    assert!(read(&whole).contains("rank 64"));
}

#[test]
fn damaged_blobs_never_panic_and_what_is_read_round_trips() {
    let mut random = Random(4);
    let seeds: Vec<Vec<u8>> = [(10, 0), (10, 1), (10, 150), (10, 900), (14, 300), (4, 40), (15, 3)]
        .iter()
        .map(|(precision, count)| with_longs(*precision, 0..*count).to_bytes())
        .collect();
    let (mut read, mut refused) = (0, 0);
    for round in 0..20_000 {
        let mut blob = seeds[round % seeds.len()].clone();
        for _ in 0..=random.below(3) {
            let index = random.below(blob.len().min(if round % 2 == 0 { 12 } else { 5000 }));
            blob[index] ^= 1 << random.below(8);
        }
        if round % 5 == 0 {
            blob.truncate(random.below(blob.len() + 1));
        }
        match HiveHll::from_bytes(&blob) {
            Ok(sketch) => {
                read += 1;
                let canonical = sketch.to_bytes();
                let again = HiveHll::from_bytes(&canonical).unwrap();
                assert_eq!(again.to_bytes(), canonical);
                assert_eq!(again.estimate(), sketch.estimate());
                assert!(sketch.heap_size_bytes() <= 16 + 8 * blob.len());
            }
            Err(_) => refused += 1,
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
    for length in 0..2000 {
        let garbage: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        let headed = [b"HLL", garbage.as_slice()].concat();
        let _ = HiveHll::from_bytes(&garbage);
        let _ = HiveHll::from_bytes(&headed);
    }
}

#[test]
fn decoding_an_encoding_is_the_identity() {
    for precision in MIN_PRECISION..=MAX_BLOB_PRECISION {
        for count in [0, 1, 2, 3, 4, 7, 50, 153, 154, 1_000, 30_000, 200_000] {
            let sketch = with_longs(precision, 0..count);
            let decoded = HiveHll::from_bytes(&sketch.to_bytes()).unwrap();
            assert_eq!(decoded.to_bytes(), sketch.to_bytes());
            assert_eq!(decoded.is_sparse(), sketch.is_sparse());
            assert_eq!(decoded.precision(), precision);
            assert_eq!(decoded.heap_size_bytes(), sketch.heap_size_bytes());
        }
    }
}
