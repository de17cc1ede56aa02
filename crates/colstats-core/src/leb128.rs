//! Unsigned LEB128, the numbers of states, of Hive's bit vectors and of Thrift: seven bits a byte, the least
//! significant first, the top bit set on all but the last. [`crate::bytes_reader::BytesReader::varint`] reads them.

/// The most bytes that a number takes.
pub const LONGEST_BYTES: usize = 10;

/// Appends a number.
pub fn write(bytes: &mut Vec<u8>, mut value: u64) {
    while value > 0x7F {
        bytes.push((value & 0x7F) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push((value & 0x7F) as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes_reader::{BytesReader, Problem};

    #[test]
    fn numbers_come_back_and_bad_ones_do_not() {
        for value in [0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            write(&mut bytes, value);
            assert!(bytes.len() <= LONGEST_BYTES);
            for length in 0..bytes.len() {
                let cut = BytesReader::new(&bytes[..length]).varint();
                assert_eq!(cut, Err(Problem::EndsEarly));
            }
            bytes.push(7);
            let mut reader = BytesReader::new(&bytes);
            assert_eq!(reader.varint(), Ok(value));
            assert_eq!(reader.rest(), [7]);
        }
        assert_eq!(BytesReader::new(&[0xFF; 11]).varint(), Err(Problem::TooLarge));
        let last_too_large = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2];
        assert_eq!(BytesReader::new(&last_too_large).varint(), Err(Problem::TooLarge));
    }
}
