//! Reads Thrift's compact protocol (thrift-compact-protocol.md of Apache Thrift), in which Parquet footers
//! are written: just what is needed to walk a struct and to pass over the rest. Nothing is allocated by a
//! length that stands in the input, and nesting is bounded, so damaged input costs nothing but `None`.
//!
//! Not the `parquet` crate: version 60.1 recurses once per level of a schema and reserves as many children as
//! the input claims, so that a footer of 240 kB aborts the process, which is the user's.

use crate::bytes_reader::BytesReader;

/// How an encoded value is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    True,
    False,
    Byte,
    /// Whole numbers of 16, 32 and 64 bits, all as zigzag varints.
    Integer,
    Double,
    Binary,
    /// Lists and sets.
    List,
    Map,
    Struct,
    Uuid,
}

impl Kind {
    fn of(code: u8) -> Option<Kind> {
        Some(match code {
            1 => Kind::True,
            2 => Kind::False,
            3 => Kind::Byte,
            4..=6 => Kind::Integer,
            7 => Kind::Double,
            8 => Kind::Binary,
            9 | 10 => Kind::List,
            11 => Kind::Map,
            12 => Kind::Struct,
            13 => Kind::Uuid,
            _ => return None,
        })
    }
}

/// How deeply values that are passed over may be nested.
const MAX_DEPTH: usize = 64;

/// A place in encoded bytes, which walks over Thrift's values. Every method gives `None` where the bytes are not what they should be.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    bytes: BytesReader<'a>,
}

impl<'a> Reader<'a> {
    /// At the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes: BytesReader::new(bytes) }
    }

    /// The bytes that are still to be read.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.rest()
    }

    /// Reads a struct: `field` is called with the number and kind of each field, and must read its value or
    /// pass over it.
    pub fn each_field(
        &mut self,
        mut field: impl FnMut(&mut Self, i16, Kind) -> Option<()>,
    ) -> Option<()> {
        let mut number: i16 = 0;
        loop {
            let head = self.bytes.byte().ok()?;
            if head == 0 {
                return Some(());
            }
            number = match head >> 4 {
                0 => i16::try_from(self.integer()?).ok()?,
                step => number.checked_add(i16::from(step))?,
            };
            field(self, number, Kind::of(head & 0x0F)?)?;
        }
    }

    /// Reads a list: `element` is called for each element, with its kind.
    pub fn each_element(
        &mut self,
        mut element: impl FnMut(&mut Self, Kind) -> Option<()>,
    ) -> Option<()> {
        let head = self.bytes.byte().ok()?;
        let kind = Kind::of(head & 0x0F)?;
        let count = if head >> 4 == 15 { self.bytes.varint().ok()? } else { u64::from(head >> 4) };
        (0..count).try_for_each(|_| element(self, kind))
    }

    /// A whole number of any width.
    pub fn integer(&mut self) -> Option<i64> {
        let zigzag = self.bytes.varint().ok()?;
        Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    /// The bytes of a text or blob.
    pub fn binary(&mut self) -> Option<&'a [u8]> {
        self.bytes.sized().ok()
    }

    /// Passes over the value of a field.
    pub fn skip(&mut self, kind: Kind) -> Option<()> {
        self.skip_within(kind, MAX_DEPTH)
    }

    fn skip_within(&mut self, kind: Kind, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            Kind::True | Kind::False => Some(()),
            Kind::Byte => self.bytes.byte().ok().map(drop),
            Kind::Integer => self.bytes.varint().ok().map(drop),
            Kind::Double => self.bytes.take(8).ok().map(drop),
            Kind::Uuid => self.bytes.take(16).ok().map(drop),
            Kind::Binary => self.binary().map(drop),
            Kind::List => self.each_element(|reader, kind| reader.skip_element(kind, depth)),
            Kind::Struct => self.each_field(|reader, _, kind| reader.skip_within(kind, depth)),
            Kind::Map => {
                let count = self.bytes.varint().ok()?;
                let kinds = if count == 0 { 0x11 } else { self.bytes.byte().ok()? };
                let (key, value) = (Kind::of(kinds >> 4)?, Kind::of(kinds & 0x0F)?);
                (0..count).try_for_each(|_| {
                    self.skip_element(key, depth)?;
                    self.skip_element(value, depth)
                })
            }
        }
    }

    /// In a list or map a truth value takes a byte; in a struct it lies in the field's head.
    fn skip_element(&mut self, kind: Kind, depth: usize) -> Option<()> {
        match kind {
            Kind::True | Kind::False => self.bytes.byte().ok().map(drop),
            other => self.skip_within(other, depth),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_numbered_by_steps_or_outright() {
        // 1: i32 -1; 3: true; 300: binary "ab"; 301: a list of two booleans.
        let bytes = [0x15, 1, 0x21, 0x08, 0xD8, 0x04, 2, b'a', b'b', 0x19, 0x21, 1, 2, 0, 99];
        let mut reader = Reader::new(&bytes);
        let mut seen = Vec::new();
        reader
            .each_field(|reader, number, kind| {
                match number {
                    1 => seen.push((number, reader.integer()?)),
                    300 => seen.push((number, i64::from(reader.binary()? == b"ab"))),
                    _ => {
                        seen.push((number, 0));
                        reader.skip(kind)?;
                    }
                }
                Some(())
            })
            .unwrap();
        assert_eq!(seen, [(1, -1), (3, 0), (300, 1), (301, 0)]);
        assert_eq!(reader.rest(), [99]);
    }

    #[test]
    fn everything_can_be_passed_over() {
        // A double, a map of i32 to binary, an empty map, a set of structs, a UUID and a byte.
        let mut bytes = vec![0x17];
        bytes.extend([0; 8]);
        bytes.extend([0x1B, 1, 0x58, 2, 1, b'x', 0x1B, 0, 0x1A, 0x2C, 0, 0x15, 4, 0, 0x1D]);
        bytes.extend([0; 16]);
        bytes.extend([0x13, 7, 0]);
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.skip(Kind::Struct), Some(()));
        assert!(reader.rest().is_empty());
        for length in 0..bytes.len() {
            assert_eq!(Reader::new(&bytes[..length]).skip(Kind::Struct), None, "{length}");
        }
    }

    #[test]
    fn damaged_bytes_are_none() {
        // Structs in structs without end; a list and a binary longer than the input; an endless varint.
        assert_eq!(Reader::new(&[0x1C; 500]).skip(Kind::Struct), None);
        assert_eq!(Reader::new(&[0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]).skip(Kind::List), None);
        assert_eq!(Reader::new(&[0xFF, 0xFF, 0x0F, 1]).binary(), None);
        assert_eq!(Reader::new(&[0xFF; 11]).integer(), None);
        assert_eq!(Reader::new(&[0x1E]).skip(Kind::Struct), None);
    }

    #[test]
    fn field_numbers_have_sixteen_bits() {
        // 32767, and one step more; outright 32768 and the greatest number of 64 bits.
        let last = [0x01, 0xFE, 0xFF, 0x03];
        assert_eq!(Reader::new(&[&last[..], &[0]].concat()).skip(Kind::Struct), Some(()));
        assert_eq!(Reader::new(&[&last[..], &[0x11, 0]].concat()).skip(Kind::Struct), None);
        assert_eq!(Reader::new(&[0x01, 0x80, 0x80, 0x04, 0]).skip(Kind::Struct), None);
        let mut greatest = vec![0x01, 0xFE];
        greatest.extend([0xFF; 8]);
        greatest.extend([0x01, 0x11, 0]);
        assert_eq!(Reader::new(&greatest).skip(Kind::Struct), None);
    }
}
