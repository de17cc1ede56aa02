//! Bias of the raw `HyperLogLog` estimate, as (raw estimate, bias), for every precision that Hive builds.
//!
//! The values are those published with the HLL++ paper (Heule, Nunkesser and Hall, 2013, appendix), which Hive
//! carries in its `HLLConstants`. Those of precisions 10 and 14 were compared with Hive's own, figure by figure;
//! nothing in here is computed or tuned. A file per precision, as they are long.

mod precision_10;
mod precision_11;
mod precision_12;
mod precision_13;
mod precision_14;
mod precision_15;
mod precision_16;
mod precision_4;
mod precision_5;
mod precision_6;
mod precision_7;
mod precision_8;
mod precision_9;

/// The table of a precision, about ascending by raw estimate; empty for one that Hive does not build.
pub(crate) fn table(precision: u8) -> &'static [(f64, f64)] {
    match precision {
        4 => &precision_4::TABLE,
        5 => &precision_5::TABLE,
        6 => &precision_6::TABLE,
        7 => &precision_7::TABLE,
        8 => &precision_8::TABLE,
        9 => &precision_9::TABLE,
        10 => &precision_10::TABLE,
        11 => &precision_11::TABLE,
        12 => &precision_12::TABLE,
        13 => &precision_13::TABLE,
        14 => &precision_14::TABLE,
        15 => &precision_15::TABLE,
        16 => &precision_16::TABLE,
        _ => &[],
    }
}
