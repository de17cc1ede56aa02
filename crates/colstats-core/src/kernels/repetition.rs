//! Values that came a moment ago and come again.
//!
//! Smallest, largest and distinct values do not change by a value that was there already, and columns of few
//! different values are nothing but repetitions. Finding one costs less than hashing or comparing a value, so
//! the kernels look at what is left when repetitions are taken out. A small table of recent values finds
//! most of them; what it misses is looked at again, which does no harm. Where hardly anything repeats, the
//! table is given up for the rest of the rows.

use std::ops::Range;

use crate::column::vectors::{ByteString, Strings, Validity};

/// How many recent values are known. A power of two.
const RECENT: usize = 256;

/// The place of a value among the recent ones.
#[inline]
fn slot_of(mixed: u64) -> usize {
    // Fibonacci hashing: the golden ratio spreads, the upper bits have all of the lower ones in them.
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - RECENT.trailing_zeros())) as usize
}

/// Some strings of a column, each with the number of rows that it stands for.
#[derive(Debug)]
pub struct StringBatch<T> {
    items: Vec<T>,
    row_counts: Vec<u32>,
}

impl<'a, T: ByteString<'a>> StringBatch<T> {
    /// Fewer rows than these are listed: the table would cost more than it saves.
    const FEWEST_ROWS: usize = 16;
    /// So many strings may be new before repetitions are counted on, and one in four after that.
    const NEW_AT_FIRST: usize = 64;

    /// The valid rows of `rows`. A string is known again by its identity, as the host keeps it once: in the
    /// dictionary of a file, or in the cell when it is short.
    pub fn new<S: Strings<'a, Item = T>>(strings: &S, rows: Range<usize>) -> Self {
        let mut batch = StringBatch {
            items: Vec::with_capacity(rows.len()),
            row_counts: Vec::with_capacity(rows.len()),
        };
        if rows.len() < Self::FEWEST_ROWS {
            strings.for_each_valid(rows, |item| batch.push(item));
            return batch;
        }
        let mut recent = RecentStrings::new();
        let mut row_count = 0;
        strings.for_each_valid(rows, |item| {
            row_count += 1;
            if !batch.count_known(&recent, item) {
                batch.add(&mut recent, item, row_count);
            }
        });
        batch
    }

    /// Counts the row if its string came a moment ago; tells whether it did.
    #[inline]
    fn count_known(&mut self, recent: &RecentStrings, item: T) -> bool {
        let identity = item.identity();
        match recent.slots.get(slot_of(mixed_identity(identity))) {
            Some((known, index)) if *known == identity => match self.row_counts.get_mut(*index) {
                Some(row_count) => {
                    *row_count += 1;
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Lists a string, and keeps it in mind as long as that pays. Not inlined, so that the loop around it is
    /// short.
    #[inline(never)]
    fn add(&mut self, recent: &mut RecentStrings, item: T, row_count: usize) {
        if self.items.len() < Self::NEW_AT_FIRST + row_count / 4 {
            let identity = item.identity();
            if let Some(slot) = recent.slots.get_mut(slot_of(mixed_identity(identity))) {
                *slot = (identity, self.items.len());
            }
        }
        self.push(item);
    }

    fn push(&mut self, item: T) {
        self.items.push(item);
        self.row_counts.push(1);
    }

    /// The strings; most that are equal come once.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The strings with the rows they stand for.
    pub fn counted(&self) -> impl Iterator<Item = (T, u64)> {
        self.items.iter().copied().zip(self.row_counts.iter().map(|count| u64::from(*count)))
    }
}

impl<'a, T: ByteString<'a>> Strings<'a> for StringBatch<T> {
    type Item = T;

    fn for_each_valid(&self, rows: Range<usize>, visit: impl FnMut(T)) {
        self.items.get(rows).unwrap_or_default().iter().copied().for_each(visit);
    }
}

/// The strings seen a moment ago: their identities and indexes in the batch.
struct RecentStrings {
    slots: [(u128, usize); RECENT],
}

impl RecentStrings {
    /// No item has the index at the start, so a slot that was never used is no hit.
    fn new() -> Self {
        RecentStrings { slots: [(0, usize::MAX); RECENT] }
    }
}

#[inline]
fn mixed_identity(identity: u128) -> u64 {
    (identity >> 64) as u64 ^ (identity as u64).rotate_left(32)
}

/// A value of fixed size as the bits that tell it from others.
pub trait Bits: Copy + Eq + Default {
    /// The bits in one word.
    fn mixed(self) -> u64;
}

impl Bits for u64 {
    #[inline]
    fn mixed(self) -> u64 {
        self
    }
}

/// The two words of a wide value.
impl Bits for [u64; 2] {
    #[inline]
    fn mixed(self) -> u64 {
        self[0] ^ self[1].rotate_left(32)
    }
}

/// How many values are handed on at a time: several tight loops over a batch beat a long one.
pub const BATCH_VALUES: usize = 128;
/// Shorter runs of rows are not worth a table.
const FEWEST_VALUES: usize = 4 * BATCH_VALUES;
/// With more new values in a batch than these, repetitions are not looked for any more.
const MOST_NEW_VALUES: usize = BATCH_VALUES * 3 / 4;

/// Hands on the valid values of `rows` in batches of at most [`BATCH_VALUES`], most repetitions left out.
pub fn for_each_batch<T: Copy, B: Bits>(
    values: &[T],
    validity: Validity<'_>,
    rows: Range<usize>,
    bits: impl Fn(T) -> B,
    mut visit: impl FnMut(&[B]),
) {
    let mut recent = (rows.len() >= FEWEST_VALUES).then(RecentValues::new);
    let mut hand_on = |batch: &mut [B]| {
        let new_count = match &mut recent {
            Some(recent) => recent.keep_new(batch),
            None => batch.len(),
        };
        if new_count > MOST_NEW_VALUES {
            recent = None;
        }
        visit(batch.get(..new_count).unwrap_or_default());
    };
    let mut batch = [B::default(); BATCH_VALUES];
    if validity.words().is_none() {
        for some in values.get(rows).unwrap_or_default().chunks(BATCH_VALUES) {
            batch.iter_mut().zip(some).for_each(|(slot, value)| *slot = bits(*value));
            hand_on(batch.get_mut(..some.len()).unwrap_or_default());
        }
        return;
    }
    let mut length = 0;
    validity.for_each_valid(rows, |row| {
        if let (Some(slot), Some(value)) = (batch.get_mut(length), values.get(row)) {
            *slot = bits(*value);
            length += 1;
        }
        if length == BATCH_VALUES {
            hand_on(&mut batch);
            length = 0;
        }
    });
    hand_on(batch.get_mut(..length).unwrap_or_default());
}

/// The values seen a moment ago, by their slots.
struct RecentValues<B> {
    values: [B; RECENT],
    is_filled: bool,
}

impl<B: Bits> RecentValues<B> {
    fn new() -> Self {
        RecentValues { values: [B::default(); RECENT], is_filled: false }
    }

    /// Moves what is new to the front, in order; tells how many they are. There is no branch per value: which
    /// of them repeat cannot be guessed.
    fn keep_new(&mut self, batch: &mut [B]) -> usize {
        let Some(first) = batch.first().copied() else { return 0 };
        // The first value of all stands in every slot: it is the only one that is known at once.
        let first_of_all = usize::from(!self.is_filled);
        if !self.is_filled {
            self.values = [first; RECENT];
            self.is_filled = true;
        }
        let mut new_count = first_of_all;
        for index in first_of_all..batch.len() {
            let Some(value) = batch.get(index).copied() else { break };
            let Some(known) = self.values.get_mut(slot_of(value.mixed())) else { break };
            let is_new = *known != value;
            *known = value;
            if let Some(place) = batch.get_mut(new_count) {
                *place = value;
            }
            new_count += usize::from(is_new);
        }
        new_count
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::testing::columns::ByteColumn;

    /// Numbers that repeat in many ways: all the same, few, some, none.
    fn patterns() -> [Vec<u64>; 6] {
        let numbers = |number: fn(u64) -> u64| (0..3_000).map(number).collect();
        [
            numbers(|_| 0),
            numbers(|row| row * row % 7),
            numbers(|row| row * 0x9E37_79B9 % 300),
            numbers(|row| row),
            numbers(|row| if row < 700 { row % 3 } else { row }),
            numbers(|row| if row < 700 { row } else { row % 3 }),
        ]
    }

    #[test]
    fn every_value_is_handed_on_and_repetitions_are_not() {
        for values in patterns() {
            for rows in [0..3_000, 5..5, 17..40, 100..2_900] {
                let mask: Vec<u64> = (0..47).map(|word| 0xF0FF_FFFF_FFFF_FFF7 ^ word).collect();
                for validity in [Validity::new(None), Validity::new(Some(&mask))] {
                    let given: Vec<u64> = rows
                        .clone()
                        .filter(|row| validity.is_valid(*row))
                        .map(|row| values[row])
                        .collect();
                    let mut seen = Vec::new();
                    let bits = |value: u64| [value, value];
                    for_each_batch(&values, validity, rows.clone(), bits, |batch| {
                        assert!(batch.len() <= BATCH_VALUES);
                        seen.extend(batch.iter().map(|bits| bits[0]));
                    });
                    let all: BTreeSet<&u64> = given.iter().collect();
                    assert_eq!(seen.iter().collect::<BTreeSet<_>>(), all);
                    assert!(seen.len() <= given.len());
                    if all.len() < 8 && rows.len() > FEWEST_VALUES {
                        assert!(seen.len() < 100, "{} of {}", seen.len(), given.len());
                    }
                }
            }
        }
    }

    #[test]
    fn strings_are_counted_whatever_repeats() {
        for values in patterns() {
            let texts: BTreeMap<u64, String> =
                values.iter().map(|value| (*value, format!("text {value}"))).collect();
            let cells: Vec<Option<&[u8]>> = (0..values.len())
                .map(|row| (row % 9 != 4).then(|| texts[&values[row]].as_bytes()))
                .collect();
            for rows in [0..3_000, 5..5, 17..40, 100..2_900] {
                let batch = StringBatch::new(&ByteColumn::nullable(cells.clone()), rows.clone());
                let mut expected: BTreeMap<&[u8], u64> = BTreeMap::new();
                cells[rows.clone()].iter().flatten().for_each(|cell| {
                    *expected.entry(cell).or_default() += 1;
                });
                let mut counted: BTreeMap<&[u8], u64> = BTreeMap::new();
                batch.counted().for_each(|(item, count)| {
                    *counted.entry(item).or_default() += count;
                });
                assert_eq!(counted, expected);
                if texts.len() < 8 && rows.len() > 64 {
                    assert!(batch.items().len() < 64, "{}", batch.items().len());
                }
            }
        }
    }
}
