//! The sparse form: a set of (key, rank) entries in an open-addressing table.
//!
//! An entry is Hive's own wire value, `key << 6 | rank`, in 31 bits, and never 0 because a rank is
//! at least 1; so 0 marks a free slot and a table is a bare array. A low-cardinality column stays
//! sparse for good and adds the same few values millions of times: the common case is one probe
//! that finds the very entry. A sorted list with a buffer would take less memory per entry but
//! sort those repetitions again and again. Slots come in buckets of four that are compared at once:
//! with three values in random order an addition takes 5 ns, against 22 ns when slots are probed
//! one by one and the processor guesses wrong. The table doubles when three quarters full.

use super::hash::rank_of;

/// The key: the low 25 bits of the hash.
const KEY_BITS: u32 = 25;
/// The rank takes the low 6 bits of an entry.
const RANK_BITS: u32 = 6;
const RANK_MASK: u32 = (1 << RANK_BITS) - 1;
const BUCKET_SLOTS: usize = 4;
type Bucket = [u32; BUCKET_SLOTS];

/// The number of different keys, 2^25.
pub(crate) const KEY_COUNT: u32 = 1 << KEY_BITS;
/// Entries are below this bound, 2^31.
pub(crate) const ENTRY_BOUND: u32 = 1 << (KEY_BITS + RANK_BITS);

/// The entry of a hash. Rank 65 is cut to 6 bits as Hive does, giving 1 (never seen in practice).
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the mask keeps 25 bits")]
pub(crate) fn entry_of(hash: u64, precision: u8) -> u32 {
    let key = (hash as u32) & (KEY_COUNT - 1);
    key << RANK_BITS | u32::from(rank_of(hash, precision)) & RANK_MASK
}

#[inline]
pub(crate) fn key(entry: u32) -> u32 {
    entry >> RANK_BITS
}

#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the mask keeps 6 bits")]
pub(crate) fn rank(entry: u32) -> u8 {
    (entry & RANK_MASK) as u8
}

#[derive(Debug, Clone, Default)]
pub(crate) struct SparseTable {
    /// Free slots are 0 and come last in their bucket. The length is 0 or a power of two, and
    /// never are all slots taken. An entry that its bucket has no room for is in the next that has.
    buckets: Box<[Bucket]>,
    used: u32,
}

impl SparseTable {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A table that takes so many entries without growing, no larger than one grown to them.
    pub(crate) fn with_capacity(entry_count: usize) -> Self {
        let slot_count = (entry_count * 4).div_ceil(3).next_power_of_two();
        let bucket_count = if entry_count == 0 { 0 } else { slot_count.div_ceil(BUCKET_SLOTS) };
        Self { buckets: new_buckets(bucket_count), used: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.used as usize
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0
    }

    #[cfg(test)]
    pub(crate) fn heap_size_bytes(&self) -> usize {
        size_of_val::<[Bucket]>(&self.buckets)
    }

    /// The entries, in no particular order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = u32> {
        self.buckets.as_flattened().iter().copied().filter(|entry| *entry != 0)
    }

    pub(crate) fn sorted_entries(&self) -> Vec<u32> {
        let mut entries = Vec::with_capacity(self.len());
        entries.extend(self.entries());
        entries.sort_unstable();
        entries
    }

    /// Keeps the larger rank of a key. Tells whether the key is new.
    #[inline]
    pub(crate) fn insert(&mut self, entry: u32) -> bool {
        let mask = self.buckets.len().wrapping_sub(1);
        // The key is made of hash bits, so its low bits spread well as they are.
        match self.buckets.get(key(entry) as usize & mask) {
            Some(bucket) if holds(bucket, entry) => false,
            _ => self.insert_absent(entry),
        }
    }

    /// What `insert` does for an entry that is not in its first bucket.
    fn insert_absent(&mut self, entry: u32) -> bool {
        let mask = self.buckets.len().wrapping_sub(1);
        let mut index = key(entry) as usize & mask;
        while let Some(bucket) = self.buckets.get_mut(index) {
            for slot in bucket {
                if *slot == 0 {
                    self.used += 1;
                    *slot = entry;
                    if self.is_full_with(self.len()) {
                        self.grow();
                    }
                    return true;
                }
                if key(*slot) == key(entry) {
                    *slot = (*slot).max(entry);
                    return false;
                }
            }
            index = (index + 1) & mask;
        }
        // No bucket at all yet.
        self.grow();
        self.insert_absent(entry)
    }

    fn is_full_with(&self, entry_count: usize) -> bool {
        entry_count * 4 > self.buckets.len() * BUCKET_SLOTS * 3
    }

    #[cold]
    fn grow(&mut self) {
        let larger = new_buckets((self.buckets.len() * 2).max(1));
        let smaller = std::mem::replace(&mut self.buckets, larger);
        self.used = 0;
        for entry in smaller.as_flattened().iter().filter(|entry| **entry != 0) {
            self.insert_absent(*entry);
        }
    }
}

/// Looks at every slot, wherever the entry is, so that there is nothing to guess.
#[inline]
#[allow(clippy::needless_bitwise_bool, reason = "a lazy `or` would guess at every slot")]
fn holds(bucket: &Bucket, entry: u32) -> bool {
    bucket.iter().fold(false, |found, slot| found | (*slot == entry))
}

fn new_buckets(bucket_count: usize) -> Box<[Bucket]> {
    vec![Bucket::default(); bucket_count].into_boxed_slice()
}
