//! A borrowed view of some rows of one column, as the kernels see it.
//!
//! The view mirrors how DuckDB lays vectors out (flat values, one validity bit per row in words of
//! 64, list entries as offset and length) without knowing DuckDB. Text and bytes are reached through
//! the trait [`Strings`], since their memory belongs to the host; only valid rows can be reached, as
//! what lies behind a NULL is undefined.

use std::ops::Range;

/// Which rows hold a value. No words at all means that every row does.
#[derive(Debug, Clone, Copy)]
pub struct Validity<'a> {
    words: Option<&'a [u64]>,
}

impl<'a> Validity<'a> {
    /// A mask of one bit per row; `None` when no row is NULL.
    pub fn new(words: Option<&'a [u64]>) -> Self {
        Validity { words }
    }

    /// The words, when a row may be NULL.
    pub fn words(&self) -> Option<&'a [u64]> {
        self.words
    }

    /// The same for `rows`, without a mask when none of them is NULL: loops without one are quicker.
    pub fn within(&self, rows: &Range<usize>) -> Validity<'a> {
        if self.count_valid(rows) == rows.len() { Validity::new(None) } else { *self }
    }

    /// Whether the row holds a value. Rows beyond the mask do.
    pub fn is_valid(&self, row: usize) -> bool {
        match self.words.and_then(|words| words.get(row / 64)) {
            Some(word) => word >> (row % 64) & 1 == 1,
            None => true,
        }
    }

    /// The bits of the rows `64 * word_index ..`, limited to `rows`.
    fn word(&self, word_index: usize, rows: &Range<usize>) -> u64 {
        let mut word =
            self.words.and_then(|words| words.get(word_index)).copied().unwrap_or(u64::MAX);
        let first_row = word_index * 64;
        if rows.start > first_row {
            word &= u64::MAX << (rows.start - first_row);
        }
        if rows.end < first_row + 64 {
            word &= !(u64::MAX << (rows.end - first_row));
        }
        word
    }

    /// How many of `rows` hold a value.
    pub fn count_valid(&self, rows: &Range<usize>) -> usize {
        if self.words.is_none() || rows.is_empty() {
            return rows.len();
        }
        (rows.start / 64..rows.end.div_ceil(64))
            .map(|index| self.word(index, rows).count_ones() as usize)
            .sum()
    }

    /// Calls `visit` with every maximal run of valid rows (`true`) and of NULL rows (`false`), in order.
    pub fn for_each_run(&self, rows: Range<usize>, mut visit: impl FnMut(bool, Range<usize>)) {
        if self.words.is_none() {
            if !rows.is_empty() {
                visit(true, rows);
            }
            return;
        }
        let mut start = rows.start;
        while start < rows.end {
            let valid = self.is_valid(start);
            let mut end = start + 1;
            while end < rows.end && self.is_valid(end) == valid {
                end += 1;
            }
            visit(valid, start..end);
            start = end;
        }
    }

    /// Calls `visit` with every valid row, in order; whole words of valid or NULL rows are quick.
    #[inline]
    pub fn for_each_valid(&self, rows: Range<usize>, mut visit: impl FnMut(usize)) {
        if self.words.is_none() {
            rows.for_each(visit);
            return;
        }
        if rows.is_empty() {
            return;
        }
        for index in rows.start / 64..rows.end.div_ceil(64) {
            let mut word = self.word(index, &rows);
            if word == u64::MAX {
                (index * 64..index * 64 + 64).for_each(&mut visit);
                continue;
            }
            while word != 0 {
                visit(index * 64 + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
    }
}

/// One value of a text or byte column.
pub trait ByteString<'a>: Copy {
    /// Length in bytes.
    fn size_bytes(self) -> usize;
    /// The first four bytes as a big-endian number, zero-padded: orders as the bytes do.
    fn prefix(self) -> u32;
    /// The first twelve bytes as a big-endian number, zero-padded.
    fn first_twelve(self) -> u128 {
        let bytes = (0..12).map(|index| self.bytes().get(index).copied().unwrap_or(0));
        bytes.fold(0, |number, byte| number << 8 | u128::from(byte))
    }
    /// All bytes.
    fn bytes(self) -> &'a [u8];
    /// A number that is the same for no two different strings of one column, but may differ for equal
    /// ones: where the host keeps them.
    fn identity(self) -> u128;
    /// Not zero if both start with the same four bytes but have different identities. A plain number, so that
    /// a loop over many strings has no branch.
    fn other_of_prefix(self, other: Self) -> u32 {
        u32::from(self.prefix() == other.prefix() && self.identity() != other.identity())
    }
}

/// A column of text or bytes. The implementation must visit valid rows only.
pub trait Strings<'a> {
    type Item: ByteString<'a>;
    /// Calls `visit` for each non-NULL row of `rows`, in order.
    fn for_each_valid(&self, rows: Range<usize>, visit: impl FnMut(Self::Item));
    /// The first non-NULL row of `rows` that is wanted.
    fn find_valid(
        &self,
        rows: Range<usize>,
        mut is_wanted: impl FnMut(Self::Item) -> bool,
    ) -> Option<Self::Item> {
        let mut found = None;
        self.for_each_valid(rows, |item| {
            if found.is_none() && is_wanted(item) {
                found = Some(item);
            }
        });
        found
    }
}

/// Where a list's elements lie in its child column.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ListEntry {
    pub offset: u64,
    pub length: u64,
}

/// The words of a signed 128-bit value, low word first, as DuckDB stores them: host memory is not aligned
/// for `i128`.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct SignedWords(pub [u64; 2]);

/// The words of an unsigned 128-bit value, low word first.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct UnsignedWords(pub [u64; 2]);

/// Some rows of one column.
#[derive(Debug)]
pub struct Column<'a, S> {
    pub validity: Validity<'a>,
    pub values: Values<'a, S>,
}

/// The values by physical layout. What lies in a NULL row is undefined but readable.
#[derive(Debug)]
pub enum Values<'a, S> {
    /// Values that are counted but not looked at.
    Opaque,
    Boolean(&'a [u8]),
    Int8(&'a [i8]),
    Int16(&'a [i16]),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
    UInt8(&'a [u8]),
    UInt16(&'a [u16]),
    UInt32(&'a [u32]),
    UInt64(&'a [u64]),
    Int128(&'a [SignedWords]),
    UInt128(&'a [UnsignedWords]),
    Float(&'a [f32]),
    Double(&'a [f64]),
    Bytes(S),
    Struct(Vec<Column<'a, S>>),
    List {
        entries: &'a [ListEntry],
        child: Box<Column<'a, S>>,
    },
    Array {
        size: usize,
        child: Box<Column<'a, S>>,
    },
    Union {
        tags: &'a [u8],
        members: Vec<Column<'a, S>>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_counts_agree_with_single_bits() {
        let words = [0xF0F0_0000_FFFF_FFFF, u64::MAX, 0, 0x8000_0000_0000_0001];
        let validity = Validity::new(Some(&words));
        for rows in [0..256, 5..5, 3..200, 60..70, 128..192, 255..256] {
            let expected: Vec<usize> = rows.clone().filter(|row| validity.is_valid(*row)).collect();
            let mut visited = Vec::new();
            validity.for_each_valid(rows.clone(), |row| visited.push(row));
            assert_eq!(visited, expected);
            assert_eq!(validity.count_valid(&rows), expected.len());
            let mut from_runs = Vec::new();
            let mut covered = rows.start;
            validity.for_each_run(rows.clone(), |valid, run| {
                assert_eq!(covered, run.start);
                covered = run.end;
                if valid {
                    from_runs.extend(run);
                }
            });
            assert_eq!(from_runs, expected);
            assert_eq!(covered, rows.end);
        }
    }

    #[test]
    fn no_mask_means_no_nulls() {
        let validity = Validity::new(None);
        assert_eq!(validity.count_valid(&(3..10)), 7);
        let mut runs = Vec::new();
        validity.for_each_run(3..10, |valid, run| runs.push((valid, run)));
        assert_eq!(runs, [(true, 3..10)]);
    }
}
