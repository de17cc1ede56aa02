//! Hive's `HyperLogLog` "bit vector": the distinct-count sketch of a Hive metastore, bit for bit.
//!
//! Hive stores one such blob per column and merges it with its own, so being close is not enough:
//! hash, register layout, sparse rule, estimate and encoding follow Hive's classes exactly (its
//! current generation, after HIVE-23095). Write precision 10, which is what every factory in Hive
//! builds today; read 4 to 15, all that the four bits of the header can name; count at 4 to 16.
//!
//! A sketch starts sparse: an exact set of (25 hash bits, rank) pairs in a small hash table, and no
//! heap memory at all while empty, because there may be a sketch per group and column. Past a
//! threshold fixed by Hive it turns into a dense array of one byte per register, where adding a
//! hash is a mask, a count of trailing zeros and a compare.
//!
//! The parts are `hash` (values to hashes), `sparse` (the table), `estimate` with `bias` (registers to a count) and
//! `codec` (blobs).

#![forbid(unsafe_code)]

mod bias;
mod codec;
mod estimate;
mod hash;
mod sparse;

#[cfg(test)]
mod codec_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod tests;

pub use hash::{hash_double, hash_long, hash64};

use crate::error::{Error, Result};
use hash::rank_of;
use sparse::SparseTable;

/// The smallest precision Hive accepts.
pub const MIN_PRECISION: u8 = 4;
/// The largest precision Hive accepts.
pub const MAX_PRECISION: u8 = 16;
/// The largest precision a blob can name: 16 does not fit the four bits of its header, and Hive cannot read what it
/// writes there.
pub const MAX_BLOB_PRECISION: u8 = 15;

/// The rank of a hash whose bits above the register index are all zero.
const RANK_OF_ZERO: u8 = 65;

/// Hive's `HyperLogLog` with bit packing and bias correction on, as column statistics use it.
#[derive(Debug, Clone)]
pub struct HiveHll {
    precision: u8,
    /// Hive gives a sketch decoded from a blob of whole-byte registers a pretended maximum of 255,
    /// so it, and every sketch of the same precision it is merged into, is written that way again.
    whole_byte_registers: bool,
    store: Store,
}

#[derive(Debug, Clone)]
enum Store {
    /// At most `sparse_threshold` entries.
    Sparse(SparseTable),
    /// A decoded sparse blob above the threshold, ascending: any addition or merge makes it dense.
    Oversized(Box<[u32]>),
    /// One byte per register, exactly 2^precision of them.
    Dense(Box<[u8]>),
}

impl HiveHll {
    /// An empty sketch; Hive's own precision is 10.
    ///
    /// # Errors
    /// If `precision` is not between 4 and 16.
    pub fn new(precision: u8) -> Result<Self> {
        check_precision(precision)?;
        let store = Store::Sparse(SparseTable::new());
        Ok(Self { precision, whole_byte_registers: false, store })
    }

    /// The number of hash bits that pick a register.
    #[must_use]
    pub fn precision(&self) -> u8 {
        self.precision
    }

    /// Whether a blob can hold the sketch: not at precision 16.
    #[must_use]
    pub fn has_blob(&self) -> bool {
        self.precision <= MAX_BLOB_PRECISION
    }

    /// Whether the sketch still is an exact set, for which the estimate is (nearly) exact too.
    #[must_use]
    pub fn is_sparse(&self) -> bool {
        !matches!(self.store, Store::Dense(_))
    }

    /// Bytes on the heap: 0 while empty, 16 for up to three entries, then 5 to 11 per entry, and
    /// 2^precision when dense.
    #[cfg(test)]
    #[must_use]
    pub fn heap_size_bytes(&self) -> usize {
        match &self.store {
            Store::Sparse(table) => table.heap_size_bytes(),
            Store::Oversized(entries) => size_of_val::<[u32]>(entries),
            Store::Dense(registers) => registers.len(),
        }
    }

    /// Adds an integer, a date (days since 1970) or a timestamp (whole seconds since 1970, floor).
    #[cfg(any(test, feature = "testing"))]
    #[inline]
    pub fn add_long(&mut self, value: i64) {
        self.add_hash(hash_long(value));
    }

    /// Adds a double, a float widened to double, or the double nearest to a decimal.
    #[cfg(test)]
    #[inline]
    pub fn add_double(&mut self, value: f64) {
        self.add_hash(hash_double(value));
    }

    /// Adds a string as its UTF-8 bytes.
    #[cfg(test)]
    #[inline]
    pub fn add_bytes(&mut self, value: &[u8]) {
        self.add_hash(hash64(value));
    }

    /// Adds a value by its hash.
    #[inline]
    pub fn add_hash(&mut self, hash: u64) {
        match &mut self.store {
            Store::Dense(registers) => add_to_registers(registers, self.precision, hash),
            Store::Sparse(table) => {
                if table.insert(sparse::entry_of(hash, self.precision)) {
                    self.densify_above_threshold();
                }
            }
            Store::Oversized(_) => self.merge_entry(sparse::entry_of(hash, self.precision)),
        }
    }

    /// Adds many hashes: the same as `add_hash` on each, with the form looked up once per batch.
    pub fn add_hashes(&mut self, hashes: &[u64]) {
        let mut rest = hashes.iter();
        while self.is_sparse() {
            let Some(hash) = rest.next() else { return };
            self.add_hash(*hash);
        }
        if let Store::Dense(registers) = &mut self.store {
            for hash in rest {
                add_to_registers(registers, self.precision, *hash);
            }
        }
    }

    /// Takes in all that `other` has seen. The receiver must have the same or a smaller precision;
    /// a finer `other` is squashed first, which makes the receiver dense as it does in Hive.
    ///
    /// # Errors
    /// If the receiver has the larger precision: a coarse sketch cannot be refined.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.precision > other.precision {
            return Err(Error::new(format!(
                "cannot merge a bit vector of precision {} into one of precision {}: merge the \
                 finer one into the coarser one instead",
                other.precision, self.precision
            )));
        }
        if self.precision < other.precision {
            let precision = self.precision;
            other.squash_into(self.densify(), precision);
        } else {
            self.merge_same_precision(other);
        }
        Ok(())
    }

    /// Takes in all that `other` has seen, at the smaller precision of the two, whichever comes first.
    ///
    /// # Errors
    /// None today; [`HiveHll::merge`] refuses only what is turned round here.
    pub fn unite(&mut self, other: &Self) -> Result<()> {
        if self.precision <= other.precision {
            return self.merge(other);
        }
        let finer = std::mem::replace(self, other.clone());
        self.merge(&finer)
    }

    /// The same sketch at a lower precision, always dense, however small (as in Hive); a plain copy
    /// if `precision` is its own.
    ///
    /// # Errors
    /// If `precision` is below 4 or above the sketch's own.
    pub fn squash(&self, precision: u8) -> Result<Self> {
        check_precision(precision)?;
        if precision > self.precision {
            return Err(Error::new(format!(
                "cannot squash a bit vector of precision {} to the larger precision {precision}",
                self.precision
            )));
        }
        if precision == self.precision {
            return Ok(self.clone());
        }
        let mut registers = new_registers(precision);
        self.squash_into(&mut registers, precision);
        Ok(Self { precision, whole_byte_registers: false, store: Store::Dense(registers) })
    }

    fn merge_same_precision(&mut self, other: &Self) {
        match &other.store {
            Store::Dense(theirs) => {
                for (ours, theirs) in self.densify().iter_mut().zip(theirs) {
                    *ours = (*ours).max(*theirs);
                }
                self.whole_byte_registers |= other.whole_byte_registers;
            }
            Store::Oversized(entries) => merge_into_registers(self.densify(), entries),
            Store::Sparse(theirs) => match &mut self.store {
                Store::Sparse(ours) if ours.is_empty() => *ours = theirs.clone(),
                Store::Sparse(_) => theirs.entries().for_each(|entry| self.merge_entry(entry)),
                Store::Oversized(_) | Store::Dense(_) => {
                    let registers = self.densify();
                    theirs.entries().for_each(|entry| merge_entry_into(registers, entry));
                }
            },
        }
    }

    /// Hive unites first and compares with the threshold afterwards; turning dense on the way gives
    /// the same registers and never grows the table beyond the threshold.
    fn merge_entry(&mut self, entry: u32) {
        match &mut self.store {
            Store::Sparse(table) => {
                if table.insert(entry) {
                    self.densify_above_threshold();
                }
            }
            Store::Oversized(_) => merge_entry_into(self.densify(), entry),
            Store::Dense(registers) => merge_entry_into(registers, entry),
        }
    }

    /// Re-adds every register or entry as a hash that has the same bits where it matters: the index
    /// below, and a one at the place the rank tells. Hive builds that one with a 32-bit shift for
    /// dense sketches and so loses ranks of 19 and more at precision 14; here it is not lost.
    fn squash_into(&self, target: &mut [u8], precision: u8) {
        let mut add = |low_bits: u64, rank: u8| {
            let place = u32::from(self.precision) + u32::from(rank).saturating_sub(1);
            // No place left (rank 65): all bits above the index were zero.
            let hash = low_bits | 1u64.checked_shl(place).unwrap_or(0);
            add_to_registers(target, precision, hash);
        };
        match &self.store {
            Store::Sparse(table) => table
                .entries()
                .for_each(|entry| add(u64::from(sparse::key(entry)), sparse::rank(entry))),
            Store::Oversized(entries) => entries
                .iter()
                .for_each(|entry| add(u64::from(sparse::key(*entry)), sparse::rank(*entry))),
            Store::Dense(registers) => (0u64..)
                .zip(registers)
                .filter(|(_, rank)| **rank != 0)
                .for_each(|(index, rank)| add(index, *rank)),
        }
    }

    #[inline]
    fn densify_above_threshold(&mut self) {
        if let Store::Sparse(table) = &self.store
            && table.len() > sparse_threshold(self.precision)
        {
            self.densify();
        }
    }

    /// Makes the sketch dense if it is not, and lends its registers.
    fn densify(&mut self) -> &mut [u8] {
        let fresh = match &self.store {
            Store::Dense(_) => None,
            Store::Sparse(table) => {
                let mut registers = new_registers(self.precision);
                table.entries().for_each(|entry| merge_entry_into(&mut registers, entry));
                Some(registers)
            }
            Store::Oversized(entries) => {
                let mut registers = new_registers(self.precision);
                merge_into_registers(&mut registers, entries);
                Some(registers)
            }
        };
        if let Some(registers) = fresh {
            self.store = Store::Dense(registers);
        }
        match &mut self.store {
            Store::Dense(registers) => registers,
            // Not reached: dense since the lines above.
            Store::Sparse(_) | Store::Oversized(_) => &mut [],
        }
    }
}

fn check_precision(precision: u8) -> Result<()> {
    if (MIN_PRECISION..=MAX_PRECISION).contains(&precision) {
        return Ok(());
    }
    Err(Error::new(format!(
        "the precision of a Hive bit vector must be between {MIN_PRECISION} and {MAX_PRECISION}, \
         not {precision}"
    )))
}

/// The largest number of sparse entries: 153 at precision 10, 2457 at 14. Hive's reasoning is the
/// size of six-bit registers divided by five, the bytes of the longest varint.
fn sparse_threshold(precision: u8) -> usize {
    ((1 << precision) * 6 / 8) / 5
}

fn new_registers(precision: u8) -> Box<[u8]> {
    vec![0; 1 << precision].into_boxed_slice()
}

#[inline]
fn add_to_registers(registers: &mut [u8], precision: u8, hash: u64) {
    raise_register(registers, hash, rank_of(hash, precision));
}

/// Raises the register that the low bits of `low_bits` pick.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the mask keeps at most 15 bits")]
fn raise_register(registers: &mut [u8], low_bits: u64, rank: u8) {
    // There are 2^precision registers, so the mask picks exactly the index bits.
    let index = low_bits as usize & registers.len().wrapping_sub(1);
    if let Some(register) = registers.get_mut(index)
        && rank > *register
    {
        *register = rank;
    }
}

fn merge_entry_into(registers: &mut [u8], entry: u32) {
    raise_register(registers, u64::from(sparse::key(entry)), sparse::rank(entry));
}

fn merge_into_registers(registers: &mut [u8], entries: &[u32]) {
    for entry in entries {
        merge_entry_into(registers, *entry);
    }
}
