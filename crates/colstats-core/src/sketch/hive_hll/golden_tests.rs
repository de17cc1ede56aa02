//! Vectors recorded from Hive's own classes: a few embedded here, all of them in the shared file.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests may fail")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "test values are chosen to fit"
)]

use super::*;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// The numbers of `val_N` in Hive's `src` table, as gaps to the one before (the first from 0).
const SRC_GAPS: &str = "\
    0 2 2 1 3 1 1 1 1 3 2 1 1 1 4 2 1 1 2 3 1 1 2 4 1 1 1 3 4 2 1 3 1 6 1 1 1 2 1 2 2 2 1 1 2 2 \
    1 1 1 1 1 3 2 3 1 1 1 2 3 1 1 6 2 1 2 2 1 1 5 1 2 1 2 2 1 2 1 1 5 2 1 3 1 2 1 2 1 1 1 2 2 1 \
    1 1 1 1 1 1 1 2 2 1 1 1 1 1 1 1 2 3 1 2 1 1 1 1 1 1 1 1 2 1 1 1 1 2 2 1 1 4 1 2 1 1 1 2 1 1 \
    1 2 2 1 1 3 2 2 1 1 2 1 2 3 1 1 3 3 1 1 1 2 2 1 2 1 6 1 1 1 2 1 2 1 1 1 1 1 1 1 1 1 2 1 4 2 \
    4 3 1 1 1 1 1 1 4 1 1 1 3 1 1 2 2 4 1 1 2 1 2 1 2 1 2 1 3 3 2 3 4 2 2 1 1 1 1 1 4 1 1 2 1 1 \
    3 2 2 3 3 1 1 1 1 1 2 1 1 1 1 1 2 1 2 2 2 1 3 1 1 2 3 3 2 1 1 1 3 1 1 1 1 4 1 2 2 1 3 1 1 1 \
    2 1 1 1 2 1 3 1 1 1 1 2 3 2 1 1 1 1 1 1 1 1 2 2 1 1 1 1 1 1 1 1 1";

/// Base64 of the blob for those 309 strings at precision 10, from `compute_bit_vector.q.out`.
const SRC_BLOB: &str = "\
    SExMpLMCAAAAAAAAICAAAAAgABARAAAAAAAAAAABQwEgASAAAAAAAgAAAAEBAAAAAAEANjAAAQAAABABMABQABEEAAAgAA\
    AAARAAAAEAABEyAQAQEAAwAAAAAQAAIAABIAAAAgAAARAwAEAQMRAAAAAAAQYCEAAgAAABAAAAAgAAADEAAAMAAAAQAAAA\
    AAACAQAAAQACAAAAAAIBYEARABAAAwACABAAAAAAAAIGARAAJDAAABAABAEAABMQABAAEBACAwEQAAMQEAAgAQAAAAMGAg\
    AQAABAADASAkAAAAAAMhEQEEEABAAFADABAgFhAAAABGAAAAAAAAAFICEAMAAgAAAAABEAAAAAACEQAAIAADAAAAAAEQEA\
    AAAAAAEAAAAgAQAAAAAAAAAAUAABAAAAMAAAEBEyYAACMAQWAgAAYAEAAAEAADABEAAAABBAEAAAEgAAAAAAMAAhCAAgAB\
    AAFgAAAAAAAQADAAAAAQACACAAIAEAAAIAAAAAAwAAADIDAAAyEAAAAAABAAEBAAMAABAAADAAAgAgARQAEAAAEEARAAAA\
    AEAQAFAAAAAAIQIAAAAAQAAwABFAAQAAJBAkAAABAgAAAAAAABABABAiABBAAAAABAAgABACMAAAAQAQAAEAEAAQAAAAAA\
    ACAAAgAAAwAAAxBgAAAAAAICAQBgEBAEE=";

/// Base64 of the blob for -64 to 62 at precision 10: that file's 127 entries, ascending.
const TINYINT_BLOB: &str = "\
    SExMoH9/xPfjBr6rxgG/1wyA+YYHgODQCIHKihXChsoBvvWWAb+pzQaAka8NgOq/AsC1iAKA7pUOgJNywuPsDL67kQLBhq\
    MCwerIAb+YtwuBsqkM/uPMAoPrwgr/xfIFvo+0BsHOQb+yowHBur4NysqYFbaohgSEynb76L0CgM2dAYCV8gKD2pQsvZKL\
    AYGJLILsxgL9kvYDgPPdEMTbjQS85+wEwJWXE8GhlAuAqL8IwZGWB4C/f7+/iwK/iKEJwKPQAYCYygGAnp4fwPWnBcGSzg\
    +/gSSCieICwLyhBcDFvwm+oMIVwOuBKYKN+wT+/KIGyLiuAfj/uAPAqdEIw6bTBf3WviOA/aQEgKuDCcOV3AjAh7wGvdqm\
    A4DOpwaB1+kGgJuiFP+GugLB6sYcgNvQAcGvZL7alQWBjfYB/6abAoOHiwj98NQIgeajCb+mUYDomgGBuLEa/+yOBoHZwA\
    LApmPCwvUC/dOdB4GjmgW/6+QGgJWyAsft0wL526AGgdSGDf+a0QSAvZgGwJ/JAYCB0ALB4ZoFv8qsA8CF8QqAy5cCgcjK\
    DoDasB6/3/wYgoa7BP6VxASCvrwD/p2zAoOivgK9hPwXge/aD8Hztw6+kIsEhMGDC/2GyxSAzt0Ev6XNBcGM4hP/qMsBga\
    ClAsC48AbAqqEI";

fn from_base64(text: &str) -> Vec<u8> {
    let (mut bytes, mut pending, mut bits) = (Vec::new(), 0u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            other => panic!("{other} is not a letter of base64"),
        };
        pending = pending << 6 | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((pending >> bits & 0xff) as u8);
        }
    }
    bytes
}

fn filled(precision: u8, add_all: impl FnOnce(&mut HiveHll)) -> HiveHll {
    let mut sketch = HiveHll::new(precision).unwrap();
    add_all(&mut sketch);
    sketch
}

#[test]
fn hash_check_values() {
    assert_eq!(hash64(b""), 0x74a1_8dc8_f20a_db48);
    assert_eq!(hash64(b"a"), 0xddd9_b0af_19f6_1187);
    assert_eq!(hash64(&[0]), 0xc08b_52ff_90d2_d048);
    assert_eq!(hash64(&[1]), 0x07e0_5360_e8ab_059a);
    assert_eq!(hash64(b"abcdefgh"), 0x0a20_25e4_fc40_126d);
    assert_eq!(hash64(b"abcdefghijklmnopq"), 0xce74_caac_69af_83d4);
    assert_eq!(hash_long(1), 0x5eed_69e3_0624_3ee7);
    assert_eq!(hash_long(0), 0x885d_c7fb_640c_0ea7);
    assert_eq!(hash_double(0.0), 0x885d_c7fb_640c_0ea7);
    assert_eq!(hash_double(-0.0), 0x5024_a150_e03c_9ad3);
    assert_eq!(hash_double(f64::NAN), 0xf6d3_89ca_65b8_9a03);
    assert_eq!(hash_double(-f64::NAN), 0xf6d3_89ca_65b8_9a03);
}

#[test]
fn single_precision_alpha() {
    assert_eq!(estimate::alpha_times_square_bits(10), 0x4938_755c);
    assert_eq!(estimate::alpha_times_square_bits(14), 0x4d38_a402);
}

#[test]
fn embedded_blobs() {
    let blob = |precision, add_all: &dyn Fn(&mut HiveHll)| filled(precision, add_all).to_bytes();
    assert_eq!(blob(10, &|_| ()), [0x48, 0x4c, 0x4c, 0xa0, 0x01, 0x00]);
    assert_eq!(blob(14, &|_| ()), from_base64("SExM4AEA"));
    // TestStatisticsSerde.java.
    assert_eq!(blob(14, &|s| s.add_long(1)), from_base64("SExM4AEBxfO+SA=="));
    assert_eq!(blob(10, &|s| s.add_long(1)), from_base64("SExMoAEBwfO+SA=="));
    assert_eq!(blob(10, &|s| s.add_bytes(b"")), from_base64("SExMoAEBgqTbFQ=="));
    assert_eq!(blob(14, &|s| s.add_double(-0.0)), from_base64("SExM4AEBwumaeQ=="));
    assert_eq!(blob(14, &|s| s.add_double(f64::NAN)), from_base64("SExM4AEBwoGa8QY="));
    assert_eq!(
        blob(10, &|s| (0..10).for_each(|value| s.add_long(value))),
        from_base64("SExMoAoKwdOOGIHG6xf/2cQYwbusYoLi90y9kosBwq7CTr6q/A2DhbPkAf37hLcC")
    );
    assert_eq!(
        blob(10, &|s| (-64..63).for_each(|value| s.add_long(value))),
        from_base64(TINYINT_BLOB)
    );
    let mut number = 0;
    let source = filled(10, |sketch| {
        for gap in SRC_GAPS.split_whitespace() {
            number += gap.parse::<u32>().unwrap();
            sketch.add_bytes(format!("val_{number}").as_bytes());
        }
    });
    assert_eq!(source.to_bytes().len(), 518);
    assert_eq!(source.to_bytes(), from_base64(SRC_BLOB));
    assert_eq!(source.estimate(), 307);
}

#[test]
fn embedded_merge_across_precisions() {
    let mut coarse = filled(10, |sketch| sketch.add_long(1));
    let fine = filled(14, |sketch| sketch.add_long(1));
    coarse.merge(&fine).unwrap();
    // One bit per register; at precision 10 the hash of 1 has rank 1 in register 0x2e7.
    let mut expected = vec![0x48, 0x4c, 0x4c, 0xa1, 0x01];
    expected.resize(5 + 128, 0);
    expected[5 + 0x2e7 / 8] = 0x80 >> (0x2e7 % 8);
    assert_eq!(coarse.to_bytes(), expected);
    // The blob Hive 4 writes for 0 to 9: the same entries in another order.
    let unordered = "SExM4AoKxfO+SPyJpqgGgf/H5Pv/////Af+czdr9/////wHBuLaXAv++srD//////wHE\
                     wqug/v////8BvNvckgHA9IJOgN7xwAI=";
    let decoded = HiveHll::from_bytes(&from_base64(unordered)).unwrap();
    let added = filled(14, |sketch| (0..10).for_each(|value| sketch.add_long(value)));
    assert_eq!(decoded.to_bytes(), added.to_bytes());
}

#[test]
fn every_golden_case() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/golden/hive_hll.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} is absent", path.display());
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let by_name: HashMap<&str, &Value> =
        cases.iter().map(|case| (case["name"].as_str().unwrap(), case)).collect();
    let mut seen = HashMap::new();
    for case in &cases {
        let kind = case["kind"].as_str().unwrap();
        *seen.entry(kind).or_insert(0) += 1;
        match kind {
            "add" => check_state(case, &added(case)),
            "merge" => check_state(case, &merged(case, &by_name)),
            "quirk_merge" => check_quirk(case, &merged(case, &by_name)),
            "decode" => {
                let decoded = decoded(case, "base64");
                assert_eq!(decoded.to_bytes(), from_base64(text_of(case, "canonical_base64")));
                assert_eq!(Some(decoded.header_estimate()), case["estimate"].as_u64());
            }
            other => panic!("unknown kind {other}"),
        }
    }
    eprintln!("golden cases run: {seen:?}");
    assert!(cases.len() >= 141, "the golden file has shrunk to {} cases", cases.len());
}

fn text_of<'a>(case: &'a Value, member: &str) -> &'a str {
    case[member].as_str().unwrap()
}

fn decoded(case: &Value, member: &str) -> HiveHll {
    HiveHll::from_bytes(&from_base64(text_of(case, member))).unwrap()
}

fn merged(case: &Value, by_name: &HashMap<&str, &Value>) -> HiveHll {
    let mut receiver = decoded(by_name[text_of(case, "receiver")], "base64");
    let other = decoded(by_name[text_of(case, "other")], "base64");
    let before = other.to_bytes();
    receiver.merge(&other).unwrap();
    assert_eq!(other.to_bytes(), before, "the source of a merge must not change");
    receiver
}

/// A state against everything the case records about it.
fn check_state(case: &Value, sketch: &HiveHll) {
    let name = text_of(case, "name");
    assert_eq!(Some(u64::from(sketch.precision())), case["p"].as_u64(), "{name}");
    assert_eq!(Some(sketch.estimate()), case["count"].as_u64(), "{name}");
    assert_eq!(Some(sketch.header_estimate()), case["estimate"].as_u64(), "{name}");
    assert_eq!(sketch.is_sparse(), text_of(case, "encoding") == "sparse", "{name}");
    let canonical = from_base64(text_of(case, "base64"));
    assert!(sketch.to_bytes() == canonical, "{name}: blobs differ");
    assert!(decoded(case, "base64").to_bytes() == canonical, "{name}: decoding loses something");
    if case["hive4_base64"].is_string() {
        assert!(decoded(case, "hive4_base64").to_bytes() == canonical, "{name}: Hive 4's blob");
    }
    if case["hive3_base64"].is_string() {
        let older = decoded(case, "hive3_base64");
        assert_eq!(Some(older.header_estimate()), case["hive3_estimate"].as_u64(), "{name}");
        assert!(older.to_bytes() == from_base64(text_of(case, "hive3_base64")), "{name}: Hive 3's");
    }
    if let Store::Dense(registers) = &sketch.store {
        let zeros = registers.iter().filter(|rank| **rank == 0).count() as u64;
        assert_eq!(Some(zeros), case["zero_registers"].as_u64(), "{name}");
    }
    if let Some(entries) = case["sparse"].as_array() {
        let Store::Sparse(table) = &sketch.store else { panic!("{name} is not sparse") };
        let ours: Vec<Value> = table
            .sorted_entries()
            .iter()
            .map(|entry| serde_json::json!([sparse::key(*entry), sparse::rank(*entry)]))
            .collect();
        assert_eq!(&ours, entries, "{name}");
    }
}

/// Hive's answer to this merge has registers at 65 that no value put there. Ours must be the
/// recorded one but for those, which the case lists as [index, Hive's, right].
fn check_quirk(case: &Value, ours: &HiveHll) {
    let theirs = decoded(case, "base64");
    assert!(theirs.to_bytes() == from_base64(text_of(case, "base64")), "whole-byte blob");
    let (Store::Dense(ours), Store::Dense(theirs)) = (&ours.store, &theirs.store) else {
        panic!("a squashed sketch is dense")
    };
    let differences: Vec<Value> = (0..ours.len())
        .filter(|index| ours[*index] != theirs[*index])
        .map(|index| serde_json::json!([index, theirs[index], ours[index]]))
        .collect();
    assert_eq!(Value::from(differences), case["differs_from_direct_p10"]);
}

fn added(case: &Value) -> HiveHll {
    let mut hashes = Vec::new();
    let kind = text_of(case, "type");
    if let Some(listed) = case["values_hex"].as_array() {
        hashes.extend(listed.iter().map(|hex| hash64(&from_hex(hex.as_str().unwrap()))));
    } else if let Some(listed) = case["bits"].as_array() {
        hashes.extend(listed.iter().map(|bits| {
            let digits = bits.as_str().unwrap().trim_start_matches("0x");
            hash_double(f64::from_bits(u64::from_str_radix(digits, 16).unwrap()))
        }));
    } else if let Some(listed) = case["values"].as_array() {
        hashes.extend(listed.iter().map(|value| hash_of(value, kind)));
    } else {
        hashes.extend(range_hashes(&case["values"], kind));
    }
    if let Some(recorded) = case["hashes"].as_array() {
        let ours: Vec<String> = hashes.iter().map(|hash| format!("{hash:#018x}")).collect();
        assert_eq!(recorded, &ours, "{}", text_of(case, "name"));
    }
    let precision = u8::try_from(case["p"].as_u64().unwrap()).unwrap();
    let one_by_one = filled(precision, |s| hashes.iter().for_each(|hash| s.add_hash(*hash)));
    let at_once = filled(precision, |sketch| sketch.add_hashes(&hashes));
    assert!(one_by_one.to_bytes() == at_once.to_bytes(), "a batch differs from single additions");
    one_by_one
}

fn hash_of(value: &Value, kind: &str) -> u64 {
    match kind {
        "long" | "date" | "timestamp" => hash_long(value.as_i64().unwrap()),
        "string" => hash64(value.as_str().unwrap().as_bytes()),
        "bool" => hash64(&[u8::from(value.as_bool().unwrap())]),
        other => panic!("{other} values are not listed plainly"),
    }
}

fn range_hashes(spec: &Value, kind: &str) -> Vec<u64> {
    let (from, to) = (spec["range"][0].as_i64().unwrap(), spec["range"][1].as_i64().unwrap());
    let mut hashes = Vec::new();
    for _ in 0..spec["repeat"].as_u64().unwrap_or(1) {
        hashes.extend((from..to).map(|number| {
            if let Some(prefix) = spec["prefix"].as_str() {
                hash64(format!("{prefix}{number}").as_bytes())
            } else if let Some(factor) = spec["times"].as_f64() {
                hash_double(number as f64 * factor)
            } else {
                hash_long(number)
            }
        }));
    }
    let then = spec["then"].as_array().map(Vec::as_slice).unwrap_or_default();
    hashes.extend(then.iter().map(|value| hash_of(value, kind)));
    hashes
}

fn from_hex(digits: &str) -> Vec<u8> {
    (0..digits.len())
        .step_by(2)
        .map(|start| u8::from_str_radix(&digits[start..start + 2], 16).unwrap())
        .collect()
}
