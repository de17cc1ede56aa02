//! Unsigned LEB128, the numbers of states, of Hive's bit vectors and of Thrift: seven bits a byte, the least
//! significant first, the top bit set on all but the last.

/// Why there is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The bytes end within it.
    Truncated,
    /// It does not fit 64 bits.
    TooLarge,
}

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

/// Takes a number off the front of `rest`.
///
/// # Errors
/// If the bytes end too early or the number is too large; `rest` is then anywhere within it.
pub fn read(rest: &mut &[u8]) -> Result<u64, Problem> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, after) = rest.split_first().ok_or(Problem::Truncated)?;
        *rest = after;
        let bits = u64::from(byte & 0x7F);
        // The tenth byte has room for one bit.
        if bits << shift >> shift != bits {
            break;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Problem::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_bad_ones_do_not() {
        for value in [0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            write(&mut bytes, value);
            assert!(bytes.len() <= LONGEST_BYTES);
            for length in 0..bytes.len() {
                assert_eq!(read(&mut &bytes[..length]), Err(Problem::Truncated));
            }
            bytes.push(7);
            let mut rest = bytes.as_slice();
            assert_eq!(read(&mut rest), Ok(value));
            assert_eq!(rest, [7]);
        }
        assert_eq!(read(&mut [0xFF; 11].as_slice()), Err(Problem::TooLarge));
        let last_too_large = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2];
        assert_eq!(read(&mut last_too_large.as_slice()), Err(Problem::TooLarge));
    }
}
