//! Columns made of plain Rust values, for tests.

use std::ops::Range;

use super::column::{ByteString, Strings};

/// A column of byte strings without a host.
#[derive(Debug, Clone)]
pub struct ByteColumn<'a> {
    values: Vec<Option<&'a [u8]>>,
}

impl<'a> ByteColumn<'a> {
    /// A column without NULL.
    pub fn new(values: &[&'a [u8]]) -> Self {
        ByteColumn { values: values.iter().map(|value| Some(*value)).collect() }
    }

    /// A column with NULLs.
    pub fn nullable(values: Vec<Option<&'a [u8]>>) -> Self {
        ByteColumn { values }
    }
}

impl<'a> ByteString<'a> for &'a [u8] {
    fn size_bytes(self) -> usize {
        self.len()
    }

    fn prefix(self) -> u32 {
        let mut bytes = [0; 4];
        bytes.iter_mut().zip(self).for_each(|(to, from)| *to = *from);
        u32::from_be_bytes(bytes)
    }

    fn bytes(self) -> &'a [u8] {
        self
    }
}

impl<'a> Strings<'a> for ByteColumn<'a> {
    type Item = &'a [u8];

    fn for_each_valid(&self, rows: Range<usize>, visit: impl FnMut(&'a [u8])) {
        self.values[rows].iter().copied().flatten().for_each(visit);
    }
}
