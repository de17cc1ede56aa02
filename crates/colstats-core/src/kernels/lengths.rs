//! Sum and maximum of the lengths of texts (in characters) and of byte strings (in bytes).
//!
//! A character is a code point, counted as Hive counts it: the bytes that are not `10xxxxxx`
//! (`GenericUDFLength`, `StringLength`).

use std::ops::Range;
use std::sync::Arc;

use super::repetition::StringBatch;
use crate::column::column_type::ColumnType;
use crate::column::vectors::{ByteString, Strings, Validity, Values};

/// The characters of a UUID's text.
const UUID_CHARACTERS: u64 = 36;

/// How long a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Measure {
    Characters,
    Bytes,
    /// All values are as long.
    Fixed(u64),
    /// The lengths of an enumeration's members, in characters.
    Members(Arc<[u64]>),
}

/// Lengths of the values of one leaf, NULL left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lengths {
    measure: Measure,
    /// The sum over all values.
    pub sum: u64,
    /// The largest; 0 when there is no value.
    pub max: u64,
}

impl Lengths {
    /// Empty lengths; `None` for types whose values have no length of their own.
    pub fn new(column_type: &ColumnType) -> Option<Lengths> {
        let measure = match column_type.base() {
            ColumnType::Varchar | ColumnType::Json => Measure::Characters,
            ColumnType::Blob | ColumnType::Bit | ColumnType::BigNum | ColumnType::Geometry => {
                Measure::Bytes
            }
            ColumnType::Uuid => Measure::Fixed(UUID_CHARACTERS),
            ColumnType::Enum(members) => {
                Measure::Members(members.iter().map(|m| count_characters(m.as_bytes())).collect())
            }
            _ => return None,
        };
        Some(Lengths { measure, sum: 0, max: 0 })
    }

    /// Takes in strings.
    pub fn update_strings<'a, T: ByteString<'a>>(&mut self, batch: &StringBatch<T>) {
        let is_characters = self.measure == Measure::Characters;
        for (item, row_count) in batch.counted() {
            let length = if is_characters {
                count_characters(item.bytes())
            } else {
                item.size_bytes() as u64
            };
            self.sum += length * row_count;
            self.max = self.max.max(length);
        }
    }

    /// Takes in the valid rows of `rows`, which are no strings.
    pub fn update<'a, S: Strings<'a>>(
        &mut self,
        values: &Values<'a, S>,
        validity: Validity<'a>,
        rows: Range<usize>,
    ) {
        let (mut sum, mut max) = (0, 0);
        let mut add = |length: u64| {
            sum += length;
            max = max.max(length);
        };
        match (&self.measure, values) {
            (Measure::Fixed(length), _) => validity.for_each_valid(rows, |_| add(*length)),
            (Measure::Members(lengths), values) => validity.for_each_valid(rows, |row| {
                let member = match values {
                    Values::UInt8(values) => values.get(row).map(|member| usize::from(*member)),
                    Values::UInt16(values) => values.get(row).map(|member| usize::from(*member)),
                    Values::UInt32(values) => values.get(row).map(|member| *member as usize),
                    _ => None,
                };
                add(member.and_then(|member| lengths.get(member)).copied().unwrap_or_default());
            }),
            _ => {}
        }
        self.sum += sum;
        self.max = self.max.max(max);
    }

    /// Takes in what another pass saw.
    pub fn merge(&mut self, other: &Lengths) {
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }
}

/// The bytes that start a character. Most texts are ASCII, where all do; that is found out by words.
fn count_characters(bytes: &[u8]) -> u64 {
    if is_ascii(bytes) {
        return bytes.len() as u64;
    }
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64
}

#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    // The last word may overlap the one before: looking at a byte twice does no harm.
    let Some(last) = bytes.last_chunk::<8>() else { return bytes.is_ascii() };
    let (words, _) = bytes.as_chunks::<8>();
    let seen =
        words.iter().fold(u64::from_le_bytes(*last), |seen, word| seen | u64::from_le_bytes(*word));
    seen & 0x8080_8080_8080_8080 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns::ByteColumn;

    fn lengths(column_type: &ColumnType, values: &[Option<&[u8]>]) -> (u64, u64) {
        let mut lengths = Lengths::new(column_type).unwrap();
        let column = ByteColumn::nullable(values.to_vec());
        lengths.update_strings(&StringBatch::new(&column, 0..values.len()));
        (lengths.sum, lengths.max)
    }

    #[test]
    fn texts_count_characters_and_byte_strings_bytes() {
        let values = [Some("é".as_bytes()), None, Some("三星🦆".as_bytes()), Some(b"".as_slice())];
        assert_eq!(lengths(&ColumnType::Varchar, &values), (4, 3));
        assert_eq!(lengths(&ColumnType::Blob, &values), (12, 10));
    }

    #[test]
    fn characters_are_counted_wherever_the_long_ones_stand() {
        for length in 0..40 {
            assert_eq!(count_characters("x".repeat(length).as_bytes()), length as u64);
            for place in 0..length {
                let text = format!("{}é🦆{}", "x".repeat(place), "y".repeat(length - place));
                assert_eq!(count_characters(text.as_bytes()), text.chars().count() as u64);
            }
        }
    }

    #[test]
    fn members_have_the_lengths_of_their_texts() {
        let members = ["é", "long"].map(str::to_owned);
        let mut lengths = Lengths::new(&ColumnType::enumeration(members)).unwrap();
        let values: Values<'_, ByteColumn<'_>> = Values::UInt8(&[0, 1, 200, 1]);
        lengths.update(&values, Validity::new(Some(&[0b1011])), 0..4);
        assert_eq!((lengths.sum, lengths.max), (9, 4));
    }
}
