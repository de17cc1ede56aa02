//! Which members of an enumeration occur. Their order as texts is not the declared one, so the smallest
//! index need not have the smallest text.

use std::ops::Range;
use std::sync::Arc;

use crate::column::column_type::{ColumnType, Members};
use crate::column::vectors::{Strings, Validity, Values};

/// The members that a leaf has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberSet {
    members: Arc<Members>,
    /// A bit per member.
    words: Box<[u64]>,
}

impl MemberSet {
    /// An empty set; `None` for types that are no enumerations.
    pub fn new(column_type: &ColumnType) -> Option<MemberSet> {
        let ColumnType::Enum(members) = column_type.base() else { return None };
        let words = vec![0; members.len().div_ceil(64)].into_boxed_slice();
        Some(MemberSet { members: members.clone(), words })
    }

    /// Takes in the valid rows of `rows`.
    pub fn update<'a, S: Strings<'a>>(
        &mut self,
        values: &Values<'a, S>,
        validity: Validity<'a>,
        rows: Range<usize>,
    ) {
        match values {
            Values::UInt8(values) => self.add(values, validity, rows),
            Values::UInt16(values) => self.add(values, validity, rows),
            Values::UInt32(values) => self.add(values, validity, rows),
            _ => {}
        }
    }

    fn add<T: Copy + Into<u32>>(
        &mut self,
        values: &[T],
        validity: Validity<'_>,
        rows: Range<usize>,
    ) {
        validity.for_each_valid(rows, |row| {
            let Some(index) = values.get(row).map(|value| (*value).into() as usize) else { return };
            if let Some(word) = self.words.get_mut(index / 64) {
                *word |= 1 << (index % 64);
            }
        });
    }

    /// Takes in what another set of the same type holds.
    pub fn merge(&mut self, other: &MemberSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// The smallest and the largest text by bytes; `None` without any.
    pub fn ends(&self) -> Option<(&str, &str)> {
        let occurs = |index: &usize| {
            self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
        };
        let texts = || {
            let indexes = (0..self.members.len()).filter(occurs);
            indexes.filter_map(|index| self.members.get(index)).map(String::as_str)
        };
        Some((texts().min()?, texts().max()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns::ByteColumn;

    #[test]
    fn texts_are_compared_and_only_those_that_occur() {
        let texts = (0..300).rev().map(|number| format!("m{number:03}"));
        let mut set = MemberSet::new(&ColumnType::enumeration(texts)).unwrap();
        assert_eq!(set.ends(), None);
        let values: Values<'_, ByteColumn<'_>> = Values::UInt16(&[0, 250, 7, 299, 60_000]);
        set.update(&values, Validity::new(Some(&[0b10110])), 0..5);
        assert_eq!(set.ends(), Some(("m049", "m292")));
        let mut all = MemberSet { words: vec![0; 5].into(), ..set.clone() };
        all.update(&values, Validity::new(None), 0..5);
        set.merge(&all);
        assert_eq!(set.ends(), Some(("m000", "m299")));
    }
}
